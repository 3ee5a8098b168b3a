# SPDX-License-Identifier: BSD-3-Clause
"""The terminal: curses, keys, signals. However the program ends, the terminal is as it was before."""

import curses
import os
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gbflow_results import Failure
from gbflow_top.draw import Line
from gbflow_top.state import ENTER, ERASE, ESCAPE

ESCAPE_MS = 25
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# Ends by these are what the user wanted; of the others the process dies, once the terminal is right.
QUIET_ENDS = (signal.SIGINT, signal.SIGTERM)

NAMES = {
    curses.KEY_UP: "UP", curses.KEY_DOWN: "DOWN", curses.KEY_LEFT: "LEFT", curses.KEY_RIGHT: "RIGHT",
    curses.KEY_PPAGE: "PAGEUP", curses.KEY_NPAGE: "PAGEDOWN", curses.KEY_HOME: "HOME", curses.KEY_END: "END",
    curses.KEY_BTAB: "BACKTAB", curses.KEY_ENTER: ENTER, curses.KEY_BACKSPACE: ERASE, curses.KEY_DC: ERASE, "\n": ENTER,
    "\r": ENTER, "\t": "TAB", "\x1b": ESCAPE, "\x7f": ERASE, "\b": ERASE, "\x0c": "REDRAW",
}
STYLES = {"title": curses.A_BOLD, "tab": curses.A_REVERSE | curses.A_BOLD, "chosen": curses.A_REVERSE,
          "head": curses.A_REVERSE,
          "sort": curses.A_BOLD, "dim": curses.A_DIM, "warn": curses.A_BOLD, "curve": curses.A_NORMAL}
COLORS = {"sort": (1, curses.COLOR_YELLOW), "warn": (2, curses.COLOR_RED), "curve": (3, curses.COLOR_CYAN),
          "title": (4, curses.COLOR_GREEN)}


class Signals:
    """Handlers only note a signal; the loop acts on it between two screens. The kernel may give a signal to any thread:
    only Python's wakeup descriptor ends the wait of the main one in each case."""

    def __init__(self) -> None:
        self.noted: set[int] = set()
        self.read_fd, self.write_fd = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.before: dict[int, object] = {}
        self.wakeup_before = -1

    def note(self, number: int, _: object) -> None:
        self.noted.add(number)

    def wake(self) -> None:
        """Ends the loop's wait, from any thread."""
        try:
            os.write(self.write_fd, b"x")
        except BlockingIOError:
            pass  # it is awake already

    def drain(self) -> None:
        try:
            while os.read(self.read_fd, 4096):
                pass
        except BlockingIOError:
            pass

    def take(self, number: int) -> bool:
        found = number in self.noted
        self.noted.discard(number)
        return found

    def __enter__(self) -> "Signals":
        self.wakeup_before = signal.set_wakeup_fd(self.write_fd, warn_on_full_buffer=False)
        for number in (*ENDS, signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH):
            was = signal.getsignal(number)
            if number == signal.SIGHUP and was == signal.SIG_IGN:
                continue  # nohup
            self.before[number] = was
            signal.signal(number, self.note)
        return self

    def __exit__(self, *_: object) -> None:
        """Further signals of the end wait until the terminal is right, which it is now."""
        for number, was in self.before.items():
            signal.signal(number, was)  # type: ignore[arg-type]
        signal.set_wakeup_fd(self.wakeup_before)

    @property
    def end(self) -> int | None:
        """The signal that ends the program, if one was noted."""
        return next((number for number in ENDS if number in self.noted), None)


class Terminal:
    """A full screen, from open() to close()."""

    def __init__(self) -> None:
        self.screen: "curses.window | None" = None
        self.styles: dict[str, int] = {}
        self.fd = sys.stdin.fileno()
        self.before = termios.tcgetattr(self.fd)

    def open(self) -> None:
        try:
            curses.setupterm()
        except curses.error as error:
            raise Failure(f"terminal type '{os.environ.get('TERM', '')}': {error}; set TERM, or use --once") from error
        if not curses.tigetstr("cup"):
            raise Failure(f"terminal type '{os.environ.get('TERM', '')}' cannot place text; set TERM, or use --once")
        self.screen = curses.initscr()
        curses.noecho(), curses.cbreak(), curses.set_escdelay(ESCAPE_MS)
        self.screen.keypad(True)
        self.screen.nodelay(True)
        hide_cursor()
        self.styles = dict(STYLES, **colors())

    def close(self) -> None:
        if self.screen is not None and not curses.isendwin():
            self.screen.keypad(False)
            curses.endwin()
        termios.tcsetattr(self.fd, termios.TCSADRAIN, self.before)

    def stop(self) -> None:
        """Ctrl-Z: the shell gets its terminal; the program continues after fg."""
        assert self.screen is not None
        curses.def_prog_mode()
        curses.endwin()
        termios.tcsetattr(self.fd, termios.TCSADRAIN, self.before)
        was = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, was)
        self.resume()

    def resume(self) -> None:
        """After SIGCONT: a shell may have set the terminal as it likes it."""
        curses.reset_prog_mode()
        hide_cursor()
        self.resize()

    def resize(self) -> None:
        """Takes the terminal's size, and draws all of it again."""
        assert self.screen is not None
        size = os.get_terminal_size(sys.stdout.fileno())
        curses.resizeterm(max(size.lines, 1), max(size.columns, 1))
        self.screen.clear()
        self.screen.refresh()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        assert self.screen is not None
        lines, columns = self.screen.getmaxyx()
        return columns, lines

    def paint(self, lines: list[Line], is_garbled: bool) -> None:
        assert self.screen is not None
        if is_garbled:
            self.screen.clear()
        self.screen.erase()
        columns, rows = self.size
        for at, line in enumerate(lines[:rows]):
            self.screen.move(at, 0)
            for text, style in line:
                try:
                    self.screen.addnstr(text, columns, self.styles.get(style, 0))
                except curses.error:
                    break  # the cursor has no place behind the last column of the last line
        self.screen.refresh()

    def keys(self) -> Iterator[str]:
        """Those that have been pressed. Raises Failure when the terminal is gone."""
        assert self.screen is not None
        count = 0
        while True:
            try:
                key = self.screen.get_wch()
            except curses.error:
                break
            count += 1
            if name := NAMES.get(key, key if isinstance(key, str) else ""):
                yield name
        if count == 0:
            os.tcgetpgrp(self.fd)  # OSError: readable, but no key: the terminal is gone


def hide_cursor() -> None:
    """Until endwin()."""
    try:
        curses.curs_set(0)
    except curses.error:
        pass  # the terminal cannot


def colors() -> dict[str, int]:
    if not curses.has_colors() or os.environ.get("NO_COLOR"):
        return {}
    curses.start_color()
    curses.use_default_colors()
    for number, color in COLORS.values():
        curses.init_pair(number, color, -1)
    found = {style: STYLES.get(style, 0) | curses.color_pair(number) for style, (number, _) in COLORS.items()}
    return {**found, "sort": found["sort"] | curses.A_REVERSE}


@contextmanager
def full_screen() -> Iterator[tuple[Terminal, Signals]]:
    terminal = Terminal()
    with Signals() as signals:
        try:
            terminal.open()
            yield terminal, signals
        finally:
            terminal.close()


def die_of(number: int) -> None:
    """As the shell expects of a process that a signal ends."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def wait(terminal: Terminal, signals: Signals, until_at: float | None, press: Callable[[str], None]) -> None:
    """Until a key, a signal, a snapshot, or the instant (monotonic)."""
    timeout_s = None if until_at is None else max(until_at - time.monotonic(), 0)
    ready, _, _ = select.select([terminal.fd, signals.read_fd], [], [], timeout_s)
    if signals.read_fd in ready:
        signals.drain()
    if terminal.fd in ready:
        for key in list(terminal.keys()):
            press(key)
