#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/soak.sh --live MINUTES [--seed N] | --virtual DAYS [--program FILE]
#
# Runs gbflow for long and prints what it holds at the begin and at the end: resident memory, open files, memory of Lua,
# packet buffers. Growth fails, and so does a packet that is not accounted for.
#   --live MINUTES   `gbflow serve` with 300 mobiles over memif, without rights and huge pages; `gbflow bench generate`
#                    sends 500 N-PDU/s to it in rounds of 10 s, of which nothing may be lost; a round that lost something
#                    is played again, twice at most, and counted. Before each round one thing happens, in random order,
#                    each as often as the others: a reload, a restart of control, a kill or a stop of the peer, flaps of
#                    its links, a stop of the node, a flood of 200 000 N-PDU/s, a step of the wall clock, a leap of the
#                    monotonic one, a capture. The begin is when each has happened once
#   --seed N         of that order (1)
#   --virtual DAYS   a scenario of 60 mobiles and three cells in virtual time, each with a ping every 60 s and web pages
#   --program FILE   gbflow (build/gbflow)
# Status: 0, 1 when something grew or a run failed, 2 usage.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

case "${1-}" in
-h | --help)
    print_help
    exit 0
    ;;
--live | --virtual) ;;
*) usage_error "it takes --live MINUTES or --virtual DAYS" ;;
esac
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$root/scripts/soak.py" "$@"
