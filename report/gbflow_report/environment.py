# SPDX-License-Identifier: BSD-3-Clause
"""A Python environment with libraries from PyPI that Debian does not have, made once and kept."""

import os
import pathlib
import subprocess
import sys
from collections.abc import Sequence

from gbflow_report import output
from gbflow_report.output import say

# A registry that does not answer is given up soon; a slow one is waited for.
PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"]
READY = "gbflow-ready"


def shared() -> pathlib.Path:
    """A folder of the user's that all studies share, for the libraries are larger than most results."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(cache) / "gbflow" / "environment"


def quietly(command: Sequence[str | pathlib.Path]) -> str | None:
    """None, or the last line of a command that failed."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False)
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return None if done.returncode == 0 else lines[-1] if lines else f"status {done.returncode}"


def make(folder: pathlib.Path, requirement: str) -> str | None:
    """None when the library is there, else why not. requirement: as pip takes it, "pyarrow>=15"."""
    ready = folder / READY
    lines = ready.read_text(encoding="utf-8").splitlines() if ready.is_file() else []
    if requirement in lines:
        return None
    say(f"installing {requirement} into {folder}, once")
    failed = None if (folder / "bin" / "pip").exists() else quietly([sys.executable, "-m", "venv", folder])
    failed = failed or quietly([folder / "bin" / "python3", *PIP, requirement])
    if not failed:
        output.write_whole(ready, "".join(f"{line}\n" for line in (*lines, requirement)))
    return failed
