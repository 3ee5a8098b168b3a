#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges traces of abm_play: LLC's acknowledged mode (TS 44.064 clause 8.6) and N-PDUs above it, written from the clauses.

usage: abm_judge.py ABM_PLAY [--frames N] [--runs N] [--seed N] [--loss PER_MILLE]

Every line of a trace is compared with what the side should have done: each number, S bit and bitmap of each header, the
windows, which frames are repeated and how often, what is delivered and confirmed, T201, and SNDCP's headers. At the end
each N-PDU of both sides must have been delivered and confirmed once, in order.
"""
import collections
import sys

from trace_judge import MOST_TOLD, TraceJudge, need, run_all

MODULUS = 512
RR, ACK, RNR, SACK = range(4)
FATE_S, FATE_NEXT, FATE_STORED, FATE_DUPLICATE, FATE_BUSY = range(5)


class Header:
    """Of an I or S frame (clause 6.3), from its octets."""

    def __init__(self, octets):
        self.is_i = octets[1] < 0x80
        control = int.from_bytes(octets[1:4 if self.is_i else 3], "big")
        self.command_bit = octets[0] >> 6 & 1
        self.a = control >> (22 if self.is_i else 13) & 1
        self.ns = control >> 12 & 511
        self.nr = control >> 2 & 511
        self.s = control & 3
        bitmap = octets[4:] if self.is_i else octets[3:]
        if self.is_i and self.s == SACK:
            need(len(bitmap) == bitmap[0] + 2, "K", bitmap[0], "with", len(bitmap) - 1, "octets of bitmap")
            bitmap = bitmap[1:]
        need(bool(bitmap) == (self.s == SACK) and len(bitmap) <= 32, "bitmap of", len(bitmap), "octets")
        self.named = {8 * i + j + 1 for i, octet in enumerate(bitmap) for j in range(8) if octet << j & 0x80}
        self.bitmap_octets = len(bitmap)
        if self.s == ACK:
            self.named = {1}


class Frame:
    """An I frame that was sent."""

    def __init__(self, number, octets, order):
        self.number, self.octets, self.order = number, octets, order
        self.repeats, self.is_acked, self.is_due, self.needs_a = 0, False, False, False


class Side:
    """What one side of an establishment knows."""

    def __init__(self, index, params):
        self.index = index
        self.k_send, self.k_receive, self.limit, self.n201, self.n200, self.bitmap_max = params
        self.sent, self.count_of = {}, {}
        self.vs = self.va = self.order = self.polls = 0
        self.newest = -1  # transmission
        self.vr, self.received, self.numbers = 0, set(), {}
        self.is_busy = self.is_peer_busy = self.owes = self.has_poll = self.is_timed = self.is_spent = False
        self.to_deliver, self.to_confirm = collections.deque(), collections.deque()
        self.fate = None

    # What it sends

    def outstanding(self):
        return [self.sent[count] for count in range(self.va, self.vs)]

    def picture(self):
        """S, what is named behind N(R), and the octets of the bitmap."""
        if self.is_busy:
            return RNR, set(), 0
        behind = {count - self.vr for count in self.received}
        if not behind:
            return RR, set(), 0
        return (ACK, {1}, 0) if behind == {1} else (SACK, behind, (max(behind) + 7) // 8)

    def check_report(self, header):
        s, named, octets = self.picture()
        need(header.nr == self.vr % MODULUS, "N(R)", header.nr, "with V(R)", self.vr)
        if header.is_i and octets > self.bitmap_max:
            need(header.s == RR, "an I frame without room for the bitmap has S =", header.s)
            return
        need(header.s == s and header.named == named and header.bitmap_octets == octets, "S", header.s, header.named,
             "instead of", s, named)
        self.owes = False

    def check_i(self, header, count):
        need(header.is_i and header.ns == count % MODULUS, "N(S)", header.ns, "of frame", count)
        need(header.command_bit == (self.index == 0), "C/R of an I frame")
        need(not self.is_peer_busy, "an I frame while the peer is busy")
        self.check_report(header)

    def send_new(self, header, number, octets, count):
        need(count == self.vs, "frame", count, "is new at V(S)", self.vs)
        self.sent[count] = Frame(number, octets, self.order)
        self.count_of[number] = count
        self.vs, self.order = self.vs + 1, self.order + 1
        self.check_i(header, count)
        held = sum(frame.octets for frame in self.outstanding()) if self.limit else 0
        need(self.vs - self.va <= self.k_send and octets <= self.n201, "window", self.va, self.vs, "octets", octets)
        need(held <= self.limit, "octets", held, "of", self.limit)
        if self.vs - self.va == self.k_send or (self.limit and held + self.n201 > self.limit):
            need(header.a, "A = 0 with a full window")

    def send_again(self, header, number, octets, count):
        frame = self.sent.get(count)
        need(frame and count >= self.va and not frame.is_acked, "repeats", count, "which is not outstanding")
        need((number, octets) == (frame.number, frame.octets), "other information in", count)
        need(self.is_due(frame), "repeats", count, "without need")
        need(not any(self.is_due(self.sent[i]) and not self.sent[i].is_acked for i in range(self.va, count)),
             "an older frame than", count, "waits")
        need(frame.repeats < self.n200, "more than N200 repetitions of", count)
        need(header.a or not frame.needs_a, "A = 0 after T201 of", count)
        self.check_i(header, count)
        frame.repeats, frame.order, frame.is_due, frame.needs_a = frame.repeats + 1, self.order, False, False
        self.order += 1

    def send_s(self, header):
        need(not header.is_i, "an I frame as S frame")
        need(header.a == self.has_poll and (self.owes or self.has_poll), "an S frame that nobody asked for")
        need(header.command_bit == ((self.index == 0) == self.has_poll), "C/R of an S frame")
        self.has_poll = False
        self.check_report(header)
        need(not self.owes, "an S frame without the whole picture")

    # What it receives

    def is_due(self, frame):
        """To be repeated: a later transmission arrived, or time or the cell ran out."""
        return frame.is_due or frame.order < self.newest

    def acknowledge(self, count):
        frame = self.sent[count]
        if not frame.is_acked:
            frame.is_acked = True
            self.newest = max(self.newest, frame.order)

    def take_report(self, header):
        ahead = (header.nr - self.va) % MODULUS
        if ahead > self.vs - self.va:
            need(MODULUS - ahead <= MODULUS // 2, "N(R)", header.nr, "was never V(R)")
            return
        nr = self.va + ahead
        for count in range(self.va, nr):
            self.acknowledge(count)
            self.to_confirm.append(self.sent[count].number)
        self.va = nr
        for n in header.named:
            self.acknowledge(nr + n)
        was_busy, self.is_peer_busy, self.polls = self.is_peer_busy, header.s == RNR, 0
        if was_busy and not self.is_peer_busy:
            self.has_poll = False
            self.be_due()

    def be_due(self):
        """The oldest frame that is not acknowledged is to be repeated, with A = 1."""
        frame = next((frame for frame in self.outstanding() if not frame.is_acked), None)
        if frame:
            frame.is_due = frame.needs_a = True

    def take_information(self, count, number):
        if count < self.vr or count in self.received:
            return FATE_DUPLICATE
        if self.is_busy:
            return FATE_BUSY
        is_next = count == self.vr
        self.received.add(count)
        self.numbers[count] = number
        while self.vr in self.received:
            self.received.remove(self.vr)
            self.to_deliver.append(self.numbers.pop(self.vr))
            self.vr += 1
        return FATE_NEXT if is_next else FATE_STORED

    def take(self, header, numbers, peer):
        self.take_report(header)
        self.owes |= bool(header.a)
        self.fate = FATE_S
        if header.is_i:
            frame, _, seen_count = numbers
            count = peer.count_of[frame]
            need(count == seen_count, "counts N(S)", header.ns, "as", seen_count, "instead of", count)
            self.fate = self.take_information(count, frame)

    # Time

    def t201(self):
        need(self.is_timed, "T201 runs out and did not run")
        if self.is_peer_busy:
            self.is_spent = self.polls >= self.n200
            self.polls += 1
            self.has_poll = not self.is_spent
        elif not any(self.is_due(frame) and not frame.is_acked for frame in self.outstanding()):
            self.be_due()

    def move(self):
        for frame in self.outstanding():
            if not frame.is_acked:
                frame.is_due, frame.repeats = True, 0

    def rest(self):
        """All that is owed was sent."""
        need(not self.owes and not self.has_poll, "owes a report")
        need(not self.to_deliver and not self.to_confirm, "keeps what is to be delivered or confirmed")
        waiting = [frame.number for frame in self.outstanding() if not frame.is_acked and self.is_due(frame)]
        need(self.is_peer_busy or not waiting, "does not repeat", waiting)
        is_waiting = self.is_peer_busy or any(not frame.is_acked for frame in self.outstanding())
        need(is_waiting == self.is_timed, "T201", "runs" if self.is_timed else "does not run")

    def fail(self, failure):
        need(failure == 1, "failed with", failure)
        need(self.is_spent or any(frame.repeats >= self.n200 and self.is_due(frame) and not frame.is_acked
                                  for frame in self.outstanding()), "failed before N200")


class Judge(TraceJudge):
    """Both sides, and the N-PDUs above them."""

    def __init__(self):
        super().__init__()
        self.sides = [None, None]
        self.delivered, self.confirmed = [0, 0], [0, 0]  # N-PDUs, by the side that says it
        self.parts = [{}, {}]  # of N-PDUs that came, by the side that takes them: segments in this establishment
        self.lasts = {}  # segments of an N-PDU, by side and number

    def begin(self, index, values):
        self.sides[index] = Side(index, values)
        self.parts[index] = {}
        if index == 0:
            self.counts["establishments"] += 1

    def deliver(self, side, frame):
        need(side.to_deliver and side.to_deliver.popleft() == frame, "delivers", frame)
        n_pdu, segment = divmod(frame, 16)
        parts = self.parts[side.index]
        need(parts.get(n_pdu, 0) == segment, "segment", segment, "of", n_pdu, "after", parts)
        parts[n_pdu] = segment + 1
        self.counts["frames again"] += n_pdu < self.delivered[side.index]

    def confirm(self, side, frame):
        need(side.to_confirm and side.to_confirm.popleft() == frame, "confirms", frame)

    def deliver_n_pdu(self, side, number):
        need(number == self.delivered[side.index], "N-PDU", number, "instead of", self.delivered[side.index])
        need(self.parts[side.index].get(number) == self.lasts[1 - side.index, number], "N-PDU", number, "is not whole")
        self.delivered[side.index] += 1
        self.counts["N-PDUs"] += 1

    def confirm_n_pdu(self, side, number):
        need(number == self.confirmed[side.index], "confirms N-PDU", number, "instead of", self.confirmed[side.index])
        need(number < self.delivered[1 - side.index], "confirms N-PDU", number, "which was not delivered")
        self.confirmed[side.index] += 1

    def check_sndcp(self, side, octets, frame):
        n_pdu, segment = divmod(frame, 16)
        last = not octets[0] & 0x10
        need(octets[0] & 0xef == (0x05 if segment else 0x45), "SNDCP's first octet", octets[0])
        need(octets[1:] == (b"" if segment else bytes([0, n_pdu % 256])), "SNDCP's header", octets.hex())
        need(self.lasts.get((side.index, n_pdu), segment + 1) == segment + 1 or not last, "M of segment", segment)
        if last:
            self.lasts[side.index, n_pdu] = segment + 1

    def frame(self, what, side, words):
        header = Header(bytes.fromhex(words[0]))
        numbers = [int(word) for word in words[2:]]
        self.counts[what] += 1
        if what == "S":
            side.send_s(header)
            return
        if what == "R":
            side.take(header, numbers, self.sides[1 - side.index])
            return
        (side.send_new if what == "N" else side.send_again)(header, *numbers)
        self.check_sndcp(side, bytes.fromhex(words[1]), numbers[0])

    def line(self, text):
        what, index, *words = text.split()
        side = self.sides[int(index)] if what != "E" else None
        if what in "NGSR":
            self.frame(what, side, words)
        elif what == "P":
            self.begin(int(index), [int(word) for word in words])
        elif what in "DCUV":
            {"D": self.deliver, "C": self.confirm, "U": self.deliver_n_pdu, "V": self.confirm_n_pdu}[what](
                side, int(words[0]))
        elif what == "W":
            need(int(words[0]) == side.fate and words[1] == "0", "fate", *words, "instead of", side.fate)
        elif what == "E":
            made = [int(index), int(words[0])]
            need(self.delivered == made[::-1] and self.confirmed == made, "at the end", self.delivered, self.confirmed, made)
            self.counts["ends"] += 1
        else:
            self.other(what, side, [int(word) for word in words])

    def other(self, what, side, values):
        self.counts[what] += 1
        if what == "T":
            side.is_timed = values[0] == 1
        elif what == "X":
            side.t201()
        elif what == "Q":
            side.rest()
        elif what == "A":
            side.move()
        elif what == "F":
            side.fail(values[0])
        else:
            need(what == "B", "line", what)
            side.owes |= side.is_busy != bool(values[0])
            side.is_busy = bool(values[0])


def main():
    counts, wrong, runs = run_all(Judge)
    sent = counts["N"] + counts["G"] + counts["S"]
    print(f"frames {sent}, of them repetitions {counts['G']}, S frames {counts['S']}; arrived {counts['R']}")
    print(f"establishments {counts['establishments']}, T201 {counts['X']}, cell changes {counts['A']}")
    print(f"N-PDUs {counts['N-PDUs']}, frames of N-PDUs delivered before {counts['frames again']}, wrong {len(wrong)}")
    for text in wrong[:MOST_TOLD]:
        print(text)
    is_right = not wrong and counts["N"] and counts["G"] and counts["X"] and counts["ends"] == runs
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
