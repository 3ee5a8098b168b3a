# SPDX-License-Identifier: BSD-3-Clause
"""A running node over its telemetry socket (docs/serve.md: gbflow show)."""

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from gbflow_top import text
from gbflow_top.source import Figure, Live, Opened, Snapshot
from gbflow_top.tables import Column, Row, View
from gbflow_top.telemetry import Client
from gbflow_top.text import Value, percent, period, short

# The table of mobiles takes at most this share of the time, so that the node's control thread has time for its work.
MOBILES_SHARE = 0.2
REASON = re.compile(r"\b([A-Za-z_0-9]{1,64}) ([0-9]{1,20})\b")

QUEUE = (Column("queued_npdus", "queue", 5), Column("queued_octets", "octets", 6))
BUCKET = (Column("full", "full", 4, percent), Column("level_octets", "level", 5), Column("max_octets", "Bmax", 5),
          Column("leak_bps", "leak", 5))
RATES = (Column("in_bps", "in b/s", 6), Column("out_bps", "out b/s", 7))
SOJOURN = (Column("sojourn_p50_us", "p50 ms", 6, factor=0.001), Column("sojourn_p95_us", "p95 ms", 6, factor=0.001))
LOST = (Column("dropped_per_s", "drop/s", 6), Column("marked_per_s", "mark/s", 6))
REASONS = Column("reasons", "reasons", 8, is_text=True)
QUEUE_PLOTS = (("queued_octets", "queue, octets", ""), ("level_octets", "bucket level, octets; Bmax is the top",
                                                        "max_octets"),
               ("sojourn_p95_us", "sojourn p95, milliseconds", ""), ("out_bps", "sent, bit/s", ""))
CLASS_PLOTS = tuple(plot for plot in QUEUE_PLOTS if plot[0] != "level_octets")

CELLS = View("cells", (Column("bvci", "bvci"), Column("state", "state", 9, is_text=True),
                       *QUEUE, *BUCKET, *RATES, *SOJOURN, *LOST, REASONS, Column("nsei", "nsei"),
                       Column("usable", "usable", 6, is_text=True), Column("ms_buckets", "buckets", 7)),
             ("nsei", "bvci"), "queued_octets", plots=QUEUE_PLOTS, what="cells (BVCs)")
WAITS = tuple(Column(f"wait_{name}_percent", f"{head} %", 4) for name, head in (
    ("own_bucket", "own"), ("pfc_bucket", "PFC"), ("cell_bucket", "cell"), ("link_bucket", "link"), ("turn", "turn"),
    ("window", "window"),
    ("suspended", "suspended"), ("page", "page"), ("unusable_cell", "unusable cell"), ("moving", "moving")))
MOBILES = View("mobiles", (Column("imsi", "imsi", 15, is_text=True), Column("tlli", "tlli", 8, is_text=True),
                           Column("bvci", "bvci", 4), *QUEUE, Column("waits_for", "waits for", 9, is_text=True),
                           BUCKET[0], RATES[1], *SOJOURN, LOST[0], *BUCKET[1:], RATES[0], LOST[1], REASONS,
                           Column("state", "state", 6, is_text=True), Column("nsei", "nsei", 4),
                           Column("contexts", "ctx", 3),
                           Column("sent", "sent"), Column("dropped", "dropped", 7), *WAITS),
               ("imsi", "tlli"), "queued_octets", plots=QUEUE_PLOTS, what="mobiles, the longest queue first")
CLASSES = View("classes", (Column("class", "class", 14, is_text=True), *QUEUE, *RATES, Column("in_per_s", "in/s"),
                           Column("out_per_s", "out/s"), *SOJOURN, *LOST, REASONS),
               ("class",), "queued_octets", plots=CLASS_PLOTS, what="traffic classes")
DROPS = View("drops", (Column("reason", "reason", 20, is_text=True), Column("of", "of", 5, is_text=True),
                       Column("side", "side", 4, is_text=True),
                       Column("per_s", "per s", 6), Column("count", "since start", 11)),
             ("side", "of", "reason"), "per_s", plots=(("per_s", "drops a second", ""),), what="drops, by reason")
MEMORY = View("memory", (Column("what", "memory", 14, is_text=True), Column("used", "used", 8),
                         Column("unit", "unit", 8, is_text=True), Column("meaning", "meaning", 20, is_text=True)),
              ("what",), "what", is_descending=False, plots=(("used", "used", ""),), what="packet buffers and memory")
MEMORY_ROWS = (("rx_buffers", "buffers", "received frames and queued N-PDUs"),
               ("tx_buffers", "buffers", "frames that the node makes"),
               ("lua_octets", "octets", "the control plane's Lua"),
               ("record_octets", "octets", "records for a restart of control"),
               ("records", "records", "records for a restart of control"),
               ("unanswered", "orders", "orders that workers have not answered"))


class Rates:
    """Increases a second of counters, by their keys; None for a key that is new or went back."""

    def __init__(self) -> None:
        self.before: dict[object, tuple[float, float]] = {}

    def rate_of(self, key: object, count: Value, now_s: float) -> float | None:
        if not isinstance(count, (int, float)):
            return None
        was, self.before[key] = self.before.get(key), (now_s, count)
        if was is None or now_s <= was[0] or count < was[1]:
            return None
        return (count - was[1]) / (now_s - was[0])

    def forget(self) -> None:
        self.before.clear()


def total(rows: Sequence[Row], name: str) -> float:
    return sum(text.numbers([row.get(name) for row in rows]))


def with_full(row: Row) -> Row:
    """Adds the share of its bucket that is full."""
    level, most = row.get("level_octets"), row.get("max_octets")
    share = level / most if isinstance(level, (int, float)) and isinstance(most, (int, float)) and most > 0 else None
    return {**row, "full": share}


def reasons_of(rows: Sequence[Row]) -> str:
    """The drop reasons of all rows, the most frequent first."""
    counts: Counter[str] = Counter()
    for row in rows:
        for name, count in REASON.findall(str(row.get("reasons") or "")):
            counts[name] += int(count)
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


class Node(Live):
    views = (CELLS, MOBILES, CLASSES, DROPS, MEMORY)
    overview = (("classes", 4), ("cells", 4), ("mobiles", 1000))
    needs_two = False

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic):
        super().__init__(client, "node", clock)
        self.rates = Rates()
        self.mobiles: list[Row] = []
        self.place: dict[tuple[Value, ...], int] = {}
        self.read_at_s, self.reading_s = float("-inf"), 0.0

    def read(self, opened: Opened | None) -> Snapshot:
        node = self.client.row("node")
        if self.uptime.has_restarted(node.get("uptime_s"), self.clock()):
            self.rates.forget()
            self.read_at_s = float("-inf")
        control = (self.client.rows("control", 0) or [{}])[0]
        classes, cells = self.client.rows("class", 0), [with_full(row) for row in self.client.rows("bvc", 0)]
        now_s = self.clock()
        drops = [{**row, "per_s": self.rates.rate_of((row.get("side"), row.get("of"), row.get("reason")),
                                                     row.get("count"), now_s)}
                 for row in self.client.rows("drops", 0)]
        self.read_mobiles(opened)
        tables = {"cells": cells, "mobiles": self.mobiles, "classes": classes, "drops": drops,
                  "memory": memory_of(control)}
        figures = figures_of(node, control, classes, self.rates, now_s)
        return Snapshot(self.title(node), [*figures, waits_of(self.mobiles)], tables, self.uptime.notes(now_s))

    def title(self, node: Row) -> list[str]:
        words = [f"node {self.client.prefix}", f"up {period(self.uptime.seconds)}",
                 f"{short(node.get('mobiles'))} mobiles", f"{short(node.get('contexts'))} contexts"]
        pause_s = self.reading_s / MOBILES_SHARE
        return [*words, *([f"mobiles every {pause_s:.0f} s"] if pause_s >= 1.5 else []),
                f"gbflow {node.get('version')}"]

    def read_mobiles(self, opened: Opened | None) -> None:
        """All of them where that takes little of the time since the last reading; the opened one always."""
        begin_s = self.clock()
        if begin_s - self.read_at_s >= self.reading_s / MOBILES_SHARE:
            self.mobiles = [with_full(row) for row in self.client.rows("ms", 0)]
            self.place = {MOBILES.key_of(row): at for at, row in enumerate(self.mobiles)}
            self.read_at_s, self.reading_s = begin_s, self.clock() - begin_s
        elif opened and opened.view == "mobiles":
            self.read_one(opened)

    def read_one(self, opened: Opened) -> None:
        """By its place in the table, unless another mobile is there now: then all are read the next time."""
        at = self.place.get(opened.key)
        rows = self.client.rows("ms", at, is_all=False)[:1] if at is not None else []
        if rows and MOBILES.key_of(rows[0]) == opened.key:
            self.mobiles = [*self.mobiles[:at], with_full(rows[0]), *self.mobiles[(at or 0) + 1:]]
        else:
            self.read_at_s = float("-inf")


def waits_of(mobiles: Sequence[Row]) -> Figure:
    """How many mobiles wait, by cause, the most frequent first."""
    counts = Counter(str(row["waits_for"]) for row in mobiles if row.get("waits_for") not in (None, "-"))
    words = [", ".join(f"{cause} {count}" for cause, count in counts.most_common())]
    return Figure("waiting", "  ".join([f"{short(sum(counts.values()))} mobiles", *words]), sum(counts.values()))


def memory_of(control: Row) -> list[Row]:
    return [{"what": name, "used": control.get(name), "unit": unit, "meaning": meaning}
            for name, unit, meaning in MEMORY_ROWS]


def figures_of(node: Mapping[str, Value], control: Row, classes: Sequence[Row], rates: Rates,
               now_s: float) -> list[Figure]:
    """The head of the screen: the last second of all classes, which the node counts itself."""
    ways = [Figure(label, f"{short(total(classes, way + '_per_s'))} N-PDU/s  "
                   f"{short(total(classes, way + '_bps'))}bit/s", total(classes, way + "_bps"))
            for label, way in (("in", "in"), ("out", "out"))]
    dropped = total(classes, "dropped_per_s")
    lost = Figure("dropped", f"{short(dropped)} N-PDU/s  {reasons_of(classes)}", dropped)
    octets = total(classes, "queued_octets")
    queued = Figure("queued", f"{short(node.get('npdu_queued'))} N-PDUs  {short(octets)} octets", octets)
    buffers = Figure("buffers", f"{short(control.get('rx_buffers'))} rx  {short(control.get('tx_buffers'))} tx  Lua "
                     f"{short(control.get('lua_octets'))} octets", control.get("rx_buffers"))
    uplink = rates.rate_of("uplink", node.get("uplink_npdus"), now_s)
    up = Figure("uplink", f"{short(uplink)} N-PDU/s", uplink)
    return [*ways, lost, queued, up, buffers]
