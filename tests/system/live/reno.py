#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One download twice: by the kernel's Reno through `gbflow serve` and `gbflow emulate`, and in virtual time by sim/'s TCP.

usage: reno.py [--seconds N] [--band PERCENT] [--queue OCTETS] [--window SEGMENTS] [--classic] [RATE]...

RATE in kbit/s: 34, 80, 200. Same cell, same queue in the SGSN ("20 kB"), same initial window (3), no delay but that of
queue and air. --classic: the kernel without F-RTO, loss probes and RACK. Prints both goodputs and their difference. Needs
root, for namespaces. Exit status: 0 all within the band (5 %), 1 not, 77 no namespaces here. GBFLOW names the program.
"""
import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import lab
import node

import emulator
import gateway

PORT, REQUEST_OCTETS, WINDOW_OCTETS, BLOCKS_PER_S = 5001, 200, 65535, 50
TCP_INFO_SENT_AGAIN = (200, 208)  # tcpi_bytes_sent, tcpi_bytes_retrans
# The receive window is what SO_RCVBUF gives, 65535 octets, as in the scenario; no connection knows of those before it.
SYSCTLS = {"tcp_congestion_control": "reno", "tcp_window_scaling": "0", "tcp_no_metrics_save": "1"}
CLASSIC = {"tcp_frto": "0", "tcp_early_retrans": "0", "tcp_recovery": "0"}
NODE = node.TEXT.replace('source = "list"', 'source = "list", queue_limit = "%(queue)s"')
SCENARIO = """return {
  title = "a download", duration = "%(seconds)d s",
  network = { server_delay = "0 s", gn_delay = "0 s", gb_delay = "0 s" },
  sgsn = { queue_limit = "%(queue)s" },
  cells = { { bvci = 1800, %(cell)s } },
  tcp = { receive_window = "65535 octets", initial_cwnd = %(window)d, min_rto = "200 ms" },
  mobiles = { { name = "ms", traffic = { { download = { octets = "infinite" } } } } },
}
"""


def cell_of(rate_kbps):
    """One PDCH of so many kbit/s each way, no block breaks."""
    octets = rate_kbps * 1000 // 8 // BLOCKS_PER_S
    return f'pdchs = 1, downlink_slots = 1, coding = "CS-1", block_octets = {octets}, block_octets_up = {octets}'


class Result:
    def __init__(self, octets, seconds, repeated):
        self.goodput_bps, self.repeated = 8 * octets / seconds, repeated


def virtual(rate_kbps, seconds, queue, window):
    with tempfile.TemporaryDirectory(prefix="gbflow-reno-") as folder:
        path = os.path.join(folder, "download.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENARIO % {"seconds": seconds, "queue": queue, "cell": cell_of(rate_kbps), "window": window})
        done = subprocess.run([node.program(), "run", path, "--out", folder, "--no-report"], capture_output=True, text=True,
                              check=False, timeout=60)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            tcp = json.load(file)["tcp"][0]
    return Result(tcp["octets"], tcp["end_s"] - tcp["start_s"], tcp["retransmitted_fraction"])


class Live:
    """Node, BSS, gateway and the two hosts; close() ends all of it."""

    def __init__(self, rate_kbps, queue, window, sysctls):
        self.repeated = 0.0
        with contextlib.ExitStack() as stack:
            self.lab = lab.Lab()
            stack.callback(self.lab.close)
            self.lab.add("ms")
            for side in ("ggsn", "ms"):
                for name, value in sysctls.items():
                    lab.run("ip", "netns", "exec", self.lab.names[side], "sysctl", "-qw", f"net.ipv4.{name}={value}")
            self.node = node.Node(self.lab, NODE, queue=queue)
            stack.callback(self.node.kill)
            self.node.wait_for("running")
            self.gateway = gateway.Gateway(self.lab, {node.ADDRESS: (node.TEID, node.GGSN_TEID)})
            stack.callback(self.gateway.close)
            self.lab.ip(self.lab.names["ggsn"], "route", "change", gateway.MOBILES, "dev", gateway.DEVICE, "src", gateway.ADDRESS,
                        "initcwnd", str(window))
            self.bss = emulator.Emulator(self.lab, cell=cell_of(rate_kbps))
            stack.callback(self.bss.kill)
            self.bss.wait_for("cell 1800 is up")
            self.stack = stack.pop_all()

    def close(self):
        with self.stack:
            self.bss.stop(signal.SIGTERM)
            self.node.stop()

    def socket(self, side):
        with self.lab.inside(side):
            return socket.socket(socket.AF_INET, socket.SOCK_STREAM)

    def download(self, seconds):
        with self.socket("ggsn") as listener, self.socket("ms") as client:
            listener.bind((gateway.ADDRESS, PORT))
            listener.listen()
            server = threading.Thread(target=self._serve, args=(listener,), daemon=True)
            server.start()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WINDOW_OCTETS)
            began = time.monotonic()
            client.settimeout(seconds)
            client.connect((gateway.ADDRESS, PORT))
            client.sendall(bytes(REQUEST_OCTETS))
            octets, ended = 0, began
            while (left := began + seconds - time.monotonic()) > 0:
                client.settimeout(left)
                with contextlib.suppress(TimeoutError):
                    octets += len(client.recv(65536))
                    ended = time.monotonic()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        server.join(10)
        return Result(octets, ended - began, self.repeated)

    def _serve(self, listener):
        """Writes as long as the client takes it; its end is a RST."""
        server, _ = listener.accept()
        with server, contextlib.suppress(ConnectionResetError):
            server.settimeout(0.2)
            server.recv(REQUEST_OCTETS, socket.MSG_WAITALL)
            while True:
                with contextlib.suppress(TimeoutError):
                    server.send(bytes(16384))
                info = server.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                sent, again = (int.from_bytes(info[at:at + 8], sys.byteorder) for at in TCP_INFO_SENT_AGAIN)
                self.repeated = again / sent if sent else 0.0


def live(rate_kbps, seconds, queue, window, sysctls):
    rig = Live(rate_kbps, queue, window, sysctls)
    try:
        return rig.download(seconds)
    finally:
        rig.close()


def difference_of(kernel, sim):
    return sim.goodput_bps / kernel.goodput_bps - 1


def compare(rate_kbps, seconds, queue, window, sysctls):
    """Both downloads, and how much more sim/'s TCP got, as a fraction."""
    sim = virtual(rate_kbps, seconds, queue, window)
    kernel = live(rate_kbps, seconds, queue, window, sysctls)
    difference = difference_of(kernel, sim)
    print(f"{rate_kbps:4d} kbit/s, queue {queue}, initial window {window}: kernel {kernel.goodput_bps / 1000:.2f} kbit/s, {100 * kernel.repeated:.1f} % sent "
          f"again; sim {sim.goodput_bps / 1000:.2f} kbit/s, {100 * sim.repeated:.1f} %; difference {100 * difference:+.2f} %",
          flush=True)
    return difference


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--band", type=float, default=5)
    parser.add_argument("--queue", default="20 kB")
    parser.add_argument("--window", type=int, default=3)
    parser.add_argument("--classic", action="store_true")
    parser.add_argument("rates", type=int, nargs="*")
    given = parser.parse_args()
    reason = gateway.missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    sysctls = {**SYSCTLS, **(CLASSIC if given.classic else {})}
    results = [compare(rate, given.seconds, given.queue, given.window, sysctls) for rate in given.rates or (34, 80, 200)]
    return 0 if all(abs(result) <= given.band / 100 for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
