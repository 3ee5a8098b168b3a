# SPDX-License-Identifier: BSD-3-Clause
"""Closed models of one bulk TCP connection over GPRS: a window, a rate, a buffer that drops by age, calls that take all channels.

They share nothing with gbflow. Octets of a radio block: TS 44.060 clause 10 (CS-1 to CS-4: 20, 30, 36 and 50).
"""
from dataclasses import dataclass

BLOCK_S = 0.02
BLOCK_OCTETS = {"CS-1": 20, "CS-2": 30, "CS-3": 36, "CS-4": 50}
HEADERS, TIMESTAMPS, SNDCP_LLC = 40, 12, 10
WINDOW_OCTETS = 65535
ACK_BLOCKS = 2  # blocks of an acknowledgement
BSC_OCTETS = 18000  # more waits in the SGSN, which loses nothing


@dataclass(frozen=True)
class Cell:
    """A mobile alone; control: one block in that many carries no data."""

    slots: int
    coding: str = "CS-2"
    mss: int = 1460
    control: int = 9
    bler: float = 0.01
    processing_s: float = 0.25
    access_s: float = 0.5

    @property
    def rate_bps(self):
        return self.slots * BLOCK_OCTETS[self.coding] * 8 / BLOCK_S * (1 - 1 / self.control) * (1 - self.bler)

    @property
    def segment_s(self):
        return (self.mss + HEADERS + SNDCP_LLC) * 8 / self.rate_bps

    @property
    def idle_s(self):
        """What a round trip takes beside the queue and the segment itself."""
        return 2 * self.processing_s + self.access_s + ACK_BLOCKS * BLOCK_S

    @property
    def goodput_bps(self):
        return (self.mss - TIMESTAMPS) * 8 / self.segment_s

    @property
    def window_segments(self):
        return WINDOW_OCTETS // (self.mss - TIMESTAMPS)


def rtt_max_s(cell, lifetime_s):
    """The window bounds the queue, or the age at which a segment may still begin on the air."""
    by_age_s = lifetime_s + cell.segment_s + cell.idle_s
    return min(cell.window_segments * cell.segment_s + cell.idle_s, by_age_s)


def kept_bps(cell, hold_s, every_s):
    """Calls take all channels for a part of the time, and nothing is lost."""
    return cell.goodput_bps * (1 - hold_s / every_s)


def grown_segments(cell, window, time_s):
    """Congestion avoidance: a segment per round trip, which the window itself lengthens once the air is full."""
    while time_s > 0:
        time_s -= max(cell.idle_s + cell.segment_s, window * cell.segment_s)
        window += 1 if time_s > 0 else 0
    return window


def flushed_bps(cell, hold_s, every_s, wait_s, keep_s):
    """Calls flush the buffer: the window is lost, as far as the BSC has it. After short ones an acknowledgement restarts the
    transfer, and each of the lost segments takes a round trip (no FACK), in which its ACK also clocks out a new one;
    after long ones a wait or a repetition does, and slow start follows."""
    is_short, base_s = hold_s < keep_s, cell.idle_s + cell.segment_s
    window, sent = 10, 0.0
    for _ in range(20):
        lost, free_s = min(window, BSC_OCTETS // (cell.mss + HEADERS)), every_s - hold_s
        if is_short:
            gone_s = min(lost * base_s, free_s)
            sent = 2 * gone_s / base_s
        else:
            gone_s = min(wait_s + 2 * base_s, free_s)
            sent = 2
        sent += (free_s - gone_s) / cell.segment_s
        window = grown_segments(cell, max(2, window / 2), free_s - gone_s)
    return sent * (cell.mss - TIMESTAMPS) * 8 / every_s
