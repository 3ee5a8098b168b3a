# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the fault matrix (scripts/faults.py) whose peer is a program of its own: kill -9 and SIGSTOP of GGSN, HLR and
`gbflow emulate`. A row prints what it saw as "said: ..."."""
import os
import signal
import socket
import sys
import time
import unittest

import node
import phone_peer
import test_emulate
import test_ggsn
import test_phones

sys.path.insert(0, os.path.join(node.ROOT, "scripts"))

import faults  # noqa: E402  pylint: disable=wrong-import-position
import live_pair  # noqa: E402  pylint: disable=wrong-import-position

PINGS = 5
WINDOW = 32  # frames of LLC


class Row:
    """What a row holds; `steady()` passes user data, or fails."""

    def play(self, fault, said):
        """fault() returns when the peer is there again."""
        self.steady()
        before = self.held()
        began = time.monotonic()
        fault()
        took_s = time.monotonic() - began
        time.sleep(faults.RECOVERY_S)
        self.steady()
        grew = faults.wait_until_back(self, before)
        self.assertEqual(grew, [])
        self.leave()
        self.assertEqual(self.node.stop(), 0)
        npdu = self.node.report["npdu"]
        self.assertEqual(npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"])
        print(f"said: {said}, {took_s:.1f} s without it; in {npdu['in']} = out {npdu['out']} + dropped {npdu['dropped']}")

    def held(self):
        return live_pair.held_by(self.node.process.pid, self.node.show("control")[0])

    def freeze(self, process):
        process.send_signal(signal.SIGSTOP)
        self.meanwhile()
        time.sleep(faults.FAULT_S)
        process.send_signal(signal.SIGCONT)

    def meanwhile(self):
        """Traffic while the peer is stopped."""

    def leave(self):
        """Before the node ends."""


class Ggsn(Row, test_ggsn.Case):
    timers = test_ggsn.QUICK

    def steady(self):
        rows = self.node.show("pdp")
        self.assertEqual(len(rows), 1, "no context with the GGSN")
        for number in range(PINGS):
            self.kernel_ping(rows[0]["address"], 56 + number)

    def restart(self):
        self.far.stop(signal.SIGKILL)
        time.sleep(faults.FAULT_S)
        self.far.start()

    def test_killed(self):
        self.open()
        self.play(self.restart, "kill -9 of the GGSN")

    def test_frozen(self):
        self.open()
        self.play(lambda: self.freeze(self.far.process), "SIGSTOP of the GGSN")


class Hlr(Row, test_phones.WithHlr):
    def steady(self):
        """A phone attaches, is authenticated, has a context, pings and detaches."""
        phone = self.handset = phone_peer.Phone(self.bss, test_phones.IMSI, tlli=0x78000000 + self.attached, ki=test_phones.KI)
        self.attached += 1
        phone.attach_fully()
        phone.activate()
        for seq in range(PINGS):
            self.ping(seq)
        phone.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 9]))
        self.node.show_until("ms", lambda rows: rows == [])

    def restart(self):
        self.hlr.kill()
        time.sleep(faults.FAULT_S)
        self.hlr.start()

    def meanwhile(self):
        phone_peer.Phone(self.bss, test_phones.IMSI, tlli=0x78000100, ki=test_phones.KI).attach()

    def test_killed(self):
        self.attached = 1
        self.open_with_hlr()
        self.play(self.restart, "kill -9 of the HLR")

    def test_frozen(self):
        self.attached = 1
        self.open_with_hlr()
        self.play(lambda: self.freeze(self.hlr.process), "SIGSTOP of the HLR, with a phone that attaches")


class Emulate(Row, test_emulate.Case):
    def steady(self):
        for seq in range(PINGS):
            self.ping("ms", test_emulate.gateway.ADDRESS, seq)

    def restart(self):
        self.bss.process.kill()
        self.bss.process.wait(60)
        time.sleep(faults.FAULT_S)
        self.emulate()
        self.bss.wait_for("cell 1800 is up")
        self.pass_window()

    def pass_window(self):
        """The mobile begins with N(U) 0 again, without a reset of LLC: its first frames count as received (TS 44.064 8.4.2)."""
        with self.lab.inside("ms"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for _ in range(WINDOW):
                sock.sendto(b"", (test_emulate.gateway.ADDRESS, 9))

    def leave(self):
        self.assertEqual(self.bss.stop(signal.SIGTERM), 0)

    def test_killed(self):
        self.bring_up()
        self.play(self.restart, "kill -9 of gbflow emulate")

    def test_frozen(self):
        self.bring_up()
        self.play(lambda: self.freeze(self.bss.process), "SIGSTOP of gbflow emulate")


if __name__ == "__main__":
    unittest.main()
