# SPDX-License-Identifier: BSD-3-Clause
"""A bucket of TS 48.018 clause 8.2 whose values are changed at instants that the wire shows only within bounds.

A change is known to the SGSN between its receipt and its acknowledgement. At any instant some first part of the changes that are
not yet acknowledged counts. For each such part there is a Guess with the lowest and the highest level that is possible with it.
An LLC-PDU breaks the clause if it conforms in no guess. This is exact: a lower level is never worse for what follows, and between
two events the best instant of a change is one of the two.

Levels are whole numbers of nanobits (octets x 8 x 10^9): rate [bit/s] x time [ns] is one, nothing is rounded. A level of less than
0 says that the bucket had run empty (B* < L). slack_ns: so much earlier than captured an LLC-PDU may have been decided on; an empty
bucket may therefore be below 0 by what leaks in this time.
"""
NANOBITS = 8 * 10**9
NEVER = 1 << 70
OPEN = 1 << 90  # the size of a bucket that does not exist


class Guess:
    """What may count: `step` changes of all were applied. own: values of FLOW-CONTROL-MS, which give way in [th_ns, th_end_ns]."""
    __slots__ = ("step", "cell", "size", "rate", "defaults", "own", "low", "high", "th_ns", "th_end_ns")

    def __init__(self, cell, size, rate):
        self.step, self.cell, self.size, self.rate, self.defaults, self.own = 0, cell, size, rate, (size, rate), None
        self.low = self.high = 0
        self.th_ns = self.th_end_ns = NEVER

    def copy(self):
        twin = Guess.__new__(Guess)
        for name in Guess.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin

    def key(self):
        return self.step, self.cell, self.size, self.rate, self.own, self.defaults

    def follow(self):
        """The cell's defaults count."""
        self.size, self.rate = self.defaults
        self.own, self.th_ns, self.th_end_ns = None, NEVER, NEVER

    def empty(self):
        self.low = self.high = 0

    def fill(self, percent):
        self.low = self.high = self.size * percent // 100


class Bucket:
    """All guesses about one bucket. worst: nanobits above Bmax of the worst LLC-PDU; at_ns: all levels are of this instant."""

    def __init__(self, guess, at_ns, slack_ns=0):
        self.guesses, self.changes, self.first, self.at_ns, self.slack_ns = [guess], [], 0, at_ns, slack_ns
        self.changed_ns = at_ns

    # --- time

    def _leak(self, now_ns):
        gone_ns = now_ns - self.at_ns
        if gone_ns <= 0:
            return
        for guess in self.guesses:
            leak = guess.rate * gone_ns
            guess.low = max(guess.low - leak, -guess.rate * self.slack_ns - 1)
            guess.high = max(guess.high - leak, -1)
        self.at_ns = now_ns

    def _expire(self):
        """Th: own values may give way from th_ns on, and have to at th_end_ns."""
        for guess in [guess for guess in self.guesses if guess.th_ns <= self.at_ns]:
            late = guess.copy()
            late.follow()
            self.guesses.append(late)
        self.guesses = [guess for guess in self.guesses if guess.th_end_ns > self.at_ns]

    def advance(self, now_ns):
        """Up to now: leaks, lets Th expire, and lets each change that is known count from now on."""
        if not self.changes and len(self.guesses) == 1 and self.guesses[0].th_ns > now_ns:
            self._leak(now_ns)
            return
        while True:
            stops = [at_ns for guess in self.guesses for at_ns in (guess.th_ns, guess.th_end_ns)
                     if self.at_ns < at_ns < now_ns]
            if not stops:
                break
            self._leak(min(stops))
            self._settle()
        self._leak(now_ns)
        if self.changes or any(guess.th_ns <= now_ns for guess in self.guesses):
            self._settle()

    def _settle(self):
        """Every change may count from this instant on."""
        self._expire()
        last = self.first + len(self.changes)
        merged, todo = {}, sorted(self.guesses, key=lambda guess: guess.step)
        while todo:
            guess = todo.pop(0)
            known = merged.get(guess.key())
            if known is None:
                merged[guess.key()] = known = guess
            elif guess.low >= known.low and guess.high <= known.high:
                known.th_end_ns = max(known.th_end_ns, guess.th_end_ns)
                continue
            else:
                known.low, known.high = min(known.low, guess.low), max(known.high, guess.high)
                known.th_end_ns = max(known.th_end_ns, guess.th_end_ns)
            if known.step < last:
                todo += self._next(known)
        self.guesses = list(merged.values())

    def _next(self, guess):
        """What a guess becomes when the next change counts; of a change that may be refused, two guesses."""
        change, later = self.changes[guess.step - self.first], guess.copy()
        later.step += 1
        refused = [later.copy()] if getattr(change, "may_be_refused", False) else []
        change(later)
        return [later, *refused]

    # --- changes

    def announce(self, change, now_ns):
        """change(guess) may count from now on; returns its number for acknowledge()."""
        self.advance(now_ns)
        self.changes.append(change)
        self._settle()
        self.changed_ns = now_ns
        return self.first + len(self.changes) - 1

    def acknowledge(self, number, now_ns):
        """The change of this number counts, and all before it."""
        self.advance(now_ns)
        self.guesses = [guess for guess in self.guesses if guess.step > number]
        while self.changes and self.first <= number:
            self.changes.pop(0)
            self.first += 1
        self.changed_ns = now_ns

    def bound_th(self, own, end_ns):
        """Own values of the change `own` give way by then."""
        for guess in self.guesses:
            if guess.own == own:
                guess.th_end_ns = end_ns

    # --- LLC-PDUs

    def can_be_in(self, cell):
        return any(guess.cell == cell for guess in self.guesses)

    def take(self, octets, now_ns, cell=None, has_to_conform=True):
        """Charges an LLC-PDU; returns the nanobits by which it was too much under the best guess, 0 if it conforms."""
        self.advance(now_ns)
        charge, excess = octets * NANOBITS, 0
        guesses = [guess for guess in self.guesses if guess.cell == cell]
        if has_to_conform:
            fitting = [guess for guess in guesses if guess.low < 0 or guess.low + charge <= guess.size]
            excess = 0 if fitting else min(guess.low + charge - guess.size for guess in guesses)
            guesses = fitting or guesses
        self.guesses = guesses
        for guess in guesses:
            if has_to_conform and not excess:
                guess.high = min(guess.high, max(0, guess.size - charge))
            guess.low = max(guess.low, -guess.rate * self.slack_ns) + charge
            guess.high = max(guess.high, 0) + charge
        if self.changes:
            self._settle()  # an LLC-DISCARDED that counts at once lets the bucket run empty earlier than one that counts later
        return excess

    def open_ns(self, octets, cell=None):
        """From when on, in every guess, an LLC-PDU of `octets` conforms if nothing else changes."""
        times, charge = [self.at_ns], octets * NANOBITS
        for guess in self.guesses:
            if cell is not None and guess.cell != cell:
                continue
            over = guess.high + charge - guess.size if charge <= guess.size else guess.high + 1
            if over > 0:
                times.append(NEVER if guess.rate == 0 else self.at_ns + -(-over // guess.rate))
        return max(times)
