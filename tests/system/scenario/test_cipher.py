# SPDX-License-Identifier: BSD-3-Clause
"""Ciphering changes octets on the air and nothing else: the same run with keys and without."""
import json
import os
import subprocess
import sys
import unittest

import scenario

RECEIVER = os.path.join(scenario.HERE, "..", "..", "oracles", "receiver", "receiver.py")
KC3, KC4 = "2bd6459f82c5bc00", "d3c5d592327fb11c4035c6680af8c6d1"
# Of the first two mobiles; the third is in clear.
CIPHERING = (f'{{ algorithm = "gea3", kc = "{KC3}", iov_ui = 0xFFFFFF00 }}', f'{{ algorithm = "gea4", kc = "{KC4}" }}')
KEYS = {"mobiles": [{"tlli": "c0000001", "keys": [{"algorithm": 3, "kc": KC3, "iov_ui": "ffffff00"}]},
                    {"tlli": "c0000002", "keys": [{"algorithm": 4, "kc": KC4}]}]}


def mobiles(ciphering):
    traffic = ('{ download = { octets = "120 kB" } }, { ping = {} }', '{ web = { items = 4 } }', '{ ping = {} }')
    return "\n".join(f'{{ name = "m{i}", traffic = {{ {items} }}, {f"ciphering = {key}," if key else ""} }},'
                     for i, (items, key) in enumerate(zip(traffic, ciphering)))


class Cipher(scenario.Case):
    def run_with(self, ciphering, name, sgsn=""):
        """The run's summary without its name, and what the receiver model reads from Gb."""
        text = scenario.text(duration="40 s", sgsn=sgsn, mobiles=mobiles(ciphering),
                             cells='pdchs = 3, bler = "3 %", buffer = { mobile = "4 kB" }, '
                                   'flow_control = { ms_default = { bucket = "12 kB", rate = "80 kbit/s" } }')
        path = self.path(name + ".lua")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        result = self.play(path, "--pcap", name=name)
        keys, out = self.path(name + ".keys"), self.path(name + ".json")
        with open(keys, "w", encoding="ascii") as file:
            json.dump(KEYS if any(ciphering) else {"mobiles": []}, file)
        subprocess.run([sys.executable, RECEIVER, os.path.join(result.out, "gb.pcapng"), "--keys", keys, "--json", out,
                        "--quiet"], capture_output=True, check=False)
        with open(out, encoding="ascii") as file:
            received = json.load(file)
        result.summary.pop("scenario")
        return result.summary, received

    def test_the_same_run(self):
        clear, clear_received = self.run_with((None,) * 3, "clear")
        ciphered, received = self.run_with((*CIPHERING, None), "ciphered")
        self.assertEqual(ciphered, clear)
        self.assertEqual(received["faults"], [])
        self.assertEqual(received["n_pdus"], clear_received["n_pdus"])
        self.assertGreater(len(received["n_pdus"]), 300)
        for row in received["entities"]:
            self.assertEqual(row["ciphered"], 0 if row["tlli"] == ["c0000003"] else row["accepted"])

    def test_dying_in_the_bss(self):
        """The run above loses frames in the BSS, so that what it throws away is accounted for in clear."""
        summary, _ = self.run_with((*CIPHERING, None), "ciphered")
        self.assertGreater(summary["conservation"]["bss"]["dropped"], 0)

    def test_unprotected(self):
        clear, _ = self.run_with((None,) * 3, "clear")
        unprotected, received = self.run_with((*CIPHERING, None), "unprotected", sgsn="unprotected_sapis = { 3 },")
        self.assertEqual(unprotected, clear)
        self.assertEqual(received["faults"], [])


if __name__ == "__main__":
    unittest.main()
