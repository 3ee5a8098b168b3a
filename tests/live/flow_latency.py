#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a FLOW-CONTROL-BVC takes until it is in force.

usage: flow_latency.py [ROUNDS [COUNT]]       10 rounds of 200 announcements, each with idle = "poll" and then "sleep"

A packet waits for a bucket that is closed; an announcement opens it, the worker lets the packet go. Both ends are told by the
kernel's time stamps at the BSS's end of a veth pair, so nothing of this program's own waking is in it, but all of the node's
threads. Needs root. Prints quantiles in microseconds of each round, and the medians of those; beside them what the node
takes to answer NS-ALIVE, which goes the same way through the same threads: what the machine alone makes of it.
"""
import os
import statistics
import sys
import time

import lab
import node

import bss_peer
import test_walk
from gb_oracle import bssgp

sys.path.append(os.path.join(node.ROOT, "tests", "interop"))
from wiretap import Wiretap  # noqa: E402

IDLES = "poll", "sleep"
PACKET, CLOSED_OCTETS, CLOSED_BPS, OPEN_OCTETS, OPEN_BPS = 400, 100, 100, 6000000, 6000000
NS_ALIVE, NS_ALIVE_ACK = 10, 11
SETTLE_S = 0.002


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))]


class Run:
    """A node of its own, up, with one mobile."""

    def __init__(self, idle):
        self.place, self.idle = lab.Lab(), idle
        self.running = node.Node(self.place, idle=idle)
        self.running.wait_for("running")
        with self.place.inside("bss"):
            self.peer = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
        with self.place.inside("ggsn"):
            self.ggsn = bss_peer.open_socket(lab.GN_GGSN, test_walk.GTPU)
        self.peer.bring_up()
        self.tap = Wiretap(self.place, "bss", "gb1", lab.GB_SGSN)

    def close(self):
        self.tap.close()
        self.peer.close()
        self.ggsn.close()
        self.running.stop()
        self.running.kill()
        self.place.close()

    def send(self, seed):
        packet = test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, PACKET, seed)
        self.ggsn.sendto(test_walk.g_pdu(node.TEID, packet), (lab.GN_SGSN, test_walk.GTPU))

    def play(self, count):
        """Opens the bucket so many times."""
        for i in range(count):
            self.send(2 * i)  # leaves something in the bucket that is closed behind it
            self.peer.packet(node.TLLI)
            self.peer.announce(CLOSED_OCTETS, CLOSED_BPS, 0)
            self.send(2 * i + 1)
            time.sleep(SETTLE_S)
            self.peer.announce(OPEN_OCTETS, OPEN_BPS, 1)
            self.peer.packet(node.TLLI)
            self.peer.send(bytes([NS_ALIVE]))
            time.sleep(SETTLE_S)

    def times_us(self):
        """Sorted: from the opening announcement to the packet that waited, and from NS-ALIVE to its answer."""
        opened, asked, force, alive = None, None, [], []
        for pdu in self.tap.pdus():
            if pdu.kind() == ("bssgp", bssgp.FC_BVC) and pdu.bssgp.number(bssgp.TAG) == 1:
                opened = opened or pdu.at_s
            elif pdu.is_down and opened and pdu.kind() == ("bssgp", bssgp.DL_UNITDATA):
                force.append((pdu.at_s - opened) * 1e6)
                opened = None
            elif pdu.octets[0] == NS_ALIVE and not pdu.is_down:
                asked = pdu.at_s
            elif pdu.octets[0] == NS_ALIVE_ACK and pdu.is_down and asked:
                alive.append((pdu.at_s - asked) * 1e6)
                asked = None
        return sorted(force), sorted(alive)


def measure(idle, count):
    run = Run(idle)
    try:
        run.play(count)
        force, alive = run.times_us()
        assert len(force) >= 0.9 * count, (len(force), count)
        return [quantile(times, share) for times in (force, alive) for share in (0.5, 0.99)]
    finally:
        run.close()


def main():
    rounds, count = (int(word) for word in (sys.argv[1:3] + ["10", "200"][len(sys.argv[1:3]):]))
    results = {idle: [] for idle in IDLES}
    form = "{}: in force p50 {:.0f} us, p99 {:.0f} us; NS-ALIVE p50 {:.0f} us, p99 {:.0f} us"
    for i in range(rounds):
        for idle in IDLES:
            results[idle].append(measure(idle, count))
            print(form.format(f"round {i}, {idle}", *results[idle][-1]), flush=True)
    for idle in IDLES:
        medians = [statistics.median(column) for column in zip(*results[idle])]
        print(form.format(f"median of {rounds} rounds of {count}, {idle}", *medians))


if __name__ == "__main__":
    main()
