# SPDX-License-Identifier: BSD-3-Clause
"""Order, segments, what may not leave, what may be lost, answers, sums; and traces that cannot be judged."""
import io
import unittest

from scene import MS, S, WIDE, Case, Scene, judge
from sched_oracle import trace


class Order(Case):
    def test_of_a_flow(self):
        scene = Scene()
        first, second = scene.put(1, 100), scene.put(1, 100)
        self.verdict(scene.go(second, first), "order")

    def test_flows_are_free(self):
        scene = Scene()
        first, second = scene.put(1, 100), scene.put(1, 100, flow=1)
        self.verdict(scene.go(second, first))

    def test_across_cells(self):
        scene = Scene().cell(2, *WIDE)
        first, second = scene.put(1, 100), scene.put(1, 100)
        self.verdict(scene.add(trace.MS_MOVE, 1, a=2).go(second, first), "order")


class Segments(Case):
    """500 octets of N201-U: 4 for SNDCP, 6 more for LLC."""

    def scene(self):
        return Scene().segmenting(1, (496, 10), (496, 10))

    def played(self, scene, number, *rows):
        for octets in rows:
            scene.go(number, octets=octets, more=10)
        return scene

    def test_whole(self):
        scene = self.scene()
        self.verdict(self.played(scene, scene.put(1, 1503), 496, 496, 496, 15))

    def test_headers_of_first_and_later(self):
        scene = Scene().segmenting(1, (97, 9), (96, 10))
        number = scene.put(1, 200)
        self.verdict(scene.go(number, octets=97, more=9).go(number, octets=96, more=10).go(number, octets=7, more=10))

    def test_lengths(self):
        for rows in ((497, 3), (495, 5), (400, 100), (496, 3, 1)):
            scene = self.scene()
            with self.subTest(rows):
                self.verdict(self.played(scene, scene.put(1, 500), *rows), "segments")

    def test_llc_length(self):
        scene = self.scene()
        self.verdict(scene.go(scene.put(1, 50), more=11), "segments")

    def test_number_of_segment(self):
        scene = self.scene()
        number = scene.put(1, 500)
        self.verdict(scene.go(number, octets=496, more=10).go(number, more=10, segment=2), "segments")

    def test_last(self):
        scene = self.scene()
        number = scene.put(1, 500)
        self.verdict(scene.go(number, octets=496, more=10, last=1), "segments", "totals")

    def test_another_between(self):
        """Of the same LLC entity; of another one is no matter."""
        for sapi, wrong in ((3, ["segments"]), (5, [])):
            scene = self.scene()
            long, short = scene.put(1, 500), scene.put(1, 40, flow=1, sapi=sapi)
            scene.go(long, octets=496, more=10).go(short, more=10).go(long, more=10)
            with self.subTest(sapi):
                self.verdict(scene, *wrong)

    def test_two_mobiles(self):
        scene = self.scene().mobile(2)
        long, short = scene.put(1, 500), scene.put(2, 40)
        self.verdict(scene.go(long, octets=496, more=10).go(short).go(long, more=10))


class Once(Case):
    def test_twice(self):
        scene = Scene()
        number = scene.put(1, 100)
        scene.go(number).add(trace.DEPART, 1, flags=1, x=100, a=number, b=100)
        self.verdict(scene, "once")

    def test_from_nowhere(self):
        self.verdict(Scene().add(trace.DEPART, 1, flags=1, x=100, a=77, b=100), "once")

    def test_dropped_and_sent(self):
        scene = Scene()
        number = scene.put(1, 100)
        scene.drop(trace.AQM, number).add(trace.DEPART, 1, flags=1, x=100, a=number, b=100)
        self.verdict(scene, "once")

    def test_as_anothers(self):
        scene = Scene().mobile(2)
        self.verdict(scene.go(scene.put(1, 100), ms=2), "once", "totals", "not_idle")

    def test_lost(self):
        scene = Scene()
        scene.put(1, 100)
        self.verdict(scene.add(trace.MS_HOLD, 1, a=1).end(waiting=0, lost=1), "totals", is_ended=True)
        self.verdict(Scene().end(came=1), "totals", is_ended=True)

    def test_deleted_with_something(self):
        scene = Scene()
        scene.put(1, 100)
        self.verdict(scene.add(trace.MS_DELETE, 1), "trace", "not_idle")


class Forbidden(Case):
    def test_held(self):
        scene = Scene().add(trace.MS_HOLD, 1, a=1)
        number = scene.put(1, 100)
        self.verdict(scene.at(S).add(trace.MS_HOLD, 1).go(number))
        scene = Scene().add(trace.MS_HOLD, 1, a=1)
        self.verdict(scene.go(scene.put(1, 100)), "held")

    def test_thawed_late(self):
        scene = Scene().add(trace.MS_HOLD, 1, a=1)
        number = scene.put(1, 100)
        self.verdict(scene.at(S).add(trace.MS_HOLD, 1).at(S + 1).go(number), "not_idle")

    def test_blocked(self):
        scene = Scene().add(trace.CELL_USE, 1)
        number = scene.put(1, 100)
        self.verdict(scene.at(S).add(trace.CELL_USE, 1, a=1).go(number))
        scene = Scene().add(trace.CELL_USE, 1)
        self.verdict(scene.go(scene.put(1, 100)), "blocked")
        scene = Scene().add(trace.CELL_RESET, 1)
        self.verdict(scene.go(scene.put(1, 100)), "blocked")

    def test_lifetime(self):
        """Of the first segment; later ones may follow."""
        for late, wrong in ((0, []), (1, ["lifetime"])):
            scene = Scene(ms=(8000, 100)).segmenting(1, (100, 0), (100, 0))
            scene.go(scene.put(1, 100))
            number = scene.put(1, 200, until=100 * MS - late)
            scene.at(100 * MS).go(number, octets=100).at(200 * MS).go(number)
            with self.subTest(late):
                self.verdict(scene, *wrong)

    def test_deleted(self):
        scene = Scene().mobile(2)
        number = scene.put(2, 100)
        scene.drop(trace.DELETED, number).add(trace.MS_DELETE, 2)
        self.verdict(scene.add(trace.DEPART, 2, flags=1, x=100, a=number, b=100), "once")
        scene = Scene().mobile(2).add(trace.MS_DELETE, 2).mobile(2)
        self.verdict(scene.go(scene.put(2, 100)))


class Reasons(Case):
    def drop(self, reason, *wrong, segments=0, until=-1, now=MS):
        scene = Scene().segmenting(1, (10, 0), (10, 0))
        number = scene.put(1, 100, until=until)
        for _ in range(segments):
            scene.go(number, octets=10)
        scene.add(trace.MS_HOLD, 1, a=1)
        self.verdict(scene.at(now).drop(reason, number), *wrong)

    def test_fit(self):
        self.drop(trace.DELETED)
        self.drop(trace.AQM)
        self.drop(trace.PARTIAL, segments=1)
        self.drop(trace.LIFETIME, until=MS - 1)

    def test_do_not(self):
        self.drop(trace.PARTIAL, "reason")
        self.drop(trace.DELETED, "reason", segments=1)
        self.drop(trace.LIFETIME, "reason", until=MS)
        self.drop(0, "reason")
        self.drop(99, "reason")

    def test_refusals(self):
        for reason in (trace.PARTIAL, trace.LIFETIME, 77):
            scene = Scene()
            scene.put(1, 100, reason)
            with self.subTest(reason):
                self.verdict(scene, "reason")
        scene = Scene()
        scene.put(1, 100, trace.AQM)
        self.verdict(scene)

    def test_what_is_behind_a_dropped_one(self):
        """Leaves in the same instant."""
        for now, wrong in ((2 * MS, []), (2 * MS + 1, ["not_idle"])):
            scene = Scene(cell=(8000, 1000))
            scene.go(scene.put(1, 1000))
            dies, lives = scene.put(1, 1000, until=2 * MS - 1), scene.put(1, 2)
            with self.subTest(now):
                self.verdict(scene.at(2 * MS).drop(trace.LIFETIME, dies).at(now).go(lives), *wrong)


class Answers(Case):
    def test_kept(self):
        scene = Scene(ms=(8000, 100))
        scene.go(scene.put(1, 100))
        number = scene.put(1, 100)
        scene.add(trace.ANSWER, a=100 * MS).at(100 * MS).go(number)
        self.verdict(scene.add(trace.ANSWER, a=(1 << 63) - 1).at(S))

    def test_overslept(self):
        scene = Scene(ms=(8000, 100))
        scene.go(scene.put(1, 100))
        number = scene.put(1, 100)
        scene.add(trace.ANSWER, a=99 * MS).at(100 * MS).go(number)
        self.verdict(scene, "answers")

    def test_too_far(self):
        """The answer is later than what could leave: idle."""
        scene = Scene(ms=(8000, 100))
        scene.go(scene.put(1, 100))
        number = scene.put(1, 100)
        scene.add(trace.ANSWER, a=101 * MS).at(101 * MS).go(number)
        report = self.verdict(scene, "not_idle")
        self.assertIn("last answer: 101000000 ns", report.checks["not_idle"].first[0])

    def test_now(self):
        for answer in (0, -(1 << 63)):
            self.verdict(Scene().add(trace.ANSWER, a=answer), "answers")

    def test_in_vain(self):
        scene = Scene(ms=(8000, 100))
        scene.go(scene.put(1, 100))
        number = scene.put(1, 100)
        scene.add(trace.ANSWER, a=50 * MS).at(50 * MS).add(trace.ANSWER, a=100 * MS).at(100 * MS).go(number)
        self.assertEqual(self.verdict(scene).notes["answers after which nothing was done"], 1)


class Unreadable(Case):
    def test_traces(self):
        rows = {
            "kind": lambda scene: scene.add(99),
            "time": lambda scene: scene.at(5).add(trace.ANSWER, a=9).at(4).add(trace.ANSWER, a=9),
            "no such mobile": lambda scene: scene.add(trace.MS_HOLD, 7),
            "no such cell": lambda scene: scene.add(trace.CELL_USE, 7),
            "no such link": lambda scene: scene.add(trace.CELL_ADD, 7, a=7),
            "no such packet flow": lambda scene: scene.add(trace.RATIO, 1, flags=trace.AT_PFC, x=3),
            "no such level": lambda scene: scene.set(5, 1, 1, 1),
            "mobile is there": lambda scene: scene.mobile(1),
            "class": lambda scene: scene.put(1, 10, qclass=8),
            "empty": lambda scene: scene.put(1, 0),
        }
        for name, spoil in rows.items():
            scene = Scene()
            spoil(scene)
            with self.subTest(name):
                self.assertEqual(judge(scene).checks["trace"].wrong, 2)  # this, and that it has no end

    def test_number_again(self):
        scene = Scene()
        scene.put(1, 10)
        scene.number -= 1
        scene.put(1, 10)
        self.assertEqual(judge(scene).checks["trace"].wrong, 2)

    def test_cut_off(self):
        octets = b"".join(Scene().end().records)
        self.assertEqual(b"".join(trace.blocks(io.BytesIO(octets))), octets)
        with self.assertRaises(trace.TraceError):
            list(trace.blocks(io.BytesIO(octets[:-1])))


if __name__ == "__main__":
    unittest.main()
