# SPDX-License-Identifier: BSD-3-Clause
"""A value that a paper leaves open, changed alone."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Variation:
    """One assumption with another value. is_beyond: outside the range over which the result is said to hold."""

    name: str
    assumption: str
    value: str
    settings: tuple[str, ...] = ()
    is_beyond: bool = False


def plain(assumption: str, path: str, value: str, is_beyond: bool = False) -> Variation:
    """A value of one path."""
    name = f"{path.rpartition('.')[2]}-{value.replace(' ', '').replace('%', '')}"
    return Variation(name, assumption, value, (f"{path}={value}",), is_beyond)
