#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Four mobiles download over TCP below the real osmo-pcu, one of them pings besides: with and without a bound on the PCU's queue.

usage: downloads.py [--seconds 60] [--loss PERCENT] [--mtu 576] [--n201-u 500]      needs root
       downloads.py --schemes LIST [--no-target] [--cc LIST] [--runs N] [--at-once N] [--seconds 600] ...

4 timeslots, CS-4; kernels at both ends. Both networks run at the same time. Prints for each what the mobiles received (LLC octets and
TCP octets), the ping's round trips and the delay that the PCU measured (BVC Measurement), from the fifth second on; then where the
pings spent their time. MTU and N201-U are the operator's: nothing overtakes an N-PDU between its segments.

--schemes: queues of stacks.py (none, fq-codel, cake, q, windows), each with the bound, or with --no-target without it, and --cc (cubic,bbr) of
the server. Of --runs (1), of which --at-once (4) play at the same time, each in a process of its own, a table has the median (least..most).
Blocks: radio blocks that the BTS played, by the time; fewer where the machine is busy, and the air then carries less. Exit status 1: a connection
broke or had other octets.
"""
import argparse
import collections
import concurrent.futures
import itertools
import struct
import sys
import time

import users
import ggsn
import network
from gb_oracle import bssgp, llc, sndcp
from gbflow_bts.bts import BLOCK_S
from levels import Levels
from network import quantile
import stacks_plan
import stacks_rows

Settings = collections.namedtuple("Settings", "seconds loss mtu n201_u", defaults=(0.0, 576, 500))
WARMUP_S = 5
ICMP, ECHO_REPLY, ECHO = 1, 0, 8
QUEUES = ', queues = { flow_queues = 64, flow_quantum = "300 octets", aqm = { scheme = "codel", target = "500 ms", interval = "3 s" } }'
BOUND = ', flow_control = { bss_target = "250 ms" }'
RUNS = {"as announced": QUEUES, "bss_target 250 ms": QUEUES + BOUND}
SCHEMES = {name: f", queues = {{ {text % {}} }}" for name, text in stacks_plan.SCHEMES.items() if name != "red"}
# Of a run's Result: title, value, digits.
COLUMNS = (("TCP octets", lambda run: run.tcp_octets, 0), ("LLC octets", lambda run: run.llc_octets, 0),
           ("worst user", lambda run: run.worst_user, 2), ("ping, median s", lambda run: run.answered_s[0], 2),
           ("p95 s", lambda run: run.answered_s[1], 2), ("pings lost %", lambda run: 100 * run.lost, 1),
           ("PCU's delay, p95 s", lambda run: run.measured_s[1], 2), ("dropped", lambda run: run.dropped, 2), ("blocks %", lambda run: 100 * run.on_air, 0))


class Network(users.Case):
    pcu_values = {"scheme": 4}
    judged = False

    def skip_where_it_cannot_run(self):
        """compare() has seen to that."""

    def runTest(self):
        """Played by play()."""


def echoes(case, is_down, kind, tlli):
    """{sequence number: when its first segment passed Gb}, seconds on the record's scale, of a mobile's ICMP messages of a kind."""
    found = {}
    for pdu in case.pdus(is_down, ("bssgp", bssgp.DL_UNITDATA if is_down else bssgp.UL_UNITDATA)):
        frame = llc.decode(pdu.bssgp.elements[bssgp.LLC_PDU], is_down) if pdu.bssgp.tlli == tlli else None
        segment = sndcp.decode(frame.info) if frame else None
        if segment and segment.first and len(segment.data) >= 28 and segment.data[9] == ICMP and segment.data[20] == kind:
            found.setdefault(struct.unpack_from(">H", segment.data, 26)[0], pdu.at_s)
    return found


def ping_parts(case, ping):
    """Lists of seconds, sorted: the request's to Gb, until the answer leaves the node, from there to the user."""
    tlli, begin_s = case.phones[0].radio.tlli, time.time() - time.monotonic() - case.tap.began_ns / 1e9
    up, down = echoes(case, False, ECHO, tlli), echoes(case, True, ECHO_REPLY, tlli)
    rows = []
    for sequence, rtt_s in list(ping.rtts_s.items()):
        asked_s = ping.sent[sequence] + begin_s
        if sequence in up and sequence in down and asked_s > case.began_s + WARMUP_S:
            rows.append((up[sequence] - asked_s, down[sequence] - up[sequence], asked_s + rtt_s - down[sequence]))
    return [sorted(column) for column in zip(*rows)] or [[0.0]] * 3


class Result:
    def __init__(self, case, downloads, ping, until):
        self.llc_octets = sum(phone.octets for phone in case.phones)
        self.tcp_octets = sum(download.octets for download in downloads)
        self.faults = [str(download.fault) for download in downloads if download.fault]
        self.worst_user = stacks_rows.worst_of([download.octets for download in downloads])
        times_s = ping.times_s(until, WARMUP_S)
        self.ping_s = quantile(times_s, 0.5), quantile(times_s, 0.95)
        answered_s, self.lost = ping.answered_s(until, WARMUP_S)
        self.answered_s = quantile(answered_s, 0.5), quantile(answered_s, 0.95)
        self.parts_s = [(quantile(part_s, 0.5), quantile(part_s, 0.95)) for part_s in ping_parts(case, ping)]
        measured_s = sorted(delay_s for at_s, delay_s in Levels(case.pdus()).measured_s if at_s > case.began_s + WARMUP_S)
        self.measured_s = quantile(measured_s, 0.5), quantile(measured_s, 0.95)

    def text(self):
        return (f"{self.llc_octets} LLC octets, {self.tcp_octets} of TCP; ping {self.ping_s[0]:.2f} s (median) {self.ping_s[1]:.2f} s "
                f"(p95); delay that the PCU measured {self.measured_s[0]:.2f} s {self.measured_s[1]:.2f} s {' '.join(self.faults)}")

    def note(self):
        """The table's figures of this run alone."""
        return ", ".join([f"{title} {value_of(self):.{digits}f}" for title, value_of, digits in COLUMNS] + self.faults)

    def parts_text(self):
        names = "to Gb", "GGSN and node", "PCU and air"
        return ", ".join(f"{name} {median_s:.2f} s (median) {p95_s:.2f} s (p95)"
                         for name, (median_s, p95_s) in zip(names, self.parts_s))


def play(more, settings, control=None):
    """One network from beginning to end; returns the Result."""
    case = Network()
    case.mtu, case.node_values = settings.mtu, {"more": more, "mobile_more": f', n201_u = "{settings.n201_u} octets"'}
    try:
        case.setUp()
        case.bring_up()
        for phone in case.phones:
            phone.radio.loss = settings.loss
        case.began_s, began_tick = case.tap.now_s(), case.air.tick
        downloads, ping = case.download(control), case.ping(case.phones[0])
        time.sleep(settings.seconds)
        ticks = case.air.tick - began_tick
        result = Result(case, downloads, ping, time.monotonic() - 3)
        result.on_air = ticks * BLOCK_S / settings.seconds
        case.finish(accounted=False)
        result.dropped = case.node.report["npdu"]["dropped"] / case.node.report["npdu"]["out"]
        return result
    finally:
        case.doCleanups()


def need_network():
    """Once, and before there are processes."""
    reason = network.reason_to_skip() or ggsn.missing()
    if reason:
        raise SystemExit(reason)


def compare(settings):
    """{name of the run: Result}."""
    need_network()
    with concurrent.futures.ProcessPoolExecutor(len(RUNS)) as pool:
        jobs = {name: pool.submit(play, more, settings) for name, more in RUNS.items()}
        return {name: job.result() for name, job in jobs.items()}


def compare_schemes(given, settings):
    """{(scheme, congestion control): Results}."""
    need_network()
    found = {pair: [] for pair in itertools.product(given.schemes, given.cc)}
    with concurrent.futures.ProcessPoolExecutor(given.at_once) as pool:
        jobs = {pool.submit(play, SCHEMES[pair[0]] + ("" if given.no_target else BOUND), settings, pair[1]): pair for _ in range(given.runs) for pair in found}
        for job in concurrent.futures.as_completed(jobs):
            found[jobs[job]].append(job.result())
            print(f"# {' '.join(jobs[job])}: {job.result().note()}", file=sys.stderr, flush=True)
    return found


def table(found):
    yield stacks_rows.head(["queues", "congestion control", *(title for title, _, _ in COLUMNS)])
    for pair, results in found.items():
        cells = [stacks_rows.spread([value_of(result) for result in results], digits) for _, value_of, digits in COLUMNS]
        yield stacks_rows.line(*pair, *cells)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("--mtu", type=int, default=576)
    parser.add_argument("--n201-u", type=int, default=500)
    parser.add_argument("--schemes", type=lambda text: text.split(","), default=[])
    parser.add_argument("--cc", type=lambda text: text.split(","), default=["cubic", "bbr"])
    parser.add_argument("--no-target", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=4)
    given = parser.parse_args()
    if set(given.schemes) - set(SCHEMES):
        parser.error(f"schemes are {', '.join(SCHEMES)}")
    return given


def main():
    given = arguments()
    settings = Settings(given.seconds, given.loss / 100, given.mtu, given.n201_u)
    if given.schemes:
        found = compare_schemes(given, settings)
        print("\n".join(table(found)))
        return 1 if any(result.faults for results in found.values() for result in results) else 0
    results = compare(settings)
    for name, result in results.items():
        print(f"{name:18} {result.text()}\n{'':18} ping: {result.parts_text()}")
    free, bound = (results[name] for name in RUNS)
    print(f"octets with the bound: TCP {100 * bound.tcp_octets / free.tcp_octets:.1f} %, LLC "
          f"{100 * bound.llc_octets / free.llc_octets:.1f} % of those without")
    return 0


if __name__ == "__main__":
    sys.exit(main())
