#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the references that follow from the schemas in lua/, and the tables of fields that follow from the program
# (build/gbflow, or $GBFLOW).
set -eu
cd "$(dirname "$0")/.."

# write_reference SCHEMA [EXAMPLE.lua]
write_reference() {
    LUA_PATH='lua/?.lua' lua5.4 -e "
        local example = arg[2] and assert(io.open(arg[2])):read('a')
        io.write(require('schema.config').document(arg[1], example))" - "$@" </dev/null >"docs/$1.md.new"
    mv "docs/$1.md.new" "docs/$1.md"
    echo "written: docs/$1.md"
}

write_reference bss config/bss/lab.lua
write_reference node
write_reference study config/studies/buckets.lua
write_reference scenario config/scenarios/two-cells.lua
python3 scripts/docs.py fields "${GBFLOW:-build/gbflow}" docs/*.md
