# SPDX-License-Identifier: BSD-3-Clause
"""A handset, a whole phone behind the real osmo-pcu: GMM and SM of a layer3.Phone, user packets of a Phone,
one radio."""
import queue
import threading
import time

from gb_oracle import llc

from gbflow_bts import cipher, layer3, phone

IN_CLEAR = [bytes([layer3.GMM, kind]) for kind in (layer3.ATTACH_REQUEST, layer3.RAU_REQUEST)]
ACKNOWLEDGED = (1, 2)  # reliability classes with LLC in acknowledged mode
GEA3 = 3  # number of the algorithm in a message
TLLI, FOREIGN = 0x78000000, 0x80000000  # a random one
ATTACH_STEP = 256  # between the random ones of a phone
MOVE_S, LOOK_S = 0.3, 0.02


class Handset(layer3.Phone):
    """Number i, whose IMSI the HLR has. on_packet gets whole user packets; without it they are kept for packet()."""

    def __init__(self, number, ki, rai):
        self.user = phone.Phone(number)
        self.radio, self.number = self.user.radio, number
        self.radio.on_pdu = self._receive
        self.messages = {sapi: queue.Queue() for sapi in (layer3.GMM_SAPI, layer3.SMS_SAPI)}
        super().__init__(self.radio.imsi, TLLI + number, ki)
        self.lock, self.is_elsewhere, self.held = threading.Lock(), False, []
        self.rai, self.faults, self.cipher, self.keys, self.wish = rai, [], None, [], {}
        self.area = rai  # of its cell; rai is what the network has told it
        self.attaches, self.information = 0, None  # the last GMM INFORMATION

    @property
    def tlli(self):
        return self.radio.tlli

    @tlli.setter
    def tlli(self, tlli):
        """It listens to the one before it, too."""
        self.radio.old_tlli, self.radio.tlli = self.radio.tlli, tlli

    @property
    def on_packet(self):
        return self.user.on_packet

    @on_packet.setter
    def on_packet(self, take):
        self.user.on_packet = take

    # --- frames

    def send_frame(self, sapi, info):
        nu, key = self.nu[sapi], None if info[:2] in IN_CLEAR and sapi == layer3.GMM_SAPI else self.cipher
        self.radio.submit(key.encode_ui(sapi, nu, info) if key else llc.encode_ui(sapi, nu, info, command_bit=False))
        self.nu[sapi] = (self.nu[sapi] + 1) % phone.NU_MODULUS

    def _receive(self, octets):
        """From the BTS's thread."""
        if octets.startswith(phone.FILLING):
            return
        if self.user.is_of_link(octets):
            self.user.take_numbered(octets)
            return
        is_ciphered = self.cipher and cipher.is_ciphered(octets)
        frame = self.cipher.decode(octets) if is_ciphered else llc.decode(octets, True)
        if frame and frame.fcs_good and frame.nu is None and llc.is_reset(octets):
            self.nu = dict.fromkeys(self.nu, 0)
            if self.is_away:
                self.cipher = None  # another SGSN, which has no key
            self.radio.submit(llc.reset_done())
        elif frame is None or not frame.fcs_good or frame.fault or frame.nu is None:
            self.faults.append(octets.hex())
        elif frame.sapi == layer3.GMM_SAPI and frame.info[:2] == bytes([layer3.GMM, layer3.INFORMATION]):
            self.information = frame.info  # in any state, no answer to a request (TS 24.008 clause 4.7.12)
        elif frame.sapi in self.messages:
            self.messages[frame.sapi].put(frame.info)
        else:
            self.user.take(frame, octets)

    # --- what the user does

    def send_packet(self, packet, nsapi=5):
        """None leave a cell of another area before the update (TS 24.008 clause 4.7.5)."""
        with self.lock:
            if self.is_elsewhere:
                self.held.append(packet)
            elif self.user.is_acknowledged:
                self.user.send(packet)
            else:
                super().send_packet(packet, nsapi)

    def move(self, airs):
        """Leaves the first air for the second one; what its radio was busy with is over."""
        airs[0].mobiles.remove(self.radio)
        with self.lock:
            self.is_elsewhere = True
        time.sleep(MOVE_S)
        self.radio.fall_silent()
        airs[1].mobiles.append(self.radio)

    def update_fully(self, rai):
        """In the area that it is in now, which the network has to name, too."""
        told = self.update_once(rai)
        layer3.need(told == rai, told)

    def update_once(self, rai):
        """Under a foreign TLLI if the area is another one (TS 23.003 clause 2.6); returns the area that the network
        names."""
        if rai != self.rai:
            self.tlli = FOREIGN | self.p_tmsi & 0x3FFFFFFF
        self.update()
        message = self.next_answered()
        layer3.need(message[:2] == bytes([layer3.GMM, layer3.RAU_ACCEPT]), message)
        self.take_accept(message, layer3.RAU_COMPLETE)
        self.rai, self.area = message[4:10], rai
        self.send_held()
        return self.rai

    def send_held(self):
        """User packets that have waited, unless it is to go on."""
        with self.lock:
            self.is_elsewhere, held = self.is_away, self.held
            self.held = held if self.is_away else []
        for packet in () if self.is_away else held:
            self.send_packet(packet)

    # --- offload (TS 23.236 clause 4.5)

    @property
    def is_away(self):
        """The network says that it is in another area than its cell's, so that it updates at once."""
        return self.rai != self.area

    def takes_area(self, told):
        self.rai = told
        return True

    def take_reallocation(self, message):
        """User packets wait from now on."""
        with self.lock:
            self.is_elsewhere = True
        self.rai = super().take_reallocation(message)
        self.send_held()
        return self.rai

    def attach(self, identity=None):
        """Under a random TLLI that it has not had; the network has no state of its LLC."""
        if self.p_tmsi is not None:
            self.fall_quiet()
            self.tlli, self.p_tmsi = TLLI + self.number + ATTACH_STEP * self.attaches, None
            self.nu = dict.fromkeys(self.nu, 0)
        self.attaches += 1
        self.cipher = None
        super().attach(identity)

    def fall_quiet(self):
        end_at = time.monotonic() + layer3.TIMEOUT_S
        while (self.radio.queue or self.radio.up) and time.monotonic() < end_at:
            time.sleep(LOOK_S)

    def activate(self, apn=b"internet", nsapi=5, tries=1, reliability=0):
        """The class that the network grants decides on LLC; `wish` then has the parameters that the phone proposes."""
        if reliability in ACKNOWLEDGED:
            self.user.acknowledge(self.wish, self.cipher.stream if self.cipher else None)
        address = super().activate(apn, nsapi, tries, reliability)
        if self.reliability in ACKNOWLEDGED and self.user.link:
            self.user.establish()
        return address

    def answer(self, message):
        """Ciphers from the frame after its response on, if it is told to."""
        is_known = super().answer(message)
        if message[:2] == bytes([layer3.GMM, layer3.AUTH_REQUEST]) and message[2] & 7:
            layer3.need(message[2] & 7 == GEA3, message)
            self.cipher = cipher.Gea3(cipher.kc_of(self.ki, message[5:21]))
            self.keys.append(self.cipher)
        return is_known

    def next(self, timeout_s=layer3.TIMEOUT_S, sapi=layer3.GMM_SAPI):
        return self.messages[sapi].get(timeout=timeout_s)

    def packet(self, timeout_s=layer3.TIMEOUT_S):
        return self.user.packets.get(timeout=timeout_s)
