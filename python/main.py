# SPDX-License-Identifier: BSD-3-Clause
"""The entry of gbflow-report.pyz."""

import importlib.util
import os
import signal
import sys
from types import FrameType

SYSTEM_PYTHON = "/usr/bin/python3"
TRIED = "GBFLOW_REPORT_SYSTEM_PYTHON"
# The screen needs curses, and NumPy for recorded runs; the pages and comparisons need these.
LIBRARIES = {"top": ("_curses", "numpy")}
OTHER_LIBRARIES = ("matplotlib", "scipy")
# NumPy's library makes a thread for each processor, and waits for ever for those that a limit of memory forbids.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def go_where_libraries_are(command: str) -> None:
    """Debian's libraries belong to Debian's Python; another one may come first in PATH."""
    missing = any(importlib.util.find_spec(name) is None for name in LIBRARIES.get(command, OTHER_LIBRARIES))
    if missing and TRIED not in os.environ and os.access(SYSTEM_PYTHON, os.X_OK):
        os.environ[TRIED] = "1"
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])


def end(status: int) -> None:
    """Of the process. An interruption while the interpreter tidies up would be an exception outside all handlers."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(status)


def interrupted(_signal: int, _frame: FrameType | None) -> None:
    """While modules are imported: nothing has been started, and an exception might be swallowed there."""
    os.write(2, f"gbflow {COMMAND}: interrupted\n".encode())
    os._exit(1)


if __name__ == "__main__":
    COMMAND = sys.argv[1] if len(sys.argv) > 1 else ""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupted)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # gbflow blocks it until here
    for variable in THREADS:
        os.environ.setdefault(variable, "1")
    go_where_libraries_are(COMMAND)
    from gbflow_results.shown import quietly

    if COMMAND == "top":  # by itself: what the pages import takes longer than the screen's start
        from gbflow_top.cli import main as top

        if signal.getsignal(signal.SIGINT) == interrupted:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        end(quietly(top, sys.argv[2:]))
    from gbflow_report.cli import main

    end(quietly(main, sys.argv[1:]))
