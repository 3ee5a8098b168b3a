#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/pictures.sh [report] [top] [drawings]
#
# Makes the pictures of README.md and docs/ in docs/pictures (or $PICTURES), by build/gbflow (or $GBFLOW): all, or those named. Equal
# programs give equal pictures.
#   report    head, sentences and first plot of the quick start's report; needs Chromium
#   top       the screen of gbflow top, of a recorded run; needs tmux
#   drawings  the drawings of docs/pictures/*.dot; needs Graphviz

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

report()
{
    "$gbflow" run "$root/config/scenarios/quickstart.lua" --out "$work/quickstart" >/dev/null
    /usr/bin/python3 "$root/scripts/picture_report.py" "$work/quickstart/report.html" "$pictures/report.png"
    say "drawn: $pictures/report.png"
}

top()
{
    "$gbflow" run "$root/config/scenarios/two-cells.lua" --out "$work/out/two-cells" --no-report >/dev/null
    "$root/scripts/screen_svg.py" "$pictures/top.svg" 100x30 '100\.00 s of 180 s' \
        "cd $work && '$gbflow' top out/two-cells --at 100"
    sed -i 's|<title>.*</title>|<title>gbflow top out/two-cells --at 100</title>|' "$pictures/top.svg"
    say "drawn: $pictures/top.svg"
}

drawings()
{
    local drawing name
    for drawing in "$root"/docs/pictures/*.dot; do
        name=$(basename "${drawing%.dot}").svg
        dot -Tsvg "$drawing" -o "$pictures/$name"
        say "drawn: $pictures/$name"
    done
}

help_if_asked "$@"
[ $# -gt 0 ] || set -- report top drawings
for name in "$@"; do
    case "$name" in
    report | top | drawings) ;;
    *) usage_error "unknown picture '$name'" ;;
    esac
done
gbflow=$(realpath -m "${GBFLOW:-$root/build/gbflow}")
[[ "$*" == drawings || $("$gbflow" --version 2>/dev/null) == gbflow* ]] ||
    fail "$gbflow: is no gbflow: build it (ninja -C build), or set GBFLOW"
pictures=${PICTURES:-$root/docs/pictures}
mkdir -p "$pictures"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in "$@"; do "$name"; done
