# SPDX-License-Identifier: BSD-3-Clause
"""An SGSN of the pool as the proxy sees it, which is its BSS: one NSE, the signalling BVC and a leg for each cell."""

import math

from gbflow_proxy import wire
from gbflow_proxy.bss import Cell
from gbflow_proxy.ns import Link, Timers
from gbflow_proxy.selection import Member


AWAITED = {"resetting": (wire.BVC_RESET_ACK, "unblocked"), "blocking": (wire.BVC_BLOCK_ACK, "blocked"),
           "unblocking": (wire.BVC_UNBLOCK_ACK, "unblocked")}


class Leg:
    """A cell at one SGSN. States: absent, resetting, unblocked, blocking, blocked, unblocking. A reset ends unblocked,
    without BVC-UNBLOCK; then the state of the cell at its BSS is copied."""

    def __init__(self, cell: Cell, sgsn: "Sgsn") -> None:
        self.cell, self.sgsn = cell, sgsn
        self.state, self.retry_at = "absent", math.inf
        self.is_forgotten = False  # until the BSS resets the cell

    def _ask(self, state: str, now: float) -> None:
        self.state, self.retry_at = state, now + self.sgsn.timers.retry
        bvci = self.cell.bvci
        if state == "resetting":
            pdu = wire.bvc_reset(bvci, self.cell.cell_id)
        elif state == "blocking":
            cause = self.cell.cause if self.cell.nse.is_up else wire.EQUIPMENT_FAILURE
            pdu = wire.of_bvc(wire.BVC_BLOCK, bvci, wire.cause(cause))
        else:
            pdu = wire.of_bvc(wire.BVC_UNBLOCK, bvci)
        self.sgsn.send(wire.SIGNALLING, pdu)

    def reset(self, now: float) -> None:
        self._ask("resetting", now)

    def end(self, is_forgotten: bool) -> None:
        self.state, self.retry_at, self.is_forgotten = "absent", math.inf, is_forgotten

    def settle(self, now: float) -> None:
        """Tells the SGSN if the cell is not as it knows it."""
        is_served = self.cell.is_in_service()
        if self.state == "unblocked" and not is_served:
            self._ask("blocking", now)
        elif self.state == "blocked" and is_served:
            self._ask("unblocking", now)

    def acknowledged(self, kind: int, now: float) -> bool:
        """BVC-RESET-ACK, BVC-BLOCK-ACK or BVC-UNBLOCK-ACK; whether it was awaited."""
        awaited, state = AWAITED.get(self.state, (None, ""))
        if kind != awaited:
            return False
        self.state, self.retry_at = state, math.inf
        if kind == wire.BVC_RESET_ACK:
            self.was_reset(now)
        else:
            self.settle(now)
        return True

    def was_reset(self, now: float) -> None:
        """By either end. The SGSN knows no buckets then; a BSS that was acknowledged before may have sent them."""
        self.state, self.retry_at = "unblocked", math.inf
        if self.cell.flow and not self.sgsn.forgets:
            self.sgsn.send(self.cell.bvci, self.cell.flow)
        self.settle(now)

    def tick(self, now: float) -> None:
        if now >= self.retry_at:
            self._ask(self.state, now)


class Sgsn:
    """member: its place in the pool. state of its signalling BVC: down, resetting, up. up_pdus, down_pdus: PDUs passed
    on. forgets: as osmo-gbproxy of 2021, the cells when NS fails, until their BSSs reset them, and the buckets that a
    BSS has sent before the SGSN acknowledged the reset of a cell."""

    def __init__(self, member: Member, timers: Timers, forgets: bool = False) -> None:
        self.member, self.timers, self.forgets = member, timers, forgets
        self.link: Link
        self.legs: dict[int, Leg] = {}
        self.state, self.retry_at = "down", math.inf
        self.up_pdus = self.down_pdus = 0

    def send(self, bvci: int, pdu: bytes) -> None:
        self.link.send(wire.ns_unitdata(bvci, pdu))

    def link_changed(self, link: Link, now: float) -> None:
        if link.is_up:
            self._ask(now)
        else:
            self.state, self.retry_at = "down", math.inf
            self.lose_cells(self.forgets)

    def _ask(self, now: float) -> None:
        self.state, self.retry_at = "resetting", now + self.timers.retry
        self.send(wire.SIGNALLING, wire.bvc_reset(wire.SIGNALLING))

    def reset_acknowledged(self, now: float) -> bool:
        """BVC-RESET-ACK of the signalling BVC: the cells follow. Whether it was awaited."""
        if self.state != "resetting":
            return False
        self.state, self.retry_at = "up", math.inf
        for leg in self.legs.values():
            if not leg.is_forgotten:
                leg.reset(now)
        return True

    def lose_cells(self, is_forgotten: bool = True) -> None:
        """is_forgotten: each comes back when its BSS resets it, else when the signalling BVC has been reset."""
        for leg in self.legs.values():
            if leg.state != "absent":
                leg.end(is_forgotten)

    def add(self, cell: Cell, now: float) -> None:
        leg = self.legs[cell.bvci] = Leg(cell, self)
        if self.state == "up":
            leg.reset(now)

    def tick(self, now: float) -> None:
        self.link.tick(now)
        if now >= self.retry_at:
            self._ask(now)
        for leg in self.legs.values():
            leg.tick(now)
