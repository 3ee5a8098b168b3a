#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/tsan.sh [MOVES]
#
# Builds the test of workers in threads with a thread sanitizer in build-tsan/ and runs it with so many cell
# changes (default: 20000). A data race fails. DPDK's rings are built in their form for C11 atomics, which the
# sanitizer understands.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

case "${1-20000}" in
-h | --help)
    print_help
    exit 0
    ;;
*[!0-9]* | 0*) usage_error "'$1' is no number of moves" ;;
esac

dir=build-tsan
program=tests/unit/dataplane/shard/shard_threads_test
[ -f "$dir/build.ninja" ] || meson setup "$dir" --buildtype=debugoptimized -Db_sanitize=thread \
    -Db_lundef=false -Dc_args=-DRTE_USE_C11_MEM_MODEL
ninja -C "$dir" "$program"
export SHARD_MOVES=${1-20000}
TSAN_OPTIONS=suppressions=tests/unit/dataplane/shard/tsan.supp:history_size=7 "$dir/$program"
