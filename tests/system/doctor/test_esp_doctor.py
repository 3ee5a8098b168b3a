# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow doctor`: the library of ESP that the program has."""
import unittest

from planted import HAS_IPSEC_MB, Machine


class Library(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.folder.cleanup)

    def test_library(self):
        """Of the program, whatever machine it runs on."""
        found = self.machine.finding("esp ipsec_mb")
        self.assertEqual((found["verdict"], "libipsec-mb-dev" in found["advice"]), ("ok", False) if HAS_IPSEC_MB else ("warn", True))


if __name__ == "__main__":
    unittest.main()
