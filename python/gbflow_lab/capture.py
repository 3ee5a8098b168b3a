# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow lab capture`: packets of a lab's interfaces, from all of its namespaces,
as pcapng into a file or into Wireshark.

Each interface is a block of its own in the file, under the name that it has here: Gb, Gn, Gi, or a host's name. Times
are the kernel's, in nanoseconds; packets of one reading are in the order of their times.
"""

import os
import pathlib
import pwd
import select
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from gbflow_lab import network
from gbflow_report.output import say
from gbflow_results import Failure
from gbflow_results.words import unknown

ETH_P_ALL, ARPHRD_ETHER, SOL_PACKET, PACKET_STATISTICS = 3, 1, 263, 6
SO_TIMESTAMPNS, SO_RCVBUFFORCE, SCM_OCTETS, BUFFER_OCTETS = 35, 33, 64, 1 << 23
LINKTYPE_ETHERNET, LINKTYPE_RAW = 1, 101
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6  # blocks of pcapng
NAME, DESCRIPTION, RESOLUTION = 2, 3, 9  # options of an interface block
OCTETS, BATCH, LOOK_S = 65536, 500, 0.2
DECODE = ("-d", f"udp.port=={network.NS_PORT},gprs-ns")
LINKS = ("Gb", "Gn")
NAMES = (*LINKS, "Gi")


@dataclass(frozen=True)
class Place:
    """An interface of a lab, and its name in the file."""

    name: str
    namespace: str
    interface: str


def places(made: network.Plan) -> dict[str, Place]:
    """Those that a lab has, by name. The links are taken at the peers' ends, whose kernels see both directions."""
    rows = [("Gb", made.namespace("bss"), "gb1"), ("Gn", made.namespace("ggsn"), "gn1"),
            ("Gi", made.namespace("ggsn"), "tun4")]
    rows += [(name, made.hosts[name], interface) for name, interface in made.devices.items()]
    return {row[0]: Place(*row) for row in rows}


def chosen(made: network.Plan, names: Sequence[str]) -> list[Place]:
    there = places(made)
    for name in names:
        if name not in there:
            raise Failure(unknown(name, "interface of the lab", list(there)))
    return [there[name] for name in names]


class Tap:
    """A socket that gets each packet of an interface, whatever its direction."""

    def __init__(self, place: Place) -> None:
        self.place, self.packets = place, 0
        with network.inside(place.namespace):
            self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_OCTETS)
        try:
            self.sock.bind((place.interface, ETH_P_ALL))
        except OSError as error:
            raise Failure(f"{place.name}: {place.interface} in {place.namespace}: {error.strerror}: gbflow lab "
                          "status") from error
        self.is_ethernet = self.sock.getsockname()[3] == ARPHRD_ETHER
        self.sock.setblocking(False)

    def fileno(self) -> int:
        return self.sock.fileno()

    def read(self) -> list[tuple[int, bytes]] | None:
        """(time in ns, octets) of packets that wait; None: the interface has gone."""
        found = []
        try:
            while len(found) < BATCH:
                octets, extra, _, _ = self.sock.recvmsg(OCTETS, SCM_OCTETS)
                stamp = struct.unpack("qq", extra[0][2][:16]) if extra else (0, time.time_ns())
                found.append((stamp[0] * 10**9 + stamp[1], octets))
        except BlockingIOError:
            pass
        except OSError:
            return found or None
        self.packets += len(found)
        return found

    def lost(self) -> int:
        """Since the last call."""
        return struct.unpack("II", self.sock.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]


def option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def head(taps: Sequence[Tap]) -> bytes:
    """The blocks that precede all packets."""
    blocks = [block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    for tap in taps:
        words = ((NAME, tap.place.name.encode()),
                 (DESCRIPTION, f"{tap.place.interface} in {tap.place.namespace}".encode()), (RESOLUTION, b"\x09"))
        kind = LINKTYPE_ETHERNET if tap.is_ethernet else LINKTYPE_RAW
        blocks.append(block(INTERFACE,
                            struct.pack("<HHI", kind, 0, 0) + b"".join(option(*row) for row in words) + bytes(4)))
    return b"".join(blocks)


def packet(number: int, time_ns: int, octets: bytes) -> bytes:
    return block(PACKET,
                 struct.pack("<IIIII", number, time_ns >> 32, time_ns & 0xFFFFFFFF, len(octets), len(octets)) + octets)


def record(taps: Sequence[Tap], sink: BinaryIO, seconds: int | None, begun: str = "") -> str:
    """Until a signal, the time or a closed reader ends it, as the returned words say.
    begun: told when that is possible."""
    numbers: Mapping[Tap, int] = {tap: number for number, tap in enumerate(taps)}
    open_taps, end_at = list(taps), time.monotonic() + seconds if seconds else float("inf")
    try:
        sink.write(head(taps))
        sink.flush()
        if begun:
            say(begun)
        while open_taps and time.monotonic() < end_at:
            read = {tap: tap.read() for tap in select.select(open_taps, [], [], LOOK_S)[0]}
            open_taps = [tap for tap in open_taps if read.get(tap, []) is not None]
            for time_ns, number, octets in sorted((at, numbers[tap], octets) for tap, rows in read.items()
                                                  for at, octets in rows or ()):
                sink.write(packet(number, time_ns, octets))
            sink.flush()
    except KeyboardInterrupt:
        return "interrupted"
    except BrokenPipeError:
        return "Wireshark was closed"
    return "time is over" if open_taps else "the lab went down"


def summary(taps: Sequence[Tap], why: str) -> str:
    of_each = ", ".join(f"{tap.place.name} {tap.packets}" for tap in taps)
    return f"{why}: {sum(tap.packets for tap in taps)} packets ({of_each}), {sum(tap.lost() for tap in taps)} lost"


def to_file(taps: Sequence[Tap], path: pathlib.Path, seconds: int | None) -> None:
    try:
        file = open(path, "xb")  # noqa: SIM115  pylint: disable=consider-using-with
    except FileExistsError as error:
        raise Failure(f"{path}: is there already: give another name") from error
    with file:
        if "SUDO_UID" in os.environ:
            os.fchown(file.fileno(), int(os.environ["SUDO_UID"]), int(os.environ.get("SUDO_GID", "-1")))
        begun = (f"capturing {', '.join(tap.place.name for tap in taps)} into {path}, "
                 f"{f'{seconds} s' if seconds else 'until Ctrl-C'}")
        print(summary(taps, record(taps, file, seconds, begun)))
    program = next((name for name in ("tshark", "wireshark") if shutil.which(name)), None)
    print(f"Read it: {program or 'tshark'} -r {path} {' '.join(DECODE)}"
          + ("" if program else "  (apt install tshark)"))


def caller() -> dict[str, Any]:
    """Arguments of Popen: the user who called sudo, with a home and a session, or who runs this."""
    if "SUDO_UID" not in os.environ:
        return {}
    user = pwd.getpwuid(int(os.environ["SUDO_UID"]))
    places = {"HOME": user.pw_dir, "USER": user.pw_name, "XDG_RUNTIME_DIR": f"/run/user/{user.pw_uid}"}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": os.getgrouplist(user.pw_name, user.pw_gid),
            "env": {**os.environ, **places}}


def to_wireshark(taps: Sequence[Tap], seconds: int | None) -> None:
    """It does not run as root if sudo was called, and stays when the capture ends."""
    words = ["wireshark", "-k", "-i", "-", *DECODE]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True, **caller()) as child:
        say(f"Wireshark gets {', '.join(tap.place.name for tap in taps)}, "
            f"{f'{seconds} s' if seconds else 'until Ctrl-C'}")
        why = record(taps, child.stdin, seconds)
        print(summary(taps, why), flush=True)
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass
        child.returncode = 0  # it is not waited for


def has_desktop() -> bool:
    return (any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
            and shutil.which("wireshark") is not None)


def free_name(lab: str) -> pathlib.Path:
    """A file of the current folder that is not there yet."""
    number, path = 1, pathlib.Path(f"{lab}.pcapng")
    while path.exists():
        number += 1
        path = pathlib.Path(f"{lab}-{number}.pcapng")
    return path


def run(made: network.Plan, names: Sequence[str], path: pathlib.Path | None, seconds: int | None) -> int:
    taps = [Tap(place) for place in chosen(made, names)]
    if path is None and has_desktop():
        to_wireshark(taps, seconds)
    else:
        to_file(taps, path or free_name(made.prefix), seconds)
    sys.stdout.flush()
    return 0
