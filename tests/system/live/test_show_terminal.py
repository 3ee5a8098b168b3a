# SPDX-License-Identifier: BSD-3-Clause
"""gbflow show at a terminal: the columns that fit its width, one row as a line for each value; elsewhere all columns."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest

import node

MORE = node.MOBILE.replace("262420000000001", "262420000000002").replace("0xC0000001", "0xC0000002").replace("0x1001", "0x1002") \
    .replace("0x2001", "0x2002").replace("10.45.0.1", "10.45.0.2")


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = node.Node(gn="net_ring0", gb="net_ring1", mobiles=node.MOBILE + ", " + MORE)
        cls.addClassCleanup(cls.node.kill)
        cls.node.wait_for("running")

    def command(self, *words):
        return [node.program(), "show", *words, "--prefix", self.node.prefix]

    def at(self, width, *words):
        """What it writes at a terminal of this width, as lines."""
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        text = b""
        with subprocess.Popen(self.command(*words), stdin=there, stdout=there, stderr=there, env=self.node.environment()) as process:
            os.close(there)
            try:
                while part := os.read(here, 65536):
                    text += part
            except OSError:  # its end
                pass
            self.assertEqual(process.wait(60), 0, text)
        os.close(here)
        return text.decode().replace("\r", "").splitlines()

    def elsewhere(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, check=True, timeout=60,
                              env=self.node.environment()).stdout.splitlines()

    def test_what_fits(self):
        """By importance, in the table's order; the last line counts the others."""
        whole = self.elsewhere("ms")[0].split()
        for width, wanted in ((80, "imsi tlli bvci state waits_for"), (120, "imsi tlli bvci state sent dropped queued_npdus waits_for"),
                              (20, "imsi")):
            with self.subTest(width):
                lines = self.at(width, "ms")
                names = lines[0].split()
                self.assertEqual([name for name in names if name in wanted.split()], wanted.split())
                self.assertLessEqual(max(map(len, lines[:-1])), width)
                self.assertEqual((len(lines), lines[-1]), (4, f"({len(names)} of {len(whole)} columns; --columns all has the others)"))
                self.assertEqual(names, [name for name in whole if name in names])

    def test_all(self):
        """--columns all, a width of all, and no terminal have the same columns; given ones are given."""
        whole = self.elsewhere("ms")
        self.assertEqual(self.elsewhere("ms", "--columns", "all")[0], whole[0])
        self.assertEqual(self.at(80, "ms", "--columns", "all")[0], whole[0])
        self.assertEqual(self.at(1000, "ms")[0], whole[0])
        self.assertEqual(len(self.at(1000, "ms")), 3)
        self.assertEqual(self.at(10, "ms", "--columns", "imsi,tlli")[1].split(), ["262420000000001", "c0000001"])

    def test_one_row(self):
        """A value a line, without those that a table would leave out."""
        names = self.elsewhere("llc")[0].split()
        lines = self.at(80, "llc")
        self.assertEqual([line.split(":")[0] for line in lines], names)
        self.assertTrue(all(line.split(": ")[1].strip() for line in lines), lines)
        self.assertEqual(self.at(1000, "llc"), self.elsewhere("llc"))

    def test_each_table(self):
        """No line of a table is longer than the terminal is wide; its first column is there."""
        named = subprocess.run([node.program(), "fields", "show"], capture_output=True, text=True, check=True, timeout=60).stdout
        tables = {line[:-2] for line in named.splitlines() if line.endswith("[]") and " " not in line}
        self.assertGreater(len(tables), 20)
        for table in sorted(tables - {"subscriber"}):
            with self.subTest(table):
                lines = self.at(100, table)
                first = self.elsewhere(table)[0].split()[0]
                self.assertEqual(lines[0].split(":")[0].split()[0], first)
                if not any(":" in line for line in lines[:1]):
                    self.assertLessEqual(len(lines[0]), 100)

    def test_json(self):
        self.assertEqual(self.at(80, "nse", "--json"), self.elsewhere("nse", "--json"))


if __name__ == "__main__":
    unittest.main()
