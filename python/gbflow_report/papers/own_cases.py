# SPDX-License-Identifier: BSD-3-Clause
"""own: the cases of gbflow's own study, what its runs say, and what is measured of them. papers/own.py has the study."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import page_times
from gbflow_report.papers import p1
from gbflow_report.papers.measures import Measure, Value, difference, over, smallest
from gbflow_report.papers.p1 import CLASSES, KINDS, OfClass, light_user
from gbflow_results.files import Series, number, pick


# --- cases ---

TCP = ("thp2", "thp3", "background")
CELL_OF_ODD, CELL_OF_EVEN = 3, 2
Q = ["sgsn.queues.discipline=q"]


def pacing(clamp: bool, hold: bool) -> str:
    classes = ", ".join(f'"{name}"' for name in TCP)
    words = [f"{key} = {'true' if value else 'false'}" for key, value in (("clamp", clamp), ("hold", hold))]
    return f"sgsn.queues.pacing={{ classes = {{ {classes} }}, {', '.join(words)} }}"


CLAMP, HOLD, BOTH = pacing(True, False), pacing(False, True), pacing(True, True)
FLOWS_ECN = "tcp.ecn=true"


def aqm(scheme: str, *words: str, queues: str = "") -> str:
    """All queues of the node: mobiles of a class take turns, unlike P1's one buffer for each class."""
    return f'sgsn.queues={{ {queues}aqm = {{ scheme = "{scheme}", {", ".join(words)} }} }}'


def per_class(scheme: str, *words: str) -> str:
    return f'sgsn.queues.aqm={{ scheme = "{scheme}", scope = "class_of_nse", {", ".join(words)} }}'


# The published schemes at their best setting of config/studies/aqm-baselines.lua, which states search and criterion. mtu and mtus: no packet is
# exempt from the signal, as the RFC's defaults would have it.
NO_EXEMPTION = ('mtu = "20 octets"', 'mtus = "0 %"')
CODEL_5, CODEL_20 = ('target = "5 ms"', 'interval = "100 ms"'), ('target = "20 ms"', 'interval = "100 ms"')
PIE = ('target = "20 ms"', 'update = "15 ms"', 'alpha = "125 %"', 'beta = "1250 %"')
BASELINES: dict[str, list[str]] = {
    "codel": [per_class("codel", *CODEL_5)], "pie": [per_class("pie", *PIE)],
    "fq-codel": [aqm("fq_codel", 'scope = "ms"', *NO_EXEMPTION, *CODEL_5, "ecn = false")],
    "fq-codel-ecn": [aqm("fq_codel", 'scope = "ms"', *NO_EXEMPTION, *CODEL_5, "ecn = true"), FLOWS_ECN],
    "cake": [aqm("cobalt", *NO_EXEMPTION, *CODEL_20, "ecn = false", queues="flow_queues = 32, ")],
    "cake-ecn": [aqm("cobalt", *NO_EXEMPTION, *CODEL_20, "ecn = true", queues="flow_queues = 32, "), FLOWS_ECN],
}
# What each scheme changes in P1's scenario, in the order of the tables.
SETTINGS: dict[str, list[str]] = {
    "none": p1.NONE.settings, "red": p1.RED.settings, "ecn": p1.ECN.settings, **BASELINES,
    "clamp": [CLAMP], "hold": [HOLD],
    "q": Q, "q-clamp": [*Q, CLAMP], "q-hold": [*Q, HOLD], "q-both": [*Q, BOTH],
}
# The published schemes that do best; each table has them.
RIVALS = ("red", "fq-codel", "cake")
LIGHT_SCHEMES = (*RIVALS, "q", "q-both")
WEB_ITEM = 'web = {{ page = "{}", items = {}, item = "{}", parallel = 4, reading = "1 s", start = "5 s" }}'
ITEMS = {"thp2": WEB_ITEM.format("4910 octets", 30, "4910 octets"), "thp3": WEB_ITEM.format("4910 octets", 30, "4910 octets"),
         "background": WEB_ITEM.format("1 octet", 4, "875 kB")}
PING = '{ ping = { start = "10 s" } }'
OBJECT = '{ web = { page = "10 kB", items = 0, reading = "15 s", persistent = false, start = "10 s" } }'


def user(name: str, number: int, *items: str) -> str:
    """Another user in the place of one of P1's."""
    title, cell = f"{KINDS[name][0]}{number}", CELL_OF_ODD if number % 2 else CELL_OF_EVEN
    return f'mobiles.{title}={{ name = "{title}", cell = {cell}, class = "{name}", traffic = {{ {", ".join(items)} }} }}'


def pinging_user(name: str) -> str:
    """Who pings and does what all do."""
    return f"{KINDS[name][0]}{KINDS[name][1] - 1}"


def light(name: str) -> list[str]:
    count = KINDS[name][1]
    return [user(name, count, PING, OBJECT), user(name, count - 1, f"{{ {ITEMS[name]} }}", PING)]


def silent(name: str) -> list[str]:
    """All users of a class but the light one receive a packet of 1000 octets every 20 s, each at its own time."""
    count = KINDS[name][1]
    packets = [f'{{ cbr = {{ rate = "400 bit/s", packet = "1000 octets", start = "{20 * number / count:.3f} s" }} }}' for number in range(1, count)]
    return [user(name, number, packet) for number, packet in enumerate(packets, 1)]


@dataclass(frozen=True, order=True)
class Case:
    """A scheme with one kind of hosts. is_light: two users of each class of TCP ping, and one of them does little else."""

    scheme: str
    has_sack: bool = False
    is_light: bool = False

    @property
    def name(self) -> str:
        return self.scheme + ("-sack" if self.has_sack else "") + ("-light" if self.is_light else "")

    @property
    def settings(self) -> list[str]:
        hosts = ["tcp.sack=true", "tcp.timestamps=true"] if self.has_sack else []
        users = [setting for name in TCP for setting in light(name)] if self.is_light else []
        return [*SETTINGS[self.scheme], *hosts, *users]


@dataclass(frozen=True, order=True)
class Empty:
    """No user of TCP but the light ones: what the path itself takes."""

    name: str = "empty"

    @property
    def settings(self) -> list[str]:
        return [setting for name in TCP for setting in (*silent(name), user(name, KINDS[name][1], PING, OBJECT))]


EMPTY = Empty()
SCHEMES = [Case(scheme, has_sack) for has_sack in (False, True) for scheme in SETTINGS]
LIGHT = [Case(scheme, has_sack, True) for has_sack in (False, True) for scheme in LIGHT_SCHEMES]
CASES = [EMPTY, *SCHEMES, *LIGHT]
PRIORITY = tuple(name for name in CLASSES if name not in TCP)


WEB = p1.WEB
Q_ONLY, Q_BOTH, NONE, RED, ECN = "q", "q-both", "none", "red", "ecn"


@dataclass(frozen=True)
class Light:
    """Pings and small objects of a class."""

    ping_p95_s: float | None  # of a mobile that does little else
    loaded_ping_p95_s: float | None  # of one that downloads
    lost: float | None  # requests that were not answered, of both
    object_p95_s: float | None


@dataclass(frozen=True)
class Row:
    """A class in one run."""

    base: OfClass
    total_kbps: float
    dropped: float  # N-PDUs that the SGSN dropped, for each that it sent
    repeated: float | None = None  # TCP octets that arrived at mobiles that had them, for each that arrived first
    page_mean_s: float | None = None
    first_p95_s: float | None = None  # until the first object of a page is there
    hold_p95_s: float | None = None  # of held ACKs
    light: Light | None = None
    users_kbps: tuple[float, ...] = ()
    block_octets: float | None = None  # user data of all classes for each radio block that was sent for the first time


Outcome = Mapping[str, Row]


# --- from summaries ---

def rows_of(summary: Mapping[str, Any], part: str, names: Iterable[str]) -> list[Mapping[str, Any]]:
    wanted = set(names)
    return [row for row in summary[part] if row["mobile"] in wanted]


def users_of(summary: Mapping[str, Any], name: str) -> list[str]:
    return [row["mobile"] for row in summary["mobiles"] if row["class"] == name]


def p95(pages: page_times.Pages) -> float | None:
    return page_times.quantile(page_times.kaplan_meier(pages), 0.95)


def repeated_of(summary: Mapping[str, Any], users: Iterable[str]) -> float | None:
    rows = rows_of(summary, "tcp", users)
    octets = sum(row["octets"] for row in rows)
    return sum(row["repeated_octets"] for row in rows) / octets if octets else None


def hold_of(summary: Mapping[str, Any], name: str) -> float | None:
    """95th percentile, with one worker."""
    workers = summary.get("pacing") or []
    found = workers[0]["hold"].get(name) if workers else None
    return found["p95_s"] if found else None


def light_of(summary: Mapping[str, Any], name: str) -> Light | None:
    """None where no user of the class pings."""
    pings = {row["mobile"]: row for row in rows_of(summary, "ping", (light_user(name), pinging_user(name)))}
    if not pings:
        return None
    sent, received = (sum(row[key] for row in pings.values()) for key in ("sent", "received"))
    ping, loaded = (number(pings[who], "rtt_s", "p95") if who in pings else None for who in (light_user(name), pinging_user(name)))
    return Light(ping, loaded, max(0, sent - received - len(pings)) / sent, p95(page_times.of_mobiles(summary, [light_user(name)])))


def block_octets_of(summary: Mapping[str, Any]) -> float | None:
    """At the rates after the warm-up; None where no radio block was sent."""
    blocks = sum(pick(cell, "blocks", "down", "used") - pick(cell, "blocks", "down", "repeated") for cell in summary.get("cells", {}).values())
    rate_bps = sum(row["goodput_bps"]["total"] for row in summary["classes"].values())
    return rate_bps / 8 * summary["duration_s"] / blocks if blocks else None


def row_of(summary: Mapping[str, Any], name: str, base: OfClass) -> Row:
    row, users = summary["classes"][name], users_of(summary, name)
    rates = tuple(one["goodput_bps"] / 1000 for one in rows_of(summary, "mobiles", users))
    return Row(base, row["goodput_bps"]["total"] / 1000, sum(pick(row, "drops").values()) / max(row["npdu_out"], 1), repeated_of(summary, users),
               page_times.restricted_mean(page_times.of_class(summary, name)) if name in WEB else None,
               p95(page_times.of_mobiles(summary, users, "first_s")) if name in WEB else None,
               hold_of(summary, name), light_of(summary, name) if name in TCP else None, rates, block_octets_of(summary))


def outcome(summary: Mapping[str, Any], series: Series) -> Outcome:
    of_p1 = p1.outcome(summary, series)
    return {name: row_of(summary, name, of_p1[name]) for name in CLASSES}


# --- measures ---

def over_empty(case: Case, name: str, value_of: Value) -> Measure:
    """What a case adds to a value of the empty network."""
    return difference(case, EMPTY, lambda rows: value_of(rows[name]))


def least_of(case: Case, value_of: Value) -> Measure:
    """Over the classes of TCP."""
    return over(smallest, [of(case, name, value_of) for name in TCP])


def of(case: Case, name: str, value_of: Value) -> Measure:
    return lambda runs: value_of(runs[case][name])


def delay_s(row: Row) -> float | None:
    return row.base.delay_p95_s


def page_p95(name: str) -> Value:
    return lambda rows: rows[name].base.page_p95_s


def total(rows: Outcome) -> float:
    return sum(rows[name].total_kbps for name in TCP)


def of_light(value_of: Value) -> Value:
    return lambda row: value_of(row.light) if row.light else None
