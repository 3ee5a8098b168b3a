# SPDX-License-Identifier: BSD-3-Clause
"""An HLR for several SGSNs, over GSUP: osmo-hlr tells no SGSN that a phone has gone to another one (Location Cancellation).

    hlr = PoolHlr(lab, KI)          in a namespace of its own, at ADDRESS; any IMSI has that key of the XOR test algorithm
    hlr.stop(); hlr.start()         connections end; where phones are is forgotten
    hlr.located                     {IMSI: connection}
    hlr.cancelled                   IMSIs whose former SGSN was told
"""
import functools
import operator
import os
import select
import socket
import struct
import threading

ADDRESS, PORT, NODES = "203.0.113.1", 4222, {"node": "203.0.113.11", "node2": "203.0.113.12"}
CCM, OSMO, GSUP = 0xFE, 0xEE, 5
PING, PONG, ID_GET, ID_RESP, ID_ACK = 0, 1, 4, 5, 6
UPDATE_LOCATION, AUTH_INFO, PURGE, INSERT_DATA, CANCEL, RESULT = 0x04, 0x08, 0x0C, 0x10, 0x1C, 2
IMSI, TUPLE, CANCEL_TYPE, RAND, SRES, KC, DOMAIN, PDP_COMPLETE = 0x01, 0x03, 0x06, 0x20, 0x21, 0x22, 0x28, 0x04
TYPE_UPDATE, PACKET, VECTORS = b"\0", b"\1", 3


def tlv(kind, value):
    return bytes([kind, len(value)]) + value


def xor(*parts):
    return bytes(functools.reduce(operator.xor, octets) for octets in zip(*parts))


def ipa(protocol, octets):
    return struct.pack(">HB", len(octets), protocol) + octets


def elements(octets):
    found = {}
    while len(octets) >= 2:
        found[octets[0]], octets = octets[2:2 + octets[1]], octets[2 + octets[1]:]
    return found


class Connection:
    def __init__(self, sock):
        self.sock, self.rest = sock, b""

    def send(self, kind, imsi, *values):
        self.sock.sendall(ipa(OSMO, bytes([GSUP, kind]) + tlv(IMSI, imsi) + b"".join(values)))

    def messages(self):
        """(protocol, octets) of what has come; None: it has ended."""
        octets = self.sock.recv(65536)
        if not octets:
            return None
        self.rest, found = self.rest + octets, []
        while len(self.rest) >= 3 and len(self.rest) >= 3 + int.from_bytes(self.rest[:2], "big"):
            end = 3 + int.from_bytes(self.rest[:2], "big")
            found.append((self.rest[2], self.rest[3:end]))
            self.rest = self.rest[end:]
        return found


class PoolHlr:
    def __init__(self, place, key):
        self.lab, self.key = place, key
        self._link(place.add("hlr"))
        self.start()

    def _link(self, name):
        self.lab.ip(name, "link", "add", "br0", "type", "bridge")
        self.lab.ip(name, "address", "add", ADDRESS + "/24", "dev", "br0")
        self.lab.ip(name, "link", "set", "br0", "up")
        for number, (side, address) in enumerate(NODES.items(), 1):
            near = self.lab.names[side]
            self.lab.ip(name, "link", "add", f"hlr{number}", "type", "veth", "peer", "name", "hlr0", "netns", near)
            self.lab.ip(name, "link", "set", f"hlr{number}", "master", "br0", "up")
            self.lab.ip(near, "address", "add", address + "/24", "dev", "hlr0")
            self.lab.ip(near, "link", "set", "hlr0", "up")

    def start(self):
        self.located, self.cancelled, self.connections, self.is_open = {}, [], {}, True
        with self.lab.inside("hlr"):
            self.listener = socket.create_server((ADDRESS, PORT))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self):
        self.is_open = False
        self.thread.join(5)
        for sock in (self.listener, *self.connections):
            sock.close()

    close = stop

    def _run(self):
        while self.is_open:
            ready, _, _ = select.select([self.listener, *self.connections], [], [], 0.1)
            for sock in ready:
                if sock is self.listener:
                    self._open(sock.accept()[0])
                else:
                    self._receive(self.connections[sock])

    def _open(self, sock):
        self.connections[sock] = Connection(sock)
        sock.sendall(ipa(CCM, bytes([ID_GET, 1, 8, 1, 1, 1, 0])))

    def _receive(self, connection):
        try:
            messages = connection.messages()
            for protocol, octets in messages or ():
                if protocol == CCM:
                    self._control(connection, octets[0])
                elif protocol == OSMO and octets[0] == GSUP:
                    self._answer(connection, octets[1], elements(octets[2:]))
        except OSError:
            messages = None
        if messages is None:
            del self.connections[connection.sock]
            connection.sock.close()

    @staticmethod
    def _control(connection, kind):
        answer = {PING: PONG, ID_RESP: ID_ACK}.get(kind)
        if answer is not None:
            connection.sock.sendall(ipa(CCM, bytes([answer])))

    def _answer(self, connection, kind, found):
        imsi = found.get(IMSI)
        if kind == AUTH_INFO:
            connection.send(AUTH_INFO + RESULT, imsi, tlv(DOMAIN, PACKET), *(self._triplet() for _ in range(VECTORS)))
        elif kind == UPDATE_LOCATION:
            self._locate(connection, imsi)
        elif kind == PURGE:
            if self.located.get(imsi) is connection:
                del self.located[imsi]
            connection.send(PURGE + RESULT, imsi)

    def _locate(self, connection, imsi):
        former = self.located.get(imsi)
        self.located[imsi] = connection
        if former and former is not connection and former.sock in self.connections:
            former.send(CANCEL, imsi, tlv(CANCEL_TYPE, TYPE_UPDATE), tlv(DOMAIN, PACKET))
            self.cancelled.append(imsi)
        connection.send(INSERT_DATA, imsi, tlv(DOMAIN, PACKET), tlv(PDP_COMPLETE, b""))
        connection.send(UPDATE_LOCATION + RESULT, imsi, tlv(DOMAIN, PACKET))

    def _triplet(self):
        """Of a USIM's RES, CK and IK, as a SIM has them (34.108 8.1.2.1, 33.102 6.8.1.2)."""
        challenge = os.urandom(16)
        response = xor(challenge, self.key)
        cipher, integrity = response[1:] + response[:1], response[2:] + response[:2]
        signed = xor(response[:4], response[4:8], response[8:12], response[12:])
        key = xor(cipher[:8], cipher[8:], integrity[:8], integrity[8:])
        return tlv(TUPLE, tlv(RAND, challenge) + tlv(SRES, signed) + tlv(KC, key))
