#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/fuzz.sh [--seconds N | --runs N | --executions N | --hours N] [--light] [--coverage] [--state FOLDER]
#                        [HARNESS...]
#
# Builds the fuzzers of tests/fuzz with clang and sanitizers in build-fuzz/ and runs each (default: all), as many at a
# time as there are processors.
#   --seconds N   so long each (default: 20)
#   --runs N      so many executions each, however long that takes
#   --executions N   so many of all harnesses together, such as 1e8, light, in rounds, each harness its part of
#                 tests/fuzz/shares.txt; a table of executions and sequences after each round
#   --hours N     rounds of 5 000 000 such executions, until that time is over
#   --state FOLDER   corpora, counts and findings are kept there, not in build-fuzz/, and the counts grow from run to run
#   --light       executions without AddressSanitizer (in build-fuzz-light/), which take a fraction of the time; then
#                 every input of the corpus, to which they added what reached anything new, once with it
#   --coverage    afterwards, lines of the parsers that the corpora reach, file by file; below 90 % of all fails
# The corpora grow in build-fuzz/corpus/ from run to run; what breaks a harness is kept in build-fuzz/findings/.
# Without --state the counts are those of this run.
# At the end it prints the executions of all harnesses together, the sequences among them (docs/fuzzing.md), and the time
# that they took.
# The last line is "N passed, N failed, N skipped"; the status is 0 only when none failed and some passed.

set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

dir=build-fuzz
state=$dir
is_kept=false # counts of earlier runs
hours=0
light=false
least_percent=90
limit=-max_total_time=20
executions=0 # of --executions
most_of_round=5000000
rounds=1
coverage=false
began=0 # s, the first harness
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
            [ "$1" = --runs ] && limit=-runs=$2 || limit=-max_total_time=$2
            shift
            ;;
        --executions)
            [[ ${2-} =~ ^[1-9][0-9]*(e[0-9])?$ ]] || usage_error "$1 needs a number above 0, such as 1e8"
            executions=$(printf '%.0f' "$2")
            light=true
            shift
            ;;
        --hours)
            [[ ${2-} =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage_error "--hours needs a number above 0"
            hours=$2
            executions=$most_of_round
            light=true
            shift
            ;;
        --state)
            [ -n "${2-}" ] || usage_error "--state needs a folder"
            state=$2
            is_kept=true
            shift
            ;;
        --light) light=true ;;
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
    text=$(CC=clang meson setup "$1" -Dbuildtype=debugoptimized "${@:2}" </dev/null 2>&1) && return
    printf '%s\n' "$text" >&2
    return 1
}

build()
{
    local ignored="-fsanitize-coverage-ignorelist=$root/tests/fuzz/arithmetic.txt"
    configured $dir -Db_sanitize=address,undefined -Db_lundef=false -Dc_args="-fsanitize=fuzzer-no-link $ignored" &&
        ninja -C $dir --quiet fuzzers </dev/null && python3 tests/fuzz/seed.py . "$state/corpus" || return
    if $light; then
        configured $dir-light -Db_sanitize=undefined -Db_lundef=false -Doptimization=3 \
            -Dc_args="-fsanitize-coverage=inline-8bit-counters,pc-table $ignored" &&
            ninja -C $dir-light --quiet fuzzers </dev/null
    fi
}

# run_fuzzer DIR HARNESS LIMIT: its output goes to the log.
run_fuzzer()
{
    local program=$1/tests/fuzz/$2_fuzz options=("$3" -max_len=4096)
    # One Lua state lives on, so that its allocations never balance; leaks show at the end. What a text costs grows with
    # its length.
    [ "$2" = config ] && options+=("-dict=$state/corpus/config.dict" -detect_leaks=0 -max_len=1400)
    [ "$2" = set ] && options+=("-dict=$state/corpus/config.dict" -detect_leaks=0 -max_len=400)
    # A sequence that reaches much is long; inputs need not grow step by step.
    [[ $2 = *_machine ]] && options+=(-detect_leaks=0 -len_control=0)
    [ "$2" = worker ] && options+=(-len_control=0)
    # Short sequences are many.
    [[ $executions -gt 0 && $2 =~ ^(worker|neighbours|.*_machine)$ ]] && options+=(-max_len=256)
    # Executed Lua lines count in $dir only, so that elsewhere no input seems to reach anything new.
    [[ $1 != "$dir" && $2 = *_machine ]] && options+=(-keep_seed=1)
    # A Lua state for each file; a thread that never ends.
    [[ $2 =~ ^(aqm_script|telemetry)$ ]] && options+=(-max_len=1000 -detect_leaks=0)
    # Most of an execution reaches thousands of features, whose frequencies then took up to four fifths of the time.
    [[ $2 =~ ^(analyze|config|host|set|worker|.*_machine)$ ]] && options+=(-entropic=0)
    "$program" "${options[@]}" -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 \
        -artifact_prefix="$state/findings/$2-" "$state/corpus/$2" </dev/null >"$state/findings/$2.log" 2>&1 && return
    touch "$state/findings/$2.ended"
    say "$2: a finding; once more with: $program $state/findings/$2-..."
    grep -v '^#' "$state/findings/$2.log" | head -n 60
    return 1
}

# stat HARNESS NAME: of the run that the log is of.
stat_of()
{
    sed -n "s/^stat::$2: *//p" "$state/findings/$1.log" | tail -n 1
}

# executions HARNESS: of the run that the log is of; adds them, its sequences and its seconds to the harness's .count.
executions()
{
    local all=0 sequences=0 seconds=0 count
    [ -f "$state/findings/$1.count" ] && read -r all sequences seconds <"$state/findings/$1.count"
    count=$(stat_of "$1" number_of_executed_units)
    echo "$((all + count)) $((sequences + $(stat_of "$1" sequences) + 0)) $((seconds + $2))" >"$state/findings/$1.count"
    echo "$count"
}

# all_executions: of the harnesses that ran, with and without AddressSanitizer, and the time that they took.
all_executions()
{
    local harness all sequences seconds sum=0 of_sequences=0 busy=0
    printf '%-16s %12s %10s %8s %10s %9s\n' harness executions sequences seconds "each s" findings
    for harness in "${harnesses[@]}"; do
        all=0 sequences=0 seconds=0
        [ -f "$state/findings/$harness.count" ] && read -r all sequences seconds <"$state/findings/$harness.count"
        printf '%-16s %12d %10d %8d %10d %9d\n' "$harness" "$all" "$sequences" "$seconds" $((all / (seconds ? seconds : 1))) \
            "$(find "$state/findings" -name "$harness-*" -newer "$state/findings/began" | wc -l)"
        sum=$((sum + all))
        busy=$((busy + seconds))
        of_sequences=$((of_sequences + sequences))
    done
    say "$sum executions, $of_sequences of them sequences, of ${#harnesses[@]} harnesses in $(minutes $busy) minutes of one" \
        "processor; this run took $(minutes $((SECONDS - began))) minutes"
}

# part_of HARNESS: its limit in a round of --executions.
part_of()
{
    awk -v name="$1" -v all=$((executions / rounds)) '$1 == name { printf "-runs=%d", all * $2 / 1e6 + 1 }' \
        tests/fuzz/shares.txt
}

# fuzz HARNESS
fuzz()
{
    local count at=$SECONDS limit=$limit
    [ -x "$dir/tests/fuzz/$1_fuzz" ] || {
        say "$1: no such harness"
        return 1
    }
    if ! $light; then
        run_fuzzer $dir "$1" "$limit" && say "$1: $(executions "$1" $((SECONDS - at))) executions without finding"
        return
    fi
    if [ "$executions" -gt 0 ]; then
        limit=$(part_of "$1")
        [ -n "$limit" ] || {
            say "$1: no share in tests/fuzz/shares.txt"
            return 1
        }
    fi
    [ ! -f "$state/findings/$1.ended" ] || return 0 # what it found waits for a fix, the others run
    run_fuzzer $dir-light "$1" "$limit" || return
    count=$(executions "$1" $((SECONDS - at)))
    [ "$executions" -gt 0 ] && return
    check_corpus "$1" "$count light executions without finding, nor "
}

# check_corpus HARNESS WORDS
check_corpus()
{
    local at=$SECONDS
    run_fuzzer $dir "$1" -runs=0 && say "$1: $2$(executions "$1" $((SECONDS - at))) inputs with AddressSanitizer"
}

measure()
{
    local flags="-fprofile-instr-generate -fcoverage-mapping"
    configured $dir-coverage -Dc_args="$flags" -Dc_link_args="$flags" &&
        ninja -C $dir-coverage --quiet fuzzers </dev/null &&
        python3 tests/fuzz/coverage.py $dir-coverage/tests/fuzz "$state/corpus" $least_percent "${harnesses[@]}"
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

# end_job NAME PID: what was said of it, and its verdict.
end_job()
{
    local verdict=true
    wait "$2" || verdict=false
    cat "$state/findings/$1.said"
    count $verdict
}

stop_jobs()
{
    local pid
    for pid in $(jobs -p); do
        kill -- "-$pid" 2>/dev/null
    done
}

# each_harness FUNCTION: each in a process group of its own, which ends with this script.
each_harness()
{
    local i most pids=()
    most=$(nproc)
    set -m
    trap stop_jobs EXIT
    for i in "${!harnesses[@]}"; do
        [ "$i" -lt "$most" ] || end_job "${harnesses[i - most]}" "${pids[i - most]}"
        "$1" "${harnesses[i]}" "" </dev/null >"$state/findings/${harnesses[i]}.said" 2>&1 &
        pids[i]=$!
    done
    i=$((${#harnesses[@]} > most ? ${#harnesses[@]} - most : 0))
    for (( ; i < ${#harnesses[@]}; i++)); do
        end_job "${harnesses[i]}" "${pids[i]}"
    done
    set +m
}

# Rounds, so that the harnesses come equally far; at the end what the corpora have got, with AddressSanitizer.
play_rounds()
{
    local round until
    rounds=$(((executions + most_of_round - 1) / most_of_round))
    until=$((SECONDS + $(awk -v hours="$hours" 'BEGIN { printf "%d", 3600 * hours }')))
    for ((round = 1; round <= rounds || SECONDS < until; round++)); do
        each_harness fuzz
        say "-- round $round, $(minutes $((SECONDS - began))) minutes"
        all_executions
    done
    each_harness check_corpus
}

run()
{
    heading "build"
    build || {
        failed=1
        return
    }
    mkdir -p "$state/findings"
    [ "${#harnesses[@]}" -gt 0 ] ||
        mapfile -t harnesses < <(find "$state/corpus" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
    heading "fuzzing"
    rm -f "$state"/findings/*.ended
    touch "$state/findings/began"
    if $is_kept; then touch -d @0 "$state/findings/began"; else rm -f "$state"/findings/*.count; fi
    began=$SECONDS
    if [ "$executions" -gt 0 ]; then
        play_rounds
    else
        each_harness fuzz
    fi
    all_executions
    if $coverage; then
        heading "coverage"
        count measure
    fi
}

parse "$@"
# What a run frees is a few kB: 16 MB keep that of hundreds of runs, and stay in the processor's cache.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=1:quarantine_size_mb=16
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
