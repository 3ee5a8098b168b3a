# SPDX-License-Identifier: BSD-3-Clause
"""Mobiles in STANDBY: one page for all that comes, what waited goes with the first frame of the mobile."""
import queue
import struct
import time
import unittest

import node

import test_walk
from gb_oracle import bssgp

PAGING_PS, RADIO_STATUS = 0x06, 0x0A
SHORT = ', timers = { bssgp = { t3313 = "1 s", t3313_retries = 1 } }'
SILENT_S = 1.0 + 2 * 1.08  # the timer, and how coarse it is


class Paging(test_walk.Case):
    def start(self, ready_timer="1 s"):
        text = node.TEXT.replace('source = "list"', f'ready_timer = "{ready_timer}", source = "list"')
        self.serve(text=text, more=SHORT)
        self.open_ends()
        self.bss.bring_up()
        self.check_down(300)

    def pages(self, wait_s):
        """How many PAGING-PS come within a time."""
        end, count = time.monotonic() + wait_s, 0
        while time.monotonic() < end:
            try:
                pdu = self.bss.bssgp.get(timeout=max(end - time.monotonic(), 0.001))
                self.assertEqual(pdu.kind, PAGING_PS)
                count += 1
            except queue.Empty:
                break
        return count

    def counts(self, name):
        return sum(row["count"] for row in self.node.show("counts") if row["name"] == name)

    def test_one_page_for_all_that_waits(self):
        self.start()
        time.sleep(SILENT_S)
        packets = [self.down(400, seed) for seed in range(5)]
        self.assertEqual(self.pages(0.4), 1)
        self.assertTrue(self.bss.pdus.empty())
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
        time.sleep(SILENT_S)
        self.down(400, 1)
        self.assertEqual(self.pages(2.4), 2)
        self.assertEqual(self.counts("paging_unanswered"), 1)
        self.assertEqual(self.pages(0.5), 0)
        self.down(400, 2)
        self.assertEqual(self.pages(0.4), 1)
        self.assertTrue(self.bss.pdus.empty())
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": 3, "out": 1, "dropped": 0, "queued": 2})

    def test_the_bss_has_lost_it(self):
        self.start("infinite")
        tlli = bssgp.tlv(bssgp.TLLI, struct.pack(">I", node.TLLI))
        self.bss.send_bssgp(self.bss.bvci, bytes([RADIO_STATUS]) + tlli + bssgp.tlv(0x19, b"\0"))
        self.node.show_until("counts", lambda rows: any(row["name"] == "radio_status_0" for row in rows))
        packet = self.down(400, 1)
        self.assertEqual(self.pages(0.4), 1)
        self.check_up(200)
        self.assertEqual(self.bss.packet(node.TLLI), packet)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
