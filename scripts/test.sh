#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/test.sh [--all] [MESON_TEST_ARGUMENT]...
#
# From a fresh Debian 12 to a verdict: installs what is missing, builds, runs the fast tests (under 10 minutes).
#   --all    also the slow tests, a clang build and its tests, clang-tidy, 20 s of each fuzzer, the fast tests under the
#            address and undefined-behaviour sanitizers, and whether all these builds play scenarios to the same octets; warnings are
#            errors (under 40 minutes on two cores)
# Other arguments go to "meson test" of the fast run, for example a test's name or --suite lint.
# The last lines name what failed; the very last is "N passed, N failed, N skipped"; the status is 0 only when none failed and
# some passed.

set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

passed=0
failed=0
skipped=0
failures=()
finished=false

# However the script ends: cut short is failed, not "as far as it went all was well".
close()
{
    trap - EXIT
    $finished || failure "cut short"
    heading "done"
    [ "${#failures[@]}" -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
    [ $((passed + failed)) -gt 0 ] || say "nothing was tested, which counts as a failure"
    say "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && exit 0
    exit 1
}

# failure NAME: one more failed.
failure()
{
    failed=$((failed + 1))
    failures+=("$1")
}

# step TITLE COMMAND...: something without tests of its own; it counts only when it fails.
step()
{
    heading "$1"
    shift
    "$@" && return
    failure "$*"
    return 1
}

# tests TITLE BUILD_DIR MESON_TEST_ARGUMENT...
tests()
{
    heading "$1"
    local log=$2/meson-logs/${1// /-}.json status=0
    rm -f "$log"
    meson test -C "$2" --no-rebuild --print-errorlogs --logbase "${1// /-}" "${@:3}" </dev/null || status=$?
    count "$1" "$log" "$status"
}

# count TITLE TESTLOG STATUS: a run that failed without one failed test, or ran nothing, is a failure of its own.
count()
{
    local p=0 s=0 name before=$failed notes=$2.notes
    if [ -f "$2" ]; then
        read -r p _ s < <(python3 scripts/test_totals.py "$2" 2>"$notes")
        grep '^skipped: ' "$notes"
        while read -r name; do failure "$1: $name"; done < <(sed -n 's/^failed: //p' "$notes")
    fi
    [ "$failed" -gt "$before" ] || [ "$3" -eq 0 ] || failure "$1: status $3"
    [ $((p + failed - before + s)) -gt 0 ] || failure "$1: nothing ran"
    passed=$((passed + p))
    skipped=$((skipped + s))
}

# What no compiler changes (plots, the oracles themselves), and what waits for real time, is not played again; live nodes and
# the bench meet the sanitizers below.
clang_phases()
{
    local db=build-clang
    step "clang build" env CC=clang CXX=clang++ ./scripts/build.sh --no-setup --dir $db werror=true || return
    tests "tests built by clang" $db --no-suite slow --no-suite lint --no-suite report --no-suite oracle --no-suite interop \
        --no-suite live --no-suite bench
    step "clang-tidy" ./scripts/tidy.sh $db
}

# Each fuzzer for a while; a test for each.
fuzz_phase()
{
    heading "fuzzing"
    local log p=0 f=1 s=0
    log=$(mktemp)
    ./scripts/fuzz.sh --seconds 20 </dev/null | tee "$log"
    read -r p _ f _ s _ < <(tail -n 1 "$log" | tr -d ',')
    while [ "$f" -gt 0 ]; do
        failure "fuzzing: $(sed -n 's/: \(a finding\|no such harness\).*//p' "$log" | sed -n "${f}p")"
        f=$((f - 1))
    done
    rm -f "$log"
    passed=$((passed + p)) skipped=$((skipped + s))
}

# Sanitizers change no verdict by themselves unless they stop the program. Leaks count too.
sanitizer_phases()
{
    export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=1
    export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
    step "sanitizer build" ./scripts/build.sh --no-setup --dir build-asan buildtype=debugoptimized \
        b_sanitize=address,undefined b_lundef=false werror=true || return
    tests "tests under sanitizers" build-asan --no-suite lint --no-suite slow --no-suite report --timeout-multiplier 4
}

# The same scenarios by programs of other compilers and options must come out in the same octets: one test.
equal_results()
{
    heading "equal results of all builds"
    if python3 tests/system/scenario/compare_builds.py {build,build-clang,build-asan}/gbflow </dev/null; then
        passed=$((passed + 1))
    else
        failure "equal results of all builds"
    fi
}

slow_phase()
{
    if [ -z "$(meson test -C build --list --suite slow 2>/dev/null </dev/null)" ]; then
        heading "slow tests"
        say "none yet"
        return
    fi
    tests "slow tests" build --suite slow
}

all=false
arguments=()
for argument in "$@"; do
    case "$argument" in
    --all) all=true ;;
    -h | --help)
        print_help
        exit 0
        ;;
    *) arguments+=("$argument") ;;
    esac
done
options=(buildtype=release b_sanitize=none)
$all && options+=(werror=true)

trap close EXIT
if step "packages" ./scripts/setup.sh --test &&
    step "build" ./scripts/build.sh --no-setup "${options[@]}"; then
    tests "fast tests" build --no-suite slow "${arguments[@]}"
    if $all; then
        slow_phase
        clang_phases
        fuzz_phase
        sanitizer_phases
        equal_results
    fi
fi
finished=true
