# SPDX-License-Identifier: BSD-3-Clause
"""Connection set-up: each branch of the tree, background, round-trip times."""
import unittest

import program
from packets import ACK, RST, SYN, Capture, Tcp, udp

MOBILE, SERVER = ("10.1.0.1", 40000), ("192.0.2.1", 80)
# Seconds from the first SYN; up: from the mobile. The capture goes on long enough for a verdict.
UP_SYN, DOWN_ANSWER = ("up", SYN), ("down", SYN | ACK)
UP_ACK, UP_RST, DOWN_RST = ("up", ACK), ("up", RST), ("down", RST | ACK)
DOWN_SYN, UP_ANSWER = ("down", SYN), ("up", SYN | ACK)  # of a simultaneous open (RFC 9293 3.5)

# name, packets, branch, set-up time, Internet side, access side
ROWS = [
    ("at once", [(0, UP_SYN), (0.1, DOWN_ANSWER), (0.9, UP_ACK)], "optimal", 0.9, 0.1, 0.8),
    ("a SYN again", [(0, UP_SYN), (3, UP_SYN), (3.1, DOWN_ANSWER), (4, UP_ACK)], "slight", 4, 0, 0),
    ("an answer again", [(0, UP_SYN), (0.1, DOWN_ANSWER), (3.1, DOWN_ANSWER), (4, UP_ACK)], "slight", 4, 0, 0),
    ("both again", [(0, UP_SYN), (0.1, DOWN_ANSWER), (3, UP_SYN), (3.1, DOWN_ANSWER), (4, UP_ACK)], "slight", 4, 0, 0),
    ("an answer again behind the ACK", [(0, UP_SYN), (0.1, DOWN_ANSWER), (2.9, UP_ACK), (3.1, DOWN_ANSWER)], "slight", 2.9, 0, 0),
    ("two SYNs that cross", [(0, UP_SYN), (0.1, DOWN_SYN), (0.2, DOWN_ANSWER), (0.9, UP_ANSWER)], "slight", 0.9, 0, 0),
    ("the mobile's answer first", [(0, UP_SYN), (0.1, DOWN_SYN), (0.5, UP_ANSWER), (0.6, DOWN_ANSWER), (0.9, UP_ACK)],
     "slight", 0.5, 0, 0),
    ("crossing, and one again", [(0, UP_SYN), (0.1, DOWN_SYN), (3, UP_SYN), (3.1, DOWN_SYN), (3.2, DOWN_ANSWER),
                                 (4, UP_ANSWER), (4.1, DOWN_SYN)], "slight", 4, 0, 0),
    ("crossing, one of them not captured", [(0, UP_SYN), (0.2, DOWN_ANSWER), (0.9, UP_ANSWER)], "slight", 0.9, 0, 0),
    ("nothing", [(0, UP_SYN)], "no_response", 0, 0, 0),
    ("nothing, three times", [(0, UP_SYN), (3, UP_SYN), (9, UP_SYN)], "no_response", 0, 0, 0),
    ("refused", [(0, UP_SYN), (0.1, DOWN_RST)], "refused", 0, 0, 0),
    ("given up", [(0, UP_SYN), (0.1, DOWN_ANSWER), (2, UP_RST)], "reset", 0, 0, 0),
    ("reset by the server", [(0, UP_SYN), (0.1, DOWN_ANSWER), (2, DOWN_RST)], "reset", 0, 0, 0),
    ("silent", [(0, UP_SYN), (0.1, DOWN_ANSWER)], "silent", 0, 0, 0),
    ("silent, both again", [(0, UP_SYN), (0.1, DOWN_ANSWER), (3, UP_SYN), (3.1, DOWN_ANSWER)], "silent", 0, 0, 0),
    ("reset later", [(0, UP_SYN), (0.1, DOWN_ANSWER), (0.9, UP_ACK), (1, UP_RST)], "optimal", 0.9, 0.1, 0.8),
]


def packet(way, flags, mobile, server, ack=None):
    isn = {"up": 1000, "down": 5000}[way]
    other = {"up": 5000, "down": 1000}[way]
    ends = (mobile, server) if way == "up" else (server, mobile)
    return Tcp(*ends, flags=flags, seq=isn if flags & SYN else isn + 1, ack=(other + 1 if ack is None else ack) if flags & ACK else 0)


def play(capture, start_s, rows, mobile=MOBILE, server=SERVER):
    for at_s, (way, flags) in rows:
        capture.add(start_s + at_s, packet(way, flags, mobile, server))


class Setup(program.Case):
    def test_each_branch_alone_and_with_background(self):
        for name, rows, branch, setup_s, internet_s, access_s in ROWS:
            for gap_s, background in ((None, "0"), (5.0, "0"), (4.999, "1")):
                with self.subTest(name=name, gap_s=gap_s):
                    capture = Capture()
                    if gap_s:
                        capture.add(100 - gap_s, udp(("192.0.2.9", 53), (MOBILE[0], 9), bytes(9)))
                    play(capture, 100, rows)
                    capture.add(200, udp(("192.0.2.9", 53), (MOBILE[0], 9), bytes(9)))
                    found, (row,) = self.of(capture)
                    self.assertEqual((row["branch"], row["background"]), (branch, background))
                    self.assertAlmostEqual(float(row["setup_s"]), setup_s, places=6)
                    is_clean = background == "0"
                    self.assertAlmostEqual(float(row["internet_rtt_s"]), internet_s * is_clean, places=6)
                    self.assertAlmostEqual(float(row["access_rtt_s"]), access_s * is_clean, places=6)
                    self.assertEqual(found["tree"]["all"]["count"], 1)

    def test_the_tree_adds_up(self):
        capture = Capture()
        for number, (_, rows, *_) in enumerate(ROWS):
            play(capture, 100, rows, (f"10.1.1.{number}", 40000))
        capture.add(200, udp(("192.0.2.9", 53), (MOBILE[0], 9), bytes(9)))
        found, rows = self.of(capture)
        tree = found["tree"]
        counts = {name: tree[name]["count"] for name in tree}
        self.assertEqual([counts[name] for name in ("all", "optimal", "slight", "no_response", "no_response_silent",
                                                    "no_response_refused", "serious", "serious_reset", "serious_silent")],
                         [17, 2, 8, 3, 2, 1, 4, 2, 2])
        self.assertEqual(found["connections"], len(rows))
        self.assertAlmostEqual(tree["optimal"]["setup_s_mean"], 0.9)
        self.assertAlmostEqual(tree["slight"]["setup_s_mean"], (4 + 4 + 4 + 2.9 + 0.9 + 0.5 + 4 + 0.9) / 8)
        self.assertIsNone(tree["serious"]["setup_s_mean"])
        self.assertEqual(tree["all"]["background_fraction"], 0)

    def test_the_mean_and_the_share_of_background(self):
        capture = Capture()
        play(capture, 100, ROWS[0][1])
        play(capture, 102, [(0, UP_SYN), (0.1, DOWN_ANSWER), (1.9, UP_ACK)], (MOBILE[0], 40001))
        capture.add(200, udp(("192.0.2.9", 53), (MOBILE[0], 9), bytes(9)))
        found, _ = self.of(capture)
        self.assertAlmostEqual(found["tree"]["optimal"]["setup_s_mean"], 1.4)
        self.assertEqual(found["tree"]["optimal"]["background_fraction"], 0.5)
        self.assertAlmostEqual(found["tree"]["optimal_background"]["setup_s_mean"], 1.9)
        self.assertEqual(found["rtt_s"]["access"]["count"], 1)
        self.assertAlmostEqual(found["rtt_s"]["access"]["p50"], 0.8, delta=0.8 * 0.002)
        self.assertAlmostEqual(found["rtt_s"]["internet"]["p95"], 0.1, delta=0.1 * 0.002)

    def test_what_the_end_of_the_capture_cuts_off_has_no_branch(self):
        for rest_s, branch in ((2.9, "none"), (3.1, "no_response")):
            capture = Capture()
            play(capture, 100, [(0, UP_SYN)])
            capture.add(100 + rest_s, udp(("192.0.2.9", 53), (MOBILE[0], 9), bytes(9)))
            found, (row,) = self.of(capture)
            self.assertEqual(row["branch"], branch)
            self.assertEqual(found["connections_of"]["undecided"], int(branch == "none"))

    def test_who_opened(self):
        capture = Capture()
        capture.add(100, packet("up", ACK, MOBILE, SERVER))
        capture.add(101, Tcp((SERVER[0], 2000), (MOBILE[0], 22), SYN, 7))
        found, rows = self.of(capture)
        self.assertEqual(sorted(row["opened_by"] for row in rows), ["server", "unseen"])
        self.assertEqual({row["mobile"] for row in rows}, {MOBILE[0]})
        self.assertEqual(found["tree"]["all"]["count"], 0)

    def test_a_simultaneous_open_that_the_server_begins(self):
        rows = [(0, DOWN_SYN), (0.1, UP_SYN), (0.2, UP_ANSWER), (0.3, DOWN_ANSWER), (0.4, UP_ACK)]
        capture = Capture()
        play(capture, 100, rows)
        found, _ = self.of(capture)
        self.assertEqual((found["connections"], found["connections_of"]["opened_by_server"]), (1, 1))
        capture.add(110, Tcp(MOBILE, SERVER, flags=SYN, seq=77777))
        found, _ = self.of(capture)
        self.assertEqual((found["connections"], found["connections_of"]["opened_by_mobile"]), (2, 1))

    def test_ports_that_are_used_again(self):
        capture = Capture()
        play(capture, 100, ROWS[0][1])
        capture.add(110, Tcp(MOBILE, SERVER, SYN, 77000))
        capture.add(110.1, Tcp(SERVER, MOBILE, SYN | ACK, 99000, 77001))
        capture.add(110.5, Tcp(MOBILE, SERVER, ACK, 77001, 99001))
        found, rows = self.of(capture)
        self.assertEqual([row["branch"] for row in rows], ["optimal", "optimal"])
        self.assertEqual(found["connections"], 2)

    def test_an_idle_connection_ends(self):
        capture = Capture()
        play(capture, 100, ROWS[0][1])
        for second in range(200):
            capture.add(101 + 10 * second, udp(("192.0.2.9", 53), (MOBILE[0], 9), bytes(9)))
        capture.add(2100, packet("up", ACK, MOBILE, SERVER))
        _, rows = self.of(capture)
        self.assertEqual([row["opened_by"] for row in rows], ["mobile", "unseen"])

    def test_hours_of_the_day(self):
        capture = Capture()
        for hour in (11, 4, 20):
            play(capture, 86400 * 9 + hour * 3600, ROWS[0][1], (f"10.1.2.{hour}", 40000))
        found, _ = self.of(capture)
        counts = [found["rtt_s"][name]["count"] for name in ("access", "access_peak", "access_off_peak")]
        self.assertEqual(counts, [3, 1, 1])
        found, _ = self.of(capture, "--set", "utc_offset_h=1")
        self.assertIsNone(found["rtt_s"]["access_peak"])


if __name__ == "__main__":
    unittest.main()
