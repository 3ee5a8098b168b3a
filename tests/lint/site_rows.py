# SPDX-License-Identifier: BSD-3-Clause
"""A sound navigation of the site with its pages, and rows with one fault each, for lint_test.py."""

CONFIG = """\
# SPDX-License-Identifier: BSD-3-Clause
markdown_extensions:
  - toc: {slugify: !!python/object/apply:slugs.slugify {kwds: {case: lower}}}
not_in_nav: |
  /gallery/*.md
  draft.md
nav:
  - Start: index.md
  - Use:
      - first.md
      - Sub: [gallery/index.md, sub/second.md]
      - Elsewhere: https://example.org/third.md
  - Decisions: [decisions/README.md]
"""

HOOKS = """\
# SPDX-License-Identifier: BSD-3-Clause
\"\"\"Hooks.\"\"\"
PAGES = {"START.md": "index.md"}
"""

PAGES = ("START.md", "docs/first.md", "docs/sub/second.md", "docs/sub/draft.md", "docs/gallery/index.md", "docs/gallery/one.md",
         "docs/decisions/README.md", "docs/decisions/why.md")
CLEAN = {"scripts/site/mkdocs.yml": CONFIG, "scripts/site/hooks.py": HOOKS, **{page: "# Page\n" for page in PAGES}}

# What stands in the sound file, and what stands there instead.
FAULTS = [
    ("  - Start: index.md\n", ""),
    ("      - first.md\n", ""),
    (", sub/second.md", ""),
    ("decisions/README.md", ""),
    ("first.md", "first.md\n      - gone.md"),
    ("first.md", "first.md\n      - Again: first.md"),
    ("first.md", "START.md"),
    ("  /gallery/*.md\n", "  gallery/o.md\n"),
    ("  /gallery/*.md\n", "  /*.md\n"),
    ("  draft.md\n", "  /draft.md\n"),
    ("  draft.md\n", "  draft.md\n  gone.md\n"),
    ("nav:\n", "nav: [\n"),
    ("nav:\n", "navigation:\n"),
]


def rows():
    """rule, path, text of each fault."""
    for there, instead in FAULTS:
        assert there in CONFIG, there
        yield "nav", "scripts/site/mkdocs.yml", CONFIG.replace(there, instead, 1)
    yield "nav", "docs/sub/third.md", "# Page\n"
    yield "nav", "docs/decisions/sub/why.md", "# Page\n"
