# SPDX-License-Identifier: BSD-3-Clause
"""Tables of mobiles for tests, and what `gbflow check` says of a node with one."""
import os
import subprocess

GBFLOW = os.environ["GBFLOW"]
HEADER = "imsi,tlli,bvci,ciphering,kc,nsapi,sgsn_address,ggsn_address,ggsn_teid,address,class"
NODE = """return {
  gb = { address = "198.51.100.1" },
  nses = { { nsei = 101, nsvcs = { { nsvci = 101, address = "198.51.100.2" } },
    cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } } } },
  mobiles = { source = "list", file = "%(file)s", list = { %(listed)s } },
  limits = { mobiles = %(limit)d, contexts = %(limit)d }%(more)s
}
"""


def row(number):
    return (f"26242{number:010d},0x{0xC0000000 + number:X},1800,gea3,{number:016x},5,192.0.2.1,192.0.2.2,{number + 1},"
            f"10.{1 + (number >> 16)}.{number >> 8 & 255}.{number & 255},thp2")


def check(folder, table, **values):
    """Writes the table and a node; returns status and lines of stderr without the folder."""
    with open(os.path.join(folder, "mobiles.csv"), "wb") as out:
        out.write(table)
    path = os.path.join(folder, "node.lua")
    with open(path, "w", encoding="ascii") as out:
        out.write(NODE % {"file": "mobiles.csv", "limit": 4096, "listed": "", "more": "", **values})
    done = subprocess.run([GBFLOW, "check", path], capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, [line.replace(folder + "/", "") for line in done.stderr.splitlines()]
