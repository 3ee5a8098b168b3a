# SPDX-License-Identifier: BSD-3-Clause
"""A process that sends what a terminal obeys, or rows without end: no command hands it on."""
import contextlib
import json
import os
import pty
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import node

FILE = "gbflow_telemetry.v2"
BAD = "x\x1b[2J\x9bm\u202ey"
SEEN = "x?[2J?m?y"
ROW = "r" * 60000
TABLE = [["name"], ["s"], [BAD]]


class Fake(threading.Thread):
    """Answers with texts that a terminal would obey."""

    def __init__(self, folder, name):
        super().__init__(daemon=True)
        path = Path(folder, "dpdk", name, FILE)
        path.parent.mkdir(parents=True)
        self.answers = 0
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.bind(str(path))
        self.sock.listen()
        self.start()

    def answer(self, peer, command, first):
        say = lambda answer: peer.send(json.dumps({command: answer}, ensure_ascii=False).encode())
        if command == "/gbflow/table/bvc":
            say(TABLE[:3 - min(int(first), 1)])
        elif command == "/gbflow/table/config":
            say([["key", "value"], ["s", "s"], ["gb.port", "a"], ["gb.x", "b"], ["gn.port", "c"]] if first == "0" else [["key", "value"], ["s", "s"]])
        elif command == "/gbflow/table/control":
            say(TABLE[:3 - min(int(first), 1)])
        elif command == "/gbflow/table/link":
            say([["nsei", "worker"], ["s", "s"], ["1", "2"]][:3 - min(int(first), 1)])
        elif command == "/gbflow/table/ms":
            say([["name"], ["s"], [ROW]])
        elif command == "/gbflow/subscriber":
            say({BAD: {BAD: BAD}, "events": [{BAD: BAD}]} if first == "1" else {"error": BAD})
        elif command in ("/gbflow/table/nse", "/gbflow/capture_start"):
            peer.send(json.dumps({"error": "no memory"}).encode())
        elif command in ("/gbflow/table/drops", "/gbflow/capture_stop", "/gbflow/reload"):
            say({"error": "no memory"})
        elif command == "/gbflow/act":
            say({"result": "ok"})
        elif command == "/gbflow/acted":
            say({"state": "done", "result": BAD})
        elif command == "/gbflow/log_follow":
            say({"result": "ok"})
            peer.send(BAD.encode())
        else:
            say({"result": BAD})
        self.answers += 1

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.sock.accept()
                with peer, contextlib.suppress(OSError):
                    peer.send(json.dumps({"version": BAD, "pid": 1, "kind": "node"}, ensure_ascii=False).encode())
                    while question := peer.recv(1024).decode():
                        self.answer(peer, *(question.split(",", 1) + [""])[:2])
                        if question.startswith("/gbflow/log_follow"):
                            break


# Words of a command, its status, and what it prints among others.
COMMANDS = [
    (("show", "bvc"), 0, SEEN),
    (("show", "subscriber", "1"), 0, SEEN),
    (("show", "subscriber", "1", "--json"), 0, "x\\u001B[2J\\u009Bm\\u202Ey"),
    (("show", "subscriber", "2"), 1, SEEN),
    (("page", "262420000000001"), 0, SEEN),
    (("log", "debug"), 1, SEEN),
    (("log", "--follow"), 1, SEEN),
    (("restart-control",), 1, SEEN),
]


class Escapes(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-escapes-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.fake = Fake(self.folder, "n")
        self.addCleanup(self.fake.sock.close)
        self.environment = dict(os.environ, RUNTIME_DIRECTORY=self.folder, TERM="dumb", HOME=self.folder)

    def run_gbflow(self, *words, **values):
        done = subprocess.run([node.program(), *words], capture_output=True, text=True, check=False, timeout=60, env=self.environment, **values)
        for text in (done.stdout, done.stderr):
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
        return done

    def test_texts_of_a_process(self):
        for words, status, part in COMMANDS:
            with self.subTest(words):
                done = self.run_gbflow(*words)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(part, done.stdout + done.stderr)

    def test_error_of_a_process(self):
        for words in (("show", "nse"), ("show", "drops"), ("capture", "f"), ("capture", "--stop"), ("reload",)):
            done = self.run_gbflow(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            self.assertRegex(done.stderr, r"\Agbflow: (\S+: )?no memory\n\Z", words)

    def test_columns_in_the_order_asked(self):
        self.assertEqual(self.run_gbflow("show", "link", "--columns", "worker,nsei").stdout.split(), ["worker", "nsei", "2", "1"])
        self.assertEqual(self.run_gbflow("show", "link", "--columns", "nsei").stdout.split(), ["nsei", "1"])
        rows = self.run_gbflow("show", "link", "--json", "--columns", "worker,nsei").stdout
        self.assertEqual([list(row.items()) for row in json.loads(rows)], [[("worker", "2"), ("nsei", "1")]])

    def test_keys_that_begin_so(self):
        self.assertEqual(self.run_gbflow("show", "config", "gb.").stdout.split(), ["key", "value", "gb.port", "a", "gb.x", "b"])
        self.assertEqual(json.loads(self.run_gbflow("show", "config", "gn", "--json").stdout), [{"key": "gn.port", "value": "c"}])
        done = self.run_gbflow("show", "config", "gc")
        self.assertEqual((done.returncode, done.stderr), (1, "gbflow show: config: no key begins with 'gc'; gbflow show config lists all\n"))
        self.assertEqual([self.run_gbflow("show", "config", *words).returncode for words in (("gb", "gn"), ("gb", "--file"))], [2, 2])

    def test_names_of_processes(self):
        """One whose name no process may have is passed over."""
        Fake(self.folder, "m\x1b[2J")
        self.assertEqual(self.run_gbflow("show", "bvc").returncode, 0)
        Fake(self.folder, "m")
        self.assertIn("2 nodes run: m (", self.run_gbflow("show", "bvc").stderr)

    def test_a_prefix(self):
        for prefix, shown in (("a/b", "a/b"), ("../n", "../n"), ("a\x1b[2J", "a?[2J"), ("", "")):
            for words in (("show", "bvc"), ("page", "262420000000001"), ("console",), ("top", "--once")):
                done = self.run_gbflow(*words, "--prefix", prefix)
                self.assertEqual((done.returncode, done.stdout), (1, ""), words)
                self.assertIn("; give the eal.prefix of a node", done.stderr)
                if words[0] != "top":
                    self.assertIn(f"--prefix: '{shown}': must be 1 to 30 letters", done.stderr)

    def test_rows_without_end(self):
        done = self.run_gbflow("show", "ms")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("invalid answer of the node", done.stderr)
        self.assertLess(self.fake.answers, 100)

    def test_greeting_of_a_console(self):
        terminal, other = pty.openpty()
        self.addCleanup(os.close, terminal)
        with subprocess.Popen([node.program(), "console"], stdin=other, stdout=other, stderr=other, env=self.environment) as console:
            os.close(other)
            said = b""
            while b"may" not in said:
                said += os.read(terminal, 4096)
            console.kill()
        self.assertIn(SEEN.encode(), said)
        self.assertNotIn(b"\x1b[2J", said)


if __name__ == "__main__":
    unittest.main()
