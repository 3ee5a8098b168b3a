# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow top`: arguments, the source, and the loop of the screen.
Status: 0 the user has ended it, 1 no such node or run, 2 usage."""

import argparse
import math
import os
import pathlib
import shutil
import signal
import sys
import time
from collections.abc import Sequence

from gbflow_results import Failure, Unusable, words
from gbflow_results.shown import is_unread, unwritten_named
from gbflow_results.words import unknown
from gbflow_top import draw, state as states, telemetry
from gbflow_top.bss import Bss
from gbflow_top.feed import LONG_S, Feed
from gbflow_top.history import Histories
from gbflow_top.node import Node
from gbflow_top.source import Snapshot, Source, Span
from gbflow_top.state import State
from gbflow_top.tables import Order, View
from gbflow_top.telemetry import Client, Unknown
from gbflow_top.text import Glyphs, clean, glyphs_of_locale

PROGRAM = "gbflow top"
LARGE_OCTETS = 10 << 20
COLUMNS, COLUMNS_MAX = 80, 1000  # without a terminal
ONCE_S = 10.0


class Usage(Failure):
    """A wrong argument, which only the source can tell."""


class Parser(words.Parser):
    """Errors are one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(2, clean(f"{PROGRAM}: {message}; see {PROGRAM} --help") + "\n")


def seconds(text: str) -> float:
    try:
        return states.interval_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def arguments(argv: list[str]) -> argparse.Namespace:
    parser = Parser(prog=PROGRAM, add_help=False, allow_abbrev=False)
    parser.add_argument("dir", nargs="?", type=pathlib.Path)
    parser.add_argument("--prefix")
    parser.add_argument("--interval", type=seconds, default=1.0)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("--columns")
    parser.add_argument("--sort")
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("--filter", default="")
    parser.add_argument("--at")
    given = parser.parse_args(argv)
    console = os.environ.get("GBFLOW_CONSOLE")  # its process, in a line of gbflow console
    if console and (given.dir or given.prefix is not None):
        parser.error(f"the console is at {console}; for a run or another process: gbflow top in a shell")
    given.prefix = console or given.prefix
    if given.dir and given.prefix is not None:
        parser.error("a folder and --prefix: name one of them")
    if given.at is not None and not given.dir:
        parser.error("--at needs the folder of a run")
    return given


def source_of(given: argparse.Namespace) -> Source:
    """A run's folder, or the process at the prefix: a node has the table node, a BSS has bss."""
    if given.dir:
        for name in ("series.csv", "series.csv.gz"):
            tell_of_reading(given.dir / name)
        from gbflow_top.recorded import Recorded  # pylint: disable=import-outside-toplevel
        run = Recorded(given.dir)
        if given.at is not None:
            run.go(instant_of(given.at, run.span))
        return run
    process = telemetry.the_one(given.prefix)
    client = Client(process.name, ONCE_S if is_once(given) else math.inf, process.path)
    try:
        return live_of(client)
    except Failure:
        client.close()
        raise


def live_of(client: Client) -> Source:
    try:
        client.page("node", 0)
        return Node(client)
    except Unknown:
        client.page("bss", 0)
        return Bss(client)


def instant_of(text: str, span: Span) -> float:
    """Of --at. Raises Usage with the instants that there are."""
    at_s = states.decimal_of(text)
    if not span.start_s <= at_s <= span.end_s:
        raise Usage(f"--at: '{text}' is not a number of seconds from {span.start_s:.12g} to {span.end_s:.12g}, which "
                    "the run has")
    return at_s


def tell_of_reading(path: pathlib.Path) -> None:
    """Of a file that takes seconds, on a terminal."""
    if sys.stderr is not None and sys.stderr.isatty() and path.is_file() and path.stat().st_size > LARGE_OCTETS:
        print(clean(f"{PROGRAM}: reads {path}, {path.stat().st_size >> 20} MiB"), file=sys.stderr)


def check_columns(option: str, view: View, names: Sequence[str]) -> None:
    for name in names:
        if not view.column(name):
            known = [column.name for column in view.columns]
            raise Usage(f"{option}: {unknown(name, f'column of {view.name}', known)}")


def state_of(given: argparse.Namespace, source: Source) -> State:
    """As the options say. Raises Usage with what there is instead of a table or column."""
    state = State(source, given.interval, is_paused=source.span is not None, filter=given.filter)
    if given.table is not None and given.table not in state.tabs:
        raise Usage(f"--table: {unknown(given.table, 'table', state.tabs)}")
    if given.table:
        state.tab = state.tabs.index(given.table)
    check_columns("--sort", state.view, [given.sort] if given.sort is not None else [])
    if given.sort:
        state.orders[state.view.name] = Order(given.sort, True)
    if given.columns is not None:
        check_columns("--columns", state.view, given.columns.split(","))
        state.columns[state.view.name] = given.columns.split(",")
    if given.reverse:
        states.reverse(state)
    return state


# --- without a terminal ---

def once(state: State, glyphs: Glyphs) -> int:
    """As wide as COLUMNS or the terminal; LINES limit it, where they are set."""
    snapshot = state.source.read(None)
    if state.source.needs_two:
        time.sleep(state.interval_s)
        snapshot = state.source.read(None)
    size = shutil.get_terminal_size((COLUMNS, 0))
    screen = draw.Screen(min(size.columns, COLUMNS_MAX), 0, glyphs, Histories(), "" if state.source.span else clock())
    draw.screen_of(state, snapshot, screen)
    lines = screen.lines[:size.lines] if size.lines else screen.lines
    with unwritten_named():
        sys.stdout.write(draw.text_of(lines) + "\n")
        sys.stdout.flush()
    return 0


def clock() -> str:
    return time.strftime("%H:%M:%S")


# --- with one ---

class Top:
    """The loop: a screen, then a wait for a key, a snapshot, a signal or the time to draw again."""

    def __init__(self, state: State, glyphs: Glyphs):
        self.state, self.glyphs = state, glyphs
        self.histories = Histories()
        self.views = {view.name: view for view in state.source.views}
        self.seen: list = []
        self.snapshot: Snapshot | None = None
        self.error, self.is_old = "", True

    def take(self, feed: Feed) -> None:
        """What the feed has read since."""
        snapshot, self.error = feed.take()
        if snapshot and not self.state.is_paused:
            self.snapshot = snapshot
            draw.remember(self.histories, snapshot, self.views, self.seen)

    def press(self, key: str, width: int, height: int) -> None:
        """A key acts on what the ones before have brought to the screen, painted or not."""
        if self.is_old:
            self.lines(width, height)
        states.press(self.state, key)
        self.is_old = True

    def lines(self, width: int, height: int) -> list[draw.Line]:
        state, self.is_old = self.state, False
        if state.source.span:
            self.snapshot = state.source.read(state.opened)
        shown = clock() if not state.source.span else ""
        screen = draw.Screen(width, height, self.glyphs, self.histories, shown)
        if self.error and not state.message:
            state.message = self.error
        draw.screen_of(state, self.snapshot, screen)
        if state.message == self.error:
            state.message = ""
        self.seen = screen.seen
        return screen.lines


def interactive(state: State, glyphs: Glyphs) -> int:
    from gbflow_top import terminal as term  # pylint: disable=import-outside-toplevel
    top = Top(state, glyphs)
    with term.full_screen() as (terminal, signals):
        feed = None if state.source.span else Feed(state.source, signals.wake)
        if feed:
            feed.start()
        next_s = time.monotonic() + state.interval_s
        while not state.is_over and signals.end is None:
            if signals.take(signal.SIGTSTP):
                terminal.stop()
            if signals.take(signal.SIGCONT):
                terminal.resume()
            if signals.take(signal.SIGWINCH):
                terminal.resize()
            if feed:
                feed.set(state.interval_s, state.is_paused, state.opened)
                top.take(feed)
            next_s = play(state, next_s)
            terminal.paint(top.lines(*terminal.size), state.is_garbled)
            state.is_garbled = False
            is_playing = state.source.span is not None and not state.is_paused
            look_s = time.monotonic() + LONG_S if feed else None  # how long the reading takes
            term.wait(terminal, signals, next_s if is_playing else look_s, lambda key: top.press(key, *terminal.size))
        if feed:
            feed.stop()
    if signals.end and signals.end not in term.QUIET_ENDS:
        term.die_of(signals.end)
    return 0


def play(state: State, next_at: float) -> float:
    """A recorded run that plays moves by a sample each interval, and stops at its end;
    returns the time of its next move."""
    now_s = time.monotonic()
    if state.source.span is None or state.is_paused:
        return now_s + state.interval_s
    if now_s < next_at:
        return next_at
    if not state.source.move(1):
        state.is_paused = True
    return max(next_at + state.interval_s, now_s)


def has_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def is_once(given: argparse.Namespace) -> bool:
    return given.once or not has_terminal()


def run(given: argparse.Namespace) -> int:
    source = source_of(given)
    try:
        state, glyphs = state_of(given, source), glyphs_of_locale()
        return once(state, glyphs) if is_once(given) else interactive(state, glyphs)
    finally:
        source.close()


def main(argv: list[str]) -> int:
    given, status = arguments(argv), 1
    try:
        return run(given)
    except Failure as failure:
        message, status = str(failure), 2 if isinstance(failure, (Usage, Unusable)) else 1
    except KeyboardInterrupt:
        return 0
    except MemoryError:
        message = "not enough memory for the run's files; give the process more"
    except OSError as error:
        if isinstance(error, BrokenPipeError) and is_unread():
            raise
        message = f"{error.filename}: {os.strerror(error.errno or 0)}" if error.filename else str(error)
    print(clean(f"{PROGRAM}: {message}"), file=sys.stderr)
    return status
