# SPDX-License-Identifier: BSD-3-Clause
"""The floods of flood.py for two seconds, at 100 000 frames a second, without a judgement of times."""
import unittest

import flood
import test_start


class Short(unittest.TestCase):
    def test_nothing_happens(self):
        run = flood.Flood(2, 100000, user=test_start.NOBODY)
        self.addCleanup(run.node.kill)
        run.run()
        self.assertEqual(run.faults, [])
        self.assertGreater(run.result["flood_sent"], 1000)

    def test_another_nse_is_answered(self):
        run = flood.Others(2, 100000, user=test_start.NOBODY)
        self.addCleanup(run.node.kill)
        run.run()
        self.assertEqual(run.faults, [])


if __name__ == "__main__":
    unittest.main()
