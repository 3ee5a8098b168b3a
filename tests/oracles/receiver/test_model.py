# SPDX-License-Identifier: BSD-3-Clause
"""The receiver on frames made by hand: wraps, key changes, loss, repetition, reset, other TLLIs."""
import unittest

import sender
from gb_oracle import bssgp, sndcp
from gb_receiver import gea, keys, model
from sender import KC3, KC4, base, sn_pdu, ui

IOV = 0x12345678
GEA3 = {"algorithm": 3, "kc": KC3.hex(), "iov_ui": IOV}
GEA4 = {"algorithm": 4, "kc": KC4.hex(), "iov_ui": 0}
WITHOUT_KEY, WRONG_FCS, IN_CLEAR = "ciphered, and no key is in force", "FCS is wrong", "in clear while ciphering is on"


def ring(*rows, first_nu=None):
    return keys.KeyRing([keys.key_of(row) for row in rows], first_nu)


def receiver(*rows, first_nu=None, tllis=(sender.TLLI,)):
    return model.Receiver([(tllis, ring(*rows, first_nu=first_nu))])


def feed(to, frames, down=True):
    for number, frame in enumerate(frames):
        to.pdu({"frame": number + 1, "time_ns": number * 10**6}, bssgp.decode(sender.unitdata(frame, down)[4:]))
    return to


def gea3(place, iov=IOV):
    """A frame whose INPUT counts on past 511 by itself."""
    return ui(place % 512, sn_pdu(place % 4096), (KC3, base(iov) + place))


class Wraps(unittest.TestCase):
    def test_five_wraps_with_a_key_change_in_between(self):
        change, total = 1300, 3000
        frames = [gea3(place) for place in range(change)]
        # Ciphering starts anew: OC is 0 in the run of 512 in which the key changes.
        frames += [ui(place % 512, sn_pdu(place), (KC4, base(0) + place - 1024)) for place in range(change, total)]
        to = feed(receiver(GEA3, dict(GEA4, from_nu=change)), frames)
        self.assertEqual(to.faults, [])
        self.assertEqual([row["n_pdu_number"] for row in to.n_pdus], list(range(total)))
        entity = to.entities()[0]
        self.assertEqual((entity["ciphered"], entity["wraps"], entity["v_ur"]), (total, 5, total - 5 * 512))

    def test_row_511_to_0(self):
        for overflow_at_0, faults in ((512, []), (0, [WRONG_FCS]), (1024, [WRONG_FCS])):
            frames = [ui(511, sn_pdu(1), (KC3, base(IOV) + 511)), ui(0, sn_pdu(2), (KC3, base(IOV) + overflow_at_0))]
            to = feed(receiver(GEA3, first_nu={3: 511}), frames)
            self.assertEqual([fault["what"] for fault in to.faults], faults)

    def test_one_step_too_early_is_found(self):
        to = feed(receiver(GEA3, first_nu={3: 510}), [gea3(510), ui(511, sn_pdu(1), (KC3, base(IOV) + 1023))])
        self.assertEqual([fault["nu"] for fault in to.faults], [511])

    def test_loss_over_a_wrap(self):
        to = feed(receiver(GEA3), [gea3(place) for place in (0, 400, 700, 1170, 1500)])
        self.assertEqual((len(to.n_pdus), to.faults, to.entities()[0]["missing"]), (5, [], 1496))

    def test_the_input_wraps_at_32_bits(self):
        high = 0xFFFFFF00 ^ 0x98000000
        to = feed(receiver(dict(GEA3, iov_ui=high)), [ui(p % 512, sn_pdu(p), (KC3, base(high) + p & 0xFFFFFFFF))
                                                      for p in range(600)])
        self.assertEqual((len(to.n_pdus), to.faults), (600, []))


class Window(unittest.TestCase):
    def test_late_and_repeated(self):
        order = [508, 509, 512, 513, 510, 511, 511, 513, 514]
        to = feed(receiver(GEA3, first_nu={3: 508}), [gea3(place) for place in order])
        self.assertEqual([row["n_pdu_number"] for row in to.n_pdus], [508, 509, 512, 513, 510, 511, 514])
        self.assertEqual([row["late"] for row in to.n_pdus], [False] * 4 + [True] * 2 + [False])
        self.assertEqual((to.faults, to.count["dropped"]), ([], 2))

    def test_edges(self):
        # 32 behind V(UR) is the past, 33 is nearly a whole turn ahead.
        for nu, outcome in ((100, (101, 1)), (69, (101, 0)), (68, (512 + 69, 0))):
            to = feed(receiver(), [ui(n, sn_pdu(n)) for n in (68, 100, nu)])
            self.assertEqual((to.mobile(sender.TLLI).entity(1, 3).expected, to.count["dropped"]), outcome)

    def test_before_the_first(self):
        to = feed(receiver(), [ui(511, sn_pdu(1)), ui(0, sn_pdu(2))])
        self.assertEqual([row["nu"] for row in to.n_pdus], [0])

    def test_a_wrong_frame_does_not_move_the_window(self):
        broken = bytearray(gea3(300))
        broken[10] ^= 1
        to = feed(receiver(GEA3), [gea3(0), bytes(broken), gea3(1)])
        self.assertEqual([fault["what"] for fault in to.faults], [WRONG_FCS])
        self.assertEqual(to.entities()[0]["v_ur"], 2)


class Switching(unittest.TestCase):
    def test_on_and_off_at_exact_numbers(self):
        rows = ({"from_nu": 0}, dict(GEA3, from_nu=10), {"from_nu": 20, "algorithm": 0}, dict(GEA4, from_nu=30))
        frames = [ui(n, sn_pdu(n)) for n in range(10)] + [gea3(n) for n in range(10, 20)]
        frames += [ui(n, sn_pdu(n)) for n in range(20, 30)] + [ui(n, sn_pdu(n), (KC4, base(0) + n)) for n in range(30, 40)]
        to = feed(receiver(*rows), frames)
        self.assertEqual((len(to.n_pdus), to.faults), (40, []))
        for at, frame, what in ((9, gea3(9), WITHOUT_KEY), (10, ui(10, sn_pdu(1)), IN_CLEAR),
                                (20, gea3(20), WITHOUT_KEY), (30, gea3(30), WRONG_FCS)):
            to = feed(receiver(*rows, first_nu={3: at}), [frame])
            self.assertEqual([fault["what"] for fault in to.faults], [what], at)

    def test_directions_and_sapis_count_alone(self):
        to = receiver(GEA3)
        feed(to, [gea3(n) for n in range(600)])
        feed(to, [ui(n, sn_pdu(n), (KC3, base(IOV) + n), 0x03) for n in range(5)], down=False)
        feed(to, [ui(n, sn_pdu(n), (KC3, base(IOV, 5) + n), 0x45) for n in range(5)])
        self.assertEqual((len(to.n_pdus), to.faults), (610, []))

    def test_a_key_for_one_sapi(self):
        to = feed(receiver(dict(GEA3, sapi=3)), [gea3(0), ui(0, sn_pdu(0), address=0x45)])
        self.assertEqual((len(to.n_pdus), to.faults), (2, []))

    def test_a_key_for_one_direction(self):
        to = receiver(dict(GEA3, direction="down"), dict(GEA4, direction="up"))
        feed(to, [gea3(0)])
        feed(to, [ui(0, sn_pdu(0), (KC4, base(0)), 0x03)], down=False)
        self.assertEqual((len(to.n_pdus), to.faults), (2, []))

    def test_signalling_in_clear(self):
        identity, detach = bytes.fromhex("081501"), bytes.fromhex("080501")
        to = feed(receiver(GEA3), [ui(0, identity, address=0x41), ui(1, detach, address=0x41)])
        self.assertEqual([row["octets"] for row in to.messages], [identity.hex()])
        self.assertEqual([fault["what"] for fault in to.faults], [IN_CLEAR])

    def test_unprotected_mode(self):
        whole = bytearray(ui(0, sn_pdu(1), (KC3, base(IOV)), protected=False))
        whole[3 + 5] ^= 1
        to = feed(receiver(GEA3), [bytes(whole), ui(1, sn_pdu(2), (KC3, base(IOV) + 1), protected=False)])
        self.assertEqual(([row["octets"] for row in to.n_pdus], to.faults), ([b"p`cket".hex(), b"packet".hex()], []))


class Reset(unittest.TestCase):
    def test_numbers_and_iov_follow_the_command_down_and_the_response_up(self):
        item = bytes.fromhex("30841011223344")
        command, response = sender.u_frame(0x41, 0xFB, item), sender.u_frame(0x41, 0xFB)
        new, old_key = 0x11223344, {"algorithm": 3, "kc": KC3.hex()}
        to = receiver(old_key)
        feed(to, [ui(n, sn_pdu(n), (KC3, base(0) + n)) for n in range(700 % 512)])
        up = [ui(n, sn_pdu(n), (KC3, base(0) + n), 0x03) for n in range(3)]
        feed(to, up[:2], down=False)
        feed(to, [command, command])
        feed(to, [ui(0, sn_pdu(9), (KC3, base(new)))])
        feed(to, [up[2], response, ui(0, sn_pdu(9), (KC3, base(new)), 0x03)], down=False)
        self.assertEqual((len(to.n_pdus), to.faults), (188 + 2 + 1 + 2, []))
        self.assertEqual([row["resets"] for row in to.entities()], [1, 1])

    def test_a_reset_without_iov_ends_the_one_before(self):
        resets = [sender.u_frame(0x41, 0xFB, bytes.fromhex(text)) for text in ("30841011223344", "30")]
        to = feed(receiver({"algorithm": 3, "kc": KC3.hex()}), [resets[0], gea3(0, 0x11223344), resets[1], gea3(0, 0)])
        self.assertEqual((len(to.n_pdus), to.faults), (2, []))

    def test_a_key_outlives_a_reset(self):
        # It began in the second run of 512, and counts from 0 after the reset.
        frames = [ui(600 % 512, sn_pdu(1), (KC3, base(IOV) + 600 % 512)), sender.u_frame(0x41, 0xFB, b"\x30")]
        to = feed(receiver(dict(GEA3, from_nu=600), first_nu={3: 600}), frames + [gea3(0), gea3(400), gea3(599)])
        self.assertEqual((len(to.n_pdus), to.faults), (4, []))

    def test_keys_after_a_reset(self):
        rows = (GEA3, dict(GEA4, resets=1, from_nu=2))
        reset = sender.u_frame(0x41, 0xFB, b"\x30")
        frames = [gea3(0), reset, gea3(0), gea3(1), ui(2, sn_pdu(2), (KC4, base(0) + 2))]
        to = feed(receiver(*rows), frames)
        self.assertEqual((len(to.n_pdus), to.faults), (4, []))


class Mobiles(unittest.TestCase):
    def test_two_names_are_one_mobile(self):
        to = receiver(GEA3, tllis=(1, 2))
        for number, tlli in enumerate((1, 2, 1)):
            to.pdu({"frame": 1, "time_ns": 0}, bssgp.decode(sender.unitdata(gea3(number), tlli=tlli)[4:]))
        self.assertEqual((len(to.n_pdus), to.faults), (3, []))

    def test_the_old_tlli_names_the_mobile(self):
        to = receiver(GEA3, tllis=(1,))
        for number, (tlli, old) in enumerate(((1, None), (7, 1), (7, None))):
            to.pdu({"frame": 1, "time_ns": 0}, bssgp.decode(sender.unitdata(gea3(number), tlli=tlli, old=old)[4:]))
        self.assertEqual((len(to.n_pdus), to.faults), (3, []))
        self.assertEqual(to.entities()[0]["tlli"], ["00000001", "00000007"])

    def test_unknown_mobiles_are_in_clear(self):
        to = feed(model.Receiver(), [ui(0, sn_pdu(1))])
        self.assertEqual((len(to.n_pdus), to.faults), (1, []))


class NPdus(unittest.TestCase):
    PACKET = bytes(range(256)) * 5

    def pieces(self, number):
        return sndcp.encode(self.PACKET, 5, number, 500)

    def infos(self, rows):
        return [ui(number, info) for number, info in enumerate(rows)]

    def test_segments(self):
        first, second, third = self.pieces(4095)
        other, orphan = sn_pdu(7, b"other", 6), self.pieces(5)[1]
        for rows, whole, incomplete, dropped in (
                ([first, second, third], 1, 0, 0), ([first, third, second], 1, 0, 0), ([first, other, second, third], 2, 0, 0),
                ([first, second, second, third], 1, 0, 1), ([first, third], 0, 1, 0), ([second, third], 0, 0, 2),
                ([first, orphan, second, third], 1, 0, 1), ([first, sn_pdu(0), second, third], 1, 1, 2)):
            to = feed(receiver(), self.infos(rows))
            self.assertEqual((len(to.n_pdus), to.entities()[0]["incomplete"], to.count["dropped"]),
                             (whole, incomplete, dropped))
            if first in rows and whole == 1 and incomplete == 0:
                self.assertEqual(to.n_pdus[0]["octets"], self.PACKET.hex())

    def test_patience_ends(self):
        to = receiver()
        for number, (info, at_s) in enumerate(zip(self.pieces(1), (0, 9, 11))):
            to.pdu({"frame": 1, "time_ns": at_s * 10**9}, bssgp.decode(sender.unitdata(ui(number, info))[4:]))
        self.assertEqual((to.n_pdus, to.count["dropped"]), ([], 1))

    def test_wrong_headers(self):
        for info in (b"\x45\0\0\0x", b"\xe5\0\0\0x", b"\x64\0\0\0x", b"\x65\x10\0\0x", b"\x65\0"):
            self.assertEqual(len(feed(receiver(), [ui(0, info)]).faults), 1, info.hex())


class Frames(unittest.TestCase):
    def test_frames_that_are_none(self):
        ui_as_response, short = ui(0, b"", address=0x03), bytes.fromhex("43c0")
        for frame in (ui_as_response, short, sender.u_frame(0x43, 0xF6)[:-1] + b"\0"):
            self.assertEqual(len(feed(receiver(), [frame]).faults), 1, frame.hex())
        for frame in (sender.u_frame(0x43, 0xF6), ui(0, b""), b"\xc3" + ui(0, b"")[1:], ui(0, b"", address=0x44)):
            self.assertEqual(feed(receiver(), [frame]).faults, [], frame.hex())

    def test_direction_of_the_stream(self):
        wrong = ui(0, sn_pdu(1), (KC3, base(IOV)), 0x03)
        to = feed(receiver(GEA3), [bytes([0x43]) + wrong[1:]])
        self.assertEqual([fault["what"] for fault in to.faults], [WRONG_FCS])
        self.assertEqual(gea.DOWNLINK, 1)


if __name__ == "__main__":
    unittest.main()
