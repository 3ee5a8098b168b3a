#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/check.sh [COMMIT]
#
# The lint in 10 seconds on two idle processors, without a build: clang-format, luacheck, shellcheck and yamllint of the
# files that differ from COMMIT (default: where this branch left origin/main; without origin/main the first commit, so
# all files, in 30 seconds), all other rules of the whole tree, and the titles of commits. On a terminal it says what it
# checks and how long that takes. As a hook: printf '#!/bin/sh\nexec scripts/check.sh HEAD\n' >.git/hooks/pre-commit; chmod +x it.

set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

case "${1-}" in
-h | --help)
    print_help
    exit 0
    ;;
-*) usage_error "unknown option '$1'" ;;
esac
[ $# -le 1 ] || usage_error "one commit, not $#"
git rev-parse --git-dir >/dev/null 2>&1 || fail "$root is no checkout of git: run tests/lint/lint.py"
since=${1-$(git merge-base HEAD origin/main 2>/dev/null || git rev-list --max-parents=0 HEAD | tail -n 1)}
git rev-parse --quiet --verify "$since^{commit}" >/dev/null || usage_error "'$since' is no commit here"

export PYTHONDONTWRITEBYTECODE=1
status=0
! [ -t 2 ] || say "titles of commits, files that differ from $(git rev-parse --short "$since"), rules of the whole tree:" >&2
python3 tests/lint/titles.py || status=1
# The rules in two processes; 77 tells of a tool that is missing, and the lint has said which.
tools=(clang-format luacheck shellcheck yamllint pages names missing measured sizes prose sentences)
mapfile -t others < <(python3 tests/lint/lint.py --list | grep -vxF -f <(printf '%s\n' "${tools[@]}"))
python3 tests/lint/lint.py --since "$since" "${tools[@]}" &
# What runs beside a script does not get SIGINT.
trap 'kill $! 2>/dev/null; exit 130' INT TERM
python3 tests/lint/lint.py "${others[@]}" || status=1
wait $!
case $? in
0 | 77) ;;
*) status=1 ;;
esac
[ $status -ne 0 ] || say "no violations"
exit $status
