# SPDX-License-Identifier: BSD-3-Clause
"""The first comment of each product file is there, names the file's noun, and does not send the reader to its own file.

A module's head stands in its header: x.c with an x.h needs none of its own. Behind the first comment no comment of a
header is for some files only: these files get a header (STYLE 11, 15).
"""
import ast
import re

from functions import parsed
from rules_layers import PARTS_FILES, PARTS_FOLDER
from rules_nouns import singular
from tree import Finding

HEADED = ("c", "lua", "py", "sh")
COMMENT = re.compile(r"/\*(.*?)\*/|((?:^[ \t]*//[^\n]*\n)+)", re.DOTALL | re.MULTILINE)
GUARD = re.compile(r"(?:[ \t]*(?:#\s*(?:ifndef|define|pragma)[^\n]*)?\n)*")
SOME_FILES = re.compile(r"\b[Ff]or (?:the |these |those |some )?(?:files\b|(?:\w+\.[ch](?:, | and |, and )?)+)[^.;]*\bonly\b")
HASHES = {"lua": "--", "sh": "#"}
TITLE = re.compile(r"\W*-{3}")
# How to call a program is no reference: "usage: x.py FILE", to the end of the paragraph.
USAGE = re.compile(r"(?ms)^[ *#-]*usage: .*?(?=^[ *#-]*$|\Z)|`[^`]*`|\b(?:python3|lua5\.4|bash) [^\n]*")
# Words of file names, and what heads say for them.
SAID = {
    "rx": "receiv", "tx": "send|transmi", "ms": "mobile", "llc": "", "pdu": "", "cwnd": "congestion window",
    "rto": "timeout", "cli": "command|argument", "dut": "device under test", "ndr": "NDR", "sim": "virtual",
    "eal": "DPDK", "abm": "acknowledged|balanced mode", "fini": "free", "abs": "absolute", "fsm": "state machine",
    "gmm": "mobility management", "sm": "session management|quality of service", "sms": "short message",
    "l3": "layer 3", "ttlred1": "TTL-based", "ttlred2": "TTL-based", "ewa": "explicit window adaptation",
    "rng": "random", "utf8": "UTF-8", "csv": "comma-separated", "layer3": "layer 3", "reproduce": "reproduc",
    "keylines": "lines of keys", "bigmem": "big memory", "lookup": "look-up", "nsvc": "NS-VC", "gtpu": "GTPv1",
    "gtpc": "GTPv1-C", "sndcp": "SN-UNITDATA", "xworker": "between the workers", "pcuif": "osmo-pcu",
    "rlcmac": "RLC/MAC", "tun": "network interface", "abqp": "BSS QoS", "rim": "RAN Information",
    "moves": "cell change", "nsvcs": "NS-VC", "config": "configur|keys?", "diff": "differ", "init": "start",
    "msg": "message", "stats": "count|statistic", "wq": "weight",
}
NO_PRODUCT = ("tests/", "config/", "docker/", ".ci/")
GENERAL = {"main", "init", "__init__", "__main__", "setup", "conf"}


def without_stars(text):
    return " ".join(re.sub(r"^\s*(?:\*|//+|--+|#+)", "", line).strip() for line in text.splitlines())


def after_licence(source):
    """The text behind the line with the licence."""
    lines = source.text.splitlines(keepends=True)
    return "".join(lines[2:] if source.text.startswith("#!") else lines[1:])


def head_of(source):
    """The text of the first comment; None: the file does not begin with one."""
    if source.language == "py":
        return ast.get_docstring(parsed(source))
    rest = after_licence(source)
    mark = HASHES.get(source.language)
    if mark:
        return re.match(rf"\n*((?:{mark}[^\n]*\n)*)", rest).group(1) or None
    found = COMMENT.match(rest, GUARD.match(rest).end())
    return found and (found.group(1) or found.group(2))


def names_noun(source, head):
    """Whether the comment has a word of the file's name, or what is said for it."""
    words = [word for word in re.split("[_-]", source.stem.lower()) if word not in GENERAL]
    text = head.lower()
    forms = [form for word in words for form in (singular(word), *filter(None, SAID.get(word, "").lower().split("|")))]
    return not words or any(re.search(rf"\b{re.escape(form)}|{re.escape(form)}\b", text) for form in forms)


def headed(tree):
    """Product files that have, or need, a first comment."""
    for source in tree.sources:
        is_code = source.language in HEADED or source.path.endswith(".def")
        if is_code and not source.path.startswith(NO_PRODUCT):
            yield source


def faults_of(source, paths):
    head = head_of(source)
    if head is None:
        if source.path.endswith(".c") and source.path[:-2] + ".h" in paths:
            return
        yield "begins without a comment that says which concept it has"
    elif TITLE.match(head):
        yield "begins with the title of a section: say first which concept the file has"
    else:
        if not names_noun(source, head):
            yield f"its first comment names no word of its noun, '{source.stem}'"
        if re.search(rf"(?<![\w/.-]){re.escape(source.name)}\b", USAGE.sub("", head)):
            yield f"its first comment sends the reader to {source.name}, where he is"


def confined(source):
    """Lines of comments behind the first one that are for some files only."""
    head = head_of(source) or ""
    for match in COMMENT.finditer(source.text):
        text = match.group(1) or match.group(2)
        words = without_stars(text)
        if text != head and (PARTS_FILES.search(words) or PARTS_FOLDER in words or SOME_FILES.search(words)):
            yield source.text.count("\n", 0, match.start()) + 1


# How many findings a whole tree may have; only falls.
MOST, WHOLE_FILES = 0, 100


def heads(tree):
    paths = {source.path for source in tree.sources}
    found = [Finding(source.path, 1, fault) for source in headed(tree) for fault in faults_of(source, paths)]
    for source in tree.of("c"):
        if source.path.endswith(".h") and not source.path.startswith("tests/"):
            fault = "for some files only: give these a header of their own, whose first comment says so"
            found += [Finding(source.path, line, fault) for line in confined(source)]
    most = MOST if len(paths) >= WHOLE_FILES else 0
    print(f"first comments and confined parts of headers with a fault: {len(found)}, at most {most}")
    if len(found) > most:
        yield from found
