# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# A Debian of this machine's release in a folder, of this machine's own package sources. To be sourced behind common.sh.

# base_sources: lines for sources.list, of those of this machine's lists that are of its release and component main.
base_sources()
{
    local code
    code=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v code="$code" '$1 == "Debian" && index($3, code) == 1 && $4 == "main" { print "deb", $2, $3, "main" }' |
        sort -u
}

# base_make DIR: the smallest system that apt works in. Its packages are those of the first source.
base_make()
{
    local code site
    code=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    site=$(base_sources | awk -v code="$code" '$3 == code { print $2; exit }')
    [ -n "$site" ] || fail "no source of $code is in this machine's package lists; run apt-get update"
    debootstrap --variant=minbase --include=ca-certificates "$code" "$1" "$site" </dev/null >"$1.log" 2>&1 || {
        tail -n 5 "$1.log" >&2
        fail "debootstrap failed"
    }
    base_sources >"$1/etc/apt/sources.list"
    # Packages are not kept twice, and no service starts.
    printf 'APT::Keep-Downloaded-Packages "false";\nAPT::Install-Recommends "false";\n' >"$1/etc/apt/apt.conf.d/90base"
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod +x "$1/usr/sbin/policy-rc.d"
}

# base_copy_tree DIR: the tree, without what was built in it.
base_copy_tree()
{
    mkdir -p "$1"
    # shellcheck disable=SC2154
    tar c -C "$root" --exclude=./build --exclude='./build-*' --exclude=./out --exclude=./.git --exclude=__pycache__ . | tar x -C "$1"
}
