#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/sizes.sh [--count N] [--seed N] [--dir BUILD] [PROTOCOL]...
#
# Gives the node's control plane messages whose elements have the right form and any size, made of the codecs' tables, and
# counts those that raise an error of Lua. The test `lua sizes_spec` gives 10000 of each protocol.
#   --count N    messages of each protocol (1000000); from 10000 on each kind of message occurs
#   --seed N     of the random numbers (1): the same seed gives the same messages
#   --dir BUILD  with the codecs as modules of Lua (build)
#   PROTOCOL     these only: ggsn and sgsn (GTP-C), gsup, gmm, sm, sms, ns, sns, bssgp, rim, xid
# Status: 0, 1 for errors or kinds of messages that no handler has seen, 2 usage.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

count=1000000 seed=1 dir=build protocols=()
help_if_asked "$@"
while [ $# -gt 0 ]; do
    case $1 in
    --count | --seed | --dir)
        [ $# -gt 1 ] || { echo "sizes.sh: $1 has no value; --help has the usage" >&2 && exit 2; }
        declare "${1#--}=$2" && shift ;;
    -*) echo "sizes.sh: no option '$1'; --help has them" >&2 && exit 2 ;;
    *) protocols+=("$1") ;;
    esac
    shift
done
cd "$root"
[ -e "$dir/tests/unit/lua/gbflow_tables.so" ] || { echo "sizes.sh: $dir has no modules of Lua; build it by scripts/build.sh --dir $dir" >&2 && exit 2; }
export LUA_PATH="$root/lua/?.lua;$root/tests/unit/lua/?.lua;;"
export LUA_CPATH="$dir/control/lua/?.so;$dir/control/config/?.so;$dir/tests/unit/lua/?.so;;"
exec lua5.4 tests/unit/lua/sizes.lua "$count" "$seed" "${protocols[@]}"
