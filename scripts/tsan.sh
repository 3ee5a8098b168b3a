#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/tsan.sh [MOVES | --live MINUTES]
#
# Builds with a thread sanitizer in build-tsan/; a data race fails. DPDK's rings are built in their form for C11 atomics,
# which the sanitizer understands.
#   MOVES            the test of workers in threads, with so many cell changes (default: 20000)
#   --live MINUTES   a live node with two workers: `gbflow serve` and `gbflow bench generate` over memif, all threads of
#                    both; tables are read and a capture is taken meanwhile

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

dir=build-tsan
moves=20000
minutes=

case "${1-}" in
-h | --help)
    print_help
    exit 0
    ;;
--live)
    [[ ${2-} =~ ^[0-9]+(\.[0-9]+)?$ && ${2-} =~ [1-9] ]] || usage_error "--live needs a number of minutes above 0"
    minutes=$2
    ;;
'') ;;
*[!0-9]* | 0*) usage_error "'$1' is no number of moves" ;;
*) moves=$1 ;;
esac

# build TARGET
build()
{
    [ -f "$dir/build.ninja" ] || meson setup "$dir" --buildtype=debugoptimized -Db_sanitize=thread \
        -Db_lundef=false -Dc_args=-DRTE_USE_C11_MEM_MODEL
    ninja -C "$dir" "$1"
}

supp=tests/unit/dataplane/shard/tsan.supp
[ -z "$minutes" ] || supp=tests/system/live/tsan.supp
# DPDK as Debian ships it has no sanitizer: what it alone synchronises is not seen.
export TSAN_OPTIONS=suppressions=$root/$supp:history_size=7:ignore_noninstrumented_modules=1:exitcode=66
if [ -n "$minutes" ]; then
    build gbflow
    exec env PYTHONDONTWRITEBYTECODE=1 python3 scripts/soak.py --races "$minutes" --program "$dir/gbflow"
fi
program=tests/unit/dataplane/shard/shard_threads_test
build $program
SHARD_MOVES=$moves "$dir/$program"
