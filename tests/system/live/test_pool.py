# SPDX-License-Identifier: BSD-3-Clause
"""A pool of two live nodes with phones: each phone has one of them, and goes to the other one with its context and address."""
import unittest

import ggsn
import lab
import pool_rig


class Case(unittest.TestCase):
    def open(self, **values):
        lab.need(self, ggsn.missing())
        self.rig = pool_rig.Rig(**values)
        self.addCleanup(self.rig.close)
        self.rig.open()

    def stop(self):
        self.assertEqual(self.rig.bss.stop(), 0)
        for running in self.rig.nodes.values():
            self.assertEqual(running.stop(), 0)
        self.assertEqual(self.rig.proxy.stop(), (0, ""))


class Pool(Case):
    def test_attach(self):
        """20 phones attach and activate: both nodes have some, with NRIs of their own in their P-TMSIs."""
        self.open()
        found = self.rig.rows()
        self.assertEqual(len(found), pool_rig.COUNT)
        sides = set()
        for imsi, rows in found.items():
            self.assertEqual([row["state"] for _, row in rows], ["registered"], imsi)
            side, row = rows[0]
            sides.add(side)
            self.assertTrue(pool_rig.is_own(side, int(row["tlli"], 16)), (side, row))
            self.assertIn(row["contexts"].removeprefix("5:"), self.rig.addresses)
        self.assertEqual(sides, set(pool_rig.SIDES))
        self.assertEqual(len(self.rig.addresses), pool_rig.COUNT)
        self.stop()


if __name__ == "__main__":
    unittest.main()
