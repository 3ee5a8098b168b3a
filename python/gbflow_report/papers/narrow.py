# SPDX-License-Identifier: BSD-3-Clause
"""narrow: queues on narrow links of today, an NB-IoT carrier in good coverage, an LTE-M narrowband and a satellite
beam. docs/narrow-links.md has the question and the answer; the scenarios have the links and where their values come
from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report import page, page_times
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers.measures import BySeed, Value, middle, ratio, whole
from gbflow_report.papers.own_cases import BASELINES, p95
from gbflow_report.papers.verdict import REGRESSION, Figure
from gbflow_results.files import Series, number, pick


# --- the study ---

NAME = "narrow"
TITLE = "Narrow links of today"
SOURCE = ("docs/narrow-links.md; the published values are what that page says. Bands were set after a first run: the "
          "rows are a regression, no test of the page")
SCENARIO = "narrow-nb-iot.lua"
HAS_SERIES = False
LINKS = {"nb-iot": "NB-IoT in good coverage", "lte-m": "LTE-M with coverage enhancement", "satellite": "Satellite beam"}
SETUP = ("Three devices load firmware, sensors report, people read pages, two devices ping. fifo: one FIFO "
         "buffer, no AQM. red, codel: RED or CoDel in that buffer. fq-codel: FQ-CoDel as its RFC has it, turns of the "
         "devices and flows; fq-codel-short: with flow_control.bss_target of 250 ms; fq-codel-ms, cake: one CoDel for "
         "each device, and COBALT in flow queues, as in the study own. q: queues.discipline = \"q\". q-windows: q with "
         "lowered windows; q-windows-short: with the same 250 ms. -quic: some devices of each kind with "
         "QUIC. -blind: the base station announces its rate once, and nothing of its queue.")
BSS_TARGET = 'sgsn.flow_control={ bss_target = "250 ms" }'
FQ_CODEL = 'sgsn.queues={ flow_queues = 32, aqm = { scheme = "fq_codel" } }'
Q = "sgsn.queues.discipline=q"
# Of a min of 1.5, 3, 6 and 15 kB, with a max of three times as much, it has the least geometric mean of pings,
# reports and pages over the links.
RED = 'sgsn.queues.aqm={ scheme = "red", scope = "class_of_nse", min = "1500 octets", max = "4500 octets" }'
WINDOWS = 'sgsn.queues.pacing={ classes = { "background" } }'
SETTINGS: dict[str, list[str]] = {
    "fifo": [],
    "red": [RED],
    "codel": ['sgsn.queues.aqm={ scheme = "codel", scope = "class_of_nse" }'],
    "fq-codel": [FQ_CODEL],
    "fq-codel-short": [FQ_CODEL, BSS_TARGET],
    "fq-codel-ms": BASELINES["fq-codel"],
    "cake": BASELINES["cake"],
    "q": [Q],
    "q-windows": [Q, WINDOWS],
    "q-windows-short": [Q, WINDOWS, BSS_TARGET],
}
# Not in the table of TCP: a third of the firmware, some sensors, one reader.
QUIC = {"firmware3": "download", "sensor1": "web", "sensor2": "web", "sensor3": "web", "reader1": "web"}


BUFFERS = {"nb-iot": "5 s", "lte-m": "1500 ms", "satellite": "3 s"}
BLIND_SETTINGS = {name: SETTINGS[name] for name in ("fifo", "red", "fq-codel-short", "fq-codel-ms", "cake", "q",
                                                    "q-windows", "q-windows-short")}


@dataclass(frozen=True, order=True)
class Case:
    """A link with one kind of queues. kind: quic, some firmware, sensors and readers have QUIC;
    blind, the base station says nothing of its queue; or neither."""

    link: str
    scheme: str
    kind: str = ""

    @property
    def name(self) -> str:
        return f"{self.link}-{self.scheme}" + (f"-{self.kind}" if self.kind else "")

    @property
    def scenario(self) -> str:
        return f"narrow-{self.link}.lua"

    @property
    def settings(self) -> list[str]:
        return [*KINDS[self.kind][1][self.scheme], *more_of(self)]


def more_of(case: Case) -> list[str]:
    if case.kind == "quic":
        return [f"mobiles.{name}.traffic[1].{item}.transport=quic" for name, item in QUIC.items()]
    return ([f'cells[1].flow_control={{ bucket_time = "{BUFFERS[case.link]}", ms = {{}} }}'] if case.kind == "blind"
            else [])


KINDS = {"": ("all with TCP", SETTINGS), "quic": ("some devices with QUIC", SETTINGS),
         "blind": ("all with TCP, a base station that says nothing of its queue", BLIND_SETTINGS)}
CASES = [Case(link, scheme, kind) for link in LINKS for kind, (_, schemes) in KINDS.items() for scheme in schemes]


# --- from summaries ---

@dataclass(frozen=True)
class Outcome:
    """One run. Times in seconds."""

    ping_p95_s: float | None  # of a device that does nothing else
    own_ping_p95_s: float | None  # of one that loads firmware
    report_p95_s: float | None  # of a sensor's report until its answer is there; unfinished ones censored
    worst_report_s: float | None  # mean of the sensor that waits longest
    page_p95_s: float | None
    firmware_s: float | None  # until the last device has it; None if one has not at the end
    total_kbps: float
    dropped: float  # N-PDUs that the SGSN dropped, for each that it sent
    lost: int  # pings without an answer


def users(summary: Mapping[str, Any], kind: str) -> list[str]:
    return [row["mobile"] for row in summary["mobiles"] if row["mobile"].startswith(kind)]


def firmware_of(summary: Mapping[str, Any], octets: int) -> float | None:
    rows = [row for row in summary["tcp"] if row["mobile"].startswith("firmware")]
    return max(row["end_s"] - row["start_s"] for row in rows) if all(row["octets"] == octets for row in rows) else None


OCTETS = {"narrow-nb-iot.lua": 400_000, "narrow-lte-m.lua": 800_000, "narrow-satellite.lua": 600_000}


def outcome_of(summary: Mapping[str, Any], _: Series) -> Outcome:
    pings = {row["mobile"]: row for row in summary["ping"]}
    row, sensors = summary["classes"]["background"], users(summary, "sensor")
    waits = [wait for name in sensors
             if (wait := page_times.restricted_mean(page_times.of_mobiles(summary, [name]))) is not None]
    return Outcome(number(pings["ping"], "rtt_s", "p95"), number(pings["firmware1"], "rtt_s", "p95"),
                   p95(page_times.of_mobiles(summary, sensors)), max(waits, default=None),
                   p95(page_times.of_mobiles(summary, users(summary, "reader"))),
                   firmware_of(summary, OCTETS[summary["scenario"]]),
                   row["goodput_bps"]["total"] / 1000, sum(pick(row, "drops").values()) / max(row["npdu_out"], 1),
                   sum(max(0, one["sent"] - one["received"] - 1) for one in pings.values()))


# --- what the page says ---

MOST = 1e6


@dataclass(frozen=True)
class Claim:
    """A value of one scheme by that of another."""

    name: str
    what: str
    schemes: tuple[str, str]
    band: tuple[float, float]
    value_of: Value


CLAIMS = [
    Claim("ping", "p95 of pings", ("q", "fifo"), (0, 0.1), lambda run: run.ping_p95_s),
    *(Claim(f"own-ping{suffix}", "p95 of pings of a device that loads firmware", schemes, band,
            lambda run: run.own_ping_p95_s)
      for suffix, schemes, band in (("", ("q", "fifo"), (0, 0.3)),
                                    ("-fq", ("q", "fq-codel"), (0, 1)), ("-windows", ("q-windows", "fifo"), (0, 0.15)),
                                    ("-windows-fq", ("q-windows", "fq-codel"), (0, 0.75)),
                                    ("-windows-short", ("q-windows-short", "fq-codel-short"), (0, 1.1)))),
          Claim("report", "p95 of reports", ("q", "fifo"), (0, 0.1), lambda run: run.report_p95_s),
          Claim("page", "p95 of page times", ("q", "codel"), (0, 0.75), lambda run: run.page_p95_s),
          Claim("page-short", "p95 of page times", ("q", "fq-codel-short"), (0.8, 1.2), lambda run: run.page_p95_s),
          Claim("drops", "drops", ("q-windows", "q"), (0, 0.1), lambda run: run.dropped),
          Claim("total", "goodput of all", ("q-windows", "fifo"), (1, MOST), lambda run: run.total_kbps),
          *(Claim(f"{name}-{rival}", what, ("q-windows", rival), band, value_of)
            for rival in ("red", "fq-codel-ms", "cake")
            for name, what, band, value_of in (("page", "p95 of page times", (0, 1.05), lambda run: run.page_p95_s),
                                               ("total", "goodput of all", (0.98, MOST), lambda run: run.total_kbps))),
    Claim("firmware", "time until the last device has its firmware", ("q", "fifo"), (0, 1.2),
          lambda run: run.firmware_s),
]
# Lowered windows leave the beam of the satellite idle at times.
FIRMWARE = {"nb-iot": (0.95, 1.05), "lte-m": (0.95, 1.05), "satellite": (1.05, 1.2)}


def said(band: tuple[float, float]) -> str:
    low, high = band
    return f"at least {low:g}" if high == MOST else f"{low:g} to {high:g}" if low else f"at most {high:g}"


def figure_of(link: str, one: Claim) -> Figure:
    mine, other = one.schemes
    return Figure(f"narrow-{link}-{one.name}", f"{LINKS[link]}: {one.what}, {mine} by {other}",
                  "times", said(one.band), one.band, ratio(Case(link, mine), Case(link, other), one.value_of),
                  "the page's words, after a first run", kind=REGRESSION)


def claims_of(link: str) -> list[Claim]:
    return [*CLAIMS, Claim("firmware-windows", CLAIMS[-1].what, ("q-windows", "q"), FIRMWARE[link],
                           lambda run: run.firmware_s)]


FIGURES = [figure_of(link, one) for link in LINKS for one in claims_of(link)]


# --- tables ---

COLUMNS: list[tuple[str, Value, int]] = [
    ("ping p95 s", lambda run: run.ping_p95_s, 1),
    ("ping beside own download p95 s", lambda run: run.own_ping_p95_s, 1),
    ("report p95 s", lambda run: run.report_p95_s, 1),
    ("worst sensor mean s", lambda run: run.worst_report_s, 1),
    ("page p95 s", lambda run: run.page_p95_s, 0),
    ("last firmware s", lambda run: run.firmware_s, 0),
    ("total kbit/s", lambda run: run.total_kbps, 1),
    ("dropped", lambda run: run.dropped, 3),
    ("pings lost", lambda run: run.lost, 0),
]


def table_of(by_seed: BySeed, link: str, kind: str) -> Table:
    words, schemes = KINDS[kind]
    rows = [[scheme, *(page.fixed(middle(by_seed, Case(link, scheme, kind), value_of), digits)
                       for _, value_of, digits in COLUMNS)]
            for scheme in schemes]
    return Table(f"{LINKS[link]}, {words}. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues", *(title for title, _, _ in COLUMNS)], rows, link + (f"-{kind}" if kind else ""))


def tables(by_seed: BySeed) -> list[Table]:
    return [table_of(by_seed, link, kind) for kind in KINDS for link in LINKS]


# --- plots ---

WIDTH = 0.12
PLOTTED = ("fifo", "codel", "fq-codel", "fq-codel-short", "q", "q-windows", "q-windows-short")
SHOWN: list[tuple[str, str, Value]] = [
    ("ping", "Pings, 95th percentile", lambda run: run.ping_p95_s),
    ("own-ping", "Pings of a device that loads firmware, 95th percentile", lambda run: run.own_ping_p95_s),
    ("page", "Page time, 95th percentile", lambda run: run.page_p95_s),
]


def plots(by_seed: BySeed) -> list[Plot]:
    return [bars(by_seed, *row) for row in SHOWN]


def bars(by_seed: BySeed, name: str, title: str, value_of: Value) -> Plot:
    return bars_of.grouped(
        (f"narrow-{name}", title, "s", f"Medians over {len(by_seed)} seeds."), list(LINKS.values()), PLOTTED,
        lambda group, index: whole(value_of(runs[Case(list(LINKS)[group], PLOTTED[index])])
                                   for runs in by_seed.values())
        or [], bars_of.Style(WIDTH, has_lines=True))
