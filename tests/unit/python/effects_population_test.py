#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each row of P1 and P2 holds with the paper's numbers. It misses where nothing has an effect, or where one number of a run is another."""

import copy
import dataclasses
import unittest

import setting  # noqa: F401  pylint: disable=unused-import
from gbflow_report.papers import verdict
from gbflow_report.papers import p1, p2

# Delay without AQM in s, octets in kbit/s. Streams carry most of the octets, so that the total hardly changes with the rest.
P1_CLASSES = {"streaming": (0.2, 1000), "thp1": (0.2, 8), "thp2": (5, 10), "thp3": (14, 10), "background": (34, 10)}
# By scheme: what it divides the delay of the elastic classes by, and multiplies page rates and octets with.
NO_EFFECT, EFFECT = {"none": (1, 1)}, {"none": (1, 1), "red": (5, 1.15), "ecn": (5, 1.5), "ttlred": (3, 1.1), "ttlecn": (3, 1.3)}
P1_LIFETIMES = {p1.LIFE_LOW: (9, 0.5), p1.LIFE_MIDDLE: (3, 1), p1.LIFE_LARGE: (0.5, 0.8)}


def p1_case(case, effects):
    by, gain = effects.get(case.name.partition("-")[0], (1, 1))
    if effects is EFFECT and case.scope != "class_of_nse":
        gain = 1.02 if case.scope == "ms" and not case.thresholds_kb else gain - 0.1
    if effects is EFFECT and case is p1.SMALL:
        by = 3
    if effects is EFFECT and case in P1_LIFETIMES:
        by, gain = P1_LIFETIMES[case]
    found = {}
    for name, (delay_s, kbps) in P1_CLASSES.items():
        factor = (by, gain) if name in p1.ELASTIC else (1, 1)
        found[name] = p1.OfClass(delay_s / factor[0], 10 * factor[1], kbps * factor[1], 40, 0.9, 0.9, 0.1)
    return found


def p1_world(effects):
    found = {case: p1_case(case, effects) for case in p1.CASES if isinstance(case, p1.Case)}
    found[p1.FIG2] = {"figure2": {"cases": [{"formula": [0.5, 0.9], "signalled": [0.501, 0.899]}], "stated": {"signalled": 0.9991}}}
    found[p1.FIG3] = {"points": [{"formula": 0.5, "signalled": 0.501}, {"formula": 0.9, "signalled": 0.899}]}
    return found


def count(number, mean=1.0):
    return {"count": number, "mean": mean}


def setups(alone_s, all_s, alone_percent):
    """Set-ups: 1000, of them a share with the best case; those above 2 s have background traffic."""
    kinds = {"all": (1000, all_s), "optimal_alone": (10 * alone_percent, alone_s), "optimal_background": (500, alone_s + 0.5), "slight": (150, 4)}
    tree = {name: {"count": number, "setup_s_mean": mean_s} for name, (number, mean_s) in kinds.items()}
    bars = {"all": [[0.5, 100], [0.95, 500], [3, 100]], "optimal_background": [[1, 300], [3, 200]], "optimal_alone": [[0.95, 200]],
            "slight_background": [[3, 150]], "slight_alone": [[3, 10], [1, 40]]}
    return {"tree": tree, "setup_s": {name: {"bars": rows, "bar_width": 0.1, "p5": alone_s, "p95": 8.0 if name == "all" else 1.1 * alone_s} for name, rows in
                                      bars.items()}}


def clusters(sack=1.1, stamps=1.0):
    """Goodput of every combination. Timestamps are better in half of them."""
    rows = []
    for place, window in enumerate(("low", "medium", "high")):
        for sack_on in (False, True):
            for mss in ("low", "high"):
                for stamp in (False, True):
                    better = stamps + (0.05 if (place + sack_on) % 2 else -0.05)
                    bps = 20000 * (sack if sack_on else 1) * (1.2 if mss == "high" else 1) * (better if stamp else 1)
                    rows.append({"window": window, "sack": sack_on, "mss": mss, "timestamp": stamp, "goodput_bps": count(40, bps)})
    return rows


GPRS_BARS = [[21000, 100], [34000, 100], [40000, 10]]
DIALUP_BARS = [[32500, 100], [45000, 100], [37000, 5]]


def analysis(column, bars, setup, rtt_s, sides):
    """sides: shares lost in front of the monitor and behind it."""
    samples = {name: p2.SAMPLES.get(name, 50) for name in p2.KBPS} | {"overall": 100}
    means = p2.KBPS | {"no_timestamp": 24.7}
    internet, access = sides
    split = {"none": 0.47, "access": 0.48, "internet": 0.05}
    return {"table_1": {name: shares[column] / 100 for name, shares in p2.TABLE_1.items()},
            "table_3": {name: count(samples[name], 1000 * mean) for name, mean in means.items()}, **setups(*setup),
            "rtt_s": {"access": {"p5": rtt_s[0], "p50": rtt_s[1], "p95": rtt_s[2]}, "access_off_peak": {"p50": 0.6}, "access_peak": {"p50": 0.675}},
            "channel_rate_bps": {"bars": bars, "p50": 30000}, "loss": {"internet": internet, "access": access}, "truth": {"access": access},
            "bottleneck": split, "bulk_bottleneck": split, "clusters": clusters(),
            "single": {"throughput_bps": {"p50": 27000}, "by_loss": [{"loss": name, "goodput_bps": count(50, bps)} for name, bps in
                                                                      (("below 1 %", 25e3), ("1 to 2 %", 22e3), ("2 to 3 %", 20e3))]},
            "user_throughput_bps": {"own_share": [1, 2, 3, 2], "background_below_1_3": count(50, 20e3), "background_1_3_to_2_3": count(50, 22e3),
                                    "background_above_2_3": count(50, 23e3)}}


def p2_world():
    gprs = analysis(0, GPRS_BARS, (1.1, 1.8, 24), (0.5, 0.6, 1.5), (0.0015, 0.0122))
    found = {case: copy.deepcopy(gprs) for case in p2.CASES}
    found[p2.DIALUP] = analysis(1, DIALUP_BARS, (0.3, 0.9, 7), (0.15, 0.2, 0.4), (0.0039, 0.0016))
    found[p2.FEW_LOSSES]["table_3"]["sack"]["mean"] = 24000
    return found


def p2_without_effects():
    """Equal goodputs, no losses in front, no wait because of others."""
    found = p2_world()
    for case in found.values():
        for row in [*case["table_3"].values(), *(one["goodput_bps"] for one in [*case["clusters"], *case["single"]["by_loss"]])]:
            row["mean"] = 24230
        for name in ("background_below_1_3", "background_1_3_to_2_3", "background_above_2_3"):
            case["user_throughput_bps"][name]["mean"] = 20e3 if name.startswith("background_below") else 19e3
        case["tree"]["optimal_background"]["setup_s_mean"] = case["tree"]["optimal_alone"]["setup_s_mean"]
        case["rtt_s"] = found[p2.GPRS]["rtt_s"] | {"access_peak": {"p50": 0.6}}
    return found


# Rows of P2 that judge an effect, not a size.
P2_EFFECTS = ["p2-mss-gain", "p2-mss-clusters", "p2-sack-clusters", "p2-timestamp-clusters", "p2-best-cluster", "p2-sack-gain", "p2-sack-gain-many",
              "p2-sack-gain-timeouts", "p2-sack-gain-terminals", "p2-timestamp-gain", "p2-window-gain", "p2-setup-background", "p2-rtt-peak-hour",
              "p2-dialup-rtt-spread", "p2-dialup-rtt", "p2-parallel-middle", "p2-parallel-high"]
P2_CLUSTERS = [name for name in P2_EFFECTS if name.endswith("-clusters")]
# Rows of P1 that a world without effects may satisfy: sizes without AQM, what has to stay as it is, and laws.
P1_SIZES = ["p1-delay-none-thp2", "p1-delay-none-thp3", "p1-delay-none-background", "p1-delay-none-mobiles-thp3", "p1-delay-priority", "p1-total-red",
            "p1-total-ecn", "p1-total-red-multislot8", "p1-fig2-point", "p1-fig2-law", "p1-fig3-law", *(f"p1-entity-{case.name}" for case in p1.ENTITIES),
            "p1-entity-red-mobile-none", "p1-entity-ecn-mobile-none"]


def fields(value, path=()):
    """Paths of all numbers of an outcome."""
    if dataclasses.is_dataclass(value):
        value = vars(value)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path
    for name, one in items:
        yield from fields(one, (*path, name))


def changed(value, path, factor):
    """A copy in which one number is another."""
    if not path:
        return value * factor
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **{path[0]: changed(getattr(value, path[0]), path[1:], factor)})
    found = copy.copy(value)
    found[path[0]] = changed(value[path[0]], path[1:], factor)
    return found


def is_in_band(paper, figure, world):
    return verdict.judge(paper.NAME, figure, {1: world})["verdict"] == verdict.IN_BAND


def never_missed(paper, world, factors):
    """Rows that no change of a single number takes out of their bands."""
    left = list(paper.FIGURES)
    for path in list(fields(world)):
        for factor in factors:
            other = changed(world, path, factor)
            left = [figure for figure in left if is_in_band(paper, figure, other)]
    return [figure.name for figure in left]


class Effects(unittest.TestCase):
    def test_the_papers_numbers_hold(self):
        for paper, world in ((p1, p1_world(EFFECT)), (p2, p2_world())):
            for figure in paper.FIGURES:
                with self.subTest(row=figure.name):
                    row = verdict.judge(paper.NAME, figure, {1: world})
                    self.assertEqual(row["verdict"], verdict.IN_BAND, row["measured"])

    def test_schemes_without_effect(self):
        world = p1_world(NO_EFFECT)
        held = [figure.name for figure in p1.FIGURES if is_in_band(p1, figure, world)]
        self.assertEqual(set(held) - set(P1_SIZES), set())

    def test_populations_without_effects(self):
        world, figures = p2_without_effects(), {figure.name: figure for figure in p2.FIGURES}
        self.assertEqual([name for name in P2_EFFECTS if is_in_band(p2, figures[name], world)], [])

    def test_one_number(self):
        """A fifth of one number of one run, or five times as much. Shares of pairs of clusters, which one number hardly changes, miss without effects."""
        for paper, world in ((p1, p1_world(EFFECT)), (p2, p2_world())):
            self.assertEqual(set(never_missed(paper, world, (0.2, 5))) - set(P2_CLUSTERS), set(), paper.NAME)


if __name__ == "__main__":
    unittest.main()
