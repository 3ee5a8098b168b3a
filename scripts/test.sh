#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/test.sh [--all | --nightly | --phases] [--without PHASE]... [MESON_TEST_ARGUMENT]...
#
# From a fresh Debian 12 to a verdict: installs what is missing, builds, runs the fast tests (under 10 minutes on two quiet
# cores), which are those of the gate but for other programs as peers (interop) and whole studies (heavy).
#   --all      the gate, 21 minutes on two quiet cores, its goal is 14: each fast test once, of a release build or under the address
#              and undefined-behaviour sanitizers of clang; warnings are errors
#   --nightly  what takes longer, at most 90 minutes: all tests, none in its short form, a clang build, clang-tidy,
#              the sanitizers of gcc, the thread sanitizer, fuzzing, planted faults and mutations
#   --phases   prints the table of phases, tests nothing
#   --without PHASE   leaves it out
# Other arguments go to "meson test" of the release tests, for example a test's name or --suite lint.
# At the end: the 20 slowest tests, each phase's time, and what failed. The very last line is "N passed, N failed,
# N skipped"; the status is 0 only when none failed and some passed.

set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$root" || exit 1

# Line numbers are all that a report of a sanitizer shows; gold links in half the time of ld.bfd.
sanitized="buildtype=debugoptimized b_sanitize=address,undefined b_lundef=false c_args=-g1"
long_to_wait="--no-suite interop --no-suite live --no-suite bench"
# What the gate runs under the sanitizers alone: modules and the whole program in use. Equal results bind the release to it.
sanitized_alone="--no-suite sanitized --no-suite live --no-suite scenario --no-suite replay --no-suite analyze"
night_sanitized="--no-suite oracle --no-suite heavy --no-suite bench --no-suite interop --no-suite alone"
compare=tests/system/scenario/compare_builds.py

# MODES | TITLE | COMMAND: the phases in their order. The commands are the functions below.
# tests/lint/phases_test.py asserts that each test of Meson and each phase is in all or in nightly.
# No compiler changes what lint, report and oracle look at. The gate runs a test once, unless the build makes a difference
# to it (codecs of SIMD, ciphers): where the sanitizers look at a module or at the program, or where it is quick, in the
# release. It leaves out processes that never sleep (alone), which measure. Its sanitizers leave out the real osmo-pcu
# (interop), the judges (oracle), what measures (bench), and what costs them much (heavy); those of the night have all.
phases="
fast all nightly | packages              | packages
fast all nightly | release build         | build build gcc buildtype=release b_sanitize=none b_pie=true
fast             | tests                 | tests build --no-suite slow --no-suite alone --no-suite interop --no-suite heavy
all              | release tests         | tests build --no-suite slow --no-suite alone $sanitized_alone
all              | sanitizer build       | build build-clang-asan clang $sanitized optimization=1
all              | sanitizer tests       | tests build-clang-asan --no-suite slow --no-suite lint --no-suite report $night_sanitized
all              | compile on Debian 13  | counted scripts/distribution.sh debian-13 --program
all              | site                  | tests build --suite site
all              | equal results         | single $compare --seeds 1 --duration 100s build/gbflow build-clang-asan/gbflow
nightly          | all tests             | tests build
nightly          | clang build           | build build-clang clang buildtype=release b_sanitize=none
nightly          | clang tests           | tests build-clang --no-suite slow --no-suite lint --no-suite report --no-suite oracle $long_to_wait
nightly          | clang-tidy            | single scripts/tidy.sh build-clang
nightly          | gcc sanitizer build   | build build-asan gcc $sanitized
nightly          | gcc sanitizer tests   | tests build-asan --no-suite slow --no-suite lint --no-suite report
nightly          | equal results of gcc  | single $compare --seeds 2 build/gbflow build-clang/gbflow build-asan/gbflow
nightly          | thread sanitizer      | single scripts/tsan.sh
nightly          | live thread sanitizer | single scripts/tsan.sh --live 2
nightly          | live soak             | single scripts/soak.sh --live 2
nightly          | virtual soak          | single scripts/soak.sh --virtual 10
nightly          | network cards         | counted scripts/nic.sh
nightly          | Debian 13             | counted scripts/distribution.sh debian-13 --gate
nightly          | arm64                 | counted scripts/arm64.sh
nightly          | Debian packages       | counted scripts/package.sh --chroot
nightly          | container images      | counted scripts/image.sh
nightly          | faults                | counted scripts/faults.sh
nightly          | fuzzing               | counted scripts/fuzz.sh --seconds 60
nightly          | planted queue faults  | single tests/lint/mutate.py queue
nightly          | planted wire faults   | single tests/lint/mutate.py wire
nightly          | sampled mutations     | single tests/lint/sample_mutations.py --seed 0 --hours 0.5 --jobs 2 --most 45
"

mode=fast
without= # a line for each phase that is left out
arguments=()
passed=0
failed=0
skipped=0
failures=()
times=() # a line for each phase that came to its end
logs=()  # PHASE=TESTLOG of each run of Meson's tests
title=   # the phase that runs
cpu=0    # s
finished=false
scratch=

# failure [NAME]: one more failed.
failure()
{
    failed=$((failed + 1))
    failures+=("$title${1:+: $1}")
}

# Without the packages nothing can be built.
packages()
{
    local group=--test
    [ "$mode" != nightly ] || group=--nightly
    scripts/setup.sh "$group" && return
    failure
    finished=true
    exit
}

# build DIR COMPILER OPTION...: counts only when it fails. A folder of another compiler or tree is of no use.
build()
{
    local dir=$1 ld='' cached=''
    command -v ccache >/dev/null && cached="ccache "
    rm -f "$scratch/$dir"
    [ "$mode" = fast ] || set -- "$@" werror=true
    # Elsewhere gold would want what libosmogb leaves undefined.
    # Debian 13 has gold in a package of its own.
    [[ " $* " != *" b_lundef=false "* ]] || ! command -v ld.gold >/dev/null || ld=gold
    if CC=$cached$2 CC_LD=$ld scripts/build.sh --no-setup --dir "$dir" "${@:3}"; then
        touch "$scratch/$dir"
    else
        failure
    fi
}

# tests DIR MESON_TEST_ARGUMENT...: the tests of live nodes, which come first, wait for nine tenths of their time, so that four for
# each processor keep it busy; none asserts a time, and what works does not reach its timeout on a busy machine.
tests()
{
    local base=${title// /-} status=0
    local log=$1/meson-logs/$base.json
    [ -e "$scratch/$1" ] || {
        say "not run: $1 is not built"
        return
    }
    rm -f "$log"
    [ "$1" != build ] || set -- "$@" "${arguments[@]}"
    MESON_TESTTHREADS=$((4 * $(nproc))) meson test -C "$1" --no-rebuild --print-errorlogs --logbase "$base" \
        --timeout-multiplier 8 "${@:2}" </dev/null || status=$?
    count_log "$log" "$status"
}

# count_log TESTLOG STATUS: a run that failed without one failed test, or ran nothing, is a failure of its own.
count_log()
{
    local p=0 s=0 name before=$failed
    if [ -f "$1" ]; then
        logs+=("$title=$1")
        read -r p _ s < <(python3 scripts/test_log.py totals "$1" 2>"$scratch/notes")
        grep '^skipped: ' "$scratch/notes"
        while read -r name; do failure "$name"; done < <(sed -n 's/^failed: //p' "$scratch/notes")
    fi
    [ "$failed" -gt "$before" ] || [ "$2" -eq 0 ] || failure "status $2"
    [ $((p + failed - before + s)) -gt 0 ] || failure "nothing ran"
    passed=$((passed + p))
    skipped=$((skipped + s))
}

# single COMMAND...: one test.
single()
{
    if "$@" </dev/null; then
        passed=$((passed + 1))
    else
        failure
    fi
}

# counted COMMAND...: its last line is "N passed, N failed, N skipped"; without that line, or when it failed otherwise, it has failed.
counted()
{
    local p=0 f=0 s=0 status last
    "$@" </dev/null | tee "$scratch/counted"
    status=${PIPESTATUS[0]}
    last=$(tail -n 1 "$scratch/counted")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[3]}
        # All skipped: its status is not 0 either, as nothing passed.
        [ "$status" -eq 0 ] || [ "$f" -gt 0 ] || { [ "$p" -eq 0 ] && [ "$s" -gt 0 ]; } || failure "status $status"
    else
        failure "no count, status $status"
    fi
    while [ "$f" -gt 0 ]; do
        failure
        f=$((f - 1))
    done
    passed=$((passed + p))
    skipped=$((skipped + s))
}

# cpu_seconds: into $cpu, how long the processors worked for the commands that have ended. A subshell would tell of its own.
cpu_seconds()
{
    times >"$scratch/times"
    cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } printf "%d", sum }' "$scratch/times")
}

# run_phase TITLE COMMAND...
run_phase()
{
    local began=$SECONDS cpu_began=$cpu
    title=$1
    heading "$title"
    "${@:2}"
    cpu_seconds
    times+=("$(printf '%-22s %6s %6s' "$title" "$(minutes $((SECONDS - began)))" "$(minutes $((cpu - cpu_began)))")")
}

# Each phase of the mode. Its commands read nothing of the table.
run_phases()
{
    local modes name command
    while IFS='|' read -r modes name command <&3; do
        [[ " $modes " = *" $mode "* ]] || continue
        name=${name%"${name##*[! ]}"}
        ! grep -qxF "${name# }" <<<"$without" || continue
        read -ra command <<<"$command"
        run_phase "${name# }" "${command[@]}" 3<&-
    done 3<<<"$phases"
}

# However the script ends: cut short is failed, not "as far as it went all was well".
close()
{
    trap - EXIT
    $finished || failure "cut short"
    if [ "${#logs[@]}" -gt 0 ]; then
        heading "the 20 slowest tests"
        python3 scripts/test_log.py slowest "${logs[@]}"
    fi
    heading "done"
    printf '%-22s %6s %6s\n' phase time CPU
    [ "${#times[@]}" -eq 0 ] || printf '%s\n' "${times[@]}"
    printf '%-22s %6s %6s\n' all "$(minutes $SECONDS)" "$(minutes "$cpu")"
    rm -rf "$scratch"
    [ "${#failures[@]}" -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
    [ $((passed + failed)) -gt 0 ] || say "nothing was tested, which counts as a failure"
    say "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && exit 0
    exit 1
}

while [ $# -gt 0 ]; do
    case "$1" in
    --all | --nightly) mode=${1#--} ;;
    --without)
        [ $# -gt 1 ] || usage_error "--without needs a phase"
        cut -d'|' -f2 <<<"$phases" | sed 's/^ //;s/ *$//' | grep -qxF "$2" || usage_error "no phase '$2'; see --phases"
        without+=$2$'\n'
        shift
        ;;
    --phases)
        printf '%s' "${phases#?}"
        exit
        ;;
    -h | --help)
        print_help
        exit
        ;;
    *) arguments+=("$1") ;;
    esac
    shift
done

# Sanitizers change no verdict by themselves unless they stop the program. Leaks count too.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
# Another checkout has the same objects: their paths are written relative to it.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
# Tests that take minutes under sanitizers have a short form.
[ "$mode" = nightly ] || export TEST_SHORT=1
# The shim of a version manager costs a tenth of a second each time that a test starts Python.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
[ "$python" = "$(command -v python3)" ] || PATH=$(dirname "$python"):$PATH
scratch=$(mktemp -d)
trap close EXIT
run_phases
finished=true
