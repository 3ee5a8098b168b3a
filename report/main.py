# SPDX-License-Identifier: BSD-3-Clause
"""The entry of gbflow-report.pyz."""

import importlib.util
import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"
TRIED = "GBFLOW_REPORT_SYSTEM_PYTHON"


def go_where_libraries_are() -> None:
    """Debian's matplotlib and scipy belong to Debian's Python; another one may come first in PATH."""
    missing = any(importlib.util.find_spec(name) is None for name in ("matplotlib", "scipy"))
    if missing and TRIED not in os.environ and os.access(SYSTEM_PYTHON, os.X_OK):
        os.environ[TRIED] = "1"
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])


if __name__ == "__main__":
    go_where_libraries_are()
    from gbflow_report.cli import main

    sys.exit(main(sys.argv[1:]))
