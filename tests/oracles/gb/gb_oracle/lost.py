# SPDX-License-Identifier: BSD-3-Clause
"""What arrived on Gn and never left on Gb: whole packets, and the rests of N-PDUs that were given up midway.

While it lives, any of these may have been head of its mobile's queue, or the PDU with which the cell waited. Nobody sees why a packet
was lost; but what certainly was taken into the queue must not be lost for nothing.
"""
from gb_oracle.bucket import NEVER

LLC_OVERHEAD_OCTETS = 6
FIRST_OCTETS, LATER_OCTETS = 4, 3


class Lost:
    """One of them.

    octets: length of the LLC-PDU that it would have been next. is_sure: it was certainly taken into the queue. from_ns, head_ns: it
    became head of the queue between these, if it was taken. early_ns, dies_ns: the first and the last instant at which it was right
    to drop it. gone_ns: the last one at which it may have waited. overtaken_by: the first LLC-PDU of a later packet of its mobile.
    """
    __slots__ = ("packet", "tlli", "octets", "is_sure", "from_ns", "head_ns", "early_ns", "dies_ns", "gone_ns", "overtaken_by")

    def __init__(self, packet, tlli, end_ns, rules):
        self.packet, self.tlli, self.is_sure, self.overtaken_by = packet, tlli, False, None
        ages = (rules.lifetime_ns - _share_ns(rules), rules.lifetime_ns) if rules.lifetime_ns is not None else (NEVER, NEVER)
        self.early_ns, self.dies_ns = (min(packet.time_ns + age_ns, packet.until_ns, end_ns) for age_ns in ages)
        self.octets = self._octets(0, FIRST_OCTETS, rules)
        self.from_ns, self.head_ns, self.gone_ns = packet.time_ns, packet.time_ns, self.dies_ns

    def _octets(self, sent_octets, header_octets, rules):
        return min(len(self.packet.octets) - sent_octets + header_octets, rules.n201_u) + LLC_OVERHEAD_OCTETS

    def make_rest_of(self, npdu, rules):
        """The segments of an N-PDU that did not leave: at the head of the queue since the last one that did."""
        self.octets = self._octets(len(npdu.octets), LATER_OCTETS, rules)
        self.from_ns = self.head_ns = npdu.last.time_ns
        self.is_sure = True

    def overtake(self, pdu):
        """The queue's order tells that it was gone when a later packet began to leave."""
        self.gone_ns, self.overtaken_by = min(self.gone_ns, max(pdu.time_ns, self.from_ns)), pdu

    def is_needless(self):
        """Whether it was gone before its time."""
        return self.is_sure and self.overtaken_by is not None and self.overtaken_by.time_ns < self.early_ns

    def instants(self):
        """When it may have been given up, to the nanosecond; the end of a lifetime itself is still a time to send."""
        return {self.dies_ns, self.dies_ns + 1, self.early_ns, self.early_ns + 1}


def _share_ns(rules):
    """With less left than this, a packet is dropped for the BSS's sake."""
    return rules.bss_min_ns if rules.mode == "split" else 0


class _Queue:
    """What may wait before a mobile's next packet, as far as is known when the packets are taken in order of arrival."""

    def __init__(self, rules):
        self.rules, self.busy_ns, self.ahead, self.lost = rules, 0, [], []

    def leaves(self, npdu):
        """All that came earlier is gone before it."""
        for lost in self.lost:
            lost.overtake(npdu.first)
        self.ahead = [(min(gone_ns, npdu.first.time_ns), octets) for gone_ns, octets in self.ahead]
        self.ahead.append((npdu.last.time_ns, len(npdu.packet.octets)))
        self.busy_ns, self.lost = max(self.busy_ns, npdu.last.time_ns), []

    def loses(self, lost, npdu):
        """npdu: of which it is the rest, or None."""
        now_ns, size_octets = lost.packet.time_ns, len(lost.packet.octets)
        if npdu is not None:
            lost.make_rest_of(npdu, self.rules)
        else:
            self.ahead = [(gone_ns, octets) for gone_ns, octets in self.ahead if gone_ns > now_ns]
            lost.from_ns = max(self.busy_ns, now_ns)
            lost.head_ns = max([lost.from_ns] + [earlier.gone_ns for earlier in self.lost])
            lost.is_sure = not self.ahead or sum(octets for _, octets in self.ahead) + size_octets <= self.rules.queue_octets
        self.ahead.append((lost.gone_ns, size_octets))
        self.lost.append(lost)


def find(packets, tlli, resets_ns, rules):
    """The lost ones of a mobile's packets, which are in order of arrival; resets_ns: when all that waits is dropped."""
    found, queue = [], _Queue(rules)
    for packet in packets:
        npdu = packet.taken
        if npdu is not None:
            queue.leaves(npdu)
        if npdu is None or not npdu.complete:
            found.append(_lost(packet, tlli, resets_ns, rules))
            queue.loses(found[-1], npdu)
    return found


def _lost(packet, tlli, resets_ns, rules):
    since_ns = packet.time_ns if packet.taken is None else packet.taken.last.time_ns
    end_ns = min((reset_ns for reset_ns in resets_ns if reset_ns >= since_ns), default=NEVER)
    return Lost(packet, tlli, end_ns, rules)
