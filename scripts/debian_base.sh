# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# A Debian or an Ubuntu in a folder. To be sourced behind common.sh.

# base_code: the name of this machine's release.
base_code()
{
    (. /etc/os-release && printf '%s' "$VERSION_CODENAME")
}

# base_sources: lines for sources.list, of those of this machine's lists that are of its release and component main.
base_sources()
{
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v code="$(base_code)" '$1 == "Debian" && index($3, code) == 1 && $4 == "main" { print "deb", $2, $3, "main" }' |
        sort -u
}

# base_site: where this machine gets the packages of its own Debian.
base_site()
{
    base_sources | awk -v code="$(base_code)" '$3 == code { print $2; exit }'
}

# base_debootstrap DIR ARGUMENT...: its words only when it fails.
base_debootstrap()
{
    debootstrap --variant=minbase --include=ca-certificates "${@:2}" </dev/null >"$1.log" 2>&1 || {
        tail -n 5 "$1.log" >&2
        fail "debootstrap failed"
    }
    base_settle "$1"
}

# base_settle DIR: packages are not kept twice, and no service starts.
base_settle()
{
    printf 'APT::Keep-Downloaded-Packages "false";\nAPT::Install-Recommends "false";\n' >"$1/etc/apt/apt.conf.d/90base"
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod +x "$1/usr/sbin/policy-rc.d"
}

# base_make DIR: the smallest system that apt works in, of this machine's release and package sources.
base_make()
{
    [ -n "$(base_site)" ] || fail "no source of $(base_code) is in this machine's package lists; run apt-get update"
    base_sources | mmdebstrap --quiet --variant=minbase --include=ca-certificates --dpkgopt=force-unsafe-io "$(base_code)" "$1" - \
        >"$1.log" 2>&1 || {
        tail -n 5 "$1.log" >&2
        fail "mmdebstrap failed"
    }
    base_settle "$1"
}

# base_make_debian DIR CODE: the same of another release, from where this machine's comes.
base_make_debian()
{
    local site
    site=$(base_site)
    [ -n "$site" ] || fail "no source of Debian is in this machine's package lists; run apt-get update"
    base_debootstrap "$1" "$2" "$1" "$site"
    printf 'deb %s %s main\n' "$site" "$2" "$site" "$2-updates" >"$1/etc/apt/sources.list"
}

# base_make_small DIR CODE: another release without documentation, in half the time; what is in it is only for compilers.
base_make_small()
{
    local site
    site=$(base_site)
    [ -n "$site" ] || fail "no source of Debian is in this machine's package lists; run apt-get update"
    mmdebstrap --quiet --variant=apt --include=ca-certificates,ccache --dpkgopt=force-unsafe-io \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' "$2" "$1" "deb $site $2 main" "deb $site $2-updates main"
}

# base_make_ubuntu DIR CODE KEYRING: an Ubuntu, from where debootstrap believes it to be.
base_make_ubuntu()
{
    base_debootstrap "$1" --keyring="$3" --components=main,universe "$2" "$1" "" gutsy
    sed -i "p;s/ $2 / $2-updates /" "$1/etc/apt/sources.list"
}

# base_copy_tree DIR: the tree, without its repository and what was built in it; the file VERSION says of which commit it is.
base_copy_tree()
{
    mkdir -p "$1"
    # shellcheck disable=SC2154
    tar c -C "$root" --exclude=./build --exclude='./build-*' --exclude=./out --exclude=./.git --exclude=__pycache__ . | tar x -C "$1"
    "$root/scripts/version.sh" --both >"$1/VERSION"
}
