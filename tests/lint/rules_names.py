# SPDX-License-Identifier: BSD-3-Clause
"""Stale names: files and functions that a page or a comment names are in the tree (STYLE 43)."""
import re

from rules_pages import MADE, CALL
from text import C_TOKEN, LUA_TOKEN
from tree import Finding

FILE = re.compile(r"(?<![\w./*<>~$%{}-])((?:[A-Za-z_][\w-]*/)*[A-Za-z_][\w-]*\.(?:c|h|cc|def|lua|py|sh))(?![\w/(*])")
DOC = re.compile(r'(?:^|(?<=\s))#[^\n]*|""".*?"""', re.DOTALL)
# A command of gdb in a page.
BREAK = re.compile(r"^t?break (\w+)", re.MULTILINE)
# Examples: x.c, X_parts.h, NAME.c, my.c.
EXAMPLE = re.compile(r"(?:.*[A-Z]{2}.*|(?:.*_)?X(?:_\w+)?|\w\w?)\.\w+$")
# Rows of tests are made up.
SKIPPED = re.compile(r"CHANGELOG\.md$|tests/lint/(?:\w+_test|\w+_rows|\w+_faults|\w*mutations|mutate)\.py$")
# Files and functions of other programs.
OTHERS = {
    "dpdk-devbind.py", "dpdk-telemetry.py", "intel-ipsec-mb.h", "lua.h",
    "hlr.c", "telnet_interface.c", "gtp.c", "sgsn.c", "osmobts_sock.c", "gprs_bssgp.c", "gprs_bssgp_bss.c",
    "gprs_bssgp_pcu.c", "abis_nm.c", "osmo_bsc_main.c", "tcp.cc", "tcp_input.c", "tcp_output.c", "tcp_timer.c",
    "gtp_newgsn", "tcp_update_metrics", "tcp_current_ssthresh", "do_coredump",
    "ns3/tcp-socket-base.h", "ns3/packet-sink.h",
    "clock", "time", "job.sh", "gb.lua", "gbflow.lua", "__main__.py",
}


def comments_of(source):
    """(place, text) of the comments of a file of code, or of a page without what a program wrote into it."""
    if source.path.endswith(".md"):
        yield 0, MADE.sub(lambda match: "\n" * match.group(0).count("\n"), source.text)
        return
    is_doc = source.language in ("py", "sh") or source.name == "meson.build"
    pattern = DOC if is_doc else LUA_TOKEN if source.language == "lua" else C_TOKEN
    for match in pattern.finditer(source.text) if is_doc or source.language or source.path.endswith(".def") else ():
        if is_doc or match.group(0)[0] not in "\"'":
            yield match.start(), match.group(0)


def calls_of(tree):
    """Names that code calls, defines, or gives to something; what only comments say does not count."""
    found = set(OTHERS)
    for source in tree.sources:
        if source.language or source.path.endswith(".def"):
            text = source.blanked if source.language in ("c", "lua") else source.text
            found.update(re.findall(r"\b([A-Za-z_]\w*) ?[(=]", text))
    return found


class Files:
    def __init__(self, tree):
        self.paths = set(tree.paths())
        parts = [path.split("/") for path in self.paths]
        self.folders = {folder for words in parts for folder in words[:-1]}
        self.tails = {"/".join(words[first:]) for words in parts for first in range(len(words))}
        self.names = {path.rsplit("/", 1)[-1] for path in self.paths}
        self.product = {path.rsplit("/", 1)[-1] for path in self.paths if not path.startswith("tests/")}

    def fault_of(self, word, near):
        """What is wrong with a file's name; near: the words around it. None: nothing."""
        if "/" in word:
            is_gone = word.split("/", 1)[0] in self.folders and word not in self.tails and word not in OTHERS
            return f"no such file: {word}" if is_gone else None
        if word in OTHERS or EXAMPLE.match(word):
            return None
        if word not in self.names:
            return (f"no such file: {word}; name where its text is now "
                    "(for a file of another program a row of OTHERS in tests/lint/rules_names.py)")
        if word not in self.product and "test" not in near:
            return f"{word} is a file of tests: say so, by its path or with the word test"
        return None


def faults_of(source, files, calls):
    for at, text in comments_of(source):
        for match in FILE.finditer(text):
            near = "test" if source.path.startswith("tests/") else text[max(0, match.start() - 200):match.end() + 100]
            fault = files.fault_of(match.group(1), near)
            if fault and not EXAMPLE.match(match.group(1)):
                yield at + match.start(), fault
        for match in BREAK.finditer(text) if source.path.endswith(".md") else ():
            if match.group(1) not in calls:
                yield at + match.start(), f"no such function to stop at: {match.group(1)}"
        for match in CALL.finditer(text):
            name = re.split(r"[.:]", match.group(1))[-1]
            if name not in calls and not EXAMPLE.match(name + ".c"):
                yield at + match.start(), f"no such function: {match.group(1)}()"


def names(tree):
    files, calls = Files(tree), calls_of(tree)
    for source in tree.sources:
        if not SKIPPED.search(source.path):
            for at, fault in faults_of(source, files, calls):
                yield Finding(source.path, source.text.count("\n", 0, at) + 1, fault)
