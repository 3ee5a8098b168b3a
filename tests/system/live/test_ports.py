# SPDX-License-Identifier: BSD-3-Clause
"""Virtual ports that people measure with, of every kind that docs/serve.md lists: all N-PDUs are counted in both directions,
and again after the other end of the port has ended and come back."""
import contextlib
import os
import socket
import struct
import tempfile
import unittest

import lab
import node

import bridge
import bss_peer
import test_walk
from gb_oracle import gtp

BURST, SOURCES, SOURCE_PORT = 16, 16, 40000
SERVER = "192.0.2.99"
# A second BSS on a port of its own, which the second of two workers serves.
SECOND = """{ nsei = 102, nsvcs = { { nsvci = 102, address = "198.51.100.2", udp_port = 23001 } },
    cells = { { bvci = 1801, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 2 } } } }"""
SECOND_MOBILE = """{ imsi = "262420000000002", tlli = 0xC0000002, nsei = 102, bvci = 1801, contexts = { { nsapi = 5, teid = 0x1002,
    sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2", ggsn_teid = 0x2002, address = "10.45.0.2" } } }"""
TEXT = node.TEXT.replace("%(cell_more)s } } } },", "%(cell_more)s } } }, " + SECOND + " },")
MOBILES = node.MOBILE + ", " + SECOND_MOBILE
PLACES = ((101, 1800, 1, 23000), (102, 1801, 2, 23001))  # NSEI and NS-VCI, BVCI, CI, UDP port


class Case(test_walk.Case):
    """A node between the lab's kernels; `sent` counts N-PDUs down and up, `workers` are those of the node."""

    workers, ggsn_side, bss_side = 1, "ggsn", "bss"

    def setUp(self):
        super().setUp()
        self.sent, self.seed = {"down": 0, "up": 0}, 0

    def begin(self, **ports):
        """Starts the node, which may wait for its peer."""
        self.node = node.Node(self.lab, text=TEXT, workers=self.workers, mobiles=MOBILES, **ports)
        self.addCleanup(self.node.kill)

    def open_far_ends(self):
        """Both BSSs, and GGSNs on sockets of many ports, which queues are chosen by."""
        self.bsss, self.sources = [], []
        with self.lab.inside(self.bss_side):
            for nsei, bvci, ci, port in PLACES:
                peer = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS, port), (lab.GB_SGSN, 23000), nsei, nsei, bvci)
                peer.cell_id = bss_peer.CELL_ID[:6] + struct.pack(">H", ci)
                self.addCleanup(peer.close)
                self.bsss.append(peer)
        with self.lab.inside(self.ggsn_side):
            for number in range(SOURCES):
                self.sources.append(bss_peer.open_socket(lab.GN_GGSN, SOURCE_PORT + number))
            self.ggsn = bss_peer.open_socket(lab.GN_GGSN, test_walk.GTPU)
        for sock in (*self.sources, self.ggsn):
            sock.settimeout(bss_peer.TIMEOUT_S)
            self.addCleanup(sock.close)

    def bring_up(self):
        for peer in self.bsss:
            peer.bring_up()

    def packets(self, count, source, target):
        for _ in range(count):
            self.seed += 1
            yield test_walk.ipv4_packet(source, target, 40 + self.seed * 97 % 1400, self.seed)

    def pass_down(self, mobile, count=BURST):
        """N-PDUs for a mobile, all of which arrive. Those of several queues may overtake each other."""
        sent = list(self.packets(count, SERVER, f"10.45.0.{mobile + 1}"))
        for number, packet in enumerate(sent):
            self.sources[number % SOURCES].sendto(test_walk.g_pdu(node.TEID + mobile, packet), (lab.GN_SGSN, test_walk.GTPU))
        self.sent["down"] += count
        got = [self.bsss[mobile].packet(node.TLLI + mobile) for _ in sent]
        self.assertEqual(sorted(got), sorted(sent))

    def pass_up(self, mobile, count=BURST):
        sent = list(self.packets(count, f"10.45.0.{mobile + 1}", SERVER))
        for packet in sent:
            self.bsss[mobile].send_packet(packet, node.TLLI + mobile)
        self.sent["up"] += count
        got = [gtp.decode(self.ggsn.recv(65536)) for _ in sent]
        self.assertEqual([(each.teid, each.body) for each in got], [(node.GGSN_TEID + mobile, packet) for packet in sent])

    def pass_both(self):
        for mobile in range(len(PLACES)):
            for _ in range(2):
                self.pass_down(mobile)
                self.pass_up(mobile)

    def await_answers(self):
        """Until the node answers pings through both ports: what is sent from then on arrives."""
        for seq, (side, address) in enumerate(((self.ggsn_side, lab.GN_SGSN), (self.bss_side, lab.GB_SGSN))):
            for attempt in range(bss_peer.TIMEOUT_S):
                with contextlib.suppress(TimeoutError):
                    self.ping(side, address, 100 * seq + attempt)
                    break
            else:
                self.fail(f"no answer of {address} through its port\n" + "\n".join(self.node.lines[-20:]))

    def check_counts(self):
        """The node has counted what was sent, frame by frame; with two workers, both have worked."""
        rows = self.node.show("workers")
        self.assertEqual(self.node.stop(), 0)
        report = self.node.report
        self.assertEqual(report["npdu"], {"in": self.sent["down"], "out": self.sent["down"], "dropped": 0, "queued": 0})
        self.assertEqual(report["uplink_npdus"], self.sent["up"])
        gn = report["gn_frames"]
        self.assertEqual(gn["received"], report["npdu"]["in"] + sum(gn["drops"].values()) + sum(gn["handled"].values()))
        for name in ("npdu_in", "npdu_out"):
            self.assertEqual(sum(row[name] for row in rows), self.sent["down"])
        for row in rows:
            self.assertGreater(min(row["gn_frames"], row["npdu_out"], row["uplink_npdus"]), 0, rows)


class Sockets(Case):
    """Ports whose peer is another process at a Unix socket: dpdk-testpmd, which passes frames to the lab's interfaces."""

    # By kind: the node's device and the peer's, whether the peer starts first, and whether the node's port takes a peer again.
    kinds = {
        "vhost": ("net_vhost%d,iface=%s,queues=%d", "net_virtio_user%d,path=%s,queues=%d", False, True),
        "vhost_client": ("net_vhost%d,iface=%s,client=1,queues=%d", "net_virtio_user%d,path=%s,server=1,queues=%d", True, True),
        "virtio_user": ("net_virtio_user%d,path=%s,queues=%d", "net_vhost%d,iface=%s,queues=%d", True, False),
        "virtio_user_server": ("net_virtio_user%d,path=%s,server=1,queues=%d", "net_vhost%d,iface=%s,client=1,queues=%d", False, True),
        "memif": ("net_memif%d,role=server,socket-abstract=no,socket=%s,rsize=9,bsize=4096",
                  "net_memif%d,role=client,socket-abstract=no,socket=%s,rsize=9,bsize=4096", False, True),
        "memif_client": ("net_memif%d,role=client,socket-abstract=no,socket=%s", "net_memif%d,role=server,socket-abstract=no,socket=%s",
                         True, False),
    }

    def setUp(self):
        super().setUp()
        lab.need(self, bridge.missing())
        folder = tempfile.TemporaryDirectory(prefix="gbflow-ports-")  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def devices(self, form):
        paths = (os.path.join(self.folder, side) for side in ("gn", "gb"))
        return {side: form % (number, path, self.workers)[:form.count("%")] for number, (side, path) in enumerate(zip(("gn", "gb"), paths))}

    def connect(self, kind, **values):
        """Starts the node and its peer. One whose driver waits for the other's is not waited for."""
        ours, theirs, is_peer_first, _ = self.kinds[kind]
        if is_peer_first:
            self.peer = bridge.Bridge(self.lab, self.devices(theirs), self.workers)
            self.addCleanup(self.peer.close)
            if "server=1" not in theirs:
                self.peer.wait()
        self.begin(**self.devices(ours), **values)
        if not is_peer_first:
            if "server=1" not in ours:
                self.node.wait_for("running")
            self.peer = bridge.Bridge(self.lab, self.devices(theirs), self.workers)
            self.addCleanup(self.peer.close)
        self.peer.wait()
        self.node.wait_for("running")

    def restart_peer(self, kind):
        self.peer.kill()
        if self.kinds[kind][2]:  # it listened, and leaves its sockets
            for name in os.listdir(self.folder):
                os.unlink(os.path.join(self.folder, name))
        self.peer.start()
        self.peer.wait()

    def walk(self, kind, **values):
        self.connect(kind, **values)
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        if self.kinds[kind][3]:
            for _ in range(2):
                self.restart_peer(kind)
                self.await_answers()
                self.pass_both()
        self.check_counts()
        self.assertEqual(os.listdir(self.folder) if not self.kinds[kind][2] else [], [])  # a clean end leaves no socket

    def check_told(self, kind):
        """A port that connects once: a line says what to do when the peer has gone, and doing it helps."""
        self.restart_peer(kind)
        self.node.wait_for("restart gbflow")
        self.check_counts()
        self.begin(**self.devices(self.kinds[kind][0]))
        self.node.wait_for("running")
        self.sent = {"down": 0, "up": 0}
        self.bring_up()
        self.pass_both()
        self.check_counts()


def each_kind(kind):
    def test(self):
        self.walk(kind)
    return test


for _kind in Sockets.kinds:
    setattr(Sockets, "test_" + _kind, each_kind(_kind))


class TwoQueues(Sockets):
    """The same with two queues and two workers."""

    workers = 2


if __name__ == "__main__":
    unittest.main()
