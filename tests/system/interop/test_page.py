#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The walk of docs/phones.md, "From packages to a phone with data": its files, its commands, and each line that it quotes.

Namespaces, the socket and eal.prefix get names of this process; a line may have another place in the source, another time, port or
P-TMSI, and another number of its category. osmo-hlr 1.9 has another version of its tables than 1.5, and another name for XOR.
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import network  # before all that is in its neighbours' folders
import ggsn
import hlr
import node
from gbflow_lab import phones

PAGE = os.path.join(node.ROOT, "docs", "phones.md")
BEGIN, END = "## From packages to a phone with data", "### When it does not work"
SIDES, LINE_S = ("sgsn", "ggsn", "bss", "phone"), 60
SOCKET = "/tmp/pcu_bts"
VARIES = [(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"), (r"\b\w+\.c(pp)?:\d+", "FILE"), (r"<[0-9a-f]{4}>", "<CATEGORY>"),
          (r"\b[0-9a-f]{8}\b", "P-TMSI"), (r"time[= ][\d.]+ ?ms", "MS"), (r"schema version \d+", "schema version"), (r"(3G auth: XOR)-3G", r"\1"), (r" +", " ")]


def same(line):
    for pattern, word in VARIES:
        line = re.sub(pattern, word, line)
    return line.strip()


def section():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    return text[text.index(BEGIN):text.index(END)]


class Page(unittest.TestCase):
    def setUp(self):
        for reason in (network.reason_to_skip(), ggsn.missing(), hlr.missing()):
            network.lab.need(self, reason)
        holder = tempfile.TemporaryDirectory(prefix="gbflow-page-")
        self.addCleanup(holder.cleanup)
        self.folder, self.prefix = holder.name, f"gbp{os.getpid()}"
        self.logs, self.programs = [], []
        self.addCleanup(self.end)

    def end(self):
        for program in reversed(self.programs):
            program.kill()
            program.wait(10)
        for side in SIDES:
            subprocess.run(["ip", "netns", "del", f"{self.prefix}-{side}"], capture_output=True, check=False)

    # --- the page's words for this process

    def mine(self, text):
        """A command or a file."""
        text = re.sub(rf"(netns exec|netns add|netns|-n) ({'|'.join(SIDES)})\b", rf"\1 {self.prefix}-\2", text)
        text = text.replace("for name in sgsn ggsn bss phone", "for name in " + " ".join(f"{self.prefix}-{side}" for side in SIDES))
        return text.replace(SOCKET, os.path.join(self.folder, "pcu_bts")).replace("state-dir /tmp", f"state-dir {self.folder}") \
            .replace("live = {", f'eal = {{ prefix = "{self.prefix}" }}, live = {{')

    def words(self, command):
        words = shlex.split(self.mine(command))
        words = [os.path.join(node.ROOT, word) if word.startswith("tests/") else node.program() if word == "gbflow" else word for word in words]
        return words + ["--prefix", self.prefix] if "show" in words else words

    # --- its parts

    def write_files(self, text):
        for name, content in re.findall(r"`([\w-]+\.(?:cfg|lua))`[:.].*?\n```\w+\n(.*?)```", text, re.DOTALL):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(self.mine(content))

    def make_network(self, text):
        script = next(block for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) if "netns add" in block)
        subprocess.run(["sh", "-e", "-c", self.mine(script)], check=True, timeout=60)

    def said(self):
        found = []
        for path in self.logs:
            with open(path, encoding="utf-8", errors="replace") as file:
                found += [same(line) for line in file.read().replace(self.folder, "/tmp").splitlines()]
        return found

    def wait_for(self, quoted):
        """Each line of a block that the page quotes, from whatever program."""
        wanted, end = [same(line) for line in quoted.splitlines() if line], time.monotonic() + LINE_S
        while missing := [line for line in wanted if line not in self.said()]:
            self.assertLess(time.monotonic(), end, f"nothing printed {missing}:\n" + "\n".join(self.said()))
            time.sleep(0.1)

    def call(self, command, quoted):
        """A program that stays."""
        path = os.path.join(self.folder, f"{len(self.logs)}.log")
        self.logs.append(path)
        with open(path, "wb") as log:
            self.programs.append(subprocess.Popen(self.words(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder))
        self.wait_for(quoted)

    def type_into_vty(self, quoted):
        vty = phones.Vty(f"{self.prefix}-sgsn")
        self.addCleanup(vty.close)
        for block in re.split(r"^OsmoHLR[>#] ", quoted, flags=re.MULTILINE)[1:]:
            command, _, answer = block.partition("\n")
            self.assertEqual([same(line) for line in vty.ask(command).splitlines()[1:-1]], [same(line) for line in answer.splitlines()], command)

    def play(self, command, quoted):
        """command: none for a block of lines alone."""
        if not command:
            self.wait_for(quoted)
        elif "telnet" in command:
            self.type_into_vty(quoted)
        elif "ping" not in command or shutil.which("ping"):
            self.call(command, quoted)

    def test_walk(self):
        text = section()
        self.write_files(text)
        self.make_network(text)
        for command, quoted, printed in re.findall(r"```console\n# (.*?)\n(.*?)```|```text\n(.*?)```", self.without_files(text), re.DOTALL):
            if printed == "switched off\n":
                next(program for program in self.programs if "bts_phone" in str(program.args)).send_signal(signal.SIGINT)
            self.play(command, quoted or printed)
        pcu = next(program for program in self.programs if "osmo-pcu" in program.args)
        self.assertEqual(pcu.wait(10), 0)

    @staticmethod
    def without_files(text):
        return re.sub(r"(`[\w-]+\.(?:cfg|lua)`[:.].*?\n)```\w+\n.*?```", r"\1", text, flags=re.DOTALL)


if __name__ == "__main__":
    unittest.main()
