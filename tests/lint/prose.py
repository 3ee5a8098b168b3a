#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lengths of a page's sentences (STYLE 45): a page of docs/ has short ones.

usage: prose.py [-l] [FILE]...      without FILE all pages of docs/

Prints for each page its sentences, words, mean words of a sentence, and the shares of sentences with more than 25 and 28
words. With -l it prints the sentences of more than 28 words, with their lines. A code span and a path are one word each.
Tables, code blocks, headings, texts that a command writes and measured blocks do not count.
"""
import argparse
import os
import re
import sys
from bisect import bisect_right
from typing import NamedTuple

from tree import Finding, Source, Tree

MEAN_WORDS, LONG_WORDS, LONG_OF_100 = 14, 28, 3
WIDE_WORDS = 25
PAGE = re.compile(r"docs/(?:.*/)?[^/]+\.md$")

# Pages whose sentences are still too long, one a line. A page that passes has to leave the list.
LONG_PAGES = "tests/lint/long_pages.txt"

# Written by commands, and figures of a measurement with what they say.
MADE = re.compile(r"^<!-- (?P<name>\w+): .*?^<!-- end of (?P=name) -->$|^<!-- begin measured\b.*?^<!-- end measured\b[^\n]*-->$",
                  re.DOTALL | re.MULTILINE)
# Blocks of code (lines of four blanks; an item's text has fewer), comments, headings, tables, numbers of items.
NO_SENTENCE = re.compile(r"^(?P<indent> *)```.*?^(?P=indent)```|^(?: {4,}|\t)(?![*-] |\d+\. )[^\n]*$|<!--.*?-->|^#[^\n]*|^ *\|[^\n]*"
                         r"|^ *\d+\.(?=\s)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
CODE_SPAN = re.compile(r"`[^`]+`")
# Ends of sentences: of a paragraph, of an item, a full stop before a capital letter, a digit or a mark.
ABBREVIATION = r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\bFig)(?<!\bNo)(?<!\bal)"
END = re.compile(rf"\0|\n\s*\n|\n(?=\s*[*-]\s)|{ABBREVIATION}[.!?][)*_\"]*(?=\s)", re.MULTILINE)
WORD = re.compile(r"[^\W_][^\s]*|_+[^\s]*")


class Sentence(NamedTuple):
    line: int
    words: int
    text: str


class Page(NamedTuple):
    sentences: list

    @property
    def words(self):
        return sum(sentence.words for sentence in self.sentences)

    @property
    def mean(self):
        return self.words / max(1, len(self.sentences))

    def longer_than(self, words):
        return [sentence for sentence in self.sentences if sentence.words > words]

    def percent_longer_than(self, words):
        return 100 * len(self.longer_than(words)) / max(1, len(self.sentences))

    @property
    def is_short(self):
        return self.mean <= MEAN_WORDS and self.percent_longer_than(LONG_WORDS) <= LONG_OF_100


def spaces(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def one_word(match):
    return "_" + re.sub(r"[^\n]", "", match.group(0)) + "_"


def of_page(text):
    """The page with words only where sentences are, each in its line."""
    text = MADE.sub(spaces, text)
    text = NO_SENTENCE.sub(lambda match: "\0" + spaces(match)[1:], text)  # \0 ends a sentence
    text = LINK.sub(lambda match: match.group(1) + "\n" * match.group(0)[len(match.group(1)) + 1:].count("\n"), text)
    return CODE_SPAN.sub(one_word, text)


def page_of(text):
    prose = of_page(text)
    starts = [0] + [match.end() for match in re.finditer("\n", prose)]
    sentences, begin = [], 0
    for end in [match.end() for match in END.finditer(prose)] + [len(prose)]:
        found = prose[begin:end]
        words = len(WORD.findall(found))
        if words:
            first = begin + len(found) - len(found.lstrip())
            sentences.append(Sentence(bisect_right(starts, first), words, " ".join(found.split())))
        begin = end
    return Page(sentences)


def listed_in(tree):
    texts = [source.text for source in tree.sources if source.path == LONG_PAGES]
    return {line for text in texts for line in text.splitlines() if not line.startswith("#")}


def sentences(tree):
    """The rule: pages with long sentences, and pages of the list that have none."""
    listed = listed_in(tree)
    for source in tree.sources:
        if not PAGE.match(source.path):
            continue
        page = page_of(source.text)
        if page.is_short and source.path in listed:
            yield Finding(source.path, 0, f"its sentences are short: delete it from {LONG_PAGES}")
        if page.is_short or source.path in listed:
            continue
        yield Finding(source.path, 0, f"{page.mean:.1f} words a sentence, {page.percent_longer_than(LONG_WORDS):.0f} of 100 longer "
                                      f"than {LONG_WORDS}; at most {MEAN_WORDS} and {LONG_OF_100}")
        for sentence in page.longer_than(LONG_WORDS):
            yield Finding(source.path, sentence.line, f"{sentence.words} words: split it")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return Source(path, file.read())
    except (OSError, UnicodeDecodeError) as reason:
        sys.exit(f"{path}: cannot be read ({reason}); name a page of Markdown")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1])
    parser.add_argument("-l", "--list", action="store_true")
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    root = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    sources = list(map(read, given.files)) or [source for source in Tree(root).sources if PAGE.match(source.path)]
    print(f"{'sentences':>9} {'words':>6} {'mean':>5} {f'>{WIDE_WORDS} %':>6} {f'>{LONG_WORDS} %':>6}")
    for source in sources:
        page = page_of(source.text)
        print(f"{len(page.sentences):9} {page.words:6} {page.mean:5.1f} {page.percent_longer_than(WIDE_WORDS):6.1f} "
              f"{page.percent_longer_than(LONG_WORDS):6.1f} {'' if page.is_short else 'long '}{source.path}")
        for sentence in page.longer_than(LONG_WORDS) if given.list else ():
            print(f"  {sentence.line}: {sentence.words} words: {sentence.text}")


if __name__ == "__main__":
    main()
