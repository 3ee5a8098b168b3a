# SPDX-License-Identifier: BSD-3-Clause
"""Mobiles in STANDBY: one page for all that comes, what waited goes with the first frame of the mobile."""
import struct
import time
import unittest

import node

import test_walk
from gb_oracle import bssgp

PAGING_PS, RADIO_STATUS = 0x06, 0x0A
SHORT = ', timers = { bssgp = { t3313 = "1 s", t3313_retries = 1 } }'


class Paging(test_walk.Case):
    def start(self, ready_timer="1 s", more=SHORT):
        text = node.TEXT.replace('source = "list"', f'ready_timer = "{ready_timer}", source = "list"')
        self.serve(text=text, more=more)
        self.open_ends()
        self.bss.bring_up()
        self.check_down(300)

    def is_paged(self):
        self.assertEqual(self.bss.bssgp.get(timeout=60).kind, PAGING_PS)

    def is_no_more(self):
        """Nothing comes for some time."""
        time.sleep(0.4)
        self.assertTrue(self.bss.bssgp.empty())
        self.assertTrue(self.bss.pdus.empty())

    def counts(self, name):
        return sum(row["count"] for row in self.node.show("counts") if row["name"] == name)

    def test_one_page_for_all_that_waits(self):
        self.start("5 s", more=SHORT.replace("1 s", "60 s"))  # not in standby again before all of it has come
        self.node.wait_for_standby()
        packets = [self.down(400, seed) for seed in range(5)]
        self.is_paged()
        self.is_no_more()
        self.assertEqual([row["state"] for row in self.node.show("ms")], ["paged"])
        self.check_up(200)
        for packet in packets:
            self.assertEqual(self.bss.packet(node.TLLI), packet)
        self.check_down(300, seed=9)  # READY again
        self.assertEqual((self.counts("paging_sent"), self.counts("paging_answered")), (1, 1))
        self.assertEqual([row["state"] for row in self.node.show("ms")], ["ready"])
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": 7, "out": 7, "dropped": 0, "queued": 0})

    def test_nobody_answers(self):
        self.start()
        self.node.wait_for_standby()
        self.down(400, 1)
        self.is_paged()
        self.is_paged()
        self.node.show_until("counts", lambda rows: any(row["name"] == "paging_unanswered" and row["count"] == 1 for row in rows))
        self.is_no_more()
        self.down(400, 2)
        self.is_paged()
        self.assertTrue(self.bss.pdus.empty())
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": 3, "out": 1, "dropped": 0, "queued": 2})

    def test_the_bss_has_lost_it(self):
        self.start("infinite")
        tlli = bssgp.tlv(bssgp.TLLI, struct.pack(">I", node.TLLI))
        self.bss.send_bssgp(self.bss.bvci, bytes([RADIO_STATUS]) + tlli + bssgp.tlv(0x19, b"\0"))
        self.node.show_until("counts", lambda rows: any(row["name"] == "radio_status_0" for row in rows))
        packet = self.down(400, 1)
        self.is_paged()
        self.check_up(200)
        self.assertEqual(self.bss.packet(node.TLLI), packet)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
