# SPDX-License-Identifier: BSD-3-Clause
"""docs/replay.md names the options of the program; its tables of fields are judged in tests/system/fields."""
import os
import re
import unittest

import gbflow

DOC = os.path.join(gbflow.ROOT, "docs", "replay.md")


class Doc(unittest.TestCase):
    def test_options(self):
        """The usage line and the options of --help are those of the page."""
        with open(DOC, encoding="utf-8") as file:
            text = file.read()
        usage = gbflow.run("replay", "--help").stdout
        self.assertIn(" ".join(usage.splitlines()[0].split()[1:]), text)
        options = re.findall(r"(?m)^  (--\w+)", usage)
        self.assertTrue(options)
        for option in options:
            self.assertRegex(text, rf"(?m)^\| `{option}\b")


if __name__ == "__main__":
    unittest.main()
