# SPDX-License-Identifier: BSD-3-Clause
"""A phone behind a bss_peer.Peer: layer 3 on LLC SAPI 1, short messages on SAPI 7, and its user packets. It shares no code with the node."""
import queue
import struct
import time

import node  # noqa: F401  pylint: disable=unused-import  (where gb_oracle is)
import lab  # noqa: F401  pylint: disable=unused-import  (where gbflow_bts is)
from gb_oracle import bssgp, llc, sndcp
from gbflow_bts import layer3
from gbflow_bts.layer3 import (  # noqa: F401  pylint: disable=unused-import  (the words of tests)
    ATTACH_ACCEPT, ATTACH_COMPLETE, ATTACH_REJECT, ATTACH_REQUEST, AUTH_REJECT, AUTH_REQUEST, AUTH_RESPONSE, DATA_SAPI, DETACH_ACCEPT,
    DETACH_REQUEST, GMM, GMM_SAPI, IDENTITY_REQUEST, IDENTITY_RESPONSE, RA_CAPABILITY, RAI, RAU_ACCEPT, RAU_COMPLETE, RAU_REJECT,
    RAU_REQUEST, SM, SMS_SAPI, TIMEOUT_S, digits)


class Phone(layer3.Phone):
    def __init__(self, peer, imsi, tlli=0x78000001, ki=None):
        super().__init__(imsi, tlli, ki)
        self.peer, self.packets = peer, queue.Queue()

    lv = staticmethod(layer3.lv)

    def send_frame(self, sapi, info):
        number = self.nu[sapi]
        self.nu[sapi] = (number + 1) % 512
        self.send_llc(llc.encode_ui(sapi, number, info, command_bit=False))

    def send_llc(self, frame):
        """An LLC frame with its FCS."""
        head = bytes([bssgp.UL_UNITDATA]) + struct.pack(">I", self.tlli) + bytes([0, 0, 4])
        cell = bssgp.tlv(8, self.peer.cell_id) + bssgp.tlv(0, b"")
        self.peer.send_bssgp(self.peer.bvci, head + cell + bssgp.tlv(bssgp.LLC_PDU, frame))

    def begin_llc(self):
        self.nu = dict.fromkeys(self.nu, 0)

    def take_unnumbered(self, octets):
        """Answers XID with Reset."""
        if llc.is_reset(octets):
            self.begin_llc()
            self.send_llc(llc.reset_done())

    def next(self, timeout_s=TIMEOUT_S, sapi=GMM_SAPI):
        """The next message of layer 3 to this phone, which is on this SAPI; user packets are kept."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            pdu = self.peer.pdus.get(timeout=max(0.01, end - time.monotonic()))
            frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
            assert frame.fcs_good and frame.fault is None, frame
            if frame.nu is None:
                self.take_unnumbered(pdu.elements[bssgp.LLC_PDU])
                continue
            if frame.sapi in (GMM_SAPI, SMS_SAPI):
                assert frame.sapi == sapi and not frame.ciphered, frame
                return frame.info
            self.keep(frame.info, len(pdu.elements[bssgp.LLC_PDU]))
        raise queue.Empty

    def keep(self, info, _):
        """A segment of a user packet, and the octets of its frame."""
        self.packets.put(sndcp.decode(info))

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
