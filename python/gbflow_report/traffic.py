# SPDX-License-Identifier: BSD-3-Clause
"""Lists of summary.json with rows of mobiles' items of traffic. The program's descriptors say which lists there are;
what reports say of one list and not of all stands in its row here.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import fields
from gbflow_report.page import Table
from gbflow_results.files import pick

LISTED = re.compile(r"(\w+)\[\]\.mobile")


@dataclass(frozen=True)
class Items:
    """One list. spoken: what its figures are called by, before their names; is_tabled: the page of a run has a table of
    all its fields; is_of_whole_run: its figures do not leave out the warm-up, and a sweep says so."""

    spoken: str = ""
    is_tabled: bool = False
    is_of_whole_run: bool = False


# Tables of mobiles have what a page shows of the first three.
ROWS = {
    "tcp": Items(is_of_whole_run=True),
    "pages": Items(),
    "ping": Items(spoken="ping", is_of_whole_run=True),
    "datagrams": Items(),
}


@functools.cache
def lists() -> Sequence[str]:
    """All of them, in the order of summary.json: "tcp", "pages", "ping", ..."""
    found = (LISTED.fullmatch(path) for path in fields.described()["summary"])
    return [match[1] for match in found if match and match[1] != "mobiles"]


def items(figure: str) -> Items:
    """Of the list of a figure, "ping.anna.sent", or of a name; of one without a row: its name, and a table."""
    name = figure.split(".")[0]
    return ROWS.get(name, Items(spoken=name, is_tabled=True))


WHOLE_RUN = ("rtt_s", "ping_rtt_s", "pings_sent", "pings_received", "pings_lost")  # of a class, by their first parts


def is_of_whole_run(figure: str) -> bool:
    """Whether a figure, of a list or of a class, does not leave out the warm-up."""
    parts = figure.split(".")
    return items(figure).is_of_whole_run or (parts[0] == "classes" and parts[2:3] != [] and parts[2] in WHOLE_RUN)


def rows_of(summary: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Those of a list; none where the file has no such list."""
    found = summary.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def mobiles(summary: Mapping[str, Any], key: str = "mobile") -> set[str]:
    """Mobiles with a row that has the key."""
    return {str(row["mobile"]) for name in lists() for row in rows_of(summary, name) if "mobile" in row and key in row}


def table(summary: Mapping[str, Any], name: str) -> Table:
    """All fields of a list, a row for each of its rows."""
    above = f"{name}[]."
    described = fields.described()["summary"].items()
    columns = [path for path, row in described if path.startswith(above) and row["kind"] != "record"]

    def cell(row: Mapping[str, Any], column: str) -> str:
        value = pick(row, *column.removeprefix(above).split("."))
        return value if isinstance(value, str) else fields.text_of("summary", column, value)
    return Table(fields.field_of("summary", above[:-1]).sentence,
                 [fields.head("summary", column) for column in columns],
                 [[cell(row, column) for column in columns] for row in rows_of(summary, name)])


def tables(summary: Mapping[str, Any]) -> list[Table]:
    """Of the lists that are tabled, and have rows."""
    return [table(summary, name) for name in lists() if items(name).is_tabled and rows_of(summary, name)]
