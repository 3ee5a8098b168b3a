# SPDX-License-Identifier: BSD-3-Clause
"""Results of gbflow as tables of pandas.

    import gbflow_results as results

    run = results.load_run("out/quickstart")          # gbflow run
    run.mobiles[["goodput_bps", "delay_s.p95"]]
    sweep = results.load_sweep("out/buckets")         # gbflow sweep
    sweep.wide().groupby("scheme").mean(numeric_only=True)
    results.load_comparison("out/comparison.json")    # gbflow compare --json
    results.load_analysis("out/analysis").mobiles     # gbflow analyze

Columns have the names of the fields (gbflow fields): of an object inside a row, the names joined by dots. Units end the
names: _s seconds, _bps bit/s, _octets octets. A field that is null is NaN. Nothing is rounded or left out. All
functions raise Failure for files that are missing their schema, a column or a number, and OSError for files that cannot
be read.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gbflow_results.tables import Analysis, Run, Sweep, load_analysis, load_comparison, load_run, load_sweep

__all__ = ["Analysis", "Failure", "Run", "Sweep", "load_analysis", "load_comparison", "load_run", "load_sweep"]


class Failure(Exception):
    """Ends a command with one line on stderr and status 1. The message names the file or the command,
    and what is wrong with it."""


class Unusable(Failure):
    """What the caller has to mend before: arguments, what they name, or packages. Status 2."""


def __getattr__(name: str) -> Any:
    """Programs without NumPy use the failures and versions of this package;
    the tables are loaded when one is named (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'gbflow_results' has no attribute '{name}'")
    for library in ("numpy", "pandas"):
        if importlib.util.find_spec(library) is None:
            raise ImportError(
                f"{sys.executable} has no module {library}, which gbflow_results needs: use the Python of Debian's "
                "packages python3-numpy and python3-pandas, /usr/bin/python3, or install gbflow_results with its "
                f"libraries: {sys.executable} -m pip install ./python", name=library)
    return getattr(importlib.import_module("gbflow_results.tables"), name)
