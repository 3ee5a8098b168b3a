#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the fuzzers by the conventions of OSS-Fuzz: $CC, $CXX, $CFLAGS, $CXXFLAGS and $LIB_FUZZING_ENGINE compile what
# is in $SRC/gbflow; $OUT gets each program with its first inputs, its options and the shared libraries that it needs.
# $WORK is scratch.

set -euo pipefail

source=$SRC/gbflow
build=$WORK/gbflow-build
corpus=$WORK/gbflow-corpus
export PYTHONDONTWRITEBYTECODE=1

# As scripts/fuzz.sh starts them: one Lua state lives as long as the process, and some inputs are only slow when long.
options_of()
{
    echo "[libfuzzer]"
    case "$1" in
    config) printf 'max_len=1400\ndetect_leaks=0\ndict=config_fuzz.dict\n' ;;
    set) printf 'max_len=400\ndetect_leaks=0\ndict=config_fuzz.dict\n' ;;
    *_machine) printf 'max_len=4096\ndetect_leaks=0\nlen_control=0\n' ;;
    aqm_script | telemetry) printf 'max_len=1000\ndetect_leaks=0\n' ;;
    worker) printf 'max_len=4096\nlen_control=0\n' ;;
    *) echo "max_len=4096" ;;
    esac
}

# The image that runs the programs has no packages of the one that builds them.
take_libraries()
{
    mkdir -p "$OUT/lib"
    ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -E '/lib(rte_|IPSec_MB|lua|pcap|jansson|cmocka|bsd|md|numa|dbus|elf|z\.)' |
        xargs -r cp -Lt "$OUT/lib"
    patchelf --force-rpath --set-rpath "\$ORIGIN/lib" "$1"
}

meson setup "$build" "$source" --buildtype=plain -Db_lundef=false -Dfuzzing_engine="$LIB_FUZZING_ENGINE"
ninja -C "$build" fuzzers
python3 "$source/tests/fuzz/seed.py" "$source" "$corpus"
cp "$corpus/config.dict" "$OUT/config_fuzz.dict"
for program in "$build"/tests/fuzz/*_fuzz; do
    name=$(basename "$program" _fuzz)
    cp "$program" "$OUT/"
    options_of "$name" >"$OUT/${name}_fuzz.options"
    (cd "$corpus/$name" && python3 -m zipfile -c "$OUT/${name}_fuzz_seed_corpus.zip" ./*)
    if command -v patchelf >/dev/null; then
        take_libraries "$OUT/${name}_fuzz"
    fi
done
