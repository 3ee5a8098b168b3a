# SPDX-License-Identifier: BSD-3-Clause
"""Phones of `gbflow emulate` at gbflow's own node and the real osmo-ggsn, with the real osmo-hlr where it authenticates."""
import re
import time
import unittest

import emulator
import ggsn
import hlr
import lab
import node
import test_ggsn
import test_phones
import traffic

from test_emulate import BOUNDS, LOSSY, described

TEXT = """return {
  nsei = 101,
  nsvcs = { { nsvci = 101, address = "198.51.100.2", sgsn_address = "198.51.100.1" } },
  cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 }, %(cell)s%(cell_more)s } },
  phones = { imsi = "%(imsi)s", apn = "internet", attaches_per_s = 100, %(phones)s,
    tun = { device = "gbf0", namespace = "%(ms)s", default_route = true } }
}
"""


OTHER_CELLS = ((1801, 5, 2), (1802, 6, 3))  # BVCI, routeing area, cell; the first one is 1800, 5, 1


def cells(more="", others=OTHER_CELLS):
    """More cells for a configuration whose list ends behind its first cell; more: keys of each."""
    return "".join(f' }}, {{ bvci = {bvci}, cell_id = {{ mcc = "262", mnc = "42", lac = 4660, rac = {rac}, ci = {ci} }}{more}'
                   for bvci, rac, ci in others)


def script(*steps, rounds=1):
    words = ", ".join(f'{{ after = "{after}", what = "{what}" }}' for after, what in steps)
    return f"script = {{ {words} }}, rounds = {rounds}"


MOVES = script(*[("1 s", "move")] * 3, rounds=2)
LEAVES = script(("300 ms", "detach"), ("300 ms", "attach"), ("300 ms", "update"), ("300 ms", "deactivate"), ("300 ms", "activate"),
                ("300 ms", "power_off"), ("300 ms", "attach"), rounds=2)


CALLS = script(("500 ms", "suspend"), ("1500 ms", "resume"), rounds=2)


def check_called(case, counts):
    """After CALLS."""
    names = ("suspended", "resume_asked", "resumed", "updated", "attached")
    case.assertEqual([counts.get(name, 0) for name in names], [2, 2, 2, 0, 1], counts)
    case.assertFalse({"no_answer", "resume_refused", "order_out_of_turn"} & counts.keys(), counts)


def check_moved(case, counts, updates=4):
    """After MOVES: cell updates within an area, routeing area updates between areas, each answered."""
    names = ("moved", "cell_updated", "updated", "attached")
    case.assertEqual([counts.get(name, 0) for name in names], [6, 6 - updates, updates, 1], counts)
    accepted = counts.get("rx_rau_accept", 0)  # no counter where the phone stays in its area
    case.assertEqual(counts.get("sent_rau_complete", 0), accepted, counts)  # one more for each ACCEPT that was repeated
    case.assertGreaterEqual(accepted, updates, counts)
    case.assertFalse({"no_answer", "not_ciphered"} & counts.keys(), counts)


def check_left(case, counts):
    """After LEAVES, each step answered."""
    names = ("attached", "detached", "powered_off", "updated", "activated")
    case.assertEqual([counts.get(name, 0) for name in names], [5, 2, 2, 2, 7], counts)
    case.assertFalse({"no_answer", "not_ciphered"} & counts.keys(), counts)


def addresses_of(place):
    """Those of the phones' host."""
    return re.findall(r"inet ([0-9.]+)/32", place.ip(place.names["ms"], "-4", "address", "show", "dev", "gbf0"))


def wait_for_address(place, timeout_s=30):
    end = time.monotonic() + timeout_s
    while not addresses_of(place) and time.monotonic() < end:
        time.sleep(0.05)
    return addresses_of(place)[0]


def use(place, address):
    """Ping both ways and a download, by the kernels, from a phone's address."""
    for octets in (0, 56, 1472):
        traffic.ping(place, "ms", address, test_ggsn.SERVER, octets)
    traffic.ping(place, "ggsn", test_ggsn.SERVER, address)
    traffic.fetch(place, address, test_ggsn.SERVER, 30000)


def check_used(case, row):
    """What the phone's report must say of it."""
    case.assertGreaterEqual(row["down_npdus"], 4 + 30000 // 1460)
    case.assertGreaterEqual(row["up_npdus"], 4)
    case.assertEqual([row[name] for name in ("bad_frames", "incomplete_npdus", "tun_refused", "unsent")], [0] * 4)
    case.assertEqual(row["dns"], " ".join(ggsn.DNS))


class Case(test_ggsn.Case):
    def emulate(self, policy, phones, **values):
        self.open_ggsn()
        self.serve(gn_more=self.gn_more, mobiles="", more=test_phones.quick("t3350", "t3395", "tc1") % policy + values.get("more", ""), limit=64,
                   cell_more=cells())
        for pattern in values.get("after", ()):
            self.node.wait_for(pattern)
        self.lab.add("ms")
        self.bss = emulator.Emulator(self.lab, TEXT, imsi=test_phones.IMSI, phones=phones, cell=values.get("cell", emulator.VALUES["cell"]),
                                     cell_more=cells(', pdchs = 4, coding = "CS-4"') if "script" in phones else "")
        self.addCleanup(self.bss.kill)
        self.bss.wait_for("all [0-9]+ phones have a context", values.get("timeout_s", node.START_S))

    def stop(self):
        self.assertEqual(self.bss.stop(), 0)
        self.assertEqual(self.node.stop(), 0)
        faults = described.faults(described.descriptors(node.program())["emulate"], self.bss.report)
        self.assertEqual([fault for fault in faults if not fault.startswith("mobiles[]")], [])
        self.assertEqual(self.bss.report["phone_addresses_refused"], 0)
        return {row["name"]: row["count"] for row in self.bss.report["phone_counts"]}

class Phones(Case):
    def test_acknowledged(self):
        """A phone asks for reliability class 2 and gets it; LLC repeats what its cell loses. GMM and SM repeat their messages
        by timers of up to 30 s."""
        self.emulate('policy = "accept_all"', f'count = 1, llc = "acknowledged", {BOUNDS}', timeout_s=150,
                     more=f", llc = {{ {BOUNDS.replace('{', '{ links = 64,')} }}", cell=LOSSY + ', bler_up = "2 %"')
        use(self.lab, addresses_of(self.lab)[0])
        counts = self.stop()
        self.assertEqual([counts[name] for name in ("attached", "activated")], [1, 1])
        cell, row = self.bss.report["cells"][0], self.bss.report["phones"][0]
        check_used(self, row)
        self.assertGreater(cell["down"]["discarded"]["rlc"], 10)
        self.assertGreater(row["acknowledged"]["received"], 30000 / 140)
        self.assertGreaterEqual(row["acknowledged"]["established"], 1)

    def test_compression(self):
        """A phone offers it when its context is activated."""
        self.emulate('policy = "accept_all"', "count = 1, compression = { rfc1144 = { slots = 8 }, v42bis = {} }",
                     more=', sndcp = { compression = { mode = "passive", rfc1144 = { slots = 4 } } }')
        use(self.lab, addresses_of(self.lab)[0])
        self.stop()
        row = self.bss.report["phones"][0]
        check_used(self, row)
        counts = row["compression"]
        self.assertEqual([counts[name] for name in ("accepted", "refused", "unanswered", "lost")], [1, 1, 0, 0])
        self.assertGreater(counts["rfc1144"]["up"]["full"], 0)

    def test_more_phones_than_links(self):
        """Two of three phones have acknowledged mode; the third is told reliability class 3 and works without. All use it."""
        self.emulate('policy = "accept_all"', f'count = 3, llc = "acknowledged", {BOUNDS}',
                     more=f", llc = {{ {BOUNDS.replace('{', '{ links = 2,')} }}")
        table = self.node.show("acknowledged")[0]
        self.assertEqual([table[name] for name in ("links", "links_free", "refused")], [2, 0, 1])
        self.assertEqual(sorted(row["links"] for row in self.node.show("ms")), [0, 1, 1])
        self.assertEqual({row["name"]: row["count"] for row in self.node.show("phone_counts")}["llc_unacknowledged"], 1)
        for address in addresses_of(self.lab):
            use(self.lab, address)
        counts = self.stop()
        self.assertEqual([counts[name] for name in ("attached", "activated")], [3, 3])
        rows = self.bss.report["phones"]
        established = sorted(row.get("acknowledged", {"established": 0})["established"] for row in rows)
        self.assertEqual([count > 0 for count in established], [False, True, True])  # again, where answers were late
        self.assertEqual(self.node.report["acknowledged"][0]["refused"], 1)
        for row in rows:
            check_used(self, row)

    def test_attach_and_activate(self):
        self.emulate('policy = "accept_all"', "count = 20")
        rows = self.node.show("subscribers")
        addresses = addresses_of(self.lab)
        use(self.lab, addresses[0])
        counts = self.stop()
        self.assertEqual(counts["activated"], 20)
        for name in ("attached", "sent_attach_complete"):
            self.assertGreaterEqual(counts[name], 20)  # a phone that waits longer than T3310 attaches once more
        phones = self.bss.report["phones"]
        self.assertEqual(sorted("5:" + phone["address"] for phone in phones), sorted(row["contexts"] for row in rows))
        self.assertEqual(sorted(phone["address"] for phone in phones), sorted(addresses))
        check_used(self, next(phone for phone in phones if phone["address"] == addresses[0]))
        self.assertEqual({(phone["state"], phone["session"]) for phone in phones}, {("registered", "active")})
        self.assertEqual((self.bss.report["phone_bad_frames"], self.bss.report["unknown_tlli"]), (0, 0))


class WithHlr(Case):
    def test_ciphered(self):
        """XOR keys, GEA/3 from the frame after the response on."""
        self.check_ciphered("GEA/3")

    def test_the_node_restarts(self):
        """A phone whose ciphered packets come to a node that does not know it is paged by its IMSI, and attaches again."""
        self.register("{ 3 }")
        self.node.process.kill()
        self.node.process.wait(60)
        began = len(self.node.lines)
        self.node.start()
        self.node.wait_for("NSE 101 BVCI 1800: reset by the BSS", start=began)
        with self.lab.inside("ms"), test_ggsn.socket.socket(test_ggsn.socket.AF_INET, test_ggsn.socket.SOCK_DGRAM) as sock:
            sock.bind((addresses_of(self.lab)[0], 0))
            sock.sendto(b"", (test_ggsn.SERVER, 9))
        self.node.wait_for("5: active", start=began)
        use(self.lab, wait_for_address(self.lab))
        counts = self.stop()
        self.assertEqual([counts[name] for name in ("attached", "activated", "paged_by_imsi")], [2, 2, 1], counts)

    def test_usim(self):
        """Quintets by the XOR algorithm, GEA/4 with Kc128."""
        self.check_ciphered("GEA/4", phone=", usim = true", is_usim=True)

    def register(self, ciphering, phone="", is_usim=False):
        lab.need(self, hlr.missing())
        self.hlr = hlr.Hlr(self.lab, test_phones.IMSI, test_phones.KI, is_usim=is_usim)
        self.addCleanup(self.hlr.close)
        self.emulate(f'policy = "hlr", ciphering = {ciphering}, hlr = {{ address = "127.0.0.1" }}',
                     f'count = 1, ki = "{test_phones.KI.hex()}"{phone}', after=["HLR 127.0.0.1: connected"])

    def check_ciphered(self, algorithm, phone="", is_usim=False):
        self.register("{ 4, 3, 0 }", phone, is_usim)
        row = self.node.show("subscribers")[0]
        self.assertEqual(row["imsi"], test_phones.IMSI)
        self.node.wait_for(f"attached.*{algorithm}")
        use(self.lab, addresses_of(self.lab)[0])
        counts = self.stop()
        check_used(self, self.bss.report["phones"][0])
        self.assertEqual((counts["challenged"], counts["activated"]), (1, 1))


class Script(Case):
    def test_moves_during_a_download(self):
        """Through three cells and two routeing areas, twice: one TCP connection lives through it."""
        self.emulate('policy = "accept_all"', f"count = 1, {MOVES}")
        traffic.fetch(self.lab, addresses_of(self.lab)[0], test_ggsn.SERVER, 60000)
        self.bss.wait_for("all 1 phones have played their script")
        row = self.node.show("subscribers")[0]
        check_moved(self, self.stop())
        phone = self.bss.report["phones"][0]
        self.assertEqual((phone["state"], phone["session"], phone["bvci"], row["bvci"]), ("registered", "active", 1800, 1800))

    def test_calls_during_a_download(self):
        """Two calls suspend the phone; what the SGSN held arrives after RESUME."""
        self.emulate('policy = "accept_all"', f"count = 1, {CALLS}")
        traffic.fetch(self.lab, addresses_of(self.lab)[0], test_ggsn.SERVER, 60000)
        self.bss.wait_for("all 1 phones have played their script")
        counts = self.stop()
        check_called(self, counts)
        self.assertEqual(self.bss.report["gb"]["unexpected"], 0)

    def test_leaves_and_comes_back(self):
        self.emulate('policy = "accept_all"', f"count = 1, {LEAVES}")
        self.bss.wait_for("all 1 phones have played their script")
        address = wait_for_address(self.lab)
        use(self.lab, address)
        check_left(self, self.stop())
        self.assertEqual([self.bss.report["phones"][0][name] for name in ("state", "session", "address")],
                         ["registered", "active", address])


if __name__ == "__main__":
    unittest.main()
