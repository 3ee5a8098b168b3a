# SPDX-License-Identifier: BSD-3-Clause
"""Frames for the receiver's tests. INPUT is an argument: the receiver's own counting must come to the same."""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gb")]

from gb_oracle import bssgp, llc, sndcp, writer  # noqa: E402
from gb_receiver import gea  # noqa: E402

TLLI, SAPI, NSAPI = 0xC1234567, 3, 5
KC3, KC4 = bytes.fromhex("2bd6459f82c5bc00"), bytes.fromhex("d3c5d592327fb11c4035c6680af8c6d1")
SGSN, PCU = ("10.0.0.1", 23000), ("10.0.0.2", 23000)


def ui(nu, info, cipher=None, address=0x43, protected=True):
    """A UI frame; cipher = (kc, INPUT), direction after the C/R bit of a command."""
    header = bytes([address, 0xC0 | nu % 512 >> 6, (nu & 63) << 2 | (2 if cipher else 0) | protected])
    tail = info + llc.fcs(header + (info if protected else info[:4])).to_bytes(3, "little")
    if cipher:
        tail = gea.apply(tail, gea.keystream(*cipher, 1 if address & 0x40 else 0, len(tail)))
    return header + tail


def u_frame(address, control, info=b""):
    body = bytes([address, control]) + info
    return body + llc.fcs(body).to_bytes(3, "little")


def sn_pdu(number, packet=b"packet", nsapi=NSAPI):
    """The only segment of an N-PDU."""
    return sndcp.encode(packet, nsapi, number, 1520)[0]


def base(iov_ui, sapi=SAPI):
    """INPUT at N(U) = 0, OC = 0."""
    return iov_ui ^ ((sapi << 27) + (1 << 31))


def unitdata(frame, down=True, tlli=TLLI, old=None, bvci=1800):
    """The NS-UNITDATA around a frame."""
    elements = bssgp.tlv(bssgp.LIFETIME, b"\xff\xff") if down else bssgp.tlv(8, bytes.fromhex("62f2241234050001"))
    if old is not None:
        elements += bssgp.tlv(bssgp.TLLI, old.to_bytes(4, "big"))
    head = bytes([0 if down else 1]) + tlli.to_bytes(4, "big") + bytes([0, 0, 0x20])
    return bytes([0, 0]) + bvci.to_bytes(2, "big") + head + elements + bssgp.tlv(bssgp.LLC_PDU, frame)


def capture(path, pdus):
    """pdus: (down, octets of NS) pairs, a millisecond apart."""
    ends = {True: (SGSN, PCU), False: (PCU, SGSN)}
    writer.pcapng(path, [(number * 10**6, writer.frame(*ends[down], octets)) for number, (down, octets) in enumerate(pdus)])
