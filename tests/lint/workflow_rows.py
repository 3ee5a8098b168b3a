# SPDX-License-Identifier: BSD-3-Clause
"""A sound workflow and form, and rows with one fault each, for lint_test.py."""

WORKFLOW = """\
# SPDX-License-Identifier: BSD-3-Clause
name: gate
"on": [push]
permissions:
  contents: read
jobs:
  a:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    strategy: {matrix: {image: ["debian:12"]}}
    container: {image: "${{ matrix.image }}"}
    steps:
      - uses: actions/checkout@0123456789abcdef0123456789abcdef01234567  # v1.0.0
      - run: git status && scripts/try.sh --all FILE
      - run: |
          make --no-such thing
          ./scripts/try.sh \\
            --out out/x
      - uses: actions/upload@0123456789abcdef0123456789abcdef01234567  # v2.0.0
        with: {path: "out/x/"}
  b:
    needs: a
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps: [{run: ls}]
"""

SCRIPT = """\
#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Not an option, though it is named: --nothing
case "$1" in
--all | --fast) ;;
--in | --into)
    ;;
esac
parse_options "quiet out=path" "$@"
"""

FORM = """\
name: Bug
description: What is wrong.
body:
  - type: textarea
    id: one
    attributes: {label: One}
  - type: dropdown
    id: two
    attributes: {label: Two, options: [a, b]}
"""

# What stands in the sound file, and what stands there instead.
FAULTS = [
    ("name: gate", "name: [gate"),
    ("contents: read", "contents: write"),
    ("timeout-minutes: 5\n    strategy", "strategy"),
    ('["debian:12"]', '["debian"]'),
    ('["debian:12"]', '["debian:latest"]'),
    ("@0123456789abcdef0123456789abcdef01234567  # v1.0.0", "@v1"),
    ("  # v2.0.0", ""),
    ("scripts/try.sh --all", "scripts/tri.sh --all"),
    ("scripts/try.sh --all", "scripts/try.sh --nothing"),
    ("--out out/x\n", "--output=out/x\n"),
    ("git status", "git commit -m '${{ github.event.title }}'"),
    ('"out/x/"', '"results/"'),
    ("needs: a", "needs: c"),
]

FORM_FAULTS = [
    ("name: Bug\n", ""),
    ("id: two", "id: one"),
    ("type: textarea", "type: text"),
    (", options: [a, b]", ""),
    ("body:", "body: []\nrest:"),
]


def rows():
    """rule, path, text of each fault."""
    for path, sound, faults in ((".github/workflows/gate.yml", WORKFLOW, FAULTS), (".github/ISSUE_TEMPLATE/bug.yml", FORM, FORM_FAULTS)):
        for there, instead in faults:
            assert there in sound, there
            yield "workflows", path, sound.replace(there, instead)
    yield "yamllint", ".github/workflows/gate.yml", WORKFLOW.replace("name: gate", "name:  gate")
