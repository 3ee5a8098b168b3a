# SPDX-License-Identifier: BSD-3-Clause
"""A phone of `gbflow emulate` at the real osmo-sgsn, osmo-hlr and osmo-ggsn."""
import unittest

import emulator
import ggsn
import hlr
import lab
import osmo_sgsn
import test_emulate_phones
import test_ggsn
import test_phones


# osmo-sgsn 1.9 sends short frames ahead of the longer ones that its buckets hold back, and N-PDUs lose their segments.
LARGE_BUCKETS = (', flow_control = { bvc = { bucket = "500 kB", rate = "5 Mbit/s" }, '
                 'ms_default = { bucket = "500 kB", rate = "5 Mbit/s" } }')


class OsmoSgsn(unittest.TestCase):
    def setUp(self):
        lab.need(self, ggsn.missing() or hlr.missing() or osmo_sgsn.missing())
        self.lab = lab.Lab()
        self.addCleanup(self.lab.close)

    def open(self, part):
        self.addCleanup(part.close)
        return part

    def test_attach_and_activate(self):
        self.lab.ip(self.lab.names["ggsn"], "address", "add", test_ggsn.SERVER + "/32", "dev", "lo")
        self.open(ggsn.Ggsn(self.lab))
        self.open(hlr.Hlr(self.lab, test_phones.IMSI, test_phones.KI)).wait_for(".")
        self.open(osmo_sgsn.OsmoSgsn(self.lab))
        self.lab.add("ms")
        bss = emulator.Emulator(self.lab, test_emulate_phones.TEXT, imsi=test_phones.IMSI,
                                phones=f'ki = "{test_phones.KI.hex()}"', cell_more=LARGE_BUCKETS)
        self.addCleanup(bss.kill)
        bss.wait_for("all 1 phones have a context")
        address = test_emulate_phones.addresses_of(self.lab)[0]
        test_emulate_phones.use(self.lab, address)
        self.assertEqual(bss.stop(), 0)
        phone = bss.report["phones"][0]
        self.assertEqual((phone["state"], phone["session"]), ("registered", "active"))
        self.assertEqual(phone["address"], address)
        self.assertRegex(address, r"^10\.46\.0\.\d+$")
        test_emulate_phones.check_used(self, phone)
        self.assertEqual(bss.report["phone_bad_frames"], 0)


if __name__ == "__main__":
    unittest.main()
