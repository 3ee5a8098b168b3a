# SPDX-License-Identifier: BSD-3-Clause
"""docs/compression.md, "A live node": its commands, in a lab with a name of this process."""
import os
import re
import shutil
import subprocess
import tempfile

import lab
import lab_command
import node

PAGE = os.path.join(node.ROOT, "docs", "compression.md")
BEGIN, END = "### A live node", "## When it helps"
SHOWN = "=== "


def section():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    return text[text.index(BEGIN):text.index(END)]


class Page(lab_command.Case):
    def script(self, text):
        """The page's lines; each line of `show` and of TShark has a mark in front of what it prints."""
        lines = re.findall(r"(?m)^ {4}(\S.*)$", text)
        mark = re.compile(r"(build/gbflow show (\w+)|(tshark) )")
        words = [f"echo '{SHOWN}{found[2] or found[3]}'\n{line}" if (found := mark.search(line)) else line for line in lines]
        named = re.sub(r"sudo build/gbflow lab (\w+)", rf"{node.program()} lab \1 --name {self.name}", "\n".join(words))
        named = named.replace("gbflow-lab", self.name).replace("sudo build/gbflow", node.program())
        return named.replace("compressed.pcapng --seconds 10 &", "compressed.pcapng --seconds 10 &\nsleep 2")

    def test_commands(self):
        lab.need(self, None if shutil.which("tshark") and shutil.which("curl") else "needs tshark and curl")
        with tempfile.TemporaryDirectory(prefix="gbflow-page-") as folder:
            done = subprocess.run(["sh", "-ec", self.script(section())], cwd=folder, capture_output=True, text=True, check=False, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        shown = dict(part.split("\n", 1) for part in done.stdout.split(SHOWN)[1:])
        self.assertEqual(list(shown), ["entities", "compression", "compression_kind", "tshark"])
        self.assertEqual([line.split()[4] for line in shown["entities"].splitlines()[1:]], ["rfc1144", "v42bis"] * 2)
        for line in shown["compression_kind"].splitlines()[1:5]:
            kind, direction, n_pdus, before, after = line.split()
            if (kind, direction) != ("v42bis", "uplink"):  # the request alone has text
                self.assertGreater(int(n_pdus), 0, line)
                self.assertLess(int(after), int(before), line)
        rows = [line.split("\t") for line in shown["tshark"].splitlines() if "\t" in line]
        self.assertGreater(len(rows), 5)
        self.assertEqual({bool(int(row[1], 0)) for row in rows}, {True, False})  # ACKs have RFC 1144 alone
        self.assertTrue(all(int(row[1], 0) or int(row[2], 0) for row in rows), rows)
        self.assertEqual(self.namespaces(), [])


if __name__ == "__main__":
    import unittest
    unittest.main()
