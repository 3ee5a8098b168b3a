# SPDX-License-Identifier: BSD-3-Clause
"""Work conservation: a cell never waits for one mobile's bucket, or for nothing, while another mobile's PDU could go.

For a departure of mobile m, prev being the departure before it in the cell: r = max(when its segment became head of m's queue,
when m's bucket has room); it must leave at max(prev, r, when the cell's bucket has room), to the nanosecond. And no other waiting
mobile may have been able to go before r. A cell may wait with a chosen PDU for its own bucket's sake, whatever shorter PDU there is;
when that PDU dies (of its lifetime, or with its session), another may leave at that instant. A chosen PDU may be one that never left.
"""
from collections import deque

from gb_oracle import bssgp, gb
from gb_oracle import lost as losses
from gb_oracle.report import seconds


class Idle:
    """Judges departures; knows each mobile's coming departures and what was lost."""

    def __init__(self, events, idle_input, report, rules):
        self.report, self.rules = report, rules
        self.queues, self.lost, self.instants, self.end_ns = {}, {}, {}, 0
        for event in events:
            if isinstance(event, gb.DlPdu):
                self.queues.setdefault(event.cell, {}).setdefault(event.tlli, deque()).append(event)
        self.resets = [event for event in events if event.pdu is not None and event.pdu.kind == bssgp.BVC_RESET]
        if idle_input is not None:
            self._find_lost(*idle_input)

    def _find_lost(self, names, stream):
        homes = {}
        for cell, queues in self.queues.items():
            homes.update({tlli: cell for tlli in queues})
        known = {address: tlli for (tlli, _), address in names.items()}
        for address, packets in stream.by_address.items():
            self.end_ns = max(self.end_ns, packets[-1].time_ns)
            tlli = known.get(address)
            if tlli is None:
                self.report.note("captured packets of mobiles that got nothing", len(packets))
            for cell in self.queues if tlli is None else (homes[tlli],):
                self._keep(cell, losses.find(packets, tlli, self._resets_ns(cell), self.rules))

    def _resets_ns(self, cell):
        return [event.time_ns for event in self.resets if event.nse == cell[0] and event.pdu.number(bssgp.BVCI) in (0, cell[1])]

    def _keep(self, cell, found):
        check = self.report["needless_drop"]
        for lost in found:
            if lost.tlli is not None and lost.is_sure:
                check.expect(not lost.is_needless(), lost.packet, lambda one=lost: f"TLLI {one.tlli:08x}: Gn packet was lost, and a "
                             f"later one left at {seconds(one.overtaken_by.time_ns)} s (packet {one.overtaken_by.number})")
        self.lost.setdefault(cell, []).extend(lost for lost in found if lost.tlli is None or not lost.is_needless())
        self.instants.setdefault(cell, set()).update(*(lost.instants() for lost in found))

    @staticmethod
    def _head_ns(mobile, pdu):
        """When a PDU became head of its mobile's queue."""
        return max(pdu.npdu.packet.time_ns, mobile.last_ns) if pdu is pdu.npdu.first else mobile.last_ns

    def judge(self, cell, mobile, pdu):
        """To be called before the departure is charged."""
        queue = self.queues[pdu.cell][pdu.tlli]
        queue.popleft()
        if pdu.npdu is None or pdu.npdu.packet is None:
            return
        head_ns = self._head_ns(mobile, pdu)
        room_ns, latest_room_ns = mobile.level.range_ns(pdu.octets)
        cell_room_ns = cell.level.range_ns(pdu.octets)[1]
        ready_ns = max(head_ns, room_ns)
        due_ns = max(cell.last_ns, head_ns, latest_room_ns, cell_room_ns, cell.gate_ns[1])
        is_late = pdu.time_ns > due_ns
        is_excused = is_late and pdu.time_ns in self.instants.get(pdu.cell, ())
        self.report.note("departures late, and excused by a drop at that instant", int(is_excused))
        self.report["not_idle"].expect(
            is_excused or not is_late, pdu,
            lambda: f"TLLI {pdu.tlli:08x}: leaves {seconds(pdu.time_ns - due_ns)} s after it could "
            f"(head {seconds(head_ns)}, MS {seconds(latest_room_ns)}, BVC {seconds(cell_room_ns)}, "
            f"previous {seconds(cell.last_ns)})")
        limit_ns = pdu.time_ns if self.rules.idle == "strict" else min(ready_ns, pdu.time_ns)
        if limit_ns > cell.last_ns:
            self._others(cell, pdu, limit_ns)
            self._lost_could_go(pdu.cell, cell, limit_ns)

    def _others(self, cell, pdu, limit_ns):
        """Another mobile's head that could have gone before limit_ns."""
        for tlli, queue in self.queues[pdu.cell].items():
            if tlli == pdu.tlli or not queue or queue[0].npdu is None or queue[0].npdu.packet is None \
                    or queue[0].npdu.packet.time_ns >= limit_ns:
                continue
            other, mobile = queue[0], cell.mobile(tlli, pdu.time_ns)
            could_ns = max(self._head_ns(mobile, other), self._room_ns(cell, mobile, other.octets))
            if could_ns < limit_ns and not self._behind_lost(pdu.cell, cell, mobile, other, limit_ns) \
                    and not self._cell_waits(pdu.cell, cell, tlli, could_ns, limit_ns):
                self.report["not_idle"].fail(
                    pdu, f"TLLI {pdu.tlli:08x} was not ready before {seconds(limit_ns)} s, but TLLI {tlli:08x} with "
                    f"{other.octets} octets (packet {other.number}) could go at {seconds(could_ns)} s")
                return

    @staticmethod
    def _room_ns(cell, mobile, octets):
        """When all but the queue's head allows a PDU, at the latest."""
        return max(cell.last_ns, cell.gate_ns[1], mobile.level.range_ns(octets)[1], cell.level.range_ns(octets)[1])

    def _behind_lost(self, key, cell, mobile, other, limit_ns):
        """Whether something lost may have been head of that mobile's queue until limit_ns."""
        packet = other.npdu.packet
        for lost in self.lost.get(key, ()):
            if lost.tlli == other.tlli and lost.packet.time_ns <= packet.time_ns and other is other.npdu.first \
                    and min(lost.gone_ns, self._room_ns(cell, mobile, lost.octets)) >= limit_ns:
                return True
        return False

    def _cell_waits(self, key, cell, tlli, from_ns, limit_ns):
        """Whether all the time from from_ns to limit_ns the cell may have waited, with what was lost, for its own bucket's sake."""
        if self.rules.idle == "strict":
            return False
        for start_ns, end_ns in sorted(self._waits(key, cell, tlli, limit_ns)):
            if start_ns <= from_ns < end_ns:
                from_ns = end_ns
        return from_ns >= limit_ns

    def _waits(self, key, cell, tlli, limit_ns):
        """(from, to) of each lost PDU of a mobile other than tlli, ready and not yet let go by the cell's bucket."""
        for lost in self.lost.get(key, ()):
            if lost.from_ns < limit_ns and (lost.tlli is None or lost.tlli != tlli):
                level = cell.template if lost.tlli is None else cell.mobile(lost.tlli, limit_ns).level
                yield (max(lost.from_ns, level.range_ns(lost.octets)[0]),
                       min(lost.gone_ns, cell.level.range_ns(lost.octets)[1]))

    def _lost_could_go(self, key, cell, limit_ns):
        """What was lost though it certainly was in its queue, and could have gone before limit_ns."""
        remaining = []
        for lost in self.lost.get(key, ()):
            if lost.gone_ns < cell.last_ns:
                continue
            if lost.is_sure and lost.tlli is not None and lost.packet.time_ns < limit_ns:
                mobile, until_ns = cell.mobile(lost.tlli, limit_ns), min(limit_ns, lost.early_ns)
                could_ns = max(lost.head_ns, mobile.last_ns, self._room_ns(cell, mobile, lost.octets))
                if could_ns < until_ns and not self._cell_waits(key, cell, lost.tlli, could_ns, until_ns):
                    self.report["needless_drop"].fail(
                        lost.packet, f"TLLI {lost.tlli:08x}: Gn packet was lost, and could go at {seconds(could_ns)} s")
                    continue
            remaining.append(lost)
        if key in self.lost:
            self.lost[key] = remaining

    def finish(self, key, cell, end_ns):
        """Judges what was lost after the last departure."""
        self._lost_could_go(key, cell, max(end_ns, self.end_ns) + 1)
