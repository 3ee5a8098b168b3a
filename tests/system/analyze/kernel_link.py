# SPDX-License-Identifier: BSD-3-Clause
"""A link between kernels in network namespaces of their own: a server, and mobiles behind a shaper with a drop log.

The link passes Ethernet frames between veth pairs. It captures at the server's side, in front of the shaper, so that the
captured packets are those of the kernels' TCP. Each mobile has a FIFO queue with a rate and a limit, and may have a stall, in
which nothing leaves the queue.
"""
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import deque

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "live"))

import lab  # noqa: E402  pylint: disable=wrong-import-position

SERVER, PORT, ETH_OCTETS, ETH_P_ALL = "10.46.0.1", 8080, 14, 3
PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)  # nanoseconds, Ethernet


def payload_octets(frame):
    """Of TCP over IPv4; None: something else."""
    if frame[12:14] != b"\x08\x00" or frame[23] != socket.IPPROTO_TCP:
        return None
    head = 4 * (frame[ETH_OCTETS] & 15)
    return struct.unpack_from("!H", frame, 16)[0] - head - 4 * (frame[ETH_OCTETS + head + 12] >> 4)


class Mobile:
    """Its options (SACK, timestamps), its queue (rate_bps, limit_octets, stall_s), the size of its file (octets), and how many
    segments with data it lost in the queue."""

    def __init__(self, number, options, channel):
        self.address, self.name = f"10.45.0.{number}", f"gbf{os.getpid()}-m{number}"
        self.options = dict(zip(("tcp_sack", "tcp_timestamps"), map(int, options)))
        self.rate_bps, self.limit_octets, self.octets = (channel[key] for key in ("rate_bps", "limit_octets", "octets"))
        self.stall_s = channel.get("stall_s", (0, 0))
        self.queue, self.queued_octets, self.free_s, self.lost, self.got = deque(), 0, 0.0, 0, 0
        self.packets = None  # the link's end

    def put(self, frame, now_s):
        """Queues a frame, or drops and logs it."""
        if self.queued_octets + len(frame) > self.limit_octets:
            self.lost += bool(payload_octets(frame))
            return
        if not self.queue:
            self.free_s = max(self.free_s, now_s)
        self.queue.append(frame)
        self.queued_octets += len(frame)

    def due_s(self, begun_s):
        """When the first frame has left the shaper; none leaves within the stall."""
        due_s = self.free_s + 8 * len(self.queue[0]) / self.rate_bps
        first_s, length_s = begun_s + self.stall_s[0], self.stall_s[1]
        return first_s + length_s if first_s <= due_s < first_s + length_s else due_s

    def send(self, now_s, begun_s):
        while self.queue and self.due_s(begun_s) <= now_s:
            self.free_s = self.due_s(begun_s)
            frame = self.queue.popleft()
            self.queued_octets -= len(frame)
            self.packets.send(frame)

    def load(self):
        """Downloads a file; runs in a thread."""
        with lab.network.inside(self.name):
            sock = socket.create_connection((SERVER, PORT), 20)
        with sock:
            sock.sendall(struct.pack("!I", self.octets))
            while data := sock.recv(65536):
                self.got += len(data)


class Link:
    def __init__(self, mobiles, path):
        self.mobiles, self.server = mobiles, f"gbf{os.getpid()}-srv"
        self.names = [self.server, f"gbf{os.getpid()}-link", *(mobile.name for mobile in mobiles)]
        self.file, self.threads, self.begun_s = open(path, "wb"), [], time.time()  # pylint: disable=consider-using-with
        self.file.write(PCAP_HEADER)

    def build(self):
        for name in self.names:
            lab.run("ip", "netns", "add", name)
            lab.run("ip", "-n", name, "link", "set", "lo", "up")
        self.packets = self.join(self.server, "s0", SERVER)
        for number, mobile in enumerate(self.mobiles):
            mobile.packets = self.join(mobile.name, f"m{number}", mobile.address)
            for name, value in mobile.options.items():
                lab.run("ip", "netns", "exec", mobile.name, "sysctl", "-qw", f"net.ipv4.{name}={value}")

    def join(self, name, interface, address):
        """A veth pair from a host's namespace to the link's; the link's end as a packet socket."""
        link = self.names[1]
        lab.run("ip", "link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", interface, "netns", link)
        for side, end in ((name, "eth0"), (link, interface)):
            lab.run("ip", "netns", "exec", side, "sysctl", "-qw", f"net.ipv6.conf.{end}.disable_ipv6=1")
            lab.run("ip", "-n", side, "link", "set", end, "up")
        lab.run("ip", "-n", name, "address", "add", address + "/8", "dev", "eth0")
        with lab.network.inside(name):
            lab.network.offload_off("eth0")
        with lab.network.inside(link):
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            sock.bind((interface, ETH_P_ALL))
        return sock

    def capture(self, frame, now_s):
        if frame[12:14] == b"\x08\x00":
            whole_s = int(now_s)
            self.file.write(struct.pack("<IIII", whole_s, int(1e9 * (now_s - whole_s)), len(frame), len(frame)) + frame)

    def serve(self):
        """Sends as many octets as a request asks for, then closes."""
        with lab.network.inside(self.server):
            listener = socket.create_server((SERVER, PORT))
        listener.settimeout(60)
        for _ in self.mobiles:
            sock, _ = listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
            self.start(answer, sock)
        listener.close()

    def start(self, function, *arguments):
        self.threads.append(threading.Thread(target=function, args=arguments, daemon=True))
        self.threads[-1].start()

    def is_done(self):
        return all(mobile.got >= mobile.octets and not mobile.queue for mobile in self.mobiles)

    def receive(self, sock, now_s):
        frame, address = sock.recvfrom(65535)
        if address[2] == socket.PACKET_OUTGOING:
            return
        if sock is not self.packets:
            self.capture(frame, now_s)
            self.packets.send(frame)
            return
        self.capture(frame, now_s)
        to = [mobile for mobile in self.mobiles if frame[30:34] == socket.inet_aton(mobile.address)]
        for mobile in self.mobiles if frame[12:14] != b"\x08\x00" else to:
            mobile.put(frame, now_s)

    def play(self, limit_s):
        """All downloads at once. Returns when they and what follows them have passed, or after limit_s."""
        self.begun_s = time.time()
        self.start(self.serve)
        time.sleep(0.2)
        for mobile in self.mobiles:
            self.start(mobile.load)
        done_s = None
        while (now_s := time.time()) < self.begun_s + limit_s and (done_s is None or now_s < done_s + 1.5):
            ready, _, _ = select.select([self.packets, *(mobile.packets for mobile in self.mobiles)], [], [], 0.002)
            for sock in ready:
                self.receive(sock, time.time())
            for mobile in self.mobiles:
                mobile.send(time.time(), self.begun_s)
            done_s = done_s or (now_s if self.is_done() else None)
        self.file.close()

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False, timeout=60)


def answer(sock):
    with sock:
        count, = struct.unpack("!I", sock.recv(4))
        sock.sendall(bytes(count))
        sock.shutdown(socket.SHUT_WR)
        sock.recv(1)
