#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: sched_conform.sh SCHED_CONFORM SCHED_CONFORM_STOPPED
# Arguments that sched_conform refuses, and a scheduler that stops sending.
conform=$1 stopped=$2

# check STATUS WORDS PROGRAM [ARGUMENT]: ends with that status, and says WORDS.
check() {
    wanted=$1 words=$2
    shift 2
    said=$(timeout 30 "$@" 2>&1)
    status=$?
    case $status:$said in
    "$wanted":*"$words"*) ;;
    *)
        echo "$*: status $status, not $wanted with '$words': $said"
        exit 1
        ;;
    esac
}

for number in abc '' 1e6 -1 +1 ' 1' 1.5 0 1000000000001 18446744073709551617; do
    check 2 "LLC-PDUS '$number': give a whole number from 1 to 1000000000000" "$conform" "$number"
done
check 0 '65536 mobiles, 100 %, backlogged: ' "$conform" 1
check 1 'LLC-PDUs were judged in ' "$stopped" 10000
