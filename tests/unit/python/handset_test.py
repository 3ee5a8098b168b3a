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
WHICH = bytes.fromhex("081502")  # IDENTITY REQUEST, the IMEI


class Messages(unittest.TestCase):
    def setUp(self):
        self.phone = Handset(1, bytes(16), layer3.RAI)
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
