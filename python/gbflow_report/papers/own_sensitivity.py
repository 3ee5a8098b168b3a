# SPDX-License-Identifier: BSD-3-Clause
"""own: the study's scenario with other cells, hosts, users and faults, one at a time: whether q with pacing is nowhere worse than the best of
the published schemes.

A row holds where q-both has at least 98 % of the best rival's total, page times of at most 105 % of the best rival's, worst users of each
class of TCP at most 5 points below the best rival's, and delays that are not longer than RED's. The best rival is another one for each figure.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gbflow_report import page
from gbflow_report.page import Table
from gbflow_report.papers import own, own_cases, p1, verdict
from gbflow_report.papers.measures import Value, less, of_seeds, quotient
from gbflow_report.papers.own_cases import Q_BOTH, RED, RIVALS, TCP, WEB, Case, Outcome
from gbflow_report.papers.p1_sensitivity import CELLS, cells
from gbflow_report.papers.verdict import Variation, Varied, plain

NAME = "own-sensitivity"
PAPER = own
COLUMNS = [("total", "total by the best rival's", 3), ("delay_thp2", "THP2 s", 2), ("delay_thp3", "THP3 s", 2), ("delay_background", "background s", 2),
           ("delay_thp2_red", "THP2, RED", 2), ("delay_thp3_red", "THP3, RED", 2), ("delay_background_red", "background, RED", 2),
           ("page_thp2", "page THP2 by the best rival's", 2), ("page_thp3", "page THP3 by the best rival's", 2),
           ("worst_thp2", "worst THP2 less the best rival's", 2), ("worst_thp3", "worst THP3 less", 2), ("worst_background", "worst background less", 2)]
CAPTION = ("q-both beside the best of red, fq-codel and cake: total goodput of TCP, 95th percentiles of page times, and the worst user by the mean "
           "of its class; 95th percentiles of the delay beside RED's. A row holds with at least 0.98 of the total, at most 1.05 of the page times, "
           "at most 0.05 less of the worst user, and delays that are not longer than RED's")
SCHEMES = (*RIVALS, Q_BOTH)


def slot(octets: int) -> Variation:
    """A slot's rate, with one block in ten bad."""
    return Variation(f"slot{octets}", "rate of a slot", f"{octets * 8 * 50 * 0.9 / 1000:.0f} kbit/s", cells(f"block_octets={octets}"))


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
    users = [beside(name, number, '{ upload = { octets = "infinite", start = "8 s" } }') for name in TCP for number in range(1, 31, step)]
    return Variation(f"uploads{step}", "users who upload without end", f"one in {step}", tuple(users))


def moves(every_s: int) -> Variation:
    """Users of TCP change cells one after the other; in `every_s` each has moved once."""
    names = [f"{p1.KINDS[name][0]}{number}" for number in range(1, 31) for name in TCP]
    listed = []
    for turn in range(1000 // every_s):
        for place, name in enumerate(names):
            start = 3 if int("".join(filter(str.isdigit, name.rpartition("-")[2]))) % 2 else 2
            at = every_s * (turn + (place + 1) / (len(names) + 1))
            listed.append(f'{{ at = "{at:.3f} s", mobile = "{name}", cell = {start if turn % 2 else 5 - start}, gap = "500 ms" }}')
    return Variation(f"moves{every_s}", "each user changes its cell every", f"{every_s} s", (f"moves={{ {', '.join(listed)} }}",))


FLOOD = own_cases.user("thp3", 1, '{ cbr = { rate = "200 kbit/s", packet = "1000 octets", start = "5 s" } }')
LEAVERS = tuple(f"mobiles.{kind}{number}.traffic[1].web.stop={100 + 25 * number} s" for kind in ("web2-", "web3-", "ftp") for number in range(1, 16))
# The other half receives next to nothing, in a class of its own, so that it is no user of a class of TCP that has nothing.
SILENT = '{{ name = "{0}", class = "conversational", traffic = {{ {{ cbr = {{ rate = "8 bit/s", packet = "44 octets", start = "5 s" }} }} }} }}'
HALF = (*(setting for name, count in (("streaming", 5), ("thp1", 15)) for setting in p1.idle(name, count - count // 2 + 1)),
        *(f"mobiles.{kind}{number}=" + SILENT.format(f"{kind}{number}") for kind in ("web2-", "web3-", "ftp") for number in range(16, 31)))
MODERN = ("tcp.sack=true", "tcp.timestamps=true", "tcp.cc=cubic", "tcp.slow_start=hystart++", "tcp.rack=true", "tcp.prr=true",
          "tcp.initial_cwnd=10", "tcp.delayed_ack.every=2", "tcp.receive_window=64 kB")
of_cells = partial(verdict.of_cells, CELLS)
BASE = Variation("as-in-the-study", "(as in the study)", "")
VARIATIONS = [
    BASE,
    *(Variation(f"slots{count}", "slots of a cell", str(count), cells(f"pdchs={count}")) for count in (6, 9, 12, 18, 36, 48)),
    *(of_cells("coding", "coding", scheme) for scheme in ("CS-1", "MCS-5", "MCS-9")),
    *(of_cells("block errors", "bler", f"{percent} %") for percent in (0, 20, 30)),
    slot(70), slot(97), slot(125),
    fading("slow", '{ good = "20 s", bad = "5 s", bler = "60 %" }', "a fifth of the time 60 % of the blocks"),
    fading("fast", '{ good = "2 s", bad = "500 ms", bler = "60 %" }', "the same, ten times as often"),
    *(of_cells("slots of a mobile", "downlink_slots", str(count)) for count in (1, 2, 8)),
    plain("MSS", "tcp.mss", "536 octets"), plain("MSS", "tcp.mss", "1460 octets"),
    plain("initial window", "tcp.initial_cwnd", "2"), plain("initial window", "tcp.initial_cwnd", "10"),
    plain("delay to the server", "network.server_delay", "10 ms"), plain("delay to the server", "network.server_delay", "200 ms"),
    plain("delay to the server", "network.server_delay", "400 ms", True), plain("delay to the server", "network.server_delay", "1 s", True),
    hosts("sack", "SACK and timestamps", "tcp.sack=true", "tcp.timestamps=true"),
    hosts("modern", "CUBIC, HyStart++, RACK, PRR", *MODERN),
    hosts("linux", "Linux 2.4.17", "tcp.stack=linux-2.4.17", "tcp.sack=true", "tcp.timestamps=true"),
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
VARIED = [Varied(variation, Case(scheme)) for variation in VARIATIONS for scheme in SCHEMES]

BySeed = Sequence[Mapping[str, Outcome]]


def of_variation(outcomes: Mapping[Varied, Outcome], variation: Variation) -> dict[str, Outcome]:
    """Those of one seed, by scheme."""
    return {scheme: outcomes[Varied(variation, Case(scheme))] for scheme in SCHEMES}


@dataclass(frozen=True)
class Look:
    """A value of q-both beside that of its best rival. join: quotient, or less; is_good: of what it makes of both."""

    name: str
    value_of: Value
    best: Callable[[Iterable[float]], float]
    join: Callable[[float | None, float | None], float | None]
    is_good: Callable[[float], bool]
    fault: str

    def rival(self, outcomes: Mapping[str, Outcome]) -> float | None:
        """Of those that have a value."""
        there = [value for scheme in RIVALS if (value := self.value_of(outcomes[scheme])) is not None]
        return self.best(there) if there else None

    def beside(self, outcomes: Mapping[str, Outcome]) -> float | None:
        return self.join(self.value_of(outcomes[Q_BOTH]), self.rival(outcomes))


LOOKS = [
    Look("total", own_cases.total, max, quotient, lambda value: value >= 0.98, "the total is less than 0.98 of the best rival's"),
    *(Look(f"page_{name}", own_cases.page_p95(name), min, quotient, lambda value: value <= 1.05,
           f"pages of {name} take more than 1.05 of the best rival's time") for name in WEB),
    *(Look(f"worst_{name}", lambda rows, name=name: rows[name].base.worst_user, max, less, lambda value: value >= -0.05,
           f"the worst user of {name} is more than 5 points below the best rival's") for name in TCP)]


def figures(runs: BySeed) -> dict[str, float | None]:
    """What a row is judged by. rival_...: of the best one."""
    found = {look.name: of_seeds(runs, look.beside) for look in LOOKS} | {f"rival_{look.name}": of_seeds(runs, look.rival) for look in LOOKS}
    for name in TCP:
        for scheme, suffix in ((Q_BOTH, ""), (RED, "_red")):
            found[f"delay_{name}{suffix}"] = of_seeds(runs, own_cases.of(scheme, name, own_cases.delay_s))
    return found


def is_worse(found: Mapping[str, float | None], look: Look) -> bool:
    """Where no rival has a value there is nothing to say."""
    mine = found[look.name]
    return found[f"rival_{look.name}"] is not None and (mine is None or not look.is_good(mine))


def is_longer(mine: float | None, other: float | None) -> bool:
    return other is not None and (mine is None or mine > other)


def faults(found: Mapping[str, float | None]) -> list[str]:
    """Where q-both is worse."""
    told = [look.fault for look in LOOKS if is_worse(found, look)]
    return told + [f"the delay of {name} is longer than RED's" for name in TCP if is_longer(found[f"delay_{name}"], found[f"delay_{name}_red"])]


def table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """For the page, of the rows of reproduction.json."""
    lines = [[f"{row['assumption']} {row['value']}".strip(), *(page.fixed(row[name], digits) for name, _, digits in COLUMNS),
              row["why"] or row["verdict"]] for row in rows]
    return Table(f"Varied alone, medians over {page.plural(rows[0]['seeds'], 'seed')}: {CAPTION}.",
                 ["varied", *(title for _, title, _ in COLUMNS), "order"], lines, "robust")
