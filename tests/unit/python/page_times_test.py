#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Page times that the end of a run cuts off: the estimator beside one of another kind, the log-rank test beside published figures, and
what a sweep calls sure of equal laws."""

import dataclasses
import random
import unittest
from fractions import Fraction

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report import compare, page_times, sweep_results, sweep_story, sweep_words
from gbflow_results import Failure
from sweep_kit import results

# name, times and whether each page was finished, shares by time, 95th percentile, restricted mean
ROWS = [
    ("no pages", [], [], None, None),
    ("all finished", [(10, True), (20, True)], [(10, 0.5), (20, 0.5)], 20, 15),
    ("an unfinished page gives its share to the longer ones", [(10, True), (15, False), (20, True), (40, True)],
     [(10, 0.25), (20, 0.375), (40, 0.375)], 40, 25),
    ("the longest is unfinished", [(10, True), (50, False)], [(10, 0.5)], None, 30),
    ("a finished page is before an unfinished one of its age", [(10, False), (10, True), (30, True)],
     [(10, 1 / 3), (30, 2 / 3)], 30, 70 / 3),
    ("none finished", [(5, False), (9, False)], [], None, 9),
]

# Weeks of remission of Freireich et al. (1963), of placebo and 6-MP, as textbooks of survival analysis print them: the log-rank test has
# 21 observed and 10.75 expected ends of placebo, and a variance of 6.257.
PLACEBO = [(week, True) for week in (1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23)]
TREATED = [*((week, True) for week in (6, 6, 6, 7, 10, 13, 16, 22, 23)), *((week, False) for week in (6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35))]

SEEDS = range(1, 7)
FIGURES = ("classes.thp2.page_time_s.p50", "classes.thp2.page_time_s.p95")


def product_limit(pages, share):
    """The definition: the first time at which the product of the parts that go on is no more than what is left."""
    left = Fraction(1)
    for at in sorted({time for time, is_finished in pages if is_finished}):
        risk = sum(time >= at for time, _ in pages)
        left *= 1 - Fraction(sum(time == at and is_finished for time, is_finished in pages), risk)
        if left <= 1 - share:
            return at
    return None


def pages_of(chance, mean_s, load):
    """Two users read one page after the other for 60 s; load: of the whole run, by which each page is slower."""
    found = []
    for _ in range(2):
        at = chance.uniform(0, 10)
        while at < 60:
            time_s = chance.expovariate(1 / (mean_s * load))
            found.append((time_s, True) if at + time_s <= 60 else (60 - at, False))
            at += time_s + 1
    return found


def study_of(chance, by_scheme):
    """A study of which only the page times differ: by_scheme[scheme] is their mean without load."""
    made = results(schemes=tuple(by_scheme), buckets=("1 s", "2 s"), seeds=len(SEEDS))
    times, values = {}, {}
    for point in made.values:
        runs = {seed: pages_of(chance, by_scheme[point.labels["scheme"]], chance.lognormvariate(0, 0.5)) for seed in SEEDS}
        shares = {seed: page_times.kaplan_meier(pages) for seed, pages in runs.items()}
        times[point] = {figure: {seed: sweep_results.PageTime(page_times.quantile(shares[seed], int(figure[-2:]) / 100), pages)
                                 for seed, pages in runs.items()} for figure in FIGURES}
        values[point] = {}
    sweep_results.whole_times(values, times)
    return dataclasses.replace(made, figures=list(FIGURES), values=values, page_times=times)


def sure(made):
    return [step for step in sweep_story.steps_of(made, FIGURES) if step.is_sure]


class Estimator(unittest.TestCase):
    def test_rows(self):
        for name, pages, expected, p95, middle in ROWS:
            with self.subTest(name):
                shares = page_times.kaplan_meier(pages)
                self.assertEqual([time_s for time_s, _ in shares], [time_s for time_s, _ in expected])
                for (_, share), (_, wanted) in zip(shares, expected):
                    self.assertAlmostEqual(share, wanted)
                self.assertEqual(page_times.quantile(shares, 0.95), p95)
                self.assertAlmostEqual(page_times.restricted_mean(pages) or 0, middle or 0)

    def test_the_end_of_the_run(self):
        """Without it, or without the end of the warm-up, a page has no age."""
        row = {"mobile": "a", "start_s": 1.0, "time_s": None}
        for times in ({"duration_s": None, "warmup_s": 0}, {"duration_s": 9.0, "warmup_s": "0"}):
            with self.assertRaisesRegex(Failure, "summary.json: (duration_s|warmup_s) is no number"):
                page_times.aged(times, [row])
            self.assertEqual(page_times.aged(times, []), [])

    def test_definition(self):
        chance = random.Random(1)
        for _ in range(300):
            pages = [(chance.randint(1, 12), chance.random() < 0.6) for _ in range(chance.randint(1, 40))]
            for share in (Fraction(1, 2), Fraction(19, 20)):
                self.assertEqual(page_times.quantile(page_times.kaplan_meier(pages), float(share)), product_limit(pages, share), pages)

    def test_pages(self):
        """Pages before the warm-up and of other classes do not count; an unfinished page has its age."""
        pages = [("a", 10, 5), ("a", 70, 20), ("a", 90, None), ("b", 80, 7)]
        summary = {"warmup_s": 60, "duration_s": 100, "mobiles": [{"mobile": "a", "class": "thp2"}, {"mobile": "b", "class": "thp3"}],
                   "pages": [{"mobile": mobile, "start_s": start, "time_s": time} for mobile, start, time in pages]}
        for figure, found in (("classes.thp2.page_time_s.p50", [(20, True), (10, False)]), ("mobiles.b.page_time_s.p95", [(7, True)]),
                              ("page_time_s.p50", [(20, True), (10, False), (7, True)]), ("classes.thp2.delay_s.p50", None),
                              ("classes.thp2.page_time_s.unfinished", None)):
            self.assertEqual(page_times.of_figure(summary, figure), found, figure)


class Judgement(unittest.TestCase):
    def test_published(self):
        found = page_times.scores([PLACEBO, TREATED], 1)
        self.assertAlmostEqual(found.sums[0], 10.25, 2)
        self.assertAlmostEqual(found.sums[0], -found.sums[1])
        self.assertAlmostEqual(found.variance, 6.257, 3)

    def test_direction(self):
        """B's pages take longer, which quantiles cannot tell: no run reaches them. Pairs and runs of other seeds."""
        seeds = [([(10 + seed, True)] * 4 + [(60, False)] * 5, [(40, True)] + [(60, False)] * 8) for seed in range(8)]
        for found in (page_times.of_pairs([[pair] for pair in seeds]), page_times.of_sides(*zip(*seeds))):
            self.assertTrue(found.is_longer and found.p < 0.01, found)
        row = compare.row_of(FIGURES[0], None, None, True, page_times.compared({n: [a] for n, (a, _) in enumerate(seeds)},
                                                                               {n: [b] for n, (_, b) in enumerate(seeds)}, True))
        compare.judge([row])
        self.assertEqual((row["verdict"], row["difference_percent"], row["a"]["mean"]), ("higher", None, None))
        self.assertEqual(compare.number_text(row["b"]), "not reached (64 of 72 unfinished)")

    def test_few_seeds(self):
        """One run of each side, or no pages on one of them, is no test."""
        self.assertIsNone(page_times.of_pairs([[([(1, True)], [(2, True)])]]))
        self.assertIsNone(page_times.of_sides([[(1, True)], []], [[(2, True)], [(3, True)]]))

    def test_ways_that_disagree(self):
        """A quantile that says shorter where the test says longer is not shown."""
        verdict = page_times.Compared((9, 9), (1, 1), page_times.Verdict(0.001, True))
        a, b = (compare.spread_of(range(4), [value + seed / 100 for seed in range(4)]) for value in (5.0, 4.0))
        for one, other, expected in ((b, a, "higher"), (a, b, "not shown")):
            row = compare.row_of(FIGURES[0], one, other, True, verdict)
            compare.judge([row])
            self.assertEqual(row["verdict"], expected)


class Sure(unittest.TestCase):
    """Families of differences of a sweep."""

    def test_equal_laws(self):
        """Of 1000 families with equal laws at most one in twenty calls a difference sure, within three deviations."""
        chance, families = random.Random(1), 1000
        found = sum(bool(sure(study_of(chance, {"none": 20.0, "CoDel": 20.0, "PIE": 20.0}))) for _ in range(families))
        self.assertLessEqual(found, 0.05 * families + 3 * (families * 0.05 * 0.95) ** 0.5)

    def test_order(self):
        """What is sure is never against the order of the laws; and something is sure."""
        chance = random.Random(2)
        steps = [(step, factor) for factor in (0.3, 0.6, 1.5, 4.0, 20.0) for _ in range(20)
                 for step in sure(study_of(chance, {"none": 20.0, "CoDel": 20.0 * factor}))]
        self.assertEqual({(step.is_higher, factor > 1) for step, factor in steps}, {(True, True), (False, False)})

    def test_interval(self):
        """No end is below -100 %; a run that does not reach a quantile leaves the point without a mean, which the page says."""
        made = study_of(random.Random(3), {"none": 60.0, "CoDel": 2.0})
        for step in sweep_story.steps_of(made, FIGURES):
            self.assertTrue(step.is_unreached or step.interval[0] > -100, step)
        lacking = [point for point in made.values if made.lacks(point, FIGURES[1])]
        self.assertTrue(lacking)
        self.assertEqual([FIGURES[1] in made.values[point] for point in lacking], [False] * len(lacking))
        words = " ".join(sweep_results.remarks(made, []))
        self.assertRegex(words, r"classes\.thp2: \d+ of \d+ pages were unfinished .* do not reach p95")


def cut_study(by_label):
    """by_label[scheme, bucket]: the time of each of ten pages, in s; those over 60 s are unfinished."""
    schemes, buckets = (tuple(dict.fromkeys(label[place] for label in by_label)) for place in (0, 1))
    made = results(schemes=schemes, buckets=buckets, seeds=len(SEEDS))
    times, values = {}, {}
    for point in made.values:
        time_s = by_label[point.labels["scheme"], point.labels["bucket"]]
        pages = {seed: [(min(60.0, time_s * (1 + page / 20 + seed / 100)), time_s * (1 + page / 20 + seed / 100) < 60) for page in range(10)]
                 for seed in SEEDS}
        times[point] = {figure: {seed: sweep_results.PageTime(page_times.quantile(page_times.kaplan_meier(of_run), int(figure[-2:]) / 100), of_run)
                                 for seed, of_run in pages.items()} for figure in FIGURES}
        values[point] = {}
    sweep_results.whole_times(values, times)
    settled = {one: dict.fromkeys(SEEDS, 1.0) for one in made.values}
    return dataclasses.replace(made, figures=list(FIGURES), values=values, page_times=times, settled_s=settled)


def words_of(made):
    found = sweep_story.ranked(made)
    steps = sweep_story.steps_of(made, sweep_story.judged_figures(made, found))
    return sweep_words.told(made, found, steps), sweep_story.told_axes(made, found) + sweep_story.told_steps(made, steps)


class Cut(unittest.TestCase):
    """What a study says of page times that only its faster points reach."""

    def test_points_that_do_not_reach_it_are_not_equal(self):
        """Two slow buckets whose pages differ have no quantile, and are two labels all the same."""
        made = cut_study({("none", "1 s"): 20.0, ("none", "2 s"): 70.0, ("none", "4 s"): 80.0, ("CoDel", "1 s"): 10.0, ("CoDel", "2 s"): 58.0,
                          ("CoDel", "4 s"): 75.0})
        self.assertEqual(sweep_story.equal_labels(made, made.study.axes[1]), [["1 s"], ["2 s"], ["4 s"]])

    def test_no_axis_has_a_share_by_a_part_of_the_points(self):
        """The bucket decides whether a page ends at all; among the points of the fast one only the scheme varies."""
        short, tests = words_of(cut_study({("none", "1 s"): 20.0, ("none", "2 s"): 70.0, ("CoDel", "1 s"): 10.0, ("CoDel", "2 s"): 58.0}))
        self.assertEqual(short[0], "Not every run reaches page time p50 of class thp2 and page time p95 of class thp2: too many pages were "
                                   "unfinished at its end.")
        self.assertEqual(tests[0], "No share of the variance is told of page time p50 of class thp2 and page time p95 of class thp2: some runs do "
                                   "not reach them.")
        self.assertRegex(short[1], r"^A difference beyond chance: scheme CoDel makes page time p\d+ of class thp2 shorter \(\d+ of 120 against \d+ of 120 pages unfinished\)")
        self.assertRegex(short[2], r"^\d+ of 240 pages of class thp2 were unfinished at the end of their run: they take longer")
        self.assertLessEqual(len(short), 4)

    def test_nothing_ends(self):
        """All pages are unfinished: nobody knows whether the runs are equal."""
        short, tests = words_of(cut_study({("none", "1 s"): 70.0, ("CoDel", "1 s"): 80.0}))
        self.assertRegex(short[0], "^Not every run reaches")
        self.assertNotRegex(" ".join(tests), "looked at differs|equal runs|No point has")
        self.assertRegex(short[-1], "^120 of 120 pages of class thp2 were unfinished")

    def test_runs_without_a_page(self):
        made = cut_study({("none", "1 s"): 20.0, ("CoDel", "1 s"): 10.0})
        for figure in FIGURES:
            del next(iter(made.page_times.values()))[figure]
        self.assertIn("classes.thp2: 6 runs began no page after the warm-up, and have no page time.", sweep_results.told_times(made))


if __name__ == "__main__":
    unittest.main()
