#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a capture that Pktgen plays to the node of `gbflow bench node NODE.lua --set teids=foreign`.

It runs a scenario (`gbflow run --pcap=gn`) and takes the G-PDUs to the SGSN in their order. The scenario's addresses
become the node's: MAC, SGSN and GGSN, TEID 1 for the first mobile that receives, 2 for the next, and the mobile's
address that goes with it. Standard library only.
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator

SCENARIO = pathlib.Path(__file__).parent / "pktgen_scenario.lua"
GGSN_MAC = bytes.fromhex("026762660001")
SGSN, GGSN = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))
FIRST_ADDRESS = 0x64400000  # 100.64.0.0, of the mobile with TEID 1
GTPU_PORT, G_PDU = 2152, 0xff
IP, UDP, GTPU, INNER = 14, 34, 42, 50  # offsets
ENHANCED_PACKET, SECTION = 6, 0x0a0d0d0a


def frames_of(data: bytes) -> Iterator[bytes]:
    """The frames of a pcapng file of this machine's byte order, as gbflow writes it."""
    at = 0
    while at + 12 <= len(data):
        kind, octets = struct.unpack_from("=II", data, at)
        if octets < 12 or at + octets > len(data):
            raise ValueError(f"block at octet {at} has a wrong length")
        if kind == ENHANCED_PACKET:
            captured, = struct.unpack_from("=I", data, at + 20)
            yield data[at + 28:at + 28 + captured]
        at += octets


def is_downlink(frame: bytes) -> bool:
    """A G-PDU with an IPv4 N-PDU, without options and GTP extensions;
    both ways have the same ports, mobiles receive at 10.45.0.0/16."""
    return (len(frame) >= INNER + 20 and frame[IP] == 0x45 and frame[IP + 9] == 17
            and struct.unpack_from("!H", frame, UDP + 2)[0] == GTPU_PORT and frame[GTPU:GTPU + 2]
            == bytes((0x30, G_PDU)) and frame[INNER] == 0x45 and frame[INNER + 16:INNER + 18] == bytes((10, 45)))


def checksum(header: bytes) -> int:
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def fix(frame: bytearray, at: int) -> None:
    """The checksum of an IPv4 header of 20 octets."""
    frame[at + 10:at + 12] = b"\0\0"
    struct.pack_into("!H", frame, at + 10, checksum(bytes(frame[at:at + 20])))


def rewritten(frame: bytes, mac: bytes, number: int) -> bytes:
    """number: of the mobile, from 1."""
    out = bytearray(frame)
    out[0:6], out[6:12] = mac, GGSN_MAC
    out[IP + 12:IP + 16], out[IP + 16:IP + 20] = GGSN, SGSN
    out[UDP + 6:UDP + 8] = b"\0\0"  # no checksum
    struct.pack_into("!I", out, GTPU + 4, number)
    struct.pack_into("!I", out, INNER + 16, FIRST_ADDRESS + number - 1)
    fix(out, IP)
    fix(out, INNER)
    return bytes(out)


def write_pcap(path: pathlib.Path, frames: list[bytes]) -> None:
    """All at time 0: Pktgen has a rate of its own."""
    with path.open("wb") as file:
        file.write(struct.pack("=IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            file.write(struct.pack("=IIII", 0, 0, len(frame), len(frame)) + frame)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=pathlib.Path, help="the capture to write, gn.pcap")
    parser.add_argument("--mac", required=True, help="MAC address of the node's Gn port")
    parser.add_argument("--scenario", type=pathlib.Path, default=SCENARIO,
                        help="default: pktgen_scenario.lua beside this file")
    parser.add_argument("--gbflow", default="gbflow", help="the program (default: gbflow)")
    given = parser.parse_args()
    mac = bytes.fromhex(given.mac.replace(":", ""))
    if len(mac) != 6:
        parser.error(f"--mac takes a MAC address, 02:00:00:00:00:01, not {given.mac}")
    with tempfile.TemporaryDirectory(prefix="gbflow-pktgen-") as folder:
        done = subprocess.run([given.gbflow, "run", given.scenario, "--pcap=gn", "--no-report", "--out", folder],
                              check=False, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            return done.returncode
        data = (pathlib.Path(folder) / "gn.pcapng").read_bytes()
    numbers: dict[bytes, int] = {}
    frames = [rewritten(frame, mac, numbers.setdefault(frame[GTPU + 4:GTPU + 8], len(numbers) + 1))
              for frame in frames_of(data) if is_downlink(frame)]
    write_pcap(given.out, frames)
    print(f"{given.out}: {len(frames)} frames to {len(numbers)} mobiles")
    print(f"gbflow bench node node.lua --set teids=foreign --mobiles {len(numbers)}")
    return 0 if frames else 1


if __name__ == "__main__":
    sys.exit(main())
