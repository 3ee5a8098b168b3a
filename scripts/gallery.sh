#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/gallery.sh [--seeds N] [--out DIR] [--gbflow FILE]
#        scripts/gallery.sh --check [--seeds N] [NAME...]
#
# Plays the questions of config/gallery with `gbflow sweep`, and writes their pages and plots into docs/gallery: each figure
# of a page comes from the runs. Status: 0, 1 when a run failed or a claim is not met, 2 usage.
#   --check        writes no page; plays all questions, or those named, and fails where a run does not show what the page
#                  claims
#   --seeds N      seeds 1 to N (those of the files, 10; with --check 2)
#   --out DIR      folder of the runs (out/gallery); runs that ended are kept
#   --gbflow FILE  the program (build/gbflow)

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

help_if_asked "$@"
cd "$(dirname "$0")/.."
PYTHONPATH=python:scripts exec /usr/bin/python3 scripts/gallery.py "$@"
