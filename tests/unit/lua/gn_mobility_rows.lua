-- SPDX-License-Identifier: BSD-3-Clause
-- Messages between SGSNs: each by its number in tests/data/vectors/gn.txt, and as a table.
local spec_tools = require "spec_tools"

local of_hex = spec_tools.octets_of
local RAI <const>, IMSI <const> = "\0\xf1\x10\0\1\2", "001010000000010"
local OLD <const>, NEW <const> = "192.0.2.10", "192.0.2.20"
local KC <const>, RAND <const> = of_hex "2bd6459f82c5bc00", of_hex "00112233445566778899aabbccddeeff"
local CK <const> = of_hex "000102030405060708090a0b0c0d0e0f"
local IK <const> = of_hex "101112131415161718191a1b1c1d1e1f"
local TRIPLET <const> = { rand = RAND, sres = of_hex "deadbeef", kc = of_hex "0123456789abcdef" }
local QUINTUPLET <const> = { rand = RAND, xres = of_hex "deadbeef", ck = CK, ik = IK,
  autn = of_hex "ffeeddccbbaa99887766554433221100" }
local QOS <const> = of_hex "1b921f7296404074020000"

local function context(reordering)
  return { nsapi = 5, sapi = 3, is_active = true, reordering = reordering, vplmn_allowed = true, qos_subscribed = QOS,
    qos_requested = QOS, qos_negotiated = QOS, arp = 2, arp_subscribed = 2, arp_requested = 2, sequence_down = 0x1122,
    sequence_up = 0x3344, send_n_pdu = 9, receive_n_pdu = 7, teid_control = 0x11112222, teid_data = 0x33334444,
    context_id = 1, pdp_type = "ipv4", ipv4 = "10.11.0.2", control = "192.0.2.1", user = "192.0.2.1", apn = "internet",
    ti = 8, ti_extension = 0 }
end

local function mm(changes)
  local out = { mode = 1, cksn = 3, cipher = 3, drx = "\x0a\0", capability = of_hex "e5e034" }
  for key, value in pairs(changes) do out[key] = value end
  return out
end

local function response(seq, changes)
  local out = { type = "context_response", teid = 0xaa01, seq = seq, cause = 128, imsi = IMSI, teid_control = 0xbb02,
    control = OLD }
  for key, value in pairs(changes) do out[key] = value end
  return out
end

return {
  { 107, { type = "context_request", teid = 0, seq = 0x101, rai = RAI, tlli = 0x80d54321, signature = of_hex "a1b2c3",
    teid_control = 0xaa01, control = NEW, rat_type = 2, hop_counter = 5 } },
  { 108, { type = "context_request", teid = 0, seq = 0x102, imsi = IMSI, rai = RAI, tlli = 0x80d54321,
    ms_validated = true, teid_control = 0xaa01, control = NEW } },
  { 109, response(0x101, { radio_priority_sms = 1, mm = mm { kc = KC, triplets = { TRIPLET } },
    contexts = { context(false) } }) },
  { 110, response(0x103, { mm = mm { mode = 0, cksn = 2, ck = CK, ik = IK, quintuplets = { QUINTUPLET } },
    contexts = { context(true) } }) },
  { 111, response(0x104, { mm = mm { mode = 3, cksn = 2, kc = KC, quintuplets = { QUINTUPLET } } }) },
  { 112, { type = "context_response", teid = 0xaa01, seq = 0x102, cause = 194 } },
  { 113, { type = "context_response", teid = 0xaa01, seq = 0x102, cause = 206 } },
  { 114, { type = "context_acknowledge", teid = 0xbb02, seq = 0x101, cause = 128,
    tunnels = { { nsapi = 5, teid = 0xcc05 } }, user = NEW } },
  { 115, { type = "identification_request", teid = 0, seq = 0x201, rai = RAI, p_tmsi = 0xc0d54321,
    signature = of_hex "a1b2c3" } },
  { 116, { type = "identification_response", teid = 0, seq = 0x201, cause = 128, imsi = IMSI,
    triplets = { TRIPLET } } },
  { 117, { type = "identification_response", teid = 0, seq = 0x201, cause = 194 } },
  { 119, { type = "ran_information_relay", teid = 0, seq = 7,
    container = of_hex "7154890000f110000102000354890000f1100001050009578c4b81014c84000000014f8101",
    routing_address = RAI .. "\0\3", discriminator = 0 } },
}
