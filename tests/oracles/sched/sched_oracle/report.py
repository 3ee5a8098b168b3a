# SPDX-License-Identifier: BSD-3-Clause
"""Named checks: how many things each examined, and which of them were wrong."""

CHECKS = {
    "trace": "records that name what is there",
    "conform_pfc": "LLC-PDUs against their packet flow's bucket",
    "conform_ms": "LLC-PDUs against their mobile's bucket",
    "conform_bvc": "LLC-PDUs against their cell's bucket",
    "conform_link": "LLC-PDUs against the link's bucket",
    "conform_signal": "signalling frames against their share of the link",
    "not_idle": "instants at the end of which nothing may be left that could have gone",
    "punctual": "LLC-PDUs, first of an instant in which nothing was told: something begins to fit just then",
    "rate_pfc": "backlogged times of packet flows: sent what the bucket allows",
    "rate_ms": "the same of mobiles",
    "rate_bvc": "the same of cells",
    "rate_link": "the same of links",
    "order": "LLC-PDUs: of the N-PDU whose turn it is in its flow",
    "segments": "LLC-PDUs: lengths, numbers, no other N-PDU of the LLC entity in between",
    "held": "LLC-PDUs: none of a mobile that is held",
    "blocked": "LLC-PDUs: none of a cell that may not send",
    "lifetime": "first LLC-PDUs: not after the N-PDU's last instant",
    "once": "N-PDUs gone: no octet twice, none after the end",
    "reason": "N-PDUs dropped: the reason fits",
    "limits": "N-PDUs queued or refused: within the limits, and not refused without need",
    "budget": "N-PDUs queued or lost for want of buffers: within the budget, the longest queue pays",
    "answers": "answers to when there will be something to do: in the future, and kept",
    "totals": "sums of N-PDUs at the end",
    "shares": "windows of a class: its share within 1 %",
    "jain": "windows of equal mobiles: Jain's index at least 0.999",
}
KEPT = 5


def seconds(time_ns):
    """A time or duration in exact decimal seconds."""
    sign = "-" if time_ns < 0 else ""
    return f"{sign}{abs(time_ns) // 10**9}.{abs(time_ns) % 10**9:09d}"


class Check:
    def __init__(self, name):
        self.name = name
        self.examined = 0
        self.wrong = 0
        self.first = []


class Report:
    """All checks of one run."""

    def __init__(self):
        self.checks = {name: Check(name) for name in CHECKS}
        self.notes = {}

    def saw(self, name, count=1):
        self.checks[name].examined += count

    def fail(self, name, time_ns, text):
        check = self.checks[name]
        check.wrong += 1
        if len(check.first) < KEPT:
            check.first.append(f"{name}: {seconds(time_ns)} s: {text}")

    def note(self, name, count):
        self.notes[name] = self.notes.get(name, 0) + count

    def note_most(self, name, value):
        self.notes[name] = max(self.notes.get(name, value), value)

    def is_good(self):
        return not any(check.wrong for check in self.checks.values())

    def lines(self):
        """What each check examined, and the first wrong things in words."""
        out = [f"{check.name:15}{check.examined:>12} examined {check.wrong:>6} wrong"
               for check in self.checks.values() if check.examined or check.wrong]
        out += [f"note: {name}: {value}" for name, value in sorted(self.notes.items())]
        for check in self.checks.values():
            out += check.first
            if check.wrong > len(check.first):
                out.append(f"{check.name}: and {check.wrong - len(check.first)} more")
        return out

    def as_json(self):
        return {"schema": "sched-oracle-1", "notes": self.notes, "checks": {
            check.name: {"examined": check.examined, "wrong": check.wrong, "first": check.first}
            for check in self.checks.values()}}
