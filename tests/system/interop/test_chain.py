#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Phones that attach through the real osmo-pcu: phone - BTS - osmo-pcu - gbflow - osmo-hlr and osmo-ggsn, all of it real but the radio."""
import time
import unittest

import users
import ggsn
import hlr
import lab
import phone_peer
import sniffer
from handset import Handset
from pcuif import Cell

KI, PING_S = bytes(range(16)), 20
PHONES = """, phones = { policy = "hlr", ciphering = { %(ciphering)s }, hlr = { address = "127.0.0.1" },
  apns = { { name = "internet", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2" } } }"""


class Case(users.Case):
    phones_wanted, pcu_values, ciphering = 1, {"scheme": 4}, "0"

    def skip_where_it_cannot_run(self):
        super().skip_where_it_cannot_run()
        self.skip_for(hlr.missing())

    @staticmethod
    def make_phone(number):
        return Handset(number, KI, Cell().area())

    def bring_up(self):
        self.ear = sniffer.Sniffer(self.lab, "ggsn", "gn1")
        self.addCleanup(self.ear.close)
        self.lab.ip(self.lab.names["ggsn"], "address", "add", users.SERVER + "/32", "dev", "lo")
        self.far = ggsn.Ggsn(self.lab)
        self.addCleanup(self.far.close)
        self.hlr = hlr.Hlr(self.lab, self.phones[0].imsi, KI)
        self.addCleanup(self.hlr.close)
        self.serve(mobiles="", more=PHONES % {"ciphering": self.ciphering})
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.start_bts()
        self.start_pcu()
        self.wait_for_cell()

    def mobile_text(self, phone):
        return ""

    def attach(self, phone):
        """Authenticated by the HLR, and with a context of the GGSN; its user is the kernel then."""
        phone.attach_fully()
        address = phone.activate()
        self.open_users({phone.imsi: address})

    def check_ping(self, phone, wanted=5):
        """Kernel to kernel; returns the median of the round trips."""
        ping, end = self.ping(phone), time.monotonic() + PING_S
        while len(ping.rtts_s) < wanted and time.monotonic() < end:
            time.sleep(0.05)
        self.assertGreaterEqual(len(ping.rtts_s), wanted, len(ping.sent))
        ping.close()
        return sorted(ping.rtts_s.values())[len(ping.rtts_s) // 2]

    def finish(self, accounted=True):
        for phone in self.phones:
            self.assertEqual(phone.faults + [phone.user.faults], [0])
        super().finish(accounted)
        self.assertEqual(self.ear.faults(), [])

    def _from_user(self, packet):
        for phone in self.phones:
            phone.send_packet(packet)


class Chain(Case):
    def test_attach_activate_ping_detach(self):
        self.bring_up()
        phone = self.phones[0]
        self.attach(phone)
        self.check_ping(phone)
        self.assertEqual(self.hlr.sgsn_of(phone.imsi)[0], "SGSN-gbflow")
        phone.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 1]))
        phone.expect(phone_peer.GMM, phone_peer.DETACH_ACCEPT)
        self.node.show_until("ms", lambda rows: rows == [])
        self.finish()


if __name__ == "__main__":
    unittest.main()
