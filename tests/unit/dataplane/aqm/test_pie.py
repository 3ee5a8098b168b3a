# SPDX-License-Identifier: BSD-3-Clause
"""PIE's chance on stairs of delays, against a coding of RFC 8033 section 4.2 in decimal arithmetic of 60 digits."""
import decimal
import os
import random
import subprocess
import unittest
from decimal import Decimal as D

decimal.getcontext().prec = 60
STAIRS = os.environ["PIE_STAIRS"]
UPDATE_S = D("0.015")
SCALES = [(D("0.000001"), 2048), (D("0.00001"), 512), (D("0.0001"), 128), (D("0.001"), 32), (D("0.01"), 8), (D("0.1"), 2)]

# (delay in ns, updates): up slowly, up at once, down, gone, small steps around the target of 15 ms.
SLOW = [(16_000_000, 400), (20_000_000, 400), (40_000_000, 400), (100_000_000, 400), (15_000_000, 400), (0, 600)]
SUDDEN = [(0, 10), (3_000_000_000, 60), (1_000_000, 200), (30_000_000_000, 80), (0, 400)]
AROUND = [(15_000_000 + (1 if i % 2 else -1) * i * 9_000, 5) for i in range(1000)]
GPRS = [(600_000_000, 30), (1_200_000_000, 30), (2_400_000_000, 10), (600_000_000, 100), (15_000_000, 400), (1, 100)]


def scale(chance):
    for below, divisor in SCALES:
        if chance < below:
            return divisor
    return 1


def section_4_2(stairs, capped, target=D("0.015"), alpha=D("0.125"), beta=D("1.25")):
    chance = before = D(0)
    for delay_ns, updates in stairs:
        delay = D(delay_ns) / 10**9
        for _ in range(updates):
            step = alpha * (delay - target) + beta * (delay - before)
            step /= scale(chance)
            if capped and chance >= D("0.1") and step > D("0.02"):
                step = D("0.02")
            chance += step
            if delay == 0 and before == 0:
                chance *= D("0.98")
            chance = min(max(chance, D(0)), D(1))
            before = delay
            yield chance


def ours(stairs, *options):
    text = "".join(f"{delay} {updates}\n" for delay, updates in stairs)
    result = subprocess.run([STAIRS, *options], input=text, capture_output=True, text=True, check=True)
    return [D(line) for line in result.stdout.split()]


class Pie(unittest.TestCase):
    def compare(self, stairs, *options, **law):
        expected = list(section_4_2(stairs, **law))
        found = ours(stairs, *options)
        self.assertEqual(len(found), len(expected))
        worst = max(abs(a - b) for a, b in zip(found, expected))
        self.assertLess(worst, D("1e-9"))
        return expected

    def test_stairs(self):
        for stairs in (SLOW, SUDDEN, AROUND, GPRS):
            for capped in (False, True):
                seen = self.compare(stairs, f"cap={int(capped)}", capped=capped)
                self.assertGreater(max(seen), D("0.000001"))

    def test_reaches_every_range(self):
        """The stairs go through every factor of the tuning, and through 0 and 1."""
        seen = [chance for stairs in (SLOW, SUDDEN) for chance in section_4_2(stairs, False)]
        self.assertEqual({scale(chance) for chance in seen}, {2048, 512, 128, 32, 8, 2, 1})
        self.assertIn(D(0), seen)
        self.assertIn(D(1), seen)

    def test_other_weights(self):
        self.compare(SLOW, "cap=0", "alpha=500000", "beta=3000000", "target=100000000", capped=False, target=D("0.1"),
                     alpha=D("0.5"), beta=D(3))

    def test_random_stairs(self):
        draw = random.Random(1)
        for _ in range(10):
            stairs = [(int(draw.expovariate(1 / 60e6)), draw.randrange(1, 20)) for _ in range(200)]
            self.compare(stairs, "cap=1", capped=True)


if __name__ == "__main__":
    unittest.main()
