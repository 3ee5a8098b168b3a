# SPDX-License-Identifier: BSD-3-Clause
"""The tables that both directions of the proxy look up: SGSNs, NSEs, cells, who asked; and what they count."""

from collections import Counter, OrderedDict
from typing import Generic, TypeVar

from gbflow_proxy.bss import Cell, Nse
from gbflow_proxy.ns import Timers
from gbflow_proxy.selection import Member, Pool
from gbflow_proxy.sgsn import Sgsn

MOST_ASKERS = 65536  # entries of a cache

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """The newest entries."""

    def __init__(self, most: int = MOST_ASKERS) -> None:
        self.most = most
        self.entries: OrderedDict[bytes, Value] = OrderedDict()

    def put(self, key: bytes, value: Value) -> None:
        self.entries[key] = value
        self.entries.move_to_end(key)
        if len(self.entries) > self.most:
            self.entries.popitem(last=False)

    def take(self, key: bytes) -> Value | None:
        return self.entries.pop(key, None)

    def get(self, key: bytes) -> Value | None:
        return self.entries.get(key)


class Tables:
    """asked_by: the BSS that a SUSPEND or RESUME came from, by TLLI; pages_of: the SGSN that pages an IMSI. drops: PDUs
    that went nowhere, by reason; counts: other events."""

    def __init__(self, pool: Pool, timers: Timers, ratio: int) -> None:
        self.pool, self.timers, self.ratio = pool, timers, ratio
        self.sgsns: dict[int, Sgsn] = {}
        self.nses: dict[int, Nse] = {}
        self.cells: dict[int, Cell] = {}
        self.asked_by: Cache[Nse] = Cache()
        self.pages_of: Cache[Sgsn] = Cache()
        self.drops: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()

    def is_up(self, member: Member) -> bool:
        return self.sgsns[member.nsei].state == "up"

    def drop(self, reason: str) -> None:
        self.drops[reason] += 1

    def nse(self, nsei: int) -> Nse:
        if nsei not in self.nses:
            self.nses[nsei] = Nse(nsei, self.timers)
        return self.nses[nsei]

    def settle(self, nse: Nse, now: float) -> None:
        """Tells all SGSNs how the cells of a BSS are now."""
        for sgsn in self.sgsns.values():
            for bvci in nse.cells:
                sgsn.legs[bvci].settle(now)

    def put_cell(self, nse: Nse, bvci: int, cell_id: bytes, now: float) -> None:
        """A BSS has reset a cell: every SGSN gets a reset. A cell of this BVCI of another BSS is gone, for BVCIs are
        those of the pool."""
        old = self.cells.get(bvci)
        if old and old.nse is not nse:
            self.counts["cells_evicted"] += 1
            del old.nse.cells[bvci]
        self.cells[bvci] = nse.cells[bvci] = Cell(bvci, nse, cell_id, self.timers)
        for sgsn in self.sgsns.values():
            sgsn.add(self.cells[bvci], now)

    def tick(self, now: float) -> None:
        for sgsn in self.sgsns.values():
            sgsn.tick(now)
        for nse in self.nses.values():
            nse.reset.tick(now)
            for link in list(nse.links.values()):
                link.tick(now)
        for cell in self.cells.values():
            cell.reset.tick(now)
