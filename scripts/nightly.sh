#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/nightly.sh --state FOLDER [PART=AMOUNT]...
#
# What grows from night to night: runs the parts below, keeps what they found and how much they did in FOLDER, and prints the
# totals of all nights. scripts/test.sh --nightly has the tests of one night.
#   --state FOLDER   a new folder, or that of earlier nights: corpora, counts and findings of the fuzzers (fuzz/), the
#                    output of each part (logs/), and totals.jsonl with a line for each part of each night
#   PART=AMOUNT      only these parts, with these amounts; a build is not counted
#     fuzz=HOURS     scripts/fuzz.sh --hours (4)
#     live=MINUTES   scripts/soak.sh --live, with the night's number as its seed (60)
#     virtual=DAYS   scripts/soak.sh --virtual (30)
#     races=MINUTES  scripts/tsan.sh --live (30)
#     kills=NUMBER   tests/system/live/kills.py, which needs root, osmo-hlr and osmo-ggsn (100)
#     without=TIMES  scripts/without.sh, with each capability that can be taken out (1)
#     pages=TIMES    tests/system/docs/play.py --all: the commands of all pages, as root also those of labs (1)
#     sizes=MILLIONS scripts/sizes.sh, messages of each protocol, with the night's number as its seed (1)
# A part that is interrupted counts as failed, with the time that it had.
# Status: 0, 1 when a part failed tonight, 2 usage.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

help_if_asked "$@"
cd "$root"
exec env PYTHONDONTWRITEBYTECODE=1 python3 scripts/nightly.py "$@"
