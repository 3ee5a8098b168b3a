# SPDX-License-Identifier: BSD-3-Clause
"""The phones of a lab: the configurations of the node, of the BSS and of osmo-hlr, and the HLR's subscribers.

    host's shell - TUN - gbflow emulate - gb1 = gb0 - gbflow serve - gn0 = gn1 - osmo-ggsn - TUN - server's address
                                                          127.0.0.1 - osmo-hlr

All phones are hosts on one TUN device in one namespace; a program there chooses its phone by its source address.
"""

import re
import socket
import time
from collections.abc import Iterator

from gbflow_lab import network
from gbflow_results import Failure

DEVICE = "gbf0"
KI = "000102030405060708090a0b0c0d0e0f"  # of test SIMs
VTY_PORT, VTY_S = 4258, 30.0

HLR = """log stderr
 logging filter all 1
 logging color 0
 logging print category 1
 logging timestamp 0
line vty
 no login
hlr
 gsup
  bind ip {address}
"""

NODE_PHONES = """  mobiles = {{ source = "list" }},
  phones = {{
    policy = "hlr", hlr = {{ {hlr} }}, ciphering = {{ 3, 0 }},
    apns = {{ {{ name = "{apn}", class = "thp2", sgsn_address = "{gn}", ggsn_address = "{ggsn}" }} }},
{more}  }},"""
LOOPBACK = "127.0.0.1"
NODE_LLC = """  -- for phones that ask for reliability class 1 or 2; I frames of few RLC blocks
  llc = { acknowledged = { links = 16, n201_i = "140 octets", t200 = "1 s", n200 = 15, k_down = 64 } },
"""
BSS_PHONES = """  phones = {{
    count = {count}, imsi = "{imsi}", ki = "{ki}", apn = "{apn}",
    tun = {{ device = "{device}", namespace = "{namespace}", default_route = true }},
{more}  }},"""


def imsi_of(number: int) -> str:
    """number: from 1 on."""
    return f"00101{number:010d}"


def hlr_text(address: str = LOOPBACK) -> str:
    return HLR.format(address=address)


def users_of(place: network.Place, hlr: str, more: str = "") -> str:
    """The node's keys; hlr, more: keys of `phones.hlr` and `phones`."""
    return NODE_PHONES.format(gn=place.gn, ggsn=network.GN_GGSN, apn=network.APN, hlr=hlr, more=more)


def node_text(plan: network.Plan) -> str:
    place = network.Place(plan.prefix)
    return network.node_of(plan, place, network.MADE_WITH_PHONES, users_of(place, f'address = "{LOOPBACK}"'), NODE_LLC)


def bss_text(plan: network.Plan) -> str:
    more = f"    {network.BSS_COMPRESSION}\n" if plan.is_compressed else ""
    return network.bss_of(network.MADE_WITH_PHONES, BSS_PHONES.format(
        apn=network.APN, count=plan.phones, imsi=imsi_of(1), ki=KI, device=DEVICE, more=more,
        namespace=plan.namespace(network.PHONES)))


class Vty:
    """The console of osmo-hlr, or of another program of Osmocom, in a namespace."""

    def __init__(self, namespace: str, port: int = VTY_PORT, name: str = "OsmoHLR") -> None:
        self.prompt = re.compile(rf"{name}(\([\w-]+\))?[>#] \Z")
        with network.inside(namespace):
            self.sock = socket.create_connection((LOOPBACK, port), VTY_S)
        self.read()

    def read(self) -> str:
        """Up to the next prompt."""
        text, end_at = "", time.monotonic() + VTY_S
        while not self.prompt.search(text):
            got = self.sock.recv(4096)
            if not got or time.monotonic() > end_at:
                raise Failure(f"no prompt of the VTY: {text[-200:]!r}")
            text += got.replace(b"\r", b"").decode("ascii", "replace")
        return text

    def ask(self, command: str) -> str:
        self.sock.sendall(command.encode() + b"\n")
        return self.read()

    def close(self) -> None:
        self.sock.close()


def commands_for(count: int) -> Iterator[str]:
    for number in range(1, count + 1):
        subscriber = f"subscriber imsi {imsi_of(number)}"
        yield f"{subscriber} create"
        yield f"{subscriber} update msisdn 49170{number:07d}"
        yield f"{subscriber} update aud3g xor k {KI}"


def create_subscribers(namespace: str, count: int) -> None:
    try:
        vty = Vty(namespace)
    except OSError as error:
        raise Failure(f"osmo-hlr: no VTY at 127.0.0.1 {VTY_PORT}: {error}") from error
    try:
        vty.ask("enable")
        for command in commands_for(count):
            said = vty.ask(command)
            if re.search("^% (?!Created|Updated)", said, re.MULTILINE):
                raise Failure(f"osmo-hlr: {command}: {' '.join(said.split())}")
    finally:
        vty.close()
