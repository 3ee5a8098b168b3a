# SPDX-License-Identifier: BSD-3-Clause
"""Every bucket of every cell, mobile and packet flow, as the PDUs of a capture change, charge and correct it.

The order of events (docs/flow-control.md): a value counts from some instant between its receipt and its acknowledgement; values
count in the order of their receipt; what an acknowledgement answers counts, and all that the cell's BSS said before it. The values
of a FLOW-CONTROL-MS count for Th from its receipt, and give way at the latest Th after its acknowledgement.
"""
from collections import deque

from flow_judge import wire
from flow_judge.bucket import NANOBITS, NEVER, OPEN, Bucket, Guess
from gb_oracle import bssgp

CBL = 0x02
PREDEFINED = 3
TAKES = {bssgp.FC_BVC: "bvc", bssgp.FC_BVC_ACK: "bvc", bssgp.FC_MS: "ms", bssgp.FC_MS_ACK: "ms", bssgp.FC_PFC: "pfc",
         bssgp.FC_PFC_ACK: "pfc"}


class Count:
    """Of the buckets of one kind. starved: LLC-PDUs that came later than `starve_ns` after all buckets had room."""

    def __init__(self):
        self.pdus = self.changes = self.violations = self.worst = self.starved = 0


class Cell:
    def __init__(self, now_ns, slack_ns):
        self.bucket, self.mobiles = Bucket(Guess(None, 0, 0), now_ns, slack_ns), {}
        self.defaults, self.is_announced, self.pending = (0, 0), False, []
        self.last_ns, self.sent = now_ns, 0


class Mobile:
    """heard: the cell of its last uplink frame."""

    def __init__(self, bucket, cell):
        self.bucket, self.heard, self.flows, self.last_ns, self.sent, self.longest = bucket, cell, {}, bucket.at_ns, 0, 0


def _values(size, rate, percent, is_default=False):
    """New values of a cell or a packet flow; `percent` replaces the level."""
    def change(guess):
        if guess.size >= OPEN:
            guess.empty()
        guess.size, guess.rate = size, rate
        if percent is not None:
            guess.fill(percent)
        if is_default:
            guess.defaults = size, rate
    return change


def _own(cell, size, rate, percent, th_ns):
    """FLOW-CONTROL-MS: for a mobile in this cell only."""
    def change(guess):
        if guess.cell != cell:
            return
        guess.size, guess.rate, guess.own, guess.th_ns, guess.th_end_ns = size, rate, change, th_ns, NEVER
        if percent is not None:
            guess.fill(percent)
    return change


def _defaults(cell, size, rate):
    def change(guess):
        if guess.cell == cell:
            guess.defaults = size, rate
            if guess.own is None:
                guess.follow()
    return change


def _move(cell, defaults):
    """In its new cell a mobile's bucket is empty."""
    def change(guess):
        guess.cell, guess.defaults = cell, defaults
        guess.follow()
        guess.empty()
    change.may_be_refused = True
    return change


def _less(octets, cell=None):
    def change(guess):
        if cell is None or guess.cell == cell:
            guess.low, guess.high = (max(0, level - octets * NANOBITS) if level > 0 else level for level in (guess.low, guess.high))
    return change


def _reset(cell):
    def change(guess):
        if guess.cell == cell:
            guess.defaults = 0, 0
            guess.follow()
            guess.empty()
    return change


class Judge:
    """th_ns, late_ns: Th, and how much later than Th after the acknowledgement own values may count. slack_ns: bucket.py.
    starve_ns: a mobile that always has packets waits so long at most; None: not judged."""

    def __init__(self, th_ns=5 * 10**9, late_ns=0, slack_ns=0, starve_ns=None):
        self.th_ns, self.late_ns, self.slack_ns, self.starve_ns = th_ns, late_ns, slack_ns, starve_ns
        self.cells, self.mobiles, self.cbl, self.offered = {}, {}, set(), {}
        self.counts = {kind: Count() for kind in ("cell", "mobile", "pfc")}
        self.flushes, self.waiting, self.found, self.unanswered, self.early, self.signalling, self.surprises = {}, {}, [], 0, 0, 0, 0
        self.actions = {
            bssgp.DL_UNITDATA: self._down, bssgp.UL_UNITDATA: self._up, bssgp.FC_BVC: self._fc_bvc, bssgp.FC_MS: self._fc_ms,
            bssgp.FC_PFC: self._fc_pfc, bssgp.FC_BVC_ACK: self._ack, bssgp.FC_MS_ACK: self._ack, bssgp.FC_PFC_ACK: self._ack,
            bssgp.LLC_DISCARDED: self._discarded, wire.FLUSH_LL: self._flush,
            wire.FLUSH_LL_ACK: self._flushed, bssgp.BVC_RESET: self._reset,
            bssgp.BVC_RESET_ACK: self._reset_ack, wire.CREATE_PFC_ACK: self._create, wire.DELETE_PFC: self._delete}

    def run(self, pdus):
        for pdu in pdus:
            action = self.actions.get(pdu.kind)
            if action:
                action(pdu)
        self.unanswered += sum(len(each) for each in self.waiting.values())
        return self

    # --- who

    def _cell(self, nse, bvci, now_ns):
        key = nse, bvci
        if key not in self.cells:
            self.cells[key] = Cell(now_ns, self.slack_ns)
        return self.cells[key]

    def _mobile(self, pdu, tlli, bvci):
        mobile = self.mobiles.get((pdu.nse, tlli))
        if mobile is None:
            cell = self._cell(pdu.nse, bvci, pdu.time_ns)
            mobile = Mobile(Bucket(Guess((pdu.nse, bvci), *cell.defaults), pdu.time_ns, self.slack_ns), bvci)
            self.mobiles[pdu.nse, tlli] = mobile
            self._enter(mobile, cell, tlli, pdu.time_ns)
        return mobile

    @staticmethod
    def _enter(mobile, cell, tlli, now_ns):
        """What the cell's BSS has announced and not yet got acknowledged concerns it, too."""
        cell.mobiles[tlli] = mobile
        for change, places in cell.pending:
            places.append((mobile.bucket, mobile.bucket.announce(change, now_ns)))

    # --- LLC-PDUs

    def _down(self, pdu):
        body, now_ns = pdu.body, pdu.time_ns
        cell = self._cell(pdu.nse, pdu.bvci, now_ns)
        mobile = self._mobile(pdu, body.tlli, pdu.bvci)
        if not cell.is_announced:
            self.early += 1
            self.found.append((pdu, "cell", 0, f"TLLI {body.tlli:08x} BVCI {pdu.bvci}: sent before FLOW-CONTROL-BVC"))
            return
        self.signalling += not body.is_user
        if not mobile.bucket.can_be_in((pdu.nse, pdu.bvci)):
            mobile = self._surprise(pdu)
        flow = mobile.flows.get((pdu.bvci, body.pfi))
        buckets = [("cell", cell.bucket, None), ("mobile", mobile.bucket, (pdu.nse, pdu.bvci))]
        if flow:
            buckets.append(("pfc", flow, None))
        if self.starve_ns is not None and body.is_user:
            self._starved(pdu, cell, mobile, buckets)
        for kind, bucket, where in buckets:
            self._charge(pdu, kind, bucket, where)
        cell.last_ns = mobile.last_ns = now_ns
        cell.sent += 1
        mobile.sent, mobile.longest = cell.sent, max(mobile.longest, body.octets)

    def _surprise(self, pdu):
        """A mobile in a cell from which nothing was heard of it: as it would be new there."""
        self.surprises += 1
        self.mobiles.pop((pdu.nse, pdu.body.tlli))
        return self._mobile(pdu, pdu.body.tlli, pdu.bvci)

    def _charge(self, pdu, kind, bucket, where):
        body, count = pdu.body, self.counts[kind]
        count.pdus += body.is_user
        excess = bucket.take(body.octets, pdu.time_ns, where, body.is_user)
        if excess:
            octets = -(-excess // NANOBITS)
            count.violations += 1
            count.worst = max(count.worst, octets)
            self.found.append((pdu, kind, octets, f"TLLI {body.tlli:08x} BVCI {pdu.bvci} PFI {body.pfi}: {octets} octets too many"))

    def _starved(self, pdu, cell, mobile, buckets):
        """Whether the mobile was passed over: its buckets had room, and the cell's had, or all others of the cell were served often."""
        now_ns, octets = pdu.time_ns, pdu.body.octets
        if now_ns - mobile.last_ns <= self.starve_ns or any(guess.th_ns <= now_ns for guess in mobile.bucket.guesses):
            return
        is_passed_over = cell.sent - mobile.sent >= 4 * len(cell.mobiles)
        room_ns = {kind: bucket.open_ns(octets, where) for kind, bucket, where in buckets
                   if kind != "cell" or not is_passed_over}
        since_ns = max(mobile.last_ns, 0 if is_passed_over else cell.last_ns, *room_ns.values(),
                       *(bucket.changed_ns for _, bucket, _ in buckets))
        if now_ns - since_ns <= self.starve_ns:
            return
        self.counts[max(room_ns, key=room_ns.get)].starved += 1
        self.found.append((pdu, "starved", 0, f"TLLI {pdu.body.tlli:08x} BVCI {pdu.bvci} PFI {pdu.body.pfi}: nothing for "
                           f"{(now_ns - since_ns) / 1e9:.3f} s, though all buckets had room"))

    # --- where mobiles are

    def _up(self, pdu):
        mobile = self._mobile(pdu, pdu.body.tlli, pdu.bvci)
        if mobile.heard == pdu.bvci:
            return
        cell = self._cell(pdu.nse, pdu.bvci, pdu.time_ns)
        mobile.heard = pdu.bvci
        mobile.flows = {key: flow for key, flow in mobile.flows.items() if key[0] != pdu.bvci}
        mobile.bucket.announce(_move((pdu.nse, pdu.bvci), cell.defaults), pdu.time_ns)
        self._enter(mobile, cell, pdu.body.tlli, pdu.time_ns)

    # --- announcements

    def _wait(self, pdu, tlli, places):
        key = pdu.nse, pdu.bvci, TAKES[pdu.kind], tlli, pdu.body.number(bssgp.TAG)
        self.waiting.setdefault(key, deque()).append((pdu.time_ns, places))

    def _percent(self, pdu, percent):
        return percent if pdu.nse in self.cbl else None

    def _fc_bvc(self, pdu):
        body, now_ns = pdu.body, pdu.time_ns
        cell, where = self._cell(pdu.nse, pdu.bvci, now_ns), (pdu.nse, pdu.bvci)
        size, rate = NANOBITS * body.scaled(bssgp.BVC_BUCKET), body.scaled(bssgp.LEAK_RATE)
        defaults = NANOBITS * body.scaled(bssgp.BMAX_MS_DEFAULT), body.scaled(bssgp.RATE_MS_DEFAULT)
        cell.is_announced = True
        self.counts["cell"].changes += 1
        change = _values(size, rate, self._percent(pdu, body.number(bssgp.RATIO)))
        places = [(cell.bucket, cell.bucket.announce(change, now_ns))]
        change = _defaults(where, *defaults)
        for mobile in cell.mobiles.values():
            places.append((mobile.bucket, mobile.bucket.announce(change, now_ns)))
        cell.pending.append((change, places))
        self._wait(pdu, None, places)
        self.waiting[pdu.nse, pdu.bvci, "bvc", None, body.number(bssgp.TAG)][-1] += (cell, defaults)

    def _own_values(self, pdu, size, rate):
        body = pdu.body
        mobile = self._mobile(pdu, body.tlli, pdu.bvci)
        self.counts["mobile"].changes += 1
        change = _own((pdu.nse, pdu.bvci), size, rate, self._percent(pdu, body.number(bssgp.RATIO)), pdu.time_ns + self.th_ns)
        return mobile, [(mobile.bucket, mobile.bucket.announce(change, pdu.time_ns), change)]

    def _fc_ms(self, pdu):
        _, places = self._own_values(pdu, NANOBITS * pdu.body.scaled(bssgp.MS_BUCKET), pdu.body.scaled(bssgp.LEAK_RATE))
        self._wait(pdu, pdu.body.tlli, places)

    def _fc_pfc(self, pdu):
        body, places = pdu.body, []
        mobile = self._mobile(pdu, body.tlli, pdu.bvci)
        if bssgp.MS_BUCKET in body.elements and bssgp.LEAK_RATE in body.elements:
            mobile, places = self._own_values(pdu, NANOBITS * body.scaled(bssgp.MS_BUCKET), body.scaled(bssgp.LEAK_RATE))
        for pfi, size, rate, percent in wire.flows_of(body):
            if pfi <= PREDEFINED:
                mobile.flows.setdefault((pdu.bvci, pfi), self._flow(pdu.time_ns))
            flow = mobile.flows.get((pdu.bvci, pfi))
            if flow:
                self.counts["pfc"].changes += 1
                places.append((flow, flow.announce(_values(NANOBITS * size, rate, self._percent(pdu, percent)), pdu.time_ns)))
        self._wait(pdu, body.tlli, places)

    def _ack(self, pdu):
        tlli = None if pdu.kind == bssgp.FC_BVC_ACK else pdu.body.tlli
        queue = self.waiting.get((pdu.nse, pdu.bvci, TAKES[pdu.kind], tlli, pdu.body.number(bssgp.TAG)))
        if not queue:
            return
        _, places, *of_cell = queue.popleft()
        for bucket, number, *own in places:
            bucket.acknowledge(number, pdu.time_ns)
            if own:
                bucket.bound_th(own[0], pdu.time_ns + self.th_ns + self.late_ns)
        if of_cell:
            cell, cell.defaults = of_cell
            cell.pending = [each for each in cell.pending if each[1] is not places]

    # --- corrections

    def _discarded(self, pdu):
        body, now_ns = pdu.body, pdu.time_ns
        bvci, octets = body.number(bssgp.BVCI), body.number(bssgp.OCTETS_AFFECTED)
        self._cell(pdu.nse, bvci, now_ns).bucket.announce(_less(octets), now_ns)
        mobile = self.mobiles.get((pdu.nse, body.tlli))
        if mobile:
            mobile.bucket.announce(_less(octets, (pdu.nse, bvci)), now_ns)
            flow = mobile.flows.get((bvci, body.number(wire.PFI)))
            if flow:
                flow.announce(_less(octets), now_ns)

    def _flush(self, pdu):
        """FLUSH-LL names the old cell, its answer does not."""
        self.flushes.setdefault((pdu.nse, pdu.body.tlli), deque()).append(pdu.body.number(bssgp.BVCI))

    def _flushed(self, pdu):
        """The old cell holds these octets no more; that a new one may hold them is not counted here: less is permitted then."""
        asked = self.flushes.get((pdu.nse, pdu.body.tlli))
        if asked:
            cell = self._cell(pdu.nse, asked.popleft(), pdu.time_ns)
            cell.bucket.announce(_less(pdu.body.number(bssgp.OCTETS_AFFECTED) or 0), pdu.time_ns)

    def _reset(self, pdu):
        if pdu.body.number(bssgp.BVCI) == 0:
            self.offered[pdu.nse] = pdu.body.number(bssgp.FEATURES) or 0

    def _reset_ack(self, pdu):
        bvci = pdu.body.number(bssgp.BVCI)
        if bvci == 0:
            both = self.offered.get(pdu.nse, 0) & (pdu.body.number(bssgp.FEATURES) or 0)
            (self.cbl.add if both & CBL else self.cbl.discard)(pdu.nse)
        for key in [key for key in self.cells if key[0] == pdu.nse and bvci in (0, key[1])]:
            self._forget(key, pdu.time_ns)

    def _forget(self, key, now_ns):
        old = self.cells.pop(key)
        cell = self._cell(*key, now_ns)
        cell.mobiles = old.mobiles
        for mobile in cell.mobiles.values():
            mobile.bucket.acknowledge(mobile.bucket.announce(_reset(key), now_ns), now_ns)
            mobile.flows = {name: flow for name, flow in mobile.flows.items() if name[0] != key[1]}
        for name in [name for name in self.waiting if name[:2] == key]:
            del self.waiting[name]

    # --- packet flows

    def _flow(self, now_ns):
        """Before its first values it limits nothing."""
        return Bucket(Guess(None, OPEN, 0), now_ns, self.slack_ns)

    def _create(self, pdu):
        self._mobile(pdu, pdu.body.tlli, pdu.bvci).flows[pdu.bvci, pdu.body.number(wire.PFI)] = self._flow(pdu.time_ns)

    def _delete(self, pdu):
        self._mobile(pdu, pdu.body.tlli, pdu.bvci).flows.pop((pdu.bvci, pdu.body.number(wire.PFI)), None)
