-- SPDX-License-Identifier: BSD-3-Clause
-- CP-messages with the RP-messages in them, both ways. test_sms_tshark.py asks TShark about cp.
local U <const>, D <const> = "ms", "sgsn"
local CENTRE <const>, TPDU <const> = "91947122723033", "01050a919471214365000005e8329bfd06"
local DELIVER <const> = "040a91947121436500006211222190002105e8329bfd06"

return {
  cp = {
    { name = "RP-DATA of the phone", from = U, hex = "39011d002a0007919471227230331101050a919471214365000005e8329bfd06",
      cp = { message = "cp_data", ti = 3, ti_flag = 0 }, rp = { message = "rp_data", reference = 0x2a, originator = "",
        destination = CENTRE, user_data = TPDU } },
    { name = "RP-DATA of the network", from = D,
      hex = "090123012b07919471227230330017040a91947121436500006211222190002105e8329bfd06",
      cp = { message = "cp_data", ti = 0, ti_flag = 0 }, rp = { message = "network_rp_data", reference = 0x2b,
        originator = CENTRE, destination = "", user_data = DELIVER } },
    { name = "RP-ACK of the phone", from = U, hex = "890102022b", cp = { message = "cp_data", ti = 0, ti_flag = 1 },
      rp = { message = "rp_ack", reference = 0x2b } },
    { name = "RP-ACK of the phone with a report", from = U, hex = "890106022b41020000",
      rp = { message = "rp_ack", user_data = "0000" } },
    { name = "RP-ERROR of the phone", from = U, hex = "890104042b0116", rp = { message = "rp_error", cause = 22 } },
    { name = "RP-ERROR of the phone with a report", from = U, hex = "890108042b011641020000",
      rp = { message = "rp_error", cause = 22, user_data = "0000" } },
    { name = "RP-SMMA", from = U, hex = "390102062c", rp = { message = "rp_smma", reference = 0x2c } },
    { name = "RP-ACK of the network", from = D, hex = "b90102032a", cp = { message = "cp_data", ti = 3, ti_flag = 1 },
      rp = { message = "network_rp_ack", reference = 0x2a } },
    { name = "RP-ACK of the network with a report", from = D, hex = "b9010d032a4109010062112221900021",
      rp = { message = "network_rp_ack", user_data = "010062112221900021" } },
    { name = "RP-ERROR of the network", from = D, hex = "b90104052a0145",
      rp = { message = "network_rp_error", cause = 69 } },
    { name = "CP-ACK of the phone", from = U, hex = "3904", cp = { message = "cp_ack", ti = 3, ti_flag = 0 } },
    { name = "CP-ACK of the network", from = D, hex = "b904", cp = { message = "cp_ack", ti = 3, ti_flag = 1 } },
    { name = "CP-ERROR", from = D, hex = "b91061", cp = { message = "cp_error", cause = 97 } },
  },
  -- Refused: the cause, and of RP the reference where it was read.
  bad_cp = {
    { name = "no octet", hex = "", cause = 96 },
    { name = "no type", hex = "39", cause = 96 },
    { name = "an unknown type", hex = "3902", cause = 97 },
    { name = "CP-DATA without its user data", hex = "3901", cause = 96 },
    { name = "CP-DATA with fewer octets than it says", hex = "39010306", cause = 96 },
    { name = "CP-ERROR without its cause", hex = "3910", cause = 96 },
  },
  bad_rp = {
    { name = "no octet", hex = "", cause = 96 },
    { name = "no reference", hex = "00", cause = 96 },
    { name = "a type of the network", hex = "012a", cause = 97, reference = 0x2a },
    { name = "a reserved type", hex = "072a", cause = 97, reference = 0x2a },
    { name = "RP-DATA that ends in an address", hex = "002a00079194", cause = 96, reference = 0x2a },
    { name = "RP-ERROR with an empty cause", hex = "042a00", cause = 96, reference = 0x2a },
  },
  -- What is read, and what is written again where that differs.
  lenient_rp = {
    { name = "spare bits of the type", hex = "fa2b", again = "022b",
      expect = { message = "rp_ack", reference = 0x2b } },
    { name = "a diagnostic behind the cause", hex = "042b029680", again = "042b0116",
      expect = { message = "rp_error", cause = 22 } },
    { name = "an unknown element", hex = "022b310100", again = "022b", expect = { message = "rp_ack" } },
    { name = "an address that is too long", hex = "002a0c91000000000000000000000007919471227230330101",
      again = "002a0b910000000000000000000007919471227230330101",
      expect = { message = "rp_data", destination = CENTRE } },
  },
}
