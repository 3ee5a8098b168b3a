# SPDX-License-Identifier: BSD-3-Clause
"""gbflow lab up --esp (docs/lab.md): its texts and refusals here, the lab in a guest where this machine's kernel has no ESP."""
import os
import pathlib
import re
import shutil
import stat
import tempfile
import unittest
from dataclasses import replace
from unittest import mock

import esp_kernel
import hlr
import ike_rig
import lab
import lab_command
import test_esp_kernel
from gbflow_lab import esp, extras, network, preflight, state

STATES = """src 192.0.2.1 dst 192.0.2.2
\tproto esp spi 0xcb23a688 reqid 2 mode tunnel
\treplay-window 0 flag af-unspec esn
\taead rfc4106(gcm(aes)) 0x00 128
src 192.0.2.2 dst 192.0.2.1
\tproto esp spi 0xc5b463ba reqid 2 mode tunnel
\tauth-trunc hmac(sha256) 0x00 128
\tenc cbc(aes) 0x00
src 192.0.2.2 dst 192.0.2.1
\tproto esp spi 0xc5b463bb reqid 0 mode tunnel
\treplay-window 0
src 198.51.100.2 dst 192.0.2.1
\tproto esp spi 0xc5b463bc reqid 3 mode tunnel
\taead rfc4106(gcm(aes)) 0x00 128
"""


class Texts(unittest.TestCase):
    def setUp(self):
        self.made = replace(network.made_of("some", ["anna"]), extras=(esp.ESP,))

    def test_node(self):
        text = network.node_text(self.made)
        self.assertIn('ike = { netns = "some-ike", interface = "gbflow-ike" }', text)
        self.assertEqual(text.count('others = "drop"'), 2)
        self.assertNotIn("esp", network.node_text(replace(self.made, extras=())))
        self.assertIn("some-ike", self.made.namespaces)
        self.assertNotIn("some-ike", replace(self.made, extras=()).namespaces)

    def test_daemons(self):
        """Both ends of a tunnel have its secret, no other one has; each lab has its own."""
        found = set()
        for _ in range(2):
            texts = dict(esp.texts_of(pathlib.Path("/run/some")))
            self.assertEqual(len(texts), 6)
            secrets = {side: re.findall(r"secret = 0x([0-9a-f]{64})\n", texts[f"swanctl-{side}.conf"]) for side in esp.SIDES}
            self.assertEqual(secrets["ike"], secrets["ggsn"] + secrets["bss"])
            found |= set(secrets["ike"])
            for side in esp.SIDES:
                settings = texts[f"charon-{side}.conf"]
                self.assertIn(f"socket = unix:///run/some/vici-{side}\n", settings)
                self.assertIn("bypass-lan {\n      load = no\n", settings)
                self.assertEqual([text.count("{") - text.count("}") for text in (settings, texts[f"swanctl-{side}.conf"])], [0, 0])
            self.assertEqual(re.findall("start_action = (.*)", texts["swanctl-ike.conf"]), ["start", "start"])
            self.assertEqual(re.findall("start_action = (.*)", texts["swanctl-bss.conf"]), ["trap"])
        self.assertEqual(len(found), 4)

    def test_files(self):
        """For their owner alone; the secrets do not stay."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "swanctl-ike.conf").write_text("of a lab before", encoding="ascii")
            (path / "swanctl-ike.conf").chmod(0o644)
            esp.write_files(path)
            self.assertEqual({stat.S_IMODE(file.stat().st_mode) for file in path.iterdir()}, {0o600})
            self.assertEqual(len(list(path.iterdir())), 6)
            esp.forget_files(path)
            self.assertEqual(sorted(file.name for file in path.iterdir()), ["charon-bss.conf", "charon-ggsn.conf", "charon-ike.conf"])

    def test_counts(self):
        """Without those that are still being made, and those of others."""
        self.assertEqual(esp.counts_in(STATES), {"gn": 2, "gb": 0})
        self.assertEqual(esp.counts_in(""), {"gn": 0, "gb": 0})
        self.assertEqual(esp.status_text({"gn": 2, "gb": 4}, {"bss"}), "ESP on Gn and Gb, 6 associations (Gn 2, Gb 4), new keys every 600 s")

    def test_ended_daemon(self):
        """An ended daemon renews nothing."""
        self.assertEqual(esp.status_text({"gn": 2, "gb": 2}, {"charon-ike", "bss"}),
                         "ESP on Gn and Gb, 4 associations (Gn 2, Gb 2), no new keys without charon-ike")

    def test_state(self):
        with tempfile.TemporaryDirectory() as folder:
            for chosen in (extras.ALL, []):
                state.keep_state(pathlib.Path(folder), replace(self.made, extras=chosen), [])
                self.assertEqual(state.kept_state(pathlib.Path(folder))[0].extras, chosen)

    def test_apparmor(self):
        """Profiles hold where the kernel has them in force."""
        with tempfile.NamedTemporaryFile("w+", encoding="ascii") as file, mock.patch.object(esp, "APPARMOR", file.name):
            self.assertEqual(esp.swanctl_words(pathlib.Path("/run/some"), "ike", "--list-sas"),
                             ["swanctl", "--list-sas", "--uri", "unix:///run/some/vici-ike"])
            file.write("Y\n")
            file.flush()
            self.assertEqual(esp.charon_words(pathlib.Path("/run/some"), "bss"),
                             ["aa-exec", "-p", "unconfined", "--", "env", "STRONGSWAN_CONF=/run/some/charon-bss.conf", "charon-systemd"])
            self.assertRegex(list(esp.hints(pathlib.Path("/run/some")))[1], "^aa-exec -p unconfined -- swanctl --rekey --child gn --uri ")

    def test_missing(self):
        with mock.patch("os.geteuid", lambda: 0), mock.patch.object(preflight, "has_tun", lambda: True), \
                mock.patch("shutil.which", lambda name: None if name in ("charon-systemd", "swanctl") else name):
            made = replace(self.made, extras=(replace(esp.ESP, fault=lambda: "no ESP"),))
            self.assertEqual(list(preflight.faults(made)),
                             ["no ESP", "charon-systemd and swanctl: apt install charon-systemd strongswan-swanctl; gbflow lab up --install does that"])
            self.assertEqual(list(preflight.faults(replace(self.made, extras=()))), [])

    def test_kernel(self):
        self.assertIsNone(esp.kernel_fault(("true",)))
        said = esp.kernel_fault(("sh", "-c", "echo 'RTNETLINK answers: Protocol not supported' >&2; exit 2"))
        self.assertRegex(said, r"^ESP of the kernel \(RTNETLINK answers: Protocol not supported\): load its modules \(modprobe -a esp4 ")


class Refused(lab_command.Case):
    def test_options(self):
        self.assertIn("--esp needs one node: leave --pool out", self.call("up", "--esp", "--pool", "2", status=2).stderr)
        self.call("up", "--mobiles", "ike", status=2)

    def test_kernel(self):
        lab.need(self, None if esp_kernel.missing() else "this kernel has ESP")
        self.assertRegex(self.call("up", "--esp", status=1).stderr, r"nothing was started\. Missing:\n  ESP of the kernel \(.*modprobe")
        self.assertEqual(self.namespaces(), [])
        self.assertFalse(os.path.exists(f"/run/{self.name}/lab.json"))


class Lab(test_esp_kernel.Case):
    def setUp(self):
        super().setUp()
        lab.need(self, ike_rig.missing())

    def test_mobiles(self):
        self.check("lab_esp_walk.py", "Walk.test_mobiles")

    def test_pcu(self):
        lab.need(self, hlr.missing() or (None if shutil.which("osmo-pcu") else "needs the program osmo-pcu"))
        self.check("lab_esp_walk.py", "Walk.test_pcu")


if __name__ == "__main__":
    unittest.main()
