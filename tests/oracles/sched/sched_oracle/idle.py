# SPDX-License-Identifier: BSD-3-Clause
"""Nothing idles while something could go: the statement of format.md, in the course of time.

Whatever changes makes its mobile, cell or link dirty; at the end of the instant these are looked at again, mobiles first: what could a
mobile pass to its cell, does one of these not fit the cell, the link? If one does not, the level waits, and is looked at again when
it fits (or when another mobile's comes in between). If all fit, it should have gone: that is the violation. So each link-wide
instant costs what has changed, whatever the number of mobiles.

What a cell or link waited for may go elsewhere (dropped, moved, its mobile's bucket closed by new parameters). Unless the judgement is
"strict", the level may go on waiting until that would have fitted: a ghost. It is behind by no more than one LLC-PDU so.
"""
from heapq import heappop, heappush

from sched_oracle.bucket import LARGEST, LARGEST_OCTETS, NEVER, OCTET


class Idle:
    """Knows the instants at which something must be looked at again."""

    def __init__(self, report, rates, mode):
        self.report, self.rates = report, rates
        self.least = LARGEST_OCTETS if mode == "largest" else 0  # a level waits while it has no room for so much, whatever waits
        self.has_ghosts = mode != "strict"
        self.heap = []
        self.dirty = ([], [], [])
        self.now = self.departures = self.instants = self.punctual = 0
        self.told_ns = -1  # when there was last a record that made nothing dirty
        self.answer = NEVER

    def touch(self, entity):
        if not entity.dirty:
            entity.dirty = True
            self.dirty[entity.tier].append(entity)

    def advance(self, until):
        """All instants before `until` have ended."""
        now, heap = self.now, self.heap
        while True:
            while heap and heap[0][0] <= now:
                instant, _, entity = heappop(heap)
                if entity.wake == instant and not entity.dirty:
                    entity.dirty = True
                    self.dirty[entity.tier].append(entity)
            self._settle(now)
            if not heap or heap[0][0] >= until:
                break
            now = heap[0][0]
        self.now = until

    def _settle(self, now):
        mobiles, cells, links = self.dirty
        if not mobiles and not cells and not links:
            return
        self.instants += 1
        self.dirty = ([], cells, links)
        for mobile in mobiles:
            self._mobile(mobile, now)
        self.dirty = ([], [], links)
        for cell in cells:
            self._cell(cell, now)
        self.dirty = ([], [], [])
        for link in links:
            self._link(link, now)

    def _wake(self, entity, instant):
        if instant >= NEVER:
            entity.wake = -1
        elif instant != entity.wake:
            entity.wake = instant
            heappush(self.heap, (instant, entity.uid, entity))

    def _mobile(self, ms, now):
        ms.dirty = False
        cell, bucket, offer, sure, wake = ms.cell, ms.bucket, 0, False, NEVER
        if ms.waiting and not ms.held and cell.usable:
            if ms.loose:
                offer = LARGEST_OCTETS  # for all that one knows
            elif ms.pfcs:
                offer, sure, wake = self._behind_pfcs(ms, now)
            elif ms.only is None:
                offer, sure, wake = self._several(ms, now)
            else:
                size = ms.next_octets(ms.only.queue[0])[1] * OCTET
                lead = bucket.held - bucket.rate * (now - bucket.at)
                if lead < 0 or lead + size <= bucket.room:
                    offer, sure = size // OCTET, True
                else:
                    wake = bucket.earliest(size)
            if ms.loose:
                bucket.since = -1
            elif not ms.pfcs:
                self.rates.follow(bucket, ms.above(), now)
        elif bucket.since >= 0 or ms.pfcs:
            self.cut(ms, now)
        self._wake(ms, wake)
        if offer != ms.offer or sure != ms.sure:
            self.offer(ms, offer, sure)
        if not cell.dirty:
            cell.dirty = True
            self.dirty[1].append(cell)

    def haunt(self, *pdus):
        """They are about to go, or may fit less than now: their cell and link may be waiting for them."""
        for pdu in pdus if self.has_ghosts else ():
            ms = pdu.flow.ms
            octets = ms.next_octets(pdu)[1]
            ms.cell.ghosts.add(octets * OCTET)
            ms.cell.link.ghosts.add((octets + ms.overhead) * OCTET)

    def haunt_all(self, ms, pfi=None):
        """All that waits in front of a mobile's flows; and the mobile may be waiting for what this packet flow has let pass."""
        self.haunt(*self._heads(ms))
        if pfi is not None and self.has_ghosts:
            ms.ghosts.update(ms.next_octets(pdu)[1] * OCTET for pdu in self._heads(ms) if pdu.pfi == pfi)

    def haunt_link(self, link, size):
        """So much is charged to it all at once: it may come back when what it waits for would have fitted without that."""
        drained = link.bucket.room + 1  # what is longer than Bmax waits as if it were so long
        if self.has_ghosts:
            link.ghosts.update([min(ghost, drained) - size for ghost in link.ghosts])
            for cell in link.cells:
                for ms in cell.mobiles.values():
                    sizes = [(ms.next_octets(pdu)[1] + ms.overhead) * OCTET for pdu in self._heads(ms)]
                    link.ghosts.update(min(due, drained) - size for due in sizes)

    @staticmethod
    def _waits_for_ghost(entity, now):
        """When to look again at a level that waits for what has gone; NEVER: it does not wait."""
        if entity.left_ns == now:
            entity.ghosts.clear()
            return NEVER
        entity.ghosts = {size for size in entity.ghosts if not entity.bucket.fits(size, now)}
        return min(map(entity.bucket.earliest, entity.ghosts), default=NEVER)

    def cut(self, ms, now):
        """The mobile is backlogged no more, or its buckets are about to be changed."""
        above = ms.above()
        self.rates.end(ms.bucket, above, now)
        for pfc in ms.pfcs.values():
            self.rates.end(pfc, max(above, ms.closed_until), now)

    def _several(self, ms, now):
        """The largest that the mobile could pass, whether none waits, when to look again."""
        offer, sure, wake, bucket = 0, True, NEVER, ms.bucket
        lead = bucket.held - bucket.rate * (now - bucket.at)
        for pdu in self._heads(ms):
            octets = ms.next_octets(pdu)[1]
            if lead < 0 or lead + octets * OCTET <= bucket.room:
                if octets > offer:
                    offer = octets
            else:
                sure = False
                wake = min(wake, bucket.earliest(octets * OCTET))
        return offer, sure and offer > 0, wake

    def _behind_pfcs(self, ms, now):
        """The same when there are buckets of packet flows."""
        offer, sure, wake, passed, waiting, bucket = 0, True, NEVER, set(), set(), ms.bucket
        for pdu in self._heads(ms):
            size = ms.next_octets(pdu)[1] * OCTET
            pfc = ms.pfcs.get(pdu.pfi)
            if pfc is not None and not pfc.fits(size, now):
                waiting.add(pdu.pfi)
                wake = min(wake, pfc.earliest(size))
                continue
            passed.add(pdu.pfi)
            if bucket.fits(size, now):
                offer = max(offer, size // OCTET)
            else:
                sure = False
                wake = min(wake, bucket.earliest(size))
        if ms.ghosts:
            wake = min(wake, self._waits_for_ghost(ms, now))
        self._pfc_rates(ms, passed | waiting, now)
        return offer, sure and not ms.ghosts and bool(passed - waiting), wake

    @staticmethod
    def _heads(ms):
        """What could leave next: of each flow its first, but for LLC entities where a segment of another has left."""
        heads, service = [flow.queue[0] for flow in ms.flows.values() if flow.queue], ms.service
        return [pdu for pdu in heads if service.get(pdu.sapi, pdu) is pdu] if service else heads

    def _pfc_rates(self, ms, backlogged, now):
        if not ms.bucket.fits(LARGEST, now):
            ms.closed_until = ms.bucket.earliest(LARGEST)
        elif ms.closed_until > now:
            ms.closed_until = now
        above = max(ms.above(), ms.closed_until)
        for pfi, pfc in ms.pfcs.items():
            if pfi in backlogged:
                self.rates.follow(pfc, above, now)
            else:
                self.rates.end(pfc, above, now)

    @staticmethod
    def offer(ms, octets, sure):
        """Keeps cell.lengths, cell.top and cell.sure."""
        cell = ms.cell
        lengths, old = cell.lengths, ms.offer
        if octets != old:
            if octets:
                lengths[octets] = lengths.get(octets, 0) + 1
                if octets > cell.top:
                    cell.top = octets
            if old:
                lengths[old] -= 1
                if not lengths[old]:
                    del lengths[old]
                    if old == cell.top:
                        cell.top = max(lengths) if lengths else 0
        cell.sure += sure - ms.sure
        ms.offer, ms.sure = octets, sure

    def _cell(self, cell, now):
        cell.dirty = False
        bucket, link, top = cell.bucket, cell.link, cell.top
        lead = bucket.held - bucket.rate * (now - bucket.at)
        if lead + LARGEST > bucket.room:
            cell.closed_until = bucket.earliest(LARGEST)
        elif cell.closed_until > now:
            cell.closed_until = now
        fits, wake = True, NEVER
        if top:
            size = max(top, self.least) * OCTET
            fits = lead < 0 or lead + size <= bucket.room
            if not fits:
                wake = bucket.earliest(size)
        if cell.ghosts:
            wake = min(wake, self._waits_for_ghost(cell, now))
        sure = fits and not cell.ghosts and cell.sure > 0
        if cell.sure and not cell.ghosts:
            self.rates.follow(bucket, link.closed_until, now)
        elif bucket.since >= 0:
            self.rates.end(bucket, link.closed_until, now)
        self._wake(cell, wake)
        if sure != cell.is_sure:
            link.sure += sure - cell.is_sure
            cell.is_sure = sure
        if not link.dirty:
            link.dirty = True
            self.dirty[2].append(link)

    def _link(self, link, now):
        link.dirty = False
        wake, is_late = NEVER, link.sure > 0
        if link.has_rate:
            bucket = link.bucket
            if not bucket.fits(bucket.largest, now):
                link.closed_until = bucket.earliest(bucket.largest)
            elif link.closed_until > now:
                link.closed_until = now
            if link.ghosts:
                wake = self._waits_for_ghost(link, now)
                is_late = is_late and not link.ghosts
            if link.sure:
                top = max([cell.top for cell in link.cells])
                size = (max(top, self.least) + link.overhead) * OCTET
                if not bucket.fits(size, now):
                    is_late = False
                    wake = min(wake, bucket.earliest(size))
                self.rates.follow(bucket, -1, now)
            elif bucket.since >= 0:
                self.rates.end(bucket, -1, now)
        else:
            link.ghosts.clear()
            link.closed_until = min(link.closed_until, now)
        self._wake(link, wake)
        if is_late and link.blamed != self.departures:
            link.blamed = self.departures
            self._blame(link, now)

    def is_quiet(self, now):
        """Whether nothing was told or done in this instant as yet."""
        mobiles, cells, links = self.dirty
        return not mobiles and not cells and not links and self.told_ns != now

    def first_of_instant(self, pdu, size, now):
        """Something leaves though nothing was told: it, or what was chosen before it, did not fit 1 ns ago."""
        ms = pdu.flow.ms
        if self.least or ms.loose:
            return
        self.punctual += 1
        if self._fits(pdu, size, now - 1) and not self._has_begun(ms.cell.link, now):
            self.report.fail("punctual", now, f"N-PDU {pdu.ident} of mobile {ms.ident} leaves, and could have 1 ns earlier")

    @staticmethod
    def _levels(pdu, size):
        """Buckets, and what they are charged."""
        ms = pdu.flow.ms
        link = ms.cell.link
        if ms.pfcs and pdu.pfi in ms.pfcs:
            yield ms.pfcs[pdu.pfi], size
        yield ms.bucket, size
        yield ms.cell.bucket, size
        if link.has_rate:
            yield link.bucket, size + ms.overhead * OCTET

    def _fits(self, pdu, size, now):
        return all(bucket.fits(due, now) for bucket, due in self._levels(pdu, size))

    def _has_begun(self, link, now):
        """Whether anything on the link begins to fit some level now, be it something that its LLC entity keeps back."""
        if link.has_rate and self._ghost_begins(link, now):
            return True
        for cell in link.cells:
            if self._ghost_begins(cell, now):
                return True
            for ms in cell.mobiles.values():
                if ms.loose or self._ghost_begins(ms, now):
                    return True
                for pdu in [flow.queue[0] for flow in ms.flows.values() if flow.queue]:
                    for bucket, size in self._levels(pdu, ms.next_octets(pdu)[1] * OCTET):
                        if bucket.fits(size, now) and not bucket.fits(size, now - 1):
                            return True
        return False

    @staticmethod
    def _ghost_begins(entity, now):
        return any(entity.bucket.fits(size, now) and not entity.bucket.fits(size, now - 1) for size in entity.ghosts)

    def _blame(self, link, now):
        cell = next(cell for cell in link.cells if cell.is_sure)
        ms = next(ms for ms in cell.mobiles.values() if ms.sure)
        limit = f"link {link.ident}: {link.bucket.say(now)}" if link.has_rate else f"link {link.ident} without rate"
        answer = "never" if self.answer >= NEVER else f"{self.answer} ns"
        self.report.fail("not_idle", now, f"mobile {ms.ident} has an LLC-PDU of {ms.offer} octets, everything is open (at {now} ns) and "
                         f"nothing leaves; last answer: {answer}; mobile: {ms.bucket.say(now)}; cell {cell.ident}: "
                         f"{cell.bucket.say(now)}; {limit}")
