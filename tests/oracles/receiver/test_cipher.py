# SPDX-License-Identifier: BSD-3-Clause
"""KASUMI, GEA3 and GEA4 against published values; the sheet's worked frame."""
import unittest

import sender
from gb_receiver import frame, gea, kasumi, keys, mobile

# TS 55.217, 55.218, 55.226; the last two rows: a real trace, and the frame of WORKED.
VECTORS = (
    ("2bd6459f82c5bc00", 0x8E9421A3, 0, "5f359709de950d0105b17b6c90194280f880b48dccdc2afeed415dbef4354eebb21d073ccbbfb2d706bd"),
    ("952c49104881ff48", 0x5064DB71, 0, "fdc03d738c8e14ff0320e59aaf75760799e9da78dd8f888471c4aeaac1849633a26cd84f459d265b83d7"),
    ("efa8b2229e720c2a", 0x4BDBD5E5, 1, "4718a2adfc90590949ddadab406ec3b925f1af1214673909daab96bb4c18b1374bb1e99445a81cc856e4"),
    ("3451f23a43bd2c87", 0x893FE14F, 0, "b46b1e284e3f8b63b86d9df0915cfceddf2f061895bf9f82bf2593ae4847e94a4626c393cf8941ce15ea"),
    ("caa2639be82435cf", 0x8FE17885, 1, "9fefaf155a26cf35603e727cdaa87ba067fd84ff98a50b7ff0ec8e95a0fb70e79cb93dee2b7e9ab59d05"),
    ("1aca8b448b767b39", 0x4F7BC3B5, 0, "514f6c3a3b5a55ca190092f7bb6e80ef3edb738fcdce2ff90bb387dde75bbc32a04a67b898a3dfb8198f"),
    ("d3c5d592327fb11c4035c6680af8c6d1", 0x0A3A59B4, 0, "6e217ce41ebefb5ec8094c15974290065e42babc9ae35654a53085ce68dfa4426a2f"),
    ("3d43c388c9581e337ff1f97eb5c1f85e", 0x48571AB9, 0, "fc7314ef00a63ed0116f236c5d25c54eec56a5b71f9f18b4d7941f84e422acbde5ee"),
    ("a4496a64df4f399f3b4506814a3e07a1", 0xEB04ADE2, 1, "2aeb5970fb06b718027d048488aaf24fb3b74ea4a6b1242ff85b108ff816a303c727"),
    ("0c09c6ed723a8400", 0x98000019, 1, "91d2a1a85f6bb00429d76dcd1ca27f50"),
    ("2bd6459f82c5bc00", 0x8A34567D, 1, "6dd2851aa2815e5c77b326431b5540e0fd8e73b87425f00de29ac8d92f9489b0428dd9"),
)
WORKED = bytes.fromhex("43c01708d2851de7815e4077b226435b54ee323d8e71b97e2ef00fea9a3f272f9489b15ab0c5")
CLEAR = bytes.fromhex("650000074500001c000100004001aed2c00002010a0b00020800f7fe00000001")


class Cipher(unittest.TestCase):
    def test_boxes_are_permutations(self):
        self.assertEqual(sorted(kasumi.S7), list(range(128)))
        self.assertEqual(sorted(kasumi.S9), list(range(512)))

    def test_published_streams(self):
        for kc, number, direction, stream in VECTORS:
            with self.subTest(kc=kc, number=number):
                got = gea.keystream(bytes.fromhex(kc), number, direction, len(stream) // 2)
                self.assertEqual(got.hex(), stream)

    def test_shorter_streams_are_beginnings(self):
        whole = gea.keystream(sender.KC4, 77, 1, 40)
        self.assertEqual([gea.keystream(sender.KC4, 77, 1, n) for n in range(41)], [whole[:n] for n in range(41)])

    def test_input(self):
        for iov_ui, sapi, nu, overflow, expect in (
                (0x12345678, 3, 5, 0, 0x8A34567D), (0, 3, 26, 0, 0x9800001A), (0, 3, 20, 0, 0x98000014),
                (0, 1, 0, 512, 0x88000200), (0xFFFFFFFF, 11, 511, 512, 0x27FFFFFF + 1023)):
            self.assertEqual(gea.ui_input(iov_ui, sapi, nu, overflow), expect)

    def test_the_worked_frame(self):
        row = keys.key_of({"algorithm": 3, "kc": sender.KC3.hex(), "iov_ui": "12345678"})
        phone = mobile.Mobile(keys.KeyRing([row]))
        self.assertEqual(phone.ui(gea.DOWNLINK, frame.decode(WORKED, True)), (CLEAR, 5, False))


if __name__ == "__main__":
    unittest.main()
