# SPDX-License-Identifier: BSD-3-Clause
"""Which process `gbflow top` takes without --prefix."""
import os
import pathlib
import socket
import tempfile
import unittest
import unittest.mock

from top_test import NODE, Server  # which finds the program's modules

from gbflow_results import Failure
from gbflow_top import telemetry


class Only(unittest.TestCase):
    def setUp(self):
        self.folder, self.answers = tempfile.TemporaryDirectory(), NODE
        self.addCleanup(self.folder.cleanup)
        os.environ["RUNTIME_DIRECTORY"] = self.folder.name
        self.addCleanup(os.environ.pop, "RUNTIME_DIRECTORY")

    def test_the_only_process(self):
        with self.assertRaisesRegex(Failure, "^no node or BSS runs: no socket answers in .*/dpdk; start one, or use sudo or be the user that runs it$"):
            telemetry.the_one(None)
        self.assertEqual(telemetry.the_one("n").path, pathlib.Path(self.folder.name, "dpdk", "n", telemetry.SOCKET))
        left = pathlib.Path(self.folder.name, "dpdk", "left", telemetry.SOCKET)
        left.parent.mkdir(parents=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.bind(str(left))
            Server(self.folder.name, self.answers)
            self.assertEqual(telemetry.the_one(None)[::2], ("n", "node"))
            self.assertEqual(telemetry.running(), ["n"])
            sock.listen()  # and never greets
            with unittest.mock.patch.object(telemetry, "TIMEOUT_S", 0.5):
                self.assertEqual(telemetry.the_one(None).name, "n")
                self.assertEqual(telemetry.the_one("left")[::2], ("left", ""))
        with unittest.mock.patch.object(telemetry, "processes", lambda prefix: [telemetry.Process(name, left, "node") for name in ("n", "m")]):
            with self.assertRaisesRegex(Failure, r"^2 nodes run: n \(.*left.*\), m \(.*\); select one with --prefix NAME$"):
                telemetry.the_one(None)


if __name__ == "__main__":
    unittest.main()
