#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a study, from results made up: shares of variance that are known, differences that are sure and that are not, the order
of figures, points in place of lines, distributions of several runs as one."""

import dataclasses
import json
import pathlib
import re
import unittest

import numpy

import setting

from gbflow_report import charts, compare_page, distributions, sweep_page, sweep_plots, sweep_results, sweep_story, sweep_words
from gbflow_results import files
from sweep_kit import AIR, DELAY, GOODPUT, NOISE, SEEDS, point, results, study

LIBRARY = charts.Library("/* the library */", "")


class Ticks(unittest.TestCase):
    def test_an_axis_of_numbers_has_its_unit_in_the_title(self):
        for labels, ticks, title in ((("12 kbit/s", "24 kbit/s"), ["12", "24"], "a (kbit/s)"), (("1", "2"), ["1", "2"], "a"),
                                     (("1 s", "2 ms"), ["1 s", "2 ms"], "a"), (("none", "2 s"), ["none", "2 s"], "a"), (("0 s",), ["0"], "a (s)")):
            with self.subTest(labels=labels):
                axis = sweep_results.Axis("a", {label: [] for label in labels}, None)
                self.assertEqual(sweep_plots.ticks_of(axis), (ticks, title))


class Story(unittest.TestCase):
    def test_shares_of_variance(self):
        """Of a sum of independent parts each has its share; together they are all of it."""
        found = {one.figure: one for one in sweep_story.ranked(results())}
        delay = found[DELAY]
        between = 18 * 3.0 ** 2  # 2 or 8, about 5
        noise = sum((NOISE[seed] * (1 + number)) ** 2 for seed in SEEDS for number in (1, 2, 4) for _ in range(2))
        self.assertAlmostEqual(delay.axes["scheme"], between / (between + noise))
        for one in found.values():
            self.assertAlmostEqual(sum(one.axes.values()) + one.combined + one.seed + one.rest, 1.0)
        self.assertGreater(found[GOODPUT].axes["bucket"], 0.99)
        self.assertAlmostEqual(found[AIR].seed, 1.0)

    def test_share_by_chance(self):
        """Of figures without any effect an axis of k labels has (k - 1) / f of the rest in the mean, also with an effect of the seed."""
        random = numpy.random.default_rng(1)
        own, chance = [], []
        for _ in range(200):
            made = results(schemes=("none", "A", "B", "C", "D", "E"), buckets=("1 s", "2 s"))
            for of_point in made.values.values():
                of_point[AIR] = {seed: 2.0 * seed + random.normal() for seed in SEEDS}
            one = sweep_story.shares_of(made, AIR)
            own.append(one.axes["scheme"])
            chance.append(one.of_axis("scheme"))
        self.assertAlmostEqual(numpy.mean(own), numpy.mean(chance), delta=0.1 * numpy.mean(own))
        self.assertLess(numpy.mean(own), 0.6 * 5 / 35)  # what it would be without the seed's part
        words = " ".join(sweep_story.told_axes(made, [one]))
        self.assertRegex(words, r"scheme alone explains no more than chance of any of 1 figure looked at, most of air utilisation of cell 2: \d+ % \(by chance \d+ %\)")
        self.assertRegex(words, r"chance alone would explain in the mean: scheme [\d.]+ % and bucket [\d.]+ %\.")

    def test_first_sentences(self):
        """The parts add up, and a seed that explains more than the axes comes first."""
        made = results()
        first = sweep_story.told_axes(made, sweep_story.ranked(made)[:2])[0]
        parts = [float(part) for part in re.findall(r"([\d.]+) %", first)]
        self.assertEqual(len(parts), 5)
        self.assertAlmostEqual(sum(parts), 100, delta=2)
        words = sweep_story.told_axes(made, [sweep_story.shares_of(made, AIR)])
        self.assertEqual(words[0], "The seed explains more than any axis: 100 % of the variance, in the mean of 1 figure.")
        self.assertRegex(words[1], r"^No axis explains more than chance would of any of 1 figure looked at. The most is (scheme|bucket): 0 %")

    def test_only_together(self):
        """Each axis alone explains nothing, both together all: neither of them matters most."""
        made = results(buckets=("1 s", "2 s"))
        for one, of_point in made.values.items():
            is_odd = (one.labels["scheme"] == "CoDel") != (one.labels["bucket"] == "2 s")
            of_point[DELAY] = {seed: 5.0 + is_odd + NOISE[seed] for seed in SEEDS}
        words = sweep_story.told_axes(made, [sweep_story.shares_of(made, DELAY)])
        self.assertRegex(words[0], r"^Combinations of axes matter most: they explain (9\d|100) % of the variance, .* Alone (scheme|bucket) explains 0 %")

    def test_baseline_of_zero(self):
        """No percentage tells the difference from 0; the test does."""
        made = results()
        for one, of_point in made.values.items():
            of_point[AIR] = {seed: (0.6 + NOISE[seed] if one.labels["scheme"] == "CoDel" else 0.0) for seed in SEEDS}
        step, = sweep_story.steps_of(made, [AIR])
        self.assertEqual((step.is_sure, step.is_equal), (True, False))
        self.assertIn("from 0 to 60 %", sweep_story.change_text(step))
        self.assertNotIn("Not sure", " ".join(sweep_story.told_steps(made, [step])))

    def test_few_seeds_without_a_width(self):
        """Three equal differences may be chance: p is 0.25."""
        made = results()
        for one, of_point in made.values.items():
            of_point[AIR] = {seed: (0.6 if one.labels["scheme"] == "CoDel" else 0.5) for seed in SEEDS[:3]}
        step, = sweep_story.steps_of(made, [AIR])
        self.assertEqual((step.row["p"], step.is_fixed, step.is_sure), (0.25, True, False))

    @staticmethod
    def together(noise=0.01):
        """CoDel halves the delay with one bucket only."""
        made = results()
        for one, of_point in made.values.items():
            half = one.labels == {"scheme": "CoDel", "bucket": "4 s"}
            of_point[DELAY] = {seed: (4.0 if half else 8.0) + noise * (seed + len(one.name) * seed % 3) for seed in SEEDS}
        return made

    def test_axes_that_act_together(self):
        """A difference that one label of another axis makes is not told as a mean over that axis."""
        made = self.together()
        steps = sweep_story.steps_of(made, [DELAY])
        self.assertEqual([(step.where["bucket"], step.is_sure) for step in steps], [("1 s", False), ("2 s", False), ("4 s", True)])
        self.assertAlmostEqual(steps[2].percent, -50.0, delta=1.0)
        words = " ".join(sweep_story.told_steps(made, steps))
        self.assertIn("scheme acts together with bucket on delay p95 of class thp2: the differences stand for each label of bucket", words)
        self.assertRegex(words, r"1 of 3 differences is sure, scheme CoDel with bucket 4 s -49\.\d % \(-5")
        self.assertIn("with bucket 4 s", sweep_page.html_of(made, []))
        self.assertEqual([step.where for step in sweep_story.steps_of(results(), [DELAY])], [{}])

    def test_an_axis_acts_together_by_a_test(self):
        """Less than a fifth of the axis's own share, yet more than chance."""
        made = results()
        for one, of_point in made.values.items():
            more = 0.5 if one.labels == {"scheme": "CoDel", "bucket": "4 s"} else 0.0
            of_point[DELAY] = {seed: (2.0 if one.labels["scheme"] == "CoDel" else 8.0) + more + 0.01 * (len(one.name) * seed % 3) for seed in SEEDS}
        shares = sweep_story.shares_of(made, DELAY)
        self.assertLess(shares.pairs[frozenset(("scheme", "bucket"))], 0.2 * shares.axes["scheme"])
        self.assertEqual(sweep_story.partners(shares, "scheme"), ["bucket"])

    def test_equal_labels(self):
        """Labels whose runs are equal count once, in Holm's family, too."""
        made = results(schemes=("none", "CoDel", "same", "PIE"))
        for one, of_point in made.values.items():
            shift = {"none": 0.0, "CoDel": 4.0, "same": 4.0, "PIE": 2.0}[one.labels["scheme"]]
            of_point[DELAY] = {seed: 8.0 + shift + NOISE[seed] * (1 + shift) for seed in SEEDS}
            of_point[GOODPUT] = {seed: shift + seed for seed in SEEDS}
        steps = sweep_story.steps_of(made, [DELAY])
        self.assertEqual([step.label for step in steps], ["CoDel and same", "PIE"])
        self.assertAlmostEqual(steps[0].row["p_family"] / min(step.row["p"] for step in steps), 2.0, delta=1e-3)
        self.assertIn("scheme: CoDel and same give equal runs; they count once.", sweep_story.told_steps(made, steps))
        next(iter(found for one, found in made.values.items() if one.labels["scheme"] == "same"))[AIR] = {1: 0.0, 2: 0.0, 3: 0.0}
        self.assertEqual(len(sweep_story.steps_of(made, [DELAY])), 3)

    def test_lost_by_holm(self):
        """Which sure difference does not hold after Holm's correction is said by name."""
        made = results(schemes=("none", "A", "B", "C"))
        for one, of_point in made.values.items():
            spread, shift = {"none": (0.0, 0.0), "A": (0.001, 4.0), "B": (1.4, 4.0), "C": (1.41, 4.0)}[one.labels["scheme"]]
            of_point[DELAY] = {seed: 8.0 + NOISE[seed] + shift + spread * (seed - 2) for seed in SEEDS}
        words = " ".join(sweep_story.told_steps(made, sweep_story.steps_of(made, [DELAY])))
        self.assertIn("1 of 3 differences from scheme none is sure", words)
        self.assertRegex(words, r"Perhaps: delay p95 of class thp2, scheme B \+50.0 % \(\+[\d.]+ to \+[\d.]+\) and delay p95 of class thp2, scheme C "
                                r"\+50.0 % .*\. Each alone would be sure at 5 %; so would 0\.15 of all by chance\.")

    def test_equal_with_each_seed(self):
        """Neither hollow nor "not sure"."""
        made = results()
        step, = sweep_story.steps_of(made, [AIR])
        self.assertEqual((step.is_equal, sweep_story.change_text(step)), (True, "equal"))
        words = " ".join(sweep_story.told_steps(made, sweep_story.steps_of(made, [DELAY, AIR])))
        self.assertIn("Equal to the baseline with each seed: air utilisation of cell 2, scheme CoDel.", words)
        self.assertIn("1 of 1 difference from scheme none is sure: even one false one among them has a chance of at most 5 %", words)
        self.assertNotIn("Not sure", words)
        self.assertFalse(sweep_plots.row_of(step, "", "").is_faint)

    def test_names(self):
        """A ping's round-trip time says so, for connections have one, too."""
        self.assertEqual(sweep_story.name_of("ping.both.rtt_s.p95"), "ping RTT p95 of both")
        self.assertEqual(sweep_story.name_of(DELAY), "delay p95 of class thp2")

    def test_never_settles(self):
        made = results()
        made.settled_s[point("none", "1 s")][1] = None
        words, = sweep_results.remarks(made, [])
        self.assertIn("MSER-5, which is a heuristic: their figures may depend on the duration.", words)

    def test_limits(self):
        """What covers the warm-up, and which difference the seeds can show."""
        made = dataclasses.replace(results(), figures=[DELAY, "ping.a.rtt_s.p50", "tcp.a#0.goodput_bps"])
        rows = [{"detectable_percent": value} for value in (1.0, 4.4, 9.0, None)]
        self.assertEqual(sweep_results.remarks(made, rows), [
            "Figures of pings and connections (2) cover the whole run, the warm-up of 5 s included: ping.a.rtt_s.p50 and others.",
            "A true difference of 4.4 % is found with a chance of 80 % in half of the 3 comparisons of comparison.csv, by 3 seeds; the other "
            "half would need a larger one. Left out: 1 equal or without a spread."])
        self.assertNotIn("pings", " ".join(sweep_results.remarks(dataclasses.replace(made, warmup_s=0.0), [])))

    def test_wrong_name(self):
        """Names near a wrong one; what another run may have is no wrong name yet."""
        summary = {"ping": [{"mobile": "anna", "rtt_s": {"p50": 1.0, "p95": 2.0}}],
                   "mobiles": [{"mobile": "anna", "delay_s": {"p50": 1.0}, "goodput_bps": 1.0}]}

        def check(figure, setting_=""):
            made = study()
            axes = [sweep_results.Axis("a", {"1": [setting_]}, None)]
            sweep_results.check_names(dataclasses.replace(made, figures=[figure], axes=axes), summary)

        for figure in ("mobiles.anna.ping.rtt_s.p50", "ping.ana.rtt_s.p50"):
            with self.assertRaisesRegex(files.Failure, rf"^figures: '{figure}': no figure of the runs has such a name; near: ping\.anna\.rtt_s\.p50,"):
                check(figure, "cells[1].pdchs=2")
        check("ping.*.p50", "cells[1].pdchs=2")
        check("ping.a2.rtt_s.p50", "mobiles[1].count=2")

    def test_order_of_effect(self):
        self.assertEqual([one.figure for one in sweep_story.ranked(results())], [DELAY, GOODPUT, AIR])

    def test_sure_and_not_sure(self):
        made = results()
        steps = {step.row["figure"]: step for step in sweep_story.steps_of(made, made.figures)}
        self.assertEqual({name: step.is_sure for name, step in steps.items()}, {DELAY: True, GOODPUT: False, AIR: False})
        self.assertLess(steps[GOODPUT].interval[0], 0)
        self.assertGreater(steps[GOODPUT].interval[1], 0)
        self.assertAlmostEqual(steps[DELAY].percent, -75.0, delta=0.5)
        words = " ".join(sweep_story.told_steps(made, list(steps.values())))
        self.assertIn("1 of 2 differences from scheme none is sure", words)
        self.assertRegex(words, r"Delay p95 of class thp2: sure, scheme CoDel -75.0 % \(-76.5 to -73.4\)\.")
        self.assertIn("Not sure for any point: goodput total of class thp2.", words)

    def test_one_seed(self):
        """Nothing is called sure."""
        made = results(seeds=1)
        for of_point in made.values.values():
            for by_seed in of_point.values():
                del by_seed[2], by_seed[3]
        steps = sweep_story.steps_of(made, made.figures)
        self.assertEqual(sweep_story.told_steps(made, steps), ["One run of each point: differences have no interval, so none is sure."])
        self.assertIn("One seed:", " ".join(sweep_story.told_axes(made, sweep_story.ranked(made))))


class Words(unittest.TestCase):
    """What a reader without statistics gets: at most four sentences, without the words of a test."""

    def told(self, made):
        found = sweep_story.ranked(made)
        words = sweep_words.told(made, found, sweep_story.steps_of(made, [one.figure for one in found]))
        self.assertIn(len(words), range(1, 5))
        self.assertNotRegex(" ".join(words).lower(), r"variance|eta|interval|holm|\bp\b =|student|95 %")
        return words

    def test_effect(self):
        words = self.told(results())
        self.assertRegex(words[0], r"^Delay p95 of class thp2 depends most on scheme: its mean goes from 2 s \(scheme CoDel\) to 8 s \(scheme none\)\.$")
        self.assertEqual(words[1], "The largest difference beyond chance: scheme CoDel lowers delay p95 of class thp2 by 75 %, compared with scheme none.")

    def test_the_baseline_of_a_difference_is_that_of_its_axis(self):
        """Where two axes act together a difference has the other one's label in both points, not its baseline."""
        made = results()
        buckets = made.study.axes[1]
        axes = [made.study.axes[0], dataclasses.replace(buckets, baseline=buckets.labels[0])]
        made = dataclasses.replace(made, study=dataclasses.replace(made.study, axes=axes))
        last = buckets.labels[-1]
        for label in buckets.labels:
            made.values[point("CoDel", label)][DELAY] = {seed: (1.0 if label == last else 4.0) + NOISE[seed] / 10 for seed in SEEDS}
        for of_point in made.values.values():
            del of_point[GOODPUT]
        words = self.told(made)
        self.assertRegex(words[1], rf": with bucket {last}, scheme CoDel lowers delay p95 of class thp2 by [\d.]+ %, compared with scheme none\.$")
        self.assertRegex(words[2], rf" differences from scheme none or bucket {buckets.labels[0]} are beyond chance\.$")

    def test_chance_alone(self):
        made = results()
        for number, of_point in enumerate(made.values.values()):
            of_point.clear()
            of_point[DELAY] = {seed: 5.0 + (seed * 7 + number * 5) % 11 for seed in SEEDS}
        made = dataclasses.replace(made, figures=[DELAY])
        words = self.told(made)
        self.assertEqual(words[0], "None of the 1 figure looked at (delay p95 of class thp2) differs by more than chance, with 3 seeds.")
        self.assertIn("None of 1 difference looked at from scheme none is larger than chance may make it with 3 runs of each point.", words)

    def test_where_the_delay_lies_is_said(self):
        """Where nothing differs and most of the delay is not the SGSN's; not where the study varies bss_target."""
        made = results()
        for number, of_point in enumerate(made.values.values()):
            of_point.clear()
            of_point["classes.thp2.delay_s.mean"] = {seed: 5.0 + (seed * 7 + number * 5) % 11 for seed in SEEDS}
            of_point["classes.thp2.sojourn_s.mean"] = dict.fromkeys(SEEDS, 1.0)
        made = dataclasses.replace(made, figures=["classes.thp2.delay_s.mean", "classes.thp2.sojourn_s.mean"])
        self.assertRegex(self.told(made)[0], r"^None of the 2 figures looked at \(.*\) differs by more than chance, with 3 seeds\. \d\d % of the delay of "
                         r"class thp2 \([\d.]+ of [\d.]+ s, mean of 18 runs\) lay outside of the SGSN.*bss_target bounds")
        axis = sweep_results.Axis("scheme", {"none": [], "CoDel": ["sgsn.flow_control.bss_target=1 s"]}, "none")
        varied = dataclasses.replace(made, study=dataclasses.replace(made.study, axes=[axis, made.study.axes[1]]))
        self.assertNotIn("outside of the SGSN", self.told(varied)[0])

    def test_no_perhaps_of_zero(self):
        step = sweep_story.Step("a", "b", {"figure": DELAY, "verdict": "perhaps higher", "difference_percent": 0.01, "p": 0.04,
                                           "interval_percent": [0.001, 0.02]})
        self.assertEqual((step.is_perhaps, sweep_story.told_perhaps([step])), (True, []))

    def test_one_run_and_no_end_of_the_start(self):
        made = results(seeds=1)
        for of_point in made.values.values():
            for by_seed in of_point.values():
                del by_seed[2], by_seed[3]
        self.assertIn("what chance did cannot be told from what the axes do", self.told(made)[-1])
        late = dataclasses.replace(results(), settled_s={one: {1: None, 2: 9.0, 3: 1.0} for one in results().settled_s})
        self.assertEqual("In 6 of 18 runs the queues never settled, so longer runs may say something else.", self.told(late)[-1])
        late = dataclasses.replace(results(), settled_s={one: {1: 12.0, 2: 9.0, 3: 1.0} for one in results().settled_s})
        self.assertEqual("In 12 of 18 runs the queues settled after the warm-up, the last at 12 s: a longer warm-up leaves that out.",
                         self.told(late)[-1])


class Plots(unittest.TestCase):
    @staticmethod
    def chart(made, figure):
        shares = sweep_story.shares_of(made, figure)
        return charts.chart_of(sweep_plots.over_axis(made, shares, sweep_plots.layout_of(made, shares)).drawn)

    def test_no_line_joins_categories(self):
        made = results()
        for figure, form in ((DELAY, "points"), (GOODPUT, "marked")):
            curves = [curve for panel in self.chart(made, figure)["panels"] for curve in panel["curves"]]
            self.assertEqual({curve["form"] for curve in curves}, {form}, figure)
            self.assertEqual({"low" in curve for curve in curves}, {True})

    def test_an_axis_without_effect_is_averaged_over(self):
        curve, = self.chart(results(), GOODPUT)["panels"][0]["curves"]
        self.assertEqual(curve["y"], [10.0, 20.0, 40.0])  # kbit/s

    def test_named_figures_are_over_the_baseline(self):
        """A figure that the study names has a plot over each axis with a baseline, though another axis explains it, or it is not among the first."""
        made = results()
        named = dataclasses.replace(made, study=dataclasses.replace(made.study, figures=[GOODPUT]))
        found = sweep_story.ranked(made)
        pairs = [(shares.figure, axis.name) for shares, axis in sweep_plots.drawn_over(named, found)]
        self.assertEqual([pair for pair in pairs if pair[0] == GOODPUT], [(GOODPUT, "bucket"), (GOODPUT, "scheme")])
        self.assertEqual(len(sweep_plots.drawn_over(made, found)), 3)
        pairs = [(shares.figure, axis.name) for shares, axis in sweep_plots.drawn_over(named, [*[found[0]] * sweep_plots.DRAWN, found[1]])]
        self.assertEqual(pairs[-1], (GOODPUT, "scheme"))
        self.assertIn("<h3>Goodput total of class thp2 over scheme</h3>", sweep_page.html_of(named, [], LIBRARY).replace("figcaption", "h3"))

    def test_an_interval_out_of_proportion_leaves_the_plot(self):
        """Those of usual width are inside, below 0, too."""
        made = results()
        made.values[point("none", "1 s")][DELAY] = {1: 1.0, 2: 9999.0, 3: 5.0}
        low, high = self.chart(made, DELAY)["panels"][0]["rise"]
        self.assertLess(low, 0)
        self.assertLess(high, 9999)

    def test_many_labels_are_rows(self):
        labels = ["none", *(f"S{number}" for number in range(12))]
        made = results(schemes=labels)
        for number, label in enumerate(labels):
            for bucket in made.study.axes[1].labels:
                made.values[point(label, bucket)][DELAY] = {seed: float(number + seed) for seed in SEEDS}
        text = sweep_page.html_of(made, [], LIBRARY)
        rows = re.findall(r'title="(\w+): [\d.]+"', text)
        self.assertEqual(rows[:len(labels)], labels)
        self.assertNotIn(None, rows)

    def test_small_multiples_have_one_legend(self):
        plot = sweep_plots.packets_over(results(), results().study.axes[0], DELAY)[0]
        self.assertFalse(charts.chart_of(plot.drawn)["grid"])  # one class
        _, grid = sweep_plots.grid_of(4, 3.0, True)
        for axes in grid:
            axes.plot([0, 1], [0, 1], label="a")
        chart = charts.chart_of(grid[0].figure)
        self.assertTrue(chart["grid"])
        self.assertEqual([len(panel["range"]) for panel in chart["panels"]], [2] * 4)


class Distributions(unittest.TestCase):
    def test_merged_is_that_of_all_samples(self):
        both = [numpy.random.default_rng(seed).exponential(scale, count) for seed, scale, count in ((1, 1.0, 4000), (2, 5.0, 1000))]
        parts = [distributions.Distribution(len(one), distributions.row_of(one)["values"]) for one in both]
        at, share = distributions.merged(parts)
        every = numpy.sort(numpy.concatenate(both))
        for value in (0.5, 1.0, 3.0, 10.0):
            self.assertAlmostEqual(share[numpy.searchsorted(at, value, "right") - 1], numpy.searchsorted(every, value, "right") / len(every), delta=0.01)

    def test_written_and_read(self):
        folder = pathlib.Path(setting.tempfile.mkdtemp())
        self.addCleanup(setting.shutil.rmtree, folder)
        series = files.Series({"delay_s": {"anna thp2": files.Curve(numpy.array([1.0, 6.0, 7.0]), numpy.array([9.0, 2.0, 4.0]))},
                               "rtt_s": {"anna#3": files.Curve(numpy.array([6.0]), numpy.array([0.25]))}})
        distributions.write(folder, series, {"warmup_s": 5.0, "mobiles": [{"mobile": "anna", "class": "thp2"}]})
        found = distributions.read(folder)
        self.assertEqual((found["delay_s"]["thp2"].count, found["delay_s"]["thp2"].values[-1]), (2, 4.0))
        self.assertEqual(found["rtt_s"]["thp2"].values[0], 0.25)
        text = json.loads((folder / distributions.FILE).read_text())
        (folder / distributions.FILE).write_text(json.dumps({**text, "measures": {"delay_s": {"thp2": {}}}}))
        with self.assertRaises(distributions.Failure):
            distributions.read(folder)


class Tables(unittest.TestCase):
    def test_captions_have_n_and_unit(self):
        made = results()
        for table in (sweep_page.means_table(made, [DELAY]), sweep_page.comparison_table(made, sweep_results.compared(made)),
                      compare_page.table_of([], list, ["figure"], [3, 1])):
            self.assertRegex(table.caption, r"\d+ (seeds?|runs?)\b")
            self.assertIn("in the units of summary.json", table.caption)


class Whole(unittest.TestCase):
    def test_page(self):
        """Sentences come first, and the definition of eta squared is there."""
        made = results()
        text = sweep_page.html_of(made, sweep_results.compared(made), LIBRARY)
        page = setting.Page(text)
        self.assertEqual(page.faults, [])
        self.assertEqual(page.plots, len(page.figures))
        order = [text.index(words) for words in ("Which axis matters", "Which differences are sure", "Eta squared of an axis", 'id="thp2-delay_s-p95-over-scheme"',
                                                 "<h2>Distributions</h2>", "<h2>Tables</h2>")]
        self.assertEqual(order, sorted(order))
        self.assertIn("explains", page.text)
        self.assertIn(", commit 0123abcd.", page.text)
        self.assertRegex(text, r"<footer>\n<p>Study and page by: gbflow \d[^<]*, commit \w+: <code>")
        self.assertEqual(setting.Page(sweep_page.html_of(made, [])).faults, [])


if __name__ == "__main__":
    unittest.main()
