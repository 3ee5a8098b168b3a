# SPDX-License-Identifier: BSD-3-Clause
"""The feed reads a live source in a thread, so that keys are answered while a node takes its time."""

import threading
import time
from collections.abc import Callable

from gbflow_results import Failure
from gbflow_top.source import Opened, Snapshot, Source
from gbflow_top.telemetry import Gone

RETRY_S = 1.0
LONG_S = 2.0  # of a reading, which is then told


class Feed:
    """wake: called in the thread after each reading. The newest snapshot waits until it is taken."""

    def __init__(self, source: Source, wake: Callable[[], None]):
        self.source, self.wake = source, wake
        self.lock = threading.Condition()
        self.opened: Opened | None = None
        self.interval_s, self.is_paused, self.is_over, self.is_due = 1.0, False, False, False
        self.snapshot: Snapshot | None = None
        self.reads_since_s: float | None = None
        self.error = ""
        self.broken: Exception | None = None  # a fault of this program
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        """A reading that has begun is not waited for."""
        with self.lock:
            self.is_over = True
            self.lock.notify()

    def set(self, interval_s: float, is_paused: bool, opened: Opened | None) -> None:
        """What the user wants; a row that was just opened is read at once."""
        with self.lock:
            if (interval_s, is_paused, opened) == (self.interval_s, self.is_paused, self.opened):
                return
            self.is_due = opened is not None and opened != self.opened
            self.interval_s, self.is_paused, self.opened = interval_s, is_paused, opened
            self.lock.notify()

    def take(self) -> tuple[Snapshot | None, str]:
        """A snapshot that has not been taken, and why there is none now ("": there is one). Raises a fault of the
        thread."""
        with self.lock:
            if self.broken:
                raise self.broken
            snapshot, self.snapshot = self.snapshot, None
            since_at = self.reads_since_s
            took_s = time.monotonic() - since_at if since_at is not None else 0.0
            return snapshot, self.error or (f"reading takes long: {took_s:.0f} s so far" if took_s > LONG_S else "")

    def run(self) -> None:
        while not self.is_over:
            self.reads_since_s = begin_s = time.monotonic()
            try:
                self.read_once()
            except Exception as error:  # pylint: disable=broad-exception-caught
                self.broken = error
            self.reads_since_s = None
            self.wake()
            if self.broken:
                return
            self.wait_from(begin_s)

    def read_once(self) -> None:
        try:
            snapshot, error = self.source.read(self.opened), ""
        except Gone as gone:
            snapshot, error = None, f"no answer: {gone.reason}; tries again"
        except Failure as failure:
            snapshot, error = None, str(failure)
        with self.lock:
            self.snapshot, self.error = snapshot or self.snapshot, error

    def wait_from(self, begin_s: float) -> None:
        with self.lock:
            while not self.is_over:
                wait_s = min(self.interval_s, RETRY_S) if self.error else self.interval_s
                left_s = begin_s + wait_s - time.monotonic()
                if not self.is_paused and (left_s <= 0 or self.is_due):
                    self.is_due = False
                    return
                self.lock.wait(None if self.is_paused else left_s)
