# SPDX-License-Identifier: BSD-3-Clause
"""Ways to spoil a capture: functions from frames and a random generator to frames."""
import struct

import captures
from captures import Frame
from gb_oracle import writer

ETHERNET_OCTETS, YEAR_NS = 14, 365 * 86400 * 10**9


def flipped(frames, random):
    """One to eight octets changed in one frame of a hundred."""
    return [frame.changed(_flip(frame.octets, random)) if random.random() < 0.01 else frame for frame in frames]


def flipped_everywhere(frames, random):
    """One to eight octets changed in every frame, most of them in headers."""
    return [frame.changed(_flip(frame.octets, random, 100)) for frame in frames]


def _flip(octets, random, first=None):
    octets = bytearray(octets)
    for _ in range(random.randint(1, 8)):
        octets[random.randrange(min(len(octets), first or len(octets)))] ^= random.randint(1, 255)
    return bytes(octets)


def headers_made_right(frames, random):
    """As flipped_everywhere, behind the outer IP header: with checksums the outer header would stop them all."""
    start = ETHERNET_OCTETS + 20
    return [frame.changed(frame.octets[:start] + _flip(frame.octets[start:], random, 60))
            if len(frame.octets) > start + 60 and random.random() < 0.5 else frame for frame in frames]


def garbage(frames, random):
    """One frame of fifty replaced by 0 to 3000 random octets."""
    return [frame.changed(random.randbytes(random.randint(0, 3000))) if random.random() < 0.02 else frame for frame in frames]


def long_frames(frames, random):
    """Frames as long as captures can have them, in between."""
    extra = [Frame(frames[at].time_ns, random.randbytes(octets)) for at, octets in ((0, 65535), (5, 65537), (9, 262144), (9, 0))]
    return extra[:1] + frames[:100] + extra[1:] + frames[100:]


def snapped_68(frames, _):
    return [frame.cut(68) for frame in frames]


def snapped_200(frames, _):
    return [frame.cut(200) for frame in frames]


def duplicated_fragments(frames, random):
    """One fragment of three comes twice."""
    return [copy for frame in frames for copy in [frame] * (1 + (captures.is_fragment(frame) and random.random() < 0.33))]


def dropped_fragments(frames, random):
    """One fragment of three is missing."""
    return [frame for frame in frames if not captures.is_fragment(frame) or random.random() > 0.33]


def moved_fragments(frames, random):
    """Fragments say other offsets than theirs: they overlap, leave gaps, come twice with different octets."""
    return [_moved(frame, random) if captures.is_fragment(frame) and random.random() < 0.5 else frame for frame in frames]


def overlapping_fragments(frames, random):
    """Each fragment that is not the first begins eight octets early."""
    return [_offset(frame, -1) if captures.is_fragment(frame) else frame for frame in frames]


def _moved(frame, random):
    return _offset(frame, random.choice((-185, -100, -1, 1, 3, 185, 8000)))


def _offset(frame, step):
    """The frame with its fragment offset changed by so many units of eight octets, if that stays above zero."""
    field = struct.unpack_from(">H", frame.octets, 20)[0]
    if (field & 0x1FFF) + step <= 0 or field & 0x1FFF == 0:
        return frame
    head = bytearray(frame.octets[14:34])
    head[6:8] = struct.pack(">H", field & 0xE000 | (field & 0x1FFF) + step & 0x1FFF)
    head[10:12] = b"\0\0"
    head[10:12] = struct.pack(">H", writer.checksum(bytes(head)))
    return frame.changed(frame.octets[:14] + bytes(head) + frame.octets[34:])


def shuffled(frames, random):
    """Order of the file is not order of time: a tenth of the frames is up to 20 places away."""
    keys = [(place + (random.randint(-20, 20) if random.random() < 0.1 else 0), place) for place in range(len(frames))]
    return [frames[place] for _, place in sorted(keys)]


def backwards(frames, _):
    return frames[::-1]


def from_zero(frames, _):
    """The first frame is at 1970-01-01."""
    return [frame.later(-frames[0].time_ns) for frame in frames]


def until_the_last_second(frames, _):
    """The last frame is in the last second that pcap can say."""
    return [frame.later((2**32 - 1) * 10**9 - frames[-1].time_ns) for frame in frames]


def in_one_instant(frames, _):
    return [Frame(frames[0].time_ns, frame.octets) for frame in frames]


def a_year_later(frames, _):
    """The clock jumps by a year."""
    return [frame if place < 2000 else frame.later(YEAR_NS) for place, frame in enumerate(frames)]


def a_year_back(frames, _):
    return [frame if place < 2000 else frame.later(-YEAR_NS) for place, frame in enumerate(frames)]


def to_and_fro(frames, _):
    """The clock jumps by a year with every frame."""
    return [frame.later(place % 2 * YEAR_NS) for place, frame in enumerate(frames)]


def no_control(frames, _):
    """Nothing tells of sessions: only frames with GTP-U."""
    return [frame for frame in frames if frame.octets[36:38] == b"\x08\x68"]


def tagged(frames, _):
    """VLAN tags in front of all."""
    return [frame.changed(frame.octets[:12] + bytes.fromhex("81000064") + frame.octets[12:]) for frame in frames]
