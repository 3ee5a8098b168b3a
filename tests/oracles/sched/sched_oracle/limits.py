# SPDX-License-Identifier: BSD-3-Clause
"""How many N-PDUs and octets may wait: limits of mobiles, cells, links and classes, and the budget of all.

A tally is [octets, N-PDUs, most octets, most N-PDUs] of one scope and class. When the budget is used up the longest flow pays: none
loses that is shorter than the longest by more than 8 N-PDUs and by more than a factor of 1.5.
"""
from sched_oracle import trace
from sched_oracle.bucket import NEVER

SLACK_PKTS = 8


def _waiting(ms):
    for flow in ms.flows.values():
        yield from flow.queue


class Limits:
    def __init__(self, report):
        self.report, self.world = report, None
        self.tallies = {}
        self.examined = 0

    def _of(self, ms, qclass):
        """The tallies in which an N-PDU of that class of that mobile counts."""
        found = ms.tallies.get(qclass)
        if found is None:
            cell = ms.cell
            scopes = ((trace.SCOPE_ALL, 0), (trace.SCOPE_LINK, cell.link.ident), (trace.SCOPE_CELL, cell.ident),
                      (trace.SCOPE_MS, ms.ident))
            keys = [(scope, ident, which) for scope, ident in scopes for which in (qclass, trace.ANY_CLASS)]
            found = ms.tallies[qclass] = [self.tallies[key] for key in keys if key in self.tallies]
        return found

    def _mobiles(self, scope, ident):
        world = self.world
        if scope == trace.SCOPE_MS:
            return [world.mobile(ident)]
        if scope == trace.SCOPE_CELL:
            return world.cell(ident).mobiles.values()
        if scope == trace.SCOPE_LINK:
            return [ms for cell in world.link(ident).cells for ms in cell.mobiles.values()]
        return world.mobiles.values()

    def set(self, record):
        _, scope, qclass, ident, _, octets, pkts, _ = record
        tally = self.tallies.get((scope, ident, qclass))
        if tally is None:
            tally = self.tallies[(scope, ident, qclass)] = [0, 0, 0, 0]
            for ms in self._mobiles(scope, ident):
                ms.tallies = {}
                for pdu in _waiting(ms):
                    if qclass in (pdu.qclass, trace.ANY_CLASS):
                        tally[0] += pdu.octets - pdu.sent
                        tally[1] += 1
        tally[2:] = (NEVER if octets < 0 else octets, NEVER if pkts < 0 else pkts)

    def put(self, ms, pdu, now):
        self.examined += 1
        for tally in self._of(ms, pdu.qclass):
            tally[0] += pdu.octets
            tally[1] += 1
            if tally[0] > tally[2] or tally[1] > tally[3]:
                self.report.fail("limits", now, f"mobile {ms.ident}: N-PDU {pdu.ident} makes {tally[0]} octets and {tally[1]} N-PDUs, "
                                 f"at most {tally[2]} and {tally[3]} may wait")

    def forbid(self, ms, qclass, octets):
        """Whether there is a limit that one more would exceed."""
        self.examined += 1
        for tally in self._of(ms, qclass):
            if tally[0] + octets > tally[2] or tally[1] >= tally[3]:
                return True
        return False

    def take(self, ms, pdu, octets, pkts):
        """Octets of an N-PDU left or were dropped; pkts: 1 when that was all of it."""
        for tally in self._of(ms, pdu.qclass):
            tally[0] -= octets
            tally[1] -= pkts

    def leave(self, ms):
        """Before a mobile leaves its cell."""
        for pdu in _waiting(ms):
            self.take(ms, pdu, pdu.octets - pdu.sent, 1)

    def enter(self, ms):
        """After it came to another."""
        ms.tallies = {}
        for pdu in _waiting(ms):
            self.take(ms, pdu, pdu.sent - pdu.octets, -1)


class Budget:
    """Of N-PDUs that wait anywhere; without one until a trace tells it."""

    def __init__(self, report):
        self.report = report
        self.is_told, self.most, self.reserve = False, NEVER, 0
        self.total = self.signalling = 0
        self.flows = [0, 0]  # by length
        self.longest = 0
        self.examined = 0

    def put(self, flow, pdu, now):
        """It was queued, flow.queue has it."""
        self.total += 1
        self.signalling += pdu.qclass == trace.SIGNALLING
        if pdu.qclass != trace.SIGNALLING:
            self.lengthen(len(flow.queue))
        self.examined += 1
        if self.total - self.signalling > self.most or self.total > self.most + self.reserve:
            self.report.fail("budget", now, f"{self.total} N-PDUs wait, {self.signalling} of signalling; {self.most} may, "
                             f"{self.reserve} more of signalling")

    def take(self, flow, pdu):
        """It left or was dropped, flow.queue had it."""
        self.total -= 1
        self.signalling -= pdu.qclass == trace.SIGNALLING
        if pdu.qclass != trace.SIGNALLING:
            self.shorten(len(flow.queue))

    def lengthen(self, length):
        """A flow has that many now; signalling never pays, so its flows are not among these."""
        if length == len(self.flows):
            self.flows.append(0)
        self.flows[length] += 1
        self.flows[length - 1] -= 1
        if length > self.longest:
            self.longest = length

    def shorten(self, length):
        self.flows[length + 1] -= 1
        self.flows[length] += 1
        if length + 1 == self.longest and not self.flows[length + 1]:
            self.longest = length

    @staticmethod
    def _length(flow):
        """Of the queue that it may be in: what was of packet flows that are gone may wait in any of its mobile's."""
        if not flow.ms.loose:
            return len(flow.queue)
        return sum(len(other.queue) for other in flow.ms.flows.values())

    def lose(self, pdu, is_new, now):
        """It is refused or about to be dropped for want of buffers."""
        flow = pdu.flow
        self.examined += 1
        length = self._length(flow) + is_new
        if pdu.qclass == trace.SIGNALLING:
            is_due = self.total >= self.most + self.reserve if is_new else self.signalling > self.reserve
        else:
            is_due = self.total >= self.most
        who = f"mobile {flow.ms.ident} flow {flow.number} loses N-PDU {pdu.ident}"
        if not is_due:
            self.report.fail("budget", now, f"{who} while {self.total} N-PDUs wait ({self.signalling} of signalling)")
        elif pdu.qclass != trace.SIGNALLING and self.longest > length + SLACK_PKTS and 2 * self.longest > 3 * length:
            self.report.fail("budget", now, f"{who} and has {length}, another flow has {self.longest}")
