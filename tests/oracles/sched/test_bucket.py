# SPDX-License-Identifier: BSD-3-Clause
"""Conformance at each level: the sequences of the flow-control algorithm, its borders, and what changes a bucket."""
import unittest

from scene import MS, S, WIDE, Case, Scene
from sched_oracle import trace
from sched_oracle.bucket import NEVER, OCTET, Bucket

OCTETS = 8  # bit/s in one octet/s

# Bmax, R in octet/s, (arrival, octets, departure) in order; None: never.
SEQUENCES = {
    "A": (1000, 1000, [(0, 400, 0), (0, 400, 0), (0, 400, 0.2), (0, 400, 0.6), (0, 400, 1), (10, 400, 10)]),
    "B": (1500, 500, [(0, 1500, 0), (0, 60, 0.12), (0, 60, 0.24), (1, 1400, 3.04), (20, 1500, 20)]),
    "C": (1000, 0, [(0, 400, 0), (0, 400, 0), (0, 400, None)]),
}
LEVELS = {"A": [400, 800, 1000, 1000, 1000, 400], "B": [1500] * 5, "C": [400, 800]}


def played(rows, scene, shift=None):
    """The rows as a trace; shift: (row, nanoseconds) by which one leaves at another time."""
    events = []
    for place, (arrival, octets, departure) in enumerate(rows):
        events.append((int(arrival * S), 0, place, octets))
        if departure is not None:
            events.append((round(departure * S) + (shift[1] if shift and shift[0] == place else 0), 1, place, octets))
    numbers = {}
    for now, is_departure, place, octets in sorted(events):
        scene.at(now)
        if is_departure:
            scene.go(numbers[place])
        else:
            numbers[place] = scene.put(1, octets)
    return scene


class Sequences(Case):
    def test_as_they_are(self):
        for name, (most, rate, rows) in SEQUENCES.items():
            for level, where in (("conform_ms", "ms"), ("conform_bvc", "cell"), ("conform_link", "link")):
                with self.subTest(name, where=where):
                    report = self.verdict(played(rows, Scene(**{where: (rate * OCTETS, most)})).at(60 * S))
                    self.assertGreaterEqual(report.checks[level].examined, 2)

    def test_one_nanosecond(self):
        """Early does not conform; late is idle."""
        for name, (most, rate, rows) in SEQUENCES.items():
            for place, row in enumerate(rows):
                if row[2] is None or row[2] == row[0]:
                    continue
                for level, where in (("conform_ms", "ms"), ("conform_bvc", "cell"), ("conform_link", "link")):
                    with self.subTest(name, place=place, where=where):
                        bucket = {where: (rate * OCTETS, most)}
                        self.verdict(played(rows, Scene(**bucket), (place, -1)), level)
                        self.verdict(played(rows, Scene(**bucket), (place, 1)), "not_idle")

    def test_never(self):
        most, rate, rows = SEQUENCES["C"]
        self.verdict(played([*rows[:2], (0, 400, 1000)], Scene(ms=(rate, most))), "conform_ms")

    def test_levels(self):
        for name, (most, rate, rows) in SEQUENCES.items():
            bucket, found = Bucket("ms", 1), []
            bucket.set(rate * OCTETS, most, -1, 0)
            for _, octets, departure in rows:
                if departure is not None:
                    self.assertTrue(bucket.charge(octets * OCTET, round(departure * S)))
                    found.append(bucket.level(round(departure * S)) // OCTET)
            self.assertEqual(found, LEVELS[name])

    def test_two_levels(self):
        """Sequence D."""
        for shift, wrong in (((0, 0, 0), []), ((0, 0, -1), ["conform_bvc"]), ((0, -1, 0), ["conform_bvc", "conform_ms"]), ((1, 0, 0), ["not_idle"])):
            scene = Scene(cell=(2000 * OCTETS, 1000), ms=(1000 * OCTETS, 800)).mobile(2, 1, 1000 * OCTETS, 800)
            pdus = [scene.put(ms, 600) for ms in (1, 2, 1, 2)]
            scene.go(pdus[0])
            for number, due, by in zip(pdus[1:], (100 * MS, 400 * MS, 700 * MS), shift):
                scene.at(due + by).go(number)
            with self.subTest(shift):
                self.verdict(scene, *wrong)

    def test_packet_flow_is_another_one_later(self):
        """Its bucket, full for good, is not theirs who came before it was made."""
        for is_older in (False, True):
            scene = Scene(ms=(8000, 600))
            first = scene.put(1, 600)
            older = [scene.put(1, 500, pfi=9, flow=265)] if is_older else []
            scene.go(first).add(trace.GONE, 1, flags=trace.AT_PFC, x=9)
            scene.set(trace.AT_PFC, 1, 0, 100, pfi=9).add(trace.LEVEL, 1, flags=trace.AT_PFC, x=9, a=50)
            number = older[0] if is_older else scene.put(1, 500, pfi=9, flow=265)
            self.verdict(scene.at(500 * MS).go(number), *([] if is_older else ["conform_pfc"]))

    def test_packet_flow(self):
        """The lowest level; its PDUs wait, others of the mobile do not."""
        for by, wrong in ((0, []), (-1, ["conform_pfc"]), (1, ["not_idle"])):
            scene = Scene().set(trace.AT_PFC, 1, 8000, 1000, pfi=9)
            first, second = (scene.put(1, 600, pfi=9, flow=9, sapi=9) for _ in range(2))
            other = scene.put(1, 600)
            scene.go(first, other).at(200 * MS + by).go(second)
            with self.subTest(by):
                report = self.verdict(scene, *wrong)
                self.assertEqual(report.checks["conform_pfc"].examined, 2)

    def test_packet_flow_holds_up_nobody(self):
        scene = Scene().set(trace.AT_PFC, 1, 0, 0, pfi=9)
        scene.put(1, 600, pfi=9, flow=9)
        other = scene.put(1, 600)
        self.verdict(scene.at(1).go(other), "not_idle")


class Borders(Case):
    def test_long_pdu_when_drained(self):
        """One longer than Bmax passes when the bucket has strictly drained, 1 ns after it is empty."""
        for by, wrong in ((1, []), (0, ["conform_ms"]), (2, ["not_idle"])):
            scene = Scene(ms=(8000, 500)).at(1)
            first, second = scene.put(1, 1000), scene.put(1, 1000)
            with self.subTest(by):
                self.verdict(scene.go(first).at(1 + S + by).go(second), *wrong)

    def test_long_pdu_into_a_new_bucket(self):
        """Which is empty from that instant on."""
        scene = Scene(ms=(8000, 500))
        self.verdict(scene.go(scene.put(1, 1000)), "conform_ms")

    def test_full_stop(self):
        scene = Scene(ms=(0, 0)).at(S)
        number = scene.put(1, 40)
        self.verdict(scene.at(100 * S))
        self.verdict(scene.go(number), "conform_ms")

    def test_no_room_but_leak(self):
        """Bmax = 0: one LLC-PDU each time the bucket has drained."""
        scene = Scene(ms=(8000, 0)).at(1)
        first, second = scene.put(1, 100), scene.put(1, 100)
        self.verdict(scene.go(first).at(1 + 100 * MS + 1).go(second))

    def test_earliest(self):
        """Against the conformance test itself, one nanosecond before and at."""
        for rate, most, level, octets in ((100, 1526, 1500, 1526), (6553500, 100, 99, 1), (333, 1000, 1000, 7), (8000, 10, 9, 11),
                                          (6553500000, 6553500000, 6553500000, 1), (1, 1, 1, 1), (7, 100, 255, 100)):
            bucket = Bucket("ms", 1)
            bucket.set(rate, most, -1, 5)
            bucket.put(level * OCTET, 5)
            instant = bucket.earliest(octets * OCTET)
            with self.subTest(rate=rate, most=most):
                self.assertTrue(bucket.fits(octets * OCTET, instant))
                self.assertFalse(bucket.fits(octets * OCTET, instant - 1))
        bucket.set(0, 100, -1, 5)
        self.assertEqual(bucket.earliest(OCTET), NEVER)

    def test_link_counts_more(self):
        for more, wrong in ((20, []), (19, ["conform_link"])):
            scene = Scene(link=(8000, 120)).mobile(2, overhead=20)
            first, second = scene.put(2, 100), scene.put(2, 100)
            with self.subTest(more):
                self.verdict(scene.go(first).at((100 + more) * MS).go(second), *wrong)

    def test_signalling_on_the_link(self):
        """Its share is judged; the link is charged, and users wait."""
        for octets, by, wrong in ((400, 0, []), (401, 1, ["conform_signal"]), (400, -1, ["conform_link"]), (400, 1, ["not_idle"])):
            scene = Scene(link=(8000, 1000)).set(trace.AT_SIGNALLING, 1, 800, 400)
            scene.go(scene.put(1, 900))
            scene.add(trace.SIGNAL, 1, x=octets)
            number = scene.put(1, 700)
            with self.subTest(octets=octets, by=by):
                self.verdict(scene.at(S + by * MS).go(number), *wrong)

    def test_cap(self):
        """The scheduler keeps less in the BSS than the BSS allows."""
        for cap, wrong in ((1000, []), (999, ["conform_ms"])):
            scene = Scene().set(trace.AT_MS, 1, 8000, 5000, cap=cap)
            with self.subTest(cap):
                self.verdict(scene.go(scene.put(1, 400), scene.put(1, 600)).at(S), *wrong)


class Changes(Case):
    """A bucket of 1000 octets that leaks 1000 octet/s and holds 800; something is told 100 ms later; then 400 octets are due."""

    def case(self, due_ms, tell, wrong_early="conform_ms"):
        for by, wrong in ((0, []), (-1, [wrong_early] if due_ms > 100 else []), (1, ["not_idle"])):
            if by == -1 and due_ms <= 100:
                continue
            scene = Scene(ms=(8000, 1000))
            scene.go(scene.put(1, 400), scene.put(1, 400))
            number = scene.put(1, 400)
            tell(scene.at(100 * MS))
            with self.subTest(by):
                self.verdict(scene.at(int(due_ms * MS) + by).go(number), *wrong)

    def test_rate(self):
        """700 are left, 100 too many, at 500 octet/s."""
        self.case(300, lambda scene: scene.set(trace.AT_MS, 1, 4000, 1000))

    def test_more_room(self):
        self.case(100, lambda scene: scene.set(trace.AT_MS, 1, 8000, 1100))

    def test_less_room(self):
        """The level is above the new Bmax: kept, not clipped."""
        self.case(500, lambda scene: scene.set(trace.AT_MS, 1, 8000, 700))

    def test_rate_zero_and_back(self):
        def tell(scene):
            scene.set(trace.AT_MS, 1, 0, 1000).at(10 * S).set(trace.AT_MS, 1, 8000, 1000)
        self.case(10100, tell)

    def test_ratio(self):
        """90 % of 1000."""
        self.case(400, lambda scene: scene.add(trace.RATIO, 1, flags=trace.AT_MS, a=90))
        self.case(1750, lambda scene: scene.add(trace.RATIO, 1, flags=trace.AT_MS, a=225))

    def test_level(self):
        self.case(210, lambda scene: scene.add(trace.LEVEL, 1, flags=trace.AT_MS, a=710))

    def test_discarded(self):
        self.case(150, lambda scene: scene.add(trace.ADJUST, 1, flags=trace.AT_MS, a=-50))
        self.case(100, lambda scene: scene.add(trace.ADJUST, 1, flags=trace.AT_MS, a=-100))
        self.case(100, lambda scene: scene.add(trace.ADJUST, 1, flags=trace.AT_MS, a=-10**6))

    def test_transferred(self):
        self.case(700, lambda scene: scene.add(trace.ADJUST, 1, flags=trace.AT_MS, a=500))

    def test_discarded_not_below_zero(self):
        scene = Scene(ms=(8000, 1000))
        scene.go(scene.put(1, 400)).add(trace.ADJUST, 1, flags=trace.AT_MS, a=-900)
        self.verdict(scene.go(scene.put(1, 600), scene.put(1, 600)), "conform_ms")

    def test_other_cell(self):
        """A new bucket, empty; the new cell's own is charged."""
        scene = Scene(ms=(8000, 1000)).cell(2, 8000, 500)
        scene.go(scene.put(1, 600))
        numbers = [scene.put(1, 500), scene.put(1, 500)]
        scene.at(MS).add(trace.MS_MOVE, 1, a=2).set(trace.AT_MS, 1, 8000, 1000)
        scene.go(numbers[0]).at(501 * MS).go(numbers[1])
        self.verdict(scene)
        scene = Scene(ms=(8000, 1000), cell=(8000, 500)).cell(2, *WIDE)
        numbers = [scene.put(1, 500), scene.put(1, 500)]
        scene.go(numbers[0]).at(MS).add(trace.MS_MOVE, 1, a=2).set(trace.AT_MS, 1, 8000, 1000)
        self.verdict(scene.at(2 * MS).go(numbers[1]), "not_idle")

    def test_reset(self):
        """Cell and mobile begin anew, packet flows are without buckets."""
        scene = Scene(ms=(8000, 1000), cell=(8000, 1000)).set(trace.AT_PFC, 1, 0, 0, pfi=9)
        scene.go(scene.put(1, 1000)).at(MS).add(trace.CELL_RESET, 1, flags=1)
        number = scene.put(1, 1000, pfi=9)
        scene.at(2 * MS).add(trace.CELL_USE, 1, a=1).go(number)
        self.verdict(scene)


class Rates(Case):
    """What the rule of the instant cannot see is not idle here either: the sums of long times."""

    def test_backlogged(self):
        for where, name in (("ms", "rate_ms"), ("cell", "rate_bvc"), ("link", "rate_link")):
            scene = Scene(**{where: (8000, 1000)})
            numbers = [scene.put(1, 500) for _ in range(100)]
            scene.go(*numbers[:2])
            for place, number in enumerate(numbers[2:], 1):
                scene.at(place * 500 * MS).go(number)
            with self.subTest(where):
                self.assertEqual(self.verdict(scene).checks[name].examined, 1)

    def test_packet_flow(self):
        scene = Scene().set(trace.AT_PFC, 1, 8000, 1000, pfi=9)
        numbers = [scene.put(1, 500, pfi=9) for _ in range(100)]
        scene.go(*numbers[:2])
        for place, number in enumerate(numbers[2:], 1):
            scene.at(place * 500 * MS).go(number)
        self.assertEqual(self.verdict(scene).checks["rate_pfc"].examined, 1)

    def test_slow(self):
        """One 4 % behind all the time is found at each of them, and in the sum."""
        for where, name in (("ms", "rate_ms"), ("cell", "rate_bvc"), ("link", "rate_link")):
            scene = Scene(**{where: (8000, 1000)})
            numbers = [scene.put(1, 500) for _ in range(100)]
            scene.go(*numbers[:2])
            for place, number in enumerate(numbers[2:], 1):
                scene.at(place * 520 * MS).go(number)
            with self.subTest(where):
                report = self.verdict(scene, "not_idle", name)
                self.assertEqual(report.checks["not_idle"].wrong, 98)

    def test_closed_above(self):
        """Who waits for his cell is not judged by his own rate."""
        scene = Scene(cell=(800, 1600), ms=(8000, 10000))
        numbers = [scene.put(1, 1500) for _ in range(4)]
        scene.go(numbers[0])
        for place, number in enumerate(numbers[1:], 1):
            scene.at(place * 15 * S - S).go(number)
        self.assertEqual(self.verdict(scene).checks["rate_ms"].examined, 0)


if __name__ == "__main__":
    unittest.main()
