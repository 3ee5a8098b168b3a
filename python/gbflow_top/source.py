# SPDX-License-Identifier: BSD-3-Clause
"""What a screen is drawn of: a source, which is a node, a BSS or a recorded run, and its snapshots."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gbflow_top.tables import Row, View
from gbflow_top.telemetry import Client
from gbflow_top.text import Value

Key = tuple[Value, ...]
NOTE_S = 5.0


@dataclass(frozen=True)
class Figure:
    """A line at the head of the screen; value: of its curve."""

    label: str
    text: str
    value: Value = None


@dataclass(frozen=True)
class Opened:
    """The row that one looks at alone: name of its table, and its key."""

    view: str
    key: Key


@dataclass(frozen=True)
class Snapshot:
    """title: words of the first line; tables: rows by the view's name; notes: what has happened, for a while."""

    title: Sequence[str]
    figures: Sequence[Figure]
    tables: Mapping[str, Sequence[Row]]
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Span:
    """The times of a recorded run, and the one that is shown."""

    start_s: float
    end_s: float
    at_s: float


class Uptime:
    """Of a process, which tells a restart: `notes` says so for NOTE_S."""

    def __init__(self, what: str):
        self.what, self.seconds, self.told_at = what, 0.0, float("-inf")

    def has_restarted(self, uptime_s: Value, now_s: float) -> bool:
        was, self.seconds = self.seconds, float(uptime_s) if isinstance(uptime_s, (int, float)) else 0.0
        if self.seconds >= was:
            return False
        self.told_at = now_s
        return True

    def notes(self, now_s: float) -> tuple[str, ...]:
        return (f"the {self.what} has restarted",) if now_s - self.told_at < NOTE_S else ()


class Live:
    """A process that runs: it keeps no past, and there is no other instant to go to. clock: monotonic seconds."""

    span = None

    def __init__(self, client: Client, what: str, clock: Callable[[], float]):
        self.client, self.clock = client, clock
        self.uptime = Uptime(what)

    def close(self) -> None:
        self.client.close()

    def move(self, samples: int) -> bool:
        return False

    def curve(self, opened: Opened, name: str) -> None:
        return None

    def past(self, label: str) -> None:
        return None


class Source(Protocol):
    """views: its tables, in the order of the tabs; overview: (view, most rows) of the first tab."""

    views: Sequence[View]
    overview: Sequence[tuple[str, int]]
    needs_two: bool  # rates are differences of two snapshots

    def read(self, opened: Opened | None) -> Snapshot:
        """The state now. Raises Gone where nothing answers."""

    def curve(self, opened: Opened, name: str) -> Sequence[Value] | None:
        """The values of a column of a row up to now; None: the source keeps none."""

    def past(self, label: str) -> Sequence[Value] | None:
        """The values of a figure up to now, as curve()."""

    @property
    def span(self) -> Span | None:
        """None: the source is live."""

    def move(self, samples: int) -> bool:
        """Goes to another instant; False: there is none."""

    def close(self) -> None:
        """Frees what it holds."""
