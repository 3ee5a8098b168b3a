#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/faults.sh [--program FILE] [--starts N] [CELL]...
#
# The fault matrix: injects faults into gbflow at its start, at a reload and while it runs, and prints a row for each. What
# must hold: no end by a signal, N-PDUs accounted for, open files and packet buffers as before, and within 2 s after the
# fault a trial of the node loses nothing.
#   --program FILE   gbflow (build/gbflow)
#   --starts N       starts with one failed allocation each (40)
#   CELL             only these rows, by name
# A live node and its peer need neither rights nor huge pages. The cell disk-full is skipped without root.
# Status: 0, 1 when a cell failed, 2 usage. The last line is "N passed, N failed, N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

help_if_asked "$@"
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$root/scripts/faults.py" "$@"
