# SPDX-License-Identifier: BSD-3-Clause
"""SIGHUP under traffic: NSEs and cells come and go, limits change, and other users' packets do not notice."""
import struct
import threading
import time
import unittest

import lab
import node
import sns_peer
import test_reload
import test_walk

from gb_oracle import bssgp, llc, sndcp

NS_BLOCK, PAGING_PS, IMSI = 4, 6, 0x0D
CELL = """{{ bvci = {0}, cell_id = {{ mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = {0} }} }}"""
WAYS = {"nsvcs": 'nsvcs = {{ {{ nsvci = {0}, address = "198.51.100.2", udp_port = {1} }} }}',
        "sns": 'sns = {{ address = "198.51.100.2", udp_port = {1}, max_nsvcs = 4 }}'}


def nse(nsei, *bvcis, port=None, way="nsvcs", worker=None):
    more = "" if worker is None else f", worker = {worker}"
    cells = ", ".join(CELL.format(bvci) for bvci in bvcis)
    return f"{{ nsei = {nsei}{more}, {WAYS[way].format(nsei, port or 22900 + nsei)}, cells = {{ {cells} }} }}"


def mobile(number, nsei, bvci):
    return node.MOBILE.replace("262420000000001", f"26242000000000{number}").replace("0xC0000001", f"0xC000000{number}").replace(
        "0x1001", f"0x100{number}").replace("0x2001", f"0x200{number}").replace("10.45.0.1", f"10.45.0.{number}").replace(
        "bvci = 1800", f"nsei = {nsei}, bvci = {bvci}")


def tlli(number):
    return 0xC0000000 + number


class Flow(threading.Thread):
    """Packets for some mobiles, one every 2 ms, until it is stopped. `sent`: by the mobile's number."""

    def __init__(self, sock, numbers):
        super().__init__(daemon=True)
        self.sock, self.sent, self.is_on = sock, {number: [] for number in numbers}, True
        self.numbers = set(numbers)
        self.start()

    def send(self, number):
        packet = test_walk.ipv4_packet("192.0.2.99", f"10.45.0.{number}", 200, len(self.sent[number]))
        self.sent[number].append(packet)
        self.sock.sendto(test_walk.g_pdu(0x1000 + number, packet), (lab.GN_SGSN, test_walk.GTPU))

    def run(self):
        while self.is_on:
            for number in sorted(self.numbers):
                self.send(number)
                time.sleep(0.002)

    def stop(self):
        self.is_on = False
        self.join(5)


class Nses(test_walk.Case):
    """A node of some NSEs, a BSS for each."""

    def setUp(self):
        super().setUp()
        self.lists, self.uplink = {}, {}

    TEXT = node.TEXT[:node.TEXT.index("  nses = {")] + "  nses = { %(nses)s },\n" + node.TEXT[node.TEXT.index("  mobiles ="):]

    def serve_nses(self, nses, mobiles, **more):
        self.serve(text=self.TEXT, nses=", ".join(nses), mobiles=", ".join(mobiles), **more)
        with self.lab.inside("ggsn"):
            self.ggsn = test_walk.bss_peer.open_socket(lab.GN_GGSN, test_walk.GTPU)
        self.addCleanup(self.ggsn.close)

    def peer(self, nsei, bvci, kind=test_walk.bss_peer.Peer):
        with self.lab.inside("bss"):
            peer = kind(test_walk.bss_peer.open_socket(lab.GB_BSS, 22900 + nsei), (lab.GB_SGSN, 23000), nsei, nsei, bvci)
        self.addCleanup(peer.close)
        return peer

    def up(self, *places, kind=test_walk.bss_peer.Peer):
        """A BSS for each NSEI and BVCI, up and fast."""
        peers = [self.peer(*place, kind) for place in places]
        for peer in peers:
            peer.bring_up()
            peer.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)
        return peers

    def reload(self, pattern, nses, mobiles, **more):
        return test_reload.reload(self.node, pattern, text=self.TEXT, nses=", ".join(nses), mobiles=", ".join(mobiles), **more)

    def heard(self, peer, number):
        """An LLC frame of a mobile in a BSS's cell; the GGSN has its packet."""
        peer.nu = peer.npdu = self.uplink.get(number, 0)  # the mobile's, wherever it is
        peer.send_packet(test_walk.ipv4_packet(f"10.45.0.{number}", "192.0.2.99", 60), tlli(number))
        self.uplink[number] = peer.nu

    def got(self, *peers):
        """What BSSs have had for each mobile so far."""
        for peer in peers:
            while not peer.pdus.empty():
                pdu = peer.pdus.get()
                frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
                self.assertTrue(frame.fcs_good)
                self.lists.setdefault(pdu.tlli & 0xFF, []).append(sndcp.decode(frame.info).data)
        return self.lists

    def settle(self, flow, peers, numbers):
        """Stops it; BSSs have all packets of these mobiles, in order, each once. Fails 60 s after the last packet."""
        flow.stop()
        end, had = time.monotonic() + 60, -1
        while time.monotonic() < end and any(len(self.got(*peers).get(number, [])) < len(flow.sent[number]) for number in numbers):
            count = sum(map(len, self.lists.values()))
            end, had = (end, had) if count == had else (time.monotonic() + 60, count)
            time.sleep(0.05)
        for number in numbers:
            self.assertEqual(len(self.lists[number]), len(flow.sent[number]), number)
            self.assertEqual(self.lists[number], flow.sent[number], number)
        self.lists = {}

    def balance(self, *reasons):
        """Nothing is lost but for these reasons, and no order was refused."""
        self.assertEqual(self.node.stop(), 0)
        npdu = self.node.report["npdu"]
        self.assertEqual(npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"])
        drops = {reason for reason, count in self.node.report["drops"].items() if count}
        self.assertEqual(drops - set(reasons), set(), self.node.report["drops"])
        return npdu


class Gone(Nses):
    """NSEs and cells that come and go, and limits that change, under traffic."""

    def check_first_nse_goes(self, **more):
        nses, mobiles = [nse(101, 1800), nse(102, 1801)], [mobile(1, 101, 1800), mobile(2, 102, 1801), mobile(3, 102, 1801)]
        self.serve_nses(nses, mobiles, **more)
        first, second = self.up((101, 1800), (102, 1801))
        self.heard(first, 3)
        self.node.show_until("ms", lambda rows: [row["bvci"] for row in rows] == [1800, 1801, 1800])
        flow = Flow(self.ggsn, (1, 2, 3))
        self.addCleanup(flow.stop)
        time.sleep(0.3)
        flow.numbers.discard(1)
        time.sleep(0.1)
        self.reload("1 mobile removed, 1 NSE removed; nothing else changed", nses[1:], mobiles[1:])
        blocked = first.take(first.ns, lambda octets: octets[0] == NS_BLOCK)
        self.assertEqual(blocked[1:], bytes.fromhex("00810101820065"))
        paged = second.take(second.bssgp, lambda pdu: pdu.kind == PAGING_PS)
        self.assertEqual(paged.elements[IMSI][-1] >> 4, 3)
        self.assertEqual([row["bvci"] for row in self.node.show("bvc")], [1801])
        self.got(first, second)
        had = len(self.lists[3])
        self.heard(first, 3)  # a BSS that does not listen
        time.sleep(0.3)
        self.assertEqual(len(self.got(first, second)[3]), had)
        self.heard(second, 3)
        time.sleep(0.3)
        self.settle(flow, (first, second), (1, 2, 3))
        self.reload("1 NSE added", [nse(103, 1803)] + nses[1:], mobiles[1:] + [mobile(4, 103, 1803)])
        third, = self.up((103, 1803))
        flow = Flow(self.ggsn, (2, 3, 4))
        self.addCleanup(flow.stop)
        time.sleep(0.3)
        self.settle(flow, (second, third), (2, 3, 4))
        self.assertEqual(self.balance()["queued"], 0)

    def test_the_first_nse_goes(self):
        """Its BSS is told; the other's packets do not notice; who roamed into it waits, is paged, and has all when heard."""
        self.check_first_nse_goes()

    def test_with_two_workers(self):
        """Who waits waits at the worker of the cell where it is looked for."""
        self.check_first_nse_goes(workers=2, gn=node.VETH["gn"] + ",qpairs=2", gb=node.VETH["gb"] + ",qpairs=2")

    def bring_up_cell(self, peer, bvci):
        peer.bvci, peer.cell_id = bvci, bytes.fromhex("62f224123405") + struct.pack(">H", bvci)
        names = bssgp.tlv(bssgp.BVCI, struct.pack(">H", bvci))
        reset = bytes([bssgp.BVC_RESET]) + names + bssgp.tlv(7, b"\x08") + bssgp.tlv(8, peer.cell_id)
        peer.bvc_ask(reset, bssgp.BVC_RESET_ACK)
        peer.bvc_ask(bytes([bssgp.BVC_UNBLOCK]) + names, bssgp.BVC_UNBLOCK_ACK)
        peer.announce(bucket_octets=6000000, rate_bps=6000000, tag=bvci & 0xFF)

    def test_cells_come_and_go(self):
        """The BSS hears that it is unknown; who is in it waits for another cell; its neighbours do not notice."""
        mobiles = [mobile(1, 101, 1800), mobile(2, 101, 1800), mobile(3, 101, 1801)]
        self.serve_nses([nse(101, 1800, 1801)], mobiles)
        bss, = self.up((101, 1800))
        self.bring_up_cell(bss, 1801)
        flow = Flow(self.ggsn, (1, 2))
        self.addCleanup(flow.stop)
        self.heard(bss, 2)
        self.node.show_until("ms", lambda rows: [row["bvci"] for row in rows] == [1800, 1801, 1801])
        self.reload("1 cell removed; nothing else changed", [nse(101, 1800)], mobiles[:2])
        status = bss.take(bss.bssgp, lambda pdu: pdu.kind == bssgp.STATUS)
        self.assertEqual((status.elements[7], status.elements[bssgp.BVCI]), (b"\x05", struct.pack(">H", 1801)))
        bss.take(bss.bssgp, lambda pdu: pdu.kind == PAGING_PS)
        had = len(self.got(bss)[2])
        self.heard(bss, 2)  # still where nobody serves it
        time.sleep(0.3)
        self.assertEqual(len(self.got(bss)[2]), had)
        self.reload("1 mobile added, 1 cell added; nothing else changed", [nse(101, 1802, 1800)], mobiles[:2] + [mobile(4, 101, 1802)])
        self.bring_up_cell(bss, 1802)
        self.heard(bss, 2)
        self.node.show_until("ms", lambda rows: [row["bvci"] for row in rows] == [1800, 1802, 1802])
        flow.sent[4] = []
        flow.numbers.add(4)
        time.sleep(0.3)
        self.settle(flow, (bss,), (1, 2, 4))
        self.assertEqual(self.balance()["queued"], 0)

    def test_an_nse_with_ip_sns_goes(self):
        nses, mobiles = [nse(103, 1803, way="sns"), nse(102, 1801)], [mobile(1, 103, 1803), mobile(2, 102, 1801)]
        self.serve_nses(nses, mobiles)
        second, = self.up((102, 1801))
        first, = self.up((103, 1803), kind=sns_peer.Peer)
        flow = Flow(self.ggsn, (1, 2))
        self.addCleanup(flow.stop)
        time.sleep(0.2)
        flow.numbers.discard(1)
        time.sleep(0.1)
        self.reload("1 NSE removed; nothing else changed", nses[1:], mobiles[1:])
        told = first.take(first.ns, lambda octets: octets[0] == sns_peer.SNS_DELETE)
        self.assertEqual(told[1:5] + told[6:8], bytes.fromhex("04820067") + bytes([5, 0x88]))
        self.reload("1 NSE added; nothing else changed", nses, mobiles)
        first.bring_up()
        first.announce(bucket_octets=6000000, rate_bps=6000000, tag=3)
        flow.numbers.add(1)
        time.sleep(0.2)
        self.settle(flow, (first, second), (1, 2))
        self.assertEqual(self.balance()["queued"], 0)

    def test_places_are_used_again(self):
        """More rounds than there are places to spare; both ways, and an NSE in place of another with the same way."""
        stays, mobiles = nse(102, 1801), [mobile(1, 102, 1801)]
        self.serve_nses([stays], mobiles)
        bss, = self.up((102, 1801))
        flow = Flow(self.ggsn, (1,))
        self.addCleanup(flow.stop)
        for i in range(60):
            self.heard(bss, 1)  # or it is in standby once the ready timer has expired
            way = "sns" if i % 3 == 0 else "nsvcs"
            self.reload("1 NSE added", [nse(200 + i, 3000 + i, 4000 + i, port=23500, way=way), stays],
                        mobiles + [mobile(2, 200 + i, 3000 + i)])
        self.reload("1 NSE removed", [stays], mobiles)
        for i in range(100):
            self.heard(bss, 1)
            self.reload("1 cell added", [nse(102, 5000 + i, 1801)], mobiles + [mobile(2, 102, 5000 + i)])
        self.heard(bss, 1)
        self.settle(flow, (bss,), (1,))
        self.assertEqual([(row["nsei"], row["bvci"]) for row in self.node.show("bvc")], [(102, 1801), (102, 5099)])
        self.assertEqual(self.balance()["queued"], 0)

    def are_dropped_for(self, reason):
        """Soon packets are dropped for this reason alone, None: for none."""
        end, before = time.monotonic() + 60, None
        while True:
            after = {row["reason"]: row["count"] for row in self.node.show("drops")}
            if before is not None and {name for name in after if after[name] > before.get(name, 0)} == {reason} - {None}:
                break
            self.assertLess(time.monotonic(), end, (reason, before, after))
            before = after
            time.sleep(0.3)

    def test_limits(self):
        """A queue's limit falls and rises while packets come; what is too much is dropped for that reason alone."""
        self.serve_nses([nse(102, 1801)], [mobile(1, 102, 1801)])
        bss = self.peer(102, 1801)
        bss.bring_up()
        bss.announce(bucket_octets=1000, rate_bps=40000, tag=2)
        flow = Flow(self.ggsn, (1,))
        self.addCleanup(flow.stop)
        time.sleep(0.3)
        limits = ', queues = { mobile = { octets = "%s", packets = %d }, weights = { background = 9 }, budget_packets = %d }'
        for octets, packets, budget, reason in (("4 kB", 65535, 1000, "queue_full"), ("1 MB", 10, 1000, "queue_full"),
                                                ("1 MB", 65535, 12, "budget"), ("1 MB", 65535, 1000, None)):
            self.reload(r"\d keys? changed; nothing else changed", [nse(102, 1801)], [mobile(1, 102, 1801)], more=limits % (octets, packets, budget))
            self.are_dropped_for(reason)
        self.reload(r"\d keys? changed; nothing else changed", [nse(102, 1801)], [mobile(1, 102, 1801)],
                    more=(limits % ("1 MB", 65535, 1000)) + ', lifetime = { mode = "sgsn_only", sgsn_max = "200 ms" }')
        flow.stop()
        self.are_dropped_for(None)
        self.assertEqual(self.balance("queue_full", "budget", "lifetime")["queued"], 0)


if __name__ == "__main__":
    unittest.main()
