# SPDX-License-Identifier: BSD-3-Clause
"""Starting a lab: its files, then its programs, each when the one before is ready."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from gbflow_lab import network, phones, pool, proxy, radio
from gbflow_lab.hints import bss_prefix
from gbflow_lab.programs import LOOK_S, START_S, Program, is_running, start_program, wait_for
from gbflow_lab.state import Lab, addresses_of, keep_state, rows_of
from gbflow_report import output
from gbflow_report.output import say
from gbflow_results import Failure

TEXT = (b"<p>A mobile has a queue, a cell has a bucket, and an N-PDU leaves when the bucket has room for it. "
        b"Text like this repeats its words, which V.42bis sends as codewords.</p>\n")

BTS, PROXY = "bts", "proxy"
PHONES_PER_S = 5


def wait_for_contexts(lab: Lab, made: network.Plan) -> dict[str, str]:
    """Until the GGSN has created a context for each mobile."""
    end_at, count = time.monotonic() + START_S, len(made.mobiles)
    while len(found := addresses_of(made)) < count:
        if time.monotonic() > end_at:
            raise Failure(f"{count - len(found)} of {count} contexts do not exist after {START_S:.0f} s: "
                          f"logs in {lab.folder}")
        time.sleep(LOOK_S)
    return {imsi: addresses[0] for imsi, addresses in found.items()}


def start(lab: Lab, name: str, side: str, command: Sequence[str], pattern: str = "") -> None:
    def keep(program: Program) -> None:
        lab.started.append(program)
        if lab.made:
            keep_state(lab.folder, lab.made, lab.started)

    start_program(name, f"{lab.name}-{side}", command, lab.folder, keep)
    if pattern:
        wait_for(lab.started[-1], pattern)
    say(f"{name}: pid {lab.started[-1].pid}, log {lab.started[-1].log}")


def start_ends(lab: Lab) -> None:
    """The GGSN, and the server behind it."""
    start(lab, "osmo-ggsn", "ggsn", ["osmo-ggsn", "-c", "osmo-ggsn.cfg"], "GGSN.ggsn0.: Successfully started")
    server = [sys.executable, "-m", "http.server", "80", "--bind", network.SERVER, "--directory", "www"]
    start(lab, "server", "ggsn", server)


def start_node(lab: Lab, made: network.Plan, name: str) -> None:
    hlr = pool.HLR_ADDRESS if made.pool else phones.LOOPBACK
    start(lab, name, name, [lab.gbflow, "serve", f"{name}.lua", "--verbose", "--json", f"{name}.json"],
          f"HLR {hlr}: connected" if made.phones else "gbflow: running")


def start_nodes(lab: Lab, made: network.Plan) -> None:
    """All of them; of a pool also the proxy, which has each by NS at the end."""
    for name in made.nodes:
        start_node(lab, made, name)
    for extra in made.extras:
        extra.start(lab, made)
    if made.pool:
        start_proxy(lab)
        wait_until(lab, lambda: all(map(has_ns, made.nodes.values())), "no NS between the Gb proxy and each node")


def start_own(lab: Lab, name: str, side: str, part: str, pattern: str) -> None:
    """A part of this program."""
    start(lab, name, side, [sys.executable, os.path.abspath(sys.argv[0]), "lab", part, "--name", lab.name], pattern)


def start_proxy(lab: Lab) -> None:
    if proxy.has_osmo():
        start(lab, proxy.OSMO, network.PROXY, [proxy.OSMO, "-c", proxy.CONFIG], "(?i)available via telnet")
    else:
        start_own(lab, proxy.OWN, network.PROXY, PROXY, "gbflow_proxy: running")


def wait_until(lab: Lab, is_so: Callable[[], bool], fault: str) -> None:
    end_at = time.monotonic() + START_S
    while not is_so():
        ended = next((program for program in lab.started if not is_running(program)), None)
        if time.monotonic() > end_at or ended:
            program = ended or lab.started[-1]
            raise Failure(f"{fault} after {START_S:.0f} s at most: {program.name}: {output.last_line(program.log)} "
                          f"(all of it: {program.log})")
        time.sleep(LOOK_S)


def has_ns(prefix: str) -> bool:
    rows = rows_of(prefix, "nse")
    return bool(rows) and all(row["state"] in ("alive", "unblocked") for row in rows)


def has_cell(prefix: str) -> bool:
    """The node may send to it: it has a rate, which flow control or the configuration has told it."""
    rows = rows_of(prefix, "bvc")
    return bool(rows) and bool(rows[0]["usable"] and rows[0]["leak_bps"])


def wait_for_cell(lab: Lab, names: Sequence[str]) -> None:
    assert lab.made
    prefixes = [lab.made.nodes[name] for name in names]
    wait_until(lab, lambda: all(map(has_cell, prefixes)), f"no cell at {', '.join(names)}")


def start_pcu(lab: Lab, made: network.Plan) -> None:
    """The BTS listens before osmo-pcu comes; it is told when the nodes have the cell."""
    start_own(lab, "bts", "bss", BTS, "BTS at ")
    bts = lab.started[-1]
    start(lab, "osmo-pcu", "bss", ["osmo-pcu", "-c", radio.CONFIG])
    wait_for(bts, "osmo-pcu serves timeslots")
    wait_for_cell(lab, list(made.nodes))
    os.kill(bts.pid, signal.SIGUSR1)


def start_bss(lab: Lab) -> None:
    words = [lab.gbflow, "emulate", "bss.lua", "--prefix", bss_prefix(lab), "--verbose", "--json", "bss.json"]
    start(lab, "bss", "bss", words, "cell 1800 is up")


def start_with_mobiles(lab: Lab, made: network.Plan) -> None:
    """Each waits for the one before: the node asks the GGSN for contexts, whose addresses the BSS is told."""
    start_ends(lab)
    start_nodes(lab, made)
    addresses = wait_for_contexts(lab, made)
    if made.bss == network.OSMO_PCU:
        (lab.folder / radio.PLAN).write_text(radio.plan_text(made, addresses), encoding="utf-8")
        start_pcu(lab, made)
    else:
        (lab.folder / "bss.lua").write_text(network.bss_text(made, addresses), encoding="utf-8")
        start_bss(lab)


def start_with_phones(lab: Lab, made: network.Plan) -> None:
    """The HLR has the phones before the node is connected to it, and the node is before phones attach."""
    start_ends(lab)
    hlr = ["osmo-hlr", "-c", "osmo-hlr.cfg", "-l", "hlr.db"]
    start(lab, "osmo-hlr", made.hlr_side, hlr, "(?i)available via telnet")
    phones.create_subscribers(made.namespace(made.hlr_side), made.phones)
    start_nodes(lab, made)
    if made.bss == network.OSMO_PCU:
        start_pcu(lab, made)
    else:
        start_bss(lab)
    who = next(program for program in lab.started if program.name in (BTS, "bss"))
    wait_for(who, f"all {made.phones} phones have a context", START_S + made.phones / PHONES_PER_S)


def texts_of(lab: Lab, made: network.Plan) -> Iterator[tuple[str, str]]:
    """Files that are written before the programs start."""
    yield "osmo-ggsn.cfg", network.ggsn_text(str(lab.folder))
    if made.bss == network.OSMO_PCU:
        yield radio.CONFIG, radio.pcu_text(lab.folder, made)
    if not made.phones:
        yield "node.lua", network.node_text(made)
        return
    if made.pool:
        yield "osmo-hlr.cfg", phones.hlr_text(pool.HLR_ADDRESS)
        yield from pool.texts_of(made)
        yield proxy.text_of(made, lab.folder)
    else:
        yield "osmo-hlr.cfg", phones.hlr_text()
        yield "node.lua", phones.node_text(made)
    if made.bss == network.OSMO_PCU:
        yield radio.PLAN, radio.plan_text(made, {})
    else:
        yield "bss.lua", phones.bss_text(made)


def write_files(lab: Lab, made: network.Plan) -> None:
    """A database of an earlier lab is deleted: osmo-hlr makes one that is empty. So are sockets of a BTS and a proxy
    that were killed."""
    for old in (path for name in ("hlr.db*", radio.SOCKET, proxy.SOCKET) for path in lab.folder.glob(name)):
        old.unlink()
    for extra in made.extras:
        extra.write_files(lab.folder)
    for name, text in texts_of(lab, made):
        (lab.folder / name).write_text(text, encoding="utf-8")
    (lab.folder / "www").mkdir(exist_ok=True)
    (lab.folder / "www" / "20k").write_bytes(os.urandom(20000))
    (lab.folder / "www" / "text").write_bytes((TEXT * (20000 // len(TEXT) + 1))[:20000])


