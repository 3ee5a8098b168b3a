# SPDX-License-Identifier: BSD-3-Clause
"""A whole phone behind the real osmo-pcu: GMM and SM of a phone_peer.Phone, user packets of a Phone, one radio."""
import queue

import network  # noqa: F401  pylint: disable=unused-import  (where the neighbours are)
import phone_peer
from gb_oracle import llc

import phone

FILLING = bytes.fromhex("43c0012b")  # the PCU's own
TLLI = 0x78000000  # a random one


class Handset(phone_peer.Phone):
    """Number i, whose IMSI the HLR has. on_packet gets whole user packets; without it they are kept for packet()."""

    def __init__(self, number, ki, rai):
        self.user = phone.Phone(number)
        self.radio, self.number = self.user.radio, number
        self.radio.on_pdu = self._receive
        self.messages = {sapi: queue.Queue() for sapi in (phone_peer.GMM_SAPI, phone_peer.SMS_SAPI)}
        super().__init__(None, self.radio.imsi, TLLI + number, ki)
        self.rai, self.faults = rai, []

    @property
    def tlli(self):
        return self.radio.tlli

    @tlli.setter
    def tlli(self, tlli):
        """It listens to the one before it, too."""
        self.radio.old_tlli, self.radio.tlli = self.radio.tlli, tlli

    @property
    def on_packet(self):
        return self.user.on_packet

    @on_packet.setter
    def on_packet(self, take):
        self.user.on_packet = take

    # --- frames

    def send_frame(self, sapi, info):
        self.radio.submit(llc.encode_ui(sapi, self.nu[sapi], info, command_bit=False))
        self.nu[sapi] = (self.nu[sapi] + 1) % phone.NU_MODULUS

    def _receive(self, octets):
        """From the BTS's thread."""
        if octets.startswith(FILLING):
            return
        frame = llc.decode(octets, True)
        if frame is None or not frame.fcs_good or frame.fault or frame.nu is None:
            self.faults.append(octets.hex())
        elif frame.sapi in self.messages:
            self.messages[frame.sapi].put(frame.info)
        else:
            self.user.take(octets)

    # --- what the test asks

    def next(self, timeout_s=phone_peer.TIMEOUT_S, sapi=phone_peer.GMM_SAPI):
        return self.messages[sapi].get(timeout=timeout_s)

    def packet(self, timeout_s=phone_peer.TIMEOUT_S):
        return self.user.packets.get(timeout=timeout_s)
