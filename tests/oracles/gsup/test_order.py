# SPDX-License-Identifier: BSD-3-Clause
"""Osmocom's codec reads each message of messages.lua, and writes it with the same octets.

usage: test_order.py LUA JUDGE   the program of Lua; osmo_gsup
"""
import os
import subprocess
import sys
import unittest

MESSAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.lua")


def lines_of(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()


class Order(unittest.TestCase):
    lua, judge = "", ""

    def test_octets_are_theirs(self):
        rows = [line.split("\t") for line in lines_of(self.lua, MESSAGES)]
        theirs = lines_of(self.judge, text="".join(octets + "\n" for _, octets in rows))
        self.assertGreater(len(rows), 20)
        self.assertEqual(len(theirs), len(rows))
        for (name, octets), again in zip(rows, theirs):
            with self.subTest(name):
                self.assertEqual(octets, again)


if __name__ == "__main__":
    Order.lua, Order.judge = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
