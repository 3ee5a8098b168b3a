#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The distribution of delays as text: where the letters stand, the axis, and files that have none."""

import contextlib
import io
import json
import unittest

import numpy
import setting
from gbflow_report import text_cdf
from gbflow_results import Failure


def rows_of(text):
    """Of each row its share and the columns of its signs."""
    found = {}
    for line in text.splitlines()[1:11]:
        share, cells = line.split("|")
        found[int(share.split()[0])] = {column: sign for column, sign in enumerate(cells) if sign != " "}
    return found


class TextCdf(setting.Case):
    def write(self, *rows, warmup_s=0):
        folder = self.folder / self.id().rpartition(".")[2]
        folder.mkdir()
        (folder / "series.csv").write_text("time_s,name,of,value\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
        (folder / "summary.json").write_text(json.dumps({"schema": "gbflow-summary/2", "warmup_s": warmup_s}), encoding="utf-8")
        return folder

    def test_shares(self):
        """Delays 0.1, 0.2, ... 1.0 s: each tenth is a twelfth of the sixty columns further, in twelve lines."""
        text = text_cdf.text({"anna": numpy.arange(1, 11) / 10})
        self.assertEqual(len(text.splitlines()), 12)
        self.assertEqual(rows_of(text), {10 * tenth: {6 * tenth: "a"} for tenth in range(1, 11)})
        self.assertEqual(text.splitlines()[-1].split(), ["0", "0.25", "0.5", "0.75", "1", "s"])

    def test_one_packet(self):
        text = text_cdf.text({"anna": numpy.array([2.0])})
        self.assertEqual(rows_of(text), {10 * tenth: {60: "a"} for tenth in range(1, 11)})

    def test_several(self):
        text = text_cdf.text({"anna": numpy.full(20, 0.5), "bert": numpy.array([0.5] * 10 + [1.0] * 10)})
        self.assertEqual(rows_of(text)[50], {30: "*"})
        self.assertEqual(rows_of(text)[60], {30: "a", 60: "b"})
        self.assertTrue(text.splitlines()[0].endswith(": a anna, b bert"))

    def test_beyond_the_axis(self):
        """One packet of a thousand takes a hundred times as long."""
        text = text_cdf.text({"anna": numpy.array([1.0] * 999 + [100.0])})
        self.assertEqual(rows_of(text)[100], {60: ">"})
        self.assertEqual(rows_of(text)[90], {60: "a"})

    def test_zero(self):
        self.assertEqual(rows_of(text_cdf.text({"anna": numpy.zeros(3)}))[100], {0: "a"})

    def test_file(self):
        folder = self.write("1,delay_s,anna thp2,0.5", "2,delay_s,anna background,1.5", "2,goodput_bps,anna,8000", "3,delay_s,bert thp2,1")
        self.assertEqual({name: list(values) for name, values in text_cdf.delays(folder / "series.csv").items()},
                         {"anna": [0.5, 1.5], "bert": [1.0]})

    def test_most_packets(self):
        folder = self.write(*(f"{at},delay_s,m{mobile} thp2,1" for mobile in range(12) for at in range(mobile + 1)))
        self.assertEqual(list(text_cdf.delays(folder / "series.csv")), [f"m{mobile}" for mobile in range(4, 12)])

    def test_without_delays(self):
        with self.assertRaisesRegex(Failure, "no packet was delivered"):
            text_cdf.write(self.write("1,goodput_bps,anna,8000"))

    def test_warmup(self):
        """Packets of the warm-up do not count, and the head line says so."""
        folder = self.write("1,delay_s,anna thp2,4", "10,delay_s,anna thp2,1", "11,delay_s,anna thp2,1", "9,delay_s,bert thp2,1", warmup_s=10)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            text_cdf.write(folder)
        self.assertIn("Share of the packets after the warm-up of 10 s that take at most this long: a anna\n", printed.getvalue())
        self.assertEqual(rows_of(printed.getvalue()), {10 * tenth: {60: "a"} for tenth in range(1, 11)})

    def test_warmup_only(self):
        with self.assertRaisesRegex(Failure, "no packet was delivered after the warm-up of 10 s"):
            text_cdf.write(self.write("1,delay_s,anna thp2,4", warmup_s=10))


if __name__ == "__main__":
    unittest.main()
