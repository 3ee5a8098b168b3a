# SPDX-License-Identifier: BSD-3-Clause
"""Announcements by OsmoPCU's formula, as the Gb capture has them: what the air carried, and what nobody asked for."""
import os
import statistics
import unittest

import scenario
from gb_oracle import bssgp, gb, report

PDCHS, BLOCK_OCTETS, SECONDS = 4, 30, 60
MOST_BPS = PDCHS * BLOCK_OCTETS * 8 * 50
POLICY = 'pdchs = 4, window = 2048, flow_control = { policy = "osmo_pcu", bucket_time = "10 s", MORE }, bler = "BLER"'
DOWNLOAD = '{ download = { octets = "infinite", start = "10 s" } }'
PING = '{ ping = { octets = "100 octets", every = "2 s", start = "10 s" } }'


class Measured(scenario.Case):
    def announced(self, bler, traffic, more="", name="run"):
        """(time_s, octets, bit/s, a mobile's octets and bit/s) of each FLOW-CONTROL-BVC after the first seconds."""
        result = self.play_text(scenario.text(
            duration=f"{SECONDS} s", cells=POLICY.replace("BLER", bler).replace("MORE", more),
            mobiles=f'{{ name = "a", traffic = {{ {traffic} }} }}'), "--pcap", name=name)
        rows = []
        for event in gb.load(os.path.join(result.out, "gb.pcapng"), report.Report()):
            if event.pdu and event.pdu.kind == bssgp.FC_BVC:
                rows.append((event.time_ns / 1e9 - 1, *map(event.pdu.scaled, (
                    bssgp.BVC_BUCKET, bssgp.LEAK_RATE, bssgp.BMAX_MS_DEFAULT, bssgp.RATE_MS_DEFAULT))))
        return rows

    def rates(self, rows, from_s):
        return [bps for at_s, _, bps, _, _ in rows if at_s >= from_s]

    def check(self, rows):
        """Once a second; the bucket is what the rate brings in ten; a mobile's are never measured."""
        self.assertGreaterEqual(len(rows), SECONDS)
        self.assertEqual({row[3:] for row in rows}, {(MOST_BPS * 10 // 8, MOST_BPS)})
        for _, octets, bps, _, _ in rows:
            self.assertAlmostEqual(octets, bps * 10 / 8, delta=200)
        self.assertEqual({bps for at_s, _, bps, _, _ in rows if at_s < 10}, {MOST_BPS})

    def test_good_air(self):
        rows = self.announced("0 %", DOWNLOAD)
        self.check(rows)
        self.assertEqual(set(self.rates(rows, 0)), {MOST_BPS})

    def test_bad_air(self):
        """A full cell: R falls to what arrives, 70 and 50 %."""
        for bler in (30, 50):
            with self.subTest(bler=bler):
                rows = self.announced(f"{bler} %", DOWNLOAD, name=f"run{bler}")
                self.check(rows)
                mean_bps = statistics.mean(self.rates(rows, 20))
                print(f"{bler} % of the blocks are bad: R is {mean_bps:.0f} of {MOST_BPS} bit/s")
                self.assertAlmostEqual(mean_bps / (MOST_BPS * (1 - bler / 100)), 1, delta=0.05)

    def test_little_traffic(self):
        """Bad blocks of a cell that is hardly used count as little as it is used."""
        rates = self.rates(self.announced("50 %", PING), 20)
        self.assertLess(min(rates), MOST_BPS)
        self.assertGreater(statistics.mean(rates), 0.9 * MOST_BPS)

    def test_period(self):
        rows = self.announced("0 %", DOWNLOAD, 'every = "10 s"')
        self.assertEqual(len(rows), 1 + SECONDS // 10)


if __name__ == "__main__":
    unittest.main()
