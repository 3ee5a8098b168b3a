# SPDX-License-Identifier: BSD-3-Clause
"""State of the cells (BVCs) as the signalling in the capture tells it (flow-control rules of TS 48.018 clauses 8.2 to 8.4)."""
from gb_oracle import bssgp
from gb_oracle.bucket import NEVER
from gb_oracle.level import Change, Level


class Mobile:
    """One TLLI in one cell."""

    def __init__(self, level):
        self.level, self.last_ns = level, 0


class Cell:
    """One BVC since its last reset. gate_ns: the span in which an UNBLOCK took effect."""

    def __init__(self, now_ns=0):
        self.level, self.template, self.mobiles = Level(), Level(), {}
        self.defaults, self.announced, self.blocked = (0, 0), False, False
        self.last_ns, self.gate_ns, self.unanswered = now_ns, (0, 0), {}

    def mobile(self, tlli, now_ns):
        if tlli not in self.mobiles:
            self.mobiles[tlli] = Mobile(self.template.copy())
        mobile = self.mobiles[tlli]
        mobile.level.expire(self.defaults, now_ns)
        return mobile

    def levels(self):
        return [self.template] + [mobile.level for mobile in self.mobiles.values()]


class Cells:
    """Follows the signalling; get() gives the cell of an event."""

    def __init__(self, rules, report):
        self.rules, self.report = rules, report
        self.cells, self.blocked_links, self.offered, self.cbl = {}, set(), {}, set()
        self.actions = {
            bssgp.FC_BVC: self._flow_control_bvc, bssgp.FC_MS: self._flow_control_ms,
            bssgp.FC_BVC_ACK: self._acknowledged, bssgp.FC_MS_ACK: self._acknowledged,
            bssgp.BVC_RESET: self._reset, bssgp.BVC_RESET_ACK: self._reset_ack, bssgp.BVC_BLOCK_ACK: self._block_ack,
            bssgp.BVC_UNBLOCK: self._unblock, bssgp.BVC_UNBLOCK_ACK: self._unblock_ack,
            bssgp.LLC_DISCARDED: self._discarded,
        }

    def get(self, nse, bvci):
        return self.cells.setdefault((nse, bvci), Cell())

    def signalling(self, event):
        """Takes any event that is no DL-UNITDATA."""
        if event.pdu is None:
            self._ns(event)
        elif event.pdu.kind in self.actions:
            self.actions[event.pdu.kind](event, event.pdu)

    def finish(self):
        """Announcements that nobody acknowledged."""
        for cell in self.cells.values():
            for event in cell.unanswered.values():
                self.report["flow_control_ack"].fail(event, "flow control was never acknowledged")

    def _ns(self, event):
        if event.ns_kind in (bssgp.NS_RESET_ACK, bssgp.NS_BLOCK_ACK):
            self.blocked_links.add(event.link)
        elif event.ns_kind in (bssgp.NS_UNBLOCK, bssgp.NS_UNBLOCK_ACK):
            self.blocked_links.discard(event.link)
            for (nse, _), cell in self.cells.items():
                if nse == event.nse:
                    self._gate(cell, event.time_ns, event.ns_kind == bssgp.NS_UNBLOCK_ACK)

    @staticmethod
    def _gate(cell, now_ns, is_answered):
        cell.gate_ns = (cell.gate_ns[0], now_ns) if is_answered else (now_ns, NEVER)

    def _announce(self, event, cell, key):
        cell.announced = cell.announced or event.pdu.kind == bssgp.FC_BVC
        if key in cell.unanswered:
            self.report["flow_control_ack"].fail(cell.unanswered[key], "flow control was never acknowledged")
        self.report["flow_control_ack"].saw()
        cell.unanswered[key] = event

    def _ratio(self, event):
        return event.pdu.number(bssgp.RATIO) if event.nse in self.cbl else None

    def _expect(self, event, what, found, wanted):
        if wanted is not None:
            self.report["announced"].expect(found == wanted, event, f"{what} {found[0]} octets, {found[1]} bit/s announced, "
                                            f"{wanted[0]} octets, {wanted[1]} bit/s due")

    def _flow_control_bvc(self, event, pdu):
        cell, now_ns, key = self.get(event.nse, event.bvci), event.time_ns, (None, pdu.number(bssgp.TAG))
        own = pdu.scaled(bssgp.BVC_BUCKET), pdu.scaled(bssgp.LEAK_RATE)
        cell_defaults = pdu.scaled(bssgp.BMAX_MS_DEFAULT), pdu.scaled(bssgp.RATE_MS_DEFAULT)
        self._expect(event, "BVC bucket", own, self.rules.bvc)
        self._expect(event, "default MS bucket", cell_defaults, self.rules.ms)
        self._announce(event, cell, key)
        cell.level.announce(Change(key, *own, ratio=self._ratio(event)), now_ns)
        for level in cell.levels():
            level.expire(cell.defaults, now_ns)
            level.announce(Change(key, *cell_defaults), now_ns)
        cell.defaults = cell_defaults

    def _flow_control_ms(self, event, pdu):
        cell, key = self.get(event.nse, event.bvci), (pdu.tlli, pdu.number(bssgp.TAG))
        self._announce(event, cell, key)
        change = Change(key, pdu.scaled(bssgp.MS_BUCKET), pdu.scaled(bssgp.LEAK_RATE), self._ratio(event), True,
                        self.rules.th_ns)
        cell.mobile(pdu.tlli, event.time_ns).level.announce(change, event.time_ns)

    def _acknowledged(self, event, pdu):
        cell = self.get(event.nse, event.bvci)
        key = (pdu.tlli if pdu.kind == bssgp.FC_MS_ACK else None, pdu.number(bssgp.TAG))
        asked = cell.unanswered.pop(key, None)
        self.report["flow_control_ack"].expect(asked is not None, event, f"tag {key[1]} acknowledges nothing")
        for level in [cell.level] + cell.levels():
            level.acknowledge(key, event.time_ns)

    def _reset(self, event, pdu):
        if pdu.number(bssgp.BVCI) == 0:
            self.offered[event.nse] = pdu.number(bssgp.FEATURES) or 0
        if event.down:
            self._forget(event, pdu.number(bssgp.BVCI))

    def _reset_ack(self, event, pdu):
        bvci = pdu.number(bssgp.BVCI)
        if bvci == 0:
            both = self.offered.get(event.nse, 0) & (pdu.number(bssgp.FEATURES) or 0)
            (self.cbl.add if both & 2 else self.cbl.discard)(event.nse)
        self._forget(event, bvci)

    def _forget(self, event, bvci):
        for key in list(self.cells):
            if key[0] == event.nse and bvci in (0, key[1]):
                self.cells[key] = Cell(event.time_ns)

    def _named(self, event):
        return self.get(event.nse, event.pdu.number(bssgp.BVCI))

    def _block_ack(self, event, _):
        self._named(event).blocked = True

    def _unblock(self, event, _):
        self._named(event).blocked = False
        self._gate(self._named(event), event.time_ns, False)

    def _unblock_ack(self, event, _):
        self._gate(self._named(event), event.time_ns, True)

    def _discarded(self, event, pdu):
        if self.rules.discarded == "correct":
            cell, octets = self._named(event), pdu.number(bssgp.OCTETS_AFFECTED)
            cell.level.discard(octets, event.time_ns)
            cell.mobile(pdu.tlli, event.time_ns).level.discard(octets, event.time_ns)
