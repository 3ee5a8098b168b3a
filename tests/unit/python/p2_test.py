# SPDX-License-Identifier: BSD-3-Clause
"""P2's measures on small analyses."""
import pathlib
import re
import tempfile
import unittest

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import p2

ROWS = "payload_octets,access_lost,internet_lost\n40000,0,0\n50000,2,1\n60000,1,1\n70000,0,3\n100,9,0\n"


def analysis(**more):
    return {"channel_rate_bps": {"bars": [[20000, 1], [21000, 2], [22000, 1], [33000, 3], [34000, 3]]}, **more}


class P2(unittest.TestCase):
    def test_bottleneck(self):
        """Of connections above 32 kB; a tie is the access side's."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "connections.csv"
            path.write_text(ROWS)
            self.assertEqual(p2.bottleneck(path, p2.BULK_OCTETS), {"none": 0.25, "access": 0.5, "internet": 0.25})
            self.assertEqual(p2.bottleneck(path, 0), {"none": 0.2, "access": 0.6, "internet": 0.2})

    def test_truth(self):
        rows = [{"sent": 100, "internet_lost": 4, "passed": 96, "access_lost": 0}, {"sent": 104, "internet_lost": 0, "passed": 104, "access_lost": 2}]
        self.assertEqual(p2.true_losses({"connections": rows}), {"internet": 4 / 204, "access": 0.01})
        self.assertEqual(p2.true_losses({"connections": []}), {})

    def test_terminals(self):
        """Half of the readers have SACK, as many of each kind of terminal as the case says."""
        values = [setting.endswith("=true") for setting in p2.terminals()]
        self.assertEqual((len(values), sum(values), sum(values[1::2])), (p2.READERS, p2.READERS // 2, p2.THREE_SLOTS_SACK))
        self.assertEqual(len(set(p2.terminals())), p2.READERS)

    def test_clusters(self):
        """Pairs that differ in one parameter only; clusters of few samples do not count."""
        def row(window, sack, mean, count=10):
            return {"window": window, "sack": sack, "mss": "low", "timestamp": False, "goodput_bps": {"mean": mean, "count": count}}
        runs = {p2.GPRS: {"clusters": [row("low", True, 5), row("low", False, 4), row("medium", True, 3), row("medium", False, 4),
                                             row("high", True, 9), row("high", False, 1, 9)], "table_3": {"overall": {"mean": 2}}}}
        self.assertEqual(p2.clusters_above(p2.GPRS, "sack", (True, False), ("window", "mss"))(runs), 50)
        self.assertIsNone(p2.clusters_above(p2.GPRS, "mss", ("high", "low"), ("window", "sack"))(runs))
        self.assertEqual(p2.merged(runs[p2.GPRS]["clusters"], ("sack",))[(False,)], (29, (40 + 40 + 9) / 29))
        self.assertIsNone(p2.best_cluster(runs))

    def test_causes(self):
        """A cause names rows and cases that are there."""
        names = {figure.name for figure in p2.FIGURES}
        for figure in p2.FIGURES:
            for word in re.findall(r"p2-[a-z0-9-]+", figure.cause):
                self.assertIn(word, names, figure.name)

    def test_tail(self):
        bars = {"optimal_background": [[1, 9], [2, 3]], "slight_background": [[3, 3]], "optimal_alone": [[1.9, 9]], "slight_alone": [[4, 2]]}
        runs = {p2.GPRS: {"setup_s": {name: {"bars": found} for name, found in bars.items()}}}
        self.assertEqual(p2.tail_with_background(runs), 75)

    def test_peaks(self):
        runs = {p2.GPRS: analysis()}
        self.assertEqual((p2.peak(p2.GPRS, 18e3, 27e3)(runs), p2.peak(p2.GPRS, 29e3, 40e3)(runs)), (21.5, 34.0))
        self.assertEqual(p2.in_range(p2.GPRS, (20e3, 22e3), (33e3, 34e3))(runs), 60)

    def test_nothing_measured(self):
        """A run without a period, and quotients of what is not there, have no value."""
        runs = {p2.GPRS: {"channel_rate_bps": None, "table_3": {}, "setup_s": {"all": None}}}
        for measure in (p2.peak(p2.GPRS, 0, 9e9), p2.in_range(p2.GPRS, (0, 9e9)), p2.mode_s(p2.GPRS),
                        p2.compared(p2.goodput(p2.GPRS, "sack"), p2.goodput(p2.GPRS, "no_sack"))):
            self.assertIsNone(measure(runs))

    def test_commands(self):
        """A run with a capture, and its analysis at the hour of the case."""
        run, analyze = p2.PEAK.commands(["run", "x.lua"], pathlib.Path("f"), 1)
        self.assertEqual((run, analyze[:2]), (["run", "x.lua", "--pcap=gi"], ["analyze", "f/gi.pcapng"]))
        self.assertIn("utc_offset_h=10", analyze)

    def test_rows(self):
        """Every row has its own name, and a reason for its band."""
        self.assertEqual(len({figure.name for figure in p2.FIGURES}), len(p2.FIGURES))
        self.assertTrue(all(figure.why and figure.band[0] < figure.band[1] for figure in p2.FIGURES))


if __name__ == "__main__":
    unittest.main()
