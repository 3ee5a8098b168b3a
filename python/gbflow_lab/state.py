# SPDX-License-Identifier: BSD-3-Clause
"""The state of a lab, as it is known between two commands: its name, its plan and its programs, in a file of its
folder; and what its nodes say of themselves.
"""

import contextlib
import json
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from gbflow_lab import network
from gbflow_lab.programs import Program
from gbflow_report import output
from gbflow_results import Failure, bounded
from gbflow_top import telemetry

LAB, STATE = "gbflow-lab", "lab.json"


@dataclass
class Lab:
    """name: of the folder below /run, and the beginning of all other names; started: its programs so far; made: its
    plan, once it is known that the lab comes up."""

    name: str
    gbflow: str
    started: list[Program] = field(default_factory=list)
    made: network.Plan | None = None

    @property
    def folder(self) -> pathlib.Path:
        return pathlib.Path("/run") / self.name


def keep_state(folder: pathlib.Path, made: network.Plan, programs: Sequence[Program], is_up: bool = False) -> None:
    state = {"is_up": is_up, "mobiles": [mobile.name for mobile in made.mobiles], "phones": made.phones,
             "bss": made.bss, "pool": made.pool, "extras": [extra.name for extra in made.extras],
             "programs": [asdict(program) for program in programs]}
    output.write_whole(folder / STATE, json.dumps(state, indent=1) + "\n")


def kept_state(folder: pathlib.Path) -> tuple[network.Plan, list[Program], bool] | None:
    """Plan and programs of the lab, and whether its `up` has come to its end; None: there is no lab."""
    try:
        given: Mapping = bounded.read_json(folder / STATE)
        made = network.made_of(folder.name, given["mobiles"], given.get("phones", 0), given.get("bss", network.EMULATE),
                               given.get("pool", 0))
        made = replace(made, extras=[extra for extra in network.EXTRAS if extra.name in given.get("extras", ())])
        return made, [Program(**row) for row in given["programs"]], bool(given.get("is_up", True))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{folder / STATE}: is not a lab's: {error}") from error


def rows_of(prefix: str, table: str) -> list[dict[str, telemetry.Value]]:
    """What `gbflow show` prints of a node, asked at its socket: who waits asks often. Empty while nothing answers."""
    with contextlib.closing(telemetry.Client(prefix)) as client, contextlib.suppress(Failure):
        return client.rows(table, 0)
    return []


def addresses_of(made: network.Plan) -> dict[str, list[str]]:
    """Those of the active contexts of all nodes, by IMSI. A context that has moved is at two nodes for a time."""
    found: dict[str, list[str]] = {}
    for row in (row for prefix in made.nodes.values() for row in rows_of(prefix, "pdp")):
        addresses = found.setdefault(str(row.get("imsi")), [])
        if str(row.get("address")) not in addresses:
            addresses.append(str(row.get("address")))
    return found
