# SPDX-License-Identifier: BSD-3-Clause
"""config/studies/radio-link.lua against link_model.py: fixed schemes within 1 %, with redundancy too; adaptation is their envelope."""
import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest

import link_model as model

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
STUDY = os.path.join(ROOT, "config", "studies", "radio-link.lua")
DURATION_S, WARMUP_S = 3000, 20
# Octets of payload of a packet of the study, and of RLC data that it takes: UDP, IP, SNDCP, LLC, length indicator.
PAYLOAD, RLC = 472, 472 + 28 + 4 + 6 + 1
WITHIN = 0.01
# Above it 150 000 blocks are too few for 1 %.
MOST_BLER = 0.8
# What the hysteresis of 2 dB costs near the C/I where CS-4 overtakes CS-3.
HYSTERESIS_MARGIN = 0.12


class Page(unittest.TestCase):
    """docs/radio.md has the numbers of the model, and what it prints."""

    def part(self, name):
        with open(os.path.join(ROOT, "docs", "radio.md"), encoding="utf-8") as file:
            return file.read().split(f"<!-- begin {name} -->\n")[1].split(f"<!-- end {name} -->")[0]

    def test_curves(self):
        cells = [cell.strip() for line in self.part("curves").splitlines() for cell in line.split("|")]
        found = {cells[i]: float(cells[i + 1]) for i in range(len(cells) - 1) if cells[i] in model.SCHEMES}
        self.assertEqual(found, {scheme: ci_db for scheme, (_, ci_db) in model.SCHEMES.items()})
        points = [(float(offset), float(bler)) for row in self.part("curves").splitlines()[-4:]
                  for offset, bler in zip(row.split("|")[1].split(","), row.split("|")[2].split(","))]
        self.assertEqual(points, [(i - 10, bler) for i, bler in enumerate(model.SHAPE)])

    def test_thresholds(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            model.main()
        self.assertEqual([line.strip() for line in self.part("thresholds").splitlines()], out.getvalue().splitlines())


class Link(unittest.TestCase):
    def rate_bps(self, ci_db, coding, *sets):
        """RLC data that reached the mobile."""
        with tempfile.TemporaryDirectory(prefix="gbflow-link-") as folder:
            words = [word for setting in (f"duration={DURATION_S} s", f"cells[1].link.ci_db={ci_db}", f"cells[1].coding={coding}", *sets)
                     for word in ("--set", setting)]
            command = [os.environ["GBFLOW"], "run", STUDY, "--out", folder, "--no-report", "--no-series", *words]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
                return json.load(file)["classes"]["background"]["goodput_bps"]["total"] * RLC / PAYLOAD

    def fixed_bps(self, ci_db, coding, redundancy, *sets):
        return self.rate_bps(ci_db, coding, "cells[1].link.adaptation=none", f"cells[1].link.incremental_redundancy={str(redundancy).lower()}",
                             *sets)

    def assert_near(self, found_bps, expected_bps, what):
        self.assertLess(abs(found_bps / expected_bps - 1), WITHIN, (*what, found_bps, expected_bps))

    def test_fixed(self):
        worst = 0
        for coding in model.SCHEMES:
            points = [ci_db for ci_db in range(1, 40, 2) if 0.0005 < model.bler(coding, ci_db) <= MOST_BLER]
            self.assertGreaterEqual(len(points), 4, coding)
            for ci_db in points[:4]:
                found, expected = self.fixed_bps(ci_db, coding, False), model.rate_bps(coding, ci_db)
                self.assert_near(found, expected, (coding, ci_db))
                worst = max(worst, abs(found / expected - 1))
        print(f"fixed schemes: at most {100 * worst:.2f} % from payload x (1 - BLER) x 50")

    def test_slots(self):
        """Four slots carry four times as much, in 20 ms and in 10 ms."""
        for tti in ("20 ms", "10 ms"):
            found = self.fixed_bps(16, "MCS-6", False, "cells[1].pdchs=4", "cells[1].downlink_slots=4", "cells[1].uplink_slots=2",
                                   "cells[1].flow_control.thresholds={ stop = \"16 kB\", go = \"8 kB\" }",
                                   f"cells[1].link.tti={tti}", "mobiles.anna.traffic[1].cbr.rate=200 kbit/s")
            self.assert_near(found, model.rate_bps("MCS-6", 16, slots=4), (tti,))

    def test_redundancy(self):
        for coding, ci_db in (("MCS-1", 5), ("MCS-3", 10), ("MCS-6", 8), ("MCS-6", 15), ("MCS-9", 18), ("MCS-9", 29)):
            self.assert_near(self.fixed_bps(ci_db, coding, True), model.rate_bps(coding, ci_db, True), (coding, ci_db))

    def test_envelope(self):
        """Adaptation at a constant C/I gives the best fixed scheme; with redundancy it gives no less."""
        for ci_db in range(6, 34, 3):
            best_bps = model.envelope_bps(ci_db, "MCS")
            for redundancy in ("false", "true"):
                found = self.rate_bps(ci_db, "MCS-9", "cells[1].link.adaptation=egprs",
                                      f"cells[1].link.incremental_redundancy={redundancy}")
                self.assertGreater(found, (1 - WITHIN) * best_bps, (ci_db, redundancy))
                self.assertLess(found, (1 + WITHIN) * best_bps if redundancy == "false" else 1.5 * best_bps, (ci_db, redundancy))
            best_bps = model.envelope_bps(ci_db, "CS")
            for hysteresis_db, margin in ((0, WITHIN), (2, HYSTERESIS_MARGIN)):
                found = self.rate_bps(ci_db, "CS-4", "cells[1].link.adaptation=gprs", f"cells[1].link.hysteresis_db={hysteresis_db}")
                self.assertGreater(found, (1 - margin) * best_bps, (ci_db, hysteresis_db))
                self.assertLess(found, (1 + WITHIN) * best_bps, (ci_db, hysteresis_db))

    def test_shadowing(self):
        """Where the C/I varies slowly adaptation gives more than each fixed scheme."""
        varying = ("cells[1].link.shadowing_db=8", "cells[1].link.decorrelation=10 s")
        best_bps = max(self.fixed_bps(20, coding, False, *varying) for coding in ("MCS-3", "MCS-5", "MCS-6", "MCS-7", "MCS-9"))
        found = self.rate_bps(20, "MCS-9", "cells[1].link.adaptation=egprs", "cells[1].link.incremental_redundancy=false", *varying)
        print(f"shadowing of 8 dB: {found / 1000:.1f} kbit/s with adaptation, {best_bps / 1000:.1f} kbit/s with the best fixed scheme")
        self.assertGreater(found, 1.15 * best_bps)


if __name__ == "__main__":
    unittest.main()
