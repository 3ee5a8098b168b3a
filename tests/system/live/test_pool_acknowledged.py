# SPDX-License-Identifier: BSD-3-Clause
"""A pool of two live nodes whose phones have LLC in acknowledged mode: it continues at the other node, and no N-PDU is lost or comes
twice."""
import unittest

import pool_rig
import test_pool

LINKS = ', llc = { acknowledged = { links = %d } }'


class Acknowledged(test_pool.Case):
    empty = test_pool.Pool.empty

    def links(self, side):
        return sum(row["links"] for row in self.rig.nodes[side].show("ms"))

    def play(self, **values):
        """All phones go to the other node, and back."""
        self.open(phones='llc = "acknowledged"', last=LINKS % 64, **values)
        self.assertEqual(sum(map(self.links, pool_rig.SIDES)), pool_rig.COUNT)
        self.rig.send_numbers()
        self.empty("node", "--now")
        self.assertEqual(self.links("node2"), pool_rig.COUNT)
        self.empty("node2", "--now")
        self.assertEqual(self.links("node"), pool_rig.COUNT)
        self.rig.traffic.stop()
        traffic, forwarded = self.rig.traffic, sum(self.rig.nodes[side].show("node")[0]["forward_npdu_in"] for side in pool_rig.SIDES)
        self.assertEqual((traffic.lost(), traffic.twice(), self.rig.dropped()), ({}, [], {}))
        self.assertLessEqual(len(traffic.wrong()), forwarded)  # GTP marks no last one of those
        for side in pool_rig.SIDES:
            self.assertEqual(self.rig.counts(side).get("llc_unacknowledged", 0), 0)
        self.stop()

    def test_both_ways(self):
        self.play()

    def test_ciphered(self):
        """The same with an HLR: each node has keys of its own."""
        self.play(has_hlr=True)


if __name__ == "__main__":
    unittest.main()
