# SPDX-License-Identifier: BSD-3-Clause
"""docs/replay.md names all that a replay can say, and nothing that it does not."""
import os
import re
import unittest

import gbflow

DOC = os.path.join(gbflow.ROOT, "docs", "replay.md")
REASONS = ("drops", "frames.drops", "sessions[].drops", "llc.drops")


def paths(value, path=""):
    """All paths of a JSON value: a.b, list[].c."""
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in paths(inner, f"{path}.{key}".lstrip("."))]
    if isinstance(value, list):
        return [found for inner in value[:1] for found in paths(inner, path + "[]")]
    return [path]


class Doc(gbflow.Case):
    def setUp(self):
        super().setUp()
        self.report = self.replay(os.path.join(gbflow.NODES, "replay-80k.lua")).report
        with open(DOC, encoding="utf-8") as file:
            self.text = file.read()

    def test_fields(self):
        """The table has the fields of the report, with REASON for reasons."""
        found = set()
        for path in paths(self.report):
            head = path.rpartition(".")[0]
            found.add(f"{head}.REASON" if head in REASONS else path)
        table = self.text.split("## The JSON report")[1].split("\n\n")[1]
        rows = [re.findall(r"`([^`]+)`", line.split("|")[1]) for line in table.splitlines()[2:]]
        named = set()
        for first, *others in rows:
            named |= {first} | {first.rpartition(".")[0] + other for other in others}
        self.assertEqual(named - {"sessions[]", "paths[]", "llc.unhandled[]"}, found)

    def test_reasons(self):
        frames = self.text.split("## Why frames are dropped")[1].split("## Why N-PDUs are dropped")
        for section, reasons in zip(frames, (self.report["frames"]["drops"], self.report["drops"])):
            with self.subTest(reasons=list(reasons)):
                self.assertEqual(set(reasons) - set(re.findall(r"`(\w+)`", section)), set())
        rows = re.findall(r"(?m)^\| `(\w+)` \|", frames[1])
        self.assertEqual(rows, list(self.report["drops"]))

    def test_options(self):
        """The usage line and the options of --help are those of the page."""
        usage = gbflow.run("replay", "--help").stdout
        self.assertIn(" ".join(usage.splitlines()[0].split()[1:]), self.text)
        for option in re.findall(r"(?m)^  (--\w+)", usage):
            self.assertRegex(self.text, rf"(?m)^\| `{option}\b")


if __name__ == "__main__":
    unittest.main()
