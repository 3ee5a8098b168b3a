# SPDX-License-Identifier: BSD-3-Clause
"""SNDCP in acknowledged mode (TS 44.065 clauses 6.7 to 6.9 and 7.2): SN-DATA PDUs over an Lle,
each N-PDU once and in order."""
import threading
from collections import Counter, deque
from dataclasses import dataclass

from gbflow_bts import llc_abm, llc_frames

FIRST, SN_UNITDATA, MORE = 0x40, 0x20, 0x10
NUMBERS, MOST_UNCONFIRMED = 256, 127  # fewer than half: a number tells before from behind
MOST_OCTETS = 1503  # of an N-PDU
TRIES = 5  # establishments that failed one after another


@dataclass(slots=True)
class SnData:
    """An SN-DATA PDU; number: of its N-PDU, in the first segment alone."""
    nsapi: int
    first: bool
    more: bool
    number: int | None
    data: bytes


def decode(octets):
    """A SnData, or None: cut, with DCOMP or PCOMP, or an SN-UNITDATA PDU."""
    if not octets or octets[0] & SN_UNITDATA:
        return None
    first, at = bool(octets[0] & FIRST), 3 if octets[0] & FIRST else 1
    if len(octets) < at or first and octets[1]:
        return None
    return SnData(octets[0] & 15, first, bool(octets[0] & MORE), octets[2] if first else None, octets[at:])


def encode(packet, nsapi, number, n201_i):
    """The SN-DATA PDUs of an N-PDU, all but the last as long as N201-I."""
    pieces, at = [], 0
    while not pieces or at < len(packet):
        head = bytes([FIRST | nsapi, 0, number]) if not pieces else bytes([nsapi])
        piece = packet[at:at + n201_i - len(head)]
        at += len(piece)
        pieces.append(bytes([head[0] | (MORE if at < len(packet) else 0)]) + head[1:] + piece)
    return pieces


class Entity:
    """One NSAPI over an Lle. Numbers count on without wrapping;
    `unconfirmed` has N-PDUs by number until all of their segments are."""

    def __init__(self, nsapi, lle, deliver):
        self.nsapi, self.lle, self.deliver = nsapi, lle, deliver
        self.next_number = self.awaited = 0
        self.unconfirmed, self.waiting = {}, deque()
        self.parts, self.is_dropping, self.is_recovering = None, False, False
        self.counts = Counter()

    def send(self, packet):
        self.waiting.append(packet)
        self.go_on()

    def go_on(self):
        """Numbers what waits, as long as there are numbers; nothing before the link is there."""
        while self.lle.state == llc_abm.ABM and self.waiting and len(self.unconfirmed) < MOST_UNCONFIRMED:
            self.unconfirmed[self.next_number] = self.waiting.popleft()
            self._submit(self.next_number)
            self.next_number += 1

    def _submit(self, number):
        pieces = encode(self.unconfirmed[number], self.nsapi, number % NUMBERS, self.lle.value(llc_frames.N201_I))
        for i, piece in enumerate(pieces):
            self.lle.submit(piece, (self.nsapi, number, i + 1 == len(pieces)))

    def established(self):
        """All that is not confirmed goes again, from the first segments on and with the same numbers."""
        self.parts, self.is_dropping, self.is_recovering = None, False, True
        for number in self.unconfirmed:
            self.counts["sent again"] += 1
            self._submit(number)
        self.go_on()

    def confirmed(self, number, is_last):
        if is_last:
            del self.unconfirmed[number]
            self.go_on()

    def receive(self, unit):
        """An SN-DATA PDU. Behind an establishment N-PDUs that were delivered before it come again."""
        if unit.first:
            if self.parts is not None:
                self.counts["cut N-PDUs"] += 1
            self.parts, self.is_dropping = [], not self._is_awaited(unit.number)
        elif self.parts is None:
            self.counts["segments without a first one"] += 1
            return
        if sum(map(len, self.parts)) + len(unit.data) > MOST_OCTETS:
            self.counts["too long"] += not self.is_dropping
            self.is_dropping = True
        self.parts.append(unit.data if not self.is_dropping else b"")
        if not unit.more:
            self._whole()

    def _is_awaited(self, number):
        """Only behind an establishment N-PDUs come that were delivered;
        there the awaited one ends that (clause 6.9.2)."""
        behind = (self.awaited - number) % NUMBERS
        if self.is_recovering and behind:
            self.counts["came again" if behind <= MOST_UNCONFIRMED else "wrong numbers"] += 1
            return False
        self.counts["wrong numbers"] += behind > 0
        self.awaited, self.is_recovering = self.awaited - behind, False
        return True

    def _whole(self):
        parts, self.parts = self.parts, None
        if not self.is_dropping:
            self.awaited += 1
            self.counts["delivered"] += 1
            self.deliver(b"".join(parts))
        self.is_dropping = False


class Link:
    """An Lle and the NSAPIs above it. All methods may be called from any thread.

    lower: (send, room) of the Lle. It establishes the link by itself where that failed, TRIES times;
    then `failure` says why.
    """

    def __init__(self, sapi, is_phone, lower, wish=None):
        self.lle = llc_abm.Lle(sapi, is_phone, lower, self, wish)
        self.entities, self.lock, self.failures, self.failure = {}, threading.RLock(), 0, None
        self.counts = Counter()

    def open(self, nsapi, deliver):
        entity = self.entities[nsapi] = Entity(nsapi, self.lle, deliver)
        return entity

    def establish(self):
        """At activation of a context (TS 44.065 clause 6.2.1.3); not of a link that is there."""
        with self.lock:
            if self.lle.state == llc_abm.ADM:
                self.lle.establish()

    def send(self, nsapi, packet):
        with self.lock:
            self.entities[nsapi].send(packet)

    def take(self, octets, now_s):
        """A frame that is no UI frame."""
        with self.lock:
            self.lle.receive(octets, now_s)

    def pass_time(self, now_s):
        with self.lock:
            self.lle.pass_time(now_s)

    def is_quiet(self):
        """Whether nothing waits for anything."""
        with self.lock:
            return not any(entity.unconfirmed or entity.waiting for entity in self.entities.values())

    # --- of the Lle

    def established(self):
        self.failures = 0
        for entity in self.entities.values():
            entity.established()

    def released(self, why):
        """Refused or ended by the other side: SM's affair. Where no answer came it tries again."""
        self.failures += 1
        if why.startswith("N200") and self.failures < TRIES:
            self.lle.establish()
        else:
            self.failure = why

    def data(self, info):
        unit = decode(info)
        entity = self.entities.get(unit.nsapi) if unit else None
        if entity:
            entity.receive(unit)
        else:
            self.counts["SN-DATA PDUs of unknown NSAPI"] += 1

    def confirmed(self, reference):
        nsapi, number, is_last = reference
        self.entities[nsapi].confirmed(number, is_last)
