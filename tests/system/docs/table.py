# SPDX-License-Identifier: BSD-3-Clause
"""blocks.txt: what is done with commands that are not just run, and with lines that are not printed so."""
import dataclasses
import re

SECTION = re.compile(r"== (night|instead|elsewhere|not run|drawn|differs|sentences|sentences of the night)(?:: (.+))?$")
ROW = re.compile(r"([\w./-]+\.md): (.+)$")
OF_COMMANDS = "night", "instead", "elsewhere", "not run"
WITH_REASON = "instead", "elsewhere", "not run", "drawn"
MARKS = {"<n>": r" ?-?[\d.]+", "<x>": r".*"}


def words_of(text):
    return " ".join(text.split())


@dataclasses.dataclass
class Row:
    number: int
    section: str
    reason: str
    page: str
    text: str
    is_met: bool = False

    def is_of(self, page, line, sections):
        """Whether it is the row of a block or command of this begin."""
        return self.section in sections and self.page == page and words_of(line).startswith(words_of(self.text.removesuffix(" ...")))

    @property
    def pattern(self):
        """Of a line that differs."""
        parts = re.split("(<n>|<x>)", words_of(self.text))
        return re.compile("".join(MARKS.get(part, re.escape(part)) for part in parts))


class Table:
    def __init__(self, path, root):
        self.name, self.root, self.rows, self.wrong, self.tests = path.name, root, [], [], {}
        section = reason = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            begin, row = SECTION.match(line), ROW.match(line)
            if begin:
                section, reason = begin[1], begin[2]
                if (section in WITH_REASON) != bool(reason):
                    self.wrong.append(f"{self.name}:{number}: == {section} has {'no' if not reason else 'a'} reason")
                if section == "elsewhere":
                    self.read_test(number, reason)
            elif row and section:
                self.rows.append(Row(number, section, reason, row[1], row[2]))
            elif line and not line.startswith("#"):
                self.wrong.append(f"{self.name}:{number}: is neither '== WHAT: REASON' nor 'PAGE: TEXT': {line}")

    def read_test(self, number, path):
        try:
            self.tests[path] = (self.root / path).read_text(encoding="utf-8")
        except OSError:
            self.wrong.append(f"{self.name}:{number}: no such test: {path}")

    def row_of(self, page, line, sections):
        """The longest of those that fit."""
        found = max((row for row in self.rows if row.is_of(page, line, sections)), key=lambda row: len(row.text), default=None)
        if found:
            found.is_met = True
        return found

    def of_steps(self, block):
        """The row of each step, or None. One that ends with "..." also has all that follows in the block."""
        rest = None
        for is_run, text in block.steps:
            row = self.row_of(block.page, text, OF_COMMANDS) if is_run else None
            rest = row if row and row.text.endswith(" ...") else rest
            yield row or rest

    def of_block(self, block):
        """Of one without commands to run."""
        return None if block.kind == "synopsis" else self.row_of(block.page, block.first, ("drawn", "elsewhere", "not run", "night"))

    def pattern_of(self, page, line):
        """Of lines that say the same: "..." stands for any text, as the marks of a row do."""
        for row in self.rows:
            if row.section == "differs" and row.page == page and row.pattern.fullmatch(line):
                return row.pattern
        return re.compile(".*".join(re.escape(part.strip()) for part in line.split("...")))

    def sentences(self, page, is_night):
        sections = ("sentences", "sentences of the night")[:2 if is_night else 1]
        return [row.text for row in self.rows if row.section in sections and row.page == page]

    def faults(self, pages, is_whole):
        """Rows without a block, tests that do not name the page that they play, and so on."""
        found, by_path = list(self.wrong), {page.path: page for page in pages}
        for block in (block for page in pages for block in page.blocks):
            list(self.of_steps(block)) if block.kind == "commands" else self.of_block(block)
        for row in self.rows:
            at, page = f"{self.name}:{row.number}", by_path.get(row.page)
            if not page:
                found += [f"{at}: no such page: {row.page}"] * is_whole
                continue
            lines = [words_of(line) for line in page.text.splitlines()]
            if row.section == "differs" and not any(row.pattern.fullmatch(line) for line in lines):
                found.append(f"{at}: {row.page} has no such line: {row.text}")
            if row.section in OF_COMMANDS + ("drawn",) and not row.is_met:
                found.append(f"{at}: no block or command of {row.page} begins so: {row.text}")
            if row.section == "elsewhere" and row.reason in self.tests and row.page.rpartition("/")[2] not in self.tests[row.reason]:
                found.append(f"{at}: {row.reason} does not name {row.page}")
        return found
