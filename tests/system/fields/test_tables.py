# SPDX-License-Identifier: BSD-3-Clause
"""The tables of fields in docs/reference/ are those of the program, and no report is without one."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
WRITER = os.path.join(ROOT, "scripts", "docs.py")
PROGRAM = os.path.abspath(os.environ.get("GBFLOW") or os.path.join(ROOT, "build", "gbflow"))
PAGES = sorted(glob.glob(os.path.join(ROOT, "docs", "reference", "*.md")))
# What has a table, and in which page.
TABLES = {"run-results": ["summary", "series"], "replay-report": ["replay"], "serve-report": ["serve"], "show": ["show", "bss"],
          "emulate-report": ["emulate"],
          "drops": ["replay frames.drops.REASON", "replay drops.REASON", "summary cells.BVCI.drops.REASON",
                    "emulate cells[].down.discarded.REASON"]}


def write(*words):
    return subprocess.run([sys.executable, WRITER, "fields", *words], capture_output=True, text=True, check=False, timeout=120)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Tables(unittest.TestCase):
    def test_pages_are_up_to_date(self):
        done = write("--check", PROGRAM, *PAGES)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_commands_are_up_to_date(self):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "commands.md")
            done = subprocess.run([sys.executable, WRITER, "commands", PROGRAM, made], capture_output=True, text=True, check=False, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(read(made), read(os.path.join(ROOT, "docs", "reference", "commands.md")), "run scripts/gen-docs.sh")

    def test_every_report_has_its_table(self):
        found = {os.path.basename(path)[:-3]: re.findall(r"(?m)^<!-- fields: (.*) -->$", read(path)) for path in PAGES}
        self.assertEqual({page: tables for page, tables in found.items() if tables}, TABLES)
        self.assertEqual(sum(read(path).count("<!-- end of fields -->") for path in PAGES), sum(map(len, TABLES.values())))
        reports = subprocess.run([PROGRAM, "fields"], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertEqual({line.split()[0] for line in reports.splitlines()},
                         {table for tables in TABLES.values() for table in tables if " " not in table})

    def test_times_bear_their_unit(self):
        """A table has the names of its columns alone: a column of time says in its name what it counts."""
        for report in ("show", "bss"):
            done = subprocess.run([PROGRAM, "fields", report, "--format", "json"], capture_output=True, text=True, check=True, timeout=60)
            units = {path: field["unit"] for path, field in json.loads(done.stdout).items()}
            self.assertGreater(len(units), 20)
            self.assertEqual({path: unit for path, unit in units.items() if unit in ("s", "s ago", "ms") or
                              (unit == "seconds" and not path.endswith("_s"))}, {})

    def test_a_table_without_an_end_is_left_alone(self):
        text = "<!-- fields: series -->\nkept\n<!-- fields: series -->\n<!-- end of fields -->\n"
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write(text)
            done = write(PROGRAM, page)
            self.assertEqual((done.returncode, done.stderr), (1, f"{page}: a table of fields has no beginning or no end; add that line\n"))
            self.assertEqual(read(page), text)

    def test_a_stale_table_is_told_and_mended(self):
        """A sentence that the program does not say, a row too few, a table that was emptied."""
        faults = [lambda text: text.replace("Seed of the run", "Seed of a run"),
                  lambda text: re.sub(r"(?m)^\| `title` .*\n", "", text),
                  lambda text: re.sub(r"(?s)(<!-- fields: series -->\n).*?(<!-- end)", r"\1\2", text)]
        whole = read(os.path.join(ROOT, "docs", "reference", "run-results.md"))
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "run-results.md")
            for fault in faults:
                with open(page, "w", encoding="utf-8") as file:
                    file.write(fault(whole))
                self.assertNotEqual(read(page), whole)
                done = write("--check", PROGRAM, page)
                self.assertEqual(done.returncode, 1)
                self.assertIn("stale", done.stdout)
                self.assertEqual(write(PROGRAM, page).returncode, 0)
                self.assertEqual(read(page), whole)

    def test_a_table_of_nothing_is_a_mistake(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            for arguments in ("nothing", "summary nothing"):
                with open(page, "w", encoding="utf-8") as file:
                    file.write(f"<!-- fields: {arguments} -->\n<!-- end of fields -->\n")
                before = shutil.copy(page, page + ".before")
                done = write(PROGRAM, page)
                self.assertEqual(done.returncode, 1)
                self.assertIn("nothing", done.stderr)
                self.assertEqual(read(page), read(before))


if __name__ == "__main__":
    unittest.main()
