# SPDX-License-Identifier: BSD-3-Clause
"""A GPRS mobile at RLC/MAC level: one timeslot, one-phase access, acknowledged mode.

Time is `tick`, the number of blocks since the start (20 ms each on average). All methods but submit() belong to the BTS's thread.
"""
import random
from collections import deque

from gbflow_bts import rlcmac
from gbflow_bts.rlc_down import DownTbf
from gbflow_bts.rlc_up import UpTbf

TICK_S = 0.02
PATIENCE, SILENCE, STAY, GIVE_UP = 50, 30, 80, 250  # ticks: repeat a request, no data, T3193, no blocks at all


class Mobile:
    """on_pdu(octets) is called for each LLC PDU, on_page() for each page, on_time(seconds) in each tick.

    loss: share of downlink data blocks that it does not receive. rlc_loss: share of data blocks, both ways, that are lost although they
    are acknowledged, as in RLC unacknowledged mode, which osmo-pcu does not have: the LLC PDUs in them are gone; see lose_blocks().

    old_tlli: where it also listens, until it is heard under the new one.

    scheme: the coding of its uplink blocks, None: the one that the network commands.
    """

    def __init__(self, tlli, imsi, on_pdu=None):
        self.tlli, self.old_tlli, self.imsi, self.on_pdu, self.on_page = tlli, None, imsi, on_pdu or (lambda octets: None), lambda: None
        self.on_time, self.rlc_loss, self.lost_blocks = lambda now_s: None, 0.0, [0, 0]
        self.scheme, self.commanded, self.loss, self.is_away = None, 1, 0.0, False
        self.random, self.fates = random.Random(tlli), None
        self.queue, self.down, self.up = deque(), None, None
        self.answers, self.grants = {}, set()
        self.asked_tick, self.access = -PATIENCE, None
        self.pages, self.blocks = 0, {scheme: 0 for scheme in rlcmac.BLOCK_OCTETS}

    def p_tmsi(self):
        """The P-TMSI that its local TLLI is made of (TS 23.003 clause 2.6), or None."""
        return self.tlli if self.tlli >> 30 == 3 else None

    def submit(self, octets):
        """Queues an LLC PDU for the uplink; from any thread."""
        self.queue.append(octets)

    def slot(self):
        """The timeslot that it listens to, or None."""
        tbf = self.up or self.down
        return tbf.slot if tbf else None

    # --- access

    def wants_access(self, tick):
        """Whether it sends an access burst now. While a downlink TBF is busy it asks there instead."""
        if self.is_away or not self.queue or self.up or tick - self.asked_tick < PATIENCE:
            return False
        return self.down is None or self.down.done_tick is not None or tick - self.down.heard_tick > SILENCE

    def send_access(self, reference, tick):
        self.asked_tick, self.access = tick, reference

    def assigned(self, order, tick):
        """An immediate assignment was broadcast; returns whether it was for this mobile."""
        if self.is_away:
            return False
        if order.tlli is not None and order.tlli in (self.tlli, self.old_tlli):
            self.pages += 1
            self.down = DownTbf(order.slot, order.tfi, tick, lambda: self._is_gone(1))
            return True
        if order.reference and order.reference == self.access:
            self.commanded = order.scheme
            self._open_up((order.slot, order.tfi, order.usf), self.tlli, tick)
            self.down = None
            return True
        self.foreign(order.tlli is not None, order.slot, order.tfi)
        return False

    def foreign(self, is_down, slot, tfi):
        """Somebody else got a TFI; what bore it before is over."""
        tbf = self.down if is_down else self.up
        if tbf and (tbf.slot, tbf.tfi) == (slot, tfi):
            self._lose(is_down)

    def _lose(self, is_down):
        if is_down:
            self.down = None
        else:
            self.queue.extendleft(reversed(self.up.pdus))
            self.up = None

    def fall_silent(self):
        """All its TBFs are over."""
        self.down, self.answers, self.access, self.asked_tick = None, {}, None, -PATIENCE
        if self.up:
            self._lose(False)

    def _open_up(self, place, tlli, tick):
        self.access, self.asked_tick = None, -PATIENCE
        if self.queue:
            self.up = UpTbf(place, tlli, self.queue, tick, lambda: self._is_gone(0))

    def lose_blocks(self, share, seed):
        """Sets rlc_loss."""
        self.rlc_loss, self.fates = share, random.Random(seed)

    def _is_gone(self, is_down):
        """Whether a block is lost that is acknowledged."""
        is_lost = bool(self.rlc_loss) and self.fates.random() < self.rlc_loss
        self.lost_blocks[is_down] += is_lost
        return is_lost

    # --- downlink

    def hear(self, block, tick):
        """A downlink block on some timeslot."""
        if self.is_away or self.slot() != block.slot or not block.octets:
            return
        head = rlcmac.header(block.octets, block.frame)
        if not head.is_control and self.loss and self.random.random() < self.loss:
            return
        if self.up and head.usf == self.up.usf and self.up.slot == block.slot:
            self.up.heard_tick = tick
            self.grants.add((block.slot, rlcmac.next_block(block.frame)))
        if head.is_control:
            self._control(block, head, tick)
        else:
            self._data(block, head, tick)

    def _data(self, block, head, tick):
        unit = rlcmac.data_unit(block.octets)
        if not self.down or (self.down.slot, self.down.tfi) != (block.slot, unit.tfi):
            return
        self.down.heard_tick = tick
        self.blocks[rlcmac.SCHEME_OF[len(block.octets)]] += 1
        for pdu in self.down.take(unit):
            self.on_pdu(pdu)
        if head.poll_frame is not None:
            self.answers[block.slot, head.poll_frame] = self._down_ack

    def _control(self, block, head, tick):
        kind, answer = rlcmac.message_type(block.octets), None
        if kind == rlcmac.DOWN_ASSIGNMENT:
            answer = self._down_assignment(rlcmac.down_assignment(block.octets), tick)
        elif kind == rlcmac.UP_ASSIGNMENT:
            answer = self._up_assignment(rlcmac.up_assignment(block.octets), tick)
        elif kind == rlcmac.UP_ACK:
            answer = self._up_ack(block)
        if answer and head.poll_frame is not None:
            self.answers[block.slot, head.poll_frame] = lambda tick: rlcmac.control_ack(self.tlli)

    def _is_me(self, whom, slot):
        kind, number = whom
        if kind == "tlli":
            return number in (self.tlli, self.old_tlli)
        tbf = self.down if kind == "down" else self.up
        return tbf is not None and (tbf.slot, tbf.tfi) == (slot, number)

    def _down_assignment(self, order, tick):
        if not self._is_me(order.whom, self.slot()):
            self.foreign(True, order.slot, order.tfi)
            return False
        if order.tfi is not None:
            self.down = DownTbf(order.slot, order.tfi, tick, lambda: self._is_gone(1))
        return True

    def _up_assignment(self, order, tick):
        if not self._is_me(order.whom, self.slot()):
            self.foreign(False, order.slot, order.tfi)
            return False
        if order.tfi is not None and not self.up:
            self.commanded = order.scheme
            self._open_up((order.slot, order.tfi, order.usf), None, tick)
        return True

    def _up_ack(self, block):
        ack = rlcmac.up_ack(block.octets)
        if not self.up or (self.up.slot, self.up.tfi) != (block.slot, ack.tfi):
            return False
        self.up.acknowledge(ack)
        self.commanded = ack.scheme
        if not ack.final:
            return False
        self.up = None
        return True

    # --- uplink

    def speak(self, slot, frame, tick):
        """The block that it sends, or None. A polled answer goes before a granted block."""
        answer, granted = self.answers.pop((slot, frame), None), (slot, frame) in self.grants
        self.grants.discard((slot, frame))
        if answer:
            return answer(tick)
        return self.up.block(self.scheme or self.commanded) if granted and self.up else None

    def _down_ack(self, tick):
        if not self.down:
            return None
        is_whole = self.down.is_whole()
        if is_whole and self.down.done_tick is None:
            self.down.done_tick = tick
        wants = not is_whole and bool(self.queue) and not self.up and tick - self.asked_tick >= PATIENCE
        if wants:
            self.asked_tick = tick
        return rlcmac.down_ack(self.down.tfi, is_whole, self.down.window(), wants)

    def pass_time(self, tick):
        """Ends what has been silent for too long."""
        self.on_time(tick * TICK_S)
        if self.down and self.down.done_tick is not None and tick - self.down.done_tick > STAY:
            self.down = None
        if self.down and tick - self.down.heard_tick > GIVE_UP:
            self._lose(True)
        if self.up and tick - self.up.heard_tick > GIVE_UP:
            self._lose(False)
