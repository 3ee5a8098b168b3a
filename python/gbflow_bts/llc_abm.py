# SPDX-License-Identifier: BSD-3-Clause
"""A logical link entity of LLC in acknowledged mode (TS 44.064 clauses 8.5 to 8.8), of a phone or of an SGSN.

It makes a frame when `room()` says that the lower layer takes one. So each frame has the newest N(R), and T201 begins
when the frame leaves. Repetitions go before new frames, and a frame that carries the answer to A before an S frame of
its own.

What it does not do: TLLI unassigned, layer 3's XID (type 11), suspension of T201.
"""
from collections import Counter, deque
from dataclasses import dataclass

from gbflow_bts import llc_frames as frames
from gbflow_bts.llc_frames import ACK, I_FRAME, MODULUS, RNR, RR, SACK, S_FRAME, Frame

ADM, ESTABLISHING, ABM, RELEASING = "ADM", "local establishment", "ABM", "local release"
T200_UNIT_S, M_UNIT_OCTETS = 0.1, 16
IOV_UNIT = 1 << 27
SAPIS = {3: (50, 1520, 16), 5: (100, 760, 8), 9: (200, 380, 4), 11: (400, 190, 2)}  # T200, m, k (table 9)
RISING = (frames.T200, frames.N200)  # all other negotiated parameters may only be lowered
MOST_UNASKED = 8  # I frames one after another without A
COMMANDS = (frames.SABM, frames.DISC)
MOST = {frames.M_DOWN: 1 << 16, frames.M_UP: 1 << 16}  # what m = 0 counts as


def defaults(sapi):
    """Values of the parameters of clause 8.9 by XID type."""
    t200, m, k = SAPIS[sapi]
    return {frames.T200: t200, frames.N200: 3, frames.N201_U: 500, frames.N201_I: 1503, frames.M_DOWN: m,
            frames.M_UP: m, frames.K_DOWN: k, frames.K_UP: k, frames.IOV_I: sapi * IOV_UNIT}


def agreed(kind, proposed, wish):
    """The value of a parameter that two sides can both use (clause 8.5.3.2)."""
    if wish is None:
        return proposed
    if kind in RISING:
        return max(proposed, wish)
    return min(proposed, wish, key=lambda value: value or MOST.get(kind, 0))


@dataclass(slots=True)
class Sent:
    """An I frame that is not confirmed. number: N(S) and its overflow count; order: of transmission."""
    number: int
    info: bytes
    reference: object
    order: int = 0
    repeats: int = 0
    is_acked: bool = False
    is_wanted: bool = False
    must_ask: bool = False
    due_at: float | None = None


class Lle:
    """`upper` has established(), released(why), data(info), confirmed(reference). send(octets) takes a frame,
    room() tells whether now.

    wish: parameters by XID type that this side proposes, and its limits for what the other one proposes.
    keystream(number, is_down, octets): for I frames, None: in clear. iov(): a fresh IOV-I, for the SGSN's side.
    """

    def __init__(self, sapi, is_phone, lower, upper, wish=None):
        self.sapi, self.is_phone, self.upper = sapi, is_phone, upper
        self.send, self.room = lower
        self.wish, self.values, self.proposed = dict(wish or {}), defaults(sapi), {}
        self.keystream, self.iov, self.may_establish = None, None, True
        self.state, self.now_s, self.due_at, self.tries = ADM, 0.0, None, 0
        self.counts, self.order = Counter(), 0
        self.is_busy, self.queue = False, deque()
        self._restart()

    def _restart(self):
        """The variables of an establishment; what was stored is gone (clause 8.5.1)."""
        self.v_s = self.v_r = self.newest = self.polls = self.unasked = 0
        self.window, self.stored = {}, {}
        self.owes, self.is_peer_busy, self.poll_due_at = False, False, None
        self.queue.clear()

    # --- parameters

    def value(self, kind):
        return self.values[kind]

    def t200_s(self):
        return self.values[frames.T200] * T200_UNIT_S

    def _k(self, is_sending):
        return self.values[frames.K_UP if is_sending == self.is_phone else frames.K_DOWN]

    def _m_octets(self):
        return M_UNIT_OCTETS * self.values[frames.M_UP if self.is_phone else frames.M_DOWN]

    def _own_items(self):
        """What a SABM proposes."""
        wanted = dict(self.wish)
        if self.iov and not self.is_phone:
            wanted[frames.IOV_I] = self.iov()
        return sorted(wanted.items())

    def _answer_items(self, items):
        """Takes a command's parameters; returns those that the answer has to change, or to add."""
        given, answer = dict(items), {}
        for kind, value in self.values.items():
            if kind == frames.IOV_I:
                self.values[kind] = given.get(kind, value) if self.is_phone else value
                continue
            self.values[kind] = agreed(kind, given.get(kind, value), self.wish.get(kind))
            if self.values[kind] != given.get(kind, value):
                answer[kind] = self.values[kind]
        if self.iov and not self.is_phone:
            answer[frames.IOV_I] = self.values[frames.IOV_I] = self.proposed.get(frames.IOV_I) or self.iov()
        return sorted(answer.items())

    def _take_answer(self, items):
        self.values.update(self.proposed)
        for kind, value in items:
            if kind == frames.IOV_I:
                self.values[kind] = value if self.is_phone else self.values[kind]
            elif kind in self.values:
                self.values[kind] = agreed(kind, self.values[kind], value)

    # --- what layer 3 asks

    def establish(self):
        """LL-ESTABLISH-REQ; also of a link that is there."""
        self._restart()
        self._command(ESTABLISHING)

    def release(self):
        """LL-RELEASE-REQ."""
        if self.state != ADM:
            self._restart()
            self._command(RELEASING)

    def submit(self, info, reference):
        """LL-DATA-REQ: waits for the window."""
        self.queue.append((info, reference))

    def set_busy(self, is_busy):
        """Whether this side has no memory for information."""
        was_busy, self.is_busy = self.is_busy, is_busy
        if self.state == ABM and was_busy and not is_busy:
            self.owes = True

    # --- time

    def pass_time(self, now_s):
        """Timers, then frames as long as there is room."""
        self.now_s = now_s
        if self.due_at is not None and now_s >= self.due_at:
            self._t200_ran_out()
        if self.state == ABM:
            self._t201_ran_out()
        self._pump()

    def _command(self, state):
        """SABM or DISC for the first time."""
        self.state, self.tries = state, 0
        self.proposed = dict(self._own_items()) if state == ESTABLISHING else {}
        self._send_command()

    def _send_command(self):
        kind = frames.SABM if self.state == ESTABLISHING else frames.DISC
        self._emit(Frame(self.sapi, True, kind, ask=True, info=frames.encode_items(sorted(self.proposed.items()))))
        self.due_at = self.now_s + self.t200_s()

    def _t200_ran_out(self):
        self.tries += 1
        if self.tries > max(self.values[frames.N200], self.wish.get(frames.N200, 0)):
            self._leave("N200 commands without an answer")
        else:
            self.counts["t200"] += 1
            self._send_command()

    def _t201_ran_out(self):
        for item in list(self.window.values()):
            if item.is_acked or item.due_at is None or self.now_s < item.due_at:
                continue
            if self.is_peer_busy:
                self._poll_a_busy_peer()
                return
            self.counts["t201"] += 1
            item.due_at, item.must_ask = None, True
            if not self._want(item):
                return
        if self.is_peer_busy and self.poll_due_at is not None and self.now_s >= self.poll_due_at:
            self._poll_a_busy_peer()

    def _poll_a_busy_peer(self):
        """State 7, timer recovery: an S frame with A each T201, N200 times (clause 8.6.4.2)."""
        self.polls += 1
        if self.polls > self.values[frames.N200]:
            self._reestablish("busy peer does not answer")
            return
        for item in self.window.values():
            item.due_at = None
        self.poll_due_at = self.now_s + self.t200_s()
        self._emit(self._s_frame(ask=True))

    def _want(self, item):
        """Whether the link is still there: a frame was repeated N200 times."""
        if item.is_wanted:
            return True
        if item.repeats >= self.values[frames.N200]:
            self._reestablish("N200 repetitions")
            return False
        item.is_wanted = True
        return True

    # --- leaving and coming back

    def _reestablish(self, why):
        self.counts[f"re-established: {why}"] += 1
        self._restart()
        self._command(ESTABLISHING)

    def _enter(self):
        self.state, self.due_at, self.proposed = ABM, None, {}
        self.counts["established"] += 1
        self.upper.established()

    def _leave(self, why):
        self.state, self.due_at = ADM, None
        self._restart()
        self.counts[f"released: {why}"] += 1
        self.upper.released(why)

    # --- frames to the lower layer

    def _emit(self, frame):
        self.send(frames.encode(frame, not self.is_phone, self._cipher(not self.is_phone)))

    def _cipher(self, is_down):
        """For frames.encode() and decode(): information and FCS of an I frame, or None."""
        if self.keystream is None:
            return None

        def apply(frame, octets):
            number = self._number_of(frame.ns, is_down)
            stream = self.keystream(self.values[frames.IOV_I] + number & 0xFFFFFFFF, is_down, len(octets))
            return bytes(a ^ b for a, b in zip(octets, stream))
        return apply

    def _number_of(self, ns, is_down):
        """N(S) with its overflow count (annex A)."""
        if is_down != self.is_phone:  # our own: the window tells
            oldest = self.v_a()
            return oldest + (ns - oldest) % MODULUS
        ahead = (ns - self.v_r) % MODULUS
        return self.v_r + ahead - (0 if ahead < self._k(False) else MODULUS)

    def v_a(self):
        return next(iter(self.window), self.v_s)

    def _picture(self):
        """(report, bitmap) of what was received."""
        if self.is_busy:
            return RNR, b""
        if not self.stored:
            return RR, b""
        if list(self.stored) == [self.v_r + 1]:
            return ACK, b""
        octets = -(-(max(self.stored) - self.v_r) // 8)
        bits = sum(1 << 8 * octets - (number - self.v_r) for number in self.stored)
        return SACK, bits.to_bytes(octets, "big")

    def _s_frame(self, ask=False):
        report, bitmap = self._picture()
        return Frame(self.sapi, ask, S_FRAME, ask, nr=self.v_r % MODULUS, report=report, bitmap=bitmap)

    def _pump(self):
        """All that may go now."""
        while self.state == ABM and self.room():
            item = self._next()
            if item:
                self._transmit(item)
            elif self.owes:
                self.owes = False
                self._emit(self._s_frame())
            else:
                self._keep_a_timer()
                return

    def _next(self):
        """A frame to repeat, or a new one, or None."""
        if self.is_peer_busy:
            return None
        for item in self.window.values():
            if item.is_wanted and not item.is_acked:
                return item
        if not self._may_send():
            return None
        info, reference = self.queue.popleft()
        item = self.window[self.v_s] = Sent(self.v_s, info, reference)
        self.v_s += 1
        return item

    def _may_send(self):
        if not self.queue or len(self.window) >= self._window_size():
            return False
        held = sum(len(item.info) for item in self.window.values())
        return not self._m_octets() or held + len(self.queue[0][0]) <= self._m_octets()

    def _window_size(self):
        return self._k(True)

    def _transmit(self, item):
        """A stands on the last frame of a burst, in the middle of a window or more often, and on what T201 repeats."""
        is_repeat = item.order > 0
        self.order += 1
        item.order, item.is_wanted = self.order, False
        item.repeats += is_repeat
        self.counts["repeated" if is_repeat else "sent"] += 1
        self.unasked += 1
        more = self._may_send() or any(other.is_wanted and not other.is_acked for other in self.window.values())
        ask = not more or item.must_ask or self.unasked >= min(MOST_UNASKED, max(1, self._window_size() // 2))
        item.must_ask = False
        if ask:
            self.unasked = 0
        item.due_at = self.now_s + self.t200_s() if ask else None
        report, bitmap = self._picture()
        self.owes = False
        self._emit(Frame(self.sapi, True, I_FRAME, ask, item.number % MODULUS, self.v_r % MODULUS, report, bitmap,
                         item.info))

    def _keep_a_timer(self):
        """What is not confirmed has a timer: else the other side is asked,
        and T201 belongs to the frame that went last."""
        waiting = [item for item in self.window.values() if not item.is_acked]
        if not self.is_peer_busy and waiting and all(item.due_at is None for item in waiting):
            max(waiting, key=lambda item: item.order).due_at = self.now_s + self.t200_s()
            self._emit(self._s_frame(ask=True))

    # --- frames from the lower layer

    def receive(self, octets, now_s):
        """A frame of the other side that is no UI frame."""
        self.now_s = now_s
        if self.state != ABM and octets[1:2] < b"\xc0":  # of the link before: nothing tells how it was ciphered
            self.counts["numbered frames out of ABM"] += 1
            return
        try:
            decoded = frames.decode(octets, self.is_phone, self._cipher(self.is_phone))
            if decoded is None or decoded[0].sapi != self.sapi:
                self.counts["bad frames"] += 1
                return
            self._take(*decoded, octets)
        except frames.Wrong as wrong:
            self._reject(wrong)
        self._pump()

    def _take(self, frame, at, octets):
        if frame.kind in (I_FRAME, S_FRAME):
            self._take_numbered(frame, octets[1:at])
            return
        act = {frames.SABM: self._take_sabm, frames.UA: self._take_ua, frames.DISC: self._take_disc,
               frames.DM: self._take_dm,
               frames.FRMR: self._take_frmr, frames.XID: self._take_xid}.get(frame.kind)
        is_wrong_way = frame.kind != frames.XID and frame.is_command != (frame.kind in COMMANDS)
        # clause 8.2: of P = 0 there is no command
        if act is None or is_wrong_way or frame.is_command and not frame.ask:
            self.counts["discarded U frames"] += 1
            return
        act(frame)

    def _answer(self, kind, ask, info=b""):
        self._emit(Frame(self.sapi, False, kind, ask, info=info))

    def _take_sabm(self, frame):
        if self.state == RELEASING or not self.may_establish:
            self._answer(frames.DM, True)
            if self.state == RELEASING:
                self._leave("SABM met DISC")
            return
        answer = frames.encode_items(self._answer_items(frames.decode_items(frame.info)))
        is_collision = self.state == ESTABLISHING
        if not is_collision:
            self._restart()
        self._answer(frames.UA, True, answer)
        if not is_collision:
            self.counts["SABM accepted"] += 1
            self._enter()

    def _take_ua(self, frame):
        if self.state == ABM:
            self._reestablish("unexpected UA")
        elif frame.ask and self.state == ESTABLISHING:
            self._take_answer(frames.decode_items(frame.info))
            self._enter()
        elif frame.ask and self.state == RELEASING:
            self._leave("asked")

    def _take_disc(self, _):
        if self.state in (ABM, RELEASING):
            self._answer(frames.UA, True)
        else:
            self._answer(frames.DM, True)
        if self.state != ADM and self.state != RELEASING:
            self._leave("DISC")

    def _take_dm(self, frame):
        if self.state == ABM and not frame.ask:
            self._reestablish("DM")
        elif self.state == ESTABLISHING and frame.ask:
            self._leave("refused")
        elif self.state == RELEASING and frame.ask:
            self._leave("asked")

    def _take_frmr(self, _):
        if self.state == ABM:
            self._reestablish("FRMR received")

    def _take_xid(self, frame):
        """Of this SAPI alone; IOV-I has no place in it (it would change under frames that are on their way)."""
        if frame.is_command:
            items = [(kind, value) for kind, value in frames.decode_items(frame.info) if kind != frames.IOV_I]
            answer = [(kind, value) for kind, value in self._answer_items(items) if kind != frames.IOV_I]
            self._answer(frames.XID, True, frames.encode_items(answer))

    def _reject(self, wrong):
        """FRMR, then SABM again (clause 8.8.2); in ADM nothing."""
        self.counts["rejected frames"] += 1
        if self.state == ABM:
            is_asked = wrong.frame.kind not in (I_FRAME, S_FRAME) and wrong.frame.ask
            self._answer(frames.FRMR, is_asked, frames.frmr_info(wrong, self.v_s % MODULUS, self.v_r % MODULUS))
            self._reestablish(f"FRMR sent, W bits {wrong.bits:04b}")

    def _take_numbered(self, frame, head):
        if len(frame.info) > self.values[frames.N201_I]:
            raise frames.Wrong(frame, head, frames.W3_TOO_LONG)
        nr = self._confirmable(frame.nr)
        if nr is None:
            raise frames.Wrong(frame, head, frames.W4_NR)
        if not self._take_report(frame, nr):
            return
        self.owes = self.owes or frame.ask
        if frame.kind == I_FRAME:
            self._take_info(frame)

    def _confirmable(self, nr):
        """N(R) with its overflow count: from V(A) to V(S). Up to k behind V(A) it is late,
        and elsewhere wrong: None."""
        oldest = self.v_a()
        number = oldest + (nr - oldest) % MODULUS
        if number <= self.v_s:
            return number
        return number - MODULUS if number - MODULUS >= oldest - self._window_size() else None

    def _take_report(self, frame, nr):
        """What N(R), S and the bitmap say; returns whether the link is still there."""
        if nr < self.v_a():
            self.counts["late N(R)"] += 1
            return True
        self.is_peer_busy, self.polls = frame.report == RNR, 0
        if not self.is_peer_busy:
            self.poll_due_at = None
        elif self.poll_due_at is None:
            self.poll_due_at = self.now_s + self.t200_s()
        self._mark(frame, nr)
        lost = [item for item in self.window.values() if not item.is_acked and item.order < self.newest]
        return all(self._want(item) for item in lost)

    def _mark(self, frame, nr):
        there = {nr + 1} if frame.report == ACK else set()
        for i, octet in enumerate(frame.bitmap):
            there |= {nr + 8 * i + 1 + bit for bit in range(8) if octet & 0x80 >> bit}
        self.counts["bits of frames never sent"] += sum(number >= self.v_s for number in there)
        for number in [number for number in self.window if number < nr]:
            item = self.window.pop(number)
            self.newest = max(self.newest, item.order if not item.is_acked else 0)
            self.upper.confirmed(item.reference)
        for number in there & self.window.keys():
            item = self.window[number]
            if not item.is_acked:
                item.is_acked = True
                self.newest = max(self.newest, item.order)

    def _take_info(self, frame):
        ahead = (frame.ns - self.v_r) % MODULUS
        if self.is_busy:
            self.owes = True
            self.counts["dropped while busy"] += 1
        elif ahead >= self._k(False) or self.v_r + ahead in self.stored:
            self.counts["duplicates"] += 1
        else:
            self.counts["stored" if ahead else "received"] += 1
            self.stored[self.v_r + ahead] = frame.info
            self._deliver()

    def _deliver(self):
        while self.v_r in self.stored:
            info = self.stored.pop(self.v_r)
            self.v_r += 1
            if info:
                self.upper.data(info)
