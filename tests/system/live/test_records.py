# SPDX-License-Identifier: BSD-3-Clause
"""Charging records of phones: they sum to the octets that passed, outlive kill -9, follow a rotated file, and a full disk costs
records alone."""
import csv
import json
import os
import re
import subprocess
import tempfile
import time
import unittest

import lab
import node
import phone_peer
import test_areas
import test_ggsn
import test_phones

PING_OCTETS = 84  # an IP packet of test_phones.echo()
NAMES = ("octets", "npdus", "dropped_octets", "dropped_npdus")
CSV_HEAD = ("timestamp,imsi,imei,msisdn,cell_id,lac,hlr,event,pdp_duration,ggsn_addr,sgsn_addr,apni,eua_addr,vol_in,vol_out,"
            "charging_id").split(",")


class Case(test_phones.Case):
    def begin_records(self, more="", folder=None, every="1 s", **values):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-records-")
        self.addCleanup(holder.cleanup)
        self.path = os.path.join(folder or holder.name, "records")
        self.begin('policy = "accept_all", subscribers = { { imsi = "%s", msisdn = "491701" } }, records = { file = "%s", every = "%s"%s }'
                   % (test_phones.IMSI, self.path, every, more), **values)

    def records(self, path=None):
        with open(path or self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def wait_for(self, kind, count=1, path=None):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            rows = self.records(path) if os.path.exists(path or self.path) else []
            if [row["record"] for row in rows].count(kind) >= count:
                return rows
            time.sleep(0.1)
        raise AssertionError(f"not {count} records {kind}: {rows}")

    def detach(self):
        self.handset.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 1]))
        self.handset.expect(8, phone_peer.DETACH_ACCEPT)

    def control(self):
        row = self.node.show("control")[0]
        return row["charging_written"], row["charging_lost"]


class Records(Case):
    def test_sums(self):
        self.begin_records()
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        for seq in range(3):
            self.ping(seq)
        self.wait_for("context_interim", 2)
        for seq in range(3, 8):
            self.ping(seq)
        phone.send_packet(test_phones.echo("192.0.2.99", test_ggsn.SERVER, 8, 9))  # of another source: dropped
        phone.send(bytes([phone_peer.SM, 0x46, 36]))
        phone.expect(phone_peer.SM, 0x47)
        ended = self.wait_for("context_end")
        self.detach()
        rows = self.wait_for("detach")
        self.assertEqual(rows[:len(ended)], ended)
        kinds = [row["record"] for row in rows]
        self.assertEqual(kinds[:2] + kinds[-2:], ["attach", "context_begin", "context_end", "detach"])
        self.assertEqual(set(kinds[2:-2]), {"context_interim"})
        context = rows[1:-1]
        sums = {way + "_" + name: sum(row[way + "_" + name] for row in context) for way in ("uplink", "downlink") for name in NAMES}
        self.assertEqual(sums, {
            "uplink_octets": 8 * PING_OCTETS, "uplink_npdus": 8, "uplink_dropped_octets": PING_OCTETS, "uplink_dropped_npdus": 1,
            "downlink_octets": 8 * PING_OCTETS, "downlink_npdus": 8, "downlink_dropped_octets": 0, "downlink_dropped_npdus": 0})
        self.assertEqual([row["sequence"] for row in context], list(range(len(context))))
        self.assertEqual([row.get("cause") for row in rows], [None, None] + [17] * (len(rows) - 4) + [0, 0])
        for row in context:
            self.assertEqual({key: row[key] for key in ("imsi", "msisdn", "apn", "pdp_type", "pdp_address", "nsapi", "ggsn_address",
                                                        "sgsn_address", "class", "mcc", "mnc", "lac", "rac", "ci")},
                             {"imsi": test_phones.IMSI, "msisdn": "491701", "apn": "internet", "pdp_type": "ipv4",
                              "pdp_address": phone.address, "nsapi": 5, "ggsn_address": lab.GN_GGSN, "sgsn_address": lab.GN_SGSN,
                              "class": "background", "mcc": "262", "mnc": "42", "lac": 4660, "rac": 5, "ci": 1})
            self.assertGreater(row["charging_id"], 0)
        for earlier, later in zip(context, context[1:]):
            self.assertEqual(later["opened"], earlier["at"])
        self.assertEqual(self.control(), (len(rows), 0))
        self.finish()

    def test_restart_of_control(self):
        """The records of a context go on."""
        self.begin_records()
        self.handset.attach_fully()
        self.handset.activate()
        self.ping(1)
        done = subprocess.run([node.program(), "restart-control", "--prefix", self.node.prefix], capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.ping(2)
        self.detach()
        rows = self.wait_for("detach")
        self.assertEqual([row["record"] for row in rows if row["record"] != "context_interim"],
                         ["attach", "context_begin", "context_end", "detach"])
        self.assertEqual(sum(row.get("downlink_octets", 0) for row in rows), 2 * PING_OCTETS)
        self.finish()

    def test_kill(self):
        """What was written before kill -9 is whole, and holds all octets up to the last record."""
        self.begin_records()
        self.handset.attach_fully()
        self.handset.activate()
        self.ping(1)
        self.wait_for("context_interim", 2)
        self.node.process.kill()
        self.node.process.wait(30)
        rows = self.records()
        self.assertEqual([row["record"] for row in rows][:3], ["attach", "context_begin", "context_interim"])
        self.assertEqual(sum(row.get("downlink_octets", 0) for row in rows), PING_OCTETS)

    def test_end_of_the_node(self):
        self.begin_records()
        self.handset.attach_fully()
        self.handset.activate()
        self.ping(1)
        self.finish()
        last = self.records()[-1]
        self.assertEqual((last["record"], last["cause"]), ("context_end", 20))

    def test_interval_of_a_reload(self):
        """A shorter interval ends the record in progress; another format is refused, and says why."""
        self.begin_records(every="3600 s")
        self.handset.attach_fully()
        self.handset.activate()
        self.wait_for("context_begin")
        more = self.node.values["more"].replace("3600 s", "1 s")
        done = self.node.run_reload(more=more.replace('every = ', 'format = "osmo_csv", every = '))
        self.assertEqual(done.returncode, 2)
        self.assertIn("phones.records.format cannot change while the node runs: the lines of a file have one format; name another file, "
                      "too", done.stderr)
        self.assertEqual(self.node.run_reload(more=more).returncode, 0)
        self.wait_for("context_interim", 2)
        self.detach()
        self.finish()

    def test_another_file(self):
        """A reload names it: the records of a context go on there, also in another format; a file that cannot be is refused."""
        self.begin_records(every="3600 s")
        phone, old = self.handset, self.path
        phone.attach_fully()
        phone.activate()
        self.ping(1)
        first = self.wait_for("context_begin")
        more = self.node.values["more"]
        done = self.node.run_reload(more=more.replace(f'"{old}"', f'"{old}/none"'))
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"phones.records.file '{old}/none': Not a directory; name a regular file", done.stderr)
        self.path = old + ".2"
        self.assertEqual(self.node.run_reload("--dry-run", more=more.replace(f'"{old}"', f'"{self.path}"')).returncode, 0)
        self.assertFalse(os.path.exists(self.path))
        self.assertEqual(self.node.run_reload().returncode, 0)
        phone.send(bytes([phone_peer.SM, 0x46, 36]))
        phone.expect(phone_peer.SM, 0x47)
        last = self.wait_for("context_end")
        self.assertEqual((self.records(old), [row["record"] for row in last]), (first, ["context_end"]))
        self.assertEqual((last[0]["sequence"], last[0]["downlink_octets"]), (1, PING_OCTETS))
        done = self.node.run_reload(more=more.replace(f'"{old}"', f'"{old}.3", format = "osmo_csv"'))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.detach()
        self.node.show_until("ms", lambda rows: rows == [])
        with open(old + ".3", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(([row["event"] for row in rows], self.records()), (["detach"], last))
        self.finish()

    def test_rotation(self):
        self.begin_records()
        phone, old = self.handset, self.path + ".1"
        phone.attach_fully()
        phone.activate()
        self.ping(1)
        os.rename(self.path, old)
        self.wait_for("context_interim", 1, old)  # until the reload
        test_ggsn.test_reload.reload(self.node, "1 key changed; nothing else changed", mobiles=" }, ready_timer = \"9 s\", moves = { ")
        before = self.records(old)
        self.ping(2)
        self.wait_for("context_interim", 2)
        self.assertEqual(self.records(old), before)
        self.detach()
        rows = before + self.wait_for("detach")
        context = [row for row in rows if "sequence" in row]
        self.assertEqual([row["sequence"] for row in context], list(range(len(context))))
        self.assertEqual(sum(row["uplink_octets"] for row in context), 2 * PING_OCTETS)
        self.finish()

    def test_full_disk(self):
        """The control plane serves phones; lines are whole; records go on when there is room."""
        folder = tempfile.mkdtemp(prefix="gbflow-full-")
        self.addCleanup(os.rmdir, folder)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", folder], capture_output=True, text=True, check=False)
        lab.need(self, done.returncode != 0 and f"needs a tmpfs: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=False)
        filler = os.path.join(folder, "filler")
        with open(filler, "wb") as file:
            file.write(b"x" * 4096)
        self.begin_records(folder=folder)
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        self.node.wait_for("phones.records.file .*No space left on device; records are lost")
        self.ping(1)
        self.assertGreater(self.control()[1], 0)
        kept = self.records()
        os.remove(filler)
        rows = self.wait_for("context_interim", [row["record"] for row in kept].count("context_interim") + 1)
        self.assertEqual(rows[:len(kept)], kept)
        self.detach()
        self.finish()

    def test_csv(self):
        """The columns and events that osmo-sgsn 1.9 writes."""
        self.begin_records(', format = "osmo_csv"')
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        self.ping(1)
        time.sleep(2.5)
        phone.send(bytes([phone_peer.SM, 0x46, 36]))
        phone.expect(phone_peer.SM, 0x47)
        self.detach()
        self.node.show_until("control", lambda rows: rows[0]["charging_written"] >= 5)
        with open(self.path, encoding="utf-8", newline="") as file:
            head, *rows = list(csv.reader(file))
        self.assertEqual(head, CSV_HEAD)
        events = [row[7] for row in rows]
        self.assertEqual(events[:3] + events[-2:], ["attach", "pdp-act", "pdp-periodic", "pdp-deact", "detach"])
        self.assertTrue(all(re.fullmatch(r"\d{17}", row[0]) for row in rows))
        self.assertEqual(rows[-2][8:15], [rows[-2][8], lab.GN_GGSN, lab.GN_SGSN, "internet", phone.address, str(PING_OCTETS), str(PING_OCTETS)])
        self.assertEqual([len(row) for row in rows], [8] + [16] * (len(rows) - 2) + [8])
        self.finish()


class Moved(test_areas.Walks, Case):
    def test_to_another_worker(self):
        """The octets of both workers count, and records have the phone's present cell."""
        self.begin_records(cell_more=test_areas.OTHER, workers=2, gn=node.VETH["gn"] + ",qpairs=2", gb=node.VETH["gb"] + ",qpairs=2")
        self.walk()
        self.detach()
        context = [row for row in self.wait_for("detach") if "sequence" in row]
        sums = [sum(row[way + "_octets"] for row in context) for way in ("uplink", "downlink")]
        self.assertEqual(sums, [2 * PING_OCTETS, 2 * PING_OCTETS])
        self.assertEqual([(row["rac"], row["ci"]) for row in (context[0], context[-1])], [(5, 1), (6, 2)])
        self.finish()


class Refused(Case):
    def test_folder_that_is_not_there(self):
        with self.assertRaisesRegex(AssertionError, r"phones.records.file '/none/records': No such file or directory; name a"):
            self.begin('policy = "accept_all", records = { file = "/none/records" }')


if __name__ == "__main__":
    unittest.main()
