# SPDX-License-Identifier: BSD-3-Clause
"""The telemetry socket of a running node or BSS, as `gbflow show` reads it (control/show/telemetry.h)."""

import contextlib
import json
import os
import pathlib
import socket
from collections.abc import Sequence
from typing import Any

from gbflow_results import Failure
from gbflow_top.text import Value

SOCKET = "dpdk_telemetry.v2"
TIMEOUT_S = 5.0
ANSWER_OCTETS = 65536
PATH_OCTETS = 107  # of an address of AF_UNIX
HEADER_ROWS = 2  # names and kinds of the columns


class Gone(Failure):
    """Nothing answers at the socket now; reason: in a few words."""

    def __init__(self, path: pathlib.Path, reason: str):
        names = running()
        there = f"running: --prefix {', --prefix '.join(names)}" if names else "none runs"
        super().__init__(f"no running node at {path}: {reason}; {there}")
        self.reason = reason


class Unknown(Failure):
    """The process has no such table."""


def runtime_folder() -> pathlib.Path:
    """DPDK's folder, as runtime_folder() of control/base/live_claims.c has it."""
    folder = os.environ.get("RUNTIME_DIRECTORY")
    if folder is None:
        folder = "/var/run" if os.getuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")
    return pathlib.Path(folder) / "dpdk"


def running() -> list[str]:
    """Prefixes whose sockets accept a connection."""
    found = []
    for path in sorted(runtime_folder().glob(f"*/{SOCKET}")):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock, contextlib.suppress(OSError):
            sock.settimeout(0.2)
            sock.connect(str(path))
            found.append(path.parent.name)
    return found


def value_of(text: Any, kind: str) -> Value:
    """A cell: "-" is not known."""
    if not isinstance(text, str) or text == "-":
        return None
    if kind != "n":
        return text
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return None


class Client:
    """One connection, made when something is asked."""

    def __init__(self, prefix: str):
        self.prefix = prefix
        self.path = runtime_folder() / prefix / SOCKET
        self.sock: socket.socket | None = None

    def close(self) -> None:
        if self.sock:
            self.sock.close()
        self.sock = None

    def connect(self) -> socket.socket:
        if len(os.fsencode(self.path)) > PATH_OCTETS:
            raise Failure(f"{self.path}: longer than a socket's path may be; use a shorter --prefix")
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sock.settimeout(TIMEOUT_S)
        try:
            sock.connect(str(self.path))
            if not sock.recv(ANSWER_OCTETS):
                raise ConnectionError("the process closes connections")
        except OSError:
            sock.close()
            raise
        return sock

    def ask(self, command: str) -> Any:
        """The answer to a command, None where it is not known. Raises Gone."""
        try:
            self.sock = self.sock or self.connect()
            self.sock.send(command.encode())
            answer = self.sock.recv(ANSWER_OCTETS)
            if not answer:
                raise ConnectionError("the process has ended")
            return json.loads(answer).get(command.partition(",")[0])
        except (OSError, ValueError, AttributeError) as error:
            self.close()
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Gone(self.path, reason) from error

    def page(self, name: str, first: int) -> tuple[Sequence[str], Sequence[str], Sequence[Sequence[str]]]:
        """Names and kinds of the columns, and rows from `first` on, as many as one answer holds."""
        rows = self.ask(f"/gbflow/table/{name},{first}")
        if not isinstance(rows, list) or len(rows) < HEADER_ROWS or not all(isinstance(row, list) for row in rows):
            raise Unknown(f"{self.path}: the process has no table {name}; it may be of another version")
        return rows[0], rows[1], rows[HEADER_ROWS:]

    def rows(self, name: str, first: int, is_all: bool = True) -> list[dict[str, Value]]:
        """Rows of a table from `first` on: all, or those of one answer."""
        found: list[dict[str, Value]] = []
        before: Sequence[Sequence[str]] = []
        while True:
            names, kinds, page = self.page(name, first + len(found))
            if page and page == before:
                raise Unknown(f"{self.path}: the process sends the same rows of {name} again; it may be of another version")
            before = page
            found += [{column: value_of(cell, kind) for column, kind, cell in zip(names, kinds, row)} for row in page]
            if not page or not is_all:
                return found
