#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Draws the state machines of lua/ into docs/machines, one SVG each. Needs Graphviz (dot).
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/machines
grep -lE '^return fsm.define|^[a-z_]+\.machine = fsm.define' lua/*/*.lua | while read -r path; do
    name=$(basename "$path" .lua)
    lua5.4 scripts/draw_fsm.lua "$(basename "$(dirname "$path")").$name" | dot -Tsvg -o "docs/machines/$name.svg"
    echo "drawn: docs/machines/$name.svg"
done
