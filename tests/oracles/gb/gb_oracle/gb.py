# SPDX-License-Identifier: BSD-3-Clause
"""The Gb side as one list of events in capture order: downlink LLC-PDUs and signalling."""
from dataclasses import dataclass

from gb_oracle import bssgp, capture, inet, llc, sndcp


@dataclass(slots=True)
class Event:
    """A BSSGP PDU (pdu set), or an NS PDU (ns_kind other than UNITDATA)."""
    number: int
    time_ns: int
    down: bool
    link: tuple
    nse: object
    ns_kind: int
    bvci: int | None = None
    pdu: object = None


@dataclass(slots=True)
class DlPdu(Event):
    """A DL-UNITDATA; npdu is filled in by reassembly."""
    octets: int = 0
    llc: object = None
    segment: object = None
    npdu: object = None

    @property
    def tlli(self):
        return self.pdu.tlli

    @property
    def cell(self):
        return self.nse, self.bvci


def _is_gb(datagram, ports):
    return datagram.source[1] in ports or datagram.destination[1] in ports


class Loader:
    """Decodes a Gb capture; faults of form go to the report's checks decode and outer."""

    def __init__(self, report, sgsn_address, ports):
        self.report, self.sgsn, self.ports = report, sgsn_address, ports
        self.events, self.nses = [], {}

    def load(self, path):
        for frame, datagram in inet.datagrams(capture.read(path)):
            if datagram is None:
                if inet.ip_packet(frame) is None or frame.whole:
                    self.report.note("frames that are no whole UDP datagram")
                else:
                    self.report["decode"].expect(False, frame, "frame was cut by the capture")
            elif _is_gb(datagram, self.ports):
                self._datagram(datagram)
            else:
                self.report.note("datagrams of other ports")
        return self.events

    def _datagram(self, datagram):
        down = datagram.source[0] == self.sgsn if self.sgsn else None
        if down is not False:
            self.report["outer"].expect(not datagram.faults, datagram, lambda: ", ".join(datagram.faults) + " is wrong")
        try:
            event = self._decode(datagram, down)
        except bssgp.Malformed as fault:
            self.report["decode"].expect(False, datagram, str(fault))
            return
        earlier = self.events and datagram.time_ns < self.events[-1].time_ns
        self.report["decode"].expect(not earlier, datagram, "time runs backwards")
        self.events.append(event)

    def _decode(self, datagram, down):
        octets, link = datagram.payload, tuple(sorted((datagram.source, datagram.destination)))
        if not octets or octets[0] not in bssgp.NS_KNOWN:
            raise bssgp.Malformed("no NS PDU")
        kind = octets[0]
        if kind in (bssgp.NS_RESET, bssgp.NS_RESET_ACK):
            self.nses[link] = bssgp.ns_nsei(octets) or self.nses.get(link)
        common = (datagram.number, datagram.time_ns)
        nse = self.nses.get(link) or link
        if kind != bssgp.NS_UNITDATA:
            return Event(*common, bool(down), link, nse, kind)
        if len(octets) < 5:
            raise bssgp.Malformed("NS-UNITDATA is cut")
        if octets[1] & 0xFC:
            raise bssgp.Malformed("spare control bits of NS-UNITDATA")
        bvci, pdu = octets[2] << 8 | octets[3], bssgp.decode(octets[4:])
        self._direction(pdu, down)
        if pdu.kind != bssgp.DL_UNITDATA:
            return Event(*common, bool(down), link, nse, kind, bvci, pdu)
        if bvci < 2:
            raise bssgp.Malformed(f"DL-UNITDATA on BVCI {bvci}")
        return self._downlink(DlPdu(*common, True, link, nse, kind, bvci, pdu))

    @staticmethod
    def _direction(pdu, down):
        only_down = (bssgp.DL_UNITDATA, bssgp.FC_BVC_ACK, bssgp.FC_MS_ACK, bssgp.BVC_BLOCK_ACK, bssgp.BVC_UNBLOCK_ACK)
        only_up = (bssgp.UL_UNITDATA, bssgp.FC_BVC, bssgp.FC_MS, bssgp.BVC_BLOCK, bssgp.BVC_UNBLOCK, bssgp.LLC_DISCARDED)
        if down is not None and pdu.kind in (only_up if down else only_down):
            raise bssgp.Malformed(f"PDU {pdu.kind:#04x} goes the wrong way")

    def _downlink(self, event):
        frame = event.pdu.elements[bssgp.LLC_PDU]
        event.octets = len(frame)
        event.llc = llc.decode(frame, command_bit=True)
        if event.llc is None:
            raise bssgp.Malformed(f"LLC-PDU of {len(frame)} octets")
        user = event.llc.sapi in (3, 5, 9, 11) and event.llc.nu is not None and event.llc.info
        if user and not event.llc.ciphered:
            event.segment = sndcp.decode(event.llc.info)
            if event.segment is None:
                raise bssgp.Malformed(f"SN-PDU of {len(event.llc.info)} octets")
        return event


def load(path, report, sgsn_address=None, ports=(23000,)):
    """Events of a Gb capture; sgsn_address (octets) fixes which direction is down."""
    return Loader(report, sgsn_address, frozenset(ports)).load(path)
