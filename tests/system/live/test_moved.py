# SPDX-License-Identifier: BSD-3-Clause
"""A phone that has moved in STANDBY without a word, and hears its new cell alone, is told of its context's end there, after a page."""
import struct
import time
import unittest

import phone_peer
import strict_ggsn
import test_gone
import test_paging
import test_phones
import test_strict_ggsn
import test_walk

FIRST, SECOND = (101, 1800), (102, 1801)
ROUTEING_AREA = 0x1B
QUIET_S = 0.5


class Cell(test_walk.bss_peer.Peer):
    def __init__(self, sock, node, nsei, nsvci, bvci):
        super().__init__(sock, node, nsei, nsvci, bvci)
        self.cell_id = self.cell_id[:-2] + struct.pack(">H", bvci)


class Moved(test_gone.Nses):
    TEXT = test_gone.Nses.TEXT.replace('source = "list"', 'ready_timer = "6 s", source = "list"')

    def begin(self):
        self.far = strict_ggsn.StrictGgsn(self.lab)
        self.addCleanup(self.far.stop)
        self.serve(text=self.TEXT, nses=", ".join(test_gone.nse(*place) for place in (FIRST, SECOND)), mobiles="",
                   gn_more=test_strict_ggsn.GN + test_strict_ggsn.ALLOWED, more=test_phones.PHONES % 'policy = "accept_all"')
        self.first, self.second = self.up(FIRST, SECOND, kind=Cell)
        self.phone = phone_peer.Phone(self.first, test_phones.IMSI)
        self.phone.attach_fully()
        self.phone.activate()
        self.node.wait_for_standby()
        self.phone.peer = self.second

    def is_told(self, cause):
        """The page goes to both cells of the routeing area; its answer from the second one brings the message, there alone."""
        for cell in (self.first, self.second):
            page = cell.bssgp.get(timeout=60)
            self.assertEqual((page.kind, page.elements[ROUTEING_AREA]), (test_paging.PAGING_PS, phone_peer.RAI))
        time.sleep(QUIET_S)
        self.assertTrue(self.first.pdus.empty() and self.second.pdus.empty())
        self.phone.send_frame(phone_peer.GMM_SAPI, b"")
        self.assertEqual(self.phone.expect(phone_peer.SM, test_strict_ggsn.DEACTIVATE)[2], cause)
        self.phone.send(bytes([phone_peer.SM, test_strict_ggsn.DEACTIVATE_ACCEPT]))
        self.phone.activate()
        self.assertEqual([row["bvci"] for row in self.node.show("ms")], [SECOND[1]])
        self.assertTrue(self.first.pdus.empty())
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.far.missing, [])

    def test_deleted_by_the_ggsn(self):
        self.begin()
        self.far.delete()
        self.is_told(test_strict_ggsn.REGULAR)

    def test_error_indication(self):
        """The GGSN has forgotten the context, and says so when it is asked."""
        self.begin()
        teid = self.far.contexts.pop().user_teid
        body = strict_ggsn.tv(16, struct.pack(">I", teid)) + strict_ggsn.tlv(133, strict_ggsn.address(strict_ggsn.USER))
        head = struct.pack(">BBHIHBB", 0x32, strict_ggsn.ERROR_INDICATION, 4 + len(body), 0, 0, 0, 0)
        self.far.user.sendto(head + body, (test_gone.lab.GN_SGSN, strict_ggsn.GTPU))
        self.is_told(test_strict_ggsn.REACTIVATE)


if __name__ == "__main__":
    unittest.main()
