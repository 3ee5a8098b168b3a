# SPDX-License-Identifier: BSD-3-Clause
"""The socket of a running node or BSS, as `gbflow show` reads it (control/show/telemetry_socket.h)."""

import contextlib
import glob
import json
import os
import math
import pathlib
import pwd
import re
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from gbflow_results import Failure
from gbflow_top.text import Value

SOCKET = "gbflow_telemetry.v2"
SOCKETS = pathlib.Path("/proc/net/unix")
LISTENS = 0x10000  # in its column Flags
NODE = "node"
TIMEOUT_S = 5.0
ANSWER_OCTETS = 65536
PATH_OCTETS = 107  # of an address of AF_UNIX
HEADER_ROWS = 2  # names and kinds of the columns
ROWS_MOST = 10**6
READINGS = 3
# as telemetry_socket_is_name() of control/show/telemetry_socket.c has it
NAME = re.compile("[A-Za-z0-9_][A-Za-z0-9_-]{0,29}")
NAME_FORM = "1 to 30 letters, digits, _ and -, the first one no -"
NUMBER = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?")


class Gone(Failure):
    """Nothing answers at the socket now; reason: in a few words."""

    def __init__(self, path: pathlib.Path, reason: str):
        names = running()
        there = f"running: --prefix {', --prefix '.join(names)}" if names else "none runs"
        super().__init__(f"no running node at {path}: {reason}; {there}")
        self.reason = reason


class Silent(Gone):
    """A process is there and says nothing."""

    def __init__(self, path: pathlib.Path):
        Failure.__init__(self, f"the process at {path} has not answered within {TIMEOUT_S:g} s: it is busy or stopped; "
                               "try again, and look at its log")
        self.reason = f"nothing came within {TIMEOUT_S:g} s"


class Refused(Gone):
    """Its socket is another user's."""

    def __init__(self, path: pathlib.Path):
        Failure.__init__(self, f"no right to the socket {path}, which is of the user {owner_of(path)}; use sudo, "
                               "or be that user")
        self.reason = "no right to the socket"


def owner_of(path: pathlib.Path) -> str:
    """The user whose socket it is, or whose folder around it."""
    for part in (path, *path.parents):
        with contextlib.suppress(OSError, KeyError):
            return pwd.getpwuid(part.stat().st_uid).pw_name
    return "?"


class Busy(Gone):
    """It has as many clients as it takes."""

    def __init__(self, path: pathlib.Path, error: str):
        Failure.__init__(self, f"the process at {path} is {error}; try again")
        self.reason = error


class Unknown(Failure):
    """The process has no such table."""


class NoTable(Failure):
    """What the process sends is none."""

    def __init__(self, path: pathlib.Path):
        super().__init__(f"{path}: the answer is no table; the process may be of another version")


def runtime_folder() -> pathlib.Path:
    """DPDK's folder, as eal_folder() of control/base/eal.c has it."""
    folder = os.environ.get("RUNTIME_DIRECTORY")
    if folder is None:
        folder = "/var/run" if os.getuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")
    return pathlib.Path(folder) / "dpdk"


def places() -> list[str]:
    """Patterns of the folders above those of processes, as telemetry_socket_find() of control/show/telemetry_socket.h
    has them."""
    own = str(runtime_folder())
    if "RUNTIME_DIRECTORY" in os.environ:
        return [glob.escape(own)]
    others = (["/run/gbflow/dpdk", "/run/gbflow/*/dpdk", "/var/run/dpdk", "/run/user/*/dpdk"]
              + ["/tmp/dpdk"] * (os.getuid() != 0))
    return [glob.escape(own), *(place for place in others if place != own)]


class Process(NamedTuple):
    """kind: "node" or "BSS"; "" until it has greeted."""

    name: str
    path: pathlib.Path
    kind: str = ""


def joined(path: str) -> socket.socket | None:
    """A connection to a process; None: no process is there.
    One whose socket is another user's is there, and not connected."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sock.setblocking(False)
    try:
        sock.connect(path)
    except (BlockingIOError, PermissionError):
        return sock
    except OSError:
        sock.close()
        return None
    return sock


def connected(prefix: str | None) -> dict[socket.socket, Process]:
    found: dict[socket.socket, Process] = {}
    seen = set()
    for place in places():
        for path in sorted(glob.glob(f"{place}/{glob.escape(prefix) if prefix else '*'}/{SOCKET}")):
            with contextlib.suppress(OSError):
                file = os.stat(path)
                sock = None if (file.st_dev, file.st_ino) in seen else joined(path)
                if sock:
                    seen.add((file.st_dev, file.st_ino))
                    found[sock] = Process(pathlib.Path(path).parent.name, pathlib.Path(path))
    for path in hidden(prefix):
        found[socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)] = Process(pathlib.Path(path).parent.name,
                                                                              pathlib.Path(path))
    return found


def hidden(prefix: str | None) -> list[str]:
    """Sockets that processes listen at in folders of other users, which this user may not enter: the kernel lists
    them for each user."""
    with contextlib.suppress(OSError):
        lines = [line.split(maxsplit=7) for line in SOCKETS.read_text(errors="surrogateescape").splitlines()[1:]]
        listening = [line[7] for line in lines if len(line) > 7 and int(line[3], 16) & LISTENS]
        name = re.escape(prefix) if prefix else "[^/]+"
        forms = [re.compile(r"[^/]*".join(map(re.escape, place.split("*"))) + f"/{name}/{re.escape(SOCKET)}")
                 for place in (*places()[1:], str(runtime_folder()))]
        return [path for path in listening if any(form.fullmatch(path) for form in forms) and is_denied(path)]
    return []


def is_denied(path: str) -> bool:
    try:
        os.stat(path)
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def kind_of(sock: socket.socket) -> str:
    """Of the greeting; "": there is none."""
    try:
        greeting = json.loads(sock.recv(ANSWER_OCTETS))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(greeting.get("kind", NODE)) if isinstance(greeting, dict) else ""


def processes(prefix: str | None = None) -> list[Process]:
    """Those of a name, or all, that answer; without one, those that take clients."""
    found, end_at = connected(prefix), time.monotonic() + TIMEOUT_S
    waiting = [sock for sock in found if is_connected(sock)]
    while waiting and time.monotonic() < end_at:
        for sock in select.select(waiting, [], [], max(end_at - time.monotonic(), 0))[0]:
            found[sock] = found[sock]._replace(kind=kind_of(sock))
            waiting.remove(sock)
    for sock in found:
        sock.close()
    return [process for process in found.values() if process.kind] or list(found.values())


def is_connected(sock: socket.socket) -> bool:
    try:
        sock.getpeername()
    except OSError:
        return False
    return True


def running() -> list[str]:
    """Prefixes of processes that answer."""
    return [process.name for process in processes()]


def the_one(prefix: str | None) -> Process:
    """The process of a name, or the only node that runs, or BSS where there is no node.
    Raises Failure: there are several, or none."""
    if prefix is not None and not NAME.fullmatch(prefix):
        raise Failure(f"--prefix: {prefix!r}: must be {NAME_FORM}; give the eal.prefix of a node, or --prefix of "
                      "gbflow emulate")
    found = processes(prefix)
    found = [process for process in found if process.kind == NODE] or found
    if len(found) == 1:
        return found[0]
    if found:
        names = {process.name for process in found}
        remedy = ("select one with --prefix NAME" if len(names) > 1 else "set RUNTIME_DIRECTORY to the folder above "
                  "dpdk of one of them")
        listed = ", ".join(f"{process.name} ({process.path})" for process in found)
        raise Failure(f"{len(found)} {found[0].kind or NODE}s run: {listed}; {remedy}")
    if prefix:
        return Process(prefix, runtime_folder() / prefix / SOCKET)
    raise Failure(f"no node or BSS runs: no socket answers in {', '.join(places())}; start one, or use sudo or be "
                  "the user that runs it")


def value_of(text: Any, kind: str) -> Value:
    """A cell: "-" is not known."""
    if not isinstance(text, str) or text == "-":
        return None
    if kind != "n":
        return text
    if not NUMBER.fullmatch(text):
        return None
    return float(text) if "." in text else int(text)


def is_table(rows: Any) -> bool:
    """Rows of cells, below a row of names and one of kinds."""
    return (isinstance(rows, list) and len(rows) >= HEADER_ROWS and all(isinstance(row, list) for row in rows)
            and all(isinstance(word, str) for head in rows[:HEADER_ROWS] for word in head))


class Client:
    """One connection, made when something is asked. limit_s: the most that all answers together may take."""

    def __init__(self, prefix: str, limit_s: float = math.inf, path: pathlib.Path | None = None):
        self.prefix, self.limit_s, self.spent_s = prefix, limit_s, 0.0
        self.path = path or runtime_folder() / prefix / SOCKET
        self.sock: socket.socket | None = None

    def close(self) -> None:
        if self.sock:
            self.sock.close()
        self.sock = None

    def connect(self) -> socket.socket:
        if len(os.fsencode(self.path)) > PATH_OCTETS:
            raise Failure(f"{self.path}: longer than a socket's path may be; use a shorter --prefix")
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # of connect(), while places are full
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(TIMEOUT_S), 0))
        try:
            try:
                sock.connect(str(self.path))
            except BlockingIOError as error:
                raise TimeoutError from error
            sock.settimeout(TIMEOUT_S)
            greeting = sock.recv(ANSWER_OCTETS)
            if not greeting:
                raise ConnectionError("the process closes connections")
            self.check(greeting)
        except (OSError, Failure):
            sock.close()
            raise
        return sock

    def check(self, greeting: bytes) -> None:
        """Raises Busy where an error stands in place of the greeting."""
        with contextlib.suppress(ValueError, RecursionError):
            said = json.loads(greeting)
            if isinstance(said, dict) and "error" in said:
                raise Busy(self.path, str(said["error"]))

    def send_once(self, command: str) -> bytes:
        self.sock = self.sock or self.connect()
        self.sock.settimeout(min(TIMEOUT_S, max(self.limit_s - self.spent_s, 0.001)))
        self.sock.send(command.encode())
        answer = self.sock.recv(ANSWER_OCTETS)
        if not answer:
            raise ConnectionError("the process has ended")
        return answer

    def send(self, command: str) -> bytes:
        """The answer as it comes. Raises Gone, and Failure where answers take longer than the limit."""
        begin_at = time.monotonic()
        try:
            if self.sock:
                with contextlib.suppress(ConnectionError):
                    return self.send_once(command)
                self.close()  # a process closes those that were idle
            return self.send_once(command)
        except TimeoutError as error:
            self.close()
            raise Silent(self.path) from error
        except PermissionError as error:
            self.close()
            raise Refused(self.path) from error
        except OSError as error:
            self.close()
            raise Gone(self.path, error.strerror or str(error) or type(error).__name__) from error
        finally:
            self.spent_s += time.monotonic() - begin_at
            if self.spent_s >= self.limit_s:
                self.close()
                raise Failure(f"{self.path}: the answers take longer than {self.limit_s:g} s; the process is busy or "
                              "stopped")

    def ask(self, command: str) -> Any:
        """The answer to a command, None where it is not known."""
        try:
            answer = json.loads(self.send(command))
        except (ValueError, RecursionError) as error:
            self.close()
            raise NoTable(self.path) from error
        if not isinstance(answer, dict):
            self.close()
            raise NoTable(self.path)
        return answer.get(command.partition(",")[0])

    def page(self, name: str, first: int) -> tuple[Sequence[str], Sequence[str], Sequence[Sequence[str]]]:
        """Names and kinds of the columns, and rows from `first` on, as many as one answer holds."""
        rows = self.ask(f"/gbflow/table/{name},{first}")
        if rows is None:
            raise Unknown(f"{self.path}: the process has no table {name}; it may be of another version")
        if not is_table(rows):
            raise NoTable(self.path)
        return rows[0], rows[1], rows[HEADER_ROWS:]

    def rows(self, name: str, first: int, is_all: bool = True) -> list[dict[str, Value]]:
        """Rows of a table from `first` on: all, or those of one answer.
        Rows that moved between answers are read again."""
        for _ in range(READINGS):
            found = self.reading(name, first, is_all)
            if found is not None:
                return found
        raise NoTable(self.path)  # the same rows at each index

    def reading(self, name: str, first: int, is_all: bool) -> list[dict[str, Value]] | None:
        """None: an answer has the rows of the one before it."""
        found: list[dict[str, Value]] = []
        before: Sequence[Sequence[str]] = []
        while True:
            names, kinds, page = self.page(name, first + len(found))
            if page and page == before:
                return None
            before = page
            found += [{column: value_of(cell, kind) for column, kind, cell in zip(names, kinds, row)} for row in page]
            if not page or not is_all:
                return found
            if len(found) > ROWS_MOST:
                raise NoTable(self.path)

    def row(self, name: str) -> dict[str, Value]:
        """Of a table that has one."""
        rows = self.rows(name, 0)
        if len(rows) != 1:
            raise NoTable(self.path)
        return rows[0]
