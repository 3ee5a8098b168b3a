# SPDX-License-Identifier: BSD-3-Clause
"""Reads a trace from its first record to its last and has each judged by who knows of it."""
from sched_oracle import trace
from sched_oracle.idle import Idle
from sched_oracle.limits import Budget, Limits
from sched_oracle.rates import Rates
from sched_oracle.traffic import Traffic
from sched_oracle.world import World


class Judge:
    def __init__(self, report, idle_mode="chosen"):
        self.report = report
        self.idle = Idle(report, Rates(report), idle_mode)
        limits = Limits(report)
        self.world = World(self.idle, limits)
        self.traffic = Traffic(report, self.world, limits, Budget(report))
        self.handlers = [self._unknown] * 256
        for kind, handler in {**self.world.handlers, **self.traffic.handlers, trace.ANSWER: self._answer}.items():
            self.handlers[kind] = handler
        self.last_done, self.vain, self.answers, self.records = -1, 0, 0, 0
        self.has_ended = False

    @staticmethod
    def _unknown(record):
        raise trace.TraceError(f"there is no kind {record[0]}")

    def _answer(self, record):
        now, answer = record[4], record[5]
        done = self.idle.departures + self.traffic.lost
        self.vain += now == self.idle.answer and done == self.last_done
        self.last_done, self.idle.answer = done, answer
        self.answers += 1
        if answer <= now:
            self.report.fail("answers", now, f"nothing may leave, and the answer is {answer} ns, at {now} ns")

    def _later(self, now, time_ns):
        """The records of `now` are over."""
        if time_ns < now:
            raise trace.TraceError(f"time goes back from {now} to {time_ns} ns")
        if time_ns > self.idle.answer:
            self.report.fail("answers", now, f"the answer was {self.idle.answer} ns, the next record is of {time_ns} ns")
        self.idle.advance(time_ns)

    def run(self, blocks):
        now, handlers, unpack, later = 0, self.handlers, trace.RECORD.iter_unpack, self._later
        try:
            for block in blocks:
                self.records += len(block) // trace.RECORD.size
                for record in unpack(block):
                    if record[4] != now:
                        later(now, record[4])
                        now = record[4]
                    handlers[record[0]](record)
        except trace.TraceError as error:
            self.report.fail("trace", now, str(error))
        self._close(now)

    def _close(self, now):
        self.idle.advance(now + 1)
        self.world.close(now)
        self.traffic.close()
        report = self.report
        report.saw("trace", self.records)
        report.saw("not_idle", self.idle.instants)
        report.saw("answers", self.answers)
        report.note("departures", self.idle.departures)
        report.note("N-PDUs", self.traffic.came)
        report.note("answers after which nothing was done", self.vain)
        if not report.checks["totals"].examined:
            report.fail("trace", now, "the trace has no end")
