# SPDX-License-Identifier: BSD-3-Clause
"""A GGSN of two programs, as strict as Open5GS: what answers GTP-C is at one address, what carries packets at another.

    far = StrictGgsn(lab)           an APN of any name; the server SERVER behind it answers ping
    far.stop(); far.start()         all contexts are forgotten; there is no restart counter
    far.missing                     names of elements that requests lacked
    far.asked                       (message type, {element type: values}) of the requests
    far.update(number, tlv(...))    asks for a modification of the latest context
    far.answered(number)            the elements of the answer to that, when it is there
"""
import select
import socket
import struct
import threading
import time

import lab
import test_walk
from gb_oracle import gtp

USER = "192.0.2.3"  # on the same link
GTPC, GTPU = 2123, 2152
CREATE, UPDATE, UPDATE_RESPONSE, DELETE, ECHO, ERROR_INDICATION, G_PDU = 16, 18, 19, 20, 1, 26, 255
ACCEPTED, NON_EXISTENT, MISSING, INCORRECT = 128, 192, 202, 201
CREATE_NEEDS = {2: "IMSI", 15: "Selection Mode", 16: "TEID", 20: "NSAPI", 134: "MSISDN", 135: "QoS Profile",
                152: "User Location Info", 128: "End User Address"}
UPDATE_NEEDS = {20: "NSAPI", 16: "TEID", 135: "QoS Profile"}
LOCATION_OCTETS = {0: 8, 1: 8, 2: 8}
IMEI_OCTETS, ZONE_OCTETS, RAI_OCTETS = 8, 2, 6


def tv(kind, value):
    return bytes([kind]) + value


def tlv(kind, value):
    return struct.pack(">BH", kind, len(value)) + value


def address(text):
    return socket.inet_aton(text)


class Context:
    def __init__(self, number, elements):
        self.teid, self.user_teid, self.nsapi = 0x5000 + number, 0x6000 + number, elements[20][0][0] & 15
        self.qos, self.ipv4 = elements[135][0], bytes([10, 47, 0, number])
        self.take(elements)

    def take(self, elements):
        self.their_user = struct.unpack(">I", elements[16][0])[0]
        self.their_teid = struct.unpack(">I", elements[17][0])[0] if 17 in elements else self.their_teid


class StrictGgsn:
    def __init__(self, place):
        self.lab, self.count, self.missing, self.asked = place, 0, [], []
        self.answers = {}
        place.ip(place.names["ggsn"], "address", "add", USER + "/32", "dev", "gn1")
        self.start()

    def start(self):
        self.contexts, self.is_open = [], True
        with self.lab.inside("ggsn"):
            self.control, self.user = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for sock, end in ((self.control, (lab.GN_GGSN, GTPC)), (self.user, (USER, GTPU))):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(end)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self):
        self.is_open = False
        self.thread.join(5)
        self.control.close()
        self.user.close()

    def _run(self):
        while self.is_open:
            ready, _, _ = select.select([self.control, self.user], [], [], 0.1)
            if self.control in ready:
                self._answer(*self.control.recvfrom(65536))
            if self.user in ready:
                self._carry(*self.user.recvfrom(65536))

    # --- GTP-C

    def _answer(self, octets, sender):
        message = gtp.decode(octets)
        elements = {}
        for kind, value in gtp.elements(message.body):
            elements.setdefault(kind, []).append(value)
        if message.kind == UPDATE_RESPONSE:
            self.answers[message.sequence] = elements
            return
        self.asked.append((message.kind, elements))
        known = next((context for context in self.contexts if context.teid == message.teid), None)
        work = {CREATE: self._create, UPDATE: self._update, DELETE: self._delete}.get(message.kind)
        if message.kind == ECHO:
            teid, body = 0, tv(14, b"\0")
        elif work:
            teid, body = work(known, elements)
        else:
            return
        head = struct.pack(">BBHIHBB", 0x32, message.kind + 1, 4 + len(body), teid, message.sequence, 0, 0)
        self.control.sendto(head + body, sender)

    def _lacks(self, elements, needs):
        lacks = [name for kind, name in needs.items() if kind not in elements]
        if len(elements.get(133, [])) < 2:
            lacks.append("SGSN Address")
        self.missing += lacks
        return bool(lacks)

    def _create(self, _, elements):
        teid = struct.unpack(">I", elements[17][0])[0] if 17 in elements else 0
        if self._lacks(elements, CREATE_NEEDS):
            return teid, tv(1, bytes([MISSING]))
        location = elements[152][0]
        right = (len(location) == LOCATION_OCTETS.get(location[0]) and 1 < len(elements[134][0]) <= 9
                 and all(len(value[0]) == size for value, size in ((elements.get(154, [bytes(IMEI_OCTETS)]), IMEI_OCTETS),
                                                                   (elements.get(153, [bytes(ZONE_OCTETS)]), ZONE_OCTETS),
                                                                   (elements.get(3, [bytes(RAI_OCTETS)]), RAI_OCTETS))))
        if not right:
            self.missing.append("right values")
            return teid, tv(1, bytes([INCORRECT]))
        self.count += 1
        context = Context(self.count, elements)
        self.contexts.append(context)
        body = (tv(1, bytes([ACCEPTED])) + tv(8, b"\xfe") + tv(16, struct.pack(">I", context.user_teid))
                + tv(17, struct.pack(">I", context.teid)) + tv(20, bytes([context.nsapi])) + tv(127, struct.pack(">I", self.count))
                + tlv(128, b"\xf1\x21" + context.ipv4) + tlv(132, b"\x80") + tlv(133, address(lab.GN_GGSN))
                + tlv(133, address(USER)) + tlv(135, context.qos))
        return context.their_teid, body

    def _update(self, context, elements):
        if self._lacks(elements, UPDATE_NEEDS):
            return context.their_teid if context else 0, tv(1, bytes([MISSING]))
        if not context:
            return 0, tv(1, bytes([NON_EXISTENT]))
        context.take(elements)
        return context.their_teid, (tv(1, bytes([ACCEPTED])) + tv(16, struct.pack(">I", context.user_teid))
                                    + tv(17, struct.pack(">I", context.teid)) + tlv(133, address(lab.GN_GGSN))
                                    + tlv(133, address(USER)) + tlv(135, context.qos))

    def _delete(self, context, _):
        if not context:
            return 0, tv(1, bytes([NON_EXISTENT]))
        self.contexts.remove(context)
        return context.their_teid, tv(1, bytes([ACCEPTED]))

    def delete(self, cause=None):
        """Asks for the end of the last context; the answer is not awaited."""
        context = self.contexts.pop()
        body = (tv(1, bytes([cause])) if cause else b"") + tv(19, b"\xff") + tv(20, bytes([context.nsapi]))
        head = struct.pack(">BBHIHBB", 0x32, DELETE, 4 + len(body), context.their_teid, 77, 0, 0)
        self.control.sendto(head + body, (lab.GN_SGSN, GTPC))

    def update(self, number, *elements):
        context = self.contexts[-1]
        body = tv(20, bytes([context.nsapi])) + b"".join(elements)
        head = struct.pack(">BBHIHBB", 0x32, UPDATE, 4 + len(body), context.their_teid, number, 0, 0)
        self.control.sendto(head + body, (lab.GN_SGSN, GTPC))

    def answered(self, number, timeout_s=60):
        end = time.monotonic() + timeout_s
        while number not in self.answers and time.monotonic() < end:
            time.sleep(0.02)
        return {kind: values[0] for kind, values in self.answers[number].items()}

    # --- packets

    def _carry(self, octets, sender):
        message = gtp.decode(octets)
        if message.kind != G_PDU:
            return
        context = next((context for context in self.contexts if context.user_teid == message.teid), None)
        if not context:
            body = tv(16, struct.pack(">I", message.teid)) + tlv(133, address(USER))
            self.user.sendto(struct.pack(">BBHIHBB", 0x32, ERROR_INDICATION, 4 + len(body), 0, 0, 0, 0) + body, (sender[0], GTPU))
            return
        packet = message.body
        answer = b"\0\0\0\0" + packet[24:]
        answer = answer[:2] + struct.pack(">H", test_walk.checksum(answer)) + answer[4:]
        back = packet[:12] + packet[16:20] + packet[12:16] + answer  # the checksum of the header is the same
        self.user.sendto(struct.pack(">BBHI", 0x30, G_PDU, len(back), context.their_user) + back, sender)
