# SPDX-License-Identifier: BSD-3-Clause
"""A BSS speaks of mobiles that are in another NSE: their downlink stays where it is, until a right frame moves them."""
import queue
import struct
import time
import unittest

import lab
import node
import test_gone
import test_walk

from bss_peer import CELL_ID
from gb_oracle import bssgp, llc, sndcp

SUSPEND, RESUME, RADIO_STATUS, FLUSH_LL_ACK, RA_CAPABILITY_UPDATE = 0x0B, 0x0E, 0x0A, 0x2B, 0x08
RADIO_CAUSE, ROUTEING_AREA, CELL, FLUSH_ACTION, SUSPEND_REF, LLC_FRAMES = 0x19, 0x1B, 0x08, 0x0C, 0x1D, 0x0F
OTHER_CELL_ID = CELL_ID[:-1] + b"\2"
OTHER_AREA_ID = CELL_ID[:5] + b"\6" + CELL_ID[6:]
CIPHERING = ', ciphering = { algorithm = "gea3", kc = "0123456789abcdef" }'
PLAIN, CIPHERED = 1, 2
CELLS = {101: (1800, 1801), 102: (1802,)}  # BVCIs by NSEI
TURNS = 10


def ciphered(text):
    return text.replace(", contexts", CIPHERING + ", contexts")


def ui(nu, octets, sapi=3):
    return llc.encode_ui(sapi, nu, octets, command_bit=False)


def spoilt(frame):
    return frame[:-1] + bytes([frame[-1] ^ 1])


def npdu(number, nu):
    """A whole N-PDU of a mobile in one LLC frame."""
    packet = test_walk.ipv4_packet(f"10.45.0.{number}", "192.0.2.99", 60, nu)
    return ui(nu, next(iter(sndcp.encode(packet, 5, nu, 500))))


def xid():
    body = bytes([0x43, 0xFB])
    return body + llc.fcs(body).to_bytes(3, "little")


def unitdata(number, frame, cell_id=CELL_ID):
    head = bytes([bssgp.UL_UNITDATA]) + struct.pack(">I", test_gone.tlli(number)) + bytes([0, 0, 4])
    return head + bssgp.tlv(CELL, cell_id) + bssgp.tlv(0, b"") + bssgp.tlv(bssgp.LLC_PDU, frame)


def about(kind, number, *elements):
    return bytes([kind]) + bssgp.tlv(bssgp.TLLI, struct.pack(">I", test_gone.tlli(number))) + b"".join(
        bssgp.tlv(*element) for element in elements)


def of_ms(number):
    """PDUs about a mobile: name, BVCI of the signalling or the cell's BVC, octets, counter."""
    area = (ROUTEING_AREA, CELL_ID[:6])
    return (
        ("SUSPEND", 0, about(SUSPEND, number, area), "bssgp_suspend_nack_elsewhere"),
        ("RESUME", 0, about(RESUME, number, area, (SUSPEND_REF, b"\0")), "bssgp_resume_nack_elsewhere"),
        ("RADIO-STATUS", None, about(RADIO_STATUS, number, (RADIO_CAUSE, b"\0")), "radio_status_elsewhere"),
        ("FLOW-CONTROL-MS", None, about(bssgp.FC_MS, number, (bssgp.TAG, b"\1"), (bssgp.MS_BUCKET, b"\0\0"),
                                        (bssgp.LEAK_RATE, b"\0\0")), "ms_flow_elsewhere"),
        ("LLC-DISCARDED", 0, about(bssgp.LLC_DISCARDED, number, (LLC_FRAMES, b"\1"), (bssgp.BVCI, struct.pack(">H", 1801)),
                                   (bssgp.OCTETS_AFFECTED, b"\xff\xff\xff")), None),
        ("FLUSH-LL-ACK", 0, about(FLUSH_LL_ACK, number, (FLUSH_ACTION, b"\0"), (bssgp.OCTETS_AFFECTED, b"\0\xff\xff")),
         "bssgp_flush_ll_ack_unexpected"),
        ("RA-CAPABILITY-UPDATE", None, about(RA_CAPABILITY_UPDATE, number, (bssgp.TAG, b"\1")),
         "ra_capability_update_elsewhere"),
    )


FRAMES = (  # name, mobile, PDU, table of `show`, the counter there
    ("wrong FCS", PLAIN, unitdata(PLAIN, spoilt(npdu(PLAIN, 0))), "drops", "move_fcs"),
    ("rubbish", PLAIN, unitdata(PLAIN, ui(0, b"")[:3] + bytes(range(9))), "drops", "move_fcs"),
    ("no LLC header", PLAIN, unitdata(PLAIN, b"\xff" * 9), "drops", "llc_malformed"),
    ("ciphered, though it is in clear", PLAIN, unitdata(PLAIN, bytes([0x43, 0xC0, 3]) + bytes(40)), "drops", "move_unciphered"),
    ("a Cell Identifier of another cell", PLAIN, unitdata(PLAIN, npdu(PLAIN, 0), OTHER_CELL_ID), "counts", "move_cell_id"),
    ("a Cell Identifier of another area", PLAIN, unitdata(PLAIN, npdu(PLAIN, 0), OTHER_AREA_ID), "counts", "move_policy"),
    ("wrong FCS, ciphered", CIPHERED, unitdata(CIPHERED, bytes([0x43, 0xC0, 3]) + bytes(40)), "drops", "move_fcs"),
    ("in clear", CIPHERED, unitdata(CIPHERED, npdu(CIPHERED, 0)), "drops", "move_unciphered"),
    ("XID", CIPHERED, unitdata(CIPHERED, xid()), "drops", "move_unciphered"),
)


class Elsewhere(test_gone.Nses):
    """Mobile 1 in clear and mobile 2 ciphered, both in NSE 101; NSE 102 sends."""

    def count(self, table, name):
        key = "reason" if table == "drops" else "name"
        return next((row["count"] for row in self.node.show(table) if row[key] == name), 0)

    def sent_by(self, sender, bvci, octets, table, name):
        """Sends a PDU; its counter has moved by one."""
        before = self.count(table, name)
        sender.send_bssgp(bvci, octets)
        self.node.show_until(table, lambda _: self.count(table, name) == before + 1)

    def is_served(self, number, here, other):
        """A packet for a mobile comes to one BSS and not to the other."""
        packet = test_walk.ipv4_packet("192.0.2.99", f"10.45.0.{number}", 100)
        self.ggsn.sendto(test_walk.g_pdu(0x1000 + number, packet), (lab.GN_SGSN, test_walk.GTPU))
        pdu = here.pdus.get(timeout=60)
        self.assertEqual(pdu.tlli, test_gone.tlli(number))
        self.assertTrue(other.pdus.empty())

    def play(self, **more):
        area = ', routeing_areas = { { mcc = "262", mnc = "42", lac = 4660, rac = 5 } } }'
        nses = [test_gone.nse(101, 1800), test_gone.nse(102, 1801)[:-2] + area]
        mobiles = [test_gone.mobile(PLAIN, 101, 1800), ciphered(test_gone.mobile(CIPHERED, 101, 1800))]
        self.serve_nses(nses, mobiles, **more)
        first, second = self.up((101, 1800), (102, 1801))
        self.is_served(PLAIN, first, second)
        self.is_served(CIPHERED, first, second)
        for name, number, octets, table, counter in FRAMES:
            with self.subTest(name):
                self.sent_by(second, second.bvci, octets, table, counter)
                self.is_served(number, first, second)
        for number in (PLAIN, CIPHERED):
            for name, bvci, octets, counter in of_ms(number):
                with self.subTest(name, number=number):
                    if counter:
                        self.sent_by(second, second.bvci if bvci is None else bvci, octets, "counts", counter)
                    else:
                        second.send_bssgp(second.bvci if bvci is None else bvci, octets)
                    self.is_served(number, first, second)
        self.assertEqual([row["bvci"] for row in self.node.show("ms")], [1800, 1800])
        second.send_bssgp(second.bvci, unitdata(PLAIN, npdu(PLAIN, 0)))
        self.node.show_until("ms", lambda rows: [row["bvci"] for row in rows] == [1801, 1800])
        self.is_served(PLAIN, second, first)
        self.is_served(CIPHERED, first, second)
        self.assertEqual(self.balance(*(row[4] for row in FRAMES))["queued"], 0)

    def test_one_worker(self):
        self.play()
        self.assertEqual(self.node.report["mobility"]["frames_refused"], 2)

    def test_two_workers(self):
        self.play(workers=2, gn=node.VETH["gn"] + ",qpairs=2", gb=node.VETH["gb"] + ",qpairs=2")
        self.assertEqual(self.node.report["mobility"]["frames_refused"], 2)


class Cells(test_walk.bss_peer.Peer):
    """A BSS of an NSE's cells; `served`: the BVCI of each DL-UNITDATA."""

    def __init__(self, *place):
        self.served = queue.Queue()
        super().__init__(*place)

    def go_to(self, bvci):
        """What it sends next comes from this cell."""
        self.bvci, self.cell_id = bvci, CELL_ID[:-2] + struct.pack(">H", bvci)

    def bring_up(self):
        self.go_to(self.bvci)
        super().bring_up()
        for bvci in CELLS[self.nsei][1:]:
            self.go_to(bvci)
            self.bring_up_cell()
            self.announce()
        self.go_to(CELLS[self.nsei][0])

    def _sort(self, octets, sender):
        if octets[0] == bssgp.NS_UNITDATA and octets[4] == bssgp.DL_UNITDATA:
            self.served.put(struct.unpack_from(">H", octets, 2)[0])
        super()._sort(octets, sender)


class Behind(test_gone.Nses):
    """What the GGSN sends as soon as it has a mobile's first N-PDU from another cell goes to that cell (TS 23.060 clause 6.9.1.1)."""

    TEXT = test_gone.Nses.TEXT.replace('source = "list"', 'moves = { every = "0 s" }, source = "list"')

    def follow(self, bss, bvci):
        bss.go_to(bvci)
        self.heard(bss, PLAIN)
        self.ggsn.recv(65536)
        packet = test_walk.ipv4_packet("192.0.2.99", f"10.45.0.{PLAIN}", 100)
        self.ggsn.sendto(test_walk.g_pdu(0x1000 + PLAIN, packet), (lab.GN_SGSN, test_walk.GTPU))
        while True:
            for other in self.bsss:
                if not other.served.empty():
                    return other.served.get()
            time.sleep(0.001)

    def play(self, **more):
        """Cells of one NSE and of another, by turns."""
        self.serve_nses([test_gone.nse(nsei, *bvcis) for nsei, bvcis in CELLS.items()], [test_gone.mobile(PLAIN, 101, 1800)], **more)
        self.bsss = self.up(*((nsei, bvcis[0]) for nsei, bvcis in CELLS.items()), kind=Cells)
        ways = [(bss, bvci) for bss in self.bsss for bvci in CELLS[bss.nsei]]
        went = [self.follow(*way) for way in ways * TURNS]
        self.assertEqual(went, [bvci for _, bvci in ways] * TURNS)
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"]["dropped"], 0)

    def test_sleeping(self):
        self.play()

    def test_polling(self):
        self.play(idle="poll")

    def test_two_workers(self):
        self.play(workers=2, gn=node.VETH["gn"] + ",qpairs=2", gb=node.VETH["gb"] + ",qpairs=2")


if __name__ == "__main__":
    unittest.main()
