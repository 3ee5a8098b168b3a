# SPDX-License-Identifier: BSD-3-Clause
"""LLC frames of acknowledged mode (TS 44.064 clauses 6.3 and 6.4): I, S and U frames, XID items,
the information of FRMR."""
from dataclasses import dataclass

from gb_oracle import llc

MODULUS = 512
RR, ACK, RNR, SACK = range(4)
I_FRAME, S_FRAME, UI_FRAME = "I", "S", "UI"
NULL, DM, DISC, UA, SABM, FRMR, XID = 0x0, 0x1, 0x4, 0x6, 0x7, 0x8, 0xB  # M of a U frame
BITMAP_OCTETS = 32
FCS_OCTETS = 3
VERSION, IOV_UI, IOV_I, T200, N200, N201_U, N201_I, M_DOWN, M_UP, K_DOWN, K_UP, LAYER_3, RESET = range(13)
ITEM_OCTETS = {VERSION: 1, IOV_UI: 4, IOV_I: 4, T200: 2, N200: 1, N201_U: 2, N201_I: 2, M_DOWN: 2, M_UP: 2, K_DOWN: 1,
               K_UP: 1}
W1_UNDEFINED, W2_LENGTH, W3_TOO_LONG, W4_NR = 1, 2, 4, 8


@dataclass(slots=True)
class Frame:
    """kind: I_FRAME, S_FRAME, UI_FRAME or M of a U frame. ask: A, of a U frame P/F.
    bitmap: of SACK, R(1) is bit 8 of the first octet."""
    sapi: int
    is_command: bool
    kind: object
    ask: bool = False
    ns: int = 0
    nr: int = 0
    report: int = RR
    bitmap: bytes = b""
    info: bytes = b""


class Wrong(Exception):
    """A frame that FRMR rejects: head, its control field; bits, W1 to W4; is_command, its C/R."""

    def __init__(self, frame, head, bits):
        super().__init__(f"{head.hex()}, W bits {bits:04b}")
        self.frame, self.head, self.bits = frame, head, bits


def control_of(frame):
    """The control field, with the bitmap of SACK."""
    if frame.kind == I_FRAME:
        word = frame.ask << 22 | frame.ns << 12 | frame.nr << 2 | frame.report
        head = word.to_bytes(3, "big")
        return head + bytes([len(frame.bitmap) - 1]) + frame.bitmap if frame.report == SACK else head
    if frame.kind == S_FRAME:
        return (2 << 14 | frame.ask << 13 | frame.nr << 2 | frame.report).to_bytes(2, "big") + frame.bitmap
    return bytes([7 << 5 | frame.ask << 4 | frame.kind])


def encode(frame, is_down, cipher=None):
    """Octets with FCS. cipher(frame, octets): what an I frame's information and FCS become."""
    head = bytes([(0x40 if frame.is_command == is_down else 0) | frame.sapi]) + control_of(frame)
    tail = frame.info + llc.fcs(head + frame.info).to_bytes(FCS_OCTETS, "little")
    return head + (cipher(frame, tail) if cipher and frame.kind == I_FRAME else tail)


def decode(octets, is_down, cipher=None):
    """(Frame, octets of its header), or None: FCS, address or length is wrong, or a UI frame.
    Raises Wrong if FRMR answers it."""
    if len(octets) < 2 + FCS_OCTETS or octets[0] & 0x80 or octets[1] & 0xE0 == 0xC0:
        return None
    frame = Frame(octets[0] & 15, bool(octets[0] & 0x40) == is_down, None)
    at = _control(frame, octets)
    if at is None or len(octets) < at + FCS_OCTETS:
        return None
    head, tail = octets[:at], octets[at:]
    if cipher and frame.kind == I_FRAME:
        tail = cipher(frame, tail)
    if llc.fcs(head + tail[:-FCS_OCTETS]) != int.from_bytes(tail[-FCS_OCTETS:], "little"):
        return None
    frame.info = tail[:-FCS_OCTETS]
    _judge(frame, head[1:])
    return frame, at


def _control(frame, octets):
    """Fills the fields of the control field; returns where the information begins, None if it is cut."""
    if octets[1] & 0x80 == 0:
        return _control_of_i(frame, octets)
    if octets[1] & 0x40 == 0:
        word = int.from_bytes(octets[1:3], "big")
        frame.kind, frame.ask, frame.nr, frame.report = S_FRAME, bool(word >> 13 & 1), word >> 2 & 511, word & 3
        frame.bitmap = octets[3:-FCS_OCTETS] if frame.report == SACK else b""
        return 3 + len(frame.bitmap)
    frame.kind, frame.ask = octets[1] & 15, bool(octets[1] & 0x10)
    return 2


def _control_of_i(frame, octets):
    word = int.from_bytes(octets[1:4], "big")
    frame.kind, frame.ask, frame.report = I_FRAME, bool(word >> 22 & 1), word & 3
    frame.ns, frame.nr = word >> 12 & 511, word >> 2 & 511
    if frame.report != SACK:
        return 4
    if len(octets) < 5:
        return None
    end = 5 + (octets[4] & 31) + 1
    frame.bitmap = octets[5:end]
    return end


def _judge(frame, head):
    """Raises Wrong for an undefined control field, or an information field where there may be none."""
    if frame.kind in (I_FRAME, SABM, UA, XID, FRMR):
        return
    if frame.kind == S_FRAME:
        size = len(frame.bitmap)
        is_right = not frame.info and (1 <= size <= BITMAP_OCTETS if frame.report == SACK else True)
        if not is_right:
            raise Wrong(frame, head, W1_UNDEFINED | W2_LENGTH)
    elif frame.kind in (NULL, DM, DISC):
        if frame.info:
            raise Wrong(frame, head, W1_UNDEFINED | W2_LENGTH)
    else:
        raise Wrong(frame, head, W1_UNDEFINED)


def frmr_info(wrong, v_s, v_r):
    """The control field that is rejected in six octets, V(S), V(R), C/R and the W bits (clause 6.4.1.7)."""
    is_response = not wrong.frame.is_command
    word = v_s << 19 | v_r << 9 | is_response << 8 | wrong.bits
    return wrong.head[:6].ljust(6, b"\0") + word.to_bytes(4, "big")


def encode_items(items):
    """XID items (clause 6.4.1.6): (type, value), a number or octets, in order."""
    octets = b""
    for kind, value in items:
        content = value.to_bytes(ITEM_OCTETS[kind], "big") if isinstance(value, int) else value
        if len(content) < 4:
            octets += bytes([kind << 2 | len(content)]) + content
        else:
            octets += (1 << 15 | kind << 10 | len(content) << 2).to_bytes(2, "big") + content
    return octets


def decode_items(octets):
    """[(type, value)]; a number where the type's length is known, else octets.
    What is cut or of a wrong length is left out."""
    items, at = [], 0
    while at < len(octets):
        kind, size = octets[at] >> 2 & 31, octets[at] & 3
        if octets[at] & 0x80:
            if at + 1 == len(octets):
                break
            size, at = size << 6 | octets[at + 1] >> 2, at + 1
        content, at = octets[at + 1:at + 1 + size], at + 1 + size
        if at > len(octets):
            break
        if kind in ITEM_OCTETS and size == ITEM_OCTETS[kind]:
            items.append((kind, int.from_bytes(content, "big")))
        elif kind not in ITEM_OCTETS:
            items.append((kind, content))
    return items
