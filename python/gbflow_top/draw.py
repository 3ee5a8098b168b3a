# SPDX-License-Identifier: BSD-3-Clause
"""Draws a screen as lines of text with styles, from a state and a snapshot; no terminal is needed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gbflow_top import history
from gbflow_top.source import Figure, Key, Opened, Snapshot, Span
from gbflow_top.state import HELP_LIVE, HELP_RECORDED, State
from gbflow_top.tables import Row, View, filtered_rows, head_of, line_of, sorted_rows, visible
from gbflow_top.text import Glyphs, Value, clean, cut, fit, numbers, period, short, width_of

WIDTH_MIN, HEIGHT_MIN = 40, 10
LABEL, FIGURE = 10, 40
AXIS = 8
PLOT_LINES = 10
OVERVIEW_LINES = 12  # for more than one table
ELLIPSIS = {True: "…", False: "~"}
ARROWS = {True: ("▲", "▼"), False: ("up", "down")}

# Text and style: "", title, tab, chosen, head, sort, dim, warn, curve.
Line = list[tuple[str, str]]


@dataclass
class Screen:
    """size: columns and lines; lines 0: as many as there are (--once). seen: objects that are on the screen."""

    width: int
    height: int
    glyphs: Glyphs
    histories: history.Histories
    clock: str = ""
    lines: list[Line] = field(default_factory=list)
    seen: list[tuple[str, Key]] = field(default_factory=list)

    def put(self, *spans: tuple[str, str]) -> None:
        """A line: cleaned, cut to the width."""
        line, left = [], self.width
        for text, style in spans:
            shown = cut(clean(text, self.glyphs), left)
            line.append((shown, style))
            left -= width_of(shown)
        self.lines.append(line)

    def left(self, below: int = 0) -> int:
        """Lines that are free above the `below` last ones."""
        return max(self.height - len(self.lines) - below, 0) if self.height else 10**6


def text_of(lines: Iterable[Line]) -> str:
    """Without styles and blanks at the ends."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def screen_of(state: State, snapshot: Snapshot | None, screen: Screen) -> Screen:
    """Draws all lines."""
    if screen.height and (screen.width < WIDTH_MIN or screen.height < HEIGHT_MIN):
        screen.put((f"{screen.width}x{screen.height} is too small:", "warn"))
        screen.put((f"{WIDTH_MIN}x{HEIGHT_MIN} needed", "warn"))
        screen.lines = screen.lines[:screen.height]
        return screen
    span = state.source.span
    below = (1 if span else 0) + (1 if screen.height else 0)
    put_title(state, snapshot, screen)
    put_tabs(state, screen)
    if state.is_help:
        put_help(state, screen)
    elif snapshot is not None:
        put_figures(state, snapshot.figures, screen)
        put_body(state, snapshot, screen, below)
    while screen.height and screen.left(below):
        screen.put(("", ""))
    if screen.height:
        del screen.lines[screen.height - below:]
    if span:
        put_slider(span, state, screen)
    if screen.height:
        put_footer(state, snapshot, screen)
    return screen


def put_title(state: State, snapshot: Snapshot | None, screen: Screen) -> None:
    right = ["PAUSED" if state.is_paused and not state.source.span else "", f"{state.interval_s:g} s", screen.clock]
    end = "  ".join(word for word in right if word)
    words = "  ".join(["gbflow top", *(snapshot.title if snapshot else ["waits for an answer"])])
    room = screen.width - width_of(end) - 2
    shown = clean(words, screen.glyphs)
    if width_of(shown) > room:
        shown = cut(shown, room - 1) + ELLIPSIS[screen.glyphs.is_unicode]
    screen.put((fit(shown, room) + "  " + end, "title"))


def put_tabs(state: State, screen: Screen) -> None:
    spans: Line = []
    for number, name in enumerate(state.tabs):
        spans += [(f" {number + 1} {name} ", "tab" if number == state.tab else "dim")]
    screen.put(*spans)


def put_figures(state: State, figures: Sequence[Figure], screen: Screen) -> None:
    """Label, numbers and curve; on a low screen the first ones only."""
    most = len(figures) if not screen.height else max(screen.height - 14, 1)
    for figure in figures[:most]:
        kept = state.source.past(figure.label)
        values = screen.histories.get(("figure",), figure.label) if kept is None else kept
        width = min(screen.width - LABEL - FIGURE - 1, history.SAMPLES)
        text = clean(figure.text, screen.glyphs)
        curve = (history.sparkline(values, width, screen.glyphs) if len(values) > 1 and width > 4
                 and width_of(text) <= FIGURE else "")
        screen.put((fit(figure.label, LABEL), "dim"), (fit(text, FIGURE + 1) if curve else text, ""), (curve, "curve"))


def put_body(state: State, snapshot: Snapshot, screen: Screen, below: int) -> None:
    if state.opened:
        put_row_page(state, snapshot, screen, below)
    elif state.tab == 0:
        for name, rows, idle in overview_of(state, snapshot, screen.left(below)):
            if rows:
                put_table(state, state.view_of(name), rows, screen, None)
            if idle:
                screen.put((f"{name}: {idle} idle", "dim"))
        put_main(state, snapshot, screen, below)
    else:
        put_main(state, snapshot, screen, below)


def overview_of(state: State, snapshot: Snapshot, left: int) -> list[tuple[str, Sequence[Row], int]]:
    """The tables above the last one: name, rows, and how many idle ones have no row. A table has at most a third of the
    lines, and more where the last one leaves lines free."""
    if left < OVERVIEW_LINES:
        return []
    *upper, (last, _) = state.source.overview
    active = {name: active_rows(snapshot.tables.get(name, ()), state.view_of(name)) for name, _ in upper}
    idle = {name: len(snapshot.tables.get(name, ())) - len(active[name]) for name, _ in upper}
    shown, free = {}, left
    for name, most in upper:
        shown[name] = min(max(min(most, free // 3), 1), len(active[name]))
        free -= shown[name] + bool(shown[name]) + bool(idle[name])
    free -= len(snapshot.tables.get(last, ())) + 2
    for name, _ in upper:
        more = max(min(len(active[name]) - shown[name], free), 0)
        shown[name] += more
        free -= more
    return [(name, busiest(active[name], state.view_of(name), shown[name]), idle[name]) for name, _ in upper]


def weight(row: Row, view: View) -> float:
    return sum(numbers([row.get(column.name) for column in view.columns[view.fixed:]]))


def active_rows(rows: Sequence[Row], view: View) -> list[Row]:
    """Those with a number above 0."""
    return [row for row in rows if weight(row, view) > 0]


def busiest(rows: Sequence[Row], view: View, most: int) -> Sequence[Row]:
    """Those with the greatest numbers, in the order of the table."""
    return [rows[at] for at in sorted(sorted(range(len(rows)), key=lambda at: -weight(rows[at], view))[:most])]


def put_main(state: State, snapshot: Snapshot, screen: Screen, below: int) -> None:
    """The table that keys act on, from the row on that lets one see the chosen one."""
    view, order = state.view, state.order_of(state.view)
    all_rows = snapshot.tables.get(view.name, ())
    rows = sorted_rows(filtered_rows(all_rows, view, state.filter), order)
    state.rows = [view.key_of(row) for row in rows]
    column = view.column(order.column)
    words = f"{view.name}: {len(rows)}" + (f" of {len(all_rows)} with '{state.filter}'" if state.filter else "")
    arrow = ARROWS[screen.glyphs.is_unicode][order.is_descending]
    screen.put((f"{words}, by {column.head if column else order.column} {arrow}", "dim"))
    room = max(screen.left(below) - 1, 0)
    state.page = max(room, 1)
    first = max(min(state.row - room // 2, len(rows) - room), 0)
    part = rows[first:first + room]
    put_table(state, view, part, screen, state.row - first)
    screen.seen += [(view.name, view.key_of(row)) for row in part]


def put_table(state: State, view: View, rows: Sequence[Row], screen: Screen, chosen: int | None) -> None:
    """Head and rows; chosen: the marked row."""
    order = state.order_of(view)
    shown = visible(view, rows, screen.width, order, screen.glyphs)
    head: Line = []
    for text, name in head_of(shown):
        head += [(text, "sort" if name == order.column and chosen is not None else "head"), (" ", "head")]
    screen.put(*head, (" " * screen.width, "head"))
    for at in range(len(rows)):
        if screen.height and not screen.left():
            break
        line = line_of(shown, at)
        screen.put((fit(line, screen.width) if at == chosen else line, "chosen" if at == chosen else ""))


# --- one row ---

def put_row_page(state: State, snapshot: Snapshot, screen: Screen, below: int) -> None:
    """All values of a row, and its curves."""
    opened = state.opened
    assert opened is not None
    view = state.view_of(opened.view)
    row = next((row for row in snapshot.tables.get(view.name, ()) if view.key_of(row) == opened.key), None)
    screen.seen.append((opened.view, opened.key))
    name = " ".join(short(part) for part in opened.key if part is not None)
    screen.put((f"{view.name}: {name}", "title"), ("" if row else "  is not there any more", "warn"))
    put_values(view, row or {}, screen)
    plots = view.plots
    room = screen.left(below) if screen.height else (PLOT_LINES + 1) * len(plots)
    each = min(room // max(len(plots), 1), PLOT_LINES + 1)
    if each < 3:  # few lines: the first plots only
        plots, each = plots[:max(room // 3, 0)], 3
    for name, title, top_name in plots:
        column = view.column(name)
        values = [column.scaled(value) if column else value for value in curve_of(state, opened, name, screen)]
        put_plot(values, title, (row or {}).get(top_name), each - 1, screen)


def put_values(view: View, row: Row, screen: Screen) -> None:
    """Name and value of each column, side by side."""
    words = [f"{column.head} {column.text(row, screen.glyphs)}"
             for column in view.columns if column.name not in view.key]
    line = ""
    for word in words:
        if line and width_of(line) + width_of(word) + 3 > screen.width:
            screen.put((line, ""))
            line = ""
        line += ("   " if line else "") + word
    screen.put((line, ""))


def curve_of(state: State, opened: Opened, name: str, screen: Screen) -> Sequence[Value]:
    """As the source keeps it, else as it was read."""
    kept = state.source.curve(opened, name)
    return screen.histories.get((opened.view, opened.key), name) if kept is None else kept


def put_plot(values: Sequence[Value], title: str, most: Value, height: int, screen: Screen) -> None:
    """Title, then `height` lines with an axis from 0 to `most`, if it is known and enough, else to a round number."""
    width = screen.width - AXIS - 1
    shown = list(values)[-width:]
    highest = max(numbers(shown), default=0.0)
    top = (float(most) if isinstance(most, (int, float)) and most >= highest and most > 0
           else history.nice_top(shown, 1e-6 if highest > 0 else 1.0))
    now = next((value for value in reversed(shown[-1:])), None)
    screen.put((f"{title}: now {short(now)}, most {short(highest)}", "dim"))
    for at, line in enumerate(history.plot(shown, width, height, top, screen.glyphs)):
        label = short(top) if at == 0 else "0" if at == height - 1 else ""
        screen.put((fit(label, AXIS, True) + " ", "dim"), (line, "curve"))


# --- the rest ---

def put_help(state: State, screen: Screen) -> None:
    keys = HELP_RECORDED if state.source.span else HELP_LIVE
    screen.put(("keys", "title"))
    for key, what in keys:
        screen.put((fit(key, 33), ""), (what, ""))
    screen.put(("tables", "title"))
    for view in state.source.views:
        screen.put((fit(view.name, 33), ""), (view.what, ""))
    screen.lines = screen.lines[:max(screen.height - 2, 0)] if screen.height else screen.lines


def put_slider(span: Span, state: State, screen: Screen) -> None:
    """Where in the run the values are from."""
    glyphs = screen.glyphs
    words = f" {span.at_s:.2f} s of {span.end_s:.0f} s  " + ("Space plays" if state.is_paused else "Space stops")
    room = max(min(screen.width, 200) - width_of(words) - 2, 4)
    length = span.end_s - span.start_s
    at = round((room - 1) * (span.at_s - span.start_s) / length) if length > 0 else 0
    screen.put((" " + glyphs.line * at, "dim"), (glyphs.mark, "title"), (glyphs.line * (room - 1 - at), "dim"),
               (words, ""))


def put_footer(state: State, snapshot: Snapshot | None, screen: Screen) -> None:
    if state.prompt:
        screen.put((state.prompt.title, "title"), (state.prompt.text, ""), ("_", ""))
    elif state.message or snapshot and snapshot.notes:
        screen.put((state.message or "; ".join(snapshot.notes if snapshot else ()), "warn"))
    elif state.is_help:
        screen.put(("any key goes back, q quits", "dim"))
    elif state.opened:
        screen.put(("Esc back  Space pause  h help  q quit" if not state.source.span else "Esc back  Left Right time  "
                    "Space plays  h help  q quit", "dim"))
    else:
        screen.put(("Enter opens a row  < > sort  r reverse  / filter  h help  q quit", "dim"))


def remember(histories: history.Histories, snapshot: Snapshot, views: Mapping[str, View],
             seen: Sequence[tuple[str, Key]]) -> None:
    """Adds the figures, and the curves of the objects that were on the last screen."""
    for figure in snapshot.figures:
        histories.add(("figure",), {figure.label: figure.value})
    wanted: dict[str, set[Key]] = {}
    for name, key in seen:
        wanted.setdefault(name, set()).add(key)
    for name, keys in wanted.items():
        view = views[name]
        for row in snapshot.tables.get(name, ()):
            if (key := view.key_of(row)) in keys:
                histories.add((name, key), {column: row.get(column) for column, _, _ in view.plots})


def clock_of(seconds: float) -> str:
    """Of the day, local."""
    return period(seconds % 86400).rjust(8, "0")
