# SPDX-License-Identifier: BSD-3-Clause
"""A whole phone behind the real osmo-pcu: GMM and SM of a phone_peer.Phone, user packets of a Phone, one radio."""
import queue

import network  # noqa: F401  pylint: disable=unused-import  (where the neighbours are)
import phone_peer
from gb_oracle import llc

import cipher
import phone

GEA3 = 3  # number of the algorithm in a message
TLLI = 0x78000000  # a random one


class Handset(phone_peer.Phone):
    """Number i, whose IMSI the HLR has. on_packet gets whole user packets; without it they are kept for packet()."""

    def __init__(self, number, ki, rai):
        self.user = phone.Phone(number)
        self.radio, self.number = self.user.radio, number
        self.radio.on_pdu = self._receive
        self.messages = {sapi: queue.Queue() for sapi in (phone_peer.GMM_SAPI, phone_peer.SMS_SAPI)}
        super().__init__(None, self.radio.imsi, TLLI + number, ki)
        self.rai, self.faults, self.cipher, self.keys = rai, [], None, []

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
        nu, key = self.nu[sapi], self.cipher
        self.radio.submit(key.encode_ui(sapi, nu, info) if key else llc.encode_ui(sapi, nu, info, command_bit=False))
        self.nu[sapi] = (self.nu[sapi] + 1) % phone.NU_MODULUS

    def _receive(self, octets):
        """From the BTS's thread."""
        if octets.startswith(phone.FILLING):
            return
        is_ciphered = self.cipher and cipher.is_ciphered(octets)
        frame = self.cipher.decode(octets) if is_ciphered else llc.decode(octets, True)
        if frame is None or not frame.fcs_good or frame.fault or frame.nu is None:
            self.faults.append(octets.hex())
        elif frame.sapi in self.messages:
            self.messages[frame.sapi].put(frame.info)
        else:
            self.user.take(frame, octets)

    # --- what the test asks

    def attach(self, identity=None):
        self.cipher = None
        super().attach(identity)

    def answer(self, message):
        """Ciphers from the frame after its response on, if it is told to."""
        is_known = super().answer(message)
        if message[:2] == bytes([phone_peer.GMM, phone_peer.AUTH_REQUEST]) and message[2] & 7:
            assert message[2] & 7 == GEA3, message.hex()
            self.cipher = cipher.Gea3(cipher.kc_of(self.ki, message[5:21]))
            self.keys.append(self.cipher)
        return is_known

    def next(self, timeout_s=phone_peer.TIMEOUT_S, sapi=phone_peer.GMM_SAPI):
        return self.messages[sapi].get(timeout=timeout_s)

    def packet(self, timeout_s=phone_peer.TIMEOUT_S):
        return self.user.packets.get(timeout=timeout_s)
