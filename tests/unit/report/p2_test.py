# SPDX-License-Identifier: BSD-3-Clause
"""P2's measures on small analyses."""
import pathlib
import tempfile
import unittest

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import p2, p2_cases

ROWS = "payload_octets,access_lost,internet_lost\n40000,0,0\n50000,2,1\n60000,1,1\n70000,0,3\n100,9,0\n"


def analysis(**more):
    return {"channel_rate_bps": {"bars": [[20000, 1], [21000, 2], [22000, 1], [33000, 3], [34000, 3]]}, **more}


class P2(unittest.TestCase):
    def test_bottleneck(self):
        """Of connections above 32 kB; a tie is the access side's."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "connections.csv"
            path.write_text(ROWS)
            self.assertEqual(p2_cases.bulk_bottleneck(path), {"none": 0.25, "access": 0.5, "internet": 0.25})

    def test_peaks(self):
        runs = {p2_cases.GPRS: analysis()}
        self.assertEqual((p2.peak(p2_cases.GPRS, 18e3, 27e3)(runs), p2.peak(p2_cases.GPRS, 29e3, 40e3)(runs)), (21.5, 34.0))
        self.assertEqual(p2.in_range(p2_cases.GPRS, (20e3, 22e3), (33e3, 34e3))(runs), 60)

    def test_nothing_measured(self):
        """A run without a period, and quotients of what is not there, have no value."""
        runs = {p2_cases.GPRS: {"channel_rate_bps": None, "table_3": {}, "setup_s": {"all": None}}}
        for measure in (p2.peak(p2_cases.GPRS, 0, 9e9), p2.in_range(p2_cases.GPRS, (0, 9e9)), p2.mode_s(p2_cases.GPRS),
                        p2.by(p2.goodput(p2_cases.GPRS, "sack"), p2.goodput(p2_cases.GPRS, "no_sack"))):
            self.assertIsNone(measure(runs))

    def test_commands(self):
        """A run with a capture, and its analysis at the hour of the case."""
        run, analyze = p2_cases.PEAK.commands(["run", "x.lua"], pathlib.Path("f"), 1)
        self.assertEqual((run, analyze[:2]), (["run", "x.lua", "--pcap=gi"], ["analyze", "f/gi.pcapng"]))
        self.assertIn("utc_offset_h=10", analyze)

    def test_rows(self):
        """Every row has its own name, and a reason for its band."""
        self.assertEqual(len({figure.name for figure in p2.FIGURES}), len(p2.FIGURES))
        self.assertTrue(all(figure.why and figure.band[0] < figure.band[1] for figure in p2.FIGURES))


if __name__ == "__main__":
    unittest.main()
