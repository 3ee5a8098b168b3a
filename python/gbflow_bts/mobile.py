# SPDX-License-Identifier: BSD-3-Clause
"""A mobile at RLC/MAC level, GPRS and EGPRS: several timeslots down, one up, one-phase access, acknowledged mode.

Time is `tick`, the number of blocks since the start (20 ms each on average). All methods but submit() belong to the
BTS's thread.
"""
import random
from collections import Counter, deque

from gbflow_bts import egprs, rlcmac
from gbflow_bts.rlc_down import DownTbf
from gbflow_bts.rlc_up import UpTbf

TICK_S = 0.02
PATIENCE, SILENCE, STAY, GIVE_UP = 50, 30, 80, 250  # ticks: repeat a request, no data, T3193, no blocks at all


class Mobile:
    """on_pdu(octets) is called for each LLC PDU, on_page() for each page, on_time(seconds) in each tick.

    loss: share of downlink data blocks that it does not receive. rlc_loss: share of data blocks, both ways, that are
    lost although they are acknowledged, as in RLC unacknowledged mode, which osmo-pcu does not have: the LLC PDUs in
    them are gone; see lose_blocks().

    old_tlli: where it also listens, until it is heard under the new one.

    scheme: the coding of its uplink blocks, None: the one that the network commands. receivers: timeslots that it can
    listen to; of more it hears those next to the one where they were assigned.

    blocks: data blocks that it has heard, by scheme; slots_used: the same by timeslot.
    """

    def __init__(self, tlli, imsi, on_pdu=None):
        self.tlli, self.old_tlli, self.imsi = tlli, None, imsi
        self.on_pdu, self.on_page = on_pdu or (lambda octets: None), lambda: None
        self.on_time, self.rlc_loss, self.lost_blocks = lambda now_s: None, 0.0, [0, 0]
        self.scheme, self.commanded, self.loss, self.is_away = None, 1, 0.0, False
        self.random, self.fates = random.Random(tlli), None
        self.queue, self.down, self.up = deque(), None, None
        self.answers, self.grants = {}, set()
        self.asked_tick, self.access = -PATIENCE, None
        self.pages, self.receivers = 0, rlcmac.SLOTS
        self.blocks, self.slots_used = Counter(), Counter()

    def p_tmsi(self):
        """The P-TMSI that its local TLLI is made of (TS 23.003 clause 2.6), or None."""
        return self.tlli if self.tlli >> 30 == 3 else None

    def submit(self, octets):
        """Queues an LLC PDU for the uplink; from any thread."""
        self.queue.append(octets)

    def slots(self):
        """The timeslots that it listens to."""
        return (self.down.slots if self.down else ()) + ((self.up.slot,) if self.up else ())

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
            self._open_down((order.slot,), order.tfi, tick)
            return True
        if order.reference and order.reference == self.access:
            self.commanded = order.scheme
            self._open_up((order.slot, order.tfi, order.usf), self.tlli, tick)
            self.down = None
            return True
        self.foreign(order.tlli is not None, (order.slot,), order.tfi)
        return False

    def foreign(self, is_down, slots, tfi):
        """Somebody else got a TFI; what bore it before is over."""
        tbf = self.down if is_down else self.up
        own = () if tbf is None else tbf.slots if is_down else (tbf.slot,)
        if tbf and tbf.tfi == tfi and set(own) & set(slots):
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
            kind = egprs.EgprsUp if self.commanded >= rlcmac.MCS_1 else UpTbf
            self.up = kind(place, tlli, self.queue, tick, lambda: self._is_gone(0))

    def _open_down(self, slots, tfi, tick, kind=DownTbf):
        self.down = kind(slots, tfi, tick, lambda: self._is_gone(1))

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
        if self.is_away or block.slot not in self.slots() or not block.octets:
            return
        is_egprs = len(block.octets) in egprs.SCHEME_OF
        head = (egprs if is_egprs else rlcmac).header(block.octets, block.frame)
        if not head.is_control and self.loss and self.random.random() < self.loss:
            return
        if self.up and head.usf == self.up.usf and self.up.slot == block.slot:
            self.up.heard_tick = tick
            self.grants.add((block.slot, rlcmac.next_block(block.frame)))
        if head.is_control:
            self._control(block, head, tick)
        else:
            self._data(block, head, tick, is_egprs)

    def _data(self, block, head, tick, is_egprs):
        units = egprs.data_units(block.octets) if is_egprs else [rlcmac.data_unit(block.octets)]
        if not self.down or block.slot not in self.down.slots or self.down.tfi != units[0].tfi:
            return
        if is_egprs and not isinstance(self.down, egprs.EgprsDown):  # its first block: no assignment says it
            self._open_down(self.down.slots, self.down.tfi, tick, egprs.EgprsDown)
        self.down.heard_tick = tick
        self.blocks[(egprs if is_egprs else rlcmac).SCHEME_OF[len(block.octets)]] += 1
        self.slots_used[block.slot] += 1
        for unit in units:
            for pdu in self.down.take(unit):
                self.on_pdu(pdu)
        if head.poll_frame is not None:
            self.answers[block.slot, head.poll_frame] = self._down_ack

    def _control(self, block, head, tick):
        kind, answer = rlcmac.message_type(block.octets), None
        if kind == rlcmac.DOWN_ASSIGNMENT:
            answer = self._down_assignment(rlcmac.down_assignment(block.octets), block.slot, tick)
        elif kind == rlcmac.UP_ASSIGNMENT:
            answer = self._up_assignment(rlcmac.up_assignment(block.octets), block.slot, tick)
        elif kind == rlcmac.UP_ACK:
            answer = self._up_ack(block)
        if answer and head.poll_frame is not None:
            self.answers[block.slot, head.poll_frame] = lambda tick: rlcmac.control_ack(self.tlli)

    def _is_me(self, whom, slot):
        kind, number = whom
        if kind == "tlli":
            return number in (self.tlli, self.old_tlli)
        if kind == "up":
            return self.up is not None and (self.up.slot, self.up.tfi) == (slot, number)
        return self.down is not None and self.down.tfi == number and slot in self.down.slots

    def _listened(self, slots, slot):
        """Of those that it is assigned in a block on a timeslot."""
        return tuple(sorted(sorted(slots, key=lambda one: abs(one - slot))[:self.receivers]))

    def _down_assignment(self, order, slot, tick):
        """One for the TBF that runs gives it other timeslots and another TFI."""
        if not self._is_me(order.whom, slot):
            self.foreign(True, order.slots, order.tfi)
            return False
        if order.tfi is None:
            return True
        slots = self._listened(order.slots, slot)
        if order.whom[0] == "down" and self.down.done_tick is None:
            self.down.slots, self.down.tfi = slots, order.tfi
        else:
            self._open_down(slots, order.tfi, tick)
        return True

    def _up_assignment(self, order, slot, tick):
        if not self._is_me(order.whom, slot):
            self.foreign(False, order.slots, order.tfi)
            return False
        if order.tfi is not None and not self.up:
            self.commanded = order.scheme
            self._open_up((order.slots[0], order.tfi, order.usfs[0]), None, tick)
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
        return self.down.ack(wants)

    def pass_time(self, tick):
        """Ends what has been silent for too long."""
        self.on_time(tick * TICK_S)
        if self.down and self.down.done_tick is not None and tick - self.down.done_tick > STAY:
            self.down = None
        if self.down and tick - self.down.heard_tick > GIVE_UP:
            self._lose(True)
        if self.up and tick - self.up.heard_tick > GIVE_UP:
            self._lose(False)
