# SPDX-License-Identifier: BSD-3-Clause
"""Phones that go to a cell of another BSS and routeing area: before their update and after it; a BSS without flow control."""
import os
import queue
import struct
import subprocess
import tempfile
import unittest

import lab
import node
import phone_peer
import test_phones
import test_walk

OTHER_BVCI, OTHER_NSEI, OTHER_PORT = 1801, 102, 23001
OTHER_CELL = bytes.fromhex("62f224123406") + struct.pack(">H", 2)
OTHER_RAI = OTHER_CELL[:6]
OTHER = (' } } }, { nsei = %d, nsvcs = { { nsvci = 102, address = "%s", udp_port = %d } }, cells = { { bvci = %d, '
         'cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 6, ci = 2 }' % (OTHER_NSEI, lab.GB_BSS, OTHER_PORT, OTHER_BVCI))


class Walks:
    """Two BSSs, and a phone that goes from one to the other."""

    def open_other(self):
        with self.lab.inside("bss"):
            sock = test_walk.bss_peer.open_socket(lab.GB_BSS, OTHER_PORT)
            self.other = test_walk.bss_peer.Peer(sock, (lab.GB_SGSN, 23000), nsei=OTHER_NSEI, nsvci=102, bvci=OTHER_BVCI)
        self.other.cell_id = OTHER_CELL
        self.addCleanup(self.other.close)
        self.other.bring_up()

    def drops(self, name):
        return sum(row["count"] for row in self.node.show("drops") if name in (row.get("name"), row.get("reason")))

    def cell(self):
        return self.node.show("ms")[0]["bvci"]

    def walk(self):
        """Attached and active in the one cell; packets, and an activation, from the other do not count before the update."""
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        self.ping(1)
        self.open_other()
        phone.peer = self.other
        phone.send_packet(test_phones.echo(phone.address, test_phones.test_ggsn.SERVER, 8, 2))
        phone.send(bytes([phone_peer.SM, 0x41, 6, 5, 3, 0, 0, 0, 2, 1, 0x21]))
        with self.assertRaises(queue.Empty):
            phone.next(0.5)
        self.assertEqual(self.cell(), 1800)
        self.assertEqual(self.drops("other_area"), 1)
        counts = {entry["name"]: entry["count"] for entry in self.node.show("phone_counts")}
        self.assertEqual(counts["other_area"], 1)
        phone.update(b"\x32\x02\x20\x00")
        message = phone.next()
        while phone.answer(message):
            message = phone.next()
        self.assertEqual((message[:2], message[4:10]), (bytes([8, phone_peer.RAU_ACCEPT]), OTHER_RAI))
        phone.take_accept(message, phone_peer.RAU_COMPLETE)
        self.ping(3)
        self.assertEqual(self.cell(), OTHER_BVCI)
        self.assertTrue(self.bss.pdus.empty())


class Areas(Walks, test_phones.Case):
    def test_update_moves(self):
        self.begin(cell_more=OTHER)
        self.walk()
        self.finish()

    def test_no_link_at_the_other_worker(self):
        """A phone in acknowledged mode goes to a worker whose one link another phone has: it is told reliability class 3."""
        self.begin(cell_more=OTHER, workers=2, gn=node.VETH["gn"] + ",qpairs=2", gb=node.VETH["gb"] + ",qpairs=2",
                   more=", llc = { acknowledged = { links = 1 } }")
        self.open_other()
        there, phone = phone_peer.Phone(self.other, "262420000000002", tlli=0x78000005), self.handset
        there.rai = OTHER_RAI
        for each in (there, phone):
            each.attach_fully()
            each.activate(reliability=2)
        self.assertEqual((there.reliability, phone.reliability), (2, 2))
        phone.peer = self.other
        phone.update(b"\x32\x02\x20\x00")
        phone.take_accept(phone.expect(phone_peer.GMM, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        message = phone.expect(phone_peer.SM, 0x48)  # MODIFY PDP CONTEXT REQUEST: radio priority, SAPI, QoS
        self.assertEqual((message[3], message[5] & 7), (phone_peer.DATA_SAPI, 3))
        phone.send(bytes([phone_peer.SM, 0x49]))
        self.assertEqual([(row["links_free"], row["refused"]) for row in self.node.show("acknowledged")], [(1, 0), (0, 1)])
        self.ping(1)
        self.finish()

    def test_reloaded_cell(self):
        """A phone attaches in a cell of an NSE that a reload has added."""
        self.begin()
        test_phones.test_ggsn.test_reload.reload(self.node, "NSE", cell_more=OTHER)
        self.open_other()
        phone = phone_peer.Phone(self.other, "262420000000002", tlli=0x78000005)
        phone.rai = OTHER_RAI
        phone.attach_fully()
        phone.activate()
        self.finish()

    def test_unchecked(self):
        self.begin('policy = "accept_all", area_checks = false', cell_more=OTHER)
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        self.ping(1)
        self.open_other()
        phone.peer = self.other
        phone.send_packet(test_phones.echo(phone.address, "192.0.2.99", 8, 2))
        self.node.show_until("ms", lambda rows: rows[0]["bvci"] == OTHER_BVCI)
        self.ping(3)
        self.assertEqual(self.drops("other_area"), 0)
        self.finish()

    def test_without_flow_control(self):
        """A BSS that sends no FLOW-CONTROL-BVC: nothing goes out, which is told; initial values let it go."""
        self.announce = test_walk.bss_peer.Peer.announce
        test_walk.bss_peer.Peer.announce = lambda peer: None
        self.addCleanup(setattr, test_walk.bss_peer.Peer, "announce", self.announce)
        self.begin(cell_more=', flow_control = { initial = { bmax = "20000 octets", leak_rate = "40 kbit/s" } }' + OTHER)
        self.handset.attach_fully()
        self.handset.activate()
        self.ping(1)
        self.open_other()
        self.assertEqual([row["usable"] for row in self.node.show("bvc")], ["yes", "waits for flow control"])
        self.finish()


def element(kind, octets):
    return bytes([kind, 0x80 | len(octets)]) + octets


def dissect(pdu):
    """What TShark reads in a BSSGP PDU."""
    with tempfile.TemporaryDirectory(prefix="gbflow-rim-") as folder:
        capture = os.path.join(folder, "rim.pcap")
        with open(capture, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 147) + struct.pack("<IIII", 0, 0, len(pdu), len(pdu)) + pdu)
        words = ["tshark", "-r", capture, "-V", "-o", 'uat:user_dlts:"User 0 (DLT=147)","bssgp","0","","0",""']
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout


class RanInformation(Walks, test_phones.Case):
    def test_routed_and_refused(self):
        """A request of one BSS arrives at the other, octet by octet, and the answer comes back; one to no cell is an error."""
        self.begin(cell_more=OTHER)
        self.open_other()
        here, there = b"\0" + test_walk.bss_peer.CELL_ID, b"\0" + OTHER_CELL
        container = bytes.fromhex("4b81014c84000000014f8102558101") + element(0x4d, OTHER_CELL)
        for source, target, kind, ends in ((self.bss, self.other, 0x71, (there, here)), (self.other, self.bss, 0x70, (here, there))):
            pdu = bytes([kind]) + element(0x54, ends[0]) + element(0x54, ends[1]) + element(0x57 if kind == 0x71 else 0x58, container)
            got = target.ask(lambda source=source, pdu=pdu: source.send_bssgp(0, pdu), target.bssgp,
                             lambda answer, kind=kind: answer.kind == kind)
            self.assertEqual(got.octets, pdu)
        pdu = bytes([0x71]) + element(0x54, there[:-1] + b"\7") + element(0x54, here) + element(0x57, container)
        error = self.bss.bvc_ask(pdu, 0x73).octets
        text = dissect(error)
        for words in ("RAN-INFORMATION-ERROR", "Unknown destination", "Network Assisted Cell Change"):
            self.assertIn(words.lower(), text.lower(), text)
        self.assertNotIn("Malformed", text)
        counts = {row["name"]: row["count"] for row in self.node.show("counts")}
        self.assertEqual((counts["rim_routed"], counts["rim_unknown_destination"]), (2, 1))
        self.finish()


class AreasWithHlr(Walks, test_phones.WithHlr):
    def test_known_without_hlr(self):
        """Attached by the HLR's first vector; by the second one in another cell, when the HLR is away."""
        self.begin('policy = "hlr", ciphering = { 0 }, hlr = { address = "127.0.0.1" }', cell_more=OTHER)
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.handset.attach_fully()
        self.open_other()
        self.node.show_until("subscribers", lambda rows: [row["state"] for row in rows] == ["registered"])
        self.hlr.kill()
        self.node.wait_for("the connection is down")
        again = phone_peer.Phone(self.other, test_phones.IMSI, tlli=0x78000007, ki=test_phones.KI)
        again.rai = OTHER_RAI
        again.attach_fully()
        again.activate()
        self.node.show_until("ms", lambda rows: [row["bvci"] for row in rows] == [OTHER_BVCI])
        self.finish()

    def test_authenticated_there(self):
        """Without its P-TMSI signature the phone is challenged, in the cell that it is in now."""
        self.begin('policy = "hlr", ciphering = { 0 }, hlr = { address = "127.0.0.1" }', cell_more=OTHER)
        self.node.wait_for("HLR 127.0.0.1: connected")
        send = self.handset.update
        self.handset.update = lambda status: (setattr(self.handset, "signature", b"\0\0\0"), send(status))
        self.walk()
        self.finish()


if __name__ == "__main__":
    unittest.main()
