#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/wheel.sh [--out DIR]
#
# Builds the wheel of the Python package gbflow_results, installs it in a new venv with this machine's pandas, and reads
# the type of a run from it. Needs python3-venv, python3-setuptools, python3-wheel and python3-pandas, not the network.
#   --out DIR   keep the wheel there
# The last line is "N passed, N failed, N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$root/scripts/checks.sh"

out=
python=/usr/bin/python3

# Setuptools leaves its work beside what it packs.
build()
{
    cp -r "$root/python" "$work/python"
    "$work/venv/bin/python" -m pip wheel --no-index --no-deps --no-build-isolation --wheel-dir "$work/wheels" "$work/python"
}

install()
{
    "$work/venv/bin/python" -m pip install --no-index --no-deps "$work"/wheels/gbflow_results-*.whl
}

use()
{
    (cd "$work" && "$work/venv/bin/python" -c '
import importlib.metadata, gbflow_results
assert gbflow_results.__file__.startswith("'"$work"'/venv/"), gbflow_results.__file__
print(importlib.metadata.version("gbflow-results"), gbflow_results.load_run.__name__)')
}

parse_options "out=path" "$@"
[ "${#words[@]}" -eq 0 ] || usage_error "unknown argument '${words[0]}'"
missing=$("$python" -c 'import ensurepip, pandas, setuptools, wheel' 2>&1 | sed -n 's/^ModuleNotFoundError: //p')
if [ -n "$missing" ]; then
    say "skipped: $missing; scripts/setup.sh --test brings it"
    [ "${CI-}" = true ] && exit 1
    exit 77
fi
checks_begin
check "a venv" "$python" -m venv --system-site-packages "$work/venv"
check "the wheel builds" build
check "it installs" install
check "it is used" use
if [ -n "$out" ]; then mkdir -p "$out" && cp "$work"/wheels/*.whl "$out"; fi
