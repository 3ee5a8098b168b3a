#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Downloads of four mobiles, the short form of downloads.py: the bound keeps the air busy and the PCU's queue short."""
import sys
import unittest

import downloads
import users


class Download(users.Case):
    def setUp(self):
        self.skip_where_it_cannot_run()

    def test_bounded_queue(self):
        results = downloads.compare(downloads.Settings(22))
        for name, result in results.items():
            print(f"{name:18} {result.text()}", file=sys.stderr, flush=True)
        free, bound = (results[name] for name in downloads.RUNS)
        self.assertEqual(free.faults + bound.faults, [])
        self.assertGreater(bound.llc_octets, 0.85 * free.llc_octets)
        self.assertLess(bound.measured_s[1], free.measured_s[1])
        self.assertLess(bound.ping_s[1], free.ping_s[1])


if __name__ == "__main__":
    unittest.main()
