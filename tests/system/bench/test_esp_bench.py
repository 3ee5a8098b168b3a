# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench --esp`: frames are those without ESP, and its stages stand where they are in the step."""
import test_preloaded
import test_stages


class Preloaded(test_preloaded.Checks):
    def test_esp(self):
        """Frames that were sealed before Gn and opened behind Gb are the same as without ESP."""
        for sides, more in (("gn", []), ("gb", []), ("gn,gb", []), ("gb,gn", ["--esp-suite", "aes-cbc-256-sha-256"]),
                            ("gn,gb", ["--esp-device", "crypto_openssl"])):
            with self.subTest(sides=sides, more=more):
                report = self.measure(*test_preloaded.SMALL, "--octets", "64,1400", "--esp", sides, *more)
                self.assertEqual(report["plan"]["esp"], "gb" if sides == "gb" else "gn" if sides == "gn" else "gn,gb")
                for trial in report["trials"]:
                    self.check_trial(trial)
                    self.assertEqual(trial["dropped"], 0)
                    self.assertEqual(trial["llc_frames"], test_preloaded.FRAMES[trial["octets"]] * trial["sent"])
                    self.assertIn(trial["esp"]["device"], ("ipsec_mb", "crypto_aesni_gcm", "crypto_aesni_mb", "crypto_openssl"))

    def test_esp_on_gb_is_in_the_frames(self):
        """IPv4 20, ESP's header 8, IV 8, trailer 2, padding up to 3, ICV 16."""
        small = [*test_preloaded.SMALL[:-1], "--octets", "64"]
        plain, gn, gb = (self.measure(*small, *more)["trials"][0] for more in ([], ["--esp", "gn"], ["--esp", "gb"]))
        octets = [trial["frame_octets"] / trial["llc_frames"] for trial in (plain, gn, gb)]
        self.assertIsNone(plain["esp"])
        self.assertEqual(octets[0], octets[1])
        self.assertTrue(54 <= octets[2] - octets[0] <= 57, octets)


class Stages(test_stages.Case):
    def test_esp(self):
        """Its stages stand where they are in the step; without it no row has them."""
        for sides, at in (("gn", [(1, "esp_in")]), ("gb", [(10, "esp_out")]), ("gn,gb", [(1, "esp_in"), (11, "esp_out")])):
            with self.subTest(sides=sides):
                step = list(test_stages.STEP)
                for place, name in at:
                    step.insert(place, name)
                trial = self.measure(*test_stages.SMALL, "--octets", "64", "--esp", sides, "--check-fcs")["trials"][0]
                self.assertIsNone(trial["fault"])
                self.assertEqual([stage["name"] for stage in trial["stages"]], step + test_stages.HALVES)
