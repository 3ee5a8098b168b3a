# SPDX-License-Identifier: BSD-3-Clause
"""An operator acts on one phone, NS-VC or cell: what peers are sent, what the command answers, and what the node is then."""
import contextlib
import json
import os
import pathlib
import subprocess
import time
import unittest

import node
import phone_peer
import test_emulate_phones
import test_ggsn
import test_paging
import test_phones
import test_restart
import test_walk
from gb_oracle import bssgp
from gbflow_top import telemetry

IMSI = test_phones.IMSI
TIMERS = ', timers = { ns = { reset = "%s", reset_retries = 1, block = "%s" }, bssgp = { t3313 = "%s", t3313_retries = 1 } }'
DEACTIVATE_REQUEST, DEACTIVATE_ACCEPT = 0x46, 0x47
NS_RESET, NS_BLOCK, NS_BLOCK_ACK, NS_STATUS, BVC_RESET, PAGING_PS = 0x02, 0x04, 0x05, 0x08, 0x22, 0x06
REATTACH, NO_REATTACH = 1, 2


def run_command(test, *words):
    """A command of `gbflow` that ends by itself: status, and what it says."""
    done = subprocess.run([node.program(), *words, "--prefix", test.node.prefix], capture_output=True, text=True, check=False, timeout=120,
                          env=test.node.environment())
    return done.returncode, done.stdout + done.stderr


class Act:
    """A command of `gbflow` that runs while the test plays the peers."""

    def __init__(self, test, *words):
        self.test = test
        self.process = subprocess.Popen([node.program(), *words, "--prefix", test.node.prefix], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=test.node.environment())
        test.addCleanup(self.close)

    def close(self):
        self.process.kill()
        self.process.communicate()

    def ends(self, status, *words):
        """It has ended so, and says these words."""
        out, err = self.process.communicate(timeout=60)
        self.test.assertEqual(self.process.returncode, status, out + err)
        for word in words:
            self.test.assertIn(word, err if status else out)


class Case(test_phones.Case):
    waits = ("60 s",) * 3  # a peer that answers may be late on a busy machine

    def begin(self, *words, **values):  # pylint: disable=arguments-differ
        super().begin(*words, more=TIMERS % self.waits + values.pop("more", ""), **values)

    def be_quick(self):
        """For peers that do not answer."""
        self.waits, self.phones = ("1 s",) * 3, test_phones.quick("t3322", "t3395")

    def attach(self, has_context=True):
        self.begin()
        self.handset.attach_fully()
        if has_context:
            self.handset.activate()

    def act(self, *words):
        return Act(self, *words)

    def subscribers(self):
        return [row["state"] for row in self.node.show("subscribers")]

    def next_ns(self, kind):
        """The next one of that kind; answers to repetitions of the bring-up may come before it."""
        octets = self.bss.ns.get(timeout=60)
        while octets[0] != kind:
            self.assertIn(octets[0], (bssgp.NS_RESET_ACK, bssgp.NS_UNBLOCK_ACK))
            octets = self.bss.ns.get(timeout=60)
        return octets

    def is_quiet(self, timeout_s=0.5):
        """The BSS is sent nothing."""
        time.sleep(timeout_s)
        self.assertTrue(self.bss.ns.empty() and self.bss.bssgp.empty() and self.bss.pdus.empty())


class Detach(Case):
    def test_detach(self):
        """Answered; the context is deleted at the GGSN, too."""
        for option, kind in (((), NO_REATTACH), (("--reattach",), REATTACH)):
            with self.subTest(option):
                self.attach()
                act = self.act("detach", IMSI, *option)
                self.assertEqual(self.handset.next(), bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, kind]))
                self.handset.send(bytes([phone_peer.GMM, phone_peer.DETACH_ACCEPT]))
                act.ends(0, "done: the phone has answered by DETACH ACCEPT")
                self.assertEqual(self.subscribers(), [])
                self.node.wait_for(rf"act 1: detach imsi={IMSI}.*: asked for by uid {os.geteuid()}, pid {act.process.pid}")
                self.node.wait_for(rf"act 1: detach imsi={IMSI}.*: done")
                row = self.node.show("acts")[0]
                self.assertEqual((row["state"], row["uid"], row["pid"]), ("done", os.geteuid(), act.process.pid))
                self.assertEqual(self.finish().count(test_ggsn.DELETE), 1)
                self.doCleanups()
                self.setUp()

    def test_no_answer(self):
        self.be_quick()
        self.attach()
        act = self.act("detach", IMSI)
        for _ in range(5):
            self.assertEqual(self.handset.next()[:2], bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST]))
        act.ends(1, "not done: the phone has answered neither a page nor DETACH REQUEST")
        self.assertEqual(self.subscribers(), [])
        self.finish()

    def test_attaches_first(self):
        """Under another TLLI, without an answer: the act says so, and the phone is served as a new one."""
        self.attach()
        act = self.act("detach", IMSI, "--reattach")
        self.assertEqual(self.handset.next()[:2], bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST]))
        self.handset.tlli = 0x78000002
        self.handset.begin_llc()
        self.handset.attach_fully()
        act.ends(1, "not done: the phone attaches before it has answered, and is served as a new one")
        self.assertEqual(self.subscribers(), ["registered"])
        self.finish()

    def test_forget(self):
        """The phone hears nothing; what it sends next is that of an unknown phone."""
        self.attach()
        self.act("forget", IMSI).ends(0, "done: the phone is forgotten")
        self.is_quiet()
        self.assertEqual(self.subscribers(), [])
        self.handset.update()
        self.assertEqual(self.handset.next()[:3], bytes([phone_peer.GMM, phone_peer.RAU_REJECT, 10]))
        self.assertEqual(self.finish().count(test_ggsn.DELETE), 1)


class Sessions(Case):
    def test_deactivate(self):
        """The phone and the GGSN are told; the phone stays registered."""
        self.attach()
        act = self.act("deactivate", IMSI, "5")
        self.assertEqual(self.handset.next(), bytes([0x8A, DEACTIVATE_REQUEST, 36, 0x91]))
        self.handset.send(bytes([phone_peer.SM, DEACTIVATE_ACCEPT]))
        act.ends(0, "done: NSAPI 5: the phone has answered by DEACTIVATE PDP CONTEXT ACCEPT")
        self.assertEqual((self.subscribers(), self.node.show("pdp")), (["registered"], []))
        self.act("deactivate", IMSI, "5").ends(1, f"IMSI {IMSI}: no context of NSAPI 5; `gbflow show subscribers`")
        self.assertEqual(self.finish().count(test_ggsn.DELETE), 1)

    def test_deactivate_unanswered(self):
        self.be_quick()
        self.attach()
        act = self.act("deactivate", IMSI)
        for _ in range(5):
            self.assertEqual(self.handset.next()[1:2], bytes([DEACTIVATE_REQUEST]))
        act.ends(1, "not done: NSAPI 5: the phone has answered neither a page nor DEACTIVATE PDP CONTEXT REQUEST")
        self.finish()

    def test_control_restarts_meanwhile(self):
        """The act is in the record of its machine: it ends as without a restart."""
        self.attach()
        act = self.act("deactivate", IMSI)
        self.handset.next()
        test_restart.restart(self, self.node)
        self.handset.send(bytes([phone_peer.SM, DEACTIVATE_ACCEPT]))
        act.ends(0, "done: NSAPI 5")
        self.finish()

    def test_two_at_once(self):
        """Each has its own answer; a second one on the same phone is refused."""
        self.attach()
        first = self.act("detach", IMSI)
        self.handset.next()
        self.act("detach", IMSI).ends(1, f"IMSI {IMSI}: an act on it is in progress; `gbflow show acts` shows it")
        second = self.act("nsvc", "101", "block")
        self.next_ns(NS_BLOCK)
        self.bss.send(bytes([NS_BLOCK_ACK]) + bssgp.tlv(1, b"\0\x65"))
        second.ends(0, "done: the BSS has answered")
        second = self.act("nsvc", "101", "unblock")
        self.next_ns(bssgp.NS_UNBLOCK)
        self.bss.send(bytes([bssgp.NS_UNBLOCK_ACK]))
        second.ends(0, "done")
        self.handset.send(bytes([phone_peer.GMM, phone_peer.DETACH_ACCEPT]))
        first.ends(0, "done: the phone has answered by DETACH ACCEPT")
        self.finish()


class Page(Case):
    def begin(self, *words, **values):
        text = node.TEXT.replace('source = "list"', 'ready_timer = "6 s", source = "list"')
        super().begin(*words, text=text, **values)

    def stand_by(self):
        self.attach(has_context=False)
        self.node.wait_for_standby()
        self.is_quiet()

    def test_page(self):
        self.stand_by()
        self.act("page", IMSI, "--dry-run").ends(0, "would send: PAGING-PS: the mobile is in STANDBY")
        self.is_quiet()
        act = self.act("page", IMSI)
        pdu = self.bss.bssgp.get(timeout=60)
        self.assertEqual(pdu.kind, PAGING_PS)
        self.handset.send_frame(phone_peer.GMM_SAPI, b"")  # a cell update answers it
        act.ends(0, "done: the mobile has answered")
        self.finish()

    def test_ready(self):
        super().begin()
        self.handset.attach_fully()
        self.act("page", IMSI).ends(0, "done: the mobile is in READY, so no page was needed")
        self.finish()

    def test_no_answer(self):
        self.be_quick()
        self.stand_by()
        act = self.act("page", IMSI)
        self.assertEqual([self.bss.bssgp.get(timeout=60).kind for _ in range(2)], [PAGING_PS] * 2)
        act.ends(1, "not done: no answer to PAGING-PS and its repetitions")
        self.finish()


class Refusals(Case):
    def test_dry_run_and_unknown(self):
        """Nothing is sent, and nothing is other than before."""
        self.attach()
        before = self.node.show("subscribers"), self.node.show("pdp"), self.node.show("nse")[0]["state"]
        rows = ((("detach", IMSI), "would send: DETACH REQUEST (re-attach not required)"), (("detach", IMSI, "--reattach"), "(re-attach required)"),
                (("deactivate", IMSI), "would send: DEACTIVATE PDP CONTEXT REQUEST"), (("forget", IMSI), "would send: nothing to the phone"),
                (("page", IMSI), "would send: nothing: the mobile is in READY, so no page is needed"), (("nsvc", "101", "reset"), "would send: NS-RESET, then NS-UNBLOCK"),
                (("nsvc", "101", "block"), "would send: NS-BLOCK"), (("bvc", "1800", "reset"), "would send: BVC-RESET of BVCI 1800"),
                (("bvc", "1800", "block"), "would send: nothing: TS 48.018 clause 8.3 lets only a BSS block a cell"))
        for words, said in rows:
            self.act(*words, "--dry-run").ends(0, said)
        self.is_quiet()
        self.assertEqual((self.node.show("subscribers"), self.node.show("pdp"), self.node.show("nse")[0]["state"]), before)
        self.assertEqual({row["state"] for row in self.node.show("acts")}, {"dry run"})
        for words, said in ((("detach", "262420000000009"), "IMSI 262420000000009: no phone has it"), (("page", "262420000000009"), "no mobile has it"),
                            (("nsvc", "7", "reset"), "NSVCI 7: no NS-VC has it"), (("bvc", "7", "reset"), "BVCI 7: no cell has it"),
                            (("nsvc", "101", "unblock"), "it is unblocked, so there is nothing to unblock"),
                            (("nsvc", "101", "reset", "--nsei", "9"), "NSVCI 101 of NSE 9"),
                            (("bvc", "1800", "unblock"), "it is not blocked by an operator")):
            self.act(*words).ends(1, said)
        self.finish()

    def test_raw_orders(self):
        """At the socket, past the command's own checks: nothing is done, no error of Lua is counted."""
        self.attach()
        folder = pathlib.Path(self.node.environment()["RUNTIME_DIRECTORY"]) / "dpdk" / self.node.prefix / telemetry.SOCKET
        orders = ("verb=detach", f"verb=deactivate,imsi={IMSI},nsapi=x", f"verb=harmless,imsi={IMSI},verb=forget", f"verb=forget,imsi={IMSI},imsi={IMSI}",
                  "verb=plan", "verb=nsvc", "verb=nsvc,nsvci=101", "verb=bvc,act=block,bvci=0x708", "verb=bvc,act=block,bvci=1800,nsei=zzz",
                  f"verb=page,imsi={IMSI},act=reset", f"verb=forget,imsi={IMSI},key={40 * 'k'}")
        with contextlib.closing(telemetry.Client(self.node.prefix, path=folder)) as client:
            for number, order in enumerate(orders):
                self.assertIn(b"parameters: not key=KEY", client.send(f"/gbflow/act,key={number},{order}"), order)
            self.assertIn(b"parameter: compare, or none", client.send("/gbflow/reload,compare,"))
            self.assertIn(b'"ok"', client.send(f"/gbflow/act,key=one,verb=page,imsi={IMSI},dry=yes"))
            self.assertIn(b"another act has it", client.send(f"/gbflow/act,key=one,verb=page,imsi={IMSI},dry=yes"))
        self.assertEqual(self.node.show("control")[0]["lua_errors"], 0)
        self.assertEqual([row["act"] for row in self.node.show("acts")], [f"page imsi={IMSI}"])
        self.finish()

    def test_wrong_arguments(self):
        self.begin()
        for words, said in ((("detach", "12"), "not an IMSI of 6 to 15 digits: 12"), (("deactivate", IMSI, "4"), "not an NSAPI from 5 to 15: 4"),
                            (("nsvc", "101", "rest"), "reset"), (("bvc", "0", "reset"), "'0' is no bvci from 2 to 65535"), (("page",), "missing IMSI")):
            act = self.act(*words)
            _, err = act.process.communicate(timeout=60)
            self.assertEqual(act.process.returncode, 2)
            self.assertIn(said, err)
        self.finish()


class Links(Case):
    def test_nsvc_block(self):
        """What the BSS does leaves it blocked; the operator ends it."""
        self.attach(has_context=False)
        act = self.act("nsvc", "101", "block")
        octets = self.next_ns(NS_BLOCK)
        self.bss.send(bytes([NS_BLOCK_ACK]) + octets[4:])
        act.ends(0, "done: the BSS has answered, and the NS-VC is blocked at both ends")
        self.assertEqual(self.node.show("nse")[0]["state"], "barred")
        self.bss.send(bytes([bssgp.NS_UNBLOCK]))
        self.assertEqual(self.next_ns(NS_STATUS)[1:4], bytes([0, 0x81, 3]))
        act = self.act("nsvc", "101", "unblock")
        self.next_ns(bssgp.NS_UNBLOCK)
        self.bss.send(bytes([bssgp.NS_UNBLOCK_ACK]))
        act.ends(0, "done")
        self.assertEqual(self.node.show("nse")[0]["state"], "unblocked")
        self.finish()

    def test_bvc(self):
        """BVC-RESET is answered; a blocked cell is sent no packet of users, and has it later."""
        self.attach()
        self.ping(1)
        self.act("bvc", "1800", "block").ends(0, "done: the node sends nothing there")
        phone = self.handset
        phone.send_packet(test_phones.echo(phone.address, test_ggsn.SERVER, 8, 2))
        self.is_quiet(1)
        cell = self.node.show("bvc")[0]
        self.assertEqual((cell["state"], cell["usable"], self.node.show("ms")[0]["waits_for"]), ("barred", "no", "unusable cell"))
        self.act("bvc", "1800", "unblock").ends(0, "done: the node sends there again")
        self.assertEqual(phone.packet()[26:28], b"\0\2")
        act = self.act("bvc", "1800", "reset")
        pdu = self.bss.bssgp.get(timeout=60)
        self.assertEqual((pdu.kind, pdu.number(bssgp.BVCI)), (BVC_RESET, 1800))
        self.bss.send_bssgp(0, bytes([bssgp.BVC_RESET_ACK]) + bssgp.tlv(bssgp.BVCI, b"\7\x08") + bssgp.tlv(8, self.bss.cell_id))
        act.ends(0, "done: the BSS has reset the cell")
        self.bss.announce(tag=3)
        self.ping(3)
        self.finish()


class Subscriber(Case):
    def show(self, key, *words, status=0):
        done = subprocess.run([node.program(), "show", "subscriber", key, "--prefix", self.node.prefix, *words], capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment())
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout) if "--json" in words else done.stderr if status else done.stdout

    def test_all_of_one(self):
        self.attach()
        phone = self.handset
        keys = (IMSI, f"{phone.tlli:08x}", f"0x{phone.tlli & 0x3fffffff | 0xc0000000:08x}", phone.address)
        for key in keys:
            shown = self.show(key, "--json")
            self.assertEqual((shown["identity"]["imsi"], shown["gmm"]["state"], shown["gmm"]["timer"]), (IMSI, "registered", "implicit"))
            context = shown["contexts"][0]
            self.assertEqual((context["nsapi"], context["state"], context["apn"], context["ipv4"]), (5, "active", "internet", phone.address))
            self.assertEqual(shown["place"]["bvci"], 1800)
            self.assertRegex(context["teid"], "^[0-9a-f]{8}$")
            self.assertIn("queued_octets", shown["queue"])
        self.assertLessEqual(len(shown["events"]), 10)
        self.assertIn("rx_complete", [event["event"] for event in shown["events"]])
        text = self.show(IMSI)
        self.assertRegex(text, r"(?m)^gmm\n  state: +registered\n")
        self.assertIn("262420000000009: no subscriber has this IMSI, TLLI, P-TMSI or address", self.show("262420000000009", status=1))
        done = self.node.run_show("subscribers", IMSI)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"gbflow show subscriber {IMSI}", done.stderr)
        self.finish()


class Nsvc(Case):
    waits = ("60 s", "3 s", "60 s")  # the node unblocks when the BSS has not for Tns-block

    def test_reset(self):
        self.attach(has_context=False)
        act = self.act("nsvc", "101", "reset")
        octets = self.next_ns(NS_RESET)
        self.bss.send(bytes([bssgp.NS_RESET_ACK]) + octets[4:])
        self.next_ns(bssgp.NS_UNBLOCK)
        self.bss.send(bytes([bssgp.NS_UNBLOCK_ACK]))
        act.ends(0, "done: the BSS has answered, and the NS-VC is in service")
        self.assertEqual(self.node.show("nse")[0]["state"], "unblocked")
        self.finish()

    def test_reset_ends_a_block(self):
        self.attach(has_context=False)
        act = self.act("nsvc", "101", "block")
        octets = self.next_ns(NS_BLOCK)
        self.bss.send(bytes([NS_BLOCK_ACK]) + octets[4:])
        act.ends(0, "blocked at both ends")
        self.act("nsvc", "101", "reset", "--dry-run").ends(0, "NSVCI 101 of NSE 101, which ends the block by the operator")
        act = self.act("nsvc", "101", "reset")
        octets = self.next_ns(NS_RESET)
        self.bss.send(bytes([bssgp.NS_RESET_ACK]) + octets[4:])
        self.next_ns(bssgp.NS_UNBLOCK)
        self.bss.send(bytes([bssgp.NS_UNBLOCK_ACK]))
        act.ends(0, "the NS-VC is in service; the block by the operator is over")
        self.assertEqual(self.node.show("nse")[0]["state"], "unblocked")
        self.finish()

    def test_reset_unanswered(self):
        self.be_quick()
        self.attach(has_context=False)
        act = self.act("nsvc", "101", "reset", "--nsei", "101")
        self.next_ns(NS_RESET)
        self.next_ns(NS_RESET)
        act.ends(1, "not done: no answer to NS-RESET")
        self.finish()


class Emulated(test_emulate_phones.Case):
    def test_phones_of_the_emulated_bss(self):
        """Each act with phones that answer by themselves."""
        self.emulate('policy = "accept_all"', "count = 2")
        first, second = (row["imsi"] for row in self.node.show("subscribers"))
        self.assertIn("done: the mobile is in READY", run_command(self, "page", first)[1])
        status, said = run_command(self, "deactivate", first)
        self.assertEqual((status, "ACCEPT" in said), (0, True), said)
        status, said = run_command(self, "detach", first, "--reattach")
        self.assertEqual((status, "DETACH ACCEPT" in said), (0, True), said)
        self.node.show_until("subscribers", lambda rows: [row["state"] for row in rows] == ["registered"] * 2)  # it attaches again
        self.assertEqual(run_command(self, "forget", second)[0], 0)
        status, said = run_command(self, "bvc", "1800", "reset")
        self.assertEqual((status, "has reset the cell" in said), (0, True), said)
        self.assertEqual([row["state"] for row in self.node.show("acts")], ["done"] * 5)
        self.assertEqual(self.bss.stop(), 0)
        self.assertEqual(self.node.stop(), 0)


class Listed(test_walk.Case):
    def test_mobile_of_the_list(self):
        """It can be paged; it is no phone, and says so."""
        test_paging.Paging.start(self)
        self.node.wait_for_standby()
        act = Act(self, "page", IMSI)
        test_paging.Paging.is_paged(self)
        self.check_up(200)
        act.ends(0, "done: the mobile has answered")
        Act(self, "detach", IMSI).ends(1, "this node has no phones (key `phones`)")
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
