# SPDX-License-Identifier: BSD-3-Clause
"""Holds the N-PDUs seen on Gb against the packets captured on Gn."""
from collections import Counter

from gb_oracle import gn
from gb_oracle.report import seconds

CENTISECOND_NS = 10**7
INFINITE_IE = 0xFFFF


def mobiles(npdus):
    """{(TLLI, NSAPI): address}, by the destination most of its N-PDUs bear."""
    votes = {}
    for npdu in npdus:
        destination = gn.inner_destination(npdu.octets)
        if destination is not None:
            votes.setdefault((npdu.tlli, npdu.nsapi), Counter())[destination] += 1
    return {key: counter.most_common(1)[0][0] for key, counter in votes.items()}


class _Line:
    """One mobile's captured packets; `at` is the first one that may still come in order."""

    def __init__(self, packets):
        self.packets, self.at, self.places = packets, 0, {}
        for place, packet in enumerate(packets):
            self.places.setdefault(packet.octets, []).append(place)

    def candidates(self, npdu):
        """Places of packets equal to an N-PDU (or beginning with an unfinished one)."""
        octets = npdu.octets
        if npdu.complete:
            return self.places.get(octets, [])
        return [place for place, packet in enumerate(self.packets)
                if len(packet.octets) > len(octets) and packet.octets.startswith(octets)]

    def choose(self, npdu, rules):
        """The place of an N-PDU and whether it keeps the order; (None, False) when there is none."""
        places = self.candidates(npdu)
        free = [place for place in places if place >= self.at]
        if not free:
            return (places[0], False) if places else (None, False)
        alive = [place for place in free if rules.lifetime_ns is None
                 or npdu.last.time_ns - self.packets[place].time_ns <= rules.lifetime_ns]
        return (alive or free)[0], True


def match(npdus, stream, report, rules):
    """Checks reassembly_equal, order and causality; sets npdu.packet and packet.taken."""
    names = mobiles(npdus)
    lines = {address: _Line(packets) for address, packets in stream.by_address.items()}
    for npdu in sorted(npdus, key=lambda npdu: npdu.last.number):
        line, who = lines.get(names.get((npdu.tlli, npdu.nsapi))), f"TLLI {npdu.tlli:08x} N-PDU {npdu.number}"
        place, in_order = line.choose(npdu, rules) if line else (None, False)
        report["reassembly_equal"].expect(
            place is not None, npdu.last, f"{who} ({len(npdu.octets)} octets): no such packet was captured for this mobile")
        if place is None:
            continue
        report["order"].expect(
            in_order, npdu.last, lambda: f"{who}: is Gn packet {line.packets[place].number}, which was due earlier")
        npdu.packet = line.packets[place]
        npdu.packet.taken = npdu
        line.at = place + 1 if in_order else line.at
        early_ns = npdu.packet.time_ns - npdu.first.time_ns
        report["causality"].expect(early_ns <= 0, npdu.first, f"{who}: leaves {early_ns} ns before it arrived")
    return names


def completeness(stream, report, expect_all):
    """Every captured packet of a known session must have come out whole."""
    packets = [packet for packets in stream.by_address.values() for packet in packets]
    lost = [packet for packet in packets if packet.taken is None or not packet.taken.complete]
    if not expect_all:
        report.note("captured packets that did not come out whole", len(lost))
        return
    report["completeness"].saw(len(packets))
    for packet in lost:
        report["completeness"].fail(packet, f"Gn packet of TEID {packet.teid}, {len(packet.octets)} octets, never came out")


def lifetime(npdus, report, rules):
    """No segment leaves after its N-PDU's lifetime; the PDU Lifetime element says what is left."""
    for npdu in npdus:
        for pdu in npdu.pdus if npdu.packet else ():
            age_ns, who = pdu.time_ns - npdu.packet.time_ns, f"TLLI {npdu.tlli:08x} N-PDU {npdu.number}"
            if rules.lifetime_ns is not None:
                report["lifetime"].expect(
                    age_ns <= rules.lifetime_ns, pdu,
                    f"{who}: leaves at age {seconds(age_ns)} s, lifetime {seconds(rules.lifetime_ns)} s")
            if rules.lifetime_ns is not None or rules.lifetime_infinite:
                _lifetime_element(pdu, age_ns, who, report["pdu_lifetime"], rules)


def _lifetime_element(pdu, age_ns, who, check, rules):
    found = pdu.pdu.number(22)
    if rules.mode == "per_node":
        return
    if rules.lifetime_infinite or rules.mode == "sgsn_only":
        check.expect(found == INFINITE_IE, pdu, f"{who}: PDU Lifetime is {found:#x}, infinite is due")
        return
    left_ns = min(max(rules.lifetime_ns - age_ns, rules.bss_min_ns), rules.bss_max_ns)
    check.expect(found != INFINITE_IE and abs(found * CENTISECOND_NS - left_ns) <= CENTISECOND_NS, pdu,
                 f"{who}: PDU Lifetime is {found} cs, {seconds(left_ns)} s are left")
