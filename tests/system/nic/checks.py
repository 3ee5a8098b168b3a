# SPDX-License-Identifier: BSD-3-Clause
"""The checks of a kind of card, in their order. Each returns its figures in words, or raises pair.Failed."""
import json
import os
import re
import time

from pair import MOBILES, TRIAL_BEGUN, Failed

HERE = os.path.dirname(os.path.abspath(__file__))

RATE, SECONDS = 100, 4
DOWN_S = 2
UNPLUG_S = 20  # the machine's PCIe slot waits 5 s for an operator who changes his mind
SPRAYED = 256
# The node's second start: two workers, which sleep between bursts.
WORKERS = 2
CHANGES = (("live = { idle = \"poll\" }", f"workers = {WORKERS}, live = {{ idle = \"sleep\" }}"),)


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
    this.pair.write_node()
    return f"running after {this.pair.serve():.1f} s"


def deliver(this):
    return told(this.deliver())


def link(this):
    """The links of both cards go down while N-PDUs arrive, and up again."""
    before = this.pair.npdus()
    this.pair.begin(RATE, 3 * DOWN_S)
    this.pair.wait_for_npdus(before + TRIAL_BEGUN)
    this.set_link(False)
    time.sleep(DOWN_S)
    this.pair.must_run()
    this.set_link(True)
    _, lost = this.pair.result()
    this.pair.must_run()
    if lost is None or lost["frames_received"] >= lost["frames_expected"]:
        raise Failed(f"no frame was lost while the links were down: {json.dumps(lost)}")
    row = this.deliver()
    return f"down under load, {lost['frames_received']} of {lost['frames_expected']} LLC frames; then {told(row)}"


def stop(this):
    figures = this.account(this.pair.stop())
    this.sent = 0
    return figures


def restart(this):
    this.pair.write_node(CHANGES)
    seconds = this.pair.serve()
    return f"{WORKERS} workers, running after {seconds:.1f} s; {told(this.deliver(octets=64))}"


def gn_frames(this):
    return [row["gn_frames"] for row in this.pair.show("workers")]


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
    return f"the workers took {' and '.join(map(str, shares))} frames" + (f" of {SPRAYED} UDP ports" if this.kind.has_taps else "")


def unplug(this):
    """The node's Gn card is unplugged: the node says so, or ends with words; it does not crash."""
    card, device = this.kind.card("node-gn"), this.pair.devices["node-gn"]
    this.machine.monitor.ask("device_del", id=card)
    line = this.pair.wait_for_line(f"{re.escape(device)}.*(unplug|remov|gone)", UNPLUG_S)
    status = this.pair.status()
    if line is None:
        raise Failed(f"the node says nothing about {device}, status {status}: {this.pair.log()[-800:]}")
    if status is None:
        this.account(this.pair.stop())
    elif status not in (0, 1):
        raise Failed(f"the node ends with status {status}: {this.pair.log()[-800:]}")
    gone = this.machine.monitor.wait_for_event(lambda event: event["event"] == "DEVICE_DELETED" and event["data"].get("device") == card, UNPLUG_S)
    if not gone:
        raise Failed(f"{device} is still in the machine after the node's end")
    return f"told: {line.strip()}"


CHECKS = (("start", start), ("deliver", deliver), ("link", link), ("stop", stop), ("restart", restart), ("queues", queues), ("unplug", unplug))
