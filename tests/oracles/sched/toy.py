# SPDX-License-Identifier: BSD-3-Clause
"""A scheduler that is right and slow, on random cells and mobiles: makes long clean traces for the tests of the oracle.

At each level it keeps the LLC-PDU that it chose until that has left or is no more before this level; it chooses at random.
"""
import random

from scene import Scene
from sched_oracle import trace
from sched_oracle.bucket import NEVER, OCTET, Bucket


class Node:
    """A bucket, None for none, and those behind it: link > cells > mobiles > packet flows."""

    def __init__(self, bucket, above=None):
        self.bucket, self.above, self.below, self.choice = bucket, above, [], None
        self.is_open = True
        if above is not None:
            above.below.append(self)

    def offers(self, toy):
        """What passes this level now."""
        before = self.before(toy)
        if self.choice not in before:
            self.choice = toy.random.choice(before) if before else None
        fits = self.bucket is None or self.choice is None or self.bucket.fits(self.size(self.choice), toy.now)
        return [self.choice] if fits and self.choice is not None else []

    def before(self, toy):
        return [pdu for node in self.below for pdu in node.offers(toy)] if self.is_open else []

    @staticmethod
    def size(pdu):
        return pdu.octets * OCTET


class Flow(Node):
    """A flow of a mobile, which may have a bucket of its own."""

    def __init__(self, bucket, above):
        super().__init__(bucket, above)
        self.queue = []

    def before(self, toy):
        return self.queue[:1]


class Pdu:
    def __init__(self, number, octets, flow, until):
        self.number, self.octets, self.flow, self.until = number, octets, flow, until


class Toy:
    """N-PDUs of one LLC-PDU each."""

    def __init__(self, seed, is_limited):
        self.random, self.now = random.Random(seed), 0
        self.scene = Scene()
        self.scene.records.clear()
        self.cells, self.mobiles, self.flows = {}, {}, {}
        for link in (1, 2):
            self._link(link, is_limited)

    def _bucket(self, tell, least=4):
        rate, most = int(10 ** self.random.uniform(least, 6.8)), int(10 ** self.random.uniform(2.5, 4.5))
        tell(rate, most)
        bucket = Bucket()
        bucket.set(rate, most, -1, self.now)
        return bucket

    def _link(self, ident, is_limited):
        scene = self.scene.add(trace.LINK_ADD, ident)
        bucket = self._bucket(lambda *given: scene.set(trace.AT_LINK, ident, *given), 5) if is_limited else None
        link = Node(bucket)
        setattr(self, f"link{ident}", link)
        for cell in range(10 * ident, 10 * ident + 3):
            node = self._bucket(lambda *given, cell=cell, ident=ident: scene.cell(cell, *given, link=ident))
            self.cells[cell] = Node(node, link)
            for ms in range(10 * cell, 10 * cell + 4):
                self._mobile(ms, cell)

    def _mobile(self, ms, cell):
        scene = self.scene
        node = Node(self._bucket(lambda *given: scene.mobile(ms, cell, *given)), self.cells[cell])
        self.mobiles[ms] = node
        self.flows[ms] = [Flow(None, node), Flow(None, node)]
        if ms % 3 == 0:
            self.flows[ms].append(Flow(self._bucket(lambda *given: scene.set(trace.AT_PFC, ms, *given, pfi=9)), node))

    def _links(self):
        return self.link1, self.link2

    def _pick(self):
        for link in self._links():
            for pdu in link.offers(self):
                self._charge(pdu)
                self.scene.go(pdu.number)
                pdu.flow.queue.pop(0)
                return True
        return False

    def _charge(self, pdu):
        node = pdu.flow
        while node is not None:
            if node.bucket is not None:
                node.bucket.charge(pdu.octets * OCTET, self.now)
            node = node.above

    def _next(self):
        """No later than when something may leave or dies."""
        instants = [NEVER]
        for flows in self.flows.values():
            for flow in flows:
                if flow.queue:
                    instants.append(flow.queue[0].until + 1)
                    node = flow
                    while node is not None:
                        if node.bucket is not None:
                            instants.append(node.bucket.earliest(flow.queue[0].octets * OCTET))
                        node = node.above
        return min(instant for instant in instants if instant > self.now)

    def _die(self):
        for flows in self.flows.values():
            for flow in flows:
                while flow.queue and flow.queue[0].until < self.now:
                    self.scene.drop(trace.LIFETIME, flow.queue.pop(0).number)

    def _put(self):
        ms = self.random.choice(list(self.mobiles))
        which = self.random.randrange(len(self.flows[ms]))
        octets, until = self.random.choice((40, self.random.randint(1, 1520), 1500)), self.now + self.random.choice((10**8, 10**9))
        flow = self.flows[ms][which]
        number = self.scene.put(ms, octets, flow=which, sapi=which, until=until, pfi=9 if flow.bucket else trace.NO_PFI)
        flow.queue.append(Pdu(number, octets, flow, until))

    def _change(self):
        level, table = self.random.choice(((trace.AT_CELL, self.cells), (trace.AT_MS, self.mobiles)))
        ident = self.random.choice(list(table))
        bucket, what = table[ident].bucket, self.random.randrange(3)
        if what == 0:
            rate, most = self.random.choice((0, bucket.rate * 2)), self.random.randint(0, 5000)
            self.scene.set(level, ident, rate or 12345, most)
            bucket.set(rate or 12345, most, -1, self.now)
        elif what == 1:
            self.scene.add(trace.ADJUST, ident, flags=level, a=-500)
            bucket.adjust(-500, self.now)
        else:
            self.scene.add(trace.RATIO, ident, flags=level, a=70)
            bucket.put_ratio(70, self.now)

    def _hold(self):
        ms, node = self.random.choice(list(self.mobiles.items()))
        node.is_open = not node.is_open
        self.scene.add(trace.MS_HOLD, ms, a=int(not node.is_open))

    def play(self, events):
        """The trace as a scene; its records are of this many events and what follows from them."""
        due = 0
        while events:
            self._die()
            while self._pick():
                self._die()
            answer = self._next()
            self.scene.add(trace.ANSWER, a=answer)
            if due <= self.now:
                due = self.now + int(self.random.expovariate(1 / 10**6)) + 1
            self.now = min(answer, due)
            self.scene.at(self.now)
            if self.now == due:
                events -= 1
                self.random.choices((self._put, self._change, self._hold), (90, 2, 1))[0]()
        self._die()
        while self._pick():
            self._die()
        return self.scene.end()
