#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/without.sh [--all] [--dir FOLDER] [CAPABILITY]
#
# Takes a capability out of a clone of the last commit, says what went, builds the rest and runs its tests: what a capability adds
# is what `rm -r` of its folders and rows takes away. capabilities/CAPABILITY.toml describes it; docs/capabilities.md lists all.
#   CAPABILITY    one that can be taken out; without it each of them in turn
#   --all         all tests but those of pages and style; else the quick ones
#   --dir FOLDER  a new or empty folder for clones and builds, which stays; else a temporary one, which goes
# Status: 0, 1 when something is left that does not build or pass, 2 usage.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

all=false
dir=
words=()

# removable: the names of those that can be taken out.
removable()
{
    (cd "$root/capabilities" && grep -l '^removable = true$' -- *.toml | sed 's/\.toml$//')
}

# suites: arguments of meson for the tests that are to be run.
suites()
{
    local suite
    printf '%s\n' --no-suite lint
    $all && return
    printf '%s\n' --suite sanitized
    for suite in live heavy scenario replay analyze slow; do printf '%s\n' --no-suite "$suite"; done
}

# try NAME
try()
{
    local tree=$dir/$1 chosen
    heading "clone without $1"
    git clone --quiet --shared "$root" "$tree"
    python3 "$root/scripts/capabilities.py" cut "$1" "$tree"
    heading "build"
    "$tree/scripts/build.sh" --no-setup --dir "$tree/build" || fail "the tree does not build without $1"
    heading "tests"
    (cd "$tree" && scripts/gen-docs.sh >/dev/null) || fail "scripts/gen-docs.sh fails without $1"
    mapfile -t chosen < <(suites)
    meson test -C "$tree/build" --no-rebuild --print-errorlogs "${chosen[@]}" || fail "tests fail without $1"
    say "$1 can be left out: the rest builds, and its tests pass"
}

parse_options "all dir=folder" "$@"
mapfile -t names < <(removable)
[ "${#words[@]}" -le 1 ] || usage_error "takes one CAPABILITY, not ${#words[@]}"
if [ "${#words[@]}" -eq 1 ]; then
    [ -f "$root/capabilities/${words[0]}.toml" ] || usage_error "'${words[0]}' is no capability: there is no capabilities/${words[0]}.toml"
    [[ " ${names[*]} " == *" ${words[0]} "* ]] || usage_error "'${words[0]}' cannot be taken out: of ${names[*]} that is known"
    names=("${words[0]}")
fi
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/gbflow-without.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
elif [ -d "$dir" ] && [ -n "$(ls -A "$dir")" ]; then
    fail "$dir is not empty: give a new folder"
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
git -C "$root" diff --quiet HEAD -- || say "note: what is not committed is not in the clone"
for name in "${names[@]}"; do try "$name"; done
