# SPDX-License-Identifier: BSD-3-Clause
"""A second counter of acknowledged LLC at Gb, for captures by `gbflow run --pcap=gb`: numbers without a modulus, in sets."""
from collections import Counter

import packets
import program  # noqa: F401  pylint: disable=unused-import  # the path of gb_oracle
from gb_oracle import capture

NAMES = ("i_frames", "octets", "repeated", "repeated_octets", "needless", "late", "confirmed", "missed_by_capture", "taken_back")
SABM, UA, DISC, DM = 7, 6, 4, 1


def read(path):
    """[(time in ns, frame)] of a capture."""
    return [(frame.time_ns, frame.octets) for frame in capture.read(path)]


def write(path, rows):
    """Ethernet frames as a pcapng file."""
    return packets.write_pcapng(path, [(packets.ETHERNET, at_ns, frame) for at_ns, frame in rows])


def llc_of(frame):
    """(is downlink, TLLI, LLC-PDU) of an Ethernet frame with a UNITDATA; None: another."""
    ns = frame[14 + 20 + 8:]
    if len(ns) < 12 or ns[0] or ns[4] > 1:
        return None
    at = 12
    while at + 2 < len(ns):
        is_short = ns[at + 1] & 0x80
        size, head = (ns[at + 1] & 0x7F, 2) if is_short else (int.from_bytes(ns[at + 1:at + 3], "big"), 3)
        if ns[at] == 0x0E:
            return ns[4] == 0, int.from_bytes(ns[5:9], "big"), ns[at + head:at + head + size]
        at += head + size
    return None


def named(kind, bitmap):
    """Distances behind N(R) of the frames that a report confirms."""
    if kind == 1:
        return [1]
    return [i + 1 for i in range(8 * len(bitmap)) if bitmap[i // 8] >> (7 - i % 8) & 1] if kind == 3 else []


def fields(llc):
    """{command} of a U frame of acknowledged mode, {ns, nr, names} of an I frame, {nr, names} of an S frame; None: another."""
    control = llc[1]
    if control >= 0xE0:
        return {"command": control & 15} if control & 15 in (SABM, UA, DISC, DM, 8) else None
    if control >= 0xC0:
        return None
    if control >= 0x80:
        word, bitmap = int.from_bytes(llc[1:3], "big"), llc[3:-3]
        return {"nr": word >> 2 & 511, "names": named(word & 3, bitmap)}
    word = int.from_bytes(llc[1:4], "big")
    bitmap = llc[5:6 + (llc[4] & 31)] if word & 3 == 3 else b""
    return {"ns": word >> 12 & 511, "nr": word >> 2 & 511, "names": named(word & 3, bitmap)}


class Way:
    """Frames of one direction of a link; numbers count on beyond 511."""

    def __init__(self):
        self.counts, self.waits, self.is_on = Counter(dict.fromkeys(NAMES, 0)), [], False

    def begin(self, number, joined):
        self.top = self.low = self.base = number
        self.first, self.old, self.confirmed, self.is_on, self.joined = {}, set(), set(), True, joined

    def near(self, number):
        """The number without a modulus, next to the top."""
        ahead = (number - self.top) % 512
        return self.top + (ahead if ahead < 256 else ahead - 512)

    def send(self, number, at_ns, octets):
        if not self.is_on:
            self.begin(number + 512, number + 512)
        number, counts = self.near(number), self.counts
        counts.update(i_frames=1, octets=octets)
        if number in self.first or number in self.confirmed:
            counts.update(repeated=1, repeated_octets=octets, needless=number in self.confirmed)
            return
        counts["late"] += self.base <= number < self.top and number not in self.old
        if self.joined is not None and number > self.top:
            self.old.update(range(self.top, number))
            self.joined = number
        self.first[number] = at_ns
        self.top = max(self.top, number + 1)

    def confirm(self, number, at_ns):
        if number in self.confirmed:
            return
        self.confirmed.add(number)
        if number in self.first:
            self.counts["confirmed"] += 1
            self.waits.append(at_ns - self.first[number])
        else:
            self.counts["missed_by_capture"] += number not in self.old

    def report(self, number, names, at_ns):
        if not self.is_on or self.near(number) < self.low:
            return
        number = self.near(number)
        self.top = max(self.top, number)
        for one in [*range(self.low, number), *(number + name for name in names if number + name < self.top)]:
            self.confirm(one, at_ns)
        self.low = number
        if self.joined is not None and number > self.joined:
            self.joined = None

    def end(self):
        if self.is_on:
            self.counts["taken_back"] += sum(number not in self.confirmed for number in self.first if number >= self.low)
        self.is_on = False


class Link:
    def __init__(self):
        self.ways, self.asked, self.established = {True: Way(), False: Way()}, None, 0

    def end(self):
        for way in self.ways.values():
            way.end()

    def establish(self):
        self.end()
        self.asked, self.established = None, self.established + 1
        for way in self.ways.values():
            way.begin(0, None)

    def command(self, command, is_down):
        if command in (SABM, DISC):
            self.asked = command, is_down
        elif command == UA and self.asked:
            self.end()
            if self.asked[0] == SABM:
                self.establish()
            self.asked = None
        elif command == DM:
            self.end()
            self.asked = None

    def take(self, at_ns, is_down, llc):
        found = fields(llc)
        if "command" in found:
            self.command(found["command"], is_down)
            return
        if "ns" in found and self.asked == (SABM, is_down):
            self.establish()
        self.ways[not is_down].report(found["nr"], found["names"], at_ns)
        if "ns" in found:
            self.ways[is_down].send(found["ns"], at_ns, len(llc))


def count(rows):
    """{(TLLI, SAPI): Link} of Ethernet frames with their times."""
    links = {}
    for at_ns, frame in rows:
        found = llc_of(frame)
        if not found or not fields(found[2]):
            continue
        is_down, tlli, llc = found
        links.setdefault((tlli, llc[0] & 15), Link()).take(at_ns, is_down, llc)
    return links
