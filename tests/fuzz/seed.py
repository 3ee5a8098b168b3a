#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes what the fuzzers start from: a folder for each harness, out of the sample PDUs, captures and configurations.

usage: seed.py SOURCE_DIR CORPUS_DIR

Writes CORPUS_DIR/HARNESS/seed-* and CORPUS_DIR/config.dict; what fuzzing added since stays.
"""
import glob
import gzip
import importlib
import os
import pathlib
import re
import struct
import sys

import seed_machines
from seed_machines import vectors

ETHERNET, IPV4, UDP = 14, 20, 8
GTPU, GTPC = 2152, 2123
LONGEST_TEXT = 1400  # a fuzzer of texts is as slow as they are long; longer ones start it in parts
MOST_SEEDS = 100  # of captures, for one harness: their packets are much alike
SUMMED = 0x8000  # in front of a packet for the host: make its sums right
LINK_VALUES = "0100000003080803"  # N201-I 396, no m, T200 0.4 s, k 9, N200 4
N_PDU = 0x4000  # in front of a block for the mobile: an N-PDU to send


def frames(path):
    """Of a pcap file of either byte order, without nanoseconds or with."""
    with open(path, "rb") as file:
        data = file.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(data):
        octets = struct.unpack(order + "I", data[at + 8:at + 12])[0]
        yield data[at + 16:at + 16 + octets]
        at += 16 + octets


def payload(frame, port):
    """The UDP payload of a frame of this port, None."""
    if len(frame) < ETHERNET + IPV4 + UDP or frame[12:14] != b"\x08\x00" or frame[23] != 17:
        return None
    udp = frame[ETHERNET + 4 * (frame[14] & 15):]
    return udp[UDP:] if port in struct.unpack(">HH", udp[:4]) else None


def counted(block, flags=0):
    return struct.pack(">H", len(block) | flags) + block


def mobility_seeds(gtpc):
    """SGSN Context Responses with eleven PDP contexts, plain and with two addresses, and all that else may be in one."""
    seeds = []
    for response in gtpc:
        at = response.find(b"\x82\0\x55")
        if at < 0:
            continue
        context = response[at + 4:at + 3 + 0x55]
        more = bytes.fromhex("1852" "190509" "1a0800" "910000" "960001fa" "ff0003000102")
        for nsapi in range(6, 16):
            value = bytes([0xC0 | nsapi]) + context + b"\x57\x10" + bytes(range(16)) if nsapi % 2 else bytes([nsapi]) + context
            more += b"\x82" + struct.pack(">H", len(value)) + value
        seeds.append(response[:2] + struct.pack(">H", len(response) - 8 + len(more)) + response[4:] + more)
    return seeds


def wire_seeds(source):
    gn = vectors(source, "gn.txt")
    gtpu = [octets for port, octets in gn if port == str(GTPU)]
    gtpc = [octets for port, octets in gn if port == str(GTPC)]
    return {
        "gtpu": gtpu + gtpc,
        "gtpc": gtpc + [bytes.fromhex("2926240000000010"), bytes.fromhex("2126430102")],
        "lua_wire": [b"\0" + octets for octets in gtpc + mobility_seeds(gtpc)] + [b"\1" + octets for octets in gsup_seeds(source)],
        "ns": [octets for _, octets in vectors(source, "ns.txt")] + [
            b"\0\0\x07\x08" + octets for _, octets in vectors(source, "bssgp.txt")],
        "bssgp": [octets for _, octets in vectors(source, "bssgp.txt")],
        # ARP, a ping, a solicitation and an advertisement with an address; what users send begins below.
        "link": [bytes.fromhex(text) for text in (
            "0001080006040001020000000002c000020200000000000" "0c0000201", "0800f7fe000000010102", "0000fffe00000001",
            "8700000000000000" "fd000000000000000000000000000001" "0101020000000002",
            "8800000060000000" "fd000000000000000000000000000001" "0201020000000002",
            "6000000000103a40" "fd000000000000000000000000000001" "fd000000000000000000000000000002" "0600000000000000" "0050138800000000",
            "6000000000102c40" "fd000000000000000000000000000001" "fd000000000000000000000000000002" "1100000100000000" "0050138800000000")]
        + [octets[8:] for port, octets in gn if port == str(GTPU)],
        "llc": [octets for _, octets in vectors(source, "llc.txt")],
        # k of both directions, N200, room for a bitmap; then frames, reports of gaps, T201, a busy peer.
        "abm": [bytes.fromhex(text) for text in (
            "04040320" "000a" "000a" "000b" "0103800400" "0200" "0402" "0300", "10100520" + "0014" * 9 + "0104800003a0" "80" "0300" * 4,
            "08080202" "000a" "0103800002" "80" "0402" "0300" "0103800000" "80" "0401" "0300",
            "10100300" "0103002000" "91" "0103001000" "89" "0103000000" "81" "0300")],
        # Values, and whether it is the network; then establishment here and there, N-PDUs, frames near V(A) and V(R),
        # answers of all kinds, timers, releases, forgotten contexts, lost states.
        "abm_link": [bytes.fromhex(text) for text in (
            LINK_VALUES + "01" "0800" "02ff" "060100" "00000400" "02ff" "048203038000" "00010100" "02ff" "060100" "02ff" "060100" "02ff",
            LINK_VALUES + "00" "060004" "1a0100" "00" "02ff" "00000500" "02ff" "040a0543000000650005" "0703" "02ff" "060000" "02ff" "0608" "02ff",
            "00000000100202" "02" "01" "0800" "02ff" "060100" "0104000400" "048203038000" "060000" "02ff" "0104" "02ff" "0104" "080a00" "02ff",
            LINK_VALUES + "01" "0800" "02ff" "060100" "0104000300" "080a00" "060000" "02ff" "0104010300" "080a01" "0809" "0800" "02ff" "060100",
            LINK_VALUES + "01" "0800" "02ff" "0808" "02ff" "0703" "060100" "02ff" "0800" "0703" "0703" "02ff" "060200" "02ff" "0703" "02ff",
            LINK_VALUES + "01" + "00000064" * 9 + "0800" "02ff" + "0703" "02ff" * 6 + "00000064" "0800" "02ff" "060100" "02ff" "064200",
            LINK_VALUES + "01" "0800" "02ff" "060100" + "00000064" * 3 + "02ff" "040005038003a0" "02ff" "080c" "02ff" "080d" "02ff" "0703" "02ff"
            "08190809" "040a0443800000" "02ff" "080b008c0101050202010400090443800400" "02ff",
            LINK_VALUES + "01" "0800" "02ff" "060100" "0101000400" "00000064" "02ff" "0107" "02ff" "060000" "02ff",
            "03e805053201010300" "060000" "02ff" "0606" "00" "02ff" "060300" "02ff" "060800" "0808" "060000" "060300" "02ff")],
        # The fields of the sample frames, then every parameter.
        "llc_xid": [bytes.fromhex(text) for text in (
            "1605dc", "30841011223344", "01008410010203048810050607080e0fff110316008c1a05df1e000922000025102910ac14" "0102030405",
            "4040340445000000040f")],
        # Slots; then next data, ACKs, echoes, other numbers, flags, options, losses, a refresh; packets of a peer.
        "vj": [bytes.fromhex(text) for text in (
            "04" "000008ff" * 2 + "001008" "50ff", "04" "000008ff" * 2 + "000400000190" "00040c05" "000208000101" "00090801f41020" "001000101810" "0040080305aa",
            "00" "00000804" * 3 + "06" "00000804" "0f" "00001804" "00000804" "00020000ffff" "00000904" "0027" "00010000",
            "01" "040129" "4500002910014000390065bdc00002010a0b000200509c401000000020000064501816d03b2f0000" "61"
            + "04a8084f00332b65666768" "04a806" "7f00fecd0003" "042805" "000fecd00f" "0300" "14" + "45" * 40)],
        # SNDCP's field: a phone's, an answer, the longest shapes, a removal, numbers and algorithms of five bits.
        "sndcp_xid": [bytes.fromhex(text) for text in (
            "000100010a8100071000200308001402078000041200200f", "0001000108010600200202001402050003002007", "000100020400020000",
            "00010002" "31" "82022789ffe0000f00a8000000010101000201020003010300040104000501050006000701070008010880000412004007",
            "000103011281010d120020c003020002000600060000" "82000710002003080014",
            "021b83010c123450002001000510ff0fff840209120020000f00a80001" "02051f030020aa01059f1f027788")],
        # Requests go one way, their answers the other.
        "gtpc_learn": [b"".join(counted(octets, pieces | (0xc000 if octets[1] % 2 else 0x8000)) for octets in gtpc)
                       for pieces in (0, 0x2000, 0x3000)],
    }


def capture_seeds(source):
    seeds = {"outer": [], "gtpu": [], "gtpc": [], "gtpc_learn": [], "host": []}
    folder = os.path.join(source, "tests/data/captures")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".pcap"):
            continue
        signalling = b""
        for frame in frames(os.path.join(folder, name)):
            seeds["outer"] += [frame, frame[ETHERNET:]]
            user, control = payload(frame, GTPU), payload(frame, GTPC)
            if user:
                seeds["gtpu"].append(user)
                seeds["host"].append(host_packet(user[8:]))
            if control:
                seeds["gtpc"].append(control)
                signalling += counted(frame)
        seeds["gtpc_learn"].append(signalling)
    return seeds


def thinned(seeds):
    return {harness: blocks[::max(1, len(blocks) // MOST_SEEDS)] for harness, blocks in seeds.items()}


def edge_seeds():
    """At the limits of what fits, and one beyond."""
    flows = [b"\x2d\x1f\x84\xc1\x23\x45\x67\x1e\x81\1\x52" + bytes([0x80 | 1 + size * count, count]) +
             bytes(size * count) for size, count in ((5, 11), (6, 11), (5, 12), (6, 12))]
    header = bytes.fromhex("13880050000000010000000000100fa000000000")
    options = ("020405b4" "01030307" "0402" "080a0000000100000002" "0000", "0101050a0000000100000009", "0522" + "00" * 32)
    tcp = [header[:12] + bytes([(20 + len(text) // 2 + 3) // 4 << 4]) + header[13:] + bytes.fromhex(text) + bytes(4)
           for text in options]
    return {"bssgp": flows, "host": tcp}


def host_packet(packet):
    """Turned to the harness's host: its options, then the packet with sums made right."""
    packet = packet[:12] + bytes.fromhex("0a2e0001" "0a2d0001") + packet[20:]
    return b"\x3f\0" + counted(packet[:1400], SUMMED)


def segment(flags, window=0xffff, octets=0, where=(0, 0), options=0):
    """near_segment.c: a connection's first place, flags, options, window, payload, offsets of seq and ack."""
    return struct.pack(">BBBHHhh", 96, flags, options, window, octets, *where)


def host_seeds():
    syn = struct.pack(">BBBHH", 96, 2, 0x0f, 4000, 0)
    step, write, close, connect = b"\x38\xff", b"\x40\x02\x1f\0", b"\x40\x03", b"\x40\0"
    datagram = bytes.fromhex("4500001e00000000401100000a2e00010a2d000113880050000a00006869")
    pings = [bytes.fromhex(f"4500001e00000000400100000a2e00010a2d0001{kind}0000000050000168 69".replace(" ", ""))
             for kind in ("08", "00")]
    opened = syn + segment(16, where=(0, 1))
    return [
        b"\x3f" + opened + segment(24, octets=100) + step + segment(17),
        b"\x1f" + opened + write + step + segment(16, where=(0, 1460)) + segment(16, options=0x80) * 3 + step,
        b"\0" + opened + write + close + step * 4 + segment(16, window=0, where=(0, 536)) + step,
        b"\x2d" + connect + segment(18, where=(7, 1), options=3) + write + segment(20),
        b"\x3f" + b"".join(b"\0" + counted(packet, SUMMED) for packet in [datagram] + pings),
        b"\x3f" + b"".join(b"\x40\x01" + bytes([kind]) + b"\0\x40" for kind in range(4)),
        b"\x3f" + opened + b"".join(segment(24, octets=50, where=(at, 0)) for at in (200, 100, 300, 0)),
    ]


def acknowledged_seeds():
    """To a mobile in acknowledged mode: SABM, I frames in and out of sequence, uplink N-PDUs and their reports, U frames."""
    def frame(*octets):
        return counted(bytes(octets) + b"\0\0\0")

    def information(ns, *octets):
        return frame(0x43, 0x40 | ns >> 4, ns << 4 & 255, 0, *octets)

    def report(nr, kind, *bitmap):
        return frame(0x43, 0x80 | nr >> 6, nr << 2 & 255 | kind, *bitmap)

    begin, packet = b"\x80\0" + frame(0x43, 0xf7), counted(bytes(range(200)) * 5, N_PDU)
    whole, first, later, last = (0x45, 0, 0, 1, 2, 3), (0x55, 0, 1, 4, 5), (0x15, 6, 7), (5, 8)
    return [
        begin + b"".join(information(ns, *octets) for ns, octets in enumerate((whole, first, later, last, whole))),
        begin + information(2, *later) + information(3, *last) + information(0, *whole) + information(1, *first),
        begin + packet * 3 + report(1, 0) + report(1, 3, 0x80) + report(2, 1) + report(3, 2) + report(3, 0),
        begin + packet + frame(0x03, 0xf6) + frame(0x03, 0xe1) + frame(0x43, 0xf4) + packet,
        b"\x80\0" + packet * 2 + frame(0x03, 0xf6) + report(0, 3) + information(9, *whole) + packet,
    ]


def compressed_seeds():
    """To a mobile with entities: a whole header of TCP, two compressed ones, and data by V.42bis."""
    frames = ("43c001650100004500002c10014000390065bdc00002010a0b000200509c401000000020000064501816d03b2f000061626364b0545e",
              "43c005650200014f00332b65666768964d1a", "43c009650200024c00fecd00012c0456f57e",
              "43c00d65100003000064ca980900843268")
    counted_frames = [counted(bytes.fromhex(frame)) for frame in frames]
    return [b"\x40\0" + b"".join(counted_frames), b"\x40\0" + b"".join(counted_frames[::2])]


def stack_seeds(source):
    downlink = b"".join(counted(octets) for way, octets in vectors(source, "llc.txt") if way == "DL")
    pieces = [(0x75, 0, 0, 0, 0, 100), (0x35, 0x10, 0, 0, 0, 90), (0x25, 0x20, 0, 0, 0, 30)]
    reassembly = [b"".join(struct.pack(">BBBBBBH", 0x80, *piece) for piece in order)
                  for order in (pieces, [pieces[0], pieces[2], pieces[1]], pieces[:2] + pieces[:1])]
    return {
        "ms_stack": [b"\0\0" + downlink, b"\0\x64" + counted(bytes(range(256)) * 4, N_PDU)] + acknowledged_seeds()
        + compressed_seeds(),
        "reassembly": reassembly + [reassembly[0] + b"\x3f" * 16, reassembly[2] + b"\0"],
    }


(WORKER_GN, WORKER_GB, WORKER_WAIT, WORKER_FRAGMENT, WORKER_CHANGE, WORKER_CELL, WORKER_MOBILE, WORKER_RAW, WORKER_FORWARDED,
 WORKER_RELOCATION, WORKER_LINK, WORKER_TCP, WORKER_COMPRESSION) = range(
    1, 14)  # inputs of worker_fuzz.c
# Bits of worker_features.c: none, each alone, and all with each of the schemes.
WORKER_FEATURES = [0] + [1 << bit for bit in range(14)] + [0x3FFF | scheme << 14 for scheme in range(4)]


def set_seeds():
    """Paths by index and by name, values of each kind, and what is wrong with each."""
    lines = ("duration=20 s", "cells[1].pdchs=2", "mobiles.anna.class=thp2", "mobiles[1].traffic[1].ping.every=2 s",
             "sgsn.queues={ flow_queues = 16, aqm = { scheme = \"codel\" } }", "sgsn.lifetime.sgsn_max=infinite",
             "cells[2].bvci=3", "mobiles.bert.class=thp1", "cells..x=1", "cells[0]=nil", "title=\"a\\nb\"", "seed=0x10",
             "duration={", "cells[1]=true", "mobiles.anna.count=1e9", "=1", "a=")
    return {"set": [line.encode() for line in lines] + ["\n".join(lines[:4]).encode()]}


def pdus_of(source, name):
    """The octets of rows of a specification in Lua."""
    with open(os.path.join(source, "tests", "unit", "lua", name), encoding="utf-8") as file:
        texts = re.findall(r'hex = "([0-9a-f ]+(?:"\s*\.\.\s*"[0-9a-f ]+)*)"', file.read())
    return [bytes.fromhex(re.sub("[^0-9a-f]", "", text)) for text in texts]


def gsup_seeds(source):
    """Messages without IPA, those with what is skipped behind an IMSI."""
    pdus = pdus_of(source, "gsup_wire_rows.lua")
    imsi = b"\x10\x01\x08" + bytes.fromhex("62420200000000f1")
    return [pdu[4:] if pdu[2:4] == b"\xee\5" else imsi + pdu for pdu in pdus]


def phone_seeds(source):
    """The example PDUs of Lua's rows, as identities and as messages from both senders (lua_wire_fuzz.c)."""
    pdus = pdus_of(source, "phone_wire_rows.lua")
    codecs = {9: (2, 3), 8: (4, 5), 10: (6, 7)}
    return {"lua_wire": [bytes((choice,)) + pdu for pdu in pdus + pdus_of(source, "sms_wire_rows.lua")
                         for choice in codecs.get(pdu[0] & 15, ()) + (8,)]}


def worker_seeds(source):
    """Users' packets both ways under each order, fragments in several orders, and messages of paths and NS-VCs, each with
    features in turn; TCP, compression and an unknown TEID with each feature."""
    start = bytes((WORKER_CHANGE, 1, WORKER_CHANGE, 0x61, WORKER_CHANGE, 0x63))
    down = bytes((WORKER_GN, 0x40, 200, 0, WORKER_GN, 0x41, 90, 0, WORKER_WAIT, 9))
    up = bytes((WORKER_GB, 0, 40, 0x80, 0, WORKER_GB, 1, 100, 8, 0, WORKER_GB, 1, 100, 1, 0))
    orders = [bytes((WORKER_CELL, 2, 10, 10)), bytes((WORKER_CELL, 0, 200, 0)), bytes((WORKER_CELL, 0xa0, WORKER_CELL, 0xa2)),
              bytes((WORKER_CELL, 0xe0)), bytes((WORKER_CHANGE, 0xc0, WORKER_CHANGE, 0xc1)), bytes((WORKER_CHANGE, 0)),
              bytes((WORKER_CHANGE, 0x60)), bytes((WORKER_CHANGE, 0xe0))]
    orders += [bytes((WORKER_MOBILE, what, 12, 6)) for what in (0, 2, 3, 0x83, 0x84, 4, 6, 7, 0x87)]
    hold, let_go, forward, come = ((WORKER_RELOCATION, what, address) for what, address in ((0, 0), (1, 0), (2, 1), (4, 1)))
    forwarded, acknowledge = (WORKER_FORWARDED, 0x48, 3, 0), (WORKER_RELOCATION, 7, 1)
    orders += [bytes(order) for order in (
        hold + forward, hold + (WORKER_RELOCATION, 2, 0) + let_go, come + hold + forwarded + let_go,
        acknowledge + (WORKER_LINK, 8, 0) + hold + forward, hold + (WORKER_RELOCATION, 7, 0xf3) + come + forwarded + let_go,
        (WORKER_RELOCATION, 5, 0x13), acknowledge + (WORKER_RELOCATION, 6, 0x10))]
    pieces = [b"".join(bytes((WORKER_FRAGMENT, what, part, 0)) for part in parts)
              for what in (0x02, 0x18) for parts in ((0, 1, 2), (2, 0, 1), (1, 0, 0), (1,))]
    messages = [octets for port, octets in vectors(source, "gn.txt") if port == str(GTPU) and len(octets) < 256]
    raw = [bytes((WORKER_RAW, 0, len(octets))) + octets for octets in messages]
    raw += [bytes((WORKER_RAW, 1, len(octets))) + octets for _, octets in vectors(source, "ns.txt") if len(octets) < 256]
    wait = bytes((WORKER_WAIT, 13))
    syn, answer, segment, ack = ((WORKER_TCP, what, number, 0) for what, number in ((9, 0), (2, 0), (4, 1), (8, 2)))
    compressed = bytes((WORKER_TCP, 8, 0x42, 0))  # names an entity, which may not be there
    tcp = compressed + bytes((WORKER_COMPRESSION, 0x85, WORKER_COMPRESSION, 0x84) + syn + answer + 2 * segment + ack + segment)
    unknown = bytes((WORKER_GN, 4, 60, 0, WORKER_CHANGE, 0, WORKER_GN, 0, 60, 0))
    sequences = [start + down + order + up + down + wait for order in orders + pieces] + [start + block + wait for block in raw]
    choices = [features.to_bytes(2, "big") for features in WORKER_FEATURES]
    return {"worker": [choices[i % len(choices)] + sequence for i, sequence in enumerate(sequences)] + [
        choice + start + tcp + block + wait for choice in choices for block in (compressed + unknown, down)]}


def aqm_script_seeds(source):
    """Schemes of config/aqm and of the unit test, a hook's mistakes, and calls of both hooks behind an octet 0."""
    with open(os.path.join(source, "config", "aqm", "drop-front.lua"), encoding="utf-8") as file:
        texts = [re.sub(r"(?m)\s*--.*$", "", file.read())]
    kinds = ("kind = 'duration', min = '1 ms', max = '1 s', default = '5 ms'", "kind = 'enum', values = { 'a', 'b' }, default = 'b'",
             "kind = 'boolean', default = true", "kind = 'octets', min = '1 kB', max = '9 kB', default = '2 kB'",
             "kind = 'percent', min = '0 %', max = '9 %', default = '10 %'")
    texts += [f"return {{ name = 'p', parameters = {{ {{ name = 'x', {kind}, doc = 'd' }} }},"
              "enqueue = function(v, m, t, p) v.tag = v.octets return p.x and 'mark' end }" for kind in kinds]
    bodies = ("return 'drop'", "return {}", "error('no')", "return v.x.y", "while true do end", "return ('x'):rep(1e9)", "v.tag = 'x'",
              "m.n = (m.n or 0) + 1 return m.n % 2 == 0 and 'mark' or 'pass'", "table.sort(v) return v.random < 0.5 and 'drop'")
    texts += [f"return {{ name = 'h', dequeue = function(v, m) {body} end }}" for body in bodies]
    return {"aqm_script": [text.encode() + b"\0" + bytes(range(0, 160, 9)) for text in texts]}


TM_ROW, TM_ASK, TM_ALL = 0, 3, 0x13  # inputs of telemetry_fuzz.c; TM_ALL: with three numbers before the text


def telemetry_seeds():
    """Rows of a table, its pages, and orders with good and bad parameters."""
    rows = b"".join(bytes((TM_ROW,)) + struct.pack(">Q", number) + bytes((5,)) + text for number, text in (
        (1, b"hello"), (2, b"\xff\xfe\0\n\t"), (2**64 - 1, "\u00e4\u20ac".encode())))
    table = [rows + bytes((TM_ASK, form, len(first))) + first for form in (0, 1) for first in (b"", b"0", b"2", b"3", b"-1", b"4294967297", b"x")]
    orders = (b"f", b"/f", b"", b"0,0,0,f", b"1,70000,0,f", b" 1,2,3,f", b"-1,0,0,f", b"1,2,+3,f", b"9" * 30 + b",0,0,f",
              b"1,2,3", b"0,0,0,", b"0,0,0,udp:", b"0,0,0,udp:gsmtap=127.0.0.1", b"0,0,0,udp:ns=[::1]:9,gsmtap=1")
    return {"telemetry": table + [bytes((kind, 2, len(text))) + text + bytes((TM_ASK, 3, 0)) for text in orders
                                  for kind in (TM_ASK, TM_ALL, 0x23, 0x33)]}


NB_FRAME, NB_WANT, NB_WAIT, NB_GB = 0, 2, 3, 4  # inputs of neighbours_fuzz.c; NB_GB: on the other port


def neighbour_seeds():
    """Next hops of both IP versions on both ports; then requests, replies, echoes and time."""
    start = b"".join(bytes((NB_WANT | port, number)) for port in (0, NB_GB) for number in (0, 1, 6, 7))
    arp = [bytes((NB_FRAME, 0x04, what)) for what in (0, 1, 0x20, 0x40, 0x80, 0x81, 0xa0)]
    nd = [bytes((NB_FRAME | NB_GB, 0x09, what, more)) for what in range(0x30, 0x100, 0x11) for more in (0, 6, 7, 0xb1)]
    echo = [bytes((NB_FRAME, 0x0e, what, 1, 2, 3)) for what in (3, 0x43, 0x83)]
    raw = [bytes((NB_FRAME, 3, 14)) + bytes(12) + kind for kind in (b"\x08\x06", b"\x86\xdd", b"\x81\0", b"\x88\xcc")]
    end = bytes((NB_WAIT, 15)) * 3 + bytes((NB_WANT, 0x80))
    return {"neighbours": [start + frame + bytes((NB_WAIT, 10)) + frame + end for frame in arp + nd + echo + raw]}


def pcap(link, some, order="<", magic=0xa1b23c4d):
    """A pcap file, a second from frame to frame."""
    return struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link) + b"".join(
        struct.pack(order + "IIII", at_s, 5, len(frame), len(frame)) + frame for at_s, frame in enumerate(some))


def pcapng(frames_of_links):
    """Sections of both byte orders, each with an interface for every link."""
    text = b""
    for order in "<>":
        def block(kind, body, order=order):
            body += bytes(-len(body) % 4)
            size = len(body) + 12
            return struct.pack(order + "II", kind, size) + body + struct.pack(order + "I", size)
        text += block(0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1))
        for link in (1, 101):
            text += block(1, struct.pack(order + "HHI", link, 0, 0) + struct.pack(order + "HHBxxxHH", 9, 1, 9, 0, 0))
        for at_s, (number, frame) in enumerate(frames_of_links):
            sizes = struct.pack(order + "IIIII", number, 0, at_s * 10**8, len(frame), len(frame))
            text += block(6, sizes + frame)
    return text


def gb_packets():
    """IP packets of an NS-VC with LLC in acknowledged mode: SABM, UA, frames both ways, repeated, with ACK and SACK, DISC, DM."""
    def packet(is_down, llc):
        bssgp = bytes([0 if is_down else 1]) + bytes.fromhex("c0000123000000")
        bssgp += (b"\x16\x82\xff\xff" if is_down else b"\x08\x88" + bytes(8)) + bytes([0x0e, 0x80 | len(llc)]) + llc
        ports, size = (23000, 23001) if is_down else (23001, 23000), len(bssgp) + 4
        udp = struct.pack(">HHHH", *ports, 8 + size, 0) + b"\0\0\0\x09" + bssgp
        ends = bytes.fromhex("0a0000010a000002" if is_down else "0a0000020a000001")
        return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + ends + udp
    def i_frame(number, confirms):
        return b"\x03" + struct.pack(">I", number << 12 | confirms << 2)[1:] + bytes(7)
    reports = [b"\x03" + struct.pack(">H", 0x8000 | confirms << 2 | kind) + bitmap + bytes(3)
               for confirms, kind, bitmap in ((1, 0, b""), (1, 1, b""), (2, 2, b""), (2, 3, b"\xa0\1"), (9, 0, b""))]
    return [packet(True, b"\x03\xf7" + bytes(3)), packet(False, b"\x03\xe6" + bytes(3)),
            *(packet(True, i_frame(number, 0)) for number in (0, 1, 3, 2, 4, 4, 511)), *(packet(False, llc) for llc in reports),
            packet(True, i_frame(1, 0)), packet(False, i_frame(0, 5)), packet(True, b"\x03\xe4" + bytes(3)),
            packet(False, b"\x03\xe1" + bytes(3))]


# LLC-PDUs of a mobile without FCS, uplink (01) or downlink: XID of RFC 1144 and V.42bis with its answer, one of RFC 1144 alone, two
# handshakes of TCP, plain and with whole headers, V.42bis, compressed headers, segments of an N-PDU.
COMPRESSED = ["0103fbac60000100010a8100071000200308001402078000041200200f", "0003fbac50000100010801060020030800140205000300200f",
              "0103fbac3000010002078000041200200f", "0003fbac280001000205000300200f",
              "0103c0016500000045000030000040004006266c0a2d00010a2e0001c0001f40a27503ce000000007002ffffe93e0000020405b401010402",
              "0043c0016500000045000030000040004006266c0a2e00010a2d00011f40c0007871587da27503cf7012ffff183f0000020405b401010402",
              "0043c0316501000545000028000540004001266f0a2e00010a2d00011f41c001cf21d4b491f942515010ffff44140000",
              "0043c01525300290c3f92b455d72465f57", "0103c019253003dd69502013ae7716bd6f", "0043c04125300690c3f92b455d72465f57",
              "0043c0456502000764013e600005b402", "0103c035650200066c003e870005b4c804",
              "0043c01125100375043efed4e38e350023e34322d5004a2733f453e3a533c08b95b749757d0b8e46d3783452e1962b0e2edaac74ed2daf680a00",
              "0103c0097510000245000028", "0103c00d25100002c02133ab7484385ba4"]


def llc_pdus():
    """Each with its direction and length in front."""
    for text in COMPRESSED:
        octets = bytes.fromhex(text)
        yield octets[:1] + counted(octets[1:])


def tunnel_heads():
    """In front of an IPv4 packet: VXLAN, with a next protocol, Geneve, ERSPAN of three types, VXLAN in each other more often than is opened."""
    ethernet, udp = bytes(12) + b"\x08\0", bytes.fromhex("450000ff0000000040110000c6336401c6336402d055")
    vxlan = udp + bytes.fromhex("12b5006300000800000000000700") + ethernet
    gre = bytes.fromhex("450000ff00000000402f0000c6336401c6336402")
    return [vxlan, udp + bytes.fromhex("12b5006300000c00000100000700"), udp + bytes.fromhex("17c1006300000200655800000700") + bytes(8) + ethernet,
            gre + bytes.fromhex("000088be") + ethernet, gre + bytes.fromhex("100088be00000001") + bytes.fromhex("1000000000000000") + ethernet,
            gre + bytes.fromhex("100022eb00000001") + bytes.fromhex("200000000000000000000001") + bytes(8) + ethernet, vxlan * 10]


def jumbo_payload(packet):
    """An IPv4 packet's payload in IPv6, with the length in a hop-by-hop header."""
    ends = bytes(10) + b"\xff\xff" + packet[12:16] + bytes(10) + b"\xff\xff" + packet[16:20]
    return bytes.fromhex("6000000000000040") + ends + bytes([packet[9], 0, 0xC2, 4]) + struct.pack(">I", len(packet) - 12) + packet[20:]


def analyze_seeds(source):
    """Frames with a time step in front of each, of every link's kind, and whole files."""
    path = os.path.join(source, "tests/data/captures/gn-osmo-ggsn.pcap")
    gn = list(frames(path))
    with gzip.open(os.path.join(source, "tests/data/captures/gi-osmo-ggsn.pcap.gz")) as file:
        gi = file.read()
    packets, at = [], 24
    while at + 16 <= len(gi):
        octets = struct.unpack("<I", gi[at + 8:at + 12])[0]
        packets.append(gi[at + 16:at + 16 + octets])
        at += 16 + octets
    def listed(link, some, head=b""):
        return bytes([0, link]) + b"".join(b"\x19" + counted(head + frame) for frame in some)
    with open(path, "rb") as file:
        whole = file.read(4000)
    mixed = pcapng([(0, frame) for frame in gn[:8]] + [(1, frame[14:]) for frame in gn[8:16]])
    links = [pcap(link, [head + frame for frame in packets[:4]]) for link, head in (
        (101, b""), (1, bytes(12) + b"\x08\0"), (1, bytes(12) + bytes.fromhex("88a8000181000002") + b"\x08\0"),
        (1, bytes(12) + bytes.fromhex("8864110000010000" "0021")), (1, bytes(12) + bytes.fromhex("88470000004000000140")),
        (113, bytes(14) + b"\x08\0"), (276, b"\x08\0" + bytes(18)), (0, bytes(4)), (108, bytes(4)), (105, b""),
        (9, bytes.fromhex("ff030021")), (166, bytes.fromhex("01030021")), (104, bytes.fromhex("0f000800")),
        (51, bytes.fromhex("1100000100000021")), *((101, head) for head in tunnel_heads()), (101, bytes.fromhex("450000ff00000000402f0000c6336401c6336402b0000800") + bytes(12)))]
    return {"capture": [gi[:4000], whole, mixed, *links, pcap(101, packets[:4], ">"), pcap(101, packets[:4], ">", 0xa1b2c3d4),
                        pcap(101, packets[:4])[:-7], mixed[:-7]], "analyze": [
        *(listed(0, gn[at:at + 30]) for at in range(0, 600, 60)),
        *(listed(1, packets[at:at + 60]) for at in range(0, 1800, 120)),
        listed(2, packets[:60], bytes(14) + b"\x08\0"), listed(3, packets[:60], b"\x08\0" + bytes(18)),
        listed(4, packets[:60], bytes(4)), listed(5, packets[:60], bytes.fromhex("ff030021")),
        listed(6, packets[:60], bytes.fromhex("0f000800")),
        listed(1, packets[:60], bytes.fromhex("450000ff0000000040040000c6336401c6336402")), listed(0x40, gn[:60]),
        listed(1, [frame[:2] + bytes(2) + frame[4:] for frame in packets[:60]]), listed(1, map(jumbo_payload, packets[:60])),
        *(listed(1, packets[:60], head) for head in tunnel_heads()),  b"\x80" + gi[:4000], b"\x80" + whole,
        b"\x80" + mixed, listed(1, gb_packets()), b"\x80" + pcap(101, gb_packets()), b"\0\x20" + b"".join(llc_pdus()),
        b"\0\x20" + b"".join(list(llc_pdus())[2:])]}


def config_texts(source):
    for folder in ("config/nodes", "config/scenarios"):
        for name in sorted(os.listdir(os.path.join(source, folder))):
            if not name.endswith(".lua"):  # a folder
                continue
            with open(os.path.join(source, folder, name), encoding="utf-8") as file:
                # Comments only dilute what is mutated.
                yield re.sub(r"(?m)\s*--.*$", "", file.read()).encode()


def config_seeds(source):
    """The texts as short as they can be; of each long one its parts, one top-level key with what stands in front."""
    for text in config_texts(source):
        text = text.decode()
        short = re.sub(r"(?m)^\s+", "", text)
        if len(short) <= LONGEST_TEXT:
            yield short.encode()
            continue
        head, start, body = text.partition("return {\n")
        for part in re.split(r"(?m)^  (?=\w+ = )|^}", body):
            yield re.sub(r"(?m)^\s+", "", head + start + part + "}\n").encode()


# What the texts that the tests of Lua begin with do not say: a piece of them, and what stands there instead.
RADIO = ('radio = { ra_capability = "0102030405", drx = "1234", priority = { level = 3, may_queue = true }, '
         'lsa_information = "0102", service_utran_cco = 1, spid = 2 }, ')
QUEUES = ('queues = { flow_queues = 4, weights = { thp1 = 7 }, class = { thp1 = { octets = "9 kB", packets = 9, '
          'aqm = { scheme = "codel" } } }, aqm = %s }, ')
SCHEMES = ('{ scheme = "red", min = "9 kB", mode = "packets", scope = "ms" }', '{ scheme = "pie", ecn = true, scope = "class_of_bvc" }',
           '{ scheme = "fq_codel" }', '{ scheme = "ttlred2", max_chance = "50 %" }')
NODE_PIECES = [("mobiles = {", "mobiles = { " + RADIO), ("lifetime =", 'llc = { n201_u_max = "900 octets" }, lifetime =')] + [
    ("lifetime =", QUEUES % scheme + "lifetime =") for scheme in SCHEMES]
SCENARIO_PIECES = [('class = "thp2"', 'ciphering = { algorithm = "gea3", kc = "0011223344556677" }')] + [
    ("sgsn = {", "sgsn = { " + QUEUES % scheme) for scheme in SCHEMES]


def spoilt_texts(source):
    for name, pieces in (("node", NODE_PIECES), ("scenario", SCENARIO_PIECES)):
        with open(os.path.join(source, f"tests/unit/lua/{name}_text.lua"), encoding="utf-8") as file:
            good = re.search(r"GOOD = \[\[\n(.*?)\]\]", file.read(), re.DOTALL).group(1)
        for piece, other in [("", "")] + pieces:
            yield re.sub(r"(?m)^\s+", "", good.replace(piece, other, 1)).encode()


def dictionary(source):
    """Words of the schemas, and whatever stands in a configuration."""
    words = {"return {", "nil", "1e309", "-1", "0/0", '"infinite"', "math.random(9)", '("x"):rep(99)'}
    for path in sorted(glob.glob(os.path.join(source, "lua", "*", "*.lua"))):
        if not re.search(r"schema|units", path):
            continue
        with open(path, encoding="utf-8") as file:
            words.update(re.findall(r'(?:name|field)?\s*=?\s*"(\w{2,24})"', file.read()))
    for text in config_texts(source):
        words.update(re.findall(r'"[^"\n]{1,30}"|\b\w+ = ', text.decode()))
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in sorted(words))
    return "".join(f'"{word}"\n' for word in escaped)


def v42bis_seeds():
    """Parameters, then streams to decode, one of them longer than its room (1), or not (3), N-PDUs to encode with room for less (0) and more (2), 4: start again."""
    def block(kind, octets):
        return bytes((kind,)) + counted(octets)

    streams = [bytes.fromhex(text) for text in (
        "000064ca980900", "61000065cc0400", "6161616161616161610000040b160c00", "0001330166019901", "0000036ca4e11400",
        "000064ca0c1c589020c1830100", "000200", "0007", "00000301", "000002040810", "61620002" "0000" "64c80c1c489060c18201")]
    long = sum((ord("a") + 3 + i % 20) << 9 * i for i in range(80)).to_bytes(90, "little")
    words = b"<td>the table of</td>\r\n" * 20
    plain = [words, bytes(300), bytes(range(256)), bytes(51 * i % 256 for i in range(100)), words[7:300]]
    return {"v42bis": [b"\x0c" + block(3, stream) * 2 for stream in streams] + [b"\x0c" + block(1, bytes(2) + long)] + [
        bytes((choice,)) + b"".join(block(kind, octets) for octets in plain for kind in (0, 2)) + block(4, words) + block(2, words)
        for choice in range(32)]}


def write(corpus, harness, blocks):
    folder = os.path.join(corpus, harness)
    os.makedirs(folder, exist_ok=True)
    for number, block in enumerate(dict.fromkeys(blocks)):
        with open(os.path.join(folder, f"seed-{number:04}"), "wb") as file:
            file.write(block)


def capability_seeds():
    """Those of what can be left out: of seed_NAME.py beside this file."""
    return [importlib.import_module(path.stem).seeds() for path in sorted(pathlib.Path(__file__).parent.glob("seed_of_*.py"))]


def main(source, corpus):
    seeds = {"config": [*config_seeds(source), *spoilt_texts(source)], "host": host_seeds()}
    for more in (wire_seeds(source), thinned(capture_seeds(source)), stack_seeds(source), edge_seeds(),
                 *capability_seeds(),
                 analyze_seeds(source), seed_machines.seeds(source), worker_seeds(source), set_seeds(), neighbour_seeds(),
                 aqm_script_seeds(source), telemetry_seeds(), v42bis_seeds(),
                 phone_seeds(source)):
        for harness, blocks in more.items():
            seeds[harness] = seeds.get(harness, []) + blocks
    for harness, blocks in seeds.items():
        write(corpus, harness, blocks)
    with open(os.path.join(corpus, "config.dict"), "w", encoding="utf-8") as file:
        file.write(dictionary(source))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
