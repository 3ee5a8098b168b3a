-- SPDX-License-Identifier: BSD-3-Clause
-- Entries of a node and comments, of the lines of osmo-sgsn's configuration. Their values are not checked.
--
--   local state = osmo_take.state(list)   of node.osmo_vty
--   osmo_take.put(state, "gb.udp_port", 23000)   of state.line
--   osmo_take.comment(state, 7, "reason")

local osmo_take = {}

local UNKNOWN <const> = "osmo-sgsn 1.9 has no such line in '%s', or no such value"

-- Its state has entries { path, value, line } of the node, with `is_item` where the path is that of a list, and `lines`
-- where its fields come from others; comments { line, reason }; GGSNs, APNs and NSEs, which the end of the file
-- completes; and ends, functions that take the state then.

function osmo_take.put(state, path, value)
  for i, entry in ipairs(state.entries) do
    if entry.path == path and not entry.is_item then table.remove(state.entries, i) break end
  end
  state.entries[#state.entries + 1] = { path = path, value = value, line = state.line }
end

local put = osmo_take.put

local function add(state, path, value, line)
  state.entries[#state.entries + 1] = { path = path, value = value, line = line or state.line, is_item = true }
end

function osmo_take.comment(state, line, reason)
  state.comments[#state.comments + 1] = { line = line, reason = reason }
end

local comment = osmo_take.comment

local take = {}

function take.state_dir(state, words)
  put(state, "gn.gtpc.restart_file", words[3]:gsub("/*$", "") .. "/gbflow_restarts")
end

function take.local_ip(state, words)
  state.local_ip, state.local_ip_line = words[3], state.line
end

local function ggsn(state, number)
  state.ggsns[tonumber(number)] = state.ggsns[tonumber(number)] or {}
  return state.ggsns[tonumber(number)]
end

function take.remote_ip(state, words)
  local entry = ggsn(state, words[2])
  entry.address, entry.line = words[4], state.line
end

function take.dynamic(state)
  state.dynamic_line = state.dynamic_line or state.line
end

function take.gtp_version(_, words)
  return words[4] == "0" and "GTP is version 1" or nil
end

function take.echo_interval(state, words)
  local seconds = tonumber(words[4])
  if state.echo_s and state.echo_s <= seconds then
    return ("all paths have one interval, the least: %d s"):format(state.echo_s)
  end
  state.echo_s = seconds
  put(state, "gn.path.every", ("%d s"):format(seconds))
  put(state, "gn.path.echo", "control")
end

local POLICIES <const> = { ["accept-all"] = "accept_all", closed = "list", ["acl-only"] = "list", remote = "hlr" }

function take.auth_policy(state, words)
  state.policy, state.policy_line = POLICIES[words[2]], state.line
  if words[2] == "closed" then
    return "the node does not know which IMSIs are of its own network: `phones.imsis` has those of the lines imsi-acl"
  end
end

function take.imsi_acl(state, words)
  state.acl[words[3]] = words[2] == "add" and state.line or nil
end

function take.authentication(state, words)
  if words[2] == "required" then
    put(state, "phones.authenticate", "always")
  else
    state.optional_line = state.line
  end
end

function take.gea(state, words)
  local listed, refused = {}, {}
  for i = 3, #words do
    local of = (words[i] == "1" or words[i] == "2") and refused or listed
    of[#of + 1] = tonumber(words[i])
  end
  table.sort(listed, function(a, b) return a > b end)
  if #listed > 0 then put(state, "phones.ciphering", listed) end
  if #refused > 0 then return ("there is no GEA/%s"):format(table.concat(refused, ", GEA/")) end
end

function take.old_gea(state, words)
  return take.gea(state, { "encryption", "gea", words[2]:sub(4) })
end

function take.apn(state, words)
  state.apns[#state.apns + 1] = { name = words[2], ggsn = tonumber(words[4]), line = state.line }
end

function take.cdr_filename(state, words)
  state.has_records = true
  put(state, "phones.records.file", words[3])
  put(state, "phones.records.format", "osmo_csv")
end

function take.cdr_interval(state, words)
  state.record_s, state.record_line = words[3], state.line
end

local TIMERS <const> = { [3312] = "phones.timers.t3312", [3313] = "timers.bssgp.t3313", [3314] = "mobiles.ready_timer",
  [3322] = "phones.timers.t3322", [3350] = "phones.timers.t3350", [3360] = "phones.timers.t3360",
  [3370] = "phones.timers.t3370", [3386] = "phones.timers.t3386", [3395] = "phones.timers.t3395" }

function take.timer(state, words)
  local key = TIMERS[tonumber((words[2] or ""):match("^[Tt]?(%d+)$"))]
  if not key then return "the node has no such timer" end
  if not tonumber(words[3]) then return ("`%s` has the default of the node"):format(key) end
  put(state, key, words[3] .. " s")
end

-- osmo-sgsn counts N3-REQUESTS among its timers.
function take.gtp_timer(state, words)
  local number = tonumber((words[3] or ""):match("^[Tt]?(%d+)$"))
  local key = number == 3 and "gn.path.t3" or number == 1003 and "gn.path.n3"
  if not key then return "the node has no such timer" end
  local value = tonumber(words[4])
  if not value then return ("`%s` has the default of the node"):format(key) end
  put(state, key, number == 3 and words[4] .. " s" or value)
end

local NS_TIMERS <const> = { ["tns-block"] = "block", ["tns-block-retries"] = "block_retries", ["tns-reset"] = "reset",
  ["tns-reset-retries"] = "reset_retries", ["tns-test"] = "test", ["tns-alive"] = "alive",
  ["tns-alive-retries"] = "alive_retries", ["tsns-prov"] = "prov", ["tsns-config-retries"] = "prov_retries" }

function take.ns_timer(state, words)
  local name = NS_TIMERS[words[2]]
  if not name then return "`timers.ns.prov_retries` is that of all procedures of IP-SNS" end
  put(state, "timers.ns." .. name, name:find("retries") and tonumber(words[3]) or words[3] .. " s")
end

function take.bind(state, words)
  state.bind = words[2]
  if words[2] == "fr" then return "Gb is over IP only" end
end

local ANY <const> = { ["0.0.0.0"] = true, ["::"] = true }

function take.listen(state, words)
  if state.gb_address and not ANY[state.gb_address] then
    return ("Gb has one address: `gb.address` is '%s'; further ones are those of `nses[].sns.endpoints`"):format(
      state.gb_address)
  end
  state.gb_address = words[2]
  put(state, "gb.address", words[2])
  put(state, "gb.udp_port", tonumber(words[3]))
end

-- Before IP-SNS and `bind`, each BSS that sent NS-RESET was served.
function take.old_address(state, words)
  state.accept_line = state.accept_line or state.line
  return take.listen(state, { "listen", words[4], "23000" })
end

function take.old_port(state, words)
  state.accept_line = state.accept_line or state.line
  state.old_port, state.old_port_line = tonumber(words[4]), state.line
end

function take.accept(state)
  state.accept_line = state.line
end

local CLASSES <const> = { "signalling", "conversational", "streaming", "thp1", "thp2", "thp3", "background" }

local LEVELS <const> = { everything = "debug", debug = "debug", info = "info", notice = "info", error = "error",
  fatal = "error" }
local CATEGORIES <const> = { mm = "gmm", pdp = "sm", gtp = "gtpc", lgtp = "gtpc", ns = "ns", lns = "ns",
  bssgp = "bssgp", lbssgp = "bssgp", llc = "llc", sndcp = "llc", lgsup = "gsup", ["set-all"] = "", ["force-all"] = "",
  all = "" }

-- The level is one of the command line, not of the configuration.
function take.log_level(_, words)
  local category, level = CATEGORIES[words[3]], LEVELS[words[4]]
  if words[2] ~= "level" or not category or not level then return "it is about osmo-sgsn's log alone" end
  local argument = category == "" and level or category .. "=" .. level
  return ("start the node by `gbflow serve --log-level %s`, or type `gbflow log %s` while it runs"):format(argument,
    argument)
end

function take.dscp(state, words)
  for _, class in ipairs(CLASSES) do put(state, "gb.dscp." .. class, tonumber(words[2])) end
end

local MOST_DSCP <const> = 63

function take.old_dscp(state, words)
  local value = tonumber(words[4])
  if value <= MOST_DSCP then return take.dscp(state, { "dscp", words[4] }) end
  take.dscp(state, { "dscp", value // 4 })
  return ("%d is no DSCP: it is taken for an octet of TOS, whose DSCP is %d"):format(value, value // 4)
end

function take.nse(state, words)
  state.nsei = tonumber(words[2])
  state.nses[state.nsei] = state.line
end

local function serve_bss(state, address, nsei)
  local bits = address:find(":", 1, true) and "/128" or "/32"
  state.nsvcs[#state.nsvcs + 1] = { network = address .. bits, nsei = nsei, line = state.line }
  state.nses[nsei] = nil
end

function take.nsvc_ipa(state, words)
  serve_bss(state, words[4], state.nsei)
end

function take.old_remote_ip(state, words)
  serve_bss(state, words[4], tonumber(words[2]))
end

-- The end of the file: keys that several lines give.

local MOST_BSSS <const>, USUAL_BSSS <const> = 256, 16 -- of nses_accepted.most: the largest, and the default

-- osmo-sgsn has no limit of BSSs.
local function accept(state, first, last, bsss)
  put(state, "nses_accepted.nseis.first", first)
  put(state, "nses_accepted.nseis.last", last)
  if bsss > USUAL_BSSS then put(state, "nses_accepted.most", math.min(bsss, MOST_BSSS)) end
end

local function end_nses(state)
  local is_ipv6, first, last = (state.gb_address or ""):find(":", 1, true) ~= nil, nil, nil
  for _, line in pairs(state.nses) do comment(state, line, "no line below it has a key") end
  if state.accept_line then
    for _, nsvc in ipairs(state.nsvcs) do
      comment(state, nsvc.line, ("the BSS connects by line %d, as all addresses do"):format(state.accept_line))
    end
    add(state, "nses_accepted.networks", is_ipv6 and "::/0" or "0.0.0.0/0", state.accept_line)
    return accept(state, 0, 65535, MOST_BSSS)
  end
  for _, nsvc in ipairs(state.nsvcs) do
    add(state, "nses_accepted.networks", nsvc.network, nsvc.line)
    first, last = math.min(first or nsvc.nsei, nsvc.nsei), math.max(last or nsvc.nsei, nsvc.nsei)
  end
  accept(state, first or 0, last or 65535, #state.nsvcs)
end

local function end_apns(state)
  if #state.apns == 0 and state.ggsns[0] then
    state.apns[1] = { name = "*", ggsn = 0, line = state.ggsns[0].line }
  end
  local is_used = {}
  for _, apn in ipairs(state.apns) do is_used[apn.ggsn] = true end
  for number, entry in pairs(state.ggsns) do
    if not is_used[number] then
      comment(state, entry.line, ("no line 'apn NAME ggsn %d': the GGSN has no APN"):format(number))
    end
  end
  if #state.apns == 0 then state.apns[1] = { name = "*", ggsn = 0 } end
  local has_address = false
  for _, apn in ipairs(state.apns) do has_address = has_address or (state.ggsns[apn.ggsn] or {}).address ~= nil end
  for _, apn in ipairs(state.apns) do
    local of = state.ggsns[apn.ggsn] or {}
    if of.address or not has_address then
      add(state, "phones.apns", { name = apn.name, sgsn_address = state.local_ip, ggsn_address = of.address }, apn.line)
      state.entries[#state.entries].lines = { sgsn_address = state.local_ip_line,
        ggsn_address = of.line or apn.line or state.dynamic_line }
    else
      comment(state, apn.line, ("there is no line 'ggsn %d remote-ip'"):format(apn.ggsn))
    end
  end
end

local function end_acl(state)
  local imsis = {}
  for imsi in pairs(state.acl) do imsis[#imsis + 1] = imsi end
  table.sort(imsis)
  for _, imsi in ipairs(imsis) do add(state, "phones.imsis", imsi, state.acl[imsi]) end
end

-- osmo-sgsn writes the port of the HLR with every policy.
local function drop_hlr(state)
  local kept = {}
  for _, entry in ipairs(state.entries) do
    local is_hlr = entry.path:find("^phones%.hlr%.") ~= nil
    if is_hlr then comment(state, entry.line, ("policy \"%s\" asks no HLR"):format(state.policy)) end
    kept[#kept + 1] = not is_hlr and entry or nil
  end
  state.entries = kept
end

local function end_phones(state)
  state.policy = state.policy or "list"
  state.line = state.policy_line
  put(state, "phones.policy", state.policy)
  if state.policy ~= "hlr" then drop_hlr(state) end
  if state.optional_line and state.policy == "hlr" then
    comment(state, state.optional_line, "with policy \"hlr\" all phones are authenticated")
  end
  state.line = state.record_line
  if state.has_records and state.record_s then
    put(state, "phones.records.every", state.record_s .. " s")
  elseif state.record_s then
    comment(state, state.record_line, "there is no line 'cdr filename', and so no record")
  end
  end_acl(state)
  end_apns(state)
end


local function end_port(state)
  state.line = state.old_port_line
  if state.old_port and state.old_port > 0 then put(state, "gb.udp_port", state.old_port) end
end

local function take_entry(state, entry)
  local row, words = entry.row, entry.words
  local reason = not row and UNKNOWN:format(entry.node) or row.why
  state.line = entry.line
  if row and row.take then reason = (take[row.take] or row.take)(state, words) or row.why end
  if row and row.value then put(state, row.key, row.value == "integer" and tonumber(words[#words]) or words[#words]) end
  if reason then comment(state, entry.line, reason) end
end

function osmo_take.state(list)
  local state = { entries = {}, comments = {}, ggsns = {}, apns = {}, acl = {}, nses = {}, nsvcs = {},
    ends = {} }
  for _, entry in ipairs(list) do take_entry(state, entry) end
  end_port(state)
  end_nses(state)
  end_phones(state)
  for _, finish in pairs(state.ends) do finish(state) end
  return state
end

return osmo_take
