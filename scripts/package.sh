#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/package.sh [--arch] [--chroot] [--base DIR] [--deb FILE] [--out DIR]
#
# Builds the Debian packages in a copy of the tree, lints them, unpacks them and plays the quick start with what is in gbflow.
#   --arch       only packages of this architecture: without gbflow-doc, whose site scripts/site.sh builds with MkDocs from PyPI
#   --chroot     also installs it in a Debian made by mmdebstrap, checks the service's unit, runs everything there without
#                rights, and plays docs/packaging.md there: install, service with its rights, upgrade, remove, purge; then
#                nothing is left (root, network)
#   --base DIR   such a Debian of before; it is copied
#   --deb FILE   try this package instead of building one
#   --out DIR    keep the packages there
# The last line is "N passed, N failed, N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source-path=SCRIPTDIR source=debian_base.sh
. "$root/scripts/debian_base.sh"
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$root/scripts/checks.sh"

arch=false
chroot=false
base=
deb=
out=

# The date of the site's pages is that of the release, as of all files of packages.
site()
{
    SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$root/debian/changelog" -S Timestamp) \
        "$root/scripts/site.sh" --no-links --out "$work/tree/site"
}

build()
{
    local compiler=gcc kinds=-b
    ! $arch || kinds=-B
    ! command -v ccache >/dev/null || compiler="ccache gcc"
    (cd "$work/tree" && CC=$compiler CCACHE_BASEDIR=$work/tree CCACHE_NOHASHDIR=1 dpkg-buildpackage -us -uc $kinds)
}

unpacked_quickstart()
{
    local at=$work/unpacked
    dpkg-deb -x "$work"/gbflow_*.deb "$at"
    cd "$work"
    "$at/usr/bin/gbflow" run "$at/usr/share/doc/gbflow/examples/scenarios/quickstart.lua" --out "$work/quickstart" &&
        outputs "$work/quickstart"
}

# The program names the commit; all packages have its version.
versions()
{
    local package expected
    expected=$(tr '\n' ' ' <"$work/tree/VERSION")
    [ "$("$work/unpacked/usr/bin/gbflow" --version | awk 'NR < 3 { printf "%s ", $2 }')" = "$expected" ] || return
    for package in "$work"/gbflow*.deb; do
        [ "$(dpkg-deb -f "$package" Version)" = "${expected%% *}" ] || return
    done
}

# All files of the site are there by their names, but those that no page loads.
unpacked_site()
{
    local at=$work/unpacked-doc
    dpkg-deb -x "$work"/gbflow-doc_*.deb "$at" && [ -s "$at/usr/share/doc-base/gbflow-doc.gbflow" ] || return
    (cd "$work/tree/site" && find . -type f | grep -Ev '\.map$|/sitemap|/lunr/|/404\.html$' | sort) >"$work/of-site" &&
        (cd "$at/usr/share/doc/gbflow/html" && find . -type f | sort) | diff "$work/of-site" - && [ -s "$at/usr/share/doc/gbflow/html/index.html" ]
}

# The example of gbflow-dev, built by its pkg-config module, is a plug-in.
unpacked_plug_in()
{
    local at=$work/unpacked dev=$work/unpacked-dev modules
    dpkg-deb -x "$work"/gbflow-dev_*.deb "$dev"
    modules=$(dirname "$(find "$dev" -name gbflow-aqm.pc)")
    # shellcheck disable=SC2046
    cc -shared -fPIC $(PKG_CONFIG_SYSROOT_DIR=$dev PKG_CONFIG_PATH=$modules pkg-config --cflags gbflow-aqm) \
        -o "$work/one_second.so" "$dev/usr/share/doc/gbflow-dev/examples/example_plugin.c" &&
        "$at/usr/bin/gbflow" aqm curve one_second --plugin "$work/one_second.so" >"$work/curve" && [ -s "$work/curve" ]
}

# inside COMMAND...: in the chroot, with processes and a network of its own.
inside()
{
    unshare --mount --net --pid --fork --kill-child "$root/scripts/in_root.sh" "$work/root" "$@"
}

# installing COMMAND...: the same with this machine's network.
installing()
{
    unshare --mount "$root/scripts/in_root.sh" "$work/root" "$@"
}

dependencies()
{
    local wanted
    installing apt-get update || return
    wanted=$(installing apt-get -s --no-install-recommends install /gbflow.deb | awk '$1 == "Inst" && $2 != "gbflow" { print $2 }') ||
        return
    # shellcheck disable=SC2086
    installing apt-get -y --no-install-recommends install $wanted libjs-dygraphs python3 python3-matplotlib python3-scipy
}

# Everything that there is, but what apt and dpkg note for themselves.
list_files()
{
    (cd "$work/root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/log \
        -o -path ./var/cache -o -path ./var/lib/apt \) -prune -o -print | sort)
}

quickstart()
{
    inside sh /tmp/inside.sh quickstart && outputs "$work/root/tmp/quickstart"
}

# block HEADING: the first block of a section of the page.
block()
{
    awk -v heading="### $1" '/^#/ { inside = $0 == heading } inside && /^    / { print substr($0, 5); some = 1; next } some { exit }' \
        "$root/docs/packaging.md"
}

# A later package: with another version, another program, and another conffile.
repack()
{
    dpkg-deb -R "$work/root/gbflow.deb" "$work/later" && sed -i '/^Version: /s/$/.1/' "$work/later/DEBIAN/control" &&
        echo "-- later" >>"$work/later/etc/gbflow/first.lua" && dpkg-deb --root-owner-group -b "$work/later" "$1"
}

page()
{
    block "Install, upgrade, remove" >"$work/root/tmp/install.block" && block "The service" >"$work/root/tmp/service.block" &&
        cp "$work/root/gbflow.deb" "$work/root/tmp/old.deb" && repack "$work/root/tmp/new.deb" &&
        unshare --mount --net --pid --fork --kill-child \
            "$root/scripts/lab_links.sh" gn0 gb0 "$root/scripts/in_root.sh" "$work/root" sh /tmp/inside.sh page
}

# The Debian in the folder has no units of the system's.
unit()
{
    mkdir -p "$work/root/etc/gbflow"
    touch "$work/root/etc/gbflow/lab.lua"
    local said
    said=$(systemd-analyze verify --man=no --root="$work/root" gbflow@lab.service 2>&1 |
        grep gbflow | grep -v 'Unit sysinit.target not found' || true)
    rm "$work/root/etc/gbflow/lab.lua"
    [ -z "$said" ] || {
        echo "$said"
        return 1
    }
    systemd-analyze security --offline=true --threshold=15 --root="$work/root" gbflow@lab.service
}

purge()
{
    installing dpkg --purge gbflow
}

nothing_left()
{
    list_files | diff "$work/before" -
}

in_chroot()
{
    [ "$(id -u)" -eq 0 ] || fail "--chroot needs root"
    say "making a Debian in a folder"
    if [ -n "$base" ]; then cp -a "$base" "$work/root"; else base_make "$work/root"; fi
    cp "$work"/gbflow_*.deb "$work/root/gbflow.deb"
    check "its dependencies install" dependencies
    cp "$root/scripts/package_inside.sh" "$work/root/tmp/inside.sh"
    install "$root/scripts/package_systemctl.sh" "$work/root/usr/bin/systemctl"
    echo 'APT::Get::Assume-Yes "true";' >"$work/root/etc/apt/apt.conf.d/91yes"
    list_files >"$work/before"
    check "it installs" installing dpkg -i /gbflow.deb
    check "its quick start runs, as nobody" quickstart
    check "its doctor, configurations and man page are right" inside sh /tmp/inside.sh files
    check "its unit is right, and hardened" unit
    cp "$root/debian/tests/node" "$work/root/tmp/first.sh"
    check "its first node starts, without rights" inside sh /tmp/first.sh
    check "it is removed" purge
    check "nothing of it is left" nothing_left
    check "the page's install, service, upgrade, remove and purge do what it says" page
    check "nothing is left of that" nothing_left
}

# missing: the first tool that is not there.
missing()
{
    local tool
    for tool in dh dpkg-buildpackage lintian; do
        command -v "$tool" >/dev/null || {
            printf '%s' "$tool"
            return
        }
    done
}

parse_options "arch chroot base=path deb=path out=path" "$@"
[ "${#words[@]}" -eq 0 ] || usage_error "unknown argument '${words[0]}'"
if [ -n "$(missing)" ]; then
    say "skipped: $(missing) is missing; scripts/setup.sh --test brings it"
    [ "${CI-}" = true ] && exit 1
    exit 77
fi
checks_begin
if [ -n "$deb" ]; then
    cp "$deb" "$work/gbflow_given.deb"
else
    base_copy_tree "$work/tree"
    if ! $arch; then check "the site builds" site; fi
    check "the packages build" build
    check "lintian finds nothing" lintian --allow-root --fail-on error,warning "$work"/gbflow_*.changes
fi
check "its quick start runs, unpacked" unpacked_quickstart
if [ -z "$deb" ]; then
    check "version and commit are those of the tree" versions
    check "a plug-in is built with gbflow-dev" unpacked_plug_in
    if ! $arch; then check "the site is in gbflow-doc" unpacked_site; fi
fi
if $chroot; then in_chroot; fi
if [ -n "$out" ]; then mkdir -p "$out" && cp "$work"/*.deb "$out"; fi
