# SPDX-License-Identifier: BSD-3-Clause
"""A small world with a monitor in the middle, which knows what really happened.

    server -- Internet (delay, loss, reordering) -- monitor -- queue, rate, loss -- mobile

A sender with a fixed window, fast retransmission after three duplicate ACKs, and a timeout; a receiver that
acknowledges each segment, with SACK or without. Several connections of one mobile share the queue.
"""
import heapq
import itertools
import random
from dataclasses import dataclass, field

import packets
from packets import ACK, FIN, SYN, Capture, Tcp


@dataclass
class Link:
    """Of one mobile: what its packets meet."""

    rate_bps: float = 40000
    access_s: float = 0.3
    internet_s: float = 0.03
    internet_loss: float = 0
    access_loss: float = 0
    reorder: float = 0
    queue_octets: int = 10**6


@dataclass
class Truth:
    """Of one connection. rate: octets that left the queue while it never ran empty."""

    data_packets: int = 0
    access_lost: int = 0
    internet_lost: int = 0


@dataclass
class Flow:
    port: int
    octets: int
    start_s: float = 1.0
    mss: int = 1400
    window: int = 15000
    has_sack: bool = False
    has_timestamp: bool = False
    mobile_window: int = 16000
    sent: int = 0
    top: int = 0
    acked: int = 0
    dupacks: int = 0
    recover: int = -1
    received: int = 0
    above: dict = field(default_factory=dict)
    known: dict = field(default_factory=dict)
    timer: int = 0
    truth: Truth = field(default_factory=Truth)


class World:
    """One mobile and its flows."""

    def __init__(self, link, seed=1, mobile="10.1.0.1", server="192.0.2.1", capture=None):
        self.link, self.random, self.mobile, self.server = link, random.Random(seed), mobile, server
        self.capture = capture or Capture()
        self.events, self.order, self.now, self.free_s, self.waiting = [], itertools.count(), 0.0, 0.0, 0

    def at(self, time_s, do, *arguments):
        heapq.heappush(self.events, (time_s, next(self.order), do, arguments))

    def run(self, flows):
        for flow in flows:
            self.at(flow.start_s, self.open, flow)
        while self.events:
            self.now, _, do, arguments = heapq.heappop(self.events)
            do(*arguments)
        return self

    # packets of either way pass the monitor
    def see(self, flow, is_up, **fields):
        ends = ((self.mobile, flow.port), (self.server, 80))
        options = packets.timestamp() if flow.has_timestamp else b""
        packet = Tcp(*(ends if is_up else ends[::-1]), options=fields.pop("options", b"") + options,
                     window=flow.mobile_window, **fields)
        octets = packet.octets()
        self.capture.add(self.now, octets)
        return len(octets)

    def open(self, flow):
        options = packets.SACK_PERMITTED if flow.has_sack else b""
        base = flow.start_s
        steps = [(base, True, {"flags": SYN, "seq": 0}),
                 (base + 2 * self.link.internet_s, False, {"flags": SYN | ACK, "seq": 0, "ack": 1}),
                 (base + 2 * self.link.internet_s + self.link.access_s, True, {"seq": 1, "ack": 1}),
                 (base + 2 * self.link.internet_s + self.link.access_s, True, {"seq": 1, "ack": 1, "payload": 100})]
        for at_s, is_up, fields in steps:
            extra = {"options": options} if fields.get("flags", 0) & SYN else {}
            self.at(at_s, lambda up, values: self.see(flow, up, **values), is_up, {**fields, **extra})
        self.at(steps[-1][0] + self.link.internet_s, self.fill, flow)

    # the sender
    def fill(self, flow):
        while flow.sent < flow.octets and flow.sent - flow.acked + flow.mss <= flow.window:
            end = min(flow.sent + flow.mss, flow.octets)
            self.send(flow, flow.sent, end)
            flow.sent = end
        self.arm(flow)

    def send(self, flow, start, end):
        delay_s = self.link.internet_s
        if self.random.random() < self.link.internet_loss:
            flow.truth.internet_lost += 1
            return
        if self.random.random() < self.link.reorder:
            delay_s += 0.02
        self.at(self.now + delay_s, self.pass_monitor, flow, start, end)

    def arm(self, flow):
        flow.timer += 1
        if flow.acked < flow.octets:
            # Far above any round trip here: a timeout is never for nothing.
            self.at(self.now + 30, self.time_out, flow, flow.timer)

    def time_out(self, flow, timer):
        if timer == flow.timer:
            self.repair(flow)
            self.arm(flow)

    def repair(self, flow):
        """The first segment that is missing, as far as the sender knows."""
        self.send(flow, flow.acked, min(flow.acked + flow.mss, flow.octets))

    def acknowledged(self, flow, ack):
        if ack > flow.acked:
            flow.acked, flow.dupacks = ack, 0
            if ack < flow.recover:
                self.repair(flow)
            else:
                flow.recover = -1
            self.fill(flow)
        elif ack < flow.sent:
            flow.dupacks += 1
            if flow.dupacks == 3 and flow.recover < 0:
                flow.recover = flow.sent
                self.repair(flow)
                self.arm(flow)

    # the monitor, the queue behind it, and the mobile
    def pass_monitor(self, flow, start, end):
        is_last = end == flow.octets
        size = self.see(flow, False, flags=ACK | (FIN if is_last else 0), seq=1 + start, ack=101, payload=end - start)
        flow.truth.data_packets += 1
        self.waiting += size
        if self.waiting > self.link.queue_octets or self.random.random() < self.link.access_loss:
            self.waiting -= size
            flow.truth.access_lost += 1
            return
        self.free_s = max(self.free_s, self.now) + 8 * size / self.link.rate_bps
        self.at(self.free_s, self.leave, size)
        self.at(self.free_s + self.link.access_s / 2, self.receive, flow, start, end)

    def leave(self, size):
        self.waiting -= size

    def receive(self, flow, start, end):
        flow.above[start] = max(end, flow.above.get(start, 0))
        while flow.received in flow.above:
            flow.received = flow.above.pop(flow.received)
        for stale in [at for at in flow.above if at < flow.received]:
            del flow.above[stale]
        self.at(self.now + self.link.access_s / 2, self.pass_back, flow, flow.received, sorted(flow.above.items())[:3])

    def pass_back(self, flow, ack, blocks):
        is_all = ack == flow.octets
        options = packets.sack(*[(1 + left, 1 + right) for left, right in blocks]) if flow.has_sack and blocks else b""
        self.see(flow, True, seq=101, ack=1 + ack + is_all, options=options)
        self.at(self.now + self.link.internet_s, self.acknowledged, flow, ack)
