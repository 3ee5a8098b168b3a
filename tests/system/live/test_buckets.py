# SPDX-License-Identifier: BSD-3-Clause
"""A live node keeps every bucket while its BSS changes them at random (buckets.py has the longer form)."""
import os
import tempfile
import unittest

import buckets
import lab

SECONDS, PPS, TRIES = 20, 1500, 3


class Buckets(unittest.TestCase):
    def play(self, **more):
        """What the judge says of a capture that lost nothing; on a busy machine one may."""
        lab.need(self, lab.missing())
        for seed in range(1, 1 + TRIES):
            place = lab.Lab()
            self.addCleanup(place.close)
            with tempfile.TemporaryDirectory(prefix="gbflow-buckets-") as folder:
                os.chmod(folder, 0o777)
                path = os.path.join(folder, "gb.pcapng")
                lost, counts, _ = buckets.play(place, path, SECONDS, PPS, seed=seed, **more)
                if not lost:
                    return buckets.judge(path), counts
        return self.skipTest("the capture lost records each time")

    def check(self, **more):
        judged, counts = self.play(**more)
        self.assertEqual([text for *_, text in judged.found][:5], [])
        for kind, count in judged.counts.items():
            self.assertTrue(count.pdus > 0 and count.changes > 0, (kind, vars(count), counts))

    def test_levels_by_leaks(self):
        self.check()

    def test_levels_by_the_bss(self):
        """The feature Current Bucket Level: each announcement sets the level."""
        self.check(cbl=True)


if __name__ == "__main__":
    unittest.main()
