#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reloads of a table of mobiles in a live node: how long they take, and how long the control thread answers nothing.

usage: reload_pace.py [--mobiles N] [--workers N] [--most-ms MS] [--program FILE]

A node without rights (net_ring ports) reads N mobiles (1 048 576) by a reload, then changes each of them, removes half
and removes the rest. All the time a client asks for a table over the telemetry socket, again after each answer; the
control thread gives these answers between its other work, as it gives those to BSSs. Printed for each reload, in ms or
s:

  whole s     from SIGHUP to the line in the log
  gap ms      the longest time until an answer
  waited ms   of that gap: the control thread could run, but had no processor
  worked ms   of the longest gap by this column: the control thread's processor time
  pass ms     processor time of the longest pass of the control loop so far (`gbflow show control`, pass_most_us)
  Lua MiB     memory of the control plane's Lua after the reload, garbage included

On a machine with other work, gap and worked include time in which this client had no processor; pass does not. With
--most-ms the status is 1 if the longest pass is longer.
"""
import argparse
import os
import re
import signal
import socket
import sys
import threading
import time

import live_pair

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEADER = "imsi,tlli,nsei,bvci,nsapi,sgsn_address,ggsn_address,ggsn_teid,address,class\n"
NODE = """return {
  workers = %(workers)d,
  gn = { port = "net_ring0" },
  gb = { address = "198.51.100.1", port = "net_ring1" },
  nses = {
    { nsei = 101, nsvcs = { { nsvci = 101, address = "198.51.100.2" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } } },
    { nsei = 102, nsvcs = { { nsvci = 102, address = "198.51.100.3" } },
      cells = { { bvci = 1801, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 2 } } } } },
  mobiles = { source = "list", file = "mobiles.csv" },
  eal = { prefix = "%(prefix)s" },
  limits = { npdu_buffers = 2047, mobiles = %(mobiles)d, contexts = %(mobiles)d, fragments = 64 }
}
"""
RELOAD_S = 1200


def row(number, qclass):
    return (f"26242{number:010d},0x{0xC0000000 + number:X},{101 + number % 2},{1800 + number % 2},5,"
            f"192.0.2.1,192.0.2.2,{number + 1},10.{1 + (number >> 16)}.{number >> 8 & 255}.{number & 255},{qclass}\n")


class Client(threading.Thread):
    """Asks the node for a table, again and again; keeps the longest gaps since the last reset()."""

    def __init__(self, path, process):
        super().__init__(daemon=True)
        self.process, self.is_open = process, True
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)
        self.socket.recv(16384)
        self.reset()

    def reset(self):
        self.gap, self.worked, self.answers = (0.0, 0.0), 0.0, 0

    def control(self):
        """Processor time and time without a processor of the control thread, in seconds."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/schedstat", encoding="ascii") as file:
            worked, waited = file.read().split()[:2]
        return int(worked) / 1e9, int(waited) / 1e9

    def run(self):
        while self.is_open:
            begin_at, (worked, waited) = time.monotonic(), self.control()
            self.socket.send(b"/gbflow/capture")
            self.socket.recv(16384)
            gap, (worked_now, waited_now) = time.monotonic() - begin_at, self.control()
            self.gap = max(self.gap, (gap, waited_now - waited))
            self.worked = max(self.worked, worked_now - worked)
            self.answers += 1


class Pace(live_pair.Pair):
    """A node without ports of hardware, and its table of mobiles."""

    def __init__(self, options):
        super().__init__(options.program)
        self.environment["RUNTIME_DIRECTORY"] = self.folder
        self.write("node.lua", NODE % {"workers": options.workers, "mobiles": options.mobiles, "prefix": self.link})
        self.write_table([], "thp2")

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def write_table(self, numbers, qclass):
        self.write("mobiles.csv", HEADER + "".join(row(number, qclass) for number in numbers))

    def wait_for(self, pattern, count):
        end_at = time.monotonic() + RELOAD_S
        while time.monotonic() < end_at and self.process.poll() is None:
            found = re.findall(pattern, self.log())
            if len(found) >= count:
                return found[-1]
            time.sleep(0.02)
        raise live_pair.Failure(f"no line '{pattern}': " + self.log()[-2000:])

    def reload(self, client, number, name):
        client.reset()
        begin_at = time.monotonic()
        self.process.send_signal(signal.SIGHUP)
        result = self.wait_for(r"reload: (.*nothing (?:else )?changed|rejected)", number)
        whole, (gap, waited), worked = time.monotonic() - begin_at, client.gap, client.worked
        control = self.show("control")[0]
        lua, longest = int(control["lua_octets"]) >> 20, int(control["pass_most_us"]) / 1e3
        print(f"{name:14} {whole:8.1f} {1e3 * gap:8.1f} {1e3 * waited:10.1f} {1e3 * worked:10.1f} {longest:8.1f} "
              f"{lua:8} {client.answers:8}  {result}", flush=True)
        return longest


def measure(pace, count):
    client = Client(pace.path(f"dpdk/{pace.link}/gbflow_telemetry.v2"), pace.process)
    client.start()
    print(f"{'reload':14} {'whole s':>8} {'gap ms':>8} {'waited ms':>10} {'worked ms':>10} {'pass ms':>8} "
          f"{'Lua MiB':>8} {'answers':>8}")
    longest = 0
    reloads = (("add", range(count), "thp2"), ("change", range(count), "thp1"),
               ("remove a half", range(0, count, 2), "thp1"), ("remove", [], "thp1"))
    for number, (name, numbers, qclass) in enumerate(reloads, 1):
        pace.write_table(numbers, qclass)
        longest = pace.reload(client, number, name)
    client.is_open = False
    client.join()
    return longest


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mobiles", type=int, default=1048576)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--most-ms", type=float)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbflow"))
    options = parser.parse_args(argv)
    with Pace(options) as pace:
        pace.serve()
        longest = measure(pace, options.mobiles)
        pace.stop()
    return 1 if options.most_ms and longest > options.most_ms else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
