# SPDX-License-Identifier: BSD-3-Clause
"""P1: the study of active queue management in the 2G SGSN.

110 users of five classes in two cells behind one Gb link, without AQM and with RED, ECN, TTLRED and TTLECN. This file
is the only place where the paper's figures and their bands stand.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from gbflow_report.draw import Plot
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers.measures import (BySeed, Measure, Outcomes, Value, change, known_values, largest, mean,
                                           pick_of, ratio, scaled, value_in, whole)
from gbflow_report.papers.verdict import FITTED, SIGN, Figure, of_kind
from gbflow_results import files
from gbflow_results.files import Series, number, pick


# --- cases ---

CLASSES = ("streaming", "thp1", "thp2", "thp3", "background")
WEB = ("thp2", "thp3")
ELASTIC = ("thp2", "thp3", "background")
CELLS = ("cells[1]", "cells[2]")
AQM = 'sgsn.queues.aqm={{ scheme = "{}", scope = "{}", ecn = {}{} }}'
SCHEMES_BY_NAME = {"": "none", "red": "red", "ttlred2": "ttlred"}
# The limits of section III.B, and the thresholds of RED for a mobile or packet flow.
SMALL_KB, MOBILE_KB = 45, (3, 9)
KINDS = {"thp2": ("web2-", 30), "thp3": ("web3-", 30), "background": ("ftp", 30), "streaming": ("stream", 5),
         "thp1": ("poc", 15)}


def queues(order: str, octets: str = "") -> list[str]:
    """--set of all class buffers."""
    limits = {name: f', octets = "{octets}"' if octets and name in ELASTIC else "" for name in CLASSES}
    return [f'sgsn.queues.class.{name}={{ order = "{order}"{limits[name]} }}' for name in CLASSES]


@dataclass(frozen=True, order=True)
class Case:
    """One scheme; red or ttlred2, dropping or marking, with an instance for each entity of `scope`. beside: what
    differs from the paper's system, in the name; more: settings that make it so."""

    scheme: str = ""
    has_ecn: bool = False
    beside: str = ""
    scope: str = "class_of_nse"
    thresholds_kb: tuple[int, ...] = ()
    more: tuple[str, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        scheme = SCHEMES_BY_NAME[self.scheme].replace("red", "ecn" if self.has_ecn else "red")
        return scheme + (f"-{self.beside}" if self.beside else "")

    @property
    def settings(self) -> list[str]:
        if not self.scheme:
            return list(self.more)
        ecn = ["tcp.ecn=true"] if self.has_ecn else []
        limits = ', min = "{} kB", max = "{} kB"'.format(*self.thresholds_kb) if self.thresholds_kb else ""
        return [*self.more, AQM.format(self.scheme, self.scope, "true" if self.has_ecn else "false", limits), *ecn]


@dataclass(frozen=True, order=True)
class Law:
    """A figure of the paper that no scenario plays: `gbflow aqm curve` of a scheme."""

    scheme: str

    @property
    def name(self) -> str:
        return f"law-{self.scheme}"

    @property
    def settings(self) -> list[str]:
        return []

    @property
    def results(self) -> list[str]:
        return [f"aqm-{self.scheme}.json"]

    def commands(self, _: Sequence[str], folder: Path, seed: int) -> list[list[str]]:
        return [["aqm", "curve", self.scheme, "--out", str(folder), "--seed", str(seed), "--no-report"]]

    def read(self, folder: Path) -> Mapping[str, Any]:
        return files.read_json(folder / self.results[0])


def light(name: str) -> str:
    """The last web user of a class sends no TCP: a packet of 100 octets twice a second, not ECN capable."""
    user = light_user(name)
    return (f'mobiles.{user}={{ name = "{user}", cell = 2, class = "{name}", traffic = {{ {{ cbr = {{ rate = "1600 '
            'bit/s", ' 'packet = "100 octets" } } } }')


def light_user(name: str) -> str:
    """The last user of a class."""
    kind, count = KINDS[name]
    return f"{kind}{count}"


def idle(name: str, first: int) -> list[str]:
    """Users from the first-th on do nothing after the first second."""
    kind, count = KINDS[name]
    traffic = {"streaming": "cbr", "thp1": "cbr"}.get(name, "web")
    return [f"mobiles.{kind}{number}.traffic[1].{traffic}.{setting}" for number in range(first, count + 1)
            for setting in ("start=0 s", "stop=1 s")]


def fewer(by: int) -> tuple[str, ...]:
    """A by-th of the users of each class does nothing; those are its last ones."""
    return tuple(setting for name, (_, count) in KINDS.items() for setting in idle(name, count - count // by + 1))


def further(by: int) -> tuple[str, ...]:
    """A by-th more users in each class: as many as its last one (two with 30 users,
    one in each cell) is then several."""
    settings = []
    for kind, count in KINDS.values():
        last = (count - 1, count) if count % 2 == 0 else (count,)
        settings += [f"mobiles.{kind}{number}.count={1 + count // by // len(last)}" for number in last]
    return tuple(settings)


def slots(count: int) -> tuple[str, ...]:
    return tuple(f"{cell}.pdchs={count // len(CELLS)}" for cell in CELLS)


NONE, RED, ECN, TTLRED, TTLECN = Case(), Case("red"), Case("red", True), Case("ttlred2"), Case("ttlred2", True)
SCHEMES = [NONE, RED, ECN, TTLRED, TTLECN]
AQMS = SCHEMES[1:]
TURNS = [Case(scheme, has_ecn, "mobiles", more=tuple(queues("mobiles")))
         for scheme, has_ecn in (("", False), ("red", False), ("red", True))]
SMALL = Case("", False, "small", more=tuple(queues("fifo", f"{SMALL_KB} kB")))
RED_CELL, ECN_CELL = (Case("red", has_ecn, "cell", "class_of_bvc") for has_ecn in (False, True))
RED_MOBILE, ECN_MOBILE = (Case("red", has_ecn, "mobile", "ms") for has_ecn in (False, True))
RED_MOBILE_LOW, ECN_MOBILE_LOW = (Case("red", has_ecn, "mobile-low", "ms", MOBILE_KB) for has_ecn in (False, True))
FLOWS = tuple(f'{cell}.flow_control.pfc={{ bucket = "10 kB" }}' for cell in CELLS)
RED_FLOW_LOW, ECN_FLOW_LOW = (Case("red", has_ecn, "flow-low", "ms", MOBILE_KB, FLOWS) for has_ecn in (False, True))
ENTITIES = {RED_CELL: "cell", ECN_CELL: "cell", RED_MOBILE: "mobile", ECN_MOBILE: "mobile", RED_MOBILE_LOW: "mobile",
            ECN_MOBILE_LOW: "mobile", RED_FLOW_LOW: "packet flow", ECN_FLOW_LOW: "packet flow"}
LIGHT = {case: Case(case.scheme, case.has_ecn, "light", more=tuple(light(name) for name in WEB)) for case in (RED, ECN)}
OTHERS = {"slots32": slots(32), "slots72": slots(72), "users2of3": fewer(3), "users4of3": further(3)}
VARIED = {name: [Case(case.scheme, case.has_ecn, name, more=more) for case in (NONE, RED, ECN)]
          for name, more in OTHERS.items()}
# A mobile that takes eight slots empties its burst in the BSC in half the time.
WIDE = tuple(f"{cell}.downlink_slots=8" for cell in CELLS)
NONE_WIDE, RED_WIDE = (Case(scheme, False, "multislot8", more=WIDE) for scheme in ("", "red"))
LIFE_LOW, LIFE_MIDDLE, LIFE_LARGE = (
    Case("", False, "life" + value.replace(" ", ""), more=(f"sgsn.lifetime.sgsn_max={value}",))
    for value in ("100 ms", "1 s", "120 s"))
FIG2, FIG3 = Law("ttlred1"), Law("ttlred2")
CASES = [*SCHEMES, *TURNS, SMALL, *ENTITIES, *LIGHT.values(), *(case for cases in VARIED.values() for case in cases),
         NONE_WIDE, RED_WIDE,
         LIFE_LOW, LIFE_MIDDLE, LIFE_LARGE, FIG2, FIG3]


# --- the paper and its figures ---

NAME = "P1"
TITLE = "AQM in a 2G SGSN"
SOURCE = "the study \"Active Queue Management in the 2G-SGSN\" of EGPRS, simulated with ns-2"
SCENARIO = "sgsn-aqm.lua"
# Whether its figures or plots need series.csv, which is large.
HAS_SERIES = False
SETUP = ("5 streaming users (UDP, mean 40 kbit/s, at most 80), 15 push-to-talk users of THP1 (8 kbit/s), 30 "
         "web users in each of THP2 and THP3 (a page of 31 objects of 4.91 kB, four connections, 1 s to read), 30 "
         "users of background who download four files of 875 kB over four connections; two cells with 24 EGPRS slots "
         "each, one Gb link of 2048 kbit/s; class weights 900, 50, 35, 15, 5; priorities in the BSS; NewReno. RED and "
         "ECN between 15 and 45 kB, TTLRED and TTLECN (variant 2) between 0.75 and 2.25 s, maxDP 0.2, one instance "
         "and one FIFO buffer for each class. A run takes 1000 s, of which the first 60 do not count. Page rates "
         "and page times are those of pages begun after that, with unfinished pages as censored at the end of the run "
         "(Kaplan-Meier; pages longer than the longest finished one count as 0 in the mean "
         "of page rates). Seeds vary start times, bursts of streams and block errors. What is assumed was "
         "chosen in trials with an independent model of the same system; --sensitivity varies it here. The lifetime "
         "of 32 s is fitted to the 34 s of background.")

@dataclass(frozen=True)
class OfClass:
    """What one run says of one class."""

    delay_p95_s: float | None
    page_mean_kbps: float | None
    user_kbps: float | None
    page_p95_s: float | None
    worst_user: float | None
    jain: float | None
    last_lost: float | None = None  # share of N-PDUs that its last user lost in the SGSN's queues


Outcome = Mapping[str, OfClass]


def lost_by_last(summary: Mapping[str, Any], name: str) -> float | None:
    """Of the N-PDUs for a class's last user, those dropped."""
    rows = [row for row in summary["mobiles"] if row["class"] == name]
    count = number(rows[-1], "npdu_in") if rows else None
    return sum(pick(rows[-1], "drops").values()) / count if count else None


def outcome_of(summary: Mapping[str, Any], _: Series) -> Outcome:
    found = {}
    for name in CLASSES:
        row = pick(summary["classes"], name)
        found[name] = OfClass(number(row, "delay_s", "p95"), scaled(number(row, "goodput_bps", "page_mean"), 1e-3),
                              scaled(number(row, "goodput_bps", "per_user_mean"), 1e-3),
                              number(row, "page_time_s", "p95"), number(row, "fairness", "worst_user"),
                              number(row, "fairness", "jain"), lost_by_last(summary, name))
    return found


def delay_s(name: str) -> Value:
    return lambda run: run[name].delay_p95_s


def delay(case: Case, name: str, published: float | str, band: tuple[float, float], why: str) -> Figure:
    return Figure(f"p1-delay-{case.name}-{name}", f"95th percentile of the delay, {name}, {case.name}", "s", published,
                  band, value_in(case, delay_s(name)), why)


def cut(case: Case, name: str, none: Case = NONE) -> Measure:
    """How many times shorter the delay is than without AQM."""
    return ratio(none, case, delay_s(name))


def page_rate_kbps(run: Outcome) -> float | None:
    """Mean over THP2 and THP3 of their means of page rates."""
    return mean(run[name].page_mean_kbps for name in WEB)


def gain(after: Case, before: Case) -> Measure:
    return change(after, before, page_rate_kbps)


def total_kbps(run: Outcome) -> float | None:
    """Of all users of all classes."""
    rates = whole(run[name].user_kbps for name in CLASSES)
    return None if rates is None else sum(rate * KINDS[name][1] for rate, name in zip(rates, CLASSES))


def longest(names: tuple[str, ...]) -> Measure:
    """Of the delays of some classes, over all schemes."""
    return pick_of(largest, [value_in(case, delay_s(name)) for case in SCHEMES for name in names])


QUARTER = "25 % of the published value"
UP_TO = f"{QUARTER}, of which the paper says \"up to\""
MEAN = "mean of page rates of THP2 and THP3; a quarter below the least and above the largest published value"
OF_CLASS = "mean of page rates of the class; a quarter below the least and above the largest published value"
USERS = "all octets of the class's users; a quarter below the least and above the largest published value"
ORDER_THP3 = ("the order within the buffer matters, which the paper does not describe: in band where mobiles take "
              "turns, see p1-delay-none-mobiles-thp3 (case none-mobiles)")
CUT_RED = ("RED's drops empty the one FIFO of all mobiles; in band where mobiles take turns, see "
           "p1-cut-red-mobiles-thp3 (cases none-mobiles and red-mobiles)")
RED_RATE = ("without AQM bursts of one mobile from the one FIFO fill the 40 kB of the BSC: its four slots work, "
            "others are idle. RED ends that on top of the paper's "
            "gain, see p1-total-red. Where a mobile has eight slots the gain is in band, see "
            "p1-goodput-red-multislot8 (cases none-multislot8 and "
            "red-multislot8), and where mobiles take turns, see p1-goodput-red-mobiles")
USER_RATE = ("the air bounds the sum: see p1-total-red and p1-total-ecn, the octets of all users together. Means of "
             "page rates rise further because service "
             "is less equal, see p1-goodput-ecn and the plots of page times and of the worst user")
TURN_BY_TURN = "as the row with the paper's one FIFO"
TOTAL = "what the air leaves: at most a fifth more"
CUT_BACKGROUND = "a quarter below the factor of 2, and above 34 s by the 4.5 s after which TTLRED lets nothing pass"
CUT = "a quarter below the factor of 2 in section VI and above the factor of 5 in section V"


def gain_rows() -> list[Figure]:
    rows = [Figure("p1-goodput-red", "page rates with RED against none", "%",
                   "+10 to +20 % by class", (7.5, 25), gain(RED, NONE), MEAN, RED_RATE),
            Figure("p1-goodput-ecn", "page rates with ECN against none", "%", "+40 to +90 % by class", (30, 112.5),
                   gain(ECN, NONE), MEAN)]
    for case, published, band in ((RED, "+10 to +20 % by class", (7.5, 25)),
                                  (ECN, "+40 to +90 % by class", (30, 112.5))):
        rows += [Figure(f"p1-goodput-{case.name}-{name}", f"page rates of {name}, {case.name} against none", "%",
                        published, band, change(case, NONE, value_in(name, lambda row: row.page_mean_kbps)), OF_CLASS,
                        RED_RATE if case is RED else "") for name in WEB]
        rows += [Figure(f"p1-user-{case.name}-{name}", f"octets of users of {name}, {case.name} against none", "%",
                        published, band, change(case, NONE, value_in(name, lambda row: row.user_kbps)), USERS,
                        RED_RATE if (case, name) == (RED, "background") else USER_RATE) for name in ELASTIC]
    return rows


def turn_rows() -> list[Figure]:
    """Mobiles that take turns within a class, in place of one FIFO: what the causes above name."""
    none, red, ecn = TURNS
    return [
        delay(none, "thp3", 14, (10.5, 17.5), UP_TO),
        Figure("p1-cut-red-mobiles-thp3", "delay of thp3 by that with red, where mobiles take turns",
               "times", "2 to 5", (1.5, 6.25), cut(red, "thp3", none), CUT),
        Figure("p1-goodput-red-mobiles", "page rates with RED against none, where mobiles take turns",
               "%", "+10 to +20 % by class", (7.5, 25), gain(red, none), TURN_BY_TURN),
        Figure("p1-goodput-ecn-mobiles", "page rates with ECN against none, where mobiles take turns", "%",
               "+40 to +90 % by class", (30, 112.5), gain(ecn, none), TURN_BY_TURN),
        *(Figure(f"p1-total-{case.name}", f"octets of all users of all classes, {case.name} against none", "%",
                 "(not in the paper)", (0, 20), change(case, NONE, total_kbps),
                 TOTAL) for case in (RED, ECN)),
        *(Figure(f"p1-entity-{case.name}-none", f"page rates, {case.name} against none", "%", "(not in the paper)",
                 (-5, 5), gain(case, NONE), "thresholds that a mobile rarely reaches change next to nothing")
          for case in (RED_MOBILE, ECN_MOBILE)),
    ]


def wide_rows() -> list[Figure]:
    """The cause of what RED gains beyond the paper's."""
    return [
        Figure("p1-goodput-red-multislot8", "page rates with RED against none, eight slots for a mobile", "%",
               "+10 to +20 % by class", (7.5, 25),
               gain(RED_WIDE, NONE_WIDE), "as the row with four slots"),
        Figure("p1-total-red-multislot8", "octets of all users of all classes, the same", "%", "(not in the paper)",
               (0, 5), change(RED_WIDE, NONE_WIDE, total_kbps),
               "about half of what it is with four slots, or less"),
    ]


ORDER = "the order, by a hundredth or more"
NO_LOSS = ("110 users have something to send at any time, and repetitions fill the air, too. The loss is the lowest "
           "class's, see p1-lifetime-low-background "
           "(cases none-life100ms and none-life1s)")


def order_rows() -> list[Figure]:
    return [Figure(f"p1-order-{above.name}-{below.name}", f"page rates with {above.name} against {below.name}", "%",
                   "RED and ECN are among the most efficient",
                   (1, 100), gain(above, below), ORDER) for above, below in ((RED, TTLRED), (ECN, TTLECN))]


def lifetime_rows() -> list[Figure]:
    """Section III: a lifetime that is too low or too large, against one of 1 s."""
    return [
        Figure("p1-lifetime-low", "octets of all users without AQM, lifetime of 100 ms against 1 s", "%",
               "utilization may be affected", (-50, -1),
               change(LIFE_LOW, LIFE_MIDDLE, total_kbps), ORDER, NO_LOSS),
        Figure("p1-lifetime-low-background", "the same of users of background", "%", "utilization may be affected",
               (-90, -1),
               change(LIFE_LOW, LIFE_MIDDLE, lambda run: run["background"].user_kbps), ORDER),
        Figure("p1-lifetime-large", "page rates without AQM, lifetime of 120 s against 1 s", "%",
               "may degrade TCP goodput", (-50, -1),
               gain(LIFE_LARGE, LIFE_MIDDLE), ORDER),
    ]


NO_GAIN = ("the authors doubt that there are additional gains: at most 5 %; at -35 % all that ECN gains against no AQM "
           "would be lost")
NO_MOBILE = ("at the paper's thresholds one RED for each mobile does next to nothing: the average queue of a single "
             "mobile rarely reaches 15 kB, and page rates stay as without AQM, see p1-entity-ecn-mobile-none; "
             "thresholds of 3 and 9 kB are case ecn-mobile-low")


def entity_rows() -> list[Figure]:
    """Section III.C: an instance for each flow control entity in place of one for each class buffer."""
    rows = []
    for case, entity in ENTITIES.items():
        base = ECN if case.has_ecn else RED
        limits = " with thresholds of {} and {} kB".format(*case.thresholds_kb) if case.thresholds_kb else ""
        rows.append(Figure(f"p1-entity-{case.name}",
                           f"page rates, one {base.name} for each {entity}{limits} against one for each class buffer",
                           "%", "additional gains are doubted", (-35, 5), gain(case, base),
                           NO_GAIN, NO_MOBILE if case.scope == "ms" and not case.thresholds_kb else ""))
    return rows


def small_rows() -> list[Figure]:
    """Section III.B: smaller buffers in place of a scheme."""
    return [Figure(f"p1-cut-small-{name}", f"delay of {name} without AQM by that with class buffers of {SMALL_KB} kB",
                   "times",
                   "limits buffer delays",
                   (1.5, 6.25), cut(SMALL, name), "the paper has no number; as with the schemes")
            for name in WEB]


def is_in_line(runs: Outcomes, cases: Sequence[Case]) -> bool | None:
    """RED and ECN cut both delays, and page rates are in the order none, RED, ECN."""
    none, red, ecn = cases
    rates = [page_rate_kbps(runs[case]) for case in cases]
    delays = [(runs[none][name].delay_p95_s, runs[case][name].delay_p95_s) for case in (red, ecn) for name in WEB]
    if None in rates or any(None in pair for pair in delays):
        return None
    return rates == sorted(rates) and all(after < before for before, after in delays)


def lines(runs: Outcomes) -> float | None:
    found = [is_in_line(runs, cases) for cases in VARIED.values()]
    return None if None in found else float(sum(map(bool, found)))


def largest_gap(runs: Outcomes, pairs: Callable[[Outcomes], list[tuple[float, float]]]) -> float | None:
    found = [abs(formula - signalled) for formula, signalled in pairs(runs) if formula is not None]
    return max(found) if found else None


def fig2_pairs(runs: Outcomes) -> list[tuple[float, float]]:
    return [pair for case in runs[FIG2]["figure2"]["cases"] for pair in zip(case["formula"], case["signalled"])]


def fig3_pairs(runs: Outcomes) -> list[tuple[float, float]]:
    return [(point["formula"], point["signalled"]) for point in runs[FIG3]["points"]]


FOUR_ERRORS = "four standard errors of 100 000 packets, 0.0063"


def law_rows() -> list[Figure]:
    """What no scenario plays: Fig. 2 and 3."""
    return [
        Figure("p1-fig2-point", "Fig. 2: share of packets dropped within 50 checks, lowTh 1 s, highTh 3 s, maxDP "
               "1, T 10 ms", "", 0.9991, (0.9987, 0.9995), lambda runs: runs[FIG2]["figure2"]["stated"]["signalled"],
               "four standard errors of 100 000 packets"),
        Figure("p1-fig2-law", "Fig. 2: largest distance of the share dropped within N checks from equation 1, N to "
               "200, five sets of parameters",
               "", "equation 1", (0, 0.0063), lambda runs: largest_gap(runs, fig2_pairs), FOUR_ERRORS),
        Figure("p1-fig3-law", "Fig. 3: largest distance of the share dropped up to an age from the law of the "
               "pseudo-code", "", "pseudo-code", (0, 0.0063), lambda runs: largest_gap(runs, fig3_pairs), FOUR_ERRORS),
    ]


# An order or a direction, or a band of a factor of three and more.
SIGNS = ("p1-cut-*", "p1-goodput-ecn*", "p1-goodput-order", "p1-order-*", "p1-total-*", "p1-entity-*", "p1-lifetime-*")
FIGURES = of_kind(FITTED, of_kind(SIGN, [
    delay(NONE, "thp2", 5, (3.75, 6.25), UP_TO),
    replace(delay(NONE, "thp3", 14, (10.5, 17.5), UP_TO), cause=ORDER_THP3),
    delay(NONE, "background", 34, (25.5, 42.5), UP_TO),
    delay(RED, "thp2", 1, (0.75, 1.25), QUARTER), delay(ECN, "thp2", 1, (0.75, 1.25), QUARTER),
    *(Figure(f"p1-cut-{case.name}-{name}", f"delay of {name} without AQM by that with {case.name}", "times", "2 to 5",
             (1.5, 6.25), cut(case, name), CUT, CUT_RED if (case, name) == (RED, "thp3") else "")
      for case in AQMS for name in WEB),
                                         *(Figure(f"p1-cut-{case.name}-background",
                                                  f"delay of background without AQM by that with {case.name}", "times",
                                                  "2 to 5", (1.5, 9.4), cut(case, "background"), CUT_BACKGROUND)
                                           for case in AQMS),
                                         Figure("p1-delay-priority", "largest 95th percentile of "
                                                "the delay of streaming and thp1, all schemes", "s", "unharmed by "
                                                "load", (0, 0.5), longest(("streaming", "thp1")), "the paper has "
                                                "no number; 0.5 s is ten times the assumed delay to the server"),
                                         *gain_rows(),
                                         Figure("p1-goodput-order", "page rates with ECN "
                                                "against RED", "%", "ECN performs "
                                                "even better", (12.5, 91), gain(ECN, RED), "from 1.4 / 1.2 to 1.9 / "
                                                "1.1 of the two published ranges, and a quarter more on each side"),
                                         *order_rows(),
                                         *turn_rows(), *wide_rows(), *entity_rows(), *small_rows(), *lifetime_rows(),
                                         Figure("p1-others-in-line", "of four other numbers of slots "
                                                "and users, those where RED and ECN cut the "
                                                "delays of THP2 and THP3 and page rates are in the order none, "
                                                "RED, ECN", "of 4", "in general well in line", (4, 4), lines, "the "
                                                "paper has no numbers for other configurations: all"),
                                         *law_rows(),
], *SIGNS), "p1-delay-none-background")


# --- words ---

# A page rate is higher, page times are longer, a user's share is smaller: by more than this.
NOTABLE = 0.1


def by_none(by_seed: BySeed, case: Case, value_of: Value) -> float | None:
    """Of the classes with pages, against none: the median over seeds and classes."""
    pairs = [(value_of(runs[NONE][name]), value_of(runs[case][name])) for runs in by_seed.values() for name in WEB]
    found = [after / before for before, after in pairs if before and after is not None]
    return median(found) if found else None


def judged(rate: float, page: float, worst: float) -> str:
    """What the three ratios mean."""
    dearer = [words for is_so, words in ((page > 1 + NOTABLE, "slow pages get slower"),
                                         (worst < 1 - NOTABLE, "the worst user gets less"))
              if is_so]
    if rate > 1 + NOTABLE and dearer:
        return f"the higher mean is unequal service: {' and '.join(dearer)}"
    if dearer:
        return " and ".join(dearer)
    return "without a price in page times or for the worst user"


def of_scheme(by_seed: BySeed, case: Case) -> str | None:
    rate, page, worst = (by_none(by_seed, case, value_of) for value_of in (
        lambda row: row.page_mean_kbps, lambda row: row.page_p95_s, lambda row: row.worst_user))
    if rate is None or page is None or worst is None:
        return None
    return (f"{case.name.upper()}: mean of page rates {rate:.2f} times that without AQM, 95th percentile of page times "
            f"{page:.2f} times, worst user's share of the mean {worst:.2f} times: {judged(rate, page, worst)}.")


def of_light(by_seed: BySeed, case: Case) -> str | None:
    """Users of little traffic that is not ECN capable."""
    shares = {name: [runs[LIGHT[case]][name].last_lost for runs in by_seed.values()] for name in WEB}
    if any(value is None for values in shares.values() for value in values):
        return None
    told = ", ".join(f"{100 * median(values):.0f} % in {name}" for name, values in shares.items())
    return f"with {case.name.upper()} {told}"


def words(by_seed: BySeed) -> list[str]:
    """Paragraphs of the report."""
    told = [line for line in (of_scheme(by_seed, case) for case in AQMS) if line]
    light = [line for line in (of_light(by_seed, case) for case in LIGHT) if line]
    if light:
        told.append("A user with two packets of 100 octets a second that are not ECN capable loses of them, in the "
                    "buffer that the web users "
                    f"fill: {'; '.join(light)} (cases {' and '.join(case.name for case in LIGHT.values())}).")
    return told


# --- plots ---

BAR = 0.15


def plots(by_seed: BySeed) -> list[Plot]:
    return [
        bars(by_seed, lambda row: row.delay_p95_s, CLASSES,
             ("p1-fig5",
              "Fig. 5: end-to-end delay, 95th percentile", "delay (s)", "Black: the paper's number in its band.")),
            bars(by_seed, lambda row: row.page_mean_kbps,
                 WEB, ("p1-fig6", "Fig. 6: TCP goodput as the mean of page rates", "kbit/s", "The paper's "
                       "order is ECN, RED, none. A mean of rates rises when some pages become fast and others slow.")),
            bars(by_seed, lambda row: row.user_kbps,
                 CLASSES[2:], ("p1-user", "Beside it: what a user gets on average",
                               "kbit/s", "Octets over time: this changes less than page rates, for the air is full.")),
            bars(by_seed, lambda row: row.page_p95_s, WEB, ("p1-pages", "Beside it: page time, 95th percentile",
                                                            "s", "Unfinished pages are censored (Kaplan-Meier).")),
            bars(by_seed, lambda row: row.worst_user,
                 CLASSES[2:], ("p1-worst", "Beside it: the worst user's goodput by the mean", "", "1 is fair.")),
            bars(by_seed, lambda row: row.jain, CLASSES[2:], ("p1-jain", "Beside it: Jain's index", "", "1 is fair.")),
            others(by_seed, "p1-others-delay", "Other numbers of slots and users: delay of THP3, 95th percentile",
                   "delay (s)",
                   delay_s("thp3")),
        others(by_seed, "p1-others-rate", "Other numbers of slots and users: mean of page rates", "kbit/s",
               page_rate_kbps),
    ]


def others(by_seed: BySeed, name: str, title: str, unit: str, value_of: Value) -> Plot:
    """none, RED and ECN at other numbers of slots and users, beside the paper's."""
    rows = {"as stated": [NONE, RED, ECN], **VARIED}
    return bars_of.grouped(
        (name, title, unit,
         f"Medians over {len(by_seed)} seeds. 48 slots and 110 users are stated; slots32 and slots72 have other "
         "numbers of slots, users2of3 and users4of3 two and four thirds of the users of each class."),
        list(rows), [case.name for case in rows["as stated"]],
        lambda place, index: known_values(by_seed, list(rows.values())[place][index], value_of),
        bars_of.Style(BAR, has_whiskers=True))


def bars(by_seed: BySeed, value_of: Callable[[OfClass], float | None], classes: tuple[str, ...],
         words: tuple[str, str, str, str]) -> Plot:
    name, title, unit, caption = words

    def published(axes: Axes, place: float, group: int, index: int) -> None:
        bars_of.mark_published(axes, FIGURES, f"p1-delay-{SCHEMES[index].name}-{classes[group]}", (place, BAR, BAR))
    return bars_of.grouped(
        (name, title, unit, f"Medians over {len(by_seed)} seeds, whiskers their smallest and largest. {caption}"),
        classes, [case.name for case in SCHEMES],
        lambda group, index: known_values(by_seed, SCHEMES[index], lambda run: value_of(run[classes[group]])),
        bars_of.Style(BAR, has_whiskers=True, beside=published if name == "p1-fig5" else None))
