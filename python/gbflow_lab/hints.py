# SPDX-License-Identifier: BSD-3-Clause
"""Hints, what one may type when a lab is up: commands with the names of this lab, and with programs that
the machine has.
"""

import os
import shlex
import shutil
from collections.abc import Iterator

from gbflow_lab import network, phones, preflight
from gbflow_lab.state import LAB, Lab, addresses_of


def typed(lab: Lab) -> str:
    """How one calls this program here: by its path unless PATH has it, through sudo if this call came that way."""
    in_path = shutil.which("gbflow")
    is_it = in_path is not None and os.path.realpath(in_path) == os.path.realpath(lab.gbflow)
    sudo = "sudo " if os.environ.get("SUDO_UID", "0") != "0" else ""
    return sudo + ("gbflow" if is_it else shlex.quote(lab.gbflow))


def call(lab: Lab, part: str) -> str:
    """What one types."""
    return f"{typed(lab)} lab {part}" + ("" if lab.name == LAB else f" --name {lab.name}")


def bss_prefix(lab: Lab) -> str:
    """The BSS's name for gbflow top."""
    return f"{lab.name}-bss"


def of_hosts(lab: Lab, made: network.Plan) -> Iterator[str]:
    """What a host can do with the server."""
    first, page = next(iter(made.hosts)), f"http://{network.SERVER}/20k"
    of_last = addresses_of(made).get(phones.imsi_of(made.phones), [None])[0] if made.phones > 1 else None
    ping, curl = preflight.EXAMPLES
    rows = [(ping, f"ping -c 3 {network.SERVER}"), (curl, f"curl -o /dev/null {page}"),
            (ping, of_last and f"ping -c 3 -I {of_last} {network.SERVER}"),
            (curl, of_last and f"curl -o /dev/null --interface {of_last} {page}")]
    for tool, command in rows:
        if command and tool.is_there:
            yield f"{call(lab, 'shell')} {first} {command}"
    yield f"{call(lab, 'shell')} {first}"


def of_pool(lab: Lab, made: network.Plan) -> Iterator[str]:
    """The first node's phones go to the others; then it may be stopped."""
    name, prefix = next(iter(made.nodes.items()))
    yield call(lab, f"allow-attach {name} no")
    yield f"{typed(lab)} offload --all --now --prefix {prefix}"
    yield f"{typed(lab)} drain --prefix {prefix}"
    yield call(lab, f"restart {name}")
    yield call(lab, f"allow-attach {name} yes")


def examples(lab: Lab, made: network.Plan) -> Iterator[str]:
    yield from of_hosts(lab, made)
    for prefix in made.nodes.values():
        yield f"{typed(lab)} show {'subscribers' if made.phones else 'ms'} --prefix {prefix}"
    yield f"{typed(lab)} top --prefix {next(iter(made.nodes.values()))}"
    if made.bss == network.EMULATE:
        yield f"{typed(lab)} top --prefix {bss_prefix(lab)}"
    for extra in made.extras:
        yield from (f"{call(lab, 'shell')} {extra.side} {words}" for words in extra.hints(lab.folder))
    if made.pool:
        yield from of_pool(lab, made)
    yield call(lab, "capture --seconds 10")
    yield call(lab, "status")
    yield call(lab, "down")


def next_steps(lab: Lab, made: network.Plan) -> Iterator[str]:
    yield "Type next:"
    yield from (f"  {line}" for line in examples(lab, made))
    tools = preflight.absent(preflight.EXAMPLES)
    if tools:
        yield f"More to type with {preflight.names(tools)}: {preflight.apt_line(tools)}"
    yield f"Configurations and logs: {lab.folder}"
