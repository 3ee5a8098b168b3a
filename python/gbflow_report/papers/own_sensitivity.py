# SPDX-License-Identifier: BSD-3-Clause
"""own: the study's scenario with other cells, hosts, users and faults, one at a time: whether q with windows is nowhere
worse than the best of the published schemes.

A row holds where q-windows has at least 99 % of the best rival's total, medians and 95th percentiles of page times of
at most 105 % of the best rival's, first objects of at most 140 %, and worst users of each class of TCP at most 5 points
below the best rival's. The best rival is another one for each figure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gbflow_report import looks, page
from gbflow_report.looks import Look
from gbflow_report.page import Table
from gbflow_report.papers import own, own_cases, p1, verdict
from gbflow_report.papers.measures import Value, excess, of_seeds, quotient
from gbflow_report.papers.own_cases import Q_WINDOWS, RIVALS, TCP, WEB, Case, Outcome
from gbflow_report.papers.p1_sensitivity import CELLS, cells
from gbflow_report.papers.verdict import Variation, Varied, plain

NAME = "own-sensitivity"
PAPER = own
CAPTION = ("thp2 / thp3 / background of q-windows beside the best of the published schemes for each figure; the second "
           "user of each class pings beside what all do. A row holds with at least 0.99 of the total, at most 1.05 of "
           "the medians and 95th percentiles of page times of thp2 and thp3, at most 1.4 of first objects, and at most "
           "0.05 less of the worst user")
SCHEMES = (*RIVALS, Q_WINDOWS)


def slot(octets: int) -> Variation:
    """A slot's rate, with one block in ten bad."""
    return Variation(f"slot{octets}", "rate of a slot", f"{octets * 8 * 50 * 0.9 / 1000:.0f} kbit/s",
                     cells(f"block_octets={octets}"))


def hosts(name: str, what: str, *settings: str) -> Variation:
    return Variation(f"hosts-{name}", "hosts", what, settings)


def fading(name: str, text: str, what: str) -> Variation:
    return Variation(f"fading-{name}", "fading", what, cells(f"fading={text}"))


def calls(seconds: int) -> Variation:
    """All slots are taken once a minute."""
    return Variation(f"calls{seconds}", "all slots pre-empted once a minute for", f"{seconds} s",
                     cells(f'calls={{ schedule = {{ every = "60 s", hold = "{seconds} s" }}, flush = "infinite" }}'))


def beside(name: str, number: int, *items: str) -> str:
    """A user of a class with something beside what all of the class do."""
    return own_cases.user(name, number, f"{{ {own_cases.ITEMS[name]} }}", *items)


def greedy(count: int) -> Variation:
    """One user of THP3 downloads without end."""
    return Variation(f"greedy{count}", "endless downloads of one user of THP3", str(count),
                     (own_cases.user("thp3", 1, *['{ download = { octets = "infinite", start = "5 s" } }'] * count),))


def opaque(name: str, what: str, numbers: Sequence[int]) -> Variation:
    """Users of each class of TCP whose packets the SGSN cannot read."""
    return Variation(f"quic-{name}", "users", what, tuple(
        f"mobiles.{p1.KINDS[of][0]}{number}.traffic[1].web.transport=quic" for of in TCP for number in numbers))


def uploads(step: int) -> Variation:
    """Each step-th user of each class of TCP uploads."""
    users = [beside(name, number, '{ upload = { octets = "infinite", start = "8 s" } }') for name in TCP
             for number in range(1, 31, step)]
    return Variation(f"uploads{step}", "users who upload without end", f"one in {step}", tuple(users))


def moves(every_s: int) -> Variation:
    """Users of TCP change cells one after the other; in `every_s` each has moved once."""
    names = [f"{p1.KINDS[name][0]}{number}" for number in range(1, 31) for name in TCP]
    listed = []
    for turn in range(1000 // every_s):
        for place, name in enumerate(names):
            start = 3 if int("".join(filter(str.isdigit, name.rpartition("-")[2]))) % 2 else 2
            at = every_s * (turn + (place + 1) / (len(names) + 1))
            listed.append(f'{{ at = "{at:.3f} s", mobile = "{name}", cell = {start if turn % 2 else 5 - start}, gap = '
                          f'"500 ms" }}')
    return Variation(f"moves{every_s}", "each user changes its cell every", f"{every_s} s",
                     (f"moves={{ {', '.join(listed)} }}",))


FLOOD = own_cases.user("thp3", 1, '{ cbr = { rate = "200 kbit/s", packet = "1000 octets", start = "5 s" } }')
LEAVERS = tuple(f"mobiles.{kind}{number}.traffic[1].web.stop={100 + 25 * number} s"
                for kind in ("web2-", "web3-", "ftp") for number in range(1, 16))
# The other half receives next to nothing, in a class of its own,
# so that it is no user of a class of TCP that has nothing.
SILENT = ('{{ name = "{0}", class = "conversational", traffic = {{ {{ cbr = {{ rate = "8 bit/s", packet = "44 octets", '
          'start = "5 s" }} }} }} }}')
HALF = (*(setting for name, count in (("streaming", 5), ("thp1", 15))
          for setting in p1.idle(name, count - count // 2 + 1)),
        *(f"mobiles.{kind}{number}=" + SILENT.format(f"{kind}{number}") for kind in ("web2-", "web3-", "ftp")
          for number in range(16, 31)))
# Takes back what own_cases.TODAY has.
OF_2006 = ("tcp.sack=false", "tcp.timestamps=false", "tcp.cc=newreno", "tcp.slow_start=standard", "tcp.rack=false",
           "tcp.prr=false", "tcp.initial_cwnd=1", "tcp.delayed_ack.every=1", "tcp.receive_window=20 kB",
           "tcp.mss=1000 octets")
of_cells = partial(verdict.of_cells, CELLS)
VARIATIONS = [
    Variation("as-in-the-study", "(as in the study)", ""),
    *(Variation(f"slots{count}", "slots of a cell", str(count), cells(f"pdchs={count}"))
      for count in (6, 9, 12, 18, 36, 48)),
    *(of_cells("coding", "coding", scheme) for scheme in ("CS-1", "MCS-5", "MCS-9")),
    *(of_cells("block errors", "bler", f"{percent} %") for percent in (0, 20, 30)), slot(70), slot(97), slot(125),
    fading("slow", '{ good = "20 s", bad = "5 s", bler = "60 %" }', "a fifth of the time 60 % of the blocks"),
    fading("fast", '{ good = "2 s", bad = "500 ms", bler = "60 %" }', "the same, ten times as often"),
    *(of_cells("slots of a mobile", "downlink_slots", str(count)) for count in (1, 2, 8)),
    plain("MSS", "tcp.mss", "536 octets"), plain("MSS", "tcp.mss", "1000 octets"),
    plain("initial window", "tcp.initial_cwnd", "2"), plain("initial window", "tcp.initial_cwnd", "4"),
    plain("delay to the server", "network.server_delay", "10 ms"),
    plain("delay to the server", "network.server_delay", "200 ms"),
    plain("delay to the server", "network.server_delay", "400 ms", True),
    plain("delay to the server", "network.server_delay", "1 s", True),
    hosts("newreno", "of 2006: NewReno", *OF_2006),
    hosts("sack", "of 2006, with SACK and timestamps", *OF_2006, "tcp.sack=true", "tcp.timestamps=true"),
    hosts("linux", "Linux 2.4.17", *OF_2006, "tcp.stack=linux-2.4.17", "tcp.sack=true", "tcp.timestamps=true"),
    Variation("half", "users", "half", HALF), Variation("double", "users", "twice", p1.further(1)),
    greedy(1), greedy(2), greedy(4),
    opaque("fifth", "one in five over QUIC", [number for number in range(1, 31) if number % 5 == 1]),
    opaque("half", "half over QUIC", [number for number in range(1, 31) if number % 4 < 2]),
    Variation("quic-cubic", "users", "all over QUIC, CUBIC", ("transport=quic", "quic.congestion=cubic")),
    Variation("quic-bbr", "users", "all over QUIC, BBR", ("transport=quic", "quic.congestion=bbr")),
    calls(3), calls(6), calls(15),
    uploads(5), uploads(2),
    Variation("flood", "a sender that ignores all signals, to a user of THP3", "200 kbit/s", (FLOOD,)),
    Variation("leave", "users", "half leave in the middle of pages", LEAVERS),
    moves(250), moves(50),
]
BASE = VARIATIONS[0]
VARIED = [Varied(variation, Case(scheme)) for variation in VARIATIONS for scheme in SCHEMES]

BySeed = Sequence[Mapping[str, Outcome]]


def of_variation(outcomes: Mapping[Varied, Outcome], variation: Variation) -> dict[str, Outcome]:
    """Those of one seed, by scheme."""
    return {scheme: outcomes[Varied(variation, Case(scheme))] for scheme in SCHEMES}


@dataclass(frozen=True)
class Beside:
    """A look of q-windows, of one class or of all, beside that of its best rival."""

    look: Look
    kind: str
    value_of: Value

    @property
    def key(self) -> str:
        return f"{self.look.name} {self.kind}".strip().replace(" ", "_")

    @property
    def is_less(self) -> bool:
        """Of shares, what q-windows has more; else the quotient."""
        return self.look.is_share or self.look.name == looks.WORST

    def rival(self, outcomes: Mapping[str, Outcome]) -> float | None:
        """Of those that have a value."""
        there = [value for scheme in RIVALS if (value := self.value_of(outcomes[scheme])) is not None]
        return (max if self.look.better > 0 else min)(there) if there else None

    def beside(self, outcomes: Mapping[str, Outcome]) -> float | None:
        join = excess if self.is_less else quotient
        return join(self.value_of(outcomes[Q_WINDOWS]), self.rival(outcomes))


BESIDES = [Beside(look, "" if look.is_sum else kind, value_of) for look in looks.LOOKS
           for kind, (_, value_of) in zip(TCP, looks.values(look, TCP))]
# What a row is judged by: of which classes, and the words where it does not hold.
CRITERIA: dict[str, tuple[Sequence[str], Callable[[float], bool], str]] = {
    looks.TOTAL: (("",), lambda value: value >= 0.99, "the total is less than 0.99 of the best rival's"),
    looks.PAGE_P50: (WEB, lambda value: value <= 1.05, "pages of {} take more than 1.05 of the best rival's median"),
    looks.PAGE: (WEB, lambda value: value <= 1.05, "pages of {} take more than 1.05 of the best rival's time"),
    looks.FIRST: (WEB, lambda value: value <= 1.4, "first objects of {} take more than 1.4 of the best rival's time"),
    looks.WORST: (TCP, lambda value: value >= -0.05,
                  "the worst user of {} is more than 5 points below the best rival's")}


def figures(runs: BySeed) -> dict[str, float | None]:
    """rival_...: of the best one."""
    return ({one.key: of_seeds(runs, one.beside) for one in BESIDES}
            | {f"rival_{one.key}": of_seeds(runs, one.rival) for one in BESIDES})


def is_worse(found: Mapping[str, float | None], one: Beside) -> bool:
    """Where no rival has a value there is nothing to say."""
    kinds, is_good, _ = CRITERIA.get(one.look.name, ((), bool, ""))
    mine = found[one.key]
    return one.kind in kinds and found[f"rival_{one.key}"] is not None and (mine is None or not is_good(mine))


def faults(found: Mapping[str, float | None]) -> list[str]:
    """Where q-windows is worse."""
    return [CRITERIA[one.look.name][2].format(one.kind) for one in BESIDES if is_worse(found, one)]


def columns() -> list[tuple[str, list[str], int]]:
    """Titles, the figures of the classes, digits."""
    found = []
    for look in looks.LOOKS:
        mine = [one for one in BESIDES if one.look is look]
        found.append((f"{look.name} {'less' if mine[0].is_less else 'by'} the best rival's", [one.key for one in mine],
                      3 if look.is_sum else 2))
    return found


def table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """For the page, of the rows of reproduction.json."""
    lines = []
    for row in rows:
        cells_of = [looks.joined([row[key] for key in keys], partial(page.fixed, digits=digits))
                    for _, keys, digits in columns()]
        lines.append([f"{row['assumption']} {row['value']}".strip(), *cells_of, row["why"] or row["verdict"]])
    return Table(f"Varied alone, medians over {page.plural(rows[0]['seeds'], 'seed')}: {CAPTION}.",
                 ["varied", *(title for title, _, _ in columns()), "order"], lines, "robust")
