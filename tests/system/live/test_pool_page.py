# SPDX-License-Identifier: BSD-3-Clause
"""docs/pool.md, "An upgrade without a break": its commands one after the other, in a lab with a name of this process."""
import json
import os
import re
import shutil
import subprocess
import time
import unittest

import hlr
import lab
import lab_command
import node

PAGE = os.path.join(node.ROOT, "docs", "pool.md")
BEGIN, END = "## An upgrade without a break", "## Failures"
PHONES, BACK, WAIT_S = 20, 10, 90


def commands():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    lines = re.findall(r"(?m)^ {4}(\S.*)$", text[text.index(BEGIN):text.index(END)])
    return [line for line in lines if not line.startswith("OsmoGbProxy")]


class Page(lab_command.Case):
    def mine(self, line):
        line = re.sub(r"^gbflow lab ([\w-]+)", rf"gbflow lab \1 --name {self.name}", line)
        return re.sub(r"^gbflow", node.program(), line).replace("gbflow-lab", self.name)

    def count(self, name):
        shown = subprocess.run([node.program(), "show", "subscribers", "--json", "--prefix", f"{self.name}-{name}"], capture_output=True,
                               text=True, check=True)
        return sum(row["state"] == "registered" for row in json.loads(shown.stdout))

    def after(self, line):
        """What the page says about the state behind a command."""
        if " drain " in line:
            self.assertEqual((self.count("node1"), self.count("node2")), (0, PHONES))
        elif "--to 1" in line:
            end = time.monotonic() + WAIT_S
            while (self.count("node1"), self.count("node2")) != (BACK, PHONES - BACK):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.1)

    def test_commands(self):
        for reason in (hlr.missing(), None if shutil.which("ping") else "needs the program ping"):
            lab.need(self, reason)
        said = {}
        for line in commands():
            done = subprocess.run(["sh", "-c", self.mine(line)], capture_output=True, text=True, check=False, timeout=200,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, (line, done.stdout + done.stderr))
            said[line.split(" --")[0]] = done.stdout
            self.after(line)
        with open(f"/run/{self.name}/node1.lua", encoding="utf-8") as file:
            self.assertIn('scheme = "pie"', file.read())
        addresses = re.findall(r"5:(10\.46\.0\.\d+)", said["gbflow show subscribers"])
        self.assertEqual(len(set(addresses)), PHONES)
        self.assertIn("3 received", said["gbflow lab shell phones ping -c 3 203.0.113.1"])


if __name__ == "__main__":
    unittest.main()
