# SPDX-License-Identifier: BSD-3-Clause
"""The judge on synthetic captures: correct ones hold, and each planted fault is found by the check meant for it."""
import io
import json
import os
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout

import scene as s
from gb_oracle import cli, sndcp, writer

MS = 10**6


def packets(rows):
    """rows: (milliseconds, mobile, size)."""
    return [s.Packet(at * MS, who, s.inner(f"10.45.0.{who + 1}", size, number)) for number, (at, who, size) in enumerate(rows)]


def busy(**more):
    """Two mobiles, both levels at work: MS buckets of 1500 octets at 40 kbit/s in a cell of 2000 octets at 60 kbit/s."""
    rows = [(20, 0, 1400), (20, 1, 1400), (25, 0, 40), (30, 1, 700), (31, 0, 1500), (40, 1, 60), (900, 0, 1000), (2500, 0, 1400),
            (2500, 0, 1400), (2600, 1, 41), (6000, 0, 1500), (6000, 0, 576), (6000, 0, 576)]
    return s.Scene(packets(rows), [s.Announcement(MS, 2000, 60000, 1500, 40000)], **more).run()


def judge(scene, *words):
    """Exit status and verdict of the command line on a scene."""
    with tempfile.TemporaryDirectory() as folder:
        gn, gb, verdict = (os.path.join(folder, name) for name in ("gn.pcap", "gb.pcapng", "verdict.json"))
        writer.pcap(gn, scene.gn_frames())
        writer.pcapng(gb, scene.gb_frames())
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
            status = cli.main(["--gn", gn, "--gb", gb, "--sgsn-gb", s.SGSN[0], "--json", verdict, *words])
        if not os.path.exists(verdict):
            return status, errors.getvalue()
        with open(verdict, encoding="utf-8") as file:
            return status, json.load(file)


def wrong(verdict):
    return sorted(name for name, check in verdict["checks"].items() if check["violations"])


def first(scene, test):
    return next(departure for departure in scene.departures if test(departure))


def bad_fcs(scene):
    departure = scene.departures[2]
    departure.llc_pdu = departure.llc_pdu[:-1] + bytes([departure.llc_pdu[-1] ^ 1])


def skipped_nu(scene):
    for departure in scene.departures[3:]:
        if departure.who == 0:
            departure.nu += 1
            scene.seal(departure)


def response_bit(scene):
    departure = scene.departures[0]
    body = bytes([departure.llc_pdu[0] & 0xBF]) + departure.llc_pdu[1:-3]
    departure.llc_pdu = body + s.llc.fcs(body).to_bytes(3, "little")


def short_segment(scene):
    departure = first(scene, lambda departure: departure.sn_pdu[0] & 0x10)
    departure.sn_pdu = departure.sn_pdu[:-1]
    scene.seal(departure)


def swapped(scene):
    """The data of two N-PDUs of equal length and age change places."""
    left, right = ([departure for departure in scene.departures if departure.packet is packet] for packet in scene.packets[-2:])
    for one, other in zip(left, right):
        at = 4 if one.sn_pdu[0] & 0x40 else 3
        one.sn_pdu, other.sn_pdu = one.sn_pdu[:at] + other.sn_pdu[at:], other.sn_pdu[:at] + one.sn_pdu[at:]
    for departure in left + right:
        scene.seal(departure)


def repeated_number(scene):
    departure = first(scene, lambda departure: departure.who == 0 and departure.sn_pdu[0] == 0x65)
    departure.sn_pdu = departure.sn_pdu[:2] + bytes([departure.sn_pdu[2], departure.sn_pdu[3] - 1]) + departure.sn_pdu[4:]
    scene.seal(departure)


def altered(scene):
    departure = scene.departures[4]
    departure.sn_pdu = departure.sn_pdu[:-1] + bytes([departure.sn_pdu[-1] ^ 0x80])
    scene.seal(departure)


def early_at(bound):
    def plant(scene):
        first(scene, lambda departure: departure.bound == bound and departure.time_ns > 50 * MS).time_ns -= 1
    return plant


def early_on_gn(scene):
    scene.departures[0].time_ns -= 1


def later_by(delay_ns):
    def plant(scene):
        last = scene.departures[len(scene.departures) // 2].time_ns
        for departure in scene.departures:
            if departure.time_ns >= last:
                departure.time_ns += delay_ns
                departure.lifetime_cs -= delay_ns // 10**7
    return plant


def too_old(scene):
    departure = scene.departures[-1]
    departure.time_ns, departure.lifetime_cs = departure.arrival_ns + scene.lifetime_ns + 1, 1


def lifetime_element(scene):
    scene.departures[5].lifetime_cs -= 2


def before_flow_control(scene):
    scene.announcements[0].time_ns = scene.announcements[0].ack_ns = scene.departures[0].time_ns + 1


def blocked(scene):
    middle = scene.departures[3].time_ns - 1
    block, ack = (s.elements(kind, (4, "H", s.BVCI), *rest) for kind, rest in ((0x20, [(7, "B", 1)]), (0x21, [])))
    scene.signalling += [(middle, s.up(s.ns_unitdata(0, block))), (middle, s.down(s.ns_unitdata(0, ack)))]


def ns_blocked(scene):
    scene.signalling.append((scene.departures[3].time_ns - 1, s.down(bytes.fromhex("0501820065"))))


def no_answer(scene):
    scene.announcements[0].ack_ns = 1 << 40
    scene.gb_frames = lambda real=scene.gb_frames: [row for row in real() if row[0] < 1 << 40]


def lost_packet(scene):
    """A packet that found nothing waiting vanishes, and numbers close up behind it."""
    gone = scene.packets[6]
    scene.departures = [departure for departure in scene.departures if departure.packet is not gone]
    count = 0
    for departure in scene.departures:
        if departure.who == gone.who:
            departure.nu, count = count, count + 1
            if departure.time_ns > gone.time_ns:
                at = 2 if departure.sn_pdu[0] & 0x40 else 1
                departure.sn_pdu = departure.sn_pdu[:at + 1] + bytes([departure.sn_pdu[at + 1] - 1]) + departure.sn_pdu[at + 2:]
            scene.seal(departure)


def bad_outer(scene):
    real = scene.gb_frames
    scene.gb_frames = lambda: [(t, f if n != 5 else f[:24] + bytes([f[24] ^ 1]) + f[25:]) for n, (t, f) in enumerate(real())]


def garbage(scene):
    scene.signalling.append((5 * MS, s.down(bytes.fromhex("00000708ff1e05"))))


FAULTS = [
    (bad_fcs, ["fcs"]), (skipped_nu, ["nu_sequence"]), (response_bit, ["llc_header"]),
    (short_segment, ["completeness", "needless_drop", "not_idle", "reassembly_equal", "segmentation"]),
    (swapped, ["order"]), (repeated_number, ["segmentation"]),
    (altered, ["completeness", "needless_drop", "reassembly_equal"]),
    (early_at("ms"), ["conform_ms"]), (early_at("bvc"), ["conform_bvc"]),
    (early_on_gn, ["causality", "not_idle"]), (later_by(MS), ["not_idle"]), (later_by(1), ["not_idle"]),
    (too_old, ["lifetime", "not_idle"]), (lifetime_element, ["pdu_lifetime"]),
    (before_flow_control, ["before_flow_control", "not_idle"]),
    (blocked, ["blocked"]), (ns_blocked, ["blocked"]), (no_answer, ["flow_control_ack"]),
    (lost_packet, ["completeness", "needless_drop"]), (bad_outer, ["outer"]), (garbage, ["decode"]),
]


class Faults(unittest.TestCase):
    """One planted fault per row; the checks listed beside the one that is meant fail in consequence."""
    WORDS = ("--lifetime", "15s", "--expect-all")

    def test_a_correct_capture_holds(self):
        status, verdict = judge(busy(), *self.WORDS, "--rules", "bvc=2000:60000,ms=1500:40000")
        self.assertEqual((status, wrong(verdict)), (0, []), verdict)
        idle = ("needless_drop", "totals")
        silent = [name for name, check in verdict["checks"].items() if not check["examined"]]
        self.assertEqual(silent, list(idle))

    def test_the_scene_has_every_kind_of_wait(self):
        self.assertEqual({departure.bound for departure in busy().departures}, {"head", "ms", "bvc"})

    def test_faults(self):
        for plant, expected in FAULTS:
            with self.subTest(fault=getattr(plant, "__qualname__", plant), expected=expected):
                scene = busy()
                plant(scene)
                status, verdict = judge(scene, *self.WORDS)
                self.assertEqual((status, wrong(verdict)), (1, expected), verdict["checks"])

    def test_one_mobile_waits_while_another_could_go(self):
        """The cell waits for mobile 0's bucket although mobile 1 has a packet."""
        rows = [(20, 0, 1400), (21, 0, 1400), (22, 1, 100)]
        scene = s.Scene(packets(rows), [s.Announcement(MS, 50000, 800000, 1500, 8000)]).run()
        self.assertEqual(judge(scene)[0], 0)
        moved = first(scene, lambda departure: departure.who == 1)
        moved.time_ns = first(scene, lambda departure: departure.bound == "ms").time_ns + 1
        status, verdict = judge(scene)
        self.assertEqual(wrong(verdict), ["not_idle"])
        self.assertTrue(any("was not ready before" in line for line in verdict["checks"]["not_idle"]["violations"]))

    def test_wrong_announcement(self):
        status, verdict = judge(busy(), "--rules", "bvc=2000:80000")
        self.assertEqual((status, wrong(verdict)), (1, ["announced"]))

    def test_a_minimum_not_reached_is_a_violation(self):
        self.assertEqual(judge(busy(), "--min", "fcs=1000")[0], 1)
        self.assertEqual(judge(busy(), "--min", "fcs=3")[0], 0)

    def test_usage(self):
        for words in (["--rules", "buckets=maybe"], ["--rules", "colour=red"], ["--lifetime", "15"], ["--min", "x=1"],
                      ["--lifetime", "0.5 ns"], ["--nonsense"], ["--sgsn-gb", "host"]):
            with self.subTest(words=words):
                self.assertEqual(judge(busy(), *words)[0], 2)


class Changes(unittest.TestCase):
    """Parameters that change on the way: in force from the announcement, from the ACK, or in between."""
    ROWS = [(20 + 40 * step, step % 2, 900 - 30 * step) for step in range(12)]

    def scene(self, apply_ns, who=None):
        return s.Scene(packets(self.ROWS), [
            s.Announcement(MS, 2000, 60000, 1500, 40000),
            s.Announcement(400 * MS, 1500, 16000, 1200, 20000, who, 410 * MS, apply_ns, 2)]).run()

    def test_in_force_between_announcement_and_ack(self):
        for who in (None, 0):
            for apply_ns in (400 * MS, 405 * MS, 410 * MS):
                with self.subTest(who=who, apply_ns=apply_ns):
                    status, verdict = judge(self.scene(apply_ns, who), "--rules", "th=none,lifetime=15s")
                    self.assertEqual((status, wrong(verdict)), (0, []), verdict)

    def test_applied_too_late(self):
        scene = self.scene(700 * MS)
        status, verdict = judge(scene)
        self.assertEqual(status, 1)
        self.assertIn("conform_bvc", wrong(verdict))

    def test_th_expiry_ends_own_values(self):
        rows = [(20, 0, 1400), (7000, 0, 1400), (7001, 0, 1400)]
        own = s.Announcement(2 * MS, 3000, 8000, who=0, tag=9)
        scene = s.Scene(packets(rows), [s.Announcement(MS, 50000, 800000, 1500, 40000), own]).run()
        self.assertEqual(judge(scene, "--rules", "th=none")[0], 0)
        self.assertEqual(wrong(judge(scene, "--rules", "th=5s")[1]), ["conform_ms"])

    def test_reset_forgets(self):
        scene = busy()
        reset, ack = (s.elements(kind, (4, "H", s.BVCI), *rest) for kind, rest in ((0x22, [(7, "B", 8)]), (0x23, [])))
        middle = scene.departures[4].time_ns
        scene.signalling += [(middle, s.up(s.ns_unitdata(0, reset))), (middle, s.down(s.ns_unitdata(0, ack)))]
        self.assertEqual(wrong(judge(scene)[1]), ["before_flow_control"])


class Drops(unittest.TestCase):
    """An N-PDU given up midway is a partial one, not a fault."""

    def test_partial(self):
        scene = busy()
        begun = [departure for departure in scene.departures if departure.packet is scene.packets[-3]]
        self.assertGreater(len(begun), 2)
        scene.departures = [departure for departure in scene.departures if departure.time_ns <= begun[1].time_ns]
        status, verdict = judge(scene, "--lifetime", "15s")
        self.assertEqual(verdict["checks"]["segmentation"]["violations"], [])
        self.assertEqual(verdict["checks"]["reassembly_equal"]["violations"], [])
        self.assertEqual(verdict["notes"]["N-PDUs begun and not finished"], 1)

    def test_overload(self):
        """Whole and partial drops at the end of lifetimes are no idle time; a cell that stops for good is."""
        rows = [(20 + 60 * n, n % 3, (1400, 700, 90)[n // 3 % 3]) for n in range(90)] + [(30000, n, 1400) for n in range(3)]
        scene = s.Scene(packets(rows), [s.Announcement(MS, 1500, 32000, 1500, 24000)], 3 * s.SECOND).run()
        status, verdict = judge(scene, "--lifetime", "3s")
        self.assertEqual((status, wrong(verdict)), (0, []), verdict)
        self.assertGreater(len(scene.dropped), 10)
        self.assertGreater(verdict["notes"]["N-PDUs begun and not finished"], 0)
        scene.departures = [departure for departure in scene.departures if departure.time_ns < 20 * s.SECOND]
        self.assertEqual(wrong(judge(scene, "--lifetime", "3s")[1]), ["needless_drop"])

    def test_sndcp_numbers_wrap(self):
        scene = s.Scene(packets([(20 + n, 0, 40) for n in range(4100)]), [s.Announcement(MS, 6553500, 6553500, 6553500, 6553500)])
        self.assertEqual(judge(scene.run(), "--expect-all", "--rules", "lifetime=15s")[0], 0)
        self.assertEqual(sndcp.decode(scene.departures[4096].sn_pdu).npdu, 0)


if __name__ == "__main__":
    unittest.main()
