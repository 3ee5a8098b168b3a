# SPDX-License-Identifier: BSD-3-Clause
"""The checks of a kind of card, in their order. Each returns its figures in words, or raises pair.Failed."""
import json
import os
import re

from pair import MOBILES, TRIAL_BEGUN, Failed

HERE = os.path.dirname(os.path.abspath(__file__))

RATE, SECONDS = 100, 3
LINK_TRIAL_S, LINK_S = 10, 20
UNPLUG_S = 20  # the machine's PCIe slot waits 5 s for an operator who changes his mind
SPRAYED = 256
WALK = "--octets 64,1500 --mobiles 16 --cells 2 --trial-ms 500 --seconds 200 --set bursts=1 --set gap_us=100000 --limit-minutes 25"
WALK_S = 2000
# Workers sleep between bursts: those that poll would keep the few processors from the generator.
SLEEPS = ('idle = "poll"', 'idle = "sleep"')
# The node's second start: two workers, and frames on Gn longer than 1518 octets.
WORKERS, MTU, LONG = 2, 9000, 1500
BENCH_MTU = 1536  # that `gbflow bench node` gives to a card
CHANGES = (SLEEPS, (f'mtu = "{BENCH_MTU} octets"', f'mtu = "{MTU} octets"'), ("live = {", f"workers = {WORKERS}, live = {{"))


class Round:
    """What the checks of a kind share."""

    def __init__(self, machine, pair, kind):
        self.machine, self.pair, self.kind = machine, pair, kind
        self.sent = 0  # N-PDUs that the running node was sent since it started, in trials without loss

    def deliver(self, octets=512, seconds=SECONDS, more=""):
        """A trial without loss, wrong frame or wrong order; its row."""
        self.pair.begin(RATE, seconds, octets, more)
        status, row = self.pair.result()
        if status != 0 or row is None:
            raise Failed(f"generate: status {status}: {self.pair.trial_log()[-1500:]}")
        if row["offered"] == 0 or row["frames_received"] != row["frames_expected"] or row["wrong_fcs"] or row["reordered"] or row["tx_ring_full"]:
            raise Failed(f"generate: {json.dumps(row)}")
        self.sent += row["offered"]
        return row

    def set_link(self, is_up):
        for side in ("node-gn", "node-gb"):
            self.machine.monitor.ask("set_link", name=self.kind.card(side), up=is_up)

    def account(self, report):
        """In = out + dropped + queued, in a node's report."""
        npdu = report["npdu"]
        if npdu["in"] != npdu["out"] + npdu["dropped"] + npdu["queued"]:
            raise Failed(f"N-PDUs are not accounted for: {npdu}")
        if npdu["in"] < self.sent:
            raise Failed(f"the node counts {npdu['in']} N-PDUs of at least {self.sent}")
        return f"in {npdu['in']} = out {npdu['out']} + dropped {npdu['dropped']} + queued {npdu['queued']}"


def told(row):
    return (f"{row['offered']} N-PDUs of {row['octets']} octets, {row['frames_received']} of {row['frames_expected']} LLC frames, "
            f"{row['wrong_fcs']} wrong FCS, {row['reordered']} out of order")


def start(this):
    this.pair.write_node((SLEEPS,))
    return f"running after {this.pair.serve():.1f} s"


def deliver(this):
    return told(this.deliver())


def set_and_read(this, word, is_up):
    """The links of both cards go up or down, and the node says so of both."""
    log = this.pair.log()
    this.set_link(is_up)
    for side in ("gn", "gb"):
        if this.pair.wait_for_line(f" {side}: .*the link is {word}", LINK_S, log) is None:
            raise Failed(f"{side}: the node does not say that its link is {word}: {this.pair.log()[-800:]}")


def link(this):
    """The links go down in the middle of a trial, and up again; the rest of the trial arrives."""
    before = this.pair.npdus()
    this.pair.begin(RATE, LINK_TRIAL_S)
    this.pair.wait_for_npdus(before + TRIAL_BEGUN)
    set_and_read(this, "down", False)
    down = this.pair.show("node")[0]["npdu_out"]  # while the links are down none is sent
    set_and_read(this, "up", True)
    _, trial = this.pair.result()
    flown = this.pair.show("node")[0]["npdu_out"] - down
    downs = {row["side"]: row["link_downs"] for row in this.pair.show("ports")}
    if trial is None or 0 in downs.values():
        raise Failed(f"link_downs {downs}: {this.pair.trial_log()[-800:]}")
    # On a busy machine the trial may end before the links are up.
    then = f"{flown} N-PDUs sent after up" if flown >= RATE else f"after up {told(this.deliver())}"
    return f"down in the middle: {trial['frames_received']} of {trial['frames_expected']} LLC frames; {then}"


def stop(this):
    figures = this.account(this.pair.stop())
    this.sent = 0
    return figures


def restart(this):
    this.pair.write_node(CHANGES)
    seconds = this.pair.serve()
    mtu = this.pair.show("ports")[0]["mtu"]
    if mtu != MTU:
        raise Failed(f"show ports: MTU {mtu}, gn.mtu is {MTU}: {this.pair.log()[-800:]}")
    return f"{WORKERS} workers, MTU {mtu}, running after {seconds:.1f} s; {told(this.deliver(octets=LONG))}"


def gn_frames(this):
    return [row["gn_frames"] for row in this.pair.show("workers")]


def own_and_steered(this):
    """Each frame that a worker received from Gn is its own, or was passed on; of both how many, of all workers."""
    rows = this.pair.show("workers")
    for row in rows:
        if row["gn_own"] + row["gn_steered"] != row["gn_frames"]:
            raise Failed(f"worker {row['worker']}: {row['gn_own']} own and {row['gn_steered']} steered of {row['gn_frames']} frames")
    return f"{sum(row['gn_own'] for row in rows)} own, {sum(row['gn_steered'] for row in rows)} steered"


def queues(this):
    """The workers' shares of frames from many UDP ports, or, where none come from outside, of the trial."""
    before, npdus = [0] * WORKERS, 0
    if this.kind.has_taps:
        before, npdus = gn_frames(this), this.pair.npdus()
        this.machine.run_beside("python3", os.path.join(HERE, "spray.py"), this.kind.bridge("node-gn"), this.kind.mac("node-gn"), str(SPRAYED), str(MOBILES))
        this.pair.wait_for_npdus(npdus + SPRAYED)
    shares = [after - first for after, first in zip(gn_frames(this), before)]
    if this.kind.has_taps and (sum(shares) != SPRAYED or min(shares) == 0):
        raise Failed(f"of {SPRAYED} frames the workers took {shares}")
    spread = f"{this.pair.show('ports')[0]['spread']}; since the start {own_and_steered(this)}"
    return f"the workers took {' and '.join(map(str, shares))} frames{f' of {SPRAYED} UDP ports' if this.kind.has_taps else ''}; spread: {spread}"


def unplug(this):
    """The node's Gn card is unplugged: the node says so and ends, with its report; it does not crash."""
    card, device = this.kind.card("node-gn"), this.pair.devices["node-gn"]
    this.machine.monitor.ask("device_del", id=card)
    line = this.pair.wait_for_line(r"(card|device).*(taken out|unplugged)", UNPLUG_S)
    if line is None:
        raise Failed(f"the node does not say that {device} is unplugged, status {this.pair.status()}: {this.pair.log()[-800:]}")
    status = this.pair.wait_for_end()
    if status not in (0, 1):
        raise Failed(f"the node ends with status {status}: {this.pair.log()[-800:]}")
    figures = this.account(this.pair.report())
    if not this.machine.monitor.wait_for_event(lambda event: is_deletion(event, card), UNPLUG_S):
        raise Failed(f"{device} is still in the machine after the node's end")
    return f"status {status}, {figures}, {line[line.index('control'):] if 'control' in line else line}"


def is_deletion(event, card):
    return event["event"] == "DEVICE_DELETED" and event["data"].get("device") == card


def walk(this, folder):
    """The walk of docs/benchmark-setup.md with its one command; report and page come to the folder."""
    devices = this.pair.devices
    this.pair.run(f"{this.pair.program} bench generate --rfc2544 --serve {WALK} --node-gn {devices['node-gn']} --node-gb {devices['node-gb']} "
                  f"--gn {devices['far-gn']} --gb {devices['far-gb']} --json walk.json --html walk.html >walk.txt 2>walk.log; "
                  "echo $? >walk.status", WALK_S)
    for name in ("walk.json", "walk.html", "walk.txt", "walk.log"):
        with open(os.path.join(folder, f"{this.kind.name}-{name}"), "w", encoding="utf-8") as file:
            file.write(this.pair.run(f"cat {name}", WALK_S))
    if (status := this.pair.run("cat walk.status").strip()) != "0":
        raise Failed(f"status {status}; {this.kind.name}-walk.log in {folder}")
    return f"{this.kind.name}-walk.json, .html, .txt in {folder}"


CHECKS = (("start", start), ("deliver", deliver), ("link", link), ("stop", stop), ("restart", restart), ("queues", queues), ("unplug", unplug))
