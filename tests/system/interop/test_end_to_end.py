#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kernel - osmo-ggsn - gbflow - osmo-pcu - mobile - kernel: packets of all lengths, bit by bit, and a file over TCP."""
import socket
import sys
import threading
import time
import unittest

import users

PORT, FILE_OCTETS = 7007, 12000


class EndToEnd(users.Case):
    phones_wanted = 1
    pcu_values = {"scheme": 4}

    def setUp(self):
        super().setUp()
        self.bring_up()
        self.address = self.phones[0].address

    def open_udp(self, side, address):
        with self.lab.inside(side):
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind((address, PORT))
        sock.settimeout(60)
        self.addCleanup(sock.close)
        return sock

    def test_lengths(self):
        """N-PDUs of 40 to 1500 octets, both ways."""
        server, mobile = self.open_udp("ggsn", users.SERVER), self.open_udp("users", self.address)
        took = {"down": [], "up": []}
        for octets in (40, 41, 127, 128, 490, 500, 576, 1000, 1499, 1500):
            body = bytes(i * 7 % 251 for i in range(octets - 28))
            for way, source, target, to in (("down", server, mobile, self.address), ("up", mobile, server, users.SERVER)):
                began = time.monotonic()
                source.sendto(body, (to, PORT))
                self.assertEqual(target.recv(65536), body)
                took[way].append(time.monotonic() - began)
        print(f"N-PDUs of 40 .. 1500 octets bit by bit; 1500 octets took {took['down'][-1]:.2f} s down, {took['up'][-1]:.2f} s up",
              file=sys.stderr, flush=True)
        self.finish()

    def test_a_file(self):
        """TCP both ways over one connection: the mobile's user sends a file and gets it back."""
        content = bytes(i * i % 253 for i in range(FILE_OCTETS))
        with self.lab.inside("ggsn"):
            listener = socket.create_server((users.SERVER, PORT))
        self.addCleanup(listener.close)
        threading.Thread(target=self.echo, args=(listener,), daemon=True).start()
        with self.lab.inside("users"):
            sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.addCleanup(sock.close)
        sock.bind((self.address, 0))
        sock.settimeout(60)
        began = time.monotonic()
        sock.connect((users.SERVER, PORT))
        threading.Thread(target=sock.sendall, args=(content,), daemon=True).start()
        back = b""
        while len(back) < len(content):
            octets = sock.recv(65536)
            self.assertTrue(octets, len(back))
            back += octets
        self.assertEqual(back, content)
        print(f"{FILE_OCTETS} octets over TCP up and down again in {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)
        self.finish(accounted=False)

    @staticmethod
    def echo(listener):
        sock, _ = listener.accept()
        with sock:
            while octets := sock.recv(65536):
                sock.sendall(octets)


if __name__ == "__main__":
    unittest.main()
