# SPDX-License-Identifier: BSD-3-Clause
"""Older versions of what gbflow writes, read as today's."""

from collections.abc import Mapping
from typing import Any

SUMMARY_SCHEMA = "gbflow-summary/2"

# By the schema that a file has: its keys that have another name in the version after it, and that version.
RENAMED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "gbflow-summary/1": (SUMMARY_SCHEMA, {
        "handed_over": "steered_out",    # workers[].gn, .gb
        "taken_over": "steered_in",
        "handover_full": "xworker_full",  # a drop reason
    }),
}


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A copy in which keys of these names, at any depth, have their new ones."""
    if isinstance(value, dict):
        return {names.get(key, key): renamed(item, names) for key, item in value.items()}
    return [renamed(item, names) for item in value] if isinstance(value, list) else value


def current(report: Any) -> Any:
    """A report of an older version as the newest one has it; what has no older version stays as it is."""
    while isinstance(report, dict) and isinstance(report.get("schema"), str) and report["schema"] in RENAMED:
        schema, names = RENAMED[report["schema"]]
        report = {**renamed(report, names), "schema": schema}
    return report
