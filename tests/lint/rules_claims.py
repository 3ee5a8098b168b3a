# SPDX-License-Identifier: BSD-3-Clause
"""What pages claim: that the program lacks something, which its schemas and commands must not have; and that figures were measured,
which says by which command, when and at which commit.
"""
import hashlib
import os
import re

from tree import Finding

HISTORY = re.compile(r"(?:^|/)CHANGELOG\.md$")
FENCE = re.compile(r"(?ms)^```.*?^```$|^(?:    |\t)[^\n]*$|<!--.*?-->")
# A sentence of a paragraph, of an item of a list, of a cell of a table or of a heading.
BREAK = re.compile(r"\n\s*\n|\n\s*(?:[*-]|\d+\.) |\n#|\||(?<=[.;!?])\s+(?=[A-Z*`(|]|gbflow\b)")


# --- features that a page says are not there ---

# Words for what a key of a schema does, where its name does not say it.
SAID = {
    "clamp": r"window[- ]clamps?|clamp(?:ing)? of windows|lower windows",
    "hold": r"(?:held|holding|hold|delayed) (?:of )?ACKs|ACK[- ]holding",
    "pacing": r"ACK[- ]pacing|(?:pacing|paced) (?:of )?ACKs",
    "drop_duplicates": r"search for duplicates|duplicate (?:segments|detection)",
    "flow_order": r"start[- ]tags?|start-time fair queueing",
    "bss_target": r"(?:limit|cap) of the octets in the BSS",
}
# Keys that name things beside the program.
THINGS = {"huge_pages", "user_networks", "network_name", "default_route"}
KEY = re.compile(r"""\bname = "([a-z]\w*)"|\b(?:group|number|setting)\("([a-z]\w*)\"""")
ROW = re.compile(r"""^\s*\{"([a-z-]+)", ?"[^\n]*$""", re.MULTILINE)
US = r"(?:gbflow|the (?:node|program|SGSN|scheduler|worker)|it)"
# A condition, or a part of the program or of a study: the absence is not the program's.
SCOPED = re.compile(r"\b(?:if|when|where|while|whose|unless|until|because|cases?|runs?|instance|that|which|by default|is off)\b", re.IGNORECASE)
THESE = re.compile(rf"\b{US} (?:does not have|has none of|has neither of|lacks) (?:these|them|this|it|either|both)\b", re.IGNORECASE)


def keys_of(tree):
    """Names of the keys of all schemas."""
    schemas = [source for source in tree.of("lua") if source.path.startswith("lua/") and re.match(r"schema(?:_\w+)?\.lua$", source.name)]
    return {name for source in schemas for found in KEY.findall(source.text) for name in found if name}


def commands_of(tree):
    return {name for source in tree.sources if source.path == "app/main.c" for name in ROW.findall(source.text)}


def features_of(tree):
    """A pattern of words for each feature: keys of several words, keys that SAID has words for, commands."""
    keys = keys_of(tree)
    found = {name: rf"{name}|{name.replace('_', '[- ]')}s?" for name in keys - THINGS if "_" in name}
    for name, words in SAID.items():
        if name in keys:
            found[name] = f"{found[name]}|{words}" if name in found else words
    found |= {f"gbflow {name}": rf"gbflow {name}" for name in commands_of(tree)}
    return {name: re.compile(rf"(?<![\w.-])`?(?:{words})`?(?![\w.-]\w)", re.IGNORECASE) for name, words in found.items()}


# What stands before a feature of which it says that it is not there, and what stands behind one.
BARE = re.compile(r"(?:^|[:,;]|\b(?:and|or|has|have|there (?:is|are)))[\s*_]*(?:no|neither|nor)(?: \w+){0,2} ?$", re.IGNORECASE)
DENIED = re.compile(rf"\b(?:not yet|(?:does|do|can) ?not(?: yet)?) (?:have|know|support|offer|implement)(?: \w+){{0,2}} ?$|"
                    rf"\b{US} (?:is|works|runs) without (?:an? |any |the )?$", re.IGNORECASE)
GONE = re.compile(r"[^,:;]{0,40}?\b(?:(?:is|are) (?:missing|absent|not (?:there|implemented|supported|built|part\b))|yet\b)", re.IGNORECASE)

ABSENT = re.compile(r"\b(?:no|neither|nor|not|cannot|without|missing|absent|yet)\b", re.IGNORECASE)  # one of these is in each that denies


def is_denied(sentence, start, end, is_cell):
    """Whether the sentence says that what stands from start to end is not there. A cell of a table may name a row "no X"."""
    before, after = sentence[:start], sentence[end:]
    return bool(BARE.search(before) and not is_cell or DENIED.search(before) or GONE.match(after))


def sentences(text):
    """(line, sentence, whether it stands in a cell of a table) of all sentences."""
    blank = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)
    at = 0
    for match in [*BREAK.finditer(blank), None]:
        end = match.start() if match else len(blank)
        piece = blank[at:end]
        first = at + len(piece) - len(piece.lstrip())
        yield blank.count("\n", 0, first) + 1, " ".join(piece.split()), blank[blank.rfind("\n", 0, first) + 1:].startswith("|")
        at = match.end() if match else end


def denied_in(sentence, before, is_cell, features):
    """Names of features that the sentence says are missing; with "does not have these", those of the sentence before."""
    if THESE.search(sentence):
        return [name for name, words in features.items() if words.search(before)]
    if not ABSENT.search(sentence) or SCOPED.search(sentence):
        return []
    found = (name for name, words in features.items() for match in words.finditer(sentence) if is_denied(sentence, *match.span(), is_cell))
    return list(dict.fromkeys(found))


def missing(tree):
    features = features_of(tree)
    for source in tree.sources:
        if not source.path.endswith(".md") or HISTORY.search(source.path):
            continue
        before = ""
        for line, sentence, is_cell in sentences(source.text):
            for name in denied_in(sentence, before, is_cell, features):
                yield Finding(source.path, line, f"says that {name} is missing, which is there")
            before = sentence


# --- measured blocks ---

BEGIN, END = re.compile(r"^<!-- begin measured: (.*) -->$"), re.compile(r"^<!-- end measured(?:, sha256 ([0-9a-f]{8}))? -->$")
COMMIT = r"[0-9a-f]{7,40}\b(?!-)"  # not one with changes that are in no commit
DAY = r"\d{4}-\d\d-\d\d"
LEAD = re.compile(rf"Measured (?:on {DAY} at commit|before {DAY}, recorded in commit) {COMMIT}(?:(?:,| and) {COMMIT})*(?:,[^\n]*)? by\b")
TOOLS = {"meson": "test suite no-rebuild"}
OPTION = re.compile(r"--([a-z][\w-]*)")
ASSIGNED = re.compile(r"^\w+=\S*$")


def words_of(command):
    """The words of a command up to a comment, without variables before it and without the strings in quotes."""
    plain = re.sub(r"""'[^']*'|"[^"]*\"""", "TEXT", command.split(" # ")[0])
    words = plain.split()
    while words and (ASSIGNED.match(words[0]) or words[0] in ("nice", "python3", "sudo")):
        words = words[1:]
    return words


def texts_below(tree, *folders):
    return "\n".join(source.text for source in tree.sources if source.path.startswith(folders) and source.language in ("c", "py", "sh", "lua"))


def help_of(tree, words):
    """The text that has the options of a command; None where there is no such program or command."""
    program, texts = words[0].removeprefix("./"), {source.path: source.text for source in tree.sources}
    if program.rsplit("/", 1)[-1] == "gbflow":
        return texts_below(tree, "app/", "bench/throughput/", "control/base/", "python/") if set(words[1:2]) & commands_of(tree) else None
    if program in texts or program in TOOLS:
        return texts.get(program) or TOOLS[program]
    folder, _, name = program.removeprefix("build/").rpartition("/")
    is_built = f"'{name}'" in texts.get(f"{folder}/meson.build", "") or any(path.startswith(f"{folder}/{name}.") for path in texts)
    return texts_below(tree, f"{folder}/") if is_built else None


def faults_of_command(tree, command):
    words = words_of(command)
    text = help_of(tree, words) if words else ""
    if text is None:
        yield f"no such command: {' '.join(words[:2])}"
        return
    path = os.path.join(tree.root, words[0] if words else "")
    if os.path.isfile(path) and "python3" not in command.split() and not os.access(path, os.X_OK):
        yield f"{words[0]} is called without python3, and is not executable: chmod +x"
    for word in words[1:]:
        option = OPTION.match(word)
        if option and not re.search(rf"(?<!\w){re.escape(option.group(1))}(?![\w-])", text):
            yield f"{' '.join(words[:2])} has no option {option.group(0)}"


def faults_of_block(tree, command, lines):
    if not command.strip():
        yield "a measured block without its command"
    elif not lines or not LEAD.match(lines[0]):
        yield "the first line of a measured block is not: Measured on DATE at commit COMMIT by, or: Measured before DATE, recorded in commit COMMIT, by"
    yield from faults_of_command(tree, command)


def faults_of_digest(command, lines, digest):
    """`gbflow reproduce` writes it; other blocks may do without."""
    if digest is None and not command.startswith("gbflow reproduce "):
        return
    right = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()[:8]
    if digest != right:
        yield f"the block was changed by hand, sha256 {right}: let its command write it"


def blocks_of(source):
    """(line, command, lines between, digest) of each block, and (line, None, (), "") for a line without its other one."""
    begun = None
    for number, line in enumerate(source.lines, 1):
        begin, end = BEGIN.match(line), END.match(line)
        if begin or end:
            if bool(begin) == (begun is not None):
                yield number, None, (), ""
            elif not begin:
                yield begun[0], begun[1], source.lines[begun[0]:number - 1], end.group(1)
            begun = (number, begin.group(1)) if begin else None
    if begun is not None:
        yield begun[0], None, (), ""


def measured(tree):
    for source in tree.sources:
        if not source.path.endswith(".md"):
            continue
        for number, command, lines, digest in blocks_of(source):
            if command is None:
                yield Finding(source.path, number, "a measured block has no begin or no end")
                continue
            for fault in [*faults_of_block(tree, command, lines), *faults_of_digest(command, lines, digest)]:
                yield Finding(source.path, number, fault)
