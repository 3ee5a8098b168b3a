# SPDX-License-Identifier: BSD-3-Clause
"""Captures of real programs: the kernel's TCP behind a real GGSN, with a shaper behind the monitor.

gi-osmo-ggsn.pcap.gz has the first 100 octets of each packet. The downlink of mobiles 1, 2 and 4 was shaped to what are
32.1, 45.3 and 113.4 kbit/s of IP octets; 17, 15, 0 and 22 packets of mobiles 1 to 4 were dropped there, a ping's
among them.
"""
import unittest

import program

RATES_BPS = {"10.45.0.1": 32100, "10.45.0.2": 45300, "10.45.0.4": 113400}
DROPS = {"10.45.0.1": (16, 17), "10.45.0.2": (15, 15), "10.45.0.3": (0, 0), "10.45.0.4": (22, 22)}


class Real(program.Case):
    def test_gi(self):
        found, rows = self.analyze(program.GI)
        mobiles = found["mobiles"]
        for address, rate_bps in RATES_BPS.items():
            self.assertAlmostEqual(mobiles[address]["channel_rate_bps"]["median"] / rate_bps, 1, delta=0.1)
        self.assertIsNone(mobiles["10.45.0.3"]["channel_rate_bps"])
        for address, (least, most) in DROPS.items():
            lost = sum(int(row["access_lost"]) for row in rows if row["mobile"] == address)
            self.assertTrue(least <= lost <= most, f"{address}: {lost}")
        self.assertEqual(found["connections"], 87)
        self.assertEqual(found["loss"]["internet_lost"], 0)
        self.assertEqual(found["tree"]["optimal"]["count"], 87)
        self.assertTrue(found["capture"]["is_complete"])

    def test_gn(self):
        """Outer fragments; mobiles are known from GTP-C."""
        found, _ = self.analyze(program.GN)
        self.assertEqual(sorted(found["mobiles"]), [f"10.45.0.{number}" for number in range(1, 5)])
        self.assertEqual(found["connections"], 96)
        gtp = found["capture"]["gtp"]
        self.assertEqual((gtp["incomplete"], gtp["unreadable"]), (0, 0))
        self.assertGreater(gtp["fragments"], 100)
        self.assertEqual(found["loss"]["access_lost"], 0)


if __name__ == "__main__":
    unittest.main()
