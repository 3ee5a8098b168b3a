#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The phone of a lab with osmo-pcu: frames of the network in, what it keeps and answers out."""

import pathlib
import queue
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "python"), *(str(ROOT / "tests/oracles" / name) for name in ("gb", "receiver"))]

from gb_oracle import llc  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_bts import layer3  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_bts.handset import Handset  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_bts.routine import Routine  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_lab import radio  # noqa: E402  pylint: disable=wrong-import-position

INFORMATION = bytes.fromhex("0821430584d4f29c0e450584d4f29c0e")
ACTIVATED = bytes.fromhex("8a4203031312ff02 2b0601210a2e0003 27028080".replace(" ", ""))
P_TMSI = b"\xc0\0\0\1"
ACCEPTED = bytes.fromhex("080221170462f2241234051901020318 05f4".replace(" ", "")) + P_TMSI
DETACH = bytes.fromhex("080501")  # to attach again
WHICH = bytes.fromhex("081502")  # IDENTITY REQUEST, the IMEI


class Messages(unittest.TestCase):
    def setUp(self):
        self.phone = Handset(1, bytes(16), layer3.RAI)
        self.phone.fall_quiet = lambda: None  # no radio sends
        self.nu = 0

    def tell(self, message):
        self.phone.radio.on_pdu(llc.encode_ui(layer3.GMM_SAPI, self.nu, message))
        self.nu += 1

    def test_information(self):
        """GMM INFORMATION is no answer: the request that runs still gets its own."""
        for message in (INFORMATION, ACTIVATED, INFORMATION[:9]):
            self.tell(message)
        self.assertEqual(self.phone.activate(), "10.46.0.3")
        self.assertTrue(self.phone.messages[layer3.GMM_SAPI].empty())
        self.assertEqual((self.phone.information, self.phone.faults), (INFORMATION[:9], []))

    def test_imei(self):
        """Its last digit is that of TS 23.003 annex B: the digits, each second one doubled, sum up to tens."""
        self.tell(WHICH)
        self.assertTrue(self.phone.answer(self.phone.next(0)))
        told = llc.decode(self.phone.radio.queue[0], False).info[3:]
        self.assertEqual(told[0] & 15, 0b1010)  # an odd number of digits, an IMEI
        digits = [int(nibble) for nibble in "".join(f"{octet & 15:x}{octet >> 4:x}" for octet in told)[1:]]
        doubled = [sum(divmod(2 * digit, 10)) if i % 2 else digit for i, digit in enumerate(digits)]
        self.assertEqual((len(digits), sum(doubled) % 10), (15, 0))

    def sent(self):
        """Messages of layer 3 that the phone has sent since the last call."""
        found = [llc.decode(octets, False).info for octets in self.phone.radio.queue]
        self.phone.radio.queue.clear()
        return found

    def test_accept_again(self):
        """An ACCEPT that comes once more, as the network has not heard COMPLETE, is answered once more, also while the
        phone waits for another answer; one with another P-TMSI is not of this attach."""
        self.tell(ACCEPTED)
        self.phone.attach_fully()
        self.assertEqual(self.sent()[-1], bytes([layer3.GMM, layer3.ATTACH_COMPLETE]))
        for message in (ACCEPTED, ACTIVATED):
            self.tell(message)
        self.assertEqual(self.phone.activate(), "10.46.0.3")
        self.assertEqual(self.sent()[-1], bytes([layer3.GMM, layer3.ATTACH_COMPLETE]))
        self.assertTrue(self.phone.answer(ACCEPTED))
        self.assertFalse(self.phone.answer(ACCEPTED.replace(P_TMSI, b"\xc0\0\0\2")))
        self.phone.attach()
        self.assertFalse(self.phone.answer(ACCEPTED))

    def test_detached_while_it_activates(self):
        """The network's order counts in place of the answer: a phone that is to attach again does so."""
        routine, said = Routine(self.phone, b"internet"), []
        routine.on_active, routine.on_inactive = said.append, lambda address: said.append(f"not {address}")
        for message in (ACCEPTED, DETACH, ACCEPTED, ACTIVATED):
            self.tell(message)
        routine.wish(routine.go_online)
        routine.step()
        self.assertTrue(routine.is_attached)
        self.assertEqual(said, ["10.46.0.3"])
        self.assertIn(bytes([layer3.GMM, layer3.DETACH_ACCEPT]), self.sent())


class Refusals(unittest.TestCase):
    def attaches_at(self, causes, span_s=2000):
        """Seconds at which a phone attaches that is refused by these causes, then accepted."""
        phone, now, found = mock.Mock(imsi="001010000000001", is_away=False), [0.0], []
        answers = [layer3.Refused(bytes([layer3.GMM, layer3.ATTACH_REJECT, cause])) for cause in causes]

        def attach():
            found.append(now[0])
            if answers:
                raise answers.pop(0)

        def listen(_):
            now[0] += 1.0
            raise queue.Empty

        phone.attach_fully, phone.next = attach, listen
        phones = Routine(phone, b"internet")
        with mock.patch("time.monotonic", lambda: now[0]):
            phones.wish(phones.go_online)
            while now[0] < span_s:
                phones.step()
        return found

    def test_again(self):
        """After T3311, the fifth time and after a protocol error T3302, after a lasting cause never."""
        for causes, wanted in (((), [0]), ((17,), [0, 15]), ((2, 17), [0, 15, 30]), ((111,), [0, 720]), ((7,), [0]),
                               ((3,), [0]), ((17,) * 6, [0, 15, 30, 45, 60, 780, 795])):
            with self.subTest(causes=causes):
                self.assertEqual(self.attaches_at(causes), wanted)


class Said(unittest.TestCase):
    def test_one_piece(self):
        """A line and its end are one write: phones have threads of their own."""
        with mock.patch("sys.stdout") as log:
            radio.say("001010000000001: attaches")
        self.assertEqual(log.write.call_args_list, [mock.call("001010000000001: attaches\n")])


if __name__ == "__main__":
    unittest.main()
