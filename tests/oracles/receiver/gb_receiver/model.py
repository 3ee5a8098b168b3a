# SPDX-License-Identifier: BSD-3-Clause
"""A capture's frames to their mobiles, and what came out: N-PDUs, messages, faults, figures of each LLC entity."""
from collections import Counter

from gb_oracle import bssgp, capture, inet
from gb_receiver import frame as llc
from gb_receiver import gea
from gb_receiver.mobile import Mobile

WORDS = {gea.UPLINK: "up", gea.DOWNLINK: "down"}
# Drops that a receiver meets in a network without fault: frames are repeated and lost.
HARMLESS = ("N(U) was received before", "segment ", "reserved SAPI", "protocol discriminator")


class Receiver:
    """Feed it frame by frame; n_pdus, messages, faults are lists of JSON-ready dicts."""

    def __init__(self, rings=()):
        self.mobiles, self.count = {}, Counter()
        self.n_pdus, self.messages, self.faults = [], [], []
        for tllis, ring in rings:
            mobile = Mobile(ring)
            self.mobiles.update((tlli, mobile) for tlli in tllis)

    def mobile(self, tlli, old=None):
        """Who has this TLLI now; one named beside its old TLLI stays who it was."""
        if tlli not in self.mobiles:
            self.mobiles[tlli] = self.mobiles.get(old) or Mobile()
        return self.mobiles[tlli]

    def pdu(self, note, pdu):
        """One BSSGP PDU; note = {"frame", "time_ns"}."""
        if pdu.kind not in (bssgp.DL_UNITDATA, bssgp.UL_UNITDATA):
            return
        direction = gea.DOWNLINK if pdu.kind == bssgp.DL_UNITDATA else gea.UPLINK
        mobile = self.mobile(pdu.tlli, pdu.number(bssgp.TLLI))
        self.frame(dict(note, tlli=f"{pdu.tlli:08x}", direction=WORDS[direction]), mobile, pdu.elements[bssgp.LLC_PDU])

    def frame(self, note, mobile, octets):
        """One LLC frame of a mobile; note names it in what is reported."""
        self.count["frames"] += 1
        direction = gea.DOWNLINK if note["direction"] == "down" else gea.UPLINK
        try:
            frame = llc.decode(octets, direction == gea.DOWNLINK)
            if isinstance(frame, llc.Ui):
                note.update(sapi=frame.sapi, nu=frame.nu)
                self._ui(note, mobile, direction, frame)
            elif frame is None:
                self.count["I and S frames"] += 1
            else:
                mobile.unnumbered(direction, frame)
                self.count["U frames"] += 1
        except llc.Dropped as reason:
            self.drop(note, str(reason))

    def drop(self, note, reason):
        self.count["dropped"] += 1
        if reason.startswith(HARMLESS):
            self.count[f"dropped: {reason.split(' of N-PDU')[0]}"] += 1
        else:
            self.faults.append(dict(note, what=reason))

    def _ui(self, note, mobile, direction, ui):
        info, place, is_late = mobile.ui(direction, ui)
        self.count["UI frames"] += 1
        note.update(place=place, late=is_late)
        if not info:
            self.count["empty UI frames"] += 1
        elif ui.sapi not in llc.USER_SAPIS:
            self.messages.append(dict(note, octets=info.hex()))
        else:
            segment, n_pdu = mobile.segment(direction, ui.sapi, info, note["time_ns"])
            if n_pdu is not None:
                self.n_pdus.append(dict(note, nsapi=segment.nsapi, n_pdu_number=segment.npdu, octets=n_pdu.hex()))

    def entities(self):
        """Figures of each LLC entity, by the TLLIs of its mobile."""
        rows = []
        for mobile in dict.fromkeys(self.mobiles.values()):
            names = [f"{tlli:08x}" for tlli, owner in self.mobiles.items() if owner is mobile]
            for (direction, sapi), entity in sorted(mobile.entities.items()):
                rows.append({"tlli": names, "direction": WORDS[direction], "sapi": sapi, "accepted": entity.accepted,
                             "ciphered": entity.ciphered, "missing": entity.missing, "late": entity.late,
                             "v_ur": entity.expected % 512, "wraps": entity.expected // 512, "resets": entity.resets,
                             "incomplete": sum(part.incomplete + (part.number is not None)
                                               for key, part in mobile.reassemblies.items() if key[:2] == (direction, sapi))})
        return rows

    def report(self):
        return {"n_pdus": self.n_pdus, "messages": self.messages, "faults": self.faults,
                "entities": self.entities(), "count": dict(sorted(self.count.items()))}


def receive(path, rings, ports):
    """A Receiver that has seen the whole capture."""
    receiver = Receiver(rings)
    for frame, datagram in inet.datagrams(capture.read(path)):
        if datagram is None or not {datagram.source[1], datagram.destination[1]} & ports:
            continue
        if datagram.payload[:1] != b"\0":
            continue
        note = {"frame": frame.number, "time_ns": frame.time_ns}
        try:
            receiver.pdu(note, bssgp.decode(datagram.payload[4:]))
        except bssgp.Malformed as fault:
            receiver.drop(note, f"BSSGP: {fault}")
    return receiver
