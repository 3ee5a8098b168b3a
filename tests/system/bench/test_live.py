# SPDX-License-Identifier: BSD-3-Clause
"""live_bench for two seconds, its times without judgement: a live node under announcements, and under a flood. LIVE_BENCH names it."""
import json
import os
import subprocess
import tempfile
import unittest

TIMES = ["count", "p50", "p99", "p99_9", "most"]
LOG_LINES = 12  # a second, with the one that says how many were left out


def run(*arguments):
    return subprocess.run([os.environ["LIVE_BENCH"], *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)


def has_times(result):
    return all(times["count"] > 0 for times in result["time_with_void_us"].values())


class Live(unittest.TestCase):
    def play(self, *arguments, seconds=2):
        """Its trials, with both ways of idling, one round each."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            done = run(*arguments, "--seconds", str(seconds), "--rounds", "1", "--json", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        self.assertEqual(report["schema"], "gbflow-live-bench/1")
        self.assertEqual([trial["idle"] for trial in report["trials"]], ["poll", "sleep"])
        for trial in report["trials"]:
            self.assertEqual([result["fault"] for result in trial["rounds"]], [None])
        return [(trial, trial["rounds"][0]) for trial in report["trials"]]

    def play_until(self, is_enough, *arguments):
        """Longer trials while one has too little: on a busy machine the node may take no frame of a short flood, and no
        interval be measured. A fault of any trial fails."""
        for seconds in (2, 8, 32):
            played = self.play(*arguments, seconds=seconds)
            if all(is_enough(result) for _, result in played):
                break
        return played

    def check_times(self, result, names):
        self.assertEqual(list(result["time_with_void_us"]), names)
        for name in names:
            every, judged = result["time_with_void_us"][name], result["time_us"][name]
            self.assertEqual(list(every), TIMES)
            self.assertGreater(every["count"], 0)
            self.assertLessEqual(judged["count"], every["count"])
            self.assertTrue(0 < every["p50"] <= every["p99"] <= every["p99_9"] <= every["most"], every)

    def test_announcements_are_acknowledged_and_hold(self):
        for _, result in self.play_until(has_times, "latency", "--rates", "1000", "--mobiles", "100"):
            self.check_times(result, ["acknowledged", "in_force"])
            self.assertGreater(result["acknowledged"], 100)
            self.assertGreaterEqual(result["acknowledged"] + result["punt_full"], result["flows"])
            self.assertEqual(result["npdus_back"], result["npdus_sent"])

    def test_a_flood_changes_nothing(self):
        played = self.play_until(lambda result: result["floods"] > 1000 and has_times(result), "flood", "--pps", "100000", "--slice-ms", "100")
        for trial, result in played:
            self.check_times(result, ["without_flood", "in_flood"])
            self.assertEqual((trial["slice_ms"], trial["floods_per_s"]), (100, 100000))
            self.assertGreater(result["floods"], 1000)
            self.assertEqual(result["npdus_back"], result["npdus_sent"])
            self.assertLessEqual(result["log_lines"], LOG_LINES * 4)


class Options(unittest.TestCase):
    def test_wrong_ones_are_refused(self):
        for words in ([], ["speed"], ["flood", "more"], ["latency", "--mobiles", "64"], ["latency", "--rates", "1,2,3"],
                      ["latency", "--seconds", "1,"], ["flood", "--idle", "nap"], ["flood", "--fast"]):
            with self.subTest(words=words):
                done = run(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("live_bench", done.stderr)

    def test_help_goes_to_standard_output(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--slice-ms", done.stdout)


if __name__ == "__main__":
    unittest.main()
