# SPDX-License-Identifier: BSD-3-Clause
"""A live node whose peers change, or that is killed and starts again: packets flow again."""
import os
import signal
import socket
import time
import unittest

import flood
import lab
import node
import test_walk

NS_STATUS = 8


class Faults(test_walk.Case):
    def start(self, **values):
        self.serve(**values)
        self.open_ends()
        self.bss.bring_up()
        self.check_down(300)

    def test_neighbours_with_other_addresses(self):
        self.start()
        for side, interface, new in (("bss", "gb1", "02:00:00:00:77:01"), ("ggsn", "gn1", "02:00:00:00:77:02")):
            name = self.lab.names[side]
            self.lab.ip(name, "link", "set", interface, "address", new)
            self.lab.ip(name, "neigh", "flush", "all")
        self.bss.send(bytes([10]))  # NS-ALIVE: the kernel asks for us, and so tells its new address
        self.check_down(300, seed=2)  # as the GGSN's kernel does with this one
        self.check_up(300, seed=3)
        addresses = {row["mac"] for row in self.node.show("neighbours")}
        self.assertEqual(addresses, {"02:00:00:00:77:01", "02:00:00:00:77:02"})
        self.assertEqual(self.node.stop(), 0)

    def test_a_node_that_was_killed(self):
        self.start()
        self.node.process.send_signal(signal.SIGKILL)
        self.node.process.wait(60)
        self.serve()
        while not self.bss.ns.empty():
            self.bss.ns.get()
        began = time.monotonic()
        self.bss.ns_ask(bytes([10]), NS_STATUS)  # "NS-VC unknown": the BSS begins anew
        self.bss.bring_up()
        self.check_down(300, seed=2)
        took_s = time.monotonic() - began
        print(f"user data {took_s:.3f} s after the first NS PDU", flush=True)
        self.assertEqual(self.node.stop(), 0)

    def test_a_router_between(self):
        """The BSS and the GGSN stand behind routers whose MAC addresses are given."""
        self.serve(gn_more=', neighbours = { { address = "192.0.2.254", mac = "02:00:00:00:77:03" } }, '
                           'routes = { { to = "192.0.2.0/30", via = "192.0.2.254" } }')
        self.lab.ip(self.lab.names["ggsn"], "link", "set", "gn1", "address", "02:00:00:00:77:03")
        self.open_ends()
        self.bss.bring_up()
        self.check_up(300)
        self.assertEqual([row["state"] for row in self.node.show("neighbours") if row["side"] == "gn"], ["static"])
        self.assertEqual(self.node.stop(), 0)

    def test_a_ggsn_that_is_not_there(self):
        self.serve(mobiles=node.MOBILE.replace('"192.0.2.2"', '"192.0.2.77"'))
        self.open_ends()
        self.bss.bring_up()
        for seed in range(3):
            self.bss.send_packet(test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 100, seed), node.TLLI)
        self.node.show_until("drops", lambda rows: any(row["reason"] == "no_next_hop" and row["count"] == 3 for row in rows))
        self.lab.ip(self.lab.names["ggsn"], "address", "add", "192.0.2.77/24", "dev", "gn1")
        self.node.show_until("neighbours", lambda rows: any(row["state"] == "known" and row["side"] == "gn" for row in rows))
        with self.lab.inside("ggsn"):
            late = test_walk.bss_peer.open_socket("192.0.2.77", test_walk.GTPU)
        self.addCleanup(late.close)
        late.settimeout(60)
        self.bss.send_packet(test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 100, 9), node.TLLI)
        self.assertEqual(late.recv(2000)[8:], test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 100, 9))
        self.assertEqual(self.node.stop(), 0)

    def test_the_first_question_of_a_host(self):
        """Is answered, of GTP-U and of GTP-C: nothing is lost while the next hop is looked for."""
        self.start()
        for number, port in enumerate((test_walk.GTPU, 2123), 88):
            address = f"192.0.2.{number}"
            self.lab.ip(self.lab.names["ggsn"], "address", "add", address + "/24", "dev", "gn1")
            with self.lab.inside("ggsn"):
                sock = test_walk.bss_peer.open_socket(address, port)
            self.addCleanup(sock.close)
            sock.settimeout(60)
            sock.sendto(bytes([0x32, 1, 0, 4, 0, 0, 0, 0, 0, number, 0, 0]), (lab.GN_SGSN, port))
            self.assertEqual(sock.recv(2000)[1], 2)
        self.assertEqual(self.node.stop(), 0)

    def test_frames_to_others(self):
        """As a mirror port has them: N-PDUs to another host's MAC address, and to all hosts', reach no phone."""
        self.start()
        down = flood.frame(flood.GN_GGSN, flood.GN_SGSN, test_walk.g_pdu(node.TEID, test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, 100, 5)))
        up = flood.uplink(test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 100, 5), 400)
        for side, interface, frame in (("ggsn", "gn1", down), ("bss", "gb1", up)):
            with self.lab.inside(side), socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
                raw.bind((interface, 0))
                for mac in (b"\2\0\0\0\x77\1", b"\xff" * 6):
                    raw.send(mac + bytes.fromhex(frame)[6:])
        self.node.show_until("drops", lambda rows: [row["count"] for row in rows if row["reason"] == "other_mac"] == [2, 2])
        self.check_down(300, seed=2)
        self.check_up(300, seed=3)
        self.assertEqual(self.node.stop(), 0)

    def test_a_flood_of_nonsense(self):
        """Frames of other kinds and forged ARP requests: counted, and nothing else happens."""
        self.start()
        with self.lab.inside("bss"), socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
            raw.bind(("gb1", 0))
            head = b"\xff" * 6 + b"\2\0\0\0\x77\1"
            for i in range(5000):
                kind = (b"\x08\x06", b"\x86\xdd", b"\x88\xcc", b"\x08\x00")[i % 4]
                raw.send(head + kind + os.urandom(60))
        self.check_down(300, seed=2)
        self.assertLess(len(self.node.lines), 60)
        self.assertEqual([row["state"] for row in self.node.show("nse")], ["unblocked"])
        self.assertEqual(self.node.stop(), 0)
        self.assertGreaterEqual(self.node.report["gb_frames"]["received"], 1000)


if __name__ == "__main__":
    unittest.main()
