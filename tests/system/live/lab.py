# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces for a live node: one for it, one for its GGSN, one for its BSS, joined by two veth pairs.

    lab = Lab()                     needs root; missing() says why a machine cannot
    with lab.inside("ggsn"): sock = socket.socket(...)
    lab.close()

The node's own ends (gn0, gb0) have no IP address in the kernel: they are the node's.
"""
import itertools
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(ROOT, folder) for folder in ("python", "tests/oracles/gb", "tests/oracles/receiver")]

from gbflow_lab import network  # noqa: E402  pylint: disable=wrong-import-position

GN_SGSN, GN_GGSN, GB_SGSN, GB_BSS = "192.0.2.1", "192.0.2.2", "198.51.100.1", "198.51.100.2"
NUMBERS = itertools.count()


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


def need(case, reason):
    """Skips the test for a reason; on CI, where nothing may be missing, it fails."""
    if reason and os.environ.get("CI") == "true":
        case.fail(reason)
    elif reason:
        case.skipTest(reason)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


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
        self.link()

    def link(self):
        """Both veth pairs, for the first time or again."""
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
            network.offload_off(far)

    @staticmethod
    def ip(name, *words):
        return run("ip", "-n", name, *words)

    def give_ipv6(self, side, interface, address):
        """Lets the kernel of a side have an IPv6 address, at once."""
        run("ip", "netns", "exec", self.names[side], "sysctl", "-qw", f"net.ipv6.conf.{interface}.disable_ipv6=0")
        self.ip(self.names[side], "address", "add", address + "/64", "dev", interface, "nodad")

    def inside(self, side):
        return network.inside(self.names[side])

    def command(self, side, *words):
        """A command line that runs in a namespace."""
        return ["ip", "netns", "exec", self.names[side], *words]

    def close(self):
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False, timeout=60)
