# SPDX-License-Identifier: BSD-3-Clause
"""An NS-VC over UDP (NS, TS 48.016 clause 7): reset, unblock and test, as the end that begins (towards an SGSN) or
that answers."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from gbflow_proxy import wire


BEGINS, ANSWERS, SNS = "begins", "answers", "sns"  # roles of our end


@dataclass(frozen=True)
class Timers:
    """In seconds. retry: of a request that nobody answered, here and in BSSGP; test: between NS-ALIVEs."""

    retry: float = 3.0
    test: float = 30.0
    retries: int = 10  # NS-ALIVEs without answer, before the NS-VC is dead


class Link:
    """States: dead, resetting, blocked, unblocked. One of IP-SNS is unblocked from the beginning, and has no other way
    back from dead than an answer to NS-ALIVE. ids: the elements NS-VCI and NSEI of its resets; changed(link, now): it
    is up or down now."""

    def __init__(self, ids: bytes, timers: Timers, send: Callable[[bytes], None],
                 changed: Callable[["Link", float], None], role: str = ANSWERS) -> None:
        self.ids, self.timers, self.send, self.changed = ids, timers, send, changed
        self.begins, self.is_sns = role == BEGINS, role == SNS
        self.state = "dead"
        self.retry_at = self.test_at = math.inf
        self.unanswered = 0

    @property
    def is_up(self) -> bool:
        return self.state == "unblocked"

    def _become(self, state: str, now: float) -> None:
        was_up, self.state = self.is_up, state
        if self.is_up != was_up:
            self.changed(self, now)

    def _ask(self, now: float) -> None:
        """NS-RESET or NS-UNBLOCK, until it is answered."""
        if self.state == "resetting":
            self.send(bytes([wire.NS_RESET]) + wire.tlv(wire.NS_CAUSE, b"\x01") + self.ids)
        else:
            self.send(bytes([wire.NS_UNBLOCK]))
        self.retry_at = now + self.timers.retry

    def _test_anew(self, now: float) -> None:
        self.unanswered, self.test_at = 0, now + self.timers.test

    def start(self, now: float) -> None:
        if self.is_sns:
            self._test_anew(now)
            return self._become("unblocked", now)
        self._become("resetting", now)
        self.test_at = math.inf
        return self._ask(now)

    def close(self, now: float) -> None:
        self.retry_at = self.test_at = math.inf
        self._become("dead", now)

    # --- what comes

    def receive(self, kind: int, now: float) -> bool:
        """Whether a PDU of NS itself means something here. The ids of a reset are checked by the caller."""
        handler = self._HANDLERS.get(kind)
        if handler is None or self.is_sns and kind not in (wire.NS_ALIVE, wire.NS_ALIVE_ACK):
            return False
        handler(self, now)
        return True

    def _reset(self, now: float) -> None:
        self.send(bytes([wire.NS_RESET_ACK]) + self.ids)
        self._after_reset(now)

    def _after_reset(self, now: float) -> None:
        self._become("blocked", now)
        self.retry_at = math.inf
        self._test_anew(now)
        if self.begins:
            self._ask(now)

    def _reset_ack(self, now: float) -> None:
        if self.state == "resetting":
            self._after_reset(now)

    def _unblock(self, now: float) -> None:
        if self.state in ("blocked", "unblocked"):
            self.send(bytes([wire.NS_UNBLOCK_ACK]))
            self._unblock_ack(now)

    def _unblock_ack(self, now: float) -> None:
        if self.state == "blocked":
            self.retry_at = math.inf
            self._become("unblocked", now)

    def _block(self, now: float) -> None:
        self.send(bytes([wire.NS_BLOCK_ACK]) + self.ids[:4])  # the NS-VCI
        if self.is_up:
            self._become("blocked", now)

    def _alive(self, _now: float) -> None:
        if self.is_sns or self.state in ("blocked", "unblocked"):
            self.send(bytes([wire.NS_ALIVE_ACK]))

    def _alive_ack(self, now: float) -> None:
        self._test_anew(now)
        if self.is_sns:
            self._become("unblocked", now)

    _HANDLERS = {wire.NS_RESET: _reset, wire.NS_RESET_ACK: _reset_ack, wire.NS_UNBLOCK: _unblock,
                 wire.NS_UNBLOCK_ACK: _unblock_ack, wire.NS_BLOCK: _block, wire.NS_ALIVE: _alive,
                 wire.NS_ALIVE_ACK: _alive_ack}

    # --- time

    def tick(self, now: float) -> None:
        if now >= self.retry_at:
            self._ask(now)
        if now >= self.test_at:
            self._test(now)

    def _test(self, now: float) -> None:
        if self.unanswered < self.timers.retries or self.is_sns:
            self.send(bytes([wire.NS_ALIVE]))
            self.unanswered += 1
            self.test_at = now + self.timers.retry
            if self.unanswered > self.timers.retries:
                self._become("dead", now)
            return
        self.test_at = math.inf
        if self.begins:
            self.start(now)
        else:
            self._become("dead", now)
