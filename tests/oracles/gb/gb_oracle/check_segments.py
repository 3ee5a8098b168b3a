# SPDX-License-Identifier: BSD-3-Clause
"""Segmentation rules of SNDCP, and reassembly of N-PDUs."""
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Npdu:
    """An N-PDU as it was seen on Gb; packet is the captured inner packet it was matched with."""
    tlli: int
    nsapi: int
    number: int
    pdus: list = field(default_factory=list)
    complete: bool = False
    packet: object = None

    @property
    def octets(self):
        return b"".join(pdu.segment.data for pdu in self.pdus)

    @property
    def first(self):
        return self.pdus[0]

    @property
    def last(self):
        return self.pdus[-1]


class _Stream:
    """What one (TLLI, NSAPI) must send next."""

    def __init__(self):
        self.due, self.open = 0, None


def _fault(stream, segment, n201_u):
    """The broken rule, or None."""
    if segment.fault:
        return segment.fault
    if segment.first:
        if segment.npdu != stream.due:
            return f"N-PDU number is {segment.npdu}, {stream.due} is due"
        if segment.index:
            return f"first segment has number {segment.index}"
    else:
        if stream.open is None:
            return "later segment without a first one"
        if segment.npdu != stream.open.number:
            return f"segment of N-PDU {segment.npdu} inside N-PDU {stream.open.number}"
        if segment.index != len(stream.open.pdus):
            return f"segment number is {segment.index}, {len(stream.open.pdus)} is due"
    if segment.size_octets > n201_u:
        return f"SN-PDU of {segment.size_octets} octets is larger than N201-U {n201_u}"
    if segment.more and segment.size_octets != n201_u:
        return f"SN-PDU of {segment.size_octets} octets, but more follow and N201-U is {n201_u}"
    return None if segment.data else "empty segment"


def check(pdus, report, n201_u):
    """Walks all segments; returns the N-PDUs in order of their first segment, incomplete ones included."""
    streams, npdus = {}, []
    for pdu in pdus:
        segment = pdu.segment
        if segment is None:
            continue
        stream = streams.setdefault((pdu.tlli, segment.nsapi), _Stream())
        fault = _fault(stream, segment, n201_u)
        report["segmentation"].expect(fault is None, pdu, f"TLLI {pdu.tlli:08x} NSAPI {segment.nsapi}: {fault}")
        if segment.first:
            stream.open = Npdu(pdu.tlli, segment.nsapi, segment.npdu)
            stream.due = (segment.npdu + 1) % 4096
            npdus.append(stream.open)
        if stream.open is None or stream.open.number != segment.npdu:
            continue
        pdu.npdu = stream.open
        stream.open.pdus.append(pdu)
        if not segment.more:
            stream.open.complete = True
            stream.open = None
    report.note("N-PDUs begun and not finished", sum(not npdu.complete for npdu in npdus))
    return npdus
