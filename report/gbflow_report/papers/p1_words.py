# SPDX-License-Identifier: BSD-3-Clause
"""P1 in words: what the schemes' higher page rates cost, and who pays. All numbers and verdicts come from the runs."""

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from gbflow_report.papers.p1_cases import AQMS, LIGHT, NONE, WEB, Case

BySeed = Mapping[int, Mapping[Any, Any]]
# A page rate is higher, page times are longer, a user's share is smaller: by more than this.
NOTABLE = 0.1


def ratio(by_seed: BySeed, case: Case, value_of: Callable[[Any], float | None]) -> float | None:
    """Of the classes with pages, against none: the median over seeds and classes."""
    pairs = [(value_of(runs[NONE][name]), value_of(runs[case][name])) for runs in by_seed.values() for name in WEB]
    found = [after / before for before, after in pairs if before and after is not None]
    return median(found) if found else None


def judged(rate: float, page: float, worst: float) -> str:
    """What the three ratios mean."""
    dearer = [words for is_so, words in ((page > 1 + NOTABLE, "slow pages get slower"), (worst < 1 - NOTABLE, "the worst user gets less")) if is_so]
    if rate > 1 + NOTABLE and dearer:
        return f"the higher mean is unequal service: {' and '.join(dearer)}"
    if dearer:
        return " and ".join(dearer)
    return "without a price in page times or for the worst user"


def of_scheme(by_seed: BySeed, case: Case) -> str | None:
    rate, page, worst = (ratio(by_seed, case, value_of) for value_of in (
        lambda row: row.page_mean_kbps, lambda row: row.page_p95_s, lambda row: row.worst_user))
    if rate is None or page is None or worst is None:
        return None
    return (f"{case.name.upper()}: mean of page rates {rate:.2f} times that without AQM, 95th percentile of page times {page:.2f} times, "
            f"worst user's share of the mean {worst:.2f} times: {judged(rate, page, worst)}.")


def of_light(by_seed: BySeed, case: Case) -> str | None:
    """Users of little traffic that is not ECN capable."""
    shares = {name: [runs[LIGHT[case]][name].last_lost for runs in by_seed.values()] for name in WEB}
    if any(value is None for values in shares.values() for value in values):
        return None
    told = ", ".join(f"{100 * median(values):.0f} % in {name}" for name, values in shares.items())
    return f"with {case.name.upper()} {told}"


def lines(by_seed: BySeed) -> list[str]:
    """Paragraphs of the report."""
    told = [line for line in (of_scheme(by_seed, case) for case in AQMS) if line]
    light = [line for line in (of_light(by_seed, case) for case in LIGHT) if line]
    if light:
        told.append("A user with two packets of 100 octets a second that are not ECN capable loses of them, in the buffer that the web users "
                    f"fill: {'; '.join(light)} (cases {' and '.join(case.name for case in LIGHT.values())}).")
    return told
