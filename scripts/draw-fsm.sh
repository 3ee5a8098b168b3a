#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Draws the state machines of lua/ into docs/machines, one SVG each. Needs a build and Graphviz (dot).
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/machines
grep -l 'fsm.define({' lua/*/*.lua | while read -r path; do
    module=$(basename "$(dirname "$path")").$(basename "$path" .lua)
    lua5.4 scripts/draw_fsm.lua "$module" | while read -r name; do
        lua5.4 scripts/draw_fsm.lua "$module" "$name" | dot -Tsvg -o "docs/machines/$name.svg"
        echo "drawn: docs/machines/$name.svg"
    done
done
