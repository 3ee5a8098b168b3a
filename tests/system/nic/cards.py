# SPDX-License-Identifier: BSD-3-Clause
"""The network cards of the virtual machine: of each kind the node's two, Gn and Gb, and the generator's two.

A hub of QEMU joins cards with one queue. Cards with several queues need taps, which a bridge of Linux joins, in a network
namespace that ends with QEMU.
"""
import os
import subprocess

SIDES = ("node-gn", "node-gb", "far-gn", "far-gb")
TAP_MTU, QUEUES = 9216, 2


class Kind:
    def __init__(self, name, device, has_taps=False, words=""):
        self.name, self.device, self.has_taps, self.words = name, device, has_taps, words

    def card(self, side):
        """QEMU's id of a card."""
        return f"{self.name}-{side}"

    def mac(self, side):
        return f"02:00:00:00:{[kind.name for kind in KINDS].index(self.name):02x}:{SIDES.index(side) + 1:02x}"

    def bridge(self, side):
        return f"{self.name[:3]}-{side[-2:]}"

    def tap(self, side):
        return f"{self.name[:3]}-{side}"


# QEMU spreads frames over the queues of virtio-net only; the others get all of them on their first queue.
KINDS = (
    Kind("vmxnet3", "vmxnet3"),
    Kind("e1000e", "e1000e"),
    Kind("virtio-net", "virtio-net-pci", True, "iommu_platform=on,disable-legacy=on,mq=on,rss=on,hash=on,host_mtu=9000,vectors=8,"),
)


def netdev(kind, side, number):
    ident = f"net-{kind.card(side)}"
    if kind.has_taps:
        return f"tap,id={ident},ifname={kind.tap(side)},script=no,downscript=no,vhost=off,queues={QUEUES}"
    return f"hubport,id={ident},hubid={10 * number + SIDES.index(side) % 2}"


def words(kinds):
    """Arguments of QEMU. The node's cards are behind ports of their own, so that they can be unplugged."""
    line, slot = [], 3
    for number, kind in enumerate(kinds):
        for side in SIDES:
            card, place = kind.card(side), f"addr={slot:#x}"
            if side.startswith("node"):
                line += ["-device", f"pcie-root-port,id=port-{card},slot={slot},chassis={slot},addr={slot:#x}"]
                place = f"bus=port-{card}"
            line += ["-netdev", netdev(kind, side, number),
                     "-device", f"{kind.device},id={card},netdev=net-{card},mac={kind.mac(side)},{kind.words}romfile=,{place}"]
            slot += 1
    return line


def network(kinds):
    """Commands of sh that make bridges and taps, in a new namespace."""
    lines = ["set -e"]
    for kind in (kind for kind in kinds if kind.has_taps):
        for side in SIDES:
            bridge = kind.bridge(side)
            if side.startswith("node"):
                lines += [f"ip link add {bridge} mtu {TAP_MTU} type bridge mcast_snooping 0", f"ip link set {bridge} addrgenmode none up"]
            lines += [f"ip tuntap add dev {kind.tap(side)} mode tap multi_queue",
                      f"ip link set {kind.tap(side)} mtu {TAP_MTU} master {bridge} addrgenmode none up"]
    return "\n".join(lines) + "\n"


def wrapper(kinds):
    """What QEMU is run by: it does not outlive this program."""
    line = ["setpriv", "--pdeathsig", "KILL"]
    if any(kind.has_taps for kind in kinds):
        line += ["unshare", "--net", "sh", "-c", network(kinds) + 'exec "$@"', "sh"]
    return line


def why_no_taps():
    """Why there can be no taps here, or None."""
    if os.geteuid() != 0:
        return "needs root: a network namespace with taps"
    done = subprocess.run(["unshare", "--net", "ip", "tuntap", "add", "dev", "probe0", "mode", "tap"],
                          capture_output=True, text=True, check=False)
    return f"no taps in a network namespace here: {done.stderr.strip()}" if done.returncode != 0 else None


def addresses(monitor):
    """PCI addresses by QEMU's ids, as the machine's firmware has numbered the buses."""
    found = {}

    def walk(devices):
        for device in devices:
            if device.get("qdev_id"):
                found[device["qdev_id"]] = f"0000:{device['bus']:02x}:{device['slot']:02x}.{device['function']}"
            walk(device.get("pci_bridge", {}).get("devices", []))

    for bus in monitor.ask("query-pci"):
        walk(bus["devices"])
    return found
