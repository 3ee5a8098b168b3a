# SPDX-License-Identifier: BSD-3-Clause
"""ESP on Gn and Gb between a live node and scapy, which no one here wrote; its lines are those of docs/esp.md."""
import http.client
import os
import re
import subprocess
import unittest

import lab
import node

import esp_rig
import test_metrics
import test_walk

COUNT = 40


class Case(test_walk.Case):
    def setUp(self):
        lab.need(self, esp_rig.missing())
        super().setUp()

    def keys_of(self, *pairs, mode=0o600):
        keys = esp_rig.keys_file(pairs, mode)
        self.addCleanup(lambda: [os.unlink(path) for path in (keys, keys + ".used") if os.path.exists(path)])
        return keys

    def protect(self, *pairs, values=None, **faults):
        self.keys = self.keys_of(*pairs)
        self.serve(more=esp_rig.config(pairs, self.keys), **(values or {}))
        self.gateways = [esp_rig.Gateway(self.lab, pair, **faults) for pair in pairs]
        for gateway in self.gateways:
            self.addCleanup(gateway.stop)
        self.open_ends()
        self.bss.bring_up()

    def dropped(self):
        return {(row["side"], row["reason"]): row["count"] for row in self.node.show("drops")}

    def check_both_ways(self, count=3):
        for seed in range(count):
            self.check_down(40 + 97 * seed % 1200, seed)
            self.check_up(40 + 89 * seed % 1200, seed)

    def finish(self):
        for gateway in self.gateways:
            counts = gateway.stop()
            self.assertEqual(counts["plain"] + counts["bad"], 0, counts)
        self.assertEqual(self.node.stop(), 0)


class Walk(Case):
    def walk(self, *pairs):
        self.protect(*pairs)
        self.check_both_ways()
        self.assertEqual(self.dropped(), {})
        self.finish()

    def test_gb_transport(self):
        self.walk(esp_rig.Pair("gb", "aes-gcm-128", "transport"))

    def test_gb_in_udp(self):
        self.walk(esp_rig.Pair("gb", "aes-gcm-256", "tunnel", udp=(4500, 4500)))

    def test_gn_tunnel(self):
        self.walk(esp_rig.Pair("gn", "aes-cbc-128-sha-256", "tunnel"))

    def test_gn_without_a_cipher(self):
        self.walk(esp_rig.Pair("gn", "null-sha-256", "transport"))

    def test_both(self):
        self.walk(esp_rig.Pair("gn", "aes-gcm-128", "tunnel"), esp_rig.Pair("gb", "aes-cbc-256-sha-256", "tunnel"))


class Tables(Case):
    def test_associations(self):
        """The counts of an association are those of its packets, and no key is told."""
        pair = esp_rig.Pair("gn", "aes-gcm-256", "tunnel", udp=(4500, 4500))
        self.protect(pair, repeat=0.5, spoil=0.5)
        self.check_both_ways(COUNT)
        counts, rows = self.gateways[0].stop(), {row["direction"]: row for row in self.node.show("sa")}
        common = {"name": "gn", "suite": "aes-gcm-256", "mode": "tunnel", "udp": "4500,4500", "esn": "yes", "inner": "ipv4"}
        self.assertEqual({direction: {**row, **common} for direction, row in rows.items()}, rows)
        self.assertEqual([(rows[way]["spi"], rows[way]["from"], rows[way]["to"], rows[way]["state"]) for way in ("out", "in")],
                         [("0x00001001", pair.near, pair.far, "used"), ("0x00002001", pair.far, pair.near, "accepted")])
        self.assertEqual((rows["in"]["replays"], rows["in"]["wrong_icvs"]), (counts["repeated"], counts["spoilt"]))
        self.assertGreaterEqual(min(row["packets"] for row in rows.values()), COUNT)
        self.assertEqual(rows["out"]["sequence"], rows["out"]["packets"] + 1)
        self.assertGreaterEqual(rows["in"]["sequence"], rows["in"]["packets"])
        self.assertNotIn("replays", {key for key, value in rows["out"].items() if value is not None})
        self.assertEqual(self.node.show("ike"), [])
        self.finish()

    def test_states(self):
        """The last one of a name protects what leaves; those that have gone have no row."""
        old, new = esp_rig.Pair("gn", mode="tunnel"), esp_rig.Pair("gn", mode="tunnel", generation=1, seed=2)
        self.protect(old)
        self.check_states({"0x00001001": "used", "0x00002001": "accepted"})
        for texts, wanted in (((old.lua(), new.lua()), {"0x00001001": "idle", "0x00002001": "accepted", "0x00001011": "used", "0x00002011": "accepted"}),
                              ((new.lua(),), {"0x00001011": "used", "0x00002011": "accepted"})):
            esp_rig.write_keys(self.keys, texts)
            self.node.run_reload()
            self.check_states(wanted)
        self.finish()

    def test_metrics(self):
        """A sample for each number of the rows; promtool takes them."""
        self.protect(esp_rig.Pair("gn"), values={"live_more": ", metrics = {}"})
        self.check_both_ways()
        text = self.get_metrics()
        found = test_metrics.samples(text)
        for row in self.node.show("sa"):
            labels = ",".join(f'{name}="{row[name]}"' for name in ("name", "direction", "spi", "to"))
            self.assertEqual(found["gbflow_sa_state", f'{{{labels},state="{row["state"]}"}}'], 1)
            self.assertGreaterEqual(found["gbflow_sa_packets_total", f"{{{labels}}}"], 3)
            self.assertEqual(("gbflow_sa_replays_total", f"{{{labels}}}") in found, row["direction"] == "in")
        test_metrics.Metrics.check_with_promtool(self, text)
        self.finish()

    def get_metrics(self):
        with self.lab.inside("node"):
            connection = http.client.HTTPConnection("127.0.0.1", test_metrics.PORT, timeout=60)
            connection.connect()
        self.addCleanup(connection.close)
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()

    def check_states(self, wanted):
        self.assertEqual({row["spi"]: row["state"] for row in self.node.show("sa")}, wanted)


class Mtu(Case):
    """No packet is longer than `gn.mtu` with ESP."""

    def walk(self, pair, is_cut_behind, more=""):
        pair.more_of_rule = more
        self.protect(pair, values={"gn_more": ', mtu = "1300 octets"'})
        for octets in range(1150, 1500, 7):
            self.check_up(octets, octets)
        counts = self.gateways[0].stop()
        self.assertGreater(counts["longest"], 1280)
        self.assertLessEqual(counts["longest"], 1300)
        self.assertEqual(counts["cut"] > 0, is_cut_behind, counts)
        self.assertEqual(self.dropped(), {})
        self.finish()

    def test_tunnel(self):
        self.walk(esp_rig.Pair("gn", "aes-gcm-128", "tunnel"), False)

    def test_transport(self):
        self.walk(esp_rig.Pair("gn", "aes-cbc-128-sha-256", "transport"), True)

    def test_rule_with_a_port(self):
        self.walk(esp_rig.Pair("gn", "aes-gcm-128", "tunnel"), True, ', protocol = "udp", remote_port = 2152')


class Faults(Case):
    def test_copies_and_spoilt_ones(self):
        """Each packet passes once."""
        self.protect(esp_rig.Pair("gn", "aes-gcm-128", "tunnel"), repeat=0.5, spoil=0.5)
        self.check_both_ways(COUNT)
        counts, dropped = self.gateways[0].stop(), self.dropped()
        self.assertGreater(min(counts["repeated"], counts["spoilt"]), COUNT // 8)
        self.assertEqual(dropped, {("gn", "esp_replay"): counts["repeated"], ("gn", "esp_icv"): counts["spoilt"]})
        self.check_lines({"esp_replay": counts["repeated"], "esp_icv": counts["spoilt"]}, "from 192.0.2.2, SPI 0x00002001")
        self.finish()

    def check_lines(self, wanted, one):
        """Lines of the log tell of packets that were dropped: few lines, of no more packets than there were."""
        found = {}
        for reason, count in wanted.items():
            form = rf"gn: {reason}: (\d+) packets dropped, one of them {re.escape(one)}$"
            self.node.wait_for(form)
            found[reason] = [int(match[1]) for match in (re.search(form, line) for line in self.node.lines) if match]
            self.assertLessEqual(sum(found[reason]), count)
        self.assertLess(max(map(len, found.values())), 9)

    def test_packets_without_esp(self):
        """Neither come nor leave."""
        pair = esp_rig.Pair("gb")
        self.serve(more=esp_rig.config([pair], self.keys_of(pair)))
        self.open_ends()
        self.bss.send(bytes.fromhex("0200810101820065040065"))  # NS-RESET
        self.node.show_until("drops", lambda rows: ("gb", "esp_missing") in {(row["side"], row["reason"]) for row in rows})
        self.assertEqual(self.node.stop(), 0)


class Fragments(Case):
    """ESP packets come in fragments; those that pass leave nothing behind."""

    def walk(self, pair, **faults):
        self.protect(pair, cut=304, **faults)
        self.check_both_ways(12)
        counts, dropped = self.gateways[0].stop(), self.dropped()
        self.assertGreater(counts["sent_cut"], 6)
        self.assertEqual(dropped, {(pair.side, "esp_icv"): counts["spoilt"]} if counts["spoilt"] else {})
        self.finish()

    def test_gn_tunnel(self):
        self.walk(esp_rig.Pair("gn", "aes-gcm-128", "tunnel"))

    def test_gn_transport(self):
        self.walk(esp_rig.Pair("gn", "aes-cbc-128-sha-256"), spoil=0.5)

    def test_gb_tunnel(self):
        self.walk(esp_rig.Pair("gb", "aes-gcm-128", "tunnel"))

    def test_gb_in_udp(self):
        self.walk(esp_rig.Pair("gb", "aes-gcm-256", "tunnel", udp=(4500, 4500)), spoil=0.5)


class Elsewhere(Case):
    """A gateway has the tunnel; what is behind it answers no ARP, and the node's end is an address of nothing else."""

    def gateway_at(self, pair, last):
        """At the address of this last octet; that of the peer is behind it."""
        name, net = self.lab.names[pair.namespace], pair.far.rsplit(".", 1)[0]
        if last == 254:
            lab.run("ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv4.conf.{pair.device}.arp_ignore=1")
            self.lab.ip(name, "address", "del", f"{pair.far}/24", "dev", pair.device)
            self.lab.ip(name, "address", "add", f"{pair.far}/32", "dev", "lo")
        self.lab.ip(name, "address", "add", f"{net}.{last}/24", "dev", pair.device)
        pair.tunnel(f"{net}.77", f"{net}.{last}")

    def walk(self, *pairs):
        for pair in pairs:
            self.gateway_at(pair, 254)
        self.protect(*pairs)
        self.check_both_ways()
        self.assertEqual(self.dropped(), {})

    def test_gn(self):
        self.walk(esp_rig.Pair("gn", mode="tunnel"))
        self.finish()

    def test_gb(self):
        self.walk(esp_rig.Pair("gb", "aes-gcm-256", "tunnel", udp=(4500, 4500)))
        self.finish()

    def test_it_moves(self):
        """To another gateway, by a reload."""
        old, new = esp_rig.Pair("gn", mode="tunnel"), esp_rig.Pair("gn", mode="tunnel", generation=1, seed=2)
        self.walk(old)
        name = self.lab.names[old.namespace]
        former = old.back["from"]
        self.gateway_at(new, 253)
        esp_rig.write_keys(self.keys, [new.lua()])
        self.assertEqual(self.node.run_reload().stdout, "esp: 2 associations added\nesp: 2 associations removed\nnothing else changed\n")
        self.gateways[0].change(in_=new.out, out=new.back)
        self.lab.ip(name, "address", "del", f"{former}/24", "dev", old.device)
        self.node.show_until("neighbours", lambda rows: self.hops(rows) == {("gn", new.back["from"]), ("gb", lab.GB_BSS)})
        self.check_both_ways()
        self.finish()

    @staticmethod
    def hops(rows):
        return {(row["side"], row["address"]) for row in rows if row["state"] == "known"}


class Rekey(Case):
    """New keys by a reload, in the order that docs/esp.md gives: no packet is lost."""

    def reload(self, *texts):
        esp_rig.write_keys(self.keys, texts)
        done = self.node.run_reload()
        return done.stdout + done.stderr

    def test_under_traffic(self):
        old, new = esp_rig.Pair("gn", mode="tunnel"), esp_rig.Pair("gn", mode="tunnel", generation=1, seed=2)
        self.protect(old)
        gateway = self.gateways[0]
        self.check_both_ways()
        self.assertEqual(self.reload(old.lua(), new.lua("in")), "esp: 1 association added\nnothing else changed\n")
        gateway.change(in_=new.out, out=new.back)
        self.check_both_ways()
        self.assertEqual(self.reload(old.lua(), new.lua()), "esp: 1 association added\nnothing else changed\n")
        self.check_both_ways()
        self.assertEqual(self.reload(new.lua()), "esp: 2 associations removed\nnothing else changed\n")
        self.check_both_ways()
        self.assertEqual(self.dropped(), {})
        refused = self.reload(new.lua(), old.lua())
        self.assertIn("SPI 0x00001001 of direction out was used by an earlier run, or before a reload", refused)
        self.check_both_ways()
        self.finish()

    def test_what_is_in_force_stays(self):
        """A reload does not take other fields with the same keys."""
        pair, other = esp_rig.Pair("gn", mode="tunnel"), esp_rig.Pair("gn", mode="tunnel")
        self.protect(pair)
        self.check_both_ways()
        for change in (lambda: other.out.update(spi=0x3001), lambda: other.back.update(esn=False)):
            change()
            self.assertIn("has the keys of an association in force that is not the same", self.reload(other.lua()))
            other.out.update(pair.out)
        self.check_both_ways()
        self.finish()

    def test_other_rules(self):
        pair = esp_rig.Pair("gn", mode="tunnel")
        self.protect(pair)
        self.check_both_ways(1)
        drop = f'gn = {{ rules = {{ {{ remote = "{pair.far}", action = "drop" }} }} }}'
        done = self.node.run_reload(more=f', esp = {{ keys = "{self.keys}", {drop} }}')
        self.assertIn("esp: 2 associations removed\n", done.stdout)
        self.down(40, 1)
        self.node.show_until("drops", lambda rows: ("gn", "esp_spi") in {(row["side"], row["reason"]) for row in rows})
        self.finish()


class Keys(Case):
    def refused(self, keys, *pairs):
        """What the node says when it does not start."""
        self.serving = node.Node(self.lab, more=esp_rig.config(pairs, keys))
        self.addCleanup(self.serving.kill)
        self.assertEqual(self.serving.process.wait(node.START_S), 1)
        self.serving.reader.join(5)
        return "\n".join(self.serving.lines)

    def test_keys_are_used_once(self):
        pair = esp_rig.Pair("gb")
        keys = self.keys_of(pair)
        self.serve(more=esp_rig.config([pair], keys))
        self.assertEqual(self.node.stop(), 0)
        said = self.refused(keys, pair)
        self.assertRegex(said, r"SPI 0x00001002 of direction out was used by an earlier run, .* give both ends new keys")
        self.assertNotIn(pair.out["key"][:16], said)
        for other, way, spi in ((pair.out, "out", 0x1012), (pair.back, "in", 0x2012)):
            fresh = esp_rig.Pair("gb", generation=1, seed=2)
            (fresh.out if way == "out" else fresh.back)["key"] = other["key"]
            esp_rig.write_keys(keys, [fresh.lua()])
            self.assertIn(f"SPI 0x{spi:08x} of direction {way} was used by an earlier run", self.refused(keys, fresh))

    def test_keys_that_others_may_read(self):
        pair = esp_rig.Pair("gb")
        self.assertIn("others may read or write the keys of ESP: chmod 600", self.refused(self.keys_of(pair, mode=0o640), pair))

    def test_a_rule_for_the_other_version(self):
        pair = esp_rig.Pair("gb")
        rules = pair.rules()
        pair.rules = lambda: rules.replace(f'remote = "{pair.far}"', 'ip = "ipv6"')
        self.assertIn('a rule has ip = "ipv6", and no association of direction out carries it', self.refused(self.keys_of(pair), pair))

    def test_no_key_is_told(self):
        """Neither of a right file nor of a wrong one, nor in the core file or the arguments of the process."""
        pair = esp_rig.Pair("gb")
        pair.out["key"] = pair.out["key"][:-2]
        keys = self.keys_of(pair)
        said = self.refused(keys, pair)
        self.assertIn("key: has 38 digits; aes-gcm-128 has 40", said)
        self.assertNotIn(pair.out["key"][:16], said)
        pair = esp_rig.Pair("gn")
        self.serve(more=esp_rig.config([pair], self.keys_of(pair)))
        for what in ("config", "node", "ports", "drops", "sa"):
            told = subprocess.run([node.program(), "show", what, "--prefix", self.node.prefix, "--json"], capture_output=True, text=True,
                                  check=False, timeout=60, env=self.node.environment()).stdout
            self.assertNotIn(pair.out["key"][:16], told)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
