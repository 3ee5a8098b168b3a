# SPDX-License-Identifier: BSD-3-Clause
"""Phones of `gbflow emulate` at gbflow's own node and the real osmo-ggsn, with the real osmo-hlr where it authenticates."""
import unittest

import emulator
import hlr
import lab
import test_ggsn
import test_phones

TEXT = """return {
  nsei = 101,
  nsvcs = { { nsvci = 101, address = "198.51.100.2", sgsn_address = "198.51.100.1" } },
  cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 }, pdchs = 4, coding = "CS-4" } },
  phones = { imsi = "%(imsi)s", apn = "internet", attaches_per_s = 100, %(phones)s }
}
"""


class Case(test_ggsn.Case):
    def emulate(self, policy, phones, **values):
        self.open_ggsn()
        self.serve(gn_more=self.gn_more, mobiles="", more=test_phones.PHONES % policy, limit=64)
        for pattern in values.get("after", ()):
            self.node.wait_for(pattern)
        self.lab.add("ms")
        self.bss = emulator.Emulator(self.lab, TEXT, imsi=test_phones.IMSI, phones=phones)
        self.addCleanup(self.bss.kill)
        self.bss.wait_for("all [0-9]+ phones have a context")

    def stop(self):
        self.assertEqual(self.bss.stop(), 0)
        self.assertEqual(self.node.stop(), 0)
        return {row["name"]: row["count"] for row in self.bss.report["phone_counts"]}



class Phones(Case):
    def test_attach_and_activate(self):
        self.emulate('policy = "accept_all"', "count = 20")
        rows = self.node.show("subscribers")
        counts = self.stop()
        self.assertEqual([counts[name] for name in ("attached", "activated", "sent_attach_complete")], [20, 20, 20])
        phones = self.bss.report["phones"]
        self.assertEqual(sorted("5:" + phone["address"] for phone in phones), sorted(row["contexts"] for row in rows))
        self.assertEqual({(phone["state"], phone["session"]) for phone in phones}, {("registered", "active")})
        self.assertEqual((self.bss.report["phone_bad_frames"], self.bss.report["unknown_tlli"]), (0, 0))


class WithHlr(Case):
    def test_ciphered(self):
        """XOR keys, GEA/3 from the frame after the response on."""
        lab.need(self, hlr.missing())
        self.hlr = hlr.Hlr(self.lab, test_phones.IMSI, test_phones.KI)
        self.addCleanup(self.hlr.close)
        self.emulate('policy = "hlr", ciphering = { 3, 0 }, hlr = { address = "127.0.0.1" }',
                     f'count = 1, ki = "{test_phones.KI.hex()}"', after=["HLR 127.0.0.1: connected"])
        row = self.node.show("subscribers")[0]
        self.assertEqual(row["imsi"], test_phones.IMSI)
        self.node.wait_for("attached.*GEA/3")
        counts = self.stop()
        self.assertEqual((counts["challenged"], counts["activated"]), (1, 1))


if __name__ == "__main__":
    unittest.main()
