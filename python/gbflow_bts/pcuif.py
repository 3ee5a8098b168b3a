# SPDX-License-Identifier: BSD-3-Clause
"""The messages between a BTS and osmo-pcu, versions 10 and 12, as far as this BTS needs them. Host byte order, packed.

osmo-pcu 1.1 to 1.3 take version 10, from 1.4 on 12, in which blocks of the AGCH and PCH have a reference, by which they
are confirmed.
"""
import re
import socket
import struct
from dataclasses import dataclass, field

VERSIONS = 10, 12
FIRST_OF_12 = 1, 4  # of osmo-pcu
DATA_REQ, DATA_CNF, DATA_IND, SUSP_REQ, RTS_REQ, CONFIRM, RACH_IND, INFO_IND, ACT_REQ, TXT_IND = (
    0x00, 0x01, 0x02, 0x03, 0x10, 0x11, 0x22, 0x32, 0x40, 0x70)
RACH, AGCH, PCH, PDTCH, PCH_12, AGCH_12 = 1, 2, 3, 5, 8, 9
PCU_VERSION = 0  # kind of a TXT_IND
TRX_MODEL = 5  # in version 12: a BTS to which nothing is sent in idle blocks
ACTIVE = 1
ARFCN = 871
RSSI_DBM, LINK_QUALITY_CB = -60, 300
DATA = struct.Struct("=BBxxBB162sIHBBBbHhh")
TRX_AT, TRX_OCTETS, BSIC_AT, INFO_OCTETS = 12, 112, 908, 1006
IPV4, IPV6 = 4, 0x29


@dataclass
class Nsvc:
    """One NS-VC of the cell: its numbers, and where the SGSN is."""
    nsvci: int = 1800
    local_port: int = 23000
    remote: str = "198.51.100.1"
    remote_port: int = 23000

    def family(self):
        return IPV6 if ":" in self.remote else IPV4

    def packed(self):
        return socket.inet_pton(socket.AF_INET6 if ":" in self.remote else socket.AF_INET, self.remote).ljust(16, b"\0")


@dataclass
class Cell:
    """What the BTS says of itself."""
    slots: tuple = (4, 5, 6, 7)
    schemes: tuple = (1, 2, 3, 4)
    mcs: int = 0  # MCS-1 up to this one; 0: no EGPRS
    initial_scheme: int = 1
    nsei: int = 101
    bvci: int = 1234
    mcc: int = 1
    mnc: int = 1
    lac: int = 13135
    rac: int = 0
    cell_id: int = 20960
    nsvcs: list = field(default_factory=lambda: [Nsvc()])

    def area(self):
        """The routing area as it stands on the air (TS 24.008 clause 10.5.5.15)."""
        digits = f"{self.mcc:03}"
        mnc = f"{self.mnc:02}"
        plmn = bytes((int(digits[1]) << 4 | int(digits[0]), 0xF0 | int(digits[2]), int(mnc[1]) << 4 | int(mnc[0])))
        return plmn + struct.pack(">HB", self.lac, self.rac)


def version_for(text):
    """The version that an osmo-pcu of this version takes."""
    numbers = re.match(r"(\d+)\.(\d+)", text)
    return VERSIONS[bool(numbers) and tuple(map(int, numbers.groups())) >= FIRST_OF_12]


def info_ind(cell, active=True, version=VERSIONS[0]):
    """INFO_IND."""
    octets = bytearray(INFO_OCTETS)
    flags = (ACTIVE if active else 0) | sum(1 << 15 + scheme for scheme in cell.schemes)
    flags |= sum(1 << 20 + i for i in range(cell.mcs))
    struct.pack_into("=B3xII", octets, 0, INFO_IND, version, flags)
    struct.pack_into("=HB", octets, TRX_AT, ARFCN, sum(1 << slot for slot in cell.slots))
    octets[TRX_AT + 3 + 4] = 0
    for slot in cell.slots:
        octets[TRX_AT + 8 + 13 * slot] = 7
    octets[BSIC_AT] = 63
    struct.pack_into("=HHBHH", octets, 909, cell.mcc, cell.mnc, 0, cell.lac, cell.rac)
    struct.pack_into("=HBBBBBBB", octets, 918, cell.nsei, 3, 3, 3, 3, 30, 3, 10)
    octets[927:938] = bytes((3, 3, 3, 3, 3, 10, 3, 10, 3, 10, 3))
    struct.pack_into("=HHBH", octets, 938, cell.cell_id, 250, 3, cell.bvci)
    struct.pack_into("=BBBBBBBB", octets, 945, 20, 5, 5, 160, 5, 10, 4, 8)
    struct.pack_into("=BHHBB", octets, 953, 15, 2500, 2500, cell.initial_scheme, 1)
    for i, nsvc in enumerate(cell.nsvcs):
        for at, value in ((960, nsvc.nsvci), (964, nsvc.local_port), (968, nsvc.remote_port)):
            struct.pack_into("=H", octets, at + 2 * i, value)
        octets[972 + i] = nsvc.family()
        octets[974 + 16 * i:990 + 16 * i] = nsvc.packed()
    return bytes(octets) + bytes([TRX_MODEL]) * (version == VERSIONS[1])


@dataclass(slots=True)
class Data:
    """A block: DATA_REQ from the PCU."""
    sapi: int
    octets: bytes
    frame: int
    slot: int


def data_req(message):
    """A Data."""
    _, _, sapi, size, octets, frame, _, _, slot, *_ = DATA.unpack_from(message)
    return Data(sapi, octets[:size], frame, slot)


@dataclass(slots=True)
class Common:
    """A block of the AGCH or PCH in version 12; group: the last digits of the IMSI that it is for, None: no PCH's.
    reference: to be confirmed by confirm(), None: it is not."""
    octets: bytes
    group: str | None
    reference: bytes | None


def common(block):
    """A Common of a Data."""
    reference, rest, group = block.octets[:4], block.octets[4:], None
    if block.sapi == PCH_12:
        group, rest = rest[:17].split(b"\0")[0].decode()[-3:] or "000", rest[17:]
    return Common(rest[:23], group, reference if rest[23] else None)


def confirm(sapi, reference):
    return struct.pack("=B3xB4s", CONFIRM, sapi, reference)


def data_ind(frame, slot, block, octets):
    """What the BTS received in a block; nothing: no octets."""
    return DATA.pack(DATA_IND, 0, PDTCH, len(octets), octets, frame, ARFCN, 0, slot, block, RSSI_DBM, 0, 0,
                     LINK_QUALITY_CB)


def pch_sent(octets, frame):
    """DATA_CNF: a block of the paging channel is on the air."""
    return DATA.pack(DATA_CNF, 0, PCH, len(octets), octets, frame, 0, 0, 0, 0, 0, 0, 0, 0)


def rts_req(frame, slot, block):
    return struct.pack("=B3xB3xIHBBB", RTS_REQ, PDTCH, frame, ARFCN, 0, slot, block)


def rach_ind(frame, reference):
    return struct.pack("=B3xBHhIHBBBB", RACH_IND, RACH, reference, 0, frame, ARFCN, 0, 1, 0, 0)


def susp_req(tlli, area):
    return struct.pack("=B3xI6sB", SUSP_REQ, tlli, area, 0)
