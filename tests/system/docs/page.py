# SPDX-License-Identifier: BSD-3-Clause
"""A page's blocks of code, fenced or indented by four columns: commands, what they print, files, and the rest."""
import dataclasses
import re
import subprocess
import textwrap

FENCE = re.compile(r"( *)```(\w*)(?: title=\"([^\"]+)\")?$")
PROMPT = re.compile(r"[#$] (?=\S)")
# The first word of a command, behind sudo, time and values of the environment.
IN_FRONT = re.compile(r"(?:(?:sudo|time) |\w+=\S* )*")
COMMANDS = set("""apt apt-get apt-mark awk cat cc cd chgrp chmod cp cpupower curl docker dpdk-devbind.py dpdk-dumpcap dpdk-proc-info
    dpdk-testpmd echo export for gbflow gbflow-fitness gbflow-report.pyz gdb git install ip jq meson modprobe mount ninja osmo-ggsn osmo-hlr
    osmo-pcu osmo-sgsn pip pktgen printf prometheus python3 rm sed sh sleep squeue swanctl systemctl taskset tshark valgrind wait until
    wireshark""".split())
IN_TREE = re.compile(r"(\./)?(build[\w-]*|scripts|tests|bench)/[\w./*-]+$|(/|~/)[\w./-]+/bin/\w+$")
OPTIONAL = re.compile(r" \[(?:--|[A-Z]|\w+\|)")
LANGUAGES = ("", "sh", "console", "text")


def is_command(line):
    """sudo gbflow serve: yes."""
    first = IN_FRONT.sub("", line, count=1).split(" ")[0]
    return first.split("=")[0] in COMMANDS or bool(IN_TREE.match(first)) or bool(re.match(r'\w+=\(|"\$\{', line))


def is_complete(text):
    return subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False, timeout=10).returncode == 0


def is_waited_for(text):
    """A command in the background: what follows runs in the same shell, up to its wait."""
    return text.split("\n")[0].endswith(" &") and not text.endswith("\nwait")


@dataclasses.dataclass
class Block:
    """kind: commands, synopsis, quote (what a command prints, or a drawing), file, or its language. steps: (True, a command) or
    (False, a line that is printed)."""
    page: str
    line: int
    language: str
    text: str
    name: str = ""
    steps: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if not self.name and self.language in LANGUAGES:
            self.steps = list(self.parts())

    @property
    def first(self):
        return next(line.strip() for line in self.text.splitlines() if line.strip())

    @property
    def kind(self):
        if self.name:
            return "file"
        if self.language not in LANGUAGES:
            return self.language
        if not any(is_run for is_run, _ in self.steps):
            return "quote"
        return "synopsis" if OPTIONAL.search(self.text) else "commands"

    def parts(self):
        is_prompted = self.language == "console" or (PROMPT.match(self.text) and is_command(self.text[2:].split("\n")[0]))
        lines = iter(self.text.splitlines())
        for line in lines:
            is_run = bool(PROMPT.match(line)) if is_prompted else is_command(line) and self.language != "text"
            line = line[2:] if is_prompted and is_run else line
            while is_run and (line.endswith("\\") or is_waited_for(line) or not OPTIONAL.search(self.text) and not is_complete(line)):
                following = next(lines, None)
                if following is None:
                    break
                line += "\n" + following
            if line.strip() and (is_run or is_prompted or not line.lstrip().startswith("# ")):
                yield is_run, line


def blocks_of(page, text):
    lines, found, i = text.splitlines(), [], 0
    while i < len(lines):
        begin, fence = i, FENCE.match(lines[i])
        if fence:
            i = next(j for j in range(i + 1, len(lines)) if lines[j].strip() == "```")
            inner = [line.removeprefix(fence[1]) for line in lines[begin + 1:i]]
            found.append(Block(page, begin + 1, fence[2], "\n".join(inner) + "\n", fence[3] or ""))
        elif lines[i].startswith("    ") and lines[i].strip() and not (i and lines[i - 1].strip()):
            while i + 1 < len(lines) and (lines[i + 1].startswith("    ") or not lines[i + 1].strip()):
                i += 1
            inner = textwrap.dedent("\n".join(lines[begin:i + 1])).splitlines()
            found.append(Block(page, begin + 1, "", "\n".join(inner).rstrip() + "\n"))
        i += 1
    return found
