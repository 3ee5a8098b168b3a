# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow lab up|down|status|shell|capture|phone`, and of a pool restart and allow-attach: brings a lab up
and looks after it.
"""

import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gbflow_lab import capture, echo, extras, network, phones, pool, preflight, proxy, radio, starting
from gbflow_lab.hints import bss_prefix, call, next_steps
from gbflow_lab.programs import START_S, Program, is_running, stop_programs
from gbflow_lab.state import LAB, STATE, Lab, addresses_of, keep_state, kept_state, rows_of
from gbflow_proxy.__main__ import main as serve_proxy
from gbflow_report import output
from gbflow_report.output import say
from gbflow_results import Failure
from gbflow_results.words import one_of, unknown
from gbflow_top import telemetry

STATUS_SCHEMA = "gbflow-lab/1"
NAMES = ("anna", "bert")
TAKEN = (*network.SIDES, *(extra.side for extra in extras.ALL), network.PHONES, *capture.NAMES)  # no names of mobiles
PHONES = 2
SWITCH_S, LOOK_S = 60.0, 0.1
LEAVING = ("leaving", "forwarding")  # states of phones that another node has or asks for


def lab_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,15}", text):
        raise argparse.ArgumentTypeError(f"'{text}': a letter, then at most 15 letters, digits and -")
    return text


def names_of(text: str) -> list[str]:
    names = text.split(",")
    good = all(re.fullmatch(r"[A-Za-z0-9]{1,12}", name) and name not in TAKEN for name in names)
    if not good or len(set(names)) < len(names) or len(names) > network.MOST:
        raise argparse.ArgumentTypeError(f"'{text}': 1 to {network.MOST} different names, letters and digits, at most "
                                         "12 each, none of " + ", ".join(TAKEN))
    return names


def number_of_phones(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= network.MOST:
        raise argparse.ArgumentTypeError(f"'{text}': a number of phones, 1 to {network.MOST}")
    return int(text)


def number_of_nodes(text: str) -> int:
    if not re.fullmatch("[0-9]", text) or not pool.LEAST <= int(text) <= pool.MOST:
        raise argparse.ArgumentTypeError(f"'{text}': a number of nodes, {pool.LEAST} to {pool.MOST}")
    return int(text)


def number_of_seconds(text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': a number of seconds, from 1 on")
    return int(text)


def share_of_percent(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,2}(\.[0-9]+)?", text):
        raise argparse.ArgumentTypeError(f"'{text}': a share of RLC blocks in percent, 0 to less than 100")
    return float(text) / 100


def add_arguments(command: argparse.ArgumentParser) -> None:
    parts = command.add_subparsers(dest="part", required=True)
    up = parts.add_parser("up", help="make the namespaces, start the programs")
    kind = up.add_mutually_exclusive_group()
    kind.add_argument("--mobiles", type=names_of, metavar="NAMES")
    kind.add_argument("--phones", type=number_of_phones, nargs="?", const=PHONES, default=0, metavar="COUNT")
    up.add_argument("--pool", type=number_of_nodes, default=0, metavar="NODES")
    up.add_argument("--bss", type=one_of("BSS", network.BSSES), default=network.EMULATE, metavar="BSS")
    up.add_argument("--rlc-loss", type=share_of_percent, default=0.0, metavar="PERCENT")
    up.add_argument("--reliability", type=int, choices=range(1, 6), default=0, metavar="CLASS")
    up.add_argument("--coding", type=one_of("coding scheme", network.CODINGS), default=network.CODING, metavar="SCHEME")
    up.add_argument("--multislot", type=int, choices=radio.RECEIVERS, default=0, metavar="CLASS")
    up.add_argument("--compression", action="store_true", help="compress N-PDUs")
    for extra in extras.ALL:
        up.add_argument(f"--{extra.name}", action="append_const", dest="extras", const=extra, default=[],
                        help=extra.purpose)
    up.add_argument("--install", action="store_true", help="install the Debian packages that are missing")
    parts.add_parser("down", help="end the programs, delete the namespaces")
    parts.add_parser("status", help="which programs run").add_argument("--json", dest="is_json", action="store_true")
    tap = parts.add_parser("capture", help="packets of the lab's interfaces, into Wireshark or a file")
    tap.add_argument("file", nargs="?", type=pathlib.Path, metavar="FILE.pcapng")
    tap.add_argument("--seconds", type=number_of_seconds, metavar="N")
    tap.add_argument("--interfaces", type=lambda text: text.split(","), default=list(capture.LINKS), metavar="NAMES")
    shell = parts.add_parser("shell", help="a shell, or a command, of a mobile or of a side")
    restart = parts.add_parser("restart", help="end a node of a pool, and start it with its configuration of now")
    attach = parts.add_parser("allow-attach", help="whether the Gb proxy gives a node phones that have none")
    phone = parts.add_parser("phone", help="switch a phone on or off")
    for name in (starting.BTS, starting.PROXY):  # programs that a lab starts by itself
        parts.add_parser(name)
    for part in parts.choices.values():
        part.add_argument("--name", dest="lab", type=lab_name, default=LAB, metavar="NAME")
        part.add_argument("--gbflow", type=pathlib.Path, help=argparse.SUPPRESS)
    for part, word in ((shell, "NAME"), (restart, "NODE"), (attach, "NODE")):
        part.add_argument("name", metavar=word)
    attach.add_argument("word", choices=("yes", "no"), metavar="yes|no")
    phone.add_argument("number", type=int, metavar="N")
    phone.add_argument("word", choices=("on", "off"), metavar="on|off")
    shell.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND")


def try_ping(lab: Lab, made: network.Plan) -> str:
    """The first host's; a lab that carries none has not come up."""
    name, namespace = next(iter(made.hosts.items()))
    took_ms = echo.wait_ms(namespace, network.SERVER, START_S)
    if took_ms is None:
        raise Failure(f"{name}: {network.SERVER} answered no ping in {START_S:.0f} s: logs in {lab.folder}")
    return f"{name}: {network.SERVER} answered a ping in {took_ms:.0f} ms"


def check_names(made: network.Plan) -> None:
    taken = [name for name in made.namespaces if name in network.existing()]
    if taken:
        raise Failure(f"the network namespace {taken[0]} is there already: ip netns del {taken[0]}")


def forget_sockets(lab: Lab, made: network.Plan) -> None:
    """DPDK and the BSS leave the folders of their telemetry sockets."""
    for prefix in (*made.nodes.values(), bss_prefix(lab)):
        shutil.rmtree(telemetry.runtime_folder() / prefix, ignore_errors=True)


def forget_files(lab: Lab) -> None:
    for extra in extras.ALL:
        extra.forget_files(lab.folder)


@contextlib.contextmanager
def alone(lab: Lab) -> Iterator[None]:
    """No other `up` or `down` of the lab meanwhile. The kernel unlocks the folder of one that was killed."""
    try:
        lab.folder.mkdir(mode=0o755, exist_ok=True)
    except FileExistsError as error:
        raise Failure(f"{lab.folder}: is there already, and no folder: give the lab another --name") from error
    lock = os.open(lab.folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Failure(f"an up or down of the lab {lab.name} is in progress: wait for its end, then "
                          f"{call(lab, 'status')}") from error
        yield
    finally:
        os.close(lock)


def check_unused(lab: Lab, made: network.Plan) -> None:
    """Neither the lab nor anything else has its folder and its names.
    A folder without files is one of an `up` that was refused."""
    if state := kept_state(lab.folder):
        what = "the lab is up already" if state[2] else "an earlier up was killed"
        raise Failure(f"{what}: {call(lab, 'status')}, {call(lab, 'down')}")
    if any(lab.folder.iterdir()) and not (lab.folder / "osmo-ggsn.cfg").is_file():
        raise Failure(f"{lab.folder}: is there already, and no lab's: give the lab another --name")
    check_names(made)


def bring_up(lab: Lab, made: network.Plan) -> str:
    """The state is kept from the start, so that `down` ends what an `up` that was killed has left."""
    lab.made = made
    try:
        starting.write_files(lab, made)
        keep_state(lab.folder, made, [])
        (pool if made.pool else network).build(made)
        for extra in made.extras:
            extra.build(made)
        (starting.start_with_phones if made.phones else starting.start_with_mobiles)(lab, made)
        answered = try_ping(lab, made)
        keep_state(lab.folder, made, lab.started, is_up=True)
    except BaseException:
        stop_programs(lab.started)
        network.remove(made)
        forget_sockets(lab, made)
        forget_files(lab)
        (lab.folder / STATE).unlink(missing_ok=True)
        raise
    return answered


def up(lab: Lab, made: network.Plan, is_to_install: bool) -> int:
    if is_to_install:
        preflight.install(made)
    preflight.check(made)
    with alone(lab):
        check_unused(lab, made)
        answered = bring_up(lab, made)
    print(answered, *next_steps(lab, made), sep="\n")
    return 0


def end(lab: Lab) -> str:
    """What it has ended."""
    state = kept_state(lab.folder)
    if not state:
        return "no lab is up"
    ended = stop_programs(state[1])
    gone = network.remove(state[0])
    forget_sockets(lab, state[0])
    forget_files(lab)
    (lab.folder / STATE).unlink()
    return f"ended: {', '.join(ended) or 'none, all had ended'}; deleted: {', '.join(gone) or 'no namespace'}"


def down(lab: Lab) -> int:
    if not lab.folder.is_dir():
        print("no lab is up")
        return 0
    with alone(lab):
        print(end(lab))
    return 0


def phones_of(prefix: str) -> dict[str, int]:
    """Of a node. A phone that another node has, or asks for, is kept for a time: it counts as leaving."""
    states = [str(row.get("state")) for row in rows_of(prefix, "subscribers")]
    leaving = sum(state in LEAVING for state in states)
    return {"phones": len(states) - leaving, "leaving": leaving}


def node_rows(made: network.Plan) -> list[dict[str, object]]:
    """Of a pool's nodes."""
    rows = made.nodes.items() if made.pool else ()
    return [{"name": name, "prefix": prefix, "metrics": pool.metrics_of(name), **phones_of(prefix)}
            for name, prefix in rows]


def status_json(lab: Lab) -> int:
    """The same for programs."""
    state = kept_state(lab.folder)
    made, started, is_up = state or (None, [], False)
    programs = [{"name": one.name, "namespace": one.namespace, "pid": one.pid, "is_running": is_running(one)}
                for one in started]
    mobiles = [{"name": one.name, "namespace": one.namespace, "imsi": one.imsi, "tlli": f"{one.tlli:08x}"}
               for one in (made.mobiles if made else ())]
    imsis = [phones.imsi_of(number) for number in range(1, made.phones + 1)] if made else []
    head = {"schema": STATUS_SCHEMA, "version": output.version(), "lab": lab.name, "is_up": is_up}
    print(json.dumps({**head, "programs": programs, "mobiles": mobiles, "phones": imsis,
                      "phone_addresses": addresses_of(made) if made and imsis else {},
                      "nodes": node_rows(made) if made else [],
                      **{extra.name: extra.counts(made) if made and extra in made.extras else None
                         for extra in extras.ALL}}, indent=1))
    return 0 if is_up and all(row["is_running"] for row in programs) else 1


def status(lab: Lab) -> int:
    """Status 1 unless the lab is up and all programs run."""
    state = kept_state(lab.folder)
    if not state:
        print("no lab is up")
        return 1
    made, started, is_up = state
    if not is_up:
        print(f"the lab is not up: its up is in progress, or was killed; then {call(lab, 'down')}")
    for program in started:
        what = f"runs, pid {program.pid}" if is_running(program) else f"ended: {output.last_line(program.log)}"
        print(f"{program.name:12}  {program.namespace:20}  {what}")
    ended = {program.name for program in started if not is_running(program)}
    for row in (row for row in node_rows(made) if row["name"] not in ended):
        leaving = f", leaving: {row['leaving']}" if row["leaving"] else ""
        print(f"{row['name']:12}  {row['prefix']:20}  phones: {row['phones']}{leaving}, metrics: {row['metrics']}")
    for extra in made.extras:
        print(f"{extra.name:12}  {made.namespace(extra.side):20}  {extra.status_text(extra.counts(made), ended)}")
    addresses = addresses_of(made)
    for mobile in made.mobiles:
        words = [f"IMSI {mobile.imsi}", f"TLLI {mobile.tlli:08x}", *addresses.get(mobile.imsi, ())]
        print(f"{mobile.name:12}  {mobile.namespace:20}  {', '.join(words)}")
    if made.phones:
        print(f"{network.PHONES:12}  {made.namespace(network.PHONES):20}  IMSI {phones.imsi_of(1)} to "
              f"{phones.imsi_of(made.phones)}")
        for imsi, own in addresses.items():
            print(f"{'':12}  {'':20}  IMSI {imsi}, {', '.join(own)}")
    return 0 if is_up and all(map(is_running, started)) else 1


def state_of(lab: Lab) -> tuple[network.Plan, list[Program]]:
    """Of the lab that is up."""
    state = kept_state(lab.folder)
    if not state or not state[2]:
        raise Failure(f"no lab is up: {call(lab, 'up')}")
    return state[0], state[1]


def plan_of(lab: Lab) -> network.Plan:
    return state_of(lab)[0]


def check_node(lab: Lab, made: network.Plan, name: str) -> None:
    if not made.pool:
        raise Failure(f"the lab has no pool: {call(lab, 'up --pool 2')}")
    if name not in made.nodes:
        raise Failure(unknown(name, "node of the lab", list(made.nodes)))


def check_configuration(lab: Lab, name: str) -> None:
    """A node that runs is not ended for a configuration that it cannot start with."""
    words = [lab.gbflow, "check", str(lab.folder / f"{name}.lua")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{name} is left as it is, mend its configuration first: {done.stderr.strip()}")


def restart(lab: Lab, name: str) -> int:
    """A node; the others, and the proxy, go on."""
    with alone(lab):
        lab.made, lab.started = state_of(lab)
        check_node(lab, lab.made, name)
        check_configuration(lab, name)
        ended = [program for program in lab.started if program.name == name]
        stop_programs(ended)
        lab.started = [program for program in lab.started if program not in ended]
        try:
            starting.start_node(lab, lab.made, name)
            starting.wait_for_cell(lab, [name])
        finally:
            keep_state(lab.folder, lab.made, lab.started, is_up=True)
    print(f"{name}: runs, and has the cell")
    return 0


def allow_attach(lab: Lab, name: str, word: str) -> int:
    made, started = state_of(lab)
    check_node(lab, made, name)
    proxy.allow_attach(made, started, lab.folder, name, word)
    print(f"{name}: gets {'phones' if word == 'yes' else 'no phones'} that have no node")
    return 0


def bss_order(prefix: str, command: str) -> None:
    """Of gbflow emulate; its refusal is raised."""
    with contextlib.closing(telemetry.Client(prefix)) as client:
        answer = client.ask(command)
    if answer != {"result": "ok"}:
        raise Failure(f"gbflow emulate: {answer.get('result', answer) if isinstance(answer, dict) else answer}")


def switch_phone(lab: Lab, number: int, word: str) -> int:
    """Returns when the phone has a context, or has none."""
    made, is_on = plan_of(lab), word == "on"
    if not made.phones:
        raise Failure(f"the lab has no phones: {call(lab, 'up --phones')}")
    if not 0 < number <= made.phones:
        raise Failure(f"phone {number}: the lab has phones 1 to {made.phones}")
    if made.bss == network.OSMO_PCU:
        radio.switch(lab.folder, number, is_on)
    else:
        bss_order(bss_prefix(lab), f"/gbflow/phone,{number},{word}")
    imsi, end_at = phones.imsi_of(number), time.monotonic() + SWITCH_S
    while bool(addresses_of(made).get(imsi)) != is_on:
        if time.monotonic() > end_at:
            has = "has no" if is_on else "still has a"
            raise Failure(f"phone {number} {has} context after {SWITCH_S:g} s; look at gbflow lab status")
        time.sleep(LOOK_S)
    print(f"phone {number}: {word}, IMSI {imsi}, {', '.join(addresses_of(made).get(imsi, ['without a context']))}")
    return 0


def shell(lab: Lab, name: str, words: Sequence[str]) -> int:
    """Replaces this process."""
    made = plan_of(lab)
    places = made.hosts | {side: made.namespace(side) for side in made.sides}
    if name not in places:
        raise Failure(unknown(name, "mobile or side of the lab", list(places)))
    network.enter(places[name])
    os.environ["PS1"] = f"{name}$ "
    chosen = words or [os.environ.get("SHELL") or "/bin/sh"]
    try:
        os.execvp(chosen[0], chosen)
    except OSError as error:
        raise Failure(f"{chosen[0]}: {error.strerror}") from error


def fault_of(given: argparse.Namespace) -> str | None:
    """Options that do not fit each other."""
    is_pcu, count = given.bss == network.OSMO_PCU, max(given.phones, len(given.mobiles or NAMES))
    rows = ((given.pool and given.mobiles, "--pool needs phones: leave --mobiles out"),
            (is_pcu and count > radio.MOST,
             f"{count} mobiles or phones: at most {radio.MOST} with --bss {network.OSMO_PCU}"),
            (given.rlc_loss and not is_pcu, f"--rlc-loss needs --bss {network.OSMO_PCU}"),
            (given.reliability and not is_pcu, f"--reliability needs --bss {network.OSMO_PCU}"),
            (given.reliability and not given.phones, "--reliability needs --phones"),
            (given.coding != network.CODING and not is_pcu, f"--coding needs --bss {network.OSMO_PCU}"),
            (given.multislot and not (is_pcu and given.phones), f"--multislot needs --bss {network.OSMO_PCU} --phones"),
            (radio.mcs_of(given.coding) and not given.phones, f"--coding {given.coding} needs --phones"),
            (given.reliability and given.pool, "--reliability needs one node: leave --pool out"),
            *((given.pool, f"--{extra.name} needs one node: leave --pool out") for extra in given.extras),
            (given.compression and is_pcu,
             f"--compression needs --bss {network.EMULATE}: the mobiles at {network.OSMO_PCU} have none"))
    return next((text for is_fault, text in rows if is_fault), None)


def run_up(lab: Lab, given: argparse.Namespace) -> int:
    if given.pool and not given.phones and not given.mobiles:
        given.phones = PHONES * given.pool
    fault = fault_of(given)
    if fault:
        say(f"gbflow lab: {fault}")
        return 2
    names = [] if given.phones else given.mobiles or list(NAMES)
    made = network.made_of(lab.name, names, given.phones, given.bss, given.pool)
    made = replace(made, rlc_loss=given.rlc_loss, reliability=given.reliability, coding=given.coding,
                   multislot=given.multislot, is_compressed=given.compression, extras=given.extras)
    return up(lab, made, given.install)


def run_program(lab: Lab, name: str) -> int:
    """One that the lab has started by itself."""
    if name == starting.BTS:
        return radio.run(lab.folder)
    return serve_proxy([str(lab.folder / proxy.OWN_CONFIG)])


def run(given: argparse.Namespace) -> int:
    if given.part == "shell" and given.words[-2:-1] == ["--gbflow"]:
        # The option that each command gets comes last, behind the words of the mobile's command.
        given.words, given.gbflow = given.words[:-2], given.words[-1]
    lab = Lab(given.lab, str(given.gbflow))
    if given.part == "up":
        return run_up(lab, given)
    preflight.refuse_without_root()
    if given.part == "shell":
        return shell(lab, given.name, given.words)
    if given.part == "capture":
        return capture.run(plan_of(lab), given.interfaces, given.file, given.seconds)
    if given.part in (starting.BTS, starting.PROXY):
        return run_program(lab, given.part)
    if given.part == "restart":
        return restart(lab, given.name)
    if given.part == "allow-attach":
        return allow_attach(lab, given.name, given.word)
    if given.part == "phone":
        return switch_phone(lab, given.number, given.word)
    if given.part == "down":
        return down(lab)
    return status_json(lab) if given.is_json else status(lab)
