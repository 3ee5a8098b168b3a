# SPDX-License-Identifier: BSD-3-Clause
"""A running `gbflow emulate` over its telemetry socket (docs/emulate.md): cells, mobiles, and what waits in the BSS."""

import time
from collections.abc import Callable, Sequence

from gbflow_top.node import Rates, total
from gbflow_top.source import Figure, Live, Opened, Snapshot
from gbflow_top.tables import Column, Row, View
from gbflow_top.telemetry import Client
from gbflow_top.text import Value, percent, period, short

# Counters that the tables show as increases a second: column, table's column, factor.
CELL_RATES = (("down_bps", "down_delivered_octets", 8), ("up_bps", "up_delivered_octets", 8),
              ("down_blocks_s", "down_blocks", 1), ("up_blocks_s", "up_blocks", 1),
              ("again_s", "down_retransmitted_blocks", 1), ("discarded_s", "down_discarded", 1))
MOBILE_RATES = (("down_bps", "down_octets", 8), ("up_bps", "up_octets", 8))
PLOTS = (("down_queued_octets", "downlink queue, octets", ""), ("up_queued_octets", "uplink queue, octets", ""),
         ("down_bps", "downlink, bit/s", ""))

CELLS = View("cells", (Column("bvci", "bvci"), Column("in_service", "service", 7, is_text=True),
                       Column("down_queued", "queue", 5), Column("down_queued_octets", "octets", 6),
                       Column("down_bps", "down b/s", 8), Column("down_blocks_s", "blocks/s", 8),
                       Column("down_use", "use", 4, percent),
                       Column("again_s", "again/s", 7), Column("discarded_s", "disc/s", 6),
                       Column("up_queued", "up queue", 8), Column("up_bps", "up b/s", 6),
                       Column("up_blocks_s", "up blk/s", 8), Column("down_discarded", "discarded", 9),
                       Column("down_tbf_setups", "TBFs", 5), Column("preemptions", "preempted", 9)), ("bvci",),
             "down_queued_octets", plots=(*PLOTS, ("down_use", "downlink radio blocks used, share", "")),
             what="cells and their radio")
MOBILES = View("mobiles", (Column("name", "imsi/address", 15, is_text=True), Column("tlli", "tlli", 8, is_text=True),
                           Column("bvci", "bvci", 4), Column("down_queued", "queue", 5),
                           Column("down_queued_octets", "octets", 6), Column("down_bps", "down b/s", 8),
                           Column("up_queued_octets", "up oct", 6),
                           Column("up_bps", "up b/s", 6), Column("down_npdus", "down", 6), Column("up_npdus", "up", 6),
                           Column("incomplete_npdus", "broken", 6),
                           Column("bad_frames", "bad", 4), Column("state", "state", 10, is_text=True)), ("name",),
               "down_queued_octets", plots=PLOTS, what="mobiles and phones")
GB = View("gb", (Column("what", "Gb", 20, is_text=True), Column("per_s", "per s", 8),
                 Column("count", "since start", 11)),
          ("what",), "count", plots=(("per_s", "a second", ""),), what="NS and BSSGP towards the SGSN")


class Bss(Live):
    views = (CELLS, MOBILES, GB)
    overview = (("cells", 4), ("mobiles", 1000))
    needs_two = True

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic):
        super().__init__(client, "BSS", clock)
        self.rates = Rates()

    def read(self, opened: Opened | None) -> Snapshot:
        bss = self.client.row("bss")
        if self.uptime.has_restarted(bss.get("uptime_s"), self.clock()):
            self.rates.forget()
        cells, mobiles = self.client.rows("bss_cells", 0), self.client.rows("bss_mobiles", 0)
        now_s = self.clock()
        cells = [with_use(self.with_rates(row, ("cell", row.get("bvci")), CELL_RATES, now_s)) for row in cells]
        mobiles = [self.with_rates(row, ("mobile", row.get("name")), MOBILE_RATES, now_s) for row in mobiles]
        counts = [{"what": name, "count": value, "per_s": self.rates.rate_of(("gb", name), value, now_s)}
                  for name, value in bss.items() if name not in ("version", "nsei", "uptime_s", "cells", "mobiles",
                                                                 "phones")]
        title = [f"BSS {self.client.prefix}", f"NSEI {short(bss.get('nsei'))}", f"gbflow {bss.get('version')}",
                 f"up {period(self.uptime.seconds)}", f"{short(bss.get('cells'))} cells",
                 f"{short(bss.get('mobiles'))} mobiles", f"{short(bss.get('phones'))} phones"]
        return Snapshot(title, figures_of(cells), {"cells": cells, "mobiles": mobiles, "gb": counts},
                        self.uptime.notes(now_s))

    def with_rates(self, row: Row, key: tuple[Value, ...], rates: Sequence[tuple[str, str, int]], now_s: float) -> Row:
        found = {name: self.rates.rate_of((*key, counter), row.get(counter), now_s) for name, counter, _ in rates}
        return {**row,
                **{name: rate * factor if (rate := found[name]) is not None else None for name, _, factor in rates}}


def with_use(row: Row) -> Row:
    """The share of the downlink's radio blocks that were used."""
    used, most = row.get("down_blocks_s"), row.get("possible_blocks")
    return {**row, "down_use": used / most if isinstance(used, (int, float)) and isinstance(most, (int, float))
            and most > 0 else None}


def figures_of(cells: Sequence[Row]) -> list[Figure]:
    def rate(label: str, way: str) -> Figure:
        bps, blocks = total(cells, way + "_bps"), total(cells, way + "_blocks_s")
        return Figure(label, f"{short(bps)}bit/s  {short(blocks)} radio blocks/s", bps)

    octets = total(cells, "down_queued_octets")
    queued = Figure("queued", f"{short(total(cells, 'down_queued'))} LLC-PDUs  {short(octets)} octets  up "
                    f"{short(total(cells, 'up_queued_octets'))} octets", octets)
    lost = total(cells, "discarded_s")
    return [rate("downlink", "down"), rate("uplink", "up"), queued,
            Figure("discarded", f"{short(lost)} LLC-PDU/s  {short(total(cells, 'down_discarded'))} since the start",
                   lost)]
