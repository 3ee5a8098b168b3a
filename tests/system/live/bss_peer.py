# SPDX-License-Identifier: BSD-3-Clause
"""A BSS of one cell on a UDP socket: NS and BSSGP as a PCU begins them, users' frames both ways."""
import math
import queue
import socket
import struct
import threading
import time
from collections import Counter

from gb_oracle import bssgp, llc, sndcp

NS_ALIVE, NS_ALIVE_ACK = 10, 11
TIMEOUT_S = 60
CELL_ID = bytes.fromhex("62f224123405") + struct.pack(">H", 1)
CAUSE_OAM = 8


class Peer:
    """nsei, nsvci, bvci as the node is configured. Received PDUs that nobody waits for are kept in `pdus`."""

    def __init__(self, sock, node, nsei=101, nsvci=101, bvci=1800):
        self.sock, self.node, self.nsei, self.nsvci, self.bvci = sock, node, nsei, nsvci, bvci
        self.ns, self.bssgp, self.pdus = queue.Queue(), queue.Queue(), queue.Queue()
        self.cell_id = CELL_ID
        self.nu, self.npdu, self.alives, self.is_mute = 0, 0, 0, False
        self.is_open, self.lock, self.repeated = True, threading.Lock(), Counter()
        sock.settimeout(0.2)
        self.thread = threading.Thread(target=self._receive, daemon=True)
        self.thread.start()

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()

    # --- octets

    def send(self, octets):
        self.sock.sendto(octets, self.node)

    def send_bssgp(self, bvci, octets):
        self.send(struct.pack(">BBH", bssgp.NS_UNITDATA, 0, bvci) + octets)

    def _receive(self):
        while self.is_open:
            try:
                octets, sender = self.sock.recvfrom(65536)
            except TimeoutError:
                continue
            except OSError:
                return
            if not self.is_mute:
                self._sort(octets, sender)

    def _sort(self, octets, sender):
        if octets[0] == NS_ALIVE:
            self.alives += 1
            self.sock.sendto(bytes([NS_ALIVE_ACK]), sender)
            return
        if octets[0] != bssgp.NS_UNITDATA:
            answer, answers = octets, self.ns
        else:
            answer = bssgp.decode(octets[4:])
            answers = self.pdus if answer.kind == bssgp.DL_UNITDATA else self.bssgp
        with self.lock:
            if self.repeated[octets_of(answer)] == 0:
                answers.put(answer)
            else:
                self.repeated[octets_of(answer)] -= 1

    # --- procedures

    @staticmethod
    def take(answers, wanted, timeout_s=TIMEOUT_S):
        """The first answer that is not unwanted; those before it are passed over."""
        end = time.monotonic() + timeout_s
        answer = answers.get(timeout=timeout_s)
        while wanted(answer) is False:
            answer = answers.get(timeout=max(0.01, end - time.monotonic()))
        return answer

    def ask(self, send, answers, wanted, every_s=1.0):
        """Repeats a question until an answer of the wanted kind comes; returns it. A node that is late answers each repetition, too, in
        the order in which they came: a later wait does not get these answers."""
        for repetitions in range(math.ceil(TIMEOUT_S / every_s)):
            send()
            try:
                answer = self.take(answers, wanted, every_s)
            except queue.Empty:
                continue
            self._pass_over(answers, octets_of(answer), repetitions)
            return answer
        raise AssertionError(f"no answer within {TIMEOUT_S} s")

    def _pass_over(self, answers, octets, count):
        """The next `count` answers of these octets, of which some may have come already. All those to earlier questions have."""
        with self.lock:
            for answer in [answers.get_nowait() for _ in range(answers.qsize())]:
                if count > 0 and octets_of(answer) == octets:
                    count -= 1
                else:
                    answers.put(answer)
            self.repeated = Counter({octets: count})

    def ns_ask(self, octets, kind):
        return self.ask(lambda: self.send(octets), self.ns, lambda answer: answer[0] == kind)

    def bvc_ask(self, octets, kind):
        return self.ask(lambda: self.send_bssgp(0, octets), self.bssgp, lambda answer: answer.kind == kind)

    def bring_up_ns(self):
        ids = bssgp.tlv(1, struct.pack(">H", self.nsvci)) + bssgp.tlv(4, struct.pack(">H", self.nsei))
        ack = self.ns_ask(bytes([bssgp.NS_RESET]) + bssgp.tlv(0, b"\x01") + ids, bssgp.NS_RESET_ACK)
        assert ack[1:] == ids, ack.hex()
        self.ns_ask(bytes([bssgp.NS_UNBLOCK]), bssgp.NS_UNBLOCK_ACK)

    def bring_up_bvcs(self):
        cause = bssgp.tlv(7, bytes([CAUSE_OAM]))
        self.bvc_ask(bytes([bssgp.BVC_RESET]) + bssgp.tlv(bssgp.BVCI, bytes(2)) + cause, bssgp.BVC_RESET_ACK)
        self.bring_up_cell()

    def bring_up_cell(self):
        cause, name = bssgp.tlv(7, bytes([CAUSE_OAM])), bssgp.tlv(bssgp.BVCI, struct.pack(">H", self.bvci))
        self.bvc_ask(bytes([bssgp.BVC_RESET]) + name + cause + bssgp.tlv(8, self.cell_id), bssgp.BVC_RESET_ACK)
        self.bvc_ask(bytes([bssgp.BVC_UNBLOCK]) + name, bssgp.BVC_UNBLOCK_ACK)

    def announce(self, bucket_octets=100000, rate_bps=80000, tag=1):
        """FLOW-CONTROL-BVC; both values in steps of 100."""
        values = ((bssgp.TAG, bytes([tag])), (bssgp.BVC_BUCKET, struct.pack(">H", bucket_octets // 100)),
                  (bssgp.LEAK_RATE, struct.pack(">H", rate_bps // 100)),
                  (bssgp.BMAX_MS_DEFAULT, struct.pack(">H", bucket_octets // 100)),
                  (bssgp.RATE_MS_DEFAULT, struct.pack(">H", rate_bps // 100)))
        octets = bytes([bssgp.FC_BVC]) + b"".join(bssgp.tlv(kind, value) for kind, value in values)
        return self.ask(lambda: self.send_bssgp(self.bvci, octets), self.bssgp,
                        lambda answer: answer.kind == bssgp.FC_BVC_ACK and answer.number(bssgp.TAG) == tag)

    def bring_up(self):
        self.bring_up_ns()
        self.bring_up_bvcs()
        self.announce()

    # --- users' packets

    def send_packet(self, packet, tlli, nsapi=5, sapi=3, n201_u=500):
        """One N-PDU of a mobile, in as many LLC frames as it takes."""
        for segment in sndcp.encode(packet, nsapi, self.npdu, n201_u):
            frame = llc.encode_ui(sapi, self.nu, segment, command_bit=False)
            self.nu = (self.nu + 1) % 512
            head = bytes([bssgp.UL_UNITDATA]) + struct.pack(">I", tlli) + bytes([0, 0, 4])
            self.send_bssgp(self.bvci, head + bssgp.tlv(8, self.cell_id) + bssgp.tlv(0, b"") + bssgp.tlv(bssgp.LLC_PDU, frame))
        self.npdu = (self.npdu + 1) % 4096

    def packet(self, tlli, timeout_s=TIMEOUT_S):
        """The next N-PDU for a mobile, whole."""
        parts = []
        while not parts or parts[-1].more:
            pdu = self.pdus.get(timeout=timeout_s)
            assert pdu.tlli == tlli, hex(pdu.tlli)
            frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
            assert frame.fcs_good and frame.fault is None, frame
            parts.append(sndcp.decode(frame.info))
            assert parts[-1].fault is None and parts[-1].first == (len(parts) == 1), parts
        return b"".join(part.data for part in parts)


def octets_of(answer):
    """Of an NS or a BSSGP PDU; equal for answers to the same question."""
    return answer if isinstance(answer, bytes) else answer.octets


def open_socket(address, port=23000):
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    sock.bind((address, port))
    return sock
