# SPDX-License-Identifier: BSD-3-Clause
"""Shares of classes by weight, and equality of mobiles, over windows in which all of them were backlogged.

A group is a link, a cell, or some cells together. Windows of shares begin when all the given classes have N-PDUs waiting in the group and each has sent
an LLC-PDU since; they end, judged, when each has sent so many; when one of them has nothing left they end unjudged. A window of Jain's index has a
fixed length, and counts the mobiles of a cell and class that had something waiting throughout. What has not ended when the trace ends
is not judged.
Who plays must see to it that nothing but the weights limits the classes (buckets of mobiles wide open), or that the mobiles are equal.
"""
from sched_oracle import trace

TOLERANCE_PERCENT = 1
JAIN_LEAST_PERMILLE = 999


class UsageError(Exception):
    """What was asked for makes no sense."""


class Group:
    """The classes of one link, cell or set of cells."""

    def __init__(self, name, weights, window, report):
        self.name, self.weights, self.window, self.report = name, weights, window, report
        self.waiting = {qclass: 0 for qclass in weights}
        self.unheard = set(weights)
        self._restart()

    def _restart(self):
        self.octets = {qclass: 0 for qclass in self.weights}
        self.pdus = dict(self.octets)

    def put(self, qclass, count):
        if qclass not in self.weights:
            return
        self.waiting[qclass] += count
        if self.waiting[qclass] == 0 or self.waiting[qclass] == count:
            self.unheard = set(self.weights)
            self._restart()

    def depart(self, qclass, octets, now):
        if qclass not in self.weights or not all(self.waiting.values()):
            return
        if self.unheard:
            self.unheard.discard(qclass)
            return
        self.octets[qclass] += octets
        self.pdus[qclass] += 1
        if self.pdus[qclass] >= self.window and min(self.pdus.values()) >= self.window:
            self._judge(now)
            self._restart()

    def _judge(self, now):
        """Each class's octets against its part of all octets."""
        total, weight_sum = sum(self.octets.values()), sum(self.weights.values())
        for qclass, weight in self.weights.items():
            due = weight * total
            error = abs(self.octets[qclass] * weight_sum - due)
            self.report.saw("shares")
            self.report.note_most(f"shares: largest error of {trace.CLASSES[qclass]}, in 10^-6", error * 10**6 // due)
            if error * 100 > TOLERANCE_PERCENT * due:
                self.report.fail("shares", now, f"{self.name}: {trace.CLASSES[qclass]} has {self.octets[qclass]} octets of {total}, "
                                 f"weight {weight} of {weight_sum}")


class Shares:
    """Finds the group of an N-PDU."""

    def __init__(self, weights, arguments, report):
        self.weights, self.window, self.report = weights, arguments.window, report
        self.of, self.groups, self.cells = arguments.of, {}, None
        if self.of not in ("links", "cells"):
            try:
                self.cells = {int(cell) for cell in self.of.split(",")}
            except ValueError:
                raise UsageError(f"--of {self.of}: links, cells, or numbers of cells") from None

    def _group(self, cell):
        if self.cells is not None:
            if cell.ident not in self.cells:
                return None
            key, name = 0, f"cells {self.of}"
        elif self.of == "links":
            key, name = cell.link.ident, f"link {cell.link.ident}"
        else:
            key, name = cell.ident, f"cell {cell.ident}"
        if key not in self.groups:
            self.groups[key] = Group(name, self.weights, self.window, self.report)
        return self.groups[key]

    def put(self, pdu, count, cell):
        group = self._group(cell)
        if group is not None:
            group.put(pdu.qclass, count)

    def depart(self, pdu, octets, now):
        ms = pdu.flow.ms
        group = self._group(ms.cell)
        if group is not None:
            group.depart(pdu.qclass, octets + (ms.overhead if self.of == "links" else 0), now)


class Jain:
    """Windows of equal length; a mobile counts as long as it never had nothing."""

    def __init__(self, seconds, report):
        self.length_ns, self.report = int(seconds * 10**9), report
        self.until = None
        self.waiting = {}  # (cell, class) -> mobile -> N-PDUs
        self.octets = {}  # (cell, class) -> mobile -> octets in this window, of those that count

    def put(self, pdu, count, cell):
        key, ms = (cell.ident, pdu.qclass), pdu.flow.ms.ident
        mobiles = self.waiting.setdefault(key, {})
        mobiles[ms] = mobiles.get(ms, 0) + count
        if not mobiles[ms]:
            del mobiles[ms]
            self.octets.get(key, {}).pop(ms, None)

    def depart(self, pdu, octets, now):
        if self.until is None or now >= self.until:
            self._turn(now)
        ms = pdu.flow.ms
        counted = self.octets.get((ms.cell.ident, pdu.qclass), {})
        if ms.ident in counted:
            counted[ms.ident] += octets

    def _turn(self, now):
        """The window is over, unless none was: judges it and begins the next."""
        if self.until is not None and now < self.until + self.length_ns:
            for key, counted in self.octets.items():
                if len(counted) > 1:
                    self._judge(key, list(counted.values()), now)
        start = now if self.until is None else now - (now - self.until) % self.length_ns
        self.until = start + self.length_ns
        self.octets = {key: dict.fromkeys(mobiles, 0) for key, mobiles in self.waiting.items()}

    def _judge(self, key, octets, now):
        """(sum x)^2 / (n sum x^2), exactly."""
        above, below = sum(octets) ** 2, len(octets) * sum(value * value for value in octets)
        self.report.saw("jain")
        if below:
            self.report.note_most("jain: largest lack, in 10^-6", 10**6 - above * 10**6 // below)
        if 1000 * above < JAIN_LEAST_PERMILLE * below or not below:
            self.report.fail("jain", now, f"cell {key[0]}, {trace.CLASSES[key[1]]}: {len(octets)} mobiles, {min(octets)} to {max(octets)} octets")


class Watch:
    """Hears of each N-PDU before or after those who keep the books."""

    def __init__(self, judge, listeners):
        self.pdus, self.world, self.listeners = judge.traffic.pdus, judge.world, listeners
        table = judge.handlers
        for kind, mine, is_before in ((trace.ENQUEUE, self._enqueue, False), (trace.DEPART, self._depart, True),
                                      (trace.DROP, self._drop, True), (trace.MS_MOVE, self._move, True)):
            table[kind] = self._both(mine, table[kind]) if is_before else self._both(table[kind], mine)

    @staticmethod
    def _both(first, second):
        def handler(record):
            first(record)
            second(record)
        return handler

    def _enqueue(self, record):
        pdu = self.pdus.get(record[5])
        if pdu is not None:
            self._put(pdu, 1, pdu.flow.ms.cell)

    def _put(self, pdu, count, cell):
        for listener in self.listeners:
            listener.put(pdu, count, cell)

    def _depart(self, record):
        pdu = self.pdus.get(record[5])
        if pdu is None:
            return
        for listener in self.listeners:
            listener.depart(pdu, record[6], record[4])
        if record[1] & 1:
            self._put(pdu, -1, pdu.flow.ms.cell)

    def _drop(self, record):
        pdu = self.pdus.get(record[5])
        if pdu is not None:
            self._put(pdu, -1, pdu.flow.ms.cell)

    def _move(self, record):
        ms, cell = self.world.mobile(record[3]), self.world.cell(record[5])
        for flow in ms.flows.values():
            for pdu in flow.queue:
                self._put(pdu, -1, ms.cell)
                self._put(pdu, 1, cell)


def _weights(text):
    weights = {}
    for item in text.split(","):
        name, _, weight = item.partition("=")
        if name not in trace.CLASSES or not weight.isdigit() or int(weight) == 0:
            raise UsageError(f"--shares {item}: CLASS=WEIGHT with a class of {', '.join(trace.CLASSES)}")
        weights[trace.CLASSES.index(name)] = int(weight)
    if len(weights) < 2:
        raise UsageError("--shares needs two classes")
    return weights


def attach(judge, arguments):
    """Has what the command line asks for judged too."""
    listeners = []
    if arguments.shares:
        listeners.append(Shares(_weights(arguments.shares), arguments, judge.report))
    if arguments.jain:
        listeners.append(Jain(arguments.jain, judge.report))
    if listeners:
        Watch(judge, listeners)
