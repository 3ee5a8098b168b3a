# SPDX-License-Identifier: BSD-3-Clause
"""A phone behind a bss_peer.Peer: layer 3 on LLC SAPI 1, short messages on SAPI 7, and its user packets. It shares no code with the node."""
import queue
import struct
import time

import node  # noqa: F401  pylint: disable=unused-import  (where gb_oracle is)
from gb_oracle import bssgp, llc, sndcp

ATTACH_REQUEST, ATTACH_ACCEPT, ATTACH_COMPLETE, ATTACH_REJECT = 0x01, 0x02, 0x03, 0x04
DETACH_REQUEST, DETACH_ACCEPT = 0x05, 0x06
RAU_REQUEST, RAU_ACCEPT, RAU_COMPLETE, RAU_REJECT = 0x08, 0x09, 0x0A, 0x0B
AUTH_REQUEST, AUTH_RESPONSE, AUTH_REJECT = 0x12, 0x13, 0x14
IDENTITY_REQUEST, IDENTITY_RESPONSE = 0x15, 0x16
GMM, SM = 8, 10
GMM_SAPI, DATA_SAPI, SMS_SAPI = 1, 3, 7
RA_CAPABILITY = bytes.fromhex("18b3432b2596620060809ac2c662006080bac8c66200608000")
RAI = bytes.fromhex("62f224123405")
TIMEOUT_S = 20


def digits(imsi):
    """A mobile identity of type IMSI with 15 digits."""
    nibbles = [int(imsi[0]) << 4 | 9] + [int(imsi[i + 1]) << 4 | int(imsi[i]) for i in range(1, 15, 2)]
    return bytes(nibbles)


class Phone:
    def __init__(self, peer, imsi, tlli=0x78000001, ki=None):
        self.peer, self.imsi, self.tlli, self.ki = peer, imsi, tlli, ki
        self.nu = {GMM_SAPI: 0, DATA_SAPI: 0, SMS_SAPI: 0}
        self.npdu, self.p_tmsi, self.signature, self.address, self.pco = 0, None, b"", None, None
        self.packets, self.rai = queue.Queue(), RAI

    # --- frames

    def send_frame(self, sapi, info):
        frame = llc.encode_ui(sapi, self.nu[sapi], info, command_bit=False)
        self.nu[sapi] = (self.nu[sapi] + 1) % 512
        head = bytes([bssgp.UL_UNITDATA]) + struct.pack(">I", self.tlli) + bytes([0, 0, 4])
        cell = bssgp.tlv(8, self.peer.cell_id) + bssgp.tlv(0, b"")
        self.peer.send_bssgp(self.peer.bvci, head + cell + bssgp.tlv(bssgp.LLC_PDU, frame))

    def send(self, octets):
        self.send_frame(GMM_SAPI, octets)

    def next(self, timeout_s=TIMEOUT_S, sapi=GMM_SAPI):
        """The next message of layer 3 to this phone, which is on this SAPI; user packets are kept."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            pdu = self.peer.pdus.get(timeout=max(0.01, end - time.monotonic()))
            frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
            assert frame.fcs_good and frame.fault is None, frame
            if frame.sapi in (GMM_SAPI, SMS_SAPI):
                assert frame.sapi == sapi and not frame.ciphered, frame
                return frame.info
            self.packets.put(sndcp.decode(frame.info))
        raise queue.Empty

    def expect(self, discriminator, kind):
        message = self.next()
        assert (message[0] & 15, message[1]) == (discriminator, kind), message.hex()
        return message

    # --- procedures

    def attach(self, identity=None):
        self.send(bytes([GMM, ATTACH_REQUEST]) + b"\x02\xe5\xe0\x71\x0a\x00" + self.lv(identity or digits(self.imsi))
                  + bytes.fromhex("00f110fffe00") + self.lv(RA_CAPABILITY))

    @staticmethod
    def lv(octets):
        return bytes([len(octets)]) + octets

    def answer(self, message):
        """To a question before ACCEPT; False for another message."""
        if message[:2] == bytes([GMM, IDENTITY_REQUEST]):
            imei = b"\x3a" + digits("351234567890123")[1:]
            self.send(bytes([GMM, IDENTITY_RESPONSE]) + self.lv(imei if message[2] & 7 == 2 else digits(self.imsi)))
        elif message[:2] == bytes([GMM, AUTH_REQUEST]):
            assert message[4] == 0x21, message.hex()
            word = bytes(a ^ b for a, b in zip(message[5:21], self.ki))  # XOR of test networks (34.108 8.1.2.1)
            sres = bytes(a ^ b ^ c ^ d for a, b, c, d in zip(word[:4], word[4:8], word[8:12], word[12:]))
            self.send(bytes([GMM, AUTH_RESPONSE, message[3] >> 4, 0x22]) + sres)
        else:
            return False
        return True

    def take_accept(self, message, complete):
        at = message.index(b"\x18\x05\xf4")
        self.p_tmsi = int.from_bytes(message[at + 3:at + 7], "big")
        self.signature = message[message.index(b"\x19", 10):][1:4]
        self.tlli = 0xC0000000 | self.p_tmsi
        self.send(bytes([GMM, complete]))

    def attach_fully(self):
        self.attach()
        message = self.next()
        while self.answer(message):
            message = self.next()
        assert message[:2] == bytes([GMM, ATTACH_ACCEPT]), message.hex()
        assert message[5:11] == self.rai, message.hex()
        self.take_accept(message, ATTACH_COMPLETE)

    def update(self, status=b""):
        self.send(bytes([GMM, RAU_REQUEST, 0x70]) + self.rai + self.lv(RA_CAPABILITY) + b"\x19" + self.signature + status)

    def activate(self, apn=b"internet", nsapi=5, tries=1):
        """Returns the address that the network gave. tries: it asks again after a network failure (cause 38)."""
        request = bytes([SM, 0x41, nsapi, DATA_SAPI, 3, 0, 0, 0, 2, 1, 0x21, 0x28, len(apn) + 1, len(apn)]) + apn
        for _ in range(tries):
            self.send(request + bytes.fromhex("2714" "8080211001000010810600000000830600000000"))
            message = self.next()
            if message != bytes([0x8A, 0x43, 38]):
                break
        assert (message[0] & 15, message[1]) == (SM, 0x42), message.hex()
        assert message[0] == 0x8A and message[2] == DATA_SAPI and message[3] == 3, message.hex()
        at = message.index(b"\x2b\x06\x01\x21")
        self.address = ".".join(str(octet) for octet in message[at + 4:at + 8])
        self.pco = message[message.index(b"\x27", at + 8) + 2:]
        return self.address

    def send_packet(self, packet, nsapi=5):
        for segment in sndcp.encode(packet, nsapi, self.npdu, 500):
            self.send_frame(DATA_SAPI, segment)
        self.npdu = (self.npdu + 1) % 4096

    def packet(self, timeout_s=TIMEOUT_S):
        """The next user packet, whole."""
        parts = []
        while not parts or parts[-1].more:
            while self.packets.empty():
                pdu = self.peer.pdus.get(timeout=timeout_s)
                frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
                assert frame.sapi == DATA_SAPI and pdu.tlli == self.tlli, (frame, hex(pdu.tlli))
                self.packets.put(sndcp.decode(frame.info))
            parts.append(self.packets.get())
        return b"".join(part.data for part in parts)
