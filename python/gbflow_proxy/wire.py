# SPDX-License-Identifier: BSD-3-Clause
"""NS (TS 48.016) and BSSGP (TS 48.018) on the wire, as far as a proxy reads them: headers, and the elements of
signalling; no LLC-PDU.

Types of PDUs, elements and causes come from the rows of the node's codecs, dataplane/wire/ns.c and bssgp.c. The build
packs these texts beside this module; a tree has them in their place. A PDU has the name of its row, PAGING_PS, of NS
with NS_ or SNS_ in front; an element TLLI, of NS NS_IE_NSEI; a cause BVCI_UNKNOWN.
"""

import importlib.resources
import pathlib
import re
from collections.abc import Iterator

HOME = pathlib.Path(__file__).resolve().parents[2] / "dataplane" / "wire"
CONSTANT = re.compile(r"^    (\w+) = (0x[0-9a-f]+),$", re.MULTILINE)
PDU = re.compile(r"^    (?:PDU|RULED)\((\w+), \"(\w+)\"", re.MULTILINE)
ELEMENT = re.compile(r"^    [A-Z]+\((\w+), (0x[0-9a-f]+), ", re.MULTILINE)
NS_ELEMENT = re.compile(r"^    \[(NS_IE_\w+)\] = [A-Z]+\(\"\w+\", (0x[0-9a-f]+), ", re.MULTILINE)


def read(name: str) -> str:
    packed = importlib.resources.files("gbflow_proxy").joinpath(name)
    return (packed if packed.is_file() else HOME / name).read_text(encoding="utf-8")


def read_codes() -> dict[str, int]:
    bssgp, ns = read("bssgp.c"), read("ns.c")
    constants = {name: int(value, 16) for name, value in CONSTANT.findall(read("bssgp.h") + read("ns.h"))}
    codes = {name: int(value, 16) for name, value in ELEMENT.findall(bssgp) + NS_ELEMENT.findall(ns)}
    codes |= {name.removeprefix("BSSGP_CAUSE_"): value for name, value in constants.items()
              if name.startswith("BSSGP_CAUSE_")}
    codes |= {text.upper(): constants[kind] if kind in constants else int(kind, 16)
              for kind, text in PDU.findall(bssgp)}
    codes |= {text.upper() if text.startswith("sns_") else f"NS_{text.upper()}": constants[kind]
              for kind, text in PDU.findall(ns)}
    return codes


CODES = read_codes()
# Shorter names.
CODES |= {name: CODES[of_c] for name, of_c in (
    ("FC_BVC", "FLOW_CONTROL_BVC"), ("FC_BVC_ACK", "FLOW_CONTROL_BVC_ACK"), ("INVOKE_TRACE", "SGSN_INVOKE_TRACE"),
    ("LEAK_RATE", "RATE"), ("RIM_ROUTING", "RIM_DESTINATION"), ("NS_CAUSE", "NS_IE_CAUSE"), ("NS_VCI", "NS_IE_NSVCI"),
    ("NS_EI", "NS_IE_NSEI"), ("IP4_LIST", "NS_IE_IP4_LIST"), ("IP6_LIST", "NS_IE_IP6_LIST"))}


def __getattr__(name: str) -> int:
    """The codes are names of this module, wire.PAGING_PS."""
    if name not in CODES:
        raise AttributeError(f"no row of Gb's codecs has the name {name}")
    return CODES[name]


NS_HEADER = 4  # octets of NS-UNITDATA before the BSSGP PDU: type, control bits, BVCI
RAN_INFORMATION = {code for name, code in CODES.items() if name.startswith("RAN_INFORMATION")}
NO_FEATURES = bytes.fromhex("3b8100698100")  # Feature Bitmap, Extended Feature Bitmap
SIGNALLING, FIRST_PTP = 0, 2  # BVCIs; 1 is PTM
CELL_ID_OCTETS, ROUTEING_AREA_OCTETS, LOCATION_AREA_OCTETS = 8, 6, 5  # the later ones are the beginning of the first
LONGEST_STATUS = 200  # octets of a PDU that a STATUS repeats


class Malformed(Exception):
    """The octets are no such PDU."""


def spans(octets: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Each element from `at` on: IEI, where its value begins and ends."""
    while at < len(octets):
        if at + 2 > len(octets):
            raise Malformed(f"element at {at} is cut")
        iei, size, start = octets[at], octets[at + 1], at + 2
        if size & 0x80:
            size &= 0x7F
        elif start < len(octets):
            size, start = size << 8 | octets[start], start + 1
        else:
            raise Malformed(f"length of element {iei:#04x} is cut")
        at = start + size
        if at > len(octets):
            raise Malformed(f"element {iei:#04x} overruns the PDU")
        yield iei, start, at


def elements(octets: bytes, at: int = 1) -> dict[int, bytes]:
    """The first value of each IEI."""
    found: dict[int, bytes] = {}
    for iei, start, end in spans(octets, at):
        found.setdefault(iei, octets[start:end])
    return found


def number(found: dict[int, bytes], iei: int, octets: int) -> int:
    """An element of so many octets that has to be there."""
    if len(found.get(iei, b"")) != octets:
        raise Malformed(f"no element {iei:#04x} of {octets} octets")
    return int.from_bytes(found[iei], "big")


def tlv(iei: int, value: bytes) -> bytes:
    """One element in the shortest length form."""
    size = len(value)
    return bytes([iei]) + (bytes([0x80 | size]) if size < 128 else size.to_bytes(2, "big")) + value


def octets_of(value: int) -> bytes:
    return value.to_bytes(2, "big")


def ns_unitdata(bvci: int, pdu: bytes) -> bytes:
    return bytes([CODES["NS_UNITDATA"], 0]) + octets_of(bvci) + pdu


def of_bvc(kind: int, bvci: int, *more: bytes) -> bytes:
    """A BSSGP PDU whose first element names a BVC."""
    return bytes([kind]) + tlv(CODES["BVCI"], octets_of(bvci)) + b"".join(more)


def cause(value: int) -> bytes:
    return tlv(CODES["CAUSE"], bytes([value]))


def of_reset(bvci: int, cell_id: bytes) -> bytes:
    """Of the signalling BVC no features, of a cell its Cell Identifier."""
    return NO_FEATURES if bvci == SIGNALLING else tlv(CODES["CELL_ID"], cell_id)


def bvc_reset(bvci: int, cell_id: bytes = b"") -> bytes:
    return of_bvc(CODES["BVC_RESET"], bvci, cause(CODES["OM_INTERVENTION"]), of_reset(bvci, cell_id))


def bvc_reset_ack(bvci: int, cell_id: bytes = b"") -> bytes:
    return of_bvc(CODES["BVC_RESET_ACK"], bvci, of_reset(bvci, cell_id))


def status(value: int, bvci: int, pdu: bytes) -> bytes:
    """What answers a PDU of a BVC that is not there, or blocked (TS 48.018 clause 9)."""
    return (bytes([CODES["STATUS"]]) + cause(value) + tlv(CODES["BVCI"], octets_of(bvci))
            + tlv(CODES["PDU_IN_ERROR"], pdu[:LONGEST_STATUS]))


def scaled(pdu: bytes, percent: int) -> bytes:
    """A FLOW-CONTROL-BVC with so much of its bucket and rate; a cell that gives something gives at least one unit."""
    out = bytearray(pdu)
    for iei, start, end in spans(pdu, 1):
        if iei in (CODES["BVC_BUCKET"], CODES["LEAK_RATE"]) and end - start == 2:
            value = int.from_bytes(pdu[start:end], "big")
            out[start:end] = octets_of(min(value, max(1, value * percent // 100)))
    return bytes(out)
