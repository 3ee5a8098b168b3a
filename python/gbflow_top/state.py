# SPDX-License-Identifier: BSD-3-Clause
"""The state of the screen: what the user has chosen, and what each key changes in it."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gbflow_top.source import Key, Opened, Source
from gbflow_top.tables import Order, View, moved

SECONDS_MIN, SECONDS_MAX = 0.1, 3600.0
PAGE_SAMPLES = 10
PROMPT_CHARS = 80
DECIMAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15}")
ESCAPE, ENTER, ERASE = "ESC", "ENTER", "BACKSPACE"


@dataclass
class Prompt:
    """A line that is being typed: a filter or an interval."""

    title: str
    text: str
    take: Callable[["State", str], str]  # returns a message


@dataclass
class State:
    """tab: 0 is the overview, then the source's views; page: rows that the last screen had room for, of `rows`;
    columns: those shown, where they are not all."""

    source: Source
    interval_s: float
    tab: int = 0
    orders: dict[str, Order] = field(default_factory=dict)
    columns: dict[str, Sequence[str]] = field(default_factory=dict)
    filter: str = ""
    chosen: dict[str, int] = field(default_factory=dict)
    rows: Sequence[Key] = ()
    page: int = 1
    opened: Opened | None = None
    prompt: Prompt | None = None
    is_help: bool = False
    is_paused: bool = False
    is_over: bool = False
    is_garbled: bool = False
    message: str = ""

    @property
    def view(self) -> View:
        """The table that keys act on; of the overview its last."""
        name = self.source.overview[-1][0] if self.tab == 0 else self.source.views[self.tab - 1].name
        return self.view_of(name)

    def view_of(self, name: str) -> View:
        view = next(view for view in self.source.views if view.name == name)
        return view.only(self.columns[name]) if name in self.columns else view

    def order_of(self, view: View) -> Order:
        return self.orders.get(view.name, Order(view.sort, view.is_descending))

    @property
    def tabs(self) -> list[str]:
        return ["overview", *(view.name for view in self.source.views)]

    def choose(self, row: int) -> None:
        self.chosen[self.view.name] = min(max(row, 0), max(len(self.rows) - 1, 0))

    @property
    def row(self) -> int:
        return min(self.chosen.get(self.view.name, 0), max(len(self.rows) - 1, 0))


def set_filter(state: State, text: str) -> str:
    state.filter = text
    state.chosen.clear()
    return ""


def decimal_of(text: str) -> float:
    """A number as one writes it, without sign, exponent or the digits of other scripts; what is none is NaN."""
    return float(text) if DECIMAL.fullmatch(text) else math.nan


def interval_of(text: str) -> float:
    """Seconds between two readings. Raises ValueError with what is allowed."""
    seconds = decimal_of(text)
    if not SECONDS_MIN <= seconds <= SECONDS_MAX:
        raise ValueError(f"'{text}' is not a number of seconds from {SECONDS_MIN:g} to {SECONDS_MAX:g}")
    return seconds


def set_interval(state: State, text: str) -> str:
    try:
        state.interval_s = interval_of(text)
    except ValueError as error:
        return str(error)
    return ""


def scale_interval(state: State, factor: float) -> None:
    state.interval_s = min(max(state.interval_s * factor, SECONDS_MIN), SECONDS_MAX)


def reverse(state: State) -> None:
    order = state.order_of(state.view)
    state.orders[state.view.name] = Order(order.column, not order.is_descending)


def sort_by(state: State, step: int) -> None:
    state.orders[state.view.name] = moved(state.order_of(state.view), state.view, step)


def show_tab(state: State, tab: int) -> None:
    state.tab, state.opened = tab % len(state.tabs), None


def open_row(state: State) -> None:
    if state.rows and not state.opened:
        state.opened = Opened(state.view.name, state.rows[state.row])


def leave(state: State) -> None:
    """One step back: the page of a row, then the filter."""
    if state.opened:
        state.opened = None
    else:
        set_filter(state, "")


def pause(state: State) -> None:
    state.is_paused = not state.is_paused


def go(state: State, rows: int, samples: int) -> None:
    """Of a recorded run through time, otherwise through the table."""
    if state.source.span:
        state.source.move(samples)
    else:
        state.choose(state.row + rows)


def ask(state: State, title: str, text: str, take: Callable[[State, str], str]) -> None:
    state.prompt = Prompt(title, text, take)


END = 10**9
KEYS: Mapping[str, Callable[[State], object]] = {
    "q": lambda state: setattr(state, "is_over", True),
    "Q": lambda state: setattr(state, "is_over", True),
    "h": lambda state: setattr(state, "is_help", True),
    "?": lambda state: setattr(state, "is_help", True),
    "TAB": lambda state: show_tab(state, state.tab + 1),
    "BACKTAB": lambda state: show_tab(state, state.tab - 1),
    "<": lambda state: sort_by(state, -1),
    ">": lambda state: sort_by(state, 1),
    "r": reverse,
    "/": lambda state: ask(state, "filter (words): ", state.filter, set_filter),
    "i": lambda state: ask(state, "interval in seconds: ", f"{state.interval_s:g}", set_interval),
    "+": lambda state: scale_interval(state, 2),
    "-": lambda state: scale_interval(state, 0.5),
    "p": pause,
    " ": pause,
    ENTER: open_row,
    ESCAPE: leave,
    ERASE: leave,
    "UP": lambda state: state.choose(state.row - 1),
    "DOWN": lambda state: state.choose(state.row + 1),
    "k": lambda state: state.choose(state.row - 1),
    "j": lambda state: state.choose(state.row + 1),
    "LEFT": lambda state: go(state, 0, -1),
    "RIGHT": lambda state: go(state, 0, 1),
    "PAGEUP": lambda state: go(state, -state.page, -PAGE_SAMPLES),
    "PAGEDOWN": lambda state: go(state, state.page, PAGE_SAMPLES),
    "HOME": lambda state: go(state, -END, -END),
    "END": lambda state: go(state, END, END),
    "REDRAW": lambda state: setattr(state, "is_garbled", True),
}

HELP_LIVE = (
    ("1 ... 9, Tab, Shift-Tab", "a table"),
    ("Up, Down, PgUp, PgDn, Home, End", "a row"),
    ("Enter", "the row alone, with its curves; Esc goes back"),
    ("< >, r", "sort by the column before or behind; reverse"),
    ("/", "show rows with all these words: TLLI, IMSI, cell, class"),
    ("Space, p", "pause"),
    ("i, +, -", "interval: type seconds, double, halve"),
    ("h, ?", "this help"),
    ("q, Ctrl-C", "quit"),
)
HELP_RECORDED = (
    HELP_LIVE[0],
    ("Up, Down", "a row"),
    *HELP_LIVE[2:5],
    ("Left, Right", "one sample back or on"),
    ("PgUp, PgDn", f"{PAGE_SAMPLES} samples back or on"),
    ("Home, End", "start and end of the run"),
    ("Space, p", "play, a sample each interval; stop"),
    *HELP_LIVE[6:],
)


def press(state: State, key: str) -> None:
    """A key by its name above, or its character."""
    state.message = ""
    if state.prompt:
        type_key(state, state.prompt, key)
    elif state.is_help:
        state.is_help, state.is_over = False, key in ("q", "Q")
    elif key in KEYS:
        KEYS[key](state)
    elif key.isdecimal() and 1 <= int(key) <= len(state.tabs):
        show_tab(state, int(key) - 1)


def type_key(state: State, prompt: Prompt, key: str) -> None:
    if key == ENTER:
        state.prompt = None
        state.message = prompt.take(state, prompt.text)
    elif key == ESCAPE:
        state.prompt = None
    elif key == ERASE:
        prompt.text = prompt.text[:-1]
    elif len(key) == 1 and key.isprintable() and len(prompt.text) < PROMPT_CHARS:
        prompt.text += key
