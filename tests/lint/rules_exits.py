# SPDX-License-Identifier: BSD-3-Clause
"""A file of the worker that drops for several reasons begins with its exits: these reasons, in drop.def's order (STYLE 26)."""
import re

from rules_heads import head_of
from tree import Finding

FOLDER, ROWS = "dataplane/worker/", "dataplane/base/drop.def"
FEW = 2  # reasons that need no list
ROW = re.compile(r"(?m)^DROP_(?:FRAME|HANDLED|NPDU)\((\w+)")
REASON = re.compile(r"\bDROP_[A-Z0-9_]+\b")
EXITS = re.compile(r"Exits: ([^.]*)\.")


def reasons_of(text, order):
    """Rows of drop.def that a text names, in their order."""
    found = set(REASON.findall(text))
    return [name for name in order if name in found]


def exits(tree):
    """Files whose list lacks a reason of their code, has one more, or another order."""
    order = [f"DROP_{name}" for source in tree.of("") if source.path == ROWS for name in ROW.findall(source.text)]
    for source in tree.of("c"):
        if not source.path.startswith(FOLDER) or not source.path.endswith(".c"):
            continue
        used = reasons_of(source.blanked, order)
        listed = EXITS.search(head_of(source) or "")
        said = REASON.findall(listed.group(1)) if listed else []
        if said != used and (listed or len(used) > FEW):
            yield Finding(source.path, 2, f'the first comment must have "Exits: {", ".join(used)}."')
