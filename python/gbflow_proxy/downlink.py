# SPDX-License-Identifier: BSD-3-Clause
"""The downlink, BSSGP from the SGSNs: what is of a cell goes to its BSS, a page once to each BSS that has a cell of
the area."""

from gbflow_proxy import wire
from gbflow_proxy.bss import Nse
from gbflow_proxy.sgsn import Sgsn
from gbflow_proxy.tables import Tables

ANSWERS = frozenset((wire.SUSPEND_ACK, wire.SUSPEND_NACK, wire.RESUME_ACK, wire.RESUME_NACK))
TO_ALL = frozenset((wire.OVERLOAD, wire.INVOKE_TRACE))
RIM_CELL = 0  # RIM Routing Address Discriminator: a GERAN cell


class Downlink:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def receive(self, sgsn: Sgsn, octets: bytes, now: float) -> None:
        """NS-UNITDATA, whole."""
        bvci = octets[2] << 8 | octets[3]
        if bvci == wire.SIGNALLING:
            self._signalling(sgsn, octets, now)
            return
        leg = sgsn.legs.get(bvci)
        if leg is None or leg.state == "absent":
            self._refuse(sgsn, wire.BVCI_UNKNOWN, bvci, octets)
        elif leg.state not in ("unblocked", "blocking"):
            self._refuse(sgsn, wire.BVCI_BLOCKED, bvci, octets)
        elif octets[4] == wire.DL_UNITDATA:
            self._pass(sgsn, leg.cell.nse, octets, int.from_bytes(octets[5:9], "big"))
        elif octets[4] != wire.FC_BVC_ACK:
            if octets[4] in (wire.PAGING_PS, wire.DUMMY_PAGING_PS):
                self._keep_page(sgsn, wire.elements(octets[wire.NS_HEADER:]))
            self._pass(sgsn, leg.cell.nse, octets, bvci)

    def _pass(self, sgsn: Sgsn, nse: Nse, octets: bytes, key: int) -> None:
        if nse.send_whole(octets, key):
            sgsn.down_pdus += 1
        else:
            self.tables.drop("bss_down")

    def _refuse(self, sgsn: Sgsn, cause: int, bvci: int, octets: bytes) -> None:
        """A STATUS is not answered by one."""
        self.tables.drop("down_unknown_bvci" if cause == wire.BVCI_UNKNOWN else "down_blocked_bvci")
        if octets[4] != wire.STATUS:
            sgsn.send(octets[2] << 8 | octets[3], wire.status(cause, bvci, octets[wire.NS_HEADER:]))

    def _keep_page(self, sgsn: Sgsn, found: dict[int, bytes]) -> None:
        self.tables.pages_of.put(found.get(wire.IMSI, b""), sgsn)

    # --- of the signalling BVC

    def _signalling(self, sgsn: Sgsn, octets: bytes, now: float) -> None:
        pdu = octets[wire.NS_HEADER:]
        kind, found = pdu[0], wire.elements(pdu)
        if wire.BVC_BLOCK <= kind <= wire.BVC_UNBLOCK_ACK:
            self._procedure(sgsn, kind, wire.number(found, wire.BVCI, 2), now)
        elif kind in (wire.PAGING_PS, wire.PAGING_CS):
            self._page(sgsn, octets, found)
        elif kind in ANSWERS:
            self._answer(sgsn, octets, found)
        elif kind in wire.RAN_INFORMATION:
            self._ran_information(sgsn, octets, found)
        elif kind in TO_ALL:
            for nse in self.tables.nses.values():
                self._pass(sgsn, nse, octets, wire.SIGNALLING)
        elif len(found.get(wire.BVCI, b"")) == 2:  # FLUSH-LL, STATUS
            self._of_cell(sgsn, octets, wire.number(found, wire.BVCI, 2))
        else:
            self.tables.drop("down_names_no_cell")

    def _of_cell(self, sgsn: Sgsn, octets: bytes, bvci: int) -> None:
        cell = self.tables.cells.get(bvci)
        if cell:
            self._pass(sgsn, cell.nse, octets, wire.SIGNALLING)
        else:
            self._refuse(sgsn, wire.BVCI_UNKNOWN, bvci, octets)

    def _page(self, sgsn: Sgsn, octets: bytes, found: dict[int, bytes]) -> None:
        self._keep_page(sgsn, found)
        if wire.BVCI in found:
            self._of_cell(sgsn, octets, wire.number(found, wire.BVCI, 2))
            return
        everywhere = b"" if wire.BSS_AREA in found else None
        area = found.get(wire.ROUTEING_AREA, found.get(wire.LOCATION_AREA, everywhere))
        nses = [] if area is None else [nse for nse in self.tables.nses.values() if nse.has(area)]
        if not nses:
            self.tables.drop("page_of_no_cell")
        for nse in nses:
            self._pass(sgsn, nse, octets, wire.SIGNALLING)

    def _answer(self, sgsn: Sgsn, octets: bytes, found: dict[int, bytes]) -> None:
        """To a SUSPEND or RESUME, once."""
        nse = self.tables.asked_by.take(found.get(wire.TLLI, b""))
        if nse:
            self._pass(sgsn, nse, octets, wire.SIGNALLING)
        else:
            self.tables.drop("nobody_asked")

    def _ran_information(self, sgsn: Sgsn, octets: bytes, found: dict[int, bytes]) -> None:
        """To the BSS of the destination, the first of two routing informations."""
        target = found.get(wire.RIM_ROUTING, b"")
        if target[:1] == bytes([RIM_CELL]) and len(target) == 1 + wire.CELL_ID_OCTETS:
            for nse in self.tables.nses.values():
                if nse.has(target[1:]):
                    self._pass(sgsn, nse, octets, wire.SIGNALLING)
                    return
        self.tables.drop("rim_to_no_cell")

    # --- procedures of BVCs

    def _procedure(self, sgsn: Sgsn, kind: int, bvci: int, now: float) -> None:
        if kind == wire.BVC_RESET:
            self._reset(sgsn, bvci, now)
        elif bvci == wire.SIGNALLING:
            if kind != wire.BVC_RESET_ACK or not sgsn.reset_acknowledged(now):
                self.tables.drop("down_unexpected")
        elif bvci not in sgsn.legs or not sgsn.legs[bvci].acknowledged(kind, now):
            self.tables.drop("down_unexpected")

    def _reset(self, sgsn: Sgsn, bvci: int, now: float) -> None:
        """Of a cell: it is reset at its BSS. Of the signalling BVC: this SGSN has lost all cells, and those of all BSSs
        are reset, which every SGSN of the pool sees."""
        if bvci == wire.SIGNALLING:
            self.tables.counts["signalling_resets_of_sgsns"] += 1
            sgsn.send(wire.SIGNALLING, wire.bvc_reset_ack(bvci))
            sgsn.lose_cells()
            for nse in self.tables.nses.values():
                nse.reset.start(now)
        elif bvci in sgsn.legs and sgsn.legs[bvci].state != "absent":
            leg = sgsn.legs[bvci]
            self.tables.counts["cell_resets_of_sgsns"] += 1
            sgsn.send(wire.SIGNALLING, wire.bvc_reset_ack(bvci, leg.cell.cell_id))
            leg.was_reset(now)
            leg.cell.reset.start(now)
        else:
            self.tables.drop("down_unknown_bvci")
            sgsn.send(wire.SIGNALLING, wire.of_bvc(wire.STATUS, bvci, wire.cause(wire.BVCI_UNKNOWN)))
