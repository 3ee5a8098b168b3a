# SPDX-License-Identifier: BSD-3-Clause
"""A network interface of the kernel in a namespace of a lab whose packets a program takes and gives."""
import fcntl
import os
import select
import struct
import threading

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


class Tun:
    """on_packet(octets) gets each IP packet that the kernel sends into it, from a thread of its own."""

    def __init__(self, place, side, name, on_packet):
        self.on_packet, self.is_open = on_packet, True
        with place.inside(side):
            self.handle = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(self.handle, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self.thread.start()

    def write(self, packet):
        os.write(self.handle, packet)

    def _run(self):
        while self.is_open:
            ready, _, _ = select.select([self.handle], [], [], 0.2)
            if ready:
                self.on_packet(os.read(self.handle, 65536))

    def close(self):
        self.is_open = False
        if self.thread.is_alive():
            self.thread.join(5)
        os.close(self.handle)
