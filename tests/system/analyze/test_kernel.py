# SPDX-License-Identifier: BSD-3-Clause
"""Losses of the kernel's TCP behind a real shaper: those found are within 2 of the shaper's drop log, for each user. Users
without any loss have stalls of the channel, in which the server's retransmission timer expires needlessly."""
import unittest

import program
from kernel_link import Link, Mobile, lab

NEAR = 2
# Those whose server certainly repeats segments: the queue drops some, or nothing tells the server that its time-out was needless.
REPEATS = ("SACK, timestamps, a short queue", "SACK, a short queue", "neither, a short queue", "neither, a stall")
# has_sack, has_stamps; rate, limit, file, stall
USERS = [
    ("SACK, timestamps, a short queue", (True, True), {"rate_bps": 200e3, "limit_octets": 15000, "octets": 200000}),
    ("SACK, a short queue", (True, False), {"rate_bps": 200e3, "limit_octets": 15000, "octets": 200000}),
    ("neither, a short queue", (False, False), {"rate_bps": 200e3, "limit_octets": 15000, "octets": 200000}),
    ("SACK, timestamps, a stall", (True, True), {"rate_bps": 150e3, "limit_octets": 10**6, "octets": 100000, "stall_s": (2, 3)}),
    ("SACK, a stall", (True, False), {"rate_bps": 150e3, "limit_octets": 10**6, "octets": 100000, "stall_s": (2, 3)}),
    ("neither, a stall", (False, False), {"rate_bps": 150e3, "limit_octets": 10**6, "octets": 100000, "stall_s": (2, 3)}),
]


@unittest.skipIf(lab.missing(), lab.missing())
class Kernel(program.Case):
    def play(self):
        mobiles = [Mobile(number, options, given) for number, (_, options, given) in enumerate(USERS, 1)]
        link = Link(mobiles, self.path("gi.pcap"))
        self.addCleanup(link.close)
        link.build()
        link.play(60)
        return mobiles

    def test_losses(self):
        mobiles = self.play()
        _, rows = self.analyze(self.path("gi.pcap"))
        for (name, _, given), mobile in zip(USERS, mobiles):
            with self.subTest(name):
                row, = (row for row in rows if row["mobile"] == mobile.address)
                found, needless, again = (int(row[key]) for key in ("access_lost", "spurious", "retransmitted"))
                print(f"{name}: {mobile.lost} lost, {found} found, {needless} needless of {again} repetitions")
                self.assertEqual(mobile.got, mobile.octets)
                self.assertLessEqual(abs(found - mobile.lost), NEAR)
                self.assertEqual(mobile.lost > 0, "stall_s" not in given)
                if name in REPEATS:
                    self.assertGreater(again, 10)


if __name__ == "__main__":
    unittest.main()
