# SPDX-License-Identifier: BSD-3-Clause
"""An independent model of the system of "Latency and TCP in evolved GERAN": PDUs, block errors, slow start without losses.

A Monte Carlo of events. It shares nothing with gbflow; its sources are the paper's sections 2, 4 and 6. A packet costs
OVERHEAD octets of SNDCP and LLC (TS 44.065, TS 44.064), which the paper does not have and gbflow does.
"""
import heapq
import random
from collections import deque

TTI_S, OVERHEAD, HEADERS = 0.02, 10, 40
ACK_DELAY_S, DELAYED_ACK_S = 0.1, 0.1
REQUEST_OCTETS = 350
FIRST_CWND, SSTHRESH, MAX_CWND = 2, 40, 42


class Clock:
    """Events by time."""

    def __init__(self):
        self.now_s, self.events, self.count = 0.0, [], 0

    def at(self, time_s, function, *arguments):
        self.count += 1
        heapq.heappush(self.events, (time_s, self.count, function, arguments))

    def run(self):
        while self.events:
            self.now_s, _, function, arguments = heapq.heappop(self.events)
            function(*arguments)


class Radio:
    """One direction: `pdus` in a TTI of `octets` each; what breaks goes first, an RLC round trip later; in sequence."""

    def __init__(self, clock, pdus, octets, link):
        self.clock, self.pdus, self.octets, self.link = clock, pdus, octets, link
        self.fresh, self.again, self.order = deque(), deque(), deque()
        self.next_s = -1.0

    def send(self, octets, function, *arguments):
        packet = {"left": octets + OVERHEAD, "out": 0, "then": (function, arguments)}
        self.fresh.append(packet)
        self.order.append(packet)
        self.wake(self.clock.now_s)

    def wake(self, time_s):
        at_s = max(-(-(time_s - 1e-9) // TTI_S) * TTI_S, self.next_s)
        self.clock.at(at_s, self.tick)

    def tick(self):
        now_s, room = self.clock.now_s, self.pdus
        if now_s < self.next_s - 1e-9:
            return
        while room and self.again and self.again[0][0] <= now_s + 1e-9:
            self.transmit(self.again.popleft()[1])
            room -= 1
        while room and self.fresh:
            self.transmit(self.filled())
            room -= 1
        if room < self.pdus:
            self.next_s = now_s + TTI_S
            self.wake(self.next_s)

    def filled(self):
        """A PDU: octets of the first packets."""
        room, packets = self.octets, []
        while room and self.fresh:
            packet = self.fresh[0]
            taken = min(room, packet["left"])
            room, packet["left"] = room - taken, packet["left"] - taken
            packet["out"] += 1
            packets.append(packet)
            if not packet["left"]:
                self.fresh.popleft()
        return packets

    def transmit(self, packets):
        is_broken = self.link["random"].random() < self.link["bler"]
        self.clock.at(self.clock.now_s + TTI_S, self.broken if is_broken else self.arrived, packets)

    def broken(self, packets):
        due_s = self.clock.now_s + self.link["rlc_rtt_s"] - TTI_S
        self.again.append((due_s, packets))
        self.wake(due_s)

    def arrived(self, packets):
        for packet in packets:
            packet["out"] -= 1
        while self.order and not self.order[0]["left"] and not self.order[0]["out"]:
            function, arguments = self.order.popleft()["then"]
            function(*arguments)


class Download:
    """A connection and one object over it; ends with `done`. Packets behind a late ACK wait, too: `gate`."""

    def __init__(self, net, segments, gate, done):
        self.net, self.segments, self.gate, self.done = net, segments, gate, done
        self.sent = self.acked = self.got = 0
        self.cwnd, self.timer = float(FIRST_CWND), 0
        net.up(HEADERS, gate, net.down, HEADERS, self.ask)

    def ask(self):
        self.net.up(HEADERS + REQUEST_OCTETS, self.gate, self.fill)

    def fill(self):
        while self.sent < len(self.segments) and self.sent - self.acked < int(min(self.cwnd, MAX_CWND)):
            self.sent += 1
            self.net.down(HEADERS + self.segments[self.sent - 1], self.receive)

    def receive(self):
        self.got += 1
        self.timer += 1
        is_last = self.got == len(self.segments)
        if self.got % 2 == 0 or is_last:
            self.acknowledge(self.got)
        else:
            self.net.clock.at(self.net.clock.now_s + DELAYED_ACK_S, self.late, self.timer)
        if is_last:
            self.done(self.net.clock.now_s)

    def late(self, timer):
        if timer == self.timer:
            self.acknowledge(self.got)

    def acknowledge(self, upto):
        self.gate["open_s"] = self.net.clock.now_s + ACK_DELAY_S
        self.net.up(HEADERS, self.gate, self.ack, upto)

    def ack(self, upto):
        if upto > self.acked:
            self.acked = upto
            self.cwnd += 1 if self.cwnd < SSTHRESH else 1 / self.cwnd
        self.fill()


class Net:
    """Server, latency, radio, mobile. shape: (PDUs, octets) of downlink and uplink."""

    def __init__(self, shape, rlc_rtt_s, latency_s, seed, bler=0.1):
        self.clock, self.latency_s = Clock(), latency_s
        link = {"random": random.Random(seed), "bler": bler, "rlc_rtt_s": rlc_rtt_s}
        self.radios = [Radio(self.clock, *way, link) for way in shape]

    def down(self, octets, then, *arguments):
        self.clock.at(self.clock.now_s + self.latency_s, self.radios[0].send, octets, then, *arguments)

    def up(self, octets, gate, then, *arguments):
        at_s = max(self.clock.now_s, gate["open_s"])
        self.clock.at(at_s, self.radios[1].send, octets, lambda: self.clock.at(self.clock.now_s + self.latency_s, then, *arguments))


def objects_s(net, sizes, start_s):
    """Time of objects one after the other, each with a connection of its own."""
    gate, rest, ends = {"open_s": 0.0}, deque(sizes), []

    def following(_=None):
        ends.append(net.clock.now_s)
        if rest:
            Download(net, rest.popleft(), gate, following)
    net.clock.at(start_s, following)
    net.clock.run()
    return ends[-1] - ends[0]


def cut(octets, mss):
    return [mss] * (octets // mss) + ([octets % mss] if octets % mss else [])


def ping_s(net, octets, count):
    """Average round trip, 2.002 s apart."""
    found = []
    for number in range(count):
        at_s = 2.002 * number
        net.clock.at(at_s, net.up, octets, {"open_s": 0.0}, net.down, octets, lambda begin=at_s: found.append(net.clock.now_s - begin))
    net.clock.run()
    return sum(found) / len(found)
