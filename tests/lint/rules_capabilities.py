# SPDX-License-Identifier: BSD-3-Clause
"""The number of foreign files of each capability (capabilities/) only falls, and docs/capabilities.md has what there is."""
import os
import sys

from tree import Finding

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import capabilities as scripts_capabilities  # noqa: E402 pylint: disable=wrong-import-position

PAGE, MAKER = scripts_capabilities.PAGE, "scripts/capabilities.py"


def capabilities(tree):
    texts = {source.path: source.text for source in tree.sources}
    try:
        found = scripts_capabilities.in_texts(texts)
    except scripts_capabilities.Fault as fault:
        yield Finding(scripts_capabilities.HOME, 1, str(fault))
        return
    if not found and PAGE not in texts:
        return
    for one in found:
        files, most = len(one.foreign), one.given["foreign"]
        if files > most:
            yield Finding(f"{scripts_capabilities.HOME}/{one.name}.toml", 1,
                          f"{files} foreign files name it, at most {most}: {MAKER} show {one.name} prints their lines")
    wanted, has = (scripts_capabilities.without_lines(text) for text in (scripts_capabilities.page_text(found), texts.get(PAGE, "")))
    if wanted != has:
        yield Finding(PAGE, 1, f"is not what {MAKER} page writes")
