# SPDX-License-Identifier: BSD-3-Clause
"""A phone that acts by itself in a thread: procedures at random or towards a goal, its timer, and what the network asks.

    air = Air()                     what carries frames between phones and the BSS of the moment
    phone = Handset(air, imsi, ki, seed)
    phone.aim("play")               procedures at random
    phone.aim("back")               attached, active, a ping answered after this call: phone.back_at
    phone.aim("away")               detached with an answer: phone.is_away
    phone.faults                    what must never happen: texts

Its LLC keeps V(U) and V(UR) until the phone is switched off, also over another TLLI, and discards old frames (44.064 8.4.2).
"""
import collections
import ipaddress
import queue
import random
import struct
import threading
import time

import phone_peer
import test_ggsn
import test_walk
from gb_oracle import bssgp, llc, sndcp

RETRY_S, TRIES = 3, 4  # as T3310, T3321, T3330, T3380, T3390; after TRIES the phone begins with an attach
PAGING_PS, PAGED_IMSI = 0x06, 0x0D
NORMAL_DETACH, POWER_OFF = 1, 9
REATTACH = 1
TEMPORARY = (9, 10, 15, 17, 22)  # GMM causes after which a phone may try again
LOG_LINES = 60
OLD = 32  # frames behind V(UR)


class Air:
    """Frames to the phones by their TLLIs, pages by their IMSIs; without a BSS all are lost, else a share of them."""

    def __init__(self, loss=0.0, seed=1):
        self.bss, self.phones, self.threads, self.strays = None, [], [], 0
        self.loss, self.chance = loss, random.Random(f"{seed}/air")

    def begin(self, bss):
        self.bss = bss
        self.threads = [threading.Thread(target=self._carry, args=(bss, work), daemon=True) for work in (self._frame, self._page)]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.bss = None
        for thread in self.threads:
            thread.join(5)

    def send(self, bvci, octets):
        bss = self.bss
        try:
            if bss and not self._loses():
                bss.send_bssgp(bvci, octets)
        except OSError:
            pass  # closed meanwhile, or its node's port is

    def _loses(self):
        return self.chance.random() < self.loss

    def _carry(self, bss, work):
        while self.bss is bss:
            try:
                work(bss)
            except queue.Empty:
                continue

    def _frame(self, bss):
        pdu = bss.pdus.get(timeout=0.1)
        if self._loses():
            return
        for phone in list(self.phones):
            if pdu.tlli in phone.tllis():
                return phone.peer.pdus.put(pdu)
        self.strays += 1

    def _page(self, bss):
        pdu = bss.bssgp.get(timeout=0.1)
        for phone in self.phones:
            if pdu.kind == PAGING_PS and pdu.elements.get(PAGED_IMSI) == phone_peer.digits(phone.imsi):
                phone.peer.pdus.put(None)


class Radio:
    """What phone_peer.Phone takes for its BSS."""

    def __init__(self, air):
        self.air, self.pdus = air, queue.Queue()
        self.cell_id, self.bvci = test_walk.bss_peer.CELL_ID, 1800

    def send_bssgp(self, bvci, octets):
        self.air.send(bvci, octets)


def options(octets):
    """The optional elements of an ACCEPT: {IEI: value}."""
    found, at = {}, 0
    while at < len(octets):
        kind = octets[at]
        size = 1 if kind & 0x80 else {0x19: 4, 0x17: 2, 0x25: 2}.get(kind) or 2 + octets[at + 1]
        found[kind] = octets[at + (1 if kind in (0x19, 0x17, 0x25) else 2):at + size]
        at += size
    return found


class Handset(phone_peer.Phone):
    def __init__(self, air, imsi, ki, seed):
        super().__init__(Radio(air), imsi, ki=ki)
        self.chance = random.Random(f"{seed}/{imsi}")
        self.old_tlli, self.is_attached, self.is_active, self.is_dark = None, False, False, False
        self.former, self.seq, self.pong, self.is_refused = None, 0, None, False
        self.goal, self.aims, self.back_of, self.back_at, self.is_away = "wait", 0, -1, None, False
        self.vur = {}
        self.faults, self.log, self.told, self.is_open = [], collections.deque(maxlen=LOG_LINES), set(), True
        air.phones.append(self)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def close(self):
        self.is_open = False
        self.thread.join(2 * RETRY_S)

    def tllis(self):
        return (self.tlli, self.old_tlli)

    def aim(self, goal):
        self.is_away = False
        self.goal, self.aims = goal, self.aims + 1

    def is_back(self):
        return self.back_of == self.aims and self.is_attached and self.is_active

    def note(self, text):
        self.log.append(f"{time.monotonic():.3f} {self.imsi} {text}")

    def fault(self, text):
        self.note("FAULT " + text)
        self.faults.append(f"{self.imsi}: {text}")

    # --- what comes

    def pump(self, timeout_s):
        """Takes what comes next."""
        try:
            pdu = self.peer.pdus.get(timeout=max(0.001, timeout_s))
        except queue.Empty:
            return
        if pdu is None:
            return self.send(bytes([phone_peer.GMM, 0x20, 111]))  # a page is answered by any frame
        frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
        if frame is None or not frame.fcs_good or frame.fault is not None:
            self.fault(f"frame {frame}")
        elif frame.nu is None:
            self.take_unnumbered(pdu.elements[bssgp.LLC_PDU])
        elif self.is_old(frame):
            self.note(f"N(U) {frame.nu} on SAPI {frame.sapi} is old")
        elif frame.sapi == phone_peer.GMM_SAPI:
            self.take(frame.info)
        elif frame.sapi == phone_peer.DATA_SAPI:
            self.take_packet(sndcp.decode(frame.info).data)

    def is_old(self, frame):
        expected = self.vur.get(frame.sapi, 0)
        if (expected - 1 - frame.nu) % 512 < OLD:
            return True
        self.vur[frame.sapi] = (frame.nu + 1) % 512
        return False

    def begin_llc(self):
        super().begin_llc()
        self.note("LLC begins again")
        self.vur = {}

    def take(self, message):
        self.note("got " + message.hex())
        name = ("sm" if message[0] & 15 == phone_peer.SM else "gmm") + f"_{message[1]:02x}"
        if not self.answer(message):
            handler = getattr(self, "take_" + name, None)
            if handler:
                handler(message)

    def take_packet(self, packet):
        target = str(ipaddress.ip_address(packet[16:20]))
        if target not in (self.address, self.former):
            return self.fault(f"a packet to {target} came to the phone with {self.address}")
        if packet[9] == 17:
            self.told.add(packet[28:].decode())
        elif packet[9] == 1 and packet[20] == 0:
            name, seq = packet[28:].split()[:2]
            if target == self.address and name.decode() != self.imsi:
                return self.fault(f"the ping of {name.decode()} was answered to the phone with {target}")
            self.pong = int(seq)

    def accept(self, message, at, complete):
        found = options(message[at:])
        self.p_tmsi, self.signature = int.from_bytes(found[0x18][1:5], "big"), found[0x19]
        if self.tlli != 0xC0000000 | self.p_tmsi:  # not a repeated one, after which the phone still listens to the TLLI before
            self.old_tlli, self.tlli = self.tlli, 0xC0000000 | self.p_tmsi
        self.send(bytes([phone_peer.GMM, complete]))
        return found

    def take_gmm_02(self, message):
        self.accept(message, 11, phone_peer.ATTACH_COMPLETE)
        if not self.is_attached:
            self.is_attached, self.is_active = True, False

    def take_gmm_09(self, message):
        found = self.accept(message, 10, phone_peer.RAU_COMPLETE)
        self.is_updated = True
        if 0x32 in found and self.is_active and not found[0x32][0] & 1 << 5:
            self.note("the network has no context")
            self.is_active = False

    def refuse(self, cause):
        if cause not in TEMPORARY:
            self.fault(f"refused with GMM cause {cause}")
        self.is_refused = True
        if cause in (9, 10):
            self.is_attached = self.is_active = False

    def take_gmm_04(self, message):
        self.refuse(message[2])

    take_gmm_0b = take_gmm_04

    def take_gmm_14(self, _):
        self.fault("AUTHENTICATION AND CIPHERING REJECT")

    def take_gmm_05(self, message):
        self.send(bytes([phone_peer.GMM, phone_peer.DETACH_ACCEPT]))
        if message[2] & 7 != REATTACH:
            self.fault("detached by the network: " + message.hex())
        self.is_attached = self.is_active = False

    def take_gmm_06(self, _):
        self.is_attached = self.is_active = False
        self.is_answered = True

    def take_sm_42(self, message):
        at = message.index(b"\x2b\x06\x01\x21")
        self.former, self.address = self.address, str(ipaddress.ip_address(message[at + 4:at + 8]))
        self.is_active = True

    def take_sm_43(self, _):
        self.is_refused = True

    def take_sm_46(self, message):
        self.send(bytes([phone_peer.SM, 0x47]))
        self.is_active = False
        if message[2] != 39:
            self.fault("deactivated by the network: " + message.hex())

    def take_sm_47(self, _):
        self.is_active, self.is_answered = False, True

    # --- procedures

    def ask(self, send, is_done, tries=TRIES):
        """The same request each RETRY_S, until its end."""
        for _ in range(tries):
            if not self.is_open:
                return False
            send()
            end, self.is_refused = time.monotonic() + RETRY_S, False
            while time.monotonic() < end and self.is_open:
                self.pump(end - time.monotonic())
                if is_done():
                    return True
        return False

    def go_attach(self):
        """By P-TMSI with its foreign TLLI (24.008 4.7.1.4.1) or local one, or by IMSI with a random TLLI. A phone that was off
        has lost its local TLLI, too."""
        self.is_attached = self.is_active = False
        self.old_tlli = self.tlli
        way = self.chance.random() if self.p_tmsi is not None else 1
        is_local = way > 0.5 and not self.is_dark
        identity = b"\xf4" + struct.pack(">I", self.p_tmsi) if way < 0.7 else phone_peer.digits(self.imsi)
        if way < 0.7:
            self.tlli = (0xC0000000 if is_local else 0x80000000) | self.p_tmsi & 0x3FFFFFFF
        else:
            self.tlli = 0x78000000 | self.chance.randrange(1 << 27)
        if self.is_dark:
            self.begin_llc()
        self.is_dark = False
        self.note("attach " + identity.hex())
        if not self.ask(lambda: self.attach(identity), lambda: self.is_attached):
            self.p_tmsi = None

    def go_activate(self):
        request = bytes([phone_peer.SM, 0x41, 5, phone_peer.DATA_SAPI, 3, 0, 0, 0, 2, 1, 0x21, 0x28, 9, 8]) + b"internet"
        self.note("activate")
        if not self.ask(lambda: self.send(request), lambda: self.is_active or not self.is_attached):
            self.is_attached = False

    def go_update(self):
        self.is_updated = False
        self.note("update")
        status = struct.pack("<BBH", 0x32, 2, self.is_active << 5)
        if not self.ask(lambda: self.update(status), lambda: self.is_updated or not self.is_attached):
            self.is_attached = False

    def go_deactivate(self):
        self.is_answered = False
        self.note("deactivate")
        self.ask(lambda: self.send(bytes([phone_peer.SM, 0x46, 36])), lambda: self.is_answered or not self.is_attached)
        self.is_active = False

    def go_detach(self):
        self.is_answered = False
        self.note("detach")
        done = self.ask(lambda: self.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, NORMAL_DETACH])), lambda: self.is_answered)
        self.is_attached = self.is_active = False
        return done

    def go_power_off(self):
        self.note("power off")
        self.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, POWER_OFF]))
        self.is_dark, self.is_attached, self.is_active = True, False, False

    def go_dark(self):
        """Without a battery: the network is told nothing."""
        self.note("dark")
        self.is_dark, self.is_attached, self.is_active = True, False, False

    def send_ping(self):
        self.seq, self.pong = self.seq + 1, None
        message = test_ggsn.icmp(8, self.seq & 0xFFFF, f"{self.imsi} {self.seq} ".encode().ljust(40))
        ends = b"".join(ipaddress.ip_address(text).packed for text in (self.address, test_ggsn.SERVER))
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(message), self.seq & 0xFFFF, 0, 64, 1, 0) + ends
        self.send_packet(head[:10] + struct.pack(">H", test_walk.checksum(head)) + head[12:] + message)

    def go_ping(self):
        """Two times; then an update asks the network what it knows of the phone."""
        if self.ask(self.send_ping, lambda: self.pong == self.seq or not self.is_active, tries=1):
            return self.is_active
        self.note(f"no answer to ping {self.seq} from {self.address}")
        self.go_update()
        return False

    # --- goals

    def _run(self):
        while self.is_open:
            {"wait": self._wait, "play": self._play, "back": self._come_back, "away": self._go_away}[self.goal]()

    def _wait(self):
        self.pump(0.05)

    def _play(self):
        if not self.is_attached:
            self.go_attach()
        elif not self.is_active:
            self.go_activate()
        else:
            self._rest()
            self.chance.choices((self.go_ping, self.go_update, self.go_deactivate, self.go_detach, self.go_power_off, self.go_dark),
                                (4, 3, 2, 2, 1, 1))[0]()

    def _rest(self):
        """A phone that asks faster than that is refused (request_limit)."""
        end, goal = time.monotonic() + self.chance.uniform(0, 0.5), self.goal
        while time.monotonic() < end and self.goal == goal:
            self.pump(end - time.monotonic())

    def _come_back(self):
        aims = self.aims
        if self.is_back():
            self._wait()
        elif not self.is_attached:
            self.go_attach()
        elif not self.is_active:
            self.go_activate()
        elif self.go_ping():
            self.back_of, self.back_at = aims, time.monotonic()

    def _go_away(self):
        if self.is_away:
            self._wait()
        else:
            self.is_away = self.go_detach()
