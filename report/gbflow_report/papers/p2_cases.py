# SPDX-License-Identifier: BSD-3-Clause
"""P2's runs: populations, each captured at Gi and analysed by `gbflow analyze`."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gbflow_results import files

CELLS = 20
BULK_OCTETS = 32000
# Half of the readers are in cells with two timeslots for a mobile, the odd ones; of the even ones so many have SACK in case terminals.
READERS, THREE_SLOTS_SACK = 120, 37
PEAK_PDCHS = 2  # of a cell, for each slot of a mobile; 20 off the peak


@dataclass(frozen=True, order=True)
class Case:
    """scenario: in place of the population's; hour: at which the capture begins."""

    name: str
    scenario: str = ""
    settings: tuple[str, ...] = ()
    hour: int = 3

    @property
    def results(self) -> list[str]:
        return ["summary.json", "analysis.json", "connections.csv", "gi.truth.json"]

    @property
    def scratch(self) -> list[str]:
        return ["gi.pcapng"]

    def commands(self, run: Sequence[str], folder: Path, _: int) -> list[list[str]]:
        analyze = ["analyze", str(folder / "gi.pcapng"), "--json", str(folder / "analysis.json"), "--connections",
                   str(folder / "connections.csv"), "--set", f"utc_offset_h={self.hour}", "--no-report"]
        return [[*run, "--pcap=gi"], analyze]

    def read(self, folder: Path) -> Mapping[str, Any]:
        found = files.read_json(folder / "analysis.json")
        rows = folder / "connections.csv"
        return {**found, "bulk_bottleneck": bottleneck(rows, BULK_OCTETS), "bottleneck": bottleneck(rows, 0),
                "truth": true_losses(files.read_json(folder / "gi.truth.json"))}


def side_of(row: Mapping[str, str]) -> str:
    """As the analysis has it for all connections."""
    access, internet = int(row["access_lost"]), int(row["internet_lost"])
    return "none" if access + internet == 0 else "access" if access >= internet else "internet"


def bottleneck(path: Path, octets: int) -> dict[str, float]:
    """Shares of the connections with more than so many octets."""
    with open(path, encoding="utf-8", newline="") as file:
        sides = [side_of(row) for row in csv.DictReader(file) if int(row["payload_octets"]) > octets]
    return {side: sides.count(side) / len(sides) for side in ("none", "access", "internet")} if sides else {}


def true_losses(truth: Mapping[str, Any]) -> dict[str, float]:
    """Shares of the segments lost on either side, as the simulation counts them."""
    sent, passed, internet, access = (sum(row[name] for row in truth["connections"]) for name in ("sent", "passed", "internet_lost", "access_lost"))
    return {"internet": internet / sent, "access": access / passed} if sent and passed else {}


def terminals() -> tuple[str, ...]:
    """Readers with SACK have three timeslots more often than those without: of each kind of terminal THREE_SLOTS_SACK or the rest."""
    settings = []
    for reader in range(1, READERS + 1):
        rank, share = (reader - 1) // 2, THREE_SLOTS_SACK if reader % 2 == 0 else READERS // 2 - THREE_SLOTS_SACK
        has_sack = (rank + 1) * share // (READERS // 2) > rank * share // (READERS // 2)
        settings.append(f"mobiles.reader{reader}.traffic[1].web.tcp.sack={str(has_sack).lower()}")
    return tuple(settings)


GPRS = Case("gprs")
# The same users and voice calls that leave fewer channels.
PEAK = Case("peak", settings=tuple(f"cells[{cell}].pdchs={PEAK_PDCHS * (2 + (cell - 1) % 2)}" for cell in range(1, CELLS + 1)), hour=10)
FEW_LOSSES = Case("few-losses", settings=("sgsn.queue_limit=70 kB", "network.gn_loss=0 %", "sgsn.lifetime.sgsn_max=40 s"))
MANY_LOSSES = Case("many-losses", settings=("sgsn.queue_limit=16 kB", "network.gn_loss=1 %"))
TIMEOUTS = Case("timeouts", settings=("tcp.recovery=time-out", "network.gn_loss=2 %"))
TERMINALS = Case("terminals", settings=terminals())
DIALUP = Case("dialup", "dialup-population.lua")
CASES = [GPRS, PEAK, FEW_LOSSES, MANY_LOSSES, TIMEOUTS, TERMINALS, DIALUP]
