# SPDX-License-Identifier: BSD-3-Clause
"""Short messages of a phone on a live node: refused; from it and to it by the real osmo-hlr and a service centre."""
import queue
import unittest

import hlr
import lab
import node
import phone_peer
import smsc
import test_phones
import test_restart
from test_phones import IMSI, KI

CENTRE = bytes.fromhex("91947122723033")
SUBMIT = bytes.fromhex("01050a919471214365000005e8329bfd06")
DELIVER = bytes.fromhex("040a91947121436500006211222190002105e8329bfd06")
REPORT = bytes.fromhex("010062112221900021")
CP_DATA, CP_ACK, CP_ERROR = 0x01, 0x04, 0x10
PAGING_PS = 0x06


def lv(octets):
    return bytes([len(octets)]) + octets


def cp_data(head, rp):
    return bytes([head, CP_DATA]) + lv(rp)


def rp_data(reference, originator, destination, tpdu):
    """The type of the message is that of its direction."""
    return bytes([1 if originator else 0, reference]) + lv(originator) + lv(destination) + lv(tpdu)


class Sms(test_phones.Case):
    def expect(self, octets):
        self.assertEqual(self.handset.next(sapi=phone_peer.SMS_SAPI).hex(), octets.hex())

    def say(self, octets):
        self.handset.send_frame(phone_peer.SMS_SAPI, octets)

    def counts(self):
        return {entry["name"]: entry["count"] for entry in self.node.show("phone_counts")}


class Refused(Sms):
    def test_each_message_is_answered(self):
        self.begin()
        self.handset.attach_fully()
        self.node.wait_for("attached")
        self.say(cp_data(0x39, rp_data(7, b"", CENTRE, SUBMIT)))
        self.expect(bytes([0xB9, CP_ACK]))
        self.expect(cp_data(0xB9, bytes([5, 7, 1, 69])))
        self.say(bytes([0x39, CP_ACK]))
        self.say(cp_data(0x49, bytes([6, 8])))
        self.expect(bytes([0xC9, CP_ACK]))
        self.expect(cp_data(0xC9, bytes([5, 8, 1, 69])))
        self.say(bytes([0x49, CP_ACK]))
        self.say(bytes([0x59, 0x02]))
        self.expect(bytes([0xD9, CP_ERROR, 97]))
        self.say(bytes([0xD9, CP_ACK]))
        self.expect(bytes([0x59, CP_ERROR, 81]))
        counts = self.counts()
        self.assertEqual((counts["sms_mo"], counts["sms_mo_error_69"]), (2, 2))
        self.finish()

    def test_answer_is_repeated(self):
        """TC1*"""
        self.phones = test_phones.quick("tc1")
        self.begin()
        self.handset.attach_fully()
        self.node.wait_for("attached")
        self.say(cp_data(0x39, rp_data(7, b"", CENTRE, SUBMIT)))
        self.expect(bytes([0xB9, CP_ACK]))
        for _ in range(2):
            self.expect(cp_data(0xB9, bytes([5, 7, 1, 69])))
        self.finish()

    def test_phone_that_is_not_attached(self):
        self.begin()
        stranger = phone_peer.Phone(self.bss, IMSI, tlli=0x78000009)
        for octets in (b"\x09", bytes([0x09, CP_ACK]), bytes([8, 1])):
            stranger.send_frame(phone_peer.SMS_SAPI, octets)
        with self.assertRaises(queue.Empty):
            stranger.next(0.5)
        stranger.send_frame(phone_peer.SMS_SAPI, cp_data(0x09, rp_data(7, b"", CENTRE, SUBMIT)))
        self.assertEqual(stranger.expect(8, phone_peer.DETACH_REQUEST)[2:5], bytes([1, 0x25, 10]))
        self.finish()


class ByHlr(Sms):
    def setUp(self):
        lab.need(self, hlr.missing())
        super().setUp()
        self.hlr = hlr.Hlr(self.lab, IMSI, KI)
        self.addCleanup(self.hlr.close)

    def open_with_centre(self, **values):
        self.begin('policy = "hlr", sms = "hlr", sms_centre = "SMSC-test", ciphering = { 0 }, hlr = { address = "127.0.0.1" }',
                   **values)
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.centre = smsc.Smsc(self.lab)
        self.addCleanup(self.centre.close)
        self.handset.attach_fully()
        self.node.wait_for("attached")

    def to_phone(self, reference):
        self.centre.send(smsc.MT, IMSI, {smsc.SOURCE: smsc.NAME, smsc.DESTINATION: b"SGSN-gbflow\0", smsc.MR: bytes([reference]),
                                         smsc.DA: b"\xff", smsc.OA: b"\x03" + CENTRE, smsc.UI: DELIVER})

    def result_of(self, kind, reference):
        """The elements of what the centre is answered, but those that are always there."""
        got, imsi, elements = self.centre.take()
        self.assertEqual((got, imsi, elements.pop(smsc.MR)), (kind, IMSI, bytes([reference])))
        self.assertEqual((elements.pop(smsc.SOURCE), elements.pop(smsc.DESTINATION)), (b"SGSN-gbflow\0", smsc.NAME))
        return elements

    def test_from_the_phone(self):
        self.open_with_centre()
        for reference, kind, elements, answer in (
                (7, smsc.MO_RESULT, {}, bytes([3, 7])),
                (8, smsc.MO_RESULT, {smsc.UI: REPORT}, bytes([3, 8, 0x41]) + lv(REPORT)),
                (9, smsc.MO_ERROR, {smsc.RP_CAUSE: b"\x1c"}, bytes([5, 9, 1, 28]))):
            self.say(cp_data(0x39, rp_data(reference, b"", CENTRE, SUBMIT)))
            self.expect(bytes([0xB9, CP_ACK]))
            got, imsi, asked = self.centre.take()
            self.assertEqual((got, imsi), (smsc.MO, IMSI))
            self.assertEqual((asked[smsc.MR], asked[smsc.UI]), (bytes([reference]), SUBMIT))
            self.assertEqual((asked[smsc.DA], asked[smsc.OA]), (b"\x03" + CENTRE, b"\x02\x91" + smsc.bcd("491701")))
            self.centre.send(kind, IMSI, {smsc.SOURCE: smsc.NAME, smsc.DESTINATION: asked[smsc.SOURCE], smsc.MR: asked[smsc.MR],
                                          **elements})
            self.expect(cp_data(0xB9, answer))
            self.say(bytes([0x39, CP_ACK]))
        self.finish()

    def test_centre_or_hlr_is_not_there(self):
        self.open_with_centre()
        self.centre.close()
        for reference in (7, 8):
            self.say(cp_data(0x39, rp_data(reference, b"", CENTRE, SUBMIT)))
            self.expect(bytes([0xB9, CP_ACK]))
            self.expect(cp_data(0xB9, bytes([5, reference, 1, 38])))
            self.say(bytes([0x39, CP_ACK]))
            if reference == 7:
                self.hlr.kill()
                self.node.wait_for("the connection is down")
        self.finish()

    def test_to_the_phone(self):
        self.open_with_centre()
        self.to_phone(5)
        self.expect(cp_data(0x09, rp_data(5, CENTRE, b"", DELIVER)))
        self.say(bytes([0x89, CP_ACK]))
        self.say(cp_data(0x89, bytes([2, 5])))
        self.expect(bytes([0x09, CP_ACK]))
        self.assertEqual(self.result_of(smsc.MT_RESULT, 5), {})
        self.to_phone(6)
        self.expect(cp_data(0x19, rp_data(6, CENTRE, b"", DELIVER)))
        self.say(bytes([0x99, CP_ACK]))
        self.say(cp_data(0x99, bytes([4, 6, 1, 22])))
        self.expect(bytes([0x19, CP_ACK]))
        self.assertEqual(self.result_of(smsc.MT_ERROR, 6), {smsc.RP_CAUSE: bytes([22])})
        self.to_phone(7)
        self.expect(cp_data(0x29, rp_data(7, CENTRE, b"", DELIVER)))
        self.handset.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 9]))
        self.assertEqual(self.result_of(smsc.MT_ERROR, 7), {smsc.RP_CAUSE: bytes([27]), smsc.CAUSE: bytes([10])})
        self.to_phone(8)
        self.assertEqual(self.result_of(smsc.MT_ERROR, 8), {smsc.RP_CAUSE: bytes([30]), smsc.CAUSE: bytes([2])})
        self.finish()

    def test_control_restarts_meanwhile(self):
        """The phone that waits for the centre is answered; a message to it stays under way."""
        self.open_with_centre()
        self.to_phone(5)
        self.expect(cp_data(0x09, rp_data(5, CENTRE, b"", DELIVER)))
        self.say(bytes([0x89, CP_ACK]))
        self.say(cp_data(0x39, rp_data(7, b"", CENTRE, SUBMIT)))
        self.expect(bytes([0xB9, CP_ACK]))
        self.centre.take()
        before = len(self.node.lines)
        test_restart.restart(self, self.node)
        self.expect(cp_data(0xB9, bytes([5, 7, 1, 38])))
        self.say(bytes([0x39, CP_ACK]))
        self.node.wait_for("HLR 127.0.0.1: connected", start=before)
        self.say(cp_data(0x89, bytes([2, 5])))
        self.expect(bytes([0x09, CP_ACK]))
        self.assertEqual(self.result_of(smsc.MT_RESULT, 5), {})
        self.finish()

    def test_to_a_phone_in_standby(self):
        self.open_with_centre(text=node.TEXT.replace('source = "list"', 'ready_timer = "6 s", source = "list"'))
        self.node.wait_for_standby()
        self.to_phone(5)
        self.assertEqual(self.bss.bssgp.get(timeout=60).kind, PAGING_PS)
        self.assertTrue(self.bss.pdus.empty())
        self.handset.send(b"")
        self.expect(cp_data(0x09, rp_data(5, CENTRE, b"", DELIVER)))
        self.say(cp_data(0x89, bytes([2, 5])))
        self.expect(bytes([0x09, CP_ACK]))
        self.assertEqual(self.result_of(smsc.MT_RESULT, 5), {})
        self.finish()


if __name__ == "__main__":
    unittest.main()
