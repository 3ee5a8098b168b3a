# SPDX-License-Identifier: BSD-3-Clause
"""The Gn side: sessions from GTP-C, and each mobile's downlink packets with their arrival times."""
from dataclasses import dataclass, field

from gb_oracle import capture, gtp, inet
from gb_oracle.bucket import NEVER


@dataclass(slots=True)
class Packet:
    """One downlink inner packet; until_ns: its session's end; `taken` is the N-PDU that carried it to Gb, if any."""
    number: int
    time_ns: int
    teid: int
    octets: bytes
    until_ns: int = NEVER
    taken: object = None


@dataclass(slots=True)
class Session:
    """A PDP context as GTP-C tells it; controls: (address, control TEID) of both ends."""
    teid: int
    sgsn: bytes
    controls: tuple = ()
    address: bytes = b""
    nsapi: int = 0
    from_ns: int = 0
    until_ns: int = NEVER


@dataclass(slots=True)
class Gn:
    """by_address: packets per mobile's address in order of arrival; unknown: of no session, hence of no mobile."""
    sessions: list = field(default_factory=list)
    by_address: dict = field(default_factory=dict)
    teids: dict = field(default_factory=dict)
    total: int = 0
    unknown: int = 0


def inner_destination(octets):
    """Destination address of an IP packet, or None."""
    if len(octets) >= 20 and octets[0] >> 4 == 4:
        return octets[16:20]
    if len(octets) >= 40 and octets[0] >> 4 == 6:
        return octets[24:40]
    return None


class _Control:
    """Pairs requests with responses by (requester's address, responder's address, sequence number)."""

    def __init__(self, gn):
        self.gn, self.open = gn, {}

    def message(self, datagram, message):
        source, destination = datagram.source[0], datagram.destination[0]
        if message.kind in (gtp.CREATE_REQUEST, gtp.DELETE_REQUEST):
            self.open[message.kind, source, destination, message.sequence] = message
            return
        asked = self.open.pop((message.kind - 1, destination, source, message.sequence), None)
        if asked is None or (gtp.first(message.body, 1) or b"\0")[0] not in gtp.ACCEPTED:
            return
        if message.kind == gtp.CREATE_RESPONSE:
            self._create(datagram, asked.body, message.body)
        else:
            self._delete(datagram, source, asked)

    def _create(self, datagram, asked, answer):
        teid, sgsn = gtp.first(asked, 16), gtp.every(asked, 133)
        if teid is None or not sgsn:
            return
        session = Session(int.from_bytes(teid, "big"), sgsn[-1], from_ns=datagram.time_ns)
        session.address = (gtp.first(answer, 128) or gtp.first(asked, 128) or b"")[2:]
        session.nsapi = (gtp.first(asked, 20) or b"\0")[0] & 15
        session.controls = tuple((ends[0] if ends else sender, int.from_bytes(gtp.first(body, 17) or b"", "big"))
                                 for ends, sender, body in ((sgsn, datagram.destination[0], asked),
                                                            (gtp.every(answer, 133), datagram.source[0], answer)))
        self.gn.sessions.append(session)

    def _delete(self, datagram, answered_by, asked):
        """Either end may ask; the TEID of the request is the other end's for control."""
        nsapi = (gtp.first(asked.body, 20) or b"\0")[0] & 15
        for session in self.gn.sessions:
            if (answered_by, asked.teid) in session.controls and session.nsapi == nsapi \
                    and session.until_ns > datagram.time_ns:
                session.until_ns = datagram.time_ns


def load(path, sgsn_address=None, may_be_cut=False):
    """Reads a Gn capture; sgsn_address (octets) is needed only when no GTP-C tells it."""
    gn, packets = Gn(), []
    control = _Control(gn)
    for _, datagram in inet.datagrams(capture.read(path, may_be_cut)):
        if datagram is None or datagram.destination[1] not in (2123, 2152) and datagram.source[1] != 2123:
            continue
        message = gtp.decode(datagram.payload)
        if message is None:
            continue
        if message.kind in (gtp.CREATE_REQUEST, gtp.CREATE_RESPONSE, gtp.DELETE_REQUEST, gtp.DELETE_RESPONSE):
            control.message(datagram, message)
        elif message.kind == gtp.G_PDU and datagram.destination[1] == 2152 and message.body:
            packets.append((datagram, message))
    ends = {session.sgsn for session in gn.sessions} | ({sgsn_address} if sgsn_address else set())
    for datagram, message in packets:
        if datagram.destination[0] in ends:
            _add(gn, datagram, message)
    return gn


def _add(gn, datagram, message):
    gn.total += 1
    gn.teids[message.teid] = gn.teids.get(message.teid, 0) + 1
    owner = next((session for session in reversed(gn.sessions)
                  if session.teid == message.teid and session.sgsn == datagram.destination[0]
                  and session.from_ns <= datagram.time_ns < session.until_ns), None)
    if owner is None and gn.sessions:
        gn.unknown += 1
        return
    address = owner.address if owner and owner.address else inner_destination(message.body)
    until_ns = owner.until_ns if owner else NEVER
    packet = Packet(datagram.number, datagram.time_ns, message.teid, message.body, until_ns)
    gn.by_address.setdefault(address, []).append(packet)
