# SPDX-License-Identifier: BSD-3-Clause
"""A table of 1 048 576 mobiles is read; one more than limits.mobiles is an error."""
import tempfile
import unittest

import mobiles

MOST = 1048576


class Million(unittest.TestCase):
    def test_most_mobiles(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = "\n".join((mobiles.HEADER, *map(mobiles.row, range(MOST)), ""))
            self.assertEqual(mobiles.check(folder, rows.encode(), limit=MOST), (0, []))
            rows += mobiles.row(MOST) + "\n"
            self.assertEqual(mobiles.check(folder, rows.encode(), limit=MOST),
                             (2, [f"mobiles.csv:{MOST + 2}:1: more mobiles than limits.mobiles ({MOST})"]))


if __name__ == "__main__":
    unittest.main()
