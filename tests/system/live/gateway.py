# SPDX-License-Identifier: BSD-3-Clause
"""The far end of Gn tunnels that are given, not asked for: GTP-U on a UDP socket, a TUN device behind it.

    gateway = Gateway(lab, {"10.45.0.1": (teid, ggsn_teid)})    the kernel of side "ggsn" has ADDRESS then
    gateway.close()
"""
import fcntl
import os
import select
import socket
import struct
import threading

import lab
from gb_oracle import gtp

ADDRESS, MOBILES, DEVICE = "198.18.0.1", "10.45.0.0/16", "gi0"
GTPU = 2152
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


def missing():
    """Why there can be no TUN device here, or None."""
    return lab.missing() if os.path.exists("/dev/net/tun") else "needs /dev/net/tun"


class Gateway:
    """`tunnels`: by a mobile's address the TEIDs of SGSN and GGSN."""

    def __init__(self, place, tunnels):
        self.tunnels = {socket.inet_aton(address): teids for address, teids in tunnels.items()}
        self.down, self.up, self.strays, self.is_open = 0, 0, 0, True
        with place.inside("ggsn"):
            self.tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(self.tun, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
            self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.sock.bind((lab.GN_GGSN, GTPU))
        name = place.names["ggsn"]
        place.ip(name, "link", "set", DEVICE, "mtu", "1500", "up")
        place.ip(name, "address", "add", ADDRESS + "/32", "dev", DEVICE)
        place.ip(name, "route", "add", MOBILES, "dev", DEVICE, "src", ADDRESS)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while self.is_open:
            ready, _, _ = select.select([self.tun, self.sock], [], [], 0.2)
            if self.tun in ready:
                self._send(os.read(self.tun, 65536))
            if self.sock in ready:
                self._take(*self.sock.recvfrom(65536))

    def _send(self, packet):
        teids = self.tunnels.get(packet[16:20]) if packet[0] >> 4 == 4 else None
        if not teids:
            self.strays += 1
            return
        self.down += 1
        self.sock.sendto(struct.pack(">BBHI", 0x30, gtp.G_PDU, len(packet), teids[0]) + packet, (lab.GN_SGSN, GTPU))

    def _take(self, octets, sender):
        message = gtp.decode(octets)
        if message.kind == gtp.G_PDU:
            self.up += 1
            self._write(message.body)
        elif message.kind == 1:  # Echo Request
            self.sock.sendto(struct.pack(">BBHIHBBBB", 0x32, 2, 6, 0, message.seq or 0, 0, 0, 14, 0), sender)

    def _write(self, packet):
        os.write(self.tun, packet)

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()
        os.close(self.tun)
