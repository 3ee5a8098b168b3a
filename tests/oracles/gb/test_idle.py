# SPDX-License-Identifier: BSD-3-Clause
"""Idle time and lost packets: what excuses a wait or a loss, and that nothing else does."""
import json
import os
import tempfile
import unittest

import scene as s
from test_judge import MS, first, judge, packets, wrong

WIDE = 50000, 800000


def made(rows, cell, mobile=WIDE, gone=(), **more):
    """A scene; packets at the places `gone` of rows are captured on Gn and then vanish as if they had never come."""
    every = packets(rows)
    scene = s.Scene([packet for place, packet in enumerate(every) if place not in gone], [s.Announcement(MS, *cell, *mobile)], **more)
    scene.run().packets = every
    return scene


def until(scene, end_ms):
    """Nothing leaves after that."""
    scene.departures = [departure for departure in scene.departures if departure.time_ns <= end_ms * MS]
    return scene


class Case(unittest.TestCase):
    def verdict(self, scene, expected, *words):
        """Judges; exactly these checks must fail."""
        status, verdict = judge(scene, *words)
        self.assertEqual((wrong(verdict), status), (expected, int(bool(expected))), verdict["checks"])
        return verdict


class Deleted(Case):
    """The cell waits for its bucket with mobile 0's PDU; when 0's context ends, 1's shorter PDU goes at that instant."""
    BEFORE = [(10, 0, 40), (20, 1, 1400), (30, 1, 350)]
    WAIT = BEFORE + [(40, 0, 1400), (50, 1, 60), (60, 2, 40)]

    def scene(self, rows=None, deleted=0):
        return made(rows or self.WAIT, (2000, 8000), deletes_ns={deleted: 100 * MS})

    def last_of(self, scene, who):
        return [departure for departure in scene.departures if departure.who == who][-1]

    def test_departure_at_the_delete(self):
        for rows in (self.WAIT, self.WAIT[1:]):
            with self.subTest(first=rows[0]):
                scene = self.scene(rows)
                self.assertEqual(self.last_of(scene, 1).time_ns, 100 * MS)
                self.verdict(scene, [], "--lifetime", "15s")
                self.verdict(scene, [], "--lifetime", "infinite", "--rules", "mode=per_node")

    def test_departure_after_the_delete(self):
        for late_ns in (2, MS):
            with self.subTest(late_ns=late_ns):
                scene = self.scene([row for row in self.WAIT if row[1] != 2])
                self.last_of(scene, 1).time_ns += late_ns
                self.verdict(scene, ["not_idle"], "--lifetime", "15s")

    def test_delete_of_one_that_had_nothing(self):
        """That somebody leaves who did not wait for anything is no excuse."""
        scene = self.scene([*self.BEFORE, (35, 2, 24), (50, 1, 24)], deleted=2)
        self.verdict(scene, [])
        self.last_of(scene, 1).time_ns = 100 * MS
        self.verdict(scene, ["not_idle"])

    def test_lost_before_the_delete(self):
        """What is deleted while it cannot go was not needlessly lost; what could go long before was."""
        rows = [(10, 0, 1400), (20, 0, 1400), (30, 1, 60)]
        for rate_bps, expected in ((8000, []), (800000, ["needless_drop"])):
            with self.subTest(rate_bps=rate_bps):
                scene = made(rows, WIDE, (1500, rate_bps), gone=[1], deletes_ns={0: 60 * MS})
                self.verdict(scene, expected, "--rules", "lifetime=15s,queue=3000")


class Rest(Case):
    """The unsent rest of an N-PDU is the head of its queue until it dies, at 170 ms here; 0's next PDU would fit at 83 ms."""
    ROWS = [(20, 0, 1400), (40, 0, 40), (120, 1, 60)]
    LIFETIME = ("--lifetime", "150ms")

    def scene(self, mobile=(400, 20000), rows=None):
        return made(rows or self.ROWS, WIDE, mobile, lifetime_ns=150 * MS)

    def test_behind_the_rest(self):
        scene = self.scene()
        self.assertEqual([(departure.who, departure.time_ns // MS) for departure in scene.departures], [(0, 20), (1, 120), (0, 170)])
        self.verdict(scene, [], *self.LIFETIME)

    def test_after_the_rest(self):
        """Once it is dead, nobody else may be waited for."""
        scene = self.scene(rows=[self.ROWS[0], (60, 0, 40), (190, 1, 60)])
        self.verdict(scene, [], *self.LIFETIME)
        late = scene.departures[1]
        late.time_ns, late.lifetime_cs = 195 * MS, 1
        scene.departures.sort(key=lambda departure: departure.time_ns)
        self.assertTrue(any("was not ready before" in line for line in self.verdict(scene, ["not_idle"], *self.LIFETIME)
                            ["checks"]["not_idle"]["violations"]))

    def test_rest_that_could_go(self):
        """A rest for which there was room must not be forgotten, whether a later packet leaves or nothing does."""
        for rows, line in ((self.ROWS, "a later one left"), (self.ROWS[:1] + self.ROWS[2:], "could go")):
            with self.subTest(rows=rows):
                scene = self.scene((2000, 80000), rows)
                self.verdict(scene, [], *self.LIFETIME)
                keep = first(scene, lambda departure: departure.who == 0)
                scene.departures = [departure for departure in scene.departures
                                    if departure is keep or departure.packet is not keep.packet]
                for departure in scene.departures:
                    if departure.who == 0 and departure is not keep:
                        departure.nu = 1
                        scene.seal(departure)
                verdict = self.verdict(scene, ["needless_drop"], *self.LIFETIME)
                self.assertIn(line, verdict["checks"]["needless_drop"]["violations"][0])


class Stuck(Case):
    """The cell has chosen 0's second segment, for which there is no room; 1's PDU would fit."""
    ROWS = [(10, 1, 40), (20, 0, 1400), (500, 1, 60)]

    def test_chosen_never_leaves(self):
        scene = made(self.ROWS, (700, 0), lifetime_ns=None)
        self.assertEqual(len(scene.departures), 2)
        self.verdict(scene, [], "--lifetime", "infinite")
        self.verdict(scene, ["needless_drop"], "--lifetime", "infinite", "--rules", "idle=strict")

    def test_chosen_dies(self):
        """When it does, its place is free: 1's PDU goes at that instant, and is missed if it does not."""
        scene = made(self.ROWS, (700, 0), lifetime_ns=s.SECOND)
        self.assertEqual(scene.departures[-1].time_ns, 1020 * MS)
        self.verdict(scene, [], "--lifetime", "1s")
        scene = made(self.ROWS + [(1300, 1, 24)], (700, 0), gone=[2], lifetime_ns=s.SECOND)
        self.verdict(scene, ["needless_drop"], "--lifetime", "1s")

    def test_nothing_chosen(self):
        """Without a PDU that the cell may have chosen, or before it came, nothing excuses."""
        for rows, gone in ((self.ROWS[:1] + self.ROWS[2:], 1), ([(10, 1, 40), (15, 1, 60), (20, 0, 1400)], 1)):
            with self.subTest(rows=rows):
                scene = made(rows, (700, 0), lifetime_ns=None)
                self.verdict(scene, [], "--lifetime", "infinite")
                self.verdict(made(rows, (700, 0), gone=[gone], lifetime_ns=None), ["needless_drop"], "--lifetime", "infinite")

    def test_mobile_that_got_nothing(self):
        """The chosen PDU may be of a mobile that never got any."""
        scene = made([(10, 1, 590), (20, 0, 1400), (30, 1, 24)], (700, 0), lifetime_ns=None)
        self.verdict(scene, [], "--lifetime", "infinite")

    def test_cut_off(self):
        """At the end of the captures the cell still waits with it; had there been time for it, it must have gone."""
        rows = [(10, 1, 40), (20, 0, 1400), (30, 1, 60)]
        for end_ms, expected in ((300, []), (600, ["needless_drop"])):
            with self.subTest(end_ms=end_ms):
                scene = until(made(rows + [(end_ms, 1, 40)], (700, 8000), lifetime_ns=None), 300)
                self.verdict(scene, expected, "--lifetime", "infinite")

    def test_blocked_by_one_that_leaves(self):
        """The cell waits with one that does leave in the end: others behind it had no chance."""
        scene = made([(10, 1, 40), (20, 0, 1400), (30, 1, 60)], (700, 8000), lifetime_ns=None)
        self.verdict(scene, [], "--lifetime", "infinite", "--expect-all")


class Certain(Case):
    """A loss is needless when the packet was in its queue for certain: alone, or by what the rule `queue` says of the room."""
    ROWS = [(20, 0, 1400), (21, 0, 700), (22, 0, 100), (3000, 0, 40)]

    def test_room_in_the_queue(self):
        for gone, rule, expected in ((1, 0, []), (1, 2099, []), (1, 2100, ["needless_drop"]), (2, 2199, []), (2, 2200, ["needless_drop"]),
                                     (3, 0, ["needless_drop"])):
            with self.subTest(gone=gone, rule=rule):
                scene = made(self.ROWS, (1000, 16000), gone=[gone])
                verdict = self.verdict(scene, expected, "--rules", f"lifetime=15s,queue={rule}")
                self.assertEqual(verdict["checks"]["needless_drop"]["examined"], len(expected))

    def test_lifetime_in_time_for_the_bss(self):
        """A packet with less left than the BSS needs is rightly dropped."""
        rows = [(10, 0, 440), (20, 1, 490), (2000, 1, 24)]
        for share, expected in (("10ms", ["needless_drop"]), ("800ms", [])):
            with self.subTest(share=share):
                scene = made([(5, 1, 24), *rows], (500, 8000), gone=[2], lifetime_ns=s.SECOND)
                for departure in scene.departures:
                    departure.lifetime_cs = 100
                self.verdict(scene, expected, "--rules", f"lifetime=1s,bss_min={share}")

    def test_reset_empties_the_queues(self):
        """What waits when the BVC is reset is gone with right, and leaves the others free at once."""
        scene = made([(10, 0, 1400), (20, 0, 60), (5000, 0, 24)], (1000, 8000))
        self.assertGreater(scene.departures[2].time_ns, 200 * MS)
        scene = until(scene, 200)
        reset, ack = (s.elements(kind, (4, "H", s.BVCI), *rest) for kind, rest in ((0x22, [(7, "B", 8)]), (0x23, [])))
        rules = "--rules", "lifetime=15s,queue=9000"
        scene.packets = scene.packets[:2]
        scene.signalling += [(at * MS, side(s.ns_unitdata(s.BVCI, s.elements(0x26 + kind, *rows)))) for at, side, kind, rows in (
            (900, s.up, 0, [(0x1E, "B", 5), (5, "H", 500), (3, "H", 8000), (1, "H", 500), (0x1C, "H", 8000)]),
            (901, s.down, 1, [(0x1E, "B", 5)]))]
        self.verdict(scene, ["needless_drop"], *rules)
        scene.signalling += [(210 * MS, s.up(s.ns_unitdata(0, reset))), (210 * MS, s.down(s.ns_unitdata(0, ack)))]
        self.verdict(scene, [], *rules)


class Learned(Case):
    """No GTP-C in the capture: mobiles are known by the packets' destinations, and the SGSN by --sgsn-gn."""
    WORDS = ("--sgsn-gn", s.SGSN_GN, "--lifetime", "15s")

    def scene(self, gone=()):
        return made([(20, 0, 1400), (21, 1, 700), (3000, 0, 40), (4000, 1, 60)], (1000, 16000), gone=gone, has_gtp_c=False)

    def test_holds(self):
        verdict = self.verdict(self.scene(), [], *self.WORDS, "--expect-all")
        self.assertEqual(verdict["checks"]["completeness"]["examined"], 4)
        self.assertEqual(wrong(judge(self.scene(), "--lifetime", "15s")[1]), ["reassembly_equal"])

    def test_faults(self):
        self.verdict(self.scene([2]), ["needless_drop"], *self.WORDS)
        scene = self.scene()
        scene.departures[-1].time_ns += 16 * s.SECOND
        self.verdict(scene, ["lifetime", "not_idle", "pdu_lifetime"], *self.WORDS)

    def test_summary_of_a_run(self):
        """A run's summary names mobiles; its counts must be those of the captures."""
        def summary(**changes):
            sgsn = {"in": 4, "out": 4, "dropped": 0, "queued": 0} | changes
            return {"conservation": {"sgsn": sgsn}, "gb": {"llc_frames": 7}, "mobiles": [
                {"npdu_out": 2, "drops": {}}, {"npdu_out": changes.get("out", 4) - 2, "drops": {}}]}
        for changes, expected in (({}, []), ({"in": 5, "queued": 1}, ["totals"]), ({"out": 3, "dropped": 1}, ["totals"])):
            with self.subTest(changes=changes), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "summary.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(summary(**changes), file)
                verdict = self.verdict(self.scene(), expected, *self.WORDS, "--replay-json", path)
                self.assertEqual(verdict["checks"]["totals"]["examined"], 6)

    def test_several_minima(self):
        for words, status in ((("fcs=5", "order=4"), 0), (("fcs=5,order=4", "lifetime=6"), 0), (("fcs=5", "order=5"), 1),
                              (("fcs=5,order=5",), 1), (("fcs=5", "x=5"), 2), (("fcs=5,",), 2)):
            with self.subTest(words=words):
                self.assertEqual(judge(self.scene(), *self.WORDS, "--min", *words, "--min", "decode=1")[0], status)


if __name__ == "__main__":
    unittest.main()
