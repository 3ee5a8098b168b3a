# SPDX-License-Identifier: BSD-3-Clause
"""The keys of docs/phones.md for those who come from osmo-sgsn: gbflow check takes a node with each of them."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
PAGE = pathlib.Path(os.environ["GBFLOW_ROOT"]) / "docs/phones.md"
HEADING = "## For those who come from osmo-sgsn\n"

NODE = """local node = {
  gn = { gtpc = {} },
  nses = { { nsei = 96, nsvcs = { { nsvci = 97, address = "198.51.100.2", udp_port = 21010 } }, cells = { { bvci = 196,
    cell_id = { mcc = "262", mnc = "42", lac = 13135, rac = 0, ci = 20960 } } } } },
  gb = { address = "198.51.100.1" },
  mobiles = { source = "list" },
  phones = { policy = "hlr", hlr = { address = "192.0.2.3" },
    apns = { { name = "internet", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2" } } },
}
"""
NO_HLR = 'node.phones.hlr = nil\n'


def rows_of(text):
    """Cells of the rows of the section's table."""
    section = text.split(HEADING)[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")][1:]


def keys_of(text):
    """Assignments in the column of keys, as they stand there."""
    return [key for row in rows_of(text)[1:] for key in re.findall(r"`([^`]* = [^`]*)`", row[1])]


def assignment(key):
    """A line of Lua: the first of a list has the key."""
    return "node." + key.replace("[]", "[1]") + "\n"


def said_of(lines):
    """What gbflow check says of the node with these lines, and its status."""
    with tempfile.TemporaryDirectory(prefix="gbflow-keys-") as folder:
        path = pathlib.Path(folder) / "node.lua"
        path.write_text(NODE + lines + "return node\n", encoding="utf-8")
        done = subprocess.run([GBFLOW, "check", path], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def with_policy(key):
    """A policy without an HLR has none, and that of a list needs one."""
    extra = {'phones.policy = "accept_all"': "", 'phones.policy = "list"': 'node.phones.imsis = { "001010123456700" }\n'}
    if key.startswith("phones.imsis"):
        return assignment('phones.policy = "list"') + assignment(key) + NO_HLR
    return assignment(key) + (extra[key] + NO_HLR if key in extra else "")


class Keys(unittest.TestCase):
    def setUp(self):
        self.keys = keys_of(PAGE.read_text(encoding="utf-8"))

    def test_each_key_is_one_of_a_node(self):
        for key in self.keys:
            with self.subTest(key=key):
                status, said = said_of(with_policy(key))
                self.assertEqual((status, said.count("right:")), (0, 1), said)

    def test_keys_of_one_policy_go_together(self):
        """Of two values for one key the last one counts."""
        lines = "".join(assignment(key) for key in self.keys if not key.startswith(("phones.policy", "phones.imsis")))
        status, said = said_of(lines)
        self.assertEqual((status, said.count("right:")), (0, 1), said)

    def test_the_table_has_what_the_suite_wants(self):
        names = {key.split(" = ")[0].rpartition(".")[2] for key in self.keys}
        self.assertLessEqual({"authenticate", "suspended", "any_payload", "flow_control", "check_uplink", "needs_address",
                              "imei_first", "update_location", "keep_contexts", "path", "flush_ll"}, names)

    def test_another_key_is_refused(self):
        status, said = said_of(assignment('phones.imei_frist = true'))
        self.assertEqual((status, "imei_frist" in said), (2, True), said)


if __name__ == "__main__":
    unittest.main()
