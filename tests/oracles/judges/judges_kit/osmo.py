# SPDX-License-Identifier: BSD-3-Clause
"""libosmocore as a judge of NS and BSSGP: which elements there are, whole or cut, and what it finds missing or short."""
import subprocess

from judges_kit.case import VERDICT, Case, Opinion

# What its verdicts are as causes (TS 48.018 clause 9); of a PDU that is cut it does not go on to judge.
CAUSES = {"missing": ("34",), "short": ("33", "37"), "unknown": ("39",)}
# Elements with bits on top that do not count, and those of which only bits count.
MASKS = {0x7E: 0x03, 0x28: 0x7F, 0x8A: 0x01, 0x0B: 0x07}
NS_RESET_FLAG, FLOWS, ADDRESS = 0x0A, 0x52, 0x0B


class OsmoFault(Exception):
    """The judge did not come to a verdict."""


def opinions(program, protocol, frames, sayings):
    """Runs the judge over a capture; yields an Opinion for each frame."""
    if subprocess.run([program, protocol, frames, sayings], check=False).returncode:
        raise OsmoFault("osmo_judge failed")
    with open(sayings, encoding="ascii") as file:
        for line in file:
            _, walk, elements = line.rstrip("\n").split("\t")
            yield Opinion("ok" if walk == "walk=whole" else walk[5:], {"elements": elements[9:]})


def elements(text):
    """[(identifier, octets)]."""
    return [(int(one[:2], 16), bytes.fromhex(one[2:])) for one in text.split(",") if one]


def same(kind, ours, theirs, is_ns):
    """Ours is what counts of theirs: its beginning, without spare bits."""
    kept = bytearray(theirs[:len(ours)])
    if is_ns and kind == NS_RESET_FLAG:
        kept = bytes(octet & 1 for octet in kept)
    elif not is_ns and kept and kind in MASKS:
        kept[0] &= MASKS[kind]
    elif not is_ns and kind == FLOWS:
        count = kept[0] if kept else 0
        each = (len(ours) - 1) // count if count else 1
        for at in range(1, len(kept), each):
            kept[at] &= 0x7F
    return bytes(kept) == ours


def difference(ours, theirs, is_ns):
    """Names of what differs; ours have identifiers of elements and of places left free."""
    if ours.is_good != theirs.is_good:
        return frozenset((VERDICT,))
    if not ours.is_good:
        causes = CAUSES.get(theirs.verdict)
        return frozenset(("cause",)) if causes and ours.fields["error_cause"] not in causes else frozenset()
    found, left = {}, [int(kind, 16) for kind in ours.fields["absent"].split(",") if kind]
    for kind, value in elements(theirs.fields["elements"]):
        found.setdefault(kind, []).append(value)
    differing = set()
    for kind, value in elements(ours.fields["elements"]):
        values = found.get(kind)
        if not values or not same(kind, value, values.pop(0), is_ns):
            differing.add("elements")
    if any(found.get(kind) for kind in left):
        differing.add("absent")
    return frozenset(differing)


def case(octets, ours, theirs, is_ns):
    return Case(octets, ours, theirs, difference(ours, theirs, is_ns))
