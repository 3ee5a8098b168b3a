# SPDX-License-Identifier: BSD-3-Clause
"""The files that the pages are made of, read as every other user of results reads them."""

from gbflow_results.files import (COLUMNS, SECTIONS, Curve, Series, number, pick, read_json, read_series, read_summary,
                                  read_text)

__all__ = ["COLUMNS", "SECTIONS", "Curve", "Series", "number", "pick", "read_json", "read_series", "read_summary", "read_text"]
