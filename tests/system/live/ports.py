# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of virtual ports share: a node with two BSSs between the lab's kernels, of which all N-PDUs are counted.

    class Some(ports.Case):
        def test(self):
            self.begin(gn=DEVICE, gb=DEVICE)    may wait for the peers of the ports
            self.node.wait_for("running")
            self.open_far_ends()
            self.bring_up()
            self.pass_both()
            self.check_counts()
"""
import contextlib
import os
import pwd
import struct
import tempfile

import lab
import node

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


UNPRIVILEGED = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


class Case(test_walk.Case):
    """A node between the lab's kernels; `sent` counts N-PDUs down and up, `workers` are those of the node."""

    of_node, workers, ggsn_side, bss_side = node.Node, 1, "ggsn", "bss"

    def setUp(self):
        super().setUp()
        self.sent, self.seed = {"down": 0, "up": 0}, 0

    def begin(self, text=TEXT, **ports):
        """Starts the node, which may wait for its peer."""
        self.node = self.of_node(self.lab, text=text, workers=self.workers, mobiles=MOBILES, live_more=", log_lines = 1000", **ports)
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

    def send_down(self, mobile, count=BURST):
        sent = list(self.packets(count, SERVER, f"10.45.0.{mobile + 1}"))
        for number, packet in enumerate(sent):
            self.sources[number % SOURCES].sendto(test_walk.g_pdu(node.TEID + mobile, packet), (lab.GN_SGSN, test_walk.GTPU))
        self.sent["down"] += count
        return sent

    def check_down(self, mobile, sent):
        """They arrive, all. Those of several queues may overtake each other."""
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
                self.check_down(mobile, self.send_down(mobile))
                self.pass_up(mobile)

    def await_answers(self):
        """Until the node answers pings through both ports: what is sent from then on arrives."""
        for seq, (side, address) in enumerate(((self.ggsn_side, lab.GN_SGSN), (self.bss_side, lab.GB_SGSN))):
            for attempt in range(bss_peer.TIMEOUT_S):
                with contextlib.suppress(TimeoutError, AssertionError):  # which a late answer to an earlier one makes
                    self.ping(side, address, 100 * seq + attempt, timeout_s=1)
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


class Folder(tempfile.TemporaryDirectory):
    """For the files of a test, which any user may write; a short name, as DPDK 24.11 takes 128 octets of a device."""

    def __init__(self, case):
        super().__init__(prefix="gb-")
        case.addCleanup(self.cleanup)
        os.chmod(self.name, 0o777)

    def path(self, name):
        return os.path.join(self.name, name)
