# SPDX-License-Identifier: BSD-3-Clause
"""A pool with phones: two nodes behind the Gb proxy, osmo-ggsn, a BSS of `gbflow emulate` whose phones are hosts.

    rig = Rig(count=20)             namespaces as pool_lab has them, and "ms" for the phones' host
    rig.open()                      all programs run, each phone has a context: rig.addresses
    rig.allow("node", "no")         the proxy
    rig.gbflow("node", "offload", "--all", "--now")     a command of a node; (status, text)
    rig.rows()                      {IMSI: [(side, row of show subscribers)]}
    rig.close()
"""
import re
import subprocess
import time

import aftermath
import emulator
import ggsn
import lab
import node
import pool_hlr
import pool_lab
import pool_traffic
import sniffer
import test_ggsn

SIDES, OTHER = ("node", "node2"), {"node": "node2", "node2": "node"}
IMSI, KI, COUNT, WAIT_S = "262420000000101", bytes(range(16)), 20, 60
GN_PORTS = {"node": "gn1", "node2": "gn2"}
RAC = {"node": 1, "node2": 2}  # of the offload areas
AWAY = ("leaving", "forwarding")
PHONES = """, phones = { policy = "%(policy)s", timers = { t3350 = "2 s", t3395 = "2 s", t3370 = "2 s" }%(phones_more)s,
    apns = { { name = "internet", sgsn_address = "%(address)s", ggsn_address = "%(ggsn)s" } },
    pool = { hold = "10 s", answer = "10 s", nri_bits = 5, nris = { %(nris)s }, null_nri = 0, offload_area = %(area)s%(pool_more)s,
      others = { { address = "%(other)s", nris = { %(other_nris)s }, offload_area = %(other_area)s } } } }%(last)s"""
CELL = '{ bvci = %d, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = %d, ci = %d }, pdchs = 4, coding = "CS-4" }'
# BSSs of one phone each, which start later.
NEW_IMSI, NEW_NSEI, NEW_ADDRESS = "2624200000009%02d", 110, "127.0.0.%d"
NEW_PLACES = [(1910 + i, (None, 5, 10 + i)) for i in range(4)]
NEW_CELLS = "".join(", " + pool_lab.CELL % (bvci, *place[1:]) for bvci, place in NEW_PLACES)
BSS = """return {
  nsei = %(nsei)d,
  nsvcs = { { nsvci = %(nsei)d, address = "%(bss)s", sgsn_address = "%(proxy)s", sgsn_udp_port = %(port)d } },
  cells = { %(cells)s },
  phones = { imsi = "%(imsi)s", apn = "internet", attaches_per_s = 20, count = %(count)d, %(phones)s
    tun = { device = "gbf0", namespace = "%(ms)s", default_route = true } }
}
"""


def area(side):
    return f'{{ mcc = "262", mnc = "42", lac = 65000, rac = {RAC[side]} }}'


def nris_of(side):
    return [nri for pair in pool_lab.NRIS[side] for nri in range(pair[0], pair[-1] + 1)]


def listed(numbers):
    return ", ".join(map(str, numbers))


def pool_text(side, **values):
    other = OTHER[side]
    usual = {"policy": "accept_all", "phones_more": "", "pool_more": "", "last": ""}
    return PHONES % {**usual, "address": pool_lab.GN[side], "ggsn": lab.GN_GGSN, "nris": listed(nris_of(side)), "area": area(side),
                     "other": pool_lab.GN[other], "other_nris": listed(nris_of(other)), "other_area": area(other), **values}


def nri_of(tlli):
    return tlli >> 24 - pool_lab.NRI_BITS & (1 << pool_lab.NRI_BITS) - 1


def is_own(side, tlli):
    return nri_of(tlli) in nris_of(side)


class Rig:
    def __init__(self, count=COUNT, phones="", **values):
        self.count, self.phones, self.values, self.closers, self.nodes = count, phones, values, [], {}
        self.of_phones = ""
        self.lab = self.keep(pool_lab.PoolLab())
        self.lab.add("ms")
        self.lab.ip(self.lab.names["ggsn"], "address", "add", test_ggsn.SERVER + "/32", "dev", "lo")

    def keep(self, part, end="close"):
        self.closers.append(getattr(part, end))
        return part

    def with_hlr(self):
        """The nodes authenticate and cipher, and ask an HLR."""
        self.hlr = self.keep(pool_hlr.PoolHlr(self.lab, KI))
        self.of_phones = f'ki = "{KI.hex()}",'
        more = ', ciphering = { 3, 0 }, hlr = { address = "%s", name = "SGSN-%s" }'
        self.values.update(policy="hlr", hlr_more={side: more % (pool_hlr.ADDRESS, side) for side in SIDES})

    def open(self):
        self.ggsn = self.keep(ggsn.Ggsn(self.lab))
        self.proxy = self.keep(pool_lab.Proxy(self.lab, timers={"retry": 0.5, "test": 5, "retries": 10}))  # on a busy machine
        for side in SIDES:
            self.start_node(side)
        self.sniffers = {side: self.keep(sniffer.Sniffer(self.lab, "ggsn", port)) for side, port in GN_PORTS.items()}
        self.start_bss()
        self.bss.wait_for("all [0-9]+ phones have a context", WAIT_S)
        self.addresses = self.phone_addresses()

    def node_more(self, side):
        values = dict(self.values)
        values["phones_more"] = values.get("phones_more", "") + values.pop("hlr_more", {}).get(side, "")
        return pool_text(side, **values)

    def start_node(self, side, **values):
        kind = pool_lab.First if side == "node" else pool_lab.Second
        self.nodes[side] = running = self.keep(kind(self.lab, limit=64, more=self.node_more(side), cells_more=NEW_CELLS, **values), "kill")
        running.wait_for("running")

    def wait_for_cells(self, side, timeout_s=WAIT_S):
        """The proxy may take a node that has started again for up before it has reset the cells there."""
        self.nodes[side].show_until("bvc", lambda rows: all(row["usable"] == "yes" for row in rows if row["bvci"] in pool_lab.PLACES),
                                    timeout_s)
        self.wait(lambda rows: all(rows[side]["cells"].get(str(bvci)) == "unblocked" for bvci in pool_lab.PLACES), self.proxy.sgsns,
                  timeout_s=timeout_s)

    def start_bss(self):
        self.bss = self.start_phones(101, pool_lab.PLACES, pool_lab.BSS_ADDRESSES[0], imsi=IMSI, count=self.count,
                                     phones=self.of_phones + (self.phones and self.phones + ","))

    def start_phones(self, nsei, places, address, **values):
        cells = ", ".join(CELL % (bvci, *place[1:]) for bvci, place in places.items())
        return self.keep(emulator.Emulator(self.lab, BSS, nsei=nsei, bss=address, proxy=pool_lab.PROXY_BSS[0], port=pool_lab.PROXY_BSS[1],
                                           cells=cells, **values), "kill")

    def close(self):
        while self.closers:
            self.closers.pop()()

    # --- the programs

    def allow(self, side, word):
        self.proxy.tell(f"allow-attach {pool_lab.NSEI[side]} {word}")

    def give_nri(self, nri, side):
        """The proxy takes phones with that NRI to a node."""
        owners = [(row["nsei"], low, high) for row in self.proxy.show()["sgsns"] for low, high in row["nris"]]
        nsei = next(nsei for nsei, low, high in owners if low <= nri <= high)
        self.proxy.tell(f"nri del {nsei} {nri}")
        self.proxy.tell(f"nri add {pool_lab.NSEI[side]} {nri}")

    def gbflow(self, side, *words):
        running = self.nodes[side]
        done = subprocess.run([node.program(), words[0], "--prefix", running.prefix, *words[1:]], capture_output=True, text=True,
                              check=False, timeout=2 * WAIT_S, env=running.environment())
        return done.returncode, done.stdout + done.stderr

    def send_numbers(self, per_s=10):
        self.traffic = self.keep(pool_traffic.Traffic(self.lab, test_ggsn.SERVER, self.addresses, per_s))
        return self.traffic

    # --- what is seen

    def phone_addresses(self):
        """Those of the phones' host."""
        return sorted(re.findall(r"inet ([0-9.]+)/32", self.lab.ip(self.lab.names["ms"], "-4", "address", "show", "dev", "gbf0")))

    def rows(self):
        found = {}
        for side in SIDES:
            for row in self.nodes[side].show("subscribers"):
                found.setdefault(row["imsi"], []).append((side, row))
        return found

    def homes(self):
        """{IMSI: (side, address)} of the phones that one node has; that of another one is None."""
        found = {}
        for imsi, rows in self.rows().items():
            here = [(side, row["contexts"]) for side, row in rows if row["state"] not in AWAY]
            found[imsi] = here[0] if len(here) == 1 else None
        return found

    @staticmethod
    def wait(is_right, ask, *words, timeout_s=WAIT_S):
        """Asks again until the answer is right; returns it."""
        end = time.monotonic() + timeout_s
        while not is_right(found := ask(*words)):
            assert time.monotonic() < end, found
            time.sleep(0.2)
        return found

    def homes_until(self, is_right):
        return self.wait(is_right, self.homes)

    def counts(self, side):
        return {row["name"]: row["count"] for row in self.nodes[side].show("phone_counts")}

    def gtpc(self, side):
        """Types of the GTP-C messages between a node and the GGSN, in order."""
        return self.sniffers[side].gtpc(f"ip.addr == {lab.GN_GGSN}")

    def dropped(self):
        """Downlink N-PDUs that the nodes have counted as dropped, by reason."""
        found = {}
        for side in SIDES:
            for row in self.nodes[side].show("drops"):
                if row["of"] == "npdu" and row["side"] == "gn":
                    found[row["reason"]] = found.get(row["reason"], 0) + row["count"]
        return found


class Walk(aftermath.Walk):
    """For aftermath.check(): phones arrive one at a time, by a BSS of its own each."""
    text = pool_lab.TEXT

    def __init__(self, rig):  # pylint: disable=super-init-not-called
        self.rig, self.lab, self.arrived = rig, rig.lab, 0

    def nodes(self):
        return [self.rig.nodes[side] for side in SIDES]

    def contexts(self):
        """Each phone has one node."""
        return {imsi: home and home[1].removeprefix("5:") for imsi, home in self.rig.homes().items()}

    def arrive(self, one):
        number, side, rig = self.arrived, one.side, self.rig
        self.arrived, imsi = number + 1, NEW_IMSI % number
        rig.allow(OTHER[side], "no")
        bss = rig.start_phones(NEW_NSEI + number, dict([NEW_PLACES[number]]), NEW_ADDRESS % (21 + number), imsi=imsi, count=1,
                               phones=rig.of_phones, ms=self.lab.add(f"ms{1 + number}"))
        bss.wait_for("all 1 phones have a context", WAIT_S)
        rig.allow(OTHER[side], "yes")
        assert rig.homes()[imsi][0] == side, rig.homes()
        return imsi
