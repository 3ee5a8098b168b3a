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
import traffic


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

    def emulate(self, script="", cell_more=""):
        self.lab.ip(self.lab.names["ggsn"], "address", "add", test_ggsn.SERVER + "/32", "dev", "lo")
        self.open(ggsn.Ggsn(self.lab))
        self.open(hlr.Hlr(self.lab, test_phones.IMSI, test_phones.KI)).wait_for(".")
        self.open(osmo_sgsn.OsmoSgsn(self.lab))
        self.lab.add("ms")
        self.bss = emulator.Emulator(self.lab, test_emulate_phones.TEXT, imsi=test_phones.IMSI,
                                phones=f'ki = "{test_phones.KI.hex()}"{script}', cell_more=LARGE_BUCKETS + cell_more)
        self.addCleanup(self.bss.kill)
        self.bss.wait_for("all 1 phones have a context")

    def stop(self):
        """The phone's report and its counts."""
        self.assertEqual(self.bss.stop(), 0)
        self.assertEqual(self.bss.report["phone_bad_frames"], 0)
        return self.bss.report["phones"][0], {row["name"]: row["count"] for row in self.bss.report["phone_counts"]}

    def test_attach_and_activate(self):
        self.emulate()
        address = test_emulate_phones.addresses_of(self.lab)[0]
        test_emulate_phones.use(self.lab, address)
        phone, _ = self.stop()
        self.assertEqual((phone["state"], phone["session"]), ("registered", "active"))
        self.assertEqual(phone["address"], address)
        self.assertRegex(address, r"^10\.46\.0\.\d+$")
        test_emulate_phones.check_used(self, phone)

    def test_compression(self):
        """It accepts both entities, restores the phone's headers, and what it compresses itself comes whole."""
        self.emulate(", compression = { rfc1144 = { slots = 8 }, v42bis = {} }")
        address = test_emulate_phones.addresses_of(self.lab)[0]
        for side in ("ms", "ggsn"):
            lab.run(*self.lab.command(side, "sysctl", "-qw", "net.ipv4.tcp_timestamps=0"))
        page = b"".join(b"<tr><td>Line %d of a page</td><td>%d octets</td></tr>\n" % (i, i * i) for i in range(1000))
        traffic.fetch(self.lab, address, test_ggsn.SERVER, len(page), page)
        phone, _ = self.stop()
        counts = phone["compression"]
        self.assertEqual([counts[name] for name in ("accepted", "refused", "lost")], [2, 0, 0])
        self.assertLess(3 * counts["rfc1144"]["up"]["octets_after"], counts["rfc1144"]["up"]["octets_before"])
        self.assertLess(2 * counts["v42bis"]["down"]["octets_after"], counts["v42bis"]["down"]["octets_before"])
        self.assertGreater(counts["rfc1144"]["down"]["shorter"], counts["rfc1144"]["down"]["full"])

    def test_moves_within_an_area(self):
        more = test_emulate_phones.cells(', pdchs = 4, coding = "CS-4"' + LARGE_BUCKETS,
                                         test_emulate_phones.OTHER_CELLS[:1])
        self.emulate(", " + test_emulate_phones.MOVES, more)
        traffic.fetch(self.lab, test_emulate_phones.addresses_of(self.lab)[0], test_ggsn.SERVER, 60000)
        self.bss.wait_for("all 1 phones have played their script")
        phone, counts = self.stop()
        test_emulate_phones.check_moved(self, counts, updates=0)
        self.assertEqual((phone["state"], phone["session"], phone["bvci"]), ("registered", "active", 1800))

    def test_calls(self):
        self.emulate(", " + test_emulate_phones.CALLS)
        self.bss.wait_for("all 1 phones have played their script")
        traffic.ping(self.lab, "ms", test_emulate_phones.addresses_of(self.lab)[0], test_ggsn.SERVER)
        _, counts = self.stop()
        test_emulate_phones.check_called(self, counts)

    def test_leaves_and_comes_back(self):
        self.emulate(", " + test_emulate_phones.LEAVES)
        self.bss.wait_for("all 1 phones have played their script")
        test_emulate_phones.use(self.lab, test_emulate_phones.wait_for_address(self.lab))
        phone, counts = self.stop()
        test_emulate_phones.check_left(self, counts)
        self.assertEqual((phone["state"], phone["session"]), ("registered", "active"))


if __name__ == "__main__":
    unittest.main()
