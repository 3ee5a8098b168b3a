-- SPDX-License-Identifier: BSD-3-Clause
-- The configuration of osmo-sgsn as one of a node.
--
--   local text, counts = osmo_import.convert(cfg, "osmo-sgsn.cfg")   the text of a node's configuration, which is
--                                                            right, and a line that counts keys and comments
--   local nothing, errors = ...                              nil, and lines "FILE[:LINE]: what is wrong; remedy"
--
-- A line of node.osmo_lines with a key becomes that key, if the node's schema accepts the value. Each other line
-- becomes a comment with the reason.

local check_live = require "node.check_live"
local config = require "schema.config"
local ip_network = require "base.ip_network"
local lines = require "node.osmo_lines"
local schema = require "schema.schema"

local osmo_import = {}

local MOST_OCTETS <const> = 1000000
local MOST_SHOWN <const>, MOST_REASON <const> = 120, 400 -- octets of a comment
local UNKNOWN <const> = "osmo-sgsn 1.9 has no such line in '%s', or no such value"

-- Lines as the VTY lists them

-- Whether a word is of an element: a word, <1-3>, A.B.C.D, (a|b), NAME.
local function fits(element, word)
  local first, last = element:match("^<(%d+)-(%d+)>$")
  if first then return word:find("^%d%d?%d?%d?%d?%d?%d?%d?%d?%d?$") ~= nil and tonumber(word) >= tonumber(first)
    and tonumber(word) <= tonumber(last) end
  local choices = element:match("^%((.*)%)$")
  for choice in (choices or ""):gmatch("[^|]+") do
    if fits(choice, word) then return true end
  end
  if choices then return false end
  if element == "A.B.C.D" or element == "X:X::X:X" then
    return #(ip_network.octets(word) or "") == (element == "A.B.C.D" and 4 or 16)
  end
  return element == word or element:find("^%u[%u_-]*$") ~= nil
end

-- Whether words are a line of this form, whose elements are a list.
local function is_of(form, words)
  local at = 1
  for _, element in ipairs(form) do
    if element:sub(1, 1) == "." then return words[at] ~= nil end
    local inner = element:match("^%[(.*)%]$") or element:match("^%((.*)|%)$")
    if words[at] and fits(inner or element, words[at]) then
      at = at + 1
    elseif not inner then
      return false
    end
  end
  return words[at] == nil
end

local function elements_of(line)
  local list = {}
  for element in line:gsub(" | ", "|"):gsub("%( ", "("):gmatch("%S+") do list[#list + 1] = element end
  return list
end

-- By VTY node and first word: a list of { form = elements, row = row }.
local forms = {}
for _, block in ipairs(lines) do
  forms[block.node] = {}
  for _, row in ipairs(block.rows) do
    for _, line in ipairs(row) do
      local form = elements_of(line)
      local list = forms[block.node][form[1]] or {}
      forms[block.node][form[1]] = list
      list[#list + 1] = { form = form, row = row }
    end
  end
end

local function row_of(node, words)
  for _, of in ipairs({ forms[node] or {}, forms.common }) do
    for _, entry in ipairs(of[words[1]] or {}) do
      if is_of(entry.form, words) then return entry.row end
    end
  end
end

-- The state of a conversion has entries { path, value, line } of the node, with `is_item` where the path is that of a
-- list; comments { line, reason }; and GGSNs, APNs and NSEs, which the end of the file completes.

local function put(state, path, value)
  for i, entry in ipairs(state.entries) do
    if entry.path == path and not entry.is_item then table.remove(state.entries, i) break end
  end
  state.entries[#state.entries + 1] = { path = path, value = value, line = state.line }
end

local function add(state, path, value, line)
  state.entries[#state.entries + 1] = { path = path, value = value, line = line or state.line, is_item = true }
end

local function comment(state, line, reason)
  state.comments[#state.comments + 1] = { line = line, reason = reason }
end

local take = {}

function take.state_dir(state, words)
  put(state, "gn.gtpc.restart_file", words[3]:gsub("/*$", "") .. "/gbflow_restarts")
end

function take.local_ip(state, words)
  state.local_ip = words[3]
end

local function ggsn(state, number)
  state.ggsns[tonumber(number)] = state.ggsns[tonumber(number)] or {}
  return state.ggsns[tonumber(number)]
end

function take.remote_ip(state, words)
  local entry = ggsn(state, words[2])
  entry.address, entry.line = words[4], state.line
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

function take.listen(state, words)
  if state.gb_address then
    return ("Gb has one address: `gb.address` is '%s'; further ones are those of `nses[].sns.endpoints`"):format(
      state.gb_address)
  end
  state.gb_address = words[2]
  put(state, "gb.address", words[2])
  put(state, "gb.udp_port", tonumber(words[3]))
end

function take.accept(state)
  state.accept_line = state.line
end

local CLASSES <const> = { "signalling", "conversational", "streaming", "thp1", "thp2", "thp3", "background" }

local LEVELS <const> = { debug = "debug", info = "info", notice = "info", error = "error", fatal = "error" }
local CATEGORIES <const> = { mm = "gmm", pdp = "sm", gtp = "gtpc", lgtp = "gtpc", ns = "ns", lns = "ns",
  bssgp = "bssgp", lbssgp = "bssgp", llc = "llc", sndcp = "llc", lgsup = "gsup", ["set-all"] = "", ["force-all"] = "" }

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

function take.nse(state, words)
  state.nsei = tonumber(words[2])
  state.nses[state.nsei] = state.line
end

function take.nsvc_ipa(state, words)
  local bits = words[4]:find(":", 1, true) and "/128" or "/32"
  state.nsvcs[#state.nsvcs + 1] = { network = words[4] .. bits, nsei = state.nsei, line = state.line }
  state.nses[state.nsei] = nil
end

-- The end of the file: keys that several lines give.

local function accept(state, first, last)
  put(state, "nses_accepted.nseis.first", first)
  put(state, "nses_accepted.nseis.last", last)
end

local function end_nses(state)
  local is_ipv6, first, last = (state.gb_address or ""):find(":", 1, true) ~= nil, nil, nil
  for _, line in pairs(state.nses) do comment(state, line, "no line below it has a key") end
  if state.accept_line then
    for _, nsvc in ipairs(state.nsvcs) do
      comment(state, nsvc.line, ("the BSS connects by line %d, as all addresses do"):format(state.accept_line))
    end
    add(state, "nses_accepted.networks", is_ipv6 and "::/0" or "0.0.0.0/0", state.accept_line)
    return accept(state, 0, 65535)
  end
  for _, nsvc in ipairs(state.nsvcs) do
    add(state, "nses_accepted.networks", nsvc.network, nsvc.line)
    first, last = math.min(first or nsvc.nsei, nsvc.nsei), math.max(last or nsvc.nsei, nsvc.nsei)
  end
  if first then return accept(state, first, last) end
  if not state.gb_address then return end
  state.notes[#state.notes + 1] = "No BSS can connect: there is no line 'accept-ipaccess' or 'nsvc ipa'. Write "
    .. "`nses`, or the BSSs' networks in place of the node's own address in `nses_accepted`."
  add(state, "nses_accepted.networks", state.gb_address .. (is_ipv6 and "/128" or "/32"))
  accept(state, 0, 65535)
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
  for _, apn in ipairs(state.apns) do
    local address = state.ggsns[apn.ggsn] and state.ggsns[apn.ggsn].address
    if address then
      add(state, "phones.apns", { name = apn.name, sgsn_address = state.local_ip, ggsn_address = address }, apn.line)
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
  if #imsis > 0 or state.policy ~= "list" then return end
  state.notes[#state.notes + 1] = "No phone can attach: no line 'imsi-acl add'. Write IMSIs in place of 000000."
  add(state, "phones.imsis", "000000")
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

-- The text of the node

local ORDER <const> = { "gn", "gb", "nses_accepted", "mobiles", "phones", "timers" }
local HEAD <const> = [[
-- Made by gbflow import-osmo of a configuration of osmo-sgsn. All keys: docs/reference/node.md.
-- gn0 and gb0 stand for the network interfaces of Gn and Gb: write their names. The addresses are the node's; the
-- kernel has none of them (docs/serve.md).
]]

local function text_of(value, indent)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts, keys = {}, {}
  for _, item in ipairs(value) do parts[#parts + 1] = text_of(item, indent .. "  ") end
  for key in pairs(value) do keys[#keys + 1] = type(key) == "string" and key or nil end
  table.sort(keys)
  for _, key in ipairs(keys) do parts[#parts + 1] = key .. " = " .. text_of(value[key], indent .. "  ") end
  local line = "{ " .. table.concat(parts, ", ") .. " }"
  if #line + #indent < 100 then return line end
  return "{\n" .. indent .. "  " .. table.concat(parts, ",\n" .. indent .. "  ") .. ",\n" .. indent .. "}"
end

-- The table of the entries. Each gets its place: the path, with its number if it is an item.
local function node_of(entries)
  local node = { gn = { port = "net_af_packet0,iface=gn0" }, gb = { port = "net_af_packet1,iface=gb0" },
    mobiles = { source = "list" } }
  for _, entry in ipairs(entries) do
    local at, last = node, nil
    for key in entry.path:gmatch("[^.]+") do
      if last then
        at[last] = at[last] or {}
        at = at[last]
      end
      last = key
    end
    entry.place = entry.path
    if entry.is_item then
      at[last] = at[last] or {}
      at = at[last]
      last = #at + 1
      entry.place = ("%s[%d]"):format(entry.path, last)
    end
    at[last] = entry.value
  end
  return node
end

local function chunk_of(node)
  local parts = {}
  for _, key in ipairs(ORDER) do
    if node[key] then parts[#parts + 1] = ("  %s = %s,\n"):format(key, text_of(node[key], "  ")) end
  end
  return "return {\n" .. table.concat(parts) .. "}\n"
end

local function is_below(path, of)
  local next = path:sub(#of + 1, #of + 1)
  return path:sub(1, #of) == of and (next == "" or next == "." or next == "[")
end

-- The entries that a fault { path, message } is about: the key itself or what it is in, else those that are in it.
-- by_place: all entries.
local function entries_of(fault, by_place)
  local path, found = fault.path, {}
  while path do
    if by_place[path] and by_place[path].line then return { by_place[path] } end
    path = path:match("^(.*)[.%[]")
  end
  for place, entry in pairs(by_place) do
    if entry.line and is_below(place, fault.path) then found[#found + 1] = entry end
  end
  return found
end

-- Removes the entries that faults are about; their lines become comments. Returns the faults that are about none.
local function reject(state, faults)
  local by_place, gone, rest, kept = {}, {}, {}, {}
  for _, entry in ipairs(state.entries) do by_place[entry.place] = entry end
  for _, fault in ipairs(faults) do
    local found = entries_of(fault, by_place)
    if #found == 0 then rest[#rest + 1] = fault end
    for _, entry in ipairs(found) do
      gone[entry] = true
      comment(state, entry.line, ("`%s`: %s"):format(fault.path, fault.message))
    end
  end
  for _, entry in ipairs(state.entries) do kept[#kept + 1] = not gone[entry] and entry or nil end
  state.entries = kept
  return rest
end

-- The form of the line of osmo-sgsn that gives a key; nil: none does.
local function line_for(path)
  for _, block in ipairs(lines) do
    for _, row in ipairs(block.rows) do
      for key in (row.key or ""):gmatch("[%w_.%[%]]+") do
        if is_below(key:gsub("%[%]", ""), path) then return row[1], block.node end
      end
    end
  end
end

local function errors_of(faults, filename)
  local list = {}
  for i, fault in ipairs(faults) do
    local form, node = line_for(fault.path)
    list[i] = ("%s: %s: %s%s"):format(filename, fault.path, fault.message,
      form and ("; it comes from '%s' of '%s'"):format(form, node) or "")
  end
  return list
end

-- The checked text; nil and a list of errors that no line can be blamed for.
local function checked(state, filename)
  while true do
    local chunk = chunk_of(node_of(state.entries))
    local value, where = config.read(chunk, filename)
    if not value then return nil, where end
    local _, faults, warnings = schema.check(require "node.schema", value, where)
    for _, warning in ipairs(warnings) do -- the operator writes other addresses
      faults[#faults + 1] = not warning.message:find(check_live.LOOPBACK, 1, true) and warning or nil
    end
    if #faults == 0 then return chunk end
    local rest = reject(state, faults)
    if #rest == #faults then return nil, errors_of(rest, filename) end
  end
end

-- Reading

-- As text of a comment: one line of ASCII.
local function shown(text, most)
  text = text:gsub("[^\x20-\x7e]", function(c) return ("\\x%02x"):format(c:byte()) end)
  return #text > most and text:sub(1, most) .. "..." or text
end

local function words_of(text)
  local words = {}
  for word in text:gmatch("%S+") do
    if word:sub(1, 1) == "!" then break end
    words[#words + 1] = word
  end
  return words
end

-- The VTY node of a line by its indentation: stack has { indent, node } of the lines that it is in, `opened` the node
-- that the line before opens, or false. nil: the indentation is of no line above.
local function node_at(stack, indent, opened)
  if #indent > #stack[#stack].indent then
    if opened == false or indent:sub(1, #stack[#stack].indent) ~= stack[#stack].indent then return nil end
    stack[#stack + 1] = { indent = indent, node = opened }
  end
  while #stack > 1 and #indent < #stack[#stack].indent do stack[#stack] = nil end
  return stack[#stack].indent == indent and stack[#stack].node or nil
end

local function read_line(state, node, words)
  local row = row_of(node, words)
  local reason = not row and UNKNOWN:format(node) or row.why
  if row and row.take then reason = take[row.take](state, words) end
  if row and row.value then put(state, row.key, row.value == "integer" and tonumber(words[#words]) or words[#words]) end
  if reason then comment(state, state.line, reason) end
  if not row then return "?" end
  return row.opens or false
end

local function read(state, text, filename)
  local stack, opened = { { indent = "", node = "config" } }, false
  for raw in (text .. "\n"):gmatch("(.-)\r?\n") do
    state.line = state.line + 1
    state.texts[state.line] = raw
    local control = raw:find("[\0-\x08\x0b-\x1f\x7f]")
    if control then
      return ("%s:%d: octet %d of the line is 0x%02x: not text; name the configuration of osmo-sgsn"):format(filename,
        state.line, control, raw:byte(control))
    end
    local words = words_of(raw)
    if #words > 0 and not raw:find("^%s*#") then
      local node = node_at(stack, raw:match("^%s*"), opened)
      if not node then
        return ("%s:%d: indented by %d blanks, which no line above is; indent as osmo-sgsn's 'write file' does"):format(
          filename, state.line, #raw:match("^%s*"))
      end
      opened = read_line(state, node, words)
      state.lines = state.lines + 1
      state.known = state.known + (opened == "?" and 0 or 1)
    end
  end
end

local function comments_of(state)
  table.sort(state.comments, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.reason < b.reason
  end)
  local list, last = {}, nil
  for _, note in ipairs(state.notes) do list[#list + 1] = "-- " .. note .. "\n" end
  for _, entry in ipairs(state.comments) do
    local line = ("-- line %d: '%s': %s\n"):format(entry.line, shown(state.texts[entry.line]:match("^%s*(.-)%s*$"),
      MOST_SHOWN), shown(entry.reason, MOST_REASON))
    if line ~= last then list[#list + 1] = line end
    last = line
  end
  return table.concat(list)
end

local function counts_of(state)
  local is_comment, comments = {}, 0
  for _, entry in ipairs(state.comments) do
    comments = comments + (is_comment[entry.line] and 0 or 1)
    is_comment[entry.line] = true
  end
  return ("%d lines of osmo-sgsn: %d have a key or need none, %d are comments with the reason"):format(state.lines,
    state.lines - comments, comments)
end

function osmo_import.convert(text, filename)
  if #text > MOST_OCTETS then
    return nil, { ("%s: is longer than %d octets; name the configuration of osmo-sgsn"):format(filename, MOST_OCTETS) }
  end
  local state = { line = 0, texts = {}, entries = {}, comments = {}, notes = {}, ggsns = {}, apns = {}, acl = {},
    nses = {}, nsvcs = {}, known = 0, lines = 0 }
  local fault = read(state, text, filename)
  if fault then return nil, { fault } end
  if state.known == 0 then
    return nil, { ("%s: no line of osmo-sgsn 1.9 is in it; name the configuration of osmo-sgsn"):format(filename) }
  end
  end_nses(state)
  end_phones(state)
  local chunk, errors = checked(state, filename)
  if not chunk then return nil, errors end
  return HEAD .. comments_of(state) .. chunk, counts_of(state)
end

return osmo_import
