# SPDX-License-Identifier: BSD-3-Clause
"""The network of stacks.py and stacks_edges.py: a node, a gateway in the place of a GGSN, a BSS whose mobiles are addresses of the
kernel in the namespace "ms"."""
import contextlib
import tempfile

import lab
import node

import emulator
import gateway

# No connection knows of those before it; buffers do not limit what the window allows.
SYSCTLS = {"tcp_no_metrics_save": "1", "tcp_rmem": "4096 262144 4194304"}
TABLE_BASE = 100  # of routes, by a group's number


def sysctl(place, side, name, value):
    lab.run(*place.command(side, "sysctl", "-qw", f"net.{name}={value}"))


class Network:
    """`with` ends all of it."""

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gbflow-stacks-"))
            self.lab = lab.Lab()
            stack.callback(self.lab.close)
            self.lab.add("ms")
            self.open_network(stack)
            self.open_hosts(stack)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        self.stack.close()

    def open_network(self, stack):
        raise NotImplementedError

    def open_hosts(self, stack):
        raise NotImplementedError

    def open_sides(self, more):
        """more: of the kernel of the server, by name."""
        for side in ("ggsn", "ms"):
            for name, value in SYSCTLS.items():
                sysctl(self.lab, side, f"ipv4.{name}", value)
        for name, value in more.items():
            sysctl(self.lab, "ggsn", f"ipv4.{name}", value)
        for where in ("all", "default"):
            sysctl(self.lab, "ms", f"ipv4.conf.{where}.rp_filter", "0")
        for side, interface in (("node", "gn0"), ("ggsn", "gn1"), ("node", "gb0"), ("bss", "gb1")):
            self.lab.ip(self.lab.names[side], "link", "set", interface, "mtu", "1600")

    def open_node(self, stack, text):
        self.node = node.Node(self.lab, text)
        stack.callback(self.node.kill)
        self.node.wait_for("running")

    def open_gateway(self, stack, opened, mtu):
        self.gateway = opened
        stack.callback(self.gateway.close)
        self.lab.ip(self.lab.names["ggsn"], "link", "set", gateway.DEVICE, "mtu", str(mtu))

    def open_bss(self, stack, text, cells, groups):
        """Each group of mobiles has its own device, and the addresses 10.45.GROUP.0/24."""
        self.bss = emulator.Emulator(self.lab, text=text)
        stack.callback(self.bss.kill)
        for bvci in cells:
            self.bss.wait_for(f"cell {bvci} is up")
        for group in groups:
            table, name = str(TABLE_BASE + group), self.lab.names["ms"]
            self.lab.ip(name, "route", "add", "default", "dev", f"gbf{group}", "table", table)
            self.lab.ip(name, "rule", "add", "from", f"10.45.{group}.0/24", "lookup", table)
