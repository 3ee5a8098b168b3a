#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/build.sh [--program] [--no-setup] [--dir DIR] [NAME=VALUE]...
#
# Installs what building needs, configures a build directory where that is needed, and builds everything.
# The program is then build/gbflow, the benchmarks are build/bench/micro/*_bench.
#   --program    only the program and its reports; a new build directory is then without tests and benchmarks
#   --no-setup   install nothing
#   --dir DIR    build directory (default: build); the compiler is taken from CC when it is new
#   NAME=VALUE   Meson options; buildtype=release unless given, without --program also tests=true

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

dir=$root/build
setup=true
program=false
options=()
targets=()
reports= # the process that installs their packages
niceness=0

parse()
{
    while [ $# -gt 0 ]; do
        case "$1" in
        --no-setup) setup=false ;;
        --program) program=true ;;
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
    option_or buildtype=release
    if $program; then targets=(program); else option_or tests=true; fi
}

# option_or NAME=VALUE: unless the option was given.
option_or()
{
    [[ " ${options[*]-} " = *" ${1%%=*}="* ]] || options+=("$1")
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
    # Without --program that is among the options already.
    new) option_or tests=false ;;
    changed)
        say "configuring ${dir##*/} again: ${options[*]}"
        meson_setup --reconfigure && return
        ;;
    esac
    if [ "$state" != new ]; then
        say "removing the old ${dir##*/}"
        rm -rf "$dir"
    fi
    say "configuring ${dir##*/}: ${options[*]}"
    meson_setup || fail "meson could not configure ${dir##*/}; its words are above"
}

# The packages of reports while the compiler works, which gives way: they are most of what a new machine lacks, and come one
# after the other. Where sudo would ask for a password, before.
install_reports()
{
    if [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
        "$root/scripts/setup.sh" --reports
        return
    fi
    "$root/scripts/setup.sh" --reports &
    reports=$!
    niceness=5
}

parse "$@"
case "$dir" in
/*) ;;
*) dir=$PWD/$dir ;;
esac
if $setup && $program; then
    "$root/scripts/setup.sh" --program
    install_reports
elif $setup; then
    "$root/scripts/setup.sh" --build
fi
configure
# On a terminal ninja shows how far it is; a log gets a line for each tenth, and what went wrong.
compile()
{
    local ninja=(nice -n "$niceness" ninja -C "$dir" "${targets[@]}")
    if [ -t 1 ]; then
        "${ninja[@]}" </dev/null
    else
        "${ninja[@]}" </dev/null | awk -F '[][/ ]' -v least=20 '
            !/^\[[0-9]+\/[0-9]+\] / { if (!/^ninja: /) print; next }
            $3 >= least && int(10 * $2 / $3) > tenth { tenth = int(10 * $2 / $3); print 10 * tenth " % built"; fflush() }'
    fi
}
status=0
compile || status=$?
[ -z "$reports" ] || wait "$reports" || fail "reports lack packages; the reason is above"
[ "$status" -eq 0 ] || fail "building in ${dir##*/} failed"
say "built: ${dir##*/}"
