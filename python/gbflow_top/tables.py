# SPDX-License-Identifier: BSD-3-Clause
"""Tables that one looks at: columns, order, filter, and the part that a screen has room for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gbflow_top.text import Glyphs, Value, clean, fit, short, width_of

Row = Mapping[str, Value]
GAP = 1
CELL = "bvci"
NAME_MOST = 24  # columns of a text; the last column of a table may be longer


@dataclass(frozen=True)
class Column:
    """name: in the rows; head: on the screen; width: the least;
    factor: from the unit of the rows to that of the screen."""

    name: str
    head: str
    width: int = 5
    form: Callable[[Value], str] = short
    is_text: bool = False
    factor: float = 1

    def scaled(self, value: Value) -> Value:
        return value * self.factor if self.factor != 1 and isinstance(value, (int, float)) else value

    def text(self, row: Row, glyphs: Glyphs) -> str:
        value = row.get(self.name)
        return clean(value if isinstance(value, str) else self.form(self.scaled(value)), glyphs)


@dataclass(frozen=True)
class View:
    """A table by its name. fixed: columns at the left that stay when others move;
    key: names of the columns that tell rows apart;
    plots: (column, title, column of the top or "") of one row's page."""

    name: str
    columns: Sequence[Column]
    key: Sequence[str]
    sort: str
    fixed: int = 1
    is_descending: bool = True
    plots: Sequence[tuple[str, str, str]] = field(default=())
    what: str = ""

    def key_of(self, row: Row) -> tuple[Value, ...]:
        return tuple(row.get(name) for name in self.key)

    def only(self, names: Sequence[str]) -> "View":
        """With these columns, in this order."""
        return replace(self, columns=[column for name in names if (column := self.column(name))])

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True)
class Order:
    column: str
    is_descending: bool


def sorted_rows(rows: Sequence[Row], order: Order) -> list[Row]:
    """Numbers by value, texts by their characters; what is not known comes last in both directions.
    Equal rows keep their order."""
    known = [row for row in rows if row.get(order.column) is not None]
    other = [row for row in rows if row.get(order.column) is None]
    return sorted(known, key=lambda row: place(row[order.column]), reverse=order.is_descending) + other


def place(value: Value) -> tuple[int, float, str]:
    """Numbers before texts; texts of digits by their value."""
    if isinstance(value, str):
        return ((0, float(value), "") if value.isdecimal() and value.isascii() and len(value) < 300
                else (1, 0.0, value.casefold()))
    return 0, float(value or 0), ""


def filtered_rows(rows: Sequence[Row], view: View, text: str) -> list[Row]:
    """Rows with each word of the text in a column that names them, names their cell or is text; all for no word. Small
    and capital letters are equal. Words have no patterns: those of a regular expression may take forever."""
    words = text.casefold().split()
    if not words:
        return list(rows)
    names = {*view.key, CELL, *(column.name for column in view.columns if column.is_text)}

    def has_all(row: Row) -> bool:
        texts = [str(row[name]).casefold() for name in names if row.get(name) is not None]
        return all(any(word in one for one in texts) for word in words)
    return [row for row in rows if has_all(row)]


def moved(order: Order, view: View, step: int) -> Order:
    """By the next column (step 1 or -1) in the same direction; the last is followed by the first."""
    names = [column.name for column in view.columns]
    at = names.index(order.column) if order.column in names else 0
    return Order(names[(at + step) % len(names)], order.is_descending)


@dataclass(frozen=True)
class Shown:
    """The part of a table on the screen: column, its width, and the cells below each other."""

    column: Column
    width: int
    cells: Sequence[str]


def measured(column: Column, rows: Sequence[Row], glyphs: Glyphs) -> Shown:
    cells = [column.text(row, glyphs) for row in rows]
    widest = max(map(width_of, cells), default=0)
    width = max(column.width, len(column.head), min(widest, NAME_MOST) if column.is_text else widest)
    return Shown(column, width, cells)


def visible(view: View, rows: Sequence[Row], width: int, order: Order, glyphs: Glyphs) -> list[Shown]:
    """The columns that a screen of this width holds: the fixed ones, and others from the first one on that lets one see
    the column of the order. Never wider than the screen."""
    columns = [measured(column, rows, glyphs) for column in view.columns]
    fixed, others = columns[:view.fixed], columns[view.fixed:]
    room = width - sum(one.width + GAP for one in fixed)
    wanted = next((at for at, one in enumerate(others) if one.column.name == order.column), 0)
    first = 0
    while first < wanted and sum(one.width + GAP for one in others[first:wanted + 1]) - GAP > room:
        first += 1
    return fixed + taken(others[first:], room)


def taken(columns: Sequence[Shown], room: int) -> list[Shown]:
    """As many as there is room for; the last text may be cut."""
    chosen: list[Shown] = []
    for one in columns:
        if one.width > room:
            if one.column.is_text and room >= 4:
                chosen.append(Shown(one.column, room, one.cells))
            break
        chosen.append(one)
        room -= one.width + GAP
    if chosen and chosen[-1] is columns[-1] and chosen[-1].column.is_text:
        last = chosen.pop()
        widest = max(map(width_of, last.cells), default=0)
        chosen.append(Shown(last.column, max(last.width, min(widest, last.width + room + GAP)), last.cells))
    return chosen


def head_of(shown: Sequence[Shown]) -> list[tuple[str, str]]:
    """Text and column's name of each head."""
    return [(fit(one.column.head, one.width, not one.column.is_text), one.column.name) for one in shown]


def line_of(shown: Sequence[Shown], index: int) -> str:
    return (" " * GAP).join(fit(one.cells[index], one.width, not one.column.is_text) for one in shown)
