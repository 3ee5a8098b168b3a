# SPDX-License-Identifier: BSD-3-Clause
"""A BSS as the proxy sees it, which is its SGSN: an NSE with NS-VCs and cells (TS 48.018 clause 8)."""

import math
from collections.abc import Callable

from gbflow_proxy import wire
from gbflow_proxy.ns import Link, Timers

RESETS = 4  # BVC-RESETs of ours without answer


class Reset:
    """BVC-RESET of one BVC by the proxy, repeated until the BSS acknowledges it or resets the BVC itself."""

    def __init__(self, ask: Callable[[], None], retry_s: float) -> None:
        self.ask, self.retry_s = ask, retry_s
        self.at, self.left = math.inf, 0

    def start(self, now: float) -> None:
        self.left = RESETS
        self.tick(now, is_due=True)

    def done(self) -> bool:
        """Whether it was awaited."""
        was, self.at = self.at < math.inf, math.inf
        return was

    def tick(self, now: float, is_due: bool = False) -> None:
        if not is_due and now < self.at:
            return
        self.left -= 1
        self.at = now + self.retry_s if self.left >= 0 else math.inf
        if self.left >= 0:
            self.ask()


class Nse:
    """An NSE. links: its NS-VCs by the far end; cells: its BVCs by BVCI."""

    def __init__(self, nsei: int, timers: Timers) -> None:
        self.nsei = nsei
        self.links: dict[tuple, Link] = {}
        self.cells: dict[int, Cell] = {}
        self.reset = Reset(lambda: self.send(wire.SIGNALLING, wire.bvc_reset(wire.SIGNALLING)), timers.retry)

    @property
    def is_up(self) -> bool:
        return any(link.is_up for link in self.links.values())

    def send(self, bvci: int, pdu: bytes) -> bool:
        return self.send_whole(wire.ns_unitdata(bvci, pdu), bvci)

    def send_whole(self, octets: bytes, key: int) -> bool:
        """NS-UNITDATA on one of the NS-VCs that are up; equal keys (TLLIs, BVCIs) take the same one. Whether there was
        one."""
        ways = [link for link in self.links.values() if link.is_up]
        if ways:
            ways[key % len(ways)].send(octets)
        return bool(ways)

    def has(self, area: bytes) -> bool:
        """Whether a cell is in an area, a beginning of its Cell Identifier."""
        return any(cell.cell_id.startswith(area) for cell in self.cells.values())


class Cell:
    """A PTP BVC. flow: its last FLOW-CONTROL-BVC as the SGSNs get it, empty: none since the reset."""

    def __init__(self, bvci: int, nse: Nse, cell_id: bytes, timers: Timers) -> None:
        self.bvci, self.nse, self.cell_id, self.flow = bvci, nse, cell_id, b""
        self.is_blocked = False  # by the BSS
        self.cause = wire.OM_INTERVENTION  # of the block
        self.reset = Reset(lambda: nse.send(wire.SIGNALLING, wire.bvc_reset(bvci, cell_id)), timers.retry)

    def is_in_service(self) -> bool:
        return not self.is_blocked and self.nse.is_up
