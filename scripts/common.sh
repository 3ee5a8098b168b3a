# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Common parts of the scripts of this folder: where the tree is, and how they talk. To be sourced.

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

help_if_asked()
{
    case "${1-}" in
    -h | --help)
        print_help
        exit 0
        ;;
    esac
}

# parse_options "chroot out=path" "$@": sets the variable of each option that is given, to true, or for one with "=", which
# says what it needs, to the next argument. "words" has the other arguments.
parse_options()
{
    local kinds=" $1 " name
    shift
    words=()
    while [ $# -gt 0 ]; do
        help_if_asked "$1"
        name=${1#--}
        if [[ $1 != -* ]]; then
            words+=("$1")
        elif [[ $name != *=* && $kinds == *" $name "* ]]; then
            printf -v "$name" true
        elif [[ $1 == --* && $kinds =~ \ $name=([^\ ]+) ]]; then
            [ $# -gt 1 ] || usage_error "$1 needs a ${BASH_REMATCH[1]}"
            printf -v "$name" '%s' "$2"
            shift
        else
            usage_error "unknown argument '$1'"
        fi
        shift
    done
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
