# SPDX-License-Identifier: BSD-3-Clause
"""A phone of `gbflow emulate` at the real osmo-sgsn, osmo-hlr and osmo-ggsn."""
import unittest

import emulator
import ggsn
import hlr
import lab
import osmo_sgsn
import test_emulate_phones
import test_phones


class OsmoSgsn(unittest.TestCase):
    def setUp(self):
        lab.need(self, ggsn.missing() or hlr.missing() or osmo_sgsn.missing())
        self.lab = lab.Lab()
        self.addCleanup(self.lab.close)

    def open(self, part):
        self.addCleanup(part.close)
        return part

    def test_attach_and_activate(self):
        self.open(ggsn.Ggsn(self.lab))
        self.open(hlr.Hlr(self.lab, test_phones.IMSI, test_phones.KI)).wait_for(".")
        self.open(osmo_sgsn.OsmoSgsn(self.lab))
        self.lab.add("ms")
        bss = emulator.Emulator(self.lab, test_emulate_phones.TEXT, imsi=test_phones.IMSI,
                                phones=f'ki = "{test_phones.KI.hex()}"')
        self.addCleanup(bss.kill)
        bss.wait_for("all 1 phones have a context")
        self.assertEqual(bss.stop(), 0)
        phone = bss.report["phones"][0]
        self.assertEqual((phone["state"], phone["session"]), ("registered", "active"))
        self.assertRegex(phone["address"], r"^10\.46\.0\.\d+$")
        self.assertEqual(bss.report["phone_bad_frames"], 0)


if __name__ == "__main__":
    unittest.main()
