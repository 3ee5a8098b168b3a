# SPDX-License-Identifier: BSD-3-Clause
"""Two live nodes behind the Gb proxy: cells come up at both, flow control is shared, PDUs of a TLLI go to the node of its NRI."""
import unittest

import lab
import node

import bss_peer
import emulator
import gateway
import pool_lab
import test_walk
import traffic
from gb_oracle import bssgp, gtp

SERVER = "192.0.2.99"
PAGING_PS, SUSPEND, SUSPEND_ACK, RESUME, RESUME_ACK, FLUSH_LL, FLUSH_LL_ACK = 0x06, 0x0B, 0x0C, 0x0E, 0x0F, 0x2A, 0x2B
RADIO_STATUS = 0x0A
TO_FIRST, TO_SECOND = pool_lab.tlli(2), pool_lab.tlli(4)


class Case(unittest.TestCase):
    def setUp(self):
        lab.need(self, lab.missing())
        self.lab = pool_lab.PoolLab()
        self.addCleanup(self.lab.close)
        with self.lab.inside("ggsn"):
            self.ggsn = bss_peer.open_socket(lab.GN_GGSN, test_walk.GTPU)
        self.ggsn.settimeout(60)
        self.addCleanup(self.ggsn.close)

    def proxy_up(self, **changes):
        self.proxy = pool_lab.Proxy(self.lab, **changes)
        self.addCleanup(self.proxy.close)

    def node_up(self, kind, **values):
        running = kind(self.lab, **values)
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running

    def nodes_up(self, bvci=1800, more="", **values):
        """A mobile at each, 10.45.0.1 and 10.45.0.2."""
        self.first = self.node_up(pool_lab.First, mobiles=pool_lab.mobile("node", 1, TO_FIRST, bvci, more), **values)
        self.second = self.node_up(pool_lab.Second, mobiles=pool_lab.mobile("node2", 2, TO_SECOND, bvci, more), **values)
        self.nodes = self.first, self.second

    def bsss_up(self):
        self.one, self.two = (pool_lab.open_bss(self.lab, number) for number in (0, 1))
        for bss in (self.one, self.two):
            self.addCleanup(bss.close)
            bss.bring_up()

    def usable(self, running, wanted=("yes",) * 3):
        return running.show_until("bvc", lambda rows: [row["usable"] for row in rows] == list(wanted))

    def all_up(self, **changes):
        self.proxy_up(**changes)
        self.nodes_up()
        self.bsss_up()
        for running in self.nodes:
            self.usable(running)

    def check_up(self, bss, its_tlli, side, number, seed=1):
        """A packet of a mobile arrives from the node of that side."""
        packet = test_walk.ipv4_packet(f"10.45.0.{number}", SERVER, 400, seed)
        bss.send_packet(packet, its_tlli)
        octets, (sender, _) = self.ggsn.recvfrom(65536)
        message = gtp.decode(octets)
        self.assertEqual((sender, message.kind, message.teid, message.body),
                         (pool_lab.GN[side], gtp.G_PDU, pool_lab.teids(number)[1], packet))

    def down(self, side, number, seed=1):
        packet = test_walk.ipv4_packet(SERVER, f"10.45.0.{number}", 900, seed)
        self.ggsn.sendto(test_walk.g_pdu(pool_lab.teids(number)[0], packet), (pool_lab.GN[side], test_walk.GTPU))
        return packet

    def check_down(self, bss, its_tlli, side, number, seed=1):
        packet = self.down(side, number, seed)
        self.assertEqual(bss.packet(its_tlli), packet)

    def stop(self):
        for running in self.nodes:
            self.assertEqual(running.stop(), 0)
        self.assertEqual(self.proxy.stop(), (0, ""))


class Proxy(Case):
    def test_walk(self):
        """Cells of two BSSs under one NSE at each node, half of each bucket, and packets of both mobiles both ways."""
        self.all_up(ratio=50)
        for running in self.nodes:
            rows = running.show("bvc")
            self.assertEqual([(row["bvci"], row["rate_bps"], row["bucket_octets"]) for row in rows],
                             [(bvci, 40000, 50000) for bvci in pool_lab.PLACES])
        for seed, (its_tlli, side, number) in enumerate(((TO_FIRST, "node", 1), (TO_SECOND, "node2", 2)) * 2):
            self.check_up(self.one, its_tlli, side, number, seed)
            self.check_down(self.one, its_tlli, side, number, seed)
        shown = self.proxy.show()
        self.assertEqual([row["down_pdus"] for row in shown["sgsns"]], [4, 4])
        self.assertEqual(shown["drops"], {})
        self.stop()

    def test_paging(self):
        """A mobile that its BSS has lost is paged once in the BSS of its routeing area, which has two cells; it answers from the other
        cell."""
        self.all_up()
        self.check_up(self.one, TO_SECOND, "node2", 2)
        lost = bssgp.tlv(bssgp.TLLI, TO_SECOND.to_bytes(4, "big")) + bssgp.tlv(0x19, b"\0")
        self.one.send_bssgp(1800, bytes([RADIO_STATUS]) + lost)
        self.second.show_until("counts", lambda rows: any(row["name"] == "radio_status_0" for row in rows))
        packet = self.down("node2", 2)
        self.assertEqual(self.one.bssgp.get(timeout=60).kind, PAGING_PS)
        self.check_up(self.one.at(1801), TO_SECOND, "node2", 2, 2)
        self.assertEqual(self.one.packet(TO_SECOND), packet)
        self.assertEqual(self.one.bssgp.get(timeout=60).kind, FLUSH_LL)  # it has changed its cell
        self.assertEqual((self.one.bssgp.qsize(), self.two.bssgp.qsize(), self.proxy.show()["drops"]), (0, 0, {}))
        self.stop()

    def test_other_bss(self):
        """A mobile goes from a cell of one BSS to one of the other: to the node they are one NSE. The old BSS is told to delete its frames."""
        self.all_up()
        self.check_up(self.one, TO_FIRST, "node", 1)
        self.two.nu = self.one.nu  # the same LLC entity
        self.check_up(self.two, TO_FIRST, "node", 1, 2)
        flush = self.one.bssgp.get(timeout=60)
        self.assertEqual((flush.kind, flush.tlli, flush.number(bssgp.BVCI)), (FLUSH_LL, TO_FIRST, 1800))
        names = bssgp.tlv(bssgp.TLLI, TO_FIRST.to_bytes(4, "big"))
        deleted = bssgp.tlv(0x0C, b"\0") + bssgp.tlv(bssgp.BVCI, b"\x07\x08") + bssgp.tlv(bssgp.OCTETS_AFFECTED, bytes(3))
        self.one.send_bssgp(0, bytes([FLUSH_LL_ACK]) + names + deleted)
        self.check_down(self.two, TO_FIRST, "node", 1)
        self.check_up(self.two, TO_SECOND, "node2", 2, 3)
        self.assertEqual(self.one.bssgp.get(timeout=60).tlli, TO_SECOND)  # it has moved, then
        self.check_down(self.two, TO_SECOND, "node2", 2)
        self.assertEqual(self.proxy.show()["drops"], {})
        self.stop()

    def test_suspended(self):
        """SUSPEND goes to the node of the TLLI, its answer to the BSS; no packet leaves until RESUME."""
        self.all_up()
        names, area = bssgp.tlv(bssgp.TLLI, TO_SECOND.to_bytes(4, "big")), bssgp.tlv(0x1B, self.one.cell_id[:6])
        answer = self.one.bvc_ask(bytes([SUSPEND]) + names + area, SUSPEND_ACK)
        self.second.show_until("ms", lambda rows: rows[0]["state"] == "suspended")
        packet = self.down("node2", 2)
        self.check_down(self.one, TO_FIRST, "node", 1)
        self.one.bvc_ask(bytes([RESUME]) + names + area + bssgp.tlv(0x1D, answer.elements[0x1D]), RESUME_ACK)
        self.assertEqual(self.one.packet(TO_SECOND), packet)
        self.stop()

    def test_emulated_bss(self):
        """`gbflow emulate` is the BSS, the kernel of its mobile pings the server behind Gn; the other node has the cell, too."""
        lab.need(self, gateway.missing())
        self.lab.add("ms")
        self.ggsn.close()
        far = gateway.Gateway(self.lab, {node.ADDRESS: pool_lab.teids(1)})
        self.addCleanup(far.close)
        self.proxy_up()
        self.nodes_up()
        text = emulator.TEXT.replace("198.51.100.2", pool_lab.BSS_ADDRESSES[0]).replace("198.51.100.1", pool_lab.PROXY_BSS[0])
        bss = emulator.Emulator(self.lab, text.replace("0xC0000001", str(TO_FIRST)))
        self.addCleanup(bss.kill)
        bss.wait_for("cell 1800 is up")
        for running in self.nodes:
            self.usable(running, ("yes", "no", "no"))
        for octets in (0, 56, 1400):
            traffic.ping(self.lab, "ms", node.ADDRESS, gateway.ADDRESS, octets)
        self.assertEqual(bss.stop(), 0)
        self.stop()
        self.assertEqual((bss.report["mobiles"][0]["down_npdus"], bss.report["mobiles"][0]["bad_frames"]), (3, 0))


class Faults(Case):
    def end_of_first(self):
        """A node is gone without a word, and the proxy finds out."""
        self.first.process.kill()
        self.first.process.wait(60)
        self.first.process.stdout.close()
        self.first.reader.join(60)
        self.first.process.stderr.close()
        self.proxy.show_until(lambda shown: [row["is_up"] for row in shown["sgsns"]] == [False, True])

    def start_again(self, running):
        running.start()
        running.wait_for("running", start=len(running.lines))

    def test_restart_of_a_node(self):
        """Meanwhile PDUs of its NRIs are dropped and those of the other node are not; it has all cells again, and the other one hears of no
        reset."""
        self.all_up()
        seen = len(self.second.lines)
        self.end_of_first()
        self.one.send_packet(test_walk.ipv4_packet("10.45.0.1", SERVER, 100), TO_FIRST)
        self.check_up(self.one, TO_SECOND, "node2", 2)
        self.check_down(self.one, TO_SECOND, "node2", 2)
        self.assertEqual(self.proxy.show()["drops"], {"sgsn_down": 1})
        self.start_again(self.first)
        self.usable(self.first)
        self.check_up(self.one, TO_FIRST, "node", 1, 2)
        self.check_down(self.one, TO_FIRST, "node", 1)
        self.assertFalse([line for line in self.second.lines[seen:] if "reset by the BSS" in line])
        self.stop()

    def test_moved_nris(self):
        """The operator gives the NRIs of a dead node to the other one, which does not know these mobiles but hears them."""
        self.all_up()
        self.end_of_first()
        self.proxy.tell("nri del 201 1 3")
        self.proxy.tell("nri add 202 1 3")
        self.one.send_packet(test_walk.ipv4_packet("10.45.0.1", SERVER, 100), TO_FIRST)
        self.proxy.show_until(lambda shown: shown["sgsns"][1]["up_pdus"] == 1)
        self.check_up(self.one, TO_SECOND, "node2", 2)
        self.assertEqual(self.proxy.show()["drops"], {})
        self.nodes = (self.second,)
        self.stop()

    def announce_all(self):
        """The first FLOW-CONTROL-BVCs may have come before the nodes' answers to resets."""
        self.proxy.show_until(lambda shown: all(set(row["cells"].values()) == {"unblocked"} for row in shown["sgsns"]))
        for bss in (self.one, self.two):
            bss.announce_all()
        for running in self.nodes:
            self.usable(running)

    def test_forgetful(self):
        """The proxy forgets the cells of a node that was away: the node resets them, hears that they are unknown, resets the signalling BVC
        once, and the BSSs reset all cells at both nodes."""
        self.proxy_up(forgets=True)
        self.nodes_up(nse_more=', bvc_reset_after = "2 s", bvc_reset = "signalling"')
        self.bsss_up()
        self.announce_all()
        self.end_of_first()
        self.start_again(self.first)
        for bss in (self.one, self.two):
            reset = bss.take(bss.bssgp, lambda answer: answer.kind == bssgp.BVC_RESET)
            self.assertEqual(reset.number(bssgp.BVCI), 0)
        self.check_up(self.one, TO_SECOND, "node2", 2)
        for bss in (self.one, self.two):
            bss.bring_up_cells()
        self.announce_all()
        self.check_down(self.one, TO_FIRST, "node", 1)
        self.check_down(self.one, TO_SECOND, "node2", 2)
        self.assertEqual(list(self.proxy.show()["counts"]), ["signalling_resets_of_sgsns"])  # again, where its answer is late
        self.stop()

    def test_restart_of_the_proxy(self):
        """NS and all cells come up anew; the nodes keep their mobiles."""
        self.all_up()
        self.assertEqual(self.proxy.stop(), (0, ""))
        self.proxy.start()
        for bss in (self.one, self.two):
            bss.bring_up()
        for running in self.nodes:
            self.usable(running)
        self.check_down(self.one, TO_FIRST, "node", 1)
        self.check_up(self.one, TO_SECOND, "node2", 2)
        self.stop()


if __name__ == "__main__":
    unittest.main()
