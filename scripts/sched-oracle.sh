#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/sched-oracle.sh [--idle MODE] [--jobs N] [--profiles NAME,...] [--flows N] [--shares] [N-PDUS [SEED]]
#
# Plays the scheduler on random links, cells and mobiles and has an independent oracle judge each LLC-PDU: conformance at all levels,
# nothing idle, order, limits, sums. Prints a table, and for what is wrong the command that shows it again.
#   N-PDUS           so many leave in all (default: 1000000); 100000000 takes about an hour on two cores
#   SEED             of the first run of each profile (default: 1)
#   --idle MODE      what a cell and a link may wait for: strict, chosen (default), largest
#   --jobs N         so many at a time (default: all cores)
#   --profiles LIST  of mixed, limited, link, backlog, tiny (default: all)
#   --flows N        queues by 5-tuple in each mobile's class (default: one queue)
#   --shares         classes' shares and Jain's index instead; N-PDUS then counts windows (default: 2)
# Builds in build/ what it needs of it. The status is 0 only when nothing was wrong.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

dir=build
options=()
numbers=()
shares=false

parse()
{
    while [ $# -gt 0 ]; do
        case "$1" in
        --idle | --jobs | --profiles | --flows)
            [ $# -gt 1 ] || usage_error "$1 needs a value"
            options+=("$1" "$2")
            shift
            ;;
        --shares) shares=true ;;
        -h | --help)
            print_help
            exit 0
            ;;
        *)
            [[ $1 =~ ^[1-9][0-9]*$ ]] || usage_error "'$1' is no number above 0"
            numbers+=("$1")
            ;;
        esac
        shift
    done
    [ "${#numbers[@]}" -le 2 ] || usage_error "two numbers at most"
}

# A build directory that this tree's Meson can use, else a new one.
build()
{
    ninja -C $dir build.ninja </dev/null >/dev/null 2>&1 || meson setup $dir --buildtype=release </dev/null
    ninja -C $dir --quiet "tests/oracles/sched/$1" </dev/null
}

parse "$@"
if $shares; then
    build sched_share
    exec python3 tests/oracles/sched/share_grid.py $dir/tests/oracles/sched/sched_share --windows "${numbers[0]:-2}"
fi
build sched_play
exec python3 tests/oracles/sched/grid.py $dir/tests/oracles/sched/sched_play --npdus "${numbers[0]:-1000000}" --seed "${numbers[1]:-1}" \
    "${options[@]}"
