# SPDX-License-Identifier: BSD-3-Clause
"""The configuration, a JSON object, checked: an unknown key and a value out of range are errors with their path."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gbflow_proxy.ns import Timers
from gbflow_proxy.selection import MOST_BITS, Member, Pool, Refused

EXAMPLE = """{
  "bss_listen": ["127.0.0.1", 23000],
  "sgsn_listen": ["127.0.0.1", 23100],
  "control": "/run/gbproxy.sock",
  "sgsns": [
    {"nsei": 201, "nsvci": 201, "remote": ["127.0.0.2", 23000], "nris": [[1, 3]], "name": "a"},
    {"nsei": 202, "nsvci": 202, "remote": ["127.0.0.3", 23000], "nris": [[4]], "allow_attach": true}],
  "nri_bits": 5,
  "null_nri": [0],
  "ratio": 50,
  "fallback": false,
  "forgets": false,
  "timers": {"retry": 3, "test": 30, "retries": 10}
}"""
MOST_16 = 0xFFFF


class Wrong(Exception):
    """In words for whoever wrote the file."""


@dataclass
class SgsnPlace:
    """Where an SGSN of the pool is."""

    member: Member
    nsvci: int
    remote: tuple[str, int]


@dataclass
class Config:
    """bss_listen, sgsn_listen: address and port of the two sockets; control: path of the command socket, empty:
    none; forgets: as Sgsn has it."""

    bss_listen: tuple[str, int]
    sgsn_listen: tuple[str, int]
    control: str
    pool: Pool
    ratio: int
    forgets: bool
    timers: Timers
    places: list[SgsnPlace] = field(default_factory=list)


class Reader:
    """Takes the keys of an object one by one; those that are left over are unknown."""

    def __init__(self, given: Any, path: str) -> None:
        if not isinstance(given, Mapping):
            raise Wrong(f"{path or 'the file'}: must be an object")
        self.left, self.path = dict(given), path

    def path_of(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def take(self, key: str, default: Any = None) -> Any:
        if key not in self.left and default is None:
            raise Wrong(f"{self.path_of(key)}: is missing")
        return self.left.pop(key, default)

    def number(self, key: str, low: float, high: float, default: Any = None) -> Any:
        value = self.take(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise Wrong(f"{self.path_of(key)}: must be a number, {low} to {high}")
        return value

    def integer(self, key: str, low: int, high: int, default: Any = None) -> int:
        value = self.number(key, low, high, default)
        if not isinstance(value, int):
            raise Wrong(f"{self.path_of(key)}: must be a whole number")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.take(key, default)
        if not isinstance(value, bool):
            raise Wrong(f"{self.path_of(key)}: must be true or false")
        return value

    def text(self, key: str) -> str:
        value = self.take(key, "")
        if not isinstance(value, str):
            raise Wrong(f"{self.path_of(key)}: must be a string")
        return value

    def endpoint(self, key: str) -> tuple[str, int]:
        value = self.take(key)
        match value:
            case [str(address), int(port)] if 0 < port <= MOST_16:
                return address, port
        raise Wrong(f'{self.path_of(key)}: must be an address and a port: ["127.0.0.1", 23000]')

    def listed(self, key: str, default: Any = None) -> list:
        value = self.take(key, default)
        if not isinstance(value, list):
            raise Wrong(f"{self.path_of(key)}: must be a list")
        return value

    def end(self) -> None:
        for key in self.left:
            raise Wrong(f"{self.path_of(key)}: there is no such key")


def ranges_of(reader: Reader) -> list[tuple[int, int]]:
    """[A] or [A, B] each."""
    found = []
    for number, given in enumerate(reader.listed("nris", []), 1):
        match given:
            case [int(low)]:
                found.append((low, low))
            case [int(low), int(high)]:
                found.append((low, high))
            case _:
                raise Wrong(f"{reader.path_of('nris')}[{number}]: must be [A] or [A, B]")
    return found


def place_of(given: Any, path: str, pool: Pool) -> SgsnPlace:
    reader = Reader(given, path)
    nsei = reader.integer("nsei", 0, MOST_16 - 1)
    if any(member.nsei == nsei for member in pool.members):
        raise Wrong(f"{path}.nsei: {nsei} is that of another SGSN, too")
    member = Member(nsei, reader.text("name") or str(nsei), takes_attach=reader.flag("allow_attach", True))
    pool.members.append(member)
    try:
        for low, high in ranges_of(reader):
            pool.add(member, low, high)
    except Refused as refused:
        raise Wrong(f"{path}.nris: {refused}") from refused
    place = SgsnPlace(member, reader.integer("nsvci", 0, MOST_16, nsei), reader.endpoint("remote"))
    reader.end()
    return place


def pool_of(reader: Reader) -> Pool:
    bits = reader.integer("nri_bits", 0, MOST_BITS, 10)
    nulls = reader.listed("null_nri", [])
    if not all(isinstance(nri, int) and 0 <= nri < 1 << bits for nri in nulls):
        raise Wrong(f"null_nri: must be numbers of {bits} bits")
    return Pool(bits, nulls, reader.flag("fallback", False))


def timers_of(given: Any) -> Timers:
    reader, usual = Reader(given, "timers"), Timers()
    timers = Timers(reader.number("retry", 0.05, 60, usual.retry), reader.number("test", 0.05, 600, usual.test),
                    reader.integer("retries", 1, 100, usual.retries))
    reader.end()
    return timers


def read(text: str) -> Config:
    try:
        reader = Reader(json.loads(text), "")
    except ValueError as error:
        raise Wrong(f"is no JSON: {error}") from error
    config = Config(reader.endpoint("bss_listen"), reader.endpoint("sgsn_listen"), reader.text("control"),
                    pool_of(reader), reader.integer("ratio", 1, 100, 100), reader.flag("forgets", False),
                    timers_of(reader.take("timers", {})))
    for number, given in enumerate(reader.listed("sgsns"), 1):
        config.places.append(place_of(given, f"sgsns[{number}]", config.pool))
    reader.end()
    if not config.places:
        raise Wrong("sgsns: must have one at least")
    return config
