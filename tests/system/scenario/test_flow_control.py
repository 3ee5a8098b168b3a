# SPDX-License-Identifier: BSD-3-Clause
"""Every bucket of cells, mobiles and packet flows in virtual time, judged by tests/oracles/flow without any tolerance."""
import os
import sys
import unittest

import scenario

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "oracles", "flow"))

from flow_judge import cli  # noqa: E402  pylint: disable=wrong-import-position

SECONDS, MOBILES = 120, 6
# R and Bmax of the cell change every second with the bad blocks and with calls, and are 0 while the BSS holds much; the values of
# mobiles end after Th and come again after ten seconds.
CELL = """bvci = %d, coding = "MCS-9", pdchs = 16, bler = "20 %%", calls = { channels = 12, arrivals = { interval = "1 s", hold = "5 s" } },
    flow_control = { policy = "%s", every = "%d s", bucket_time = "500 ms", bucket_level = %s,
      ms = { bucket = "4 kB", rate = "160 kbit/s", start = "2 s" }, pfc = { bucket = "3 kB", rate = "120 kbit/s" },
      thresholds = { stop = "20 kB", go = "5 kB" } }"""


def text(policy, every_s, has_levels):
    cells = [CELL % (bvci, policy, every_s, str(has_levels).lower()) for bvci in (2, 3)]
    mobiles = ", ".join(f'{{ name = "m{number}", cell = {2 + number % 2}, traffic = {{ {{ cbr = {{ rate = "300 kbit/s", '
                        f'packet = "{150 + 100 * number} octets" }} }}, {{ ping = {{}} }} }} }}' for number in range(MOBILES))
    moves = ", ".join(f'{{ at = "{5 + 3 * at} s", mobile = "m{at % MOBILES}", cell = {2 + (at // MOBILES + at + 1) % 2} }}'
                      for at in range((SECONDS - 10) // 3))
    lua = scenario.text(duration=f"{SECONDS} s", cells=cells[0], mobiles=mobiles, rest=f"moves = {{ {moves} }},")
    return lua.replace('bvci = 2, coding = "CS-2", bvci', "bvci").replace("1520 octets", "200 octets").replace(
        "cells = { {", f"cells = {{ {{ {cells[1]} }}, {{")


class FlowControl(scenario.Case):
    def check(self, name, *what, least=20000):
        result = self.play_text(text(*what), "--pcap=gb", name=name)
        judged = cli.judge(os.path.join(result.out, "gb.pcapng"), th_ns=5 * 10**9)
        print("\n".join(cli.lines(judged)), file=sys.stderr)
        self.assertEqual([line for *_, line in judged.found][:5], [])
        self.assertGreaterEqual(judged.counts["cell"].pdus, least)
        for kind, count in judged.counts.items():
            self.assertTrue(count.pdus > 0 and count.changes > 0, (kind, vars(count)))

    def test_changing_rates(self):
        self.check("changing", "osmo_pcu", 1, False)

    def test_th_and_levels(self):
        self.check("levels", "fixed", 10, True)


if __name__ == "__main__":
    unittest.main()
