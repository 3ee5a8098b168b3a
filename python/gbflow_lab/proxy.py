# SPDX-License-Identifier: BSD-3-Clause
"""The Gb proxy of a lab with a pool: osmo-gbproxy where PATH has it, else python/gbflow_proxy."""

import json
import pathlib
import shutil
import socket
from collections.abc import Sequence

from gbflow_lab import network, phones, pool
from gbflow_lab.programs import Program
from gbflow_results import Failure

OSMO, CONFIG, VTY_PORT = "osmo-gbproxy", "osmo-gbproxy.cfg", 4246
OWN, OWN_CONFIG, SOCKET = "gbproxy", "gbproxy.json", "gbproxy.sock"
ANSWER_S, LINE = 10.0, 4096
TIMERS = {"test": 3, "retry": 1, "retries": 3}  # of NS, s: the proxy notices in seconds that a node has restarted

OSMO_GBPROXY = """log stderr
 logging filter all 1
 logging color 0
 logging print category 1
 logging timestamp 0
line vty
 no login
ns
 timer tns-test {test}
 timer tns-alive {retry}
 timer tns-alive-retries {retries}
 bind udp bss-side
  listen {address} {bss_port}
  accept-ipaccess
 bind udp sgsn-side
  listen {address} {sgsn_port}
{nses}gbproxy
 nri bitlen {bits}
 nri null add {null}
 pool bvc-flow-control-ratio {ratio}
{sgsns}"""
OSMO_NSE = """ nse {nsei}
  nsvc ipa sgsn-side {gb} {port} nsvci {nsei}
"""
OSMO_SGSN = """sgsn nsei {nsei}
 name {name}
 nri add {number}
"""


def osmo_text(plan: network.Plan) -> str:
    places = {name: pool.place_of(plan, name) for name in plan.nodes}
    nses = (OSMO_NSE.format(nsei=place.nsei, gb=place.gb, port=network.NS_PORT) for place in places.values())
    sgsns = (OSMO_SGSN.format(nsei=place.nsei, name=name, number=pool.number_of(name))
             for name, place in places.items())
    return OSMO_GBPROXY.format(address=network.GB_NODE, bss_port=network.NS_PORT, sgsn_port=pool.SGSN_PORT, **TIMERS,
                               bits=pool.NRI_BITS, null=pool.NULL_NRI, ratio=pool.ratio_of(plan), nses="".join(nses),
                               sgsns="".join(sgsns))


def own_text(plan: network.Plan, folder: pathlib.Path) -> str:
    """Of python/gbflow_proxy."""
    sgsns = [{"nsei": place.nsei, "remote": [place.gb, network.NS_PORT], "nris": [[pool.number_of(name)]], "name": name}
             for name, place in ((name, pool.place_of(plan, name)) for name in plan.nodes)]
    return json.dumps({
        "bss_listen": [network.GB_NODE, network.NS_PORT], "sgsn_listen": [network.GB_NODE, pool.SGSN_PORT],
        "control": str(folder / SOCKET), "nri_bits": pool.NRI_BITS, "null_nri": [pool.NULL_NRI],
        "ratio": pool.ratio_of(plan), "timers": TIMERS, "sgsns": sgsns}, indent=1) + "\n"


def has_osmo() -> bool:
    return shutil.which(OSMO) is not None


def text_of(plan: network.Plan, folder: pathlib.Path) -> tuple[str, str]:
    """Its file."""
    return (CONFIG, osmo_text(plan)) if has_osmo() else (OWN_CONFIG, own_text(plan, folder))


def tell_own(folder: pathlib.Path, line: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(ANSWER_S)
        sock.connect(str(folder / SOCKET))
        sock.sendall(line.encode() + b"\n")
        answer = sock.recv(LINE).decode("utf-8", "replace").strip()
    if answer != "ok":
        raise Failure(f"{OWN}: {line}: {answer}")


def tell_osmo(plan: network.Plan, lines: Sequence[str]) -> None:
    vty = phones.Vty(plan.namespace(network.PROXY), VTY_PORT, "OsmoGbProxy")
    try:
        for line in lines:
            said = vty.ask(line)
            if "\n% " in said:
                raise Failure(f"{OSMO}: {line}: {' '.join(said.split())}")
    finally:
        vty.close()


def allow_attach(plan: network.Plan, programs: Sequence[Program], folder: pathlib.Path, name: str, word: str) -> None:
    """Whether phones that no node has come to this one; word: yes or no."""
    nsei = pool.place_of(plan, name).nsei
    try:
        if any(program.name == OSMO for program in programs):
            tell_osmo(plan, ("enable", "configure terminal", f"sgsn nsei {nsei}",
                             "allow-attach" if word == "yes" else "no allow-attach"))
        else:
            tell_own(folder, f"allow-attach {nsei} {word}")
    except OSError as error:
        raise Failure(f"the Gb proxy does not answer: {error}") from error
