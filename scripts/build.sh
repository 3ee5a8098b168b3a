#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/build.sh [--no-setup] [--dir DIR] [NAME=VALUE]...
#
# Installs what building needs, configures a build directory where that is needed, and builds everything.
# The program is then build/gbflow, the benchmarks are build/bench/micro/*_bench.
#   --no-setup   install nothing
#   --dir DIR    build directory (default: build); compilers are taken from CC and CXX when it is new
#   NAME=VALUE   Meson options; buildtype=release unless given

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

dir=$root/build
setup=true
options=()

parse()
{
    while [ $# -gt 0 ]; do
        case "$1" in
        --no-setup) setup=false ;;
        --dir)
            [ $# -gt 1 ] || usage_error "--dir needs a directory"
            dir=$2
            shift
            ;;
        -h | --help)
            print_help
            exit 0
            ;;
        -*) usage_error "unknown option '$1'" ;;
        *=*) options+=("$1") ;;
        *) usage_error "'$1' is no NAME=VALUE" ;;
        esac
        shift
    done
    case " ${options[*]-} " in
    *" buildtype="*) ;;
    *) options=(buildtype=release "${options[@]}") ;;
    esac
}

# meson_setup FLAG...: its chatter is shown only when it fails.
meson_setup()
{
    local text
    text=$(cd "$root" && meson setup "$@" "${options[@]/#/-D}" "$dir" </dev/null 2>&1) && return
    printf '%s\n' "$text" >&2
    return 1
}

configure()
{
    local state
    state=$(python3 "$root/scripts/build_state.py" "$root" "$dir" "${options[@]}")
    case "$state" in
    ready) return ;;
    other) fail "$dir holds something that is no build; move it away" ;;
    new) say "configuring ${dir##*/}: ${options[*]}" ;;
    changed)
        say "configuring ${dir##*/} again: ${options[*]}"
        meson_setup --reconfigure && return
        ;;
    esac
    if [ "$state" != new ]; then
        say "removing the old ${dir##*/}"
        rm -rf "$dir"
    fi
    meson_setup || fail "meson could not configure ${dir##*/}; its words are above"
}

parse "$@"
case "$dir" in
/*) ;;
*) dir=$PWD/$dir ;;
esac
if $setup; then
    "$root/scripts/setup.sh" --build
fi
configure
# On a terminal ninja shows how far it is; in a log only what went wrong.
quiet=(--quiet)
[ -t 1 ] && quiet=()
ninja -C "$dir" "${quiet[@]}" </dev/null || fail "building in ${dir##*/} failed"
say "built: ${dir##*/}"
