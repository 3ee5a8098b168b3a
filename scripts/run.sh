#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/run.sh
#
# From a fresh Debian 12 to results: installs what the program and its reports miss, builds both, and plays the quick start, two
# minutes of one cell with three mobiles. It ends with the scenario's table and the path of its report; all results are in
# out/quickstart/.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

case "${1-}" in
"") ;;
-h | --help)
    print_help
    exit 0
    ;;
*) usage_error "unknown argument '$1'" ;;
esac

cd "$root"
heading "packages and build"
./scripts/build.sh --program

out=$root/out/quickstart
heading "gbflow run config/scenarios/quickstart.lua --out out/quickstart"
rm -f "$out"/summary.json "$out"/series.csv "$out"/report.html
build/gbflow run config/scenarios/quickstart.lua --out "$out" </dev/null
for result in summary.json series.csv report.html; do
    [ -s "$out/$result" ] || fail "the run ended well and left no $out/$result"
done
