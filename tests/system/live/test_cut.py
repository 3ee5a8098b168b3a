# SPDX-License-Identifier: BSD-3-Clause
"""Gb that is cut and healed, and NS-VCs that fail and are replaced by others, with shortened NS timers.

The real ones take two minutes, by command: GBFLOW_REAL_TIMERS=1 python3 -m unittest -v test_cut.Real
"""
import os
import time
import unittest

import lab
import node

import bss_peer
import sns_peer
import test_sns
import test_walk

TIMERS = ', timers = { ns = { test = "1 s", alive = "100 ms", alive_retries = 3, reset = "1 s", block = "1 s" } }'
FOUND_S = 1.0 + 4 * 0.1  # Tns-test and all of Tns-alive
NS_RESET, NS_RESET_ACK, NS_UNBLOCK, NS_UNBLOCK_ACK, NS_ALIVE = 2, 3, 6, 7, 10


class Cut:
    """Of test_walk.Case: the BSS is cut off until it is found dead, then heard again."""

    def cut(self, dead, first):
        """first: what the BSS does when the cut is healed, up to user data."""
        self.bss.is_mute = True
        self.node.show_until("nse", lambda rows: rows[0]["state"] == dead)
        time.sleep(0.3)
        self.bss.is_mute = False
        began = time.monotonic()
        self.bss.send(bytes([NS_ALIVE]))
        first()
        self.check_down(300, seed=2)
        took_s = time.monotonic() - began
        print(f"user data {took_s:.3f} s after the first NS PDU")
        self.assertEqual(self.node.stop(), 0)

    def answer_reset(self):
        asked = self.bss.take(self.bss.ns, lambda octets: octets[0] == NS_RESET)
        self.bss.send(bytes([NS_RESET_ACK]) + asked[4:])
        self.bss.take(self.bss.ns, lambda octets: octets[0] == NS_UNBLOCK)
        self.bss.send(bytes([NS_UNBLOCK_ACK]))
        self.bss.bring_up_bvcs()
        self.bss.announce(tag=2)

    def fail_over(self, pairs, bring_back):
        """Each peer of a pair falls silent, and the other one carries the mobile; then it comes back."""
        for seed, (peer, carrier) in enumerate(pairs):
            peer.is_mute = True
            time.sleep(FOUND_S + 0.1)
            packet = self.down(500, seed)
            self.assertEqual(carrier.packet(node.TLLI), packet)
            peer.is_mute = False
            bring_back(peer)
        self.assertEqual(self.node.stop(), 0)


class Classic(test_walk.Case, Cut):
    def test_the_bss_is_reset(self):
        self.serve(more=TIMERS)
        self.open_ends()
        self.bss.bring_up()
        self.check_down(300)
        self.cut("resetting", self.answer_reset)

    def test_one_of_two_nsvcs_fails(self):
        self.serve(more=TIMERS, nsvcs=', { nsvci = 102, address = "198.51.100.2", udp_port = 23001 }')
        self.open_ends()
        with self.lab.inside("bss"):
            other = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS, 23001), (lab.GB_SGSN, 23000), nsvci=102)
        self.addCleanup(other.close)
        self.bss.bring_up()
        other.bring_up_ns()
        self.fail_over(((self.bss, other), (other, self.bss)), lambda peer: peer.bring_up_ns())


class Carrier(test_walk.Case):
    def test_nothing_is_kept_for_later(self):
        """What was said while the link had no carrier is not heard when it has."""
        self.serve(more=TIMERS)
        self.open_ends()
        self.bss.bring_up()
        self.node.show_until("nse", lambda rows: rows[0]["test"] == "resting")
        self.lab.ip(self.lab.names["bss"], "link", "set", "gb1", "down")
        self.node.show_until("nse", lambda rows: rows[0]["state"] == "resetting")
        heard = self.bss.alives
        self.lab.ip(self.lab.names["bss"], "link", "set", "gb1", "up")
        self.bss.take(self.bss.ns, lambda octets: octets[0] == NS_RESET)
        self.assertLessEqual(self.bss.alives - heard, 1)  # one may have met the link on its way down
        self.assertEqual(self.node.stop(), 0)


class Sns(test_sns.Case, Cut):
    def test_the_nsvc_is_back_with_its_answer(self):
        self.serve(more=TIMERS)
        self.open_ends()
        self.bss.bring_up()
        self.check_down(300)
        self.cut("silent", lambda: None)

    def test_one_of_two_endpoints_fails(self):
        self.serve(more=TIMERS)
        self.open_ends()
        self.bss.bring_up()
        other = self.peer(sns_peer.Peer, 23002)
        self.addCleanup(other.close)
        self.assertEqual(self.bss.change(sns_peer.SNS_ADD, 1, [sns_peer.endpoint(lab.GB_BSS, 23002)]), None)
        self.fail_over(((self.bss, other), (other, self.bss)), lambda peer: self.node.show_until(
            "nse", lambda rows: [row["state"] for row in rows] == ["alive", "alive"]))


@unittest.skipUnless(os.environ.get("GBFLOW_REAL_TIMERS"), "takes two minutes; see above")
class Real(test_walk.Case, Cut):
    def test_cut_for_40_s(self):
        """Less than what NS-ALIVE takes to find out: nobody has noticed."""
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        self.bss.is_mute = True
        time.sleep(40)
        self.bss.is_mute = False
        self.bss.send(bytes([NS_ALIVE]))
        self.check_down(300)
        self.assertEqual([row["state"] for row in self.node.show("nse")], ["unblocked"])
        self.assertEqual(self.node.stop(), 0)

    def test_found_within_tns_test_and_eleven_tns_alive(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        self.bss.is_mute = True
        began = time.monotonic()
        self.node.show_until("nse", lambda rows: rows[0]["state"] == "resetting", 200)
        print(f"found after {time.monotonic() - began:.1f} s, at most {30 + 11 * 3} s by the timers")
        self.cut("resetting", self.answer_reset)


if __name__ == "__main__":
    unittest.main()
