# SPDX-License-Identifier: BSD-3-Clause
"""N-PDUs that come, leave in LLC-PDUs, or are dropped; and the sums."""
from sched_oracle import trace
from sched_oracle.bucket import NEVER, OCTET
from sched_oracle.entities import Flow, NPdu


class Traffic:
    def __init__(self, report, world, limits, budget):
        self.report, self.world, self.idle, self.limits, self.budget = report, world, world.idle, limits, budget
        self.pdus, self.mobiles = {}, world.mobiles
        self.last_number = -1
        self.came = self.left = self.lost = self.whole_checks = self.first_segments = self.through_pfc = self.on_rated_link = 0
        self.signals = 0
        self.handlers = {
            trace.ENQUEUE: self.enqueue, trace.DEPART: self.depart, trace.DROP: self.drop, trace.SIGNAL: self.signal,
            trace.LIMIT: limits.set, trace.BUDGET: self._budget, trace.END: self.end,
        }

    def enqueue(self, record):
        _, qclass, octets, ident, now, number, until, packed = record
        ms = self.mobiles.get(ident) or self.world.mobile(ident)
        if number <= self.last_number or qclass >= len(trace.CLASSES) or not octets:
            raise trace.TraceError(f"N-PDU {number}: numbers must rise, it must have octets and a class that there is")
        self.last_number = number
        self.came += 1
        verdict = packed >> 16 & 0xffff
        if verdict and verdict != trace.PASSES:
            self._refused(ms, record, verdict)
            return
        flow = ms.flows.get(packed >> 32) or self._flow(ms, packed >> 32)
        pdu = self.pdus[number] = NPdu(number, flow, octets, until)
        pdu.qclass, pdu.pfi, pdu.sapi, pdu.waits = qclass, packed & 255, packed >> 8 & 255, not verdict
        flow.queue.append(pdu)
        ms.waiting += 1
        if flow.loose:
            ms.loose += 1
        if not verdict:
            self.limits.put(ms, pdu, now)
            if self.budget.is_told:
                self.budget.put(flow, pdu, now)
        self.idle.told_ns = now
        if len(flow.queue) == 1 and not ms.dirty:
            self.idle.touch(ms)

    def _budget(self, record):
        budget = self.budget
        if self.pdus and not budget.is_told:
            raise trace.TraceError("the budget must be told before there are N-PDUs")
        budget.is_told, budget.most, budget.reserve = True, record[5] if record[5] >= 0 else NEVER, record[6]

    @staticmethod
    def _flow(ms, number):
        flow = ms.flows[number] = Flow(ms, number)
        ms.only = flow if len(ms.flows) == 1 else None
        return flow

    def _refused(self, ms, record, verdict):
        _, qclass, octets, _, now, number, _, packed = record
        self.lost += 1
        if verdict == trace.QUEUE_FULL:
            if not self.limits.forbid(ms, qclass, octets):
                self.report.fail("limits", now, f"mobile {ms.ident}: N-PDU {number} is refused, and no limit forbids it")
        elif verdict == trace.NO_BUFFERS:
            pdu = NPdu(number, ms.flows.get(packed >> 32) or self._flow(ms, packed >> 32), octets, -1)
            pdu.qclass = qclass
            self.budget.lose(pdu, True, now)
        elif verdict in (trace.PARTIAL, trace.LIFETIME) or verdict >= len(trace.REASONS):
            self.report.fail("reason", now, f"N-PDU {number} is refused for reason {verdict}")

    def depart(self, record):
        _, flags, payload, ident, now, number, octets, segment = record
        pdu = self.pdus.get(number)
        if pdu is None or pdu.flow.ms.ident != ident:
            self._not_there(record)
            return
        flow = pdu.flow
        ms = flow.ms
        self.idle.departures += 1
        room, more = ms.later if pdu.sent else ms.first
        left = pdu.octets - pdu.sent
        if payload != (left if left < room else room) or octets != payload + more or segment != pdu.segment \
                or flags != (payload == left) or (ms.service and ms.service.get(pdu.sapi, pdu) is not pdu):
            self._bad_segment(record, pdu)
        if flow.queue[0] is not pdu:
            self.report.fail("order", now, f"mobile {ident} flow {flow.number}: N-PDU {number} leaves before {flow.queue[0].ident}")
        if ms.held or not ms.cell.usable or (now > pdu.until >= 0 and not pdu.sent):
            self._forbidden(pdu, now)
        if self.idle.is_quiet(now):
            self.idle.first_of_instant(pdu, octets * OCTET, now)
        self._charge(pdu, octets, now)
        if not ms.dirty:
            self.idle.touch(ms)
        if pdu.sent == 0:
            self.first_segments += 1
        pdu.sent += payload
        pdu.segment += 1
        if flags & 1:
            self.left += 1
            self._gone(pdu, payload)
        else:
            ms.service[pdu.sapi] = pdu
            if pdu.waits:
                self.limits.take(ms, pdu, payload, 0)

    def _charge(self, pdu, octets, now):
        ms, size = pdu.flow.ms, octets * OCTET
        cell = ms.cell
        link = cell.link
        ms.left_ns = cell.left_ns = link.left_ns = now
        if ms.pfcs and pdu.pfi in ms.pfcs:
            self.through_pfc += 1
            if not ms.pfcs[pdu.pfi].charge(size, now):
                self._too_early("conform_pfc", ms.pfcs[pdu.pfi], pdu, octets, now)
        if not ms.bucket.charge(size, now):
            self._too_early("conform_ms", ms.bucket, pdu, octets, now)
        if not cell.bucket.charge(size, now):
            self._too_early("conform_bvc", cell.bucket, pdu, octets, now)
        if link.has_rate:
            self.on_rated_link += 1
            if not link.bucket.charge(size + ms.overhead * OCTET, now):
                self._too_early("conform_link", link.bucket, pdu, octets + ms.overhead, now)

    def _too_early(self, check, bucket, pdu, octets, now):
        self.report.fail(check, now, f"{bucket.owner[0]} {bucket.owner[1]}: N-PDU {pdu.ident} of mobile {pdu.flow.ms.ident} leaves with "
                         f"{octets} octets (at {now} ns), after which: {bucket.say(now)}")

    def _gone(self, pdu, octets):
        """Out of its queue; octets: that counted until now."""
        flow = pdu.flow
        ms = flow.ms
        if flow.queue[0] is pdu:
            flow.queue.popleft()
        else:
            flow.queue.remove(pdu)
        ms.waiting -= 1
        if pdu.segment and ms.service.get(pdu.sapi) is pdu:
            del ms.service[pdu.sapi]
        if flow.loose:
            ms.loose -= 1
            flow.loose = bool(flow.queue)
        if pdu.waits:
            self.limits.take(ms, pdu, octets, 1)
            if self.budget.is_told:
                self.budget.take(flow, pdu)
        del self.pdus[pdu.ident]

    def _not_there(self, record):
        _, _, _, ident, now, number, _, _ = record
        pdu = self.pdus.get(number)
        if pdu is not None:
            why = f"is mobile {pdu.flow.ms.ident}'s"
        else:
            why = "has gone before" if number <= self.last_number else "never came"
        self.report.fail("once", now, f"N-PDU {number}, sent or dropped as mobile {ident}'s, {why}")

    def _bad_segment(self, record, pdu):
        _, flags, payload, ident, now, number, octets, segment = record
        ms = pdu.flow.ms
        room, octets_due = ms.next_octets(pdu)
        other = ms.service.get(pdu.sapi, pdu)
        inside = f", in the middle of N-PDU {other.ident}" if other is not pdu else ""
        self.report.fail("segments", now, f"mobile {ident} SAPI {pdu.sapi} N-PDU {number}: segment {segment} with {payload} of its octets in "
                         f"{octets}, {'last' if flags & 1 else 'not last'}{inside}; due: segment {pdu.segment} with {room} in {octets_due}")

    def _forbidden(self, pdu, now):
        ms = pdu.flow.ms
        who = f"N-PDU {pdu.ident} of mobile {ms.ident}"
        if ms.held:
            self.report.fail("held", now, f"{who} leaves, which is held")
        if not ms.cell.usable:
            self.report.fail("blocked", now, f"{who} leaves in cell {ms.cell.ident}, which may not send")
        if now > pdu.until >= 0 and not pdu.sent:
            self.report.fail("lifetime", now, f"{who} begins to leave {now - pdu.until} ns after its last instant")

    def drop(self, record):
        _, _, reason, ident, now, number, _, _ = record
        pdu = self.pdus.get(number)
        if pdu is None or pdu.flow.ms.ident != ident:
            self._not_there(record)
            return
        self.lost += 1
        if not 0 < reason < len(trace.REASONS) or (reason == trace.PARTIAL) != bool(pdu.segment):
            name = trace.REASONS[reason] if reason < len(trace.REASONS) else reason
            self.report.fail("reason", now, f"N-PDU {number} of mobile {ident} is dropped after {pdu.segment} segments: {name}")
        elif reason == trace.LIFETIME and not 0 <= pdu.until < now:
            self.report.fail("reason", now, f"N-PDU {number} of mobile {ident} is dropped {pdu.until - now} ns before its last instant "
                             "has passed")
        elif reason == trace.NO_BUFFERS:
            self.budget.lose(pdu, False, now)
        self.report.note(f"dropped: {trace.REASONS[reason] if reason < len(trace.REASONS) else reason}", 1)
        if not pdu.flow.ms.dirty:
            self.idle.touch(pdu.flow.ms)
        if pdu.flow.queue[0] is pdu:
            self.idle.haunt(pdu)
        self._gone(pdu, pdu.octets - pdu.sent)

    def signal(self, record):
        """A signalling frame goes before all users', within its share; the link is charged whether it has room or not."""
        link, size, now = self.world.link(record[3]), record[2] * OCTET, record[4]
        if link.has_rate:
            self.idle.haunt_link(link, size)
            link.bucket.charge(size, now)
        share = link.signalling
        if share is not None:
            self.signals += 1
            if not share.charge(size, now):
                self.report.fail("conform_signal", now, f"link {link.ident}: a signalling frame leaves with {record[2]} octets (at {now} ns), "
                                 f"after which: {share.say(now)}")
        self.idle.touch(link)

    def end(self, record):
        """The scheduler's own sums, and that nothing has vanished."""
        ours = (self.came, self.left, self.lost, len(self.pdus))
        theirs = (*record[5:8], record[3])
        self.report.saw("totals", 4)
        if ours != theirs:
            self.report.fail("totals", record[4], f"N-PDUs that came, left whole, were lost, still wait: {ours}; the scheduler says {theirs}")
        if ours[0] != ours[1] + ours[2] + ours[3]:
            self.report.fail("totals", record[4], f"N-PDUs that came: {ours[0]}, left, lost and waiting: {ours[1:]}")

    def close(self):
        """Tells how much was examined."""
        departures = self.idle.departures
        for check in ("conform_ms", "conform_bvc", "order", "segments", "held", "blocked"):
            self.report.saw(check, departures)
        for check, count in (("punctual", self.idle.punctual), ("conform_pfc", self.through_pfc), ("conform_link", self.on_rated_link),
                             ("conform_signal", self.signals), ("lifetime", self.first_segments),
                             ("once", self.left + self.lost), ("reason", self.lost), ("limits", self.limits.examined),
                             ("budget", self.budget.examined)):
            self.report.saw(check, count)
