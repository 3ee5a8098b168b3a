# SPDX-License-Identifier: BSD-3-Clause
"""Runs `gbflow emulate` in a lab, in the namespace of its BSS, with one mobile in a namespace of its own, "ms"."""
import lab
import node

TEXT = """return {
  nsei = 101,
  nsvcs = { { nsvci = 101, address = "198.51.100.2", sgsn_address = "198.51.100.1" }%(nsvcs)s },
  cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 }, %(cell)s } },
  mobiles = { { tlli = 0xC0000001, address = "10.45.0.1", n201_u = "%(n201_u)s",
    tun = { device = "gbf0", namespace = "%(ms)s", default_route = true }%(mobile_more)s } }%(more)s
}
"""
VALUES = {"cell": 'pdchs = 4, coding = "CS-4"', "n201_u": "500 octets", "mobile_more": "", "nsvcs": "", "more": "", "cell_more": ""}


class Emulator(node.Node):
    command, side = "emulate", "bss"

    def __init__(self, place: lab.Lab, text=TEXT, **values):
        super().__init__(place, text, **{**VALUES, "ms": place.names["ms"], **values})
