#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/fuzz.sh [--seconds N] [--runs N] [--coverage] [HARNESS...]
#
# Builds the fuzzers of tests/fuzz with clang and sanitizers in build-fuzz/ and runs each (default: all).
#   --seconds N   so long each (default: 20)
#   --runs N      so many executions each, however long that takes
#   --coverage    afterwards, lines of the parsers that the corpora reach, file by file; below 90 % of all fails
# The corpora grow in build-fuzz/corpus/ from run to run; what breaks a harness is kept in build-fuzz/findings/.
# The last line is "N passed, N failed, N skipped"; the status is 0 only when none failed and some passed.

set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

dir=build-fuzz
least_percent=90
limit=(-max_total_time=20)
coverage=false
harnesses=()
passed=0
failed=0
skipped=0

parse()
{
    while [ $# -gt 0 ]; do
        case "$1" in
        --seconds | --runs)
            [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage_error "$1 needs a number above 0"
            [ "$1" = --runs ] && limit=("-runs=$2") || limit=("-max_total_time=$2")
            shift
            ;;
        --coverage) coverage=true ;;
        -h | --help)
            print_help
            exit 0
            ;;
        -*) usage_error "unknown option '$1'" ;;
        *) harnesses+=("$1") ;;
        esac
        shift
    done
}

# configured DIR OPTION...: a directory that this tree's Meson can use, made anew when the old one is of no use.
configured()
{
    local text
    ninja -C "$1" build.ninja </dev/null >/dev/null 2>&1 && return
    rm -rf "$1"
    text=$(CC=clang CXX=clang++ meson setup "$1" -Dbuildtype=debugoptimized "${@:2}" </dev/null 2>&1) && return
    printf '%s\n' "$text" >&2
    return 1
}

build()
{
    configured $dir -Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fsanitize=fuzzer-no-link &&
        ninja -C $dir --quiet fuzzers </dev/null && python3 tests/fuzz/seed.py . $dir/corpus
}

# fuzz HARNESS
fuzz()
{
    local program=$dir/tests/fuzz/$1_fuzz log=$dir/findings/$1.log options=("${limit[@]}")
    [ -x "$program" ] || {
        say "$1: no such harness"
        return 1
    }
    # One Lua state lives on, so that its allocations never balance; leaks show at the end.
    [ "$1" = config ] && options+=("-dict=$dir/corpus/config.dict" -detect_leaks=0)
    if ! "$program" "${options[@]}" -max_len=4096 -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 \
        -artifact_prefix="$dir/findings/$1-" "$dir/corpus/$1" </dev/null >"$log" 2>&1; then
        say "$1: a finding; once more with: $program $dir/findings/$1-..."
        grep -v '^#' "$log" | head -n 60
        return 1
    fi
    say "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions without finding"
}

measure()
{
    local flags="-fprofile-instr-generate -fcoverage-mapping"
    configured $dir-coverage -Dc_args="$flags" -Dc_link_args="$flags" &&
        ninja -C $dir-coverage --quiet fuzzers </dev/null &&
        python3 tests/fuzz/coverage.py $dir-coverage/tests/fuzz $dir/corpus $least_percent "${harnesses[@]}"
}

# count COMMAND...
count()
{
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

run()
{
    local name
    heading "build"
    build || {
        failed=1
        return
    }
    mkdir -p $dir/findings
    [ "${#harnesses[@]}" -gt 0 ] ||
        mapfile -t harnesses < <(find $dir/corpus -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
    heading "fuzzing"
    for name in "${harnesses[@]}"; do
        count fuzz "$name"
    done
    if $coverage; then
        heading "coverage"
        count measure
    fi
}

parse "$@"
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
if command -v clang >/dev/null || [ "${CI-}" = true ]; then
    run
else
    say "skipped: clang is not installed; scripts/setup.sh --test brings it"
    skipped=1
fi
heading "done"
say "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
