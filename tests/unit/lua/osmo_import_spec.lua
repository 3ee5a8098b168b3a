-- SPDX-License-Identifier: BSD-3-Clause
-- osmo-sgsn's configuration becomes one of a node that is right, comments, or holes; hostile texts become an error.
local config = require "schema.config"
local osmo_import = require "node.osmo_import"
local spec_tools = require "spec_tools"

local BASE <const> = "sgsn\n gtp local-ip 10.0.0.1\n ggsn 0 remote-ip 10.0.0.3\n auth-policy accept-all\n"
local NS <const> = "ns\n bind udp local\n  listen 10.0.0.1 23000\n"
local TEST_NSE <const> = " nse 5\n  nsvc ipa local 10.0.0.5 23000 nsvci 7\n"

local FILLED <const> = { "0.0.0.0/0" }

-- The checked node, and the text. A text that names no BSS has one hole, which is filled.
local function node_of(text)
  local chunk, errors = osmo_import.convert(text, "s.cfg")
  assert(chunk, type(errors) == "table" and errors[1])
  local filled = chunk:gsub('(so no BSS can connect[^\n]*\n *)"fill in"', '%1"' .. FILLED[1] .. '"')
  local node, wrong = config.load(filled, "node.lua", "node")
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
    local _, counts = osmo_import.convert(BASE .. NS .. "  accept-ipaccess\n nse 9\n", "s.cfg")
    assert.equal("9 lines of osmo-sgsn: 8 have a key or need none, 1 are comments with the reason", counts)
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
  is_equal("gn.path.t3", 7 * S, NS .. BASE .. " timer gtp T3 7\n")
  is_equal("gn.path.n3", 4, NS .. BASE .. " timer gtp T1003 4\n")
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
  is_equal("phones.ciphering", { 3 }, hlr .. " encryption GEA3\n")
  is_equal("nses_accepted.most", 256, BASE .. NS .. "  accept-ipaccess\n" .. TEST_NSE)
  is_equal("nses_accepted.most", 16, BASE .. NS .. TEST_NSE)
  is_equal("sndcp.compression.rfc1144", { slots = 8 }, NS .. BASE .. " compression rfc1144 active slots 8\n")
  is_equal("sndcp.compression.mode", "active", NS .. BASE .. " compression rfc1144 active slots 8\n")
  is_equal("sndcp.compression.mode", "passive", NS .. BASE .. " compression rfc1144 passive\n")
  is_equal("sndcp.compression.mode", "off", NS .. BASE .. " compression rfc1144 passive\n no compression rfc1144\n")
  is_equal("sndcp.compression.v42bis", { direction = "downlink", codewords = 600, string = 30 }, NS .. BASE
    .. " compression v42bis active direction sgsn codewords 600 strlen 30\n")
end)

describe("a line of older versions becomes the same key:", function()
  local function is_equal(key, value, lines)
    it(lines, function()
      local at = node_of(BASE .. "ns\n encapsulation udp local-ip 10.0.0.1\n" .. lines)
      for name in key:gmatch("[^.]+") do at = at[name] end
      assert.same(value, at)
    end)
  end
  is_equal("gb.address", "10.0.0.1", " encapsulation framerelay-gre enabled 0\n")
  is_equal("gb.udp_port", 2300, " encapsulation udp local-port 2300\n")
  is_equal("nses_accepted.networks", { "0.0.0.0/0" }, " nse 5 nsvci 6\n nse 5 remote-ip 10.0.0.9\n")
  is_equal("gb.dscp.thp1", 46, " encapsulation udp dscp 46\n")
  is_equal("gb.dscp.thp1", 46, " encapsulation udp dscp 184\n")
  it("in whatever order", function()
    local node = node_of(BASE .. "ns\n encapsulation udp local-port 2300\n encapsulation udp local-ip 10.0.0.1\n")
    assert.equal(2300, node.gb.udp_port)
  end)
end)

describe("indentation", function()
  local function is_read(name, text)
    it(name, function()
      local node, chunk = node_of(text)
      assert.same({ "10.0.0.1", 23000, "accept_all", "10.0.0.3" }, { node.gb.address, node.gb.udp_port,
        node.phones.policy, node.phones.apns[1].ggsn_address })
      assert.is_nil(chunk:find("no such line", 1, true), chunk)
    end)
  end
  local accepted = NS .. "  accept-ipaccess\n"
  is_read("of none", (BASE .. accepted):gsub("\n +", "\n"))
  is_read("of none, with ends of nodes", (BASE .. "exit\n" .. accepted .. "exit\nexit\nns\ntimer tns-block 3\nend\n"
    .. "hostname x\n"):gsub("\n +", "\n"))
  is_read("of tabs", ((BASE .. accepted):gsub("\n  ", "\n\t\t"):gsub("\n ", "\n\t")))
  is_read("of tabs and blanks", ((BASE .. accepted):gsub("\n  ", "\n\t"):gsub("\n ", "\n    ")))
  is_read("of another depth in each node", BASE:gsub("\n ", "\n     ") .. accepted .. " timer tns-block 3\n")
  is_read("that grows without need", BASE .. "ns\n timer tns-block 3\n   bind udp x\n     listen 10.0.0.1 23000\n"
    .. "    accept-ipaccess\n")
  it("of a line below one that is not known leads nowhere", function()
    local node, chunk = node_of(BASE .. accepted .. "frob\n timer tns-block 9\n")
    assert.equal(3000000000, node.timers.ns.block)
    assert.truthy(chunk:find("'timer tns-block 9': osmo-sgsn 1.9 has no such line in '?'", 1, true), chunk)
  end)
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
  has("8: 'timer gtp X3 15'", "the node has no such timer", NS .. BASE .. " timer gtp X3 15\n")
  has("8: 'gsup remote-port 4222'", 'policy "accept_all" asks no HLR', NS .. BASE .. " gsup remote-port 4222\n")
  has("8: 'cdr interval 600'", "there is no line 'cdr filename'", NS .. BASE .. " cdr interval 600\n")
  has("9: 'compression v42bis passive'", "`sndcp.compression.mode` is that of both kinds: active, by line 8", NS .. BASE
    .. " compression rfc1144 active slots 4\n compression v42bis passive\n")
  has("8: 'compression v42bis active direction ms codewords 9000 strlen 6'", "`sndcp.compression.v42bis.codewords` is "
    .. "at most 4096", NS .. BASE .. " compression v42bis active direction ms codewords 9000 strlen 6\n")
  has("8: 'encapsulation framerelay-gre enabled 1'", "Gb is over IP only", BASE .. NS
    .. " encapsulation framerelay-gre enabled 1\n")
  has("8: 'encapsulation udp use-reset-block-unblock disabled'", "NS-VCs without NS-RESET", BASE .. NS
    .. " encapsulation udp use-reset-block-unblock disabled\n")
end)

describe("a key that a node needs, and no line gives, is a hole:", function()
  -- filled: the holes' values, in the order of the text.
  local function has(name, text, reasons, filled)
    it(name, function()
      local chunk, said = osmo_import.convert(text, "s.cfg")
      assert.truthy(said:find("to fill in before `gbflow check` accepts the node: " .. #reasons, 1, true), said)
      for _, reason in ipairs(reasons) do
        assert.truthy(chunk:find(" -- " .. reason .. "\n", 1, true), chunk)
        assert.truthy((said .. "\n"):find("\n" .. reason .. "\n", 1, true), said)
      end
      assert.is_nil(config.load(chunk, "node.lua", "node"))
      local at = 0
      local node, wrong = config.load(chunk:gsub('"fill in"', function()
        at = at + 1
        return ("%q"):format(filled[at])
      end), "node.lua", "node")
      assert(node, wrong[1])
    end)
  end
  local accepted = NS .. "  accept-ipaccess\n"
  has("the address on Gb, of a line with all addresses", BASE .. accepted:gsub("10.0.0.1", "0.0.0.0"),
    { "s.cfg:7: 'listen 0.0.0.0 23000': that is all addresses of the host; fill in the node's address on Gb" },
    { "10.0.0.1" })
  has("the same of IPv6", BASE .. accepted:gsub("10.0.0.1", "::"),
    { "s.cfg:7: 'listen :: 23000': that is all addresses of the host; fill in the node's address on Gb" },
    { "2001:db8::1" })
  has("the address on Gb, of an old line", BASE .. "ns\n encapsulation udp local-ip 0.0.0.0\n", { "s.cfg:6: "
    .. "'encapsulation udp local-ip 0.0.0.0': that is all addresses of the host; fill in the node's address on Gb" },
    { "10.0.0.1" })
  has("the address on Gb, without a line", BASE .. "ns\n bind udp x\n  accept-ipaccess\n",
    { "s.cfg: no line 'listen ADDRESS PORT' below 'bind udp NAME'; fill in the node's address on Gb" }, { "10.0.0.1" })
  has("that on Gn, of each APN", accepted .. BASE:gsub("10.0.0.1", "0.0.0.0") .. " apn a ggsn 0\n apn b ggsn 0\n",
    { "s.cfg:6: 'gtp local-ip 0.0.0.0': that is all addresses of the host; fill in the node's address on Gn" },
    { "10.0.0.1", "10.0.0.1" })
  has("that on Gn, without a line", accepted .. "sgsn\n ggsn 0 remote-ip 10.0.0.3\n auth-policy accept-all\n",
    { "s.cfg: no line 'gtp local-ip ADDRESS'; fill in the node's address on Gn" }, { "10.0.0.1" })
  has("the GGSN", accepted .. "sgsn\n gtp local-ip 10.0.0.1\n auth-policy accept-all\n",
    { "s.cfg: no line 'ggsn NUMBER remote-ip ADDRESS'; fill in the GGSN's address" }, { "10.0.0.3" })
  has("the GGSN of DNS", accepted .. "sgsn\n gtp local-ip 10.0.0.1\n ggsn dynamic\n auth-policy accept-all\n",
    { "s.cfg:7: 'ggsn dynamic': no line 'ggsn NUMBER remote-ip ADDRESS'; fill in the GGSN's address" }, { "10.0.0.3" })
  has("the HLR", accepted .. BASE:gsub("accept%-all", "remote"),
    { "s.cfg:8: 'auth-policy remote': no line 'gsup remote-ip ADDRESS'; fill in the HLR's address" }, { "10.0.0.7" })
  has("the HLR, of a wrong line", accepted .. BASE:gsub("accept%-all", "remote") .. " gsup remote-ip 0.0.0.0\n",
    { "s.cfg:9: 'gsup remote-ip 0.0.0.0': that is all addresses of the host; fill in the HLR's address" },
    { "10.0.0.7" })
  has("IMSIs", accepted .. BASE:gsub("accept%-all", "acl-only"), { "s.cfg:8: 'auth-policy acl-only': no line "
    .. "'imsi-acl add IMSI', and so no phone can attach; fill in IMSIs" }, { "001010000000001" })
  has("networks of BSSs", BASE .. NS, { "s.cfg: no line 'accept-ipaccess' or 'nsvc ipa', and so no BSS can connect; "
    .. "fill in the networks of the BSSs, such as 10.0.0.0/24" }, { "10.0.0.0/24" })
  has("all of them", "ns\n", {
    "s.cfg: no line 'listen ADDRESS PORT' below 'bind udp NAME'; fill in the node's address on Gb",
    "s.cfg: no line 'accept-ipaccess' or 'nsvc ipa', and so no BSS can connect; fill in the networks of the BSSs, "
      .. "such as 10.0.0.0/24", "s.cfg: no line 'ggsn NUMBER remote-ip ADDRESS'; fill in the GGSN's address",
    "s.cfg: no line 'gtp local-ip ADDRESS'; fill in the node's address on Gn",
    "s.cfg: no line 'imsi-acl add IMSI', and so no phone can attach; fill in IMSIs" },
    { "10.0.0.1", "10.0.0.0/24", "10.0.0.3", "10.0.0.1", "001010000000001" })
end)

describe("on one host", function()
  local GB <const> = "ns\n bind udp x\n  listen 127.0.0.1 2300\n  accept-ipaccess\n"
  local GN <const> = "sgsn\n gtp local-ip 127.0.0.1\n auth-policy accept-all\n"
  -- addresses: of the node on Gb and Gn, of the GGSN, and of the HLR.
  local function becomes(name, text, addresses, lines)
    it(name, function()
      local chunk, said = osmo_import.convert(text, "s.cfg", true)
      assert(chunk, type(said) == "table" and said[1])
      local node, wrong = config.load(chunk, "node.lua", "node")
      assert(node, wrong[1])
      local apn, hlr = node.phones.apns[1], node.phones.hlr or {}
      assert.same(addresses, { node.gb.address, apn.sgsn_address, apn.ggsn_address, hlr.address })
      assert.same({ "127.0.0.0/8" }, node.nses_accepted.networks)
      for _, line in ipairs(lines) do assert.truthy(chunk:find("\n" .. line .. "\n", 1, true), chunk) end
    end)
  end
  local PACKAGED <const> = { "127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.1" }
  becomes("the packages' addresses", nil, PACKAGED, { "ip route add 127.0.0.1 dev gb1 src 127.0.0.3 table 23000",
    "ip rule add priority 1 to 127.0.0.1 ipproto udp dport 23000 lookup 23000", "ip rule del priority 0",
    "ip rule add priority 2 from 127.0.0.2 to 127.0.0.1 ipproto udp lookup 2123",
    "while ip rule del to 127.0.0.1 ipproto udp dport 23000 lookup 23000 2>/dev/null; do :; done",
    "while ip rule del from 127.0.0.2 to 127.0.0.1 ipproto udp lookup 2123 2>/dev/null; do :; done",
    "while ip rule del priority 3 lookup local protocol kernel 2>/dev/null; do :; done" })
  becomes("those in place of all addresses and of none", "ns\n bind udp x\n  listen 0.0.0.0 23000\nsgsn\n "
    .. "gtp local-ip 0.0.0.0\n auth-policy remote\n", PACKAGED, {})
  becomes("those of the file", GB .. GN .. " ggsn 0 remote-ip 127.0.0.3\n ggsn 1 remote-ip 127.0.0.9\n apn a ggsn 0\n "
    .. "apn b ggsn 1\n", { "127.0.0.1", "127.0.0.1", "127.0.0.3" }, { "ip address add 127.0.0.2/32 dev gb1 scope host",
    "ip rule add priority 1 to 127.0.0.1 ipproto udp dport 2300 lookup 23000",
    "ip rule add priority 2 from 127.0.0.3 to 127.0.0.1 ipproto udp lookup 2123",
    "ip rule add priority 3 from 127.0.0.9 to 127.0.0.1 ipproto udp lookup 2123",
    "ip rule add priority 4 lookup local protocol kernel" })
  becomes("with BSSs of the file", "ns\n bind udp x\n  listen 127.0.0.1 2300\n nse 5\n  nsvc ipa local 127.0.0.1 2301 "
    .. "nsvci 7\n" .. GN, { "127.0.0.1", "127.0.0.1", "127.0.0.2" }, {})
  it("a hole in place of an APN that cannot be", function()
    local chunk, said = osmo_import.convert(GB .. GN .. " apn a\"b ggsn 0\n", "s.cfg", true)
    assert.truthy(chunk:find("ip route add 127.0.0.1 dev gn1 table 2123", 1, true))
    assert.truthy(said:find("phones.apns", 1, true))
  end)
  local function is_refused(name, text, errors)
    it(name, function()
      assert.same({ nil, errors }, { osmo_import.convert(text, "s.cfg", true) })
    end)
  end
  local OTHER <const> = ": programs of one host have addresses of 127.0.0.0/8; write one, or leave out --one-host"
  is_refused("no address of another host", GB:gsub("127", "10") .. GN .. " ggsn 0 remote-ip 10.0.0.3\n",
    { "s.cfg:3: address 10.0.0.1" .. OTHER, "s.cfg:8: address 10.0.0.3" .. OTHER })
  is_refused("no GGSN with the node's address", GB .. GN .. " ggsn 0 remote-ip 127.0.0.1\n",
    { "s.cfg:8: address 127.0.0.1: it is the node's, too; write another one for the GGSN" })
end)

describe("a text that is no such configuration is an error:", function()
  it("binary", function()
    assert.equal("s.cfg:2: octet 2 of the line is 0x00: not text; name the configuration of osmo-sgsn",
      error_of("ns\n \0\n"))
  end)
  it("huge", function()
    assert.truthy(error_of(("ns\n"):rep(400000)):find("s.cfg: is longer than 1000000 octets; name", 1, true))
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
  it("of random words of the VTY never fails with a traceback, and becomes a text", function()
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
      local chunk, said = osmo_import.convert(table.concat(text), "s.cfg")
      assert.truthy(chunk or said[1]:find("no line of osmo-sgsn", 1, true), said)
    end
  end)
end)
