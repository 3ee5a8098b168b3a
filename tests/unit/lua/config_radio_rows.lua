-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong with radio values of mobiles, as in config_bad_rows.

return {
  pieces = {
    { 'queue_limit',
      'radio = { ra_capability = "01020304" }, queue_limit',
      "n.lua:13: mobiles.radio.ra_capability: '...' is not a valid text: 10 to 374 hexadecimal digits",
    },
    { 'queue_limit',
      'radio = { ra_capability = "01020304050" }, queue_limit',
      'n.lua:13: mobiles.radio.ra_capability: 11 hexadecimal digits are no whole number of octets',
    },
    { 'queue_limit',
      'radio = { drx = "123" }, queue_limit',
      "n.lua:13: mobiles.radio.drx: '123' is not a valid text: 4 hexadecimal digits",
    },
    { 'queue_limit',
      'radio = { priority = { level = 15 } }, queue_limit',
      'n.lua:13: mobiles.radio.priority.level: 15 is out of range: 1 .. 14',
    },
    { 'queue_limit',
      'radio = { spid = 256 }, queue_limit',
      'n.lua:13: mobiles.radio.spid: 256 is out of range: 0 .. 255',
    },
    { 'queue_limit',
      'radio = { ra_capability = ("01"):rep(180), drx = "1234", spid = 1, service_utran_cco = 1 }, queue_limit',
      'n.lua:13: mobiles.radio: 193 octets in DL-UNITDATA: 0 .. 190',
    },
    { 'queue_limit',
      'radio = { ra_capability = "0102030405" }, n201_u = "1420 octets", queue_limit',
      "n.lua:13: mobiles.n201_u: size '1420 octets' does not fit gb.mtu of 1500 octets with 85 octets of "
        .. 'headers: 140 octets .. 1415 octets',
    },
  },
  lists = {},
  texts = {},
}
