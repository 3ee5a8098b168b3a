# SPDX-License-Identifier: BSD-3-Clause
"""Numbered datagrams from the server behind the GGSN to each phone, and what arrives at the phones' host.

    traffic = Traffic(lab, server, addresses, per_s=10)      sends until traffic.stop()
    traffic.lost()                                          {address: numbers that have not arrived}
    traffic.wrong()                                         what came twice or behind a later number, in words
    traffic.twice()                                         what came twice
    traffic.ask(addresses)                                  addresses where no packet arrives
"""
import errno
import socket
import threading
import time

PORT, LISTEN_S, QUIET_S = 4000, 0.1, 2
ASKED = 1 << 30  # above all other numbers


class Traffic:
    def __init__(self, place, server, addresses, per_s=10):
        self.sent, self.got = {address: 0 for address in addresses}, {address: [] for address in addresses}
        self.gap_s, self.is_sending, self.is_open, self.heard_at = 1 / per_s, True, True, time.monotonic()
        with place.inside("ggsn"):
            self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.out.bind((server, PORT))
        with place.inside("ms"):
            self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.sock.settimeout(LISTEN_S)
        self.sock.bind(("0.0.0.0", PORT))
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._send, self._receive)]
        for thread in self.threads:
            thread.start()

    def _send(self):
        while self.is_sending:
            for address in self.sent:
                self._put(address, self.sent[address] + 1)
            time.sleep(self.gap_s)  # the rate, not a wait for something

    def _put(self, address, number):
        """There is no route while the GGSN is down."""
        try:
            self.out.sendto(f"{address} {number}".encode(), (address, PORT))
        except OSError as error:
            if error.errno != errno.ENETUNREACH:
                raise
            return
        if number < ASKED // 2:
            self.sent[address] = number

    def _receive(self):
        while self.is_open:
            try:
                address, number = self.sock.recv(2048).decode().split()
            except TimeoutError:
                continue
            self.heard_at = time.monotonic()
            self.got.setdefault(address, []).append(int(number))

    def lost(self):
        missing = {address: sorted(set(range(1, last + 1)) - set(self.got[address])) for address, last in self.sent.items()}
        return {address: numbers for address, numbers in missing.items() if numbers}

    def wrong(self):
        return [f"{address}: {number} behind {before}" for address, numbers in self.got.items()
                for before, number in zip(numbers, numbers[1:]) if number <= before]

    def twice(self):
        return [f"{address}: {len(numbers) - len(set(numbers))} numbers twice" for address, numbers in self.got.items()
                if len(set(numbers)) < len(numbers)]

    def ask(self, addresses):
        """A packet for each of them; those where none arrives."""
        counts = {address: len(self.got.get(address, ())) for address in addresses}
        for address in addresses:
            self._put(address, ASKED - counts[address])
        end = time.monotonic() + QUIET_S
        while late := [address for address in addresses if len(self.got.get(address, ())) == counts[address]]:
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        return late

    def stop(self):
        """No more is sent; waits until all has arrived, or nothing does any more."""
        self.is_sending = False
        self.threads[0].join(5)
        began = time.monotonic()
        while self.lost() and time.monotonic() < max(began, self.heard_at) + QUIET_S:
            time.sleep(0.05)

    def close(self):
        self.is_sending = self.is_open = False
        for thread in self.threads:
            thread.join(5)
        self.out.close()
        self.sock.close()
