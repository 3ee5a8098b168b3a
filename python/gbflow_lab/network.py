# SPDX-License-Identifier: BSD-3-Clause
"""The network of a lab: namespaces and veth pairs by iproute2, addresses, and the configurations of its programs,
which fit each other.

    mobile's shell - TUN - gbflow emulate - gb1 = gb0 - gbflow serve - gn0 = gn1 - osmo-ggsn - TUN - server's address

With osmo-pcu as BSS that and a BTS (radio.py) stand in the place of gbflow emulate. The node's own interfaces gn0 and
gb0 have no IP address in the kernel: they are the node's.
"""

import ctypes
import fcntl
import pathlib
import socket
import struct
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from gbflow_results import Failure

SIDES = ("ggsn", "node", "bss")
HLR, PROXY = "hlr", "proxy"  # sides of a lab with a pool of nodes (pool.py)
GN_NODE, GN_GGSN, GB_NODE, GB_BSS = "192.0.2.1", "192.0.2.2", "198.51.100.1", "198.51.100.2"
LINKS = (("gn0", "ggsn", "gn1", GN_GGSN), ("gb0", "bss", "gb1", GB_BSS))
NS_PORT = 23000  # of UDP
SERVER = "203.0.113.1"  # in the namespace of the GGSN, where a mobile's packets come out
POOL = "10.46.0.0/24"  # of which osmo-ggsn gives each mobile an address; it refuses those that one asks for
PHONES = "phones"  # namespace of the phones' TUN device
MOST = 200  # mobiles or phones
APN = "internet"
EMULATE, OSMO_PCU = BSSES = "emulate", "osmo-pcu"
CODING = "CS-4"
CODINGS = [f"CS-{number}" for number in range(1, 5)] + [f"MCS-{number}" for number in range(1, 10)]

OSMO_GGSN = """log stderr
 logging filter all 1
 logging color 0
 logging print category 1
 logging timestamp 0
 logging level ggsn info
line vty
 no login
ggsn ggsn0
 gtp state-dir {folder}
 gtp bind-ip {ggsn}
 apn {apn}
  gtpu-mode tun
  tun-device tun4
  type-support v4
  ip prefix dynamic {pool}
  ip ifconfig {pool}
  no shutdown
 default-apn {apn}
 no shutdown ggsn
"""

NODE = """-- The SGSN of a lab{kind}. All keys: docs/reference/node.md.
return {{
  gn = {{ port = "net_af_packet0,iface=gn0", path = {{ every = "60 s" }}, gtpc = {{ retry = "2 s"{gtpc_more} }} }},
  gb = {{ address = "{gb}", port = "net_af_packet1,iface=gb0" }},
  nses = {{ {{
    nsei = {nsei},{nse_more}
    nsvcs = {{ {{ nsvci = {nsei}, address = "{remote}", udp_port = {udp_port} }} }},
    cells = {{ {{ bvci = 1800, cell_id = {{ mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 }} }} }},
  }} }},
{users}
  queues = {{ aqm = {{ scheme = "codel" }} }},
  flow_control = {{ bss_target = "250 ms" }},
  live = {{ idle = "sleep"{live_more} }},
  eal = {{ prefix = "{prefix}" }},
  limits = {{ npdu_buffers = 8191 }},
{more}}}
"""
NODE_MOBILES = """  mobiles = {{ source = "list", list = {{
{mobiles}
  }} }},"""
NODE_MOBILE = """    {{ imsi = "{imsi}", msisdn = "49170{number:07d}", tlli = 0x{tlli:08X}, bvci = 1800, contexts = {{
      {{ nsapi = 5, apn = "{apn}", class = "thp2", sgsn_address = "{gn_node}",
        ggsn_address = "{ggsn}" }} }} }},  -- {name}"""

# The node refuses compression by default, and mobiles offer none.
NODE_COMPRESSION = """  sndcp = { compression = { mode = "passive", rfc1144 = {}, v42bis = {} } },
"""
BSS_COMPRESSION = "compression = { rfc1144 = {}, v42bis = {} },"

BSS = """-- The BSS of a lab{kind}. All keys: docs/reference/bss.md.
return {{
  nsei = 101,
  nsvcs = {{ {{ nsvci = 101, address = "{gb_bss}", sgsn_address = "{gb_node}" }} }},
  cells = {{ {{
    bvci = 1800, cell_id = {{ mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 }},
    pdchs = 4, coding = "CS-2", bler = "2 %",
  }} }},
{users}
}}
"""
BSS_MOBILES = """  mobiles = {{
{mobiles}
  }},"""
BSS_MOBILE = """    {{ tlli = 0x{tlli:08X}, address = "{address}",  -- {name}
      tun = {{ device = "gbf{number}", namespace = "{namespace}", default_route = true }},{more} }},"""


@dataclass(frozen=True)
class Mobile:
    name: str
    number: int  # from 1 on
    namespace: str

    @property
    def imsi(self) -> str:
        return f"00101{self.number:010d}"

    @property
    def tlli(self) -> int:
        return 0xC0000000 + self.number


@dataclass(frozen=True)
class Plan:
    """prefix: of all names of this lab on the machine; phones: their number, in a lab without mobiles; bss: of BSSES.
    With osmo-pcu: rlc_loss, share of RLC blocks that are lost although they are acknowledged; reliability, the class
    that phones ask for; coding, the best scheme of the air; multislot, the class of phones, 0: they use one timeslot.
    is_compressed: mobiles or phones offer compression by SNDCP, and the node accepts it; not with osmo-pcu. pool:
    number of nodes behind a Gb proxy, 0: one node without a proxy. extras: not with a pool.
    """

    prefix: str
    mobiles: Sequence[Mobile]
    phones: int = 0
    bss: str = EMULATE
    rlc_loss: float = 0.0
    reliability: int = 0
    coding: str = CODING
    multislot: int = 0
    is_compressed: bool = False
    pool: int = 0
    extras: Sequence["Extra"] = ()

    def namespace(self, side: str) -> str:
        return f"{self.prefix}-{side}"

    @property
    def nodes(self) -> dict[str, str]:
        """The `eal.prefix` of each node, by its name, which is that of its program and its side."""
        if not self.pool:
            return {"node": self.prefix}
        return {name: self.namespace(name) for name in (f"node{number}" for number in range(1, self.pool + 1))}

    @property
    def sides(self) -> list[str]:
        if self.pool:
            return ["ggsn", HLR, *self.nodes, PROXY, "bss"]
        return [*SIDES, *(extra.side for extra in self.extras)]

    @property
    def hlr_side(self) -> str:
        return HLR if self.pool else "node"

    @property
    def namespaces(self) -> list[str]:
        return [*map(self.namespace, self.sides), *self.hosts.values()]

    @property
    def hosts(self) -> dict[str, str]:
        """Namespaces where applications run, by name."""
        if self.phones:
            return {PHONES: self.namespace(PHONES)}
        return {mobile.name: mobile.namespace for mobile in self.mobiles}

    @property
    def devices(self) -> dict[str, str]:
        """TUN devices of these hosts."""
        return {PHONES: "gbf0"} if self.phones else {mobile.name: f"gbf{mobile.number}" for mobile in self.mobiles}


@dataclass(frozen=True)
class Extra:
    """An extra of a lab with one node, by an option of `up` of its name (extras.py): a side more, programs there, keys
    of the node.

    tools: programs, each with its Debian package; services: those that Debian starts of them. fault: what the kernel
    lacks, with the remedy. start: when the node runs. hints: words of `shell`, to type when the lab is up. counts: for
    the status, as a text with the programs of the lab that have ended.
    """

    name: str
    purpose: str
    side: str
    tools: Sequence[tuple[str, str]]
    services: Sequence[str]
    fault: Callable[[], str | None]
    node_text: Callable[[Plan], str]
    build: Callable[[Plan], None]
    write_files: Callable[[pathlib.Path], None]
    forget_files: Callable[[pathlib.Path], None]
    start: Callable[..., None]
    hints: Callable[[pathlib.Path], Iterator[str]]
    counts: Callable[[Plan], dict[str, int]]
    status_text: Callable[[dict[str, int], Collection[str]], str]


EXTRAS: list[Extra] = []  # all there are


@dataclass(frozen=True)
class Place:
    """What of a node's configuration is not the same in each: its addresses, its NSE, and more keys."""

    prefix: str
    gn: str = GN_NODE
    gb: str = GB_NODE
    remote: str = GB_BSS
    nsei: int = 101
    udp_port: int = NS_PORT
    nse_more: str = ""
    live_more: str = ""
    gtpc_more: str = ""


def made_of(prefix: str, names: Sequence[str], phones: int = 0, bss: str = EMULATE, pool: int = 0) -> Plan:
    mobiles = [Mobile(name, number, f"{prefix}-{name}") for number, name in enumerate(names, 1)]
    return Plan(prefix, mobiles, phones, bss, pool=pool)


MADE, MADE_WITH_PHONES = ", made by gbflow lab up", " with phones, made by gbflow lab up --phones"


def node_of(plan: Plan, place: Place, kind: str, users: str, more: str = "") -> str:
    """kind: MADE and so on; users, more: keys of the node."""
    more += NODE_COMPRESSION if plan.is_compressed else ""
    more += "".join(extra.node_text(plan) for extra in plan.extras)
    return NODE.format(kind=kind, users=users, more=more, **vars(place))


def bss_of(kind: str, users: str) -> str:
    return BSS.format(kind=kind, users=users, gb_node=GB_NODE, gb_bss=GB_BSS)


def node_text(plan: Plan) -> str:
    mobiles = (NODE_MOBILE.format(imsi=mobile.imsi, number=mobile.number, tlli=mobile.tlli, name=mobile.name, apn=APN,
                                  gn_node=GN_NODE, ggsn=GN_GGSN) for mobile in plan.mobiles)
    return node_of(plan, Place(plan.prefix), MADE, NODE_MOBILES.format(mobiles="\n".join(mobiles)))


def bss_text(plan: Plan, address_of: Mapping[str, str]) -> str:
    """address_of: the mobile's address by IMSI, from the GGSN."""
    more = f" {BSS_COMPRESSION}" if plan.is_compressed else ""
    mobiles = (BSS_MOBILE.format(number=mobile.number, tlli=mobile.tlli, name=mobile.name, namespace=mobile.namespace,
                                 address=address_of[mobile.imsi], more=more) for mobile in plan.mobiles)
    return bss_of(MADE, BSS_MOBILES.format(mobiles="\n".join(mobiles)))


def ggsn_text(folder: str) -> str:
    """folder: where the GGSN keeps its restart counter."""
    return OSMO_GGSN.format(folder=folder, ggsn=GN_GGSN, apn=APN, pool=POOL)


CLONE_NEWNET = 0x40000000
SIOCETHTOOL, ETHTOOL_SET_TX_CHECKSUMS, ETHTOOL_SET_GSO = 0x8946, 0x17, 0x24
LIBC = ctypes.CDLL(None, use_errno=True)


def run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)}: {done.stderr.strip() or f'status {done.returncode}'}")
    return done.stdout


def existing() -> set[str]:
    return {line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.strip()}


def set_namespace(handle: int) -> None:
    if LIBC.setns(handle, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def enter(name: str) -> None:
    """Moves this thread into a namespace."""
    with open(f"/run/netns/{name}", "rb") as there:
        set_namespace(there.fileno())


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Moves this thread into a namespace and back."""
    with open("/proc/thread-self/ns/net", "rb") as here:
        enter(name)
        try:
            yield
        finally:
            set_namespace(here.fileno())


def offload_off(interface: str) -> None:
    """The node takes packets as they are on a wire: with checksums, one by one.
    A device that lacks an offload refuses."""
    for command in (ETHTOOL_SET_TX_CHECKSUMS, ETHTOOL_SET_GSO):
        value = ctypes.create_string_buffer(struct.pack("=II", command, 0))
        request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            try:
                fcntl.ioctl(sock, SIOCETHTOOL, request)
            except OSError:
                pass


def ipv6_off(interface: str) -> None:
    """Of the namespace that this thread is in: its kernel says nothing by itself then.
    One without IPv6 has no such file."""
    try:
        pathlib.Path(f"/proc/sys/net/ipv6/conf/{interface}/disable_ipv6").write_text("1", encoding="ascii")
    except FileNotFoundError:
        pass


def switch_on(name: str, interface: str) -> None:
    with inside(name):
        ipv6_off(interface)
    run("ip", "-n", name, "link", "set", interface, "up")


def join(one: tuple[str, str], two: tuple[str, str]) -> None:
    """A veth pair; each end: namespace and interface. What leaves by the second one is as on a wire."""
    run("ip", "link", "add", one[1], "netns", one[0], "type", "veth", "peer", "name", two[1], "netns", two[0])
    for end in (one, two):
        switch_on(*end)
    with inside(two[0]):
        offload_off(two[1])


def give_address(name: str, interface: str, address: str) -> None:
    run("ip", "-n", name, "address", "add", f"{address}/24", "dev", interface)


def make_namespaces(plan: Plan) -> None:
    for name in plan.namespaces:
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "set", "lo", "up")
    run("ip", "-n", plan.namespace("ggsn"), "address", "add", f"{SERVER}/32", "dev", "lo")


def build(plan: Plan) -> None:
    make_namespaces(plan)
    for near, side, far, address in LINKS:
        other = plan.namespace(side)
        join((plan.namespace("node"), near), (other, far))
        give_address(other, far, address)


def remove(plan: Plan) -> list[str]:
    """The names that were there and are gone."""
    gone = [name for name in plan.namespaces if name in existing()]
    for name in gone:
        run("ip", "netns", "del", name)
    return gone
