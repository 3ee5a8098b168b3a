# SPDX-License-Identifier: BSD-3-Clause
"""Every knob of pre-emption and TBFs in P5's scenario, turned one at a time and all together: each has its effect, of a known sign."""
import unittest

import scenario

CALLS, TBF = "cells[1].calls.", "cells[1].tbf."
# Settings of all runs, of the first and of the second run; what of the run then falls or rises: (figure, sign).
LONG = [CALLS + "schedule.hold=15 s", CALLS + "schedule.every=75 s"]
ROWS = [
    ("hold", [], CALLS + "schedule.hold=3 s", CALLS + "schedule.hold=20 s", "octets", -1),
    ("every", [], CALLS + "schedule.every=63 s", CALLS + "schedule.every=30 s", "octets", -1),
    ("first", [], CALLS + "schedule.first=60 s", CALLS + "schedule.first=300 s", "preemptions", -1),
    ("channels", [], CALLS + "channels=3", CALLS + "channels=2", "preemptions", -1),
    ("flush", [], CALLS + "flush=0 s", CALLS + "flush=5 s", "lost", -1),
    ("restart_wait", LONG, CALLS + "restart_wait=1 s", CALLS + "restart_wait=40 s", "downlink_restarts", 1),
    ("uplink_keep", LONG, CALLS + "uplink_keep=14 s", CALLS + "uplink_keep=0 s", "uplink_restarts", 1),
    ("uplink_keep, wait", [*LONG, CALLS + "restart_wait=40 s"], CALLS + "uplink_keep=5 s", CALLS + "uplink_keep=0 s", "octets", 1),
    ("setup", [], TBF + "setup=0 s", TBF + "setup=5 s", "octets", -1),
    ("setup_with_uplink", [TBF + "release=0 s", TBF + "setup=3 s"], TBF + "setup_with_uplink=1 ms", TBF + "setup_with_uplink=3 s", "octets", -1),
    ("release", [TBF + "setup_with_uplink=3 s", TBF + "setup=3 s"], TBF + "release=0 s", TBF + "release=5 s", "octets", 1),
    ("uplink_access", [], TBF + "uplink_access=0 s", TBF + "uplink_access=2 s", "octets", -1),
    ("uplink_hold", [TBF + "uplink_access=2 s"], TBF + "uplink_hold=0 s", TBF + "uplink_hold=5 s", "rtt", -1),
    ("thresholds", [], "cells[1].flow_control.thresholds={ stop = \"10 kB\", go = \"6 kB\" }",
     "cells[1].flow_control.thresholds={ stop = \"40 kB\", go = \"36 kB\" }", "first_lost", 1),
    ("control_one_in", [], "cells[1].control_one_in=9", "cells[1].control_one_in=3", "octets", -1),
    ("processing", [], "cells[1].processing=0 s", "cells[1].processing=1 s", "rtt", 1),
]


class Knobs(scenario.Case):
    def figures(self, settings, name):
        words = [word for setting in settings for word in ("--set", setting)]
        duration = "100 s" if "first_lost" in name else "20 min"
        summary = self.play(scenario.shipped("gprs-preemption"), "--set", f"duration={duration}", *words, name=name).summary
        cell, tcp = summary["cells"]["2"], summary["tcp"][0]
        lost = cell["drops"].get("preempted", 0)
        return {"octets": tcp["octets"], "rtt": tcp["rtt_s"]["avg"], "lost": lost, "first_lost": lost, **cell["calls"]}

    def test_each(self):
        for knob, common, first, second, figure, sign in ROWS:
            with self.subTest(knob=knob):
                before, after = (self.figures([*common, setting], f"{figure}-{place}") for place, setting in enumerate((first, second)))
                print(f"{knob:18} {figure:16} {before[figure]:12.6g} {after[figure]:12.6g}")
                self.assertGreater(sign * (after[figure] - before[figure]), 0)

    def test_together(self):
        """All knobs that cost octets, turned to their costly ends: less than with any of them alone."""
        costly = [second for _, common, _, second, figure, sign in ROWS if figure == "octets" and sign < 0 and not common]
        alone = min(self.figures([setting], "alone")["octets"] for setting in costly)
        self.assertLess(self.figures(costly, "together")["octets"], alone)


if __name__ == "__main__":
    unittest.main()
