# SPDX-License-Identifier: BSD-3-Clause
"""P1's runs: the paper's five schemes, and what stands beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gbflow_results import files

CLASSES = ("streaming", "thp1", "thp2", "thp3", "background")
WEB = ("thp2", "thp3")
ELASTIC = ("thp2", "thp3", "background")
CELLS = ("cells[1]", "cells[2]")
AQM = 'sgsn.queues.aqm={{ scheme = "{}", scope = "{}", ecn = {}{} }}'
SCHEMES_BY_NAME = {"": "none", "red": "red", "ttlred2": "ttlred"}
# The limits of section III.B, and the thresholds of RED for a mobile or packet flow.
SMALL_KB, MOBILE_KB = 45, (3, 9)
KINDS = {"thp2": ("web2-", 30), "thp3": ("web3-", 30), "background": ("ftp", 30), "streaming": ("stream", 5), "thp1": ("poc", 15)}


def queues(order: str, octets: str = "") -> list[str]:
    """--set of all class buffers."""
    limits = {name: f', octets = "{octets}"' if octets and name in ELASTIC else "" for name in CLASSES}
    return [f'sgsn.queues.class.{name}={{ order = "{order}"{limits[name]} }}' for name in CLASSES]


@dataclass(frozen=True, order=True)
class Case:
    """One scheme; red or ttlred2, dropping or marking, with an instance for each entity of `scope`. beside: what differs from
    the paper's system, in the name; more: settings that make it so."""

    scheme: str = ""
    has_ecn: bool = False
    beside: str = ""
    scope: str = "class_of_nse"
    thresholds_kb: tuple[int, ...] = ()
    more: tuple[str, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        scheme = SCHEMES_BY_NAME[self.scheme].replace("red", "ecn" if self.has_ecn else "red")
        return scheme + (f"-{self.beside}" if self.beside else "")

    @property
    def settings(self) -> list[str]:
        if not self.scheme:
            return list(self.more)
        ecn = ["tcp.ecn=true"] if self.has_ecn else []
        limits = ', min = "{} kB", max = "{} kB"'.format(*self.thresholds_kb) if self.thresholds_kb else ""
        return [*self.more, AQM.format(self.scheme, self.scope, "true" if self.has_ecn else "false", limits), *ecn]


@dataclass(frozen=True, order=True)
class Law:
    """A figure of the paper that no scenario plays: `gbflow aqm curve` of a scheme."""

    scheme: str

    @property
    def name(self) -> str:
        return f"law-{self.scheme}"

    @property
    def settings(self) -> list[str]:
        return []

    @property
    def results(self) -> list[str]:
        return [f"aqm-{self.scheme}.json"]

    def commands(self, _: Sequence[str], folder: Path, seed: int) -> list[list[str]]:
        return [["aqm", "curve", self.scheme, "--out", str(folder), "--seed", str(seed), "--no-report"]]

    def read(self, folder: Path) -> Mapping[str, Any]:
        return files.read_json(folder / self.results[0])


def light(name: str) -> str:
    """The last web user of a class sends no TCP: a packet of 100 octets twice a second, not ECN capable."""
    user = light_user(name)
    return (f'mobiles.{user}={{ name = "{user}", cell = 2, class = "{name}", traffic = {{ {{ cbr = {{ rate = "1600 bit/s", '
            'packet = "100 octets" } } } }')


def light_user(name: str) -> str:
    kind, count = KINDS[name]
    return f"{kind}{count}"


def idle(name: str, first: int) -> list[str]:
    """Users from the first-th on do nothing after the first second."""
    kind, count = KINDS[name]
    traffic = {"streaming": "cbr", "thp1": "cbr"}.get(name, "web")
    return [f"mobiles.{kind}{number}.traffic[1].{traffic}.{setting}" for number in range(first, count + 1) for setting in ("start=0 s", "stop=1 s")]


def fewer(by: int) -> tuple[str, ...]:
    """A by-th of the users of each class does nothing; those are its last ones."""
    return tuple(setting for name, (_, count) in KINDS.items() for setting in idle(name, count - count // by + 1))


def further(by: int) -> tuple[str, ...]:
    """A by-th more users in each class: as many as its last one (two with 30 users, one in each cell) is then several."""
    settings = []
    for kind, count in KINDS.values():
        last = (count - 1, count) if count % 2 == 0 else (count,)
        settings += [f"mobiles.{kind}{number}.count={1 + count // by // len(last)}" for number in last]
    return tuple(settings)


def slots(count: int) -> tuple[str, ...]:
    return tuple(f"{cell}.pdchs={count // len(CELLS)}" for cell in CELLS)


NONE, RED, ECN, TTLRED, TTLECN = Case(), Case("red"), Case("red", True), Case("ttlred2"), Case("ttlred2", True)
SCHEMES = [NONE, RED, ECN, TTLRED, TTLECN]
AQMS = SCHEMES[1:]
TURNS = [Case(scheme, has_ecn, "mobiles", more=tuple(queues("mobiles"))) for scheme, has_ecn in (("", False), ("red", False), ("red", True))]
SMALL = Case("", False, "small", more=tuple(queues("fifo", f"{SMALL_KB} kB")))
RED_CELL, ECN_CELL = (Case("red", has_ecn, "cell", "class_of_bvc") for has_ecn in (False, True))
RED_MOBILE, ECN_MOBILE = (Case("red", has_ecn, "mobile", "ms") for has_ecn in (False, True))
RED_MOBILE_LOW, ECN_MOBILE_LOW = (Case("red", has_ecn, "mobile-low", "ms", MOBILE_KB) for has_ecn in (False, True))
FLOWS = tuple(f'{cell}.flow_control.pfc={{ bucket = "10 kB" }}' for cell in CELLS)
RED_FLOW_LOW, ECN_FLOW_LOW = (Case("red", has_ecn, "flow-low", "ms", MOBILE_KB, FLOWS) for has_ecn in (False, True))
ENTITIES = {RED_CELL: "cell", ECN_CELL: "cell", RED_MOBILE: "mobile", ECN_MOBILE: "mobile", RED_MOBILE_LOW: "mobile", ECN_MOBILE_LOW: "mobile",
            RED_FLOW_LOW: "packet flow", ECN_FLOW_LOW: "packet flow"}
LIGHT = {case: Case(case.scheme, case.has_ecn, "light", more=tuple(light(name) for name in WEB)) for case in (RED, ECN)}
OTHERS = {"slots32": slots(32), "slots72": slots(72), "users2of3": fewer(3), "users4of3": further(3)}
VARIED = {name: [Case(case.scheme, case.has_ecn, name, more=more) for case in (NONE, RED, ECN)] for name, more in OTHERS.items()}
FIG2, FIG3 = Law("ttlred1"), Law("ttlred2")
CASES = [*SCHEMES, *TURNS, SMALL, *ENTITIES, *LIGHT.values(), *(case for cases in VARIED.values() for case in cases), FIG2, FIG3]
