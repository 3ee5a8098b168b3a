# SPDX-License-Identifier: BSD-3-Clause
"""SNDCP's compression of a live node, against a phone that has both algorithms in Python: agreed on, used both ways, ended."""
import http.client
import os
import queue
import struct
import subprocess
import tempfile
import time
import unittest

import lab
import node
import packing_phone as packing
import phone_peer
import strict_ggsn
import test_gone
import test_metrics
import test_moved
import test_phones
import test_restart
import test_strict_ggsn
import test_walk
import bss_peer
from gb_oracle import bssgp, gtp
from packing_phone import DATA, HEADERS

SETTINGS = ', sndcp = { compression = { mode = "%s", rfc1144 = { slots = 16 }, v42bis = { codewords = 2048, string = 20 } } }'
SERVER = ("192.0.2.99", 80)
TEXT = b"<p>The packet is sent when the bucket of the mobile has room for the packet, and the bucket of the cell has room, too.</p>\n"
PAGE = TEXT * 8
AGREED = {0: b"\0", HEADERS: packing.change(0, packing.slots(16)), DATA: packing.change(1, packing.dictionary(packing.BOTH, 2048, 20))}
COUNTS = ("npdus", "octets", "octets_left", "uplink_npdus", "uplink_octets", "uplink_octets_came")


class Tcp:
    """A TCP connection between a server and the phone; each packet must arrive as it was sent."""

    def begin_tcp(self, address):
        self.far_end = (address, 40000)
        self.numbers = {SERVER: 100000, self.far_end: 500000}
        self.idents = {SERVER: 1, self.far_end: 9000}
        self.seen = dict.fromkeys(COUNTS, 0)  # octets as the phone counts them

    def segment(self, sender, data=b"", flags=packing.ACK):
        """The next one of a sender."""
        receiver = self.far_end if sender == SERVER else SERVER
        seq, ack = self.numbers[sender], self.numbers[receiver] if flags & packing.ACK else 0
        self.idents[sender] += 1
        self.numbers[sender] += len(data) + bool(flags & packing.SYN)
        return packing.tcp((sender, receiver), (seq, ack), flags, data, self.idents[sender])

    def count(self, names, packet, octets):
        for name, more in zip(names, (1, len(packet), len(octets))):
            self.seen[name] += more

    def down(self, data=b"", flags=packing.ACK):
        """Returns the N-PDU as it came."""
        packet = self.segment(SERVER, data, flags)
        self.send_down(packet)
        n_pdu = self.phone.packed()
        self.assertEqual(self.phone.restored(n_pdu), packet)
        self.count(COUNTS[:3], packet, n_pdu.octets)
        return n_pdu

    def up(self, data=b"", flags=packing.ACK):
        """Returns DCOMP and PCOMP that the phone used."""
        packet = self.segment(self.far_end, data, flags)
        comp, octets = self.phone.send_packed(packet)
        self.assertEqual(self.arrived(), packet)
        if comp:
            self.count(COUNTS[3:], packet, octets)
        return comp

    def connect(self):
        comps = [self.up(flags=packing.SYN), self.down(flags=packing.SYN | packing.ACK).comp]
        self.assertEqual(comps, [0, 0])

    def is_plain(self):
        """Both ways, from now on."""
        self.phone.end()
        self.assertEqual([self.down(PAGE).comp, self.up(PAGE)], [0, 0])

    def is_compressed(self, is_first=False):
        """Whether the first headers are whole, of packets in both directions."""
        comp = 0x11 if is_first else 0x12
        self.assertEqual([self.down(PAGE).comp, self.up(PAGE)], [comp, comp])
        self.assertEqual([self.down(PAGE).comp, self.up(PAGE)], [0x12, 0x12])

    def entities(self):
        return {row["kind"]: row for row in self.node.show("entities")}

    def drops(self, reason):
        return sum(row["count"] for row in self.node.show("drops") if row["reason"] == reason)

    def llc(self, *names):
        row = self.node.show("llc")[0]
        return [row["compression_" + name] for name in names]

    def is_dropped(self, comp=0x02):
        """A compressed N-PDU that no entity is for."""
        before = self.drops("sndcp_no_entity")
        self.phone.send_raw(comp, b"\x40\x00\x12\x34")
        self.node.show_until("drops", lambda rows: {"reason": "sndcp_no_entity", "count": before + 1}.items() <= {
            key: value for row in rows if row["reason"] == "sndcp_no_entity" for key, value in row.items()}.items())


class Case(Tcp, test_walk.Case):
    """A configured mobile, and packets by sockets."""

    def begin(self, mode="passive", more="", direction="both", **values):
        settings = (SETTINGS % mode).replace("string = 20", f'string = 20, direction = "{direction}"')
        self.serve(more=(settings if mode != "off" else "") + more, **values)
        self.open_ends()
        self.phone = packing.Phone(self.bss, "262420000000001", tlli=node.TLLI)
        self.begin_tcp(node.ADDRESS)
        self.bss.bring_up()

    def send_down(self, packet):
        self.ggsn.sendto(test_walk.g_pdu(node.TEID, packet), (lab.GN_SGSN, test_walk.GTPU))

    def arrived(self):
        return gtp.decode(self.ggsn.recv(65536)).body

    def agree(self):
        """Both, and the first packets."""
        self.assertEqual(self.phone.ask(packing.RFC1144, packing.V42BIS), AGREED)
        self.connect()
        self.is_compressed(is_first=True)


class Listed(Case):
    def is_left(self, kinds, word):
        """What the node accepts for a configured context with this `compression`."""
        self.begin(mobiles=node.MOBILE.replace("nsapi = 5,", f'nsapi = 5, compression = "{word}",'))
        answer = self.phone.ask(packing.RFC1144, packing.V42BIS)
        self.assertEqual({kind for kind in (HEADERS, DATA) if answer[kind][2:4] != b"\0\0"}, kinds)
        self.assertEqual(len(self.node.show("entities")), len(kinds))
        self.assertEqual(self.node.stop(), 0)

    def test_headers(self):
        self.is_left({HEADERS}, "headers")

    def test_data(self):
        self.is_left({DATA}, "data")

    def test_none(self):
        self.is_left(set(), "none")


class Passive(Case):
    def test_life(self):
        """Both entities within the node's bounds; text and ACKs both ways."""
        self.begin()
        self.assertEqual(self.phone.ask(packing.RFC1144, packing.V42BIS), AGREED)
        self.connect()
        self.assertEqual([self.up(TEXT), self.up(TEXT), self.down().comp], [0x11, 0x12, 0x01])
        pages = [self.down(PAGE) for _ in range(3)]
        self.assertEqual([page.comp for page in pages], [0x12] * 3)
        self.assertLess(sum(page.frame_octets for page in pages), 3 * len(PAGE) // 2)
        for _ in range(3):
            self.down(PAGE)
            self.assertEqual(self.up(), 0x02)
        self.up(b"GET")
        self.assertLessEqual(self.down().frame_octets, 20)
        rows = self.entities()
        self.assertEqual([(rows[kind][name]) for kind in ("rfc1144", "v42bis") for name in ("sapi", "number", "nsapis", "values")],
                         [3, 0, "5", "16 slots", 3, 1, "5", "2048 codewords, 20 octets, both"])
        self.assertEqual(rows["rfc1144"]["octets"], self.seen["octets"])
        self.assertEqual(rows["v42bis"]["octets"], rows["rfc1144"]["octets_left"])
        self.assertEqual(rows["v42bis"]["octets_left"], self.seen["octets_left"])
        worker = self.node.show("compression")[0]
        self.assertEqual({name: worker[name] for name in COUNTS}, self.seen)
        self.assertEqual(worker["entities"], 2)
        self.assertEqual(self.node.stop(), 0)

    def test_metrics(self):
        """Octets before and after of each kind and direction, entities and their limit, drops by reason."""
        self.begin(live_more=", metrics = {}")
        self.agree()
        self.is_dropped(comp=0x05)
        found = self.metrics()
        rows = {(row["kind"], row["direction"]): row for row in self.node.show("compression_kind")}
        for (kind, direction), row in rows.items():
            labels = f'{{kind="{kind}",direction="{direction}"}}'
            for name in ("npdus", "octets_before", "octets_after"):
                self.assertEqual(found[f"gbflow_compression_kind_{name}_total", labels], row[name], (labels, name))
        ways = {"downlink": [self.seen[name] for name in COUNTS[:3]], "uplink": [self.seen[name] for name in COUNTS[3:]]}
        for direction, (n_pdus, before, after) in ways.items():
            headers, data = rows["rfc1144", direction], rows["v42bis", direction]
            self.assertEqual((headers["octets_before"], headers["octets_after"], data["octets_after"]), (before, data["octets_before"], after))
            self.assertEqual((headers["npdus"], data["npdus"]), (1, 2))  # of the two pages, one has a whole header
            self.assertGreaterEqual(n_pdus, 2)
            self.assertTrue(after < data["octets_before"] < before, rows)
        self.assertEqual((found["gbflow_compression_entities", '{worker="0"}'], found["gbflow_compression_entities_limit", '{worker="0"}']),
                         (2, 1000))
        self.assertEqual(found["gbflow_drops_total", '{side="gb",of="frame",reason="sndcp_no_entity"}'], 1)
        self.assertEqual(self.node.stop(), 0)

    def metrics(self):
        with self.lab.inside("node"):
            connection = http.client.HTTPConnection("127.0.0.1", test_metrics.PORT, timeout=60)
            connection.connect()
        self.addCleanup(connection.close)
        connection.request("GET", "/metrics")
        return test_metrics.samples(connection.getresponse().read().decode())

    def test_capture(self):
        """TShark reads XID blocks, DCOMP and PCOMP of a capture by the node."""
        with tempfile.TemporaryDirectory(prefix="gbflow-capture-") as folder:
            path = os.path.join(folder, "a.pcapng")
            self.begin()
            self.order("capture", path)
            self.node.show_until("capture", lambda rows: rows[0]["state"] == "on")
            self.agree()
            self.order("capture", "--stop")
            shown = [self.tshark(path, *words) for words in (
                ("-Y", "sndcpxid.rfc1144_s0", "-T", "fields", "-e", "sndcpxid.rfc1144_s0", "-e", "sndcpxid.V42bis_p1_msb"),
                ("-Y", "sndcp.dcomp == 1", "-T", "fields", "-e", "sndcp.pcomp"), ("-Y", "_ws.malformed"))]
        self.assertEqual([[int(word, 0) for word in line.split()] for line in shown[0].splitlines()], [[31, 16], [15, 8]])
        self.assertEqual(sorted(int(word, 0) for word in shown[1].split()), [1, 1, 2, 2])
        self.assertEqual(shown[2], "")
        self.assertEqual(self.node.stop(), 0)

    def order(self, name, *words):
        done = subprocess.run([node.program(), name, "--prefix", self.node.prefix, *words], capture_output=True, text=True, check=False,
                              timeout=60, env=self.node.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def tshark(self, path, *words):
        done = subprocess.run(["tshark", "-n", "-d", "udp.port==23000,gprs-ns", "-r", path, *words], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def agree_on_direction(self, asked, agreed, number=1):
        """P0 that the phone asks for, and that the node agrees to; 0: it refuses. Then what goes compressed: 0x10, or plain."""
        answer = self.phone.ask(data=packing.offer(number, 0x10, packing.dictionary(asked, 2048, 20)))
        self.assertEqual(answer[DATA], packing.change(number, packing.dictionary(agreed or asked, 2048, 20), packing.NSAPI_5 if agreed else 0))
        expected = [0x10 if agreed & bit else 0 for bit in (packing.DOWNLINK, packing.UPLINK)]
        for _ in range(2):
            self.assertEqual([self.down(PAGE).comp, self.up(PAGE)], expected)
        self.assertEqual(self.drops("sndcp_data"), 0)

    def test_direction_of_the_phone(self):
        """The phone asks for one direction, then for the other one."""
        self.begin()
        self.connect()
        self.agree_on_direction(packing.UPLINK, packing.UPLINK)
        self.assertEqual(self.entities()["v42bis"]["values"], "2048 codewords, 20 octets, uplink")
        self.phone.ask(data=packing.change(1, b"", nsapis=0))
        self.agree_on_direction(packing.DOWNLINK, packing.DOWNLINK)
        self.assertEqual(self.entities()["v42bis"]["values"], "2048 codewords, 20 octets, downlink")
        self.assertEqual(self.node.stop(), 0)

    def test_uplink_of_the_node(self):
        self.check_direction_of_the_node("uplink", packing.UPLINK, packing.DOWNLINK)

    def test_downlink_of_the_node(self):
        self.check_direction_of_the_node("downlink", packing.DOWNLINK, packing.UPLINK)

    def check_direction_of_the_node(self, name, own, other):
        """What the node does not have is refused."""
        self.begin(direction=name)
        self.connect()
        self.agree_on_direction(other, 0)
        self.agree_on_direction(packing.BOTH, own)
        self.assertEqual(self.node.stop(), 0)

    def test_change(self):
        """Other parameters restart both ends; without NSAPIs an entity is over, and what comes for it is dropped."""
        self.begin()
        self.agree()
        headers, data = packing.change(0, packing.slots(4)), packing.change(1, packing.dictionary(packing.BOTH, 512, 10))
        self.assertEqual(self.phone.ask(headers, data), {0: b"\0", HEADERS: headers, DATA: data})
        self.is_compressed(is_first=True)
        self.assertEqual([row["values"] for row in self.entities().values()].sort(), ["4 slots", "512 codewords, 10 octets, both"].sort())
        end = packing.change(0, packing.slots(4), nsapis=0)
        self.assertEqual(self.phone.ask(end), {0: b"\0", HEADERS: end})
        self.assertEqual([self.down(PAGE).comp, self.up(PAGE), self.down().comp], [0x10, 0x10, 0])
        self.assertEqual(list(self.entities()), ["v42bis"])
        self.is_dropped()
        self.phone.ask(data=packing.change(1, b"", nsapis=0))
        self.is_plain()
        self.assertEqual((self.entities(), self.llc("accepted", "changed", "ended")), ({}, [2, 2, 2]))
        self.assertEqual(self.node.stop(), 0)

    def test_off(self):
        self.begin("off")
        answer = self.phone.ask(packing.RFC1144, packing.V42BIS)
        self.assertEqual(answer, {0: b"\0", HEADERS: packing.change(0, packing.slots(32), 0),
                                  DATA: packing.change(1, packing.dictionary(packing.BOTH, 4096, 20), 0)})
        self.connect()
        self.is_plain()
        self.is_dropped()
        self.assertEqual((self.entities(), self.node.show("compression"), self.llc("refused_algorithm")), ({}, [], [2]))
        self.assertEqual(self.node.stop(), 0)

    def test_discarded_by_the_bss(self):
        """Behind frames that the BSS has discarded a header is whole."""
        self.begin()
        self.agree()
        tlli = bssgp.tlv(bssgp.TLLI, struct.pack(">I", node.TLLI))
        self.bss.send_bssgp(0, bytes([bssgp.LLC_DISCARDED]) + tlli + bssgp.tlv(0x0F, b"\1") + bssgp.tlv(
            bssgp.BVCI, struct.pack(">H", self.bss.bvci)) + bssgp.tlv(bssgp.OCTETS_AFFECTED, b"\0\2\0"))
        self.assertIn(0x11, (self.down(PAGE).comp for _ in range(50)))
        self.is_compressed()
        self.assertEqual(self.node.stop(), 0)

    def test_restart_of_control(self):
        """Entities are neither lost nor restarted."""
        self.begin()
        self.agree()
        test_restart.restart(self, self.node)
        self.is_compressed()
        self.assertEqual(self.phone.ask(packing.change(0, packing.slots(2)))[HEADERS], packing.change(0, packing.slots(2)))
        self.is_compressed(is_first=True)
        test_restart.restart(self, self.node)
        self.phone.ask(packing.change(0, b"", nsapis=0), packing.change(1, b"", nsapis=0))
        self.is_plain()
        self.assertEqual(self.entities(), {})
        self.assertEqual(self.node.stop(), 0)


class Active(Case):
    LLC = ', llc = { t200 = "300 ms", n200 = 1%s }'

    def test_one_of_two(self):
        """The phone takes RFC 1144 with fewer slots, and refuses V.42bis."""
        self.begin("active")
        question = self.phone.question()
        self.assertEqual(question, {0: b"\0", HEADERS: packing.offer(question[HEADERS][0] & 31, 0x12, packing.slots(16)),
                                    DATA: packing.offer(question[DATA][0] & 31, 0x10, packing.dictionary(packing.BOTH, 2048, 20))})
        self.phone.reply(question, packing.change(question[HEADERS][0] & 31, packing.slots(8)),
                         packing.change(question[DATA][0] & 31, b"", nsapis=0))
        self.node.show_until("llc", lambda rows: rows[0]["compression_refused_peer"] == 1)
        self.connect()
        self.assertEqual([self.down(PAGE).comp, self.up(PAGE), self.down(PAGE).comp, self.up(PAGE)], [1, 1, 2, 2])
        self.assertEqual([row["values"] for row in self.entities().values()], ["8 slots"])
        self.assertEqual(self.llc("proposed", "accepted", "unanswered"), [1, 1, 0])
        self.assertEqual(self.node.stop(), 0)

    def test_directions(self):
        """The node asks for the direction of its configuration."""
        self.begin("active", direction="uplink")
        question = self.phone.question()
        number = question[DATA][0] & 31
        self.assertEqual(question[DATA], packing.offer(number, 0x10, packing.dictionary(packing.UPLINK, 2048, 20)))
        self.phone.reply(question, packing.change(question[HEADERS][0] & 31, b"", nsapis=0),
                         packing.change(number, packing.dictionary(packing.UPLINK, 2048, 20)))
        self.node.show_until("llc", lambda rows: rows[0]["compression_accepted"] == 1)
        self.connect()
        self.assertEqual([self.down(PAGE).comp, self.up(PAGE)], [0, 0x10])
        self.assertEqual(self.node.stop(), 0)

    def test_silence(self):
        """N200 repetitions; then packets go plain, and the phone may propose."""
        self.begin("active", more=self.LLC % "")
        questions = [self.phone.question() for _ in range(2)]
        self.assertEqual(questions[0], questions[1])
        self.node.show_until("llc", lambda rows: rows[0]["compression_unanswered"] == 1)
        self.connect()
        self.is_plain()
        self.agree()
        self.assertEqual((self.llc("proposed", "accepted"), self.phone.questions.qsize()), ([2, 2], 0))
        self.assertEqual(self.node.stop(), 0)

    def test_reset(self):
        """What was agreed on while Reset was not answered is over; the node proposes behind the answer."""
        self.begin("active", more=', llc = { t200 = "2 s", n200 = 9, reset_at_start = true }')
        self.phone.answers_reset = False
        self.phone.ask(packing.RFC1144)
        self.phone.answers_reset = True
        question = self.phone.question()
        self.assertEqual(self.entities(), {})
        self.phone.reply(question, packing.change(question[HEADERS][0] & 31, packing.slots(16)),
                         packing.change(question[DATA][0] & 31, packing.dictionary(packing.BOTH, 2048, 20)))
        self.node.show_until("entities", lambda rows: len(rows) == 2)
        self.connect()
        self.is_compressed(is_first=True)
        self.assertEqual(self.node.stop(), 0)


class Far(strict_ggsn.StrictGgsn):
    """Packets are the test's."""

    def start(self):
        self.bodies = queue.Queue()
        super().start()

    def _carry(self, octets, _):
        message = gtp.decode(octets)
        if message.kind == gtp.G_PDU:
            self.bodies.put(message.body)

    def send(self, packet):
        self.user.sendto(test_walk.g_pdu(self.contexts[0].their_user, packet), (lab.GN_SGSN, test_walk.GTPU))


class Attached(Tcp, test_walk.Case):
    """A phone that attaches, and two cells at two workers."""

    def begin(self, apn=""):
        phones = (test_phones.PHONES % 'policy = "accept_all"').replace('name = "internet"', 'name = "internet"' + apn)
        self.far = Far(self.lab)
        self.addCleanup(self.far.stop)
        nses = [test_gone.nse(*place, worker=i) for i, place in enumerate((test_moved.FIRST, test_moved.SECOND))]
        self.serve(text=test_gone.Nses.TEXT, nses=", ".join(nses), mobiles="", workers=2, gn=node.VETH["gn"] + ",qpairs=2",
                   gb=node.VETH["gb"] + ",qpairs=2", gn_more=test_strict_ggsn.GN + test_strict_ggsn.ALLOWED,
                   more=phones + SETTINGS % "passive")
        self.phone = packing.Phone(self.open_cell(*test_moved.FIRST), test_phones.IMSI)
        self.phone.attach_fully()

    def open_cell(self, nsei, bvci):
        with self.lab.inside("bss"):
            cell = test_moved.Cell(bss_peer.open_socket(lab.GB_BSS, 22900 + nsei), (lab.GB_SGSN, 23000), nsei, nsei, bvci)
        self.addCleanup(cell.close)
        cell.bring_up()
        return cell

    def activate(self):
        self.begin_tcp(self.phone.activate())
        packet = self.segment(self.far_end, flags=packing.SYN)
        while self.far.bodies.empty():  # the first packet to an address is dropped while its MAC address is not known
            self.phone.send_raw(0, packet)
            time.sleep(0.05)
        time.sleep(0.05)
        self.far.bodies.queue.clear()

    def send_down(self, packet):
        self.far.send(packet)

    def arrived(self):
        return self.far.bodies.get(timeout=60)

    def test_moves(self):
        """Entities go with the phone to another worker, and the first headers there are whole; an update does not touch them."""
        self.begin()
        self.activate()
        self.assertEqual(self.phone.ask(packing.RFC1144, packing.V42BIS), AGREED)
        self.is_compressed(is_first=True)
        self.phone.peer = self.open_cell(*test_moved.SECOND)
        self.assertEqual(self.up(PAGE), 0x12)
        self.node.show_until("ms", lambda rows: [row["bvci"] for row in rows] == [test_moved.SECOND[1]])
        self.assertEqual([self.down(PAGE).comp, self.down(PAGE).comp], [0x11, 0x12])
        self.phone.update()
        self.phone.take_accept(self.phone.expect(8, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        self.is_compressed()
        self.assertEqual([row["entities"] for row in self.node.show("compression")], [0, 2])
        self.assertEqual(self.node.stop(), 0)

    def test_apn(self):
        """An APN whose contexts take headers alone."""
        self.begin(', compression = "headers"')
        self.activate()
        answer = self.phone.ask(packing.RFC1144, packing.V42BIS)
        self.assertEqual((answer[HEADERS], answer[DATA][2:4]), (AGREED[HEADERS], b"\0\0"))
        self.assertEqual([self.up(PAGE), self.up(PAGE), self.down(PAGE).comp, self.down(PAGE).comp], [1, 2, 1, 2])
        self.assertEqual(list(self.entities()), ["rfc1144"])
        self.assertEqual(self.node.stop(), 0)

    def test_one_of_two_contexts(self):
        """A context that uses an entity ends without a word about it: the state for the other one stays."""
        self.begin()
        self.activate()
        self.phone.activate(nsapi=6)
        both = packing.NSAPI_5 | packing.NSAPI_5 << 1
        self.phone.ask(packing.offer(0, 0x12, packing.slots(16), both),
                       packing.offer(1, 0x10, packing.dictionary(packing.BOTH, 2048, 20), both))
        self.is_compressed(is_first=True)
        self.assertEqual(self.entities()["rfc1144"]["nsapis"], "5 6")
        self.phone.send(bytes([0x10 | phone_peer.SM, 0x46, 36]))
        self.phone.expect(phone_peer.SM, 0x47)
        self.node.show_until("entities", lambda rows: [row["nsapis"] for row in rows] == ["5", "5"])
        self.assertEqual([self.up(PAGE), self.down(PAGE).comp, self.down(PAGE).comp], [0x12, 0x11, 0x12])
        self.assertEqual(self.node.stop(), 0)

    def test_ends(self):
        """With the context, and with the phone."""
        self.begin()
        self.activate()
        self.phone.ask(packing.RFC1144, packing.V42BIS)
        self.is_compressed(is_first=True)
        self.phone.send(bytes([phone_peer.SM, 0x46, 36]))
        self.phone.expect(phone_peer.SM, 0x47)
        self.assertEqual(self.entities(), {})
        self.activate()
        self.is_dropped()
        self.is_plain()
        self.phone.ask(packing.RFC1144, packing.V42BIS)
        self.is_compressed(is_first=True)
        self.phone.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 1]))
        self.phone.expect(8, phone_peer.DETACH_ACCEPT)
        self.node.show_until("compression", lambda rows: [row["entities"] for row in rows] == [0, 0])
        self.phone.attach_fully()
        self.activate()
        self.is_dropped()
        self.is_plain()
        self.assertEqual((self.entities(), self.llc("accepted", "ended")), ({}, [4, 4]))
        self.assertEqual(self.node.stop(), 0)


class Acknowledged(Case):
    def test_life(self):
        """One dictionary for all N-PDUs of a direction: a page that came before is shorter. SABM restarts it."""
        self.serve(more=SETTINGS % "passive" + ', llc = { acknowledged = { links = 1 } }',
                   mobiles=node.MOBILE.replace("nsapi = 5,", 'nsapi = 5, llc = "acknowledged",'))
        self.open_ends()
        self.phone = packing.Phone(self.bss, "262420000000001", tlli=node.TLLI)
        self.phone.link = packing.Link(self.phone)
        self.begin_tcp(node.ADDRESS)
        self.bss.bring_up()
        self.phone.link.establish()
        self.assertEqual(self.phone.ask(packing.RFC1144, packing.V42BIS), AGREED)
        self.connect()
        first, second = self.down(PAGE), self.down(PAGE)
        self.assertEqual([first.comp, second.comp, self.up(PAGE), self.up(PAGE)], [0x11, 0x12, 0x11, 0x12])
        self.assertLess(3 * len(second.octets), 2 * len(first.octets))
        self.phone.link.establish()
        self.is_compressed(is_first=True)
        self.assertEqual(self.node.stop(), 0)

    def test_other_n201_i(self):
        """A reload's N201-I holds from the next establishment on, for what the phone may send and what comes."""
        links = ', llc = { acknowledged = { links = 1%s } }'
        self.serve(more=links % "", mobiles=node.MOBILE.replace("nsapi = 5,", 'nsapi = 5, llc = "acknowledged",'))
        self.open_ends()
        self.phone = packing.Phone(self.bss, "262420000000001", tlli=node.TLLI)
        self.phone.link = packing.Link(self.phone)
        self.begin_tcp(node.ADDRESS)
        self.bss.bring_up()
        for n201_i in (1503, 1000, 500):
            done = self.node.run_reload(more=links % f', n201_i = "{n201_i} octets"')
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.phone.link.establish()
            self.assertEqual(self.phone.link.lle.value(packing.llc_frames.N201_I), n201_i)
            self.assertEqual([self.down(PAGE).comp, self.up(PAGE)], [0, 0])
        done = self.node.run_reload(more=links % ", k_up = 9")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "llc.acknowledged.k_up cannot change while the node runs: memory for the frames of a link is taken")
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
