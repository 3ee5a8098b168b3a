# SPDX-License-Identifier: BSD-3-Clause
"""Packet flows of a scenario: created by the SGSN, announced by the BSS, and a mobile gets what its packet flow may have."""
import os
import unittest

import scenario
from gb_oracle import bssgp, gb, report

CREATE, CREATE_ACK = 0x51, 0x52
DOWNLOAD = 'traffic = { { download = { octets = "infinite" } } }'
CELL = 'pdchs = 4, flow_control = { bucket_time = "2 s", pfc = { rate = "RATE" } }'


class Pfc(scenario.Case):
    def flows(self, rate, name):
        """The summary, and how many PDUs of each kind were about packet flows."""
        result = self.play_text(scenario.text(duration="60 s", cells=CELL.replace("RATE", rate), mobiles=f'{{ name = "a", {DOWNLOAD} }}, '
                                              f'{{ name = "b", {DOWNLOAD} }}', rest='warmup = "20 s",'), "--pcap", name=name)
        kinds = [event.pdu.kind for event in gb.load(os.path.join(result.out, "gb.pcapng"), report.Report()) if event.pdu]
        return result.summary, {kind: kinds.count(kind) for kind in (CREATE, CREATE_ACK, bssgp.FC_PFC, bssgp.FC_PFC_ACK)}

    def test_rates(self):
        """Two mobiles share 48 kbit/s, and each has at most the rate of its packet flow."""
        for name, rate, kbps in (("slow", "8 kbit/s", 8), ("fast", "16 kbit/s", 16)):
            with self.subTest(name):
                summary, counts = self.flows(rate, name)
                self.assertEqual(set(counts.values()), {2}, counts)
                for row in summary["mobiles"]:
                    self.assertTrue(0.85 * kbps < row["goodput_bps"] / 1000 <= kbps, row["goodput_bps"])

    def test_without(self):
        """No packet flow is created where no cell has a bucket for it."""
        result = self.play_text(scenario.text(duration="20 s", cells="pdchs = 4", mobiles=f'{{ name = "a", {DOWNLOAD} }}'), "--pcap")
        kinds = {event.pdu.kind for event in gb.load(os.path.join(result.out, "gb.pcapng"), report.Report()) if event.pdu}
        self.assertEqual(kinds & {CREATE, bssgp.FC_PFC}, set())


if __name__ == "__main__":
    unittest.main()
