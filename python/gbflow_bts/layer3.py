# SPDX-License-Identifier: BSD-3-Clause
"""Layer 3: GMM and SM of a phone (TS 24.008): its requests, and its answers to the network's questions. Who carries the
messages, and the user packets, is the business of a derived class.
"""
from gb_oracle import sndcp

from gbflow_bts.bits import BitWriter

ATTACH_REQUEST, ATTACH_ACCEPT, ATTACH_COMPLETE, ATTACH_REJECT = 0x01, 0x02, 0x03, 0x04
DETACH_REQUEST, DETACH_ACCEPT = 0x05, 0x06
RAU_REQUEST, RAU_ACCEPT, RAU_COMPLETE, RAU_REJECT = 0x08, 0x09, 0x0A, 0x0B
REALLOCATION, REALLOCATION_COMPLETE = 0x10, 0x11
AUTH_REQUEST, AUTH_RESPONSE, AUTH_REJECT = 0x12, 0x13, 0x14
IDENTITY_REQUEST, IDENTITY_RESPONSE = 0x15, 0x16
INFORMATION = 0x21
PDP_REQUEST, PDP_ACCEPT, PDP_REJECT = 0x41, 0x42, 0x43
DEACTIVATE_REQUEST, DEACTIVATE_ACCEPT = 0x46, 0x47
DETACHED, REATTACH = "detached", 1  # REATTACH: type of a network's detach
POWER_OFF = 9  # type of a phone's detach
REACTIVATE = 39  # cause of SM
GMM, SM = 8, 10
GMM_SAPI, DATA_SAPI, SMS_SAPI = 1, 3, 7
RA_CAPABILITY = bytes.fromhex("18b3432b2596620060809ac2c662006080bac8c66200608000")
GSM_900 = 1  # extended, an access technology
RAI = bytes.fromhex("62f224123405")
N201_U, NPDU_MODULUS = 500, 4096
FIRST_NSAPI = 5  # of transaction 0
TIMEOUT_S = 20
IMEI = "351234567890124"  # with its check digit (TS 23.003 annex B)


class Refused(AssertionError):
    """The network's message where another one was expected; a test without a handler fails by it."""

    def __init__(self, message):
        super().__init__(message.hex())
        self.message = message

    def __str__(self):
        if self.message[:2] == bytes([GMM, AUTH_REJECT]):
            return "AUTHENTICATION AND CIPHERING REJECT"
        is_refusal = self.message[:2] == bytes([GMM, ATTACH_REJECT]) or self.message[1:2] == bytes([PDP_REJECT])
        return f"refused, cause {self.message[2]}" if is_refusal else f"message {self.message.hex()}"


def need(is_right, message):
    if not is_right:
        raise Refused(message)


def digits(imsi):
    """A mobile identity of type IMSI with 15 digits."""
    nibbles = [int(imsi[0]) << 4 | 9] + [int(imsi[i + 1]) << 4 | int(imsi[i]) for i in range(1, 15, 2)]
    return bytes(nibbles)


def imeisv(text):
    """A mobile identity of type IMEISV, of 16 digits."""
    nibbles = f"3{text}f"
    return bytes(int(nibbles[i + 1] + nibbles[i], 16) for i in range(0, len(nibbles), 2))


def lv(octets):
    return bytes([len(octets)]) + octets


def p_tmsi_of(accept):
    """The allocated P-TMSI of an ATTACH or ROUTING AREA UPDATE ACCEPT; None: it has none."""
    at = accept.find(b"\x18\x05\xf4")
    return int.from_bytes(accept[at + 3:at + 7], "big") if at >= 0 else None


def ra_capability(gprs, egprs=0):
    """An MS Radio Access Capability (TS 24.008 clause 10.5.5.12a) of these multislot classes; 0: no EGPRS."""
    widths = ((4, 3), (0, 1), (8, 4), (1, 1), (0, 1), (1, 1), (gprs, 5), (0, 1), (0, 2), (int(egprs > 0), 1))
    widths += ((egprs, 5), (0, 1)) if egprs else ()
    widths += ((0, 1), (0, 2), (1, 1), (0, 3))  # without DTM; behind R97: its power, revision level, other networks
    octets = -(-(4 + 7 + sum(width for _, width in widths) + 1) // 8)
    bits = BitWriter(octets, 0).put(GSM_900, 4).put(sum(width for _, width in widths), 7)
    for value, width in widths:
        bits.put(value, width)
    return bits.octets()


class Phone:
    """A derived class has send_frame(sapi, info), and next(timeout_s): the next message of layer 3, or queue.Empty."""

    def __init__(self, imsi, tlli, ki=None):
        self.imsi, self.tlli, self.ki = imsi, tlli, ki
        self.nu = {GMM_SAPI: 0, DATA_SAPI: 0, SMS_SAPI: 0}
        self.npdu, self.p_tmsi, self.signature, self.address, self.pco = 0, None, b"", None, None
        self.rai, self.reliability, self.ra_capability = RAI, 0, RA_CAPABILITY
        self.drx, self.imeisv = b"\x0a\0", None  # 16 digits, which a challenge may ask for
        self.completed = None  # kind and P-TMSI of the last ACCEPT, and what answered it

    def send_frame(self, sapi, info):
        raise NotImplementedError

    def next(self, timeout_s=TIMEOUT_S, sapi=GMM_SAPI):
        raise NotImplementedError

    def send(self, octets):
        self.send_frame(GMM_SAPI, octets)

    def expect(self, discriminator, kind):
        message = self.next()
        need((message[0] & 15, message[1]) == (discriminator, kind), message)
        return message

    def next_answered(self):
        """The next message that is no question."""
        message = self.next()
        while self.answer(message):
            message = self.next()
        return message

    # --- procedures

    def attach(self, identity=None):
        self.completed = None
        self.send(bytes([GMM, ATTACH_REQUEST]) + b"\x02\xe5\xe0\x71" + self.drx + lv(identity or digits(self.imsi))
                  + bytes.fromhex("00f110fffe00") + lv(self.ra_capability))

    def answer(self, message):
        """To a question before ACCEPT, and to an ACCEPT once more, whose COMPLETE was lost (TS 24.008 clause
        4.7.3.1.3); False for another message."""
        if message[:2] == bytes([GMM, IDENTITY_REQUEST]):
            imei = b"\x3a" + digits(IMEI)[1:]
            self.send(bytes([GMM, IDENTITY_RESPONSE]) + lv(imei if message[2] & 7 == 2 else digits(self.imsi)))
        elif message[:2] == bytes([GMM, AUTH_REQUEST]):
            need(message[4] == 0x21, message)
            word = bytes(a ^ b for a, b in zip(message[5:21], self.ki))  # XOR of test networks (34.108 8.1.2.1)
            sres = bytes(a ^ b ^ c ^ d for a, b, c, d in zip(word[:4], word[4:8], word[8:12], word[12:]))
            equipment = b"\x23" + lv(imeisv(self.imeisv)) if self.imeisv else b""
            self.send(bytes([GMM, AUTH_RESPONSE, message[3] >> 4, 0x22]) + sres + equipment)
        elif self.completed and (message[1], p_tmsi_of(message)) == self.completed[:2] and message[0] == GMM:
            self.send(bytes([GMM, self.completed[2]]))
        else:
            return False
        return True

    def obey(self, message):
        """To an order of the network: DETACHED, or the NSAPI whose context is over; None for another message."""
        if message[:2] == bytes([GMM, DETACH_REQUEST]):
            self.send(bytes([GMM, DETACH_ACCEPT]))
            return DETACHED
        if (message[0] & 15, message[1]) == (SM, DEACTIVATE_REQUEST):
            transaction = message[0] & 0x70
            self.send(bytes([transaction | SM, DEACTIVATE_ACCEPT]))
            return FIRST_NSAPI + (transaction >> 4)
        return None

    def take_accept(self, message, complete):
        self.p_tmsi = p_tmsi_of(message)
        self.signature = message[message.index(b"\x19", 10):][1:4]
        self.tlli = 0xC0000000 | self.p_tmsi
        self.completed = message[1], self.p_tmsi, complete
        self.send(bytes([GMM, complete]))

    def take_reallocation(self, message):
        """P-TMSI REALLOCATION COMMAND; returns the area that it names."""
        need(message[2:4] == b"\x05\xf4" and message[15:16] in (b"", b"\x19"), message)
        self.p_tmsi, self.signature = int.from_bytes(message[4:8], "big"), message[16:19] or self.signature
        self.send(bytes([GMM, REALLOCATION_COMPLETE]))
        self.fall_quiet()
        self.tlli = 0xC0000000 | self.p_tmsi
        return message[8:14]

    def fall_quiet(self):
        """What was sent under the TLLI before must be heard under it."""

    def attach_fully(self):
        self.attach()
        message = self.next_answered()
        need(message[:2] == bytes([GMM, ATTACH_ACCEPT]) and self.takes_area(message[5:11]), message)
        self.take_accept(message, ATTACH_COMPLETE)

    def power_off(self):
        """DETACH REQUEST without an answer (TS 24.008 clause 4.7.4.1.1)."""
        self.send(bytes([GMM, DETACH_REQUEST, POWER_OFF, 0x18, 0x05, 0xF4]) + self.p_tmsi.to_bytes(4, "big")
                  + b"\x19\x03" + self.signature)

    def takes_area(self, told):
        return told == self.rai

    def update(self, status=b""):
        """status: elements behind the signature."""
        self.completed = None
        radio = lv(self.ra_capability)
        self.send(bytes([GMM, RAU_REQUEST, 0x70]) + self.rai + radio + b"\x19" + self.signature + status)

    def activate(self, apn=b"internet", nsapi=5, tries=1, reliability=0):
        """Returns the address that the network gave. tries: it asks again after a network failure (cause 38).

        reliability: the class that it asks for (TS 24.008 clause 10.5.6.5), 0 the subscribed one;
        self.reliability is what it got.
        """
        transaction = (nsapi - FIRST_NSAPI) << 4
        request = bytes([transaction | SM, PDP_REQUEST, nsapi, DATA_SAPI, 3, reliability, 0, 0, 2, 1, 0x21, 0x28,
                         len(apn) + 1, len(apn)]) + apn
        for _ in range(tries):
            self.send(request + bytes.fromhex("2714" "8080211001000010810600000000830600000000"))
            message = self.next_answered()
            if message != bytes([0x80 | transaction | SM, PDP_REJECT, 38]):
                break
        need((message[0] & 15, message[1]) == (SM, PDP_ACCEPT), message)
        need(message[0] == 0x80 | transaction | SM and message[2] == DATA_SAPI and message[3] == 3, message)
        self.reliability, at = message[4] & 7, message.index(b"\x2b\x06\x01\x21")
        self.address = ".".join(str(octet) for octet in message[at + 4:at + 8])
        self.pco = message[message.index(b"\x27", at + 8) + 2:]
        return self.address

    def send_packet(self, packet, nsapi=5):
        for segment in sndcp.encode(packet, nsapi, self.npdu, N201_U):
            self.send_frame(DATA_SAPI, segment)
        self.npdu = (self.npdu + 1) % NPDU_MODULUS
