# SPDX-License-Identifier: BSD-3-Clause
"""A node that has no descriptor for a while, that many idle clients hold, or that does not answer: `gbflow show` works again, or says
why it does not."""
import contextlib
import glob
import http.client
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import node
import test_start

IDLE, AT_ONCE, WAIT_S = 64, 40, 30
SILENT = r"^gbflow(?: top)?: the process at \S*/n/gbflow_telemetry\.v2 has not answered within 5 s: it is busy or stopped; try again, and look at its log(?:\ngbflow: it may have begun; see gbflow show \w+)?$"
NO_RIGHT = r"\Agbflow(?: top)?: no right to the socket \S*/n/gbflow_telemetry\.v2, which is of the user root; use sudo, or be that user\n\Z"


def sockets(running):
    return glob.glob(os.path.join(running.runtime, "dpdk", running.prefix, "*telemetry.v2"))


def join(path):
    """A client that asks nothing; None: there is no room for it."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
    try:
        sock.connect(path)
        return sock
    except OSError:
        sock.close()
        return None


class Starved(test_start.Case):
    def serve_metrics(self):
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            self.port = sock.getsockname()[1]
        running = node.Node(live_more=f", metrics = {{ port = {self.port} }}", **test_start.RING)  # of this user, who may set its limits
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running

    def health(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def wait_until(self, what):
        end = time.monotonic() + WAIT_S
        while not what():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_without_descriptors_for_a_while(self):
        running = self.serve_metrics()
        before = resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        clients = [join(path) for path in sockets(running) * 3]
        for client in filter(None, clients):
            self.addCleanup(client.close)
        refused = running.run_show("node")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertRegex(refused.stderr, "has not answered within 5 s")
        for client in filter(None, clients):
            client.close()
        resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE, before)
        self.wait_until(lambda: running.run_show("node").returncode == 0)
        self.wait_until(lambda: self.health() == 200)
        for words, status in ((("restart-control",), 0), (("capture", "gb.pcapng"), 0), (("capture", "--stop"), 0), (("top", "--once"), 0)):
            done = subprocess.run([node.program(), *words, "--prefix", running.prefix], capture_output=True, text=True, check=False, timeout=120,
                                  cwd=running.holder.name, env=running.environment(), user=running.user)
            self.assertEqual((done.returncode, done.stderr), (status, ""), words)
        self.assertEqual(running.stop(), 0)

    def test_idle_clients_keep_none_out(self):
        running = self.serve(**test_start.RING)
        for path in sockets(running):
            for _ in range(IDLE):
                client = join(path)
                if client:
                    self.addCleanup(client.close)
        for _ in range(3):
            self.assertEqual(running.run_show("node").stderr, "")
        self.assertEqual(running.stop(), 0)

    def test_forty_at_once(self):
        running = self.serve(**test_start.RING)
        asking = [subprocess.Popen([node.program(), "show", "node", "--prefix", running.prefix], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=running.environment(), user=running.user) for _ in range(AT_ONCE)]
        for process in asking:
            self.addCleanup(process.kill)
        for process in asking:
            out, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, errors), (0, ""))
            self.assertIn("mobiles", out)
        self.assertEqual(running.stop(), 0)

    def test_a_stopped_node_is_told(self):
        running = self.serve(**test_start.RING)
        running.process.send_signal(signal.SIGSTOP)
        self.addCleanup(running.process.send_signal, signal.SIGCONT)
        done = running.run_show("node")
        running.process.send_signal(signal.SIGCONT)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "has not answered within 5 s: it is busy or stopped")
        running.show("node")
        self.assertEqual(running.stop(), 0)

    def test_a_table_of_a_bss(self):
        running = self.serve(**test_start.RING)
        done = running.run_show("bss")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Agbflow: the process at \S*/gbflow_telemetry\.v2 has no table/bss: a node and a BSS have different tables; --prefix NAME selects another\n\Z")
        self.assertEqual(running.stop(), 0)


COMMANDS = (("show", "node"), ("show", "node", "--watch"), ("capture", "x.pcapng"), ("capture", "--stop"), ("restart-control",), ("top", "--once"))


class Silent(unittest.TestCase):
    """A process that takes no client, or greets and answers nothing: every client ends by itself and says so."""

    def check(self, greets, places):
        folder, sock = self.fake_process(places)
        peers = []
        os.link(os.path.join(folder.name, "dpdk", "n", "gbflow_telemetry.v2"), os.path.join(folder.name, "dpdk", "n", "dpdk_telemetry.v2"))
        processes = [subprocess.Popen([node.program(), *words, "--prefix", "n"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      cwd=folder.name, env=dict(os.environ, RUNTIME_DIRECTORY=folder.name)) for words in COMMANDS]
        for process in processes:
            self.addCleanup(process.kill)
        for _ in COMMANDS if greets else ():
            peers.append(sock.accept()[0])
            self.addCleanup(peers[-1].close)
            peers[-1].send(b"{}")
        for process, words in zip(processes, COMMANDS):
            with self.subTest(words):
                out, errors = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out), (1, ""))
                self.assertRegex(errors, SILENT)

    def fake_process(self, places=16):
        """A runtime folder, and the listening socket of a process n in it."""
        folder = tempfile.TemporaryDirectory(prefix="gbflow-silent-")
        self.addCleanup(folder.cleanup)
        os.makedirs(os.path.join(folder.name, "dpdk", "n"))
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(sock.close)
        sock.bind(os.path.join(folder.name, "dpdk", "n", "gbflow_telemetry.v2"))
        sock.listen(places)
        return folder, sock

    def test_an_order_without_an_answer(self):
        """It may have begun: the message says so, and names the command that shows it."""
        folder, listener = self.fake_process()
        with listener as sock:
            for words, look in ((("page", "262420000000001"), "gbflow show acts"), (("log", "info"), "gbflow log"),
                                (("capture", "--stop"), "gbflow show capture"), (("show", "node"), None)):
                process = subprocess.Popen([node.program(), *words, "--prefix", "n"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           cwd=folder.name, env=dict(os.environ, RUNTIME_DIRECTORY=folder.name))
                self.addCleanup(process.kill)
                asked = b""
                while not asked:  # the first client only looks who is there
                    with sock.accept()[0] as peer:
                        peer.send(b"{}")
                        asked = peer.recv(1000)
                out, errors = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out), (1, ""), words)
                self.assertRegex(errors, "^gbflow: the process at .* ended the connection")
                self.assertEqual(errors.splitlines()[1:], [f"gbflow: it may have begun; see {look}"] if look else [])

    def test_a_busy_process(self):
        folder, listener = self.fake_process()
        with listener as sock:
            for words in (("show", "node"), ("top", "--once")):
                process = subprocess.Popen([node.program(), *words, "--prefix", "n"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           cwd=folder.name, env=dict(os.environ, RUNTIME_DIRECTORY=folder.name))
                self.addCleanup(process.kill)
                sock.settimeout(0.1)
                while process.poll() is None:
                    with contextlib.suppress(TimeoutError), sock.accept()[0] as peer:
                        peer.send(b'{"error": "busy: 64 clients", "kind": "node"}')
                out, errors = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out), (1, ""), words)
                self.assertRegex(errors, r"^gbflow(?: top)?: the process at \S+ is busy: 64 clients; try again\n\Z")

    def test_no_right(self):
        folder = tempfile.mkdtemp(prefix="gbflow-silent-")
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o755)
        os.makedirs(os.path.join(folder, "dpdk"))
        os.mkdir(os.path.join(folder, "dpdk", "n"), 0o700 if os.geteuid() == 0 else 0)
        done = subprocess.run([node.program(), "show", "node", "--prefix", "n"], capture_output=True, text=True, check=False, timeout=60,
                              env=dict(os.environ, RUNTIME_DIRECTORY=folder), user="nobody" if os.geteuid() == 0 else None)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, NO_RIGHT)

    def test_a_process_of_another_user(self):
        """Where the folder of nodes is closed to this user, the kernel tells which processes listen in it."""
        if os.geteuid() != 0:
            self.skipTest("only root can be another user")
        folder, listener = self.fake_process()
        with listener:
            os.chmod(folder.name, 0o755)
            os.chmod(os.path.join(folder.name, "dpdk"), 0o700)
            for words in (("show", "node"), ("reload",), ("log",), ("capture", "--stop"), ("restart-control",), ("top", "--once")):
                for prefix in ((), ("--prefix", "n")):
                    done = subprocess.run([node.program(), *words, *prefix], capture_output=True, text=True, check=False, timeout=60, cwd="/",
                                          env=dict(os.environ, RUNTIME_DIRECTORY=folder.name), user="nobody", extra_groups=[])
                    self.assertEqual((done.returncode, done.stdout), (1, ""), (words, done.stderr))
                    self.assertRegex(done.stderr, NO_RIGHT, words)

    def test_no_answer(self):
        self.check(True, 16)

    def test_no_greeting(self):
        self.check(False, 16)

    def test_no_place(self):
        self.check(False, 0)


if __name__ == "__main__":
    unittest.main()
