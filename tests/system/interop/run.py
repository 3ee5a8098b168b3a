#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests against the real osmo-pcu, several networks at a time: they mostly wait.

usage: run.py [--at-once N] [--list] [TEST]...      all of test_*.py beside it (TEST_SHORT=1: few of each), or those whose names begin so

Prints each one's output when it has ended. One that failed beside others is played once more, alone; that counts, and both are told. INTEROP_TIMERS=real: timers of the network service as in TS 48.016, not short ones. Exit status 0 = all passed, 1 = not, 77 = nothing of it can run here (1 if CI=true).
"""
import argparse
import concurrent.futures
import contextlib
import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST_S = 240
AHEAD = -15  # nice: osmo-pcu and its BTS keep the clock of TDMA frames, 4.6 ms each, and what is late is lost
MOST_AGAIN = 4  # of more than these it is not the machine that is at fault
ALONE = ("test_blocks", "test_llc")  # need nothing of this
# TEST_SHORT=1: of each file what shows most in little time, in both dialects of NS.
SHORT = ("test_abm.Peer.", "test_chain.Chain.", "test_end_to_end.EndToEnd.test_lengths", "test_faults.Faults.test_a_node_that_restarts",
         "test_faults.FaultsSns.test_a_pcu_that_restarts", "test_flow.Absurd.test_far_too_much", "test_mobiles.MovedSns.",
         "test_ns.Oddities.", "test_ns.TwoNsvcs.", "test_one_host.", "test_operator.", "test_page.Page.", "test_values.", "test_walk.Walk.", "test_walk.WalkSns.")


def run(name):
    """(name, whether it passed, its output, seconds)."""
    began = time.monotonic()
    try:
        done = subprocess.run([sys.executable, "-B", "-m", "unittest", name], cwd=HERE, capture_output=True, text=True,
                              errors="replace", check=False, timeout=LONGEST_S, stdin=subprocess.DEVNULL)
        passed, text = done.returncode == 0, done.stderr + done.stdout
    except subprocess.TimeoutExpired as late:
        passed, text = False, f"{late.stderr or b''!r}\nnot done after {LONGEST_S} s"
    return name, passed, text, time.monotonic() - began


def names_of_tests():
    found, todo = [], [unittest.defaultTestLoader.discover(HERE)]
    while todo:
        item = todo.pop()
        if isinstance(item, unittest.TestSuite):
            todo += item
        elif not item.id().startswith(ALONE):
            found.append(item.id())
    return sorted(found)


def told(name, passed, text, took_s, which=""):
    print(f"== {which}{name}: {'passed' if passed else 'FAILED'} in {took_s:.0f} s\n{text}", flush=True)
    return passed


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--at-once", type=int, default=10)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    sys.path.insert(0, HERE)
    import network
    wanted = tuple(given.tests) or (SHORT if os.environ.get("TEST_SHORT") == "1" else ("",))
    names = [name for name in names_of_tests() if name.startswith(wanted)]
    gone = [word for word in wanted if not any(name.startswith(word) for name in names)]
    if given.list or gone:
        print("\n".join(f"no test {word}" for word in gone) or "\n".join(names))
        return 1 if gone else 0
    reason = network.reason_to_skip()
    if reason:
        print(reason)
        return 1 if os.environ.get("CI") == "true" else 77
    with contextlib.suppress(PermissionError):
        os.nice(AHEAD)
    unsure = []
    with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
        for job in concurrent.futures.as_completed([pool.submit(run, name) for name in names]):
            unsure += [] if told(*job.result()) else [job.result()[0]]
    failed = [name for name in sorted(unsure) if len(unsure) > MOST_AGAIN or not told(*run(name), "once more, alone: ")]
    if unsure:
        print(f"failed beside others: {', '.join(sorted(unsure))}")
    print(f"{len(names) - len(failed)} of {len(names)} passed" + (f"; failed: {', '.join(sorted(failed))}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
