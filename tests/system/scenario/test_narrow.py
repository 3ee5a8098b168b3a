# SPDX-License-Identifier: BSD-3-Clause
"""The narrow links of docs/narrow-links.md: each plays, the same for the same seed, says where its values come from, and gives the order
of the queues that the page tells of."""
import os
import unittest

import scenario

LINKS = ("narrow-nb-iot", "narrow-lte-m", "narrow-satellite")
Q = ("--set", "sgsn.queues.discipline=q")
PACED = (*Q, "--set", 'sgsn.queues.pacing={ classes = { "background" } }')
# With the firmware on its way all the time.
SHORT = ("--set", "duration=240 s")


def ping_p95_s(result, name):
    return next(row["rtt_s"]["p95"] for row in result.summary["ping"] if row["mobile"] == name)


class Narrow(scenario.Case):
    def test_seeds(self):
        """Two seeds, each played twice."""
        for link in LINKS:
            found = []
            for seed in ("1", "2"):
                files = []
                for name in ("one", "other"):
                    result = self.play(scenario.shipped(link), *SHORT, *PACED, "--seed", seed, name=f"{link}-{seed}-{name}")
                    with open(os.path.join(result.out, "summary.json"), "rb") as file:
                        files.append(file.read())
                self.assertEqual(*files, (link, seed))
                found.append(result.summary["classes"])
            self.assertNotEqual(*found, link)

    def test_assumptions(self):
        for link in LINKS:
            rows = self.play(scenario.shipped(link), *SHORT, name=link).summary["assumptions"]
            self.assertGreater(len(rows), 8, link)
            for row in rows:
                self.assertTrue(row["why"] and row["holds_over"], row)

    def test_order(self):
        """p95 of pings, of one who does nothing else and of one whose device downloads: far less with q than in a FIFO."""
        for link in LINKS:
            fifo, fair, paced = (self.play(scenario.shipped(link), *SHORT, *words, name=f"{link}-{name}")
                                 for name, words in (("fifo", ()), ("q", Q), ("paced", PACED)))
            for name in ("ping", "firmware1"):
                values = [ping_p95_s(result, name) for result in (fifo, fair, paced)]
                print(f"{link}, {name}: FIFO {values[0]:.2f}, q {values[1]:.2f}, with pacing {values[2]:.2f} s")
                self.assertLess(max(values[1:]), values[0] / 4, (link, name))
            drops = [sum(result.summary["classes"]["background"]["drops"].values()) for result in (fair, paced)]
            self.assertLess(drops[1], drops[0] / 2, link)


if __name__ == "__main__":
    unittest.main()
