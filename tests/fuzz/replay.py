#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the fuzzers' first inputs from the tests' vectors and gives each of them once to its harness.

usage: replay.py SOURCE_DIR PROGRAMS_DIR

Prints how many inputs each harness took. Fails if one breaks a harness, if a harness has no input, or if all inputs
together are larger than 20 MB.
"""
import os
import re
import subprocess
import sys
import tempfile

import seed

MOST_OCTETS = 20_000_000
# A Lua state or a thread lives as long as the process: leaks are looked for where none does.
OF_LUA = re.compile(r"config|lua_wire|set|telemetry|.*_machine")


def sizes(folder):
    return [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)]


def replay(program, folder):
    """The number of executions; None: the harness failed, and its last lines are printed."""
    leaks = "0" if OF_LUA.fullmatch(os.path.basename(folder)) else "1"
    command = [program, "-runs=0", "-entropic=0", f"-detect_leaks={leaks}", "-artifact_prefix=" + folder + "-", folder]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                            check=False)
    done = re.search(r"Done (\d+) runs", result.stderr)
    if result.returncode == 0 and done:
        return int(done[1])
    print(f"{' '.join(command)} failed with status {result.returncode}:\n{result.stderr[-4000:]}")
    return None


def replay_all(programs, corpus):
    """Whether all went well."""
    harnesses = sorted(name.removesuffix("_fuzz") for name in os.listdir(programs) if name.endswith("_fuzz"))
    octets, is_good = 0, bool(harnesses)
    for harness in harnesses:
        folder = os.path.join(corpus, harness)
        inputs = sizes(folder) if os.path.isdir(folder) else []
        executions = replay(os.path.join(programs, harness + "_fuzz"), folder) if inputs else None
        print(f"{harness:16} {len(inputs):5} inputs {sum(inputs):9} octets {executions or 0:5} executions")
        is_good = is_good and executions is not None and executions >= len(inputs)
        octets += sum(inputs)
    print(f"{len(harnesses)} harnesses, {octets} octets, at most {MOST_OCTETS}")
    return is_good and octets <= MOST_OCTETS


def main(source, programs):
    with tempfile.TemporaryDirectory() as corpus:
        seed.main(source, corpus)
        return 0 if replay_all(programs, corpus) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    sys.exit(main(*sys.argv[1:]))
