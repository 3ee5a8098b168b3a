# SPDX-License-Identifier: BSD-3-Clause
"""The BSSGP PDUs of a capture of Gb, one by one: a capture of a million LLC-PDUs is read as it lies on disk."""
import mmap
import struct
from dataclasses import dataclass

from gb_oracle import bssgp, capture

PFI, FC_PFC_LIST, FLUSH_LL, FLUSH_LL_ACK = 0x28, 0x52, 0x2A, 0x2B
CREATE_PFC_ACK, DELETE_PFC = 0x52, 0x56
UI_SAPIS = frozenset((3, 5, 9, 11))


@dataclass(slots=True)
class Pdu:
    """A BSSGP PDU with number and time of its frame; body: what bssgp.decode() makes of it, of DL-UNITDATA a Downlink."""
    number: int
    time_ns: int
    nse: object
    bvci: int
    kind: int
    body: object


class Downlink:
    """What the buckets need of a DL-UNITDATA. is_user: it has to conform; frames of control are charged, too, and go first."""
    __slots__ = ("tlli", "octets", "pfi", "is_user")

    def __init__(self, octets):
        self.tlli, self.pfi, at = struct.unpack_from(">I", octets, 1)[0], None, 8
        end = len(octets)
        while at < end:
            kind, size, at = octets[at], octets[at + 1], at + 2
            if size & 0x80:
                size &= 0x7F
            else:
                size, at = size << 8 | octets[at], at + 1
            if kind == bssgp.LLC_PDU:
                self.octets, self.is_user = size, octets[at] & 0x0F in UI_SAPIS and octets[at + 1] & 0xE0 != 0xE0
                return
            if kind == PFI:
                self.pfi = octets[at] & 0x7F
            at += size
        raise bssgp.Malformed("DL-UNITDATA without LLC-PDU")


def _frames(path):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield from capture.parse(data, path)


def _datagram(frame):
    """(link, payload) of a UDP datagram over IPv4, whole and in Ethernet; None for others."""
    octets = frame.octets
    if frame.linktype != 1 or octets[12:14] != b"\x08\x00" or octets[23] != 17:
        return None
    at = 14 + 4 * (octets[14] & 15)
    source, destination, size = struct.unpack_from(">HHH", octets, at)
    link = tuple(sorted(((octets[26:30], source), (octets[30:34], destination))))
    return link, octets[at + 8:at + size]


def pdus(path, port=23000):
    """Pdu by Pdu; NS-VCs whose NSEI the capture does not tell are an NSE each."""
    nses = {}
    for frame in _frames(path):
        found = _datagram(frame)
        if found is None or port not in (found[0][0][1], found[0][1][1]) or not found[1]:
            continue
        link, payload = found
        kind = payload[0]
        if kind in (bssgp.NS_RESET, bssgp.NS_RESET_ACK):
            nses[link] = bssgp.ns_nsei(payload) or nses.get(link)
        if kind != bssgp.NS_UNITDATA or len(payload) < 5:
            continue
        bvci, octets = payload[2] << 8 | payload[3], payload[4:]
        is_down = octets[0] == bssgp.DL_UNITDATA
        body = Downlink(octets) if is_down else bssgp.decode(octets)
        yield Pdu(frame.number, frame.time_ns, nses.get(link) or link, bvci, octets[0], body)


def flows_of(pdu):
    """[(PFI, Bmax in octets, R in bit/s, percent or None)] of a FLOW-CONTROL-PFC."""
    octets, unit, flows = pdu.elements[FC_PFC_LIST], pdu.unit(), []
    count = octets[0]
    each = (len(octets) - 1) // count if count else 0
    for number in range(count):
        pfi, size, rate = struct.unpack_from(">BHH", octets, 1 + number * each)
        flows.append((pfi & 0x7F, size * unit, rate * unit, octets[6 + number * each] if each > 5 else None))
    return flows
