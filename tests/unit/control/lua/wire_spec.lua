-- SPDX-License-Identifier: BSD-3-Clause
-- The binding of the NS and BSSGP codecs, against docs/wire-lua.md.
local wire = require "gbflow_wire"

local function octets(hex)
  return (hex:gsub("%s", ""):gsub("..", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function hex(text)
  return (text:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

local function vectors(name)
  local rows = {}
  for line in io.lines("tests/data/vectors/" .. name .. ".txt") do
    local number, title, column, digits = line:match("^(%d+) (%S+) (%S+) (%x+)$")
    if number then
      rows[#rows + 1] = {number = number, title = title, bvci = tonumber(column), octets = octets(digits)}
    end
  end
  return rows
end

local function each_vector(name, check)
  local rows = vectors(name)
  assert.is_true(#rows > 15)
  for _, row in ipairs(rows) do check(row) end
end

describe("NS", function()
  it("gives every sample back as it came", function()
    each_vector("ns", function(row)
      assert.equal(hex(row.octets), hex(wire.ns_encode(assert(wire.ns_decode(row.octets)))), row.title)
    end)
  end)

  it("names the fields", function()
    local rows = {
      {"020081010182006504820065", {pdu = "reset", cause = 1, nsvci = 101, nsei = 101}},
      {"06", {pdu = "unblock"}},
      {"0800810a028400000708", {pdu = "status", cause = 10, ns_pdu = "\0\0\7\8"}},
      {"000007080a0b", {pdu = "unitdata", control_bits = 0, bvci = 1800, sdu = "\10\11"}},
      {"12048200650a01070004080001",
        {pdu = "sns_size", nsei = 101, reset_flag = true, max_nsvcs = 4, ip4_endpoints = 1}},
      {"0f010482006505880a00000159d80102", {pdu = "sns_config", end_flag = true, nsei = 101,
        ip4_list = {{address = "10.0.0.1", udp_port = 23000, signalling_weight = 1, data_weight = 2}}}},
      {"1104820065090b010a000003", {pdu = "sns_delete", nsei = 101, transaction = 9, address = "10.0.0.3"}},
    }
    for _, row in ipairs(rows) do
      assert.same(row[2], wire.ns_decode(octets(row[1])))
      assert.equal(row[1], hex(wire.ns_encode(row[2])))
    end
  end)

  it("fills in control bits and reads IPv6", function()
    assert.equal("0000070841", hex(wire.ns_encode {pdu = "unitdata", bvci = 1800, sdu = "A"}))
    local unblock = {pdu = "bvc_unblock", bvci = 2}
    assert.equal(hex(wire.ns_encode {pdu = "unitdata", bvci = 1800, sdu = wire.bssgp_encode(unblock)}),
      hex(wire.unitdata_encode(1800, unblock)))
    local list = {{address = "fd00::7", udp_port = 1, signalling_weight = 2, data_weight = 3}}
    local t = {pdu = "sns_add", nsei = 1, transaction = 2, ip6_list = list}
    assert.same(t, wire.ns_decode(wire.ns_encode(t)))
  end)

  it("says what is wrong with octets", function()
    local rows = {
      {"", "truncated", 0x0b, nil},
      {"55", "unsupported", 0x0b, nil},
      {"0200810101820065", "malformed", 0x0d, "reset"},
      {"05018200", "truncated", 0x0c, "block_ack"},
      {"0600", "malformed", 0x0b, "unblock"},
    }
    for _, row in ipairs(rows) do
      assert.same({n = 4, nil, row[2], row[3], row[4]}, table.pack(wire.ns_decode(octets(row[1]))))
    end
  end)
end)

describe("BSSGP", function()
  it("gives every sample back as it came, on its BVC", function()
    each_vector("bssgp", function(row)
      local t = wire.bssgp_decode(row.octets, "bss", row.bvci) or wire.bssgp_decode(row.octets, "sgsn", row.bvci)
      assert.is_table(t, row.title)
      assert.equal(hex(row.octets), hex(wire.bssgp_encode(t)), row.title)
    end)
  end)

  it("names the fields", function()
    local rows = {
      {"261e8106058201f403820640018200fa1c8203203c8132068200787e8101",
        {pdu = "flow_control_bvc", tag = 6, bucket_octets = 500000, rate_bps = 1600000, ms_bucket_octets = 250000,
          ms_rate_bps = 800000, ratio_percent = 50, measurement_cs = 120, granularity = 1}},
      {"281f84c12345671e81091282006403820190",
        {pdu = "flow_control_ms", tlli = 0xc1234567, tag = 9, bucket_octets = 10000, rate_bps = 40000}},
      {"2204820708078108088862f2241234050001", {pdu = "bvc_reset", bvci = 1800, cause = 8,
        cell_id = {mcc = "262", mnc = "42", lac = 0x1234, rac = 5, ci = 1}}},
      {"0b1f84c12345671b8662f224123405", {pdu = "suspend", tlli = 0xc1234567,
        routeing_area = {mcc = "262", mnc = "42", lac = 0x1234, rac = 5}}},
      {"2d1f84c12345671e81041282006452870109003200c819", {pdu = "flow_control_pfc", tlli = 0xc1234567, tag = 4,
        bucket_octets = 10000, pfcs = {{pfi = 9, bucket_octets = 5000, rate_bps = 20000, ratio_percent = 25}}}},
      {"2b1f84c12345670c8101048207092583000200",
        {pdu = "flush_ll_ack", tlli = 0xc1234567, flush_action = 1, bvci_new = 1801, octets_affected = 512}},
      {"060d8829262400000000100a820802048207081883000020", {pdu = "paging_ps", imsi = "262420000000001",
        drx_parameters = "\8\2", bvci = 1800, qos_profile = "\0\0\32"}},
    }
    for _, row in ipairs(rows) do
      assert.same(row[2], wire.bssgp_decode(octets(row[1])))
      assert.equal(row[1], hex(wire.bssgp_encode(row[2])))
    end
  end)

  it("gives the cause of a STATUS", function()
    local rows = {
      {"281e8109", {"bss", 1800}, 0x22, "malformed", "flow_control_ms"},
      {"281e8109", {"sgsn", 1800}, 0x27, "unsupported", "flow_control_ms"},
      {"281e8109", {"bss", 0}, 0x26, "unsupported", "flow_control_ms"},
      {"281e8109", {"bss"}, 0x22, "malformed", "flow_control_ms"},
      {"03", {}, 0x27, "unsupported", nil},
      {"", {"bss", 0}, 0x27, "truncated", nil},
      {"261e8105058201f4038206", {"bss", 2}, 0x21, "truncated", "flow_control_bvc"},
      {"0a198100", {}, 0x23, "malformed", "radio_status"},
    }
    for _, row in ipairs(rows) do
      assert.same({n = 4, nil, row[4], row[3], row[5]},
        table.pack(wire.bssgp_decode(octets(row[1]), table.unpack(row[2]))))
    end
  end)
end)

describe("the caller's mistakes", function()
  local function flow(changes)
    local t = {pdu = "flow_control_ms", tlli = 1, tag = 2, bucket_octets = 1000, rate_bps = 1000}
    for key, value in pairs(changes) do t[key] = value end
    return t
  end

  it("are errors that name the field", function()
    local cell = {mcc = "262", mnc = "4", lac = 1, rac = 1, ci = 1}
    local rows = {
      {"ns_encode", {pdu = "reset", cause = 1, nsvci = 2}, "field 'nsei' is missing"},
      {"ns_encode", {pdu = "reset", cause = 1, nsvci = 2, nsei = 65536}, "'nsei': 65536 is out of range 0 .. 65535"},
      {"ns_encode", {pdu = "reset", cause = -1, nsvci = 2, nsei = 3}, "'cause'"},
      {"ns_encode", {pdu = "reset", cause = "1", nsvci = 2, nsei = 3}, "an integer is needed, not a string"},
      {"ns_encode", {pdu = "block_ack", nsvci = 2, nsie = 3}, "block_ack: unknown field 'nsie'"},
      {"ns_encode", {pdu = "block_ack", nsvci = 2, [1] = 3}, "unknown field '1'"},
      {"ns_encode", {pdu = "bvc_reset"}, "no PDU has the name 'bvc_reset'"},
      {"ns_encode", {}, "field 'pdu'"},
      {"ns_encode", {pdu = "sns_config", end_flag = 1, nsei = 1}, "true or false"},
      {"ns_encode", {pdu = "sns_add", nsei = 1, transaction = 1, ip4_list = {}}, "1 to 255 endpoints"},
      {"ns_encode", {pdu = "sns_delete", nsei = 1, transaction = 1, address = "10.0.0"}, "is not an IP address"},
      {"bssgp_encode", flow {rate_bps = 150}, "not a multiple of the field's unit"},
      {"bssgp_encode", flow {rate_bps = 6553600000}, "too large for its field"},
      {"bssgp_encode", flow {tlli = 1 << 32}, "'tlli'"},
      {"bssgp_encode", flow {tag = 1.5}, "an integer is needed"},
      {"bssgp_encode", {pdu = "bvc_reset", bvci = 2, cause = 8, cell_id = cell}, "two or three digits"},
      {"bssgp_encode", {pdu = "radio_status", imsi = "12x", radio_cause = 0}, "'12x' is not an IMSI"},
      {"bssgp_encode", {pdu = "dl_unitdata", tlli = 1, qos_profile = "\0\0", lifetime_cs = 1, llc_pdu = ""},
        "too large for its field"},
      {"bssgp_encode", {pdu = "flow_control_pfc", tlli = 1, tag = 1, pfcs = {{pfi = 1, bucket_octets = 0}}},
        "'rate_bps'"},
    }
    for _, row in ipairs(rows) do
      local ok, message = pcall(wire[row[1]], row[2])
      assert.is_false(ok)
      assert.truthy(message:find(row[3], 1, true), message)
    end
  end)

  it("include arguments that are none", function()
    assert.has_error(function() wire.ns_decode({}) end)
    assert.has_error(function() wire.bssgp_decode("\3", "pcu") end)
    assert.has_error(function() wire.bssgp_decode("\3", "bss", 65536) end)
    assert.has_error(function() wire.bssgp_encode("bvc_reset") end)
    assert.has_error(function() wire.unitdata_encode(65536, {pdu = "bvc_unblock", bvci = 2}) end)
    assert.has_error(function() wire.unitdata_encode(0, {pdu = "bvc_unblock"}) end)
  end)
end)
