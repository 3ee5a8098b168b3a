#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`reproduce` with a stand-in for gbflow: bands met and missed, what is run again and what is not, statuses."""

import json
import pathlib
import shutil
import sys
import tempfile
import types
import unittest

import setting

from gbflow_report import runs, spread
from gbflow_results import Failure

CASES = 15
KEYS = {"id", "paper", "what", "unit", "published", "measured", "band", "kind", "verdict", "certainty", "why"}

# mode of the stand-in, words that its one line on stderr (after the progress) must hold
FAILURES = [
    ("fail", "out of order"),
    ("silent", "status 0 and no"),
    ("other-seed", "seed is 2, not 1"),
]


def damage(path):
    """Another digit, so that it can be read all the same."""
    text = path.read_text()
    at = next(place for place in reversed(range(len(text))) if text[place].isdigit())
    path.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])


class Reproduce(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.pyz = setting.packed(self.folder)
        self.calls = self.folder / "calls"
        self.scenario = self.folder / "scenarios" / "gprs-buffering.lua"
        self.scenario.parent.mkdir()
        self.scenario.write_text("return {}\n")
        self.gbflow = self.folder / "gbflow"
        self.make_gbflow("first build")

    def make_gbflow(self, comment):
        self.gbflow.write_text(f'#!/bin/sh\n# {comment}\nexec "{sys.executable}" "{setting.HERE}/fake_gbflow.py" "$@"\n')
        self.gbflow.chmod(0o755)

    def reproduce(self, *more, mode="good", seeds=2, sleep_s=0.0):
        self.calls.write_text("")
        return setting.warm(self.pyz, "reproduce", *(more if "P4" in more else ("P4", *more)), "--seeds", seeds, "--out", self.folder / "out", "--gbflow",
                            self.gbflow, "--scenarios", self.scenario.parent, "--spread", "local", FAKE_MODE=mode, FAKE_CALLS=str(self.calls),
                            FAKE_SLEEP_S=str(sleep_s), cwd=self.folder)

    def called(self):
        return [row for row in map(json.loads, self.calls.read_text().splitlines()) if row[0] != "end"]

    def figures(self):
        report = json.loads((self.folder / "out" / "reproduction.json").read_text())
        self.assertEqual(report["schema"], "gbflow-reproduction/1")
        return {row["id"]: row for row in report["figures"]}

    def test_bands_met(self):
        done = self.reproduce("P4", seeds=3)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(len(self.called()), 3 * CASES)
        figures = self.figures()
        self.assertEqual({row["verdict"] for row in figures.values()}, {"in band"})
        self.assertTrue(all(set(row) == KEYS and row["paper"] == "P4" for row in figures.values()))
        self.assertEqual(figures["p4-throughput-1pdch-63s"]["measured"],
                         {"median": 10.42, "min": 10.41, "max": 10.43, "mean": 10.42, "interval": [10.3952, 10.4448], "seeds": 3,
                          "values": {"1": 10.41, "2": 10.42, "3": 10.43}})
        self.assertEqual(figures["p4-rtt-max-1pdch-63s"]["published"], 48)
        self.assertIn("in band", done.stdout)
        self.assertIn(f"[{3 * CASES}/{3 * CASES}]", done.stderr)

    def test_page(self):
        self.reproduce()
        page = setting.Page((self.folder / "out" / "report.html").read_text())
        self.assertEqual(page.faults, [])
        self.assertEqual(page.figures, ["p4-fig1", "p4-fig2", "p4-fig3", "p4-fig4"])
        self.assertEqual(page.plots, 4)
        for words in ("P4: Impact of GPRS buffering", "in band", "cells[1].tbf.setup", "almost the same for both",
                      "climbs for minutes"):
            self.assertIn(words, page.text)

    def test_bands_missed(self):
        for mode, missed in (("slow", {f"p4-throughput-{k}pdch-{s}s" for k in (1, 3) for s in (5, 63)}),
                             ("flat", {"p4-teeth", "p4-tooth-low", "p4-tooth-high"})):
            with self.subTest(mode=mode):
                self.make_gbflow(mode)
                done = self.reproduce("P4", mode=mode)
                self.assertEqual(done.returncode, 1, done.stderr)
                rows = {name: row for name, row in self.figures().items() if row["verdict"] != "in band"}
                known = {name for name, row in rows.items() if row["verdict"] == "not reproduced"}
                self.assertEqual((set(rows), known), (missed, set()))
                self.assertTrue(all(row["why"] for row in rows.values()))
                self.assertTrue((self.folder / "out" / "report.html").is_file())

    def test_command_of_a_run(self):
        self.reproduce("--jobs", 1, seeds=1)
        arguments = self.called()[0][0]
        self.assertEqual(arguments[:2], ["run", str(self.scenario)])
        self.assertEqual(arguments[2:8], ["--seed", "1", "--set", "cells[1].pdchs=1", "--set",
                                          "sgsn.lifetime.sgsn_max=63 s"])
        self.assertIn("--no-report", arguments)
        self.assertNotIn("--no-series", arguments)

    def test_series_without_a_reader_are_not_written(self):
        case = types.SimpleNamespace(name="one", settings=[])
        given = types.SimpleNamespace(scenarios=self.scenario.parent, out=self.folder)
        for has_series, at_end, expected in ((True, None, False), (False, None, True), (False, print, False)):
            with self.subTest(has_series=has_series, at_end=at_end):
                kind = runs.Kind("kind", self.scenario.name, [case], has_series, at_end=at_end)
                run = runs.run_of(kind, case, 1, given, runs.Program(self.gbflow, ""))
                self.assertEqual("--no-series" in run.command, expected)

    def test_what_is_there_is_not_run_again(self):
        self.reproduce(seeds=1)
        first = (self.folder / "out" / "report.html").read_bytes()
        done = self.reproduce(seeds=1)
        self.assertEqual((done.returncode, self.called()), (0, []))
        self.assertEqual((self.folder / "out" / "report.html").read_bytes(), first)
        self.reproduce(seeds=2)
        self.assertEqual(len(self.called()), CASES)

    def test_what_changed_is_run_again(self):
        one = self.folder / "out" / "runs" / "P4" / "1pdch-5s-seed1"
        changes = [
            (lambda: (one / "summary.json").unlink(), 1),
            (lambda: (one / "series.csv").unlink(), 1),
            (lambda: (one / "finished.json").write_text("{"), 1),
            (lambda: damage(one / "summary.json"), 1),
            (lambda: damage(one / "series.csv"), 1),
            (lambda: self.scenario.write_text("return { title = 'other' }\n"), CASES),
            (lambda: self.make_gbflow("second build"), CASES),
        ]
        self.reproduce(seeds=1)
        for index, (change, expected) in enumerate(changes):
            with self.subTest(index=index):
                change()
                done = self.reproduce(seeds=1)
                self.assertEqual((done.returncode, len(self.called())), (0, expected))

    def test_after_a_failure_only_the_rest_is_run(self):
        self.reproduce("--jobs", 1, seeds=1, mode="fail")
        done_before = len(list((self.folder / "out" / "runs" / "P4").glob("*/finished.json")))
        done = self.reproduce(seeds=1)
        self.assertEqual((done.returncode, len(self.called())), (0, CASES - done_before))
        self.assertGreater(done_before, 0)

    def test_failures(self):
        for mode, words in FAILURES:
            with self.subTest(mode=mode):
                self.make_gbflow(mode)
                done = self.reproduce(mode=mode, seeds=1)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                lines = [line for line in done.stderr.splitlines() if not line.startswith("[")]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertIn(words, lines[0])
                self.assertFalse((self.folder / "out" / "reproduction.json").exists())

    def test_a_missing_program_or_scenario_is_one_line(self):
        for gone in (self.scenario, self.gbflow):
            with self.subTest(gone=gone.name):
                gone.unlink()
                done = self.reproduce(seeds=1)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
                self.assertIn(str(gone), done.stderr)
                self.assertEqual("--scenarios DIR" in done.stderr, gone == self.scenario)

    def test_markdown(self):
        """A page's block of another study stays; each block of this one has the tables that it names, with where they come from."""
        own = ("<!-- begin measured: gbflow reproduce own --seeds 2 -->\nowned\n<!-- end measured -->\n"
               "<!-- begin measured: gbflow reproduce P4 --seeds 2 --scenarios DIR -->\nother\n<!-- end measured -->\n")
        page = self.folder / "page.md"
        page.write_text(f"before\n{own}between\n<!-- begin measured: gbflow reproduce P4 --seeds 7 --tables verdicts -->\nold\n<!-- end measured -->\nafter\n")
        self.assertEqual(self.reproduce("--markdown", page, seeds=2).returncode, 0)
        text = page.read_text()
        self.assertTrue(text.startswith(f"before\n{own}between\n<!-- begin measured: gbflow reproduce P4 --seeds 2 --tables verdicts -->\nMeasured on 2"), text)
        self.assertRegex(text, r"\|\n<!-- end measured, sha256 [0-9a-f]{8} -->\nafter\n$")
        self.assertIn(f"at commit 0123456789ab by `gbflow reproduce P4 --seeds 2`:\n{2 * CASES} runs of 900 s of virtual time, seeds 1 to 2.\n", text)
        self.assertIn("| `p4-rtt-max-1pdch-63s` | 48 | 48 |", text)
        self.assertNotIn("old", text.replace("owned", ""))
        shown = self.reproduce("--markdown", "-", "--tables", "verdicts:p4-t*,verdicts:p4-loss*", seeds=2).stdout
        self.assertEqual([shown.count(words) for words in ("<!-- begin", "| row |", "| `p4-rtt", "| `p4-teeth`", "| `p4-loss-floor`")], [1, 1, 0, 1, 1])
        self.assertRegex(shown, r"(?s)^<!-- begin.*<!-- end measured, sha256 [0-9a-f]{8} -->\n$")

    def test_markdown_failures(self):
        page = self.folder / "page.md"
        page.write_text("no lines\n")
        for more, words, calls in ((("--markdown", page), f"{page}: no line <!-- begin measured: gbflow reproduce P4", 0),
                                   (("--markdown", "-", "--tables", "verdict"), "--tables: 'verdict' is no table: one of verdicts; did you mean 'verdicts'?", CASES),
                                   (("--markdown", "-", "--tables", "verdicts:p5-*"), "--tables verdicts: 'p5-*' is no row of the table: one of p4-", 0)):
            with self.subTest(words):
                done = self.reproduce(*more, seeds=1)
                self.assertEqual((done.returncode, len(self.called())), (2 if "--tables" in more else 1, calls))
                self.assertIn(words, done.stderr)
        self.assertEqual(page.read_text(), "no lines\n")

    def test_pages_that_cannot_be_written(self):
        """One line says which, before the first run, and nothing is lost."""
        begin, end = "<!-- begin measured: gbflow reproduce P4 -->\n", "<!-- end measured -->\n"
        page = self.folder / "page.md"
        for text, words in ((begin + "kept\n" + begin + end, "page.md:1: a measured block without its end"),
                            (begin + end + "kept\n" + end, "page.md:4: a measured block without its beginning"),
                            (begin + "kept\n", "page.md:1: a measured block without its end"),
                            ("<!-- begin measured: don't -->\n" + end, "page.md: no line"),
                            ("```\n" + begin + end + "```\n", "page.md: no line"), ("\xff", "page.md: octet 0 is not UTF-8")):
            with self.subTest(words):
                page.write_bytes(text.encode("latin-1"))
                done = self.reproduce("--markdown", page, seeds=1)
                self.assertEqual((done.returncode, len(done.stderr.splitlines()), self.called()), (1, 1, []))
                self.assertIn(words, done.stderr)
                self.assertEqual(page.read_bytes(), text.encode("latin-1"))
        for target, words in ((self.folder / "none" / "page.md", "none: no such folder"), (self.folder, "no regular file")):
            self.assertIn(words, self.reproduce("--markdown", target, seeds=1).stderr)
        self.assertIn("--tables: has no effect without --markdown", self.reproduce("--tables", "verdicts", seeds=1).stderr)
        self.assertEqual(self.called(), [])

    def test_a_page_keeps_its_form(self):
        """A link stays a link, a file keeps its mode and the ends of its lines."""
        page, link = self.folder / "page.md", self.folder / "link.md"
        page.write_bytes(b"before\r\n<!-- begin measured: gbflow reproduce P4 -->\r\n<!-- end measured -->\r\nafter\r\n")
        page.chmod(0o640)
        link.symlink_to(page)
        self.reproduce("--markdown", link, seeds=1)
        self.assertTrue(link.is_symlink())
        self.assertEqual(page.stat().st_mode & 0o777, 0o640)
        lines = page.read_bytes().splitlines(keepends=True)
        self.assertTrue(len(lines) > 6 and all(line.endswith(b"\r\n") for line in lines), lines[:9])

    def test_jobs(self):
        for jobs, sleep_s in ((1, 0.1), (3, 1.5)):
            with self.subTest(jobs=jobs):
                self.make_gbflow(jobs)
                self.reproduce("--jobs", jobs, seeds=1, sleep_s=sleep_s)
                running = most = 0
                for what, _ in sorted(map(json.loads, self.calls.read_text().splitlines()), key=lambda row: row[1]):
                    running += -1 if what == "end" else 1
                    most = max(most, running)
                self.assertEqual(most, jobs)


class Interrupted(setting.Case):
    def test_by_a_run(self):
        """The terminal's signal may end a run before this process has it: then no run failed."""
        ended = []
        tasks = [spread.Task(f"run {i}", ["sh", "-c", f"kill -{name} $$"], self.folder / f"{i}.txt", lambda: None)
                 for i, name in enumerate(("INT", "TERM"))]
        with self.assertRaises(KeyboardInterrupt):
            spread.run_all(tasks[:1], 1, ended.append)
        with self.assertRaisesRegex(Failure, "run 1: status -15: "):
            spread.run_all(tasks[1:], 1, ended.append)
        self.assertEqual(ended, [])


class LastWords(setting.Case):
    def test_of_stderr(self):
        """What a run says there is told, though its table, which waited in a buffer, comes later."""
        log = self.folder / "log.txt"
        task = spread.Task("a run", ["sh", "-c", "echo no space >&2; echo table; exit 1"], log, lambda: None)
        with self.assertRaisesRegex(Failure, "a run: status 1: no space "):
            spread.run_all([task], 1, lambda _: None)
        self.assertEqual(log.read_text(encoding="utf-8"), "table\nno space\n")


if __name__ == "__main__":
    unittest.main()
