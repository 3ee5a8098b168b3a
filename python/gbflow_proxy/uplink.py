# SPDX-License-Identifier: BSD-3-Clause
"""The uplink, BSSGP from the BSSs: procedures of BVCs end here, what names a mobile goes to its SGSN with its octets
unchanged."""

from gbflow_proxy import wire
from gbflow_proxy.bss import Cell, Nse
from gbflow_proxy.sgsn import Sgsn
from gbflow_proxy.tables import Tables

LOCAL_TLLI = 0xC0000000  # on top of a P-TMSI


class Uplink:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def receive(self, nse: Nse, octets: bytes, now: float) -> None:
        """NS-UNITDATA, whole."""
        bvci = octets[2] << 8 | octets[3]
        if bvci == wire.SIGNALLING:
            self._signalling(nse, octets, now)
            return
        cell = nse.cells.get(bvci)
        if cell is None:
            self.tables.drop("up_unknown_bvci")
            nse.send(bvci, wire.status(wire.BVCI_UNKNOWN, bvci, octets[wire.NS_HEADER:]))
        elif octets[4] == wire.UL_UNITDATA and len(octets) >= 9:
            self._by_tlli(octets, int.from_bytes(octets[5:9], "big"), cell)
        else:
            self._of_cell(cell, octets)

    # --- to an SGSN

    def _pass(self, sgsn: Sgsn, octets: bytes, cell: Cell | None) -> None:
        """cell: None for the signalling BVC."""
        if sgsn.state != "up":
            self.tables.drop("sgsn_down")
        elif cell and sgsn.legs[cell.bvci].state != "unblocked":
            self.tables.drop("up_cell_not_in_service")
        else:
            sgsn.up_pdus += 1
            sgsn.link.send(octets)

    def _by_tlli(self, octets: bytes, tlli: int, cell: Cell | None) -> None:
        member = self.tables.pool.pick(tlli, self.tables.is_up)
        if member is None:
            nri = self.tables.pool.nri_of(tlli)
            has_owner = nri is not None and self.tables.pool.owner_of(nri) is not None
            self.tables.drop("sgsn_down" if has_owner else "no_sgsn")
            return
        self._pass(self.tables.sgsns[member.nsei], octets, cell)

    def _by_elements(self, octets: bytes, found: dict[int, bytes], cell: Cell | None) -> None:
        """By TLLI, else by the P-TMSI, else to the first SGSN of the file."""
        if len(found.get(wire.TLLI, b"")) == 4:
            self._by_tlli(octets, wire.number(found, wire.TLLI, 4), cell)
        elif len(found.get(wire.TMSI, b"")) == 4:
            self._by_tlli(octets, wire.number(found, wire.TMSI, 4) | LOCAL_TLLI, cell)
        else:
            self._pass(next(iter(self.tables.sgsns.values())), octets, cell)

    # --- of a cell

    def _of_cell(self, cell: Cell, octets: bytes) -> None:
        pdu = octets[wire.NS_HEADER:]
        if pdu[0] == wire.UL_UNITDATA:
            raise wire.Malformed("UL-UNITDATA is cut")
        found = wire.elements(pdu)
        if pdu[0] == wire.FC_BVC:
            self._flow_control(cell, pdu, found)
        elif pdu[0] in (wire.PAGING_PS_REJECT, wire.DUMMY_PAGING_PS_RESPONSE):
            self._answer_of_page(cell, octets, found)
        elif pdu[0] == wire.STATUS:
            self.tables.drop("status_of_bss")
        else:
            self._by_elements(octets, found, cell)

    def _flow_control(self, cell: Cell, pdu: bytes, found: dict[int, bytes]) -> None:
        """Answered here; each SGSN gets its share."""
        cell.nse.send(cell.bvci, bytes([wire.FC_BVC_ACK]) + wire.tlv(wire.TAG, found.get(wire.TAG, b"\0")))
        cell.flow = wire.scaled(pdu, self.tables.ratio)
        for sgsn in self.tables.sgsns.values():
            if sgsn.legs[cell.bvci].state == "unblocked":
                sgsn.send(cell.bvci, cell.flow)

    def _answer_of_page(self, cell: Cell, octets: bytes, found: dict[int, bytes]) -> None:
        sgsn = self.tables.pages_of.get(found.get(wire.IMSI, b""))
        if sgsn:
            self._pass(sgsn, octets, cell)
        else:
            self.tables.drop("nobody_pages")

    # --- of the signalling BVC

    def _signalling(self, nse: Nse, octets: bytes, now: float) -> None:
        pdu = octets[wire.NS_HEADER:]
        kind, found = pdu[0], wire.elements(pdu)
        if wire.BVC_BLOCK <= kind <= wire.BVC_UNBLOCK_ACK:
            self._procedure(nse, kind, found, now)
        elif kind == wire.STATUS:
            self.tables.drop("status_of_bss")
        else:
            if kind in (wire.SUSPEND, wire.RESUME):
                self.tables.asked_by.put(found.get(wire.TLLI, b""), nse)
            self._by_elements(octets, found, None)

    def _procedure(self, nse: Nse, kind: int, found: dict[int, bytes], now: float) -> None:
        bvci = wire.number(found, wire.BVCI, 2)
        if kind == wire.BVC_RESET:
            self._reset(nse, bvci, found, now)
        elif kind == wire.BVC_RESET_ACK:
            self._reset_acknowledged(nse, bvci)
        elif kind not in (wire.BVC_BLOCK, wire.BVC_UNBLOCK):
            self.tables.drop("up_unexpected")
        elif bvci not in nse.cells:
            nse.send(wire.SIGNALLING, wire.of_bvc(wire.STATUS, bvci, wire.cause(wire.BVCI_UNKNOWN)))
            self.tables.drop("up_unknown_bvci")
        else:
            cell = nse.cells[bvci]
            cell.is_blocked, cell.cause = kind == wire.BVC_BLOCK, found.get(wire.CAUSE, bytes([cell.cause]))[0]
            nse.send(wire.SIGNALLING, wire.of_bvc(kind + 1, bvci))  # the ACK is the next type
            self.tables.settle(nse, now)

    def _reset(self, nse: Nse, bvci: int, found: dict[int, bytes], now: float) -> None:
        cell_id = found.get(wire.CELL_ID, b"")
        if bvci == wire.SIGNALLING:
            nse.reset.done()
            self._block_all(nse, now)
        elif len(cell_id) != wire.CELL_ID_OCTETS or bvci < wire.FIRST_PTP:
            raise wire.Malformed(f"BVC-RESET of BVCI {bvci} without a Cell Identifier")
        else:
            self.tables.put_cell(nse, bvci, cell_id, now)
        nse.send(wire.SIGNALLING, wire.bvc_reset_ack(bvci, cell_id))

    def _reset_acknowledged(self, nse: Nse, bvci: int) -> None:
        """Of a reset of ours. Cells of a reset signalling BVC stay in service until the BSS resets them."""
        reset = nse.reset if bvci == wire.SIGNALLING else nse.cells[bvci].reset if bvci in nse.cells else None
        if reset is None or not reset.done():
            self.tables.drop("up_unexpected")

    def _block_all(self, nse: Nse, now: float) -> None:
        """The signalling BVC was reset: the BSS resets each of its cells next."""
        for cell in nse.cells.values():
            cell.is_blocked, cell.cause = True, wire.OM_INTERVENTION
        self.tables.settle(nse, now)
