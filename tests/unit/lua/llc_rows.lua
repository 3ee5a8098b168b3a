-- SPDX-License-Identifier: BSD-3-Clause
-- What a mobile sends on LLC and what it is answered. Octets in hex, without FCS; `n201_u` 500 is in force, the limit
-- is 1422. A row: name, frames, and what comes of them: "-> HEX" a frame, "n201_u N", "reset"; `counts` besides.

local function times(n, frame)
  local list = {}
  for i = 1, n do list[i] = frame end
  return list
end

return {
  { "empty layer 3 parameters, answered as they are", { "03fb 2c" }, { "-> 03fb 2c" } },
  { "N201-U within the limit", { "03fb 160578" }, { "-> 03fb 160578", "n201_u 1400" } },
  { "N201-U above the limit", { "03fb 1605dc" }, { "-> 03fb 16058e", "n201_u 1422" } },
  { "N201-U at the limit", { "03fb 16058e" }, { "-> 03fb 16058e", "n201_u 1422" } },
  { "N201-U of what is in force", { "03fb 1601f4" }, { "-> 03fb 1601f4" } },
  { "the smallest N201-U", { "0bfb 16008c" }, { "-> 0bfb 16008c", "n201_u 140" } },
  { "N201-U below any: the one in force", { "03fb 16008b" }, { "-> 03fb 1601f4" },
    counts = { llc_xid_refused_parameter = 1 } },
  { "N201-U above any: the one in force", { "03fb 1605f1" }, { "-> 03fb 1601f4" },
    counts = { llc_xid_refused_parameter = 1 } },
  { "N201-U on SAPI 1: no matter of users' packets", { "01fb 160578" }, { "-> 01fb 160578" } },
  { "N201-U above any on SAPI 1: its default", { "01fb 1605f1" }, { "-> 01fb 160190" } },
  { "N201-U above any on SAPI 7: its default", { "07fb 1605f1" }, { "-> 07fb 16010e" } },
  { "N201-U twice, agreed once", { "03fb 160578", "03fb 160578" },
    { "-> 03fb 160578", "n201_u 1400", "-> 03fb 160578" } },
  { "N201-U again, another", { "03fb 160578", "03fb 160320" },
    { "-> 03fb 160578", "n201_u 1400", "-> 03fb 160320", "n201_u 800" } },
  { "two SAPIs: the smaller holds", { "03fb 160578", "05fb 1603e8", "05fb 160578" },
    { "-> 03fb 160578", "n201_u 1400", "-> 05fb 1603e8", "n201_u 1000", "-> 05fb 160578", "n201_u 1400" } },
  { "three SAPIs: the first and smallest holds", { "03fb 1603e8", "05fb 160578", "09fb 1604b0" },
    { "-> 03fb 1603e8", "n201_u 1000", "-> 05fb 160578", "-> 09fb 1604b0" } },
  { "version above ours", { "03fb 0103" }, { "-> 03fb 0100" } },
  { "what is for acknowledged mode is agreed to", { "03fb 0e0032 1103 1a05df 1e05f0 2205f0 2510 2910" },
    { "-> 03fb 0e0032 1103 1a05df 1e05f0 2205f0 2510 2910" } },
  { "SNDCP parameters: version 0, no compression", { "03fb ac38 0001000101020304 0102030405".. "06" },
    { "-> 03fb 2f 000100" } },
  { "IOV-UI, IOV-I and Reset are the network's", { "01fb 30 841012345678 881012345678" }, { "-> 01fb" },
    counts = { llc_xid_networks_parameter = 3 } },
  { "nothing proposed", { "03fb" }, { "-> 03fb" } },
  { "without P: discarded", { "03eb 160578", "01eb", "03e7", "05e4" }, {},
    counts = { llc_poll_missing = 4 } },
  { "without F: a response has no P", { "43eb" }, {}, counts = { llc_xid_unexpected = 1 } },
  { "unknown parameters", { "03fb 7d00 160578" }, { "-> 03fb 160578", "n201_u 1400" } },
  { "cut off", { "03fb 1605" }, {}, counts = { llc_xid_malformed = 1 } },
  { "a response nobody waits for", { "43fb 160578" }, {}, counts = { llc_xid_unexpected = 1 } },
  { "SABM: no acknowledged mode", { "03f7", "03f7 160578" }, { "-> 03f1", "-> 03f1" },
    counts = { llc_sabm = 2 } },
  { "DISC", { "05f4" }, { "-> 05f1" }, counts = { llc_disc = 1 } },
  { "a SABM response, which there is not", { "43f7" }, {}, counts = { llc_sabm = 1 } },
  { "NULL, UA, DM, FRMR, one undefined", { "03e0", "43f6", "43f1", "43f8 00", "03ef" }, {},
    counts = { llc_null = 1, llc_ua = 1, llc_dm = 1, llc_frmr = 1, llc_undefined = 1 } },
  { "I, S and UI frames", { "03 000001 ff", "03 8001", "01c001 0801" }, {},
    counts = { llc_i_frame = 1, llc_s_frame = 1, llc_gmm = 1 } },
  { "GMM, SM and SMS that nobody handles, and empty ones", { "01c001 0801", "01c005 0a41 ff", "01c009 0801",
    "07c001 1901", "01c00d", "07c005", "01c011 08" }, {}, counts = { llc_gmm = 4, llc_sms = 1, llc_empty = 2 } },
  { "UI frames of SAPIs without layer 3 signalling", { "03c001 1901", "02c005 1901", "08c009 01" }, {},
    counts = { llc_undefined = 3 } },
  { "no LLC, reserved SAPI, nothing", { "83fb", "04fb", "", "03" }, {}, counts = { llc_malformed = 4 } },
  { "many answers", times(5, "03fb"), times(5, "-> 03fb"), counts = { llc_xid_answered = 5 } },
}
