#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/nightly.py: what a night keeps for the next one, with parts that take no time."""
import contextlib
import io
import itertools
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
import nightly  # noqa: E402 pylint: disable=wrong-import-position
import soak  # noqa: E402 pylint: disable=wrong-import-position


def shell(text):
    return nightly.Part("min", 7, lambda amount, night, state: ["sh", "-c", text, "sh", amount, str(night), state], False)


PARTS = {"good": shell('echo "$2 nights of $1"'), "bad": shell("echo failed: broken; exit 3"), "absent": shell("echo why; exit 77"),
         "killed": shell("kill -9 $$"), "silent": shell("true"), "long": shell("trap 'echo stopped; exit 1' INT; touch "
                                                                              "\"$3/began\"; while :; do sleep 0.05; done"),
         "kills": shell("true"), "deaf": shell("trap '' INT; touch \"$3/began\"; sleep 100"),
         "leaver": shell("sleep 100 & echo $! >\"$3/left\"; echo left")}


def night(state, *words):
    """(status, printed) of a night."""
    out = io.StringIO()
    with mock.patch.object(nightly, "PARTS", PARTS), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            status = nightly.main(["--state", state, *words])
        except SystemExit as end:
            status = end.code
    return status, out.getvalue()


def is_running(number):
    try:
        return ") Z " not in pathlib.Path("/proc", number, "stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False


def rows_of(state):
    with open(os.path.join(state, nightly.TOTALS), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Nights(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.state = os.path.join(holder.name, "nights")

    def test_totals_grow(self):
        self.assertEqual(night(self.state, "good=2")[0], 0)
        status, printed = night(self.state, "good=3", "absent=1")
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"good +2 +5 min +0\.0 +0 +2 nights of 3")
        self.assertEqual([(row["night"], row["part"], row["amount"], row["verdict"]) for row in rows_of(self.state)],
                         [(1, "good", 2, "ok"), (2, "good", 3, "ok"), (2, "absent", 0, "skipped")])

    def test_a_failure_is_kept_and_the_others_run(self):
        for name in ("bad", "killed"):
            status, printed = night(self.state, f"{name}=1", "good=1")
            self.assertEqual(status, 1)
            self.assertRegex(printed, rf"{name} +1 +1 min +0\.0 +1 ")
            self.assertNotIn("failed: failed", printed)
        self.assertEqual([row["verdict"] for row in rows_of(self.state)], ["failed", "ok"] * 2)
        self.assertEqual(night(self.state, "silent=1")[0], 0)

    def test_an_interrupt_is_kept_and_ends_the_night(self):
        def interrupt():
            while not os.path.exists(os.path.join(self.state, "began")):
                time.sleep(0.01)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        for name, word in (("long", "cut: stopped"), ("deaf", "cut: ")):
            killer = threading.Thread(target=interrupt)
            killer.start()
            with mock.patch.object(nightly, "END_S", 60 if name == "long" else 0.3):
                status, printed = night(self.state, f"{name}=1", "good=1")
            killer.join()
            os.remove(os.path.join(self.state, "began"))
            self.assertEqual(status, 1)
            self.assertIn(word, printed)
        self.assertEqual([(row["part"], row["verdict"], row["amount"]) for row in rows_of(self.state)],
                         [("long", "cut", 0), ("deaf", "cut", 0)])

    def test_nothing_is_left_behind(self):
        self.assertEqual(night(self.state, "leaver=1")[0], 0)
        left = pathlib.Path(self.state, "left").read_text(encoding="ascii").strip()
        end = time.monotonic() + 20
        while is_running(left):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_nights_are_numbered_by_the_last(self):
        night(self.state, "good=1", "bad=1")
        night(self.state, "good=1")
        self.assertEqual([row["night"] for row in rows_of(self.state)], [1, 1, 2])

    def test_a_line_that_was_cut_harms_no_other(self):
        night(self.state, "good=2")
        with open(os.path.join(self.state, nightly.TOTALS), "a", encoding="utf-8") as file:
            file.write('{"night": 2, "pa')
        status, printed = night(self.state, "good=1")
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"good +2 +3 min")
        self.assertRegex(night(self.state, "good=1")[1], r"good +3 +4 min")

    def test_damaged_lines_end_no_night(self):
        night(self.state, "good=2")
        row = rows_of(self.state)[0]
        with open(os.path.join(self.state, nightly.TOTALS), "ab") as file:
            for line in (b"7", b"[]", b"null", b'"x"', b"\xff\xfe", b"\0" * 99, b"[" * 100000,
                         *(json.dumps(row | {name: value}).encode() for name in nightly.ROW for value in (None, [], {}))):
                file.write(line + b"\n")
        status, printed = night(self.state, "good=1")
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"good +2 +3 min")

    def test_refusals(self):
        os.makedirs(self.state)
        with open(os.path.join(self.state, "letter"), "w", encoding="utf-8"):
            pass
        self.assertEqual(night(self.state)[0], 2)
        self.assertEqual(os.listdir(self.state), ["letter"])
        os.remove(os.path.join(self.state, "letter"))
        for word in ("worse=1", "good", "good=0", "good=-1", "good=nan", "good=1e9", "good=", "kills=1.5"):
            self.assertEqual(night(self.state, word)[0], 2, word)
        self.assertEqual(os.listdir(self.state), [])

    def test_a_full_disk_ends_the_night(self):
        with mock.patch.object(nightly, "add_total", side_effect=OSError(28, "No space left on device")):
            status, printed = night(self.state, "good=1", "good=2")
        self.assertEqual(status, 1)
        self.assertIn("No space left on device; this night's totals", printed)

    def test_one_at_a_time(self):
        night(self.state, "good=1")
        with nightly.opened(self.state, mock.Mock()):
            status, printed = night(self.state, "good=1")
        self.assertEqual(status, 2)
        self.assertIn("another night runs in it", printed)


class Soak(unittest.TestCase):
    """What scripts/soak.py says of an amount that tells nothing."""

    def played(self, *words):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                status = soak.main(["--program", "/bin/true", *words])
            except SystemExit as end:
                status = end.code
        return status, out.getvalue()

    def test_two_kinds_are_refused(self):
        status, printed = self.played("--live", "1", "--virtual", "1")
        self.assertEqual((status, "not allowed with" in printed), (2, True))

    def test_too_short_a_run_is_told_what_to_do(self):
        with mock.patch.object(soak, "soak_virtual", side_effect=soak.TooShort):
            self.assertEqual(self.played("--virtual", "0.01"),
                             (1, "failed: the run was too short to compare its begin with its end; give more days\n"))

    def test_the_begin_of_a_live_soak_is_no_end(self):
        pair, events = mock.MagicMock(), mock.MagicMock()
        pair.__enter__.return_value = pair
        pair.held.side_effect = ({"rss_octets": 0, "files": number} for number in itertools.count(1))
        events.play.return_value, events.counts = "reload", {"reload": 3}
        events.is_each_once.side_effect = (False, True)
        with mock.patch.object(soak.live_pair, "Pair", return_value=pair), mock.patch.object(soak, "soak_round", return_value=(1, 0)), \
                mock.patch.object(soak.soak_events, "Clock"), mock.patch.object(soak.soak_events, "Events", return_value=events):
            status, printed = self.played("--live", "1e-9")
        self.assertEqual(status, 1)
        self.assertRegex(printed, r"(?m)^files +2 +3   grew$")

    def test_a_round_that_lost_something_is_played_again(self):
        """Twice at most; what a trial refuses to measure is lost, too."""
        whole, half = ({"frames_received": got, "frames_expected": 10, "offered": 5} for got in (10, 5))
        for trials, again in (([whole], 0), ([half, whole], 1), ([half, soak.live_pair.Failure("bursts"), whole], 2), ([half] * 3, None)):
            pair = mock.MagicMock()
            pair.trial.side_effect, pair.log.return_value, pair.show.return_value = trials, "", []
            with self.subTest(again=again), mock.patch.object(soak, "REST_S", 0), contextlib.redirect_stdout(io.StringIO()):
                if again is None:
                    with self.assertRaisesRegex(soak.live_pair.Failure, "after 'flood': 5 of 10 frames received; 5 of 10"):
                        soak.soak_round(pair, "flood")
                else:
                    self.assertEqual(soak.soak_round(pair, "flood"), (5, again))


class Commands(unittest.TestCase):
    def test_can_be_executed(self):
        for name, part in nightly.PARTS.items():
            with self.subTest(name):
                self.assertTrue(os.access(os.path.join(nightly.ROOT, part.command("1", 1, "")[0]), os.X_OK))


if __name__ == "__main__":
    unittest.main()
