#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Titles of axes and columns are made of the program's descriptors; there is none for what no report has."""

import pathlib
import unittest
import zipfile
from unittest import mock

import setting
import synthetic
from gbflow_report import compare, fields, page, run_page, sweep_story, traffic
from gbflow_results import Failure, files
from gbflow_report.run_plots import Run

# series, title and factor of its axis
AXES = [
    ("delay_s", "delay (s)", 1.0), ("goodput_bps", "goodput (kbit/s)", 1e-3), ("sgsn_backlog_octets", "SGSN backlog (kB)", 1e-3),
    ("bucket_level_octets", "bucket level (kB)", 1e-3), ("ping_rtt_s", "ping RTT (s)", 1.0), ("rtt_s", "RTT (s)", 1.0),
    ("air_utilisation", "air utilisation (%)", 100.0), ("npdu_drop", "N-PDUs drop", 1.0),
]

# path in the summary, title of its column, a word of what explains it
HEADS = [
    ("classes.CLASS.delay_s.p95", "delay p95 (s)", "95th percentile"), ("classes.CLASS.delay_s.p95", "delay p95 (s)", "emission"),
    ("classes.CLASS.goodput_bps.total", "goodput total (kbit/s)", "Payload"), ("classes.CLASS.mobiles", "mobiles", "class"),
    ("classes.CLASS.fairness.jain", "Jain's index", "goodputs"), ("classes.CLASS.npdu_in", "N-PDUs in", "received"),
    ("tcp[].octets", "octets", "payload"), ("tcp[].rtt_s.avg", "RTT mean (s)", "tcptrace"), ("cells.BVCI.drops.REASON", "drops", "BSS"),
    ("cells.BVCI.bss_queue_octets_max", "BSS queue max (octets)", "Most"),
]

# path in the summary, a value, how it is shown
TEXTS = [
    ("classes.CLASS.delay_s.p95", 1.2345, "1.234"), ("classes.CLASS.goodput_bps.total", 21000, "21.0"),
    ("classes.CLASS.octets_out", 21000, "21\u202f000"), ("classes.CLASS.share", 0.5, "0.500"), ("tcp[].timeouts", None, page.NONE),
]


class Fields(unittest.TestCase):
    def test_axes(self):
        for name, title, factor in AXES:
            self.assertEqual(fields.axis(name), (title, factor))

    def test_heads(self):
        for path, title, word in HEADS:
            head = fields.head("summary", path)
            self.assertEqual(head.text, title)
            self.assertIn(word, head.note)

    def test_texts(self):
        for path, value, text in TEXTS:
            self.assertEqual(fields.text_of("summary", path, value), text)

    def test_what_no_report_has(self):
        for report, path in (("summary", "classes.CLASS.delay"), ("nothing", "delay_s")):
            with self.assertRaises(KeyError):
                fields.field_of(report, path)

    def test_without_data_the_file_is_named(self):
        folder = pathlib.Path(setting.IMPORTED) / "without"
        with zipfile.ZipFile(setting.packed(setting.IMPORTED)) as archive:
            archive.extractall(folder)
        (folder / "gbflow_report" / "fields.json").unlink()
        done = setting.call("-c", "from gbflow_report import fields; fields.field_of('summary', 'seed')", cwd=folder)
        self.assertIn(f"{Failure.__name__}: fields.json is missing", done.stderr)

    def test_columns_explain_themselves(self):
        """The tables of a run have the descriptors' sentences, and the reasons of drops that it had their causes."""
        run = Run(synthetic.summary(), files.Series({}))
        text = page.table_html(run_page.packets(run)) + page.table_html(run_page.cells(run))
        for path in ("classes.CLASS.npdu_in", "classes.CLASS.sojourn_s", "cells.BVCI.bss_queue_octets_max"):
            self.assertIn(page.escape(fields.field_of("summary", path).sentence), text)
        terms = dict(run_page.terms(run))
        words = fields.field_of("summary", "classes.CLASS.drops.REASON").words
        self.assertEqual(terms["dropped in the SGSN: queue_full"], words["queue_full"])
        self.assertNotIn("dropped in the SGSN: aqm", terms)
        self.assertIn("dropped by the BSS: lifetime", terms)

    def test_lists_of_traffic(self):
        """All that the program has; one without a row of its own has a table on the page of a run, and its name in words."""
        self.assertEqual(list(traffic.lists()), ["tcp", "servers", "pages", "ping", "datagrams", "requests", "scripts"])
        self.assertEqual([name for name in traffic.lists() if not traffic.items(name).is_tabled], list(traffic.ROWS))
        record, text, count = ({"kind": kind, "unit": unit, "sentence": sentence} for kind, unit, sentence in (
            ("record", "", "A beacon item."), ("label", "", "Name of the mobile."), ("counter", "octets", "Octets received.")))
        more = {"beacon[]": record, "beacon[].mobile": text, "beacon[].octets": count}
        summary = {"tcp": [{"mobile": "anna", "octets": 3}], "ping": [{"mobile": "carl", "sent": 1}],
                   "beacon": [{"mobile": "berta", "octets": 1500}, 5]}
        self.assertEqual((traffic.mobiles(summary), traffic.mobiles(summary, "octets")), ({"anna", "carl"}, {"anna"}))
        self.assertEqual(traffic.tables(summary), [])
        described = fields.described()["summary"]
        with mock.patch.object(fields, "described", lambda: {"summary": {**described, **more}}):
            for function in (fields.patterns, traffic.lists):
                function.cache_clear()
                self.addCleanup(function.cache_clear)
            self.assertEqual(traffic.mobiles(summary), {"anna", "berta", "carl"})
            table, = traffic.tables(summary)
            self.assertEqual((table.caption, [head.text for head in table.head], table.rows),
                             ("A beacon item.", ["mobile", "octets"], [["berta", "1\u202f500"]]))
            self.assertEqual([sweep_story.name_of(figure) for figure in ("beacon.berta.octets", "ping.carl.sent", "tcp.anna#0.octets")],
                             ["beacon octets of berta", "ping sent of carl", "octets of anna#0"])
            self.assertFalse(compare.is_asked("beacon.berta.octets", (), False))


if __name__ == "__main__":
    unittest.main()
