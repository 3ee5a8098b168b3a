#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One of the two ends goes away and comes back: packets reach the mobile again."""
import signal
import time
import unittest

import network
from gb_oracle import bssgp

LIFETIME = ', lifetime = { sgsn_max = "3 s" }'


class Faults(network.Case):
    node_values = {"more": LIFETIME}

    def start(self):
        self.bring_up()
        self.stream = network.Stream(self, self.phones[0], 120, 600)
        self.stream.wait_for_arrival(time.time())

    def check_recovery(self, what, since_s):
        """since_s: the end of the fault on the record's scale."""
        first_s = self.wait_for_pdu(False, None, since_s, 40).at_s if since_s else 0.0
        first = self.tap.began_ns / 1e9 + first_s
        took_s = self.stream.wait_for_arrival(first, 40) - first
        self.figure(what, f"packets {took_s:.2f} s after the first NS PDU, which came {first_s - since_s:.2f} s after the fault")

    def wait_for_pdu(self, is_down, kind, since_s=0.0, timeout_s=60):
        if kind is not None:
            return super().wait_for_pdu(is_down, kind, since_s, timeout_s)
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            for pdu in self.pdus(is_down, None, since_s):
                return pdu
            time.sleep(0.02)
        raise AssertionError("nothing from the PCU")

    def wait_until_lost(self, began):
        """Until the cell counts as gone; returns after how long."""
        self.node.show_until("bvc", lambda rows: rows[0]["usable"] == "no", network.LOSS_S + 60)
        return time.monotonic() - began

    def finish(self, accounted=True):
        self.stream.stop()
        time.sleep(0.5)
        super().finish(accounted)

    def test_a_pcu_that_restarts(self):
        self.start()
        self.pcu.stop()
        since_s = self.tap.now_s()
        self.start_pcu()
        self.check_recovery("PCU restarted", since_s)
        self.finish()

    def test_a_pcu_that_is_frozen(self):
        """For 3 s, which its NS-VC survives."""
        self.start()
        self.pcu.process.send_signal(signal.SIGSTOP)
        time.sleep(3)
        self.pcu.process.send_signal(signal.SIGCONT)
        self.check_recovery("PCU stopped", self.tap.now_s())
        self.finish()

    def test_a_node_that_restarts(self):
        self.start()
        self.node.process.send_signal(signal.SIGKILL)
        self.node.process.wait(10)
        killed_s = self.tap.now_s()
        self.serve()
        self.check_recovery(10, self.tap.now_s())
        statuses = self.pdus(True, ("ns", 8), killed_s)  # maybe answered before serve() returns
        self.assertEqual({pdu.octets[1:4] for pdu in statuses}, {b"\x00\x81\x04"})
        self.finish()

    def test_a_cell_that_is_switched_off(self):
        self.start()
        began = time.monotonic()
        self.bts.switch_off()
        self.pcu.process.wait(10)
        took_s = self.wait_until_lost(began)
        lost_s = self.tap.now_s()
        time.sleep(4)
        self.assertEqual(self.pdus(True, ("bssgp", bssgp.DL_UNITDATA), lost_s + 0.1), [])
        drops = {row["reason"]: row["count"] for row in self.node.show("drops") if row["of"] == "npdu"}
        self.assertGreater(sum(drops.values()), 0)
        self.figure(11, f"a PCU that is gone was noticed in {took_s:.1f} s of {network.LOSS_S}; then nothing sent, drops {drops}")
        self.bts.switch_on()
        since_s = self.tap.now_s()
        self.start_pcu()
        self.check_recovery("BTS off and on", since_s)
        self.finish()

    def cut(self, cut_s):
        self.lab.ip(self.lab.names["bss"], "link", "set", "gb1", "down")
        time.sleep(cut_s)
        self.lab.ip(self.lab.names["bss"], "link", "set", "gb1", "up")
        return self.tap.now_s()

    def test_a_cut_that_both_ends_notice(self):
        self.start()
        since_s = self.cut(70 if network.REAL_TIMERS else network.LOSS_S + 2)
        self.check_recovery("NS-VC cut for long", since_s)
        self.finish()

    def test_a_cut(self):
        self.start()
        since_s = self.cut(40 if network.REAL_TIMERS else 3)
        self.check_recovery("NS-VC cut", since_s)
        self.finish()

class FaultsSns(Faults):
    """The same where the PCU says by IP-SNS how it is reached."""
    dialect = "ip-sns"


if __name__ == "__main__":
    unittest.main()
