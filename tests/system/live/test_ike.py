# SPDX-License-Identifier: BSD-3-Clause
"""strongSwan and the kernel as the other end of a node whose associations strongSwan makes; in a guest where this machine's kernel has
no ESP."""
import os
import re
import signal
import subprocess
import unittest

import ike_rig
import lab
import node
import test_esp_kernel
import test_walk

CHANGES = 10000  # and as many: more than 4 MiB


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


class Serving(test_walk.Case):
    """A node with a namespace for a daemon, and a TUN device there."""
    WORDS = ()

    def setUp(self):
        super().setUp()
        self.name = self.lab.add("ike")
        self.add_device()
        ike = f'ike = {{ netns = "{self.name}", interface = "{ike_rig.INTERFACE}" }}'
        self.serve(words=self.WORDS, more=f', esp = {{ {ike}, gn = {{ rules = {{ {{ remote = "{lab.GN_GGSN}" }} }} }} }}')

    def add_device(self):
        lab.run("ip", "netns", "exec", self.name, "ip", "tuntap", "add", "dev", ike_rig.INTERFACE, "mode", "tun")


class Device(Serving):
    """A TUN device that is deleted and made again."""

    def wait_for(self, **wanted):
        self.node.show_until("ike", lambda rows: [{key: row[key] for key in wanted} for row in rows] == [wanted])

    def lines_with(self, text):
        self.node.wait_for(re.escape(text))
        return [line for line in self.node.lines if text in line]

    def targets(self, epoll):
        with open(f"/proc/{self.node.process.pid}/fdinfo/{epoll}", encoding="ascii") as file:
            return [int(line.split()[1]) for line in file if line.startswith("tfd:")]

    def find_epoll(self):
        """The control core's: it has the TUN device."""
        folder = f"/proc/{self.node.process.pid}/fd"
        names = {int(name): os.readlink(f"{folder}/{name}") for name in os.listdir(folder)}
        return next(fd for fd, name in names.items()
                    if name == "anon_inode:[eventpoll]" and any(names.get(of) == "/dev/net/tun" for of in self.targets(fd)))

    def test_deleted(self):
        self.wait_for(process="runs", device="open")
        epoll = self.find_epoll()
        before = len(self.targets(epoll))
        for count in (1, 2):
            lab.run("ip", "-n", self.name, "link", "delete", ike_rig.INTERFACE)
            self.wait_for(process="runs", device="gone")
            self.assertEqual(len(self.targets(epoll)), before - 1)
            self.add_device()
            self.wait_for(process="runs", device="open")
            self.assertEqual(len(self.targets(epoll)), before)
            self.assertEqual(len(self.lines_with(f"the TUN device {ike_rig.INTERFACE} is gone: ")), count)
            self.assertEqual(len(self.lines_with(f"the TUN device {ike_rig.INTERFACE} is open again")), count)
        self.assertEqual(self.node.stop(), 0)

    def test_process_ends(self):
        """Its socket is not polled any more."""
        self.wait_for(process="runs", device="open")
        epoll = self.find_epoll()
        before = len(self.targets(epoll))
        found = subprocess.run(["pgrep", "-P", str(self.node.process.pid), "gbflow-ike"], capture_output=True, text=True, check=True)
        os.kill(int(found.stdout), signal.SIGKILL)
        self.wait_for(process="ended", device="open")
        self.assertEqual(len(self.targets(epoll)), before - 1)
        lab.run("ip", "-n", self.name, "link", "delete", ike_rig.INTERFACE)
        self.wait_for(process="ended", device="gone")
        self.assertEqual(len(self.lines_with("make it again with its addresses and routes, and restart the node")), 1)
        self.assertEqual(self.node.stop(), 0)


class DeviceOfUser(Device):
    """The process opens the device with the right that it keeps."""
    WORDS = ("--user", "nobody")


class Policies(Serving):
    """By `ip xfrm policy`, on kernels without ESP, too."""

    def policy(self, *words):
        lab.run("ip", "-n", self.name, "xfrm", "policy", *words)

    def wait_for_policies(self, count):
        self.node.show_until("ike", lambda rows: [row["policies"] for row in rows] == [count])

    def test_deleted(self):
        """By the selector, by the index, and all at once."""
        ends = ("src", lab.GN_SGSN, "dst", lab.GN_GGSN, "dir", "out")
        for words in (("delete", *ends), ("delete", "dir", "out", "index", "1001"), ("flush",)):
            self.policy("add", *ends, *(("index", "1001") if "index" in words else ()), "action", "block")
            self.wait_for_policies(1)
            self.policy(*words)
            self.wait_for_policies(0)
        self.assertEqual(self.node.stop(), 0)

    def test_refused(self):
        """They drop. One of the interface of esp.ike is as one without."""
        ends = ("src", lab.GN_SGSN, "dst", lab.GN_GGSN)
        rows = ((("dev", "lo"), "drop, .*another interface than that of esp.ike"), (("dev", ike_rig.INTERFACE), "pass"))
        rows = [((*ends, *words, "dir", "out"), text) for words, text in rows]
        rows += [((*ends, "dir", "out", "mark", "5"), "drop, .*no marks"), ((*ends, "dir", "out", "if_id", "7"), "drop, .*no marks"),
                 ((*ends, "dir", "out", "tmpl", "proto", "ah"), "drop, .*its template is not ESP"),
                 (("src", lab.GN_SGSN, "dir", "out", "tmpl", "proto", "esp"), "protect"), ((*ends, "dir", "in", "action", "block"), "drop")]
        for count, (words, text) in enumerate(rows, 1):
            self.policy("add", *words, "priority", str(100 + count))
            self.node.wait_for(f"policy .*, priority {100 + count}: {text}")
        self.wait_for_policies(len(rows))
        self.assertEqual(self.node.stop(), 0)

    def batch(self, *lines):
        subprocess.run(["ip", "-n", self.name, "-batch", "-"], input="".join(f"xfrm policy {line}\n" for line in lines), check=True, text=True,
                       timeout=60)

    def test_lost_changes(self):
        """The process gets more changes than it has room for: what it still had is no later than the new list."""
        found = subprocess.run(["pgrep", "-P", str(self.node.process.pid), "gbflow-ike"], capture_output=True, text=True, check=True)
        process = int(found.stdout)
        some = [f"src {lab.GN_SGSN} dst 203.0.113.{last} dir out" for last in range(50)]
        one = f"src {lab.GN_SGSN} dst {lab.GN_GGSN} dir out"
        os.kill(process, signal.SIGSTOP)
        try:
            self.batch(*(f"add {ends}" for ends in some), *[f"add {one}", f"delete {one}"] * CHANGES, *(f"delete {ends}" for ends in some))
        finally:
            os.kill(process, signal.SIGCONT)
        self.batch(f"add {one}")
        self.wait_for_policies(1)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
