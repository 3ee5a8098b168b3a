#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/where.sh NOUN...
#
# Where a noun of the glossary, a file, a function, a key, a message, a counter or a drop reason has its place: the file,
# its header, tests and pages. `scripts/where.sh codel`, `scripts/where.sh flow control`, `scripts/where.sh sched_pick`.
exec python3 "$(dirname "$0")/where.py" "$@"
