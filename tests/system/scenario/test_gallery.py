# SPDX-License-Identifier: BSD-3-Clause
"""The gallery: files are short, pages are those that its command writes, and the runs show what the pages claim."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import scenario
from scenario import gbflow

ROOT = pathlib.Path(gbflow.ROOT)
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts")]
import gallery  # pylint: disable=wrong-import-position
import gallery_plots  # pylint: disable=wrong-import-position
import gallery_questions  # pylint: disable=wrong-import-position
from gallery_data import MEAN, MEDIAN, Claim, Data, said  # pylint: disable=wrong-import-position
from gallery_questions import QUESTIONS, crossing  # pylint: disable=wrong-import-position
from gbflow_results import Failure  # pylint: disable=wrong-import-position

FILES, PAGES = ROOT / gallery.FILES, ROOT / gallery.PAGES
BLOCK = re.compile(r"<!-- begin measured: .* -->\n(.*\n)<!-- end measured", re.DOTALL)
LINES, SENTENCES = 40, 3


def answer_of(name):
    """The last paragraph of the page's measured block."""
    return BLOCK.search((PAGES / f"{name}.md").read_text(encoding="utf-8")).group(1).strip().split("\n\n")[-1]


def sentences_of(text):
    return re.split(r"(?<=[.?!])\s+(?=[A-Z])", text)


class Pages(unittest.TestCase):
    def test_each_file_has_its_page(self):
        names = {one.name for one in QUESTIONS}
        self.assertEqual({path.stem for path in FILES.glob("*.lua")}, names)
        self.assertEqual({path.stem for path in PAGES.glob("*.md")}, names | {"index"})
        self.assertEqual({path.stem for path in PAGES.glob("*.svg")}, names)

    def test_files_are_short(self):
        for path in FILES.glob("*.lua"):
            self.assertLessEqual(len(path.read_text(encoding="ascii").splitlines()), LINES, path)

    def test_pages_quote_their_file(self):
        for path in FILES.glob("*.lua"):
            self.assertIn(f"```lua\n{path.read_text(encoding='utf-8')}```\n", (PAGES / f"{path.stem}.md").read_text(encoding="utf-8"))

    def test_answers_have_three_sentences(self):
        for one in QUESTIONS:
            self.assertEqual(len(sentences_of(answer_of(one.name))), SENTENCES, answer_of(one.name))

    def test_index_has_each_first_sentence_and_plot(self):
        index = (PAGES / "index.md").read_text(encoding="utf-8")
        for one in QUESTIONS:
            self.assertIn(f"### [{one.words}]({one.name}.md)", index)
            self.assertIn(f'src="{one.name}.svg"', index)
            self.assertIn(f"\n{sentences_of(answer_of(one.name))[0]}\n", index)

    def test_plots_are_small(self):
        for path in PAGES.glob("*.svg"):
            self.assertLessEqual(path.stat().st_size, gallery.SVG_OCTETS, path)


def world(value):
    """Any figure at any point has the same value with each seed."""
    class Same(Data):
        def __init__(self):
            self.axes = ["axis"]
            self.labels = {name: ["0.5 s", "1", "2"] for name in ("axis", "hold_s")}

        def values_of(self, figure, *labels):
            return [value, value]
    return Same()


class Claims(unittest.TestCase):
    def test_world_without_effects(self):
        """Where no key changes anything, no question has its answer."""
        for one in QUESTIONS:
            for value in (0.5, 1.0, 40.0):
                self.assertFalse(all(claim.is_met for claim in one.claims(world(value))), one.name)

    def test_one_seed_is_enough_to_miss(self):
        self.assertTrue(Claim("", [2.0, 3.0], 2, 3).is_met)
        self.assertFalse(Claim("", [2.0, 3.1], 2, 3).is_met)
        self.assertFalse(Claim("", [1.9, 3.0], 2, 3).is_met)

    def test_data(self):
        rows = [{"run": "r", "queues": queues, "depth": depth, "seed": seed, "figure": "f", "value": f"{len(queues)}{depth[0]}{seed}", "unfinished": ""}
                for queues in ("a", "bb") for depth in ("1 s", "2 s") for seed in "12"]
        data = Data(rows)
        self.assertEqual(data.axes, ["queues", "depth"])
        self.assertEqual(data.values_of("f", "bb", "1 s"), [211.0, 212.0])
        self.assertEqual(data.curve("f", "a"), [(1.0, [111.0, 112.0]), (2.0, [121.0, 122.0])])

    def test_said(self):
        self.assertEqual(said([2.0], 1, "s"), "2.0 s")
        self.assertEqual(said([2.0, 2.0, 2.0], 1, "s"), "2.0 s")
        self.assertEqual(said([1.0, 2.0, 3.0], 2, "s"), "2.00 s (0.58 to 6.93)")  # 2 exp(+-4.303 / sqrt(3) / 2)
        self.assertEqual(said([1.0, 2.0, 9.0], 0, "s", MEDIAN), "2 s (1 to 9)")

    def test_plot_and_sentences_say_one_statistic(self):
        for one in QUESTIONS:
            with self.subTest(one.name), mock.patch.object(gallery_questions, "said", wraps=said) as told, \
                    mock.patch.object(gallery_plots, "whiskers", wraps=gallery_plots.whiskers) as drawn:
                one.answer(world(2.0))
                one.plot(world(2.0))
                self.assertTrue(told.called and drawn.called)
                self.assertEqual({call.args[3] if len(call.args) > 3 else MEAN for call in told.call_args_list}, {one.statistic})
                self.assertEqual({call.args[1] for call in drawn.call_args_list}, {one.statistic})

    def test_a_page_time_that_is_not_reached(self):
        row = {"run": "r", "queues": "a", "seed": "1", "figure": "f", "value": "", "unfinished": "3"}
        with self.assertRaisesRegex(Failure, "r: f is not reached: 3 pages are unfinished"):
            Data([row])

    def test_crossing(self):
        self.assertEqual(crossing([(1, 4.0), (2, 6.0), (4, 10.0)], 8.0), 3.0)
        self.assertEqual(crossing([(1, 4.0), (2, 6.0)], 8.0), float("inf"))


class Runs(scenario.gbflow.Case):
    @staticmethod
    def gallery(*words):
        return subprocess.run([ROOT / "scripts/gallery.sh", *words, "--gbflow", gbflow.program()], capture_output=True, text=True,
                              check=False, timeout=gbflow.RUN_SECONDS * 4, stdin=subprocess.DEVNULL)

    def test_runs_show_what_pages_claim(self):
        names = [one.name for one in gbflow.some(QUESTIONS, 4)]
        result = self.gallery("--check", "--out", self.folder, *names)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual({line.split()[1].rstrip(":") for line in result.stdout.splitlines()}, set(names))

    def test_keys_to_turn(self):
        """Each is right with the file that it is said of."""
        for one in gbflow.some(QUESTIONS, 4):
            for setting, _ in one.changes:
                path = FILES / f"{one.name}.lua"
                result = gbflow.run("run", path, "--set", setting, "--set", "duration=150 s", "--set", "moves={}", "--out", self.folder, "--no-report")
                self.assertEqual(result.status, 0, f"{one.name} {setting}: {result}")

    def test_copied_file_in_which_the_effect_is_missing(self):
        """The same program, whose flow queues are off in every point."""
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for name in ("python", "scripts"):
                (copy / name).symlink_to(ROOT / name)
            (copy / "config/gallery").mkdir(parents=True)
            (copy / "config/gallery/preset").symlink_to(FILES / "preset")
            text = (FILES / "page-beside-download.lua").read_text(encoding="ascii")
            (copy / "config/gallery/page-beside-download.lua").write_text(text.replace('flow_queues"] = 32', 'budget_packets"] = 9999'), encoding="ascii")
            result = subprocess.run([sys.executable, ROOT / "scripts/gallery.py", "--check", "--seeds", "1", "page-beside-download", "--gbflow",
                                     gbflow.program(), "--out", "out"], cwd=copy, capture_output=True, text=True, check=False,
                                    env={**os.environ, "PYTHONPATH": "python:scripts"}, timeout=gbflow.RUN_SECONDS)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("FAIL page-beside-download: the same with flow queues", result.stdout)

    def test_wrong_words(self):
        for words, said_words in ((("--check", "no-such"), "no-such: no such question; there are own-ping"), (("own-ping",), "NAME goes with --check only")):
            result = self.gallery(*words)
            self.assertEqual((result.returncode, said_words in result.stderr), (2, True), result.stderr)


if __name__ == "__main__":
    unittest.main()
