# SPDX-License-Identifier: BSD-3-Clause
"""What the command line and --rules say."""
from dataclasses import dataclass
from fractions import Fraction

UNITS_NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}


class UsageError(Exception):
    """The command line cannot be understood."""


def duration_ns(text):
    """'15s' as whole nanoseconds."""
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(digits):].strip()
    try:
        value = Fraction(digits) * UNITS_NS[unit]
    except (KeyError, ValueError, ZeroDivisionError):
        raise UsageError(f"'{text}' is no duration; write a number and one of {', '.join(UNITS_NS)}") from None
    if value.denominator != 1 or value < 0:
        raise UsageError(f"'{text}' is no whole number of nanoseconds")
    return int(value)


def bucket_pair(text):
    """'10000:80000' as (octets, bit/s)."""
    try:
        size, rate = (int(part) for part in text.split(":"))
    except ValueError:
        raise UsageError(f"'{text}' is no bucket; write OCTETS:BIT_PER_S") from None
    return size, rate


def octets(text):
    if not text.isdecimal():
        raise UsageError(f"'{text}' is no number of octets")
    return int(text)


def one_of(*words):
    def parse(text):
        if text not in words:
            raise UsageError(f"'{text}' is none of {', '.join(words)}")
        return text
    return parse


@dataclass
class Rules:
    """Suppositions of the judgement; bvc and ms are what the announcements must say, if given.

    queue_octets: so much a mobile's queue takes for certain; with 0, all that is certain is that an empty one takes a packet.
    """
    buckets: str = "announced"
    lifetime_ns: int | None = None
    lifetime_infinite: bool = False
    mode: str = "split"
    bss_min_ns: int = 10**7
    bss_max_ns: int = 655_340_000_000
    th_ns: int | None = 5 * 10**9
    discarded: str = "correct"
    idle: str = "ready"
    bvc: tuple | None = None
    ms: tuple | None = None
    n201_u: int = 500
    queue_octets: int = 0

    def set_lifetime(self, text):
        self.lifetime_infinite = text == "infinite"
        self.lifetime_ns = None if self.lifetime_infinite else duration_ns(text)

    def set(self, name, text):
        """One NAME=VALUE of --rules."""
        if name == "lifetime":
            self.set_lifetime(text)
        elif name == "th":
            self.th_ns = None if text == "none" else duration_ns(text)
        elif name in ("bss_min", "bss_max"):
            setattr(self, name + "_ns", duration_ns(text))
        elif name == "queue":
            self.queue_octets = octets(text)
        elif name in PLAIN:
            setattr(self, name, PLAIN[name](text))
        else:
            raise UsageError(f"no rule '{name}'; there are lifetime, th, bss_min, bss_max, queue, {', '.join(PLAIN)}")


PLAIN = {
    "buckets": one_of("announced", "none"), "mode": one_of("split", "sgsn_only", "per_node"),
    "discarded": one_of("correct", "ignore"), "idle": one_of("ready", "strict"), "bvc": bucket_pair, "ms": bucket_pair,
}


def parse_rules(text, rules):
    """Applies 'a=b,c=d' to rules."""
    for item in filter(None, text.split(",")):
        name, equals, value = item.partition("=")
        if not equals:
            raise UsageError(f"rule '{item}' lacks '='")
        rules.set(name.strip(), value.strip())
    return rules
