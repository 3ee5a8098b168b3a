#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A walk of an operator who knows osmo-sgsn's VTY: each step has its answer, and its effect on Gb, Gn or GSUP as tshark sees it.

Three phones behind the real osmo-pcu, with the real osmo-hlr and osmo-ggsn. docs/from-osmo-sgsn.md has the steps, which this test compares.
"""
import os
import queue
import re
import struct
import subprocess
import threading
import time
import unittest
import unittest.mock

import test_chain
import network
import ggsn
import hlr
import node
import sniffer
import users
import vty
from gb_oracle import writer
from gbflow_bts import layer3
from gbflow_bts.routine import Routine
from operator_steps import GB, GN, LO, NAMES, ONE, OTHER_GGSN, READY, STEPS

PAGE, WAIT_S, PAUSE_S = os.path.join(node.ROOT, "docs", "from-osmo-sgsn.md"), 60, 0.1
HLR_VTY, AGAIN = 4258, 4  # repetitions of a request, and one
PORTS = "-d", "udp.port==23000,gprs-ns"
RECORDS = 'records = { file = "records", every = "1 s" }, hlr = {'
PING = 8, 0, 0, 9, 1  # echo request; number and sequence
OFF = bytes([0x40 | layer3.SM, layer3.DEACTIVATE_REQUEST, 36])  # without the transaction's number


def any_of(numbers):
    """A pattern."""
    return "(?:" + "|".join(str(number) for number in numbers) + ")"


class Operator(test_chain.Case):
    phones_wanted, judged, node_values = 3, False, {"live_more": ", log_lines = 1000"}

    # --- the peers

    def bring_up(self):
        """As Case, with an HLR that has all phones, charging records, and each phone in a thread."""
        first = hlr.Hlr
        others = [(phone.imsi, test_chain.KI) for phone in self.phones[1:]]
        phones = test_chain.PHONES.replace("hlr = {", RECORDS)
        with unittest.mock.patch.object(hlr, "Hlr", lambda lab, imsi, ki: first(lab, imsi, ki, *others)), \
                unittest.mock.patch.object(test_chain, "PHONES", phones):
            super().bring_up()
        self.text, self.more = network.TEXT, phones % {"ciphering": self.ciphering}
        self.taps = {GN: self.ear, GB: sniffer.Sniffer(self.lab, "bss", GB), LO: sniffer.Sniffer(self.lab, "node", LO)}
        for name in (GB, LO):
            self.addCleanup(self.taps[name].close)
        self.consoles = [vty.Vty(self.lab, "node", HLR_VTY), vty.Vty(self.lab, "bss")]
        for console in self.consoles:
            self.addCleanup(console.close)
        self.values, self.followed = {"updates": 0, "pings": 0}, None
        self.routines = [Routine(phone, ggsn.APN.encode()) for phone in self.phones]
        for routine in self.routines:
            threading.Thread(target=routine.play, daemon=True).start()
        self.wait_for_contexts(NAMES)
        for number in range(len(NAMES)):
            self.by_phone(number, lambda: None)

    def by_phone(self, number, do):
        """In the thread of the phone; it has ended, or was refused, when this returns."""
        done, routine = queue.Queue(), self.routines[number]

        def play():
            try:
                do()
            finally:
                done.put(True)
        routine.wish(play)
        done.get(timeout=WAIT_S)
        self.values[f"tlli{number + 1}"] = f"{routine.handset.tlli:08x}"
        self.values[f"former{number + 1}"] = self.values.get(f"address{number + 1}")
        self.values[f"address{number + 1}"] = routine.address

    def update(self, *numbers):
        """A phone without an answer for 20 s asks again."""
        before = sum(int(row["count"]) for row in self.node.show("phone_counts") if row["name"] == "rx_rau_request")
        for number in numbers:
            self.by_phone(number, self.routines[number].update)
        self.values["updates"] = any_of(range(before + len(numbers), before + len(numbers) + AGAIN))

    def online(self, number):
        self.by_phone(number, self.routines[number].go_online)

    def activate(self, number, nsapi=6):
        """One more context."""
        phone = self.phones[number]
        self.by_phone(number, lambda: phone.activate(ggsn.APN.encode(), nsapi))
        self.values[f"more{number + 1}"] = phone.address

    def deactivate(self, number, nsapi=6):
        phone = self.phones[number]

        def play():
            phone.send(bytes([OFF[0] & 15 | (nsapi - layer3.FIRST_NSAPI) << 4]) + OFF[1:])
            phone.expect(layer3.SM, layer3.DEACTIVATE_ACCEPT)
        self.by_phone(number, play)

    def come_and_go(self, number):
        self.activate(number, 7)
        self.deactivate(number, 7)

    def ping(self, number):
        """84 octets, which are answered."""
        phone, request = self.phones[number], struct.pack(">BBHHH", *PING) + bytes(56)
        request = request[:2] + struct.pack(">H", writer.checksum(request)) + request[4:]
        phone.send_packet(writer.ipv4(self.routines[number].address, users.SERVER, request, 1))
        phone.packet(WAIT_S)
        self.values["pings"] += 1

    def interval(self, number):
        """A ping, and the next record of a context."""
        self.ping(number)
        self.until(lambda: self.has_line("context_interim"), WAIT_S, "no record")

    def idle(self):
        """The READY timer of all phones ends."""
        for row in self.node.show("ms"):
            self.node.wait_for_standby(row["imsi"])

    def page_in_standby(self, imsi):
        """Before the step the READY timer has its default."""
        if READY[1] in self.text + self.more:
            self.node.wait_for_standby(imsi)
        self.operate(f"page {imsi}")

    def hlr_says(self, line):
        self.consoles[0].command(line)

    def pcu_says(self, line):
        self.consoles[1].command(line)

    def pcu_limits(self, line):
        self.consoles[1].configure("pcu", line)

    def cut_gn(self):
        for state in ("down", "up"):
            self.lab.ip(self.lab.names["ggsn"], "link", "set", GN, state)
            time.sleep(PAUSE_S)

    def ggsn_restarts(self):
        self.far.stop()
        self.far.start()

    def ggsn_moves(self):
        self.far.stop()
        self.lab.ip(self.lab.names["ggsn"], "address", "add", OTHER_GGSN + "/24", "dev", GN)
        self.far = ggsn.Ggsn(self.lab, OTHER_GGSN)
        self.addCleanup(self.far.close)

    # --- the operator

    def filled(self, text, records=None):
        for name, value in {**self.values, "records": records or len(self.records())}.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def shows(self, command, pattern):
        """Records may be written while the command runs."""
        before, text = len(self.records()), self.read(command)
        return re.search(self.filled(pattern, any_of(range(before, len(self.records()) + 1))), text)

    def operate(self, command):
        return subprocess.run([node.program(), *self.filled(command).split(), "--prefix", self.node.prefix], capture_output=True, text=True,
                              check=False, timeout=WAIT_S, env=self.node.environment())

    def mark(self):
        """Lines that are written from now on count, of the log and of the charging records."""
        self.marks = len(self.node.lines), len(self.records())

    def records(self):
        with open(os.path.join(self.node.holder.name, "records"), encoding="utf-8") as file:
            return file.read().splitlines()

    def has_line(self, pattern):
        lines = self.node.lines[self.marks[0]:] + self.records()[self.marks[1]:]
        return any(re.search(self.filled(pattern), line) for line in lines)

    def follow(self, command):
        """Lines of a command that does not end, from now on."""
        process = subprocess.Popen([node.program(), *command.split(), "--prefix", self.node.prefix], stdout=subprocess.PIPE, text=True,
                                   env=self.node.environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        lines = []
        threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True).start()
        self.node.show_until("log_followers", lambda rows: len(rows) == 1)
        return process, lines

    # --- a step

    def wait_for_contexts(self, names):
        self.node.show_until("pdp", lambda rows: sorted(row["imsi"] for row in rows) == sorted(names), WAIT_S)

    def until(self, is_so, wait_s, what):
        end = time.monotonic() + wait_s
        while not is_so():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(PAUSE_S)

    def heard(self, interface, display_filter):
        tap = self.taps[interface]
        return tap.ask(*PORTS, "-Y", display_filter) if tap.frames else []

    def read(self, command):
        return "".join(self.lines) if "--follow" in command else self.operate(command).stdout

    def check(self, step, wait_s):
        """What is there by the step, and what is not."""
        if step.probe:
            getattr(self, step.probe[0])(*step.probe[1:])
        for wire in step.wire:
            self.until(lambda: self.heard(*wire), wait_s, wire)  # pylint: disable=cell-var-from-loop
        if step.log:
            self.until(lambda: self.has_line(step.log), wait_s, step.log)
        for command, pattern in step.readings():
            self.until(lambda: self.shows(command, pattern), wait_s, pattern)  # pylint: disable=cell-var-from-loop
        for wire in step.never:
            self.assertEqual(self.heard(*wire), [], wire)
        self.assertFalse(step.quiet and self.has_line(step.quiet), step.quiet)

    def check_it_fails(self, step):
        """By what was there before."""
        if step.readings():
            command, pattern = step.readings()[0]
            text = self.read(command)
            self.do(step)
            self.assertNotRegex(text, self.filled(pattern))
            return
        with self.assertRaises(AssertionError):
            self.check(step, 0)
        self.do(step)

    def do(self, step):
        if step.change:
            self.text, self.more = self.text.replace(*step.change), self.more.replace(*step.change)
            self.node.write(self.text, more=self.more)
        if step.deed:
            getattr(self, step.deed[0])(*step.deed[1:])
        if not step.only_reads():
            done = self.operate(step.command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, step.answer)
        if step.probe:
            self.mark()

    def take(self, step):
        self.mark()
        for tap in self.taps.values():
            tap.frames.clear()
        process, self.lines = self.follow(step.command) if "--follow" in step.command else (None, [])
        self.check_it_fails(step)
        self.check(step, WAIT_S)
        if process:
            process.kill()
            process.wait()
        self.wait_for_contexts(step.back)

    def test_page(self):
        """It has the steps in their order."""
        with open(PAGE, encoding="utf-8") as file:
            rows = [line.rstrip("\n") for line in file if line.startswith("| ") and line[2].isdigit()]
        self.assertEqual(rows, [step.row(number) for number, step in enumerate(STEPS, 1)])

    def test_walk(self):
        """Each step's effects are looked for before it is done, too: then they are not there."""
        self.bring_up()
        for number, step in enumerate(STEPS, 1):
            with self.subTest(step.command, number=number):
                self.take(step)
        self.assertIsNone(self.bts.fault)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
