# SPDX-License-Identifier: BSD-3-Clause
"""Progress and remarks, on stderr at once."""

import sys


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
