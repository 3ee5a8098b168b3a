# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow serve` and `gbflow emulate` between kernels: a server behind Gn, a mobile that is a host behind a TUN device, as in
docs/emulate.md."""
import collections
import contextlib
import hashlib
import math
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import lab
import node
import test_walk

import emulator
import gateway
import sniffer

sys.path.insert(0, os.path.join(node.ROOT, "tests", "system", "fields"))

import described  # noqa: E402  pylint: disable=wrong-import-position

PORT = 5001
TEXT = b"<p>A mobile has a queue, a cell has a bucket, and an N-PDU leaves when the bucket has room.</p>" * 4
SECOND = "10.45.0.2"
KC = 'algorithm = "gea3", kc = "0123456789abcdef"'
BOUNDS = 'acknowledged = { n201_i = "140 octets", k_down = 64, t200 = "1 s", n200 = 15 }'
# A block holds an I frame of these bounds; a tenth of them is lost.
LOSSY = 'pdchs = 4, coding = "MCS-9", bler = "10 %", rlc = "unacknowledged"'


class Case(test_walk.Case):
    repeats = False  # whether LLC keeps what did not arrive

    def setUp(self):
        super().setUp()
        lab.need(self, gateway.missing())
        self.lab.add("ms")

    def emulate(self, **values):
        self.bss = emulator.Emulator(self.lab, **values)
        self.addCleanup(self.bss.kill)
        self.bss.wait_for("running")

    def open_gateway(self):
        self.gateway = gateway.Gateway(self.lab, {node.ADDRESS: (node.TEID, node.GGSN_TEID), SECOND: (node.TEID + 1, 0x2002)})
        self.addCleanup(self.gateway.close)

    def bring_up(self, bss=None, **values):
        """Node, BSS and gateway; returns when the cell is up."""
        self.serve(**values)
        self.open_gateway()
        self.emulate(**bss or {})
        self.bss.wait_for("cell 1800 is up")

    def stop(self):
        """Both ends; their reports must agree with themselves and each other."""
        self.assertEqual(self.bss.stop(signal.SIGTERM), 0)
        self.await_silence()
        self.assertEqual(self.node.stop(), 0)
        bss, sgsn = self.bss.report, self.node.report
        for way in ("down", "up"):
            cell = bss["cells"][0][way]
            self.assertEqual(cell["in"], cell["delivered"] + sum(cell["discarded"].values()) + cell["queued"], cell)
        mobile, cell = collections.Counter(), bss["cells"][0]
        for row in bss["mobiles"]:
            mobile.update({key: value for key, value in row.items() if isinstance(value, int)})
        self.assertEqual((mobile["bad_frames"], mobile["tun_refused"], bss["gb"]["malformed"]), (0, 0, 0))
        self.assertEqual(sgsn["npdu"]["in"], sum(sgsn["npdu"][end] for end in ("out", "dropped", "queued")))
        self.check_between(sgsn["npdu"]["out"], mobile["down_npdus"], cell["down"]["queued"])
        self.check_between(mobile["up_npdus"], sgsn["uplink_npdus"], cell["up"]["queued"])
        return mobile, sgsn

    def await_silence(self):
        """Until the node has read all that the BSS sent: two looks see as many frames."""
        seen = []
        self.node.show_until("workers", lambda rows: seen.append([row["gb_frames"] for row in rows]) or seen[-2:-1] == seen[-1:])

    def check_between(self, sent, received, queued_frames):
        """What was sent and did not arrive is on the air, or LLC will send it again."""
        most = math.inf if self.repeats else received + queued_frames
        self.assertTrue(received <= sent <= most, (sent, received, queued_frames))


class Emulate(Case):
    def fetch(self, octets):
        """A file over TCP from the server to the mobile; what arrived."""
        content = random.Random(octets).randbytes(octets)
        with contextlib.ExitStack() as stack:
            with self.lab.inside("ggsn"):
                listener = stack.enter_context(socket.create_server((gateway.ADDRESS, PORT)))
            with self.lab.inside("ms"):
                client = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            listener.settimeout(60)
            client.settimeout(60)
            client.connect((gateway.ADDRESS, PORT))
            server = stack.enter_context(listener.accept()[0])
            server.sendall(content)
            server.shutdown(socket.SHUT_WR)
            got = b"".join(iter(lambda: client.recv(65536), b""))
        self.assertEqual(hashlib.sha256(got).digest(), hashlib.sha256(content).digest())

    def walk(self, mobiles=node.MOBILE, more="", **bss):
        self.bring_up(bss, mobiles=mobiles, more=more)
        for seq, octets in enumerate((0, 56, 1472)):
            self.ping("ms", gateway.ADDRESS, seq, octets)
            self.ping("ggsn", node.ADDRESS, 100 + seq, octets)
        self.fetch(30000)
        mobile, _ = self.stop()
        self.assertGreaterEqual(mobile["down_npdus"], 6 + 30000 // 1460)
        self.assertEqual(described.faults(described.descriptors(node.program())["emulate"], self.bss.report), [])

    def test_walk(self):
        """Pings from either end and a file, bit by bit, with broken blocks on the air."""
        self.walk(cell='pdchs = 4, coding = "CS-4", bler = "5 %", flow_control = { ms = {}, every = "1 s" }')

    def test_ciphered(self):
        self.walk(mobiles=node.MOBILE.replace("bvci = 1800,", f"bvci = 1800, ciphering = {{ {KC} }},"),
                  mobile_more=f", ciphering = {{ {KC} }}")

    def test_acknowledged(self):
        """LLC repeats what a cell in RLC unacknowledged mode loses, in clear and ciphered."""
        mobile, self.repeats = node.MOBILE.replace("nsapi = 5,", 'nsapi = 5, llc = "acknowledged",'), True
        self.walk(mobiles=mobile.replace("bvci = 1800,", f"bvci = 1800, ciphering = {{ {KC} }},"),
                  more=f", llc = {{ {BOUNDS} }}", cell=LOSSY + ", flow_control = { ms = {} }",
                  mobile_more=f', llc = "acknowledged", {BOUNDS}, ciphering = {{ {KC} }}')
        cell, counts = self.bss.report["cells"][0], self.bss.report["mobiles"][0]["acknowledged"]
        self.assertGreater(cell["down"]["discarded"]["rlc"], 10)
        self.assertEqual(cell["down"]["retransmitted_blocks"], 0)
        self.assertGreater(counts["received"], 30000 / 140)
        self.assertEqual((counts["abandoned"], counts["queue_full"]), (0, 0))

    def test_compression(self):
        """Kernels without TCP timestamps: their headers shrink both ways."""
        with self.lab.inside("ms"), open("/proc/sys/net/ipv4/tcp_timestamps", "w", encoding="ascii") as file:
            file.write("0")
        self.walk(more=", sndcp = { compression = { mode = 'passive', rfc1144 = {}, v42bis = {} } }",
                  mobile_more=", compression = { rfc1144 = {}, v42bis = {} }")
        counts = self.bss.report["mobiles"][0]["compression"]
        self.assertEqual([counts[name] for name in ("offers", "accepted", "refused", "lost")], [1, 2, 0, 0])
        for way in counts["rfc1144"].values():
            self.assertGreater(way["shorter"], 5)
            self.assertLess(way["octets_after"], way["octets_before"] - 20 * way["shorter"])

    def test_two_mobiles_and_nsvcs(self):
        """Mobiles behind one device, NS-VCs from one address."""
        second = node.MOBILE.replace("0001\"", "0002\"").replace("C0000001", "C0000002").replace("x1001", "x1002")
        second = second.replace("x2001", "x2002").replace(node.ADDRESS, SECOND)
        self.bring_up({"mobile_more": ", count = 2", "nsvcs": ', { nsvci = 102, address = "198.51.100.2", udp_port = 23001, '
                       'sgsn_address = "198.51.100.1" }'}, mobiles=node.MOBILE + ", " + second,
                      nsvcs=', { nsvci = 102, address = "198.51.100.2", udp_port = 23001 }')
        self.node.show_until("nse", lambda rows: [row["state"] for row in rows] == ["unblocked"] * 2)
        for seq, address in enumerate((node.ADDRESS, SECOND)):
            self.ping("ggsn", address, seq)
        self.stop()
        self.assertEqual([mobile["up_npdus"] for mobile in self.bss.report["mobiles"]], [1, 1])

    def test_restarts(self):
        """The BSS goes away and comes back: NS and BVC are reset, and packets flow again. LLC frames of the new mobile
        are taken for repetitions until their numbers are beyond those of the old one."""
        self.bring_up()
        self.ping("ms", gateway.ADDRESS, 1)
        self.assertEqual(self.bss.stop(signal.SIGINT), 0)
        self.emulate()
        self.bss.wait_for("cell 1800 is up")
        self.ping_sometime()

    def test_restart_of_the_node(self):
        """A node that comes back sends NS-RESET, then XID with Reset to the mobile, whose key is then used from the start."""
        values = {"mobiles": node.MOBILE.replace("bvci = 1800,", f"bvci = 1800, ciphering = {{ {KC} }},"),
                  "nse_more": ', start = "sgsn"', "more": ", llc = { reset_at_start = true }"}
        self.bring_up({"mobile_more": f", ciphering = {{ {KC} }}"}, **values)
        self.ping_sometime()
        self.assertEqual(self.node.stop(), 0)
        seen = len(self.bss.lines)
        self.serve(**values)
        self.bss.wait_for("cell 1800 is up", start=seen)
        self.ping_sometime()
        self.assertEqual(self.bss.stop(signal.SIGINT), 0)
        self.assertGreaterEqual(self.bss.report["mobiles"][0]["xid_commands"], 2)

    def outlive(self, more):
        """A mobile compresses, the node goes away and comes back, and the mobile's host sends text; drops without an entity by then."""
        values = {"nse_more": ', start = "sgsn"', "more": ", sndcp = { compression = { mode = 'passive', v42bis = {} } }" + more}
        self.bring_up({"mobile_more": ", compression = { v42bis = {} }"}, **values)
        self.send_text()
        self.assertEqual(self.node.show("entities")[0]["uplink_lost"], 0)
        self.assertEqual(self.node.stop(), 0)
        seen = len(self.bss.lines)
        self.serve(**values)
        self.bss.wait_for("cell 1800 is up", start=seen)

    def send_text(self):
        """Until the node has a compressed N-PDU of it, or drops it."""
        before = self.drops()

        def is_seen(_):
            with self.lab.inside("ms"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
                sock.sendto(TEXT, (gateway.ADDRESS, PORT))
            return self.drops() > before or sum(row["uplink_npdus"] for row in self.node.show("entities"))

        self.node.show_until("compression", is_seen)

    def drops(self):
        return sum(row["count"] for row in self.node.show("drops") if row["reason"] == "sndcp_no_entity")

    def test_restart_of_the_node_without_reset(self):
        """The mobile still compresses for an entity that the node has not: its N-PDUs are dropped."""
        self.outlive("")
        self.send_text()
        self.assertGreater(self.drops(), 0)
        self.assertEqual((self.node.show("entities"), self.node.show("compression")[0]["uplink_npdus"]), ([], 0))

    def test_restart_of_the_node_with_reset(self):
        """Reset ends the mobile's entity; the mobile offers it again, and compressed N-PDUs pass."""
        self.outlive(", llc = { reset_at_start = true }")
        self.node.show_until("entities", lambda rows: len(rows) == 1)
        before = self.drops()  # what was on the air while the node was away
        self.send_text()
        self.assertEqual(self.drops(), before)
        self.assertGreater(self.node.show("compression")[0]["uplink_npdus"], 0)

    def test_nobody_at_the_node(self):
        """The kernel at the node's address answers each NS PDU with ICMP port unreachable: the next one goes out all the same."""
        self.bring_up({"cell": 'pdchs = 8, coding = "MCS-9"'})
        self.ping_sometime()
        self.assertEqual(self.node.stop(), 0)
        self.lab.ip(self.lab.names["node"], "address", "add", lab.GB_SGSN + "/24", "dev", "gb0")
        wire = sniffer.Sniffer(self.lab, "bss", "gb1")
        self.addCleanup(wire.close)
        with self.lab.inside("ms"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for _ in range(200):
                sock.sendto(b"small", (gateway.ADDRESS, PORT))
        self.assertTrue(wire.wait_for(23000, 100))
        self.assertEqual(self.bss.stop(signal.SIGTERM), 0)
        self.assertEqual(self.bss.report["gb"]["send_failures"], 0)

    def ping_sometime(self):
        """A ping that may have to be repeated."""
        for seq in range(1000, 1020):
            with contextlib.suppress(TimeoutError, AssertionError):
                return self.ping("ms", gateway.ADDRESS, seq, timeout_s=3)
        return self.fail("no answer")


    def test_device_of_another(self):
        """The second BSS with a TUN device says what to do."""
        self.emulate()
        second = emulator.Emulator(self.lab, text=emulator.TEXT.replace("nsvci = 101,", "nsvci = 101, udp_port = 23999,"))
        self.addCleanup(second.kill)
        self.assertEqual(second.process.wait(20), 1)
        second.reader.join(20)
        self.assertIn("gbflow: device gbf0: another process has it, end that or change tun.device or tun.namespace: ", "".join(second.lines))


class Start(unittest.TestCase):
    """What does not start says why in one line."""

    def emulate(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([node.program(), "emulate", file.name], capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stderr.replace(file.name, "FILE").splitlines()

    def text(self, **values):
        return emulator.TEXT % {**emulator.VALUES, "ms": f"gbf{os.getpid()}-none", **values}

    def test_wrong(self):
        for change, status, line in (
                (("nsei = 101", "nsei = 70000"), 2, "FILE:2: nsei: 70000 is out of range: 0 .. 65535"),
                (("10.45.0.1", "10.45.0"), 2, "FILE:5: mobiles[1].address: '10.45.0' is not an IPv4 address: such as 10.99.0.1"),
                (("198.51.100.2", "192.0.2.77"), 1, "gbflow: NS-VC 101: cannot open its UDP socket: Cannot assign requested address")):
            self.assertEqual(self.emulate(self.text().replace(*change)), (status, [line]))

    def test_prefixes(self):
        """Refused before anything starts: the file of the BSS does not even exist."""
        for prefix in ("", ".", "..", "-x", "a b", "a/b", "a\n", "\x1b[2J", "x" * 31, "x" * 300):
            with self.subTest(prefix=prefix):
                done = subprocess.run([node.program(), "emulate", f"--prefix={prefix}", "/nowhere/bss.lua"], capture_output=True, text=True,
                                      check=False, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, "^gbflow emulate: --prefix: '[ -~]*': must be 1 to 30 letters, digits, _ and -, .*\ntry: ")

    def test_no_namespace(self):
        text = self.text().replace("198.51.100.2", "127.0.0.1").replace("198.51.100.1", "127.0.0.1")
        status, lines = self.emulate(text.replace("nsvci = 101,", "nsvci = 101, udp_port = 23999,"))
        self.assertEqual((status, len(lines)), (1, 1))
        self.assertRegex(lines[0], "^gbflow: device gbf0: /run/netns/gbf.*: No such file or directory$")


if __name__ == "__main__":
    unittest.main()
