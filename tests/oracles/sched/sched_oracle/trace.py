# SPDX-License-Identifier: BSD-3-Clause
"""The records of a trace; format.md says what they mean."""
import struct

RECORD = struct.Struct("<BBHIqqqq")
BLOCK_RECORDS = 1 << 14

(LINK_ADD, CELL_ADD, MS_ADD, SEGMENTING, SET, GONE, LEVEL, RATIO, ADJUST, CELL_USE, CELL_RESET, MS_MOVE, MS_HOLD, MS_DELETE,
 LIMIT, BUDGET, ENQUEUE, DEPART, DROP, ANSWER, SIGNAL, END) = range(1, 23)

AT_LINK, AT_CELL, AT_MS, AT_PFC, AT_SIGNALLING = range(5)
SCOPE_ALL, SCOPE_LINK, SCOPE_CELL, SCOPE_MS = range(4)
CLASSES = ("signalling", "sms", "conversational", "streaming", "thp1", "thp2", "thp3", "background")
SIGNALLING, BACKGROUND, ANY_CLASS = 0, 7, 255
NO_PFI = 255
REASONS = ("none", "queue_full", "no_buffers", "lifetime", "partial", "bvc_reset", "deleted", "aqm", "other")
QUEUED, QUEUE_FULL, NO_BUFFERS, LIFETIME, PARTIAL, BVC_RESET, DELETED, AQM, OTHER = range(len(REASONS))
PASSES = 0xffff  # a verdict: leaves at once, without having waited
NONE = -1


class TraceError(Exception):
    """A trace that cannot be judged: cut off, or naming what is not there."""


def blocks(stream):
    """The trace in pieces of whole records."""
    size, rest = RECORD.size * BLOCK_RECORDS, b""
    while True:
        block = stream.read(size)
        if not block:
            break
        block = rest + block
        whole = len(block) - len(block) % RECORD.size
        rest = block[whole:]
        yield block[:whole] if rest else block
    if rest:
        raise TraceError(f"{len(rest)} octets after the last whole record")


def record(kind, time_ns, ident=0, **fields):
    """One record in octets; fields: flags, x, a, b, c."""
    take = fields.get
    return RECORD.pack(kind, take("flags", 0), take("x", 0), ident, time_ns, take("a", 0), take("b", 0), take("c", 0))
