# SPDX-License-Identifier: BSD-3-Clause
"""What may wait for what: levels, mobiles, flows; and that nothing else may."""
import unittest

from scene import MS, S, WIDE, Case, Scene
from sched_oracle import trace


class Alone(Case):
    def test_at_once(self):
        scene = Scene()
        number = scene.put(1, 100)
        self.verdict(scene.at(1).go(number), "not_idle")

    def test_left_at_the_end(self):
        scene = Scene()
        scene.put(1, 100)
        self.verdict(scene, "not_idle")

    def test_behind_its_first(self):
        """The second conforms the moment that the first leaves, which is when the first conforms."""
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = Scene(ms=(8000, 1000))
            scene.go(scene.put(1, 1000))
            first, second = scene.put(1, 500), scene.put(1, 10)
            scene.at(500 * MS).go(first).at(510 * MS + late).go(second)
            with self.subTest(late):
                self.verdict(scene, *wrong)

    def test_a_wake_up_that_others_hide(self):
        """Something happens all the time, and mobile 1 is forgotten."""
        scene = Scene(ms=(8000, 1000)).mobile(2)
        scene.go(scene.put(1, 1000))
        number = scene.put(1, 500)
        for now in range(100, 600, 100):
            scene.at(now * MS).go(scene.put(2, 50))
        report = self.verdict(scene.at(600 * MS).go(number), "not_idle")
        self.assertEqual(report.checks["not_idle"].wrong, 1)


class InACell(Case):
    def scene(self):
        """A cell with room for 10 octets, 1000 more each second."""
        scene = Scene(cell=(8000, 1510)).mobile(2)
        return scene.go(scene.put(1, 1500))

    def test_waits_for_the_one_that_it_chose(self):
        """The long one waits, and the short one, which fits, does not overtake it."""
        scene = self.scene()
        long, short = scene.put(1, 1500), scene.put(2, 5)
        self.verdict(scene.at(1490 * MS).go(long).at(1495 * MS).go(short))

    def test_may_choose_the_other(self):
        scene = self.scene()
        long, short = scene.put(1, 1500), scene.put(2, 5)
        self.verdict(scene.go(short).at(1495 * MS).go(long))

    def test_does_not_wait_without_need(self):
        scene = self.scene()
        short, shorter = scene.put(1, 10), scene.put(2, 5)
        self.verdict(scene.at(1).go(shorter).at(5 * MS).go(short), "not_idle")

    def test_changes_its_mind_without_reason(self):
        """The short one could have gone at once, or when the long one could; or when something happens."""
        for now, tell, wrong in ((500 * MS, False, ["punctual"]), (500 * MS, True, []), (1490 * MS, False, [])):
            scene = self.scene()
            long, short = scene.put(1, 1500), scene.put(2, 5)
            scene.at(now)
            if tell:
                scene.put(1, 5)
            with self.subTest(now, tell=tell):
                self.verdict(scene.go(short).at(1495 * MS).go(long), *wrong)

    def test_does_not_wait_for_a_mobile_that_waits_itself(self):
        """The long one of mobile 2 waits for that mobile's bucket: nobody may wait for it."""
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = Scene(cell=(8000, 1510)).mobile(2, rate=8000, most=2000)
            scene.put(2, 1500)
            scene.put(2, 1500)
            first, second = 1, 2
            scene.go(first)
            short = scene.put(1, 10)
            scene.at(late).go(short)
            with self.subTest(late):
                self.verdict(scene.at(1500 * MS).go(second), *wrong)

    def test_waits_until_the_chosen_dies(self):
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = self.scene()
            long, short = scene.put(1, 1500, until=S), scene.put(2, 5)
            scene.at(S + 1).drop(trace.LIFETIME, long).at(S + 1 + late).go(short)
            with self.subTest(late):
                self.verdict(scene, *wrong)

    def test_other_cells_do_not_wait(self):
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = self.scene().cell(2, *WIDE).mobile(3, 2)
            long, other = scene.put(1, 1500), scene.put(3, 1500)
            scene.at(late).go(other).at(1490 * MS).go(long)
            with self.subTest(late):
                self.verdict(scene, *wrong)

    def test_largest(self):
        """The looser reading: a cell without room for 1526 octets may wait with anything."""
        scene = self.scene()
        first, second = scene.put(1, 10), scene.put(2, 5)
        self.verdict(scene.at(1).go(second).at(5 * MS).go(first), idle="largest")
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = Scene(cell=(8000, 1600))
            scene.go(scene.put(1, 1000))
            number = scene.put(1, 10)
            with self.subTest(late=late):
                self.verdict(scene.at(926 * MS + late).go(number), *wrong, idle="largest")

    def test_what_has_gone(self):
        """Strictly there is nothing to wait for any more; else the cell may wait until that would have fitted, and no longer."""
        gone = {
            "dropped": lambda scene, long: scene.drop(trace.AQM, long),
            "held": lambda scene, long: scene.add(trace.MS_HOLD, 1, a=1),
            "moved": lambda scene, long: scene.add(trace.MS_HOLD, 1, a=1).cell(2, *WIDE).add(trace.MS_MOVE, 1, a=2),
            "closed": lambda scene, long: scene.set(trace.AT_MS, 1, 0, 0),
        }
        for name, tell in gone.items():
            for late, idle, wrong in ((0, "strict", ["not_idle"]), (0, "chosen", []), (1, "chosen", ["not_idle"])):
                scene = self.scene()
                long, short = scene.put(1, 1500), scene.put(2, 5)
                tell(scene.at(MS), long)
                with self.subTest(name, late=late, idle=idle):
                    self.verdict(scene.at(1490 * MS + late).go(short), *wrong, idle=idle)

    def test_reasons_to_look_again(self):
        """Whatever opens what waits: it leaves in that instant, not 1 ns later."""
        rows = {
            "more room": lambda scene: scene.set(trace.AT_CELL, 1, 8000, 3010),
            "empty": lambda scene: scene.add(trace.LEVEL, 1, flags=trace.AT_CELL),
            "ratio": lambda scene: scene.add(trace.RATIO, 1, flags=trace.AT_CELL, a=0),
            "discarded": lambda scene: scene.add(trace.ADJUST, 1, flags=trace.AT_CELL, a=-1500),
            "moved": lambda scene: scene.cell(2, *WIDE).add(trace.MS_MOVE, 1, a=2),
        }
        for name, tell in rows.items():
            for late, wrong in ((0, []), (1, ["not_idle"])):
                scene = self.scene()
                number = scene.put(1, 1500)
                tell(scene.at(MS))
                with self.subTest(name, late=late):
                    self.verdict(scene.at(MS + late).go(number), *wrong)


class OnALink(Case):
    def scene(self):
        """Room for 10 octets on the link, 1000 more each second; two cells."""
        scene = Scene(link=(8000, 1510)).cell(2, *WIDE).mobile(2, 2)
        return scene.go(scene.put(1, 1500))

    def test_waits_for_the_one_that_it_chose(self):
        scene = self.scene()
        long, short = scene.put(1, 1500), scene.put(2, 5)
        self.verdict(scene.at(1490 * MS).go(long).at(1495 * MS).go(short))

    def test_does_not_wait_without_need(self):
        scene = self.scene()
        short, shorter = scene.put(1, 10), scene.put(2, 5)
        self.verdict(scene.at(1).go(shorter).at(5 * MS).go(short), "not_idle")

    def test_one_nanosecond(self):
        for by, wrong in ((0, []), (-1, ["conform_link"]), (1, ["not_idle"])):
            scene = self.scene()
            number = scene.put(2, 1500)
            with self.subTest(by):
                self.verdict(scene.at(1490 * MS + by).go(number), *wrong)

    def test_does_not_wait_for_a_cell_that_waits_itself(self):
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = Scene(link=(8000, 10000)).cell(2, 800, 1500).mobile(2, 2)
            scene.go(scene.put(2, 1500))
            long, short = scene.put(2, 1500), scene.put(1, 20)
            scene.at(late).go(short).at(15 * S).go(long)
            with self.subTest(late):
                self.verdict(scene, *wrong)

    def test_what_has_gone(self):
        for late, idle, wrong in ((0, "strict", ["not_idle"]), (0, "chosen", []), (1, "chosen", ["not_idle"])):
            scene = self.scene()
            long, short = scene.put(1, 1500), scene.put(2, 5)
            scene.at(MS).drop(trace.AQM, long)
            with self.subTest(late=late, idle=idle):
                self.verdict(scene.at(1490 * MS + late).go(short), *wrong, idle=idle)

    def test_signalling_comes_in_between(self):
        """What is chosen at the instant at which the first one would have fitted without it may be another one."""
        for now, wrong in ((1490 * MS, []), (1489 * MS, ["punctual"])):
            scene = self.scene()
            long, short = scene.put(1, 1500), scene.put(2, 5)
            scene.at(MS).add(trace.SIGNAL, 1, x=100).at(now).go(short)
            with self.subTest(now):
                self.verdict(scene.at(1595 * MS).go(long), *wrong, idle="chosen")

    def test_rate_ends(self):
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = self.scene()
            number = scene.put(1, 1500)
            scene.at(MS).add(trace.GONE, 1, flags=trace.AT_LINK)
            with self.subTest(late):
                self.verdict(scene.at(MS + late).go(number), *wrong)


class InAMobile(Case):
    """Several flows behind one bucket."""

    def test_waits_for_the_one_that_it_chose(self):
        scene = Scene(ms=(8000, 1510))
        scene.go(scene.put(1, 1500))
        long, short = scene.put(1, 1500), scene.put(1, 5, flow=1)
        self.verdict(scene.at(1490 * MS).go(long).at(1495 * MS).go(short))

    def test_does_not_wait_without_need(self):
        scene = Scene(ms=(8000, 1510))
        scene.go(scene.put(1, 1500))
        numbers = scene.put(1, 5), scene.put(1, 5, flow=1)
        self.verdict(scene.at(1).go(*numbers), "not_idle")

    def test_what_waits_behind_its_packet_flow(self):
        """Holds up nobody but its packet flow."""
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = Scene().set(trace.AT_PFC, 1, 8000, 1510, pfi=9)
            scene.go(scene.put(1, 1500, pfi=9, flow=9))
            long, other = scene.put(1, 1500, pfi=9, flow=9), scene.put(1, 1500)
            short = scene.put(1, 5, pfi=9, flow=10)
            scene.at(late).go(other).at(1490 * MS).go(long).at(1495 * MS).go(short)
            with self.subTest(late):
                self.verdict(scene, *wrong)

    def test_what_its_packet_flow_does_not_let_pass_any_more(self):
        """The mobile waited for it; strictly there is nothing to wait for until the packet flow's bucket has drained again."""
        for late, idle, wrong in ((0, "strict", ["not_idle"]), (0, "chosen", []), (1, "chosen", ["not_idle"])):
            scene = Scene(ms=(8000, 1510)).set(trace.AT_PFC, 1, 8000, 1600, pfi=9)
            scene.go(scene.put(1, 1500))
            long, short = scene.put(1, 1500, pfi=9, flow=9), scene.put(1, 5, flow=1)
            scene.at(S).add(trace.RATIO, 1, flags=trace.AT_PFC, x=9, a=100)
            with self.subTest(late=late, idle=idle):
                self.verdict(scene.at(1490 * MS + late).go(short).at(2500 * MS).go(long), *wrong, idle=idle)

    def test_llc_entity(self):
        """A segment has left: its N-PDU's flow goes on, others of the SAPI wait for it, those of other SAPIs do not."""
        for sapi, late, wrong in ((3, 1, []), (5, 0, []), (5, 1, ["not_idle"])):
            scene = Scene(ms=WIDE).segmenting(1, (500, 0), (500, 0)).set(trace.AT_PFC, 1, 4000000, 500, pfi=9)
            long, short = scene.put(1, 1000, pfi=9, flow=9, sapi=3), scene.put(1, 400, flow=1, sapi=sapi)
            scene.go(long, octets=500)
            if sapi == 5:
                scene.at(late).go(short).at(MS).go(long)
            else:
                scene.at(MS).go(long, short)
            with self.subTest(sapi=sapi, late=late):
                self.verdict(scene, *wrong)

    def test_packet_flow_ends(self):
        """What waited there joins other flows somewhere: not judged for idleness until it has gone."""
        scene = Scene().set(trace.AT_PFC, 1, 0, 0, pfi=9)
        waits = scene.put(1, 600, pfi=9, flow=9)
        scene.at(MS).add(trace.GONE, 1, flags=trace.AT_PFC, x=9)
        scene.at(2 * MS).go(waits)
        self.verdict(scene)
        scene.put(1, 600)
        self.verdict(scene, "not_idle")


if __name__ == "__main__":
    unittest.main()
