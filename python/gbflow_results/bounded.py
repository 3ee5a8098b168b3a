# SPDX-License-Identifier: BSD-3-Clause
"""Bounded: files that anybody may have made, read within limits.
Results, settings and logs are opened here and nowhere else.

Only regular files are read: a device or a pipe may never end. Octets are counted as they come, those of NAME.gz as they
are unpacked; the values of a JSON text before they are made, for each takes some hundred octets of memory. What is
beyond a limit, damaged or no text raises Failure with the file's name. A file that is not there, or may not be read,
raises OSError.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import json
import os
import pathlib
import re
import stat
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from gbflow_results import Failure

PACKED = ".gz"
BLOCK_OCTETS = 1 << 18
JSON_OCTETS = 128 << 20
JSON_VALUES = 4 << 20
TABLE_OCTETS = 1 << 30
RESULT_OCTETS = 1 << 40  # of what is read in blocks
LINE_OCTETS = 1 << 16
LOG_OCTETS = 16 << 20
NUMBER_MOST = 1e100  # its square is finite
DIGITS_MOST = 20  # of a whole number of 64 bits, with its sign
LONG_LINE = re.compile(rb"[^\n]{%d}" % (LINE_OCTETS + 1))
# An escape that may be half a character, which no page can hold.
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"),
         (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))


def must_be_regular(path: pathlib.Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in KINDS if is_kind(mode)), "something else")
        raise Failure(f"{path}: is {kind}; name a regular file")


def open_regular(path: pathlib.Path) -> BinaryIO:
    """Looked at before, for to open a device may do something; and after, for it may be another one by then."""
    must_be_regular(path, os.stat(path).st_mode)
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
    try:
        must_be_regular(path, os.fstat(file.fileno()).st_mode)
    except BaseException:
        file.close()
        raise
    return file


class Limited(io.RawIOBase):
    """The content of a file, at most so many octets."""

    def __init__(self, path: pathlib.Path, content: BinaryIO, most: int):
        super().__init__()
        self.path, self.content, self.most, self.left = path, content, most, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            block = self.content.read(len(buffer))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise Failure(f"{self.path}: not gzip, or cut off: {error}") from error
        self.left -= len(block)
        if self.left < 0:
            unpacked = " unpacked" if self.path.suffix == PACKED else ""
            raise Failure(f"{self.path}: has more than {self.most} octets{unpacked}, the most that is read")
        buffer[:len(block)] = block
        return len(block)


@contextlib.contextmanager
def opened(path: pathlib.Path, most: int) -> Iterator[io.BufferedReader]:
    """The content; of NAME.gz what was packed."""
    with open_regular(path) as file:
        content: Any = gzip.GzipFile(fileobj=file) if path.suffix == PACKED else file
        yield io.BufferedReader(Limited(path, content, most), BLOCK_OCTETS)


def blocks(path: pathlib.Path, most: int) -> Iterator[bytes]:
    with opened(path, most) as content:
        while block := content.read(BLOCK_OCTETS):
            yield block


def crc32(path: pathlib.Path) -> str:
    """Of all octets of the content: eight digits."""
    crc = 0
    for block in blocks(path, RESULT_OCTETS):
        crc = zlib.crc32(block, crc)
    return f"{crc:08x}"


def text_of(path: pathlib.Path, octets: bytes) -> str:
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure(f"{path}: not UTF-8 text") from error


def text(path: pathlib.Path, most: int) -> str:
    """Without the byte order mark that some editors put in front."""
    return text_of(path, b"".join(blocks(path, most)).removeprefix(codecs.BOM_UTF8))


def log(path: pathlib.Path) -> str:
    """What a program has printed so far, its last LOG_OCTETS; octets that are no text are replaced."""
    with open_regular(path) as file:
        file.seek(max(os.fstat(file.fileno()).st_size - LOG_OCTETS, 0))
        return file.read(LOG_OCTETS).decode("utf-8", errors="replace")


def whole_lines(path: pathlib.Path, most: int) -> Iterator[bytes]:
    """Some lines at a time, each with its end, without the byte order mark of some programs for tables."""
    rest, mark = b"", codecs.BOM_UTF8
    for block in blocks(path, most):
        whole, end, rest = (rest + block.removeprefix(mark)).rpartition(b"\n")
        mark = b""
        if len(rest) > LINE_OCTETS or LONG_LINE.search(whole):
            raise Failure(f"{path}: has a line of more than {LINE_OCTETS} octets, the most that is read")
        if end:
            yield whole + end
    if rest:
        yield rest


def lines(path: pathlib.Path, most: int = TABLE_OCTETS) -> Iterator[str]:
    """Each without its end."""
    for some in whole_lines(path, most):
        yield from text_of(path, some).removesuffix("\n").split("\n")


class Table:
    """What pandas reads as a file: whole lines of text."""

    def __init__(self, path: pathlib.Path):
        self.some = whole_lines(path, TABLE_OCTETS)

    def __iter__(self) -> Iterator[bytes]:
        return self.some

    def read(self, _: int = -1) -> bytes:
        return next(self.some, b"")


def no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def fraction(digits: str) -> float:
    value = float(digits)
    if abs(value) > NUMBER_MOST:
        raise ValueError(f"{digits[:DIGITS_MOST]} is beyond {NUMBER_MOST:g}")
    return value


def whole_number(digits: str) -> int:
    if len(digits) > DIGITS_MOST:
        raise ValueError(f"a whole number has {len(digits)} digits, more than {DIGITS_MOST}")
    return int(digits)


def parsed(path: pathlib.Path, given: str) -> Any:
    """The value of a JSON text of this file."""
    values = given.count(",") + given.count("[") + given.count("{")
    if values > JSON_VALUES:
        raise Failure(f"{path}: has more than {JSON_VALUES} values, the most that is read")
    try:
        found = json.loads(given, parse_constant=no_constant, parse_float=fraction, parse_int=whole_number)
        if SURROGATE.search(given):
            json.dumps(found, ensure_ascii=False).encode()
    except ValueError as error:
        raise Failure(f"{path}: not JSON: {error}") from error
    except RecursionError as error:
        raise Failure(f"{path}: not a report: nested too deeply") from error
    return found


def read_json(path: pathlib.Path) -> Any:
    return parsed(path, text(path, JSON_OCTETS))
