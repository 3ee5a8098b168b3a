#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A walk of an operator who knows osmo-sgsn's VTY: each step has its answer, and its effect on Gb, Gn or GSUP as tshark sees it.

Three phones behind the real osmo-pcu, with the real osmo-hlr and osmo-ggsn. docs/from-osmo-sgsn.md has the steps, which this test compares.
"""
import os
import subprocess
import threading
import time
import unittest
import unittest.mock
from dataclasses import dataclass

import test_chain
import network
import ggsn
import hlr
import node
import sniffer
import vty
from gbflow_bts.routine import Routine

NAMES = "001010000000001", "001010000000002", "001010000000003"
ONE, TWO, THREE = NAMES
READY_S = 1
PAGE, WAIT_S = os.path.join(node.ROOT, "docs", "from-osmo-sgsn.md"), 60
HLR_VTY = 4258
PORTS = "-d", "udp.port==23000,gprs-ns"


@dataclass
class Step:
    """vty: what is typed at osmo-sgsn; command: of gbflow; answer: a pattern of what it prints; wire: (interface, display filter) of what
    is then seen; back: phones that have a context at its end. change: of the configuration, before the command; online: number of a phone that is
    switched on before it; never: a filter that nothing on its interface fits; idle: the READY timer of all phones ends before it; hlr: what is typed at osmo-hlr before it."""
    vty: str
    command: str
    answer: str
    wire: tuple = ()
    back: tuple = NAMES
    change: tuple = ()
    online: int = -1
    hlr: str = ""
    never: str = ""
    idle: bool = False
    restarts_ggsn: bool = False


# After ciphering begins tshark reads no message of a phone.
GB, GN, LO = "gb1", "gn1", "lo"
READY = '"list"', '"list", ready_timer = "1 s"'
DETACH = "gsm_a.dtap.msg_gmm_type == 0x05 or gsm_a.dtap.msg_gmm_type == 0x06"
STEPS = (
    Step("show mm-context imsi IMSI pdp", f"show subscriber {ONE}", r"(?s)gmm\n  state: +registered.*10\.46\.0\."),
    Step("of osmo-hlr: subscriber imsi IMSI update msisdn MSISDN", f"show subscriber {ONE}", "491709999", (LO, "gsup.msg_type == 0x12"),
         hlr=f"subscriber imsi {ONE} update msisdn 491709999"),
    Step("show subscriber cache", "show subscribers", f"(?s){ONE}.*{TWO}.*{THREE}"),
    Step("show pdp-context all", "show pdp", r"(?s)10\.46\.0\..*10\.46\.0\."),
    Step("show ns", "show nse", r"101.*1800.*unblocked"),
    Step("show bssgp", "show bvc", "1234.*unblocked"),
    Step("show sgsn", "show paths", r"192\.0\.2\.2"),
    Step("show running-config", "show config", "codel|policy"),
    Step("show ns binds", "show ports", "gb.*up"),
    Step("show llc", "show ms", f"(?s){ONE}.*{TWO}.*{THREE}"),
    Step("show bssgp stats", "show bvc --columns bvci,rate_bps", r"(?m)^1234 +[1-9]"),
    Step("show stats", "show phone_counts", r"(?m)^attach_complete +3\n(?s:.*)^rx_activate_request +3\n"),
    Step("show stats level peer", "show paths --columns ggsn_address,contexts", r"192\.0\.2\.2 +3"),
    Step("show cpu-sched threads", "show workers --columns worker,gb_own", r"(?m)^ +0 +[1-9]"),
    Step("show talloc-context all full", "show control --columns restarts_order,records", r"(?m)^ +0 +[1-9]\d*\n"),
    Step("show startup-config", "show config --file", "return {"),
    Step("logging level CATEGORY debug", "log gmm=debug", "gmm +debug"),
    Step("show logging vty", "log", "gmm +debug"),
    Step("logging level CATEGORY info", "log gmm=info", "gmm +info"),
    Step("logging level force-all error", "log error", "ns +error"),
    Step("no logging level force-all", "log info", "ns +info"),
    Step("page imsi IMSI", f"page {ONE}", "done: the mobile is in READY"),
    Step("show subscriber by address", "show subscriber {address}", f"imsi: +{ONE}"),
    Step("show subscriber by TLLI", "show subscriber {tlli}", f"imsi: +{ONE}"),
    Step("timer T3314 1", "reload", "mobiles.ready_timer", change=READY),
    Step("page imsi IMSI, of one that is not READY", f"page {ONE}", "done: the mobile has answered", (GB, "bssgp.pdu_type == 0x06"), idle=True),
    Step("nsvc <0-65535> block", "nsvc 1800 block", "done: the BSS has answered", (GB, "nsip.pdu_type == 0x04")),
    Step("nsvc <0-65535> unblock", "nsvc 1800 unblock", "done", (GB, "nsip.pdu_type == 0x06")),
    Step("nsvc <0-65535> reset", "nsvc 1800 reset", "done: the BSS has answered", (GB, "nsip.pdu_type == 0x02")),
    Step("bssgp bvc nsei <0-65535> bvci <0-65535> reset", "bvc 1234 reset", "done: the BSS has reset", (GB, "bssgp.pdu_type == 0x22")),
    Step("update-subscriber imsi IMSI cancel update-procedure", f"detach {ONE} --reattach", "done: .* DETACH ACCEPT", (GB, DETACH)),
    Step("no command: one context ends", f"deactivate {TWO} 5", "done: NSAPI 5", (GN, "gtp.message == 20"), (ONE, THREE)),
    Step("update-subscriber imsi IMSI cancel subscription-withdraw", f"detach {TWO}", "done: .* DETACH ACCEPT", (GB, DETACH), (ONE, THREE)),
    Step("update-subscriber imsi IMSI destroy", f"forget {THREE}", "done: the phone is forgotten", (GN, "gtp.message == 20"), (ONE,)),
    Step("auth-policy accept-all", "reload", "phones.policy", back=(ONE,), change=('"hlr", c', '"accept_all", c')),
    Step("an attach without a challenge", "show config", 'accept_all', (GB, "gsm_a.dtap.msg_gmm_type == 0x02"), (ONE, TWO), online=1, never="gsm_a.dtap.msg_gmm_type == 0x12"),
    Step("auth-policy remote", "reload", "phones.policy", back=(ONE, TWO), change=('"accept_all", c', '"hlr", c')),
    Step("an attach with a challenge", "show config", "hlr", (GB, "gsm_a.dtap.msg_gmm_type == 0x12"), NAMES, online=2),
    Step("apn APN ggsn <0-255>", "reload", "phones.apns", change=('name = "internet"', 'name = "other"')),
    Step("an APN that is gone", f"detach {TWO} --reattach", "done: .* DETACH ACCEPT", (GB, "gsm_a.dtap.msg_sm_type == 0x43"), (ONE, THREE)),
    Step("no apn APN", "reload --dry-run", "phones.apns", back=(ONE, THREE), change=('name = "other"', 'name = "internet"')),
    Step("configure terminal", "reload", "phones.apns", back=(ONE, THREE)),
    Step("encryption gea 3", "reload", "phones.ciphering", change=("{ 0 }", "{ 3, 0 }"), back=(ONE, THREE)),
    Step("an attach that is ciphered", f"detach {THREE} --reattach", "done: .* DETACH ACCEPT", (GB, "gsm_a.gm.gmm.type_of_ciph_alg == 3"), (ONE, THREE)),
    Step("show subscriber imsi IMSI", f"show subscriber {THREE}", "(?s)security.* 3", back=(ONE, THREE)),
    Step("what a reload would change", "show config --difference", r"\A0 mobiles added, 0 removed.*\n\Z", back=(ONE, THREE)),
    Step("show rate-counters", "show phone_counts", "attach_request", back=(ONE, THREE)),
    Step("restart of the control plane", "restart-control", "control has restarted", back=(ONE, THREE)),
    Step("page imsi IMSI after it", f"page {ONE}", "done: the mobile", back=(ONE, THREE)),
    Step("update-subscriber imsi IMSI destroy, the last", f"forget {THREE}", "done: the phone is forgotten", (GN, "gtp.message == 20"), (ONE,)),
    Step("what was done to phones", "show acts", "(?s)detach.*forget", back=(ONE,)),
    Step("of osmo-ggsn: a restart", "show subscribers", ONE, (GN, "gtp.message == 20"), (), restarts_ggsn=True),
    Step("of osmo-hlr: subscriber imsi IMSI update network-access-mode cs", "show subscribers", rf"\A(?!(?s:.*{ONE}))",
         (LO, "gsup.msg_type == 0x16"), (), hlr=f"subscriber imsi {ONE} update network-access-mode cs"),
)


def row(number, step):
    """Of the page's table."""
    seen = f"{step.wire[0]}: `{step.wire[1]}`".replace("||", "or") if step.wire else "the answer"
    return f"| {number} | {step.vty.replace('|', chr(92) + '|')} | `gbflow {step.command}` | {seen} |"


class Operator(test_chain.Case):
    phones_wanted, judged = 3, False

    def bring_up(self):
        """As Case, with an HLR that has all phones, and each phone in a thread."""
        first = hlr.Hlr
        others = [(phone.imsi, test_chain.KI) for phone in self.phones[1:]]
        with unittest.mock.patch.object(hlr, "Hlr", lambda lab, imsi, ki: first(lab, imsi, ki, *others)):
            super().bring_up()
        self.text = network.TEXT
        self.more = test_chain.PHONES % {"ciphering": self.ciphering}
        self.taps = {GN: self.ear, GB: sniffer.Sniffer(self.lab, "bss", GB), LO: sniffer.Sniffer(self.lab, "node", LO)}
        for name in (GB, LO):
            self.addCleanup(self.taps[name].close)
        self.console = vty.Vty(self.lab, "node", HLR_VTY)
        self.addCleanup(self.console.close)
        self.routines = [Routine(phone, ggsn.APN.encode()) for phone in self.phones]
        for routine in self.routines:
            threading.Thread(target=routine.play, daemon=True).start()
        self.wait_for_contexts(NAMES)

    def wait_for_contexts(self, names):
        self.node.show_until("pdp", lambda rows: sorted(row["imsi"] for row in rows) == sorted(names), WAIT_S)

    def wait_for_wire(self, step):
        interface, display_filter = step.wire
        end = time.monotonic() + WAIT_S
        while not self.taps[interface].ask(*PORTS, "-Y", display_filter):
            self.assertLess(time.monotonic(), end, f"tshark: nothing of {display_filter}")
            time.sleep(0.2)

    def named(self, imsi):
        """Other names of a phone."""
        rows = [row for table in ("pdp", "subscribers") for row in self.node.show(table) if row["imsi"] == imsi]
        return {"address": "", "tlli": "", **{key: row[key] for row in rows for key in ("address", "tlli") if key in row}}

    def take(self, step):
        for tap in self.taps.values():
            tap.frames.clear()
        if step.change:
            self.text, self.more = self.text.replace(*step.change), self.more.replace(*step.change)
            self.node.write(self.text, more=self.more)
        if step.idle:
            time.sleep(READY_S + 1)
        if step.restarts_ggsn:
            self.far.stop()
            self.far.start()
        if step.hlr:
            self.console.command(step.hlr)
            self.wait_for_wire(step)
        if step.online >= 0:
            routine = self.routines[step.online]
            routine.wish(routine.go_online)
        done = subprocess.run([node.program(), *step.command.format(**self.named(ONE)).split(), "--prefix", self.node.prefix], capture_output=True, text=True,
                              check=False, timeout=WAIT_S, env=self.node.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, step.answer)
        if step.wire:
            self.wait_for_wire(step)
        if step.never:
            self.assertFalse(self.taps[step.wire[0]].ask(*PORTS, "-Y", step.never), step.never)
        self.wait_for_contexts(step.back)

    def test_page(self):
        """It has the steps in their order."""
        with open(PAGE, encoding="utf-8") as file:
            rows = [line.rstrip("\n") for line in file if line.startswith("| ") and line[2].isdigit()]
        self.assertEqual(rows, [row(number, step) for number, step in enumerate(STEPS, 1)])

    def test_walk(self):
        self.bring_up()
        for step in STEPS:
            with self.subTest(step.command):
                self.take(step)
        self.assertIsNone(self.bts.fault)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
