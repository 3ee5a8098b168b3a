# SPDX-License-Identifier: BSD-3-Clause
"""Results of gbflow as tables of pandas.

    import gbflow_results as results

    run = results.load_run("out/quickstart")          # gbflow run
    run.mobiles[["goodput_bps", "delay_s.p95"]]
    sweep = results.load_sweep("out/buckets")         # gbflow sweep
    sweep.wide().groupby("scheme").mean(numeric_only=True)
    results.load_comparison("out/comparison.json")    # gbflow compare --json
    results.load_analysis("out/analysis").mobiles     # gbflow analyze

Columns have the names of the fields (gbflow fields): of an object inside a row, the names joined by dots. Units end the names:
_s seconds, _bps bit/s, _octets octets. A field that is null is NaN. Nothing is rounded or left out. All functions raise Failure
for files that are missing their schema, a column or a number, and OSError for files that cannot be read.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gbflow_results.failure import Failure

if TYPE_CHECKING:
    from gbflow_results.analysis import Analysis, load_analysis
    from gbflow_results.comparison import load_comparison
    from gbflow_results.run import Run, load_run
    from gbflow_results.sweep import Sweep, load_sweep

__all__ = ["Analysis", "Failure", "Run", "Sweep", "load_analysis", "load_comparison", "load_run", "load_sweep"]

_MODULES = {"Analysis": "analysis", "load_analysis": "analysis", "load_comparison": "comparison", "Run": "run", "load_run": "run",
            "Sweep": "sweep", "load_sweep": "sweep"}


def __getattr__(name: str) -> Any:
    """Programs without NumPy use the failures and versions of this package; the rest is loaded when it is named (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'gbflow_results' has no attribute '{name}'")
    return getattr(importlib.import_module(f"gbflow_results.{_MODULES[name]}"), name)
