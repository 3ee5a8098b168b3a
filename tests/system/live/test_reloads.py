# SPDX-License-Identifier: BSD-3-Clause
"""Twenty random reloads under traffic; reloads.py says what is checked."""
import unittest

import lab
import reloads


class Reloads(unittest.TestCase):
    def test_twenty(self):
        lab.need(self, lab.missing())
        place = lab.Lab()
        self.addCleanup(place.close)
        wrong, counts, account = reloads.play(place, 20, 1)
        self.assertIsNone(wrong)
        self.assertGreaterEqual(counts.total(), 20)
        self.assertGreater(account["in"], 0)


if __name__ == "__main__":
    unittest.main()
