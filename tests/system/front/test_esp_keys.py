# SPDX-License-Identifier: BSD-3-Clause
"""The file of keys of ESP: what gbflow check says of it."""
import os
import pathlib
import subprocess
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
NODE = (ROOT / "config/nodes/live-lab.lua").read_text(encoding="utf-8")
KEY = "0123456789abcdef0123456789abcdef01234567"


def sa(direction, spi, key=None, more=""):
    key = key or (KEY if direction == "out" else KEY[::-1])
    ends = ("192.0.2.1", "192.0.2.2") if direction == "out" else ("192.0.2.2", "192.0.2.1")
    return f'{{ name = "ggsn", direction = "{direction}", spi = {spi}, from = "{ends[0]}", to = "{ends[1]}", key = "{key}"{more} }}'


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gbflow-keys-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.keys = self.folder / "esp.keys"

    def run_program(self, *words, **more):
        return subprocess.run([GBFLOW, *map(str, words)], capture_output=True, text=True, check=False, timeout=60, cwd=self.folder, **more)

    def check_node(self, *words):
        esp = f'return {{\n  esp = {{ keys = "{self.keys.name}", gn = {{ rules = {{ {{ remote = "192.0.2.2", sas = "ggsn" }} }} }} }},'
        node = self.folder / "node.lua"
        node.write_text(NODE.replace("return {", esp, 1), encoding="utf-8")
        return self.run_program("check", *words, node)

    def write_keys(self, *associations, mode=0o600):
        self.keys.write_text(f"return {{ sas = {{ {', '.join(associations)} }} }}\n", encoding="utf-8")
        self.keys.chmod(mode)


class Check(Case):
    def test_right(self):
        self.write_keys(sa("out", 0x1001), sa("in", 0x2001))
        done = self.check_node()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(", 2 associations", done.stdout)

    def test_wrong(self):
        """Each message has the place, and no key."""
        for associations, mode, message in (
                ((sa("out", 0x1001), sa("in", 0x2001, key=KEY[:-2])), 0o600, r"esp\.keys:1: sas\[2\]\.key: has 38 digits; aes-gcm-128 has 40"),
                ((sa("out", 0x1001),), 0o600, r"'ggsn' has no association of direction in"),
                ((sa("out", 0x1001), sa("in", 0x2001, more=', mode = "tunel"')), 0o600, r"sas\[2\]\.mode: .*tunnel"),
                ((sa("out", 0x1001), sa("in", 0x2001)), 0o640, r"others may read or write the keys of ESP: chmod 600")):
            with self.subTest(message):
                self.write_keys(*associations, mode=mode)
                done = self.check_node()
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, message)
                self.assertNotIn(KEY[:16], done.stdout + done.stderr)

    def test_no_file(self):
        done = self.check_node()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^warning: .*esp\.keys: No such file or directory; the associations of esp\.keys are not checked\n$")


if __name__ == "__main__":
    unittest.main()
