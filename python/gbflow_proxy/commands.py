# SPDX-License-Identifier: BSD-3-Clause
"""Lines of the command socket: each is answered by one line, `ok`, `error: WHY` or a JSON object.

    allow-attach NSEI yes|no        whether the hash may choose the SGSN
    nri add|del NSEI A [B]          NRIs of an SGSN
    fallback yes|no                 whether the hash takes the place of an SGSN that is down
    show                            what is up, what was passed on, what was dropped
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from gbflow_proxy.proxy import Proxy
from gbflow_proxy.selection import Refused
from gbflow_proxy.sgsn import Sgsn
from gbflow_proxy.tables import Tables


def is_yes(word: str) -> bool:
    if word not in ("yes", "no"):
        raise Refused(f"{word}: must be yes or no")
    return word == "yes"


def number_of(word: str) -> int:
    if not word.isdecimal():
        raise Refused(f"{word}: must be a number")
    return int(word)


def allow_attach(proxy: Proxy, nsei: str, word: str) -> str:
    proxy.tables.pool.member(number_of(nsei)).takes_attach = is_yes(word)
    return "ok"


def nri(proxy: Proxy, verb: str, nsei: str, first: str, last: str = "") -> str:
    pool = proxy.tables.pool
    changes = {"add": pool.add, "del": pool.delete}
    if verb not in changes:
        raise Refused(f"{verb}: must be add or del")
    changes[verb](pool.member(number_of(nsei)), number_of(first), number_of(last or first))
    return "ok"


def fallback(proxy: Proxy, word: str) -> str:
    proxy.tables.pool.fallback = is_yes(word)
    return "ok"


def sgsn_row(sgsn: Sgsn) -> dict[str, Any]:
    member = sgsn.member
    return {"nsei": member.nsei, "name": member.name, "ns": sgsn.link.state, "is_up": sgsn.state == "up",
            "allow_attach": member.takes_attach, "nris": [list(pair) for pair in member.ranges],
            "cells": {str(bvci): leg.state for bvci, leg in sorted(sgsn.legs.items())},
            "up_pdus": sgsn.up_pdus, "down_pdus": sgsn.down_pdus}


def bss_rows(tables: Tables) -> list[dict[str, Any]]:
    return [{"nsei": nse.nsei, "is_up": nse.is_up, "bvcis": sorted(nse.cells),
             "nsvcs": [link.state for link in nse.links.values()]} for nse in tables.nses.values()]


def cell_rows(tables: Tables) -> list[dict[str, Any]]:
    return [{"bvci": bvci, "nsei": cell.nse.nsei, "cell_id": cell.cell_id.hex(), "is_in_service": cell.is_in_service()}
            for bvci, cell in sorted(tables.cells.items())]


def show(proxy: Proxy) -> str:
    tables = proxy.tables
    return json.dumps({
        "sgsns": [sgsn_row(sgsn) for sgsn in tables.sgsns.values()], "bsss": bss_rows(tables),
        "cells": cell_rows(tables), "nri_bits": tables.pool.bits, "null_nri": sorted(tables.pool.null_nris),
        "ratio": tables.ratio, "fallback": tables.pool.fallback, "drops": dict(tables.drops),
        "counts": dict(tables.counts)})


COMMANDS: dict[str, tuple[Callable[..., str], Sequence[int]]] = {  # with how many words
    "allow-attach": (allow_attach, (2,)), "nri": (nri, (3, 4)), "fallback": (fallback, (1,)), "show": (show, (0,))}


def carry_out(proxy: Proxy, line: str) -> str:
    """The answer, without the end of its line."""
    name, *words = line.split() or [""]
    if name not in COMMANDS:
        return f"error: {name}: must be one of " + ", ".join(COMMANDS)
    command, counts = COMMANDS[name]
    if len(words) not in counts:
        return f"error: {name}: takes " + " or ".join(map(str, counts)) + f" words, not {len(words)}"
    try:
        return command(proxy, *words)
    except Refused as refused:
        return f"error: {refused}"
