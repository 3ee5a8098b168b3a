# SPDX-License-Identifier: BSD-3-Clause
"""Namespaces and veth pairs of a lab, by iproute2."""

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from gbflow_lab.plan import LINKS, SERVER, Plan
from gbflow_results import Failure

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
    """The node takes packets as they are on a wire: with checksums, one by one. A device that lacks an offload refuses."""
    for command in (ETHTOOL_SET_TX_CHECKSUMS, ETHTOOL_SET_GSO):
        value = ctypes.create_string_buffer(struct.pack("=II", command, 0))
        request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            try:
                fcntl.ioctl(sock, SIOCETHTOOL, request)
            except OSError:
                pass


def link(plan: Plan, near: str, side: str, far: str, address: str) -> None:
    node, other = plan.namespace("node"), plan.namespace(side)
    run("ip", "link", "add", near, "netns", node, "type", "veth", "peer", "name", far, "netns", other)
    for name, interface in ((node, near), (other, far)):
        run("ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{interface}.disable_ipv6=1")
        run("ip", "-n", name, "link", "set", interface, "up")
    run("ip", "-n", other, "address", "add", f"{address}/24", "dev", far)
    with inside(other):
        offload_off(far)


def build(plan: Plan) -> None:
    for name in plan.namespaces:
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "set", "lo", "up")
    for near, side, far, address in LINKS:
        link(plan, near, side, far, address)
    run("ip", "-n", plan.namespace("ggsn"), "address", "add", f"{SERVER}/32", "dev", "lo")


def remove(plan: Plan) -> list[str]:
    """The names that were there and are gone."""
    gone = [name for name in plan.namespaces if name in existing()]
    for name in gone:
        run("ip", "netns", "del", name)
    return gone


def missing() -> str | None:
    """Why this machine cannot have a lab, or None."""
    if os.geteuid() != 0:
        return "needs root: it makes network namespaces"
    if not os.path.exists("/dev/net/tun"):
        return "needs /dev/net/tun: load the module tun (modprobe tun)"
    return None
