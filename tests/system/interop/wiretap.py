# SPDX-License-Identifier: BSD-3-Clause
"""Records what goes over an interface of a lab, both ways, and reads NS and BSSGP out of it."""
import socket
import threading
import time

from gb_oracle import bssgp, capture, inet, writer

ETH_P_ALL, SO_TIMESTAMPNS, SCM_OCTETS = 3, 35, 64


class Pdu:
    """One NS PDU: at_s since the start of the record, is_down, octets, ports of the BSS's and the node's end, what BSSGP is in it."""
    __slots__ = ("at_s", "is_down", "octets", "port", "node_port", "bvci", "bssgp")

    def __init__(self, at_s, is_down, octets, ports):
        self.at_s, self.is_down, self.octets, (self.port, self.node_port) = at_s, is_down, octets, ports
        self.bvci = self.bssgp = None
        if octets[:1] == b"\0" and len(octets) > 4:
            self.bvci = int.from_bytes(octets[2:4], "big")
            try:
                self.bssgp = bssgp.decode(octets[4:])
            except bssgp.Malformed:
                pass

    def kind(self):
        """("ns", type) or ("bssgp", type)."""
        return ("bssgp", self.bssgp.kind) if self.bssgp else ("ns", self.octets[0])


class Wiretap:
    def __init__(self, lab, side, interface, node_address):
        self.node_address, self.frames, self.is_open = node_address, [], True
        self.read, self.read_frames, self.fragments = [], 0, inet.Fragments()  # Pdus of so many frames
        with lab.inside(side):
            self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.bind((interface, ETH_P_ALL))
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
        self.sock.settimeout(0.2)
        self.began_ns = time.time_ns()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while self.is_open:
            try:
                octets, extra, _, _ = self.sock.recvmsg(65536, SCM_OCTETS)
            except TimeoutError:
                continue
            except OSError:  # the interface was switched off
                time.sleep(0.01)
                continue
            stamp = extra[0][2] if extra else b""
            at_ns = int.from_bytes(stamp[:8], "little") * 10**9 + int.from_bytes(stamp[8:16], "little") if stamp else time.time_ns()
            self.frames.append((at_ns, octets))

    def now_s(self):
        """The present on the record's scale."""
        return (time.time_ns() - self.began_ns) / 1e9

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()

    def save(self, path):
        writer.pcapng(path, self.frames)

    def pdus(self, since_s=0.0):
        """All NS PDUs from a time on, as Pdus, in order. Who waits for one asks often: each frame is read once."""
        new = self.frames[self.read_frames:]
        frames = [capture.Frame(self.read_frames + i + 1, at_ns, 1, octets, True) for i, (at_ns, octets) in enumerate(new)]
        self.read_frames += len(new)
        for frame, datagram in inet.datagrams(frames, self.fragments):
            if datagram is not None:
                is_down = inet.dotted(datagram.source[0]) == self.node_address
                ends = (datagram.destination, datagram.source) if is_down else (datagram.source, datagram.destination)
                self.read.append(Pdu((frame.time_ns - self.began_ns) / 1e9, is_down, datagram.payload, [end[1] for end in ends]))
        return [pdu for pdu in self.read if pdu.at_s >= since_s]
