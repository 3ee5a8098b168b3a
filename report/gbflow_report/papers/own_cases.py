# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the own study: P1's baselines, each cure alone, and the cures together."""

from dataclasses import dataclass

from gbflow_report.papers import p1_cases
from gbflow_report.papers.p1_cases import CLASSES, KINDS

TCP = ("thp2", "thp3", "background")
CELL_OF_ODD, CELL_OF_EVEN = 3, 2
# The BSS announces R without block errors and without the empty rest of an LLC-PDU's last block.
RATE_FACTOR = "84 %"
Q = ["sgsn.queues.discipline=q", f'sgsn.flow_control={{ rate_factor = "{RATE_FACTOR}" }}']
PROTECT = "sgsn.queues.share_limit={ protect = true }"
# Windows of one segment for each flow need more room than two packets; with them the limit is for those who do not keep them.
ROOMY = 'sgsn.queues.share_limit={ packets = 8, time = "2 s" }'


def pacing(clamp: bool, hold: bool) -> str:
    classes = ", ".join(f'"{name}"' for name in TCP)
    words = [f"{key} = {'true' if value else 'false'}" for key, value in (("clamp", clamp), ("hold", hold))]
    return f"sgsn.queues.pacing={{ classes = {{ {classes} }}, {', '.join(words)} }}"


CLAMP, HOLD, BOTH = pacing(True, False), pacing(False, True), pacing(True, True)
# What each scheme changes in P1's scenario, in the order of the tables.
SETTINGS: dict[str, list[str]] = {
    "none": p1_cases.NONE.settings, "red": p1_cases.RED.settings, "ecn": p1_cases.ECN.settings,
    "clamp": [CLAMP], "hold": [HOLD],
    "q": Q, "protect": [*Q, PROTECT], "q-clamp": [*Q, ROOMY, CLAMP], "q-hold": [*Q, HOLD],
    "q-both": [*Q, ROOMY, BOTH],
}
LIGHT_SCHEMES = ("red", "q", "q-both")
WEB_ITEM = 'web = {{ page = "{}", items = {}, item = "{}", parallel = 4, reading = "1 s", start = "5 s" }}'
ITEMS = {"thp2": WEB_ITEM.format("4910 octets", 30, "4910 octets"), "thp3": WEB_ITEM.format("4910 octets", 30, "4910 octets"),
         "background": WEB_ITEM.format("1 octet", 4, "875 kB")}
PING = '{ ping = { start = "10 s" } }'
OBJECT = '{ web = { page = "10 kB", items = 0, reading = "15 s", persistent = false, start = "10 s" } }'


def user(name: str, number: int, *items: str) -> str:
    """Another user in the place of one of P1's."""
    title, cell = f"{KINDS[name][0]}{number}", CELL_OF_ODD if number % 2 else CELL_OF_EVEN
    return f'mobiles.{title}={{ name = "{title}", cell = {cell}, class = "{name}", traffic = {{ {", ".join(items)} }} }}'


def light_user(name: str) -> str:
    """Who pings and loads an object of 10 kB at times."""
    return f"{KINDS[name][0]}{KINDS[name][1]}"


def pinging_user(name: str) -> str:
    """Who pings and does what all do."""
    return f"{KINDS[name][0]}{KINDS[name][1] - 1}"


def light(name: str) -> list[str]:
    count = KINDS[name][1]
    return [user(name, count, PING, OBJECT), user(name, count - 1, f"{{ {ITEMS[name]} }}", PING)]


def silent(name: str) -> list[str]:
    """All users of a class but the light one receive a packet of 1000 octets every 20 s, each at its own time."""
    count = KINDS[name][1]
    packets = [f'{{ cbr = {{ rate = "400 bit/s", packet = "1000 octets", start = "{20 * number / count:.3f} s" }} }}' for number in range(1, count)]
    return [user(name, number, packet) for number, packet in enumerate(packets, 1)]


@dataclass(frozen=True, order=True)
class Case:
    """A scheme with one kind of hosts. is_light: two users of each class of TCP ping, and one of them does little else."""

    scheme: str
    has_sack: bool = False
    is_light: bool = False

    @property
    def name(self) -> str:
        return self.scheme + ("-sack" if self.has_sack else "") + ("-light" if self.is_light else "")

    @property
    def settings(self) -> list[str]:
        hosts = ["tcp.sack=true", "tcp.timestamps=true"] if self.has_sack else []
        users = [setting for name in TCP for setting in light(name)] if self.is_light else []
        return [*SETTINGS[self.scheme], *hosts, *users]


@dataclass(frozen=True, order=True)
class Empty:
    """No user of TCP but the light ones: what the path itself takes."""

    name: str = "empty"

    @property
    def settings(self) -> list[str]:
        return [setting for name in TCP for setting in (*silent(name), user(name, KINDS[name][1], PING, OBJECT))]


EMPTY = Empty()
SCHEMES = [Case(scheme, has_sack) for has_sack in (False, True) for scheme in SETTINGS]
LIGHT = [Case(scheme, has_sack, True) for has_sack in (False, True) for scheme in LIGHT_SCHEMES]
CASES = [EMPTY, *SCHEMES, *LIGHT]
PRIORITY = tuple(name for name in CLASSES if name not in TCP)
