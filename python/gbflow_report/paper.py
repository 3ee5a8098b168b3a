# SPDX-License-Identifier: BSD-3-Clause
"""A study as a paper: a template in HTML whose figures come from the study's runs, and WeasyPrint, which makes the PDF.

A template has {{NAME:ARGUMENT:...}} where a figure, a table or a plot stands, {{if:NAME:ARGUMENT:...}}...{{end}} around
what is there only with some runs ({{if:not:...}}: only without), and {{cite:KEY,KEY}} for the items <li id="ref-KEY">
of its list of references. Tables and figures ({{table:NAME}}, {{plot:NAME}}, and {{drawing:NAME}} in the caption of one
that the template draws) have numbers in their order; {{number:NAME}} is one's.
"""

import base64
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence

from gbflow_report import page
from gbflow_report.draw import Plot
from gbflow_report.page import Head, Table
from gbflow_results import Failure

PROGRAM = "weasyprint"  # the name of its Debian package, too
PLACE = re.compile(r"\{\{([^{}]*)\}\}")
CHOICE = re.compile(r"\{\{if:([^{}]*)\}\}(.*?)\{\{end\}\}", re.DOTALL)
NUMBERED = re.compile(r"\{\{(table|plot|drawing):([^{}]*)\}\}")
CAPTION = re.compile(r"<caption>|<figcaption>")
REFERENCE = re.compile(r'<li id="ref-([^"]+)">')

Word = Callable[[Sequence[str]], str]
Question = Callable[[Sequence[str]], bool]


# --- templates ---

def must_know(name: str, known: Mapping[str, object], what: str) -> None:
    if name not in known:
        raise Failure(f"{what}: no {name!r}; there are {', '.join(sorted(known))}")


def is_so(question: str, questions: Mapping[str, Question]) -> bool:
    name, *arguments = question.split(":")
    if name == "not":
        return not is_so(":".join(arguments), questions)
    must_know(name, questions, f"{{{{if:{question}}}}}")
    return questions[name](arguments)


def chosen(template: str, questions: Mapping[str, Question]) -> str:
    return CHOICE.sub(lambda found: found[2] if is_so(found[1], questions) else "", template)


def cite_of(template: str) -> Word:
    """Numbers of references, in the order of their list."""
    keys = {key: number for number, key in enumerate(REFERENCE.findall(template), 1)}

    def cite(arguments: Sequence[str]) -> str:
        for key in arguments[0].split(","):
            must_know(key, keys, f"{{{{cite:{arguments[0]}}}}}")
        numbers = sorted((keys[key], key) for key in arguments[0].split(","))
        return "[" + ", ".join(f'<a href="#ref-{key}">{number}</a>' for number, key in numbers) + "]"
    return cite


def numbers_of(text: str) -> dict[str, str]:
    """Table 1, Figure 1 and so on, by name."""
    found: dict[str, list[str]] = {"Table": [], "Figure": []}
    for kind, name in NUMBERED.findall(text):
        found["Table" if kind == "table" else "Figure"].append(name)
    return {name: f"{title} {number}" for title, names in found.items() for number, name in enumerate(names, 1)}


def filled(template: str, words: Mapping[str, Word], questions: Mapping[str, Question]) -> str:
    """Failure for a placeholder that nothing stands for."""
    text = chosen(template, questions)
    numbers = numbers_of(text)

    def number(arguments: Sequence[str]) -> str:
        must_know(arguments[0], numbers, "a number of a table or figure")
        return numbers[arguments[0]]
    known = {**words, "cite": cite_of(template), "number": number,
             "drawing": lambda arguments: f"<b>{number(arguments)}.</b>"}

    def put(found: re.Match[str]) -> str:
        name, *arguments = found[1].split(":")
        must_know(name, known, found[0])
        part = known[name](arguments)
        return (CAPTION.sub(lambda begin: f"{begin[0]}<b>{number(arguments)}.</b> ", part, count=1)
                if name in ("table", "plot") else part)
    text = PLACE.sub(put, text)
    if "{{" in text:
        raise Failure(f"{text[text.index('{{'):][:40]!r}: a placeholder or a condition without its end; close it")
    return text


# --- parts ---

def slashed(text: str) -> str:
    """Of a cell. Values between slashes may go on in the next line."""
    return page.escape(text).replace(" / ", "/&#8203;")


def table_html(table: Table, name: str) -> str:
    """All rows, for paper cannot fold."""
    rows = [[page.cell_of(value).text for value in row] for row in table.rows]
    shown = [index for index in range(len(table.head)) if index == 0
             or any(row[index] not in ("", page.NONE) for row in rows)]
    titles = [title.text if isinstance(title, Head) else title for title in table.head]
    head = "".join(f"<th>{page.escape(titles[index])}</th>" for index in shown)
    body = "\n".join("<tr>" + "".join(f"<td>{slashed(row[index])}</td>" for index in shown) + "</tr>" for row in rows)
    return (f'<table id="{page.escape(name)}"><caption>{page.escape(table.caption)}</caption>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n")


def plot_html(plot: Plot) -> str:
    """As an image, in which the identifiers of the SVG are its own."""
    octets = base64.b64encode(plot.svg.encode()).decode()
    return (f'<figure id="{page.escape(plot.name)}"><img alt="{page.escape(plot.title)}" '
            f'src="data:image/svg+xml;base64,{octets}">\n'
            f"<figcaption><b>{page.escape(plot.title)}.</b> {page.escape(plot.caption)}</figcaption></figure>\n")


# --- the PDF ---

def must_print(target: pathlib.Path) -> None:
    """Failure where no PDF can be made, said before the runs."""
    if shutil.which(PROGRAM) is None:
        raise Failure(f"--pdf: the program {PROGRAM} is missing; the Debian package is {PROGRAM}")
    if not target.resolve().parent.is_dir():
        raise Failure(f"{target.parent}: no such folder; make it")


def write_pdf(target: pathlib.Path, html: str) -> None:
    """Equal text gives equal octets: no date of today goes into the fonts."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder) / "paper.html", pathlib.Path(folder) / "paper.pdf"
        source.write_text(html, encoding="utf-8")
        done = subprocess.run([PROGRAM, "--quiet", str(source), str(made)], capture_output=True, text=True, check=False,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
        if done.returncode != 0 or not made.is_file():
            said = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
            raise Failure(f"{PROGRAM}: status {done.returncode}: {said}")
        shutil.copyfile(made, target)
