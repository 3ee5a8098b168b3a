# SPDX-License-Identifier: BSD-3-Clause
"""SIGHUP: what may change does, without a packet lost; what may not is named, and nothing happens (docs/serve.md)."""
import json
import os
import signal
import socket
import struct
import subprocess
import time
import unittest

import lab
import node
import sns_peer
import test_start
import test_walk
from gb_oracle import bssgp

RA_CAPABILITY_UPDATE, TLLI, MS_RA_CAPABILITY = 0x08, 0x1F, 0x13
SECOND = node.MOBILE.replace("262420000000001", "262420000000002").replace("0xC0000001", "0xC0000002").replace(
    "0x1001", "0x1002").replace("0x2001", "0x2002").replace("10.45.0.1", "10.45.0.2")


def reload(running, pattern, **values):
    seen = len(running.lines)
    running.write(**values)
    running.process.send_signal(signal.SIGHUP)
    return running.wait_for(pattern, start=seen)


class Refusals(test_start.Case):
    def test_what_cannot_change(self):
        running = self.serve(**test_start.RING)
        rows = (
            ("gn.port", {"gn": "net_ring2"}), ("workers", {"workers": 2}), (r"limits\.contexts", {"limit": 17}),
            (r"live\.cores", {"live_more": ", cores = { 0 }"}), (r"eal\.prefix", {"prefix": "other"}), (r"limits\.mobiles", {"limit": 17}),
            (r"queues\.discipline", {"more": ', queues = { discipline = "q" }'}),
            (r"nses\[1\]\.start", {"nse_more": ', start = "sgsn"'}),
        )
        for path, values in rows:
            before = dict(running.values)
            reload(running, "reload: rejected", **values)
            running.wait_for(rf"reload: \S+node\.lua:\d+: {path} cannot change while the node runs: \w")
            running.values = before
        self.assertEqual(running.stop(), 0)

    def test_command(self):
        """It waits for the end, and its status says how that was."""
        running = self.serve(**test_start.RING)
        done = running.run_reload("--dry-run", mobiles=node.MOBILE + ", " + SECOND)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "1 mobile added; nothing else changed\n")
        self.assertEqual(len(running.show("ms")), 1)
        done = running.run_reload()
        self.assertEqual((done.returncode, done.stderr, len(running.show("ms"))), (0, "", 2))
        done = running.run_reload(limit=17)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"node\.lua:\d+: limits\.mobiles cannot change while the node runs: \w")
        done = running.run_reload(limit=0)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"node\.lua:\d+: limits\.mobiles: ")
        running.wait_for(r"Z control: error: reload: .*node\.lua:\d+: limits\.mobiles: ")
        self.assertEqual(running.stop(), 0)
        self.assertEqual(subprocess.run([node.program(), "reload", "--prefix", running.prefix], capture_output=True, check=False,
                                        timeout=60, env=running.environment()).returncode, 1)

    def test_a_long_line_is_cut_and_the_verdict_stays(self):
        running = self.serve(**test_start.RING)
        for more in (f", {'x' * 20000} = 1", "".join(f", {'y' * 3000}{number} = 1" for number in range(9))):
            done = running.run_reload(more=more)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            lines = done.stderr.splitlines()
            self.assertRegex(lines[0], r"node\.lua:\d+: .*[xy]{100}")
            self.assertIn("rejected; the previous configuration stays in force", lines[-1])
        self.assertEqual(running.stop(), 0)

    def test_another_file(self):
        running = self.serve(**test_start.RING)
        other = os.path.join(running.runtime, "other.lua")
        with open(other, "w", encoding="utf-8") as file:
            file.write(node.TEXT % running.values)
        done = running.run_reload("--dry-run", "--config", other)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"the node reads \S+node\.lua, not \S+other\.lua; ")
        self.assertEqual(running.run_reload("--dry-run", "--config", running.path).returncode, 0)
        self.assertEqual(running.stop(), 0)

    def test_two_clients(self):
        """Each gets the end of its own order: a comparison never that of a reload that came between."""
        running = self.serve(**test_start.RING)
        applied = 0
        for i in range(6):
            running.write(mobiles=node.MOBILE + (", " + SECOND if i % 2 == 0 else ""))
            words = [[node.program(), "reload", "--prefix", running.prefix, *more] for more in (("--dry-run",), ())]
            both = [subprocess.Popen(w, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=running.environment()) for w in words]
            if i % 3 == 0:
                running.process.send_signal(signal.SIGHUP)
            ends = [(*process.communicate(timeout=60), process.returncode) for process in both]
            for out, err, status in ends:
                self.assertIn(status, (0, 1))
                self.assertRegex(err if status else out, "of another client is in progress" if status else "nothing (else )?changed")
            applied += ends[1][2] == 0
            running.run_reload()
            self.assertEqual(len(running.show("ms")), 2 - i % 2)
        print(f"{applied} of 6 reloads beside a comparison were carried out")
        self.assertEqual(running.stop(), 0)

    def test_shown_configuration(self):
        running = self.serve(**test_start.RING)
        values = {row["key"]: row["value"] for row in running.show("config")}
        self.assertEqual((values["live.idle"], values["timers.ns.test"], values["mobiles.list"]), ('"sleep"', "30 s", "1 items"))
        self.assertRegex(values["queues.aqm"], "^- ")
        running.write(idle="poll")
        done = running.run_show("config", "--difference")
        self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, 'live.idle: "sleep" -> "poll"'))
        self.assertEqual(running.run_show("config", "--file").stdout, node.TEXT % running.values)
        self.assertEqual({row["key"]: row["value"] for row in running.show("config")}, values)
        self.assertEqual(running.run_reload().returncode, 0)
        self.assertEqual({row["key"]: row["value"] for row in running.show("config")}, {**values, "live.idle": '"poll"'})
        answer = json.loads(running.run_show("config", "--difference", "--json").stdout)
        self.assertEqual((set(answer), answer["lines"], set(answer["counts"].values())), ({"lines", "counts"}, ["nothing changed"], {0}))
        self.assertEqual(running.run_show("bvc", "--file").returncode, 2)
        self.assertEqual(running.stop(), 0)

    def test_what_is_wrong(self):
        running = self.serve(**test_start.RING)
        reload(running, "reload: rejected", limit=0)
        running.wait_for(r"node\.lua:\d+: limits\.mobiles: ")
        self.assertEqual(len(running.show("ms")), 1)
        reload(running, "reload: nothing changed", limit=16)
        self.assertEqual(running.stop(), 0)

    def test_mobiles_come_and_go(self):
        running = self.serve(**test_start.RING)
        for mobiles, imsis in ((node.MOBILE + ", " + SECOND, [1, 2]), (SECOND, [2]), (node.MOBILE, [1]),
                               (node.MOBILE.replace("nsapi = 5", "nsapi = 6"), [1])):
            reload(running, r"1 mobile (added|removed).*; nothing else changed", mobiles=mobiles)
            self.assertEqual([int(row["imsi"][-1]) for row in sorted(running.show("ms"), key=lambda row: row["imsi"])], imsis)
        self.assertEqual(running.show("pdp")[0]["nsapi"], 6)
        self.assertEqual(running.stop(), 0)


class Reading(test_start.Case):
    """The text is tried by a process of its own, for which the node does not wait."""

    def reader_of(self, running):
        pid = running.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
        self.assertEqual(len(children), 1)
        with open(f"/proc/{children[0]}/comm", encoding="ascii") as file:
            self.assertEqual(file.read(), "gbflow-reader\n")
        return int(children[0])

    def test_node_does_not_wait(self):
        running = self.serve(**test_start.RING)
        reader = self.reader_of(running)
        os.kill(reader, signal.SIGSTOP)
        seen = len(running.lines)
        running.write(mobiles=node.MOBILE + ", " + SECOND)
        running.process.send_signal(signal.SIGHUP)
        for what in ("ms", "nse", "workers"):
            running.show(what)
        self.assertEqual(len(running.show("ms")), 1)
        self.assertFalse([line for line in running.lines[seen:] if "reload" in line])
        os.kill(reader, signal.SIGCONT)
        running.wait_for("1 mobile added", start=seen)
        running.show_until("ms", lambda rows: len(rows) == 2)
        self.assertEqual(running.stop(), 0)

    def test_reader_dies(self):
        """Its end is an error of the reload; the node stays, and ends as ever."""
        running = self.serve(**test_start.RING)
        os.kill(self.reader_of(running), signal.SIGKILL)
        reload(running, "reload: rejected", mobiles=node.MOBILE + ", " + SECOND)
        running.wait_for(r"node\.lua: not read: the process gbflow-reader was killed; restart the node")
        self.assertEqual(len(running.show("ms")), 1)
        self.assertEqual(running.stop(), 0)

    def test_end_while_reading(self):
        running = self.serve(**test_start.RING)
        os.kill(self.reader_of(running), signal.SIGSTOP)
        running.process.send_signal(signal.SIGHUP)
        running.show("ms")
        self.assertEqual(running.stop(), 0)

    def test_attacks(self):
        """Texts that took minutes, or ended the program."""
        running = self.serve(**test_start.RING)
        for text, message in (("return ('('):rep(1e6):find('%b()')", "has too costly a pattern"),
                              ("local t = {} for i = 1, 900000 do t[i] = 1 end while true do string.char(table.unpack(t)) end",
                               "unpacks too long a table"),
                              ("return {" + "".join(f"x{i} = 1," for i in range(3000)) + "}", "and 298[0-9] more"),
                              ("local function f(n) return n and f(n, f(n)) end f(1)", "stack overflow")):
            reload(running, "reload: rejected", text=text.replace("%", "%%"))
            running.wait_for(message)
        reload(running, "reload: nothing changed", text=node.TEXT)
        self.assertEqual(running.stop(), 0)

    def test_many_mobiles(self):
        """More than fit one slice, or the ring to a worker at once; they come, change and go."""
        def mobiles(count, nsapi):
            form = ('{{ imsi = "26242{0:010d}", tlli = {1}, bvci = 1800, contexts = {{ {{ nsapi = {2}, teid = {3}, '
                    'sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2", ggsn_teid = {3}, '
                    'address = "10.45.{4}.{5}" }} }} }}')
            return ",\n".join(form.format(i, 0xC0000000 + i, nsapi, 0x1000 + i, i // 250, i % 250 + 1) for i in range(count))

        running = self.serve(**test_start.RING, limit=2000, mobiles=mobiles(1, 5))
        for count, nsapi, changed in ((1500, 5, "1499 mobiles added"), (1500, 6, "1500 mobiles added, 1500 mobiles removed"),
                                 (1, 6, "1499 mobiles removed")):
            reload(running, f"reload: {changed}; nothing else changed", mobiles=mobiles(count, nsapi))
            rows = running.show_until("pdp", lambda rows, count=count: len(rows) == count)
            self.assertEqual({row["nsapi"] for row in rows}, {nsapi})
        self.assertEqual(running.stop(), 0)


class Traffic(test_walk.Case):
    def send(self, sent, count):
        for _ in range(count):
            sent.append(self.down(200, len(sent)))
            time.sleep(0.002)

    def arrive(self, sent):
        self.node.show_until("node", lambda rows: int(rows[0]["npdu_in"]) == len(sent))

    def test_packets_flow_on(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)
        changes = (
            {"mobiles": node.MOBILE + ", " + SECOND}, {"cell_more": ', flow_control = { max_rate = "5 Mbit/s" }'},
            {"nse_more": ', gb = { rate = "50 Mbit/s" }'}, {"more": ', timers = { ns = { test = "7 s" } }'})
        sent = []
        for count, change in enumerate(changes, 1):
            self.send(sent, 50)
            self.node.write(**change)
            self.node.process.send_signal(signal.SIGHUP)
            self.send(sent, 50)
            while sum("nothing else changed" in line for line in self.node.lines) < count and len(sent) < 5000:
                self.send(sent, 10)
        self.assertEqual([self.bss.packet(node.TLLI) for _ in sent], sent)
        self.node.wait_for("timers.ns.test: 30 s -> 7 s")
        self.assertEqual(sum("nothing else changed" in line for line in self.node.lines), 4)
        self.assertFalse([line for line in self.node.lines if "reload: rejected" in line])
        packet = test_walk.ipv4_packet("192.0.2.99", "10.45.0.2", 300)
        self.ggsn.sendto(test_walk.g_pdu(0x1002, packet), (lab.GN_SGSN, test_walk.GTPU))
        self.assertEqual(self.bss.packet(0xC0000002), packet)
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": len(sent) + 1, "out": len(sent) + 1, "dropped": 0, "queued": 0})

    def capability(self, tlli):
        """What the node answers a BSS that asks for a mobile's radio values (TS 48.018 clause 7.2)."""
        octets = bytes([RA_CAPABILITY_UPDATE]) + bssgp.tlv(TLLI, struct.pack(">I", tlli)) + bssgp.tlv(bssgp.TAG, b"\1")
        answer = self.bss.ask(lambda: self.bss.send_bssgp(self.bss.bvci, octets), self.bss.bssgp,
                              lambda pdu: pdu.kind == RA_CAPABILITY_UPDATE + 1)
        return answer.elements.get(MS_RA_CAPABILITY)

    def capability_in_dl_unitdata(self):
        """That of the next LLC-PDU to the mobile (TS 48.018 clause 10.2.1)."""
        self.down(100, 1)
        return self.bss.pdus.get(timeout=60).elements.get(MS_RA_CAPABILITY)

    def test_radio_values(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        self.assertIsNone(self.capability(node.TLLI))
        with_values = node.MOBILE.replace("bvci = 1800,", 'bvci = 1800, radio = { ra_capability = "%s" },')
        for octets in (b"\x11" * 9, b"\x12" * 9):
            reload(self.node, r"1 mobile added.*; nothing else changed", mobiles=with_values % octets.hex())
            self.assertEqual((self.capability(node.TLLI), self.capability_in_dl_unitdata()), (octets, octets))
        reload(self.node, r"1 mobile added.*; nothing else changed", mobiles=node.MOBILE)
        self.assertEqual((self.capability(node.TLLI), self.capability_in_dl_unitdata()), (None, None))
        self.assertEqual(self.node.show("control")[0]["refused"], 0)
        self.assertEqual(self.node.stop(), 0)

    def test_an_nsvc_more(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        reload(self.node, "1 NS-VC added", nsvcs=', { nsvci = 102, address = "198.51.100.2", udp_port = 23001 }')
        with self.lab.inside("bss"):
            second = test_walk.bss_peer.Peer(test_walk.bss_peer.open_socket(lab.GB_BSS, 23001), (lab.GB_SGSN, 23000), nsvci=102)
        self.addCleanup(second.close)
        second.bring_up_ns()
        rows = self.node.show_until("nse", lambda rows: all(row["state"] == "unblocked" for row in rows))
        self.assertEqual([row["nsvci"] for row in rows], [101, 102])
        self.bss.is_mute = True
        self.bss.sock.close()
        self.assertEqual(self.node.stop(), 0)

    def test_nses_come(self):
        """A BSS and a mobile more, each in both dialects; packets of the first one flow on."""
        form = """, {{ nsei = {0}, {2}, cells = {{ {{ bvci = {1}, cell_id = {{ mcc = "262", mnc = "42", lac = 4660,
            rac = 5, ci = {1} }} }} }} }}"""
        more = (form.format(102, 1801, 'nsvcs = { { nsvci = 102, address = "198.51.100.2", udp_port = 23001 } }'),
                form.format(103, 1802, 'sns = { address = "198.51.100.2", udp_port = 23002, max_nsvcs = 4 }'))
        text = node.TEXT.replace("} } } },\n  mobiles", "} } }%(nses_more)s },\n  mobiles")
        self.serve(text=text, nses_more="")
        self.open_ends()
        self.bss.bring_up()
        second = SECOND.replace("bvci = 1800", "nsei = 102, bvci = 1801")
        mobiles = (node.MOBILE, node.MOBILE + ", " + second, node.MOBILE + ", " + second)
        sent = []
        for seed in range(300):
            if seed % 100 == 50 and seed < 250:
                reload(self.node, "1 NSE added; nothing else changed", text=text, nses_more="".join(more[:seed // 100 + 1]), mobiles=mobiles[seed // 100 + 1])
            sent.append(self.down(200, seed))
            time.sleep(0.001)
        self.assertEqual([self.bss.packet(node.TLLI) for _ in sent], sent)
        with self.lab.inside("bss"):
            peers = [kind(test_walk.bss_peer.open_socket(lab.GB_BSS, port), (lab.GB_SGSN, 23000), nsei, nsei, bvci)
                     for kind, port, nsei, bvci in ((test_walk.bss_peer.Peer, 23001, 102, 1801), (sns_peer.Peer, 23002, 103, 1802))]
        for peer in peers:
            self.addCleanup(peer.close)
            peer.bring_up()
        packet = test_walk.ipv4_packet("192.0.2.99", "10.45.0.2", 300)
        self.ggsn.sendto(test_walk.g_pdu(0x1002, packet), (lab.GN_SGSN, test_walk.GTPU))
        self.assertEqual(peers[0].packet(0xC0000002), packet)
        self.assertEqual([(row["bvci"], row["usable"]) for row in self.node.show("bvc")], [(1800, "yes"), (1801, "yes"), (1802, "yes")])
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": 301, "out": 301, "dropped": 0, "queued": 0})

    def test_schemes_change(self):
        """N-PDUs wait while the scheme changes; each leaves, and the new scheme counts those that come from then on."""
        scheme = ', queues = {{ aqm = {{ scheme = "{0}" }}, class = {{ thp1 = {{ aqm = {{ scheme = "{1}" }} }} }} }}'.format
        self.serve(more=scheme("codel", "codel"))
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(bucket_octets=6000000, rate_bps=200000, tag=2)
        sent = []
        for name in ("pie", "red", "codel", "pie"):
            self.send(sent, 100)
            self.arrive(sent)
            done = self.node.run_reload(more=scheme(name, "codel"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn('queues.aqm: { scheme = "', done.stdout)
            rows = {row["class"]: row for row in self.node.show("aqm") if row["hook"] == "enqueue"}
            self.assertEqual((rows["background"]["scheme"], rows["background"]["offered"]), (name, 0))
            self.assertEqual(rows["thp1"]["scheme"], "codel")
        self.send(sent, 100)
        self.arrive(sent)
        self.assertEqual([self.bss.packet(node.TLLI) for _ in sent], sent)
        rows = [row for row in self.node.show("aqm") if (row["class"], row["hook"]) == ("background", "enqueue")]
        self.assertEqual([(row["scheme"], row["offered"]) for row in rows], [("pie", 100)])
        done = self.node.run_reload(more="")
        self.assertEqual((done.returncode, self.node.show("aqm")), (0, []))
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": len(sent), "out": len(sent), "dropped": 0, "queued": 0})

    def sleeps(self):
        return self.node.show("workers")[0]["sleeps"]

    def get(self, port):
        """The status of GET /metrics, 0 where nothing listens."""
        try:
            with self.lab.inside("node"), socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
                sock.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
                return int(sock.recv(100).split()[1])
        except ConnectionRefusedError:
            return 0

    def test_metrics_and_idling_change(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)
        sent = []
        for more, ports in ((", metrics = {}", {9469: 200}), (", metrics = { port = 9470 }", {9469: 0, 9470: 200}),
                            (", metrics = { port = 9470, mobiles = 5 }", {9470: 200}), ("", {9470: 0})):
            self.send(sent, 30)
            done = self.node.run_reload(live_more=more)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("live.metrics.", done.stdout)
            self.send(sent, 30)
            for port, status in ports.items():
                for _ in range(100):  # the former server ends after the reload
                    if self.get(port) == status:
                        break
                self.assertEqual(self.get(port), status)
        for idle, is_polling in (("poll", True), ("sleep", False)):
            done = self.node.run_reload(idle=idle)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            time.sleep(0.1)
            before = self.sleeps()
            self.send(sent, 30)
            time.sleep(0.1)
            self.assertEqual(self.sleeps() == before, is_polling)
        self.assertEqual([self.bss.packet(node.TLLI) for _ in sent], sent)
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": len(sent), "out": len(sent), "dropped": 0, "queued": 0})

    def second_nsvc(self, nsvci, port):
        with self.lab.inside("bss"):
            peer = test_walk.bss_peer.Peer(test_walk.bss_peer.open_socket(lab.GB_BSS, port), (lab.GB_SGSN, 23000), nsvci=nsvci)
        self.addCleanup(peer.close)
        return peer

    def test_nsvcs_come_and_go(self):
        """The one that carried the packets is taken away: the BSS is told, the other one carries them; places are used again."""
        more = ', {{ nsvci = {0}, address = "198.51.100.2", udp_port = {1} }}'.format
        other = node.TEXT.replace('{ nsvci = 101, address = "198.51.100.2" }%(nsvcs)s', "%(nsvcs)s").replace(
            "%(nsvcs)s", '{ nsvci = 102, address = "198.51.100.2", udp_port = 23001 }%(nsvcs)s')
        self.serve(nsvcs=more(102, 23001))
        self.open_ends()
        second = self.second_nsvc(102, 23001)
        self.bss.bring_up()
        second.bring_up_ns()
        reload(self.node, "reload: 1 NS-VC removed; nothing else changed", nsvcs="", text=other)
        blocked = self.bss.take(self.bss.ns, lambda octets: octets[0] == 4)
        self.assertEqual(blocked[1:], bytes.fromhex("00810101820065"))
        packets = [self.down(200, seed) for seed in range(20)]
        self.assertEqual([second.packet(node.TLLI) for _ in packets], packets)
        for nsvci in range(103, 106):
            reload(self.node, "1 NS-VC added" + ", 1 NS-VC removed" * (nsvci > 103), nsvcs=more(nsvci, 23000), text=other)
            self.assertEqual([row["nsvci"] for row in self.node.show("nse")], [102, nsvci])
        self.bss.nsvci = 105
        self.bss.bring_up_ns()
        self.node.show_until("nse", lambda rows: [row["state"] for row in rows] == ["unblocked", "unblocked"])
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"], {"in": 20, "out": 20, "dropped": 0, "queued": 0})


if __name__ == "__main__":
    unittest.main()
