#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/pictures.sh [report] [top] [drawings]
#
# Makes the pictures of README.md and of the pages in docs/pictures, all of them or those named:
#   report    head, sentences and first plot of the quick start's report; needs Chromium
#   drawings  the drawings of docs/pictures/*.dot; needs Graphviz

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

pictures=$root/docs/pictures
gbflow=${GBFLOW:-$root/build/gbflow}

report()
{
    "$gbflow" run "$root/config/scenarios/quickstart.lua" --out "$work/quickstart" >/dev/null
    /usr/bin/python3 "$root/scripts/picture_report.py" "$work/quickstart/report.html" "$pictures/report.png"
    say "made: docs/pictures/report.png"
}

drawings()
{
    local drawing
    for drawing in "$pictures"/*.dot; do
        dot -Tsvg "$drawing" -o "${drawing%.dot}.svg"
        say "made: docs/pictures/$(basename "${drawing%.dot}").svg"
    done
}

case "${1-}" in
-h | --help)
    print_help
    exit 0
    ;;
esac
[ $# -gt 0 ] || set -- report top drawings
for name in "$@"; do
    case "$name" in
    report | top | drawings) ;;
    *) usage_error "'$name' is no picture" ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in "$@"; do "$name"; done
