# SPDX-License-Identifier: BSD-3-Clause
"""Commands without --prefix: no node, one, two; sockets that nothing answers at; nodes of services and of users."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import node
import test_walk

COMMANDS = [("show", "bvc"), ("log",), ("top", "--once"), ("capture", "--stop"), ("restart-control",)]
FILE = "gbflow_telemetry.v2"


class Only(test_walk.Case):
    def run_at(self, runtime, *words):
        return subprocess.run([node.program(), *words], capture_output=True, text=True, check=False, timeout=60,
                              env=dict(os.environ, RUNTIME_DIRECTORY=runtime))

    def test_none_one_two(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-only-")
        self.addCleanup(holder.cleanup)
        stale = Path(holder.name, "dpdk", "stale")
        stale.mkdir(parents=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.bind(str(stale / FILE))
            sock.listen()
        for words in COMMANDS:
            done = self.run_at(holder.name, *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            self.assertRegex(done.stderr, r"\Agbflow(?: top)?: no node or BSS runs: no socket answers in \S+/dpdk; start one, .*\n\Z", words)
        first = self.start(holder.name)
        for words in COMMANDS:
            done = self.run_at(holder.name, *words)
            self.assertNotIn("no node", done.stderr, words)
            self.assertEqual(done.returncode, words[0] == "capture", (words, done.stderr))
        self.assertIn("no capture is running", self.run_at(holder.name, "capture", "--stop").stderr)
        second = self.start(holder.name, text=node.TEXT.replace("198.51.100.1", "198.51.100.3"),
                            gn="net_memif0,role=server,socket=x.sock", gb="net_memif1,role=server,socket=y.sock")
        for words in COMMANDS:
            done = self.run_at(holder.name, *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            for running in (first, second):
                self.assertIn(f"{running.prefix} ({holder.name}/dpdk/{running.prefix}/{FILE})", done.stderr)
            self.assertTrue(done.stderr.endswith("; select one with --prefix NAME\n"), done.stderr)
            self.assertNotIn("stale", done.stderr)
        self.assertEqual(self.run_at(holder.name, "show", "bvc", "--prefix", first.prefix).returncode, 0)
        for running in (first, second):
            self.assertEqual(running.stop(), 0)

    def start(self, runtime, **values):
        running = node.Node(self.lab, runtime=runtime, **values)
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running


class Process(threading.Thread):
    """The socket of a process with a table of one row, its name; one with a result gives each order that answer."""

    def __init__(self, folder, name, kind, result=None):
        super().__init__(daemon=True)
        self.name_, self.kind, self.result, self.path = name, kind, result, Path(folder, name, FILE)
        self.path.parent.mkdir(parents=True)
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.bind(str(self.path))
        self.sock.listen()
        self.start()

    def run(self):
        while True:
            peer, _ = self.sock.accept()
            with peer, contextlib.suppress(OSError):
                peer.send(json.dumps({"version": "x", "pid": 1, "max_output_len": 16384, "kind": self.kind}).encode())
                while question := peer.recv(1024).decode():
                    command, _, first = question.partition(",")
                    table = [["name"], ["s"], [self.name_]]
                    peer.send(json.dumps({command: {"result": self.result} if self.result else table[:3 - min(int(first), 1)]}).encode())


# Folder, name and kind of each process; a table; what is printed, or a part of the error.
PLACES = [
    ([("/run/gbflow/dpdk", "service", "node")], "bvc", "service"),
    ([("/run/gbflow/one/dpdk", "own", "node")], "bvc", "own"),
    ([("/run/dpdk", "root", "node")], "bvc", "root"),
    ([("/run/user/1000/dpdk", "user", "node")], "bvc", "user"),
    ([("/run/dpdk", "node", "node"), ("/run/gbflow/dpdk", "bss", "BSS")], "bvc", "node"),
    ([("/run/dpdk", "node", "node"), ("/run/gbflow/dpdk", "bss", "BSS")], "bss", "bss"),
    ([("/run/dpdk", "bss", "BSS")], "bvc", "bss"),
    ([("/run/dpdk", "a", "node"), ("/run/gbflow/dpdk", "b", "node")], "bvc", "2 nodes run: a (/var/run/dpdk/a/gbflow_telemetry.v2), "
        "b (/run/gbflow/dpdk/b/gbflow_telemetry.v2); select one with --prefix NAME"),
    ([("/run/dpdk", "a", "node"), ("/run/gbflow/dpdk", "a", "node")], "bvc", "; set RUNTIME_DIRECTORY to the folder above dpdk of one of them"),
    ([("/run/dpdk", "a", "BSS"), ("/run/gbflow/dpdk", "b", "BSS")], "bss", "2 BSSs run: a ("),
    ([], "bvc", "no node or BSS runs: no socket answers in /var/run/dpdk, /run/gbflow/dpdk, /run/gbflow/*/dpdk, /run/user/*/dpdk; start one"),
]


def look(number):
    """In a /run of its own."""
    processes, table, want = PLACES[number]
    running = [Process(*process) for process in processes]
    done = subprocess.run([node.program(), "show", table], capture_output=True, text=True, check=False, timeout=60)
    is_right = want in done.stderr if done.returncode else done.stdout.split() == ["name", want]
    for process in running if done.returncode == 0 else []:
        named = subprocess.run([node.program(), "show", "bvc", "--prefix", process.name_], capture_output=True, text=True, check=False, timeout=60)
        is_right = is_right and named.stdout.split() == ["name", process.name_]
    print(done.stdout, done.stderr)
    return 0 if is_right else 1


class Places(unittest.TestCase):
    def test_a_refusal_has_no_control_characters(self):
        with tempfile.TemporaryDirectory(prefix="gbflow-only-") as folder:
            Process(os.path.join(folder, "dpdk"), "strange", "node", result="no\x1b[2J\n")
            done = subprocess.run([node.program(), "capture", "--stop"], capture_output=True, text=True, check=False, timeout=60,
                                  env=dict(os.environ, RUNTIME_DIRECTORY=folder))
        self.assertEqual((done.returncode, done.stderr), (1, "gbflow: no?[2J?\n"))

    def test_places(self):
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no right to a mount namespace")
        environment = {key: value for key, value in os.environ.items() if key not in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR")}
        for number, row in enumerate(PLACES):
            inside = f"mount -t tmpfs tmpfs /run && exec {sys.executable} {os.path.abspath(__file__)} {number}"
            done = subprocess.run(["unshare", "--mount", "sh", "-c", inside], capture_output=True, text=True, check=False, timeout=120, env=environment)
            self.assertEqual(done.returncode, 0, (row, done.stdout, done.stderr))


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].isdigit():
        sys.exit(look(int(sys.argv[1])))
    unittest.main()
