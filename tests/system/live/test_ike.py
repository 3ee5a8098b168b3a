# SPDX-License-Identifier: BSD-3-Clause
"""strongSwan and the kernel as the other end of a node whose associations strongSwan makes; in a guest where this machine's kernel has
no ESP."""
import unittest

import ike_rig
import lab
import node
import test_esp_kernel
import test_walk


class Daemon(test_esp_kernel.Case):
    def setUp(self):
        lab.need(self, ike_rig.missing())
        super().setUp()

    def test_walk(self):
        """Each mode; what is not protected any more."""
        self.check("ike_walk.py", "Walk")

    def test_traffic(self):
        """New keys by time, by packets and by the other end; a daemon that dies."""
        self.check("ike_walk.py", "Traffic")

    def test_restart(self):
        """Of the node, of its process for the kernel, of configurations."""
        self.check("ike_walk.py", "Restart")


class Refused(test_walk.Case):
    def refused(self, **ike):
        words = ", ".join(f'{key} = "{value}"' for key, value in ike.items())
        more = f', esp = {{ ike = {{ {words} }}, gn = {{ rules = {{ {{ remote = "{lab.GN_GGSN}" }} }} }} }}'
        serving = node.Node(self.lab, more=more)
        self.addCleanup(serving.kill)
        self.assertEqual(serving.process.wait(node.START_S), 1)
        serving.reader.join(5)
        return "\n".join(serving.lines)

    def test_no_namespace(self):
        self.assertIn("esp.ike: /run/netns/none: No such file or directory; make it by `ip netns add`", self.refused(netns="none"))

    def test_no_device(self):
        self.assertRegex(self.refused(interface="none0"), "esp.ike: none0: .*; make it by `ip tuntap add NAME mode tun`")

    def test_no_tun(self):
        self.assertRegex(self.refused(interface="gn0"), "esp.ike: gn0: .*; make it by `ip tuntap add NAME mode tun`")


if __name__ == "__main__":
    unittest.main()
