# SPDX-License-Identifier: BSD-3-Clause
"""The routine of a handset, in a thread of its own: it attaches, activates a context, answers the network,
and does what its user asks."""
import queue
import time

from gbflow_bts import layer3

LOOK_S, UPDATE_S = 0.2, 1200.0
AWAY_MOST = 3  # updates in a row for an SGSN that says that it is in another area than its cell's
IMPLICITLY_DETACHED, UNKNOWN_IDENTITY = 10, 9
T3311_S, T3302_S, ATTEMPTS = 15.0, 720.0, 5
LASTING = {3, 6, 7, 8, 11, 12, 13, 14, 15}  # causes after which a phone does not try again here (clause 4.7.3.1.4)
PROTOCOL = {95, 96, 97, 99, 111}
NSAPI = 5


def is_to_attach(message):
    """ROUTING AREA UPDATE REJECT of an SGSN that does not know the phone."""
    is_reject = message[:2] == bytes([layer3.GMM, layer3.RAU_REJECT])
    return is_reject and message[2] in (UNKNOWN_IDENTITY, IMPLICITLY_DETACHED)


def is_order(message):
    return message[:2] == bytes([layer3.GMM, layer3.DETACH_REQUEST])


class Routine:
    """say(line) tells what happens, on_active(address) that a context is active, on_inactive(address) that it is over.

    A phone that the network detaches attaches again if it is told to (TS 24.008 clause 4.7.4.2.2), and activates a
    context again after cause 39, reactivation requested. One whose attach is refused tries again after T3311, each
    fifth time after T3302, unless the cause lasts (clause 4.7.3.1.5).
    """

    def __init__(self, handset, apn, say=lambda line: None, reliability=0):
        self.handset, self.apn, self.say, self.reliability = handset, apn, say, reliability
        self.on_active, self.on_inactive = lambda address: None, lambda address: None
        self.is_attached, self.address, self.wishes, self.due_at = False, None, queue.Queue(), 0.0
        self.attempts, self.again_at = 0, None

    def wish(self, what):
        """what() is called by the thread of the phone, between two messages."""
        self.wishes.put(what)

    def play(self):
        """Without an end."""
        self.wish(self.go_online)
        while True:
            self.step()

    def step(self):
        try:
            self._step()
        except layer3.Refused as refusal:
            self.say(f"{self.handset.imsi}: {refusal}")
            if is_order(refusal.message):
                self._obey_first(refusal.message)
            elif refusal.message[:2] == bytes([layer3.GMM, layer3.ATTACH_REJECT]):
                self._rest(refusal.message[2])

    def _obey_first(self, message):
        """The network's order, which came where an answer was expected: the request is over (TS 24.008 clause
        4.7.3.1.6)."""
        try:
            self._take(message)
        except layer3.Refused as refusal:
            self.say(f"{self.handset.imsi}: {refusal}")

    def _rest(self, cause):
        self.attempts = ATTEMPTS if cause in PROTOCOL else self.attempts + 1
        is_long = self.attempts >= ATTEMPTS
        self.attempts = 0 if is_long else self.attempts
        if cause not in LASTING:
            self.again_at = time.monotonic() + (T3302_S if is_long else T3311_S)

    def _step(self):
        if self.is_attached and time.monotonic() >= self.due_at:
            self.update()
        if self.again_at is not None and time.monotonic() >= self.again_at:
            self.wish(self.go_online)
            self.again_at = None
        try:
            self.wishes.get_nowait()()
        except queue.Empty:
            self._listen()

    def _listen(self):
        try:
            message = self.handset.next(LOOK_S)
        except queue.Empty:
            return
        if not self.handset.answer(message):
            self._take(message)

    def _take(self, message):
        if message[:2] == bytes([layer3.GMM, layer3.REALLOCATION]):
            self.handset.take_reallocation(message)
            self._update_if_away()
            return
        over = self.handset.obey(message)
        if over is None:
            self.say(f"{self.handset.imsi}: message {message.hex()}")
        elif over == layer3.DETACHED:
            self.is_attached = False
            self._end_context("detached by the network")
            if message[2] & 7 == layer3.REATTACH:
                self.go_online()
        elif over == NSAPI:
            self._end_context(f"deactivated by the network, cause {message[2]}")
            if message[2] == layer3.REACTIVATE:
                self.activate()

    def _end_context(self, why):
        self.say(f"{self.handset.imsi}: {why}")
        if self.address:
            address, self.address = self.address, None
            self.on_inactive(address)

    def _until_answered(self, ask):
        """Again and again, as at the end of T3310 and T3380."""
        while True:
            try:
                return ask()
            except queue.Empty:
                self.say(f"{self.handset.imsi}: no answer in {layer3.TIMEOUT_S} s, once more")

    # --- what the user wants; by wish()

    def go_online(self):
        self.attach()
        if self.is_attached:
            self.activate()

    def go_offline(self):
        """Its user switches it off."""
        self.again_at = None
        if self.is_attached:
            self.handset.power_off()
            self.is_attached = False
            self._end_context("switched off")

    def go_online_again(self):
        """Its user switches it on."""
        if not self.is_attached:
            self.go_online()

    def attach(self):
        self.is_attached, self.again_at = False, None
        self._end_context("attaches")
        self._until_answered(self.handset.attach_fully)
        self.is_attached, self.due_at, self.attempts = True, time.monotonic() + UPDATE_S, 0
        self._update_if_away()

    def activate(self):
        self.address = self._until_answered(
            lambda: self.handset.activate(self.apn, NSAPI, reliability=self.reliability))
        self.on_active(self.address)

    def update(self):
        """Its area, before T3312 ends."""
        try:
            self._until_answered(lambda: self.handset.update_once(self.handset.area))
        except layer3.Refused as refusal:
            if not is_to_attach(refusal.message):
                raise
            self.is_attached = False
            self.wish(self.go_online)
        self.due_at = time.monotonic() + UPDATE_S

    def _update_if_away(self):
        """At once, when the SGSN has it go elsewhere."""
        for _ in range(AWAY_MOST):
            if self.is_attached and self.handset.is_away:
                self.update()
