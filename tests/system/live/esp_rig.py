# SPDX-License-Identifier: BSD-3-Clause
"""ESP between a node and scapy's on Gn or Gb.

    pair = Pair("gn", suite="aes-gcm-128", mode="tunnel")     the associations of both ends
    pair.rules()                                              the text of `esp.gn` of the node
    keys_file([pair, ...])                                    the path of a file with the associations of the node
    gateway = Gateway(lab, pair, repeat=0.1)                  the other end; gateway.stop() has its counts
    write_keys(path, [text, ...])                             the file with other associations: pair.lua(), pair.lua("in")
"""
import json
import os
import random
import subprocess
import tempfile

import lab
import node

PYTHON = "/usr/bin/python3"  # Debian's, which python3-scapy is of
ENDS = {"gn": ("ggsn", "gn1", lab.GN_SGSN, lab.GN_GGSN), "gb": ("bss", "gb1", lab.GB_SGSN, lab.GB_BSS)}
KEY_OCTETS = {"aes-gcm-128": (20, 0), "aes-gcm-256": (36, 0), "aes-cbc-128-sha-256": (16, 32), "aes-cbc-256-sha-256": (32, 32),
              "null-sha-256": (0, 32)}
HERE = os.path.dirname(os.path.abspath(__file__))


class Pair:
    def __init__(self, side, suite="aes-gcm-128", mode="transport", **more):
        """udp=: ports. generation=: other SPIs; with another seed= other keys. esn=: by default where scapy has extended sequence numbers, which HMAC leaves out."""
        esn, udp = more.get("esn", suite.startswith("aes-gcm")), more.get("udp")
        self.side, self.chance = side, random.Random(f'{side} {more.get("seed", 1)}')
        self.namespace, self.device, near, far = ENDS[side]
        self.near, self.far, self.more_of_rule = near, far, ""
        common, number = {"suite": suite, "mode": mode, "esn": esn}, 16 * more.get("generation", 0) + (side == "gb")
        if udp:
            common["udp"] = list(udp)
        self.out = {**common, **self.keys(suite), "spi": 0x1001 + number, "from": near, "to": far}
        self.back = {**common, **self.keys(suite), "spi": 0x2001 + number, "from": far, "to": near}

    def tunnel(self, near, far):
        """From another address of the node's to another of the other side's."""
        self.out.update({"from": near, "to": far})
        self.back.update({"from": far, "to": near})

    def keys(self, suite):
        cipher, auth = KEY_OCTETS[suite]
        return {"key": self.chance.randbytes(cipher).hex(), "auth": self.chance.randbytes(auth).hex()}

    def rules(self):
        return f'{self.side} = {{ rules = {{ {{ remote = "{self.far}", sas = "{self.side}"{self.more_of_rule} }} }}, others = "drop" }}'

    def lua(self, *directions):
        """Both, or those that are given."""
        def one(direction, sa):
            words = [f'name = "{self.side}", direction = "{direction}", spi = {sa["spi"]}, suite = "{sa["suite"]}", mode = "{sa["mode"]}"',
                     f'from = "{sa["from"]}", to = "{sa["to"]}", esn = {str(sa["esn"]).lower()}']
            words += [f'{key} = "{sa[key]}"' for key in ("key", "auth") if sa[key]]
            if "udp" in sa:
                words.append(f'udp = {{ {sa["udp"][0]}, {sa["udp"][1]} }}')
            return "{ " + ", ".join(words) + " }"
        both = {"out": self.out, "in": self.back}
        return ", ".join(one(direction, both[direction]) for direction in directions or both)


def keys_file(pairs, mode=0o600):
    handle, path = tempfile.mkstemp(suffix=".lua")
    os.close(handle)
    os.chmod(path, mode)
    write_keys(path, [pair.lua() for pair in pairs])
    return path


def write_keys(path, texts):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"return {{ sas = {{ {', '.join(texts)} }} }}\n")


def config(pairs, path):
    return f', esp = {{ keys = "{path}", {", ".join(pair.rules() for pair in pairs)} }}'


def missing():
    if subprocess.run([PYTHON, "-c", "import scapy.layers.ipsec"], capture_output=True, check=False).returncode != 0:
        return "python3-scapy is missing"
    return lab.missing()


class Gateway:
    def __init__(self, place, pair, **faults):
        given = {"device": pair.device, "near": pair.far, "far": pair.near, "out": pair.back, "in": pair.out, **faults}
        self.process = subprocess.Popen(place.command(pair.namespace, PYTHON, os.path.join(HERE, "esp_gateway.py"), json.dumps(given)),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def change(self, **associations):
        """in_=, out=: another one, as esp_gateway.py has it."""
        self.process.stdin.write(json.dumps({key.rstrip("_"): sa for key, sa in associations.items()}) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ready\n"

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.counts = json.loads(self.process.stdout.readline())
            self.process.wait(node.STOP_S)
            self.process.stdout.close()
        return self.counts
