# SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments of `gbflow bench` are refused with what is wrong."""
from harness import Case, run

WRONG = [
    (["--octets", "63"], "--octets takes whole numbers from 64 to 1500, not 63"),
    (["--octets", "64,"], "--octets takes"),
    (["--octets", "1,2,3,4,5,6,7,8,9"], "--octets takes"),
    (["--octets", ",".join(["64"] * 9)], "too many values for --octets"),
    (["--cipher", "gea1"], "--cipher takes none, gea3 and gea4, not gea1"),
    (["--mobiles", "0"], "--mobiles takes"),
    (["--mobiles", "1048576"], "--mobiles takes"),
    (["--workers", "17"], "--workers takes"),
    (["--workers", "2", "--cells", "1"], "each worker needs a cell"),
    (["--workers", "2", "--mobiles", "1"], "each worker needs a mobile"),
    (["--zipf", "-1"], "--zipf takes"),
    (["--zipf", "nan"], "--zipf takes"),
    (["--open", "0"], "--open takes"),
    (["--aqm", "nothing"], "there is no AQM scheme nothing"),
    (["--scope", "cell"], "--scope takes"),
    (["--n201-u", "139"], "--n201-u takes"),
    (["--plant", "-1"], "--plant takes"),
    (["--windows", "none"], "--windows takes"),
    (["--fast"], "unknown option --fast"),
    (["more"], "wrong argument more"),
    (["--cores", "4095"], "CPU 4095"),
]


class Options(Case):
    def test_wrong_ones_are_refused(self):
        for arguments, say in WRONG:
            with self.subTest(arguments=arguments):
                self.refuse("preloaded", *arguments, say=say)

    def test_something_has_to_be_measured(self):
        self.refuse(say="it takes what to measure")
        self.refuse("loaded", say="it takes what to measure")

    def test_help_goes_to_standard_output(self):
        for arguments in (["--help"], ["preloaded", "--help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("--octets LIST", done.stdout)
