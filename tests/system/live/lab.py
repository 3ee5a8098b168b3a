# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces for a live node: one for it, one for its GGSN, one for its BSS, joined by two veth pairs.

    lab = Lab()                     needs root; missing() says why a machine cannot
    with lab.inside("ggsn"): sock = socket.socket(...)
    lab.close()

The node's own ends (gn0, gb0) have no IP address in the kernel: they are the node's.
"""
import ctypes
import fcntl
import itertools
import os
import shutil
import socket
import struct
import subprocess

GN_SGSN, GN_GGSN, GB_SGSN, GB_BSS = "192.0.2.1", "192.0.2.2", "198.51.100.1", "198.51.100.2"
CLONE_NEWNET = 0x40000000
SIOCETHTOOL, ETHTOOL_SET_TX_CHECKSUMS, ETHTOOL_SET_GSO = 0x8946, 0x17, 0x24
NUMBERS = itertools.count()
LIBC = ctypes.CDLL(None, use_errno=True)


def missing():
    """Why there can be no lab here, or None."""
    if os.geteuid() != 0:
        return "needs root: network namespaces"
    if shutil.which("ip") is None:
        return "needs the program ip (iproute2)"
    probe = f"gbf{os.getpid()}-probe"
    done = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"no network namespaces here: {done.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=False)
    return None


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


class _Inside:
    """Moves this thread into a namespace and back."""

    def __init__(self, name):
        self.path = f"/run/netns/{name}"

    def __enter__(self):
        with open("/proc/self/ns/net", "rb") as here, open(self.path, "rb") as there:
            self.back = os.dup(here.fileno())
            self._set(there.fileno())

    def __exit__(self, *_):
        self._set(self.back)
        os.close(self.back)

    @staticmethod
    def _set(handle):
        if LIBC.setns(handle, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def _ethtool(interface, command):
    """Switches an offload off, as far as the device has it."""
    value = ctypes.create_string_buffer(struct.pack("=II", command, 0))
    request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            fcntl.ioctl(sock, SIOCETHTOOL, request)
        except OSError:
            pass


class Lab:
    def __init__(self):
        prefix = f"gbf{os.getpid()}-{next(NUMBERS)}"
        self.names = {side: f"{prefix}-{side}" for side in ("node", "ggsn", "bss")}
        try:
            self._build()
        except BaseException:
            self.close()
            raise

    def _build(self):
        for name in self.names.values():
            run("ip", "netns", "add", name)
            self.ip(name, "link", "set", "lo", "up")
        self._link("gn0", "ggsn", "gn1", GN_GGSN)
        self._link("gb0", "bss", "gb1", GB_BSS)

    def add(self, side):
        """One more namespace, joined to nothing."""
        self.names[side] = self.names["node"].removesuffix("node") + side
        run("ip", "netns", "add", self.names[side])
        self.ip(self.names[side], "link", "set", "lo", "up")
        return self.names[side]

    def _link(self, near, side, far, address):
        node, other = self.names["node"], self.names[side]
        run("ip", "link", "add", near, "netns", node, "type", "veth", "peer", "name", far, "netns", other)
        for name, interface in ((node, near), (other, far)):
            run("ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{interface}.disable_ipv6=1")
            self.ip(name, "link", "set", interface, "up")
        self.ip(other, "address", "add", address + "/24", "dev", far)
        with self.inside(side):
            _ethtool(far, ETHTOOL_SET_TX_CHECKSUMS)
            _ethtool(far, ETHTOOL_SET_GSO)

    @staticmethod
    def ip(name, *words):
        return run("ip", "-n", name, *words)

    def give_ipv6(self, side, interface, address):
        """Lets the kernel of a side have an IPv6 address, at once."""
        run("ip", "netns", "exec", self.names[side], "sysctl", "-qw", f"net.ipv6.conf.{interface}.disable_ipv6=0")
        self.ip(self.names[side], "address", "add", address + "/64", "dev", interface, "nodad")

    def inside(self, side):
        return _Inside(self.names[side])

    def command(self, side, *words):
        """A command line that runs in a namespace."""
        return ["ip", "netns", "exec", self.names[side], *words]

    def close(self):
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False, timeout=30)
