-- SPDX-License-Identifier: BSD-3-Clause
-- osmo-sgsn's configuration becomes one of a node that is right, or comments; hostile texts become an error.
local config = require "schema.config"
local osmo_import = require "node.osmo_import"
local spec_tools = require "spec_tools"

local BASE <const> = "sgsn\n gtp local-ip 10.0.0.1\n ggsn 0 remote-ip 10.0.0.3\n auth-policy accept-all\n"
local NS <const> = "ns\n bind udp local\n  listen 10.0.0.1 23000\n"

-- The checked node, and the text.
local function node_of(text)
  local chunk, errors = osmo_import.convert(text, "s.cfg")
  assert(chunk, errors and errors[1])
  local node, wrong = config.load(chunk, "node.lua", "node")
  assert(node, wrong[1])
  assert.same({}, wrong) -- no warnings
  return node, chunk
end

local function error_of(text)
  local chunk, errors = osmo_import.convert(text, "s.cfg")
  assert.is_nil(chunk)
  return errors[1]
end

describe("what has no effect is told:", function()
  local function is_told(name, comment, text)
    it(name, function()
      local _, chunk = node_of(text)
      assert.truthy(chunk:find(comment, 1, true), chunk)
    end)
  end
  is_told("a GGSN without an APN", "'ggsn 7 remote-ip 10.0.0.9': no line 'apn NAME ggsn 7'",
    BASE .. " ggsn 7 remote-ip 10.0.0.9\n" .. NS)
  is_told("an NS-VC beside accept-ipaccess", "'nsvc ipa local 10.0.0.5 23000 nsvci 7': the BSS connects by line",
    BASE .. NS .. "  accept-ipaccess\n nse 5\n  nsvc ipa local 10.0.0.5 23000 nsvci 7\n")
  is_told("a level of the log", "--log-level gmm=debug`", "log stderr\n logging level mm debug\n" .. BASE .. NS)
  is_told("all levels", "--log-level info`", "log stderr\n logging level set-all notice\n" .. BASE .. NS)
  it("counts", function()
    local _, counts = osmo_import.convert(BASE .. NS .. " nse 9\n", "s.cfg")
    assert.equal("8 lines of osmo-sgsn: 7 have a key or need none, 1 are comments with the reason", counts)
  end)
  it("no line of osmo-sgsn's", function()
    assert.equal("s.cfg: no line of osmo-sgsn 1.9 is in it; name the configuration of osmo-sgsn",
      error_of("daemon:x:1:1::/:/bin/false\nbin:x:2:2::/:/bin/false\n"))
    assert.equal(error_of("! nothing\n"), error_of(""))
  end)
end)

describe("a line with a counterpart becomes its key:", function()
  local function is_equal(key, value, text)
    it(key, function()
      local at = node_of(text)
      for name in key:gmatch("[^.]+") do at = at[tonumber(name) or name] end
      assert.same(value, at)
    end)
  end
  local S <const> = 1000000000
  is_equal("gb.address", "10.0.0.1", BASE .. NS)
  is_equal("gb.udp_port", 2300, BASE .. "ns\n bind udp x\n  listen 10.0.0.1 2300\n")
  is_equal("gb.dscp.thp2", 46, BASE .. NS .. "  dscp 46\n")
  is_equal("nses_accepted.networks", { "0.0.0.0/0" }, BASE .. NS .. "  accept-ipaccess\n")
  is_equal("nses_accepted.networks", { "::/0" }, BASE
    .. "ns\n bind udp x\n  listen 2001:db8::1 23000\n  accept-ipaccess\n")
  is_equal("nses_accepted.networks", { "10.0.0.5/32", "10.0.0.6/32" }, BASE .. NS
    .. " nse 5\n  nsvc ipa local 10.0.0.5 23000 nsvci 7\n nse 9\n  nsvc ipa local 10.0.0.6 23000 nsvci 8\n")
  is_equal("nses_accepted.nseis", { first = 5, last = 9 }, BASE .. NS
    .. " nse 9\n  nsvc ipa local 10.0.0.5 23000 nsvci 7\n nse 5\n  nsvc ipa local 10.0.0.6 23000 nsvci 8\n")
  is_equal("timers.ns.block", 5 * S, BASE .. NS .. " timer tns-block 5\n")
  is_equal("timers.ns.alive_retries", 4, BASE .. NS .. " timer tns-alive-retries 4\n")
  is_equal("timers.bssgp.t3313", 10 * S, NS .. BASE .. " timer T3313 10\n")
  is_equal("mobiles.ready_timer", 60 * S, NS .. BASE .. " timer 3314 60\n")
  is_equal("phones.timers.t3312", 600 * S, NS .. BASE .. " timer t3312 600\n")
  is_equal("phones.policy", "accept_all", BASE .. NS)
  is_equal("phones.apns.1.name", "*", BASE .. NS)
  is_equal("phones.apns.1.sgsn_address", "10.0.0.1", BASE .. NS)
  is_equal("phones.apns.1.ggsn_address", "10.0.0.4", NS .. BASE .. " apn internet ggsn 1\n ggsn 1 remote-ip 10.0.0.4\n")
  is_equal("gn.path.every", 60 * S, NS .. BASE .. " ggsn 0 echo-interval 60\n ggsn 1 echo-interval 90\n")
  is_equal("gn.gtpc.restart_file", "/var/gbflow_restarts", NS .. BASE .. " gtp state-dir /var\n")
  is_equal("phones.records", { file = "/var/cdr.csv", format = "osmo_csv", every = 600 * S },
    NS .. BASE .. " cdr interval 600\n cdr filename /var/cdr.csv\n")
  is_equal("phones.imsis", { "001010000000001" }, NS .. BASE:gsub("accept%-all", "acl-only")
    .. " imsi-acl add 001010000000001\n imsi-acl add 001010000000002\n imsi-acl del 001010000000002\n")
  local hlr = NS .. BASE:gsub("accept%-all", "remote") .. " gsup remote-ip 10.0.0.7\n"
  is_equal("phones.hlr", { address = "10.0.0.7", port = 4223, name = "SGSN-1" },
    hlr .. " gsup remote-port 4223\n gsup ipa-name SGSN-1\n")
  is_equal("phones.ciphering", { 4, 3 }, hlr .. " encryption gea 1 3 4\n")
  is_equal("phones.authenticate", "always", hlr .. " authentication required\n")
end)

describe("a line without one becomes a comment with the reason:", function()
  local function has(line, reason, text)
    it(line, function()
      local _, chunk = node_of(text)
      assert.truthy(chunk:find(("-- line %s: %s"):format(line, reason), 1, true), chunk)
    end)
  end
  has("8: 'hostname x'", "there is no VTY", BASE .. NS .. "hostname x\n")
  has("8: 'frob'", "osmo-sgsn 1.9 has no such line in 'config'", BASE .. NS .. "frob\n")
  has("8: 'timer tns-block 500'", "`timers.ns.block`: duration '500 s' is out of range", BASE .. NS
    .. " timer tns-block 500\n")
  has("8: 'a\\xff]]'", "osmo-sgsn 1.9", BASE .. NS .. "a\xff]]\n")
  has("8: 'listen 10.0.0.2 23000'", "Gb has one address", BASE .. NS .. "  listen 10.0.0.2 23000\n")
  has("9: 'point-code 0.1.2'", "there is no Iu", BASE .. NS .. "cs7 instance 0\n point-code 0.1.2\n")
  has("8: 'apn y ggsn 3'", "there is no line 'ggsn 3 remote-ip'", NS .. BASE .. " apn y ggsn 3\n apn z ggsn 0\n")
  has("8: 'imsi-acl add 00101000000'", "`phones.imsis`: no effect", NS .. BASE .. " imsi-acl add 00101000000\n")
  has("8: 'nse 7'", "no line below it has a key", BASE .. NS .. " nse 7\n  nsvc udp local 10.0.0.9 23000\n")
  has("8: 'gsup remote-port 4222'", 'policy "accept_all" asks no HLR', NS .. BASE .. " gsup remote-port 4222\n")
  has("8: 'cdr interval 600'", "there is no line 'cdr filename'", NS .. BASE .. " cdr interval 600\n")
  has("8: 'compression v42bis passive'", "write `sndcp.compression`", NS .. BASE
    .. " compression v42bis passive\n")
end)

it("without an IMSI that may attach one that no phone has stands for it", function()
  local node, chunk = node_of(NS .. BASE:gsub("accept%-all", "acl-only"))
  assert.same({ "000000" }, node.phones.imsis)
  assert.truthy(chunk:find("No phone can attach", 1, true))
end)

it("without a BSS the node's own address stands for one", function()
  local node, chunk = node_of(BASE .. NS)
  assert.same({ "10.0.0.1/32" }, node.nses_accepted.networks)
  assert.truthy(chunk:find("No BSS can connect", 1, true))
end)

describe("a text that is no such configuration is an error:", function()
  it("empty", function()
    assert.truthy(error_of("ns\n"):find("s.cfg: gb.address: missing.*it comes from 'listen "))
  end)
  it("no HLR", function()
    assert.truthy(error_of(NS .. BASE:gsub("accept%-all", "remote")):find("phones.hlr: missing.*'gsup ipa%-name NAME'"))
  end)
  it("no GGSN, no own address", function()
    assert.truthy(error_of(NS .. "sgsn\n gtp local-ip 10.0.0.1\n auth-policy accept-all\n"):find(
      "s.cfg: phones.apns: missing.*'gtp local%-ip A.B.C.D' of 'config%-sgsn'"))
    assert.truthy(error_of(NS .. "sgsn\n ggsn 0 remote-ip 10.0.0.3\n auth-policy accept-all\n"):find("missing"))
  end)
  it("binary", function()
    assert.equal("s.cfg:2: octet 2 of the line is 0x00: not text; name the configuration of osmo-sgsn",
      error_of("ns\n \0\n"))
  end)
  it("huge", function()
    assert.truthy(error_of(("ns\n"):rep(400000)):find("s.cfg: is longer than 1000000 octets; name", 1, true))
  end)
  it("wrong indentation", function()
    assert.truthy(error_of(" ns\n"):find("s.cfg:1: indented by 1 blanks", 1, true))
    assert.truthy(error_of("ns\n bind udp x\n   listen 10.0.0.1 23000\n  dscp 1\n"):find("s.cfg:4: indented by 2"))
    assert.truthy(error_of("sgsn\n gtp local-ip 10.0.0.1\n  x\n"):find("s.cfg:3: indented by 2", 1, true))
  end)
  it("many lines of each kind end in time", function()
    local acl, deep = {}, {}
    for i = 1, 10000 do acl[i] = (" imsi-acl add %d\n"):format(i) end
    for i = 0, 600 do deep[#deep + 1] = (" "):rep(i) .. "x\n" end
    local texts = { NS .. BASE .. table.concat(acl), table.concat(deep) }
    for _, unit in ipairs({ "x\n", "log stderr\n", "sgsn\n imsi-acl add 1\n", "\n", "sgsn " }) do
      texts[#texts + 1] = NS .. BASE .. unit:rep(200000 // #unit)
    end
    for i, text in ipairs(texts) do
      assert.is_true(spec_tools.thousands_of(osmo_import.convert, text, "s.cfg") < 100000, i)
    end
  end)
  it("of random words of the VTY never fails with a traceback", function()
    local words, random = {}, math.random
    for _, block in ipairs(require "node.osmo_lines") do
      for _, row in ipairs(block.rows) do
        for _, line in ipairs(row) do
          for word in line:gmatch("[^%s%[%]()|]+") do words[#words + 1] = word end
        end
      end
    end
    for _ = 1, 300 do
      local text = {}
      for _ = 1, 40 do
        text[#text + 1] = (" "):rep(random(0, 3))
        for _ = 1, random(1, 5) do text[#text + 1] = words[random(#words)] .. " " end
        text[#text + 1] = "\n"
      end
      osmo_import.convert(table.concat(text), "s.cfg")
    end
  end)
end)
