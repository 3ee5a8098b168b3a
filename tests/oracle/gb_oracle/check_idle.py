# SPDX-License-Identifier: BSD-3-Clause
"""Work conservation: a cell never waits for one mobile's bucket, or for nothing, while another mobile's PDU could go.

For a departure of mobile m, prev being the departure before it in the cell: r = max(when its segment became head of m's queue,
when m's bucket has room); it must leave at max(prev, r, when the cell's bucket has room), to the nanosecond. And no other waiting
mobile may have been able to go before r. A cell may wait with a chosen PDU for its own bucket's sake, whatever shorter PDU there is;
when that PDU dies of its lifetime, another may leave at that instant.
"""
from collections import deque

from gb_oracle.bucket import NEVER
from gb_oracle.report import seconds

LLC_OVERHEAD_OCTETS = 6
SNDCP_FIRST_OCTETS = 4


class _Lost:
    """A captured packet that never began to leave; hold_ns: until then a lost one before it may have been head."""
    __slots__ = ("packet", "tlli", "dies_ns", "hold_ns", "is_alone")

    def __init__(self, packet, tlli, dies_ns, hold_ns, is_alone):
        self.packet, self.tlli, self.dies_ns = packet, tlli, dies_ns
        self.hold_ns, self.is_alone = hold_ns, is_alone


class Idle:
    """Judges departures; knows each mobile's coming departures and the packets that were lost."""

    def __init__(self, pdus, idle_input, report, rules):
        self.report, self.rules = report, rules
        self.queues, self.lost, self.instants, self.end_ns = {}, {}, {}, 0
        self.first_octets = max([pdu.segment.size_octets for pdu in pdus if pdu.segment], default=0) + LLC_OVERHEAD_OCTETS
        for pdu in pdus:
            self.queues.setdefault(pdu.cell, {}).setdefault(pdu.tlli, deque()).append(pdu)
        if idle_input is not None:
            self._find_lost(*idle_input)

    def _find_lost(self, names, stream):
        homes = {}
        for cell, queues in self.queues.items():
            homes.update({tlli: cell for tlli in queues})
        known = {address: tlli for (tlli, _), address in names.items()}
        for address, packets in stream.by_address.items():
            self.end_ns = max(self.end_ns, packets[-1].time_ns)
            if address in known:
                self._lost_of(homes[known[address]], known[address], packets)
            else:
                self.report.note("captured packets of mobiles that got nothing", len(packets))

    def _lost_of(self, cell, tlli, packets):
        lifetime_ns, busy_ns, hold_ns = self.rules.lifetime_ns, 0, 0
        for packet in packets:
            if packet.taken is not None:
                busy_ns = max(busy_ns, packet.taken.last.time_ns)
                if not packet.taken.complete:
                    self._instants(cell, packet)
                continue
            dies_ns = NEVER if lifetime_ns is None else packet.time_ns + lifetime_ns
            lost = _Lost(packet, tlli, dies_ns, hold_ns, busy_ns <= packet.time_ns)
            self.lost.setdefault(cell, []).append(lost)
            self._instants(cell, packet)
            hold_ns = 0 if lifetime_ns is None else dies_ns
            self.report["needless_drop"].saw(int(lost.is_alone))

    def _instants(self, cell, packet):
        """When a packet may have been given up, the lifetime's end or that of what the BSS would accept."""
        if self.rules.lifetime_ns is not None:
            dies_ns = packet.time_ns + self.rules.lifetime_ns
            for instant_ns in (dies_ns, dies_ns - self.rules.bss_min_ns):
                self.instants.setdefault(cell, set()).update((instant_ns, instant_ns + 1))

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
            if could_ns < limit_ns and not self._behind_lost(pdu.cell, mobile, other, limit_ns):
                self.report["not_idle"].fail(
                    pdu, f"TLLI {pdu.tlli:08x} was not ready before {seconds(limit_ns)} s, but TLLI {tlli:08x} with "
                    f"{other.octets} octets (packet {other.number}) could go at {seconds(could_ns)} s")
                return

    @staticmethod
    def _room_ns(cell, mobile, octets):
        """When all but the queue's head allows a PDU, at the latest."""
        return max(cell.last_ns, cell.gate_ns[1], mobile.level.range_ns(octets)[1], cell.level.range_ns(octets)[1])

    def _behind_lost(self, key, mobile, other, limit_ns):
        """Whether a lost, longer packet may have been head of that mobile's queue until limit_ns."""
        packet = other.npdu.packet
        for lost in self.lost.get(key, ()):
            if lost.tlli == other.tlli and lost.packet.time_ns <= packet.time_ns and other is other.npdu.first \
                    and min(lost.dies_ns, mobile.level.range_ns(self._octets(lost))[1]) >= limit_ns:
                return True
        return False

    def _octets(self, lost):
        """LLC-PDU length of a packet's first segment."""
        return min(len(lost.packet.octets) + SNDCP_FIRST_OCTETS + LLC_OVERHEAD_OCTETS, self.first_octets)

    def _lost_could_go(self, key, cell, limit_ns):
        """Packets that were dropped though their queue was empty, and could have gone before limit_ns."""
        remaining = []
        for lost in self.lost.get(key, ()):
            if lost.dies_ns < cell.last_ns:
                continue
            if lost.is_alone and lost.packet.time_ns < limit_ns:
                mobile = cell.mobile(lost.tlli, limit_ns)
                could_ns = max(lost.packet.time_ns, lost.hold_ns, mobile.last_ns,
                               self._room_ns(cell, mobile, self._octets(lost)))
                if could_ns < min(limit_ns, lost.dies_ns):
                    self.report["needless_drop"].fail(
                        lost.packet, f"TLLI {lost.tlli:08x}: Gn packet was lost, and could go at {seconds(could_ns)} s")
                    continue
            remaining.append(lost)
        if key in self.lost:
            self.lost[key] = remaining

    def finish(self, key, cell, end_ns):
        """Judges what was lost after the last departure."""
        self._lost_could_go(key, cell, max(end_ns, self.end_ns) + 1)
