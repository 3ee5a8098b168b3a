# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What the scripts of this folder share: where the tree is, and how they talk. To be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say()
{
    printf '%s\n' "$*"
}

fail()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

usage_error()
{
    printf '%s: %s (try --help)\n' "${0##*/}" "$*" >&2
    exit 2
}

# The comment at the top of a script is its help text.
print_help()
{
    sed -n '3,/^$/{/^#/!d;s/^# \{0,1\}//;p}' "$0"
}

# minutes SECONDS: as M:SS
minutes()
{
    printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# heading TITLE: starts a phase; the clock in it counts from the start of the script.
heading()
{
    printf '\n== %s  [%s]\n' "$*" "$(minutes $SECONDS)"
}
