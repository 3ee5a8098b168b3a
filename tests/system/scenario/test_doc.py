# SPDX-License-Identifier: BSD-3-Clause
"""docs/run.md names options and the fields of reproduction.json; its other tables of fields are judged in
tests/system/fields."""
import os
import re
import unittest

import scenario
from scenario import gbflow

DOC = os.path.join(gbflow.ROOT, "docs", "run.md")

def paths(value, path=""):
    """All paths of a JSON value: a.b, list[].c; of an empty list none."""
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in paths(inner, f"{path}.{key}".lstrip("."))]
    if isinstance(value, list):
        return [found for inner in value for found in paths(inner, path + "[]")]
    return [path]


def names_of(table):
    """The names in a table's first column, `.x` completed by the first of its row."""
    named = set()
    for line in table.splitlines()[2:]:
        first, *others = re.findall(r"`([^`]+)`", line.split("|")[1])
        named |= {first} | {first.rpartition(".")[0] + other for other in others}
    return named


class Doc(scenario.Case):
    def setUp(self):
        super().setUp()
        with open(DOC, encoding="utf-8") as file:
            self.text = file.read()

    def test_reproduction(self):
        result = gbflow.run("reproduce", "P4", "--seeds", "1", "--out", self.folder, *scenario.LOCAL)
        self.assertEqual(result.status, 0, result)
        rows = set(paths(gbflow.read_json(self.path("reproduction.json"))))
        fields = self.text.split("- `reproduction.json`.\n")[1]
        named = names_of(re.search(r"(?m)^\| Field .*\n\| ---.*\n(?:\|.*\n)+", fields).group())
        self.assertEqual(named, rows)

    def test_options(self):
        """Usage lines and options of --help are those of the page, and so is the pointer to it."""
        for command in ("run", "compare", "reproduce"):
            usage = gbflow.run(command, "--help").stdout
            self.assertIn(" ".join(usage.splitlines()[0].split()[1:]), self.text)
            options = re.findall(r"(?m)^  (--[\w-]+)", usage)
            self.assertTrue(options)
            for option in options:
                self.assertRegex(self.text, rf"(?m)^\| `{option}\b")
        self.assertIn("docs/reference/run-results.md", gbflow.run("run", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
