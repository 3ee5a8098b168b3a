# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow lab up|down|status|shell|capture`: brings a lab up, and says what to type next."""

import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from gbflow_lab import capture, echo, network, phones, preflight, radio
from gbflow_lab.programs import LOOK_S, START_S, Program, is_running, start_program, stop_programs, wait_for
from gbflow_report import output
from gbflow_report.output import say
from gbflow_results import Failure, bounded
from gbflow_results.words import one_of, unknown
from gbflow_top import telemetry

STATE = "lab.json"
STATUS_SCHEMA = "gbflow-lab/1"
TEXT = (b"<p>A mobile has a queue, a cell has a bucket, and an N-PDU leaves when the bucket has room for it. "
        b"Text like this repeats its words, which V.42bis sends as codewords.</p>\n")


def keep_state(folder: pathlib.Path, made: network.Plan, programs: Sequence[Program], is_up: bool = False) -> None:
    state = {"is_up": is_up, "mobiles": [mobile.name for mobile in made.mobiles], "phones": made.phones, "bss": made.bss,
             "programs": [asdict(program) for program in programs]}
    output.write_whole(folder / STATE, json.dumps(state, indent=1) + "\n")


def kept_state(folder: pathlib.Path) -> tuple[network.Plan, list[Program], bool] | None:
    """Plan and programs of the lab, and whether its `up` has come to its end; None: there is no lab."""
    try:
        given: Mapping = bounded.read_json(folder / STATE)
        made = network.made_of(folder.name, given["mobiles"], given.get("phones", 0), given.get("bss", network.EMULATE))
        return made, [Program(**row) for row in given["programs"]], bool(given.get("is_up", True))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{folder / STATE}: is not a lab's: {error}") from error


LAB, BTS = "gbflow-lab", "bts"
NAMES = ("anna", "bert")
TAKEN = (*network.SIDES, network.PHONES, *capture.NAMES)  # no names of mobiles
PHONES, PHONES_PER_S = 2, 5


@dataclass
class Lab:
    """name: of the folder below /run, and the beginning of all other names; started: its programs so far; made: its plan, once it is
    known that the lab comes up."""

    name: str
    gbflow: str
    started: list[Program] = field(default_factory=list)
    made: network.Plan | None = None

    @property
    def folder(self) -> pathlib.Path:
        return pathlib.Path("/run") / self.name


def lab_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,15}", text):
        raise argparse.ArgumentTypeError(f"'{text}': a letter, then at most 15 letters, digits and -")
    return text


def names_of(text: str) -> list[str]:
    names = text.split(",")
    good = all(re.fullmatch(r"[A-Za-z0-9]{1,12}", name) and name not in TAKEN for name in names)
    if not good or len(set(names)) < len(names) or len(names) > network.MOST:
        raise argparse.ArgumentTypeError(f"'{text}': 1 to {network.MOST} different names, letters and digits, at most 12 each, none of "
                                         + ", ".join(TAKEN))
    return names


def number_of_phones(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= network.MOST:
        raise argparse.ArgumentTypeError(f"'{text}': a number of phones, 1 to {network.MOST}")
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
    kind.add_argument("--mobiles", type=names_of, default=list(NAMES), metavar="NAMES")
    kind.add_argument("--phones", type=number_of_phones, nargs="?", const=PHONES, default=0, metavar="COUNT")
    up.add_argument("--bss", type=one_of("BSS", network.BSSES), default=network.EMULATE, metavar="BSS")
    up.add_argument("--rlc-loss", type=share_of_percent, default=0.0, metavar="PERCENT")
    up.add_argument("--reliability", type=int, choices=range(1, 6), default=0, metavar="CLASS")
    up.add_argument("--compression", action="store_true", help="compress N-PDUs")
    up.add_argument("--install", action="store_true", help="install the Debian packages that are missing")
    parts.add_parser("down", help="end the programs, delete the namespaces")
    parts.add_parser("status", help="which programs run").add_argument("--json", dest="is_json", action="store_true")
    tap = parts.add_parser("capture", help="packets of the lab's interfaces, into Wireshark or a file")
    tap.add_argument("file", nargs="?", type=pathlib.Path, metavar="FILE.pcapng")
    tap.add_argument("--seconds", type=number_of_seconds, metavar="N")
    tap.add_argument("--interfaces", type=lambda text: text.split(","), default=list(capture.LINKS), metavar="NAMES")
    shell = parts.add_parser("shell", help="a shell, or a command, of a mobile or of a side")
    parts.add_parser(BTS)  # a program that a lab with osmo-pcu starts by itself
    for part in parts.choices.values():
        part.add_argument("--name", dest="lab", type=lab_name, default=LAB, metavar="NAME")
        part.add_argument("--gbflow", type=pathlib.Path, help=argparse.SUPPRESS)
    shell.add_argument("name", metavar="NAME")
    shell.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND")


def rows_of(lab: Lab, table: str) -> list[dict[str, telemetry.Value]]:
    """What `gbflow show` prints of the node, asked at its socket: who waits asks often. Empty while nothing answers."""
    with contextlib.closing(telemetry.Client(lab.name)) as client, contextlib.suppress(Failure):
        return client.rows(table, 0)
    return []


def contexts(lab: Lab) -> dict[str, str]:
    """The address of each mobile that has a context, by IMSI."""
    return {str(row["imsi"]): str(row["address"]) for row in rows_of(lab, "pdp")}


def wait_for_contexts(lab: Lab, count: int) -> dict[str, str]:
    """Until the GGSN has created a context for each mobile."""
    end = time.monotonic() + START_S
    while len(found := contexts(lab)) < count:
        if time.monotonic() > end:
            raise Failure(f"{count - len(found)} of {count} contexts do not exist after {START_S:.0f} s: logs in {lab.folder}")
        time.sleep(LOOK_S)
    return found


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
    start(lab, "server", "ggsn", [sys.executable, "-m", "http.server", "80", "--bind", network.SERVER, "--directory", "www"])


def start_node(lab: Lab, pattern: str) -> None:
    start(lab, "node", "node", [lab.gbflow, "serve", "node.lua", "--verbose", "--json", "node.json"], pattern)


def cell_is_up(lab: Lab) -> bool:
    """The node may send to it: flow control has told it a rate."""
    rows = rows_of(lab, "bvc")
    return bool(rows) and bool(rows[0]["usable"] and rows[0]["rate_bps"])


def start_pcu(lab: Lab) -> None:
    """The BTS listens before osmo-pcu comes; it is told when the node has the cell."""
    start(lab, "bts", "bss", [sys.executable, os.path.abspath(sys.argv[0]), "lab", BTS, "--name", lab.name], "BTS at ")
    start(lab, "osmo-pcu", "bss", ["osmo-pcu", "-c", radio.CONFIG])
    bts, pcu = lab.started[-2:]
    wait_for(bts, "osmo-pcu serves timeslots")
    end = time.monotonic() + START_S
    while not cell_is_up(lab):
        if time.monotonic() > end or not is_running(pcu):
            raise Failure(f"osmo-pcu brought up no cell in {START_S:.0f} s: {output.last_line(pcu.log)} (all of it: {pcu.log})")
        time.sleep(LOOK_S)
    os.kill(bts.pid, signal.SIGUSR1)


def bss_prefix(lab: Lab) -> str:
    """The BSS's name for gbflow top; the node's is the lab's."""
    return f"{lab.name}-bss"


def start_bss(lab: Lab) -> None:
    start(lab, "bss", "bss", [lab.gbflow, "emulate", "bss.lua", "--prefix", bss_prefix(lab), "--verbose", "--json", "bss.json"], "cell 1800 is up")


def start_with_mobiles(lab: Lab, made: network.Plan) -> None:
    """Each waits for the one before: the node asks the GGSN for contexts, whose addresses the BSS is told."""
    start_ends(lab)
    start_node(lab, "gbflow: running")
    addresses = wait_for_contexts(lab, len(made.mobiles))
    if made.bss == network.OSMO_PCU:
        (lab.folder / radio.PLAN).write_text(radio.plan_text(made, addresses), encoding="utf-8")
        start_pcu(lab)
    else:
        (lab.folder / "bss.lua").write_text(network.bss_text(made, addresses), encoding="utf-8")
        start_bss(lab)


def start_with_phones(lab: Lab, made: network.Plan) -> None:
    """The HLR has the phones before the node is connected to it, and the node is before phones attach."""
    start_ends(lab)
    start(lab, "osmo-hlr", "node", ["osmo-hlr", "-c", "osmo-hlr.cfg", "-l", "hlr.db"], "(?i)available via telnet")
    phones.create_subscribers(made.namespace("node"), made.phones)
    start_node(lab, "HLR 127.0.0.1: connected")
    if made.bss == network.OSMO_PCU:
        start_pcu(lab)
    else:
        start_bss(lab)
    who = next(program for program in lab.started if program.name in (BTS, "bss"))
    wait_for(who, f"all {made.phones} phones have a context", START_S + made.phones / PHONES_PER_S)


def texts_of(lab: Lab, made: network.Plan) -> Iterator[tuple[str, str]]:
    """Files that are written before the programs start."""
    yield "osmo-ggsn.cfg", network.ggsn_text(str(lab.folder))
    if made.bss == network.OSMO_PCU:
        yield radio.CONFIG, radio.pcu_text(lab.folder)
    if not made.phones:
        yield "node.lua", network.node_text(made)
        return
    yield "osmo-hlr.cfg", phones.HLR
    yield "node.lua", phones.node_text(made)
    if made.bss == network.OSMO_PCU:
        yield radio.PLAN, radio.plan_text(made, {})
    else:
        yield "bss.lua", phones.bss_text(made)


def write_files(lab: Lab, made: network.Plan) -> None:
    """A database of an earlier lab is deleted: osmo-hlr makes one that is empty. So is the socket of a BTS that was killed."""
    for old in [*lab.folder.glob("hlr.db*"), *lab.folder.glob(radio.SOCKET)]:
        old.unlink()
    for name, text in texts_of(lab, made):
        (lab.folder / name).write_text(text, encoding="utf-8")
    (lab.folder / "www").mkdir(exist_ok=True)
    (lab.folder / "www" / "20k").write_bytes(os.urandom(20000))
    (lab.folder / "www" / "text").write_bytes((TEXT * (20000 // len(TEXT) + 1))[:20000])


def typed(lab: Lab) -> str:
    """How one calls this program here: by its path unless PATH has it, through sudo if this call came that way."""
    in_path = shutil.which("gbflow")
    is_it = in_path is not None and os.path.realpath(in_path) == os.path.realpath(lab.gbflow)
    sudo = "sudo " if os.environ.get("SUDO_UID", "0") != "0" else ""
    return sudo + ("gbflow" if is_it else shlex.quote(lab.gbflow))


def call(lab: Lab, part: str) -> str:
    """What one types."""
    return f"{typed(lab)} lab {part}" + ("" if lab.name == LAB else f" --name {lab.name}")


def examples(lab: Lab, made: network.Plan) -> Iterator[str]:
    """Commands with programs that this machine has."""
    first, page = next(iter(made.hosts)), f"http://{network.SERVER}/20k"
    of_last = contexts(lab).get(phones.imsi_of(made.phones)) if made.phones > 1 else None
    ping, curl = preflight.EXAMPLES
    rows = [(ping, f"ping -c 3 {network.SERVER}"), (curl, f"curl -o /dev/null {page}"),
            (ping, of_last and f"ping -c 3 -I {of_last} {network.SERVER}"),
            (curl, of_last and f"curl -o /dev/null --interface {of_last} {page}")]
    for tool, command in rows:
        if command and tool.is_there:
            yield f"{call(lab, 'shell')} {first} {command}"
    yield f"{call(lab, 'shell')} {first}"
    yield f"{typed(lab)} show {'subscribers' if made.phones else 'ms'} --prefix {lab.name}"
    yield f"{typed(lab)} top --prefix {lab.name}"
    if made.bss == network.EMULATE:
        yield f"{typed(lab)} top --prefix {bss_prefix(lab)}"
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


def forget_sockets(lab: Lab) -> None:
    """DPDK and the BSS leave the folders of their telemetry sockets."""
    for prefix in (lab.name, bss_prefix(lab)):
        shutil.rmtree(telemetry.runtime_folder() / prefix, ignore_errors=True)


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
            raise Failure(f"an up or down of the lab {lab.name} is in progress: wait for its end, then {call(lab, 'status')}") from error
        yield
    finally:
        os.close(lock)


def check_unused(lab: Lab, made: network.Plan) -> None:
    """Neither the lab nor anything else has its folder and its names. A folder without files is one of an `up` that was refused."""
    if state := kept_state(lab.folder):
        what = "the lab is up already" if state[2] else "an earlier up was killed"
        raise Failure(f"{what}: {call(lab, 'status')}, {call(lab, 'down')}")
    if any(lab.folder.iterdir()) and not (lab.folder / "node.lua").is_file():
        raise Failure(f"{lab.folder}: is there already, and no lab's: give the lab another --name")
    check_names(made)


def bring_up(lab: Lab, made: network.Plan) -> str:
    """The state is kept from the start, so that `down` ends what an `up` that was killed has left."""
    lab.made = made
    try:
        write_files(lab, made)
        keep_state(lab.folder, made, [])
        network.build(made)
        (start_with_phones if made.phones else start_with_mobiles)(lab, made)
        answered = try_ping(lab, made)
        keep_state(lab.folder, made, lab.started, is_up=True)
    except BaseException:
        stop_programs(lab.started)
        network.remove(made)
        forget_sockets(lab)
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
    forget_sockets(lab)
    (lab.folder / STATE).unlink()
    return f"ended: {', '.join(ended) or 'none, all had ended'}; deleted: {', '.join(gone) or 'no namespace'}"


def down(lab: Lab) -> int:
    if not lab.folder.is_dir():
        print("no lab is up")
        return 0
    with alone(lab):
        print(end(lab))
    return 0


def addresses_of(lab: Lab) -> dict[str, list[str]]:
    """Those of the active contexts, by IMSI."""
    found: dict[str, list[str]] = {}
    for row in rows_of(lab, "pdp"):
        found.setdefault(str(row.get("imsi")), []).append(str(row.get("address")))
    return found


def status_json(lab: Lab) -> int:
    """The same for programs."""
    state = kept_state(lab.folder)
    made, started, is_up = state or (None, [], False)
    programs = [{"name": one.name, "namespace": one.namespace, "pid": one.pid, "is_running": is_running(one)} for one in started]
    mobiles = [{"name": one.name, "namespace": one.namespace, "imsi": one.imsi, "tlli": f"{one.tlli:08x}"}
               for one in (made.mobiles if made else ())]
    imsis = [phones.imsi_of(number) for number in range(1, made.phones + 1)] if made else []
    head = {"schema": STATUS_SCHEMA, "version": output.version(), "lab": lab.name, "is_up": is_up}
    print(json.dumps({**head, "programs": programs, "mobiles": mobiles, "phones": imsis,
                      "phone_addresses": addresses_of(lab) if imsis else {}}, indent=1))
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
    addresses = addresses_of(lab)
    for mobile in made.mobiles:
        words = [f"IMSI {mobile.imsi}", f"TLLI {mobile.tlli:08x}", *addresses.get(mobile.imsi, ())]
        print(f"{mobile.name:12}  {mobile.namespace:20}  {', '.join(words)}")
    if made.phones:
        print(f"{network.PHONES:12}  {made.namespace(network.PHONES):20}  IMSI {phones.imsi_of(1)} to {phones.imsi_of(made.phones)}")
        for imsi, own in addresses.items():
            print(f"{'':12}  {'':20}  IMSI {imsi}, {', '.join(own)}")
    return 0 if is_up and all(map(is_running, started)) else 1


def plan_of(lab: Lab) -> network.Plan:
    """Of the lab that is up."""
    state = kept_state(lab.folder)
    if not state or not state[2]:
        raise Failure(f"no lab is up: {call(lab, 'up')}")
    return state[0]


def shell(lab: Lab, name: str, words: Sequence[str]) -> int:
    """Replaces this process."""
    made = plan_of(lab)
    places = made.hosts | {side: made.namespace(side) for side in network.SIDES}
    if name not in places:
        raise Failure(unknown(name, "mobile or side of the lab", list(places)))
    network.enter(places[name])
    os.environ["PS1"] = f"{name}$ "
    chosen = words or [os.environ.get("SHELL") or "/bin/sh"]
    try:
        os.execvp(chosen[0], chosen)
    except OSError as error:
        raise Failure(f"{chosen[0]}: {error.strerror}") from error


def run(given: argparse.Namespace) -> int:
    if given.part == "shell" and given.words[-2:-1] == ["--gbflow"]:
        # The option that each command gets comes last, behind the words of the mobile's command.
        given.words, given.gbflow = given.words[:-2], given.words[-1]
    lab = Lab(given.lab, str(given.gbflow))
    if given.part == "up":
        made = network.made_of(lab.name, [] if given.phones else given.mobiles, given.phones, given.bss)
        if made.bss == network.OSMO_PCU and max(made.phones, len(made.mobiles)) > radio.MOST:
            say(f"gbflow lab: more than {radio.MOST} mobiles or phones with --bss {network.OSMO_PCU}")
            return 2
        for option, value in (("--rlc-loss", given.rlc_loss), ("--reliability", given.reliability)):
            if value and made.bss != network.OSMO_PCU:
                say(f"gbflow lab: {option} needs --bss {network.OSMO_PCU}")
                return 2
        if given.reliability and not made.phones:
            say("gbflow lab: --reliability needs --phones")
            return 2
        if given.compression and made.bss == network.OSMO_PCU:
            say(f"gbflow lab: --compression needs --bss {network.EMULATE}: the mobiles at {network.OSMO_PCU} have none")
            return 2
        made = replace(made, rlc_loss=given.rlc_loss, reliability=given.reliability, is_compressed=given.compression)
        return up(lab, made, given.install)
    preflight.refuse_without_root()
    if given.part == "shell":
        return shell(lab, given.name, given.words)
    if given.part == "capture":
        return capture.run(plan_of(lab), given.interfaces, given.file, given.seconds)
    if given.part == BTS:
        return radio.run(lab.folder)
    if given.part == "down":
        return down(lab)
    return status_json(lab) if given.is_json else status(lab)
