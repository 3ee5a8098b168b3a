#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/from-osmo-sgsn.md, "All on one host": its commands, with osmo-pcu, osmo-hlr and osmo-ggsn as the units of their packages start
them, with the packages' configurations. A phone attaches, pings, and sends a file in each direction; then the network is as it was.

One namespace is the host, the other the phone. The programs have an /etc/osmocom, /var/lib/osmocom and /tmp of their own.
"""
import contextlib
import os
import re
import shlex
import shutil
import subprocess
import time
import unittest

import test_chain
import network
import lab
import node
import sniffer
import users
import vty
from gbflow_bts.pcuif import Nsvc

PAGE, SECTION = os.path.join(node.ROOT, "docs", "from-osmo-sgsn.md"), "## All on one host"
CONFIGS, STATE, UNITS = "/etc/osmocom", "/var/lib/osmocom", "/lib/systemd/system"
PROGRAMS = "osmo-pcu", "osmo-hlr", "osmo-ggsn"
NODE, BSS, BSS_PORT = "127.0.0.1", "127.0.0.3", 23001
HLR_VTY, START_S, STOP_S, PAUSE_S = 4258, 60, 60, 0.1
SMALL = 'return {\n  eal = { prefix = "%(prefix)s", huge_pages = "no" }, limits = { npdu_buffers = 2047 }, live = { idle = "sleep" },\n'
WITH_CONFIGS = 'mount --bind "$0/etc" /etc/osmocom; exec "$@"'
WITH_ALL = 'mount --bind "$0/etc" /etc/osmocom; mount --bind "$0/var" /var/lib/osmocom; mount --bind "$0/tmp" /tmp; cd /; exec "$@"'


class Host(lab.Lab):
    """The node, the BSS, the GGSN and its servers are in one namespace."""

    def _build(self):
        host = self.names["node"]
        self.names = {"node": host, "ggsn": host, "bss": host, "users": host.removesuffix("node") + "users"}
        for name in set(self.names.values()):
            lab.run("ip", "netns", "add", name)
            self.ip(name, "link", "set", "lo", "up")


def missing():
    for path in (CONFIGS, STATE, *(f"{UNITS}/{name}.service" for name in PROGRAMS), f"{CONFIGS}/osmo-sgsn.cfg"):
        if not os.path.exists(path):
            return f"needs {path} of Osmocom's packages"
    return None


def section():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    text = text[text.index(SECTION):]
    return text[:text.index("\n## ")]


def command_of(unit):
    with open(f"{UNITS}/{unit}.service", encoding="utf-8") as file:
        return shlex.split(re.search(r"^ExecStart=(.*)$", file.read(), re.MULTILINE)[1])


class OneHost(test_chain.Case):
    gb, cell_values = (NODE, BSS), {"nsvcs": [Nsvc(local_port=BSS_PORT, remote=NODE)]}

    def skip_where_it_cannot_run(self):
        super().skip_where_it_cannot_run()
        self.skip_for(missing())

    # --- the page's commands

    def make_lab(self):
        """With its network: all commands before that of the programs."""
        place = Host()
        self.addCleanup(place.close)
        self.lab, self.programs = place, {}
        os.makedirs(os.path.join(self.folder, "bin"))
        os.symlink(node.program(), os.path.join(self.folder, "bin", "gbflow"))
        shutil.copytree(CONFIGS, os.path.join(self.folder, "etc"), symlinks=True)
        for name in ("var", "tmp"):
            os.makedirs(os.path.join(self.folder, name))
        up, down = re.findall(r"```sh\n(.*?)```", section(), re.DOTALL)
        self.commands, self.undo = up.splitlines(), down
        self.network_before = self.network()
        while not self.commands[0].startswith("systemctl start"):
            self.type(self.commands.pop(0))
        return place

    def command(self, script, *words):
        """Of the host."""
        return self.lab.command("node", "sh", "-e", "-c", script, self.folder, *words)

    def type(self, line):
        """systemctl would be the machine's own."""
        if not line.startswith("systemctl disable"):
            path = os.path.join(self.folder, "bin") + ":" + os.environ["PATH"]
            done = subprocess.run(self.command(WITH_CONFIGS, "sh", "-e", "-c", line), cwd=self.folder, env=dict(os.environ, PATH=path),
                                  capture_output=True, text=True, check=False, timeout=START_S)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")

    def network(self):
        """Interfaces, rules and routes."""
        return [lab.run(*self.lab.command("node", "ip", *words)) for words in (("-br", "address"), ("rule",), ("-4", "route", "show", "table", "all"))]

    def start_unit(self, unit):
        with open(os.path.join(self.folder, unit + ".log"), "wb") as log:
            words = self.command(WITH_ALL, *command_of(unit))
            self.programs[unit] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(self.stop_unit, unit)

    def stop_unit(self, unit):
        process = self.programs[unit]
        process.kill()
        process.wait(STOP_S)

    def said(self):
        for unit in self.programs:
            with open(os.path.join(self.folder, unit + ".log"), encoding="utf-8", errors="replace") as file:
                yield f"--- {unit}\n{file.read()[-2000:]}"

    def start_programs(self):
        if not os.path.exists(f"{CONFIGS}/osmo-ggsn.cfg"):  # the link of Debian 12
            self.type(re.search(r"`(ln -sf [^`]*)`", section())[1])
        for unit in shlex.split(self.commands.pop(0))[2:]:
            self.start_unit(unit)
        self.assertEqual(sorted(self.programs), sorted(PROGRAMS))

    def serve(self, **values):
        self.assertEqual(self.commands, ["gbflow serve node.lua"])
        with open(os.path.join(self.folder, "node.lua"), encoding="utf-8") as file:
            text = file.read().replace("%", "%%").replace("return {\n", SMALL)
        self.node = node.Node(self.lab, text=text)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")

    # --- the walk

    def subscribe(self, phone):
        end, console = time.monotonic() + START_S, None
        while console is None:
            self.assertLess(time.monotonic(), end, "no VTY of osmo-hlr\n" + "\n".join(self.said()))
            with contextlib.suppress(ConnectionRefusedError):
                console = vty.Vty(self.lab, "node", HLR_VTY)
            time.sleep(PAUSE_S)
        self.addCleanup(console.close)
        for line in ("create", f"update aud3g xor k {test_chain.KI.hex()}"):
            console.command(f"subscriber imsi {phone.imsi} {line}")

    def bring_up(self):
        self.ear = sniffer.Sniffer(self.lab, "ggsn", "gn1")
        self.addCleanup(self.ear.close)
        self.lab.ip(self.lab.names["ggsn"], "address", "add", users.SERVER + "/32", "dev", "lo")
        self.start_bts("tmp")
        self.start_programs()
        self.subscribe(self.phones[0])
        self.serve()
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.wait_for_cell(START_S)

    def test_section(self):
        self.bring_up()
        phone = self.phones[0]
        self.attach(phone)
        self.assertEqual([(row["address"], row["udp_port"]) for row in self.node.show("nse")], [(BSS, BSS_PORT)])
        median_s, down_s, up_s = self.check_ping(phone), self.fetch(phone), self.fetch(phone, is_up=True)
        self.figure("one host", f"ping {1000 * median_s:.0f} ms, {test_chain.FILE_OCTETS} octets over TCP in {down_s:.1f} s down, "
                                f"{up_s:.1f} s up")
        self.finish(accounted=False)
        for unit in self.programs:
            self.stop_unit(unit)
        self.lab.ip(self.lab.names["ggsn"], "address", "del", users.SERVER + "/32", "dev", "lo")
        self.type(self.undo)
        self.assertEqual(self.network(), self.network_before)


if __name__ == "__main__":
    unittest.main()
