# SPDX-License-Identifier: BSD-3-Clause
"""What a seed varies in the scenarios of P1 and P2: start times of users, and block errors. The latter are seen alone where
all users begin at given times: only then is a difference that of the radio."""
import re
import unittest

import scenario

# Scenario, kind of users that read pages, their number, users whose packets show block errors, cells, losses outside the radio.
ROWS = [("sgsn-aqm", "web2-", 30, "poc", 2, ()),
        ("gprs-population", "reader", 120, "reader", 20, ("network.internet_loss=0 %", "network.gn_loss=0 %"))]
# Chance in the file, and a value for it.
CHANCES = [("math.random()", "0.5"), ("math.random(i)", "i"), ("math.random(least, most)", "most"), ("math.random(2, 3)", "3"),
           ("math.random(2, 4)", "4"), ('law = "exponential"', 'law = "fixed"'), ('false, "exponential"', 'false, "fixed"')]


def short(name):
    """The scenario, for 30 s, in which all users begin within 20 s."""
    with open(scenario.shipped(name), encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r'DURATION_S <const>(.*) = 600,|duration = "1000 s"', lambda found: found[0].replace("1000", "30").replace("600", "30"), text)
    return text.replace("60 * math.random()", "20 * math.random()").replace('warmup = "60 s"', 'warmup = "5 s"') if count == 1 else None


def without_chance(name):
    """The scenario in which chance decides nothing before the run."""
    text = short(name)
    for chance, value in CHANCES:
        text = text.replace(chance, value)
    return None if "math.random(" in text else text


class Seeds(scenario.Case):
    def two(self, name, text, *settings):
        """Runs with two seeds."""
        words = [word for setting in settings for word in ("--set", setting)]
        return [self.play_text(text, "--seed", seed, *words, name=f"{name}-{seed}") for seed in ("1", "2")]

    @staticmethod
    def starts(result, kind):
        """Start of the first page of each user."""
        found = {}
        for page in result.summary["pages"]:
            if page["mobile"].startswith(kind):
                found.setdefault(page["mobile"], page["start_s"])
        return found

    def test_start_times(self):
        for name, kind, count, *_ in ROWS:
            with self.subTest(scenario=name):
                one, other = (self.starts(run, kind) for run in self.two(name, short(name)))
                common = set(one) & set(other)
                self.assertGreater(len(common), count / 6)
                self.assertGreater(sum(one[user] != other[user] for user in common), 0.9 * len(common))

    def test_error_positions(self):
        """Delays of packets differ between seeds with block errors, and are the same without any."""
        for name, kind, _, seen, cells, settings in ROWS:
            for bler, is_equal in ((10, False), (0, True)):
                with self.subTest(scenario=name, bler=bler):
                    blers = [f"cells[{cell}].bler={bler} %" for cell in range(1, cells + 1)]
                    runs = self.two(f"{name}-{bler}", without_chance(name), *settings, *blers)
                    self.assertEqual(self.starts(runs[0], kind), self.starts(runs[1], kind))
                    delays = [[row for row in scenario.lines_of(run, "delay_s") if row[1].startswith(seen)] for run in runs]
                    self.assertGreater(len(delays[0]), 1000)
                    self.assertEqual(delays[0] == delays[1], is_equal)


if __name__ == "__main__":
    unittest.main()
