# SPDX-License-Identifier: BSD-3-Clause
"""The version that the build has packed, and the reader of older results."""

from gbflow_report import packed
from gbflow_results.versions import BENCH_SCHEMA, SUMMARY_SCHEMA, current

__all__ = ["BENCH_SCHEMA", "SUMMARY_SCHEMA", "current", "of_gbflow"]


def of_gbflow() -> str:
    """The version of gbflow that this program was built with, for the field `version` of what it writes."""
    return packed.text("version.txt").strip()
