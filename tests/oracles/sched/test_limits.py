# SPDX-License-Identifier: BSD-3-Clause
"""How much may wait, and who pays when that is used up."""
import unittest

from scene import WIDE, Case, Scene
from sched_oracle import trace


class Limits(Case):
    def scene(self, scope, ident, qclass=trace.ANY_CLASS):
        scene = Scene(ms=(0, 0)).mobile(2, rate=0, most=0)
        return scene.add(trace.LIMIT, ident, flags=scope, x=qclass, a=1000, b=3)

    SCOPES = ((trace.SCOPE_ALL, 0), (trace.SCOPE_LINK, 1), (trace.SCOPE_CELL, 1), (trace.SCOPE_MS, 1))

    def test_octets_and_packets(self):
        for scope, ident in self.SCOPES:
            for sizes, refused, wrong in (((500, 500), 1, []), ((500, 501), 1, ["limits"]), ((1, 1, 1), 1, []),
                                          ((1, 1, 1, 1), 1, ["limits"]), ((500, 400), 100, ["limits"])):
                scene = self.scene(scope, ident)
                for octets in sizes:
                    scene.put(1, octets)
                scene.put(1, refused, trace.QUEUE_FULL)
                with self.subTest(scope=scope, sizes=sizes):
                    self.verdict(scene, *wrong)

    def test_of_one_class(self):
        for scope, ident in self.SCOPES:
            scene = self.scene(scope, ident, trace.BACKGROUND)
            scene.put(1, 900, qclass=trace.BACKGROUND)
            scene.put(1, 900, qclass=6, flow=1)
            with self.subTest(scope):
                self.verdict(scene)
                scene.records.pop()
                scene.put(1, 101)
                self.verdict(scene, "limits")

    def test_of_others(self):
        scene = self.scene(trace.SCOPE_MS, 1)
        scene.put(1, 1000)
        scene.put(2, 1000)
        self.verdict(scene)

    def test_what_left_makes_room(self):
        scene = Scene().segmenting(1, (10, 0), (10, 0))
        early = scene.put(1, 40)
        scene.add(trace.LIMIT, 1, flags=trace.SCOPE_MS, x=trace.ANY_CLASS, a=100, b=2)
        scene.go(early, octets=10)
        number = scene.put(1, 70)
        scene.put(1, 1, trace.QUEUE_FULL)
        for _ in range(3):
            scene.go(early, octets=10)
        for _ in range(7):
            scene.go(number, octets=10)
        self.verdict(scene.go(scene.put(1, 10)))

    def test_what_passes(self):
        """Does not count; but it must leave in that instant."""
        for late, wrong in ((0, []), (1, ["not_idle"])):
            scene = Scene().add(trace.LIMIT, 1, flags=trace.SCOPE_MS, x=trace.ANY_CLASS, a=0, b=0)
            number = scene.put(1, 100, trace.PASSES)
            scene.lost -= 1
            with self.subTest(late):
                self.verdict(scene.at(late).go(number), *wrong)

    def test_what_passes_in_segments(self):
        """None of them counts."""
        scene = Scene().segmenting(1, (500, 0), (500, 0)).add(trace.LIMIT, 1, flags=trace.SCOPE_MS, x=trace.ANY_CLASS, a=1000, b=3)
        number = scene.put(1, 900, trace.PASSES)
        scene.lost -= 1
        scene.go(number, octets=500).go(number)
        scene.put(1, 1001, trace.QUEUE_FULL)
        self.verdict(scene)

    def test_after_a_move(self):
        """The octets count in the new cell, and no more in the old one."""
        scene = self.scene(trace.SCOPE_CELL, 1).cell(2, *WIDE)
        scene.put(1, 900)
        scene.add(trace.MS_MOVE, 1, a=2).set(trace.AT_MS, 1, 0, 0)
        scene.put(2, 900)
        self.verdict(scene)
        scene.records.pop()
        scene.add(trace.MS_MOVE, 1, a=1).set(trace.AT_MS, 1, 0, 0)
        scene.put(2, 10)
        self.verdict(scene, "limits")


class Budget(Case):
    def scene(self, most=30, reserve=2):
        return Scene(ms=(0, 0)).mobile(2, rate=0, most=0).add(trace.BUDGET, a=most, b=reserve)

    def filled(self, long=25, short=5):
        scene = self.scene()
        return scene, [scene.put(1, 9) for _ in range(long)], [scene.put(2, 9) for _ in range(short)]

    def test_exceeded(self):
        scene, _, _ = self.filled()
        self.verdict(scene)
        scene.records.pop()
        scene.put(2, 9)
        self.verdict(scene, "budget")

    def test_signalling_has_more(self):
        scene, _, _ = self.filled()
        for _ in range(2):
            scene.put(2, 9, qclass=trace.SIGNALLING, flow=1)
        scene.put(2, 9, trace.NO_BUFFERS, qclass=trace.SIGNALLING, flow=1)
        self.verdict(scene)
        scene.records.pop()
        scene.put(2, 9, qclass=trace.SIGNALLING, flow=1)
        self.verdict(scene, "budget")

    def test_longest_pays(self):
        scene, long, _ = self.filled()
        scene.drop(trace.NO_BUFFERS, long[0]).put(2, 9)
        self.verdict(scene)

    def test_short_pays(self):
        scene, _, short = self.filled()
        scene.drop(trace.NO_BUFFERS, short[0]).put(2, 9)
        self.verdict(scene, "budget")

    def test_short_pays_for_where_it_waits_now(self):
        """A packet flow is gone: what waited there may stand behind another's in one queue."""
        for is_gone in (False, True):
            scene = self.scene()
            short = scene.put(1, 9, flow=2)
            for _ in range(29):
                scene.put(1, 9, pfi=7, flow=3)
            if is_gone:
                scene.add(trace.GONE, 1, flags=trace.AT_PFC, x=7)
            scene.drop(trace.NO_BUFFERS, short).put(2, 9)
            self.verdict(scene, *([] if is_gone else ["budget"]))

    def test_short_is_refused(self):
        scene, _, _ = self.filled()
        scene.put(2, 9, trace.NO_BUFFERS)
        self.verdict(scene, "budget")
        scene, _, _ = self.filled(20, 10)
        scene.put(2, 9, trace.NO_BUFFERS)
        self.verdict(scene, "budget")
        scene, _, _ = self.filled(18, 12)
        scene.put(2, 9, trace.NO_BUFFERS)
        self.verdict(scene)

    def test_needless(self):
        scene, long, _ = self.filled(25, 4)
        self.verdict(scene.drop(trace.NO_BUFFERS, long[0]), "budget")
        scene, _, _ = self.filled(25, 4)
        scene.put(1, 9, trace.NO_BUFFERS)
        self.verdict(scene, "budget")

    def test_signalling_pays(self):
        scene = self.scene()
        number = scene.put(2, 9, qclass=trace.SIGNALLING, flow=1)
        for _ in range(30):
            scene.put(1, 9)
        self.verdict(scene.drop(trace.NO_BUFFERS, number), "budget")

    def test_signalling_is_refused(self):
        scene, _, _ = self.filled()
        scene.put(2, 9, trace.NO_BUFFERS, qclass=trace.SIGNALLING, flow=1)
        self.verdict(scene, "budget")

    def test_never_told(self):
        scene = Scene(ms=(0, 0))
        scene.put(1, 9, trace.NO_BUFFERS)
        self.verdict(scene, "budget")


if __name__ == "__main__":
    unittest.main()
