# SPDX-License-Identifier: BSD-3-Clause
"""The configuration of an osmo-pcu whose BTS is bts.Bts: that tells it the cell, the NS-VC and the timers of BSSGP."""

TEXT = """log stderr
 logging filter all 1
 logging color 0
 logging print category 1
 logging timestamp 1
 logging level all notice
line vty
 no login
 bind %(vty)s
ns
 timer tns-block 3
 timer tns-block-retries 3
 timer tns-reset 3
 timer tns-reset-retries 3
 timer tns-test %(test_s)d
 timer tns-alive %(alive_s)d
 timer tns-alive-retries %(retries)d
 timer tsns-prov 3
pcu
 pcu-socket %(socket)s
 gb-dialect %(dialect)s
 flow-control-interval 1
 cs %(scheme)d
 alloc-algorithm %(allocation)s
 gamma 0
 timer X102 5
%(more)s"""
DEFAULTS = {"test_s": 30, "alive_s": 3, "retries": 10, "scheme": 1, "dialect": "classic", "vty": "127.0.0.1",
            "allocation": "a", "more": ""}


def text(socket, **values):
    """socket: path of the BTS's socket; values replace defaults."""
    return TEXT % {**DEFAULTS, "socket": socket, **values}
