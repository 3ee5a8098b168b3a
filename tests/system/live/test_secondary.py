# SPDX-License-Identifier: BSD-3-Clause
"""Secondary contexts and modification, with a GGSN that has them: osmo-ggsn 1.9 answers no request for a secondary context."""
import queue
import socket
import struct
import threading
import unittest

import lab
import phone_peer
import test_phones
import test_walk

ECHO, CREATE, UPDATE, DELETE, G_PDU = 1, 16, 18, 20, 255
NSAPI, TEID_DATA, TEID_CONTROL, TEARDOWN, TFT, QOS = 20, 16, 17, 19, 137, 135
FIXED = {1: 1, 2: 8, 3: 6, 8: 1, 14: 1, 15: 1, 16: 4, 17: 4, 19: 1, 20: 1, 26: 2, 151: 1}
ADDRESS = "10.48.0.7"
FILTER = bytes.fromhex("21010503500050")  # UDP or TCP from port 80
THP2 = bytes.fromhex("1b921f71966868740600ff")
SM = phone_peer.SM


def elements(octets):
    """{ type: [values] } of a GTP-C message behind its header."""
    found, at = {}, 12
    while at < len(octets):
        kind = octets[at]
        size = FIXED[kind] if kind < 128 else struct.unpack_from(">H", octets, at + 1)[0]
        at += 1 if kind < 128 else 3
        found.setdefault(kind, []).append(octets[at:at + size])
        at += size
    return found


def tlv(kind, value):
    return bytes([kind]) + struct.pack(">H", len(value)) + value


class Ggsn:
    """Contexts of one phone with one address; by NSAPI: TEIDs of both sides. Requests are kept in `asked`, but for repeated ones,
    which have the same answer (TS 29.060 clause 7.6).

    own, sgsn: the addresses of both ends, of one IP version."""

    def __init__(self, place, own=lab.GN_GGSN, sgsn=lab.GN_SGSN):
        self.own, self.sgsn = own, sgsn
        self.octets = socket.inet_pton(socket.AF_INET6 if ":" in own else socket.AF_INET, own)
        with place.inside("ggsn"):
            self.control = self.open(2123)
            self.user = self.open(2152)
        self.contexts, self.asked, self.answers, self.is_open = {}, queue.Queue(), queue.Queue(), True
        self.given = {}  # answers by request
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def open(self, port):
        sock = socket.socket(socket.AF_INET if len(self.octets) == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
        sock.bind((self.own, port))
        sock.settimeout(0.2)
        return sock

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.control.close()
        self.user.close()

    def run(self):
        while self.is_open:
            try:
                octets, sender = self.control.recvfrom(4096)
            except TimeoutError:
                continue
            kind, (teid, seq) = octets[1], struct.unpack_from(">IH", octets, 4)
            if kind in (ECHO, CREATE, UPDATE, DELETE):
                if octets not in self.given:
                    self.given[octets] = self.answer(kind, teid, seq, elements(octets) if kind != ECHO else {})
                self.control.sendto(self.given[octets], sender)
            else:
                self.answers.put((kind, elements(octets)))

    @staticmethod
    def message(kind, teid, seq, body):
        return struct.pack(">BBHIHH", 0x32, kind, len(body) + 4, teid, seq, 0) + body

    def answer(self, kind, teid, seq, asked):
        if kind == ECHO:
            return self.message(2, 0, seq, b"\x0e\x01")
        nsapi, to = asked[NSAPI][0][0], teid
        body = b"\x01\x80"
        if kind == CREATE:
            theirs = int.from_bytes(asked[TEID_DATA][0], "big"), int.from_bytes(asked[TEID_CONTROL][0], "big")
            self.contexts[nsapi] = theirs
            own = struct.pack(">BIBI", TEID_DATA, 0x200 + nsapi, TEID_CONTROL, 0x300 + nsapi)
            user = tlv(128, b"\xf1\x21" + socket.inet_aton(ADDRESS)) if len(asked[NSAPI]) == 1 else b""
            body += b"\x08\xfe\x0e\x01" + own + bytes([127]) + bytes(4) + user + tlv(132, b"\x80") + tlv(133, self.octets) + tlv(133, self.octets)
        if kind in (CREATE, UPDATE):
            body += tlv(QOS, asked[QOS][0])
        teid = self.contexts[nsapi][1]
        if kind == DELETE:
            torn = list(self.contexts) if asked[TEARDOWN][0][0] & 1 else [nsapi]
            for each in torn:
                del self.contexts[each]
        self.asked.put((kind, to, asked))
        return self.message(kind + 1, teid, seq, body)

    def ask(self, kind, nsapi, body):
        """A request to the SGSN."""
        self.control.sendto(self.message(kind, self.contexts[nsapi][1], 7, body), (self.sgsn, 2123))

    def answer_to(self, kind):
        """The elements of the SGSN's answer to a request."""
        got, found = self.answers.get(timeout=60)
        assert got == kind + 1, got
        return found

    def send(self, nsapi, packet):
        self.user.sendto(struct.pack(">BBHI", 0x30, G_PDU, len(packet), self.contexts[nsapi][0]) + packet, (self.sgsn, 2152))

    def receive(self):
        """The TEID and the packet of the next G-PDU; Echo Requests may come before it."""
        octets = self.user.recv(4096)
        while octets[1] != G_PDU:
            octets = self.user.recv(4096)
        return struct.unpack_from(">I", octets, 4)[0], octets[8:]


class Case(test_phones.Case):
    ggsn, sgsn = lab.GN_GGSN, lab.GN_SGSN

    def open_ggsn(self, more=""):
        self.far = Ggsn(self.lab, self.ggsn, self.sgsn)
        self.addCleanup(self.far.close)

    def start(self, **values):
        super().begin(apns=f', {{ name = "best", sgsn_address = "{self.sgsn}", ggsn_address = "{self.ggsn}", best = "thp2" }}', **values)

    def begin(self, **values):
        self.start(**values)
        self.handset.attach_fully()
        self.assertEqual(self.handset.activate(b"best"), ADDRESS)
        self.far.asked.get(timeout=60)

    def second(self):
        self.handset.send(bytes([0x10 | SM, 0x4D, 6, 5]) + phone_peer.Phone.lv(THP2) + b"\1\0\x36" + phone_peer.Phone.lv(FILTER))
        self.assertEqual(self.handset.next()[:3], bytes([0x90 | SM, 0x4E, 5]))
        _, teid, asked = self.far.asked.get(timeout=60)
        self.assertEqual((teid, asked[NSAPI], asked[TFT]), (0x305, [b"\6", b"\5"], [FILTER]))


class Secondary(Case):
    def test_echo_before_the_first_context(self):
        self.start()
        self.far.control.sendto(self.far.message(ECHO, 0, 9, b""), (self.sgsn, 2123))
        kind, found = self.far.answers.get(timeout=60)
        self.assertEqual((kind, list(found)), (ECHO + 1, [14]))
        self.finish()

    def test_extended_transaction(self):
        """A second context on TI 7, with its extension octet, and its end."""
        self.begin()
        self.handset.send(bytes([0x70 | SM, 0x87, 0x4D, 6, 5]) + phone_peer.Phone.lv(THP2) + b"\1\0\x36" + phone_peer.Phone.lv(FILTER))
        self.assertEqual(self.handset.next()[:4], bytes([0xF0 | SM, 0x87, 0x4E, 5]))
        self.assertEqual(self.far.asked.get(timeout=60)[2][NSAPI], [b"\6", b"\5"])
        self.handset.send(bytes([0x70 | SM, 0x87, 0x46, 36]))
        self.assertEqual(self.handset.next(), bytes([0xF0 | SM, 0x87, 0x47]))
        kind, _, asked = self.far.asked.get(timeout=60)
        self.assertEqual((kind, asked[TEARDOWN][0][0] & 1), (DELETE, 0))
        self.finish()

    def test_two_contexts(self):
        """Each has its tunnel, NSAPI and class; one ends alone, both end together."""
        self.begin()
        self.second()
        rows = {row["nsapi"]: row for row in self.node.show("pdp")}
        self.assertEqual([rows[nsapi]["class"] for nsapi in (5, 6)], ["background", "thp2"])
        self.assertEqual({row["address"] for row in rows.values()}, {ADDRESS})
        for nsapi in (6, 5, 6):
            packet = test_walk.ipv4_packet("192.0.2.99", ADDRESS, 60, nsapi)
            self.far.send(nsapi, packet)
            segment = self.handset.peer.pdus.get(timeout=60)
            frame = phone_peer.llc.decode(segment.elements[phone_peer.bssgp.LLC_PDU], True)
            part = phone_peer.sndcp.decode(frame.info)
            self.assertEqual((frame.sapi, part.nsapi, part.data), (5 if nsapi == 6 else 3, nsapi, packet))
        for nsapi, sapi in ((5, 3), (6, 5)):
            packet = test_walk.ipv4_packet(ADDRESS, "192.0.2.99", 60, nsapi)
            for part in phone_peer.sndcp.encode(packet, nsapi, 0, 500):
                self.handset.nu.setdefault(sapi, 0)
                self.handset.send_frame(sapi, part)
            self.assertEqual(self.far.receive(), (0x200 + nsapi, packet))
        self.handset.send(bytes([0x10 | SM, 0x46, 36]))
        self.handset.expect(SM, 0x47)
        self.assertEqual(self.far.asked.get(timeout=60)[2][TEARDOWN][0][0] & 1, 0)
        self.second()
        self.handset.send(bytes([SM, 0x46, 36, 0x91]))
        self.handset.expect(SM, 0x47)
        self.node.show_until("pdp", lambda rows: rows == [])
        self.node.show_until("gtpc", lambda rows: rows == [])
        self.assertEqual(self.far.asked.get(timeout=60)[0], DELETE)
        self.assertEqual(self.far.contexts, {})
        self.finish()

    def test_modification(self):
        """By the phone, within what the APN allows; by the GGSN, and the phone is told; a notification is refused."""
        self.begin()
        self.handset.send(bytes([SM, 0x4A, 0x30]) + phone_peer.Phone.lv(THP2))
        message = self.handset.next()
        self.assertEqual((message[:2], message[2:4]), (bytes([0x80 | SM, 0x4B]), b"\x30\x0b"))
        self.node.show_until("pdp", lambda rows: rows[0]["class"] == "thp2")
        background = bytes.fromhex("0223931f91966868740000ff")
        self.far.ask(UPDATE, 5, bytes([NSAPI, 5]) + tlv(QOS, background))
        self.assertEqual(self.handset.next()[:2], bytes([0x80 | SM, 0x48]))
        self.assertTrue(self.far.answers.empty(), "the GGSN is answered before the phone")
        self.handset.send(bytes([SM, 0x49]))
        self.assertEqual(self.far.answer_to(UPDATE)[1], [b"\x80"])
        self.node.show_until("pdp", lambda rows: rows[0]["class"] == "background")
        imsi = b"\x02" + bytes.fromhex("62240200000000f1")
        self.far.ask(27, 5, imsi + bytes([TEID_CONTROL]) + b"\0\0\0\x77" + tlv(128, b"\xf1\x21" + socket.inet_aton(ADDRESS))
                     + tlv(131, b"\4best") + tlv(133, self.far.octets))
        self.assertEqual(self.far.answer_to(27)[1], [bytes([200])])
        self.finish()


    def check_mode(self, request, answer, reliability):
        """The answer to a request has this reliability class behind its heading."""
        self.handset.send(request)
        message = self.handset.next()
        self.assertEqual((message[:len(answer)], message[len(answer)] & 7), (answer, reliability))

    def test_one_link_for_two_contexts(self):
        """What finds no link is told reliability class 3, activated or modified, until the link is free."""
        class_2, class_3 = (phone_peer.Phone.lv(bytes([octet]) + THP2[1:]) for octet in (0x1A, 0x1B))
        modified = bytes([0x80 | SM, 0x4B, 0x30, 0x0B])
        first, second = bytes([SM, 0x4A, 0x30]), bytes([0x10 | SM, 0x4A, 0x30])
        self.begin(more=", llc = { acknowledged = { links = 1 } }")
        self.check_mode(first + class_2, modified, 2)
        self.check_mode(bytes([0x10 | SM, 0x4D, 6, 5]) + class_2 + b"\1\0\x36" + phone_peer.Phone.lv(FILTER),
                        bytes([0x90 | SM, 0x4E, 5, 0x0B]), 3)
        self.check_mode(second + class_2, bytes([0x90 | SM]) + modified[1:], 3)
        self.assertEqual([row["refused"] for row in self.node.show("acknowledged")], [2])
        self.check_mode(first + class_3, modified, 3)
        self.check_mode(second + class_2, bytes([0x90 | SM]) + modified[1:], 2)
        self.check_mode(first + class_2, modified, 3)
        self.assertEqual([(row["links_free"], row["refused"]) for row in self.node.show("acknowledged")], [(0, 3)])
        self.finish()


class OverIpv6(Secondary):
    """The same where SGSN and GGSN have IPv6 addresses alone: GTP-C, tunnels, and the addresses in both."""

    ggsn, sgsn = "2001:db8:1::2", "2001:db8:1::1"

    def setUp(self):
        super().setUp()
        self.lab.give_ipv6("ggsn", "gn1", self.ggsn)


if __name__ == "__main__":
    unittest.main()
