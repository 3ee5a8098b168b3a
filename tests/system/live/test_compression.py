# SPDX-License-Identifier: BSD-3-Clause
"""SNDCP's compression of a live node, against a phone that has both algorithms in Python: agreed on, used both ways, ended."""
import unittest

import lab
import node
import packing_phone as packing
import test_walk
from gb_oracle import gtp
from packing_phone import DATA, HEADERS

SETTINGS = ', sndcp = { compression = { mode = "%s", rfc1144 = { slots = 16 }, v42bis = { codewords = 2048, string = 20 } } }'
SERVER, PHONE = ("192.0.2.99", 80), (node.ADDRESS, 40000)
TEXT = b"<p>The packet is sent when the bucket of the mobile has room for the packet, and the bucket of the cell has room, too.</p>\n"
PAGE = TEXT * 8
COUNTS = ("npdus", "octets", "octets_left", "uplink_npdus", "uplink_octets", "uplink_octets_came")


class Case(test_walk.Case):
    def begin(self, mode="passive", **values):
        self.serve(more=SETTINGS % mode + values.pop("more", ""), **values)
        self.open_ends()
        self.phone = packing.Phone(self.bss, "262420000000001", tlli=node.TLLI)
        self.numbers = {SERVER: 100000, PHONE: 500000}
        self.idents = {SERVER: 1, PHONE: 9000}
        self.seen = dict.fromkeys(COUNTS, 0)  # octets as the phone counts them
        self.bss.bring_up()

    # --- a TCP connection

    def segment(self, sender, data=b"", flags=packing.ACK, **values):
        """The next one of a sender."""
        receiver = PHONE if sender == SERVER else SERVER
        seq, ack = self.numbers[sender], self.numbers[receiver] if flags & packing.ACK else 0
        self.idents[sender] += 1
        self.numbers[sender] += len(data) + bool(flags & packing.SYN)
        return packing.tcp((sender, receiver), seq, ack, data, flags, self.idents[sender], **values)

    def count(self, way, packet, octets):
        for name, more in (("npdus", 1), ("octets", len(packet)), ("octets_left" if way == "" else "octets_came", len(octets))):
            self.seen[way + name] += more

    def check_packet_down(self, data=b"", flags=packing.ACK, **values):
        """Returns the N-PDU as it came."""
        packet = self.segment(SERVER, data, flags, **values)
        self.ggsn.sendto(test_walk.g_pdu(node.TEID, packet), (lab.GN_SGSN, test_walk.GTPU))
        n_pdu = self.phone.packed()
        self.assertEqual(self.phone.restored(n_pdu), packet)
        self.count("", packet, n_pdu.octets)
        return n_pdu

    def check_packet_up(self, data=b"", flags=packing.ACK, **values):
        """Returns PCOMP and DCOMP that the phone used."""
        packet = self.segment(PHONE, data, flags, **values)
        comp, octets = self.phone.send_packed(packet)
        self.assertEqual(gtp.decode(self.ggsn.recv(65536)).body, packet)
        if comp:
            self.count("uplink_", packet, octets)
        return comp

    def connect(self):
        comps = [self.check_packet_up(flags=packing.SYN), self.check_packet_down(flags=packing.SYN | packing.ACK).comp]
        self.assertEqual(comps, [0, 0])

    def entities(self):
        return {row["kind"]: row for row in self.node.show("entities")}


class Passive(Case):
    def test_life(self):
        """Both entities within the node's bounds; text and ACKs both ways."""
        self.begin()
        answer = self.phone.ask(packing.RFC1144, packing.V42BIS)
        self.assertEqual(answer, {0: b"\0", HEADERS: packing.change(0, packing.slots(16)),
                                  DATA: packing.change(1, packing.dictionary(packing.BOTH, 2048, 20))})
        self.connect()
        self.assertEqual(self.check_packet_up(TEXT), 0x11)
        self.assertEqual(self.check_packet_up(TEXT), 0x12)
        self.assertEqual(self.check_packet_down().comp, 0x01)
        pages = [self.check_packet_down(PAGE) for _ in range(3)]
        self.assertEqual([page.comp for page in pages], [0x12] * 3)
        self.assertLess(sum(page.frame_octets for page in pages), 3 * len(PAGE) // 2)
        for _ in range(3):
            self.check_packet_down(PAGE)
            self.assertEqual(self.check_packet_up(), 0x02)
        self.check_packet_up(b"GET")
        self.assertLessEqual(self.check_packet_down().frame_octets, 20)
        rows = self.entities()
        self.assertEqual([(rows[kind][name]) for kind in ("rfc1144", "v42bis") for name in ("sapi", "number", "nsapis", "values")],
                         [3, 0, "5", "16 slots", 3, 1, "5", "2048 codewords, 20 octets, both"])
        worker = self.node.show("compression")[0]
        self.assertEqual({name: worker[name] for name in COUNTS}, self.seen)
        self.assertEqual(worker["entities"], 2)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
