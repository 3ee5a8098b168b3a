# SPDX-License-Identifier: BSD-3-Clause
"""One capture in many forms: each gives the analysis of the plain one, or a warning that counts what was not read."""
import dataclasses
import gzip
import os
import struct
import threading
import unittest

import packets
import program
from world import Flow, Link, World

ETHERTYPE = b"\x08\x00"
MACS = bytes.fromhex("020000000001020000000002")
V6 = ("2001:db8::1", "2001:db8::2")
ROUTERS = ("198.51.100.1", "198.51.100.2")
UNREAD = r"warning: (\d+) of (\d+) frames could not be read: .*"


# Headers in front of an IPv4 packet.

def ethernet(packet, between=b"", kind=ETHERTYPE):
    return MACS + between + kind + packet


def tags(*kinds):
    return lambda packet: ethernet(packet, b"".join(bytes.fromhex(kind) + b"\x00\x07" for kind in kinds))


def pppoe(packet, between=b""):
    return ethernet(struct.pack(">BBHHH", 0x11, 0, 9, len(packet) + 2, 0x21) + packet, between, b"\x88\x64")


def labels(count, payload=lambda packet: packet, kind=b"\x88\x47", between=b""):
    stack = b"".join(struct.pack(">I", 100 << 12 | (number == count - 1) << 8 | 64) for number in range(count))
    return lambda packet: ethernet(stack + payload(packet), between, kind)


def snap(packet):
    octets = b"\xaa\xaa\x03\x00\x00\x00" + ETHERTYPE + packet
    return ethernet(octets, kind=struct.pack(">H", len(octets))) if len(octets) <= 1500 else ethernet(packet)


def in_front(octets):
    return lambda packet: octets + packet


# Tunnels: from an IPv4 packet to an IP packet.

def gre(packet, flags=0, options=b"", kind=ETHERTYPE, ends=ROUTERS):
    return packets.ip(*ends, 47, struct.pack(">H", flags) + kind + options + packet)


def ip_in_ip(packet, ends=ROUTERS):
    return packets.ip(*ends, 4, packet)


def depth_option(packet):
    """As Linux writes IPv4 in IPv6."""
    return packets.ip(*V6, 60, bytes([4, 0, 4, 1, 4, 1, 1, 0]) + packet)


def vxlan(packet, ends=ROUTERS, port=4789, flags=8):
    return packets.udp((ends[0], 53333), (ends[1], port), struct.pack(">BBHI", flags, 0, 0, 7 << 8) + packet)


def geneve(packet, options=b"", kind=b"\x65\x58"):
    return packets.udp((ROUTERS[0], 53333), (ROUTERS[1], 6081), bytes([len(options) // 4, 0]) + kind + struct.pack(">I", 7 << 8) + options + packet)


def erspan(packet, type_number, more=b"", kind=0):
    """Cisco's types I, II and III, the last with a subheader or without; kind 2: IP in place of a frame."""
    if type_number == 1:
        return gre(packet, kind=b"\x88\xbe")
    if type_number == 2:
        return gre(struct.pack(">HHI", 0x1000, 7, 0) + packet, 0x1000, bytes(4), b"\x88\xbe")
    head = struct.pack(">HHIHH", 0x2000, 7, 1234, 0, kind << 10 | bool(more))
    return gre(head + more + packet, 0x1000, bytes(4), b"\x22\xeb")


def nested(depth):
    def make(packet):
        for _ in range(depth):
            packet = vxlan(ethernet(packet))
        return packet
    return make


def gtp(packet, ends=ROUTERS, **options):
    return packets.udp((ends[0], 2152), (ends[1], 2152), packets.gtpu(packet, **options))


@dataclasses.dataclass
class Form:
    """frame: the frames of a packet, one or a list. wire: "right", "cut" (the captured length) or "none" (0)."""

    name: str
    link: int = packets.ETHERNET
    frame: object = ethernet
    warning: str = ""  # a pattern; "": the analysis is that of the plain capture, without a word
    snap: int = 262144
    wire: str = "right"
    magic: int = 0xA1B23C4D
    order: str = "<"
    fate: object = None  # what becomes of the file's octets
    word: str = ""  # for the file's path


def raw(name, tunnel, **more):
    return Form(name, packets.RAW, tunnel, **more)


def numbered(make):
    """Each packet has its number, for fragments."""
    count = iter(range(1, 10**6))
    return lambda packet: make(packet, next(count) % 65536)


def pieces(change=lambda parts: parts, tunnel=gtp, size=600):
    return numbered(lambda packet, number: change(list(packets.fragments(tunnel(packet), size, number))))


HEADERS = [
    Form("pcap, nanoseconds"),
    Form("pcap, microseconds", magic=0xA1B2C3D4),
    Form("pcap, big-endian", magic=0xA1B2C3D4, order=">"),
    Form("pcap, nanoseconds, big-endian", order=">"),
    Form("pcap of a patched libpcap", magic=0xA1B2CD34),
    Form("pcapng", magic=0),
    Form("pcapng, big-endian", magic=0, order=">"),
    Form("pcap, gzip", fate=gzip.compress),
    Form("pcapng, gzip", magic=0, fate=gzip.compress),
    Form("pcap through a FIFO", word="fifo"),
    Form("pcapng, gzip, through a FIFO", magic=0, fate=gzip.compress, word="fifo"),
    Form("pcap, standard input", word="-"),
    Form("pcap, cut in the last record", fate=lambda octets: octets[:-5], warning=r"damaged at octet \d+, after \d+ packets"),
    Form("pcapng, gzip, cut", magic=0, fate=lambda octets: gzip.compress(octets)[:-300], warning=r"damaged at octet \d+.* after \d+ packets"),
]
LINKS = [
    raw("raw IP", in_front(b"")),
    Form("raw IP, DLT 12", 12, in_front(b"")),
    Form("IPv4", 228, in_front(b"")),
    Form("cooked", packets.COOKED, in_front(bytes(14) + ETHERTYPE)),
    Form("cooked 2", packets.COOKED2, in_front(ETHERTYPE + bytes(18))),
    Form("loopback", 0, in_front(b"\x02\x00\x00\x00")),
    Form("loopback of a big-endian machine", 0, in_front(b"\x00\x00\x00\x02"), order=">"),
    Form("loopback of OpenBSD", 108, in_front(b"\x00\x00\x00\x02")),
    Form("PPP", 9, in_front(b"\xff\x03\x00\x21")),
    Form("PPP without framing", 9, in_front(b"\x00\x21")),
    Form("PPP, short protocol", 9, in_front(b"\x21")),
    Form("PPP on a serial line", 50, in_front(b"\xff\x03\x00\x21")),
    Form("PPP of pppd", 166, in_front(b"\x01\x03\x00\x21")),
    Form("PPP, MPLS", 9, in_front(b"\xff\x03\x02\x81\x00\x06\x41\x40")),
    Form("PPPoE without Ethernet", 51, in_front(b"\x11\x00\x00\x09\x00\x00\x00\x21")),
    Form("Cisco HDLC", 104, in_front(b"\x0f\x00\x08\x00")),
    Form("802.3, SNAP", frame=snap),
    Form("802.11 in pcapng", 105, magic=0, warning=r"\d+ frames with unsupported link types were ignored"),
    Form("802.11 in pcap", 105, warning=r"link type 105 \(IEEE802_11\) is not supported"),
]
TAGS = [
    Form("a tag", frame=tags("8100")),
    Form("a tag of 802.1ad", frame=tags("88a8")),
    Form("two tags", frame=tags("88a8", "8100")),
    Form("two equal tags", frame=tags("8100", "8100")),
    Form("tags from before 802.1ad", frame=tags("9100", "8100")),
    Form("tags 0x9200 and 0x9300", frame=tags("9200", "9300")),
    Form("five tags", frame=tags("8100", "8100", "9100", "88a8", "8100")),
    Form("cooked, a tag", packets.COOKED, in_front(bytes(14) + b"\x81\x00\x00\x07" + ETHERTYPE)),
    Form("PPPoE", frame=pppoe),
    Form("tag, PPPoE", frame=lambda packet: pppoe(packet, b"\x81\x00\x00\x07")),
    Form("two tags, PPPoE", frame=lambda packet: pppoe(packet, b"\x88\xa8\x00\x07\x81\x00\x00\x07")),
    Form("MPLS", frame=labels(1)),
    Form("MPLS, three labels", frame=labels(3)),
    Form("MPLS, multicast", frame=labels(1, kind=b"\x88\x48")),
    Form("tag, MPLS", frame=labels(2, between=b"\x81\x00\x00\x07")),
    Form("Ethernet in MPLS", frame=labels(1, lambda packet: bytes(4) + ethernet(packet)), warning=UNREAD + "MPLS labels and no IP"),
    Form("MACsec", frame=lambda packet: ethernet(packet, kind=b"\x88\xe5"), warning=UNREAD + r"0x88e5 \(MACsec\)"),
    Form("an unknown EtherType", frame=lambda packet: ethernet(packet, kind=b"\x99\x99"), warning=UNREAD + "0x9999"),
    Form("LLDP between", frame=lambda packet: [ethernet(packet), ethernet(bytes(30), kind=b"\x88\xcc")], warning=UNREAD + r"\(LLDP\)"),
]
TUNNELS = [
    raw("IP in IP", ip_in_ip),
    raw("IP in IP in IP", lambda packet: ip_in_ip(ip_in_ip(packet, ("192.0.2.7", "192.0.2.8")))),
    raw("IP in IPv6", lambda packet: packets.ip(*V6, 4, packet)),
    raw("IP in IPv6, as Linux has it", depth_option),
    raw("GRE", gre),
    raw("GRE, checksum, key, number", lambda packet: gre(packet, 0xB000, bytes(12))),
    raw("GRE between private addresses", lambda packet: gre(packet, ends=("10.9.0.1", "198.51.100.2"))),
    raw("GRE in IPv6", lambda packet: gre(packet, ends=V6)),
    raw("Ethernet in GRE", lambda packet: gre(ethernet(packet), kind=b"\x65\x58")),
    raw("MPLS in GRE", lambda packet: gre(struct.pack(">I", 0x6140) + packet, kind=b"\x88\x47")),
    Form("tag, GRE", frame=lambda packet: tags("8100")(gre(packet))),
    raw("VXLAN", lambda packet: vxlan(ethernet(packet))),
    raw("VXLAN between private addresses", lambda packet: vxlan(ethernet(packet), ("10.9.0.1", "10.9.0.2"))),
    raw("VXLAN in IPv6, a tag", lambda packet: vxlan(tags("8100")(packet), V6)),
    raw("VXLAN at the port that Linux had, a policy", lambda packet: vxlan(ethernet(packet), port=8472, flags=0x88)),
    Form("tag, VXLAN", frame=lambda packet: tags("8100")(vxlan(ethernet(packet)))),
    raw("GTP-U in VXLAN", lambda packet: vxlan(ethernet(gtp(packet)))),
    raw("Geneve", lambda packet: geneve(ethernet(packet))),
    raw("Geneve, options, IP", lambda packet: geneve(packet, bytes(12), ETHERTYPE)),
    raw("ERSPAN, type I", lambda packet: erspan(ethernet(packet), 1)),
    raw("ERSPAN, type II", lambda packet: erspan(ethernet(packet), 2)),
    raw("ERSPAN, type III", lambda packet: erspan(ethernet(packet), 3)),
    raw("ERSPAN, type III, a subheader", lambda packet: erspan(ethernet(packet), 3, bytes(8))),
    raw("ERSPAN, type III, IP", lambda packet: erspan(packet, 3, kind=2)),
    raw("ERSPAN in VXLAN in GRE", lambda packet: gre(vxlan(ethernet(erspan(tags("8100")(packet), 2))))),
    raw("ERSPAN, ARP between", lambda packet: [erspan(ethernet(packet), 2), erspan(ethernet(bytes(28), kind=b"\x08\x06"), 2)]),
    raw("ERSPAN, LLDP between", lambda packet: [erspan(ethernet(packet), 2), erspan(ethernet(bytes(30), kind=b"\x88\xcc"), 2)], warning=UNREAD + r"\(LLDP\)"),
    raw("8 VXLANs, one in the other", nested(8)),
    raw("9 of them", nested(9), warning=UNREAD + r"in a tunnel \(VXLAN\)"),
    raw("VXLAN, cut", lambda packet: vxlan(ethernet(packet)), snap=45, warning=UNREAD + r"in a tunnel \(VXLAN\)"),
    raw("ERSPAN, cut", lambda packet: erspan(ethernet(packet), 2), snap=45, warning=UNREAD + r"in a tunnel \(ERSPAN\)"),
    raw("Geneve, cut in its options", lambda packet: geneve(ethernet(packet), bytes(100)), snap=60, warning=UNREAD + r"in a tunnel \(Geneve\)"),
    raw("VXLAN in fragments", pieces(tunnel=lambda packet: vxlan(ethernet(packet))), warning=UNREAD + r"in a tunnel \(VXLAN\)"),
    raw("GTP-U", gtp),
    raw("GTP-U, numbers", lambda packet: gtp(packet, sequence=7)),
    raw("GTP-U, extension header", lambda packet: gtp(packet, sequence=7, extension=bytes([1, 0, 5, 0]))),
    raw("GTP-U over IPv6", lambda packet: gtp(packet, V6)),
    raw("GTP-U in GRE", lambda packet: gre(gtp(packet))),
    Form("two tags, GTP-U", frame=lambda packet: tags("9100", "8100")(gtp(packet))),
    Form("PPPoE, GTP-U", frame=lambda packet: pppoe(gtp(packet))),
    raw("GTP-U in fragments", pieces()),
    raw("GTP-U in fragments, backwards", pieces(lambda parts: parts[::-1])),
    raw("GTP-U in fragments, each one twice", pieces(lambda parts: [part for part in parts for _ in (1, 2)][:-1])),
    raw("GTP-U in fragments, the second one missing", pieces(lambda parts: parts[:1] + parts[2:]), warning=UNREAD + "not complete"),
    raw("GRE in fragments", pieces(tunnel=gre), warning=UNREAD + r"in a tunnel \(GRE\)"),
    raw("GRE of PPTP", lambda packet: gre(packet, 0x3001, bytes(8), b"\x88\x0b"), warning=UNREAD + r"in a tunnel \(GRE\)"),
    raw("GTP-U of another version", lambda packet: gtp(packet)[:28] + b"\x50" + gtp(packet)[29:], warning=UNREAD + "GTP without a readable"),
]
LENGTHS = [
    Form("snap length", snap=68),
    Form("snap length as length on the wire", snap=68, wire="cut"),
    Form("the same in pcapng", snap=68, wire="cut", magic=0),
    Form("the same, raw", packets.RAW, in_front(b""), snap=54, wire="cut"),
    Form("the same, cooked", packets.COOKED, in_front(bytes(14) + ETHERTYPE), snap=68, wire="cut"),
    Form("the same, two tags", frame=tags("88a8", "8100"), snap=68, wire="cut"),
    Form("the same, PPPoE", frame=pppoe, snap=68, wire="cut"),
    Form("the same, GRE", packets.RAW, gre, snap=68, wire="cut"),
    Form("no length on the wire", wire="none"),
    Form("padding", frame=lambda packet: ethernet(packet).ljust(60, b"\0")),
    Form("check sequence of Ethernet", frame=lambda packet: ethernet(packet).ljust(60, b"\0") + b"\1\2\3\4"),
    Form("cut in TCP", snap=40, warning=UNREAD + "TCP or UDP header"),
    Form("cut in TCP, as length on the wire", snap=40, wire="cut", warning=UNREAD + "TCP or UDP header"),
    Form("cut in IP", snap=30, warning=UNREAD + "IP header"),
    Form("cut in front of IP", snap=12, warning=UNREAD + "cut in front of IP"),
    Form("cut in a tag", frame=tags("8100"), snap=16, wire="cut", warning=UNREAD + "cut in front of IP"),
    Form("GTP-U, cut in UDP", packets.RAW, gtp, snap=22, warning=UNREAD + "TCP or UDP header"),
    Form("GTP-U, cut in the tunnel", packets.RAW, gtp, snap=50, warning=UNREAD + "GTP without a readable"),
]
FORMS = HEADERS + LINKS + TAGS + TUNNELS + LENGTHS


def rows_of(form, plain):
    for at_ns, packet in plain:
        made = form.frame(packet)
        for octets in made if isinstance(made, list) else [made]:
            yield at_ns, octets[:form.snap], {"right": len(octets), "cut": len(octets[:form.snap]), "none": 0}[form.wire]


def pcap(form, rows):
    unit = 1 if form.magic == 0xA1B23C4D else 1000
    yield struct.pack(form.order + "IHHiIII", form.magic, 2, 4, 0, 0, 262144, form.link)
    for at_ns, octets, wire in rows:
        patched = bytes(8) if form.magic == 0xA1B2CD34 else b""
        yield struct.pack(form.order + "IIII", at_ns // 10**9, at_ns % 10**9 // unit, len(octets), wire) + patched + octets


def pcapng(form, rows):
    yield packets.section(form.order) + packets.interface(form.link, form.order)
    for at_ns, octets, wire in rows:
        yield packets.block(6, struct.pack(form.order + "IIIII", 0, at_ns >> 32, at_ns & 0xFFFFFFFF, len(octets), wire) + octets, form.order)


class Forms(program.Case):
    @classmethod
    def setUpClass(cls):
        rows = World(Link(access_loss=0.03)).run([Flow(1, 60000), Flow(2, 20000, start_s=3)]).capture.rows
        cls.plain = sorted(((at_ns // 1000 * 1000, packet) for at_ns, packet in rows), key=lambda row: row[0])

    def play(self, form):
        """(analysis, standard error) of the form; no analysis: the capture is refused."""
        make = pcapng if form.magic == 0 else pcap
        octets = b"".join(make(form, rows_of(form, self.plain)))
        octets = form.fate(octets) if form.fate else octets
        path, report = self.path("form"), self.path("form.json")
        if form.word == "fifo":
            os.mkfifo(path)
            writer = threading.Thread(target=self.write_octets, args=(path, octets))
            writer.start()
        else:
            self.write_octets(path, octets)
        with open(os.devnull if form.word == "fifo" else path, "rb") as file:
            done = self.run_program(*program.SMALL, "--json", report, "-" if form.word == "-" else path, stdin=file)
        if form.word == "fifo":
            writer.join()
        os.unlink(path)
        return (program.gbflow.read_json(report) if done.status == 0 else None), done.stderr

    @staticmethod
    def write_octets(path, octets):
        with open(path, "wb") as file:
            file.write(octets)

    def test_each_form(self):
        expected, said = self.play(raw("plain", in_front(b"")))
        self.assertEqual((expected["connections"], said), (2, ""))
        self.assertGreater(expected["loss"]["access_lost"], 0)
        self.assertGreaterEqual(len(FORMS), 46)
        for form in FORMS:
            with self.subTest(form=form.name):
                found, said = self.play(form)
                if form.warning:
                    self.assertRegex(said, form.warning)
                else:
                    self.assertEqual(said, "")
                    self.assertEqual(program.results(found), program.results(expected))

    def test_the_counts_of_a_warning(self):
        """A hundredth of the frames is no reason for one, one more is; the sum is that of its parts."""
        other = ethernet(bytes(40), kind=b"\x88\xf7")
        for more, is_said in ((1, False), (2, True)):
            frames = [ethernet(packet) for _, packet in self.plain][:100 - more] + [other] * more
            form = Form("some others", frame=lambda _, rest=iter(frames): next(rest))
            plain, self.plain = self.plain, self.plain[:100]
            found, said = self.play(form)
            self.plain = plain
            self.assertEqual(found["capture"]["other_frames"], more)
            self.assertEqual("2 of 100 frames could not be read: 2 of EtherType 0x88f7\n" in said, is_said, said)

    def test_tunnels_as_scapy_writes_them(self):
        """The octets of another program: VXLAN, Geneve, and ERSPAN of each type."""
        try:
            from scapy.contrib import erspan as s_erspan, geneve as s_geneve  # pylint: disable=import-outside-toplevel
            from scapy.layers import inet as s_inet, l2 as s_l2, vxlan as s_vxlan  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("no scapy")
        outer = s_inet.IP(src=ROUTERS[0], dst=ROUTERS[1])
        heads = [outer / s_inet.UDP(sport=53333, dport=4789) / s_vxlan.VXLAN(vni=7),
                 outer / s_inet.UDP(sport=53333, dport=6081) / s_geneve.GENEVE(vni=7),
                 outer / s_l2.GRE(proto=0x88BE),
                 outer / s_l2.GRE(proto=0x88BE, seqnum_present=1, sequence_number=1) / s_erspan.ERSPAN_II(session_id=7),
                 outer / s_l2.GRE(proto=0x22EB, seqnum_present=1, sequence_number=1) / s_erspan.ERSPAN_III(session_id=7)]
        plain, self.plain = self.plain, self.plain[:60]
        expected, _ = self.play(raw("plain", in_front(b"")))
        for head in heads:
            with self.subTest(head=head.summary()):
                found, said = self.play(raw("scapy", lambda packet, head=head: bytes(head / s_l2.Ether(ethernet(packet)))))
                self.assertEqual((program.results(found), said), (program.results(expected), ""))
        self.plain = plain

    def test_prefixes_that_hold_no_mobile(self):
        """With --mobile its prefixes are what is wrong, and the message does not ask for the option."""
        self.write_octets(self.path("form"), b"".join(pcap(raw("plain", in_front(b"")), rows_of(raw("plain", in_front(b"")), self.plain))))
        done = self.run_program(*program.SMALL, self.path("form"), "--mobile", "10.99.0.0/16")
        self.assertRegex(done.stderr, r"^gbflow analyze: \d+ packets were ignored: neither or both of their addresses are in a prefix of --mobile; give "
                                      r"the mobiles' prefixes alone\n$")


if __name__ == "__main__":
    unittest.main()
