# SPDX-License-Identifier: BSD-3-Clause
"""A module of the control plane that does not end: the worker forwards meanwhile, and the watchdog ends the call."""
import os
import stat
import struct
import tempfile
import unittest
from unittest import mock

import node
import test_walk

from gb_oracle import bssgp

RADIO_STATUS, RADIO_CAUSE = 0x0A, 0x19
ENDLESS = b"while true do end"
BYTECODE = b"\x1bLua\x54"  # the head of a module's: signature, version 5.4
CALL = b'return run:count("radio_status_elsewhere")'  # what lua/gb/bvc.lua does about a mobile that is not there


def program_that(folder, words):
    """A copy of the program that does this in place of that call. Its Lua is bytecode in the executable, and the text that is taken
    where the bytecode is not this Lua's, as here."""
    with open(node.program(), "rb") as file:
        octets = file.read()
    assert octets.count(CALL) == 1 and len(words) <= len(CALL), (octets.count(CALL), len(words))
    path = os.path.join(folder, "gbflow")
    with open(path, "wb") as file:
        file.write(octets.replace(CALL, words.ljust(len(CALL))).replace(BYTECODE, b"\x1bOld\x51"))
    os.chmod(path, stat.S_IRWXU)
    return path


class Hang(test_walk.Case):
    def test_the_worker_forwards(self):
        folder = tempfile.TemporaryDirectory(prefix="gbflow-hang-")
        self.addCleanup(folder.cleanup)
        path = program_that(folder.name, ENDLESS)
        with mock.patch.dict(os.environ, GBFLOW=path):
            text = node.TEXT.replace("fragments = 64", 'fragments = 64, lua_call = "500 ms"')
            self.serve(text=text)
            self.open_ends()
            self.bss.bring_up()
            self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)
            self.check_down(500, 1)
            began = len(self.node.lines)
            unknown = bssgp.tlv(bssgp.TLLI, struct.pack(">I", node.TLLI + 9)) + bssgp.tlv(RADIO_CAUSE, b"\0")
            self.bss.send_bssgp(1800, bytes([RADIO_STATUS]) + unknown)
            forwarded = 1
            while not any("limits.lua_call" in line for line in self.node.lines[began:]) and forwarded < 2000:
                self.check_up(500, forwarded)
                forwarded += 1
            self.node.wait_for("limits.lua_call", start=began)
            self.assertGreater(forwarded, 1)
            self.bss.bring_up_bvcs()  # control has reset the NSE, and answers again
            self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=3)
            self.check_down(500, 2)
            self.assertEqual(self.node.stop(), 0)
        self.assertGreaterEqual(self.node.report["uplink_npdus"], forwarded - 1)


if __name__ == "__main__":
    unittest.main()
