# SPDX-License-Identifier: BSD-3-Clause
"""Captures that are cut, spoiled or none at all: every frame and N-PDU is accounted for, and nothing crashes."""
import filecmp
import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from random import Random

import captures
import damage
import gbflow

DAY_NS = 86_400 * 1_000_000_000
SEED = 20
RUNS_AT_ONCE = 2
CUT_STEP = 997
# Name: what is sure about the N-PDUs that come in, as a function of the figure of the sound capture.
SPOILED = {
    damage.flipped: lambda npdus: range(npdus * 9 // 10, npdus),
    damage.flipped_everywhere: lambda npdus: range(0, npdus),
    damage.headers_made_right: lambda npdus: range(npdus // 10, npdus),
    damage.garbage: lambda npdus: range(npdus * 9 // 10, npdus),
    damage.long_frames: lambda npdus: [npdus],
    damage.snapped_68: lambda npdus: range(0, npdus),
    damage.snapped_200: lambda npdus: range(0, npdus),
    damage.duplicated_fragments: lambda npdus: range(npdus // 2, npdus + 1),
    damage.dropped_fragments: lambda npdus: range(npdus // 2, npdus),
    damage.moved_fragments: lambda npdus: range(npdus // 2, npdus),
    damage.overlapping_fragments: lambda npdus: range(0, npdus),
    damage.shuffled: lambda npdus: range(npdus * 9 // 10, npdus + 1),
    damage.backwards: lambda npdus: range(0, npdus + 1),
    damage.from_zero: lambda npdus: [npdus],
    damage.until_the_last_second: lambda npdus: [npdus],
    damage.in_one_instant: lambda npdus: [npdus],
    damage.a_year_later: lambda npdus: [npdus],
    damage.a_year_back: lambda npdus: [npdus],
    damage.to_and_fro: lambda npdus: [npdus],
    damage.no_control: lambda npdus: [0],
    damage.tagged: lambda npdus: [npdus],
}
NPDUS = 1736
SELDOM = ("local wide_open", 'local seldom = { ns = { test = "60 s" } }\nlocal wide_open')
NO_CAPTURES = {
    "empty": b"", "one octet": b"\xd4", "text": b"no capture\n" * 100, "zeros": bytes(4096), "noise": Random(SEED).randbytes(65536),
    "magic only": b"\xd4\xc3\xb2\xa1", "pcapng magic only": b"\x0a\x0d\x0d\x0a", "half a header": b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00",
}


class Damage(gbflow.Case):
    @classmethod
    def setUpClass(cls):
        cls.frames = captures.shipped()

    def setUp(self):
        super().setUp()
        self.open = self.write("open.lua", gbflow.node_text("replay-open", [
            gbflow.SMALL, SELDOM, ("return {", "return {\n  timers = seldom,")]))
        self.narrow = self.write("narrow.lua", gbflow.node_text("replay-80k", [gbflow.SMALL]))

    def check_failure(self, result, path):
        """No capture: status 1 and one line that names the file."""
        self.assertEqual((result.status, result.stdout, result.stderr.count("\n")), (1, "", 1), result)
        self.assertTrue(result.stderr.startswith(path + ": "), result)

    def test_spoiled(self):
        for spoil, expected in SPOILED.items():
            with self.subTest(damage=spoil.__name__):
                frames = spoil(self.frames, Random(SEED))
                path = captures.pcap(self.path(spoil.__name__ + ".pcap"), frames)
                report = self.check_frames(path, frames)
                self.assertIn(report["npdu"]["in"], expected(NPDUS))
                os.remove(path)

    def check_frames(self, path, frames):
        """Replays through both nodes; what the file says of itself is in the report. Returns the open node's."""
        name = os.path.basename(path)
        result = gbflow.run("replay", self.open, "--in", path, "--json", self.path("open.json"))
        self.assertEqual(result.status, 0, result)
        report = self.read_report("open.json")
        narrow = self.replay(self.narrow, "--drain", "20", capture=path, name="narrow")
        self.assertEqual(narrow.report["npdu"]["in"], report["npdu"]["in"])
        found = report["frames"]
        self.assertEqual(found["read"], len(frames))
        # Few damaged headers are right by chance, and tell of a longer packet.
        cut = sum(len(frame.octets) < frame.full_octets for frame in frames)
        self.assertIn(found["cut_short"] - cut, range(len(frames) // 50 + 1))
        self.assertEqual(found["clock_steps"], self.clock_steps(frames))
        return report

    def read_report(self, name):
        report = gbflow.read_json(self.path(name))
        self.check_totals(report)
        return report

    @staticmethod
    def clock_steps(frames):
        """As docs/replay.md has it: back, or further than a day either way, and from there on anew."""
        latest_ns, shift_ns, steps = frames[0].time_ns if frames else 0, 0, 0
        for frame in frames:
            gap_ns = frame.time_ns - shift_ns - latest_ns
            kept_ns = max(0, min(gap_ns, DAY_NS))
            steps += gap_ns != kept_ns
            shift_ns += gap_ns - kept_ns if abs(gap_ns) > DAY_NS else 0
            latest_ns += kept_ns
        return steps

    def test_seeds(self):
        """The random ones again with other seeds."""
        for seed in range(20 if gbflow.IS_LONG else 1 if gbflow.IS_SHORT else 3):
            for spoil in (damage.flipped_everywhere, damage.headers_made_right, damage.garbage, damage.moved_fragments):
                with self.subTest(damage=spoil.__name__, seed=seed):
                    frames = spoil(self.frames, Random(seed))
                    self.check_frames(captures.pcap(self.path("seed.pcap"), frames), frames)

    def test_leaps(self):
        """No time passes when the clock is set, however often: neither end of Gb does more than in one instant."""
        gb = []
        for spoil in (damage.in_one_instant, damage.to_and_fro):
            path = captures.pcap(self.path(spoil.__name__ + ".pcap"), spoil(self.frames, None))
            gb.append(self.replay(self.narrow, capture=path, name=spoil.__name__).gb)
        self.assertTrue(filecmp.cmp(*gb, shallow=False))

    def test_cuts(self):
        """The file ends somewhere: whole frames before that place count, and a frame that is cut is told of."""
        with open(gbflow.CAPTURE, "rb") as file:
            octets = file.read()
        places = range(0, len(octets), CUT_STEP if gbflow.IS_LONG else 40 * CUT_STEP)
        places = sorted({*places, *range(0, 64, 1 if gbflow.IS_LONG else 7), 23, 24, 25, 39, 40, 41, len(octets) - 1})
        ends = self.record_ends()
        with ThreadPoolExecutor(RUNS_AT_ONCE) as pool:
            for failure in pool.map(lambda place: self.failure_of_cut(octets, place, ends), places):
                self.assertIsNone(failure)

    @staticmethod
    def record_ends():
        ends = [24]
        for frame in captures.shipped():
            ends.append(ends[-1] + 16 + len(frame.octets))
        return ends

    def failure_of_cut(self, octets, place, ends):
        """None, or what was wrong after a cut."""
        path, json_path = self.path(f"{place}.pcap"), self.path(f"{place}.json")
        with open(path, "wb") as file:
            file.write(octets[:place])
        result = gbflow.run("replay", self.open, "--in", path, "--json", json_path)
        try:
            if place < 24:
                self.check_failure(result, path)
            else:
                self.assertEqual(result.status, 0, result)
                self.check_cut(result, self.read_report(f"{place}.json"), place, ends)
        except AssertionError as failure:
            return f"cut at {place}: {failure}"
        os.remove(path)
        return None

    def check_cut(self, result, report, place, ends):
        whole = sum(end <= place for end in ends) - 1
        self.assertEqual(report["frames"]["read"], whole)
        warning = f"warning: {self.path(f'{place}.pcap')}: damaged at octet {place}, after {whole} packets: " if place not in ends else ""
        self.assertTrue(result.stderr.startswith(warning) and result.stderr.count("\n") == bool(warning), result)

    def test_cuts_by_oracle(self):
        """What came before the cut is treated as always."""
        with open(gbflow.CAPTURE, "rb") as file:
            octets = file.read()
        for place in (100001, 600011, 1500013):
            with self.subTest(cut=place):
                path = self.path("cut.pcap")
                with open(path, "wb") as file:
                    file.write(octets[:place])
                result = self.replay(self.narrow, capture=path)
                self.judge(result, "--gn-cut", "--rules", "bvc=10000:80000,ms=10000:80000,lifetime=15s",
                           minimum={"fcs": 50, "conform_bvc": 50, "not_idle": 50, "totals": 5}, capture=path)

    def test_no_capture(self):
        for name, octets in NO_CAPTURES.items():
            with self.subTest(file=name):
                path = self.path("none.pcap")
                with open(path, "wb") as file:
                    file.write(octets)
                self.check_failure(gbflow.run("replay", self.open, "--in", path), path)

    def test_no_frames(self):
        report = self.check_frames(captures.pcap(self.path("void.pcap"), []), [])
        self.assertEqual((report["npdu"]["in"], report["sessions"]), (0, []))


if __name__ == "__main__":
    unittest.main()
