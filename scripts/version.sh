#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/version.sh [--commit | --both]
#
# Prints the version of the tree: that of meson.build, and behind "+" the number of commits since the one that set it there.
#   --commit   prints the commit, with "-dirty" for a changed tree; unknown where there is no repository
#   --both     prints both, a line each: the file VERSION of a copy without a repository, which is read where it is there

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

commit=false
both=false

# A repository that the tree is only a folder of counts other commits.
has_repository()
{
    [ "$(git rev-parse --show-cdup 2>&1)" = "" ]
}

version_of_tree()
{
    local set_by base number=0
    base=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
    if [ -e VERSION ]; then
        base=$(sed -n 1p VERSION)
    elif has_repository; then
        if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
            say "${0##*/}: the clone is shallow, commits are not counted; git fetch --unshallow" >&2
        else
            set_by=$(git log -1 --format=%H -G"^  version: '" -- meson.build)
            number=$(git rev-list --count "$set_by..HEAD")
        fi
    fi
    [ "$number" -eq 0 ] || base+=+$number
    say "$base"
}

commit_of_tree()
{
    if [ -e VERSION ]; then
        sed -n 2p VERSION
    elif has_repository; then
        git describe --always --dirty --abbrev=12 --exclude='*'
    else
        say unknown
    fi
}

parse_options "commit both" "$@"
[ "${#words[@]}" -eq 0 ] || usage_error "unknown argument '${words[0]}'"
cd "$root"
$commit || version_of_tree
if $commit || $both; then commit_of_tree; fi
