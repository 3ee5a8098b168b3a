# SPDX-License-Identifier: BSD-3-Clause
"""Users' traffic between kernels: downloads over TCP, and ping."""
import os
import random
import socket
import struct
import threading
import time

from gb_oracle import writer

PORT, CHUNK = 5001, 65536
CONTENT = 2 * random.Random(1).randbytes(CHUNK)  # a download repeats the first half
ICMP_ECHO, PING_OCTETS = 8, 56


class Server:
    """Sends to everybody who connects, until they leave; control: congestion control, else the kernel's."""

    def __init__(self, place, side, address, control=None):
        with place.inside(side):
            self.listener = socket.create_server((address, PORT))
        if control:
            self.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        self.listener.settimeout(0.2)
        self.is_open, self.threads = True, []
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while self.is_open:
            try:
                sock, _ = self.listener.accept()
            except TimeoutError:
                continue
            thread = threading.Thread(target=self._send, args=(sock,), daemon=True)
            thread.start()
            self.threads.append(thread)

    def _send(self, sock):
        sock.settimeout(0.5)
        sent = 0
        with sock:
            while self.is_open:
                try:
                    sent += sock.send(CONTENT[sent % CHUNK:CHUNK])
                except TimeoutError:
                    continue
                except OSError:
                    return

    def close(self):
        self.is_open = False
        for thread in (self.thread, *self.threads):
            thread.join(3)
        self.listener.close()


class Download:
    """Receives at a mobile's address, and compares; octets counts."""

    def __init__(self, place, side, address, server):
        with place.inside(side):
            self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.sock.bind((address, 0))
        self.sock.settimeout(0.5)
        self.server, self.octets, self.is_open, self.fault = server, 0, True, None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            self.sock.settimeout(60)
            self.sock.connect((self.server, PORT))
            self.sock.settimeout(0.5)
            self._receive()
        except OSError as fault:
            self.fault = fault

    def _receive(self):
        while self.is_open:
            try:
                octets = self.sock.recv(CHUNK)
            except TimeoutError:
                continue
            place = self.octets % CHUNK
            if not octets or octets != CONTENT[place:place + len(octets)]:
                self.fault = f"other octets from {self.octets} on" if octets else "ended by the server"
                return
            self.octets += len(octets)

    def close(self):
        self.is_open = False
        self.thread.join(35)
        self.sock.close()


class Ping:
    """ICMP Echo from a mobile's address at regular times; round trips in `rtts_s` by number."""

    def __init__(self, place, side, addresses, every_s=0.5):
        self.source, self.target = addresses
        with place.inside(side):
            self.sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.sock.bind((self.source, 0))
        self.sock.settimeout(0.1)
        self.every_s, self.number, self.sent, self.rtts_s, self.is_open = every_s, os.getpid() & 0xFFFF, {}, {}, True
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._ask, self._listen)]
        for thread in self.threads:
            thread.start()

    def _ask(self):
        due, sequence = time.monotonic(), 0
        while self.is_open:
            sequence += 1
            message = struct.pack(">BBHHH", ICMP_ECHO, 0, 0, self.number, sequence) + bytes(PING_OCTETS)
            message = message[:2] + struct.pack(">H", writer.checksum(message)) + message[4:]
            self.sent[sequence] = time.monotonic()
            self.sock.sendto(message, (self.target, 0))
            due += self.every_s
            time.sleep(max(0.0, due - time.monotonic()))

    def _listen(self):
        while self.is_open:
            try:
                octets = self.sock.recv(2048)
            except TimeoutError:
                continue
            kind, _, _, number, sequence = struct.unpack_from(">BBHHH", octets, 20)
            if kind == 0 and number == self.number and sequence in self.sent:
                self.rtts_s.setdefault(sequence, time.monotonic() - self.sent[sequence])

    def close(self):
        self.is_open = False
        for thread in self.threads:
            thread.join(3)
        self.sock.close()

    def times_s(self, until, warmup_s=0):
        """Round trips of all that were asked from the end of the warm-up to a time, sorted; without an answer so far: since then."""
        now = time.monotonic()
        return sorted(now - at if rtt_s is None else rtt_s for at, rtt_s in self._asked(until, warmup_s))

    def answered_s(self, until, warmup_s=0):
        """Round trips of those that were answered so far, sorted, and the share of the others."""
        asked = self._asked(until, warmup_s)
        answered = sorted(rtt_s for _, rtt_s in asked if rtt_s is not None)
        return answered, 1 - len(answered) / len(asked)

    def _asked(self, until, warmup_s):
        begin = min(self.sent.values(), default=0) + warmup_s
        return [(at, self.rtts_s.get(sequence)) for sequence, at in list(self.sent.items()) if begin <= at < until]
