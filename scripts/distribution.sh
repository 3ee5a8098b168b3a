#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/distribution.sh NAME [--gate] [--base DIR] [--keyring FILE] [--save DIR]
#        scripts/distribution.sh NAME --program
#        scripts/distribution.sh [--gate] --packages | --tests
#
# Builds gbflow with the compilers and libraries of another distribution, and runs its fast unit tests there.
# NAME is debian-12, debian-13 or ubuntu-24.04, made by debootstrap in a folder; needs root and the network.
#   --gate          runs the gate there, scripts/test.sh --all, in place of the fast tests; without the lint, whose words are
#                   those of Debian 12's linters, without the site, which needs the network, and without --program
#   --program       compiles the program there, warnings are errors, and tests nothing: for a Debian. The system stays in the
#                   user's cache, ~/.cache/gbflow/NAME, until scripts/setup.sh changes
#   --base DIR      such a system of before; it is copied
#   --keyring FILE  keys that sign the packages of Ubuntu (default: that of the package ubuntu-archive-keyring)
#   --save DIR      keep the system there, without the build, for --base
# Without NAME the system is the one that the script runs in, for example a container:
#   --packages      installs what the build and the tests need
#   --tests         builds with gcc and tests, then builds the program with clang; warnings are errors; prints a row for the
#                   table of docs/building.md
# The last line is "N passed, N failed, N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source-path=SCRIPTDIR source=debian_base.sh
. "$root/scripts/debian_base.sh"
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$root/scripts/checks.sh"

name=
base=
keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
save=
packages=false
tests=false
gate=false
program=false
here=
# Programs in use, judges and reports depend on more than DPDK and a compiler; README's two minutes leave out the same.
not_fast=(lint slow alone live interop bench report scenario replay oracle analyze heavy)

parse()
{
    local word
    parse_options "packages tests gate program base=path keyring=path save=path" "$@"
    for word in "${words[@]}"; do
        case "$word" in
        debian-12 | debian-13 | ubuntu-24.04) name=$word ;;
        *) usage_error "unknown argument '$word'; distributions are debian-12, debian-13 and ubuntu-24.04" ;;
        esac
    done
    ! $packages || here=packages
    ! $tests || here=tests
    [ -n "$name$here" ] || usage_error "name a distribution, or --packages or --tests"
    if $program && { $gate || [[ $name != debian-* || -n $base$save ]]; }; then
        usage_error "--program is for debian-12 and debian-13, without other options"
    fi
    [ -z "$name" ] || [ -z "$here" ] || usage_error "--$here is for the system that the script runs in, not for $name"
}

# skip REASON: where all tools must be there it is a failure.
skip()
{
    say "skipped: $1"
    [ "${CI-}" = true ] && {
        say "0 passed, 1 failed, 0 skipped"
        exit 1
    }
    say "0 passed, 0 failed, 1 skipped"
    exit 77
}

require()
{
    [ "$(id -u)" -eq 0 ] || skip "making $name needs root"
    if $program; then
        command -v mmdebstrap >/dev/null || skip "mmdebstrap is missing; scripts/setup.sh --test brings it"
        return
    fi
    [ -z "$base" ] || return 0
    command -v debootstrap >/dev/null || skip "debootstrap is missing; scripts/setup.sh --nightly brings it"
    [ "${name%-*}" = debian ] || [ -s "$keyring" ] || skip "$keyring is missing; name the keys of Ubuntu's archive by --keyring"
}

code_of_debian()
{
    case "$name" in
    debian-12) echo bookworm ;;
    debian-13) echo trixie ;;
    esac
}

make_base()
{
    case "$name" in
    debian-*) base_make_debian "$1" "$(code_of_debian)" ;;
    ubuntu-24.04) base_make_ubuntu "$1" noble "$keyring" ;;
    esac
}

# inside COMMAND...: in the other system, with processes and a network of its own, which is a loopback.
inside()
{
    unshare --mount --net --pid --fork --kill-child sh -ec 'ip link set lo up && exec "$@"' sh "$root/scripts/in_root.sh" "$work/root" "$@"
}

# installing COMMAND...: the same with this machine's network.
installing()
{
    unshare --mount "$root/scripts/in_root.sh" "$work/root" "$@"
}

in_other()
{
    checks_begin
    local words=()
    ! $gate || words=(--gate)
    say "making $name in a folder"
    if [ -n "$base" ]; then cp -a "$base" "$work/root"; else make_base "$work/root"; fi
    base_copy_tree "$work/root/gbflow"
    check "packages of $name" installing /gbflow/scripts/distribution.sh --packages "${words[@]}"
    if [ -n "$save" ]; then
        mkdir -p "$save"
        tar c -C "$work/root" --exclude=./gbflow --exclude=./proc/* --exclude=./sys/* . | tar x -C "$save"
    fi
    check "build and tests in $name" inside /gbflow/scripts/distribution.sh --tests "${words[@]}"
    say "$(cat "$work/said")"
}

# make_kept DIR MADE_BY: the system for --program, with its packages.
make_kept()
{
    rm -rf --one-file-system "$1"
    mkdir -p "${1%/*}"
    base_make_small "$1" "$(code_of_debian)" &&
        base_copy_tree "$1/gbflow" &&
        unshare --mount "$root/scripts/in_root.sh" "$1" /gbflow/scripts/setup.sh --program &&
        printf '%s\n' "$2" >"$1/made-by"
}

compile()
{
    inside env CC="ccache gcc" CCACHE_DIR=/ccache /gbflow/scripts/build.sh --no-setup --program --dir /gbflow/build werror=true
}

in_kept()
{
    local kept=${XDG_CACHE_HOME:-$HOME/.cache}/gbflow/$name made_by log
    made_by=$(cat "$root/scripts/setup.sh" "$root/scripts/debian_base.sh" | sha256sum)
    log=$(mktemp)
    mkdir -p "${kept%/*}"
    exec 9>"$kept.lock"
    flock 9
    if [ "$(cat "$kept/made-by" 2>/dev/null)" != "$made_by" ]; then
        say "making $name in $kept, once"
        make_kept "$kept" "$made_by" >"$log" 2>&1 </dev/null || skip "$name cannot be made: $(tail -n 1 "$log")"
    fi
    rm -f "$log"
    checks_begin
    ln -s "$kept" "$work/root"
    rm -rf "$kept/gbflow"
    base_copy_tree "$kept/gbflow"
    check "gcc compiles the program in $name" compile
}

packages()
{
    if $gate; then
        exec "$root/scripts/setup.sh" --test
    fi
    "$root/scripts/setup.sh" --build
    # What the fast tests skip without.
    apt-get -y --no-install-recommends install clang libipsec-mb-dev libosmocore-dev libspandsp-dev llvm lua-busted lua5.4 tshark
    apt-get -y --no-install-recommends install "libclang-rt-$(clang -dumpversion | sed 's/\..*//')-dev"
}

# row TESTS: a line of the table in docs/building.md, what was tested with and how many tests passed.
row()
{
    local module line
    line="$(. /etc/os-release && printf '%s' "$PRETTY_NAME") | $(gcc -dumpfullversion) | $(clang -dumpversion)"
    for module in libdpdk lua5.4 libpcap jansson libmicrohttpd; do line+=" | $(pkg-config --modversion "$module")"; done
    meson introspect --dependencies "$root/build-gcc" | grep -q '"libngtcp2"' && line+=" | yes" || line+=" | no"
    say "| $line | $1 |"
}

unit_tests()
{
    local words=() suite
    for suite in "${not_fast[@]}"; do words+=(--no-suite "$suite"); done
    meson test -C "$root/build-gcc" --no-rebuild --print-errorlogs --timeout-multiplier 8 "${words[@]}"
}

# What depends on libngtcp2, tshark and matplotlib more than on gbflow: it differs between distributions.
peer_tests()
{
    CI=true meson test -C "$root/build-gcc" --no-rebuild --print-errorlogs --timeout-multiplier 8 \
        "scenario test_quic" "scenario test_packet" "abm link tshark"
}

in_this()
{
    if $gate; then
        CI=true exec "$root/scripts/test.sh" --all --without "compile on Debian 13" --without site --no-suite lint
    fi
    export TEST_SHORT=1
    checks_begin
    CC=gcc check "gcc builds it" "$root/scripts/build.sh" --no-setup --dir "$root/build-gcc" werror=true
    check "unit tests" unit_tests
    cp "$work/said" "$work/tests"
    check "QUIC, tshark, the report" peer_tests
    CC=clang check "clang builds the program" "$root/scripts/build.sh" --no-setup --program --dir "$root/build-clang" \
        werror=true
    row "$(sed -n 's/^Ok: *\([0-9]*\).*/\1 passed/p;s/^Skipped: *\([0-9]*\).*/, \1 skipped/p' "$work/tests" | tr -d '\n')"
}

parse "$@"
case "$here" in
packages) packages ;;
tests) in_this ;;
*)
    require
    if $program; then in_kept; else in_other; fi
    ;;
esac
