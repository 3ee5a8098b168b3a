# SPDX-License-Identifier: BSD-3-Clause
"""Walks the Gb capture in order: every departure against the buckets, blocks and the idle rule."""
from gb_oracle import gb
from gb_oracle.bucket import NANOBITS
from gb_oracle.cells import Cells
from gb_oracle.check_idle import Idle
from gb_oracle.report import seconds


def _numbers(level, pdu):
    """The bucket as text, under its most lenient hypothesis."""
    bucket = min(level.all, key=lambda bucket: bucket.earliest_ns(pdu.octets))
    held = bucket.level_at(pdu.time_ns)
    early_ns = bucket.earliest_ns(pdu.octets) - pdu.time_ns
    due = "never" if early_ns > 1 << 62 else f"{seconds(early_ns)} s later"
    return (f"{held // NANOBITS}.{held % NANOBITS * 1000 // NANOBITS:03d} + {pdu.octets} octets into {bucket.size // NANOBITS} "
            f"at {bucket.rate_bps} bit/s; conforms {due}")


class _Walk:
    def __init__(self, report, rules, idle):
        self.report, self.rules, self.idle = report, rules, idle
        self.cells = Cells(rules, report)

    def departure(self, pdu):
        cell, who = self.cells.get(*pdu.cell), f"TLLI {pdu.tlli:08x} BVCI {pdu.bvci}"
        is_stopped = cell.blocked or pdu.link in self.cells.blocked_links
        self.report["blocked"].expect(not is_stopped, pdu, f"{who}: sent while blocked")
        if self.rules.buckets == "none":
            return
        self.report["before_flow_control"].expect(
            cell.announced, pdu, f"{who}: sent before the first FLOW-CONTROL-BVC")
        if not cell.announced:
            return
        mobile = cell.mobile(pdu.tlli, pdu.time_ns)
        self.idle.judge(cell, mobile, pdu)
        self._conform("conform_ms", mobile.level, pdu, who)
        self._conform("conform_bvc", cell.level, pdu, who)
        cell.last_ns = mobile.last_ns = pdu.time_ns

    def _conform(self, name, level, pdu, who):
        before = _numbers(level, pdu) if not any(
            bucket.conforms(pdu.octets, pdu.time_ns) for bucket in level.all) else ""
        conforms = level.charge(pdu.octets, pdu.time_ns)
        self.report[name].expect(conforms, pdu, f"{who}: {before}")


def check(events, idle_input, report, rules):
    """idle_input: (names, Gn stream), or None when there is no Gn capture."""
    walk = _Walk(report, rules, Idle(events, idle_input, report, rules))
    for event in events:
        if isinstance(event, gb.DlPdu):
            walk.departure(event)
        else:
            walk.cells.signalling(event)
    walk.cells.finish()
    end_ns = events[-1].time_ns if events else 0
    for key, cell in walk.cells.cells.items():
        walk.idle.finish(key, cell, end_ns)
