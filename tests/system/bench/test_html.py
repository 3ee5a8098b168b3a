# SPDX-License-Identifier: BSD-3-Clause
"""`--html` and `gbflow bench report`: a page of what was measured. What stands on it: tests/unit/python."""
import json
import os
import re
import tempfile

from harness import Case, run

SMALL = ["--mobiles", "200", "--cells", "10", "--octets", "64", "--windows", "2", "--set", "gap_us=5000000"]


class Html(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.page, self.json = os.path.join(folder.name, "page.html"), os.path.join(folder.name, "report.json")

    def read(self):
        with open(self.page, encoding="utf-8") as file:
            return file.read()

    def test_a_page_beside_the_report(self):
        done = run("preloaded", *SMALL, "--json", self.json, "--html", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.json, encoding="utf-8") as file:
            trial = json.load(file)["trials"][0]
        self.assertIn(f"{trial['ns_per_npdu']:.1f}", self.read())

    def test_a_page_alone(self):
        before = set(os.listdir("/tmp"))
        done = run("preloaded", *SMALL, "--html", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Throughput of gbflow", self.read())
        left = [name for name in set(os.listdir("/tmp")) - before if name.startswith("gbflow-bench-")]
        self.assertEqual(left, [])

    def test_a_folder_for_both(self):
        """As of `gbflow run` and `analyze`; a file of another name stays where it was asked for."""
        out = os.path.join(os.path.dirname(self.json), "new", "folder")
        done = run("preloaded", *SMALL, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(out)), ["bench.json", "report.html"])
        done = run("report", os.path.join(out, "bench.json"), "--out", out + "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(os.listdir(out + "2"), ["report.html"])
        done = run("preloaded", *SMALL, "--out", out + "3", "--json", self.json)
        self.assertEqual((done.returncode, os.listdir(out + "3"), os.path.exists(self.json)), (0, ["report.html"], True))
        done = run("preloaded", *SMALL, "--out", "/proc/nowhere")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/proc/nowhere", done.stderr)

    def test_a_page_of_two_reports(self):
        more = self.json + "2"
        for mode, path in (("preloaded", self.json), ("stages", more)):
            self.assertEqual(run(mode, *SMALL, "--json", path).returncode, 0)
        done = run("report", self.json, more, "--html", self.page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = self.read()
        for name in ("times", "stages", "report.json2"):
            self.assertIn(name, page)

    def test_a_page_of_a_run_that_failed(self):
        # No step of 64 N-PDUs is done in a microsecond: all windows are void.
        done = run("preloaded", *SMALL, "--set", "gap_us=1", "--html", self.page)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no valid window: each has a step above gap_us = 1; use idle CPUs", done.stderr)
        self.assertIn("Nothing was measured.", self.read())

    def test_no_page_can_be_written(self):
        done = run("preloaded", *SMALL, "--html", "/dev/null/page.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/null/page.html", done.stderr)
        kept = re.search(r": (/tmp/gbflow-bench-\w+) has what was measured", done.stderr)[1]
        self.addCleanup(os.unlink, kept)
        self.assertEqual(run("report", kept, "--html", self.page).returncode, 0)
        self.assertIn("Throughput of gbflow", self.read())

    def test_no_report_can_be_read(self):
        done = run("report", "/nowhere/a.json", "--html", self.page)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/a.json", done.stderr)
        self.assertEqual(run("report", self.json).returncode, 2)
