# SPDX-License-Identifier: BSD-3-Clause
"""A node and its generator in the virtual machine, on the cards of one kind."""
import json
import re
import time

MOBILES, CELLS = 16, 2
START_S, STOP_S, TRIAL_S = 60, 30, 90
PREFIX = "nic"
TRIAL_BEGUN = 150  # more N-PDUs than the generator's bursts before its trial


class Failed(Exception):
    """A check does not hold."""


class Pair:
    def __init__(self, machine, program, devices):
        """devices: PCI addresses by side (cards.SIDES)."""
        self.machine, self.program, self.devices = machine, program, devices
        self.run(f"rm -rf /run/{PREFIX} && mkdir /run/{PREFIX}")

    def run(self, command, timeout_s=60):
        status, text = self.machine.run(f"cd /run/{PREFIX} 2>/dev/null; {command}", timeout_s)
        if status != 0:
            raise Failed(f"{command}: status {status}: {text[-1500:]}")
        return text

    def options(self, side):
        return f"--mobiles {MOBILES} --cells {CELLS} --set teids=foreign --gn {self.devices[side + '-gn']} --gb {self.devices[side + '-gb']}"

    # --- the node ---

    def write_node(self, changes=()):
        """changes: pairs of a text of the node's file and what takes its place."""
        text = self.run(f"{self.program} bench node node.lua {self.options('node')} && cat node.lua")
        for old, new in (("gbflow-generate", PREFIX), *changes):
            if old not in text:
                raise Failed(f"gbflow bench node writes no '{old}'")
            text = text.replace(old, new)
        lines = " ".join("'" + line.replace("'", "'\\''") + "'" for line in text.splitlines())
        self.run(f"printf '%s\\n' {lines} >node.lua")

    def serve(self):
        """Seconds until it runs."""
        start = time.monotonic()
        inner = f"echo $$ >node.pid; exec {self.program} serve node.lua --verbose --json node.json >node.out 2>node.log"
        self.run(f"rm -f node.json node.status node.pid node.log; {{ sh -c '{inner}'; echo $? >node.status; }} &")
        if self.wait_for_line("gbflow: running", START_S) is None:
            raise Failed(f"the node does not start: {self.log()[-1500:]}")
        return time.monotonic() - start

    def log(self):
        return self.run("cat node.log 2>/dev/null; true")

    def status(self):
        """Of a node that has ended; None: it runs."""
        text = self.run("cat node.status 2>/dev/null; true").strip()
        return int(text) if text else None

    def wait_for_line(self, pattern, timeout_s, behind=""):
        """The line of the node's log, behind what the log was; None when there is none until the node's end or the time's."""
        end = time.monotonic() + timeout_s
        while True:
            has_ended = self.status() is not None
            found = re.search(f".*{pattern}.*", self.log()[len(behind):])
            if found:
                return found.group(0)
            if has_ended or time.monotonic() > end:
                return None
            time.sleep(0.3)

    def wait_for_end(self, timeout_s=STOP_S):
        end = time.monotonic() + timeout_s
        while (status := self.status()) is None:
            if time.monotonic() > end:
                raise Failed(f"the node does not end: {self.log()[-1500:]}")
            time.sleep(0.3)
        return status

    def must_run(self):
        if self.status() is not None:
            raise Failed(f"the node has ended with status {self.status()}: {self.log()[-1500:]}")

    def stop(self):
        """Ends it; its report."""
        self.must_run()
        self.run("kill -TERM $(cat node.pid)")
        status = self.wait_for_end()
        if status != 0:
            raise Failed(f"the node ends with status {status}: {self.log()[-1500:]}")
        return self.report()

    def report(self):
        return json.loads(self.run("cat node.json"))

    def show(self, what):
        return json.loads(self.run(f"{self.program} show {what} --json --prefix {PREFIX}"))

    def npdus(self):
        """N-PDUs that have arrived at the node, by its own count."""
        return self.show("node")[0]["npdu_in"]

    def wait_for_npdus(self, wanted):
        end = time.monotonic() + START_S
        while (there := self.npdus()) < wanted:
            if time.monotonic() > end:
                raise Failed(f"{there} N-PDUs have arrived, {wanted} are due: {self.trial_log()[-1500:]}")

    # --- the generator ---

    def begin(self, rate, seconds, octets=512, more=""):
        """Starts a trial."""
        inner = f"{self.program} bench generate {self.options('far')} --rate {rate} --seconds {seconds} --octets {octets} --check-fcs"
        self.run(f"rm -f trial.*; {{ timeout {TRIAL_S} {inner} {more} --json trial.json >trial.log 2>&1; echo $? >trial.status; }} &")

    def result(self):
        """Waits for its end; (status, row of its report or None)."""
        status = self.run(f"for i in $(seq {4 * TRIAL_S}); do [ -e trial.status ] && break; sleep 0.25; done; cat trial.status", TRIAL_S + 60)
        report = self.run("cat trial.json 2>/dev/null; true")
        trials = json.loads(report)["trials"] if report.strip() else []
        return int(status), trials[0] if trials else None

    def trial_log(self):
        return self.run("cat trial.log 2>/dev/null; true")

    def kill(self):
        """For the end of a check that failed."""
        self.machine.run(f"cd /run/{PREFIX} && kill -KILL $(cat node.pid); pkill -KILL -x gbflow; pkill -KILL timeout; sleep 0.5; true")
