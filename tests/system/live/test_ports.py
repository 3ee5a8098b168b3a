# SPDX-License-Identifier: BSD-3-Clause
"""Virtual ports that people measure with, of every kind that docs/serve.md lists: all N-PDUs are counted in both directions,
and again after the other end of the port has ended and come back."""
import contextlib
import os
import pwd
import socket
import struct
import tempfile
import unittest

import lab
import node

import bridge
import bss_peer
import flood
import test_walk
from gb_oracle import gtp, writer

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


AF_XDP = 44
NOBODY = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


def missing_xdp():
    """Why there can be no AF_XDP socket here, or None."""
    try:
        socket.socket(AF_XDP, socket.SOCK_RAW).close()
    except OSError as error:
        return f"no AF_XDP sockets here: {error.strerror}"
    return None


class Case(test_walk.Case):
    """A node between the lab's kernels; `sent` counts N-PDUs down and up, `workers` are those of the node."""

    of_node, workers, ggsn_side, bss_side = node.Node, 1, "ggsn", "bss"

    def setUp(self):
        super().setUp()
        self.sent, self.seed = {"down": 0, "up": 0}, 0

    def begin(self, **ports):
        """Starts the node, which may wait for its peer."""
        self.node = self.of_node(self.lab, text=TEXT, workers=self.workers, mobiles=MOBILES, live_more=", log_lines = 1000", **ports)
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
                with contextlib.suppress(TimeoutError, AssertionError):  # which a late answer to an earlier one makes
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
        else:
            self.check_told(kind)
        self.check_counts()
        self.assertEqual(os.listdir(self.folder) if not self.kinds[kind][2] else [], [])  # a clean end leaves no socket

    def check_told(self, kind):
        """A port that connects once: a line says what to do when the peer has gone, and doing it helps."""
        self.restart_peer(kind)
        for side in ("gn", "gb"):
            self.node.wait_for(f" {side}: warn: the link is down: .* the driver does not connect again: restart gbflow")
        self.check_counts()
        self.sent = {"down": 0, "up": 0}
        self.begin(**self.devices(self.kinds[kind][0]))
        self.node.wait_for("running")
        self.bring_up()
        self.pass_both()


def each_kind(kind):
    def test(self):
        self.walk(kind)
    return test


for _kind in Sockets.kinds:
    setattr(Sockets, "test_" + _kind, each_kind(_kind))


class TwoQueues(Sockets):
    """The same with two queues and two workers."""

    workers = 2


class Toggled(Case):
    """Ports at an interface of the kernel, which goes down and comes up again."""

    def walk(self, gn, gb):
        self.begin(gn=gn, gb=gb)
        self.node.wait_for("running")
        self.set_up_kernel()
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        for _ in range(2):
            for state in ("down", "up"):
                self.set_links(state)
                self.await_links(state)
            self.await_answers()
            self.pass_both()
        self.check_counts()

    def set_up_kernel(self):
        """What the lab has not done."""

    def set_links(self, state):
        for interface in ("gn0", "gb0"):
            self.lab.ip(self.lab.names[self.of_node.side], "link", "set", interface, state)


    def await_links(self, state):
        """The node drops uplink N-PDUs until it has seen that the link of Gn is up. It does not see links of rx_iface= and tx_iface=."""
        self.node.show_until("ports", lambda rows: all(row["link"] == state or ",iface=" not in row["device"] for row in rows))

    def check_gone(self, gn, gb):
        """An interface that is deleted and made again is another one; a line says what to do, and doing it helps."""
        self.begin(gn=gn, gb=gb)
        self.node.wait_for("running")
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        self.remake()
        for side in ("gn", "gb"):
            self.node.wait_for(f" {side}: error: the network interface of '.*' has gone; restart gbflow when it is there again")
        self.check_counts()
        self.sent = {"down": 0, "up": 0}
        self.begin(gn=gn, gb=gb)
        self.node.wait_for("running")
        self.bring_up()
        self.pass_both()
        self.check_counts()

    def remake(self):
        for interface in ("gn0", "gb0"):
            self.lab.ip(self.lab.names["node"], "link", "del", interface)
        self.lab.link()


class Interfaces(Toggled):
    """Both ends of a veth pair have an interface; the port takes one."""

    def test_af_packet(self):
        """With a ring of its own size, and past the kernel's queueing discipline."""
        more = ",blocksz=8192,framesz=2048,framecnt=1024,qdisc_bypass=1"
        self.walk("net_af_packet0,iface=gn0" + more, "net_af_packet1,iface=gb0" + more)

    def test_af_packet_that_is_deleted(self):
        self.check_gone("net_af_packet0,iface=gn0", "net_af_packet1,iface=gb0")

    def test_pcap_that_is_deleted(self):
        self.check_gone("net_pcap0,iface=gn0", "net_pcap1,iface=gb0")

    def test_af_xdp_that_is_deleted(self):
        lab.need(self, missing_xdp())
        self.check_gone("net_af_xdp0,iface=gn0,force_copy=1", "net_af_xdp1,iface=gb0,force_copy=1")

    def test_af_xdp(self):
        """Frames are copied: veth has no zero copy."""
        lab.need(self, missing_xdp())
        self.walk("net_af_xdp0,iface=gn0,force_copy=1", "net_af_xdp1,iface=gb0,force_copy=1")

    def test_af_xdp_takes_combined_queues(self):
        """An end of a veth pair has one, however many it was made with."""
        lab.need(self, missing_xdp())
        self.begin(gn="net_af_xdp0,iface=gn0,force_copy=1,queue_count=2", gb="net_af_xdp1,iface=gb0,force_copy=1")
        self.assertEqual(self.node.finish(), 1)
        self.assertRegex("\n".join(self.node.lines), "queue count 2 is larger than combined queue count 1")

    def test_pcap(self):
        """libpcap sends and hears on an interface."""
        self.walk("net_pcap0,iface=gn0", "net_pcap1,rx_iface_in=gb0,tx_iface=gb0")

    def test_pcap_that_hears_itself(self):
        """With rx_iface= the port receives what it sends, and the node drops that."""
        self.walk("net_pcap0,rx_iface=gn0,tx_iface=gn0", "net_pcap1,rx_iface_in=gb0,tx_iface=gb0")
        self.assertGreaterEqual(self.node.report["gn_frames"]["drops"]["other_address"], self.sent["up"])


class InterfacesOfTwo(Toggled):
    """Two workers: the kernel deals the frames of an interface to the sockets of a fanout group."""

    workers = 2

    def test_af_packet(self):
        self.walk("net_af_packet0,iface=gn0,qpairs=2", "net_af_packet1,iface=gb0,qpairs=2")


class Tapped(node.Node):
    side = "tap"


class Taps(Toggled):
    """Interfaces that the port makes; at their other end is the kernel of the node's namespace."""

    of_node, ggsn_side, bss_side = Tapped, "tap", "tap"

    def setUp(self):
        super().setUp()
        lab.need(self, None if os.access("/dev/net/tun", os.R_OK | os.W_OK) else "needs /dev/net/tun")
        self.lab.add("tap")

    def set_up_kernel(self):
        for interface, address in (("gn0", lab.GN_GGSN), ("gb0", lab.GB_BSS)):
            self.lab.ip(self.lab.names["tap"], "address", "add", address + "/24", "dev", interface)
        self.set_links("up")

    def test_tap(self):
        self.walk("net_tap0,iface=gn0", "net_tap1,iface=gb0,mac=02:00:00:00:00:77")


class TapsOfTwo(Taps):
    """Two workers: each has a queue of the interface, to which the kernel deals flows."""

    workers = 2


def records(path):
    """The frames of a capture that net_pcap wrote."""
    with open(path, "rb") as file:
        octets = file.read()
    at, frames = 24, []
    while at < len(octets):
        size = struct.unpack_from("=I", octets, at + 8)[0]
        frames.append(octets[at + 16:at + 16 + size])
        at += 16 + size
    return frames


def payloads(path, port):
    """Of the UDP datagrams over IPv4 to a port in a capture."""
    return [frame[42:] for frame in records(path)
            if frame[12:14] == b"\x08\0" and frame[23] == 17 and struct.unpack_from(">H", frame, 36)[0] == port]


def tunnelled(path):
    """TEID and N-PDU of each G-PDU in a capture."""
    messages = [gtp.decode(octets) for octets in payloads(path, test_walk.GTPU)]
    return [(message.teid, message.body) for message in messages if message.kind == gtp.G_PDU]


class Folder(tempfile.TemporaryDirectory):
    """For the files of a test, which any user may write."""

    def __init__(self, case):
        super().__init__(prefix="gbflow-ports-")
        case.addCleanup(self.cleanup)
        os.chmod(self.name, 0o777)

    def path(self, name):
        return os.path.join(self.name, name)

    def write(self, name, frames):
        writer.pcap(self.path(name), [(0, frame) for frame in frames])
        return self.path(name)


def down_frame(mobile, packet):
    return bytes.fromhex(flood.frame(flood.GN_GGSN, flood.GN_SGSN, test_walk.g_pdu(node.TEID + mobile, packet)))


class FilePorts(Case):
    """Captures as the port of Gn: N-PDUs come from a file, and go into another. Gb is an interface."""

    gb = "net_af_packet1,iface=gb0"

    def setUp(self):
        super().setUp()
        self.folder = Folder(self)

    def write(self, name, count=BURST):
        """A file of N-PDUs for both mobiles, in turn; those of each."""
        sent = [list(self.packets(count, SERVER, f"10.45.0.{mobile + 1}")) for mobile in range(len(PLACES))]
        self.folder.write(name, [down_frame(mobile, packets[number]) for number in range(count) for mobile, packets in enumerate(sent)])
        return sent

    def start(self, gn, queues=1):
        self.begin(gn=gn, gb=self.gb + f",qpairs={queues}", gn_more=', peer_mac = "02:00:00:00:00:02"')
        self.node.wait_for("running")
        self.open_far_ends()
        self.bring_up()

    def send_up(self):
        """N-PDUs of both mobiles, of which the file of Gn has to have all in the end."""
        sent = []
        for mobile, peer in enumerate(self.bsss):
            for packet in self.packets(BURST, f"10.45.0.{mobile + 1}", SERVER):
                peer.send_packet(packet, node.TLLI + mobile)
                sent.append((node.GGSN_TEID + mobile, packet))
        self.node.show_until("node", lambda rows: rows[0]["uplink_npdus"] == len(sent))
        self.sent["up"] = len(sent)
        return sent

    def check_files(self, sent, up):
        """The N-PDUs of the file waited for their cells, and were dropped when the BSSs reset these: the node read them at once."""
        self.assertEqual(self.node.stop(), 0)
        report = self.node.report
        self.assertEqual(report["npdu"], {"in": sent, "out": 0, "dropped": sent, "queued": 0})
        self.assertEqual(report["drops"]["bvc_reset"], sent)
        self.assertEqual(report["uplink_npdus"], len(up))


class Files(FilePorts):
    def test_files(self):
        sent = self.write("in.pcap")
        for _ in range(2):  # a node that is started again reads the file again
            self.start(f"net_pcap0,rx_pcap={self.folder.path('in.pcap')},tx_pcap={self.folder.path('out.pcap')}")
            up = self.send_up()
            self.check_files(sum(map(len, sent)), up)
            self.assertEqual(tunnelled(self.folder.path("out.pcap")), up)
            for end in (*self.bsss, *self.sources, self.ggsn):
                end.close()

    def test_a_file_without_an_end(self):
        """infinite_rx offers the same frames again and again, as fast as the worker takes them."""
        sent = self.write("in.pcap")
        self.start(f"net_pcap0,rx_pcap={self.folder.path('in.pcap')},infinite_rx=1,tx_pcap={self.folder.path('out.pcap')}")
        self.node.show_until("node", lambda rows: rows[0]["npdu_in"] >= 10000)
        self.assertEqual(self.node.stop(), 0)
        npdu = self.node.report["npdu"]
        self.assertEqual(npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"])
        self.assertEqual(npdu["dropped"], sum(self.node.report["drops"].values()))
        gn = self.node.report["gn_frames"]
        self.assertEqual(gn["received"], npdu["in"] + sum(gn["drops"].values()) + sum(gn["handled"].values()))
        for mobile, packets in enumerate(sent):
            self.assertIn(self.bsss[mobile].packet(node.TLLI + mobile), packets)


class FilesOfTwo(FilePorts):
    """Two workers: the first file is the first worker's, the second the other's."""

    workers = 2

    def test_files(self):
        both = [self.write(name) for name in ("in0.pcap", "in1.pcap")]
        names = ",".join(f"{way}x_pcap={self.folder.path(name)}" for way, name in
                         (("r", "in0.pcap"), ("r", "in1.pcap"), ("t", "out0.pcap"), ("t", "out1.pcap")))
        self.start("net_pcap0," + names, 2)
        up = self.send_up()
        self.check_files(sum(len(packets) for sent in both for packets in sent), up)
        out = [tunnelled(self.folder.path(name)) for name in ("out0.pcap", "out1.pcap")]
        self.assertEqual(sorted(sum(out, [])), sorted(up))
        self.assertEqual([len(each) for each in out], [len(up) // 2] * 2)


class FilesAlone(unittest.TestCase):
    """Captures as both ports, which needs no rights: what a BSS and a GGSN said is answered into files."""

    def uplink(self, packet, number):
        frame = bss_peer.llc.encode_ui(3, number, bss_peer.sndcp.encode(packet, 5, number, 500)[0], command_bit=False)
        head = bytes([flood.bssgp.UL_UNITDATA]) + struct.pack(">I", node.TLLI) + bytes([0, 0, 4])
        body = head + flood.bssgp.tlv(8, bss_peer.CELL_ID) + flood.bssgp.tlv(0, b"") + flood.bssgp.tlv(flood.bssgp.LLC_PDU, frame)
        return bytes.fromhex(flood.gb(flood.unitdata(flood.BVCI, body)))

    def test_all_is_counted(self):
        folder = Folder(self)
        down = [test_walk.ipv4_packet(SERVER, node.ADDRESS, 100, seed) for seed in range(BURST)]
        up = [test_walk.ipv4_packet(node.ADDRESS, SERVER, 100, seed) for seed in range(BURST)]
        signalling = [bytes.fromhex(flood.gb(octets)) for octets, _ in flood.steps()]
        gn = folder.write("gn.pcap", [down_frame(0, packet) for packet in down])
        gb = folder.write("gb.pcap", signalling + [self.uplink(packet, number) for number, packet in enumerate(up)])
        text = node.TEXT.replace('address = "198.51.100.2"', 'address = "198.51.100.2"' + flood.GIVEN_MAC)
        running = node.Node(text=text, user=NOBODY, gn=f"net_pcap0,rx_pcap={gn},tx_pcap={folder.path('gn-out.pcap')}",
                            gb=f"net_pcap1,rx_pcap={gb},tx_pcap={folder.path('gb-out.pcap')}",
                            gn_more=', peer_mac = "02:00:00:00:00:02"')
        self.addCleanup(running.kill)
        running.wait_for("running")
        running.show_until("node", lambda rows: rows[0]["npdu_in"] == BURST)
        running.show_until("bvc", lambda rows: rows[0]["usable"] == "yes")
        early = {row["name"]: row["count"] for row in running.show("counts")}["ul_unitdata_unplaced"]  # read before the cell was up
        self.assertEqual(running.stop(), 0)
        report = running.report
        npdu = report["npdu"]
        self.assertEqual((npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"]), (BURST, BURST))
        self.assertEqual(report["gb_frames"]["received"], len(signalling) + BURST)
        self.assertEqual(report["uplink_npdus"] + early, BURST)
        self.assertEqual(len(tunnelled(folder.path("gn-out.pcap"))), report["uplink_npdus"])
        answers = payloads(folder.path("gb-out.pcap"), flood.GB_BSS[1])
        for _, prefix in flood.steps():
            self.assertTrue(any(octets.startswith(prefix) for octets in answers), prefix.hex())


if __name__ == "__main__":
    unittest.main()
