#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The node's ESP against the Linux kernel's, in each suite, mode, IP version, with and without extended sequence numbers.

usage: esp_flows.py [--packets N] [--device NAME] [--only TEXT]

For each case N numbered packets of random octets go each way (esp_flow.c) through a bridge with loss, delays that reorder, copies,
and frames that are sent again at once and much later. Both ends check each packet. All that is lost must be what the queues lost,
all that came more than once what counters of ESP say. Prints a row for each case, then sums; status 1 if one is not so.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import time

import esp_kernel
import lab

SUITES = {"aes-gcm-128": (20, 0), "aes-gcm-256": (36, 0), "aes-cbc-128-sha-256": (16, 32), "aes-cbc-256-sha-256": (32, 32),
          "null-sha-256": (0, 32)}
MODES = (("transport", 4, 4), ("transport", 6, 6), *((mode, outer, inner) for mode in ("tunnel", "udp") for outer in (4, 6) for inner in (4, 6)))
OUTER = {4: ("192.0.2.1", "192.0.2.2"), 6: ("2001:db8::1", "2001:db8::2")}
INNER = {4: ("10.0.0.1", "10.0.0.2"), 6: ("2001:db8:1::1", "2001:db8:1::2")}
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")
LOSS, REORDER = "netem loss 1% limit 100000", "netem delay 2ms 1ms duplicate 2% limit 100000"
PROGRAM = os.environ.get("ESP_FLOW") or os.path.join(lab.ROOT, "build", "tests", "system", "live", "esp_flow")


class Place:
    """Node, bridge and kernel in namespaces; the first port of a path loses, the second delays and copies."""

    def __init__(self):
        self.node, self.bridge, self.far = (f"gbf{os.getpid()}-{name}" for name in ("node", "bridge", "far"))
        self.end, self.last = esp_kernel.End(self.far), {}
        try:
            self.build()
        except BaseException:
            self.close()
            raise

    def build(self):
        for name in (self.node, self.bridge, self.far):
            lab.run("ip", "netns", "add", name)
            lab.run("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=" + ("0" if name == self.far else "1"),
                    "net.ipv6.conf.default.router_solicitations=0", "net.ipv6.conf.default.accept_dad=0")
        bridge = esp_kernel.End(self.bridge).ip
        bridge("link add br0 type bridge mcast_snooping 0", "link set br0 up")
        for name, device, port, mac in ((self.node, "gw0", "p0", MACS[0]), (self.far, "k0", "p1", MACS[1])):
            bridge(f"link add {port} type veth peer name {device} address {mac} netns {name}", f"link set {port} master br0 up", f"link set {port} type bridge_slave mcast_flood off")
            lab.run("ip", "-n", name, "link", "set", device, "up")
            with lab.network.inside(name):
                lab.network.offload_off(device)
            lab.run("tc", "-n", name, "qdisc", "add", "dev", device, "root", *LOSS.split())
            lab.run("tc", "-n", self.bridge, "qdisc", "add", "dev", port, "root", *REORDER.split())
        for version, bits in ((4, 32), (6, 128)):
            self.end.ip(f"address add {OUTER[version][1]}/{bits} dev k0", f"address add {INNER[version][1]}/{bits} dev k0",
                        *(f"route add {net[version][0]}/{bits} dev k0 src {net[version][1]}" for net in (OUTER, INNER)),
                        *(f"neigh replace {net[version][0]} lladdr {MACS[0]} dev k0 nud permanent" for net in (OUTER, INNER)))

    @staticmethod
    def lost(name):
        """Frames that the queues of a namespace dropped."""
        return sum(one.get("drops", 0) for one in json.loads(lab.run("tc", "-n", name, "-s", "-j", "qdisc", "show")))

    @staticmethod
    def arrived(name, device):
        """Frames that a device has received."""
        with lab.network.inside(name), open("/proc/thread-self/net/dev", encoding="utf-8") as file:
            return next(int(line.split(":")[1].split()[1]) for line in file if line.strip().startswith(device + ":"))

    @staticmethod
    def backlog():
        """Frames that the kernel dropped between two devices, in all namespaces."""
        with open("/proc/net/softnet_stat", encoding="utf-8") as file:
            return sum(int(line.split()[1], 16) for line in file)

    def figures(self):
        """Since the last call."""
        now = {"lost_down": self.lost(self.node), "lost_up": self.lost(self.far), "behind": self.lost(self.bridge), "backlog": self.backlog(),
               "arrived_down": self.arrived(self.far, "k0"), "arrived_up": self.arrived(self.node, "gw0")}
        counters = {"kernel": self.end.counters()}
        grown = {key: now[key] - self.last.get(key, 0) for key in now}
        grown["kernel"] = {key: value - self.last.get("kernel", {}).get(key, 0) for key, value in counters["kernel"].items()}
        grown["kernel"] = {key: value for key, value in grown["kernel"].items() if value}
        self.last = {**now, **counters}
        return grown

    def close(self):
        for name in (self.node, self.bridge, self.far):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


class Flow:
    """The program with the node's end."""

    def __init__(self, place):
        self.place = place
        self.process = subprocess.Popen(["ip", "netns", "exec", place.node, PROGRAM, "gw0", place.far, place.bridge], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        while (line := self.process.stdout.readline()) != "ready\n":
            if not line:
                raise AssertionError(f"{PROGRAM} does not start")

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"esp_flow ended in the case {words[:8]}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)


def cases():
    """Suite, mode, outer and inner version, extended sequence numbers."""
    return [(suite, *mode, esn) for suite, mode, esn in itertools.product(SUITES, MODES, (True, False))]


def name_of(case):
    suite, mode, outer, inner, esn = case
    return f"{suite} {mode} IPv{outer}" + (f" (IPv{inner})" if mode != "transport" else "") + (" ESN" if esn else "")


def run_case(place, flow, case, number, options):
    suite, mode, outer, inner, esn = case
    chance = random.Random(number)
    keys = [[chance.randbytes(octets).hex() for octets in SUITES[suite]] for _ in range(2)]
    near, far = OUTER[outer], (OUTER if mode == "transport" else INNER)[inner]
    both = [esp_kernel.Association(0x1000 + 2 * number + way, near[::-1] if way else near, far[::-1] if way else far, suite,
                                   "transport" if mode == "transport" else "tunnel", *keys[way], esn, mode == "udp") for way in range(2)]
    place.end.protect(*both)
    done = flow.ask(suite, *(int(value) for value in (mode != "transport", outer == 6, inner == 6, esn, mode == "udp")), options.device,
                    esp_kernel.WINDOW, both[0].spi, options.packets, *(key or "-" for way in keys for key in way))
    done.update(place.figures())
    done["state"] = place.end.states().get(both[0].spi, (0,))
    return done


def faults_of(done, esn, packets):
    """What is not as it must be."""
    if "error" in done:
        return [done["error"]]
    kernel, drops = done["kernel"], done["drops"]
    old = {"esp_replay", "esp_icv"} if esn else {"esp_replay"}
    lost = 2 * packets - done["down"]["once"] - done["up"]["once"] - done["lost_down"] - done["lost_up"]
    kernel_old = {"XfrmInStateSeqError", "XfrmInStateProtoError"} if esn else {"XfrmInStateSeqError"}
    rules = {
        "all were sent": done["down"]["sent"] == done["up"]["sent"] == packets and done["stuck"] == 0 and not done["unsent"],
        "none came twice": done["down"]["twice"] == done["up"]["twice"] == 0,
        "none was wrong": done["down"]["wrong"] == done["up"]["wrong"] == 0,
        "what is missing was lost on the way": 0 <= lost <= done["backlog"],
        "the bridge lost none": done["behind"] == 0,
        "the kernel's counters say what copies became": set(kernel) <= kernel_old and
                                                        done["arrived_down"] == done["down"]["once"] + sum(kernel.values()),
        "the association's too": sum(done["state"]) == sum(kernel.values()),
        "the node read each frame": done["received"] == done["arrived_up"],
        "the node's counters say what copies became": set(drops) <= old and done["received"] == done["up"]["once"] + sum(drops.values()),
        "no buffer is missing": done["buffers"] == 0,
    }
    return [name for name, is_right in rules.items() if not is_right]


def cells_of(done):
    down, up = done["down"], done["up"]
    return [down["sent"], done["lost_down"], down["once"], sum(done["kernel"].values()), up["sent"], done["lost_up"], up["once"],
            sum(done["drops"].values()), down["twice"] + up["twice"], down["wrong"] + up["wrong"]]


def row(name, cells):
    return f"{name:44}" + "".join(f" {cell!s:>8}" for cell in cells)


NO_DEVICE = "no device has the suite"
HEADS = ("sent down", "lost", "came", "copies", "sent up", "lost", "came", "copies", "twice", "wrong")


def summary(sums):
    """A table of Markdown: the sums of the cases of a suite and mode."""
    lines = ["| Suite, mode | Cases | " + " | ".join(HEADS) + " |", "| --- |" + " ---: |" * (1 + len(HEADS))]
    return lines + [f"| `{suite}`, {mode} | " + " | ".join(map(str, cells)) + " |" for (suite, mode), cells in sums.items()]


def run(options):
    """The names of cases that are not as they must be, and the number of all."""
    place = Place()
    wrong, chosen, sums, began = [], [case for case in cases() if options.only in name_of(case)], {}, time.monotonic()
    try:
        flow = Flow(place)
        place.figures()
        for number, case in enumerate(chosen):
            done = run_case(place, flow, case, number, options)
            if done.get("error") == NO_DEVICE and options.device != "auto":
                continue
            faults = faults_of(done, case[-1], options.packets)
            cells = [] if "error" in done else cells_of(done)
            sums[case[:2]] = [old + new for old, new in zip(sums.get(case[:2], [0] * (1 + len(cells))), [1, *cells])]
            print(row(name_of(case), [*cells, done.get("device", "")]), flush=True)
            if faults:
                wrong.append(name_of(case))
                print(f"FAULT {name_of(case)}: {'; '.join(faults)}: {json.dumps(done)}", flush=True)
        flow.close()
    finally:
        place.close()
    print("\n" + "\n".join(summary(sums)))
    if not all(sum(cells[1 + HEADS.index("copies") + up] for cells in sums.values()) for up in (0, 4)):
        wrong.append("no copies came")
    print(f"\n{len(chosen)} cases, {options.packets} packets each way in each; {len(wrong)} with a fault; {time.monotonic() - began:.0f} s")
    return wrong, len(chosen)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].splitlines()[0])
    parser.add_argument("--packets", type=int, default=200)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--only", default="")
    wrong, count = run(parser.parse_args())
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
