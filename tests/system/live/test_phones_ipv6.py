# SPDX-License-Identifier: BSD-3-Clause
"""Phones with IPv6 and with both versions at the real osmo-ggsn: address, router advertisement, ping."""
import queue
import socket
import struct
import unittest

import lab
import phone_peer
import test_phones
import test_walk

SIX, BOTH = 0x57, 0x8d
GGSN_MORE = """ apn inet6
  gtpu-mode tun
  tun-device tun6
  type-support v6
  ipv6 prefix dynamic 2001:db8:46::/48
  ipv6 ifconfig 2001:db8:46::1/48
  ipv6 dns 0 2001:db8:53::1
  no shutdown
 apn inet46
  gtpu-mode tun
  tun-device tun46
  type-support v4v6
  ip prefix dynamic 10.47.0.0/24
  ip ifconfig 10.47.0.0/24
  ip dns 0 198.18.0.53
  ipv6 prefix dynamic 2001:db8:47::/48
  ipv6 ifconfig 2001:db8:47::1/48
  ipv6 dns 0 2001:db8:53::1
  no shutdown
"""
APNS = "".join(f', {{ name = "{name}", sgsn_address = "{lab.GN_SGSN}", ggsn_address = "{lab.GN_GGSN}" }}' for name in ("inet6", "inet46"))
ALL_ROUTERS = socket.inet_pton(socket.AF_INET6, "ff02::2")


def icmp6(source, target, kind, rest):
    """An IPv6 packet with an ICMPv6 message; addresses in octets."""
    message = bytes([kind, 0, 0, 0]) + rest
    total = test_walk.checksum(source + target + struct.pack(">II", len(message), 58) + message)
    message = message[:2] + struct.pack(">H", total) + message[4:]
    return struct.pack(">IHBB", 6 << 28, len(message), 58, 255) + source + target + message


class Six(test_phones.Case):
    def activate(self, nsapi, kind, apn):
        """The PDP address of the answer, in octets, and the message."""
        phone = self.handset
        phone.send(bytes([nsapi - 5 << 4 | phone_peer.SM, 0x41, nsapi, 3, 3, 0, 0, 0, 2, 1, kind, 0x28, len(apn) + 1, len(apn)]) + apn)
        message = phone.next()
        self.assertEqual((message[0] & 15, message[1]), (phone_peer.SM, 0x42), message.hex())
        at = message.index(b"\x2b", 7)
        return message[at + 2:at + 2 + message[at + 1]], message

    def advertised(self, interface):
        """The prefix that the router advertises to the phone."""
        own = b"\xfe\x80" + bytes(6) + interface
        self.handset.send_packet(icmp6(own, ALL_ROUTERS, 133, bytes(4)), self.nsapi)
        packet = self.handset.packet()
        while packet[40] != 134:
            packet = self.handset.packet()
        at = packet.index(b"\x03\x04\x40", 56)  # prefix information, 64 bits
        return packet[at + 16:at + 24]

    def answer6(self, source, target):
        """The echo reply; None: none in 3 s."""
        self.handset.send_packet(icmp6(source, target, 128, b"\0\7\0\1" + b"hello"), self.nsapi)
        try:
            packet = self.handset.packet(3)
            while packet[40] != 129:
                packet = self.handset.packet(3)
        except queue.Empty:
            return None
        return packet

    def ping6(self, source, target):
        """The GGSN's address is tentative in its kernel for a second or two (RFC 4862 clause 5.4), and answers nothing before."""
        packet = next(filter(None, (self.answer6(source, target) for _ in range(5))), None)
        self.assertIsNotNone(packet)
        self.assertEqual((packet[8:24], packet[24:40], packet[48:53]), (target, source, b"hello"))

    def check_six(self, address, server):
        interface = address[-8:]
        prefix = self.advertised(interface)
        self.ping6(prefix + interface, socket.inet_pton(socket.AF_INET6, server))

    def test_ipv6(self):
        self.begin(apns=APNS, ggsn_more=GGSN_MORE)
        self.handset.attach_fully()
        self.nsapi = 5
        address, _ = self.activate(5, SIX, b"inet6")
        self.assertEqual((address[:2], len(address)), (b"\1\x57", 18))
        self.check_six(address, "2001:db8:46::1")
        self.finish()

    def test_both(self):
        self.begin(apns=APNS, ggsn_more=GGSN_MORE)
        phone = self.handset
        phone.attach_fully()
        self.nsapi = 5
        address, message = self.activate(5, BOTH, b"inet46")
        self.assertEqual((address[:2], len(address)), (b"\1\x8d", 22), message.hex())
        self.check_six(address, "2001:db8:47::1")
        phone.address = ".".join(str(octet) for octet in address[2:6])
        phone.send_packet(test_phones.echo(phone.address, test_phones.test_ggsn.SERVER, 8, 1))
        packet = phone.packet()
        while packet[0] >> 4 != 4:
            packet = phone.packet()
        self.assertEqual(packet[20], 0)
        self.finish()


if __name__ == "__main__":
    unittest.main()
