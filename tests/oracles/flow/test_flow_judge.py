# SPDX-License-Identifier: BSD-3-Clause
"""The judge of buckets on captures built by hand: an octet too many of each bucket is found, and what is right at the border passes."""
import io
import os
import struct
import tempfile
import unittest
from contextlib import redirect_stdout

from flow_judge import cli
from gb_oracle import bssgp, llc, writer

MS, S = 10**6, 10**9
BSS, SGSN, NSEI = ("10.99.0.2", 23000), ("10.99.0.1", 23000), 101
A, B, ONE, TWO = 1800, 1801, 0xC0000001, 0xC0000002
RESET, RESET_ACK = bssgp.BVC_RESET, bssgp.BVC_RESET_ACK


def u(octets, value):
    return value.to_bytes(octets, "big")


class Wire:
    """Frames at their times in ns; up() and down() send BSSGP PDUs, the rest are PDUs by name. Sizes in octets, rates in bit/s."""

    def __init__(self):
        self.frames, self.tag = [], 0
        self.ns(0, bytes([bssgp.NS_RESET]) + bssgp.tlv(1, u(2, 101)) + bssgp.tlv(4, u(2, NSEI)))

    def ns(self, at_ns, octets, is_up=True):
        self.frames.append((at_ns, writer.frame(*((BSS, SGSN) if is_up else (SGSN, BSS)), octets)))

    def pdu(self, at_ns, bvci, kind, *elements, is_up=True):
        body = bytes([kind]) + b"".join(bssgp.tlv(name, value) for name, value in elements)
        self.ns(at_ns, struct.pack(">BBH", 0, 0, bvci) + body, is_up)

    def send(self, at_ns, octets, tlli=ONE, pfi=None, **more):
        """more: bvci, sapi."""
        bvci, sapi = more.get("bvci", A), more.get("sapi", 3)
        frame = llc.encode_ui(sapi, 0, bytes(octets - 6))
        assert len(frame) == octets
        body = bytes([0]) + u(4, tlli) + b"\0\0\x20" + bssgp.tlv(0x16, b"\xff\xff")
        body += bssgp.tlv(0x28, u(1, pfi)) if pfi is not None else b""
        self.ns(at_ns, struct.pack(">BBH", 0, 0, bvci) + body + bssgp.tlv(bssgp.LLC_PDU, frame), False)

    def hear(self, at_ns, tlli=ONE, bvci=A):
        body = bytes([1]) + u(4, tlli) + b"\0\0\4" + bssgp.tlv(8, bytes(8)) + bssgp.tlv(bssgp.LLC_PDU, llc.encode_ui(3, 0, b"\5"))
        self.ns(at_ns, struct.pack(">BBH", 0, 0, bvci) + body)

    def announce(self, at_ns, kinds, elements, more):
        """more: ack_ns (None: no answer), bvci, tlli."""
        ack_ns, bvci, tlli = more.get("ack_ns", at_ns), more.get("bvci", A), more.get("tlli")
        self.tag = (self.tag + 1) % 256
        who = [(bssgp.TLLI, u(4, tlli))] if tlli else []
        self.pdu(at_ns, bvci, kinds[0], *who, (bssgp.TAG, u(1, self.tag)), *elements)
        if ack_ns is not None:
            self.pdu(ack_ns, bvci, kinds[1], *who, (bssgp.TAG, u(1, self.tag)), is_up=False)

    def cell(self, at_ns, size, rate, ms=(6553500, 6553500), **more):
        """ms: the defaults; more: also ratio."""
        values = [(5, u(2, size // 100)), (3, u(2, rate // 100)), (1, u(2, ms[0] // 100)), (0x1C, u(2, ms[1] // 100))]
        values += [(bssgp.RATIO, u(1, more["ratio"]))] if "ratio" in more else []
        self.announce(at_ns, (bssgp.FC_BVC, bssgp.FC_BVC_ACK), values, more)

    def mobile(self, at_ns, size, rate, **more):
        values = [(0x12, u(2, size // 100)), (3, u(2, rate // 100))]
        self.announce(at_ns, (bssgp.FC_MS, bssgp.FC_MS_ACK), values, {"tlli": ONE, **more})

    def flow(self, at_ns, size, rate, pfi=1, **more):
        entry = u(1, 1) + u(1, pfi) + u(2, size // 100) + u(2, rate // 100)
        self.announce(at_ns, (bssgp.FC_PFC, bssgp.FC_PFC_ACK), [(0x52, entry)], {"tlli": ONE, **more})

    def discarded(self, at_ns, octets, tlli=ONE, bvci=A, pfi=None):
        more = [(0x28, u(1, pfi))] if pfi is not None else []
        self.pdu(at_ns, 0, bssgp.LLC_DISCARDED, (bssgp.TLLI, u(4, tlli)), (0x0F, u(1, 1)), (bssgp.BVCI, u(2, bvci)),
                 (bssgp.OCTETS_AFFECTED, u(3, octets)), *more)

    def about_flow(self, at_ns, kind, pfi, is_up):
        self.pdu(at_ns, A, kind, (bssgp.TLLI, u(4, ONE)), (0x28, u(1, pfi)), is_up=is_up)

    def reset(self, at_ns, bvci, features=None):
        rest = [(bssgp.FEATURES, u(1, features))] if features is not None else []
        self.pdu(at_ns, 0, RESET, (bssgp.BVCI, u(2, bvci)), (7, b"\x08"), *rest)
        self.pdu(at_ns, 0, RESET_ACK, (bssgp.BVCI, u(2, bvci)), *rest, is_up=False)

    def judge(self, **rules):
        """[(kind, octets)] of what breaks the clause."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gb.pcapng")
            writer.pcapng(path, sorted(self.frames, key=lambda frame: frame[0]))
            return [(kind, octets) for _, kind, octets, _ in cli.judge(path, **rules).found]


def cell_full(w, more):
    """A bucket of 1000 octets at 8 kbit/s (1000 octets/s) is full with `more` = 0 at 100 ms."""
    w.cell(0, 1000, 8000)
    w.send(0, 900)
    w.send(100 * MS, 200 + more, TWO)
    return "cell"


def mobile_default(w, more):
    w.cell(0, 1000000, 6553500, (1000, 8000))
    w.send(0, 900)
    w.send(0, 900, TWO)
    w.send(100 * MS, 200 + more)
    return "mobile"


def mobile_own(w, more):
    w.cell(0, 1000000, 6553500)
    w.mobile(0, 1000, 8000)
    w.send(0, 900)
    w.send(100 * MS, 200 + more)
    return "mobile"


def flow_full(w, more):
    w.cell(0, 1000000, 6553500)
    w.flow(0, 1000, 8000)
    w.send(0, 900, pfi=1)
    w.send(0, 900, pfi=2)
    w.send(100 * MS, 200 + more, pfi=1)
    return "pfc"


def rate_falls(w, more):
    """The old rate counts up to the acknowledgement at most: 100 octets leak in 100 ms, none afterwards."""
    w.cell(0, 1000, 8000)
    w.send(0, 1000)
    w.cell(10 * MS, 1000, 0, ack_ns=100 * MS)
    w.send(5 * S, 100 + more)
    return "cell"


def rate_rises(w, more):
    """The new rate counts from the receipt at the earliest."""
    w.cell(0, 1000, 0)
    w.send(0, 1000)
    w.cell(1 * S, 1000, 8000, ack_ns=1200 * MS)
    w.send(1100 * MS, 100 + more)
    return "cell"


def prefix(w, more):
    """Of two values under way the first alone may count: 900 octets more fit then, but not with none or with both."""
    w.cell(0, 1000, 0)
    w.send(0, 1000)
    w.cell(1 * S, 1900, 0, ack_ns=2 * S)
    w.cell(1100 * MS, 500, 0, ack_ns=2 * S)
    w.send(1500 * MS, 900 + more)
    return "cell"


def shown(w, more):
    """What an LLC-PDU shows to count, counts from then on: the bucket of 1000 would have been full."""
    w.cell(0, 1000, 0)
    w.cell(1 * S, 2000, 0, ack_ns=3 * S)
    w.send(1500 * MS, 1500)
    w.send(1600 * MS, 500 + more)
    return "cell"


def th_before(w, more):
    """Own values hold for Th from the announcement."""
    w.cell(0, 1000000, 6553500, (2000, 0))
    w.mobile(0, 1000, 0, ack_ns=100 * MS)
    w.send(4999 * MS, 1000)
    w.send(5000 * MS - more, 1000)
    return "mobile"


def th_after(w, more):
    """They give way Th after the acknowledgement at the latest; from then on only the defaults count."""
    w.cell(0, 1000000, 6553500, (1000, 0))
    w.mobile(0, 1000, 8000, ack_ns=100 * MS)
    w.send(4100 * MS, 1000)
    w.send(9 * S, 1000 + more)
    return "mobile"


def th_again(w, more):
    """Each announcement starts it again."""
    w.cell(0, 1000000, 6553500, (2000, 0))
    w.mobile(0, 1000, 0)
    w.mobile(4 * S, 1000, 0)
    w.send(8999 * MS, 1000)
    w.send(9 * S - more, 1000)
    return "mobile"


def discarded(w, more):
    w.cell(0, 1000, 0)
    w.mobile(0, 1000, 0)
    w.send(0, 1000)
    w.discarded(1 * S, 400)
    w.send(2 * S, 400 + more)
    return "cell", "mobile"


def discarded_of_flow(w, more):
    w.cell(0, 1000000, 6553500)
    w.flow(0, 1000, 0)
    w.send(0, 1000, pfi=1)
    w.discarded(1 * S, 400, pfi=1)
    w.send(2 * S, 400 + more, pfi=1)
    return "pfc"


def discarded_elsewhere(w, more):
    """Of a mobile that is in another cell only the cell's bucket has room."""
    w.cell(0, 1000, 0)
    w.cell(0, 1000, 0, bvci=B)
    w.send(0, 1000)
    w.hear(1 * S, bvci=B)
    w.discarded(2 * S, 400)
    w.send(3 * S, 400 + more, TWO)
    return "cell"


def flushed(w, more):
    """FLUSH-LL-ACK: the cell that FLUSH-LL named holds these octets no more."""
    w.cell(0, 1000, 0)
    w.cell(0, 1000, 0, bvci=B)
    w.send(0, 1000)
    w.hear(1 * S, bvci=B)
    w.pdu(1 * S, 0, 0x2A, (bssgp.TLLI, u(4, ONE)), (bssgp.BVCI, u(2, A)), is_up=False)
    w.pdu(2 * S, 0, 0x2B, (bssgp.TLLI, u(4, ONE)), (0x0C, u(1, 0)), (bssgp.OCTETS_AFFECTED, u(3, 400)))
    w.send(3 * S, 400 + more, TWO)
    return "cell"


def moved(w, more):
    """The bucket of a mobile is empty in its new cell, with the defaults of the new cell."""
    w.cell(0, 1000000, 6553500, (1000, 0))
    w.cell(0, 1000000, 6553500, (500, 0), bvci=B)
    w.send(0, 1000)
    w.hear(1 * S, bvci=B)
    w.send(2 * S, 500, bvci=B)
    w.hear(3 * S)
    w.send(4 * S, 600)
    w.send(4 * S, 400 + more)
    return "mobile"


def moved_late(w, more):
    """Until it is sent to in the new cell, the old bucket counts."""
    w.cell(0, 1000000, 6553500, (1000, 0))
    w.cell(0, 1000000, 6553500, (1000, 0), bvci=B)
    w.send(0, 900)
    w.hear(1 * S, bvci=B)
    w.send(1100 * MS, 100 + more)
    w.send(1200 * MS, 1000, bvci=B)
    return "mobile"


def own_elsewhere(w, more):
    """Values for a cell in which the mobile is not count for nothing."""
    w.cell(0, 1000000, 6553500, (1000, 0))
    w.hear(0)
    w.mobile(100 * MS, 2000, 0, bvci=B)
    w.send(200 * MS, 1000 + more)
    return "mobile"


def flow_deleted(w, more):
    """A packet flow starts again when it was deleted and created; a new one has no bucket."""
    w.cell(0, 1000000, 6553500)
    w.about_flow(0, 0x52, 9, True)
    w.flow(1 * S, 1000, 0, 9)
    w.send(2 * S, 1000, pfi=9)
    w.about_flow(3 * S, 0x56, 9, False)
    w.about_flow(4 * S, 0x52, 9, True)
    w.send(5 * S, 1500, pfi=9)
    w.flow(6 * S, 1000, 0, 9)
    w.send(7 * S, 1000, pfi=9)
    w.send(7 * S, 7, pfi=9) if more else None
    return "pfc"


def reset(w, more):
    """BVC-RESET empties the buckets, and nothing is sent before the next FLOW-CONTROL-BVC."""
    w.cell(0, 1000, 0)
    w.send(0, 1000)
    w.reset(1 * S, A)
    w.cell(2 * S, 1000, 0)
    w.send(3 * S, 1000)
    w.send(3 * S, 7) if more else None
    return "cell"


def ratio(w, more):
    """Bucket_Full Ratio sets the level where both sides have the feature Current Bucket Level."""
    w.reset(0, 0, 2)
    w.cell(0, 1000, 0, ratio=0)
    w.send(1 * S, 1000)
    w.cell(2 * S, 1000, 0, ratio=60)
    w.send(3 * S, 400 + more)
    return "cell"


def oversized(w, more):
    """An LLC-PDU longer than Bmax needs a bucket that has run empty before: B* < L."""
    w.cell(0, 100, 8000)
    w.send(0 + 1, 500)
    w.send(500 * MS + 2 - more, 300)
    return "cell"


def signalling(w, more):
    """Frames of control charge, but need not conform."""
    w.cell(0, 1000, 0)
    w.send(0, 600)
    w.send(0, 600, sapi=1)
    w.discarded(1 * S, 400)
    w.send(2 * S, 200 + more, TWO)
    return "cell"


def entered(w, more):
    """What a cell has announced and not yet got acknowledged may count for a mobile that comes."""
    w.cell(0, 1000000, 6553500, (500, 0))
    w.cell(1 * S, 1000000, 6553500, (1000, 0), ack_ns=3 * S)
    w.send(2 * S, 1000 + more)
    return "mobile"


def entered_later(w, more):
    """What was acknowledged before is no choice any more."""
    w.cell(0, 1000000, 6553500, (2000, 0))
    w.cell(1 * S, 1000000, 6553500, (1000, 0))
    w.send(2 * S, 1000 + more)
    return "mobile"


def moved_before(w, more):
    """A mobile follows the defaults of the cell that it has come to."""
    w.cell(0, 1000000, 6553500, (1000, 0))
    w.cell(0, 1000000, 6553500, (500, 0), bvci=B)
    w.hear(0)
    w.hear(1 * S, bvci=B)
    w.cell(2 * S, 1000000, 6553500, (800, 0), bvci=B)
    w.send(3 * S, 800 + more, bvci=B)
    return "mobile"


def unheard(w, more):
    """A mobile that was not heard in a cell is as new there."""
    w.cell(0, 1000000, 6553500, (1000, 0))
    w.cell(0, 1000000, 6553500, (500, 0), bvci=B)
    w.send(0, 900)
    w.send(1 * S, 500 + more, bvci=B)
    return "mobile"


def own_stays(w, more):
    """New defaults do not end own values."""
    w.cell(0, 1000000, 6553500, (2000, 0))
    w.mobile(0, 1000, 0)
    w.cell(1 * S, 1000000, 6553500, (3000, 0))
    w.send(2 * S, 1000 + more)
    return "mobile"


def own_by_flow(w, more):
    """FLOW-CONTROL-PFC may have values of the mobile."""
    w.cell(0, 1000000, 6553500)
    entry = u(1, 1) + u(1, 1) + u(2, 20) + u(2, 0)
    w.announce(0, (bssgp.FC_PFC, bssgp.FC_PFC_ACK), [(0x12, u(2, 10)), (3, u(2, 0)), (0x52, entry)], {"tlli": ONE})
    w.send(1 * S, 1000 + more)
    return "mobile"


def th_between(w, more):
    """Between Th after the receipt and Th after the acknowledgement the defaults may count: 1000 octets leak in 1 s."""
    w.cell(0, 1000000, 6553500, (1000, 8000))
    w.mobile(0, 1000, 0, ack_ns=100 * MS)
    w.send(4 * S, 1000)
    w.send(6 * S, 1000 + more)
    return "mobile"


def flow_left(w, more):
    """A mobile that comes back to a cell has no packet flow there."""
    w.cell(0, 1000000, 6553500)
    w.cell(0, 1000000, 6553500, bvci=B)
    w.flow(0, 1000, 0)
    w.send(0, 1000, pfi=1)
    w.hear(1 * S, bvci=B)
    w.hear(2 * S)
    w.flow(3 * S, 500, 0)
    w.send(4 * S, 500 + more, pfi=1)
    return "pfc"


def flow_unknown(w, more):
    """A packet flow that was never created has no bucket."""
    w.cell(0, 1500, 0)
    w.flow(0, 1000, 0, 9)
    w.send(1 * S, 1500 + more, pfi=9)
    return "cell"


def reset_flow(w, more):
    """BVC-RESET ends packet flows, and what waits for an answer."""
    w.cell(0, 1000000, 6553500)
    w.flow(0, 1000, 0)
    w.send(0, 1000, pfi=1)
    w.reset(1 * S, A)
    w.cell(2 * S, 1000000, 6553500)
    w.flow(3 * S, 500, 0)
    w.send(4 * S, 500 + more, pfi=1)
    return "pfc"


def reset_unanswered(w, more):
    w.cell(0, 1000000, 6553500)
    w.mobile(0, 2000, 0, ack_ns=None)
    w.reset(1 * S, A)
    w.tag = 0
    w.cell(2 * S, 1000000, 6553500)
    w.mobile(3 * S, 1000, 0)
    w.send(3 * S, 500)
    w.send(4 * S, 500 + more)
    return "mobile"


def ratio_ignored(w, more):
    """Without the feature, or when it is there no more, the level stays."""
    w.reset(0, 0, 2)
    w.reset(1, 0, 0)
    w.cell(2, 1000, 0)
    w.send(1 * S, 600)
    w.cell(2 * S, 1000, 0, ratio=0)
    w.send(3 * S, 400 + more)
    return "cell"


def discarded_more(w, more):
    """A bucket is empty at least: it has not run empty (B* < L)."""
    w.cell(0, 1000, 0)
    w.send(0, 300)
    w.discarded(1 * S, 400)
    w.send(2 * S, 1000 + more)
    return "cell"


def discarded_before(w, more):
    """In its old cell: the mobile's bucket in the new one keeps its level."""
    w.cell(0, 1000000, 6553500, (1000, 0))
    w.cell(0, 1000000, 6553500, (1000, 0), bvci=B)
    w.send(0, 1000)
    w.hear(1 * S, bvci=B)
    w.send(2 * S, 600, bvci=B)
    w.discarded(3 * S, 400)
    w.send(4 * S, 400 + more, bvci=B)
    return "mobile"


def discarded_at_once(w, more):
    """What was announced before an LLC-PDU may count just after it: the bucket can have run empty (B* < L) before the next one."""
    w.cell(0, 500, 8000)
    w.discarded(1 * S, 300 - more)
    w.send(2 * S, 300)
    w.send(2 * S + 1, 506)
    return "cell"


BORDERS = (cell_full, mobile_default, mobile_own, flow_full, rate_falls, rate_rises, prefix, shown, th_before, th_after, th_again,
           discarded, discarded_of_flow, discarded_elsewhere, flushed, moved, moved_late, own_elsewhere, flow_deleted, reset, ratio, oversized,
           signalling, entered, entered_later, moved_before, unheard, own_stays, own_by_flow, th_between, flow_left, flow_unknown, reset_flow,
           reset_unanswered, ratio_ignored, discarded_more, discarded_before,
           discarded_at_once)
EXCESS = {"th_before": 1000, "th_again": 1000, "flow_deleted": 7, "reset": 7, "oversized": 200, "discarded_at_once": 7}  # where it is not one octet


class Borders(unittest.TestCase):
    def test_what_is_right_passes(self):
        for scene in BORDERS:
            with self.subTest(scene.__name__):
                wire = Wire()
                scene(wire, 0)
                self.assertEqual(wire.judge(), [])

    def test_one_octet_too_many_is_found(self):
        for scene in BORDERS:
            with self.subTest(scene.__name__):
                wire = Wire()
                kinds = scene(wire, 1)
                excess = EXCESS.get(scene.__name__, 1)
                self.assertEqual(wire.judge(), [(kind, excess) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


class Program(unittest.TestCase):
    def test_command_line(self):
        for more, status, word in ((0, 0, "0"), (1, 1, "1")):
            with tempfile.TemporaryDirectory() as folder:
                wire = Wire()
                cell_full(wire, more)
                path = os.path.join(folder, "gb.pcapng")
                writer.pcapng(path, sorted(wire.frames, key=lambda frame: frame[0]))
                with redirect_stdout(io.StringIO()) as out:
                    self.assertEqual(cli.main([path, "--th", "5s"]), status)
                    self.assertEqual([cli.main([path, "--least", least]) for least in ("2", "3")], [status, 1])
                row = next(line for line in out.getvalue().splitlines() if line.split()[:1] == ["cell"])
                self.assertEqual(row.split(), ["cell", "2", "1", word, word, "0"])

    def test_starved(self):
        """A mobile that waits though all of its buckets have room: octets that the BSS discarded were not subtracted."""
        for kind, at_ns, starved in (("credited", 1010 * MS, []), ("not credited", 6 * S, [("starved", 0)])):
            with self.subTest(kind):
                wire = Wire()
                wire.cell(0, 1000000, 6553500)
                wire.mobile(0, 1000, 0)
                wire.send(0, 1000)
                wire.discarded(1 * S, 1000)
                wire.mobile(1 * S + 1, 1000, 0)
                wire.send(at_ns, 1000)
                self.assertEqual(wire.judge(starve_ns=2 * S, th_ns=100 * S), starved)

    def test_passed_over(self):
        """A mobile that waits while another one is served often is starved; while the cell is full it is not."""
        wire = Wire()
        wire.cell(0, 1000000, 6553500)
        wire.send(0, 100)
        for turn in range(8):
            wire.send(turn * 300 * MS, 100, TWO)
        wire.send(3 * S, 100)
        self.assertEqual(wire.judge(starve_ns=2 * S), [("starved", 0)])
        wire = Wire()
        wire.cell(0, 1000, 100)
        wire.send(0, 100)
        wire.send(1, 900, TWO)
        wire.send(8 * S, 100)
        self.assertEqual(wire.judge(starve_ns=2 * S), [])

    def test_before_flow_control(self):
        wire = Wire()
        wire.send(0, 10)
        wire.cell(1 * S, 1000, 0)
        wire.reset(2 * S, A)
        wire.send(3 * S, 10)
        self.assertEqual(wire.judge(), [("cell", 0), ("cell", 0)])

    def test_late(self):
        wire = Wire()
        wire.cell(0, 1000000, 6553500, (1000, 0))
        wire.mobile(0, 2000, 0)
        wire.send(5900 * MS, 2000)
        self.assertEqual(wire.judge(), [("mobile", 1000)])
        self.assertEqual(wire.judge(late_ns=1 * S), [])

    def test_slack(self):
        """An LLC-PDU that was captured late does not harm the next one."""
        wire = Wire()
        wire.cell(0, 1000, 8000)
        wire.send(10 * MS, 1000)
        wire.send(1005 * MS, 1000)
        self.assertEqual(wire.judge(), [("cell", 5)])
        self.assertEqual(wire.judge(slack_ns=5 * MS), [])
        self.assertEqual(wire.judge(slack_ns=4 * MS), [("cell", 1)])


if __name__ == "__main__":
    unittest.main()
