# SPDX-License-Identifier: BSD-3-Clause
"""Ciphering: a phone's end of GEA3: the key of a test SIM, and UI frames of LLC in the two directions (TS 44.064 clause
8.9, annex A)."""
from gb_oracle import llc
from gb_receiver import gea

from gbflow_bts.phone import NU_MODULUS

CIPHERED = 2  # E of the control field


def kc_of(ki, rand):
    """By XOR as the test SIM does it (TS 34.108 clause 8.1.2.1), and c3 of TS 33.102 clause 6.8.1.2."""
    mixed = bytes(a ^ b for a, b in zip(ki, rand))
    halves = [turned[at:at + 8] for turned in (mixed[1:] + mixed[:1], mixed[2:] + mixed[:2]) for at in (0, 8)]
    return bytes(a ^ b ^ c ^ d for a, b, c, d in zip(*halves))


class Gea3:
    """Both directions from the first frame on that it is given."""

    def __init__(self, kc):
        self.kc, self.last, self.overflow = kc, {}, {}

    def _turns(self, way, sapi, nu):
        """OC of a frame: grows whenever N(U) of an entity starts again at 0."""
        last = self.last.get((way, sapi), nu)
        turns = self.overflow.setdefault((way, sapi), 0) + (last - nu > NU_MODULUS // 2) * NU_MODULUS
        if not nu - last > NU_MODULUS // 2:
            self.last[way, sapi], self.overflow[way, sapi] = nu, turns
        return turns

    def _apply(self, octets, way, place, turns):
        return gea.apply(octets, gea.keystream(self.kc, gea.ui_input(0, *place, turns), way, len(octets)))

    def stream(self, number, is_down, octets):
        """Keystream of an I frame; number: INPUT."""
        return gea.keystream(self.kc, number, gea.DOWNLINK if is_down else gea.UPLINK, octets)

    def encode_ui(self, sapi, nu, info):
        head = bytes([sapi, 0xC0 | nu >> 6, (nu & 63) << 2 | CIPHERED | 1])
        tail = info + llc.fcs(head + info).to_bytes(3, "little")
        return head + self._apply(tail, gea.UPLINK, (sapi, nu), self._turns(gea.UPLINK, sapi, nu))

    def decode(self, octets):
        """An Llc of a UI frame of the network."""
        sapi, nu = octets[0] & 15, nu_of(octets)
        tail = self._apply(octets[3:], gea.DOWNLINK, (sapi, nu), self._turns(gea.DOWNLINK, sapi, nu))
        return llc.decode(octets[:3] + tail, True)

    def in_clear(self, octets, is_down):
        """The same UI frame with E = 0, if it was ciphered with this key; else None. Of the record, in any order."""
        way, nu = gea.DOWNLINK if is_down else gea.UPLINK, nu_of(octets)
        for turns in range(0, max(self.overflow.values(), default=0) + 1, NU_MODULUS):
            frame = llc.decode(octets[:3] + self._apply(octets[3:], way, (octets[0] & 15, nu), turns), is_down)
            if frame.fcs_good:
                return llc.encode_ui(frame.sapi, nu, frame.info, command_bit=is_down)
        return None


def nu_of(octets):
    return (octets[1] & 7) << 6 | octets[2] >> 2


def is_ciphered(octets):
    """A UI frame with E set."""
    return len(octets) > 5 and octets[1] & 0xE0 == 0xC0 and bool(octets[2] & CIPHERED)
