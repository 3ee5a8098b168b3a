#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Offloads and changes of the proxy at random, in a pool of two live nodes whose phones move and update all the time.

usage: pool_storm.py [--steps N] [--seed N] [--phones N] [--hlr] [--still] [--kills] [--verbose]     200, 1, 20

A step is an offload of some phones or its end at a node, or an SGSN that the proxy takes new phones to or not. After each step no two phones have one TLLI. At the end, when the proxy is as at first, each phone is at
one node with the address that it had, none has attached or activated again, the GGSN has deleted no context, and of numbered
packets none came twice. With --still the phones stay in their cells, and all packets arrive, in order. Else those are lost that
wait for a phone in the cell of another routeing area, which FLUSH-LL deletes. With --kills, which has an HLR, a step may also be
the SIGKILL of a node, of its control, the proxy, the GGSN, or the end of the HLR, and a start again up to a second later; at the
end each phone is at one node, with a context in which a packet arrives. Needs root and osmo-ggsn.
"""
import argparse
import os
import random
import signal
import sys
import time

import ggsn
import pool_rig
import test_ggsn

SKIPPED, SCRIPT_STEPS = 77, 100
LONGEST_S, CALM_S = 1.5, 90


def script(chance, whats):
    """Steps of the phones; each phone begins with its first context."""
    steps = ", ".join(f'{{ after = "{chance.randrange(300, 3000)} ms", what = "{chance.choice(whats)}" }}' for _ in range(SCRIPT_STEPS))
    return f"script = {{ {steps} }}, rounds = 1000"


class Storm:
    whats = ("move", "move", "update")

    def __init__(self, seed, count, has_hlr=False, is_still=False):
        self.chance, self.log, self.is_still = random.Random(seed), [], is_still
        self.rig = pool_rig.Rig(count=count, phones=script(self.chance, ("update",) if is_still else self.whats))
        if has_hlr:
            self.rig.with_hlr()

    def open(self):
        self.rig.open()
        self.homes = {imsi: address for imsi, (_, address) in self.rig.homes_until(lambda homes: all(homes.values())).items()}

    def close(self):
        self.rig.close()

    # --- steps

    def offload(self, side):
        words = ["--phones", str(self.chance.randint(1, 5))]
        if self.chance.random() < 0.5:
            words.append("--now")
        if self.chance.random() < 0.3:
            words += ["--to", str(self.chance.choice(pool_rig.nris_of(pool_rig.OTHER[side])))]
        return self.rig.gbflow(side, "offload", *words)[1].strip()

    def end_offload(self, side):
        return self.rig.gbflow(side, "offload", "--stop")[1].strip()

    works, weights = ("offload", "end_offload", "allow"), (4, 1, 2)

    def allow(self, side):
        """One of them takes new phones at any time."""
        for one, word in ((pool_rig.OTHER[side], "yes"), (side, self.chance.choice(("yes", "no")))):
            self.rig.allow(one, word)
        return f"allow-attach {word}"

    def step(self):
        work, side = self.chance.choices(self.works, self.weights)[0], self.chance.choice(pool_rig.SIDES)
        self.log.append(f"{time.monotonic():.3f} {side} {getattr(self, work)(side)}")
        time.sleep(self.chance.uniform(0, LONGEST_S))  # the random moment, not a wait for something
        return self.shared()

    # --- what must hold

    def shared(self):
        """A TLLI that two phones have; None: there is none."""
        owners = {}
        for imsi, rows in self.rig.rows().items():
            for _, row in rows:
                owners.setdefault(row["tlli"], set()).add(imsi)
        twice = {tlli: imsis for tlli, imsis in owners.items() if len(imsis) > 1}
        return f"two phones with one TLLI: {twice}" if twice else None

    def calm(self):
        """The proxy and the nodes are as at first."""
        for side in pool_rig.SIDES:
            self.rig.gbflow(side, "offload", "--stop")
            self.rig.allow(side, "yes")

    def unsettled(self):
        """What is not as it must be; None: nothing."""
        homes = self.rig.homes()
        found = {imsi: home and home[1] for imsi, home in homes.items()}
        wrong = {imsi: (home, self.rig.rows().get(imsi)) for imsi, home in self.homes.items() if found.get(imsi) != home}
        return f"not as before: {wrong}" if wrong else self.shared()

    def rig_until_calm(self):
        end = time.monotonic() + CALM_S
        while (wrong := self.unsettled()) and time.monotonic() < end:
            time.sleep(0.5)
        return wrong

    def end(self):
        """Faults, when all is calm."""
        self.calm()
        wrong, traffic = self.rig_until_calm(), self.rig.traffic
        traffic.stop()
        self.rig.bss.stop()
        counts = {row["name"]: row["count"] for row in self.rig.bss.report["phone_counts"]}
        faults = [wrong] if wrong else []
        faults += [f"{name}: {counts.get(name, 0)}" for name in ("attached", "activated") if counts.get(name, 0) != self.rig.count]
        deleted = sum(self.rig.gtpc(side).count(test_ggsn.DELETE) for side in pool_rig.SIDES)
        faults += [f"{deleted} contexts deleted"] if deleted else []
        return faults + (self.lost() + traffic.wrong() if self.is_still else traffic.twice() + self.uncounted())

    def uncounted(self):
        """Packets that did not arrive, above those that the nodes and the BSS count as not delivered."""
        downs, lost = [cell["down"] for cell in self.rig.bss.report["cells"]], sum(map(len, self.rig.traffic.lost().values()))
        at_bss = sum(down["moved"] + down["queued"] + sum(down["discarded"].values()) for down in downs) + self.rig.bss.report["unknown_tlli"]
        counted = at_bss + sum(self.rig.dropped().values())
        return [f"{lost} packets lost, {counted} counted"] if lost > counted else []

    def lost(self):
        """Packets that were on their way to a phone with a TLLI of the other node meanwhile do not count."""
        lost, dropped = sum(map(len, self.rig.traffic.lost().values())), self.rig.dropped()
        late = self.rig.bss.report["unknown_tlli_data"]
        return [f"{lost} lost, {late} of them late, dropped {dropped}"] if lost > late or dropped else []

    def figures(self):
        lost = sum(len(numbers) for numbers in self.rig.traffic.lost().values())
        left = {side: self.rig.counts(side).get("sgsn_left", 0) for side in pool_rig.SIDES}
        return f"{sum(self.rig.traffic.sent.values())} packets, {lost} lost, dropped {self.rig.dropped()}, phones that left {left}"

    def play(self, steps, verbose=False):
        """All of it; returns its faults."""
        self.open()
        self.rig.send_numbers()
        faults = []
        for _ in range(steps):
            fault = self.step()
            faults += [f"{self.log[-1]}: {fault}"] if fault else []
            if verbose or fault:
                print(self.log[-1], fault or "", flush=True)
        return faults + self.end()

    def tell(self):
        for side in pool_rig.SIDES:
            print("\n".join([f"--- {side}"] + self.rig.nodes[side].lines[-200:]))
            print(self.rig.counts(side))
        print("\n".join(self.log[-50:]))


class Kills(Storm):
    """Programs are killed, too. Phones may attach and activate again."""
    whats = ("move", "move", "update", "activate")
    has_new_pool = False
    programs = ("node", "node", "control", "proxy", "ggsn", "hlr")
    works, weights = Storm.works + ("kill",), Storm.weights + (3,)

    def kill(self, side):
        name = self.chance.choice(self.programs)
        getattr(self, "kill_" + name)(side)
        time.sleep(self.chance.random())  # the random moment, not a wait for something
        getattr(self, "start_" + name)(side)
        return f"kill of {name}"

    def kill_node(self, side):
        running = self.rig.nodes[side]
        running.process.kill()
        running.process.wait(60)
        running.reader.join(5)

    def start_node(self, side):
        running = self.rig.nodes[side]
        seen = len(running.lines)
        running.start()
        running.wait_for("running", start=seen)

    def kill_control(self, side):
        status, text = self.rig.gbflow(side, "restart-control")
        assert status == 0, text

    def start_control(self, side):
        pass

    def kill_proxy(self, _):
        self.rig.proxy.process.kill()
        self.rig.proxy.process.wait(60)
        self.rig.proxy.process.stderr.close()

    def start_proxy(self, _):
        self.rig.proxy.start()

    def kill_ggsn(self, _):
        """It forgets its addresses: the host of the phones refuses one that another phone still has."""
        self.has_new_pool = True
        self.rig.ggsn.stop(signal.SIGKILL)

    def start_ggsn(self, _):
        self.rig.ggsn.start()

    def kill_hlr(self, _):
        self.rig.hlr.stop()

    def start_hlr(self, _):
        self.rig.hlr.start()

    def unsettled(self):
        homes = self.rig.homes()
        wrong = {imsi: self.rig.rows().get(imsi) for imsi in self.homes if not (homes.get(imsi) and homes[imsi][1] != "-")}
        if wrong:
            return f"without a context at one node: {wrong}"
        addresses, at_nodes = self.rig.phone_addresses(), sorted(address.removeprefix("5:") for _, address in homes.values())
        if addresses != at_nodes and not self.has_new_pool:
            return f"phones have {addresses}, nodes {at_nodes}"
        return self.shared() or self.unreached(sorted(set(addresses) & set(at_nodes)))

    def unreached(self, addresses):
        """A packet for each address."""
        late = self.rig.traffic.ask(addresses)
        return f"not reached: {late}" if late else None

    def end(self):
        self.calm()
        wrong = self.rig_until_calm()
        self.rig.traffic.stop()
        self.rig.bss.stop()
        return ([wrong] if wrong else []) + self.rig.traffic.twice()


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("steps", 200), ("seed", 1), ("phones", pool_rig.COUNT)):
        reader.add_argument("--" + name, type=int, default=default)
    for name in ("hlr", "still", "kills", "verbose"):
        reader.add_argument("--" + name, action="store_true")
    options = reader.parse_args()
    reason = ggsn.missing()
    if reason:
        print(reason, file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    kind = Kills if options.kills else Storm
    storm = kind(options.seed, options.phones, options.hlr or options.kills, options.still)
    try:
        faults = storm.play(options.steps, options.verbose)
        print(storm.figures())
        if faults:
            storm.tell()
        print("\n".join(faults) or "no faults")
    finally:
        storm.close()
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
