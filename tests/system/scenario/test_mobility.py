# SPDX-License-Identifier: BSD-3-Clause
"""Mobiles that move over cells: borders against the fluid-flow model, gaps against their parts, and what each key changes."""
import math
import unittest

import scenario

PING = 'traffic = { { ping = { every = "20 s" } } }'
KMH = 1 / 3.6
# A key, another value than that of the scenario, and the figures of `reselection` that it changes.
KEYS = [
    ("layout", '"line"', ("crossings", "reselections")), ("radius_m", "300", ("crossings", "reselections")),
    ("speed_kmh", "20", ("crossings", "reselections")), ("motion", '"waypoints"', ("crossings",)), ("pause", '"60 s"', ("crossings",)),
    ("average", '"0 s"', ("reselections",)), ("measure", '"3 s"', ("reselections", "gap_s")), ("power_dbm", "5", ("reselections",)), ("loss_1km_db", "185", ("reselections",)),
    ("exponent", "2", ("reselections",)), ("shadowing_db", "9", ("reselections",)), ("shadowing_m", "200", ("reselections",)),
    ("access_min_dbm", "-60", ("reselections",)), ("hysteresis_db", "12", ("reselections",)), ("hysteresis_area_db", "14", ("area_changes",)),
    ("hold", '"1 s"', ("reselections",)), ("again", '"100 s"', ("reselections",)), ("again_db", "30", ("reselections",)),
    ("gap.sync", '"1 s"', ("gap_s", "without_cell")), ("gap.system_information", '"3 s"', ("gap_s", "without_cell")),
    ("gap.nacc", "true", ("gap_s", "without_cell")), ("gap.access", '"1 s"', ("gap_s", "without_cell")),
    ("gap.cell_update", '"1 s"', ("gap_s",)), ("gap.routing_area_update", '"9 s"', ("gap_s",)),
]


def text(mobility, *, cells=8, count=4, duration="600 s"):
    """Cells of two routing areas, with mobiles in each."""
    listed = ", ".join(f'{{ bvci = {i}, pdchs = 4, coding = "CS-2", routing_area = {1 + i % 2}, buffer = {{ cell = "50 kB", mobile = "50 kB" }} }}'
                       for i in range(2, 2 + cells))
    mobiles = ", ".join(f'{{ name = "m{i}-", count = {count}, cell = {i}, {PING} }}' for i in range(2, 2 + cells))
    return (f'return {{ title = "Test", duration = "{duration}", cells = {{ {listed} }}, mobiles = {{ {mobiles} }},\n'
            f"mobility = {{ {mobility} }} }}")


PLANE = 'layout = "plane", columns = 4, radius_m = 500, speed_kmh = 60, shadowing_db = 4, hysteresis_db = 2'


class Mobility(scenario.Case):
    def reselection(self, *words, name="run", **given):
        return self.play_text(text(*words[:1], **given), *words[1:], "--no-report", name=name).summary["reselection"]

    def test_line(self):
        """On a line without shadowing: v / (2 R) borders and as many reselections, at any speed."""
        for speed in (20, 100):
            with self.subTest(speed=speed):
                found = self.reselection(f"radius_m = 400, speed_kmh = {speed}, hysteresis_db = 2", duration="1200 s", name=f"line{speed}")
                expected = 32 * 1200 * speed * KMH / 800
                self.assertAlmostEqual(found["crossings"] / expected, 1, delta=0.02)
                self.assertAlmostEqual(found["reselections"] / expected, 1, delta=0.03)
                self.assertEqual(found["area_changes"], found["reselections"])

    def test_plane(self):
        """On a plane 4 v / (sqrt(3) pi R), the fluid-flow model for hexagons, within 4 per cent."""
        for motion in ("straight", "waypoints"):
            with self.subTest(motion=motion):
                found = self.reselection(f'layout = "plane", columns = 4, radius_m = 500, speed_kmh = 100, motion = "{motion}"',
                                         cells=16, count=6, duration="1200 s", name=motion)
                expected = 96 * 1200 * 100 * KMH / 500 * 4 / (math.sqrt(3) * math.pi)
                self.assertAlmostEqual(found["crossings"] / expected, 1, delta=0.04)

    def test_keys(self):
        """Each key of `mobility` changes the figures that it is about; and so do the keys of a cell and a mobile."""
        base = self.reselection(PLANE)
        for key, value, names in KEYS:
            with self.subTest(key=key):
                words = ["--set", f"mobility.{key}={value}".replace('"', "")]
                # A plane that becomes a line has no columns, waypoints are there to rest at, and shadowing decorrelates.
                given = PLANE.replace("columns = 4, ", "") if key == "layout" else PLANE
                if key == "pause":
                    given += ', motion = "waypoints"'
                found = self.reselection(given, *words, name="key")
                before = self.reselection(given, name="before") if key == "pause" else base
                for name in names:
                    self.assertNotEqual(found[name], before[name], (key, name))
        self.assertNotEqual(self.reselection(PLANE, "--set", "cells[2].reselect_offset_db=20", name="key"), base)
        self.assertLess(self.reselection(PLANE, "--set", "mobiles[1].speed_kmh=0", name="key")["mobiles"], base["mobiles"])

    def test_gaps(self):
        """The parts are the gap; NACC takes the reading of system information out of it and nothing else."""
        fixed = 'gap = { sync = "40 ms", system_information = "1 s", access = "160 ms", cell_update = "0 s", routing_area_update = "2 s"'
        for name, more, parts in (("plain", "", (0.04, 1, 0.16, 2)), ("nacc", ", nacc = true", (0.04, 0, 0.16, 2))):
            with self.subTest(name=name):
                found = self.reselection(f"radius_m = 400, speed_kmh = 60, {fixed}{more} }}", name=name)
                self.assertEqual(tuple(found["gap_parts_s"].values()), parts)
                self.assertAlmostEqual(found["gap_s"]["mean"], sum(parts), 6)
                self.assertAlmostEqual(found["gap_s"]["p95"], sum(parts), 6)
                self.assertAlmostEqual(found["without_cell"], found["reselections"] * sum(parts) / (32 * 600), delta=0.001)

    def test_without_a_cell(self):
        """In its gap a mobile receives nothing and sends nothing: in gaps of 20 s, six of its pings in a minute are late or lost."""
        lua = text('radius_m = 400, speed_kmh = 60, gap = { sync = "20 s" }', count=1, cells=2).replace(
            "routing_area = 2", "routing_area = 1").replace('every = "20 s"', 'every = "1 s"')
        still = self.play_text(lua, "--set", "mobility.speed_kmh=0", "--no-report", name="still").summary
        moving = self.play_text(lua, "--no-report", name="moving").summary
        self.assertEqual((still["reselection"]["reselections"], still["reselection"]["gap_s"]["mean"]), (0, None))
        self.assertEqual(still["reselection"]["without_cell"], 0 if still["reselection"]["mobiles"] else None)
        for before, after in zip(still["ping"], moving["ping"]):
            self.assertLess(before["rtt_s"]["max"], 2)
            self.assertGreater(after["rtt_s"]["max"], 15)

    def test_printed(self):
        """The run's table ends with the reselections of mobiles that move, if there are any."""
        found = {speed: self.play_text(text(f"radius_m = 400, speed_kmh = {speed}"), "--no-series", name="printed").stdout
                 for speed in ("60", "0.001", "0")}
        self.assertRegex(found["60"], r"\n\d+ cell reselections of 32 mobiles, [\d.]+ s without a cell on average, [\d.]+ s p95\n")
        self.assertIn("\n0 cell reselections of 32 mobiles\n", found["0.001"])
        self.assertNotIn("cell reselections", found["0"])

    def test_repeats(self):
        """Equal seeds give equal figures, other seeds others; without the key there are none."""
        one, same, other = (self.reselection(PLANE, "--seed", str(seed), name=f"seed{i}") for i, seed in enumerate((3, 3, 4)))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)
        plain = text("").replace("mobility = {  }", "")
        self.assertNotIn("reselection", self.play_text(plain, "--no-report", name="plain").summary)


if __name__ == "__main__":
    unittest.main()
