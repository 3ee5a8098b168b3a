#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The fault matrix; scripts/faults.sh --help says what it holds."""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import live_pair

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SCENARIO = os.path.join(ROOT, "config", "scenarios", "quickstart.lua")
RATE, TRIAL_S, FAULT_S, RECOVERY_S = 300, 1, 3, 2
FLOOD, FLOOD_S = 200000, 2
LEAVES = 8  # looks at what is held, until connections of the peer and of `gbflow show` are closed
EVERY = 20  # of the allocations in a running node that fails
ENDS = (0, 1, 2)
TEST_S = 300  # a test of tests/system
RSS_SLACK = 16 << 20  # a node that has been full keeps its memory


class Skipped(Exception):
    """A cell that this machine cannot run."""


class Bench:
    """What the cells share."""

    def __init__(self, program, starts, folder):
        self.program, self.starts, self.folder = os.path.abspath(program), starts, folder
        self.shim = live_pair.preloaded(folder, "malloc")
        self.every = os.path.join(folder, "every")
        self.fail_every(0)

    def fail_every(self, count):
        """The file keeps its length, as it is mapped."""
        mode = "r+" if os.path.exists(self.every) else "w"
        with open(self.every, mode, encoding="ascii") as file:
            file.write(f"{count:<16}" if count else " " * 16)

    def preload(self, **more):
        return {"LD_PRELOAD": self.shim, **more}

    def pair(self, **environment):
        return live_pair.Pair(self.program, environment)


def check_end(status, what):
    if status not in ENDS:
        raise live_pair.Failure(f"{what}: status {status}")


def steady(pair, seconds=TRIAL_S):
    """A trial at a low rate, of which nothing may be lost."""
    trial = pair.trial(seconds, RATE)
    if trial["frames_received"] != trial["frames_expected"]:
        raise live_pair.Failure(f"{trial['frames_expected']} frames expected, {trial['frames_received']} received")
    return trial


def grown(before, after):
    most = {"rss_octets": before["rss_octets"] + RSS_SLACK, "lua_octets": before["lua_octets"] * 2}
    return [f"{name} {before[name]} {after[name]}" for name in before if after[name] > most.get(name, before[name])]


def wait_until_back(pair, before):
    """What the node holds too much of, a while after its peer has left."""
    for _ in range(LEAVES):
        time.sleep(1)
        grew = grown(before, pair.held())
        if not grew:
            break
    return grew


def live(bench, fault, replace=(), **environment):
    """A node before, during and after a fault(pair), which returns what it saw."""
    with bench.pair(**environment) as pair:
        pair.write_node(replace=replace)
        pair.serve()
        steady(pair)
        before = pair.held()
        said = fault(pair)
        time.sleep(RECOVERY_S)
        steady(pair)
        grew = wait_until_back(pair, before)
        report = pair.stop()
    if grew:
        raise live_pair.Failure("held before and after: " + ", ".join(grew))
    return f"{said}; in {report['npdu']['in']} = out {report['npdu']['out']} + dropped {report['npdu']['dropped']}"


def start_generator(pair, seconds, rate):
    return subprocess.Popen([pair.program, *pair.generator(seconds, rate)], env=pair.environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop_for_a_while(process):
    process.send_signal(signal.SIGSTOP)
    time.sleep(FAULT_S)
    process.send_signal(signal.SIGCONT)


# --- allocations

def numbers(bench):
    """Of the allocations that fail, one in each run: close to each other at first."""
    return [1 + 2 * i * i for i in range(bench.starts)]


def run_with_faults(bench, words):
    """A run for each number of an allocation that fails; how the runs ended."""
    ends = {}
    for number in numbers(bench):
        done = subprocess.run([bench.program, *words], env={**os.environ, **bench.preload(FAULT_AT=str(number))},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
                              timeout=120)
        check_end(done.returncode, f"allocation {number} of {words[0]}: {done.stderr[-500:]}")
        ends[done.returncode] = ends.get(done.returncode, 0) + 1
    return ", ".join(f"{count} with status {status}" for status, count in sorted(ends.items()))


def check_start(bench):
    return run_with_faults(bench, ["check", SCENARIO])


def run_start(bench):
    return run_with_faults(bench, ["run", SCENARIO, "--out", os.path.join(bench.folder, "out"), "--no-report", "--set",
                                   "duration=20 s"])


def serve_start(bench):
    """A node that starts in spite of it is ended."""
    ends = {"refused": 0, "running": 0}
    for number in numbers(bench)[::4]:
        with bench.pair(**bench.preload()) as pair:
            pair.environment["LD_PRELOAD"] = ""
            pair.write_node()
            pair.environment.update(bench.preload(FAULT_AT=str(number)))
            try:
                pair.serve()
                pair.stop()
                ends["running"] += 1
            except live_pair.Failure as failure:
                check_end(pair.process.wait(), f"allocation {number}: {failure}")
                ends["refused"] += 1
    return f"{ends['refused']} refused, {ends['running']} running"


def allocations(bench, act):
    def fault(pair):
        pair.environment.pop("LD_PRELOAD")
        bench.fail_every(EVERY)
        try:
            act(pair)
        finally:
            bench.fail_every(0)
        return f"each {EVERY}th allocation failed"
    return live(bench, fault, **bench.preload(FAULT_EVERY=bench.every))


def reload_memory(bench):
    def act(pair):
        for _ in range(3):
            pair.process.send_signal(signal.SIGHUP)
            time.sleep(FAULT_S / 3)
    return allocations(bench, act)


def running_memory(bench):
    return allocations(bench, lambda pair: pair.trial(FAULT_S, RATE))


# --- buffers, rings, links, time

def flood(bench, replace):
    def fault(pair):
        trial = pair.trial(FLOOD_S, FLOOD)
        return f"{trial['frames_expected'] - trial['frames_received']} of {trial['frames_expected']} frames lost"
    return live(bench, fault, replace)


def buffers(bench):
    return flood(bench, [("npdu_buffers = 65535", "npdu_buffers = 2047, fragments = 64")])


def rings(bench):
    return flood(bench, [("rsize=10", "rsize=6")])


def link(bench):
    """The peer of both ports is gone in the midst of traffic."""
    def fault(pair):
        with start_generator(pair, 60, RATE) as peer:
            time.sleep(FAULT_S)
            peer.kill()
        return "kill -9 of GGSN and BSS"
    return live(bench, fault)


def stopped(bench, chosen, said):
    """One of a node and its peers, chosen(node, peer), is stopped for a while under traffic."""
    def fault(pair):
        with start_generator(pair, 2 * FAULT_S + TRIAL_S, RATE) as peer:
            time.sleep(FAULT_S)
            stop_for_a_while(chosen(pair.process, peer))
            peer.wait()
        return said
    return live(bench, fault)


def frozen_peer(bench):
    return stopped(bench, lambda _, peer: peer, f"SIGSTOP of GGSN and BSS for {FAULT_S} s")


def clock(bench):
    """To a node that is stopped, the clock leaps."""
    return stopped(bench, lambda node, _: node, f"the node's clock leapt by {FAULT_S} s under traffic")


def full_disk(bench, name, act):
    """What act(folder on a disk of 64 kB) says."""
    if os.geteuid() != 0:
        raise Skipped("a full disk needs root, to mount one")
    place = os.path.join(bench.folder, name)
    os.mkdir(place)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=777", "none", place], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Skipped("no tmpfs can be mounted here: " + done.stderr.strip())
    try:
        return act(place)
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def disk(bench):
    def act(place):
        def fault(pair):
            pair.must("capture", os.path.join(place, "frames.pcapng"), "--prefix", pair.link)
            pair.trial(FAULT_S, RATE)
            lost = pair.show("capture")[0]
            pair.call("capture", "--stop", "--prefix", pair.link)
            return f"capture: {lost}"
        return live(bench, fault)
    return full_disk(bench, "full", act)


def run_disk(bench):
    """The results of a run do not fit."""
    def act(place):
        done = subprocess.run([bench.program, "run", SCENARIO, "--out", os.path.join(place, "out"), "--no-report"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
                              timeout=600)
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        if done.returncode != 1 or "No space" not in done.stderr:
            raise live_pair.Failure(f"status {done.returncode}: {last}")
        return f"status 1: {last}"
    return full_disk(bench, "results", act)


def node_killed(bench):
    """The same node starts again."""
    with bench.pair() as pair:
        pair.write_node()
        pair.serve()
        steady(pair)
        pair.process.kill()
        pair.process.wait()
        began_at = time.monotonic()
        pair.serve()
        took = time.monotonic() - began_at
        steady(pair)
        pair.stop()
    return f"kill -9 of the node; it ran again {took:.1f} s after its start"


# --- peers that are programs of their own

def run_test(bench, folder, name):
    """A test of tests/system, which prints what it saw, or why it is skipped."""
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", "-v", name],
                          cwd=os.path.join(ROOT, "tests", "system", folder),
                          env={**os.environ, "GBFLOW": bench.program}, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", check=False, timeout=TEST_S)
    text = done.stdout + done.stderr
    skipped = re.search(r"skipped ['\"](.*)['\"]", text)
    if skipped:
        raise Skipped(skipped[1])
    if done.returncode != 0:
        raise live_pair.Failure(text[-2000:])
    return re.search(r"(?:said|point [^:\n]*): (.*)", text)[1]


def peer(name):
    return lambda bench: run_test(bench, "live", "peer_faults." + name)


def pcu(name):
    """Recovery counts from the PCU's first PDU on, as the PCU waits by timers of its own before."""
    def cell(bench):
        said = run_test(bench, "interop", "test_faults.Faults." + name)
        if float(re.search(r"packets ([\d.]+) s after", said)[1]) > RECOVERY_S:
            raise live_pair.Failure(said)
        return said
    return cell


CELLS = {
    "start-check": ("allocation fails", "start", check_start),
    "start-run": ("allocation fails", "start", run_start),
    "start-serve": ("allocation fails", "start", serve_start),
    "reload-memory": ("allocations fail", "reload", reload_memory),
    "running-memory": ("allocations fail", "running", running_memory),
    "buffers": ("no packet buffers", "running", buffers),
    "rings": ("rings full", "running", rings),
    "link": ("ports lose link", "running", link),
    "frozen-peer": ("peers stop", "running", frozen_peer),
    "clock": ("clock leaps", "running", clock),
    "disk-full": ("disk full", "running", disk),
    "run-disk": ("disk full", "run", run_disk),
    "node-killed": ("node dies", "running", node_killed),
    "ggsn-killed": ("GGSN dies", "running", peer("Ggsn.test_killed")),
    "ggsn-frozen": ("GGSN stops", "running", peer("Ggsn.test_frozen")),
    "hlr-killed": ("HLR dies", "running", peer("Hlr.test_killed")),
    "hlr-frozen": ("HLR stops", "running", peer("Hlr.test_frozen")),
    "emulate-killed": ("emulate dies", "running", peer("Emulate.test_killed")),
    "emulate-frozen": ("emulate stops", "running", peer("Emulate.test_frozen")),
    "pcu-killed": ("PCU dies", "running", pcu("test_a_pcu_that_restarts")),
    "pcu-frozen": ("PCU stops", "running", pcu("test_a_pcu_that_is_frozen")),
}


def play(bench, name):
    """Prints a cell's row; its verdict."""
    fault, phase, cell = CELLS[name]
    try:
        verdict, said = "ok", cell(bench)
    except Skipped as why:
        verdict, said = "skipped", str(why)
    except (live_pair.Failure, subprocess.TimeoutExpired, OSError) as why:
        verdict, said = "FAILED", str(why)
    print(f"{name:14} {fault:18} {phase:8} {verdict:8} {said}", flush=True)
    return verdict


def main(argv):
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbflow"))
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("cells", nargs="*")
    options = parser.parse_args(argv)
    for name in options.cells:
        if name not in CELLS:
            parser.error(f"no cell '{name}', one of: {', '.join(CELLS)}")
    with tempfile.TemporaryDirectory(prefix="gbflow-faults-") as folder:
        bench = Bench(options.program, options.starts, folder)
        verdicts = [play(bench, name) for name in options.cells or CELLS]
    count = [verdicts.count(verdict) for verdict in ("ok", "FAILED", "skipped")]
    print("{} passed, {} failed, {} skipped".format(*count))
    return 1 if count[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
