# SPDX-License-Identifier: BSD-3-Clause
"""The judge's parts: bucket sequences, capture formats, codecs, sessions, figures."""
import json
import os
import tempfile
import unittest
from fractions import Fraction

import scene as s
from gb_oracle import bssgp, capture, check_totals, gn, inet, level, llc, options, sndcp, writer
from gb_oracle.bucket import NEVER, Bucket
from test_judge import judge, packets, wrong

SECOND = 10**9
HERE = os.path.dirname(os.path.abspath(__file__))
REAL = os.environ.get("GN_CAPTURE") or os.path.join(HERE, "..", "..", "data", "captures", "gn-osmo-ggsn.pcap")

# (case, Bmax, R in octets/s, [(arrival s, octets, leaves s or None, level after)])
SEQUENCES = [
    ("A", 1000, 1000, [(0, 400, "0", 400), (0, 400, "0", 800), (0, 400, "0.2", 1000), (0, 400, "0.6", 1000),
                       (0, 400, "1.0", 1000), (10, 400, "10", 400)]),
    ("B", 1500, 500, [(0, 1500, "0", 1500), (0, 60, "0.12", 1500), (0, 60, "0.24", 1500), (1, 1400, "3.04", 1500),
                      (20, 1500, "20", 1500)]),
    ("C", 1000, 0, [(0, 400, "0", 400), (0, 400, "0", 800), (0, 400, None, 800)]),
    ("no size", 0, 100, [(0, 50, "0.000000001", 50), (0, 50, "0.500000002", 50)]),
    ("closed", 0, 0, [(0, 50, None, 0)]),
    ("oversized", 100, 100, [(0, 100, "0", 100), (0, 250, "1.000000001", 250), (0, 50, "3.000000001", 100)]),
]


class Buckets(unittest.TestCase):
    """The sequences of TS 48.018 clause 8.2, on the judge's bucket and on the scene's."""

    def test_one_bucket(self):
        for case, size, rate, rows in SEQUENCES:
            bucket, model, now_ns = Bucket(size, rate * 8), s.Model(size, rate * 8), 0
            for number, (arrival, octets, leaves, after) in enumerate(rows):
                with self.subTest(case=case, row=number):
                    due = bucket.earliest_ns(octets)
                    if leaves is None:
                        self.assertEqual((due, model.earliest(octets)), (NEVER, None))
                        self.assertFalse(bucket.conforms(octets, 10**18))
                        continue
                    now_ns = max(arrival * SECOND, due, now_ns)
                    self.assertEqual(now_ns, Fraction(leaves) * SECOND)
                    self.assertEqual(now_ns, max(arrival * SECOND, model.earliest(octets)))
                    self.assertTrue(bucket.conforms(octets, now_ns))
                    self.assertFalse(due == now_ns > 0 and bucket.conforms(octets, now_ns - 1))
                    bucket.charge(octets, now_ns)
                    model.take(octets, now_ns)
                    held = Fraction(bucket.level, 8 * SECOND)
                    self.assertEqual((held, model.level), (after, after))

    def test_two_levels(self):
        """Sequence D: two mobiles of 800 octets, 1000 octets/s in a cell of 1000 octets, 2000 octets/s."""
        cell, mobiles, now_ns = Bucket(1000, 16000), [Bucket(800, 8000), Bucket(800, 8000)], 0
        for who, leaves, own, shared in ((0, "0", 600, 600), (1, "0.1", 600, 1000), (0, "0.4", 800, 1000), (1, "0.7", 600, 1000)):
            now_ns = max(now_ns, cell.earliest_ns(600), mobiles[who].earliest_ns(600))
            self.assertEqual(now_ns, Fraction(leaves) * SECOND)
            for bucket, after in ((mobiles[who], own), (cell, shared)):
                bucket.charge(600, now_ns)
                self.assertEqual(Fraction(bucket.level, 8 * SECOND), after)

    def test_earliest_rounds_against_sending(self):
        bucket = Bucket(100, 3)
        bucket.charge(100, 0)
        self.assertEqual(bucket.earliest_ns(1), 2_666_666_667)
        self.assertFalse(bucket.conforms(1, 2_666_666_666))

    def test_change_keeps_the_level(self):
        bucket = Bucket(1000, 8000)
        bucket.charge(1000, 0)
        bucket.change(400, 800, SECOND // 2)
        self.assertEqual(bucket.earliest_ns(400), SECOND // 2 + 5 * SECOND)
        bucket.change(400, 800, SECOND, ratio=25)
        self.assertEqual(bucket.level, 100 * 8 * SECOND)
        bucket.discard(60, SECOND)
        self.assertEqual(bucket.level, 40 * 8 * SECOND)

    def test_hypotheses_stay_few(self):
        both = level.Level()
        for number in range(40):
            both.announce(level.Change((None, number), 1000 + number, 8000 + number), number * 100)
            both.charge(10, number * 100 + 50)
        self.assertLessEqual(len(both.all), level.MAX_HYPOTHESES)
        for number in range(40):
            both.acknowledge((None, number), 5000)
        self.assertEqual({bucket.todo for bucket in both.all}, {()})


class Codecs(unittest.TestCase):
    """Rows from published vectors and limits."""
    FRAMES = ["43c015650000074500001c000100004001aed2c00002010a0b00020800f7fe000000016e9aca",
              "43c030650000094500001c000100004001aed2c00002010a0b00020800f7fe00000001eecc26", "43f76a3fd0", "43fb1605dc5b5a54"]

    def test_fcs(self):
        for text in self.FRAMES:
            octets = bytes.fromhex(text)
            self.assertTrue(llc.decode(octets, True).fcs_good)
            for bit in range(8 * len(octets)):
                bad = bytearray(octets)
                bad[bit // 8] ^= 1 << bit % 8
                frame = llc.decode(bytes(bad), True)
                unprotected = text == self.FRAMES[1] and 7 <= bit // 8 < len(octets) - 3
                self.assertEqual(frame is not None and frame.fcs_good, unprotected, (text, bit))

    def test_ui_fields(self):
        frame = llc.decode(llc.encode_ui(3, 511, b"abc"), True)
        self.assertEqual((frame.sapi, frame.nu, frame.info, frame.fault, frame.ciphered), (3, 511, b"abc", None, False))
        self.assertEqual(llc.decode(llc.encode_ui(3, 0, b""), False).fault, "C/R bit")
        self.assertIsNone(llc.decode(b"\x43\xc0\1\2", True))

    def test_segments(self):
        for size in (1, 135, 136, 137, 273, 274, 1503):
            pieces = [sndcp.decode(piece) for piece in sndcp.encode(bytes(size), 5, 4095, 140)]
            self.assertEqual(len(pieces), 1 if size <= 136 else 1 + -(-(size - 136) // 137))
            self.assertEqual(sum(len(piece.data) for piece in pieces), size)
            self.assertEqual([piece.index for piece in pieces], list(range(len(pieces))))
            self.assertEqual({(piece.npdu, piece.nsapi, piece.fault) for piece in pieces}, {(4095, 5, None)})
            self.assertEqual(pieces[-1].more, False)

    def test_sndcp_faults(self):
        for text, fault in (("e5000007aa", "X"), ("45000007aa", "SN-DATA"), ("64000007aa", "NSAPI"), ("65100007aa", "compression")):
            self.assertIn(fault, sndcp.decode(bytes.fromhex(text)).fault)

    def test_bssgp(self):
        pdu = bssgp.decode(bytes.fromhex("261e8106058201f403820640018200fa1c8203203c8132068200787e8101"))
        self.assertEqual((pdu.number(bssgp.TAG), pdu.scaled(bssgp.BVC_BUCKET), pdu.scaled(bssgp.LEAK_RATE)), (6, 500000, 1600000))
        for text in ("", "00c123", "261e8105", "261e8105058201f403820640018200fa1c8203"):
            with self.assertRaises(bssgp.Malformed):
                bssgp.decode(bytes.fromhex(text))


class Captures(unittest.TestCase):
    """Every file format says the same; a cut file is refused."""
    TIMES = [1_700_000_000_123_456_000, 1_700_000_000_123_457_000]

    def file(self, write, **how):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "c")
        write(path, [(time_ns, bytes([number]) * 61) for number, time_ns in enumerate(self.TIMES)], **how)
        return path

    def test_formats(self):
        for write, how in ((writer.pcap, {}), (writer.pcap, {"order": ">"}), (writer.pcap, {"nanoseconds": False}),
                           (writer.pcapng, {}), (writer.pcapng, {"order": ">"}), (writer.pcapng, {"resolution": 6}),
                           (writer.pcapng, {"resolution": 10})):
            with self.subTest(write=write.__name__, how=how):
                path = self.file(write, **how)
                frames = capture.read(path)
                self.assertEqual([frame.time_ns for frame in frames], self.TIMES)
                self.assertEqual([frame.octets for frame in frames], [bytes(61), b"\1" * 61])
                with open(path, "r+b") as file:
                    file.truncate(os.path.getsize(path) - 3)
                with self.assertRaises(capture.CaptureError):
                    capture.read(path)
                self.assertEqual(len(capture.read(path, may_be_cut=True)), 1)

    def test_simple_packet_block(self):
        path = self.file(writer.pcapng)
        with open(path, "ab") as file:
            file.write(bytes.fromhex("03000000 14000000 03000000 aabbcc00 14000000"))
        self.assertEqual(capture.read(path)[2].octets, b"\xaa\xbb\xcc")

    def test_fragments(self):
        pieces = writer.fragments(("10.0.0.1", 5), ("10.0.0.2", 6), bytes(range(256)) * 10, 580)
        self.assertEqual(len(pieces), 5)
        for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1], [0, 0, 1, 2, 3, 3, 4]):
            frames = [capture.Frame(n, n, 1, pieces[piece], True) for n, piece in enumerate(order)]
            whole = [datagram for _, datagram in inet.datagrams(frames) if datagram]
            self.assertEqual([(one.payload, one.number, one.faults) for one in whole],
                             [(bytes(range(256)) * 10, len(order) - 1, ())])


class Gn(unittest.TestCase):
    """Sessions and packets of a capture."""

    def test_scene(self):
        scene = s.Scene(packets([(20 + n, n % 3, 1500 - 17 * n) for n in range(40)]), [])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gn")
            writer.pcap(path, scene.gn_frames())
            stream = gn.load(path)
        self.assertEqual([(one.teid, inet.dotted(one.address), one.nsapi) for one in stream.sessions],
                         [(n + 1, f"10.45.0.{n + 1}", 5) for n in range(3)])
        for who in range(3):
            self.assertEqual([(packet.time_ns, packet.octets) for packet in stream.by_address[writer.address(scene.address(who))]],
                             [(packet.time_ns, packet.octets) for packet in scene.packets if packet.who == who])

    @unittest.skipUnless(os.path.exists(REAL), "tests/data/captures/gn-osmo-ggsn.pcap is not there")
    def test_real_capture(self):
        stream = gn.load(REAL)
        self.assertEqual((stream.total, stream.unknown, stream.teids), (1736, 0, {1: 191, 2: 213, 3: 741, 4: 591}))
        self.assertEqual(sorted(map(inet.dotted, stream.by_address)), [f"10.45.0.{n}" for n in (1, 2, 3, 4)])

    @unittest.skipUnless(os.path.exists(REAL), "tests/data/captures/gn-osmo-ggsn.pcap is not there")
    def test_real_capture_through_the_scene(self):
        arrivals = [s.Packet(packet.time_ns, packet.teid - 1, packet.octets)
                    for flow in gn.load(REAL).by_address.values() for packet in flow]
        arrivals.sort(key=lambda packet: packet.time_ns)
        start_ns = arrivals[0].time_ns - SECOND
        scene = s.Scene(arrivals, [s.Announcement(start_ns, 10000, 80000, 10000, 80000)], None).run()
        status, verdict = judge(scene, "--expect-all", "--lifetime", "infinite", "--min", "reassembly_equal=1736")
        self.assertEqual((status, wrong(verdict)), (0, []))


class Figures(unittest.TestCase):
    """The program's own figures against the capture."""

    def replay(self):
        announcement = s.Announcement(10**6, 2000, 60000, 1500, 40000)
        scene = s.Scene(packets([(20, 0, 1400), (20, 1, 100), (30, 0, 900)]), [announcement]).run()
        sessions = []
        for who in range(2):
            ends = {id(one.packet): one.time_ns - one.arrival_ns for one in scene.departures if one.who == who}
            times = sorted(ends.values())
            sojourn = {"p50": times[0], "p95": times[-1], "max": times[-1]}
            sessions.append({"teid": who + 1, "address": scene.address(who), "npdu_out": len(times),
                             "sojourn_s": {name: value / 1e9 for name, value in sojourn.items()}})
        return scene, {"npdu": {"in": 3, "out": 3, "dropped": 0, "queued": 0}, "drops": {"lifetime": 0},
                       "llc_frames": len(scene.departures), "sessions": sessions}

    def judge(self, spoil):
        scene, replay = self.replay()
        spoil(replay)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "replay.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(replay, file)
            return wrong(judge(scene, "--replay-json", path)[1])

    def test_figures(self):
        def nothing(replay):
            pass

        def add(figures, name, error):
            figures[name] += error
        rows = [(nothing, []), (lambda r: r["npdu"].update({"in": 4}), ["totals"]),
                (lambda r: r["drops"].update(lifetime=1), ["totals"]),
                (lambda r: r.update(llc_frames=1), ["totals"]), (lambda r: r["sessions"].pop(), ["totals"]),
                (lambda r: r["sessions"][0].update(npdu_out=1), ["totals"]),
                (lambda r: r["npdu"].update(out=2, queued=1), ["totals"])]
        for name in ("p50", "p95", "max"):
            for error_s, expected in ((2e-6, ["totals"]), (5e-7, [])):
                rows.append((lambda r, n=name, e=error_s: add(r["sessions"][0]["sojourn_s"], n, e), expected))
        for number, (spoil, expected) in enumerate(rows):
            with self.subTest(row=number):
                self.assertEqual(self.judge(spoil), expected)

    def test_nearest_rank(self):
        values = list(range(1, 21))
        self.assertEqual([check_totals._percentile(values, percent) for percent in (50, 95, 100)], [10, 19, 20])
        self.assertEqual(check_totals._percentile([7], 50), 7)


class Words(unittest.TestCase):
    """Durations are exact."""

    def test_durations(self):
        for text, value in (("15s", 15 * SECOND), ("0.1s", SECOND // 10), ("20 ms", 20 * 10**6), ("1min", 60 * SECOND), ("7ns", 7)):
            self.assertEqual(options.duration_ns(text), value)
        for text in ("15", "s", "-1s", "1.5ns", "1 h"):
            with self.assertRaises(options.UsageError):
                options.duration_ns(text)


if __name__ == "__main__":
    unittest.main()
