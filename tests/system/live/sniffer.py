# SPDX-License-Identifier: BSD-3-Clause
"""Listens on an interface of a lab, and has tshark judge what was heard."""
import os
import socket
import subprocess
import tempfile
import threading
import time

from gb_oracle import writer

# Warnings and errors, without those about what a user's TCP sends again.
FILTER = "_ws.malformed or _ws.expert.severity >= 6291456 and !tcp.analysis.flags and !tcp.options.sack.dsack"
ALL_PROTOCOLS = 3


def udp_begin(frame):
    """Where the header of UDP begins in a frame of IPv4 or IPv6, or the end of a frame without one."""
    kind, udp = frame[12:14], socket.IPPROTO_UDP
    if kind == b"\x08\0" and len(frame) >= 34 and frame[23] == udp:
        return 14 + (frame[14] & 15) * 4
    return 54 if kind == b"\x86\xdd" and len(frame) >= 54 and frame[20] == udp else len(frame)


class Sniffer:
    def __init__(self, place, side, interface):
        """The interface lo hands out each frame as sent and as received: the first is left out there."""
        self.frames, self.left_out = [], {socket.PACKET_OUTGOING} if interface == "lo" else set()
        with place.inside(side):
            self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
        self.sock.bind((interface, 0))
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.sock.settimeout(0.2)
        self.is_open = True
        self.thread = threading.Thread(target=self._receive, daemon=True)
        self.thread.start()

    def _receive(self):
        while self.is_open:
            try:
                frame, about = self.sock.recvfrom(65536)
            except OSError:  # nothing in time, or the interface goes down
                continue
            if about[2] not in self.left_out:
                self.frames.append((time.time_ns(), frame))

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()

    def datagrams(self, port):
        """What UDP carried to a port, in order."""
        found = []
        for _, frame in list(self.frames):
            udp = udp_begin(frame)
            if int.from_bytes(frame[udp + 2:udp + 4], "big") == port:
                found.append(frame[udp + 8:udp + int.from_bytes(frame[udp + 4:udp + 6], "big")])
        return found

    def wait_for(self, port, count, timeout_s=60):
        """Whether UDP has carried so many datagrams to a port."""
        end = time.monotonic() + timeout_s
        while len(self.datagrams(port)) < count and time.monotonic() < end:
            time.sleep(0.05)
        return len(self.datagrams(port)) >= count

    def ask(self, *words):
        """What tshark prints of the frames."""
        with tempfile.TemporaryDirectory(prefix="gbflow-sniffer-") as folder:
            path = os.path.join(folder, "heard.pcapng")
            writer.pcapng(path, list(self.frames))
            done = subprocess.run(["tshark", "-n", "-r", path, *words], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            raise AssertionError(f"tshark: {done.stderr}")
        return done.stdout.splitlines()

    def faults(self):
        """Frames that tshark finds malformed, or has more than a note to say about."""
        return self.ask("-Y", FILTER)

    def gtpc(self, which="ip or ipv6"):
        """Types of the GTP-C messages, in order, without repetitions (29.060, 7.6) and those that an ICMP error quotes, of which a
        busy machine has more."""
        fields = [word for name in ("gtp.message", "gtp.seq_number", "ip.src", "ipv6.src") for word in ("-e", name)]
        messages = dict.fromkeys(self.ask("-Y", f"({which}) and gtp and udp.port == 2123 and !icmp and !icmpv6", "-T", "fields", *fields))
        return [int(message.split("\t")[0], 0) for message in messages]
