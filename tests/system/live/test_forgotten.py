# SPDX-License-Identifier: BSD-3-Clause
"""Phones that the node does not know, as after its restart, and whose LLC keeps its numbers: what they are sent is not old to them."""
import queue
import unittest

import lab
import phone_peer
import test_paging
import test_phones
import test_walk

from gb_oracle import bssgp, llc

GMM, GMM_SAPI, DATA_SAPI = phone_peer.GMM, phone_peer.GMM_SAPI, phone_peer.DATA_SAPI
IMPLICITLY_DETACHED, REATTACH, IMSI, PAGED_IMSI = 10, 1, 1, 0x0D
OLD = 32  # frames behind V(UR), which is EXPECTED
SENT, EXPECTED = 9, 4


class Phone(phone_peer.Phone):
    """Whose LLC has sent and received frames before."""

    def __init__(self, peer, number, answers=True):
        super().__init__(peer, test_phones.IMSI, tlli=0xC1000000 + number)
        self.nu = dict.fromkeys(self.nu, SENT)
        self.vur, self.resets, self.answers, self.heard = EXPECTED, 0, answers, []

    def begin_llc(self):
        super().begin_llc()
        self.vur = 0

    def next(self, timeout_s=5):
        """The next message that is not old, behind the resets before it."""
        while True:
            pdu = self.peer.pdus.get(timeout=timeout_s)
            assert pdu.tlli == self.tlli, hex(pdu.tlli)
            frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
            assert frame.fcs_good and frame.fault is None, frame
            if frame.nu is None:
                assert llc.is_reset(pdu.elements[bssgp.LLC_PDU]), frame
                self.resets += 1
                if self.answers:
                    self.take_unnumbered(pdu.elements[bssgp.LLC_PDU])
            elif (self.vur - 1 - frame.nu) % 512 >= OLD:
                self.heard.append(frame.nu)
                return frame.info


class Forgotten(test_walk.Case):
    def begin(self, policy='policy = "accept_all"'):
        self.serve(mobiles="", more=test_phones.PHONES % policy)
        with self.lab.inside("bss"):
            self.bss = test_walk.bss_peer.Peer(test_walk.bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
        self.addCleanup(self.bss.close)
        self.bss.bring_up()

    def phones(self):
        """One that answers XID with Reset, and one to which it is lost."""
        return [Phone(self.bss, number, answers) for number, answers in enumerate((True, False))]

    def test_update(self):
        self.begin()
        for phone in self.phones():
            phone.signature = bytes(3)
            phone.update()
            self.assertEqual(phone.next()[:3], bytes([GMM, phone_peer.RAU_REJECT, IMPLICITLY_DETACHED]))
            self.assertEqual(phone.resets, 1)
        self.assertEqual(self.node.stop(), 0)

    def test_attach(self):
        """With a number that is not the first one; a phone that is new is not told to reset."""
        self.begin()
        for phone in self.phones():
            phone.attach()
            self.assertEqual(phone.next()[:2], bytes([GMM, phone_peer.ATTACH_ACCEPT]))
            self.assertEqual(phone.resets, 1)
        new = Phone(self.bss, 9)
        new.tlli = 0x78000009
        new.begin_llc()
        new.attach()
        self.assertEqual(new.next()[:2], bytes([GMM, phone_peer.ATTACH_ACCEPT]))
        self.assertEqual(new.resets, 0)
        self.assertEqual(self.node.stop(), 0)

    def refuse(self, phone):
        phone.attach()
        self.assertEqual(phone.next()[:2], bytes([GMM, phone_peer.ATTACH_REJECT]))

    def test_refused(self):
        """A phone asks again at once: it keeps its numbers, and so does the node. After a Reset these begin elsewhere each time."""
        self.begin('policy = "list", imsis = { "001010000000001" }')
        new = Phone(self.bss, 9)
        new.begin_llc()
        for _ in range(3):
            self.refuse(new)
        self.assertEqual((new.heard, new.resets), ([0, 1, 2], 0))
        old = [Phone(self.bss, number) for number in range(3)]
        for phone in old:
            self.refuse(phone)
            self.refuse(phone)
        self.assertEqual([phone.resets for phone in old], [1] * len(old))
        self.assertEqual(len({phone.heard[0] for phone in old}), len(old))
        self.assertEqual(self.node.show("control")[0]["llc_resumed"], 2)
        self.assertEqual(self.node.stop(), 0)

    def test_packet_in_clear(self):
        """DETACH REQUEST, re-attach required; at most one in some seconds."""
        self.begin()
        for phone in self.phones():
            phone.send_packet(bytes(40))
            self.assertEqual(phone.next()[:3], bytes([GMM, phone_peer.DETACH_REQUEST, REATTACH]))
            self.assertEqual(phone.resets, 1)
            phone.send_packet(bytes(40))
            with self.assertRaises(queue.Empty):
                phone.next(0.3)
        self.assertEqual(self.node.stop(), 0)

    def test_packet_that_is_ciphered(self):
        """The phone tells its IMSI and is paged by that, upon which it attaches (TS 24.008 clause 4.7.9.1.2)."""
        self.begin()
        phone = self.phones()[0]
        octets = bytes([0x43, 0xC0, SENT << 2 | 2]) + bytes(40)
        phone.send_llc(octets)
        message = phone.next()
        self.assertEqual(message[:3], bytes([GMM, phone_peer.IDENTITY_REQUEST, IMSI]))
        phone.answer(message)
        page = self.bss.bssgp.get(timeout=60)
        self.assertEqual((page.kind, page.elements[PAGED_IMSI]), (test_paging.PAGING_PS, phone_peer.digits(test_phones.IMSI)))
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
