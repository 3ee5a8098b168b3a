# SPDX-License-Identifier: BSD-3-Clause
"""Words of riddles (STYLE 42): a sentence names its thing by the word of 3GPP or DPDK, says what that does, then number and condition.

Pages have none of these words. Comments and texts of the code may have as many as prose_baseline.txt
allows their folder. That file is a ratchet: `python3 tests/lint/rules_prose.py` lowers it to the present counts and raises none.
After files have moved between folders, `--reset` writes the present counts.
"""
import os
import re
import sys
from bisect import bisect_right
from collections import defaultdict

from text import C_TOKEN, LUA_TOKEN
from tree import Finding, Tree

QUOTES = "STYLE.md"  # has the words as examples
BASELINE = "tests/lint/prose_baseline.txt"

# (words, what to write instead)
TELLS = [
    ("nobody|no-one", "name the thing: 'no mobile has this TLLI'"),
    ("somebody|everybody|anybody|whoever|whomever", "name it: the caller, the BSS, the mobile"),
    ("anew", "'again', 'from the start', 'restarts'"),
    ("strangers?", "'unknown TLLI', 'unknown source'"),
    ("go(?:es)? on|went on|gone on", "'continues', 'stays', or what it does then"),
    ("what (?:rests|waits|comes|came|goes|went|lies|stands|remains|hangs|is there)", "name the thing, as 'queued N-PDUs'"),
    ("wide open", "'disabled', 'unlimited'"),
    (r"(?<!there\s)(?:is|are|was|were) none", "'does not exist', 'is not a ...'"),
    (r"(?<!there\s)(?:is|are) no more(?! than)", "'has been deleted', 'has ended'"),
    ("com(?:es?|ing) to an end", "'ends'"),
    ("as (?:it|they|one) (?:comes?|came|goes?|stands?)", "'on arrival', 'unchanged'"),
    ("in vain", "'without effect', or what happened instead"),
    ("(?:for|after|within|every) so (?:long|many|much)", "the key or the number"),
    ("so (?:many|often) (?:of|as that|a|each)", "the key or the number"),
    ("(?:is|are|was|were) (?:not )?looked at", "'is tested', 'is read'"),
    ("of (?:ours|theirs)", "'local', 'of the BSS'"),
    ("(?:do|does) not mind", "'accepts'"),
    ("short way|long way", "'bypass', 'queue'"),
    (r"(?<!distance\s)in turns|by turns(?!\sof)", "'waits for its turn' (a flow), 'in turn' (places), 'alternating' (programs)"),
]
# Of text in small letters: without IGNORECASE, and with \b before all, the search is ten times as fast.
WORDS = re.compile(r"\b(?<![\w-])(?:" + "|".join(f"({words})" for words, _ in TELLS).replace(" ", r"\s+") + r")(?![\w-])")
# A sentence without a named subject: begins with What or Who and is no question.
END = r"\0|\n\s*\n|(?:\A|\n)\s*[*|-] |\|"
NAMELESS = re.compile(rf"(?:\A|[.:!?]\s|{END})\s*(?P<found>Wh(?:at|o|ose|om)\s(?:(?!{END})[^.?!])*)")
NAMELESS_HINT = "begin with the name of the thing"

# Of a page: code, comments, headings, targets of links.
NO_PROSE = re.compile(r"^```.*?^```|^(?: {4,}|\t)[^\n]*|<!--.*?-->|^#[^\n]*|\]\([^)]*\)", re.DOTALL | re.MULTILINE)
CODE_SPAN = re.compile(r"`[^`]*`")
COMMENT_MARK = re.compile(r"^\s*(?:\*+/?|//+|--+\[=*\[|--+)", re.MULTILINE)
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"


def spaces(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def of_page(text):
    """The prose of a page, each word in its place."""
    return CODE_SPAN.sub(lambda span: re.sub(r"\S", "_", span.group(0)), NO_PROSE.sub(spaces, text))


def of_token(token):
    """A comment or string without its marks. A string without spaces is a name."""
    if token[0] in "\"'":
        return " " + token[1:-1].replace("\\n", "  ") + " " if " " in token else "\0" * len(token)
    return COMMENT_MARK.sub(spaces, token.replace("/*", "\0 ").replace("*/", "  ")).replace(LICENCE, "\0" * len(LICENCE))


def of_code(text, pattern):
    """Comments and strings, each word in its place; \\0 stands for code, so that no sentence spans it."""
    parts, end = [], 0
    for token in pattern.finditer(text):
        parts += [re.sub(r"\S", "\0", text[end:token.start()]), of_token(token.group(0))]
        end = token.end()
    return "".join(parts) + re.sub(r"\S", "\0", text[end:])


def prose_of(source):
    """None: the rule is not about this file."""
    if source.path.endswith(".md"):
        return of_page(source.text) if source.path != QUOTES else None
    language = "c" if source.path.endswith(".def") else source.language
    if source.path.startswith("tests/") or language not in ("c", "lua"):
        return None
    return of_code(source.text, C_TOKEN if language == "c" else LUA_TOKEN)


def findings_of(source):
    text = prose_of(source)
    if text is None:
        return
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    found = [(match.start(), text[match.start():match.end()], TELLS[match.lastindex - 1][1]) for match in WORDS.finditer(text.lower())]
    found += [(match.start("found"), match.group("found")[:30], NAMELESS_HINT)
              for match in NAMELESS.finditer(text) if text[match.end():match.end() + 1] != "?"]
    for start, words, hint in found:
        yield Finding(source.path, bisect_right(starts, start), f"'{' '.join(words.split())}': {hint}")


def place_of(path):
    """What the ratchet counts together: a page, or the first two folders of code."""
    return path if path.endswith(".md") else "/".join(path.split("/")[:-1][:2])


def findings_by_place(tree):
    places = defaultdict(list)
    for source in tree.sources:
        for finding in findings_of(source):
            places[place_of(source.path)].append(finding)
    return places


def allowed_in(root):
    """{place: findings that it may have}."""
    try:
        with open(os.path.join(root, BASELINE), encoding="utf-8") as file:
            rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    except FileNotFoundError:
        return {}
    return {place: int(count) for place, count in rows}


def prose(tree):
    allowed = allowed_in(tree.root)
    for place, findings in findings_by_place(tree).items():
        if len(findings) > allowed.get(place, 0):
            yield from findings
            yield Finding(place, 0, f"{len(findings)} words of riddles where {BASELINE} allows {allowed.get(place, 0)}")


def lowered(allowed, counts):
    """The ratchet's next rows: no count grows, and places without one leave."""
    return {place: min(allowed[place], counts.get(place, 0)) for place in sorted(allowed) if counts.get(place, 0)}


def main(root, is_reset=False):
    counts = {place: len(findings) for place, findings in findings_by_place(Tree(root)).items()}
    rows = lowered(counts if is_reset else allowed_in(root), counts)
    with open(os.path.join(root, BASELINE), "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: BSD-3-Clause\n# Words of riddles that a folder may have (rules_prose.py lowers it).\n")
        file.writelines(f"{place} {count}\n" for place, count in rows.items())
    print(f"{sum(rows.values())} in {len(rows)} places")


if __name__ == "__main__":
    main(os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")), sys.argv[1:] == ["--reset"])
