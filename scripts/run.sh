#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/run.sh
#
# From a fresh Debian 12 to results: installs what the program and its reports miss, builds both, and plays the quick start, two
# minutes of one cell with three mobiles. All results are in out/quickstart/. It ends with the time of each step, the page to
# open and three commands to try next. Without a desktop it also prints the distribution of delays as text.

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

names=(packages build run)
times=() # s, of the steps that have ended
began=0

# step TITLE: the one before has ended. A bar says how many are done.
step()
{
    local done=${#times[@]} bar=
    bar=$(printf '%*s' "$((8 * done))" '' | tr ' ' '#')$(printf '%*s' "$((8 * (${#names[@]} - done)))" '' | tr ' ' '.')
    heading "[$bar] $((done + 1)) of ${#names[@]}: $1"
    began=$SECONDS
}

ended()
{
    times+=($((SECONDS - began)))
}

# A bar of 40 characters for the longest step.
print_times()
{
    local i longest=1
    for i in "${times[@]}"; do [ "$i" -le "$longest" ] || longest=$i; done
    for i in "${!names[@]}"; do
        printf '  %-9s %5s  %s\n' "${names[i]}" "$(minutes "${times[i]}")" \
            "$(printf '%*s' "$(((40 * times[i] + longest - 1) / longest))" '' | tr ' ' '#')"
    done
}

cd "$root"
step packages
scripts/setup.sh --program
ended

step build
scripts/build.sh --program
ended

step "gbflow run config/scenarios/quickstart.lua --out out/quickstart"
out=$root/out/quickstart
rm -f "$out"/summary.json "$out"/series.csv "$out"/report.html
is_desktop=false
if [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ] && command -v xdg-open >/dev/null; then is_desktop=true; fi
shown=()
$is_desktop || shown=(--cdf)
build/gbflow run config/scenarios/quickstart.lua --out "$out" "${shown[@]}" </dev/null
for result in summary.json series.csv report.html; do
    [ -s "$out/$result" ] || fail "the run ended well and left no $out/$result"
done
ended

heading "done"
print_times
say ""
if $is_desktop; then
    say "Open the report:   xdg-open out/quickstart/report.html"
else
    say "The report, for a browser:   $out/report.html"
fi
say "
Try next:
  build/gbflow run config/scenarios/quickstart.lua --out out/q --set sgsn.queues.discipline=q
                                     the same cell with gbflow's own queues: look at anna's ping
  sudo build/gbflow lab up           a GGSN, this SGSN, a BSS and mobiles that you use from a shell
  build/gbflow bench preloaded --octets 64,1400 --mobiles 1000
                                     how many packets a second this machine carries
  scripts/build.sh                   builds the tests, too; clangd then knows the flags of all files (.clangd)"
