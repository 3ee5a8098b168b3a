#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The phone's acknowledged LLC: two of its entities joined by a channel that loses, repeats and swaps, and its octets against tshark."""
import os
import random
import sys
import unittest
from collections import Counter, deque

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("../../../report", "../../oracles/gb", "../../oracles/receiver"):
    sys.path.append(os.path.normpath(os.path.join(HERE, folder)))

from gb_receiver import gea  # noqa: E402
from gbflow_bts import llc_abm, llc_frames as frames, sndcp_ack  # noqa: E402

SAPI, NSAPI, TICK_S = 3, 5, 0.02
SMALL = {frames.N201_I: 140, frames.N200: 6, frames.T200: 5, frames.K_DOWN: 32, frames.K_UP: 32}
I_OF, U_OF = 0x80, 0xE0  # bits of the control field that tell I and U frames


def is_u(octets):
    return octets[1] & U_OF == U_OF


class Channel:
    """One direction. Nothing passes a U frame, which begins a link anew: LLC cannot tell frames of two links."""

    def __init__(self, chance, loss, duplication=0.1, swap=0.3):
        self.chance, self.shares = chance, (loss, duplication, swap)
        self.queue, self.seen, self.lost = deque(), [], 0

    def send(self, octets):
        self.seen.append(octets)
        loss, duplication, swap = self.shares
        if self.chance.random() < loss:
            self.lost += 1
            return
        for _ in range(1 + (self.chance.random() < duplication)):
            self.queue.append(octets)
            if len(self.queue) > 1 and self.chance.random() < swap and not is_u(octets) and not is_u(self.queue[-2]):
                self.queue[-1], self.queue[-2] = self.queue[-2], self.queue[-1]

    def room(self):
        return len(self.queue) < 3


class Side:
    def __init__(self, is_phone, out, chance, cipher=None):
        self.out, self.chance, self.sent, self.got = out, chance, [], []
        self.link = sndcp_ack.Link(SAPI, is_phone, (out.send, out.room), SMALL)
        self.link.open(NSAPI, self.got.append)
        if cipher:
            self.link.lle.keystream = cipher
            self.link.lle.iov = lambda: chance.getrandbits(32)

    def offer(self):
        octets = self.chance.choice((20, 137, 138, 400, 700))
        packet = len(self.sent).to_bytes(4, "big") + self.chance.randbytes(octets - 4)
        self.sent.append(packet)
        self.link.send(NSAPI, packet)


class Pair:
    """A phone and an SGSN; time is counted in ticks, in each of which a frame arrives on each way."""

    def __init__(self, seed, loss, cipher=None, **shares):
        self.chance = random.Random(seed)
        self.ways = [Channel(self.chance, loss, **shares) for _ in range(2)]
        self.sides = [Side(i == 1, self.ways[i], self.chance, cipher) for i in range(2)]
        self.tick = 0
        for i, side in enumerate(self.sides):
            self.watch(side, self.ways[1 - i])

    def watch(self, side, way):
        side.way_in = way

    def frames(self):
        return sum(side.link.lle.counts["sent"] + side.link.lle.counts["repeated"] for side in self.sides)

    def step(self):
        self.tick += 1
        for side in self.sides:
            if side.way_in.queue and self.chance.random() < 0.7:
                side.link.take(side.way_in.queue.popleft(), self.tick * TICK_S)
            side.link.pass_time(self.tick * TICK_S)

    def play(self, wanted_frames):
        self.sides[1].link.establish()
        while self.frames() < wanted_frames:
            for side in self.sides:
                waiting = len(side.link.entities[NSAPI].waiting)
                if waiting < 3 and self.chance.random() < 0.3:
                    side.offer()
            self.step()
        for _ in range(200000):
            if all(side.link.is_quiet() for side in self.sides):
                return
            self.step()
        raise AssertionError("it does not end")

    def counts(self):
        return sum((side.link.lle.counts for side in self.sides), Counter())


def keystream(number, is_down, octets):
    return gea.keystream(bytes(8), number, gea.DOWNLINK if is_down else gea.UPLINK, octets)


class Lossy(unittest.TestCase):
    def check(self, pair, wanted_frames):
        pair.play(wanted_frames)
        for i in range(2):
            sent, got = pair.sides[i].sent, pair.sides[1 - i].got
            self.assertEqual((len(got), len(set(got))), (len(sent), len(sent)))
            self.assertEqual(got, sent)
        return pair.counts()

    def test_30_percent(self):
        """Numbers turn over, frames are repeated by report and by T201, and the link is established anew in between."""
        counts = self.check(Pair(1, 0.3), 10000)
        print(dict(counts), file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
