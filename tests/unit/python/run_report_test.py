#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report.html of one run: every plot and table, one file that needs nothing else, the same octets each time."""

import json
import os
import re
import unittest

import setting
import synthetic

PLOTS = ["delay-cdf", "delay-time", "throughput", "backlog", "bucket-level", "air-utilisation", "drops", "ping-rtt", "page-times", "first-objects", "rtt",
         "sequence-anna-1", "sequence-berta-1"]

# names of the series that are taken away, plots that go with them, what the page then says
MISSING = [
    (["ping_rtt_s"], ["ping-rtt"], "no data for ping round-trip times"),
    (["delay_s"], ["delay-cdf", "delay-time"], "no data for delay distribution, delay over time"),
    (["goodput_bps"], ["throughput"], "no data for throughput"),
    (["sgsn_backlog_octets"], [], None),
    (["sgsn_backlog_octets", "bss_backlog_octets"], ["backlog"], "no data for backlog"),
    (["bucket_level_octets"], ["bucket-level"], "no data for bucket levels"),
    (["air_utilisation"], ["air-utilisation"], "no data for air utilisation"),
    (["npdu_drop"], ["drops"], "no data for drops"),
    (["rtt_s"], ["rtt"], "no data for TCP round-trip times"),
    (["sent_octets", "acked_octets"], PLOTS[-2:], "no data for TCP sequence plots"),
    (["acked_octets", "retransmitted_octets"], [], None),
]

TEXTS = ["Quick start & <friends>", "config/scenarios/quickstart.lua", "cells[1].tbf.setup", "100-400 ms", "on = true, ms = 1, 2", "31 (lifetime 31)",
         "12 (lifetime 10, queue_full 2)", "118 of 119", "agrees", "off by -1", "300 000", "93 %"]

# A run of 100 s after the warm-up in which a class sends 1000 octets a second and 500 of them are in the BSS at any time, so each
# is there for 0.5 s: mean delay, mean sojourn, and what the sentence says
STORIES = [
    (2.0, 1.2, "Most of the delay of class thp2 was in the SGSN's queue: of 2.00 s on average, 1.20 s in the SGSN's queue, 0.50 s "
               "in the BSS, 0.30 s on the air and the links"),
    (0.8, 0.05, "was in the BSS: of 0.80 s on average, 0.050 s in the SGSN's queue, 0.50 s in the BSS, 0.25 s on the air"),
    (1.5, 0.1, "was on the air and the links: of 1.50 s on average, 0.10 s in the SGSN's queue, 0.50 s in the BSS, 0.90 s on"),
    (0.4, 0.1, "0.10 s in the SGSN's queue, 0.30 s in the BSS and on the air (time"),
    (None, 0.1, None),
    (1.0, None, None),
]


class Report(setting.Case):
    def run_folder(self, name, drop=(), **changes):
        folder = synthetic.write(self.folder / name)
        summary = {**synthetic.summary(), **changes}
        (folder / "summary.json").write_text(json.dumps(summary))
        synthetic.write_series(folder / "series.csv", [row for row in synthetic.rows() if row[1] not in drop])
        return folder

    def page_of(self, folder):
        done = setting.warm(self.pyz, "run", folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.strip(), str(folder / "report.html"))
        page = setting.Page((folder / "report.html").read_text())
        self.assertEqual(page.faults, [])
        self.assertEqual(page.plots, len(page.figures))
        return page

    def test_every_plot_and_word(self):
        page = self.page_of(self.run_folder("whole"))
        self.assertEqual(page.figures, PLOTS)
        self.assertNotIn("no data for", page.text)
        for text in TEXTS:
            self.assertIn(text, page.text)

    def test_what_has_no_data_is_named_and_not_drawn(self):
        for index, (drop, gone, sentence) in enumerate(setting.some(MISSING, 4)):
            with self.subTest(drop=drop):
                page = self.page_of(self.run_folder(f"missing{index}", drop))
                self.assertEqual(page.figures, [name for name in PLOTS if name not in gone])
                self.assertEqual(sentence is not None, "no data for" in page.text)
                self.assertIn(sentence or "", page.text)

    def test_sentences_say_where_the_delay_was(self):
        for index, (delay_s, sojourn_s, words) in enumerate(setting.some(STORIES, 3)):
            folder = self.run_folder(f"story{index}", duration_s=110, warmup_s=10, mobiles=[{"mobile": "anna", "class": "thp2"}],
                                     classes={"thp2": {"octets_out": 100000, "delay_s": {"mean": delay_s},
                                                       "sojourn_s": {"mean": sojourn_s}}})
            synthetic.write_series(folder / "series.csv", [(at, "bss_backlog_octets", "anna", 500 if at >= 10 else 9e6)
                                                           for at in range(111)])
            with self.subTest(delay_s=delay_s, sojourn_s=sojourn_s):
                text = self.page_of(folder).text
                self.assertEqual(words is not None, "Most of the delay" in text)
                self.assertIn(words or "", text)

    def test_sentences_link_to_plots_of_the_page(self):
        folder = self.run_folder("links", drop=["npdu_drop"], mobiles=[
            {"mobile": "anna", "class": "background", "delay_s": {"p50": 1.4, "p95": 2.8}},
            {"mobile": "berta", "class": "thp2", "delay_s": {"p50": None}}],
            ping=[{"mobile": "anna", "rtt_s": {"p50": 1.38}}, {"mobile": "carla", "rtt_s": {"p50": 0.5}}])
        text = self.page_of(folder).text
        for words in ("anna has the longest delays: half of the packets take at least 1.40 s, 95 % at most 2.80 s. Plot",
                      "A ping of anna takes 1.38 s (median) beside anna's own TCP; one of carla, who has no TCP, 0.50 s. Plot",
                      "Cell 2 used 93 % of its downlink radio blocks: the cell is full, so packets wait for the air. Plot",
                      "the SGSN dropped 24 (1.2 %), the BSS 3 (0.1 %). Summary"):
            self.assertIn(words, text)

    def test_tops_of_buckets(self):
        """Bmax has a line, of equal buckets one; an older run without it has none."""
        text = self.page_of(self.run_folder("tops")).text
        self.assertIn("Lines of single dots, far apart, are their tops, Bmax.", text)
        self.assertNotIn("Bmax", self.page_of(self.run_folder("old", drop=["bucket_max_octets"])).text)

    def test_a_sentence_on_repetitions(self):
        """With links in acknowledged mode alone."""
        workers = [{"worker": i, "frames": 500, "repeated": 40 + i, "abandoned": i} for i in range(2)]
        mobiles = {"i_frames": 300, "repeated": 7, "abandoned": 2}
        words = "LLC in acknowledged mode repeated 81 of 1 000 downlink frames (8.1 %) and 7 of 300 uplink I frames; 3 N-PDUs were given up."
        rows = ((workers, mobiles, words), (workers[:1], {**mobiles, "abandoned": 0}, "no N-PDU was given up."), ([], {}, None))
        for index, (down, up, expected) in enumerate(rows):
            with self.subTest(expected=expected):
                text = self.page_of(self.run_folder(f"repeated{index}", acknowledged=down, acknowledged_mobiles=up)).text
                self.assertEqual(expected is not None, "acknowledged mode repeated" in text)
                self.assertIn(expected or "", text)

    def test_a_run_in_which_nothing_happened(self):
        nothing = {name: None for name in synthetic.summary() if name != "schema"}
        folder = self.run_folder("nothing", **nothing)
        synthetic.write_series(folder / "series.csv", [])
        page = self.page_of(folder)
        self.assertEqual(page.figures, [])

    def test_groups(self):
        """Below the classes; without groups the table is of classes."""
        rows = (({}, False), ({"groups": {"meter": synthetic.class_row(8, 0.6, True)}}, True))
        for index, (groups, expected) in enumerate(rows):
            text = self.page_of(self.run_folder(f"groups{index}", **groups)).text
            self.assertEqual(text.count("class or group mobiles"), 1 if expected else 0)
            self.assertEqual(len(re.findall(r"\bmeter 8\b", text)), 1 if expected else 0)
            self.assertEqual(text.count("users that wait"), 1)

    def test_cell_reselections(self):
        """A table of mobiles that move; none without such mobiles."""
        moved = {"mobiles": 96, "crossings": 2322, "reselections": 2082, "area_changes": 479, "without_cell": 0.0327,
                 **{name: {"mean": mean, "p95": p95} for name, mean, p95 in (("gap_s", 1.808, 3.245), ("outage_s", 2.157, None))}}
        page = self.page_of(self.run_folder("moved", reselection=moved))
        for text in ("Cell reselections.", "96 2 322 2 082 479 1.808 3.245 2.157 3.3"):
            self.assertIn(text, page.text)
        self.assertNotIn("Cell reselections.", self.page_of(self.run_folder("plain")).text)

    def test_compression(self):
        """A table and a sentence with mobiles that offer it; a refused offer has a sentence alone; without, neither."""
        none = {"npdus": 0, "shorter": 0, "full": 0, "octets_before": 0, "octets_after": 0, "lost": 0}
        down = {"npdus": 1200, "shorter": 1100, "full": 4, "octets_before": 400000, "octets_after": 300000, "lost": 2}
        up = {**down, "npdus": 700, "octets_after": 100000}
        offers = {"offers": 2, "unanswered": 0, "accepted": 1, "refused": 1, "lost": 0}
        page = self.page_of(self.run_folder("packed", compression_mobiles={
            **offers, "rfc1144": {"down": down, "up": up}, "v42bis": {"down": none, "up": none}}))
        for text in ("rfc1144 downlink 1 200 1 100 4 400 000 300 000 2 25.0", "rfc1144 uplink 700 1 100 4 400 000 100 000 2 75.0",
                     "accepted 1 offered entities, refused 1, and left 0 offers unanswered; saved octets of N-PDUs: rfc1144 25.0 % of the "
                     "downlink, rfc1144 75.0 % of the uplink."):
            self.assertIn(text, page.text)
        self.assertNotIn("v42bis downlink", page.text)
        refused = self.page_of(self.run_folder("refused", compression_mobiles={
            **offers, "accepted": 0, **{kind: {"down": none, "up": none} for kind in ("rfc1144", "v42bis")}}))
        self.assertIn("accepted 0 offered entities, refused 1, and left 0 offers unanswered.", refused.text)
        self.assertNotIn("SNDCP compression at all mobiles", refused.text)
        self.assertNotIn("compression", self.page_of(self.run_folder("without")).text)

    def test_equal_input_gives_equal_octets(self):
        first, second = self.run_folder("first"), self.run_folder("second")
        settings = self.folder / "settings"
        settings.mkdir()
        (settings / "matplotlibrc").write_text("lines.linewidth: 9\naxes.facecolor: black\n")
        self.page_of(first)
        done = setting.call(self.pyz, "run", second, MATPLOTLIBRC=str(settings), TZ="Asia/Tokyo", PYTHONHASHSEED="7",
                            LC_ALL="C", SOURCE_DATE_EPOCH="1")
        self.assertEqual(done.returncode, 0)
        self.assertEqual((first / "report.html").read_bytes(), (second / "report.html").read_bytes())

    def test_other_input_gives_other_octets(self):
        first, second = synthetic.write(self.folder / "seed1", 1), synthetic.write(self.folder / "seed2", 2)
        self.page_of(first), self.page_of(second)
        self.assertNotEqual((first / "report.html").read_bytes(), (second / "report.html").read_bytes())

    def test_many_mobiles_many_connections_many_points(self):
        """A page stays a page: curves are limited and said to be, points are thinned."""
        rows = [(step * 0.01, name, f"m{mobile}{suffix}", step % 97 + mobile)
                for mobile in range(20) for step in range(2000)
                for name, suffix in (("delay_s", " thp3"), ("rtt_s", "#1"), ("sent_octets", "#1"), ("goodput_bps", ""),
                                     ("sgsn_backlog_octets", ""), ("ping_rtt_s", ""))]
        folder = self.run_folder("many", tcp=[], pages=[], ping=[])
        synthetic.write_series(folder / "series.csv", rows)
        page = self.page_of(folder)
        self.assertEqual(len([name for name in page.figures if name.startswith("sequence-")]), 6)
        self.assertIn("Drawn are the 7 of 20 with the highest peaks.", page.text)
        self.assertIn("The other 14 connections carried less", page.text)
        self.assertIn("Packets and pings per mobile. 20 rows.", page.text)
        self.assertIn("the band reaches from the smallest to the largest", page.text)
        self.assertLess((folder / "report.html").stat().st_size, 3_000_000)


class Called(setting.Case):
    def expect_failure(self, done, words, status=1):
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_from_anywhere_without_a_home(self):
        folder = synthetic.write(self.folder / "run")
        done = setting.call(self.pyz, "run", "run", cwd=self.folder, HOME="/dev/null/home", XDG_CACHE_HOME="",
                            XDG_CONFIG_HOME="", TMPDIR=str(self.folder))
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", "run/report.html\n"))
        self.assertTrue((folder / "report.html").is_file())
        self.assertEqual(len(list(self.folder.glob("gbflow-matplotlib-*"))), 1)

    def test_unreadable_input_is_one_line(self):
        for name, text, words in (("summary.json", None, "summary.json: No such file"), ("summary.json", "{", "not JSON"),
                                  ("series.csv", None, "series.csv: No such file"), ("series.csv", "x\n", "series.csv:1:")):
            with self.subTest(name=name, text=text):
                folder = synthetic.write(self.folder / "bad")
                (folder / name).unlink() if text is None else (folder / name).write_text(text)
                self.expect_failure(setting.warm(self.pyz, "run", folder), words, status=2 if text is None else 1)
                self.assertFalse((folder / "report.html").exists())
        self.expect_failure(setting.call(self.pyz, "run", self.folder / "nowhere"), "nowhere/summary.json", status=2)

    def test_without_matplotlib_the_package_is_named(self):
        hidden = self.folder / "hidden"
        hidden.mkdir()
        (hidden / "matplotlib.py").write_text("raise ImportError('hidden')\n")
        done = setting.call(self.pyz, "run", self.folder, PYTHONPATH=str(hidden))
        self.expect_failure(done, "python3-matplotlib")

    def test_usage(self):
        for arguments in ((), ("run",), ("walk", "x"), ("reproduce",), ("reproduce", "P9", "--gbflow", "x", "--scenarios", "x"),
                          ("reproduce", "--seeds", "0", "--gbflow", "x", "--scenarios", "x")):
            with self.subTest(arguments=arguments):
                done = setting.warm(self.pyz, *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Agbflow.*: .+\ntry: gbflow.* --help\n\Z")

    def test_packing_twice_gives_the_same_octets(self):
        other = self.folder / "other"
        other.mkdir()
        self.assertEqual(self.pyz.read_bytes(), setting.packed(other).read_bytes())
        self.assertTrue(os.access(self.pyz, os.X_OK))


if __name__ == "__main__":
    unittest.main()
