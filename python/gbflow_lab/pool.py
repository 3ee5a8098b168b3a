# SPDX-License-Identifier: BSD-3-Clause
"""A lab with a pool of nodes (TS 23.236) behind a Gb proxy: its network, and the configurations of its nodes.

    host's shell - TUN - gbflow emulate - Gb proxy - gbflow serve (node1) - osmo-ggsn - TUN - server's address
                                                   - gbflow serve (node2) -
                                                      osmo-hlr

Gb, Gn and the way to the HLR are a bridge each, in the namespace of proxy, GGSN and HLR, and the bridge has the address
of that program. So the BSS finds the proxy where a node is in other labs.
"""

from collections.abc import Iterator

from gbflow_lab import network, phones
from gbflow_lab.network import HLR, PROXY

LEAST, MOST = 2, 8
NRI_BITS, NULL_NRI = 5, 0  # 32 NRIs, of which each node has its number; 2^24 P-TMSIs for each, and as many in offload
NSEI, SGSN_PORT = 200, 23100  # NSEI of node 0; port of the proxy towards nodes
HLR_ADDRESS, HLR_HOST = "10.47.0.1", "10.47.0.{}"
METRICS_PORT = 9469
PROMETHEUS = "prometheus.yml"
BRIDGES = (("gb0", PROXY, "gb1", network.GB_NODE), ("gn0", "ggsn", "gn1", network.GN_GGSN),
           ("m0", HLR, "m1", HLR_ADDRESS))
MADE = " with a pool, made by gbflow lab up --pool"

# osmo-gbproxy forgets the cells of a node that restarts, and keeps the first FLOW-CONTROL-BVC to itself
# (docs/interop.md).
NSE = """
    bvc_reset_after = "2 s", bvc_reset = "signalling",
    flow_control = {{ initial = {{ bmax = "{bmax} octets", leak_rate = "{rate} bit/s" }} }},"""
BPS, LEAST_BMAX = 48000, 1600  # of the cell: its rate; the least bucket of a configuration, in octets
RESTARTS = ', restart_file = "{folder}/{name}.restarts"'
METRICS = ', metrics = {{ address = "{address}" }}'
AREA = '{{ mcc = "001", mnc = "01", lac = 65000, rac = {number} }}'
NODE_POOL = """    pool = {{
      nri_bits = {bits}, nris = {{ {number} }}, null_nri = {null}, offload_area = {area},
      others = {{
{others}
      }},
    }},
"""
OTHER = """        {{ address = "{gn}", nris = {{ {number} }}, offload_area = {area} }},"""

PROMETHEUS_TEXT = """# Prometheus of a lab with a pool, made by gbflow lab up --pool.
scrape_configs:
  - job_name: gbflow
    scrape_interval: 5s
    static_configs:
{targets}
"""
TARGET = """      - targets: ["{address}:{port}"]
        labels: {{ node: {name} }}"""


def number_of(name: str) -> int:
    """A node's, from 1 on; it is its NRI, too."""
    return int(name.removeprefix("node"))


def host_of(name: str) -> str:
    """The address of a node's kernel, on the way to the HLR; metrics are there, too."""
    return HLR_HOST.format(10 + number_of(name))


def metrics_of(name: str) -> str:
    return f"http://{host_of(name)}:{METRICS_PORT}/metrics"


def ratio_of(plan: network.Plan) -> int:
    """Percent of a cell's rate that each node is told: their sum is what the BSS has announced."""
    return 100 // plan.pool


def nse_text(plan: network.Plan) -> str:
    rate = BPS * ratio_of(plan) // 100
    return NSE.format(rate=rate, bmax=max(rate // 8, LEAST_BMAX))


def place_of(plan: network.Plan, name: str) -> network.Place:
    number = number_of(name)
    return network.Place(plan.nodes[name], gn=f"192.0.2.{10 + number}", gb=f"198.51.100.{10 + number}",
                         remote=network.GB_NODE, nsei=NSEI + number, udp_port=SGSN_PORT, nse_more=nse_text(plan),
                         live_more=METRICS.format(address=host_of(name)),
                         gtpc_more=RESTARTS.format(folder=f"/run/{plan.prefix}", name=name))


def pool_text(plan: network.Plan, name: str) -> str:
    rows = {other: {"number": number_of(other), "area": AREA.format(number=number_of(other))} for other in plan.nodes}
    others = (OTHER.format(gn=place_of(plan, other).gn, **row) for other, row in rows.items() if other != name)
    return NODE_POOL.format(bits=NRI_BITS, null=NULL_NRI, others="\n".join(others), **rows[name])


def node_text(plan: network.Plan, name: str) -> str:
    place = place_of(plan, name)
    users = phones.users_of(place, f'address = "{HLR_ADDRESS}", name = "SGSN-{name}"', pool_text(plan, name))
    return network.node_of(plan, place, MADE, users, phones.NODE_LLC)


def prometheus_text(plan: network.Plan) -> str:
    targets = (TARGET.format(address=host_of(name), port=METRICS_PORT, name=name) for name in plan.nodes)
    return PROMETHEUS_TEXT.format(targets="\n".join(targets))


def texts_of(plan: network.Plan) -> Iterator[tuple[str, str]]:
    for name in plan.nodes:
        yield f"{name}.lua", node_text(plan, name)
    yield PROMETHEUS, prometheus_text(plan)


def bridge(plan: network.Plan, side: str, name: str, address: str) -> None:
    """Promiscuous: a capture on it also has what nodes send each other."""
    namespace = plan.namespace(side)
    network.run("ip", "-n", namespace, "link", "add", name, "type", "bridge")
    network.switch_on(namespace, name)
    network.run("ip", "-n", namespace, "link", "set", name, "promisc", "on")
    network.give_address(namespace, name, address)


def port(plan: network.Plan, end: tuple[str, str], side: str, of: str, far: str) -> None:
    """A way from a side to a bridge."""
    namespace = plan.namespace(side)
    network.join((plan.namespace(end[0]), end[1]), (namespace, far))
    network.run("ip", "-n", namespace, "link", "set", far, "master", of)


def build(plan: network.Plan) -> None:
    network.make_namespaces(plan)
    for near, side, of, address in BRIDGES:
        bridge(plan, side, of, address)
        for name in plan.nodes:
            port(plan, (name, near), side, of, f"{of}-{number_of(name)}")
    for name in plan.nodes:
        network.give_address(plan.namespace(name), "m0", host_of(name))
    port(plan, ("bss", "gb1"), PROXY, "gb1", "gb1-bss")
    network.give_address(plan.namespace("bss"), "gb1", network.GB_BSS)
    with network.inside(plan.namespace("bss")):
        network.offload_off("gb1")
