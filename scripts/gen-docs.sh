#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes docs/reference/: the keys, from the schemas in lua/; the tables of fields and the commands, from the program
# (build/gbflow, or $GBFLOW). And docs/capabilities.md, from the tree, and docs/values.md, from docs/values.txt.
set -eu
cd "$(dirname "$0")/.."

# write_reference SCHEMA [EXAMPLE.lua]
write_reference() {
    LUA_PATH='lua/?.lua' lua5.4 -e "
        local example = arg[2] and assert(io.open(arg[2])):read('a')
        io.write(require('schema.config').document(arg[1], example))" - "$@" </dev/null >"docs/reference/$1.md.new"
    mv "docs/reference/$1.md.new" "docs/reference/$1.md"
    echo "written: docs/reference/$1.md"
}

write_reference bss config/bss/lab.lua
write_reference node
write_reference study config/studies/buckets.lua
write_reference scenario config/scenarios/two-cells.lua
LUA_PATH='lua/?.lua' lua5.4 scripts/osmo_lines.lua >docs/reference/osmo-sgsn.md.new
mv docs/reference/osmo-sgsn.md.new docs/reference/osmo-sgsn.md
echo "written: docs/reference/osmo-sgsn.md"
# What must agree between the nodes of a pool, in its page.
LUA_PATH='lua/?.lua' lua5.4 -e '
    package.preload.gbflow_record = function() return {} end
    local path, table_text = "docs/pool.md", require("node.pool_check").document()
    local page = assert(io.open(path)):read("a")
    local head, tail = page:match("^(.*<!%-%- pool rules[^\n]*\n).-(\n<!%-%- end of pool rules.*)$")
    assert(io.open(path .. ".new", "w")):write(assert(head), "\n", table_text, tail)'
mv docs/pool.md.new docs/pool.md
echo "written: docs/pool.md"
lua5.4 scripts/values.lua >docs/values.md.new
mv docs/values.md.new docs/values.md
echo "written: docs/values.md"
program=${GBFLOW:-build/gbflow}
python3 scripts/docs.py fields "$program" docs/reference/*.md
python3 scripts/docs.py commands "$program" docs/reference/commands.md
echo "written: docs/reference/commands.md"
python3 scripts/capabilities.py page
