#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/judges.sh [--seed SEED] [N] [KIND...]
#
# Shows N random frames of each kind (default 1000000) to tshark and libosmocore, and holds what they say against what
# our decoders say; see tests/oracles/judges/judge-faults.md. Kinds: gtpu gtpc ns sns bssgp llc sndcp (default: all).
#   --seed SEED   other frames (default 1)
# Builds in build/ what it needs. The status is 0 only when every difference has its row and every row its difference.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

seed=1
count=1000000
kinds=()

while [ $# -gt 0 ]; do
    case "$1" in
    --seed)
        [[ ${2-} =~ ^[0-9]+$ ]] || usage_error "--seed needs a number"
        seed=$2
        shift
        ;;
    -h | --help)
        print_help
        exit 0
        ;;
    -*) usage_error "unknown option '$1'" ;;
    [1-9]*) count=$1 ;;
    *) kinds+=("$1") ;;
    esac
    shift
done
[[ $count =~ ^[1-9][0-9]*$ ]] || usage_error "'$count' is no number of frames"

targets=(tests/oracles/judges/judge_frames)
judges=()
if pkg-config --exists libosmogb 2>/dev/null; then
    targets+=(tests/oracles/judges/osmo_judge)
    judges=(--osmo build/tests/oracles/judges/osmo_judge)
fi
ninja -C build build.ninja </dev/null >/dev/null 2>&1 || ./scripts/build.sh --no-setup
ninja -C build --quiet "${targets[@]}" </dev/null
exec python3 tests/oracles/judges/judges.py --frames build/tests/oracles/judges/judge_frames "${judges[@]}" \
    --count "$count" --seed "$seed" "${kinds[@]}"
