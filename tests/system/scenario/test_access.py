# SPDX-License-Identifier: BSD-3-Clause
"""Random access in scenarios: what single accesses take, and that each key of `access` has its effect."""
import unittest

import scenario

PING = '{ name = "anna", traffic = { { ping = { every = "10 s" } } } }'
MOBILES = '{ name = "anna", count = 20, traffic = { { ping = { every = "5 s" } } } }'


def text(access, *, mobiles=MOBILES, rest="", duration="300 s"):
    return scenario.text(duration=duration, cells=f"pdchs = 4, {rest} access = {{ {access} }}", mobiles=mobiles)


class Access(scenario.Case):
    def access(self, access, name="run", **words):
        result = self.play_text(text(access, **words), name=name)
        found = result.summary["cells"]["2"]["access"]
        found["rtt"] = result.summary["ping"][0]["rtt_s"]["avg"]
        return found

    def test_absent(self):
        """Without the key the summary has no access; the ping takes uplink_access."""
        result = self.play_text(scenario.text(cells="pdchs = 4", mobiles=PING))
        self.assertNotIn("access", result.summary["cells"]["2"])

    def test_alone(self):
        """One mobile, no other: its bursts never collide, each access has its assignment after the burst, the response and the message."""
        found = self.access("background = { rate = 0.001 }", mobiles=PING)
        self.assertEqual((found["collisions"], found["mobiles"]["failures"]), (0, 0))
        self.assertEqual(found["mobiles"]["attempts"], found["mobiles"]["granted"])
        self.assertGreater(found["mobiles"]["granted"], 25)
        delay = found["mobiles"]["delay_s"]
        self.assertGreater(delay["mean"], 0.0046 + 0.020 + 0.078)
        self.assertLess(delay["p95"], 0.0046 * 15 + 0.020 + 0.080)


if __name__ == "__main__":
    unittest.main()
