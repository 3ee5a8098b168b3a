#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flood of malformed and unknown NS and BSSGP PDUs at a live node over memif.

usage: flood.py [SECONDS [PPS [REPEATS [MARGIN_US]]]]       10 s, 1000000 frames a second, once, no judgement of times
       flood.py others [SECONDS [PPS]]                     10 s, 200000 frames a second

The flood comes in every second half of a second; users' packets, 1000 a second, go on all the time. Nothing may change its
state, no user's packet may be lost, at most 10 lines a second are logged. Prints what the packets took with and without the
flood, of each repeat and the medians; with MARGIN_US the median of p99 may be that much more in the flood. FLOOD_PEER names
the program at the far ends. Needs no rights, and three processors of its own to say anything of microseconds.

With `others` the flood is of NSE 101's own signalling, and NSE 102 wants an answer to BVC-RESET, FLOW-CONTROL-BVC and NS-ALIVE,
each 50 times a second. All must be answered, and the loss must be NSE 101's alone. Prints the longest time to an answer.
"""
import json
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

import node

import bss_peer
import test_walk
from gb_oracle import bssgp, llc, writer

GB_OTHER = ("198.51.100.3", 23000)
GB_SGSN, GB_BSS, GN_SGSN, GN_GGSN = ("198.51.100.1", 23000), ("198.51.100.2", 23000), ("192.0.2.1", 2152), ("192.0.2.2", 2152)
MACS = bytes.fromhex("020000000001") + bytes.fromhex("020000000002")
GIVEN_MAC = ', mac = "02:00:00:00:00:02"'
TAKEN_MAC = ', mac = "02:00:00:00:00:01"'  # the node's in these frames
WITH_MACS = {"gn_more": TAKEN_MAC + ', peer_mac = "02:00:00:00:00:02"', "gb_more": TAKEN_MAC}
BVCI = 1800
OTHER = """, { nsei = 102, nsvcs = { { nsvci = 102, address = "198.51.100.3"%s } },
    cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 2 } } } } },
  mobiles""" % GIVEN_MAC


def frame(source, target, payload):
    packet = writer.ipv4(source[0], target[0], struct.pack(">HHHH", source[1], target[1], 8 + len(payload), 0) + payload)
    return (MACS + b"\x08\x00" + packet).hex()


def gb(octets, source=GB_BSS):
    return frame(source, GB_SGSN, octets)


def unitdata(bvci, octets):
    return struct.pack(">BBH", bssgp.NS_UNITDATA, 0, bvci) + octets


def two(value):
    return struct.pack(">H", value)


def uplink(packet, number):
    """An N-PDU of the mobile, with N(U) and N-PDU number."""
    pdu = llc.encode_ui(3, number, bss_peer.sndcp.encode(packet, 5, number, 500)[0], command_bit=False)
    head = bytes([bssgp.UL_UNITDATA]) + struct.pack(">I", node.TLLI) + bytes([0, 0, 4])
    return gb(unitdata(BVCI, head + bssgp.tlv(8, bss_peer.CELL_ID) + bssgp.tlv(0, b"") + bssgp.tlv(bssgp.LLC_PDU, pdu)))


def reset_cell(bvci, rest):
    """BVC-RESET, and how its answer begins."""
    name = bssgp.tlv(bssgp.BVCI, two(bvci))
    return (unitdata(0, bytes([bssgp.BVC_RESET]) + name + bssgp.tlv(7, b"\x08") + rest),
            unitdata(0, bytes([bssgp.BVC_RESET_ACK]) + name))


def flow_control():
    """FLOW-CONTROL-BVC, likewise."""
    values = ((bssgp.TAG, b"\1"), (bssgp.BVC_BUCKET, two(60000)), (bssgp.LEAK_RATE, two(60000)),
              (bssgp.BMAX_MS_DEFAULT, two(60000)), (bssgp.RATE_MS_DEFAULT, two(60000)))
    return (unitdata(BVCI, bytes([bssgp.FC_BVC]) + b"".join(bssgp.tlv(kind, value) for kind, value in values)),
            unitdata(BVCI, bytes([bssgp.FC_BVC_ACK])))


def steps(nsei=101, cell_id=bss_peer.CELL_ID):
    """What brings Gb up, and how each answer begins."""
    ids = bssgp.tlv(1, two(nsei)) + bssgp.tlv(4, two(nsei))
    yield bytes([bssgp.NS_RESET]) + bssgp.tlv(0, b"\x01") + ids, bytes([bssgp.NS_RESET_ACK])
    yield bytes([bssgp.NS_UNBLOCK]), bytes([bssgp.NS_UNBLOCK_ACK])
    yield reset_cell(0, b"")
    yield reset_cell(BVCI, bssgp.tlv(8, cell_id))
    name = bssgp.tlv(bssgp.BVCI, two(BVCI))
    yield unitdata(0, bytes([bssgp.BVC_UNBLOCK]) + name), unitdata(0, bytes([bssgp.BVC_UNBLOCK_ACK]) + name)
    yield flow_control()


def requests(cell_id):
    """What a BSS in service may send again and again."""
    yield reset_cell(BVCI, bssgp.tlv(8, cell_id))
    yield flow_control()
    yield bytes([10]), bytes([11])  # NS-ALIVE


def malformed():
    """NS PDUs that are cut, unknown, or wrong for where they come; none of them asks for anything that has to be done."""
    reset = bytes([bssgp.NS_RESET]) + bssgp.tlv(0, b"\x01") + bssgp.tlv(1, two(101)) + bssgp.tlv(4, two(101))
    yield from (reset[:length] for length in range(1, len(reset)))
    yield from (bytes([kind]) + b"\x81\x00" for kind in (1, 14, 27, 60, 99, 200, 255))  # unknown NS PDUs
    yield from (unitdata(bvci, b"") for bvci in (0, BVCI, 7))
    yield from (unitdata(bvci, bytes([kind]) + bytes(range(kind % 9))) for bvci in (0, BVCI, 4711)
                for kind in (0x02, 0x3e, 0x48, 0x99, 0xfe))  # unknown BSSGP PDUs
    fc = bytes([bssgp.FC_BVC]) + bssgp.tlv(bssgp.TAG, b"\1") + bssgp.tlv(bssgp.BVC_BUCKET, two(1))
    yield from (unitdata(BVCI, fc[:length]) for length in range(1, len(fc)))
    yield unitdata(4711, fc)
    head = bytes([bssgp.UL_UNITDATA]) + struct.pack(">I", 0xC0FFEE00) + bytes([0, 0, 4]) + bssgp.tlv(8, bss_peer.CELL_ID)
    spoilt = llc.encode_ui(3, 0, b"nonsense", command_bit=False)[:-1] + b"\0"
    yield unitdata(BVCI, head + bssgp.tlv(0, b"") + bssgp.tlv(bssgp.LLC_PDU, spoilt))  # an unknown mobile
    yield unitdata(BVCI, head[:1] + struct.pack(">I", node.TLLI) + head[5:] + bssgp.tlv(0, b"") + bssgp.tlv(bssgp.LLC_PDU, spoilt))
    yield unitdata(BVCI, head[:6])


def script_of_others():
    """NSE 102 sends requests while NSE 101 floods."""
    cell_id = bss_peer.CELL_ID[:-2] + two(2)
    lines = [f"step {gb(octets, GB_OTHER)} {prefix.hex()}" for octets, prefix in steps(102, cell_id)]
    lines.append(f"alive {gb(bytes([11]), GB_OTHER)}")
    lines += [f"other {gb(octets, GB_OTHER)} {prefix.hex()}" for octets, prefix in requests(cell_id)]
    return lines + [f"flood {gb(octets)}" for octets, _ in requests(bss_peer.CELL_ID)]


def script_of_faults():
    return ([f"flood {gb(octets)}" for octets in malformed()]
            + [f"flood {gb(octets, ('198.51.100.9', 4000))}" for octets in list(malformed())[::7]])  # of a host without an NS-VC


def script(has_others):
    lines = [f"step {gb(octets)} {prefix.hex()}" for octets, prefix in steps()]
    lines.append(f"alive {gb(bytes([11]))}")
    lines += script_of_others() if has_others else script_of_faults()
    packet = test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, 100)
    lines.append(f"user {frame(GN_GGSN, GN_SGSN, test_walk.g_pdu(node.TEID, packet))}")
    return "\n".join(lines) + "\n"


# Columns that the packets of the run itself change.
COUNTED = re.compile(r"sent|dropped|reasons|.*_(npdus|octets|bps|per_s|us|total)|npdus?_.*|octets_.*")


def state(running):
    """What the tables say, without counters, rates and levels."""
    return {what: [{name: value for name, value in row.items() if not COUNTED.fullmatch(name)} for row in running.show(what)]
            for what in ("nse", "ms", "pdp", "bvc")}


class Flood:
    """One run; `result` is what the far ends measured."""

    has_others = False

    def __init__(self, seconds, pps, user=None):
        socket = f"gbflow-flood{os.getpid()}"
        self.seconds, self.pps = seconds, pps
        text = node.TEXT.replace('address = "198.51.100.2"', 'address = "198.51.100.2"' + GIVEN_MAC)
        if self.has_others:
            text = text.replace(" },\n  mobiles", OTHER, 1).replace("npdu_buffers = 2047", "npdu_buffers = 16383")
        self.node = node.Node(text=text, user=user, gn=f"net_memif0,role=server,socket={socket}",
                              gb=f"net_memif1,role=server,id=1,socket={socket}", idle="poll", limit=16, **WITH_MACS)
        self.socket = socket

    def run(self):
        program = os.environ.get("FLOOD_PEER") or os.path.join(node.ROOT, "build", "tests", "system", "live", "flood_peer")
        self.node.wait_for("running")
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(script(self.has_others))
            file.flush()
            process = subprocess.Popen([program, self.socket, str(self.seconds), str(self.pps), file.name],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            watch = threading.Timer(self.seconds + 60, process.kill)
            watch.start()
            before = self._state_when_up()
            lines = len(self.node.lines)
            began = time.monotonic()
            out = process.stdout.read()
            watch.cancel()
            self.log_lines, self.took_s = len(self.node.lines) - lines, time.monotonic() - began
        if out:
            self.result = json.loads(out)
            self.faults = self._faults(before, state(self.node))
            if self.node.stop() != 0:
                self.faults.append("the node did not end well")
            self.faults += self._lost()
        process.communicate()
        if not out or process.returncode != 0:
            raise AssertionError(f"flood_peer: {process.returncode}\n" + "\n".join(self.node.lines[-20:]))
        return self.result

    def _state_when_up(self):
        self.node.show_until("bvc", lambda rows: any(row["usable"] == "yes" for row in rows))
        return state(self.node)

    def _faults(self, before, after):
        faults = [f"{what} changed: {before[what]} -> {after[what]}" for what in before if before[what] != after[what]]
        if self.log_lines > 12 * (self.took_s + 1):  # each second may say how many lines were left out
            faults.append(f"{self.log_lines} lines of the log in {self.took_s:.1f} s")
        return faults

    def _lost(self):
        """Where users' packets were lost: before the node, in it, or behind it."""
        sent, back, npdu = self.result["users_sent"], self.result["users_back"], self.node.report["npdu"]
        if sent == back == npdu["in"] == npdu["out"]:
            return []
        reasons = {name: count for name, count in self.node.report["drops"].items() if count}
        return [f"users' packets: {sent} sent, {npdu['in']} received by the node, {npdu['out']} sent on, {npdu['queued']} waited, "
                f"dropped {reasons}; {back} arrived"]


class Others(Flood):
    """A flood of an NSE's own signalling, beside another NSE."""

    has_others = True

    def _faults(self, before, after):
        names = {row["name"]: row for row in self.node.show("shares") if row["kind"] == "nse"}
        sent, answered = self.result["others_sent"], self.result["others_answered"]
        faults = [] if sent == answered > 0 else [f"{answered} of {sent} requests of NSE 102 were answered"]
        self.lost = {nsei: row["lost"] for nsei, row in names.items()}
        if self.lost["102"] > 0 or self.lost["101"] == 0:
            faults.append(f"lost in the shares: {self.lost}")
        return faults

    def _lost(self):
        return []  # the cell of the users' packets is reset all the time


def result_of(flood):
    """Runs it, ends its node, and prints what the far ends measured."""
    try:
        result = flood.run()
    finally:
        flood.node.kill()
    print(json.dumps(result))
    return result


def play_others(seconds=10, pps=200000):
    """Prints the longest time to an answer; the faults."""
    flood = Others(seconds, pps)
    result = result_of(flood)
    print(f"{result['flood_sent'] * 2 / seconds:.0f} frames a second in the flood's half, lost {flood.lost}; NSE 102: "
          f"{result['others_answered']} of {result['others_sent']} answered, after {result['others_quiet_most_us'] / 1000:.1f} ms "
          f"at most without the flood, {result['others_flood_most_us'] / 1000:.1f} ms in it", flush=True)
    return flood.faults


def play(seconds, pps):
    """One run: its figures, and its faults."""
    flood = Flood(seconds, pps)
    result = result_of(flood)
    print(f"{flood.log_lines} lines of the log in {flood.took_s:.1f} s, {result['flood_sent'] * 2 / seconds:.0f} frames a second "
          f"in the flood's half; p99 {result['quiet_p99_us']:.1f} us without it, {result['flood_p99_us']:.1f} us in it", flush=True)
    return result, flood.faults


def main():
    words = sys.argv[2:] if sys.argv[1:2] == ["others"] else sys.argv[1:]
    if not all(word.replace(".", "", 1).isdecimal() for word in words):
        print(__doc__.strip())
        sys.exit(0 if words[:1] in (["-h"], ["--help"]) else 2)
    if sys.argv[1:2] == ["others"]:
        faults = play_others(*(int(word) for word in words[:2]))
        sys.exit("\n".join(faults) or 0)
    seconds, pps, repeats = (int(word) for word in (words[:3] + ["10", "1000000", "1"][len(words[:3]):]))
    runs = [play(seconds, pps) for _ in range(repeats)]
    faults = [fault for _, found in runs for fault in found]
    quiet, loud = (statistics.median(result[name] for result, _ in runs) for name in ("quiet_p99_us", "flood_p99_us"))
    print(f"median of {repeats}: users' packets at p99 {quiet:.1f} us without the flood, {loud:.1f} us in it: {loud - quiet:+.1f} us")
    if len(sys.argv) > 4 and loud > quiet + float(sys.argv[4]):
        faults.append("the flood delays users' packets too much")
    for fault in faults:
        print(f"fault: {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
