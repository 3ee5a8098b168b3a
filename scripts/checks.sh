# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Checks one after the other in a folder of their own, and the closing line. To be sourced behind common.sh.

work=
checks_passed=0

checks_close()
{
    local status=$?
    trap - EXIT
    [ -z "$work" ] || {
        # What is mounted there is not to be emptied, too.
        awk -v below="$work/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
        rm -rf --one-file-system "$work"
    }
    say "$checks_passed passed, $((status > 0)) failed, 0 skipped"
    exit "$status"
}

# Makes the folder "$work", which goes with the script's end.
checks_begin()
{
    work=$(mktemp -d)
    trap checks_close EXIT
}

# check WHAT COMMAND...: one more that holds, or the end; its words only then. set -e does not reach into a command that
# is asked for its status, so that a function here joins its steps by &&.
check()
{
    local began=$SECONDS
    if ! "${@:2}" >"$work/said" 2>&1 </dev/null; then
        tail -n 30 "$work/said" >&2
        fail "$1: does not hold"
    fi
    checks_passed=$((checks_passed + 1))
    say "ok: $1 ($((SECONDS - began)) s)"
}

# outputs DIR: what the quick start leaves.
outputs()
{
    local file
    for file in summary.json series.csv report.html; do
        [ -s "$1/$file" ] || {
            echo "no $file"
            return 1
        }
    done
}
