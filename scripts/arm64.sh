#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/arm64.sh [--dir DIR]
#
# Builds gbflow for arm64 with a cross compiler, warnings are errors, and runs in qemu-user the unit tests of dataplane
# (wire formats and ciphers among them), bss and capture, and the quick start, whose figures are those of this machine's
# build. Needs the network, and the packages gcc-aarch64-linux-gnu, mmdebstrap and qemu-user-static, which
# scripts/setup.sh --nightly brings.
#   --dir DIR   keeps the unpacked arm64 packages and the build there for the next run (default: a temporary folder)
# The last line is "N passed, N failed, N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source-path=SCRIPTDIR source=debian_base.sh
. "$root/scripts/debian_base.sh"
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$root/scripts/checks.sh"

dir=
wanted=(libc-ares-dev libc6-dev libcapstone-dev libcmocka-dev libdpdk-dev libedit-dev libgcc-12-dev libjansson-dev liblua5.4-dev
    libmicrohttpd-dev libmnl-dev libngtcp2-dev libpcap-dev nettle-dev zlib1g-dev)
# Directories of tests/unit whose tests are run.
units=(dataplane bss capture)

# missing: the first tool that is not there.
missing()
{
    local tool
    for tool in aarch64-linux-gnu-gcc mmdebstrap qemu-aarch64-static; do
        command -v "$tool" >/dev/null || {
            printf '%s' "$tool"
            return
        }
    done
}

# Nothing of the packages runs here. The linker reads a link that begins with / as one into this machine.
unpack()
{
    local link target
    mmdebstrap --architectures=arm64 --variant=extract --include="$(
        IFS=,
        printf '%s' "${wanted[*]}"
    )" "$(base_code)" "$packages.part" "$(base_site)" || return
    find "$packages.part" -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
        ln -sfn "$packages$target" "$link"
    done
    mv "$packages.part" "$packages"
}

configure()
{
    [ ! -f "$build/build.ninja" ] || return 0
    printf "[constants]\nsysroot = '%s'\n" "$packages" >"$dir/sysroot.ini"
    meson setup --cross-file "$dir/sysroot.ini" --cross-file "$root/scripts/arm64.ini" -Dbuildtype=release -Dtests=true \
        -Dwerror=true "$build" "$root"
}

# test_names: of the directories in units.
test_names()
{
    meson introspect --tests "$build" | python3 -c '
import json, sys
places = tuple(f"{sys.argv[1]}/tests/unit/{unit}/" for unit in sys.argv[2:])
for test in json.load(sys.stdin):
    if test["cmd"][0].startswith(places):
        print(test["name"])' "$build" "${units[@]}"
}

unit_tests()
{
    local names
    mapfile -t names < <(test_names)
    [ "${#names[@]}" -gt 0 ] || return
    # A skipped one is no failure.
    meson test -C "$build" --print-errorlogs --timeout-multiplier 8 "${names[@]}"
}

# run_quickstart NAME PROGRAM...
run_quickstart()
{
    "${@:2}" run "$root/config/scenarios/quickstart.lua" --out "$work/$1" && outputs "$work/$1"
}

same_figures()
{
    "$root/scripts/build.sh" --no-setup --program --dir "$work/here" &&
        run_quickstart here_out "$work/here/gbflow" &&
        run_quickstart arm64_out qemu-aarch64-static -L "$packages" "$build/gbflow" &&
        cmp "$work/here_out/series.csv" "$work/arm64_out/series.csv" &&
        cmp "$work/here_out/summary.json" "$work/arm64_out/summary.json"
}

parse_options "dir=path" "$@"
[ "${#words[@]}" -eq 0 ] || usage_error "unknown argument '${words[0]}'"
tool=$(missing)
if [ -n "$tool" ]; then
    say "skipped: $tool is missing; scripts/setup.sh --nightly brings it"
    say "0 passed, 0 failed, 1 skipped"
    exit 77
fi
checks_begin
dir=$(realpath -m "${dir:-$work/arm64}")
mkdir -p "$dir"
packages=$dir/packages
build=$dir/build
[ -d "$packages" ] || check "packages of arm64" unpack
check "configures for arm64" configure
check "gcc builds the program" ninja -C "$build" program
check "tests of dataplane, bss and capture" unit_tests
say "$(grep -E '^(Ok|Fail|Skipped):' "$work/said" | tr -s ' ' | tr '\n' ' ')"
check "the quick start's figures are those of this machine" same_figures
