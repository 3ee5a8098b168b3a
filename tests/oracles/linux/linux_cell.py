# SPDX-License-Identifier: BSD-3-Clause
"""One TCP transfer by the Linux kernel: two network namespaces, and a link between them that this process plays.

The link is two TUN devices: a queue of so many packets, a rate, a delay each way, and a loss of each n-th packet with data,
as in tests/unit/sim/link_lab.h. Needs root. What comes out is a dict: goodput, octets sent again, waiting times.
"""
import collections
import contextlib
import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess
import threading
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 1, 0x1000, 0x40000000
TCP_CONGESTION, TCP_INFO, SO_RCVBUFFORCE, RECEIVE_OCTETS = 13, 11, 33, 4 << 20
BYTES_SENT_AGAIN_AT = 208  # tcpi_bytes_retrans
MOBILE, SERVER, PORT, MTU, READ_OCTETS = "10.45.0.1", "10.46.0.1", 5001, 1500, 65536
SYSCTLS = {"ipv4/tcp_no_metrics_save": "1", "ipv4/tcp_rmem": f"4096 131072 {RECEIVE_OCTETS}",
           "ipv4/tcp_wmem": f"4096 65536 {RECEIVE_OCTETS}", "ipv6/conf/all/disable_ipv6": "1"}
libc = ctypes.CDLL(None, use_errno=True)


def enter(path):
    with open(path, "rb") as file:
        if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"setns {path}")


@contextlib.contextmanager
def inside(name):
    """This thread's sockets and devices are made in the namespace."""
    enter(f"/run/netns/{name}")
    try:
        yield
    finally:
        enter(f"/proc/{os.getpid()}/task/{os.getpid()}/ns/net")  # the main thread never enters one


def tun(name, address, peer):
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    for words in (["addr", "add", address, "peer", peer, "dev", name], ["link", "set", name, "up", "mtu", str(MTU)]):
        subprocess.run(["ip", *words], check=True)
    for key, value in SYSCTLS.items():
        with contextlib.suppress(OSError), open(f"/proc/sys/net/{key}", "w", encoding="ascii") as sysctl:
            sysctl.write(value)
    return file


class Link:
    """From the server to the mobile: rate and queue; both ways: the delay."""

    def __init__(self, cell, server, mobile):
        self.cell, self.server, self.mobile = cell, server, mobile
        self.free_at, self.data_packets, self.waits = 0.0, 0, []
        self.leaving, self.down, self.up = (collections.deque() for _ in range(3))
        self.done = threading.Event()

    def take_down(self, packet, now):
        header = 4 * (packet[0] & 15)
        has_data = len(packet) > header + 4 * (packet[header + 12] >> 4)
        while self.leaving and self.leaving[0] <= now:
            self.leaving.popleft()
        if len(self.leaving) >= self.cell.queue_packets + 1:
            return
        self.data_packets += has_data
        if has_data:
            self.waits.append(max(0.0, self.free_at - now))
        self.free_at = max(self.free_at, now) + 8 * len(packet) / self.cell.rate_bps
        self.leaving.append(self.free_at)
        if not (has_data and self.cell.lose_one_in and self.data_packets % self.cell.lose_one_in == 0):
            self.down.append((self.free_at + self.cell.delay_ms / 1000, packet))

    def give(self, queue, device, now):
        while queue and queue[0][0] <= now:
            os.write(device, queue.popleft()[1])

    def read(self, device, take):
        with contextlib.suppress(BlockingIOError):
            while True:
                take(os.read(device, READ_OCTETS), time.monotonic())

    def run(self):
        while not self.done.is_set():
            now = time.monotonic()
            self.give(self.down, self.mobile, now)
            self.give(self.up, self.server, now)
            next_at = min([queue[0][0] for queue in (self.down, self.up) if queue], default=now + 0.05)
            select.select([self.server, self.mobile], [], [], max(0.0, min(next_at - now, 0.05)))
            self.read(self.server, self.take_down)
            self.read(self.mobile, lambda packet, at: self.up.append((at + self.cell.delay_ms / 1000, packet)))


def receive(listener, result):
    connection, _ = listener.accept()
    octets = 0
    while True:
        got = len(connection.recv(READ_OCTETS))
        if got == 0:
            break
        octets += got
        result["last_at"] = time.monotonic()
    result["octets"] = octets
    connection.close()


def transfer(cell, names):
    result = {}
    with inside(names[0]):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_OCTETS)
        listener.bind((MOBILE, PORT))
        listener.listen(1)
    with inside(names[1]):
        sender = socket.socket()
        sender.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, cell.cc.encode())
    receiver = threading.Thread(target=receive, args=(listener, result))
    receiver.start()
    began = time.monotonic()
    sender.connect((MOBILE, PORT))
    sender.sendall(bytes(cell.octets))
    sender.shutdown(socket.SHUT_WR)
    receiver.join()
    info = sender.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256)
    sender.close()
    listener.close()
    assert result["octets"] == cell.octets
    return {"goodput_bps": 8 * cell.octets / (result["last_at"] - began),
            "octets_again": struct.unpack_from("=Q", info, BYTES_SENT_AGAIN_AT)[0]}


def quantile(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def play(cell):
    """Plays the cell in a thread, so that the main thread's namespace stays what it was."""
    names = [f"gbflow-{side}-{os.getpid()}" for side in ("ms", "server")]
    out = {}

    def work():
        devices = []
        for name, address, peer in zip(names, (MOBILE, SERVER), (SERVER, MOBILE)):
            with inside(name):
                devices.append(tun("link0", address, peer))
        link = Link(cell, devices[1], devices[0])
        thread = threading.Thread(target=link.run)
        thread.start()
        out.update(transfer(cell, names))
        link.done.set()
        thread.join()
        for device in devices:
            os.close(device)
        out.update({f"wait_{share}_ms": 1000 * quantile(link.waits, share) for share in (0.5, 0.95)})

    for name in names:
        subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False)
    return out
