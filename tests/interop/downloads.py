#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Four mobiles download over TCP below the real osmo-pcu, one of them pings besides: with and without a bound on the PCU's queue.

usage: downloads.py [--seconds 60] [--loss PERCENT] [--mtu OCTETS]      needs root

4 timeslots, CS-4; kernels at both ends. Both networks run at the same time. Prints for each what the mobiles received (LLC octets and
TCP octets), the ping's round trips and the delay that the PCU measured (BVC Measurement), from the fifth second on.
"""
import argparse
import concurrent.futures
import time

import users
import ggsn
import network
from levels import Levels
from network import quantile

WARMUP_S = 5
QUEUES = ', queues = { flow_queues = 64, aqm = { scheme = "codel", target = "500 ms", interval = "3 s" } }'
RUNS = {"as announced": "", "bss_target 250 ms": ', flow_control = { bss_target = "250 ms" }'}


class Network(users.Case):
    pcu_values = {"scheme": 4}
    judged = False

    def skip_where_it_cannot_run(self):
        """compare() has seen to that."""

    def runTest(self):
        """Played by play()."""


class Result:
    def __init__(self, case, downloads, ping, until):
        self.llc_octets = sum(phone.octets for phone in case.phones)
        self.tcp_octets = sum(download.octets for download in downloads)
        self.faults = [str(download.fault) for download in downloads if download.fault]
        times_s = ping.times_s(until, WARMUP_S)
        self.ping_s = quantile(times_s, 0.5), quantile(times_s, 0.95)
        measured_s = sorted(delay_s for at_s, delay_s in Levels(case.pdus()).measured_s if at_s > case.began_s + WARMUP_S)
        self.measured_s = quantile(measured_s, 0.5), quantile(measured_s, 0.95)

    def text(self):
        return (f"{self.llc_octets} LLC octets, {self.tcp_octets} of TCP; ping {self.ping_s[0]:.2f} s (median) {self.ping_s[1]:.2f} s "
                f"(p95); delay that the PCU measured {self.measured_s[0]:.2f} s {self.measured_s[1]:.2f} s {' '.join(self.faults)}")


def play(more, seconds, loss, mtu):
    """One network from beginning to end; returns the Result."""
    case = Network()
    case.mtu, case.node_values = mtu, {"more": QUEUES + more}
    try:
        case.setUp()
        case.bring_up()
        for phone in case.phones:
            phone.radio.loss = loss
        case.began_s = case.tap.now_s()
        downloads, ping = case.download(), case.ping(case.phones[0])
        time.sleep(seconds)
        result = Result(case, downloads, ping, time.monotonic() - 3)
        case.finish(accounted=False)
        return result
    finally:
        case.doCleanups()


def compare(seconds, loss=0.0, mtu=1500):
    """{name of the run: Result}."""
    reason = network.reason_to_skip() or ggsn.missing()  # once, and before there are threads
    if reason:
        raise SystemExit(reason)
    with concurrent.futures.ThreadPoolExecutor(len(RUNS)) as pool:
        jobs = {name: pool.submit(play, more, seconds, loss, mtu) for name, more in RUNS.items()}
        return {name: job.result() for name, job in jobs.items()}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("--mtu", type=int, default=1500)
    given = parser.parse_args()
    results = compare(given.seconds, given.loss / 100, given.mtu)
    for name, result in results.items():
        print(f"{name:18} {result.text()}")
    free, bound = (results[name] for name in RUNS)
    print(f"octets with the bound: TCP {100 * bound.tcp_octets / free.tcp_octets:.1f} %, LLC "
          f"{100 * bound.llc_octets / free.llc_octets:.1f} % of those without")


if __name__ == "__main__":
    main()
