#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/tidy.sh [BUILD_DIR]
#
# Runs clang-tidy with the checks of .clang-tidy over every C file of a build directory's compile database
# (default: build-clang), one process per core. Any finding fails.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

help_if_asked "$@"
cd "$root"
dir=${1:-build-clang}
[ -f "$dir/compile_commands.json" ] || fail "$dir has no compile_commands.json; build it first"

# Generated files live below the build directory and are nobody's to tidy.
python3 - "$dir" "$root" <<'PYTHON' | xargs -0 -r -P "$(nproc)" -n 4 clang-tidy -p "$dir" --quiet 2> >(grep -v 'warnings\? generated' >&2)
import json, os, sys
build, root = sys.argv[1], os.path.realpath(sys.argv[2])
files = set()
for entry in json.load(open(os.path.join(build, "compile_commands.json"), encoding="utf-8")):
    path = os.path.relpath(os.path.realpath(os.path.join(entry["directory"], entry["file"])), root)
    if path.endswith(".c") and not path.startswith(("build", "..")):
        files.add(path)
if not files:
    sys.exit("tidy.sh: no C file in the compile database")
sys.stdout.write("".join(path + "\0" for path in sorted(files)))
PYTHON
