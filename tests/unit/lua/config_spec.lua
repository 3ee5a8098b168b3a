-- SPDX-License-Identifier: BSD-3-Clause
local config = require "schema.config"
local bad = { pieces = {}, lists = {}, texts = {} }
local node_text = require "node_text"
local spec_tools = require "spec_tools"

local read = spec_tools.read

for _, name in ipairs({ "config_bad_rows", "config_gn_rows", "config_live_rows", "config_queue_rows",
  "config_ns_rows", "config_radio_rows" }) do
  for kind, list in pairs(require(name)) do
    table.move(list, 1, #list, #bad[kind] + 1, bad[kind])
  end
end

local function title(i, text)
  return "row " .. i .. ": " .. text:gsub("%c", " "):sub(1, 60)
end

local function assert_refused(text, row, first_line)
  local value, errors = config.load(text, "n.lua", "node")
  assert.is_nil(value)
  assert.same(table.move(row, first_line, #row, 1, {}), errors)
end

describe("config.load refuses", function()
  for i, row in ipairs(bad.pieces) do
    it("pieces, " .. title(i, row[2]), function()
      assert_refused(node_text.with(row[1], row[2]), row, 3)
    end)
  end
  for i, row in ipairs(bad.lists) do
    it("lists, " .. title(i, row[1]), function()
      assert_refused(node_text.with_list(row[1]), row, 2)
    end)
  end
  for i, row in ipairs(bad.texts) do
    it("texts, " .. title(i, row[1]), function()
      assert_refused(row[1], row, 2)
    end)
  end
end)

local NO_DSCP <const> = { copy = false, signalling = 0, conversational = 0, streaming = 0, thp1 = 0, thp2 = 0, thp3 = 0,
  background = 0 }

describe("config.load", function()
  it("fills in defaults and base units", function()
    local node, warnings = config.load(node_text.GOOD, "n.lua", "node")
    assert.same({}, warnings)
    assert.same({ address = "10.99.0.1", udp_port = 23000, mtu = 1500, overhead_octets = 0, routes = {},
      neighbours = {}, offloads = "auto", promiscuous = false, headers_octets = 78, paging_area = "routeing_area",
      dscp = NO_DSCP,
      dl_unitdata = { imsi = true, ra_capability = true, drx = true, priority = true, lsa_information = true,
        service_utran_cco = true, spid = true, tlli_old = true, alignment = false } }, node.gb)
    assert.same({ mode = "split", sgsn_max = 15000000000, bss_min = 10000000, bss_max = 655340000000 }, node.lifetime)
    assert.same({ reset = 3000000000, reset_retries = 3, block = 3000000000, block_retries = 3, test = 30000000000,
      alive = 3000000000, alive_retries = 10, prov = 3000000000, prov_retries = 3 }, node.timers.ns)
    assert.same({ th = 5000000000, flush = 5000000000, t7 = 3000000000, t7_retries = 3,
      t3313 = 8000000000, t3313_retries = 2 }, node.timers.bssgp)
    assert.same({ weights = { signalling = 1000, sms = 500, conversational = 900, streaming = 900, thp1 = 50, thp2 = 35,
      thp3 = 15, background = 5 }, mobile = { octets = 64000, packets = 65535 }, class = {}, reserve_packets = 64,
      follow = { extra_flows = true, flow_sets = true }, extra_flows = 8192, flow_quantum = 1526,
      discipline = "shares", drop_duplicates = false, flow_order = "drr", share = "octets",
      pacing = { flows = 4096, window = "share", buffer = 64000,
        mobile_target = 600000000 } }, node.queues)
    assert.same({ rate_factor = 1000000 }, node.flow_control)
    assert.same({ mtu = 1500, oversize = "fragment", check_uplink = true, uplink_any_destination = false,
      ecn = "copy", dscp = NO_DSCP,
      addresses = {}, routes = {}, neighbours = {}, offloads = "auto", promiscuous = false,
      path = { echo = "both", t3 = 5000000000, n3 = 3, on_loss = "keep", lab = false },
      ggsns = {}, gtpc = { retry = 5000000000, charging = "normal", needs_address = false } }, node.gn)
    assert.same({ bucket_time = 20000000, signalling_share = 500000 }, node.nses[1].gb)
    assert.same({ "pfc", "cbl", "inr", "pfc_fc", "gigabit" }, node.nses[1].features)
    assert.same({ rate_factor = 1000000 }, node.nses[1].cells[1].flow_control)
    assert.same({ mobiles = 4096, contexts = 8192, npdu_buffers = 32767, reassemblies = 1024, fragments = 4096,
      lua_call = 2000000000, lua_errors = 10, lua_memory = 1000000000 },
      node.limits)
    assert.same({ source = "gtpc", first_tlli = 0xC0000001, cells = { 1801 }, sapi = 3, n201_u = 500,
      unprotected_sapis = {},
      queue_limit = 64000, adds_links = true, adds_buffers = 8, moves = { burst = 16, every = 2000000000 }, list = {},
      homes = { { nsei = 101, bvci = 1801 } } }, node.mobiles)
    assert.same({ idle = "sleep", max_sleep = 250000, log_lines = 10 }, node.live)
    assert.same({ prefix = "gbflow", huge_pages = "auto", shared = false, arguments = {} }, node.eal)
    assert.same({ bvci = 1800, bvc = { bucket = 10000, rate = 80000 }, ms_default = { bucket = 20000, rate = 40000 },
      measurement = false, bucket_level = false, ms = {} }, node.emulated_bss[1].cells[1])
  end)

  it("finds out what DL-UNITDATA says of a mobile, and what room that leaves", function()
    local text = node_text.with_list('{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, '
      .. 'radio = { ra_capability = "' .. ("0a"):rep(128) .. '", drx = "1234", priority = { level = 3, may_queue = '
      .. 'true }, spid = 1 }, contexts = { { nsapi = 5, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", '
      .. 'ggsn_teid = 1, address = "10.45.0.1" } } }')
    text = text:gsub('"10.99.0.1"', '"10.99.0.1", dl_unitdata = { spid = false }', 1)
    local node = config.load(text:gsub('source = "list"', 'source = "list", radio = { spid = 4 }', 1), "n.lua", "node")
    local elements = node.mobiles.list[1].elements
    assert.same({ ra_capability = ("0a"):rep(128), drx = "1234", priority = elements.priority }, elements)
    assert.equal(3 << 2 | 2, elements.priority.octet)
    assert.equal(78 + 131 + 4 + 3, node.gb.headers_octets)
    assert.same({}, node.mobiles.elements)
  end)

  -- Both elements that a phone tells, with their identifiers and lengths, and the configured one.
  it("leaves room for what phones tell", function()
    local text = node_text.with("mobiles = {", 'phones = { policy = "accept_all", apns = { { name = "internet", '
      .. 'sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1" } } },\n'
      .. 'mobiles = { radio = { drx = "1234", spid = 4 },')
    assert.equal(78 + 53 + 4 + 3, config.load(text, "n.lua", "node").gb.headers_octets)
    text = text:gsub('"10.99.0.1"', '"10.99.0.1", dl_unitdata = { ra_capability = false }', 1)
    assert.equal(78 + 4 + 3, config.load(text, "n.lua", "node").gb.headers_octets)
  end)

  it("puts learned mobiles into all cells, in order, when it is not told", function()
    local node = config.load(node_text.with("cells = { 1801 }", ""), "n.lua", "node")
    assert.same({ { nsei = 101, bvci = 1800 }, { nsei = 101, bvci = 1801 } }, node.mobiles.homes)
  end)

  it("finds the NSE of a listed mobile", function()
    local text = node_text.with_list('{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { '
      .. '{ nsapi = 5, teid = 1, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 1, '
      .. 'address = "10.45.0.1" } } }')
    local node = config.load(text, "n.lua", "node")
    assert.equal(101, node.mobiles.list[1].nsei)
    assert.equal("background", node.mobiles.list[1].contexts[1].class)
  end)

  it("takes rates above 16 bits of 100 bit/s when the whole message fits the larger step", function()
    local text = node_text.with('bvc = { bucket = "10000 octets", rate = "80 kbit/s" }',
      'bvc = { bucket = "10 kB", rate = "65.535 Mbit/s" }')
    local node = config.load(text, "n.lua", "node")
    assert.equal(65535000, node.emulated_bss[1].cells[1].bvc.rate)
  end)

  -- { what is written into the NSE, the rate, the bucket that follows }
  local LINKS = {
    { 'rate = "64 kbit/s"', 64000, 3200 },
    { 'rate = "2 Mbit/s"', 2000000, 5000 },
    { 'rate = "2 Mbit/s", bucket_time = "15.5 ms"', 2000000, 3875 },
    { 'rate = "2 Mbit/s", bucket_time = "100 ms"', 2000000, 25000 },
    { 'rate = "2 Mbit/s", bucket = "1600 octets"', 2000000, 1600 },
    { 'rate = "100 Gbit/s", bucket_time = "10 s"', 100000000000, 6553500000 },
  }
  for _, row in ipairs(LINKS) do
    it("fills in the bucket of a link: " .. row[1], function()
      local text = node_text.with("nsei = 101,", "nsei = 101, gb = { " .. row[1] .. " },")
      local link = config.load(text, "n.lua", "node").nses[1].gb
      assert.same({ row[2], row[3] }, { link.rate, link.bucket })
    end)
  end

  it("gives cells the node's flow control, but for what they say themselves", function()
    local text = node_text.with("bvci = 1800,", [[bvci = 1800, flow_control = { max_rate = "40 kbit/s",
      rate_factor = "90 %" },]])
    text = text:gsub("lifetime =", [[flow_control = { bss_target = "250 ms", max_rate = "50 kbit/s" }, %0]])
    local cells = config.load(text, "n.lua", "node").nses[1].cells
    assert.same({ bss_target = 250000000, max_rate = 40000, rate_factor = 900000 }, cells[1].flow_control)
    assert.same({ bss_target = 250000000, max_rate = 50000, rate_factor = 1000000 }, cells[2].flow_control)
  end)

  it("warns of CPUs without a worker, and of workers that share a CPU", function()
    for cores, said in pairs({
      ["3, 4, 5"] = { "n.lua:14: live.cores[3]: CPU 5 gets no worker, workers is 2: raise workers, or take the "
        .. "CPU out" },
      ["3, 3"] = { "n.lua:14: live.cores[2]: workers 0 and 1 share CPU 3: name another one" },
      ["3"] = { "n.lua:14: live.cores: 1 CPUs, workers is 2: some workers share a CPU; name 2" },
      ["3, 4"] = {},
    }) do
      local text = node_text.with("lifetime =", "live = { cores = { " .. cores .. " } }, workers = 2, lifetime =")
      local _, warnings = config.load(text, "n.lua", "node")
      assert.same(said, warnings)
    end
  end)

  it("warns of loopback addresses behind a link, once for a port", function()
    local function warnings_with(port)
      local text = node_text.with('gb = { address = "10.99.0.1" }', 'gb = { address = "127.0.0.1", port = "' .. port
        .. '" }'):gsub("10%.99%.0%.2", "127.0.0.2")
      return select(2, config.load(text, "n.lua", "node"))
    end
    local of = "n.lua:2: gb.address: 127.0.0.1 is a loopback address: %s take the node's on its network"
    for _, port in ipairs({ "net_af_packet1,iface=gb0", "net_tap0,iface=gb0" }) do
      assert.same({ of:format("without the commands of `gbflow import-osmo --one-host` the kernel drops packets from "
        .. "or to it that come through " .. port .. "; type them if all programs are on this host, else") },
        warnings_with(port))
    end
    assert.same({ of:format("hosts drop packets from or to it that come through 0000:01:00.0;") },
      warnings_with("0000:01:00.0"))
    for _, port in ipairs({ "net_memif1,role=server,socket=gb", "net_af_packet1,iface=lo", "net_ring0" }) do
      assert.same({}, warnings_with(port))
    end
  end)

  it("warns of a live node in a pool that does not keep its restart counter", function()
    local function warnings_with(port, more)
      local gn = ('gb = { address = "10.99.0.1" }, gn = { %s%s }'):format(port, more)
      local text = node_text.with('gb = { address = "10.99.0.1" }', gn):gsub("mobiles =", 'phones = { policy = '
        .. '"accept_all", apns = { { name = "a", sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1" } }, '
        .. 'pool = { nri_bits = 5, nris = { 3 } } }, %0', 1)
      return select(2, config.load(text, "n.lua", "node"))
    end
    local port <const> = 'port = "net_ring0"'
    local warnings = warnings_with(port, "")
    assert.equal(1, #warnings)
    assert.matches("phones.pool: without gn.gtpc.restart_file GGSNs take each start for one that has lost contexts, "
      .. "also when no phone was here; set it", warnings[1], 1, true)
    assert.same({}, warnings_with(port, ', gtpc = { restart_file = "/var/lib/r" }'))
    assert.same({}, warnings_with("", ""))
  end)

  it("warns of a bucket smaller than one LLC-PDU", function()
    local node, warnings = config.load(node_text.with('"10000 octets"', '"500 octets"'), "n.lua", "node")
    assert.is_table(node)
    assert.same({ "n.lua:20: emulated_bss[1].cells[1].bvc.bucket: size '500 octets' is less than one LLC-PDU of 506 "
      .. "octets: a larger PDU only leaves when the bucket has run empty" }, warnings)
  end)

  it("gives the same for the same text", function()
    local first, second = config.load(node_text.GOOD, "n.lua", "node"), config.load(node_text.GOOD, "n.lua", "node")
    assert.same(first, second)
  end)

  it("takes a text cut off anywhere without failing itself", function()
    for length = 0, #node_text.GOOD - 3, 7 do
      local value, errors = config.load(node_text.GOOD:sub(1, length), "n.lua", "node")
      assert.is_nil(value)
      assert.is_truthy(errors[1]:find("^n%.lua:%d+: "))
    end
  end)
end)

describe("phones of a configuration", function()
  local FORM <const> = [[return { gb = { address = "10.99.0.1" }, nses = {}, mobiles = { source = "list" },
    nses_accepted = { networks = { "10.0.0.0/8" }, nseis = { first = 8, last = 8 } },
    phones = { apns = { { name = "a", sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1" } }, %s } }]]
  local HLR <const> = 'hlr = { address = "10.1.1.1" }, authenticate = "always", ciphering = { 3 }, '
    .. 'update_location = "new"'

  it("are warned of what has no effect", function()
    local text = FORM:format('policy = "accept_all", imsis = { "262420000000001" }, sms_centre = "a", ' .. HLR)
    local node, warnings = config.load(text, "n.lua", "node")
    local at, policy = "n.lua:3: phones.", 'policy "accept_all" '
    assert.is_table(node)
    assert.same({
      at .. "authenticate: no effect: " .. policy .. 'authenticates no phone; it needs policy "hlr"',
      at .. "ciphering: " .. policy .. 'ciphers no phone, and refuses those with none of these; ciphering needs policy '
        .. '"hlr"',
      at .. "hlr: no effect: " .. policy .. 'asks no HLR; it needs policy "hlr"',
      at .. "imsis: no effect: " .. policy .. 'does not look at them; it needs policy "list"',
      at .. 'sms_centre: no effect: short messages are refused; it needs sms = "hlr"',
      at .. "update_location: no effect: " .. policy .. 'asks no HLR; it needs policy "hlr"',
    }, warnings)
  end)

  it("have subscribers in imsis, and each algorithm once", function()
    local more = 'subscribers = { { imsi = "262420000000001", msisdn = "49170" } }'
    local text = FORM:format('policy = "list", imsis = { "262420000000002" }, ' .. more)
    local _, warnings = config.load(text, "n.lua", "node")
    assert.same({ "n.lua:3: phones.subscribers[1].imsi: no effect: imsis does not have '262420000000001', "
      .. "so that phone may not attach" }, warnings)
    local _, errors = config.load(FORM:format('policy = "hlr", ' .. HLR:gsub("{ 3 }", "{ 3, 0, 3 }")), "n.lua", "node")
    assert.same({ "n.lua:3: phones.ciphering[3]: 3 is there twice: ciphering[1] has it; remove one of the two" },
      errors)
  end)

  it("have each APN once, with a class up to the best one", function()
    local APNS <const> = 'apns = { { name = "Internet", %s }, { name = "%s", %s } }'
    local ADDRESSES <const> = 'sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1"'
    local function load(name, more)
      local text = FORM:format('policy = "accept_all"'):gsub("apns = %b{}", APNS:format(ADDRESSES, name,
        ADDRESSES .. more))
      return config.load(text, "n.lua", "node")
    end
    local _, errors = load("internet", "")
    assert.same({ "n.lua:3: phones.apns[2].name: APN 'internet' is there twice: apns[1] has it; remove one of the "
      .. "two" }, errors)
    _, errors = load("a", ', class = "thp1", best = "background"')
    assert.same({ "n.lua:3: phones.apns[2].class: thp1 is better than best, background; write a class up to that, or "
      .. "a better best" }, errors)
    local node, warnings = load("a", ', class = "background", best = "thp1"')
    assert.same({ {}, "thp1" }, { warnings, node.phones.apns[2].best })
  end)

  it("have MSISDNs, each once, where no HLR has them", function()
    local LIST <const> = 'policy = "%s", subscribers = { { imsi = "262420000000001", msisdn = "49170" }, '
      .. '{ imsi = "%s", msisdn = "%s" } }, %s'
    local function load(policy, imsi, msisdn, more)
      return config.load(FORM:format(LIST:format(policy, imsi, msisdn, more or "")), "n.lua", "node")
    end
    local node, warnings = load("accept_all", "262420000000002", "49171")
    assert.same({ {}, "49171" }, { warnings, node.phones.subscribers[2].msisdn })
    local _, errors = load("accept_all", "262420000000001", "49171")
    assert.same({ "n.lua:3: phones.subscribers[2].imsi: '262420000000001' is there twice: subscribers[1] has it; "
      .. "remove one of the two" }, errors)
    _, errors = load("accept_all", "262420000000002", "49170")
    assert.same({ "n.lua:3: phones.subscribers[2].msisdn: '49170' is there twice: subscribers[1] has it; remove one of "
      .. "the two" }, errors)
    _, errors = load("accept_all", "262420000000002", "+49170")
    assert.same({ "n.lua:3: phones.subscribers[2].msisdn: '+49170' is not a valid text: 1 to 15 digits, without +" },
      errors)
    _, warnings = load("hlr", "262420000000002", "49171", HLR)
    assert.same({ 'n.lua:3: phones.subscribers: no effect: the HLR has the MSISDNs; it needs policy "accept_all" or '
      .. '"list"' }, warnings)
  end)

  it("have an order of algorithms, and proof each time", function()
    local node, warnings = config.load(FORM:format('policy = "accept_all"'), "n.lua", "node")
    assert.same({ {}, { 4, 3, 0 }, "always", "new" }, { warnings, node.phones.ciphering, node.phones.authenticate,
      node.phones.update_location })
    node, warnings = config.load(FORM:format('policy = "hlr", ' .. HLR), "n.lua", "node")
    assert.same({ {}, { 3 } }, { warnings, node.phones.ciphering })
  end)
end)

describe("the time zone of a configuration", function()
  it("is in quarters of an hour, up to 14 hours", function()
    local FORM <const> = [[return { gb = { address = "10.99.0.1" }, nses = {}, mobiles = { source = "list" },
      nses_accepted = { networks = { "10.0.0.0/8" }, nseis = { first = 8, last = 8 } },
      gn = { gtpc = { time_zone = "%s" } },
      phones = { policy = "accept_all", apns = { { name = "a", sgsn_address = "10.98.0.2",
        ggsn_address = "10.98.0.1" } } } }]]
    for _, text in ipairs({ "+00:00", "-03:30", "+14:00", "+05:45" }) do
      assert.is_table(config.load(FORM:format(text), "n.lua", "node"), text)
    end
    for _, text in ipairs({ "+01:10", "+14:15", "-15:00" }) do
      local node, errors = config.load(FORM:format(text), "n.lua", "node")
      assert.is_nil(node)
      local expect = "n.lua:3: gn.gtpc.time_zone: '%s': must be of quarters of an hour, -14:00 to +14:00"
      assert.same({ expect:format(text) }, errors)
    end
  end)
end)

describe("shipped", function()
  local nodes = { ["replay-80k"] = { 10000, 80000, 15000000000 },
    ["replay-open"] = { 6553500, 6553500, math.maxinteger } }
  for name, expect in pairs(nodes) do
    it(name .. " is right and says what its name says", function()
      local path = "config/nodes/" .. name .. ".lua"
      local node, warnings = config.load(read(path), path, "node")
      assert.same({}, warnings)
      local cell = node.emulated_bss[1].cells[1]
      assert.same({ bucket = expect[1], rate = expect[2] }, cell.bvc)
      assert.same(cell.bvc, cell.ms_default)
      assert.equal(expect[3], node.lifetime.sgsn_max)
      assert.equal("gtpc", node.mobiles.source)
    end)
  end

  it("docs/reference/node.md is what scripts/gen-docs.sh makes", function()
    assert.equal(config.document("node"), read("docs/reference/node.md"))
  end)
end)
