# SPDX-License-Identifier: BSD-3-Clause
"""What a phone says of its radio reaches its BSS, and stays: each DL-UNITDATA, PAGING-PS and the answer to a BSS."""
import os
import queue
import socket
import struct
import sys
import unittest

import lab
import node
import phone_peer
import test_acts
import test_phones
import test_restart
from gb_oracle import bssgp

sys.path.append(os.path.join(node.ROOT, "tests", "unit", "lua"))

import mobility_messages  # noqa: E402  pylint: disable=wrong-import-position

PAGING_PS, RADIO_STATUS, RA_CAPABILITY, RA_CAPABILITY_UPDATE = 0x06, 0x0A, 0x02, 0x08
DRX, IMSI, CAPABILITY, RADIO_CAUSE, UPDATE_CAUSE = 0x0A, 0x0D, 0x13, 0x19, 0x1A
FIRST = (phone_peer.RA_CAPABILITY, b"\x0a\x00")
SECOND = (bytes.fromhex("119100"), b"\x20\x07")
WHOLE = (SECOND[0] + bytes(2), SECOND[1])  # a BSS needs five octets
CUT = phone_peer.RA_CAPABILITY[:5]


class Seen(queue.Queue):
    """Keeps all that was put."""

    def __init__(self):
        super().__init__()
        self.all = []

    def put(self, item, block=True, timeout=None):
        self.all.append(item)
        super().put(item, block, timeout)


class Case(test_phones.Case):
    def begin(self, *words, **values):
        super().begin(*words, **values)
        self.bss.pdus = self.seen = Seen()
        self.handset.attach_fully()
        self.handset.activate()

    def in_each(self, *told):
        """All DL-UNITDATA since the last call has one of these pairs; the last one the last."""
        pairs = [(pdu.elements.get(CAPABILITY), pdu.elements.get(DRX)) for pdu in self.seen.all]
        self.assertTrue(set(pairs) <= set(told) and pairs[-1] == told[-1], pairs)
        self.seen.all.clear()

    def asked(self):
        """What the BSS is answered: cause, capability, IMSI."""
        tlli, tag = bssgp.tlv(bssgp.TLLI, struct.pack(">I", self.handset.tlli)), bssgp.tlv(bssgp.TAG, b"\7")
        octets = bytes([RA_CAPABILITY_UPDATE]) + tlli + tag
        answer = self.bss.ask(lambda: self.bss.send_bssgp(self.bss.bvci, octets), self.bss.bssgp,
                              lambda pdu: pdu.kind == RA_CAPABILITY_UPDATE + 1)
        return answer.number(UPDATE_CAUSE), answer.elements.get(CAPABILITY), answer.elements.get(IMSI)

    def page(self):
        """The DRX parameter of a page; the phone has answered."""
        lost = bssgp.tlv(bssgp.TLLI, struct.pack(">I", self.handset.tlli)) + bssgp.tlv(RADIO_CAUSE, b"\0")
        self.bss.send_bssgp(self.bss.bvci, bytes([RADIO_STATUS]) + lost)
        self.node.wait_for_standby()
        act = test_acts.Act(self, "page", test_phones.IMSI)
        pdu = self.bss.take(self.bss.bssgp, lambda pdu: pdu.kind == PAGING_PS)
        self.handset.send_frame(phone_peer.GMM_SAPI, b"")
        act.ends(0, "done: the mobile has answered")
        return pdu.elements.get(DRX)

    def holds(self, capability, drx, seq):
        """These values are known everywhere."""
        self.ping(seq)
        self.assertEqual(self.asked(), (0, capability, phone_peer.digits(test_phones.IMSI)))
        self.assertEqual(self.page(), drx)
        self.in_each((capability, drx))

    def update(self, capability, drx=None):
        phone = self.handset
        phone.ra_capability = capability
        phone.update(b"\x27" + drx if drx else b"")
        phone.take_accept(phone.expect(phone_peer.GMM, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)


class Told(Case):
    def test_told_changed_and_bad(self):
        self.begin()
        refused = self.node.show("control")[0]["refused"]
        self.in_each(FIRST)
        self.holds(*FIRST, 1)
        test_restart.restart(self, self.node)
        self.holds(*FIRST, 2)
        self.update(*SECOND)
        changed = self.bss.take(self.bss.bssgp, lambda pdu: pdu.kind == RA_CAPABILITY)
        self.assertEqual(changed.elements[CAPABILITY], WHOLE[0])
        self.in_each(WHOLE)
        self.holds(*WHOLE, 3)
        for bad, counter in ((CUT, "ra_capability_truncated"), (bytes(52), "ra_capability_too_long")):
            self.update(bad, SECOND[1])
            self.assertIn((counter, 1), [(row["name"], row["count"]) for row in self.node.show("counts")])
        test_restart.restart(self, self.node)
        listed = f'list", imsis = {{ "{test_phones.IMSI}" }}, network_name = "N'
        done = self.node.run_reload(more=self.node.values["more"].replace("accept_all", listed))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.holds(*WHOLE, 4)
        self.update(FIRST[0])
        self.holds(FIRST[0], SECOND[1], 5)
        self.assertEqual(self.node.show("control")[0]["refused"], refused)
        self.finish()


OTHER, OTHER_RAI, OTHER_P_TMSI, SIGNATURE = "192.0.2.3", bytes.fromhex("62f224424205"), 0xC5A53412, b"\1\2\3"
POOL = (f', pool = {{ hold = "60 s", answer = "10 s", others = {{ {{ address = "{OTHER}", '
        f'areas = {{ {{ mcc = "262", mnc = "42", lac = {0x4242}, rac = 5 }} }} }} }} }}')
GTPC, CONTEXT_REQUEST, CONTEXT_RESPONSE, ACCEPTED, THEIR_TEID = 2123, 50, 51, b"\x80", struct.pack(">I", 0x77)
MM = b"\xff\x40" + bytes(8) + b"%b" + b"\x02\xe5\xe0" + bytes(2)  # GSM key and triplets, of which there are none


def element(kind, value):
    return bytes([kind]) + (struct.pack(">H", len(value)) if kind >= 128 else b"") + value


class OtherSgsn(Case):
    """The test's own SGSN of another routeing area."""

    def begin(self, *words, **values):
        self.lab.ip(self.lab.names["ggsn"], "address", "add", OTHER + "/24", "dev", "gn1")
        with self.lab.inside("ggsn"):
            self.other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.other.close)
        self.other.bind((OTHER, GTPC))
        super().begin(f'policy = "accept_all"{POOL}', *words, **values)

    def send_gtpc(self, kind, teid, seq, *elements):
        body = struct.pack(">HH", seq, 0) + b"".join(element(*each) for each in elements)
        self.other.sendto(struct.pack(">BBH", 0x32, kind, len(body)) + teid + body, (lab.GN_SGSN, GTPC))

    def told(self, kind, ask=lambda: None):
        """The next message of that type. A question is asked until the node has found out the address by ARP."""
        self.other.settimeout(1)
        for _ in range(60):
            ask()
            try:
                octets = self.other.recv(4096)
            except TimeoutError:
                continue
            if octets[1] == kind:
                return mobility_messages.decode(octets)
        raise AssertionError(f"no message {kind}")

    def test_goes_there(self):
        self.begin()
        phone = self.handset
        self.update(*SECOND)
        tlli = struct.pack(">I", 0x80000000 | phone.p_tmsi & 0x3FFFFFFF)
        elements = ((3, phone.rai), (4, tlli), (12, phone.signature), (17, THEIR_TEID), (133, socket.inet_aton(OTHER)))
        answer = self.told(CONTEXT_RESPONSE, lambda: self.send_gtpc(CONTEXT_REQUEST, bytes(4), 1, *elements))
        self.assertEqual((answer["imsi"], answer["mm"]["drx"]), (test_phones.IMSI, SECOND[1]))
        self.finish()

    def test_comes_from_there(self):
        """Its update has no DRX parameter: that of the SGSN that it comes from holds."""
        self.begin()
        phone = phone_peer.Phone(self.bss, test_phones.IMSI, tlli=0x80000000 | OTHER_P_TMSI & 0x3FFFFFFF)
        self.handset, phone.signature, phone.rai, phone.ra_capability = phone, SIGNATURE, OTHER_RAI, SECOND[0]
        phone.update()
        asked = self.told(CONTEXT_REQUEST)
        imsi = bytes.fromhex("62420200000000f1")
        self.seen.all.clear()
        self.send_gtpc(CONTEXT_RESPONSE, struct.pack(">I", asked["teid_control"]), asked["seq"], (1, ACCEPTED),
                       (2, imsi), (17, THEIR_TEID), (129, MM % SECOND[1]), (133, socket.inet_aton(OTHER)))
        phone.take_accept(phone.expect(phone_peer.GMM, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        self.in_each(WHOLE)
        self.assertEqual(self.page(), SECOND[1])
        self.finish()


if __name__ == "__main__":
    unittest.main()
