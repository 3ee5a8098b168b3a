# SPDX-License-Identifier: BSD-3-Clause
"""What happens to a live node while it soaks: reloads, kills, floods, flaps of its links, and clocks that step."""
import os
import random
import re
import signal
import struct
import subprocess
import time

import live_pair

RATE, FLOOD, FLOOD_S, PAUSE_S = 500, 200000, 2, 3  # N-PDU/s, s
FLAPS = 5
HOUR_NS, YEAR_NS = 3600 * 10**9, 365 * 86400 * 10**9
WALL_STEPS_NS = (HOUR_NS, -HOUR_NS, 10 * YEAR_NS, -10 * YEAR_NS)
LEAPS_NS = (5 * 10**9, HOUR_NS)
LIMITS_KB, MOBILES_MORE = (40, 50, 60), 100
MORE = f"add(1, {live_pair.MOBILES}, {live_pair.MOBILES + MOBILES_MORE - 1}, 2, 4)\nreturn {{"
ROOM = ("mobiles = {0}, contexts = {0}".format(live_pair.MOBILES),
        "mobiles = {0}, contexts = {0}".format(live_pair.MOBILES + MOBILES_MORE))  # limits of the node
RELOAD_S, RELOADED = 60, re.compile(r" reload: (rejected|.*nothing (?:else )?changed)")


class Clock:
    """The shifts of the node's clocks, in a file that it has mapped (tests/system/faults/clock.c)."""

    def __init__(self, folder):
        self.path, self.shifts = os.path.join(folder, "clock"), [0, 0]
        with open(self.path, "wb") as file:
            file.write(struct.pack("=2q", 0, 0))
        self.shim = live_pair.preloaded(folder, "clock")

    def environment(self):
        return {"LD_PRELOAD": self.shim, "FAULT_CLOCK": self.path}

    def step(self, wall_ns=0, leap_ns=0):
        self.shifts = [self.shifts[0] + wall_ns, self.shifts[1] + leap_ns]
        with open(self.path, "r+b") as file:
            file.write(struct.pack("=2q", *self.shifts))


class Events:
    """Events of one node in random order, each as often as the others; equal seeds give equal orders."""

    def __init__(self, pair, clock, seed):
        self.pair, self.clock, self.chance = pair, clock, random.Random(seed)
        self.left, self.counts = [], dict.fromkeys(EVENTS, 0)

    def is_each_once(self):
        return all(self.counts.values())

    def play(self):
        """The next one, whose name it returns."""
        if not self.left:
            self.left = self.chance.sample(list(EVENTS), len(EVENTS))
        name = self.left.pop()
        EVENTS[name](self)
        self.counts[name] += 1
        if self.pair.process.poll() is not None:
            raise live_pair.Failure(f"the node has ended in '{name}': {self.pair.log()[-4000:]}")
        return name

    def peer(self):
        """GGSN and BSS under traffic; `with` waits for their end."""
        return subprocess.Popen([self.pair.program, *self.pair.generator(60, RATE)], env=self.pair.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def reload(self):
        """Another limit of queues and more mobiles, then without those: the generator's keep their TEIDs."""
        with open(self.pair.node, encoding="utf-8") as file:
            text = file.read()
        limit = f', queue_limit = "{self.chance.choice(LIMITS_KB)} kB", ready_timer'
        text = re.sub('(, queue_limit = "[0-9]+ kB")?, ready_timer', limit, text)
        for version in (text.replace("\nreturn {", "\n" + MORE), text):
            with open(self.pair.node, "w", encoding="utf-8") as file:
                file.write(version)
            self.reload_file()

    def reload_file(self):
        said = len(RELOADED.findall(self.pair.log()))
        self.pair.process.send_signal(signal.SIGHUP)
        end_at = time.monotonic() + RELOAD_S
        while len(RELOADED.findall(self.pair.log())) == said:
            if time.monotonic() > end_at:
                raise live_pair.Failure("a reload does not end: " + self.pair.log()[-2000:])
            time.sleep(0.1)
        if RELOADED.findall(self.pair.log())[-1] == "rejected":
            raise live_pair.Failure("a reload is rejected: " + self.pair.log()[-2000:])

    def restart_control(self):
        self.pair.must("restart-control", "--prefix", self.pair.link)

    def kill_peer(self):
        with self.peer() as peer:
            time.sleep(self.chance.uniform(1, PAUSE_S))
            peer.kill()

    def flap_links(self):
        for _ in range(FLAPS):
            with self.peer() as peer:
                time.sleep(self.chance.uniform(0.1, 1))
                peer.kill()

    def freeze_peer(self):
        with self.peer() as peer:
            time.sleep(1)
            self.freeze(peer)
            peer.kill()

    def freeze_node(self):
        """To it, all clocks leap."""
        with self.peer() as peer:
            time.sleep(1)
            self.freeze(self.pair.process)
            peer.kill()

    @staticmethod
    def freeze(process):
        process.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE_S)
        process.send_signal(signal.SIGCONT)

    def flood(self):
        self.pair.trial(FLOOD_S, FLOOD)

    def step_wall_clock(self):
        self.clock.step(wall_ns=self.chance.choice(WALL_STEPS_NS))

    def leap_clock(self):
        self.clock.step(leap_ns=self.chance.choice(LEAPS_NS))

    def capture(self):
        path = self.pair.path("frames.pcapng")
        self.pair.must("capture", path, "--prefix", self.pair.link)
        self.pair.trial(1, RATE)
        self.pair.must("capture", "--stop", "--prefix", self.pair.link)
        os.remove(path)


EVENTS = {"reload": Events.reload, "restart-control": Events.restart_control, "peer-killed": Events.kill_peer,
          "links-flap": Events.flap_links, "peer-frozen": Events.freeze_peer, "node-frozen": Events.freeze_node,
          "flood": Events.flood, "wall-clock-steps": Events.step_wall_clock, "clock-leaps": Events.leap_clock,
          "capture": Events.capture}
