# SPDX-License-Identifier: BSD-3-Clause
"""Everything a receiver keeps of one mobile: LLC entities, keys, reassembly. TLLIs are only its names."""
from gb_oracle import sndcp
from gb_receiver import frame as llc
from gb_receiver import gea
from gb_receiver.entity import Entity
from gb_receiver.keys import KeyRing
from gb_receiver.reassembly import Reassembly

# GMM messages that may come in clear while ciphering is on (TS 24.008 clause 4.7.1.2).
GMM, CLEAR_GMM = 8, frozenset((0x01, 0x04, 0x08, 0x0B, 0x12, 0x13, 0x14, 0x15, 0x16, 0x1C))


class Mobile:
    """Takes frames of both directions in the order of the capture."""

    def __init__(self, ring=None):
        self.ring = ring or KeyRing()
        self.entities, self.reassemblies = {}, {}
        self.resets, self.iov_ui = {gea.UPLINK: 0, gea.DOWNLINK: 0}, {gea.UPLINK: 0, gea.DOWNLINK: 0}
        self.asked = None

    def entity(self, direction, sapi):
        known = self.entities.get((direction, sapi))
        if known is None:
            first = self.ring.first_nu.get(sapi, 0) if not self.resets[direction] else 0
            known = self.entities[direction, sapi] = Entity(first)
            known.resets = self.resets[direction]
        return known

    def ui(self, direction, ui):
        """(information, place, late) of an accepted UI frame; raises Dropped."""
        if not ui.command:
            raise llc.Dropped("UI frame with the C/R bit of a response")
        entity = self.entity(direction, ui.sapi)
        place = entity.place(ui.nu)
        if entity.is_old(place):
            raise llc.Dropped("N(U) was received before")
        info = llc.information(ui, self._tail(direction, ui, place))
        entity.ciphered += ui.ciphered
        return info, place, entity.accept(place)

    def _tail(self, direction, ui, place):
        """Information and FCS in clear."""
        resets = self.resets[direction]
        key = self.ring.get(direction, ui.sapi, place, resets)
        if not ui.ciphered:
            if key and not (ui.sapi == 1 and len(ui.tail) > 4 and ui.tail[0] & 15 == GMM and ui.tail[1] in CLEAR_GMM):
                raise llc.Dropped("in clear while ciphering is on")
            return ui.tail
        if key is None:
            raise llc.Dropped("ciphered, and no key is in force")
        iov_ui = self.iov_ui[direction] if key.iov_ui is None else key.iov_ui
        number = gea.ui_input(iov_ui, ui.sapi, ui.nu, key.overflow(place, resets))
        return gea.apply(ui.tail, gea.keystream(key.kc, number, direction, len(ui.tail)))

    def unnumbered(self, direction, frame):
        """Follows XID Reset and IOV-UI: down with the command, up with its response."""
        if frame.kind != llc.XID:
            return
        if direction == gea.DOWNLINK and frame.command:
            asked = {kind: value for kind, value in llc.xid_items(frame.info) if kind in (llc.XID_RESET, llc.XID_IOV_UI)}
            if asked and asked != self.asked:
                self.asked = asked
                self._obey(direction)
        elif direction == gea.UPLINK and not frame.command and self.asked:
            self._obey(direction)
            self.asked = None

    def _obey(self, direction):
        if llc.XID_RESET in self.asked:
            self.resets[direction] += 1
            self.iov_ui[direction] = 0
            for (way, _), entity in self.entities.items():
                if way == direction:
                    entity.reset()
        if llc.XID_IOV_UI in self.asked:
            self.iov_ui[direction] = int.from_bytes(self.asked[llc.XID_IOV_UI], "big")

    def segment(self, direction, sapi, info, time_ns):
        """(segment, octets of the N-PDU it completes or None); raises Dropped."""
        segment = sndcp.decode(info)
        if segment is None:
            raise llc.Dropped(f"SN-PDU of {len(info)} octets")
        if segment.fault:
            raise llc.Dropped(segment.fault)
        reassembly = self.reassemblies.setdefault((direction, sapi, segment.nsapi), Reassembly())
        try:
            return segment, reassembly.put(segment, time_ns)
        except ValueError as fault:
            raise llc.Dropped(str(fault)) from None
