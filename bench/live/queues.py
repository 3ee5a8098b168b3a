#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what an N-PDU costs one worker on one queue of Gn and Gb with what it costs two workers on two queues of the
same ports.

usage: queues.py [OPTION...]
  --program FILE   gbflow (build/gbflow of this tree)
  --port KIND      memif, or vhost: net_vhost of the node, net_virtio_user of the generator (memif)
  --rounds N       of all sides in turn, each in a node of its own (5)
  --rate N         offered load of one worker, N-PDU/s (memif 50000, vhost 10000)
  --seconds N      measured part of a trial (4)
  --octets SIZE    of an N-PDU: 64 to 1500, or imix (64)
  --cores A,B      CPUs of the workers (the first two); the generator has the last one
  --json FILE      also write the figures of all rounds there

The node is stopped most of the time (SIGSTOP), so that N-PDUs wait in the rings and workers then forward them in full
bursts, as they do near their limit; else a worker's sleeps would take more time than its N-PDUs. Times are processor
time of the workers' threads (/proc/PID/task/TID/schedstat) in a part of the trial by the N-PDUs that left (`gbflow show
workers`). The time of the sleeps is taken off: their number by the time that one takes in the same node without
traffic. A trial with loss is made again, up to 3 times; the last one counts. One worker runs on each of the CPUs in
turn, and the mean of both counts, because the generator may share one of them. Status: 0, 1 when a program failed, 2
usage. No figure is judged.
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import script  # noqa: E402  pylint: disable=wrong-import-position

SCHEMA = "gbflow-bench-queues/1"
TRIES, UP_S, POLL_S, IDLE_S = 3, 40, 0.3, 1.5
MARGIN_S = 5  # of a trial, around its measured part
POINT = ["--mobiles", "1000", "--cells", "8", "--pages", "small"]
# By direction (0 Gn, 1 Gb): the node's device, the generator's.
PORTS = {"memif": ("net_memif{0},role=server,id={0},socket={1}/memif.sock,socket-abstract=no,rsize=14",
                   "net_memif{0},role=client,id={0},socket={1}/memif.sock,socket-abstract=no,rsize=14"),
         "vhost": ("net_vhost{0},iface={1}/{0}.sock,queues={2}",
                   "net_virtio_user{0},path={1}/{0}.sock,queues={2},queue_size=1024")}
RINGS = {"memif": 16384, "vhost": 1024}  # frames
RATES = {"memif": 50000, "vhost": 10000}
STOP_SHARE = 0.3  # of the time in which the load fills a ring
RUN_S_PER_NPDU, RUN_LEAST_S = 4e-6, 0.002
# Columns behind the name of a side: title, width, decimals.
COLUMNS = (("N-PDU/s", 9, 0), ("ns/N-PDU", 10, 0), ("least", 8, 0), ("most", 8, 0), ("with sleeps", 13, 0),
           ("N-PDU/sleep", 13, 1), ("own %", 7, 1), ("loss %", 8, 3), ("generator ns", 14, 0))


class Failed(Exception):
    pass


def worker_ns(pid):
    """Processor time of the threads of a process's lcores, but the main one."""
    sum_ns = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        folder = f"/proc/{pid}/task/{task}"
        with open(folder + "/comm", encoding="utf-8") as comm, open(folder + "/schedstat", encoding="utf-8") as stat:
            if comm.read().startswith("rte-worker-"):
                sum_ns += int(stat.read().split()[0])
    return sum_ns


class Node:
    """`gbflow serve` and the generator's device arguments; for `with`."""

    def __init__(self, given, workers, cores):
        self.given, self.workers, self.cores, self.process = given, workers, cores, None
        self.prefix = f"gbflow-queues{os.getpid()}"
        self.folder = tempfile.TemporaryDirectory(prefix="gbflow-queues-")  # pylint: disable=consider-using-with

    def devices(self, which):
        gn, gb = (PORTS[self.given.port][which].format(i, self.folder.name, self.workers) for i in range(2))
        return ["--gn", gn, "--gb", gb, "--workers", str(self.workers), *POINT]

    def write(self, path):
        subprocess.run([self.given.program, "bench", "node", path, *self.devices(0)], check=True)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        cores = ", ".join(map(str, self.cores))
        text = text.replace('idle = "poll"', f'idle = "sleep", cores = {{ {cores} }}')
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("gbflow-generate", self.prefix))

    def __enter__(self):
        path, log = (os.path.join(self.folder.name, name) for name in ("node.lua", "log"))
        self.write(path)
        with open(log, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen([self.given.program, "serve", path], stdin=subprocess.DEVNULL, stdout=file,
                                            stderr=file)
        end_at, text = time.monotonic() + UP_S, ""
        while time.monotonic() < end_at and self.process.poll() is None and "running" not in text:
            time.sleep(0.05)
            with open(log, encoding="utf-8") as file:
                text = file.read()
        if "running" not in text:
            self.__exit__()
            raise Failed("the node does not run:\n" + text[-2000:])
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(30)
        self.folder.cleanup()

    def counts(self):
        done = subprocess.run([self.given.program, "show", "workers", "--json", "--prefix", self.prefix],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed("show workers: " + done.stderr)
        rows = json.loads(done.stdout)
        return {name: sum(row[name] for row in rows)
                for name in ("npdu_out", "gn_own", "gn_steered", "gb_own", "gb_steered", "sleeps")}

    def sleep_ns(self):
        """Of a sleep and the poll before it, without traffic."""
        time.sleep(1)
        begin_ns, begin = worker_ns(self.process.pid), self.counts()["sleeps"]
        time.sleep(IDLE_S)
        return (worker_ns(self.process.pid) - begin_ns) / max(1, self.counts()["sleeps"] - begin)

    def run_in_turns(self, seconds, queue_rate):
        """Stops it and lets it run, in turn."""
        frames = STOP_SHARE * RINGS[self.given.port]
        end_at = time.monotonic() + seconds
        while time.monotonic() < end_at:
            self.process.send_signal(signal.SIGSTOP)
            try:
                time.sleep(frames / queue_rate)
            finally:
                self.process.send_signal(signal.SIGCONT)
            time.sleep(max(RUN_LEAST_S, RUN_S_PER_NPDU * frames))


def wait_for_load(node, generator, rate):
    """Until two polls in a row see the load: the trial has begun."""
    loaded, last, at = 0, node.counts()["npdu_out"], time.monotonic()
    while loaded < 2:
        time.sleep(POLL_S)
        if generator.poll() is not None:
            return
        now, count = time.monotonic(), node.counts()["npdu_out"]
        loaded = loaded + 1 if count - last > 0.5 * rate * (now - at) else 0
        last, at = count, now


def measure(node, generator, rate, seconds):
    """A part of the trial under way: N-PDUs, the workers' and the generator's processor time, seconds, counters."""
    wait_for_load(node, generator, rate)
    begin_at, begin_ns, own_ns, before = time.monotonic(), worker_ns(node.process.pid), 0, node.counts()
    if generator.poll() is None:
        own_ns = -worker_ns(generator.pid)
        node.run_in_turns(seconds, rate / node.workers)
    if generator.poll() is not None:
        return None
    figures = {"own_ns": own_ns + worker_ns(generator.pid), "worker_ns": worker_ns(node.process.pid) - begin_ns,
               "s": time.monotonic() - begin_at}
    after = node.counts()
    return dict(figures, **{name: after[name] - before[name] for name in after})


def trial(given, workers, cores, rate):
    """Figures of one node: per N-PDU, and the loss of the whole trial. None: it ended before the measured part did."""
    with Node(given, workers, cores) as node:
        sleep_ns = node.sleep_ns()
        report = os.path.join(node.folder.name, "report.json")
        words = ["--rate", str(rate), "--seconds", str(given.seconds + MARGIN_S), "--octets", given.octets, "--set",
                 "gap_us=5000000", "--json", report]
        with subprocess.Popen([given.program, "bench", "generate", *node.devices(1), *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as generator:
            try:
                part = measure(node, generator, rate, given.seconds)
            finally:
                words = generator.communicate()[0]
        if generator.returncode != 0:
            raise Failed(f"bench generate ends with status {generator.returncode}\n{words[-2000:]}")
        if part is None:
            return None
        with open(report, encoding="utf-8") as file:
            whole, = json.load(file)["trials"]
    npdus = part["npdu_out"]
    kept, passed = part["gn_own"], part["gn_steered"]
    return {"npdu_per_s": npdus / part["s"], "ns": (part["worker_ns"] - sleep_ns * part["sleeps"]) / npdus,
            "whole_ns": part["worker_ns"] / npdus, "sleep_ns": sleep_ns, "own_share": kept / (kept + passed),
            "npdus_per_sleep": npdus / max(1, part["sleeps"]), "loss": whole["loss"],
            "generator_ns": part["own_ns"] / npdus}


def without_loss(given, *side):
    last = None
    for _ in range(TRIES):
        figures = trial(given, *side)
        last = figures or last
        if figures and figures["loss"] == 0:
            return figures
        print("queues: " + (f"{100 * figures['loss']:.3f} % of the frames lost" if figures else "the load came late"),
              file=sys.stderr)
    if last is None:
        raise Failed("no trial lasted as long as its measured part; use idle CPUs")
    return last


def sides(given):
    first, second = given.cores
    return {f"1 worker, CPU {first}": (1, [first], given.rate), f"1 worker, CPU {second}": (1, [second], given.rate),
            "2 workers, the same load": (2, given.cores, given.rate),
            "2 workers, twice the load": (2, given.cores, 2 * given.rate)}


def line(name, rounds):
    def middle(key):
        return statistics.median(figures[key] for figures in rounds)
    ns = [figures["ns"] for figures in rounds]
    values = (middle("npdu_per_s"), middle("ns"), min(ns), max(ns), middle("whole_ns"), middle("npdus_per_sleep"),
              100 * middle("own_share"), 100 * max(figures["loss"] for figures in rounds), middle("generator_ns"))
    return f"{name:<28}" + "".join(f"{value:{width}.{digits}f}"
                                   for value, (_, width, digits) in zip(values, COLUMNS))


def ratio_line(name, ones, twos):
    """2 * t1 / t2 of each round."""
    ratios = [2 * one / two["ns"] for one, two in zip(ones, twos)]
    return (f"two workers carry, {name}: {statistics.median(ratios):.2f} times what one does ({min(ratios):.2f} to "
            f"{max(ratios):.2f})")


def show(results):
    print(f"{'side':<28}" + "".join(f"{title:>{width}}" for title, width, _ in COLUMNS))
    for name, rounds in results.items():
        print(line(name, rounds))
    first, second, same, twice = results.values()
    ones = [(a["ns"] + b["ns"]) / 2 for a, b in zip(first, second)]
    print(ratio_line("by the time at the same load", ones, same))
    print(ratio_line("by the time at the same load of each worker", ones, twice))


def cores_of(text):
    cores = [int(word) for word in text.split(",")]
    if len(cores) != 2 or min(cores) < 0:
        raise ValueError(text)
    return cores


def arguments():
    cpus = sorted(os.sched_getaffinity(0))
    parser = script.parser_of(__doc__, "gbflow")
    parser.add_argument("--port", choices=PORTS, default="memif")
    script.add_count(parser, "--rounds", 5, 1, 100)
    script.add_count(parser, "--rate", None, 1000, 10000000)
    script.add_count(parser, "--seconds", 4, 1, 600)
    parser.add_argument("--octets", default="64")
    parser.add_argument("--cores", type=cores_of, default=[cpus[0], cpus[min(1, len(cpus) - 1)]])
    given = script.given_to(parser)
    given.rate = given.rate or RATES[given.port]
    return given


def main():
    given = arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results = {name: [] for name in sides(given)}
    try:
        for _ in range(given.rounds):
            for name, side in sides(given).items():
                results[name].append(without_loss(given, *side))
    except Failed as failed:
        print(f"queues: {failed}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # the rounds until then count
        results = {name: rounds[:len(list(results.values())[-1])] for name, rounds in results.items()}
        if not all(results.values()):
            return 1
    show(results)
    if given.json:
        script.write(given.json, {"schema": SCHEMA, "port": given.port, "rate": given.rate, "octets": given.octets,
                                  "sides": results})
    return 0


if __name__ == "__main__":
    sys.exit(main())
