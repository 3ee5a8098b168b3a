# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow log` at a running node (docs/serve.md): levels, an attach line by line, followers that read slowly, are killed or are too many."""
import os
import signal
import subprocess
import threading
import time
import unittest

import node
import phone_peer
import test_phones

OTHER = "262420000000002"
LINE = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [a-z]+: (error|warn|info|debug): "
FOLLOWERS, OTHER_USER = 5, 65533  # a uid without a name


class Follower:
    """`gbflow log --follow`, by the default without other lines than those of the filter."""

    def __init__(self, case, *words, user=None):
        self.process = subprocess.Popen([node.program(), "log", "--follow", "--prefix", case.node.prefix, *words], text=True, user=user,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=case.node.environment())
        case.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        return self.process.communicate(timeout=60)

    def until(self, part):
        """Its lines up to one with this part."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            if part in line:
                return lines
        raise AssertionError(f"no line with {part}: {lines[-20:]}")


class Log(test_phones.Case):
    def run_log(self, *words):
        return subprocess.run([node.program(), "log", "--prefix", self.node.prefix, *words], capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment())

    def levels(self):
        return {row["category"]: (row["level"], row["level_at_start"]) for row in self.node.show("log")}

    def follow(self, *words, user=None):
        """A follower that is known to follow."""
        before = len(self.node.show("log_followers"))
        follower = Follower(self, *words, user=user)
        self.node.show_until("log_followers", lambda rows: len(rows) == before + 1)
        return follower

    def attach(self, imsi, tlli):
        phone = phone_peer.Phone(self.bss, imsi, tlli=tlli)
        phone.attach_fully()
        return phone

    def test_an_attach_line_by_line(self):
        self.begin()
        one, all_of_it = self.follow("--imsi", test_phones.IMSI, "gmm=debug"), self.follow("--imsi", test_phones.IMSI)
        other = self.attach(OTHER, 0x78000002)
        self.handset.attach_fully()
        self.handset.activate()
        other.activate()
        lines, everything = one.until("5: active, APN"), all_of_it.until("sends activate_accept")
        for line in lines + everything:
            self.assertRegex(line, LINE)
            self.assertIn(test_phones.IMSI, line)
            self.assertNotIn(OTHER, line)
        said = [line.split(": ", 3)[3] for line in lines if " gmm: debug: " in line]
        self.assertEqual(said[:8], ["received attach_request", "gmm heard: fresh", "gmm rx_attach: fresh -> deciding",
            "gmm accept_attach: deciding -> accepting", "sends attach_accept", "received attach_complete", "gmm heard: accepting",
            "gmm rx_complete: accepting -> registered"])
        self.assertEqual({line.split(" ")[1] for line in lines}, {"gmm:", "gtpc:", "sm:"})
        self.assertEqual({line.split(" ")[1] for line in lines if ": debug:" in line}, {"gmm:"})
        texts = [line.split(": ", 2)[2] for line in everything]
        for part in ("sm begin: idle -> creating", "5 at GGSN 192.0.2.2: gn_session begin: idle -> creating", "sends create_request",
                     "received create_response", "gn_session accepted: creating -> active", "sm up: creating -> active"):
            self.assertTrue(any(part in text for text in texts), (part, texts))
        self.assertEqual([line for line in self.node.lines if "gmm: debug" in line or "gtpc: debug" in line], [])
        self.finish()

    def test_an_ns_vc(self):
        """By its NSVCI, as `gbflow nsvc` has it; another one's lines are not there."""
        self.begin()
        other, one = self.follow("--nsvc", "0"), self.follow("--nsvc", "101")
        with subprocess.Popen([node.program(), "nsvc", "101", "reset", "--prefix", self.node.prefix], env=self.node.environment()) as act:
            lines = one.until("ns_vc order_reset")
            act.kill()
        for part in ("ns: warn: NSVCI 101: reset by the operator", "ns: debug: NSE 101 NSVCI 101: ns_vc order_reset: "):
            self.assertTrue(any(part in line for line in lines), (part, lines))
        self.assertEqual(other.end(), ("", ""))
        self.finish()

    def test_levels_at_run_time(self):
        self.begin(live_more=", log_lines = 1000")
        self.assertEqual(self.levels()["gmm"], ("info", "info"))
        self.attach(OTHER, 0x78000002)
        self.node.wait_for(f"gmm: info: {OTHER}: attached")
        before = [line for line in self.node.lines if "debug" in line]
        done = self.run_log("gmm=debug", "sm=error")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.node.wait_for(rf"control: (?:warn: )?log levels: asked for by uid {os.geteuid()}, pid \d+: gmm=debug,sm=error$")
        self.assertEqual([self.levels()[name] for name in ("gmm", "sm", "ns")], [("debug", "info"), ("error", "info"), ("info", "info")])
        self.handset.attach_fully()
        self.node.wait_for(f"gmm: debug: {test_phones.IMSI} TLLI 78000001: gmm rx_attach: fresh -> deciding")
        self.handset.activate()
        self.assertEqual((before, [line for line in self.node.lines if "sm: info" in line]), ([], []))
        control = subprocess.run([node.program(), "restart-control", "--prefix", self.node.prefix], check=False, timeout=60,
                                 env=self.node.environment())
        self.assertEqual(control.returncode, 0)
        self.assertEqual(self.levels()["gmm"], ("debug", "info"))
        self.handset.update()
        self.handset.take_accept(self.handset.expect(8, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        self.node.wait_for(f"gmm: debug: {test_phones.IMSI} TLLI [0-9a-f]+: received rau_request")
        self.assertEqual(self.run_log("warn", "gmm=warn").returncode, 0)
        self.assertEqual([self.levels()[name][0] for name in ("gmm", "sm", "ns")], ["warn", "error", "warn"])
        self.assertIn("\nsm        error  info            ", self.run_log().stdout)
        for words, part in ((["gnn=info"], "'gnn=info' is not LEVEL or CATEGORY=LEVEL; levels: error warn info debug; categories: gb ns"),
                            (["--imsi", "1234567", "gmm=info"], "a filter is for --follow"), (["--follow", "--imsi", "12x"], "not 6 to 15 digits"),
                            (["--follow", "--tlli", "g"], "hexadecimal"), (["--follow", "--peer", "x"], "not an IPv4 or IPv6 address"),
                            (["--follow", "--nsvc", "65536"], "not an NSVCI from 0 to 65535"),
                            (["--follow", "--nsvc", "1", "--tlli", "1"], "more than one of")):
            done = self.run_log(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(part, done.stderr)
        self.finish()

    def test_followers_that_stop_and_die(self):
        self.begin()
        stopped, killed, reader = self.follow("debug"), self.follow("debug"), self.follow("debug")
        stopped.process.send_signal(signal.SIGSTOP)
        killed.process.kill()
        self.node.show_until("log_followers", lambda rows: len(rows) == 2)
        self.handset.attach_fully()
        reader.until("attached")
        threading.Thread(target=reader.process.stdout.read, daemon=True).start()
        for _ in range(300):
            for _ in range(20):  # GMM STATUS: two lines each
                self.handset.send(bytes([phone_peer.GMM, 0x20, 97]))
            time.sleep(0.1)
            lost = [row["left_out"] for row in self.node.show("log_followers")]
            if lost[0] > 0:
                break
        self.assertGreater(lost[0], 0)
        self.assertEqual(lost[1], 0)
        stopped.process.send_signal(signal.SIGCONT)
        self.assertRegex(stopped.until("lines left out")[-1], LINE + r"lines left out: [0-9]+$")
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(stopped.process.wait(60), 1)
        self.assertRegex(stopped.process.stderr.read(), r"^gbflow: the process at \S+ has ended, or the connection\n$")

    def test_as_many_as_may(self):
        self.begin()
        for _ in range(FOLLOWERS):
            self.follow()
        done = self.run_log("--follow")
        self.assertEqual((done.returncode, done.stderr), (1, "gbflow: 5 clients follow the log, which is the most; end one of them\n"))
        self.assertTrue(self.node.show("bvc"))
        self.assertEqual(len(self.node.show("log_followers")), FOLLOWERS)
        self.finish()

    def test_readers_make_room(self):
        """Who may act follows beside as many as may who only read: one of them is told that its connection is over."""
        if os.geteuid() != 0:
            print("skipped: only root can run a program as another user")
            self.skipTest("only root can run a program as another user")
        self.begin()
        path = os.path.join(self.node.runtime, "dpdk", self.node.prefix)
        for part in (os.path.dirname(path), path, os.path.join(path, "gbflow_telemetry.v2")):
            os.chmod(part, 0o777)
        readers = [self.follow("gmm=debug", user=OTHER_USER) for _ in range(FOLLOWERS)]
        one = Follower(self, "gmm=info")
        self.assertRegex(readers[0].process.communicate(timeout=60)[1], r"^gbflow: the process at \S+ has ended, or the connection\n$")
        self.handset.attach_fully()
        one.until("attached")
        self.assertEqual([reader.process.poll() for reader in readers[1:]], [None] * (FOLLOWERS - 1))
        self.finish()


if __name__ == "__main__":
    unittest.main()
