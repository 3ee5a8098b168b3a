# SPDX-License-Identifier: BSD-3-Clause
"""The testbed of P4 and P5: what differs from one repetition of a measurement to the next, by seed."""

GOLDEN = 0.6180339887


def share(seed: int, which: int) -> float:
    """In [0, 1), spread evenly over the seeds; 0 for seed 1 and `which` 0."""
    return ((seed - 1) * GOLDEN + which * GOLDEN ** 2) % 1


def radio_and_start(seed: int) -> list[str]:
    """Block errors from 0.5 to 1.5 %, a start within 2 s."""
    return [f"cells[1].bler={0.5 + share(seed, 1):.2f} %",
            f"mobiles[1].traffic[1].download.start={2000 * share(seed, 2):.0f} ms"]
