#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Owed nouns (STYLE 42): words that stand for a noun which the reader has to look for in an earlier sentence.

usage: owed.py [-l] [FILE]...      without FILE all pages of docs/

Prints for each page its sentences and how many of 100 owe a noun: "those" and "that" with no noun behind them ("that of",
"those which"), "the same" and "likewise" alone, "then" at the end of a clause. With -l it prints these sentences, with
their lines. The share over all pages and that of a single one have a limit, which is only lowered.
"""
import argparse
import os
import re
import sys

from prose import PAGE, page_of, read
from tree import Finding, Tree, run_quietly

ALL_OF_100, PAGE_OF_100, SMALL = 2.6, 8.0, 20  # limits; a page with fewer sentences counts only among all
# What cannot begin a noun: the end of a clause, a preposition, a relative clause, a verb.
NO_NOUN = (r"(?=\s*[.,;:)]|\s*$|\s+(?:of|in|on|at|from|for|with|without|behind|before|between|below|above|by|to|that|which|whose|"
           r"is|are|was|were|has|have|had|do|does|can|may|must|alone|and|or)\b)")
OWED = re.compile(rf"\b(?:those{NO_NOUN}|that(?=\s+of\b)|(?<!at )the same(?! as\b){NO_NOUN}|likewise\b|then(?=\s*[.,;:)]|\s*$))", re.IGNORECASE)
HINT = "name the noun again"


def owed_in(page):
    """Sentences of a page, each with its first such word."""
    for sentence in page.sentences:
        found = OWED.search(sentence.text)
        if found:
            yield sentence, found.group(0)


def percent(found, page):
    return 100 * len(found) / max(1, len(page.sentences))


def owed(tree):
    """The rule: the share over all pages, and pages with too many."""
    total, all_found = 0, 0
    for source in tree.sources:
        if not PAGE.match(source.path):
            continue
        page = page_of(source.text)
        found = list(owed_in(page))
        total, all_found = total + len(page.sentences), all_found + len(found)
        if len(page.sentences) < SMALL or percent(found, page) <= PAGE_OF_100:
            continue
        yield Finding(source.path, 0, f"{percent(found, page):.0f} of 100 sentences owe a noun, at most {PAGE_OF_100:.0f}")
        for sentence, word in found:
            yield Finding(source.path, sentence.line, f"'{word}': {HINT}")
    share = 100 * all_found / max(1, total)
    if share > ALL_OF_100:
        yield Finding("docs", 0, f"{share:.2f} of 100 sentences owe a noun, at most {ALL_OF_100}; tests/lint/owed.py -l lists them")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1])
    parser.add_argument("-l", "--list", action="store_true")
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    root = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    sources = list(map(read, given.files)) or [source for source in Tree(root).sources if PAGE.match(source.path)]
    total, all_found = 0, 0
    print("sentences   of 100")
    for source in sources:
        page = page_of(source.text)
        found = list(owed_in(page))
        total, all_found = total + len(page.sentences), all_found + len(found)
        print(f"{len(page.sentences):9} {percent(found, page):8.1f} {source.path}")
        for sentence, word in found if given.list else ():
            print(f"  {sentence.line}: '{word}': {sentence.text}")
    print(f"{total:9} {100 * all_found / max(1, total):8.1f} all")
    return 0


if __name__ == "__main__":
    sys.exit(run_quietly(main))
