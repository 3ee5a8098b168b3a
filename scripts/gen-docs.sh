#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the references that follow from the schemas in lua/.
set -eu
cd "$(dirname "$0")/.."

write_reference() {
    LUA_PATH='lua/?.lua' lua5.4 -e "io.write(require('config').document('$1'))" >"docs/$1.md.new"
    mv "docs/$1.md.new" "docs/$1.md"
    echo "written: docs/$1.md"
}

write_reference node
