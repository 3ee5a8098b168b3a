#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever is wrong with a run's files is told in one line that names the file, and the line where there is one."""

import json
import pathlib
import tempfile
import unittest

import pandas
import setting  # noqa: F401  pylint: disable=unused-import
from gbflow_report import fields
from gbflow_results import Failure, bounded, files
from gbflow_results import versions

HEAD = "time_s,name,of,value\n"

# text of summary.json, what the message holds
BAD_SUMMARIES = [
    ("", "not JSON"),
    ("{", "not JSON"),
    ("[]", "schema is not"),
    ("[" * 100000, "nested too deeply"),
    ('{"schema": "gbflow-summary/2", "title": "\\ud800"}', "not JSON"),
    ('{"schema": "gbflow-summary/3"}', "schema is not"),
    ('{"schema": "gbflow-summary/2", "tcp": {}}', "tcp is no list"),
    ('{"schema": "gbflow-summary/2", "classes": []}', "classes is no object"),
    ('{"schema": "gbflow-summary/2", "classes": {"a": 1}}', "classes holds"),
    ('{"schema": "gbflow-summary/2", "ping": ["x"]}', "ping holds"),
    ('{"schema": "gbflow-summary/2", "duration_s": NaN}', "NaN is no number"),
]

# text of series.csv, what the message holds
BAD_SERIES = [
    ("", ":1: the first line"),
    ("time,name,of,value\n", ":1: the first line"),
    (HEAD + "1,rtt_s,a#1\n", ":2: 3 columns"),
    (HEAD + "1,rtt_s,a#1,2\n1,rtt_s,a#1,2,3\n", ":3: 5 columns"),
    (HEAD + "x,rtt_s,a#1,2\n", ":2: "),
    (HEAD + "1,rtt_s,a#1,nan\n", ":2: no finite number"),
    (HEAD + "inf,rtt_s,a#1,1\n", ":2: no finite number"),
    (HEAD + "\n", ":2: 0 columns"),
]


class Refused(unittest.TestCase):
    def walk(self, rows, read):
        for text, expected in rows:
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "file"
                path.write_text(text)
                with self.assertRaises(Failure) as caught:
                    read(path)
                self.assertIn(expected, str(caught.exception))
                self.assertTrue(str(caught.exception).startswith(str(path)))
                self.assertNotIn("\n", str(caught.exception))

    def test_summaries(self):
        self.walk(BAD_SUMMARIES, files.read_summary)

    def test_series(self):
        self.walk(BAD_SERIES, files.read_series)

    def test_what_is_no_text(self):
        for read in (files.read_summary, files.read_series):
            with self.subTest(read=read), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "file"
                path.write_bytes(b"\xff\xfe\x00")
                self.assertRaises(Failure, read, path)


def names_of(report):
    """(what holds it, name) of all fields and words of a report."""
    pairs = set()
    for path, field in fields.described()[report].items():
        parts = [part.removesuffix("[]") for part in path.split(".")]
        parts = parts[:-1] if field.get("words") else parts
        pairs |= set(zip(["", *parts], parts)) | {(parts[-1], word) for word in field.get("words", {})}
    return pairs


class Accepted(unittest.TestCase):
    def test_an_older_version_has_todays_names(self):
        """A name that several objects had is renamed in the right one only."""
        old = {"schema": "gbflow-summary/1", "drops": {"handover_full": 7}, "gn": {"asked": 5, "over_budget": 1},
               "workers": [{"gn": {"received": 3, "handed_over": 2, "taken_over": 1}, "npdu": {"joined": 8, "left": 9}}],
               "aqm": {"thp2": {"enqueue": {"asked": 4, "unmarkable": 1}}}, "cells": {"2": {"drops": {"other": 6}}}, "other": 1}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "summary.json"
            path.write_text(json.dumps(old))
            summary = files.read_summary(path)
        self.assertEqual({key: summary[key] for key in old}, {
            "schema": versions.SUMMARY_SCHEMA, "drops": {"xworker_full": 7}, "gn": {"answers_due": 5, "rate_limited": 1},
            "workers": [{"gn": {"received": 3, "steered_out": 2, "steered_in": 1}, "npdu": {"xworker_in": 8, "xworker_out": 9}}],
            "aqm": {"thp2": {"enqueue": {"offered": 4, "dropped_not_ect": 1}}}, "cells": {"2": {"drops": {"flushed": 6}}}, "other": 1})

    def test_new_names_are_the_programs_and_old_ones_are_not(self):
        every = {name for report in fields.described() for _, name in names_of(report)}
        for schema, names in versions.RENAMED.values():
            if schema == versions.BENCH_SCHEMA:  # not in `gbflow fields`; bench_report_test.py has a report of version 1
                continue
            report = schema.removeprefix("gbflow-").partition("/")[0]
            pairs = names_of(report)
            for old, new in names.items():
                parent, _, key = old.rpartition(".")
                with self.subTest(report=report, old=old):
                    self.assertIn(new, every)
                    self.assertEqual([pair for pair in pairs if pair[1] == key and parent in ("", pair[0])], [])

    def test_missing_and_null_sections_are_empty(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "summary.json"
            path.write_text(json.dumps({"schema": versions.SUMMARY_SCHEMA, "tcp": None}))
            summary = files.read_summary(path)
        self.assertEqual({name: summary[name] for name in files.SECTIONS},
                         {name: kind() for name, kind in files.SECTIONS.items()})

    def test_series_are_split_and_in_the_order_of_time(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "series.csv"
            path.write_text(HEAD + '3,rtt_s,a#1,30\n1,rtt_s,a#1,10\n2,rtt_s,b#1,5\n1,delay_s,"a, b thp2",0.5\n')
            series = files.read_series(path)
        self.assertEqual(series.curves_of("rtt_s")["a#1"].value.tolist(), [10, 30])
        self.assertEqual(series.curves_of("rtt_s")["b#1"].time_s.tolist(), [2])
        self.assertEqual(list(series.curves_of("delay_s")), ["a, b thp2"])
        self.assertEqual(series.curves_of("nothing"), {})

    def test_a_byte_order_mark_in_front_is_skipped(self):
        """As programs for tables and some editors write it; one in the middle is text."""
        mark = b"\xef\xbb\xbf"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file"
            path.write_bytes(mark + json.dumps({"schema": versions.SUMMARY_SCHEMA, "tcp": None}).encode())
            self.assertEqual(files.read_summary(path)["schema"], versions.SUMMARY_SCHEMA)
            path.write_bytes(mark + HEAD.encode() + b"3,rtt_s,a#1,30\n")
            self.assertEqual(files.read_series(path).curves_of("rtt_s")["a#1"].value.tolist(), [30])
            path.write_bytes(mark + b"a,b\n1," + mark + b"\n")
            self.assertEqual(list(bounded.lines(path)), ["a,b", "1,\ufeff"])
            self.assertEqual(list(pandas.read_csv(bounded.Table(path)).columns), ["a", "b"])

    def test_number_takes_numbers_only(self):
        table = {"a": {"b": 1.5, "c": "1.5", "d": True, "e": None}}
        self.assertEqual([files.number(table, "a", key) for key in "bcdef"], [1.5, None, None, None, None])
        self.assertIsNone(files.number(table, "a", "b", "c"))


if __name__ == "__main__":
    unittest.main()
