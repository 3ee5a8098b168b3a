#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plays the shipped scenarios by some builds of the program and compares what they write, octet by octet, with the first one's.

usage: compare_builds.py [--seeds N] [--duration TIME] PROGRAM OTHER_PROGRAM...

  --seeds N          seeds 1 to N of each scenario (2)
  --duration TIME    of each scenario that may be cut, in place of its own

Prints a line for each scenario and seed. Status: 0 all equal, 1 some differ or did not run, 2 usage.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

SCENARIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "config", "scenarios")
# A million packets, in captures, take more room than they are worth.
SHORTER = {"md1.lua": ["--set", "duration=60s"]}
WHOLE = ("gprs-population.lua",)  # its mobiles change cells until its end
FILES = ("summary.json", "series.csv", "gi.pcapng", "gi.truth.json", "gn.pcapng", "gb.pcapng")


def settings_of(name, duration):
    """Words that shorten a scenario."""
    return ["--set", f"duration={duration}"] if duration and name not in WHOLE else SHORTER.get(name, [])


def play(program, scenario, seed, folder, duration):
    """What the run wrote, by file; None, with its words on stderr, when it failed."""
    command = [program, "run", scenario, "--seed", str(seed), "--out", folder, "--pcap", "--no-report",
               *settings_of(os.path.basename(scenario), duration)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        print(f"{' '.join(command)}: status {done.returncode}\n{done.stderr[-3000:]}", file=sys.stderr)
        return None
    return {name: read(os.path.join(folder, name)) for name in FILES}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compare(programs, scenario, seed, duration):
    """Whether all wrote the same, and the line that says so."""
    with tempfile.TemporaryDirectory(prefix="gbflow-compare-") as folder:
        first, *others = (play(program, scenario, seed, os.path.join(folder, str(i)), duration) for i, program in enumerate(programs))
    name = f"{os.path.basename(scenario)}, seed {seed}"
    if first is None or None in others:
        return False, f"{name}: did not run"
    differing = [f"{file} of {program}" for program, other in zip(programs[1:], others) for file in FILES
                 if other[file] != first[file]]
    return not differing, f"{name}: {', '.join(differing) + ' differ' if differing else 'equal'}"


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--duration")
    parser.add_argument("first")
    parser.add_argument("others", nargs="+")
    return parser.parse_args()


def main():
    given = arguments()
    programs = [given.first, *given.others]
    for program in programs:
        if not os.access(program, os.X_OK):
            print(f"no program {program}", file=sys.stderr)
            return 1
    names = sorted(name for name in os.listdir(SCENARIOS) if name.endswith(".lua"))
    runs = [(os.path.join(SCENARIOS, name), seed) for name in names for seed in range(1, given.seeds + 1)]
    verdicts = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for equal, line in pool.map(lambda run: compare(programs, *run, given.duration), runs):
            print(line, flush=True)
            verdicts.append(equal)
    return 0 if verdicts and all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
