# SPDX-License-Identifier: BSD-3-Clause
"""Shipped scenarios against the queueing theory that they are made for: M/D/1 and a burst through a token bucket."""
import math
import unittest

import scenario
from scenario import gbflow

PART = 0.01
SERVICE_S, LLC_OCTETS, IP_OCTETS, LEAK_BPS = 0.01, 200, 190, 160_000
LOADS = (0.5, 0.3, 0.7)
# Of token-bucket.lua: octets of an LLC-PDU, octet/s, s from packet to packet, packets of a burst, bursts.
PDU_OCTETS, LEAK_OCTETS_S, TAU_S, PACKETS, BURSTS = 500, 2000, 0.1, 100, 20
WAITS = ("mean", "p50", "p95", "p99", "max")


def rank(values, percent):
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def burst_waits(bucket_octets):
    """Of the packets of one burst, from an empty bucket."""
    return [max(0, ((k + 1) * PDU_OCTETS - bucket_octets) / LEAK_OCTETS_S - k * TAU_S) for k in range(PACKETS)]


class Queueing(scenario.Case):
    def sojourn(self, name, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        summary = self.play(scenario.shipped(name), *words).summary
        self.assertEqual(summary["conservation"]["sgsn"]["dropped"], 0)
        return summary["classes"]["background"]

    def test_md1(self):
        """Pollaczek and Khinchine's mean; the median by Erlang: P(W <= t) = (1 - rho) exp(rho t / D) up to D."""
        for load in gbflow.some(LOADS, 3):
            with self.subTest(load=load):
                rate_bps = round(load * LEAK_BPS * IP_OCTETS / LLC_OCTETS)
                row = self.sojourn("md1", f"mobiles.user.traffic[1].cbr.rate={rate_bps}bit/s")
                mean_s = load / (2 * (1 - load)) * SERVICE_S
                median_s = max(0, math.log(0.5 / (1 - load)) / load * SERVICE_S)
                found = row["sojourn_s"]
                print(f"M/D/1, load {load}: {row['npdu_in']} packets, mean wait {found['mean'] * 1e3:.3f} ms, closed form "
                      f"{mean_s * 1e3:.3f} ms ({100 * (found['mean'] / mean_s - 1):+.2f} %)")
                self.assertAlmostEqual(found["mean"] / mean_s, 1, delta=PART)
                self.assertAlmostEqual(found["p50"], median_s, delta=PART * SERVICE_S)

    def test_token_bucket(self):
        """Each quantile, within a microsecond."""
        for bucket_octets in (1600, 5000, 20_000):
            with self.subTest(bucket_octets=bucket_octets):
                row = self.sojourn("token-bucket", f"cells[1].flow_control.ms_default.bucket={bucket_octets} octets")
                waits = burst_waits(bucket_octets)
                want = {"mean": sum(waits) / PACKETS, "p50": rank(waits, 50), "p95": rank(waits, 95),
                        "p99": rank(waits, 99), "max": max(waits)}
                print(f"token bucket, {bucket_octets} octets:", row["sojourn_s"], "closed form", want)
                self.assertEqual(row["npdu_in"], PACKETS * BURSTS)
                for name in WAITS:
                    self.assertAlmostEqual(row["sojourn_s"][name], want[name], delta=1e-6)


if __name__ == "__main__":
    unittest.main()
