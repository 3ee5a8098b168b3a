# SPDX-License-Identifier: BSD-3-Clause
"""NAS node selection of a pool (TS 23.236 clause 5): the SGSN of a TLLI by the network resource identifier (NRI) in it.

A local or foreign TLLI has the 30 low bits of a P-TMSI, whose bits 23 downward are the NRI. An NRI of no SGSN, the
NULL-NRI and a TLLI that the phone made up (random, auxiliary) choose by a hash of the TLLI among the SGSNs that allow
attach and are up: the same one at each PDU, without a table. No other SGSN stands in for that of an NRI which is down,
as behind osmo-gbproxy, unless `fallback` is on. The model does not tell a foreign TLLI of another pool, whose NRI means
nothing here, nor balance by load.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

HIGHEST_BIT = 24  # the NRI is in the bits below
MOST_BITS = 15
P_TMSI_BITS = 0b10  # the two highest of a local (11) or foreign (10) TLLI: the higher one is set
MULTIPLIER = 2654435761  # of the hash: 2^32 over the golden ratio


class Refused(Exception):
    """A change that would make the pool ambiguous, in words for the operator."""


@dataclass
class Member:
    """An SGSN of the pool. ranges: of its NRIs, both ends included, disjoint over the pool; takes_attach: whether the
    hash finds it."""

    nsei: int
    name: str = ""
    ranges: list[tuple[int, int]] = field(default_factory=list)
    takes_attach: bool = True

    def has(self, nri: int) -> bool:
        return any(low <= nri <= high for low, high in self.ranges)


class Pool:
    """members: in the order of the file, the first one gets what names no mobile."""

    def __init__(self, bits: int, null_nris: Sequence[int], fallback: bool = False) -> None:
        self.bits, self.null_nris, self.fallback = bits, frozenset(null_nris), fallback
        self.members: list[Member] = []
        self._owners: dict[int, Member] = {}

    @property
    def most(self) -> int:
        """The highest NRI."""
        return (1 << self.bits) - 1

    def nri_of(self, tlli: int) -> int | None:
        """None: this TLLI carries none."""
        if not self.bits or not tlli >> 30 & P_TMSI_BITS:
            return None
        return tlli >> HIGHEST_BIT - self.bits & self.most

    def owner_of(self, nri: int) -> Member | None:
        return self._owners.get(nri)

    def member(self, nsei: int) -> Member:
        for member in self.members:
            if member.nsei == nsei:
                return member
        known = ", ".join(str(member.nsei) for member in self.members)
        raise Refused(f"{nsei}: no SGSN has this NSEI, they are {known}")

    def _check(self, low: int, high: int) -> None:
        if not 0 <= low <= high <= self.most:
            raise Refused(f"NRI {low} to {high}: the first is at most the last, and that at most {self.most} with "
                          f"{self.bits} bits")

    def add(self, member: Member, low: int, high: int) -> None:
        self._check(low, high)
        for nri in range(low, high + 1):
            if nri in self.null_nris:
                raise Refused(f"NRI {nri}: is a NULL-NRI, which belongs to no SGSN")
            if nri in self._owners:
                raise Refused(f"NRI {nri}: SGSN {self._owners[nri].nsei} has it, delete it there first")
        member.ranges.append((low, high))
        self._index()

    def delete(self, member: Member, low: int, high: int) -> None:
        self._check(low, high)
        kept = []
        for first, last in member.ranges:
            parts = (first, min(last, low - 1)), (max(first, high + 1), last)
            kept += [(start, end) for start, end in parts if start <= end]
        if kept == member.ranges:
            raise Refused(f"NRI {low} to {high}: SGSN {member.nsei} has none of these")
        member.ranges = kept
        self._index()

    def _index(self) -> None:
        self._owners = {nri: member for member in self.members for low, high in member.ranges
                        for nri in range(low, high + 1)}

    def pick(self, tlli: int, is_up: Callable[[Member], bool]) -> Member | None:
        """None: the SGSN of its NRI is down, or no one that is up allows attach."""
        nri = self.nri_of(tlli)
        owner = None if nri is None else self._owners.get(nri)
        if owner and (is_up(owner) or not self.fallback):
            return owner if is_up(owner) else None
        count = len(self.members)
        first = (tlli * MULTIPLIER & 0xFFFFFFFF) * count >> 32
        for step in range(count):
            member = self.members[(first + step) % count]
            if member.takes_attach and is_up(member):
                return member
        return None
