#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plays the scheduler on many random hierarchies and has the oracle judge each: a table, and how to see again what was wrong.

usage: grid.py SCHED_PLAY [--npdus N] [--seed N] [--jobs N] [--profiles NAME,...] [--idle MODE] [--flows N] [--python PROGRAM]
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, "sched_oracle")
PROFILES = ("mixed", "limited", "link", "backlog", "tiny")
NPDUS_OF_A_RUN = 20000
MOST_RUNS = 400  # of a profile; longer ones instead of more
EXIT_ORACLE_RAN = (0, 1)
STEPS = 50  # lines of progress where there is no terminal


class Run:
    """One trace through driver and oracle."""

    def __init__(self, profile, seed, npdus, flows):
        self.profile, self.seed, self.npdus, self.flows = profile, seed, npdus, flows
        self.verdict, self.text, self.seconds = None, "", 0.0

    def command(self, play):
        command = [play, "--npdus", str(self.npdus), "--seed", str(self.seed), "--profile", self.profile]
        return command + (["--flows", str(self.flows)] if self.flows else [])

    def go(self, options):
        begun = time.monotonic()
        with tempfile.NamedTemporaryFile(mode="r", suffix=".json", encoding="utf-8") as verdict:
            oracle = [options.python, ORACLE, "-", "--quiet", "--idle", options.idle, "--json", verdict.name]
            with subprocess.Popen(self.command(options.play), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as player:
                judge = subprocess.run(oracle, stdin=player.stdout, capture_output=True, text=True, check=False)
                player.stdout.close()
                said = player.stderr.read().decode(errors="replace").strip()
                self.text = judge.stdout
                status = player.wait()
            if status != 0 or judge.returncode not in EXIT_ORACLE_RAN:
                self.text = f"sched_play: status {status} {said}\noracle: status {judge.returncode} {judge.stderr.strip()}\n{self.text}"
            else:
                self.verdict = json.load(verdict)
        self.seconds = time.monotonic() - begun
        return self

    def wrong(self):
        """Names of the checks that found something wrong, with how often."""
        if self.verdict is None:
            return {"did not run": 1}
        return {name: check["wrong"] for name, check in self.verdict["checks"].items() if check["wrong"]}


def runs_of(options):
    """The grid, profiles in turn so that each part of it is mixed."""
    names = options.profiles.split(",")
    each = max(1, -(-options.npdus // len(names)))
    count = min(MOST_RUNS, -(-each // NPDUS_OF_A_RUN))
    return [Run(name, options.seed + i, -(-each // count), options.flows) for i in range(count) for name in names]


def row(name, runs):
    ok = [run for run in runs if run.verdict is not None]
    departures = sum(run.verdict["notes"]["departures"] for run in ok)
    npdus = sum(run.verdict["notes"]["N-PDUs"] for run in ok)
    seconds = sum(run.seconds for run in runs)
    bad = sum(1 for run in runs if run.wrong())
    return f"{name:10}{len(runs):>6}{bad:>10}{npdus:>14}{departures:>14}{departures / max(seconds, 1e-9):>14.0f}"


def checks(runs):
    """Sums over all runs."""
    total = {}
    for run in runs:
        for name, check in run.verdict["checks"].items() if run.verdict else ():
            examined, wrong = total.get(name, (0, 0))
            total[name] = examined + check["examined"], wrong + check["wrong"]
    return [f"{name:15}{examined:>14} examined {wrong:>8} wrong" for name, (examined, wrong) in total.items() if examined or wrong]


def tell(options, runs, elapsed):
    print(f"{'profile':10}{'runs':>6}{'of wrong':>10}{'N-PDUs':>14}{'LLC-PDUs':>14}{'per second':>14}")
    for name in options.profiles.split(","):
        print(row(name, [run for run in runs if run.profile == name]))
    print(row("all", runs))
    print("\n".join(checks(runs)))
    left = sum(run.verdict["notes"]["departures"] for run in runs if run.verdict)
    print(f"{left} LLC-PDUs in {elapsed:.0f} s with {options.jobs} at a time: {left / elapsed:.0f} per second")
    bad = [run for run in runs if run.wrong()]
    for run in bad[:options.show]:
        print(f"\nwrong: {' '.join(run.command('sched_play'))} | python3 tests/oracles/sched/sched_oracle --idle {options.idle}")
        print("\n".join(line for line in run.text.splitlines() if " examined " not in line and not line.startswith("note:"))[:2000])
    if left < options.npdus:
        print(f"only {left} LLC-PDUs left, {options.npdus} were wanted")
    return 1 if bad or left < options.npdus else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("play", help="the program sched_play")
    parser.add_argument("--npdus", type=int, default=10**6, help="N-PDUs that are to leave in all (default 1000000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--profiles", default=",".join(PROFILES))
    parser.add_argument("--idle", choices=("strict", "chosen", "largest"), default="chosen", help="see the oracle's --help")
    parser.add_argument("--flows", type=int, default=0, help="queues by 5-tuple in each mobile's class (default 0: one)")
    parser.add_argument("--python", default=sys.executable, help="what runs the oracle")
    parser.add_argument("--show", type=int, default=5, help="wrong runs that are told in words (default 5)")
    return parser.parse_args()


def play_all(options, runs):
    """Those that were played: all, unless it is interrupted. Says how far it is."""
    played, is_terminal = [], sys.stderr.isatty()
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        for run in pool.map(lambda run: run.go(options), runs):
            played.append(run)
            if is_terminal or len(played) * STEPS // len(runs) > (len(played) - 1) * STEPS // len(runs):
                bad = sum(1 for other in played if other.wrong())
                print(f"{len(played)} of {len(runs)} runs, {bad} of them wrong", end="\r" if is_terminal else "\n", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("interrupted: what was played so far", file=sys.stderr)
    pool.shutdown(cancel_futures=True)
    return played


def main():
    options = arguments()
    begun = time.monotonic()
    played = play_all(options, runs_of(options))
    return tell(options, played, time.monotonic() - begun)


if __name__ == "__main__":
    sys.exit(main())
