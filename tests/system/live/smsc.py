# SPDX-License-Identifier: BSD-3-Clause
"""A service centre for short messages at osmo-hlr: GSUP over IPA on TCP. It shares no code with the node.

    centre = Smsc(lab)              a connection from the node's namespace, known to the HLR as NAME
    kind, imsi, elements = centre.take()
    centre.send(kind, imsi, elements)
"""
import socket
import struct

NAME, PORT, TIMEOUT_S = b"SMSC-test\0", 4222, 60
CCM, OSMO, GSUP = 0xFE, 0xEE, 5
PING, PONG, ID_GET, ID_RESP, ID_ACK = 0, 1, 4, 5, 6
SERIAL, UNIT_NAME, UNIT_ID = 0, 1, 8
MO, MO_ERROR, MO_RESULT = 0x24, 0x25, 0x26
MT, MT_ERROR, MT_RESULT = 0x28, 0x29, 0x2A
MR, DA, OA, UI, RP_CAUSE, MMS = 0x40, 0x41, 0x42, 0x43, 0x44, 0x45
CAUSE, SOURCE, DESTINATION = 0x02, 0x60, 0x61


def bcd(digits):
    padded = digits + "f" * (len(digits) % 2)
    return bytes(int(padded[i + 1] + padded[i], 16) for i in range(0, len(padded), 2))


class Smsc:
    def __init__(self, lab):
        with lab.inside("node"):
            self.sock = socket.create_connection(("127.0.0.1", PORT), TIMEOUT_S)
        while not self._identify(*self._frame()):
            pass

    def close(self):
        self.sock.close()

    def _exactly(self, octets):
        out = b""
        while len(out) < octets:
            part = self.sock.recv(octets - len(out))
            assert part, "the HLR has closed the connection"
            out += part
        return out

    def _frame(self):
        octets, stream = struct.unpack(">HB", self._exactly(3))
        return stream, self._exactly(octets)

    def _put(self, stream, octets):
        self.sock.sendall(struct.pack(">HB", len(octets), stream) + octets)

    def _identify(self, stream, octets):
        """True: the HLR knows the name."""
        assert stream == CCM, (stream, octets)
        if octets[0] == ID_GET:
            tags = ((UNIT_ID, b"0/0/0\0"), (UNIT_NAME, NAME), (SERIAL, NAME))
            parts = [struct.pack(">HB", len(value) + 1, tag) + value for tag, value in tags]
            self._put(CCM, bytes([ID_RESP]) + b"".join(parts))
            self._put(CCM, bytes([ID_ACK]))
        return octets[0] == ID_ACK

    def send(self, kind, imsi, elements):
        octets = bytes([kind]) + self._tlv(0x01, bcd(imsi))
        octets += b"".join(self._tlv(tag, value) for tag, value in elements.items())
        self._put(OSMO, bytes([GSUP]) + octets)

    @staticmethod
    def _tlv(tag, value):
        return bytes([tag, len(value)]) + value

    def take(self):
        """The next message of GSUP: its type, IMSI and elements by tag."""
        stream, octets = self._frame()
        while stream == CCM:
            if octets[0] == PING:
                self._put(CCM, bytes([PONG]))
            stream, octets = self._frame()
        assert (stream, octets[0]) == (OSMO, GSUP), (stream, octets)
        elements, at = {}, 2
        while at < len(octets):
            elements[octets[at]] = octets[at + 2:at + 2 + octets[at + 1]]
            at += 2 + octets[at + 1]
        imsi = "".join(f"{octet & 15}{octet >> 4:x}" for octet in elements.pop(0x01)).rstrip("f")
        return octets[1], imsi, elements
