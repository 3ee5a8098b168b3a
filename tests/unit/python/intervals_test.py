#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots of random results: each interval lies inside of its axis, or an arrow stands there with its end; ticks have words of their
own; no title covers a label; nothing has a backtick."""

import dataclasses
import itertools
import re
import unittest

import numpy

import setting  # noqa: F401  pylint: disable=unused-import

from figure_test import texts_of
from gbflow_report import bars, draw, figure_files, forest, sweep_page, sweep_plots, sweep_results, sweep_story, sweep_words
from matplotlib.container import ErrorbarContainer
from sweep_kit import DELAY, SEEDS, results

CASES = 12
SHEETS = (draw.PAGE, draw.Sheet(8.5 / 2.54, is_paper=True))


def random_results(random):
    """Means and noise of every size; one point in four has a seed far away."""
    made = results(schemes=[f"S{number}" for number in range(random.integers(2, 6))])
    made = dataclasses.replace(made, study=dataclasses.replace(made.study, axes=[
        sweep_results.Axis("scheme", made.study.axes[0].settings, "S0"), made.study.axes[1]]))
    size, noise = 10.0 ** random.integers(-3, 5), 10.0 ** random.uniform(-3, 0)
    for of_point in made.values.values():
        middle = size * random.uniform(1, 3)
        for figure in of_point:
            of_point[figure] = {seed: middle * abs(1 + noise * random.normal()) for seed in SEEDS}
        if random.random() < 0.25:
            of_point[DELAY][1] *= 40
    return made


def random_rows(random):
    count = int(random.integers(1, 9))
    middles, widths = random.normal(0, 10, count), 10.0 ** random.uniform(-2, 4, count)
    return [bars.Row(f"row {number}", "", at, (at - width, at + width))
            for number, (at, width) in enumerate(zip(middles, widths, strict=True))]


def ends_of(axes):
    """(along x, low, high) of each interval of y."""
    for one in axes.containers:
        if isinstance(one, ErrorbarContainer):
            for (x, low), (_, high) in one.lines[2][0].get_segments():
                yield x, low, high


class Plots(unittest.TestCase):
    def words_are_apart(self, figure):
        figure_files.fit(figure)
        figure.draw_without_rendering()
        for axes in filter(lambda axes: axes.get_visible(), figure.axes):
            for axis in (axes.xaxis, axes.yaxis):
                words = [label.get_text() for label in axis.get_ticklabels() if label.get_text()]
                self.assertEqual(len(words), len(set(words)), words)
            titles = [text for text in (axes.get_title(loc="right") and axes._right_title, axes.xaxis.label,  # pylint: disable=protected-access
                                        axes.yaxis.label) if text and text.get_text()]
            labels = [label for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()]
            labels = [label for label in labels if label in texts_of(figure)]
            for title, label in itertools.product(titles, labels):
                self.assertFalse(title.get_window_extent().overlaps(label.get_window_extent()), (title, label))
        for text in texts_of(figure):
            self.assertNotIn("`", text.get_text())

    def test_figures_over_axes(self):
        random = numpy.random.default_rng(85)
        cut = 0
        for case in range(CASES):
            made = random_results(random)
            for sheet in SHEETS:
                with self.subTest(case=case, is_paper=sheet.is_paper), draw.drawn_on(sheet):
                    shares = sweep_story.shares_of(made, DELAY)
                    figure = sweep_plots.over_axis(made, shares, sweep_plots.layout_of(made, shares)).drawn
                    for axes in filter(lambda axes: axes.get_visible(), figure.axes):
                        low, high = axes.get_ylim()
                        for x, least, most in ends_of(axes):
                            for end in (least, most):
                                if not low <= end <= high:
                                    cut += 1
                                    self.assertIn((f"{end:.3g}", x), [(one.get_text(), one.xy[0]) for one in axes.texts])
                    self.words_are_apart(figure)
        self.assertGreater(cut, 0)

    def test_rows(self):
        random = numpy.random.default_rng(7)
        cut = 0
        for case in range(4 * CASES):
            rows = random_rows(random)
            scale, page = bars.scale_of(rows, True), sweep_page.list_html(rows)
            figure = forest.figure_of(rows, "difference (%)", True)
            low, high = figure.axes[0].get_xlim()
            words = [text.get_text() for text in figure.axes[0].texts]
            for row in rows:
                self.assertTrue(low <= row.at <= high)
                for end, sign in zip(row.ends, "\u25c2\u25b8", strict=True):
                    if not low <= end <= high:
                        cut += 1
                        self.assertIn(f"{end:.3g}", words, case)
                        self.assertRegex(page, re.escape(f"{end:.3g}"))
                        self.assertIn(sign, page)
                    else:
                        self.assertTrue(scale.low <= end <= scale.high)
            self.words_are_apart(figure)
        self.assertGreater(cut, 0)

    def test_intervals_that_are_all_wide_are_held(self):
        rows = [bars.Row(str(number), "", 0.1 * number, (-50.0 - number, 60.0)) for number in range(4)]
        scale = bars.scale_of(rows, True)
        self.assertTrue(scale.low < -53 and scale.high > 60)

    def test_sentences_have_no_backtick(self):
        late = dataclasses.replace(results(), settled_s={one: {1: 12.0, 2: 9.0} for one in results().settled_s})
        self.assertNotIn("`", " ".join(sweep_words.doubt(late)))


if __name__ == "__main__":
    unittest.main()
