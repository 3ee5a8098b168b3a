# SPDX-License-Identifier: BSD-3-Clause
"""The population of stacks.py, one description for three files: the node, the BSS, and the scenario that plays it in virtual time.

Cells, queues and users are those of config/scenarios/sgsn-aqm.lua; with fewer users the PDCHs, the Gb link, the buffers of the BSS and
RED's thresholds are in proportion.
"""
import random
from dataclasses import asdict, dataclass, field

import lab

STEP, MOST = 22, 110  # users: a multiple of STEP has whole users of each class
CLASSES = {"streaming": ("stream", 5), "thp1": ("poc", 15), "thp2": ("web2-", 30), "thp3": ("web3-", 30), "background": ("ftp", 30)}
TCP = ("thp2", "thp3", "background")
WEB = ("thp2", "thp3")
CELLS = (2, 3)
SERVER_DELAY_S, PARALLEL, READING_S, REQUEST_OCTETS = 0.05, 4, 1, 350
OBJECTS = {"thp2": (4910, 30, 4910), "thp3": (4910, 30, 4910), "background": (1, 4, 875000)}  # page, items, item
DATAGRAMS = {"streaming": (80000, 500), "thp1": (8000, 100)}  # bit/s, octets of the IP packet
PING_EVERY_S, PING_OCTETS = 1, 84
BURST_S = 2  # of streams, and of their pauses; exponential
MTU = 1040  # of the hosts: segments of 1000 octets, as tcp.mss of the scenario
HTTP_PORT, UDP_PORT = 8080, 5004
FIRST_TLLI, FIRST_TEID, FIRST_GGSN_TEID = 0xC0000001, 0x1001, 0x20001

FIFO = "class = { " + ", ".join(f'{name} = {{ order = "fifo" }}' for name in CLASSES) + " }, "
Q = FIFO + 'discipline = "q"'
WINDOWS = Q + ', pacing = { classes = { "thp2", "thp3", "background" } }'
# Published schemes at their best setting, as in the study (python/gbflow_report/papers/own_cases.py): no packet is exempt from the signal.
BEST = 'aqm = {{ scheme = "{}", mtu = "20 octets", mtus = "0 %%", target = "{}", interval = "100 ms", ecn = false }}'
SCHEMES = {  # the node's `queues`
    "none": FIFO.removesuffix(", "),
    "red": FIFO + 'aqm = { scheme = "red", scope = "class_of_nse", min = "%(red_min)d octets", max = "%(red_max)d octets" }',
    "fq-codel": BEST.format('fq_codel", scope = "ms', "5 ms"),
    "cake": "flow_queues = 32, " + BEST.format("cobalt", "20 ms"),
    "q": Q,
    "windows": WINDOWS,
}
CELL = """{ bvci = %(bvci)d,%(identity)s pdchs = %(pdchs)d, coding = "MCS-7", bler = "10 %%", window = 512, downlink_slots = %(slots)d,
      schedule = "class", flow_control = { thresholds = { stop = "%(stop)d octets", go = "%(go)d octets" },
        bvc = { bucket = "%(bvc)d octets" }, ms_default = { bucket = "%(ms)d octets" } } }"""
IDENTITY = ' cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = %d },'
NODE = """return {
  gn = { port = "net_af_packet0,iface=gn0" },
  gb = { address = "%(gb_node)s", port = "net_af_packet1,iface=gb0", mtu = "1600 octets" },
  nses = { { nsei = 101, nsvcs = { { nsvci = 101, address = "%(gb_bss)s" } }, gb = { rate = "%(gb_bps)d bit/s" },
    cells = { %(identities)s } } },
  mobiles = { source = "list", ready_timer = "infinite", n201_u = "1520 octets", queue_limit = "1 MB", list = {
%(mobiles)s } },
  queues = { %(queues)s },
  lifetime = { mode = "sgsn_only", sgsn_max = "32 s" },
  live = { idle = "sleep" },
  eal = { prefix = "%%(prefix)s" },
  limits = { npdu_buffers = 32767, mobiles = 256, contexts = 256, fragments = 64 },
}
"""
BSS = """return {
  nsei = 101, seed = %(seed)d,
  nsvcs = { { nsvci = 101, address = "%(gb_bss)s", sgsn_address = "%(gb_node)s" } },
  cells = { %(cells)s },
  mobiles = {
%(mobiles)s },
}
"""
SCENARIO = """return {
  title = "real stacks, in virtual time", duration = "%(seconds)d s", warmup = "%(warmup)d s",
  network = { server_delay = "%(delay_ms)d ms", gn_delay = "0 s", gb_delay = "0 s" },
  sgsn = { gb = { rate = "%(gb_bps)d bit/s" }, queues = { %(queues)s },
    lifetime = { mode = "sgsn_only", sgsn_max = "32 s" }, queue_limit = "1 MB", n201_u = "1520 octets" },
  cells = { %(cells)s },
  -- As the kernel's CUBIC: RFC 9438, HyStart, SACK, timestamps, RACK-TLP, PRR, ten segments at first.
  tcp = { mss = "1000 octets", cc = "cubic", slow_start = "hystart++", growth = "octets", rack = %(rack)s, prr = true, initial_cwnd = 10,
    initial_rto = "1 s", min_rto = "200 ms", receive_window = "%(window)d octets", delayed_ack = { every = 2, timeout = "40 ms" } },
  mobiles = {
%(mobiles)s },
}
"""


@dataclass
class User:
    """A mobile and what its user does; start_s: from the run's beginning."""

    name: str
    group: int  # of the users of a class in a cell, who share a TUN device
    member: int  # from 1 on
    cell: int
    qclass: str
    start_s: float
    number: int  # from 0 on, in order of groups

    @property
    def address(self):
        return f"10.45.{self.group}.{self.member}"

    @property
    def tlli(self):
        return FIRST_TLLI + self.number

    @property
    def has_ping(self):
        """The first user of each class with TCP pings the server besides."""
        return self.qclass in TCP and self.member == 1 and self.cell == CELLS[0]

    @property
    def teids(self):
        return FIRST_TEID + self.number, FIRST_GGSN_TEID + self.number


@dataclass
class Plan:
    """A run: warmup_s and seconds from its beginning; window: of the mobiles' TCP."""

    users: list[User]
    seconds: int
    warmup_s: int
    window: int
    seed: int
    is_classic: bool  # the server without F-RTO, loss probes and RACK
    values: dict = field(default_factory=dict)

    def of_class(self, qclass):
        return [user for user in self.users if user.qclass == qclass]

    def as_json(self):
        return {"seconds": self.seconds, "warmup_s": self.warmup_s, "window": self.window, "seed": self.seed, "users":
                [{**asdict(user), "address": user.address, "has_ping": user.has_ping} for user in self.users]}


def users_of(count, seed):
    chance, users = random.Random(seed), []
    for place, (qclass, (kind, paper)) in enumerate(CLASSES.items()):
        of_class = [(f"{kind}{i}", CELLS[i % 2], 10 * chance.random()) for i in range(1, 1 + paper * count // MOST)]
        for side, cell in enumerate(CELLS):
            in_cell = [(name, start_s) for name, where, start_s in of_class if where == cell]
            for member, (name, start_s) in enumerate(in_cell, 1):
                users.append(User(name, len(CELLS) * place + side, member, cell, qclass, round(start_s, 3), len(users)))
    return users


def plan_of(count, seconds, window, seed, is_classic=False):
    """count: a multiple of STEP, at most MOST."""
    part = count / MOST
    values = {"pdchs": max(1, round(24 * part)), "slots": min(4, max(1, round(24 * part))), "gb_bps": round(2048 * part) * 1000,
              "stop": octets(40000 * part), "go": octets(30000 * part), "bvc": octets(20000 * part), "ms": octets(10000 * part),
              "red_min": round(15000 * part), "red_max": round(45000 * part), "gb_node": lab.GB_SGSN, "gb_bss": lab.GB_BSS,
              "seed": seed, "delay_ms": round(SERVER_DELAY_S * 1000), "window": window, "seconds": seconds,
              "warmup": min(60, seconds // 5), "rack": "false" if is_classic else "true"}
    return Plan(users_of(count, seed), seconds, values["warmup"], window, seed, is_classic, values)


def octets(value):
    """In steps of flow control, and enough for an LLC-PDU."""
    return max(2000, round(value / 100) * 100)


def cells_of(plan, has_identity):
    return ", ".join(CELL % {**plan.values, "bvci": bvci, "identity": IDENTITY % bvci if has_identity else ""} for bvci in CELLS)


def node_text(plan, scheme):
    mobiles = ",\n".join(
        f'    {{ imsi = "26242{user.number:010d}", tlli = 0x{user.tlli:08X}, bvci = {user.cell}, contexts = {{ {{ nsapi = 5, '
        f'teid = {user.teids[0]}, sgsn_address = "{lab.GN_SGSN}", ggsn_address = "{lab.GN_GGSN}", ggsn_teid = {user.teids[1]}, '
        f'address = "{user.address}", class = "{user.qclass}" }} }} }}' for user in plan.users)
    identities = ", ".join(f"{{ bvci = {bvci},{IDENTITY % bvci} }}" for bvci in CELLS)
    text = NODE % {**plan.values, "queues": SCHEMES[scheme] % plan.values, "mobiles": mobiles, "identities": identities}
    # node.Node formats it once more.
    return text.replace("%", "%%").replace("%%(prefix)s", "%(prefix)s")


def groups_of(plan):
    """Of users with one TUN device: the first of each, and how many there are."""
    firsts = [user for user in plan.users if user.member == 1]
    return [(first, sum(user.group == first.group for user in plan.users)) for first in firsts]


def bss_text(plan, namespace):
    mobiles = ",\n".join(
        f'    {{ tlli = 0x{first.tlli:08X}, count = {count}, cell = {first.cell}, address = "{first.address}", class = "{first.qclass}", '
        f'n201_u = "1520 octets", tun = {{ device = "gbf{first.group}", namespace = "{namespace}", mtu = "{MTU} octets" }} }}'
        for first, count in groups_of(plan))
    return (BSS % {**plan.values, "cells": cells_of(plan, True), "mobiles": mobiles}).replace("%", "%%")


def traffic_of(user):
    if user.qclass in DATAGRAMS:
        rate_bps, packet = DATAGRAMS[user.qclass]
        burst = f', burst = "{BURST_S} s", pause = "{BURST_S} s", burst_law = "exponential"' if user.qclass == "streaming" else ""
        return f'cbr = {{ rate = "{rate_bps} bit/s", packet = "{packet} octets", start = "{user.start_s} s"{burst} }}'
    page, items, item = OBJECTS[user.qclass]
    return (f'web = {{ page = "{page} octets", items = {items}, item = "{item} octets", parallel = {PARALLEL}, '
            f'request = "{REQUEST_OCTETS} octets", reading = "{READING_S} s", start = "{user.start_s} s" }}')


def ping_of(user):
    start_s = round(user.start_s + PING_EVERY_S, 3)
    return f', {{ ping = {{ every = "{PING_EVERY_S} s", octets = "{PING_OCTETS} octets", start = "{start_s} s" }} }}' if user.has_ping else ""


def scenario_text(plan, scheme):
    mobiles = ",\n".join(f'    {{ name = "{user.name}", cell = {user.cell}, class = "{user.qclass}", traffic = {{ {{ {traffic_of(user)} }}{ping_of(user)} }} }}'
                         for user in plan.users)
    return SCENARIO % {**plan.values, "queues": SCHEMES[scheme] % plan.values, "cells": cells_of(plan, False), "mobiles": mobiles}
