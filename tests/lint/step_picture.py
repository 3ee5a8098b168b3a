# SPDX-License-Identifier: BSD-3-Clause
"""docs/worker-step.svg: the stages of worker_step() in their order, a box each with its function, file and what its header
says first."""
import re
import textwrap

from folder_picture import GAP, HEAD, LETTER, LINE, MARGIN, NAME_PX, PAD, WIDTH, document_of, text

STEP, DRAWING = "worker_step", "docs/worker-step.svg"
COLOURS = (("gb", "#dbe9ff"), ("gn", "#dff3df"), ("xworker", "#f3e3f7"))
OTHER = "#ffeccc"
BOX = (WIDTH - 2 * MARGIN - GAP) // 2


def names_in(calls):
    """Functions that the step names, in its order: as rows that it includes, by itself, or as rows of tables of its file."""
    path, function = calls.home_of(STEP)
    source = calls.sources[path].blanked
    body = calls.rows_of(path, function) + "\n".join(source.splitlines()[function.line - 1:function.last_line]).partition("{")[2]
    tables = dict(re.findall(r"\b(\w+)\[\w*\] = \{(.*?)^\};", source, re.MULTILINE | re.DOTALL))
    body = re.sub(r"\w+", lambda word: tables.get(word.group(0), word.group(0)), body)
    names = re.findall(r"(?<![.>\w])[a-z]\w+", body)
    homes = {name: calls.home_of(name, path) for name in dict.fromkeys(names) if not name.startswith("moment_")}
    return [name for name, home in homes.items() if home and home[0].startswith("dataplane/")]


def sentence_of(calls, name):
    """The first sentence of the comment before the function's prototype, or its body; "" without one."""
    pattern = re.compile(rf"/\*((?:(?!\*/).)*)\*/\n(?:static )?\w[^\n;{{}}]*\b{name}\(", re.DOTALL)
    texts = [calls.sources[path].text for path in sorted(calls.sources, key=lambda path: not path.endswith(".h"))]
    found = next(filter(None, (pattern.search(whole) for whole in texts if f"{name}(" in whole)), None)
    words = " ".join(re.sub(r"(?m)^\s*\*", "", found.group(1)).split()) if found else ""
    return re.split(r"(?<=[a-z)\]])[.;] ", words)[0].rstrip(".")


def box(calls, name, left, top):
    path, function = calls.home_of(name)
    colour = next((colour for word, colour in COLOURS if name.startswith(word)), OTHER)
    says = textwrap.wrap(sentence_of(calls, name), int((BOX - 2 * PAD) / LETTER))
    height = 2 * PAD + NAME_PX + LINE * (len(says) + 1)
    base = top + PAD + NAME_PX
    rows = [text(left + PAD, base - 2, "n", f"{name}()"), text(left + PAD, base + LINE, "i", path)]
    rows += [text(left + PAD, base + LINE * number, "p", words) for number, words in enumerate(says, 2)]
    return [f'<rect x="{left}" y="{top}" width="{BOX}" height="{height}" rx="5" fill="{colour}"/>', *rows], height


def drawing_of(calls):
    names = names_in(calls)
    stages, deadlines = ([name for name in names if name.endswith("_next_ns") == is_next] for is_next in (False, True))
    parts = [text(MARGIN, 22, "t", "worker_step(worker, now): one pass over all stages, in this order, each bounded"),
             text(MARGIN, 44, "p", "Blue: Gb. Green: Gn. Violet: other workers. First the left column, then the right one.")]
    half, bottom = -(-len(stages) // 2), 0
    for column in range(2):
        top = HEAD
        for name in stages[column * half:(column + 1) * half]:
            drawn, height = box(calls, name, MARGIN + column * (BOX + GAP), top)
            parts, top = parts + drawn, top + height + GAP
        bottom = max(bottom, top)
    says = ", ".join(f"{name}()" for name in deadlines)
    lines = textwrap.wrap(f"It returns now if a stage moved something, else the nearest of {says}", int((WIDTH - 2 * MARGIN) / LETTER))
    parts += [text(MARGIN, bottom + LINE * number, "p", line) for number, line in enumerate(lines, 1)]
    height = bottom + LINE * len(lines) + 2 * PAD
    return document_of((WIDTH, height), parts)
