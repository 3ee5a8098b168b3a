# SPDX-License-Identifier: BSD-3-Clause
"""Long traces: clean ones pass, and each with one fault in it is found out."""
import random
import unittest

from scene import Case, judge
from sched_oracle import trace
from toy import Toy

KIND, FLAGS, X, IDENT, TIME, A, B, C = range(8)


def clean(seed, is_limited):
    scene = Toy(seed, is_limited).play(700)
    return scene, [trace.RECORD.unpack(record) for record in scene.records]


def packed(records):
    return [trace.RECORD.pack(*record) for record in records]


def woken(records):
    """Places of departures that had to wait for their instant: the first thing done after an answer that named it."""
    return [place for place in range(1, len(records)) if records[place][KIND] == trace.DEPART
            and records[place - 1][KIND] == trace.ANSWER and records[place - 1][A] == records[place][TIME]]


def changed(records, place, field, value):
    out = list(records)
    record = list(out[place])
    record[field] = value
    out[place] = tuple(record)
    return out


def early(records, pick):
    place = pick(woken(records))
    return changed(records, place, TIME, records[place][TIME] - 1)


def late(records, pick):
    """One of several departures in an instant leaves 1 ns later than it could, after all that happens in its own."""
    place = pick([place for place in woken(records) if records[place + 1][TIME] > records[place][TIME] + 1
                  or records[place + 1][KIND] == trace.ANSWER and records[place + 2][TIME] > records[place][TIME] + 1])
    out = changed(records, place, TIME, records[place][TIME] + 1)
    if out[place + 1][TIME] < out[place][TIME]:
        out = changed(out, place + 1, TIME, out[place][TIME])
    return out


def without(kind):
    def fault(records, pick):
        place = pick([place for place, record in enumerate(records) if record[KIND] == kind])
        return records[:place] + records[place + 1:]
    return fault


def twice(kind):
    def fault(records, pick):
        place = pick([place for place, record in enumerate(records) if record[KIND] == kind])
        return records[:place] + [records[place]] + records[place:]
    return fault


def longer(field):
    def fault(records, pick):
        place = pick([place for place, record in enumerate(records) if record[KIND] == trace.DEPART])
        return changed(records, place, field, records[place][field] + 1)
    return fault


def overtaken(records, pick):
    """Two of a flow change places."""
    flows, pairs = {}, []
    for record in records:
        if record[KIND] == trace.ENQUEUE:
            flows[record[A]] = record[IDENT], record[C] >> 32
    last = {}
    for place, record in enumerate(records):
        if record[KIND] == trace.DEPART:
            if flows[record[A]] in last:
                pairs.append((last[flows[record[A]]], place))
            last[flows[record[A]]] = place
    first, second = pick(pairs)
    out = changed(records, first, A, records[second][A])
    return changed(out, second, A, records[first][A])


def forgotten(records, pick):
    """The answer is 1 ns before what is done then."""
    place = pick([place for place in woken(records) if records[place - 1][TIME] < records[place][TIME] - 1]) - 1
    return changed(records, place, A, records[place][A] - 1)


FAULTS = {
    "early": (early, {"conform_ms", "conform_bvc", "conform_link", "conform_pfc"}),
    "late": (late, {"not_idle", "punctual"}),
    "lost": (without(trace.DEPART), {"totals"}),
    "lost, dropped ones": (without(trace.DROP), {"totals"}),
    "from nowhere": (without(trace.ENQUEUE), {"once", "totals"}),
    "twice": (twice(trace.DEPART), {"once"}),
    "dropped twice": (twice(trace.DROP), {"once"}),
    "longer": (longer(B), {"segments"}),
    "longer payload": (longer(X), {"segments"}),
    "other segment": (longer(C), {"segments"}),
    "overtaken": (overtaken, {"order", "once"}),
    "woken too late": (forgotten, {"answers"}),
}


class Toys(Case):
    def test_clean(self):
        for seed in range(6):
            for is_limited in (False, True):
                scene, _ = clean(seed, is_limited)
                with self.subTest(seed=seed, is_limited=is_limited):
                    self.verdict(scene, is_ended=True)

    def test_faults(self):
        pick = random.Random(1).choice
        traces = [clean(seed, seed % 2) for seed in range(100, 103)]
        for name, (fault, expected) in FAULTS.items():
            missed, tries = 0, 0
            for scene, records in traces:
                for _ in range(10):
                    scene.records = packed(fault(records, pick))
                    tries += 1
                    missed += not any(judge(scene).checks[check].wrong for check in expected)
            with self.subTest(name):
                self.assertEqual(missed, 0, f"of {tries}")


if __name__ == "__main__":
    unittest.main()
