#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which lines of the parsers the fuzzers' corpora reach.

usage: coverage.py PROGRAMS_DIR CORPUS_DIR LEAST_PERCENT [HARNESS...]

PROGRAMS_DIR holds HARNESS_fuzz, built with clang's coverage mapping. Replays CORPUS_DIR/HARNESS in each, prints one
line per source file and one for all; fails when all together stay below LEAST_PERCENT.
"""
import json
import os
import re
import shutil
import subprocess
import sys

# What reads octets or text that somebody else wrote, with the encoders in the same files. A check sequence is arithmetic,
# and which of its engines runs depends on the machine.
PARSERS = re.compile(r"dataplane/wire/(?!llc_fcs)\w+\.[ch]$|dataplane/worker/reassembly\.c$|app/replay/gtpc_learn\.c$|"
                     r"control/config/lua_config_(aqm|node|queues|radio)\.c$|app/run/lua_scenario_read\.c$|"
                     r"capture/(?!writer)\w+\.c$|sim/(ip_packet|tcp_header|tcp_receive|ms_link|ms_stack)\.c$")
BATCH = 1000


def tool(name):
    for candidate in (name + "-14", name):
        if shutil.which(candidate):
            return candidate
    sys.exit(f"{name} is not installed; scripts/setup.sh --test brings it")


def run(command, **options):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                            check=False, **options)
    if result.returncode != 0:
        sys.exit(f"{command[0]} failed with status {result.returncode}:\n{result.stderr[-2000:]}")
    return result.stdout


def replay(program, folder, profile):
    """Runs every input of a folder; returns the profiles that were written."""
    names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    profiles = []
    for at in range(0, len(names), BATCH):
        profiles.append(f"{profile}-{at}.profraw")
        run([program] + names[at:at + BATCH], env={**os.environ, "LLVM_PROFILE_FILE": profiles[-1]})
    return profiles


def summaries(programs, profiles, merged):
    run([tool("llvm-profdata"), "merge", "-sparse", "-o", merged] + profiles)
    objects = [argument for program in programs[1:] for argument in ("-object", program)]
    text = run([tool("llvm-cov"), "export", "-summary-only", "-instr-profile", merged, programs[0]] + objects)
    return json.loads(text)["data"][0]["files"]


def report(files, least_percent):
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "../..")) + os.sep
    all_lines = all_covered = 0
    for file in sorted(files, key=lambda file: file["filename"]):
        path = os.path.realpath(file["filename"]).removeprefix(root)
        lines = file["summary"]["lines"]
        if not PARSERS.search(path) or lines["count"] == 0:
            continue
        print(f"{path:40} {lines['covered']:5} of {lines['count']:5} lines {lines['percent']:6.1f} %")
        all_lines += lines["count"]
        all_covered += lines["covered"]
    if all_lines == 0:
        sys.exit("no parser is in these programs")
    percent = 100 * all_covered / all_lines
    print(f"{'all':40} {all_covered:5} of {all_lines:5} lines {percent:6.1f} %, wanted {least_percent:g} %")
    return percent >= least_percent


def main(programs_dir, corpus, least_percent, *harnesses):
    chosen = harnesses or sorted(name for name in os.listdir(corpus) if os.path.isdir(os.path.join(corpus, name)))
    programs = [os.path.join(programs_dir, name + "_fuzz") for name in chosen]
    profiles = []
    for name, program in zip(chosen, programs):
        profiles += replay(program, os.path.join(corpus, name), program)
    files = summaries(programs, profiles, os.path.join(programs_dir, "all.profdata"))
    return 0 if report(files, float(least_percent)) else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    sys.exit(main(*sys.argv[1:]))
