# SPDX-License-Identifier: BSD-3-Clause
"""Names of files and texts of scenarios reach summary.json, gi.truth.json and report.html as they are; octets that are
not UTF-8 reach them as U+FFFD."""
import html
import os
import unittest

import scenario
from scenario import gbflow

# name of the file, title in it, both as the results have them, whether a report is drawn, too
NAMES = [
    ("zürich.lua".encode(), "Zürich, 3 °C".encode(), "zürich.lua", "Zürich, 3 °C", True),
    ("東京 \U0001f4f6.lua".encode(), "東京 <&>".encode(), "東京 \U0001f4f6.lua", "東京 <&>", False),
    (b"z\xfcrich.lua", b"Z\xfcrich", "z\ufffdrich.lua", "Z\ufffdrich", True),
    (b'a "quoted" \\ name\x01.lua', b"plain", 'a "quoted" \\ name\x01.lua', "plain", False),
]
MOBILES = '{ name = "anna", traffic = { { ping = { every = "1 s" } } } }'


class Names(scenario.Case):
    def write_octets(self, name, title):
        path = os.path.join(os.fsencode(self.folder), name)
        with open(path, "wb") as file:
            file.write(scenario.text(duration="5 s", cells="pdchs = 4", mobiles=MOBILES).encode().replace(b'title = "test"', b'title = "%s"' % title))
        return path

    def test_summary_truth_and_report(self):
        for index, (name, title, name_out, title_out, has_report) in enumerate(NAMES):
            with self.subTest(name=name):
                out = self.path(f"run{index}")
                words = ["--pcap=gi"] if has_report else ["--pcap=gi", "--no-report"]
                done = gbflow.run("run", self.write_octets(name, title), "--out", out, *words)
                self.assertEqual(done.status, 0, done)
                summary = gbflow.read_json(os.path.join(out, "summary.json"))
                self.assertEqual((summary["scenario"], summary["title"]), (name_out, title_out))
                self.assertEqual(gbflow.read_json(os.path.join(out, "gi.truth.json"))["scenario"], name_out)
                if has_report:
                    self.check_page(out, name_out, title_out)

    def test_what_a_terminal_obeys(self):
        """A change of direction, a joint, a C1 control or a separator in a title or label is a question mark on the terminal."""
        obeyed = "".join(map(chr, (0x85, 0x9b, 0x61c, 0x200b, 0x200f, 0x2028, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff)))
        scenario_path = os.fsdecode(self.write_octets(b"s.lua", f"a{obeyed}b".encode()))
        study = self.write("study.lua", f"""return {{ scenario = "s.lua", title = "a{obeyed}b", figures = {{ "classes.*.goodput_bps.total" }},
  axes = {{ {{ name = "x", points = {{ {{ label = "a{obeyed}b", set = {{}} }} }} }} }} }}""")
        for words in (("run", scenario_path, "--out", self.path("out"), "--no-report"), ("check", scenario_path, study),
                      ("rerun", self.path("out")), ("top", self.path("out"), "--once"), ("compare", self.path("out"), self.path("out")),
                      ("sweep", study, "--dry-run"), ("sweep", study, "--out", self.path("sweep"), "--no-report", "--no-parquet")):
            with self.subTest(words=words[0]):
                done = gbflow.run(*words)
                self.assertEqual(done.status, 0, done)
                self.assertEqual([hex(ord(char)) for char in obeyed if char in done.stdout + done.stderr], [])

    def check_page(self, out, name, title):
        with open(os.path.join(out, "report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn(f"<code>{html.escape(name)}</code>", page)
        self.assertIn(f"<h1>{html.escape(title)}</h1>", page)

    def test_settings(self):
        """What --set changes stands in the summary as it was written."""
        path = self.write_octets(b"s.lua", b"title")
        for index, (word, value) in enumerate(((b"title=Z\xc3\xbcrich", "Zürich"), (b"title=Z\xfcrich", "Z\ufffdrich"))):
            out = self.path(f"set{index}")
            done = gbflow.run("run", path, "--out", out, "--no-report", "--set", word)
            self.assertEqual(done.status, 0, done)
            summary = gbflow.read_json(os.path.join(out, "summary.json"))
            self.assertEqual(summary["set"], [{"path": "title", "value": value}])
            self.assertEqual(summary["title"], value)


if __name__ == "__main__":
    unittest.main()
