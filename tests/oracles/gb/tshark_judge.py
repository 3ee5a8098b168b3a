#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Has tshark dissect a Gb capture and judges what it says.

tshark 4.0 joins SNDCP segments of different mobiles that bear equal N-PDU numbers, so the capture is split by direction, TLLI and
NSAPI first, and each part gets outer source addresses of its own. Dissection ends at the users' TCP, UDP and ICMP headers: what their packets carry
may well make no sense once packets before them were dropped.

Exit status 0 = all hold, 1 = a violation, 2 = usage, 77 = no tshark (1 if CI=true).
"""
import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gb_oracle import bssgp, capture, inet, llc, sndcp, writer  # noqa: E402

ERROR, WARNING, CHECKSUM_GROUP = 0x800000, 0x600000, 0x01000000
BETWEEN = "\x1f"
FIELDS = ("frame.number", "frame.protocols", "nsip.pdu_type", "bssgp.pdu_type", "llcgprs.nu", "sndcp.m", "_ws.malformed",
          "_ws.expert.severity", "_ws.expert.group", "_ws.expert.message")
JUDGED = re.compile(r"frame|eth|ethertype|vlan|ip|ipv6(\..*)?|udp|gprs-ns|bssgp|e212|gsm_a.*|llcgprs|sndcp|sndcpxid"
                    r"|tcp|icmp|icmpv6|data|_ws\..*")
FRAME_LINE, FCS_LINE = re.compile(r"^Frame (\d+):"), re.compile(r"^\s+FCS: 0x[0-9a-f]+\s+\((.*)\)")


class Verdict:
    """Violations, and counts worth printing."""

    def __init__(self):
        self.violations, self.warnings, self.npdus, self.frames = [], Counter(), Counter(), 0

    def fail(self, part, number, text):
        self.violations.append(f"violation packet {number} ({part.name}): {text}")


class Part:
    """Frames of one direction, TLLI and NSAPI; numbers are those of the whole capture."""

    def __init__(self, name, direction):
        self.name, self.direction = name, direction
        self.frames, self.numbers = [], []


def _stream(datagram):
    """(direction, TLLI, NSAPI) of a datagram, as far as it has them."""
    try:
        pdu = bssgp.decode(datagram.payload[4:]) if datagram.payload[:1] == b"\0" else None
    except bssgp.Malformed:
        return None
    if pdu is None or pdu.kind not in (bssgp.DL_UNITDATA, bssgp.UL_UNITDATA):
        return None
    down = pdu.kind == bssgp.DL_UNITDATA
    frame = llc.decode(pdu.elements[bssgp.LLC_PDU], down)
    segment = sndcp.decode(frame.info) if frame and frame.nu is not None and frame.sapi in (3, 5, 9, 11) else None
    return "down" if down else "up", pdu.tlli, segment.nsapi if segment else 0


def split(path):
    """Parts of a capture. A datagram in IP fragments is put together again, its other fragments are left out."""
    parts, started = {}, 0
    for frame, datagram in inet.datagrams(capture.read(path)):
        packet = inet.ip_packet(frame)
        is_fragment = packet is not None and len(packet) >= 20 and packet[0] >> 4 == 4 and (packet[6] & 0x3F or packet[7])
        if is_fragment and datagram is None:
            started += 1
            continue
        octets = frame.octets
        if is_fragment:
            ends = ((inet.dotted(end[0]), end[1]) for end in (datagram.source, datagram.destination))
            octets = writer.frame(*ends, datagram.payload)
            started = 0
        key = _stream(datagram) if datagram else None
        name = f"{key[0]} {key[1]:08x} NSAPI {key[2]}" if key else "signalling and the rest"
        part = parts.setdefault(key, Part(name, key[0] if key else ""))
        part.frames.append((frame.time_ns, octets))
        part.numbers.append(frame.number)
    return list(parts.values()), started


def _apart(octets, number):
    """The frame with the low half of its outer source address changed by a part's number; checksums are not judged."""
    packet = inet.ip_packet(capture.Frame(0, 0, 1, octets, True))
    if packet is None or number == 0:
        return octets
    at = len(octets) - len(packet) + (14 if packet[0] >> 4 == 4 else 22)
    low = int.from_bytes(octets[at:at + 2], "big") ^ number
    return octets[:at] + low.to_bytes(2, "big") + octets[at + 2:]


def _output(folder, *words):
    """What tshark prints, in lines, with nobody's preferences but those in a folder; raises RuntimeError when it fails."""
    environment = dict(os.environ, WIRESHARK_CONFIG_DIR=folder, LC_ALL="C.UTF-8")
    done = subprocess.run(["tshark", *words], capture_output=True, text=True, errors="replace", check=False, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1:])
    return done.stdout.split("\n")


@functools.cache
def _unwanted():
    """Names of all protocols but those JUDGED."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [line.split("\t") for line in _output(folder, "-G", "protocols")]
    return [row[2] for row in rows if len(row) > 2 and not JUDGED.fullmatch(row[2])]


class Tshark:
    """Runs the program with ports decoded as NS, and no dissector but those JUDGED."""

    def __init__(self, ports, folder):
        self.folder = folder
        self.words = ["-n"] + [word for port in ports for word in ("-d", f"udp.port=={port},gprs-ns")]
        with open(os.path.join(folder, "disabled_protos"), "w", encoding="ascii") as file:
            file.writelines(f"{name}\n" for name in _unwanted())

    def run(self, path, *words):
        """Lines of output about a capture."""
        return _output(self.folder, "-r", path, *self.words, *words)

    def fields(self, path):
        """One {field: value} per frame; several values of a field are joined by BETWEEN."""
        words = [word for field in FIELDS for word in ("-e", field)]
        lines = self.run(path, "-T", "fields", "-E", f"aggregator={BETWEEN}", *words)
        return [dict(zip(FIELDS, line.split("\t"))) for line in lines if line]

    def fcs(self, path):
        """{frame number in the file: what tshark says of the FCS}."""
        found, number = {}, 0
        for line in self.run(path, "-V", "-O", "llcgprs"):
            frame, fcs = FRAME_LINE.match(line), FCS_LINE.match(line)
            if frame:
                number = int(frame[1])
            elif fcs:
                found[number] = fcs[1]
        return found


def _experts(row):
    """(severity, group, message) of a frame's expert items."""
    lists = [row.get(field, "").split(BETWEEN) for field in FIELDS[-3:]]
    for severity, group, message in zip(*lists):
        if severity:
            yield int(severity, 0), int(group or "0", 0), message


def _layers(row):
    """The broken expectation about a frame's chain of protocols, or None."""
    layers = row["frame.protocols"].split(":")
    if "gprs-ns" not in layers:
        return "not decoded as NS"
    if not row["nsip.pdu_type"] or int(row["nsip.pdu_type"], 0) not in bssgp.NS_KNOWN:
        return "unknown NS PDU"
    if int(row["nsip.pdu_type"], 0) == bssgp.NS_UNITDATA and "bssgp" not in layers:
        return "no BSSGP in an NS-UNITDATA"
    if row["bssgp.pdu_type"] in ("0", "1", "0x00", "0x01") and "llcgprs" not in layers:
        return "no LLC in a UNITDATA"
    return "malformed" if row["_ws.malformed"] or "_ws.malformed" in layers else None


def _judge_frame(part, number, row, fcs, verdict):
    verdict.frames += 1
    fault = _layers(row)
    if fault:
        verdict.fail(part, number, fault)
    for severity, group, message in _experts(row):
        if severity >= ERROR and group != CHECKSUM_GROUP:
            verdict.fail(part, number, f"expert error: {message}")
        elif severity >= WARNING:
            verdict.warnings[message] += 1
    if row["llcgprs.nu"] and fcs != "correct":
        verdict.fail(part, number, f"FCS: {fcs or 'not judged'}")
    if "sndcp" in row["frame.protocols"].split(":"):
        has_ip = re.search(r":sndcp:ip(v6)?(:|$)", row["frame.protocols"]) is not None
        is_last = row["sndcp.m"] in ("0", "False")
        verdict.npdus[part.name] += has_ip
        if is_last and not has_ip:
            verdict.fail(part, number, "last segment, but no IP packet came out")


def judge(path, ports, folder):
    """Dissects all parts; returns the Verdict."""
    verdict, tshark = Verdict(), Tshark(ports, folder)
    parts, unfinished = split(path)
    if unfinished:
        verdict.violations.append(f"violation: {unfinished} IP fragments belong to no whole datagram")
    file = os.path.join(folder, "parts.pcapng")
    writer.pcapng(file, [(time_ns, _apart(octets, number)) for number, part in enumerate(parts)
                         for time_ns, octets in part.frames])
    rows, fcs = tshark.fields(file), tshark.fcs(file)
    wanted = [(part, number) for part in parts for number in part.numbers]
    if len(rows) != len(wanted):
        verdict.violations.append(f"violation: tshark saw {len(rows)} of {len(wanted)} frames")
    for place, ((part, number), row) in enumerate(zip(wanted, rows)):
        _judge_frame(part, number, row, fcs.get(place + 1), verdict)
    return verdict


def _expected(verdict, wanted):
    """The violation about the number of downlink N-PDUs, if there is one."""
    found = sum(count for name, count in verdict.npdus.items() if name.startswith("down"))
    if wanted is not None and found != wanted:
        verdict.violations.append(f"violation: {found} downlink N-PDUs reassembled, {wanted} due")


def _no_tshark():
    print("tshark is not installed: nothing was judged")
    return 1 if os.environ.get("CI") == "true" else 77


def main(words):
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Judges tshark's dissection of a Gb capture.")
    parser.add_argument("capture")
    parser.add_argument("--gb-port", type=int, action="append", help="UDP port of NS (default 23000; may be repeated)")
    parser.add_argument("--expect-npdus", type=int, help="downlink N-PDUs that must come out")
    try:
        arguments = parser.parse_args(words)
    except SystemExit as end:
        return end.code
    if shutil.which("tshark") is None:
        return _no_tshark()
    try:
        with tempfile.TemporaryDirectory() as folder:
            verdict = judge(arguments.capture, arguments.gb_port or [23000], folder)
    except (OSError, capture.CaptureError) as fault:
        print(f"tshark_judge: {fault}", file=sys.stderr)
        return 2
    except RuntimeError as fault:
        print(f"violation: tshark failed: {fault}")
        return 1
    _expected(verdict, arguments.expect_npdus)
    for line in verdict.violations:
        print(line)
    for message, count in sorted(verdict.warnings.items()):
        print(f"warning x {count}: {message}")
    for name, count in sorted(verdict.npdus.items()):
        print(f"N-PDUs {name}: {count}")
    print(f"{verdict.frames} frames judged, {sum(verdict.npdus.values())} N-PDUs, {len(verdict.violations)} violations")
    return 1 if verdict.violations or not verdict.frames else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
