# SPDX-License-Identifier: BSD-3-Clause
"""Named checks: how many things each examined and which of them were wrong."""

CHECKS = (
    "decode", "outer", "fcs", "llc_header", "nu_sequence", "segmentation", "reassembly_equal", "order", "completeness",
    "causality", "flow_control_ack", "announced", "before_flow_control", "blocked", "conform_ms", "conform_bvc", "not_idle",
    "needless_drop", "lifetime", "pdu_lifetime", "totals",
)


def seconds(time_ns):
    """A time or duration in exact decimal seconds."""
    sign = "-" if time_ns < 0 else ""
    return f"{sign}{abs(time_ns) // 10**9}.{abs(time_ns) % 10**9:09d}"


class Check:
    """One rule; saw() counts what was examined, fail() records a violation."""

    def __init__(self, name):
        self.name = name
        self.examined = 0
        self.violations = []

    def saw(self, count=1):
        self.examined += count

    def fail(self, where, text):
        """`where` has number and time_ns, or is None for a statement about the whole capture."""
        place = f"packet {where.number} at {seconds(where.time_ns)} s: " if where is not None else ""
        self.violations.append(f"{self.name}: {place}{text}")

    def expect(self, truth, where, text):
        """Count one examination; `text` is a string or a function that makes it when the test fails."""
        self.examined += 1
        if not truth:
            self.fail(where, text() if callable(text) else text)


class Report:
    """All checks of one run, in a fixed order, and remarks that are no violations."""

    def __init__(self):
        self.checks = {name: Check(name) for name in CHECKS}
        self.notes = {}

    def __getitem__(self, name):
        return self.checks[name]

    def note(self, name, count=1):
        self.notes[name] = self.notes.get(name, 0) + count

    def too_few(self, minimum):
        """Lines for checks that examined less than the runner demanded."""
        return [f"{name}: examined {self.checks[name].examined}, at least {least} demanded"
                for name, least in minimum.items() if self.checks[name].examined < least]

    def violations(self):
        return [line for check in self.checks.values() for line in check.violations]

    def summary(self):
        lines = []
        for check in self.checks.values():
            state = f"{check.examined} examined, {len(check.violations)} wrong" if check.examined or check.violations \
                else "not examined"
            lines.append(f"{check.name:20} {state}")
        lines += [f"note: {name} {count}" for name, count in sorted(self.notes.items())]
        return lines

    def as_json(self):
        return {"schema": "gb-oracle-1", "notes": self.notes, "checks": {
            check.name: {"examined": check.examined, "violations": check.violations} for check in self.checks.values()}}
