# SPDX-License-Identifier: BSD-3-Clause
"""The client's end of memif links, written from the protocol: a process of its own, that offers frames and takes those that come
without a pause, and may be killed at any time. It starts in milliseconds.

    peer = Peer([(socket, 0, frames), (socket, 1, frames)])    starts the process; arguments of links
    peer.wait()             the links are up
    peer.kill()             as a peer that dies
    Link(socket, ...)       one link in this process
"""
import array
import ctypes
import fcntl
import mmap
import multiprocessing
import os
import socket
import struct

MESSAGE_OCTETS, VERSION, COOKIE = 128, 0x0200, 0x3E31F20
ACK, HELLO, INIT, ADD_REGION, ADD_RING, CONNECT, CONNECTED, DISCONNECT = range(1, 9)
FROM_CLIENT, TO_CLIENT = 1, 0  # the direction of a ring, as ADD_RING says it
HEAD, TAIL, DESCRIPTORS, DESCRIPTOR_OCTETS = 6, 64, 128, 16  # offsets in a ring
BUFFER_OCTETS = 2048
TIMEOUT_S = 30


class Refused(Exception):
    """The other end has closed the link before it was up."""


class Ring:
    """The rings of one direction in a region."""

    def __init__(self, region, offset, log2, buffers):
        self.size, self.offset, self.region = 1 << log2, offset, region
        struct.pack_into("=I", region, offset, COOKIE)
        for number in range(self.size):
            self.describe(number, buffers + number * BUFFER_OCTETS, BUFFER_OCTETS)
        self.head, self.tail = (ctypes.c_uint16.from_buffer(region, offset + at) for at in (HEAD, TAIL))

    def describe(self, number, buffer, octets, region=0):
        struct.pack_into("=HHIII", self.region, self.offset + DESCRIPTORS + number * DESCRIPTOR_OCTETS, 0, region, octets, buffer, 0)


    def frame(self, number):
        _, _, octets, at, _ = struct.unpack_from("=HHIII", self.region, self.offset + DESCRIPTORS + number * DESCRIPTOR_OCTETS)
        return bytes(self.region[at:at + octets])


class Link:
    """Connects; rings of one queue each. `path` without a leading / is an abstract socket."""

    def __init__(self, path, number=0, frames=(), log2=10):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.connect(path if path.startswith("/") else b"\0" + path.encode())
        self.sock.settimeout(TIMEOUT_S)
        self.number, self.log2 = number, log2
        ring_octets = DESCRIPTORS + DESCRIPTOR_OCTETS * (1 << log2)
        self.octets = 2 * ring_octets + 2 * BUFFER_OCTETS * (1 << log2)
        self.file = os.memfd_create("peer", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.file, self.octets)
        fcntl.fcntl(self.file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        self.region = mmap.mmap(self.file, self.octets)
        self.out = Ring(self.region, 0, log2, 2 * ring_octets)
        self.back = Ring(self.region, ring_octets, log2, 2 * ring_octets + BUFFER_OCTETS * (1 << log2))
        self.offsets = (0, ring_octets)
        self.seen = 0  # of the frames that come
        self.fill(frames)

    def fill(self, frames):
        """The frames of the ring, in turn; each is sent again and again."""
        for number in range(self.out.size if frames else 0):
            frame = frames[number % len(frames)]
            at = 2 * self.offsets[1] + number * BUFFER_OCTETS
            self.region[at:at + len(frame)] = frame
            self.out.describe(number, at, len(frame))

    def say(self, kind, body=b"", file=None):
        rights = [] if file is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))]
        self.sock.sendmsg([struct.pack("=H", kind).ljust(2, b"\0") + body.ljust(MESSAGE_OCTETS - 2, b"\0")], rights)

    def hear(self, kind):
        octets = self.sock.recv(MESSAGE_OCTETS)
        if len(octets) < 2 or struct.unpack_from("=H", octets)[0] != kind:
            raise Refused(octets[6:].split(b"\0")[0].decode(errors="replace"))

    def introduce(self):
        self.hear(HELLO)
        self.say(INIT, struct.pack("=HIB24s32s", VERSION, self.number, 0, b"", b"peer"))
        self.hear(ACK)

    def add_region(self):
        self.say(ADD_REGION, struct.pack("=HQ", 0, self.octets), self.file)
        self.hear(ACK)

    def add_ring(self, direction):
        event = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        try:
            self.say(ADD_RING, struct.pack("=HHHIBH", direction, 0, 0, self.offsets[direction == TO_CLIENT], self.log2, 0), event)
            self.hear(ACK)
        finally:
            os.close(event)

    def finish(self):
        self.say(CONNECT, b"peer")
        self.hear(CONNECTED)
        self.back.head.value = self.back.size

    def steps(self):
        """Of the link's way up."""
        return (self.introduce, self.add_region, lambda: self.add_ring(FROM_CLIENT), lambda: self.add_ring(TO_CLIENT), self.finish)

    def connect(self):
        for step in self.steps():
            step()

    def close(self):
        """At once; the memory stays until the other end leaves it."""
        self.sock.close()
        if self.file >= 0:
            os.close(self.file)
        self.file = -1

    def send(self, frame):
        """One frame."""
        number = self.out.head.value % self.out.size
        at = 2 * self.offsets[1] + number * BUFFER_OCTETS
        self.region[at:at + len(frame)] = frame
        self.out.describe(number, at, len(frame))
        self.out.head.value += 1

    def receive(self):
        """The frames that have come."""
        frames = []
        while self.seen != self.back.tail.value:
            frames.append(self.back.frame(self.seen % self.back.size))
            self.seen = (self.seen + 1) & 0xFFFF
        self.back.head.value = self.seen + self.back.size
        return frames

    def turn(self):
        """Offers as many frames as the ring has room for, and takes all that have come."""
        self.out.head.value = self.out.tail.value + self.out.size
        self.back.head.value = self.back.tail.value + self.back.size


def run(links, up):
    """The process; `up` is told when all links are up."""
    made = [Link(*each) for each in links]
    for each in made:
        each.connect()
    up.send(True)
    while True:
        for each in made:
            each.turn()


class Peer:
    """A process with these links, which is killed."""

    def __init__(self, links):
        self.up, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=run, args=(links, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def wait(self):
        """Until its links are up; False: they do not come up."""
        try:
            return self.up.poll(TIMEOUT_S) and self.up.recv()
        except EOFError:
            return False

    def kill(self):
        self.process.kill()
        self.process.join(TIMEOUT_S)
        self.process.close()
        self.up.close()
