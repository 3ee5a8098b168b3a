# SPDX-License-Identifier: BSD-3-Clause
"""A pool of two nodes behind the Gb proxy of python/gbflow_proxy: namespaces, the proxy's program, BSSs on its other side.

    lab = PoolLab()                      sides node, node2, ggsn, bss; each veth pair of a node ends on a bridge of the side
    proxy = Proxy(lab, ratio=50)         in the namespace of the BSSs, which are on 127.0.0.11 and up
    first, second = First(lab), Second(lab)
    peer = open_bss(lab, 0)

Cells 1800 and 1801 are of the first BSS and of one routeing area, 1900 is of the second BSS and of another one. NRIs of 5 bits: 1 to 3
are those of the first node, 4 that of the second one, 0 is the NULL-NRI.
"""
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

import lab
import node

import bss_peer

GN = {"node": "192.0.2.1", "node2": "192.0.2.11"}
GB = {"node": "198.51.100.1", "node2": "198.51.100.11"}
NSEI = {"node": 201, "node2": 202}
PROXY_GB, PROXY_BSS, BSS_ADDRESSES = "127.0.0.1", ("127.0.0.1", 23000), ("127.0.0.11", "127.0.0.12")
SGSN_PORT, START_S = 23100, 60
NRI_BITS, NRIS = 5, {"node": [[1, 3]], "node2": [[4]]}
PLACES = {1800: (0, 5, 1), 1801: (0, 5, 2), 1900: (1, 6, 3)}  # BSS, RAC, CI
CELL = '{ bvci = %d, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = %d, ci = %d } }'
TEXT = """return {
  gn = { port = "%(gn)s", gtpc = { restart_file = "%(restarts)s" } },
  gb = { address = "%(gb_address)s", port = "%(gb)s" },
  nses = { { nsei = %(nsei)d%(nse_more)s, nsvcs = { { nsvci = %(nsei)d, address = "198.51.100.2", udp_port = 23100 } },
    cells = { """ + ", ".join(CELL % (bvci, *place[1:]) for bvci, place in PLACES.items()) + """%(cells_more)s } } },
  mobiles = { source = "list", list = { %(mobiles)s }%(mobiles_more)s },
  live = { idle = "sleep" },
  eal = { prefix = "%(prefix)s", huge_pages = "no" },
  limits = { npdu_buffers = 2047, mobiles = %(limit)d, contexts = %(limit)d, fragments = 64 }%(more)s
}
"""


class PoolLab(lab.Lab):
    def __init__(self):
        self.bridges, self.holder = set(), tempfile.TemporaryDirectory(prefix="gbflow-pool-")
        super().__init__()

    def close(self):
        super().close()
        self.holder.cleanup()

    def _build(self):
        self.add_names("node2")
        super()._build()

    def add_names(self, side):
        self.names[side] = self.names["node"].removesuffix("node") + side

    def link(self):
        for side, number in (("node", 1), ("node2", 2)):
            for kind, far, address in (("gn", "ggsn", lab.GN_GGSN), ("gb", "bss", lab.GB_BSS)):
                self._join(side, kind, far, f"{kind}{number}")
                self._bridge(far, f"{kind}{number}", address)

    def _join(self, side, kind, far_side, far):
        near, other = self.names[side], self.names[far_side]
        lab.run("ip", "link", "add", f"{kind}0", "netns", near, "type", "veth", "peer", "name", far, "netns", other)
        for name, interface in ((near, f"{kind}0"), (other, far)):
            lab.run("ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{interface}.disable_ipv6=1")
            self.ip(name, "link", "set", interface, "up")
        with self.inside(far_side):
            lab.network.offload_off(far)

    def _bridge(self, side, interface, address):
        name = self.names[side]
        if side not in self.bridges:
            self.bridges.add(side)
            self.ip(name, "link", "add", "br0", "type", "bridge")
            lab.run("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv6.conf.br0.disable_ipv6=1")
            self.ip(name, "address", "add", address + "/24", "dev", "br0")
            self.ip(name, "link", "set", "br0", "up")
        self.ip(name, "link", "set", interface, "master", "br0")


class Proxy:
    """The running program. `changes` of its configuration."""

    def __init__(self, place, **changes):
        self.place, self.holder = place, tempfile.TemporaryDirectory(prefix="gbflow-proxy-")
        self.control = os.path.join(self.holder.name, "control")
        sgsns = [{"nsei": NSEI[side], "remote": [GB[side], 23000], "nris": NRIS[side], "name": side} for side in GB]
        self.config = {"bss_listen": PROXY_BSS, "sgsn_listen": ["0.0.0.0", SGSN_PORT], "control": self.control, "sgsns": sgsns,
                       "nri_bits": NRI_BITS, "null_nri": [0], "timers": {"retry": 0.5, "test": 1, "retries": 3}, **changes}
        self.path = os.path.join(self.holder.name, "proxy.json")
        self.start()

    def start(self):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.config, file)
        words = self.place.command("bss", sys.executable, "-B", "-m", "gbflow_proxy", self.path)
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, PYTHONPATH=os.path.join(node.ROOT, "python")))
        line = self.process.stderr.readline()
        assert line == "gbflow_proxy: running\n", line

    def tell(self, line):
        """A command; its answer."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(START_S)
            sock.connect(self.control)
            sock.sendall(line.encode() + b"\n")
            with sock.makefile(encoding="utf-8") as answers:
                answer = answers.readline().rstrip("\n")
        assert not answer.startswith("error"), answer
        return answer

    def show(self):
        return json.loads(self.tell("show"))

    def sgsns(self):
        """Rows of `show` by side."""
        return {row["name"]: row for row in self.show()["sgsns"]}

    def show_until(self, is_right):
        end = time.monotonic() + START_S
        while not is_right(shown := self.show()):
            assert time.monotonic() < end, shown
            time.sleep(0.05)
        return shown

    def stop(self):
        """Ends it by a signal; returns its status and what it wrote."""
        self.process.terminate()
        status, text = self.process.wait(60), self.process.stderr.read()
        self.process.stderr.close()
        return status, text

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
        with contextlib.suppress(ValueError):
            self.process.stderr.close()
        self.holder.cleanup()


class First(node.Node):
    side = "node"

    def __init__(self, place, text=TEXT, **values):
        restarts = os.path.join(place.holder.name, self.side)  # of all nodes there, one after the other
        usual = {"gb_address": GB[self.side], "nsei": NSEI[self.side], "mobiles": "", "mobiles_more": "", "cells_more": "", "restarts": restarts}
        super().__init__(place, text, **{**usual, **values})


class Second(First):
    side = "node2"


def tlli(nri, low=1, top=0xC0000000):
    """Of a mobile with that NRI; local, unless `top` says foreign."""
    return top | nri << 24 - NRI_BITS | low


def teids(number):
    """Of the SGSN and of the GGSN."""
    return 0x1000 + number, 0x2000 + number


def mobile(side, number, its_tlli, bvci=1800, more=""):
    """A row of mobiles.list, with a context; number: 1 to 9."""
    here, there = teids(number)
    return (f'{{ imsi = "26242000000000{number}", tlli = {its_tlli}, bvci = {bvci}{more}, contexts = {{ {{ nsapi = 5, teid = {here}, '
            f'sgsn_address = "{GN[side]}", ggsn_address = "{lab.GN_GGSN}", ggsn_teid = {there}, address = "10.45.0.{number}" }} }} }}')


class Bss(bss_peer.Peer):
    """A BSS behind the proxy; `at(bvci)` chooses the cell that PDUs of phones come from."""

    has_signalling = False

    def at(self, bvci):
        _, rac, ci = PLACES[bvci]
        self.bvci, self.cell_id = bvci, bytes.fromhex("62f2241234") + bytes([rac]) + struct.pack(">H", ci)
        return self

    def bring_up(self):
        """NS, and all cells of this BSS."""
        self.bring_up_ns()
        self.bring_up_cells()

    def bring_up_cells(self):
        """The signalling BVC and all cells, now or again."""
        self.has_signalling = False
        for bvci in self.mine():
            self.at(bvci).bring_up_bvcs()
            self.announce()
        self.at(self.mine()[0])

    def mine(self):
        return [bvci for bvci, place in PLACES.items() if BSS_ADDRESSES[place[0]] == self.sock.getsockname()[0]]

    def announce_all(self):
        """Flow control of all cells, again."""
        for bvci in self.mine():
            self.at(bvci).announce(tag=2)
        self.at(self.mine()[0])

    def bring_up_bvcs(self):
        """The signalling BVC before the first cell alone."""
        if not self.has_signalling:
            super().bring_up_bvcs()
            self.has_signalling = True
            return
        self.reset_cell()

    def reset_cell(self):
        names = bss_peer.bssgp.tlv(bss_peer.bssgp.BVCI, struct.pack(">H", self.bvci))
        rest = bss_peer.bssgp.tlv(7, bytes([bss_peer.CAUSE_OAM])) + bss_peer.bssgp.tlv(8, self.cell_id)
        self.bvc_ask(bytes([bss_peer.bssgp.BVC_RESET]) + names + rest, bss_peer.bssgp.BVC_RESET_ACK)


def open_bss(place, number):
    """The first or second BSS, whose NS is not up yet."""
    with place.inside("bss"):
        sock = bss_peer.open_socket(BSS_ADDRESSES[number])
        return Bss(sock, PROXY_BSS, nsei=101 + number, nsvci=101 + number)
