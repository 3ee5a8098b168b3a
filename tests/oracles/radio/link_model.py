# SPDX-License-Identifier: BSD-3-Clause
"""An independent model of a saturated mobile at a constant C/I: what arrives, by coding scheme, with and without incremental redundancy.

It shares nothing with gbflow but the numbers of docs/radio.md: the C/I of 10 % BLER of each scheme, and the shape of all curves.
"""
import math

PERIODS_PER_S = 50
# Octets of RLC data in a radio block, C/I of BLER 10 % in dB.
SCHEMES = {"CS-1": (20, 9), "CS-2": (30, 13), "CS-3": (36, 15), "CS-4": (50, 23), "MCS-1": (22, 9.5), "MCS-2": (28, 12), "MCS-3": (37, 16.5),
           "MCS-4": (44, 21.5), "MCS-5": (56, 14.5), "MCS-6": (74, 17), "MCS-7": (112, 23.5), "MCS-8": (136, 29), "MCS-9": (148, 32)}
# BLER in percent, from 10 dB below the C/I of 10 % to 11 dB above it.
SHAPE = (100, 99, 97, 93, 87, 77, 64, 48, 33, 19.5, 10, 4.7, 2.05, 0.85, 0.34, 0.135, 0.052, 0.02, 0.008, 0.003, 0.001, 0)


def bler(scheme, ci_db):
    """Share of RLC blocks with errors: straight lines between the points."""
    at = min(max(ci_db - SCHEMES[scheme][1] + 10, 0), len(SHAPE) - 1)
    low = min(int(at), len(SHAPE) - 2)
    return (SHAPE[low] + (SHAPE[low + 1] - SHAPE[low]) * (at - low)) / 100


def tries(scheme, ci_db, redundancy=False):
    """Mean transmissions of an RLC block. With redundancy try k has k times the C/I, and the k-th fails only if those before did."""
    if not redundancy:
        return 1 / (1 - bler(scheme, ci_db)) if bler(scheme, ci_db) < 1 else math.inf
    return 1 + sum(bler(scheme, ci_db + 10 * math.log10(k)) for k in range(1, 200))


def rate_bps(scheme, ci_db, redundancy=False, slots=1):
    """RLC data that arrives."""
    return SCHEMES[scheme][0] * 8 * PERIODS_PER_S * slots / tries(scheme, ci_db, redundancy)


def envelope_bps(ci_db, kind):
    """The best fixed scheme of CS or MCS, without redundancy."""
    return max(rate_bps(scheme, ci_db) for scheme in SCHEMES if scheme.startswith(kind))


def best(ci_db, kind):
    return max((scheme for scheme in SCHEMES if scheme.startswith(kind)), key=lambda scheme: rate_bps(scheme, ci_db))


def main():
    """Prints from which C/I on each scheme is the best of its kind."""
    for kind in ("CS", "MCS"):
        last = None
        for tenth_db in range(0, 400):
            scheme = best(tenth_db / 10, kind)
            if scheme != last and rate_bps(scheme, tenth_db / 10) > 0:
                print(f"from {tenth_db / 10:4.1f} dB: {scheme}, BLER {100 * bler(scheme, tenth_db / 10):.0f} %")
                last = scheme


if __name__ == "__main__":
    main()
