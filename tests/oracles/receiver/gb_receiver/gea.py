# SPDX-License-Identifier: BSD-3-Clause
"""Keystreams of GEA3 and GEA4: the generator KGCORE over KASUMI (TS 55.216 and 55.226, clause 4)."""
import functools

from gb_receiver import kasumi

UPLINK, DOWNLINK = 0, 1
KC_OCTETS = {3: 8, 4: 16}
MODIFIER = bytes([0x55] * 16)


@functools.lru_cache(maxsize=1024)
def _schedules(kc):
    """Schedules of the key and of the modified key; a short key stands twice."""
    key = kc if len(kc) == 16 else kc + kc
    return kasumi.schedule(key), kasumi.schedule(bytes(a ^ b for a, b in zip(key, MODIFIER)))


def keystream(kc, number, direction, octets):
    """kc: 8 (GEA3) or 16 (GEA4) octets; number: INPUT, 32 bits."""
    rounds, modified = _schedules(kc)
    base = kasumi.encrypt(modified, number << 32 | direction << 26 | 0xFF << 16)
    block, stream = 0, []
    for counter in range((octets + 7) // 8):
        block = kasumi.encrypt(rounds, base ^ counter ^ block)
        stream.append(block.to_bytes(8, "big"))
    return b"".join(stream)[:octets]


def ui_input(iov_ui, sapi, nu, overflow):
    """INPUT of a UI frame (TS 44.064 annex A): overflow is OC, a multiple of 512."""
    return ((iov_ui ^ ((sapi << 27) + (1 << 31))) + nu + overflow) & 0xFFFFFFFF


def apply(octets, stream):
    return bytes(a ^ b for a, b in zip(octets, stream))
