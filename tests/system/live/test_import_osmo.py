# SPDX-License-Identifier: BSD-3-Clause
"""gbflow import-osmo: the configurations of the package osmo-sgsn become nodes that gbflow check accepts and that start; each
command and line that the installed osmo-sgsn knows has a row in docs/from-osmo-sgsn.md and docs/reference/osmo-sgsn.md."""
import glob
import os
import re
import socket
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

import lab
import node
import osmo_sgsn

PACKAGED = ["/etc/osmocom/osmo-sgsn.cfg", *sorted(glob.glob("/usr/share/doc/osmo-sgsn/examples/*.cfg"))]
NAMESPACE = "{urn:osmocom:xml:libosmocore:vty:doc:1.0}"
CATEGORIES = re.compile(r"\(mm\|[a-z0-9|]+\)")
SMALL = "ns\n bind udp local\n  listen 127.0.0.1 23000\n  accept-ipaccess\nsgsn\n gtp local-ip 127.0.0.1\n" \
        " ggsn 0 remote-ip 127.0.0.2\n auth-policy accept-all\n"
VTY_PORT = 4245
FROM, ROWS = "docs/from-osmo-sgsn.md", "docs/reference/osmo-sgsn.md"


def run(*words):
    return subprocess.run([node.program(), *words], capture_output=True, text=True, check=False, timeout=120)


def of_vty():
    """The commands of the installed osmo-sgsn by the node of its VTY."""
    said = subprocess.run(["osmo-sgsn", "--vty-ref-mode", "expert", "--vty-ref-xml"], capture_output=True, check=True, timeout=60)
    tree = xml.etree.ElementTree.fromstring(said.stdout)
    return {part.get("id"): {CATEGORIES.sub("CATEGORY", command.get("id")) for command in part.findall(NAMESPACE + "command")}
            for part in tree.findall(NAMESPACE + "node")}


def until(attempt, timeout_s=30):
    end = time.monotonic() + timeout_s
    while True:
        try:
            return attempt()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def of_tables(text):
    """What stands as code in the first column of tables."""
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    cells = [re.split(r"(?<!\\)\|", row)[1].replace("\\|", "|") for row in rows]
    return {word for cell in cells for word in re.findall("`([^`]+)`", cell)}


def of_page(path):
    """That of osmo-sgsn 1.9, and of the section that says what 1.13 has besides."""
    with open(os.path.join(node.ROOT, path), encoding="utf-8") as file:
        before, newer, after = re.split(r"^##+ [^\n]*osmo-sgsn 1\.13\n(.*?)(?=^## )", file.read(), flags=re.MULTILINE | re.DOTALL)
    return of_tables(before + after), of_tables(newer)


def is_1_9():
    said = subprocess.run(["osmo-sgsn", "--version"], capture_output=True, text=True, check=True, timeout=60)
    return "version 1.9." in said.stdout + said.stderr


class Rows(unittest.TestCase):
    def setUp(self):
        lab.need(self, osmo_sgsn.missing())

    def test_each_line_has_a_row(self):
        vty = of_vty()
        lines = set().union(*(vty[name] for name in vty if name.startswith("config")))
        self.assertGreater(len(lines), 150)
        self.check(lines, ROWS, lambda row: row in vty["_common_cmds_"] | {"exit", "end", "show history"})

    def test_each_command_has_a_row(self):
        vty = of_vty()
        commands = vty["view"] | vty["enable"] | vty["_common_cmds_"]
        self.assertGreater(len(commands), 80)
        self.check(commands, FROM, lambda row: row.startswith(("gn.", "gb.", "nses", "phones.")))

    def check(self, known, path, is_other):
        """known: to the installed osmo-sgsn. is_other: a row of the page that is none of these."""
        rows, newer = of_page(path)
        if not is_1_9():
            self.assertEqual(sorted(newer - known), [])
            self.assertEqual(sorted(known - rows - newer), [])
            return
        self.assertEqual(sorted(known - rows), [])
        self.assertEqual([row for row in sorted(rows - known) if not is_other(row)], [])


class Import(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-import-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def convert(self, *words):
        done = run("import-osmo", *words)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^gbflow import-osmo: \d+ lines of osmo-sgsn: \d+ have a key or need none, \d+ are comments with the reason\n$")
        checked = run("check", self.file("node.lua", done.stdout))
        self.assertEqual(checked.returncode, 0)
        self.assertRegex(checked.stderr, r"\A(warning: \S+ \S+: [\d.]+ is a loopback address: .*\n)*\Z")
        return done.stdout

    def test_packaged(self):
        """Each line of the file is a key or a comment; the node starts."""
        missing = [path for path in PACKAGED if not os.path.exists(path)]
        lab.need(self, lab.missing() or len(PACKAGED) < 2 and "needs the examples of the package osmo-sgsn"
                 or missing and f"needs {missing[0]} of the package osmo-sgsn")
        for path in PACKAGED:
            with self.subTest(path):
                self.start(self.convert(path))
                self.start(self.convert("--one-host", path))

    def test_written(self):
        """What a running osmo-sgsn writes of its configuration, with all defaults."""
        lab.need(self, lab.missing() or osmo_sgsn.missing())
        place = lab.Lab()
        self.addCleanup(place.close)
        path = os.path.join(self.folder, "written.cfg")
        running = subprocess.Popen(place.command("node", "osmo-sgsn", "-c", self.file("start.cfg", "line vty\n no login\n" + SMALL)),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(running.wait, 60)
        self.addCleanup(running.kill)
        with place.inside("node"):
            vty = until(lambda: socket.create_connection(("127.0.0.1", VTY_PORT), 5))
        self.addCleanup(vty.close)
        vty.sendall(f"enable\nwrite file {path}\n".encode())
        until(lambda: os.stat(path))
        text = self.convert(path)
        self.assertIn("'logging level mm notice'", text)
        self.assertNotIn("has no such line", text)

    def test_small(self):
        lab.need(self, lab.missing())
        self.start(self.convert(self.file("small.cfg", SMALL)))

    def start(self, text):
        place = lab.Lab()
        self.addCleanup(place.close)
        more = 'return {\n  eal = { prefix = "%(prefix)s", huge_pages = "no" }, limits = { npdu_buffers = 2047 },\n'
        live = node.Node(place, text.replace("%", "%%").replace("return {\n", more))
        self.addCleanup(live.kill)
        live.wait_for("running")
        self.assertEqual(live.stop(), 0)

    def test_errors(self):
        for name, text, words in (("empty", "", "no line of osmo-sgsn 1.9 is in it"), ("binary", bytes(range(256)), ":1: octet 1 of the line is 0x00: not text"),
                                  ("huge", SMALL * 20000, ": is longer than 1000000 octets"),
                                  ("deep", "".join(" " * i + "x\n" for i in range(1, 900)), "no line of osmo-sgsn 1.9 is in it"),
                                  ("random", os.urandom(100000), ": not text")):
            with self.subTest(name):
                done = run("import-osmo", self.file(name + ".cfg", text))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(words, done.stderr)
        for words in ([], ["a", "b"], [os.path.join(self.folder, "none")], [self.folder]):
            done = run("import-osmo", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main()
