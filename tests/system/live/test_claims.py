# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes that share a prefix, an interface or an endpoint of Gb: the second does not start."""
import os
import signal
import unittest

import node
import test_walk

RING = {"gn": "net_ring0", "gb": "net_ring1"}
OTHER = {"gn": "net_af_packet0,iface=spare0", "gb": "net_af_packet1,iface=spare1"}


def refused(what, process):
    return rf"{what} is in use by another node \(process {process}\); give each node "


def locks_of_children(process):
    """The lock files that a node's children have open: they would keep them for a moment after a SIGKILL of the node."""
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        children = file.read().split()
    assert children, "a node that runs has a process for reloads"
    links = [os.readlink(f"/proc/{child}/fd/{name}") for child in children for name in os.listdir(f"/proc/{child}/fd")]
    return [link for link in links if link.endswith(".lock")]


class Prefix(unittest.TestCase):
    def serve(self, **values):
        running = node.Node(**{**RING, **values})
        self.addCleanup(running.kill)
        return running

    def test_in_use_then_free(self):
        first = self.serve()
        first.wait_for("running")
        again = {"runtime": first.runtime, "prefix": first.prefix}
        second = self.serve(**again)
        self.assertEqual(second.finish(), 1, second.lines)
        self.assertRegex("\n".join(second.lines), refused(f"eal.prefix: '{first.prefix}'", first.process.pid))
        self.assertEqual(locks_of_children(first.process.pid), [])
        other = self.serve(runtime=first.runtime)  # ports made for this process alone, and one endpoint of Gb
        other.wait_for("running")
        self.assertEqual(other.stop(), 0)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(60)
        third = self.serve(**again)
        third.wait_for("running")
        self.assertEqual(third.stop(), 0)
        left = [name for name in os.listdir(os.path.join(first.runtime, "dpdk")) if name.endswith(".lock")]
        self.assertEqual(left, [])


class Devices(test_walk.Case):
    def test_interface_and_endpoint(self):
        self.serve()
        first = self.node
        self.lab.ip(self.lab.names["node"], "link", "add", "spare0", "type", "veth", "peer", "name", "spare1")
        rows = (
            (refused("gn.port: 'net_af_packet0,iface=gn0'", first.process.pid), {"gb": OTHER["gb"]}),
            (refused("gb.port: 'net_af_packet1,iface=gb0'", first.process.pid), {"gn": OTHER["gn"]}),
            (refused("gb.address: '198.51.100.1' with gb.udp_port 23000", first.process.pid), OTHER),
        )
        for pattern, values in rows:
            with self.subTest(pattern):
                second = node.Node(self.lab, runtime=first.runtime, **values)
                self.addCleanup(second.kill)
                self.assertEqual(second.finish(), 1, second.lines)
                self.assertRegex("\n".join(second.lines), pattern)
        self.assertEqual(first.stop(), 0)


if __name__ == "__main__":
    unittest.main()
