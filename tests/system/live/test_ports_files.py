# SPDX-License-Identifier: BSD-3-Clause
"""Captures as ports: frames come from files and go into others, and the node counts all of them."""
import struct
import unittest

import node

import flood
import ports
import test_walk
from gb_oracle import gtp, writer

def write(path, frames):
    """A capture of these frames; returns path."""
    writer.pcap(path, [(0, frame) for frame in frames])
    return path


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


def down_frame(mobile, packet):
    return bytes.fromhex(flood.frame(flood.GN_GGSN, flood.GN_SGSN, test_walk.g_pdu(node.TEID + mobile, packet)))


class FilePorts(ports.Case):
    """Captures as the port of Gn: N-PDUs come from a file, and go into another. Gb is an interface."""

    gb = "net_af_packet1,iface=gb0"

    def setUp(self):
        super().setUp()
        self.folder = ports.Folder(self)

    def write(self, name, count=ports.BURST):
        """A file of N-PDUs for both mobiles, in turn; those of each."""
        sent = [list(self.packets(count, ports.SERVER, f"10.45.0.{mobile + 1}")) for mobile in range(len(ports.PLACES))]
        write(self.folder.path(name), [down_frame(mobile, packets[number]) for number in range(count) for mobile, packets in enumerate(sent)])
        return sent

    def start(self, gn, queues=1):
        self.begin(gn=gn, gb=self.gb + f",qpairs={queues}", gn_more=flood.WITH_MACS["gn_more"])
        self.node.wait_for("running")
        self.open_far_ends()
        self.bring_up()

    def send_up(self):
        """N-PDUs of both mobiles, of which the file of Gn has to have all in the end."""
        sent = []
        for mobile, peer in enumerate(self.bsss):
            for packet in self.packets(ports.BURST, f"10.45.0.{mobile + 1}", ports.SERVER):
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
        both = [self.write(name) for name in ("i0", "i1")]
        names = ",".join(f"{way}x_pcap={self.folder.path(name)}" for way, name in (("r", "i0"), ("r", "i1"), ("t", "o0"), ("t", "o1")))
        self.start("net_pcap0," + names, 2)
        up = self.send_up()
        self.check_files(sum(len(packets) for sent in both for packets in sent), up)
        out = [tunnelled(self.folder.path(name)) for name in ("o0", "o1")]
        self.assertEqual(sorted(sum(out, [])), sorted(up))
        self.assertEqual([len(each) for each in out], [len(up) // 2] * 2)


class FilesAlone(unittest.TestCase):
    """Captures as both ports, which needs no rights: what a BSS and a GGSN said is answered into files."""

    def test_all_is_counted(self):
        folder = ports.Folder(self)
        down = [test_walk.ipv4_packet(ports.SERVER, node.ADDRESS, 100, seed) for seed in range(ports.BURST)]
        up = [test_walk.ipv4_packet(node.ADDRESS, ports.SERVER, 100, seed) for seed in range(ports.BURST)]
        signalling = [bytes.fromhex(flood.gb(octets)) for octets, _ in flood.steps()]
        gn = write(folder.path("gn.pcap"), [down_frame(0, packet) for packet in down])
        gb = write(folder.path("gb.pcap"), signalling + [bytes.fromhex(flood.uplink(packet, number)) for number, packet in enumerate(up)])
        text = node.TEXT.replace('address = "198.51.100.2"', 'address = "198.51.100.2"' + flood.GIVEN_MAC)
        running = node.Node(text=text, user=ports.UNPRIVILEGED, gn=f"net_pcap0,rx_pcap={gn},tx_pcap={folder.path('gn-out.pcap')}",
                            gb=f"net_pcap1,rx_pcap={gb},tx_pcap={folder.path('gb-out.pcap')}", **flood.WITH_MACS)
        self.addCleanup(running.kill)
        running.wait_for("running")
        running.show_until("node", lambda rows: rows[0]["npdu_in"] == ports.BURST)
        running.show_until("bvc", lambda rows: rows[0]["usable"] == "yes")
        early = {row["name"]: row["count"] for row in running.show("counts")}["ul_unitdata_unplaced"]  # read before the cell was up
        self.assertEqual(running.stop(), 0)
        report = running.report
        npdu = report["npdu"]
        self.assertEqual((npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"]), (ports.BURST, ports.BURST))
        self.assertEqual(report["gb_frames"]["received"], len(signalling) + ports.BURST)
        self.assertEqual(report["uplink_npdus"] + early, ports.BURST)
        self.assertEqual(len(tunnelled(folder.path("gn-out.pcap"))), report["uplink_npdus"])
        answers = payloads(folder.path("gb-out.pcap"), flood.GB_BSS[1])
        for _, prefix in flood.steps():
            self.assertTrue(any(octets.startswith(prefix) for octets in answers), prefix.hex())

    def test_what_is_not_sent_is_shown(self):
        """An Error Indication for an unknown TEID, to a GGSN whose MAC address no host tells."""
        folder = ports.Folder(self)
        gn = write(folder.path("gn.pcap"), [down_frame(1000, test_walk.ipv4_packet(ports.SERVER, node.ADDRESS, 100, 1))])
        running = node.Node(gn=f"net_pcap0,rx_pcap={gn},tx_pcap={folder.path('gn-out.pcap')}", gb="net_ring1", gn_more=flood.TAKEN_MAC)
        self.addCleanup(running.kill)
        running.wait_for("running")
        running.show_until("drops", lambda rows: {"side": "gn", "of": "message", "reason": "answers_unsent", "count": 1} in rows)
        self.assertEqual(running.stop(), 0)
        self.assertEqual((running.report["gn"]["answers_unsent"], running.report["gb_frames"]["signalling_lost"]), (1, 0))


if __name__ == "__main__":
    unittest.main()
