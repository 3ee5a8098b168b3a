#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gbflow_proxy without sockets and clock: BSSs and SGSNs of a few lines on its two sides, in a time that the test sets."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

from gbflow_proxy import commands, config, proxy, sns, wire  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_proxy.wire import octets_of, of_bvc, tlv  # noqa: E402  pylint: disable=wrong-import-position

PLMN, RAI, OTHER_RAI = "62f224", bytes.fromhex("62f224123405"), bytes.fromhex("62f224123406")
ACKS = {wire.BVC_RESET: wire.BVC_RESET_ACK, wire.BVC_BLOCK: wire.BVC_BLOCK_ACK, wire.BVC_UNBLOCK: wire.BVC_UNBLOCK_ACK}
FLOW = bytes([wire.FC_BVC]) + b"".join(tlv(iei, value) for iei, value in (
    (wire.TAG, b"\5"), (wire.BVC_BUCKET, b"\0\x64"), (wire.LEAK_RATE, b"\0\xc8"), (1, b"\0\x64"), (0x1C, b"\0\x64")))


def cell_id(rai, number):
    return rai + octets_of(number)


def uplink(tlli, body=b"payload", kind=wire.UL_UNITDATA):
    return bytes([kind]) + tlli.to_bytes(4, "big") + bytes(3) + body


class End:
    """The far end of an NS-VC. heard: (BVCI, PDU) that wait for the test, ns: PDUs of NS. It answers NS, and BVC procedures while
    `answers` is set."""

    def __init__(self, world, remote, nsei):
        self.world, self.remote, self.nsei = world, remote, nsei
        self.ids = proxy.ids_of(nsei, nsei)
        self.heard, self.ns, self.answers, self.is_mute = [], [], True, False

    def take(self, octets):
        if self.is_mute:
            return
        if octets[0] == wire.NS_UNITDATA:
            self.heard.append((octets[2] << 8 | octets[3], octets[4:]))
            if self.answers and octets[4] in ACKS:
                self.acknowledge(octets[4:])
            return
        self.ns.append(octets)
        answers = {wire.NS_RESET: bytes([wire.NS_RESET_ACK]) + self.ids, wire.NS_UNBLOCK: bytes([wire.NS_UNBLOCK_ACK]),
                   wire.NS_ALIVE: bytes([wire.NS_ALIVE_ACK])}
        if octets[0] in answers:
            self.send_whole(answers[octets[0]])

    def acknowledge(self, pdu):
        bvci = wire.number(wire.elements(pdu), wire.BVCI, 2)
        self.send(0, of_bvc(ACKS[pdu[0]], bvci))

    def send(self, bvci, pdu):
        self.send_whole(wire.ns_unitdata(bvci, pdu))

    def heard_now(self):
        """PDUs since the last look."""
        heard, self.heard = self.heard, []
        return heard

    def kinds(self):
        return [(bvci, pdu[0]) for bvci, pdu in self.heard_now()]


class Sgsn(End):
    def send_whole(self, octets):
        self.world.proxy.from_sgsn(octets, self.remote, self.world.now)


class Bss(End):
    def send_whole(self, octets):
        self.world.proxy.from_bss(octets, self.remote, self.world.now)

    def bring_up_ns(self):
        self.send_whole(bytes([wire.NS_RESET]) + tlv(wire.NS_CAUSE, b"\1") + self.ids)
        self.send_whole(bytes([wire.NS_UNBLOCK]))

    def reset(self, bvci, identity=b""):
        more = tlv(wire.CELL_ID, identity) if bvci else b""
        self.send(0, of_bvc(wire.BVC_RESET, bvci, wire.cause(8), more))

    def bring_up(self, *cells):
        """(BVCI, Cell Identifier) each."""
        self.bring_up_ns()
        self.reset(0)
        for bvci, identity in cells:
            self.reset(bvci, identity)


class World:
    def __init__(self, **changes):
        text = json.dumps({**json.loads(config.EXAMPLE), "timers": {"retry": 1, "test": 10, "retries": 3}, **changes})
        self.now, self.ends = 0.0, {}
        self.proxy = proxy.Proxy(config.read(text), self._carry, self._carry)
        self.sgsns = [Sgsn(self, tuple(place.remote), place.member.nsei) for place in self.proxy.config.places]
        self.bsss = [Bss(self, ("127.0.1.1", 1000 + nsei), nsei) for nsei in (101, 102)]
        self.ends = {end.remote: end for end in (*self.sgsns, *self.bsss)}
        self.proxy.start(self.now)

    def _carry(self, octets, remote):
        end = self.ends.get(remote)
        if end:
            end.take(octets)

    def pass_time(self, seconds):
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            self.proxy.tick(self.now)

    def show(self):
        return json.loads(commands.carry_out(self.proxy, "show"))

    def tell(self, line):
        return commands.carry_out(self.proxy, line)


class Case(unittest.TestCase):
    def begin(self, **changes):
        """Two BSSs: cells 7 and 8 of one RA, cell 9 of another one."""
        self.world = World(**changes)
        self.first, self.second = self.world.sgsns
        self.one, self.two = self.world.bsss
        self.one.bring_up((7, cell_id(RAI, 7)), (8, cell_id(RAI, 8)))
        self.two.bring_up((9, cell_id(OTHER_RAI, 9)))
        self.ends = (self.one, self.two, self.first, self.second)
        self.forget()

    def forget(self):
        for end in self.ends:
            end.heard_now()

    def drops(self):
        return self.world.show()["drops"]


class Ns(Case):
    def test_bring_up(self):
        self.begin()
        shown = self.world.show()
        self.assertEqual([(row["ns"], row["is_up"], row["cells"]) for row in shown["sgsns"]],
                         [("unblocked", True, {"7": "unblocked", "8": "unblocked", "9": "unblocked"})] * 2)
        self.assertEqual([(row["nsei"], row["is_up"], row["bvcis"]) for row in shown["bsss"]], [(101, True, [7, 8]), (102, True, [9])])
        self.assertEqual(shown["drops"], {})

    def test_what_an_sgsn_hears(self):
        """One NSE of the configured number; BVC-RESET of the signalling BVC without features, of each cell with its identity."""
        self.world = World()
        first = self.world.sgsns[0]
        self.world.bsss[0].bring_up((7, cell_id(RAI, 7)))
        self.assertEqual([octets[0] for octets in first.ns], [wire.NS_RESET, wire.NS_UNBLOCK])
        self.assertEqual(first.ns[0][1:], tlv(wire.NS_CAUSE, b"\1") + proxy.ids_of(201, 201))
        self.assertEqual(first.heard_now(), [(0, wire.bvc_reset(0)), (0, wire.bvc_reset(7, cell_id(RAI, 7)))])
        self.assertEqual(self.world.bsss[0].heard_now(), [(0, wire.bvc_reset_ack(0)), (0, wire.bvc_reset_ack(7, cell_id(RAI, 7)))])

    def test_late_sgsn(self):
        """Requests of NS and BVCs are repeated until an SGSN answers; it has all cells and their buckets then."""
        self.world = World()
        first, second = self.world.sgsns
        bss = self.world.bsss[0]
        second.is_mute, second.heard = True, []
        self.world.proxy.sgsn_of[second.remote].link.start(self.world.now)
        bss.bring_up((7, cell_id(RAI, 7)))
        bss.send(7, FLOW)
        self.assertEqual(first.heard_now()[-1], (7, wire.scaled(FLOW, 50)))
        second.is_mute, second.answers = False, False
        self.world.pass_time(2.5)
        self.assertEqual(second.kinds(), [(0, wire.BVC_RESET)] * 2)
        second.send(0, wire.bvc_reset_ack(0))
        self.assertEqual(second.kinds(), [(0, wire.BVC_RESET)])
        second.send(0, wire.bvc_reset_ack(7, cell_id(RAI, 7)))
        self.assertEqual(second.heard_now(), [(7, wire.scaled(FLOW, 50))])
        self.world.pass_time(5)
        self.assertEqual(second.heard_now(), [])

    def test_dead_sgsn(self):
        """NS-ALIVE without answer: nothing for its NRIs, made-up TLLIs to the other; and it comes back with all cells."""
        self.begin()
        self.first.is_mute = True
        self.world.pass_time(20)
        self.assertEqual([row["is_up"] for row in self.world.show()["sgsns"]], [False, True])
        self.one.send(7, uplink(0xC0080000))  # NRI 1
        for low in range(20):
            self.one.send(7, uplink(0x78000000 + low))
        self.assertEqual(self.second.kinds(), [(7, wire.UL_UNITDATA)] * 20)
        self.assertEqual(self.drops(), {"sgsn_down": 1})
        self.world.tell("fallback yes")
        self.one.send(7, uplink(0xC0080000))
        self.assertEqual(self.second.kinds(), [(7, wire.UL_UNITDATA)])
        self.first.is_mute = False
        self.world.pass_time(5)
        self.assertEqual(self.first.kinds(), [(0, wire.BVC_RESET)] * 4)
        self.one.send(7, uplink(0xC0080000))
        self.assertEqual((self.first.kinds(), self.second.kinds()), ([(7, wire.UL_UNITDATA)], []))

    def test_forgets(self):
        """As osmo-gbproxy of 2021: an SGSN whose NS was down has no cells until the BSSs reset them, and has not the buckets that came
        before its answer to a reset."""
        self.begin(forgets=True)
        self.first.is_mute = True
        self.world.pass_time(20)
        self.first.is_mute = False
        self.world.pass_time(5)
        self.assertEqual(self.first.kinds(), [(0, wire.BVC_RESET)])
        self.first.send(0, of_bvc(wire.BVC_RESET, 7, wire.cause(8)))
        self.assertEqual(self.first.kinds(), [(0, wire.STATUS)])
        self.first.answers = False
        self.one.reset(7, cell_id(RAI, 7))
        self.one.send(7, FLOW)
        self.first.send(0, wire.bvc_reset_ack(7, cell_id(RAI, 7)))
        self.assertEqual((self.first.kinds(), self.second.kinds()), ([(0, wire.BVC_RESET)], [(0, wire.BVC_RESET), (7, wire.FC_BVC)]))
        self.one.send(7, FLOW)
        self.assertEqual(self.first.kinds(), [(7, wire.FC_BVC)])

    def test_dead_bss(self):
        """Its cells are blocked at all SGSNs by equipment failure, and unblocked when NS is back."""
        self.begin()
        self.two.is_mute = True
        self.world.pass_time(20)
        block = of_bvc(wire.BVC_BLOCK, 9, wire.cause(wire.EQUIPMENT_FAILURE))
        self.assertEqual((self.first.heard_now(), self.second.heard_now()), ([(0, block)], [(0, block)]))
        self.first.send(9, uplink(0xC0080000, kind=wire.DL_UNITDATA))
        self.assertEqual(self.first.kinds(), [(9, wire.STATUS)])
        self.two.is_mute = False
        self.two.bring_up_ns()
        self.assertEqual((self.first.kinds(), self.second.kinds()), ([(0, wire.BVC_UNBLOCK)],) * 2)
        self.assertEqual(self.drops(), {"down_blocked_bvci": 1})

    def test_strangers(self):
        self.begin()
        self.world.proxy.from_sgsn(b"\0\0\0\0\0", ("127.0.9.9", 1), 0)
        self.world.proxy.from_bss(b"\0\0\0\7\1", ("127.0.9.9", 1), 0)
        self.world.proxy.from_bss(b"", ("127.0.9.9", 1), 0)
        self.first.send_whole(bytes([wire.NS_RESET]) + tlv(wire.NS_CAUSE, b"\1") + proxy.ids_of(5, 5))
        self.one.send(7, b"\1\2")
        self.one.send(0, bytes([wire.BVC_RESET, 4]))
        self.assertEqual(self.drops(), {"down_unknown_endpoint": 1, "up_ns_not_up": 1, "up_ns_unexpected": 1, "down_other_ids": 1,
                                        "up_malformed": 2})


class IpSns(Case):
    def test_bring_up(self):
        """SIZE and CONFIG, ours until it is acknowledged; then NS-VCs that come and go."""
        self.world = World()
        self.ends = bss, other = self.world.bsss
        nsei = tlv(wire.NS_EI, octets_of(101))
        places = [tlv(wire.IP4_LIST, sns.endpoint(end.remote)) for end in self.ends]
        bss.send_whole(bytes([wire.SNS_SIZE]) + nsei + bytes.fromhex("0a0107000108") + b"\0\1")
        bss.send_whole(bytes([wire.SNS_CONFIG, 1]) + nsei + places[0])
        ours = bytes([wire.SNS_CONFIG, 1]) + nsei + tlv(wire.IP4_LIST, sns.endpoint(("127.0.0.1", 23000)))
        self.assertEqual(bss.ns, [bytes([wire.SNS_SIZE_ACK]) + nsei, bytes([wire.SNS_CONFIG_ACK]) + nsei, ours])
        self.world.pass_time(1.5)
        self.assertEqual(bss.ns[3:], [ours])
        bss.send_whole(bytes([wire.SNS_CONFIG_ACK]) + nsei)
        bss.reset(0)
        bss.reset(7, cell_id(RAI, 7))
        self.assertEqual(bss.kinds(), [(0, wire.BVC_RESET_ACK)] * 2)
        bss.send_whole(bytes([wire.SNS_ADD]) + nsei + b"\1" + places[1])
        bss.send_whole(bytes([wire.SNS_DELETE]) + nsei + b"\2" + places[0])
        self.assertEqual(bss.ns[4:], [bytes([wire.SNS_ACK]) + nsei + number for number in (b"\1", b"\2")])
        self.world.sgsns[0].send(7, uplink(0xC0080000, kind=wire.DL_UNITDATA))
        self.assertEqual((bss.kinds(), other.kinds()), ([], [(7, wire.DL_UNITDATA)]))
        bss.send_whole(bytes([wire.SNS_SIZE]) + nsei + bytes.fromhex("0a0107000108") + b"\0\1")
        self.assertEqual(self.world.show()["bsss"][0]["nsvcs"], [])


class Bvcs(Case):
    def test_block(self):
        """The state of a cell is copied; a reset by the BSS ends it."""
        self.begin()
        self.one.send(0, of_bvc(wire.BVC_BLOCK, 7, wire.cause(8)))
        self.assertEqual(self.one.heard_now(), [(0, of_bvc(wire.BVC_BLOCK_ACK, 7))])
        for sgsn in (self.first, self.second):
            self.assertEqual(sgsn.heard_now(), [(0, of_bvc(wire.BVC_BLOCK, 7, wire.cause(8)))])
        self.one.send(0, of_bvc(wire.BVC_UNBLOCK, 7))
        self.assertEqual(self.first.heard_now(), [(0, of_bvc(wire.BVC_UNBLOCK, 7))])
        self.one.reset(0)
        self.assertEqual(self.first.heard_now(), [(0, of_bvc(wire.BVC_BLOCK, bvci, wire.cause(8))) for bvci in (7, 8)])
        self.one.reset(7, cell_id(RAI, 7))
        self.assertEqual(self.world.show()["sgsns"][0]["cells"], {"7": "unblocked", "8": "blocked", "9": "unblocked"})

    def test_same_bvci(self):
        """The cell of a second BSS evicts that of the first."""
        self.begin()
        self.two.reset(7, cell_id(OTHER_RAI, 7))
        self.forget()
        self.first.send(7, uplink(0xC0080000, kind=wire.DL_UNITDATA))
        self.one.send(7, uplink(0xC0080000))
        self.assertEqual((self.one.kinds(), self.two.kinds(), self.first.kinds()), ([(7, wire.STATUS)], [(7, wire.DL_UNITDATA)], []))
        self.assertEqual(self.world.show()["counts"], {"cells_evicted": 1})

    def test_reset_by_an_sgsn(self):
        """Of a cell: at its BSS. Of the signalling BVC: all BSSs are reset, and every SGSN sees it."""
        self.begin()
        self.first.send(0, of_bvc(wire.BVC_RESET, 7, wire.cause(8)))
        self.assertEqual(self.first.heard_now(), [(0, wire.bvc_reset_ack(7, cell_id(RAI, 7)))])
        self.assertEqual(self.one.heard_now(), [(0, wire.bvc_reset(7, cell_id(RAI, 7)))])
        self.first.send(0, of_bvc(wire.BVC_RESET, 0, wire.cause(8)))
        self.assertEqual((self.one.kinds(), self.two.kinds()), ([(0, wire.BVC_RESET)],) * 2)
        self.assertEqual(self.first.heard_now(), [(0, wire.bvc_reset_ack(0))])
        self.assertEqual(self.second.kinds(), [])
        self.first.send(7, uplink(0xC0080000, kind=wire.DL_UNITDATA))
        self.one.send(7, uplink(0xC0080000))
        self.assertEqual(self.drops(), {"down_unknown_bvci": 1, "up_cell_not_in_service": 1})
        self.forget()
        self.one.reset(7, cell_id(RAI, 7))
        self.assertEqual((self.first.kinds(), self.second.kinds()), ([(0, wire.BVC_RESET)],) * 2)

    def test_flow_control(self):
        """Ends here: the BSS has its answer, each SGSN its share; the answers of the SGSNs go nowhere."""
        self.begin()
        self.one.send(7, FLOW)
        self.assertEqual(self.one.heard_now(), [(7, bytes([wire.FC_BVC_ACK]) + tlv(wire.TAG, b"\5"))])
        for sgsn in (self.first, self.second):
            found = wire.elements(sgsn.heard_now()[0][1])
            self.assertEqual((found[wire.BVC_BUCKET], found[wire.LEAK_RATE], found[1]), (b"\0\x32", b"\0\x64", b"\0\x64"))
            sgsn.send(7, bytes([wire.FC_BVC_ACK]) + tlv(wire.TAG, b"\5"))
        self.assertEqual(self.one.heard_now(), [])
        self.assertEqual(self.drops(), {})


class Users(Case):
    def test_unitdata(self):
        """Octets are as they were, both ways; down by BVCI whichever the SGSN."""
        self.begin()
        for bss, bvci, sgsn, nri in ((self.one, 7, self.first, 1), (self.one, 8, self.second, 4), (self.two, 9, self.first, 3)):
            for top in (0xC0000000, 0x80000000):
                pdu = uplink(top | nri << 19, bytes(range(256)))
                bss.send(bvci, pdu)
                self.assertEqual(sgsn.heard_now(), [(bvci, pdu)])
        for sgsn in (self.first, self.second):
            pdu = uplink(0xC0080000, bytes(range(256)), wire.DL_UNITDATA)
            sgsn.send(9, pdu)
            self.assertEqual((self.one.heard_now(), self.two.heard_now()), ([], [(9, pdu)]))
        self.assertEqual([(row["up_pdus"], row["down_pdus"]) for row in self.world.show()["sgsns"]], [(4, 1), (2, 1)])

    def test_attach_not_allowed(self):
        self.begin()
        self.assertEqual(self.world.tell("allow-attach 201 no"), "ok")
        for tlli in (*range(0x78000000, 0x78000010), 0xC0080000):
            self.one.send(7, uplink(tlli))
        self.assertEqual((len(self.first.heard_now()), len(self.second.heard_now())), (1, 16))
        self.world.tell("allow-attach 202 no")
        self.one.send(7, uplink(0x78000000))
        self.assertEqual(self.drops(), {"no_sgsn": 1})

    def test_by_tlli(self):
        """Signalling that names a mobile; without one the first SGSN of the file."""
        self.begin()
        names = tlv(wire.TLLI, b"\xc0\x20\0\0")  # NRI 4
        for bvci, kind in ((0, wire.LLC_DISCARDED), (0, wire.FLUSH_LL_ACK), (7, wire.RADIO_STATUS), (7, 0x28), (7, 0x08)):
            self.one.send(bvci, bytes([kind]) + names)
            self.assertEqual((self.first.kinds(), self.second.kinds()), ([], [(bvci, kind)]))
        self.one.send(7, bytes([wire.RADIO_STATUS]) + tlv(wire.TMSI, b"\0\x20\0\0"))
        self.one.send(7, bytes([wire.RADIO_STATUS]) + tlv(wire.IMSI, b"\x21\x43"))
        self.assertEqual((self.first.kinds(), self.second.kinds()), ([(7, wire.RADIO_STATUS)],) * 2)
        self.one.send(0, bytes([wire.STATUS]) + wire.cause(8))
        self.assertEqual(self.drops(), {"status_of_bss": 1})

    def test_suspend(self):
        """The answer finds the BSS, once."""
        self.begin()
        names = tlv(wire.TLLI, b"\xc0\x20\0\0")
        self.two.send(0, bytes([wire.SUSPEND]) + names + tlv(wire.ROUTEING_AREA, RAI))
        self.assertEqual(self.second.kinds(), [(0, wire.SUSPEND)])
        for _ in range(2):
            self.second.send(0, bytes([wire.SUSPEND_ACK]) + names)
        self.assertEqual((self.one.kinds(), self.two.kinds()), ([], [(0, wire.SUSPEND_ACK)]))
        self.assertEqual(self.drops(), {"nobody_asked": 1})

    def test_paging(self):
        """Once to each BSS with a cell of the area; what the BSS says of a page goes to whoever paged."""
        self.begin()
        imsi, everywhere = tlv(wire.IMSI, b"\x21\x43"), tlv(wire.BSS_AREA, b"\0")
        for area, to_one, to_two in ((tlv(wire.ROUTEING_AREA, RAI), 1, 0), (tlv(wire.ROUTEING_AREA, OTHER_RAI), 0, 1),
                                     (tlv(wire.LOCATION_AREA, RAI[:5]), 1, 1), (everywhere, 1, 1), (tlv(wire.BVCI, b"\0\x08"), 1, 0),
                                     (tlv(wire.ROUTEING_AREA, RAI[:5] + b"\x77"), 0, 0)):
            pdu = bytes([wire.PAGING_PS]) + imsi + area
            self.second.send(0, pdu)
            self.assertEqual((self.one.heard_now(), self.two.heard_now()), ([(0, pdu)] * to_one, [(0, pdu)] * to_two))
        self.one.send(8, bytes([wire.PAGING_PS_REJECT]) + imsi)
        self.assertEqual((self.first.kinds(), self.second.kinds()), ([], [(8, wire.PAGING_PS_REJECT)]))
        self.assertEqual(self.drops(), {"page_of_no_cell": 1})

    def test_down_to_a_cell(self):
        """FLUSH-LL by its first BVCI, RIM by the cell it names, OVERLOAD to all."""
        self.begin()
        flush = bytes([wire.FLUSH_LL]) + tlv(wire.TLLI, bytes(4)) + tlv(wire.BVCI, b"\0\x09") + tlv(wire.BVCI, b"\0\x07")
        rim = b"\x71" + tlv(wire.RIM_ROUTING, b"\0" + cell_id(RAI, 8)) + tlv(wire.RIM_ROUTING, b"\0" + cell_id(OTHER_RAI, 9))
        for pdu, to_one, to_two in ((flush, 0, 1), (rim, 1, 0), (bytes([wire.OVERLOAD]) + b"\x17\x81\0", 1, 1)):
            self.first.send(0, pdu)
            self.assertEqual((self.one.heard_now(), self.two.heard_now()), ([(0, pdu)] * to_one, [(0, pdu)] * to_two))
        self.one.send(0, rim)
        self.assertEqual(self.first.heard_now(), [(0, rim)])
        for pdu in (flush[:-4].replace(b"\0\x09", b"\0\x55"), rim[:-1] + b"\1", rim.replace(RAI, RAI[::-1])):
            self.first.send(0, pdu)
        self.assertEqual(self.first.kinds(), [(0, wire.STATUS)])
        self.assertEqual(self.drops(), {"down_unknown_bvci": 1, "rim_to_no_cell": 1})


class Commands(Case):
    def test_nri(self):
        self.begin()
        self.assertEqual([self.world.tell(line) for line in ("nri del 201 2 3", "nri add 202 2")], ["ok", "ok"])
        self.assertEqual([row["nris"] for row in self.world.show()["sgsns"]], [[[1, 1]], [[4, 4], [2, 2]]])
        self.one.send(7, uplink(0xC0100000))
        self.assertEqual((self.first.kinds(), self.second.kinds()), ([], [(7, wire.UL_UNITDATA)]))

    def test_wrong(self):
        self.begin()
        for line, answer in (("", "error: : must be one of "), ("what", "error: what: must be one of allow-attach, nri, fallback, show"),
                             ("nri add 201", "error: nri: takes 3 or 4 words, not 2"), ("nri put 201 5", "error: put: must be add or del"),
                             ("nri add 9 5", "error: 9: no SGSN"), ("nri add 201 x", "error: x: must be a number"),
                             ("nri add 201 4", "error: NRI 4: SGSN 202 has it"), ("allow-attach 201 maybe", "error: maybe: must be yes or no")):
            self.assertTrue(self.world.tell(line).startswith(answer), self.world.tell(line))


if __name__ == "__main__":
    unittest.main()
