# SPDX-License-Identifier: BSD-3-Clause
"""First inputs of the harnesses of ESP and of XFRM."""
import struct


def seeds():
    return {
        # Packets there and back, spoilt and twice; sealed texts of packets and of none; frames that come and leave.
        "esp": [bytes.fromhex(text) for text in (
            "0200000a" + "11" * 10 + "0201030a" + "22" * 10 + "0502" + "020402" "0a" + "33" * 10,
            "030024" + "4500001c000000004001b6de0a0001010a000101" + "0800f7ff00000000" + "01020201" "0002" "01",
            "0301" "30" + "4500002c00000000401100000a0002010a000201" + "0868086800180000" + "00" * 16 + "01020204" "03",
            "000030" "02" + "4500003000000000403200000a0000010a000001" + "0000100000000001" + "5a" * 20
            + "010030" "02" + "4500003000000000401100000a0003010a000301" + "0868086800180000" + "5a" * 20,
            "000030" "02" + "4500003000000000401100000a0000010a000001" + "01f401f4001c0000" + "00" * 20,
            "000018" "02" + "4500001800000000403200000a0000010a000001" + "00001000")],
        # Associations and policies, as Linux sends them.
        "xfrm": xfrm()}


def netlink(kind, head, attributes):
    """A message of netlink: its type, the struct that it begins with, (type, octets) of each attribute."""
    def padded(octets):
        return octets + bytes(-len(octets) % 4)
    body = padded(head) + b"".join(padded(struct.pack("=HH", 4 + len(octets), number) + octets) for number, octets in attributes)
    return struct.pack("=IHHII", 16 + len(body), kind, 0, 1, 0) + body


def xfrm():
    """XFRM_MSG_NEWSA with AES-GCM, and with AES-CBC in UDP; XFRM_MSG_NEWPOLICY with a template; the ends of both."""
    def sa(flags, mode):
        return bytes(56) + bytes([192, 0, 2, 1]) + bytes(12) + struct.pack(">I", 0x1001) + bytes([50, 0, 0, 0]) + bytes([192, 0, 2, 2]) + bytes(12) \
            + b"\xff" * 64 + bytes(32) + bytes(12) + struct.pack("=IIHBBB", 0, 7, 2, mode, 32, flags) + bytes(7)

    def algorithm(name, *numbers):
        return name.encode().ljust(64, b"\0") + struct.pack(f"={len(numbers)}I", *numbers)
    gcm = algorithm("rfc4106(gcm(aes))", 160, 128) + bytes(range(20))
    cbc = algorithm("cbc(aes)", 128) + bytes(range(16))
    auth = algorithm("hmac(sha256)", 256, 128) + bytes(range(32))
    encap = struct.pack("=H", 2) + struct.pack(">HH", 4500, 4500) + bytes(18)
    selector = bytes([192, 0, 2, 1]) + bytes(12) + bytes([192, 0, 2, 2]) + bytes(12) + bytes(8) + struct.pack("=HBBB", 2, 32, 32, 17) + bytes(11)
    policy = selector + b"\xff" * 64 + bytes(32) + struct.pack("=IIBBBB", 100, 9, 1, 0, 0, 0) + bytes(4)
    template = bytes([192, 0, 2, 2]) + bytes(12) + struct.pack(">I", 0x1001) + bytes([50, 0, 0, 0]) + struct.pack("=H", 2) + bytes(2) \
        + bytes([192, 0, 2, 1]) + bytes(12) + struct.pack("=IBBBB", 7, 1, 0, 0, 0) + b"\xff" * 12
    gone = bytes([192, 0, 2, 1]) + bytes(12) + struct.pack(">I", 0x1001) + struct.pack("=HBB", 2, 50, 0)
    return [netlink(16, sa(0x80, 1), [(18, gcm)]), netlink(16, sa(0, 1), [(2, cbc), (20, auth), (4, encap)]), netlink(17, gone, []),
            netlink(16, sa(0x80, 1), [(18, gcm[:-16])]), netlink(16, sa(0, 1), [(20, auth), (2, cbc[:-16])]),
            netlink(19, policy, [(5, template)]), netlink(20, selector + struct.pack("=IB", 9, 1) + bytes(3), []),
            netlink(28, b"\0", []), netlink(29, b"", [])]
