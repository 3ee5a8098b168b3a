# SPDX-License-Identifier: BSD-3-Clause
"""own: the cases of gbflow's own study, what its runs say, and what is measured of them.
papers/own.py has the study."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report import looks, page_times
from gbflow_report.papers import p1
from gbflow_report.papers.measures import Measure, Value, difference, pick_of, scaled, smallest
from gbflow_report.papers.p1 import CLASSES, KINDS, light_user
from gbflow_results.files import Series, number, pick


# --- cases ---

TCP = ("thp2", "thp3", "background")
CELL_OF_ODD, CELL_OF_EVEN = 3, 2
Q = ["sgsn.queues.discipline=q"]


# Lowers the windows of TCP.
WINDOWS = "sgsn.queues.pacing={{ classes = {{ {} }} }}".format(", ".join(f'"{name}"' for name in TCP))
FLOWS_ECN = "tcp.ecn=true"
# Hosts of today. Those of P1's scenario are of 2006.
TODAY = ("tcp.sack=true", "tcp.timestamps=true", "tcp.cc=cubic", "tcp.slow_start=hystart++", "tcp.rack=true",
         "tcp.prr=true", "tcp.initial_cwnd=10", "tcp.delayed_ack.every=2", "tcp.receive_window=64 kB",
         "tcp.mss=1400 octets")


# mtu and mtus: no packet is exempt from the signal, as the RFC's defaults would have it.
NO_EXEMPTION = ('mtu = "20 octets"', 'mtus = "0 %"')


def aqm(scheme: str, *words: str, queues: str = "") -> str:
    """All queues of the node: mobiles of a class take turns, unlike P1's one buffer for each class."""
    return f'sgsn.queues={{ {queues}aqm = {{ scheme = "{scheme}", {", ".join(words)} }} }}'


def per_class(scheme: str, *words: str) -> str:
    return f'sgsn.queues.aqm={{ scheme = "{scheme}", scope = "class_of_nse", {", ".join(words)} }}'


# --- FQ-CoDel that knows the mobile's share ---

SEGMENT_OCTETS, SEGMENT_2006_OCTETS = 1440, 1040  # with headers
AIR_KBPS = 1920.0  # 48 slots of MCS-7, of whose blocks one in ten is bad
PRIORITY_KBPS = 5 * 40 + 15 * 8  # what streaming and talk take before
WEIGHTS = {"thp2": 35, "thp3": 15, "background": 5}
Shares = Mapping[str, float]  # kbit/s of a mobile, by class


def shares_kbps(air_kbps: float, users: Mapping[str, int], priority_kbps: float = PRIORITY_KBPS,
                most_kbps: float = 1e6) -> dict[str, float]:
    """What the air leaves to classes of TCP, by their weights and users, and at most R of a mobile."""
    weights = sum(WEIGHTS[name] for name in users)
    return {name: min(most_kbps, (air_kbps - priority_kbps) * WEIGHTS[name] / weights / count)
            for name, count in users.items()}


def with_share(shares: Shares, has_ecn: bool = False, octets: int = SEGMENT_OCTETS) -> str:
    """The target of a class is the time of a segment at its mobiles' share, the interval four times of this."""
    def one(name: str) -> str:
        target_ms = round(octets * 8 / shares[name])
        return (f'{name} = {{ aqm = {{ scheme = "fq_codel", scope = "ms", {", ".join(NO_EXEMPTION)}, target = '
                f'"{target_ms} ms", interval = "{4 * target_ms} ms", ecn = {"true" if has_ecn else "false"} }} }}')
    return f"sgsn.queues={{ class = {{ {', '.join(map(one, shares))} }} }}"


FQ_CODEL_R = "fq-codel-r"
SHARES_KBPS = shares_kbps(AIR_KBPS, {name: KINDS[name][1] for name in TCP})
# The published schemes at their best setting by `reproduce search` (papers/search.py), which states the criterion; PIE
# and CoDel for each class by config/studies/aqm-baselines.lua.
CODEL_5, CODEL_20 = ('target = "5 ms"', 'interval = "100 ms"'), ('target = "20 ms"', 'interval = "100 ms"')
CODEL_50, CODEL_100 = ('target = "50 ms"', 'interval = "200 ms"'), ('target = "100 ms"', 'interval = "500 ms"')
PIE = ('target = "20 ms"', 'update = "15 ms"', 'alpha = "125 %"', 'beta = "1250 %"')
BASELINES: dict[str, list[str]] = {
    "red-best": [per_class("red", 'min = "6 kB"', 'max = "18 kB"')],
    "codel": [per_class("codel", *CODEL_5)], "pie": [per_class("pie", *PIE)],
    "fq-codel": [aqm("fq_codel", 'scope = "ms"', *NO_EXEMPTION, *CODEL_20, "ecn = false")],
    FQ_CODEL_R: [with_share(SHARES_KBPS)],
    "fq-codel-ecn": [aqm("fq_codel", 'scope = "ms"', *NO_EXEMPTION, *CODEL_5, "ecn = true"), FLOWS_ECN],
    "cake": [aqm("cobalt", *NO_EXEMPTION, *CODEL_50, "ecn = false", queues="flow_queues = 32, ")],
    "cake-ecn": [aqm("cobalt", *NO_EXEMPTION, *CODEL_100, "ecn = true", queues="flow_queues = 32, "), FLOWS_ECN],
}
# What each scheme changes in P1's scenario, in the order of the tables.
SETTINGS: dict[str, list[str]] = {
    "none": p1.NONE.settings, "red": p1.RED.settings, "ecn": p1.ECN.settings, **BASELINES,
    "windows": [WINDOWS], "q": Q, "q-windows": [*Q, WINDOWS],
}
# The published schemes that do best; each table has them.
RIVALS = ("red-best", "fq-codel", "fq-codel-ecn", FQ_CODEL_R, "cake", "cake-ecn")
LIGHT_SCHEMES = ("red", *RIVALS, "q", "q-windows")
WEB_ITEM = 'web = {{ page = "{}", items = {}, item = "{}", parallel = 4, reading = "1 s", start = "5 s" }}'
ITEMS = {"thp2": WEB_ITEM.format("4910 octets", 30, "4910 octets"),
         "thp3": WEB_ITEM.format("4910 octets", 30, "4910 octets"),
         "background": WEB_ITEM.format("1 octet", 4, "875 kB")}
PINGING = 2
PING = '{ ping = { start = "10 s" } }'
OBJECT = '{ web = { page = "10 kB", items = 0, reading = "15 s", persistent = false, start = "10 s" } }'


def user(name: str, number: int, *items: str) -> str:
    """Another user in the place of one of P1's."""
    title, cell = f"{KINDS[name][0]}{number}", CELL_OF_ODD if number % 2 else CELL_OF_EVEN
    return (f'mobiles.{title}={{ name = "{title}", cell = {cell}, class = "{name}", traffic = {{ {", ".join(items)} }} '
            f'}}')


def pings(*classes: str) -> list[str]:
    """The second user of a class pings beside what all do: of points whose settings may replace it."""
    return [user(name, PINGING, f"{{ {ITEMS[name]} }}", PING) for name in classes]


def pinging_user(name: str) -> str:
    """Who pings and does what all do."""
    return f"{KINDS[name][0]}{KINDS[name][1] - 1}"


def light(name: str) -> list[str]:
    count = KINDS[name][1]
    return [user(name, count, PING, OBJECT), user(name, count - 1, f"{{ {ITEMS[name]} }}", PING)]


def silent(name: str) -> list[str]:
    """All users of a class but the light one receive a packet of 1000 octets every 20 s, each at its own time."""
    count = KINDS[name][1]
    packets = [f'{{ cbr = {{ rate = "400 bit/s", packet = "1000 octets", start = "{20 * number / count:.3f} s" }} }}'
               for number in range(1, count)]
    return [user(name, number, packet) for number, packet in enumerate(packets, 1)]


@dataclass(frozen=True, order=True)
class Case:
    """A scheme with hosts of today, or of 2006. The second user of each class of TCP pings beside what all do.
    is_light: two users of each class ping, and one of them does little else."""

    scheme: str
    is_2006: bool = False
    is_light: bool = False

    @property
    def name(self) -> str:
        return self.scheme + ("-2006" if self.is_2006 else "") + ("-light" if self.is_light else "")

    @property
    def settings(self) -> list[str]:
        users = [setting for name in TCP for setting in light(name)] if self.is_light else pings(*TCP)
        is_small = self.scheme == FQ_CODEL_R and self.is_2006
        scheme = [with_share(SHARES_KBPS, octets=SEGMENT_2006_OCTETS)] if is_small else SETTINGS[self.scheme]
        return [*([] if self.is_2006 else TODAY), *users, *scheme]


@dataclass(frozen=True, order=True)
class Empty:
    """No user of TCP but the light ones: what the path itself takes."""

    name: str = "empty"

    @property
    def settings(self) -> list[str]:
        users = [setting for name in TCP for setting in (*silent(name), user(name, KINDS[name][1], PING, OBJECT))]
        return [*TODAY, *users]


EMPTY = Empty()
SCHEMES = [Case(scheme, is_2006) for is_2006 in (False, True) for scheme in SETTINGS]
LIGHT = [Case(scheme, is_2006, True) for is_2006 in (False, True) for scheme in LIGHT_SCHEMES]
CASES = [EMPTY, *SCHEMES, *LIGHT]
PRIORITY = tuple(name for name in CLASSES if name not in TCP)


WEB = p1.WEB
Q_ONLY, Q_WINDOWS, NONE, RED, ECN = "q", "q-windows", "none", "red", "ecn"


@dataclass(frozen=True)
class Light:
    """Pings and small objects of a class."""

    ping_p95_s: float | None  # of a mobile that does little else
    loaded_ping_p95_s: float | None  # of one that downloads
    lost: float | None  # requests that were not answered, of both
    object_p95_s: float | None


@dataclass(frozen=True)
class Row:
    """A class in one run. row[name]: what the look of this name says."""

    seen: looks.Seen
    jain: float | None = None
    page_mean_kbps: float | None = None
    repeated: float | None = None  # TCP octets that arrived at mobiles that had them, for each that arrived first
    page_mean_s: float | None = None
    light: Light | None = None
    users_kbps: tuple[float, ...] = ()
    block_octets: float | None = None  # user data of all classes for each radio block that was sent for the first time

    def __getitem__(self, name: str) -> float | None:
        return self.seen[name]


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


def light_of(summary: Mapping[str, Any], name: str) -> Light | None:
    """None where no user of the class pings."""
    pings = {row["mobile"]: row for row in rows_of(summary, "ping", (light_user(name), pinging_user(name)))}
    if not pings:
        return None
    sent, received = (sum(row[key] for row in pings.values()) for key in ("sent", "received"))
    ping, loaded = (number(pings[who], "rtt_s", "p95") if who in pings else None
                    for who in (light_user(name), pinging_user(name)))
    return Light(ping, loaded, max(0, sent - received - len(pings)) / sent,
                 p95(page_times.of_mobiles(summary, [light_user(name)])))


def block_octets_of(summary: Mapping[str, Any]) -> float | None:
    """At the rates after the warm-up; None where no radio block was sent."""
    blocks = sum(pick(cell, "blocks", "down", "used") - pick(cell, "blocks", "down", "repeated")
                 for cell in summary.get("cells", {}).values())
    rate_bps = sum(row["goodput_bps"]["total"] for row in summary["classes"].values())
    return rate_bps / 8 * summary["duration_s"] / blocks if blocks else None


def row_of(summary: Mapping[str, Any], name: str) -> Row:
    row, users = summary["classes"][name], users_of(summary, name)
    rates = tuple(one["goodput_bps"] / 1000 for one in rows_of(summary, "mobiles", users))
    return Row(looks.seen_of(row), number(row, "fairness", "jain"),
               scaled(number(row, "goodput_bps", "page_mean"), 1e-3), repeated_of(summary, users),
               page_times.restricted_mean(page_times.of_class(summary, name)) if name in WEB else None,
               light_of(summary, name) if name in TCP else None, rates,
               block_octets_of(summary))


def outcome_of(summary: Mapping[str, Any], _: Series) -> Outcome:
    return {name: row_of(summary, name) for name in CLASSES}


# --- measures ---

def over_empty(case: Case, name: str, value_of: Value) -> Measure:
    """What a case adds to a value of the empty network."""
    return difference(case, EMPTY, lambda rows: value_of(rows[name]))


def least_of(case: Case, value_of: Value) -> Measure:
    """Over the classes of TCP."""
    return pick_of(smallest, [class_value(case, name, value_of) for name in TCP])


def class_value(case: Case, name: str, value_of: Value) -> Measure:
    return lambda runs: value_of(runs[case][name])


def seen(name: str) -> Value:
    """Of a row: what the look of this name says."""
    return lambda row: row[name]


delay_s, total = seen(looks.DELAY), looks.total(TCP)


def of_light(value_of: Value) -> Value:
    return lambda row: value_of(row.light) if row.light else None
