# SPDX-License-Identifier: BSD-3-Clause
"""Pages are not older than their results: the tables that `gbflow reproduce` writes into docs/ are those that it writes now.

Equal seeds give equal results, so a difference is a change of the program. STUDY (environment) plays one study alone.
"""
import collections
import difflib
import os
import re
import shutil
import unittest

import scenario

ROOT = scenario.gbflow.ROOT
DOCS = os.path.join(ROOT, "docs")
BLOCK = re.compile(r"^<!-- begin measured: gbflow reproduce (\w+) --seeds (\d+) --tables .* -->$", re.M)
MEASURED = re.compile(r"^ *(Measured on |<!-- end measured)")
SECONDS = 3000


def pages():
    """{(study, seeds): pages with its tables}; not those of variations, which take hours."""
    found = collections.defaultdict(set)
    for folder, _, names in os.walk(DOCS):
        for path in (os.path.join(folder, name) for name in names if name.endswith(".md")):
            with open(path, encoding="utf-8") as file:
                for line in BLOCK.finditer(file.read()):
                    if "--sensitivity" not in line[0] and "reference" not in folder:
                        found[line[1], line[2]].add(path)
    return found


def lines_of(path):
    """Without the day, the commit and the digest."""
    with open(path, encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if not MEASURED.match(line)]


class Pages(scenario.Case):
    def reproduce(self, study, seeds, *words):
        done = scenario.gbflow.run("reproduce", study, "--seeds", seeds, "--out", self.path(study), "--spread", "local", *words,
                                   cwd=ROOT, seconds=SECONDS)
        self.assertIn(done.status, (0, 1), done)  # 1: a row is not reproduced, as the page says as well
        self.assertRegex(done.stdout, r"report\.html\n", done)
        return done

    def test_tables(self):
        found = pages()
        self.assertGreaterEqual({study for study, _ in found}, {"P2", "P3", "own", "radio", "llc", "narrow", "compression"})
        for (study, seeds), paths in sorted(found.items()):
            if os.environ.get("STUDY", study) != study:
                continue
            self.reproduce(study, seeds)
            for path in sorted(paths):
                name = os.path.relpath(path, ROOT)
                with self.subTest(study=study, page=name):
                    copy = shutil.copy(path, self.path("page.md"))
                    self.reproduce(study, seeds, "--markdown", copy)
                    changed = list(difflib.unified_diff(lines_of(path), lines_of(copy), name, "now", lineterm="", n=0))
                    self.assertFalse(changed, "\n".join([*changed[:20], f"write it again: gbflow reproduce {study} --seeds {seeds} "
                                                         f"--markdown {name}"]))


if __name__ == "__main__":
    unittest.main()
