# SPDX-License-Identifier: BSD-3-Clause
"""What signalling does to the buckets: LLC-DISCARDED, bucket-full ratio, blocks, resets of the NS-VC."""
import unittest

import scene as s
from gb_oracle import bssgp
from test_judge import MS, judge, packets, wrong


def pdu(bvci, kind, *rows):
    return s.ns_unitdata(bvci, s.elements(kind, *rows))


def two_packets(second_ms, rate_bps=8000, **announcement):
    """Two LLC-PDUs of 410 octets, arriving at 20 and 21 ms, in a cell of 500 octets; the second leaves when the test says."""
    scene = s.Scene(packets([(20, 0, 400), (21, 0, 400)]), [s.Announcement(MS, 500, rate_bps, 5000, 800000, **announcement)]).run()
    scene.departures[1].time_ns = second_ms * MS
    return scene


class Signalling(unittest.TestCase):
    """One row of signalling each, and the departure that it allows or forbids."""

    def test_discarded(self):
        gone = pdu(0, 0x2C, (0x1F, "I", 0xC0000001), (0x0F, "B", 1), (4, "H", s.BVCI), (0x25, "3s", b"\0\1\x9a"))
        for second_ms, words, expected in ((50, (), []), (340, ("--rules", "discarded=ignore"), []), (340, (), ["not_idle"]),
                                           (50, ("--rules", "discarded=ignore"), ["conform_bvc"]), (49, (), ["conform_bvc"])):
            with self.subTest(second_ms=second_ms, words=words):
                scene = two_packets(second_ms)
                scene.signalling.append((50 * MS, s.up(gone)))
                self.assertEqual(wrong(judge(scene, *words)[1]), expected)

    def test_bucket_full_ratio(self):
        """A ratio of 100 % counts only when both ends offered the feature."""
        full = pdu(s.BVCI, 0x26, (0x1E, "B", 2), (5, "H", 5), (3, "H", 80), (1, "H", 50), (0x1C, "H", 8000), (0x3C, "B", 100))
        for bits, second_ms, expected in ((2, 440, []), (2, 439, ["conform_bvc"]), (2, 441, ["not_idle"]), (0, 340, []),
                                          (0, 440, ["not_idle"])):
            with self.subTest(bits=bits, second_ms=second_ms):
                scene = two_packets(second_ms)
                rows = [(4, "H", 0)], [(7, "B", 8)], [(0x3B, "B", bits)]
                scene.signalling += [
                    (1, s.up(pdu(0, 0x22, *rows[0], *rows[1], *rows[2]))), (2, s.down(pdu(0, 0x23, *rows[0], *rows[2]))),
                    (30 * MS, s.up(full)), (30 * MS, s.down(pdu(s.BVCI, 0x27, (0x1E, "B", 2))))]
                self.assertEqual(wrong(judge(scene)[1]), expected)

    def test_unblock_lets_go(self):
        block = [pdu(0, 0x20, (4, "H", s.BVCI), (7, "B", 1)), pdu(0, 0x21, (4, "H", s.BVCI)),
                 pdu(0, 0x24, (4, "H", s.BVCI)), pdu(0, 0x25, (4, "H", s.BVCI))]
        for second_ms, expected in ((600, []), (602, []), (601, []), (603, ["not_idle"]), (599, ["blocked", "not_idle"])):
            with self.subTest(second_ms=second_ms):
                scene = two_packets(second_ms)
                times = enumerate(zip((100, 101, 600, 602), block))
                scene.signalling += [(at * MS, (s.up, s.down)[n % 2](octets)) for n, (at, octets) in times]
                self.assertEqual(wrong(judge(scene)[1]), expected)

    def test_granularity(self):
        """Sizes and rates of a PDU with granularity 1 count in thousands."""
        scene = two_packets(21)
        coarse = pdu(s.BVCI, 0x26, (0x1E, "B", 7), (5, "H", 1), (3, "H", 8), (1, "H", 5), (0x1C, "H", 800), (0x7E, "B", 1))
        scene.signalling += [(2 * MS, s.up(coarse)), (2 * MS, s.down(pdu(s.BVCI, 0x27, (0x1E, "B", 7))))]
        self.assertEqual(wrong(judge(scene)[1]), [])
        self.assertEqual(wrong(judge(two_packets(21))[1]), ["conform_bvc"])

    def test_a_second_answer_answers_nothing(self):
        scene = two_packets(340)
        scene.signalling.append((30 * MS, s.down(pdu(s.BVCI, 0x27, (0x1E, "B", 1)))))
        self.assertEqual(wrong(judge(scene)[1]), ["flow_control_ack"])

    def test_wrong_way(self):
        scene = two_packets(340)
        scene.signalling.append((30 * MS, s.down(pdu(s.BVCI, bssgp.FC_BVC, (0x1E, "B", 3), (5, "H", 5), (3, "H", 80), (1, "H", 50),
                                                     (0x1C, "H", 8000)))))
        self.assertEqual(wrong(judge(scene)[1]), ["decode"])


if __name__ == "__main__":
    unittest.main()
