# SPDX-License-Identifier: BSD-3-Clause
"""What the scheduler knows: links, cells, mobiles, their buckets; and how a trace changes them."""
from sched_oracle import trace
from sched_oracle.bucket import LARGEST, OCTET, Bucket
from sched_oracle.entities import Cell, Link, Mobile
from sched_oracle.trace import TraceError


def _find(table, what, ident):
    try:
        return table[ident]
    except KeyError:
        raise TraceError(f"there is no {what} {ident}") from None


class World:
    def __init__(self, idle, limits):
        self.idle, self.rates, self.limits = idle, idle.rates, limits
        self.links, self.cells, self.mobiles = {}, {}, {}
        self.uids = 0
        limits.world = self
        self.handlers = {
            trace.LINK_ADD: self._link_add, trace.CELL_ADD: self._cell_add, trace.MS_ADD: self._ms_add,
            trace.SEGMENTING: self._segmenting, trace.SET: self._set, trace.GONE: self._gone, trace.LEVEL: self._level,
            trace.RATIO: self._ratio, trace.ADJUST: self._adjust, trace.CELL_USE: self._cell_use,
            trace.CELL_RESET: self._cell_reset, trace.MS_MOVE: self._ms_move, trace.MS_HOLD: self._ms_hold,
            trace.MS_DELETE: self._ms_delete,
        }

    def link(self, ident):
        return _find(self.links, "link", ident)

    def cell(self, ident):
        return _find(self.cells, "cell", ident)

    def mobile(self, ident):
        return _find(self.mobiles, "mobile", ident)

    def _uid(self):
        self.uids += 1
        return self.uids

    @staticmethod
    def _free(table, what, ident):
        if ident in table:
            raise TraceError(f"{what} {ident} is there already")

    def _link_add(self, record):
        self._free(self.links, "link", record[3])
        self.links[record[3]] = Link(self._uid(), record[3])

    def _cell_add(self, record):
        ident, link = record[3], self.link(record[5])
        self._free(self.cells, "cell", ident)
        cell = self.cells[ident] = Cell(self._uid(), ident, link)
        link.cells.append(cell)

    def _ms_add(self, record):
        ident, cell, overhead = record[3], self.cell(record[5]), record[6]
        self._free(self.mobiles, "mobile", ident)
        ms = self.mobiles[ident] = cell.mobiles[ident] = Mobile(self._uid(), ident, cell, overhead)
        self._widen(cell.link, ms)

    @staticmethod
    def _widen(link, ms):
        link.overhead = max(link.overhead, ms.overhead)
        link.bucket.largest = LARGEST + link.overhead * OCTET

    def _segmenting(self, record):
        _, _, first, ident, _, later, first_more, later_more = record
        ms = self.mobile(ident)
        self.idle.haunt_all(ms)
        ms.first, ms.later = (first, first_more), (later, later_more)
        self.idle.touch(ms)

    def _at(self, record, is_new=False):
        """The bucket that a record means, its time so far judged and what it limits marked."""
        _, level, pfi, ident, now, _, _, _ = record
        if level == trace.AT_SIGNALLING:
            return self._signalling(self.link(ident), is_new)
        if level in (trace.AT_LINK, trace.AT_CELL):
            entity = self.link(ident) if level == trace.AT_LINK else self.cell(ident)
            self._cut(entity, now)
            for ms in entity.mobiles.values() if level == trace.AT_CELL else ():
                self.idle.haunt_all(ms)
        elif level in (trace.AT_MS, trace.AT_PFC):
            entity = self._cut_mobile(ident, now, pfi if level == trace.AT_PFC else None)
        else:
            raise TraceError(f"there is no level {level}")
        self.idle.touch(entity)
        if level < trace.AT_PFC:
            return entity.bucket
        if is_new and pfi not in entity.pfcs:
            entity.pfcs[pfi] = Bucket("pfc", (ident, pfi))
        return _find(entity.pfcs, f"bucket in mobile {ident} of packet flow", pfi)

    @staticmethod
    def _signalling(link, is_new):
        if link.signalling is None and is_new:
            link.signalling = Bucket("signalling of link", link.ident)
        if link.signalling is None:
            raise TraceError(f"link {link.ident} has no share of signalling")
        return link.signalling

    def _cut_mobile(self, ident, now, pfi=None):
        """A mobile or one of its buckets is about to be changed."""
        ms = self.mobile(ident)
        self.idle.cut(ms, now)
        self.idle.haunt_all(ms, pfi)
        self.idle.touch(ms)
        return ms

    def _cut(self, entity, now):
        """The bucket of a link or cell is about to be changed."""
        self.rates.end(entity.bucket, entity.link.closed_until if isinstance(entity, Cell) else -1, now)

    def _set(self, record):
        _, level, _, ident, now, rate, most, cap = record
        self._at(record, True).set(rate, most, cap, now)
        if level == trace.AT_LINK:
            self.link(ident).has_rate = True

    def _gone(self, record):
        _, level, pfi, ident, now, _, _, _ = record
        if level == trace.AT_LINK:
            self._at(record).put(0, now)
            self.link(ident).has_rate, self.link(ident).signalling = False, None
        elif level == trace.AT_PFC:
            ms = self._cut_mobile(ident, now)
            ms.pfcs.pop(pfi, None)
            self._loosen(ms, pfi)
        else:
            raise TraceError(f"a bucket of level {level} cannot go")

    @staticmethod
    def _loosen(ms, pfi):
        """What waited in the packet flow joins other flows, one cannot tell where, and is of none that is made later."""
        for flow in ms.flows.values():
            if not flow.loose and flow.queue and flow.queue[0].pfi == pfi:
                flow.loose = True
                ms.loose += len(flow.queue)
            for pdu in flow.queue:
                pdu.pfi = trace.NO_PFI if pdu.pfi == pfi else pdu.pfi

    def _level(self, record):
        self._at(record).put(record[5] * OCTET, record[4])

    def _ratio(self, record):
        self._at(record).put_ratio(record[5], record[4])

    def _adjust(self, record):
        self._at(record).adjust(record[5], record[4])

    def _touch_all(self, cell):
        self.idle.touch(cell)
        for ms in cell.mobiles.values():
            self.idle.haunt_all(ms)
            self.idle.touch(ms)

    def _cell_use(self, record):
        cell = self.cell(record[3])
        cell.usable = bool(record[5])
        self._touch_all(cell)

    def _cell_reset(self, record):
        _, with_mobiles, _, ident, now, _, _, _ = record
        cell = self.cell(ident)
        self._cut(cell, now)
        cell.usable = False
        cell.bucket.put(0, now)
        for ms in cell.mobiles.values() if with_mobiles else ():
            ms.bucket.put(0, now)
            ms.pfcs.clear()
        self._touch_all(cell)

    def _ms_move(self, record):
        now, cell = record[4], self.cell(record[5])
        ms = self._cut_mobile(record[3], now)
        self._leave(ms)
        ms.cell = cell
        cell.mobiles[ms.ident] = ms
        self._widen(cell.link, ms)
        ms.bucket.put(0, now)
        ms.pfcs.clear()
        self.limits.enter(ms)

    def _leave(self, ms):
        self.idle.offer(ms, 0, False)
        self.idle.touch(ms.cell)
        self.limits.leave(ms)
        del ms.cell.mobiles[ms.ident]

    def _ms_hold(self, record):
        self._cut_mobile(record[3], record[4]).held = bool(record[5])

    def _ms_delete(self, record):
        ms = self.mobile(record[3])
        if ms.waiting:
            raise TraceError(f"mobile {ms.ident} is deleted and {ms.waiting} of its N-PDUs are nowhere")
        self.idle.cut(ms, record[4])
        self._leave(ms)
        del self.mobiles[ms.ident]
        ms.wake = -1
        ms.flows.clear()

    def close(self, now):
        """The trace ends: judges what goes on."""
        for entity in [*self.links.values(), *self.cells.values()]:
            self._cut(entity, now)
        for ms in self.mobiles.values():
            self.idle.cut(ms, now)
