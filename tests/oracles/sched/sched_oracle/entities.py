# SPDX-License-Identifier: BSD-3-Clause
"""Links, cells, mobiles, flows and N-PDUs as a trace tells of them.

Invariants: what a mobile could pass to its cell is in cell.lengths (LLC-PDU length -> mobiles), cell.top is the largest of these,
0 for none; cell.sure counts the mobiles of which none waits at its own levels; link.sure counts cells of that kind.
uid orders the things that wait for the same instant.
"""
from collections import deque

from sched_oracle.bucket import Bucket


class Entity:
    """Something that may be looked at again at an instant: wake, -1 for none.

    ghosts: sizes of what it may have been waiting for and what has gone since without leaving here; left_ns: the last departure.
    """

    __slots__ = ("uid", "ident", "bucket", "wake", "dirty", "closed_until", "ghosts", "left_ns")

    def __init__(self, uid, ident):
        self.uid, self.ident = uid, ident
        self.bucket = Bucket(self.name, ident)
        self.wake = self.closed_until = self.left_ns = -1
        self.ghosts = set()
        self.dirty = False


class Link(Entity):
    __slots__ = ("has_rate", "cells", "sure", "overhead", "blamed", "signalling")
    tier, name = 2, "link"

    def __init__(self, uid, ident):
        super().__init__(uid, ident)
        self.has_rate, self.cells, self.sure = False, [], 0
        self.signalling = None  # bucket of its share, once it is told
        self.overhead = 0  # the most that one of its mobiles has
        self.blamed = -1  # departures when it was last found idle


class Cell(Entity):
    __slots__ = ("link", "mobiles", "usable", "lengths", "top", "sure", "is_sure")
    tier, name = 1, "bvc"

    def __init__(self, uid, ident, link):
        super().__init__(uid, ident)
        self.link, self.mobiles, self.usable = link, {}, False
        self.lengths, self.top, self.sure, self.is_sure = {}, 0, 0, False


class Mobile(Entity):
    __slots__ = ("cell", "overhead", "first", "later", "flows", "only", "pfcs", "service", "waiting", "held", "loose", "offer",
                 "sure", "tallies")
    tier, name = 0, "ms"

    def __init__(self, uid, ident, cell, overhead):
        super().__init__(uid, ident)
        self.cell, self.overhead = cell, overhead
        self.first = self.later = (0, 0)  # octets of an N-PDU in an LLC-PDU, octets on top
        self.flows, self.only = {}, None  # only: its flow, when there is just one
        self.pfcs, self.service = {}, {}  # by PFI; by SAPI: the N-PDU of which a segment has left
        self.waiting = 0  # N-PDUs
        self.held = False
        self.loose = 0  # N-PDUs of which it is not known behind which other ones they wait
        self.offer, self.sure = 0, False
        self.tallies = {}  # by class, as long as the limits stay as they are

    def above(self):
        """When a level above it was last closed."""
        cell = self.cell
        return max(cell.closed_until, cell.link.closed_until)

    def next_octets(self, pdu):
        """The LLC-PDU that would leave next of an N-PDU: octets of the N-PDU in it, octets in all."""
        room, more = self.later if pdu.sent else self.first
        left = pdu.octets - pdu.sent
        payload = left if left < room else room
        return payload, payload + more


class Flow:
    """N-PDUs that keep their order."""

    __slots__ = ("ms", "number", "queue", "loose")

    def __init__(self, ms, number):
        self.ms, self.number, self.queue, self.loose = ms, number, deque(), False


class NPdu:
    __slots__ = ("ident", "flow", "octets", "sent", "segment", "until", "qclass", "sapi", "pfi", "waits")

    def __init__(self, ident, flow, octets, until):
        self.ident, self.flow, self.octets = ident, flow, octets
        self.until = until  # last instant for its first segment; below 0: none
        self.sent = self.segment = 0  # the caller sets the others; waits: it counts in what may wait
