# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow top` of a running node, and of a running BSS."""
import contextlib
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

import screen

import node
import test_emulate
import test_mobiles
import test_start
import test_walk
import test_watch

MOBILES = 10000


def top(process, *words):
    return " ".join([screen.program(), "top", "--prefix", process.prefix, "--interval", "0.2", *words])


def once(process, *words):
    return subprocess.run(top(process, "--once", *words).split(), capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
                          env=dict(process.environment(), LC_ALL="C.UTF-8"))


class Idle(test_start.Case):
    """A node without rights and without traffic."""

    def open(self, running, *words, **values):
        terminal = screen.Terminal(self, running.environment(), **values)
        terminal.run(top(running, *words))
        terminal.wait_for(f"^gbflow top  node {running.prefix}")
        return terminal

    def test_ten_thousand_mobiles(self):
        rows = map(test_mobiles.row, range(MOBILES))
        running = self.serve(text=test_mobiles.TEXT, files=test_mobiles.table(*rows), limit=MOBILES, **test_start.RING)
        running.show_until("node", lambda rows: rows[0]["mobiles"] == MOBILES)
        terminal = self.open(running, "--table", "mobiles", "--sort", "imsi")
        terminal.wait_for(r"^262420000009999 c000270f 1800 ")
        terminal.keys("r", "PageDown")
        terminal.wait_for(r"^262420000000013 ")
        terminal.keys("/")
        terminal.type("0999 C00003")
        terminal.keys("Enter")
        text = terminal.wait_for(r"^mobiles: 1 of 10000 with")
        self.assertIn("\n262420000000999 ", text)
        terminal.keys("Home", "Enter")
        terminal.wait_for(r"^mobiles: 262420000000999 c00003e7\n.*bvci 1800")
        self.assertEqual(running.stop(), 0)

    def test_drops_of_a_capture(self):
        """Reasons are those of the node, and never wrap."""
        capture = test_start.CAPTURE
        running = self.serve(gn=f"net_pcap0,rx_pcap={capture},tx_pcap=gn.pcap", gb=f"net_pcap1,rx_pcap={capture},tx_pcap=gb.pcap")
        drops = running.show_until("drops", lambda rows: sum(row["count"] for row in rows) > 100)
        terminal = screen.Terminal(self, running.environment(), size=(40, 20))
        terminal.run(top(running, "--table", "drops"))
        text = terminal.wait_for(rf"^{drops[0]['reason']} ")
        for row in drops:
            self.assertRegex(text, rf"(?m)^{row['reason']} ")
        self.assertEqual(text.count("reason"), 1)
        self.assertEqual(running.stop(), 0)

    def test_pause(self):
        running = self.serve(**test_start.RING)
        terminal = self.open(running)
        terminal.keys("Space")
        terminal.wait_for("PAUSED")
        paused = re.search("up [0-9:]+", terminal.text()).group()
        asked = running.show("node")[0]["uptime_s"]
        running.show_until("node", lambda rows: rows[0]["uptime_s"] > asked + 2)
        self.assertEqual(re.search("up [0-9:]+", terminal.text()).group(), paused)
        terminal.keys("p")
        terminal.wait_for("^gbflow top", without=f"PAUSED|{paused} ")
        self.assertEqual(running.stop(), 0)

    def test_a_node_that_ends_and_comes_back(self):
        running = self.serve(**test_start.RING)
        terminal = self.open(running)
        running.process.send_signal(signal.SIGKILL)
        running.reader.join(5)
        running.process.wait()
        running.process.stderr.close()
        running.process.stdout.close()
        terminal.wait_for(r"^no answer: .*(refused|ended|No such|reset).*; tries again$")
        running.start()
        running.wait_for("running")
        terminal.wait_for("^the node has restarted$")
        terminal.wait_for("^Enter opens a row")
        terminal.keys("q")
        self.assertEqual(terminal.status(), 0)
        self.assertEqual(running.stop(), 0)

    def test_no_node(self):
        missing = subprocess.run([screen.program(), "top", "--prefix", f"none{os.getpid()}"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((missing.returncode, missing.stdout), (1, ""))
        self.assertRegex(missing.stderr, r"\Agbflow top: no running node at /\S+: No such file or directory; (none runs|running: --prefix [^\n]*)\n\Z")


class Slow(unittest.TestCase):
    """A process whose answers take long."""

    def serve(self, sock):
        while True:
            peer, _ = sock.accept()
            with peer, contextlib.suppress(OSError):
                peer.send(b"{}")
                self.answer(peer)

    def answer(self, peer):
        """Until it asks no more; who looks for processes reads the greeting alone."""
        for number in itertools.count():
            question = peer.recv(1024).decode()
            if not question:
                return
            if number > 0:  # the one that finds out what it is
                self.may_answer.wait(screen.WAIT_S)
            name, _, first = question.partition(",")
            peer.send(json.dumps({name: [["uptime_s"], ["n"], *[["1"]][int(first or 0):]]}).encode())

    def test_it_is_told(self):
        folder, self.may_answer = tempfile.TemporaryDirectory(prefix="gbflow-top-"), threading.Event()
        self.addCleanup(folder.cleanup)
        os.makedirs(os.path.join(folder.name, "dpdk", "n"))
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(sock.close)
        sock.bind(os.path.join(folder.name, "dpdk", "n", "gbflow_telemetry.v2"))
        sock.listen(1)
        threading.Thread(target=self.serve, args=(sock,), daemon=True).start()
        self.addCleanup(self.may_answer.set)
        terminal = screen.Terminal(self, dict(os.environ, RUNTIME_DIRECTORY=folder.name))
        terminal.run(f"{screen.program()} top --prefix n")
        terminal.wait_for(r"^reading takes long: \d+ s so far$")
        self.may_answer.set()
        terminal.wait_for("^gbflow top  node n", without="takes long")
        terminal.keys("C-c")
        self.assertEqual(terminal.status(), 0)


class Queue(test_walk.Case):
    """A node whose mobile has a queue."""

    start, overload, overloaded = test_watch.Watch.start, test_watch.Watch.overload, test_watch.Watch.overloaded

    def test_queue_bucket_and_drops(self):
        self.start()
        self.overloaded()
        terminal = screen.Terminal(self, self.node.environment(), size=(120, 40))
        terminal.run(top(self.node))
        terminal.wait_for(f"^gbflow top  node {self.node.prefix}")
        shown = terminal.wait_for(r"^262420000000001 c0000001 1800 +\d+ +\d{4} +own bucket +\d+%")
        queue, full = map(int, re.search(r"^262420000000001 c0000001 1800 +(\d+) +\d+ +own bucket +(\d+)%", shown, re.MULTILINE).groups())
        self.assertTrue(test_watch.LIMIT // 2 < queue <= test_watch.LIMIT and 0 < full <= 100, shown)
        self.assertRegex(shown, r"(?m)^ 1800 unblocked +\d+ .* 1600 ")
        self.overload(2)
        terminal.wait_for(r"^dropped .*queue_full \d+")
        terminal.keys("5")
        terminal.wait_for(r"^queue_full +npdu +gn +\S+ +\d+")
        terminal.keys("3", "Enter")
        page = terminal.wait_for("^mobiles: 262420000000001 c0000001")
        self.assertRegex(page, rf"bucket level, octets; Bmax is the top: now \d+, most \d+\n +{test_watch.BUCKET}\b")
        self.assertRegex(page, r"(?m)^queue, octets: now [1-9]")
        self.assertRegex(page, r"waits for own bucket\b")
        self.assertRegex(page, r"\bown % [1-9]\d*   PFC % 0\b")
        terminal.wait_for("[▁▂▃▄▅▆▇█]{5}")
        done = once(self.node, "--table", "mobiles")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^262420000000001 c0000001 1800 +\d")
        self.assertEqual(self.node.stop(), 0)


class Bss(test_emulate.Case):
    """`gbflow emulate` with a download over its radio."""

    def test_cells_mobiles_and_radio_blocks(self):
        self.bring_up({"cell": 'pdchs = 1, coding = "CS-1"', "words": ("--prefix", "bss")})
        self.bss.prefix = "bss"
        terminal = screen.Terminal(self, self.bss.environment(), size=(130, 30))
        terminal.run(top(self.bss))
        terminal.wait_for("^gbflow top  BSS bss  NSEI 101")
        with self.lab.inside("ggsn"):
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(sender.close)
        for _ in range(60):
            sender.sendto(bytes(500), (node.ADDRESS, 9))
        shown = terminal.wait_for(r"^10\.45\.0\.1 +c0000001 1800 +\d+ +\d{3,} +[1-9]")
        self.assertRegex(shown, r"(?m)^downlink +\S+bit/s +[1-9]\S* radio blocks/s")
        terminal.wait_for(r"^ 1800 yes +[1-9]\d* .* (9\d|100)% ")
        terminal.keys("3", "Enter")
        terminal.wait_for(r"^mobiles: 10\.45\.0\.1\n(.*\n)*downlink queue, octets: now \d{3}")
        rows = self.bss.show("bss_cells")
        self.assertEqual((rows[0]["bvci"], rows[0]["in_service"]), (1800, "yes"))
        self.check_protocol()
        terminal.keys("q")
        self.assertEqual(terminal.status(), 0)
        self.assertEqual(self.bss.stop(signal.SIGTERM), 0)
        self.assertEqual(self.node.stop(), 0)

    def check_protocol(self):
        """As DPDK's telemetry: a greeting, then an object by the command; strange commands are answered, too."""
        path = os.path.join(self.bss.runtime, "dpdk", "bss", "gbflow_telemetry.v2")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.settimeout(60)
            sock.connect(path)
            self.assertEqual(json.loads(sock.recv(1024))["max_output_len"], 16384)
            for command, expected in (("/gbflow/bss_cells", {"rows": 1}), ("/gbflow/table/x,0", None), ("/", None), ("x" * 2000, None),
                                      ("/gbflow/bss_mobiles,9", {}), ("\xff\n", None)):
                sock.send(command.encode("latin-1"))
                answer = json.loads(sock.recv(65536))
                self.assertEqual(list(answer.values())[0] if "error" not in answer else None, expected, answer)
            sock.send(b"/gbflow/bss_mobiles,0")
            self.assertEqual(json.loads(sock.recv(65536))["/gbflow/bss_mobiles"]["tlli"], "c0000001")


if __name__ == "__main__":
    unittest.main()
