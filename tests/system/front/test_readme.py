# SPDX-License-Identifier: BSD-3-Clause
"""README.md's size; tests/system/docs plays its commands."""
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])


class Readme(unittest.TestCase):
    def test_size(self):
        """One understands it in a minute: 120 lines, and two pictures of 200 kB together."""
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), 120)
        pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
        self.assertEqual(len(pictures), 2)
        self.assertLessEqual(sum((ROOT / path).stat().st_size for path in pictures), 200_000)


if __name__ == "__main__":
    unittest.main()
