# SPDX-License-Identifier: BSD-3-Clause
"""A short download by the kernel's Reno through serve and emulate, and by sim/'s TCP in virtual time. reno.py has the long ones."""
import unittest

import lab
import reno

SECONDS, RATE_KBPS, QUEUE, WINDOW, BAND = 15, 200, "20 kB", 3, 0.1


class Reno(unittest.TestCase):
    def test_as_in_virtual_time(self):
        lab.need(self, reno.gateway.missing())
        # A busy machine takes from the kernel's goodput; it adds nothing to it. reno.py judges both signs of the difference.
        self.assertGreater(reno.compare(RATE_KBPS, SECONDS, QUEUE, WINDOW, reno.SYSCTLS), -BAND)


if __name__ == "__main__":
    unittest.main()
