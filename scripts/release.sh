#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/release.sh TAG [--out DIR]
#
# Prints the notes of a release, the section of CHANGELOG.md; TAG must be that of the tree's version, vVERSION, on the commit
# that sets it.
#   --out DIR   writes them to DIR/notes.md

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

out=

# notes VERSION: its section of CHANGELOG.md, without the heading.
notes()
{
    awk -v heading="## [$1] - " 'index($0, "## ") == 1 { inside = index($0, heading) == 1; next } inside' "$root/CHANGELOG.md"
}

parse_options "out=path" "$@"
[ "${#words[@]}" -gt 0 ] || usage_error "name the tag of the release"
tag=${words[-1]}
version=$("$root/scripts/version.sh")
[ "$tag" = "v$version" ] || fail "tag $tag is not that of version $version; tag v${version%+*} on the commit that sets version in meson.build"
text=$(notes "$version")
[ -n "${text//[[:space:]]/}" ] || fail "CHANGELOG.md has no section '## [$version] - DATE' with notes"
if [ -n "$out" ]; then
    mkdir -p "$out"
    printf '%s\n' "$text" >"$out/notes.md"
else
    printf '%s\n' "$text"
fi
