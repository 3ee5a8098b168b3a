# SPDX-License-Identifier: BSD-3-Clause
"""Which key deciphers which frame: the file of keys (see README.md) and the choice among its rows."""
import json
from dataclasses import dataclass

from gb_receiver import gea

DIRECTIONS = {"up": gea.UPLINK, "down": gea.DOWNLINK}
SAPIS = (1, 2, 3, 5, 7, 8, 9, 11)
ROW_KEYS = {"from_nu", "algorithm", "kc", "iov_ui", "sapi", "direction", "resets", "oc"}


class KeyFault(Exception):
    """The file of keys makes no sense."""


@dataclass(frozen=True)
class Key:
    """One row: in force from a place on after so many resets; algorithm 0 means in clear."""
    start: int
    algorithm: int
    kc: bytes
    iov_ui: int | None
    sapi: int | None
    direction: int | None
    resets: int
    oc: int

    def covers(self, direction, sapi):
        return self.sapi in (None, sapi) and self.direction in (None, direction)

    def overflow(self, place, resets):
        """OC of a frame: 0 (or `oc`) when ciphering starts, one step for each wrap since."""
        first = self.start // 512 if resets == self.resets else 0
        carried = self.oc if resets == self.resets else 0
        return carried + 512 * (place // 512 - first)


def _number(row, name, default, high):
    value = row.get(name, default)
    if isinstance(value, str):
        try:
            value = int(value, 16)
        except ValueError:
            value = -1
    if value is not None and (not isinstance(value, int) or not 0 <= value <= high):
        raise KeyFault(f"{name} = {row[name]!r} is out of range")
    return value


def key_of(row):
    """A Key of one row of the file."""
    unknown = set(row) - ROW_KEYS
    if unknown:
        raise KeyFault(f"unknown word {min(unknown)!r} in a key")
    algorithm, direction = row.get("algorithm", 0), row.get("direction")
    if algorithm not in (0, *gea.KC_OCTETS):
        raise KeyFault(f"algorithm {algorithm!r} is not 0, 3 or 4")
    if direction is not None and direction not in DIRECTIONS:
        raise KeyFault(f"direction {direction!r} is neither up nor down")
    try:
        kc = bytes.fromhex(row.get("kc", ""))
    except ValueError as fault:
        raise KeyFault(f"kc = {row['kc']!r}: {fault}") from None
    if algorithm and len(kc) != gea.KC_OCTETS[algorithm]:
        raise KeyFault(f"GEA{algorithm} wants a kc of {gea.KC_OCTETS[algorithm]} octets, not {len(kc)}")
    sapi = _number(row, "sapi", None, 15)
    return Key(_number(row, "from_nu", 0, 2**40), algorithm, kc, _number(row, "iov_ui", None, 2**32 - 1), sapi,
               DIRECTIONS.get(direction), _number(row, "resets", 0, 2**16), _number(row, "oc", 0, 2**32 - 1))


class KeyRing:
    """The keys of one mobile, and where its numbers stand when the capture begins."""

    def __init__(self, keys=(), first_nu=None):
        self.keys, self.first_nu = list(keys), dict(first_nu or {})

    def get(self, direction, sapi, place, resets):
        """The Key in force for a frame, or None for clear: the last row that began."""
        begun = [key for key in self.keys
                 if key.covers(direction, sapi) and (key.resets, key.start) <= (resets, place)]
        best = max(begun, key=lambda key: (key.resets, key.start), default=None)
        return best if best and best.algorithm else None


def _tllis(mobile):
    named = mobile.get("tlli")
    try:
        return [int(text, 16) for text in ([named] if isinstance(named, str) else named)]
    except (TypeError, ValueError):
        raise KeyFault(f"tlli = {named!r} is no TLLI in hex, nor a list of them") from None


def _first(mobile):
    try:
        return {int(sapi): int(place) for sapi, place in mobile.get("first_nu", {}).items()}
    except (AttributeError, ValueError):
        raise KeyFault(f"first_nu = {mobile['first_nu']!r} is no table of SAPI: N(U)") from None


def ring_of(mobile):
    """(TLLIs, KeyRing) of one mobile of the file."""
    unknown = set(mobile) - {"tlli", "first_nu", "keys"}
    if unknown:
        raise KeyFault(f"unknown word {min(unknown)!r} in a mobile")
    return _tllis(mobile), KeyRing([key_of(row) for row in mobile.get("keys", [])], _first(mobile))


def load(path):
    """[(TLLIs, KeyRing)] of a file; raises KeyFault."""
    try:
        with open(path, encoding="utf-8") as file:
            mobiles = json.load(file)["mobiles"]
        return [ring_of(mobile) for mobile in mobiles]
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise KeyFault(f"{path}: {fault}") from None
    except KeyFault as fault:
        raise KeyFault(f"{path}: {fault}") from None
