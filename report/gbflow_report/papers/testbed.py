# SPDX-License-Identifier: BSD-3-Clause
"""What differs from one repetition of a measurement to the next, by seed. Each case of a seed is a measurement of its own."""

from collections.abc import Sequence
from typing import Any

GOLDEN = 0.6180339887


def share(seed: int, which: int) -> float:
    """In [0, 1), spread evenly over the seeds; 0 for seed 1 and `which` 0."""
    return ((seed - 1) * GOLDEN + which * GOLDEN ** 2) % 1


def number(cases: Sequence[Any], case: Any, seed: int) -> int:
    """--seed: no two measurements draw the same block errors."""
    return (seed - 1) * len(cases) + cases.index(case) + 1


def start_ms(case_index: int, seed: int) -> float:
    """Within 2 s, at any phase of a TTI."""
    return 2000 * share(seed, 2 + 3 * case_index)


def radio_and_start(case_index: int, seed: int) -> list[str]:
    """Of P4 and P5: block errors from 0.5 to 1.5 %, a start within 2 s."""
    return [f"cells[1].bler={0.5 + share(seed, 1 + 3 * case_index):.2f} %",
            f"mobiles[1].traffic[1].download.start={start_ms(case_index, seed):.0f} ms"]
