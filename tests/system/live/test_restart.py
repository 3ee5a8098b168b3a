# SPDX-License-Identifier: BSD-3-Clause
"""Control restarts, by command and by failures, while packets go both ways: each is delivered, and no peer notices."""
import concurrent.futures
import os
import queue
import struct
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import node
import test_hang
import test_walk

from gb_oracle import bssgp

RESTARTS = 20
CELL = ("nsei", "bvci", "state", "usable", "bucket_octets", "rate_bps", "ms_bucket_octets", "ms_rate_bps", "ms_buckets")
DEFECT = b'error("a defect of the test")'
HOG = b"local t={} while true do t[#t+1]={} end"
MORE = 'fragments = 64, lua_errors = 1000, lua_call = "200 ms", lua_memory = "16 MB"'


def restart(test, running):
    """By the command."""
    done = subprocess.run([node.program(), "restart-control", "--prefix", running.prefix], capture_output=True, text=True,
                          check=False, timeout=60, env=running.environment())
    test.assertEqual((done.returncode, done.stderr), (0, ""))


class Case(test_walk.Case):
    def begin(self, **values):
        self.serve(**values)
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)
        self.sent = 0

    def exchange(self, count=1):
        """Packets both ways."""
        for _ in range(count):
            self.sent += 1
            self.check_down(500, self.sent)
            self.check_up(500, self.sent)

    def restart(self):
        restart(self, self.node)

    def control(self, is_right=lambda row: True):
        """The row of `show control` that is right; none comes while a call of Lua does not end."""
        end = time.monotonic() + node.START_S
        while time.monotonic() < end:
            try:
                row = self.node.show("control")[0]
            except AssertionError:
                continue
            if is_right(row):
                return row
            time.sleep(0.05)
        raise AssertionError("control has no such row")

    def quiet(self):
        """The BSS was sent nothing but NS-ALIVE and users' frames."""
        for pdus in (self.bss.ns, self.bss.bssgp):
            with self.assertRaises(queue.Empty):
                print("unexpected:", pdus.get_nowait())

    def alive(self, seen):
        """The node asks whether the NS-VC is alive, and answers when it is asked."""
        self.assertGreater(self.bss.alives, seen)
        self.bss.ns_ask(bytes([test_walk.bss_peer.NS_ALIVE]), test_walk.bss_peer.NS_ALIVE_ACK)


    def cells(self):
        """State and flow control of the cells."""
        return [[row[name] for name in CELL] for row in self.node.show("bvc")]


class Order(Case):
    def test_twenty_restarts(self):
        self.begin()
        self.exchange(3)
        before = self.cells()
        for number in range(1, RESTARTS + 1):
            alives = self.bss.alives
            with concurrent.futures.ThreadPoolExecutor(1) as thread:
                restart = thread.submit(self.restart)
                while not restart.done():
                    self.exchange()
            restart.result()  # raises what the thread's assertions raised
            self.exchange()
            self.assertEqual(self.control()["restarts_order"], number)
            self.alive(alives)
            self.quiet()
        self.assertEqual(self.cells(), before)
        self.assertEqual(self.control()["adoption_errors"], 0)
        self.bss.announce(bucket_octets=60000, rate_bps=60000, tag=3)
        self.exchange()
        self.assertEqual(self.node.stop(), 0)
        report = self.node.report
        self.assertEqual(report["npdu"], {"in": self.sent, "out": self.sent, "dropped": 0, "queued": 0})
        self.assertEqual(report["uplink_npdus"], self.sent)
        self.assertEqual(report["control"]["restarts_order"], RESTARTS)

    def test_a_word_too_many(self):
        done = subprocess.run([node.program(), "restart-control", "now"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("unexpected argument: now", done.stderr)


class Failures(Case):
    def fail(self, count=1):  # pylint: disable=arguments-renamed
        """Events that the defect is about; each also resets the NSE, so the BSS begins its cells again."""
        unknown = bssgp.tlv(bssgp.TLLI, struct.pack(">I", node.TLLI + 9)) + bssgp.tlv(test_hang.RADIO_CAUSE, b"\0")
        for _ in range(count):
            before = self.control()["lua_errors"]
            self.bss.send_bssgp(1800, bytes([test_hang.RADIO_STATUS]) + unknown)
            self.control(lambda row, before=before: row["lua_errors"] > before)
            self.bss.bring_up_bvcs()
            self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)

    def with_defect(self, words, reason, failures):
        folder = tempfile.TemporaryDirectory(prefix="gbflow-defect-")
        self.addCleanup(folder.cleanup)
        with mock.patch.dict(os.environ, GBFLOW=test_hang.program_that(folder.name, words)):
            self.begin(text=node.TEXT.replace("fragments = 64", MORE))
            self.exchange()
            self.fail(failures - 1)
            self.assertEqual(self.control()[reason], 0)
            self.fail()
            self.control(lambda row: row[reason] == 1)
            self.exchange(3)
            self.bss.announce(bucket_octets=60000, rate_bps=60000, tag=3)
            self.exchange()
            self.assertEqual(self.control()["adoption_errors"], 0)
            self.node.wait_for(r"gbflow: control: restarted \(%s\)" % reason.split("_")[1])
            self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": self.sent, "out": self.sent, "dropped": 0, "queued": 0})

    def test_errors(self):
        self.with_defect(DEFECT, "restarts_errors", 20)

    def test_no_end(self):
        self.with_defect(test_hang.ENDLESS, "restarts_time", 3)

    def test_no_memory(self):
        self.with_defect(HOG, "restarts_memory", 3)

    def test_it_gives_up(self):
        folder = tempfile.TemporaryDirectory(prefix="gbflow-defect-")
        self.addCleanup(folder.cleanup)
        with mock.patch.dict(os.environ, GBFLOW=test_hang.program_that(folder.name, test_hang.ENDLESS)):
            self.begin(text=node.TEXT.replace("fragments = 64", MORE))
            for number in range(1, 6):
                self.fail(3)
                self.control(lambda row, number=number: row["restarts_time"] == number)
            self.fail(4)
            self.node.wait_for("no further restart")
            self.exchange()
            self.assertEqual(self.control()["restarts_time"], 5)
            self.restart()
            self.exchange()
            self.assertEqual(self.control()["restarts_order"], 1)
            self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
