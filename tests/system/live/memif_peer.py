# SPDX-License-Identifier: BSD-3-Clause
"""Ends of memif links, written from the protocol: a process of its own, that offers frames and takes those that come without a
pause, and may be killed at any time. It starts in milliseconds.

    peer = Peer(connect, [(socket, 0, frames), (socket, 1, frames)])    starts the process; arguments of links
    peer = Peer(listen, socket, [frames, frames])                       the server's end, which waits for its client
    peer.wait()             the links are up; of a server first that it listens
    peer.kill()             as a peer that dies
    Link(socket, ...)       a client's link in this process
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
    """One direction, at an offset of a region; `memory`: all regions, in which the buffers are."""

    def __init__(self, memory, region, offset, log2):
        self.size, self.offset, self.memory, self.region = 1 << log2, offset, memory, memory[region]
        self.head, self.tail = (ctypes.c_uint16.from_buffer(self.region, offset + at) for at in (HEAD, TAIL))

    def place(self, number):
        """Of the descriptor of a slot."""
        return self.offset + DESCRIPTORS + number % self.size * DESCRIPTOR_OCTETS

    def make(self, buffers):
        """As a client does, with all buffers in its region."""
        struct.pack_into("=I", self.region, self.offset, COOKIE)
        for number in range(self.size):
            struct.pack_into("=HHIII", self.region, self.place(number), 0, 0, BUFFER_OCTETS, buffers + number * BUFFER_OCTETS, 0)

    def put(self, number, frame):
        """Into the buffer of a slot."""
        _, region, _, at, _ = struct.unpack_from("=HHIII", self.region, self.place(number))
        self.memory[region][at:at + len(frame)] = frame
        struct.pack_into("=HHI", self.region, self.place(number), 0, region, len(frame))

    def get(self, number):
        _, region, octets, at, _ = struct.unpack_from("=HHIII", self.region, self.place(number))
        return bytes(self.memory[region][at:at + octets])


def message(kind, body=b""):
    return struct.pack("=H", kind) + body.ljust(MESSAGE_OCTETS - 2, b"\0")


class Link:
    """The client's end, with a ring of each direction. `path` without a leading / is an abstract socket; each frame is sent again
    and again."""

    def __init__(self, path, number=0, frames=(), log2=10):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.connect(path if path.startswith("/") else b"\0" + path.encode())
        self.sock.settimeout(TIMEOUT_S)
        self.number, self.log2, self.seen = number, log2, 0  # seen: of the frames that came
        ring_octets, buffers_octets = DESCRIPTORS + (DESCRIPTOR_OCTETS << log2), BUFFER_OCTETS << log2
        self.octets, self.offsets = 2 * (ring_octets + buffers_octets), (0, ring_octets)
        self.file = os.memfd_create("peer", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.file, self.octets)
        fcntl.fcntl(self.file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        memory = [mmap.mmap(self.file, self.octets)]
        self.out, self.back = (Ring(memory, 0, offset, log2) for offset in self.offsets)
        self.out.make(2 * ring_octets)
        self.back.make(2 * ring_octets + buffers_octets)
        for slot in range(self.out.size if frames else 0):
            self.out.put(slot, frames[slot % len(frames)])

    def say(self, kind, body=b"", file=None):
        rights = [] if file is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))]
        self.sock.sendmsg([message(kind, body)], rights)

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
        self.out.put(self.out.head.value, frame)
        self.out.head.value += 1

    def receive(self):
        """The frames that have come."""
        frames = []
        while self.seen != self.back.tail.value:
            frames.append(self.back.get(self.seen))
            self.seen = (self.seen + 1) & 0xFFFF
        self.back.head.value = self.seen + self.back.size
        return frames

    def turn(self):
        """Offers as many frames as the ring has room for, and takes all that have come."""
        self.out.head.value = self.out.tail.value + self.out.size
        self.back.head.value = self.back.tail.value + self.back.size


class Served:
    """The server's end of a link that a client has asked for."""

    def __init__(self, sock, frames):
        self.sock, self.memory, self.rings, self.frames, self.slot = sock, [], {}, frames, 0
        sock.send(message(HELLO, struct.pack("=32sHHHHHB", b"peer", VERSION, VERSION, 255, 1, 1, 14)))
        while self.answer():
            pass
        self.out, self.back = self.rings[TO_CLIENT], self.rings[FROM_CLIENT]

    def answer(self):
        """One message; False: the link is up."""
        octets, rights, _, _ = self.sock.recvmsg(MESSAGE_OCTETS, socket.CMSG_SPACE(4))
        kind, body = struct.unpack_from("=H", octets)[0], octets[2:]
        files = [array.array("i", data)[0] for _, what, data in rights if what == socket.SCM_RIGHTS]
        if kind == INIT:
            self.frames = self.frames[struct.unpack_from("=HI", body)[1]]
        if kind == ADD_REGION:
            self.memory.append(mmap.mmap(files[0], min(struct.unpack_from("=HQ", body)[1], os.fstat(files[0]).st_size)))
        if kind == ADD_RING:
            flags, _, region, offset, log2 = struct.unpack_from("=HHHIB", body)
            self.rings[flags & FROM_CLIENT] = Ring(self.memory, region, offset, log2)
        for file in files:
            os.close(file)
        self.sock.send(message(CONNECTED if kind == CONNECT else ACK, b"peer"))
        return kind != CONNECT

    def turn(self):
        """Fills some of the buffers that the client has offered, and takes all frames."""
        for _ in range(min(64, (self.out.head.value - self.out.tail.value) & 0xFFFF)):
            self.out.put(self.out.tail.value, self.frames[self.slot % len(self.frames)])
            self.slot += 1
            self.out.tail.value += 1
        self.back.tail.value = self.back.head.value


def turn(links, up):
    """Until it is killed."""
    up.send(True)
    while True:
        for each in links:
            each.turn()


def connect(up, links):
    """A process with clients' ends."""
    made = [Link(*each) for each in links]
    for each in made:
        each.connect()
    turn(made, up)


def listen(up, path, frames):
    """A process with the servers' ends, the frames by the link's number."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.bind(b"\0" + path.encode())
        sock.listen()
        up.send(True)
        turn([Served(sock.accept()[0], frames) for _ in frames], up)


class Peer:
    """A process with these links, which is killed."""

    def __init__(self, run, *arguments):
        self.up, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=run, args=(theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()

    def wait(self):
        """Until its links are up, or it listens; False: it does not come so far."""
        try:
            return self.up.poll(TIMEOUT_S) and self.up.recv()
        except EOFError:
            return False

    def kill(self):
        """As a peer that dies; harmless after that."""
        if self.process:
            self.process.kill()
            self.process.join(TIMEOUT_S)
            self.process.close()
            self.up.close()
        self.process = None
