#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/run.sh
#
# From a fresh Debian 12 to results: installs what is missing, builds, and replays the shipped capture of a Gn
# interface through the downlink of one cell of 80 kbit/s. The results are files in out/.

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
./scripts/build.sh

heading "replay: tests/captures/gn-osmo-ggsn.pcap through config/nodes/replay-80k.lua"
mkdir -p out
rm -f out/gb.pcapng out/replay.json
build/gbflow replay config/nodes/replay-80k.lua --in tests/captures/gn-osmo-ggsn.pcap \
    --out out/gb.pcapng --json out/replay.json </dev/null
for result in out/gb.pcapng out/replay.json; do
    [ -s "$result" ] || fail "the replay ended well and left no $result"
done

heading "results"
say "$root/out/gb.pcapng    what left towards the BSS; Wireshark and tshark read it"
say "$root/out/replay.json  the table above for programs"
