#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges traces of link_play: links with establishment, XID and SNDCP on them (TS 44.064 clauses 8.5 and 8.6, TS 44.065
clauses 6.7 and 6.9), written from the clauses.

usage: link_judge.py LINK_PLAY [--frames N] [--runs N] [--seed N] [--loss PER_MILLE]

Each U frame must be the answer to one that came, or a question that state and T200 allow; its values are compared with
those that both sides should have in force. Each I frame must be in the windows k and m, below N201-I, and carry the next
segment of the next N-PDU with its number. Each N-PDU must arrive once, in the order of its NSAPI and unaltered, unless
its sender was told that it was given up:

    A     by the callback
    L, G  the link was released here, or the context deleted: TS 44.065 has no N-PDU of before then

With 95 % loss more than 128 numbered N-PDUs in a row are given up, and the next ones are taken for old ones: the clauses
have 8 bits of number and know no giving up. At 80 % it did not happen.

A side that loses the N-PDU numbers too, and not only the link, is a detach: the scene deletes contexts at both sides.
"""
import collections
import sys
import zlib

from trace_judge import MOST_TOLD, TraceJudge, Wrong, need, run_all

MODULUS = 512
ADM, SETUP, ABM, RELEASE = "adm", "setup", "abm", "release"
DM, DISC, UA, SABM, FRMR = 1, 4, 6, 7, 8
MOST_U_OCTETS = 48
N_PDU_OCTETS = 1500
BASE = bytes((i + (i >> 8) * 7) & 255 for i in range(N_PDU_OCTETS))
SHIFTS = [bytes((i + by) & 255 for i in range(256)) for by in range(256)]
KEYS = {6: "n201", 7: "md", 8: "mu", 3: "t200", 9: "kd", 10: "ku", 4: "n200"}
NAMES = ("n201", "md", "mu", "t200", "kd", "ku", "n200")
DEFAULTS = dict(zip(NAMES, (1503, 1520, 1520, 50, 16, 16, 3)))  # table 9, SAPI 3
TENTH_NS = 100_000_000


def content(side, number, octets):
    return BASE[:octets].translate(SHIFTS[(number * 37 + side * 101) & 255])


def bounded(by, values):
    """Clause 8.5.3.2: sizes go down, T200 and N200 up; m = 0 is no limit, another one has room for N201-I."""
    out = {"n201": min(by["n201"], values["n201"])}
    for name in ("kd", "ku"):
        out[name] = min(by[name], values[name])
    for name in ("t200", "n200"):
        out[name] = max(by[name], values[name])
    for name in ("md", "mu"):
        limits = [value for value in (by[name], values[name]) if value]
        out[name] = max(min(limits), -(-out["n201"] // 16)) if limits else 0
    return out


class U:
    """A U frame (clause 6.4)."""

    def __init__(self, octets):
        self.octets = len(octets)
        self.command_bit, self.pf, self.what = octets[0] >> 6 & 1, octets[1] >> 4 & 1, octets[1] & 15
        self.info = octets[2:]
        self.iov, self.values, self.items = None, {}, []
        if self.what in (SABM, UA):
            self.read_xid()

    def read_xid(self):
        at = 0
        while at < len(self.info):
            kind, length, head = self.info[at] >> 2 & 31, self.info[at] & 3, 1
            if self.info[at] & 0x80:
                length, head = length << 6 | self.info[at + 1] >> 2, 2
            octets = self.info[at + head:at + head + length]
            self.items.append((kind, octets))
            value = int.from_bytes(octets, "big")
            at += head + length
            if kind == 2:
                self.iov = value
            elif kind in KEYS:
                self.values[KEYS[kind]] = value
        need(at == len(self.info), "an XID item behind the frame's end")


class Numbered:
    """An I or S frame (clause 6.3)."""

    def __init__(self, octets):
        self.is_i = octets[1] < 0x80
        control = int.from_bytes(octets[1:4 if self.is_i else 3], "big")
        self.command_bit = octets[0] >> 6 & 1
        self.a = control >> (22 if self.is_i else 13) & 1
        self.ns, self.nr, self.s = control >> 12 & 511, control >> 2 & 511, control & 3
        at = 4 if self.is_i else 3
        bitmap = octets[at:]
        if self.is_i and self.s == 3:
            bitmap = octets[at + 1:at + 2 + octets[at]]
            at += 1 + len(bitmap)
        self.bitmap, self.header_octets = bitmap if self.s == 3 else b"", at if self.is_i else len(octets)
        self.named = int(self.s == 1)  # behind N(R), the last frame that is there
        if self.s == 3:
            self.named = 8 * len(bitmap) - (int.from_bytes(bitmap, "big") & -int.from_bytes(bitmap, "big")).bit_length() + 1


class NPdu:
    def __init__(self, side, number, nsapi, octets):
        self.side, self.number, self.nsapi, self.octets = side, number, nsapi, octets
        self.is_delivered = self.is_optional = self.is_abandoned = self.has_gone = False
        self.sn_number = None


class Side:
    """The state of one side, as the frames that it got and its timers make it."""

    def __init__(self, index, puts, values):
        self.index, self.is_network, self.puts = index, index == 0, puts
        self.kind, self.values, self.state = values, dict(DEFAULTS), ADM
        self.owed = []  # answers: frame's code, P/F, and True: with values
        self.is_asking = False  # SABM or DISC may go
        self.asked, self.due = 0, -1
        self.expected = []  # callbacks
        self.iov, self.iovs, self.has_new_iov = 0x18000000, set(), False  # annex A.2.1, SAPI 3
        self.is_crossed = False
        self.n_pdus, self.next_sn = [], {}
        self.begin()

    def begin(self):
        """I frames of an establishment."""
        self.vs = self.va = 0
        self.n201_taken = self.values["n201"]  # an XID does not change it for frames that are on their way
        self.sent = {}
        self.partial = None  # N-PDU whose next segment is due, and its offset
        self.first_of, self.last_gone = None, {}

    def send_k(self):
        return self.values["kd" if self.is_network else "ku"]

    def send_m(self):
        return 16 * self.values["md" if self.is_network else "mu"]

    # Changes of state

    def set_up(self):
        self.state, self.is_asking, self.asked = SETUP, True, 0
        self.has_new_iov = self.is_crossed = False
        self.owed = [owed for owed in self.owed if owed[:2] != (DM, 0)]

    def open(self):
        self.state, self.is_asking = ABM, False
        self.expected.append("+")
        self.begin()

    def end(self):
        self.state, self.is_asking = ADM, False

    def fail(self):
        self.expected.append("F")
        self.set_up()

    def owe(self, *answer):
        self.owed += [answer] if answer not in self.owed else []

    # What it gets

    def take(self, frame):
        is_command = bool(frame.command_bit) != self.is_network
        if frame.what in (SABM, DISC):
            need(is_command and frame.pf, "a command with C/R", frame.command_bit, "P", frame.pf)
        else:
            need(not is_command, "an answer with C/R", frame.command_bit)
        {SABM: self.take_sabm, DISC: self.take_disc, UA: self.take_ua, DM: self.take_dm, FRMR: self.take_frmr}[frame.what](frame)

    def take_sabm(self, frame):
        if self.state == RELEASE:
            self.owe(DM, 1)
            return
        self.values = bounded(self.kind, {**self.values, **frame.values})
        self.take_iov(frame)
        if self.state == SETUP and self.asked:
            self.owed = [owed for owed in self.owed if owed[0] == FRMR]
            self.is_crossed = True
        else:
            self.owed = []
            self.has_new_iov = False
            self.open()
        self.owe(UA, 1, True)

    def take_iov(self, frame):
        need((frame.iov is None) == self.is_network, "IOV-I", frame.iov, "of the other side")
        if not self.is_network:
            self.iov = frame.iov

    def take_ua(self, frame):
        if self.state == ABM:
            self.fail()
        elif self.state != ADM and self.asked == 0:
            return
        elif self.state == RELEASE:
            self.end()
        elif self.state == SETUP:
            if frame.values:  # else it answers a DISC of before
                self.take_iov(frame)
            self.values = bounded(self.kind, {**self.kind, **frame.values})
            self.open()

    def take_disc(self, _frame):
        self.owed = [(UA, 1) if self.state in (ABM, RELEASE) else (DM, 1)]
        self.end()

    def take_dm(self, frame):
        if self.state == ABM and not frame.pf:
            self.fail()
        elif self.state == RELEASE and self.asked:
            self.end()
        elif self.state == SETUP and self.asked and frame.pf:
            self.expected.append("F")
            self.end()

    def take_frmr(self, _frame):
        if self.state == ABM:
            self.fail()

    def refuse(self):
        self.fail()
        self.owed.insert(0, (FRMR, 0))

    def take_numbered(self, frame, octets):
        """W3 and W4 come from a UA or a SABM of before that came again: a side is open with values or counts of its own."""
        if self.state == ADM:
            self.owe(DM, 0)
        if self.state != ABM:
            return
        if frame.is_i and octets > self.n201_taken:
            self.refuse()
            return
        ahead = (frame.nr - self.va) % MODULUS
        if ahead > self.vs - self.va and MODULUS - ahead <= MODULUS // 2:
            return  # late
        if ahead + frame.named >= max(self.vs - self.va, 1) if frame.named else ahead > self.vs - self.va:
            self.refuse()
            return
        self.va += ahead

    def run_out(self):
        need(self.due >= 0, "a timer that does not run")
        if self.state == ABM:
            return
        if self.asked <= self.kind["n200"]:
            self.is_asking = True
            return
        if self.state == SETUP:
            self.expected.append("F")
        self.end()

    # What it sends

    def send_u(self, frame):
        need(frame.octets + 3 <= MOST_U_OCTETS, "a U frame of", frame.octets, "octets")
        is_question = frame.what in (SABM, DISC)
        need(frame.command_bit == (is_question == self.is_network), "C/R", frame.command_bit, "of U frame", frame.what)
        if not is_question:
            self.send_answer(frame)
            return
        need(not self.owed, "a question before the answers", self.owed)
        need(self.is_asking and self.state == (SETUP if frame.what == SABM else RELEASE), "U frame", frame.what, "in", self.state)
        need(frame.pf, "a question with P = 0")
        self.is_asking, self.asked = False, self.asked + 1
        if frame.what == SABM:
            need(frame.values == self.kind, "SABM proposes", frame.values, "instead of", self.kind)
            if self.is_crossed:  # the UA to the other side's SABM has told the former IOV-I
                self.has_new_iov = False
            self.check_iov(frame)

    def send_answer(self, frame):
        need(self.owed, "U frame", frame.what, "that nothing asked for")
        what, pf, *has_values = self.owed.pop(0)
        need((what, pf) == (frame.what, frame.pf), "U frame", frame.what, "F", frame.pf, "instead of", what, pf)
        need(frame.values == (self.values if has_values else {}), "values", frame.values, "instead of", self.values)
        if has_values:
            self.check_iov(frame)

    def check_iov(self, frame):
        need((frame.iov is not None) == self.is_network, "IOV-I", frame.iov, "of side", self.index)
        if self.is_network:
            self.name_iov(frame.iov)

    def name_iov(self, iov):
        """The network's: one of its own for each establishment (annex A.2.1), told in SABM or UA, and in force."""
        need(iov == self.iov if self.has_new_iov else iov not in self.iovs, "IOV-I", iov, "with", self.iov)
        self.iov, self.has_new_iov = iov, True
        self.iovs.add(iov)

    def send_i(self, header, sn, words):
        number, offset, octets, adler, count, repeated = words
        n_pdu = self.n_pdus[number]
        need(self.state == ABM and not self.owed, "an I frame in", self.state, "owed", self.owed)
        need(header.ns == count % MODULUS, "N(S)", header.ns, "of frame", count)
        payload = content(self.index, number, n_pdu.octets)[offset:offset + octets]
        need(zlib.adler32(payload) == adler, "other octets of N-PDU", number)
        if repeated:
            need(count < self.vs and self.sent[count][:3] == (number, offset, octets), "repeats", count, "otherwise")
            need(count >= self.va, "repeats", count, "before V(A)", self.va)
            self.sent[count] = (*self.sent[count][:4], self.sent[count][4] + 1)
        else:
            self.send_new(n_pdu, count, offset, octets, len(sn))
        self.check_sn(n_pdu, sn, offset, octets)

    def send_new(self, n_pdu, count, offset, octets, sn_octets):
        need(count == self.vs, "N(S) of frame", count, "instead of", self.vs)
        self.vs += 1
        self.sent[count] = (n_pdu.number, offset, octets, octets + sn_octets, 1)
        held = sum(self.sent[i][3] for i in range(self.va, self.vs))
        need(self.vs - self.va <= self.send_k(), "window", self.va, self.vs, "k", self.send_k())
        need(self.send_m() == 0 or held <= self.send_m(), "octets", held, "m", self.send_m())
        need(octets + sn_octets <= self.values["n201"], "information of", octets, "N201-I", self.values["n201"])
        if self.partial:
            need(self.partial == (n_pdu, offset), "N-PDU", n_pdu.number, "from", offset)
        else:
            need(offset == 0, "N-PDU", n_pdu.number, "begins at", offset)
            self.begin_n_pdu(n_pdu)
        n_pdu.has_gone = True
        self.partial = (n_pdu, offset + octets) if offset + octets < n_pdu.octets else None

    def begin_n_pdu(self, n_pdu):
        """Of one NSAPI in order: the next of this establishment, and none is left out but by giving it up."""
        need(not n_pdu.is_abandoned, "sends N-PDU", n_pdu.number, "which was given up")
        last = self.last_gone.get(n_pdu.nsapi, -1)
        need(n_pdu.number > last, "N-PDU", n_pdu.number, "after", last)
        self.last_gone[n_pdu.nsapi] = n_pdu.number
        if n_pdu.sn_number is None:
            n_pdu.sn_number = self.next_sn.get(n_pdu.nsapi, 0)
            self.next_sn[n_pdu.nsapi] = n_pdu.sn_number + 1

    def check_sn(self, n_pdu, sn, offset, octets):
        first = 0 if offset else 0x40
        more = 0x10 if offset + octets < n_pdu.octets else 0
        need(sn[0] == first | more | n_pdu.nsapi, "SN-DATA", sn.hex(), "of N-PDU", n_pdu.number)
        need(sn[1:] == (bytes([0, n_pdu.sn_number % 256]) if first else b""), "SN-DATA", sn.hex(), "number", n_pdu.sn_number)

    # Callbacks

    def hear(self, what):
        if what == "F" and not self.expected and self.state == ABM:
            most = max((self.sent[i][4] for i in range(self.va, self.vs)), default=0)
            need(most > self.values["n200"], "failed after", most, "transmissions")
            self.set_up()
            return
        need(self.expected and self.expected.pop(0) == what, "callback", what, "in", self.state)


class Judge(TraceJudge):
    """Both sides, and the N-PDUs between them."""

    def __init__(self):
        super().__init__()
        self.sides = [None, None]
        self.last = [{}, {}]  # N-PDU delivered last, by its sender and NSAPI
        self.waiting = [collections.defaultdict(collections.deque) for _ in range(2)]

    def frame(self, what, side, words):
        octets = bytes.fromhex(words[0])
        if octets[1] >= 0xe0:
            self.counts[what + " U"] += 1
            (side.take if what == "R" else side.send_u)(U(octets))
            return
        header = Numbered(octets)
        self.counts[f"{what} {'I' if header.is_i else 'S'}"] += 1
        if what == "R":
            side.take_numbered(header, int(words[1]))
        elif header.is_i:
            numbers = [int(word) for word in words[1:]]
            self.counts["repeated"] += numbers[-1]
            self.counts["wraps"] += header.ns == 511 and not numbers[-1]
            side.send_i(header, octets[header.header_octets:], numbers)
        else:
            need(side.state == ABM and not side.owed, "an S frame in", side.state)

    def deliver(self, side, nsapi, octets, adler):
        """The oldest N-PDU that is not given up must be this one; of those given up it may be any."""
        sender = self.sides[1 - side.index]
        waiting = self.waiting[sender.index][nsapi]
        while waiting:
            n_pdu = waiting.popleft()
            if n_pdu.octets == octets and zlib.adler32(content(sender.index, n_pdu.number, octets)) == adler:
                n_pdu.is_delivered = True
                self.counts["N-PDUs"] += 1
                self.counts["delivered though given up"] += n_pdu.is_abandoned or n_pdu.is_optional
                return
            need(n_pdu.is_optional or n_pdu.is_abandoned, "N-PDU", n_pdu.number, "of NSAPI", nsapi, "did not arrive")
            self.counts["given up"] += 1
        raise Wrong(f"an N-PDU of {octets} octets arrives that was not sent, or again")

    def make(self, side, number, nsapi, octets):
        need(number == len(side.n_pdus), "N-PDU", number)
        n_pdu = NPdu(side.index, number, nsapi, octets)
        side.n_pdus.append(n_pdu)
        self.waiting[side.index][nsapi].append(n_pdu)

    def give_up(self, side, nsapis):
        for nsapi in nsapis:
            for n_pdu in self.waiting[side.index][nsapi]:
                n_pdu.is_optional = True

    def release(self, side):
        """N-PDUs that it had given to the link are let go."""
        for waiting in self.waiting[side.index].values():
            for n_pdu in waiting:
                n_pdu.is_optional |= side.puts or n_pdu.has_gone
        side.owed = []
        if side.state in (ABM, SETUP):
            side.state, side.is_asking, side.asked = RELEASE, True, 0
        else:
            side.end()

    def change(self, what, side, values):
        self.counts[what] += 1
        if what == "E":
            if side.state == ADM:
                side.set_up()
        elif what == "L":
            self.release(side)
        elif what == "Z":
            side.owed = []
            side.end()
        elif what == "K":
            side.sent = {count: (*frame[:4], 1) for count, frame in side.sent.items()}
        elif what == "T":
            side.run_out()
        elif what == "A":
            need(not side.n_pdus[values[0]].is_abandoned, "N-PDU", values[0], "is given up twice")
            side.n_pdus[values[0]].is_abandoned = True

    def due(self, side, rest):
        """T200 runs in SETUP and RELEASE, from the last question or change on."""
        if side.state in (SETUP, RELEASE):
            need(rest == (side.values if side.state == ABM else side.kind)["t200"] * TENTH_NS, "T200 runs for", rest)
        if side.state == ADM:
            need(rest < 0, "a timer runs in", side.state)
        side.due = rest

    def others(self, what, words):
        numbers = [int(word) for word in words]
        if what == "P":
            self.sides[numbers[0]] = Side(numbers[0], numbers[1], dict(zip(NAMES, numbers[2:])))
        elif what == "G":
            for side in self.sides:
                self.give_up(side, numbers)
                side.next_sn.pop(numbers[0], None)
                if side.partial and side.partial[0].nsapi == numbers[0]:
                    side.partial = None
            self.counts[what] += 1
        elif what == "V":
            for side in self.sides:
                side.values = bounded(dict(zip(NAMES, numbers)), side.values)
            self.counts[what] += 1
        elif what == "Q":
            self.end(numbers)

    def end(self, alive):
        need(alive == [0, 0], "N-PDUs and frames are left:", alive)
        for index in range(2):
            for waiting in self.waiting[index].values():
                for n_pdu in waiting:
                    need(n_pdu.is_optional or n_pdu.is_abandoned, "N-PDU", n_pdu.number, "of side", index, "did not arrive")
                    self.counts["given up"] += 1
        self.counts["ends"] += 1

    def line(self, text):
        what, *words = text.split()
        if what in "PGVQ":
            self.others(what, words)
            return
        side = self.sides[int(words[0])]
        if what not in "+FAH" or what == "H":
            need(not side.expected, "callbacks that did not come:", side.expected)
        if what in "OR":
            self.frame(what, side, words[1:])
        elif what == "+":
            side.hear(what)
            self.counts["+"] += 1
            need(list(map(int, words[2:])) == [side.values[name] for name in NAMES], "in force", words[2:], "instead of", side.values)
            if side.is_network:
                side.name_iov(int(words[1]))
            need(int(words[1]) == side.iov, "IOV-I", words[1], "instead of", side.iov)
        elif what == "F":
            side.hear(what)
            self.counts["F"] += 1
        elif what == "M":
            self.make(side, *map(int, words[1:]))
        elif what == "U":
            self.deliver(side, *map(int, words[1:]))
        elif what == "S":
            self.counts["again"] += words[1] == "4"
        elif what == "H":
            self.due(side, int(words[1]))
        else:
            self.change(what, side, [int(word) for word in words[1:]])


def main():
    counts, wrong, runs = run_all(Judge)
    print(f"frames {counts['O I'] + counts['O S'] + counts['O U']}, of them repetitions {counts['repeated']}, S frames "
          f"{counts['O S']}, U frames {counts['O U']}; arrived {counts['R I'] + counts['R S'] + counts['R U']}")
    print(f"establishments {counts['+']}, failures {counts['F']}, releases {counts['L']}, emptied {counts['Z']}, contexts "
          f"changed {counts['G']}, cells {counts['K'] // 2}, XID {counts['V']}, timers {counts['T']}")
    print(f"N-PDUs {counts['N-PDUs']}, given up {counts['given up']}, segments received before {counts['again']}, "
          f"N(S) wrapped {counts['wraps']}, wrong {len(wrong)}")
    for text in wrong[:MOST_TOLD]:
        print(text)
    return 0 if not wrong and counts["ends"] == runs and counts["N-PDUs"] and counts["again"] else 1


if __name__ == "__main__":
    sys.exit(main())
