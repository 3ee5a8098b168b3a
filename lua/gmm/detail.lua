-- SPDX-License-Identifier: BSD-3-Clause
-- The detail of one phone, for `gbflow show subscriber`. No key is in it.
--
--   gmm_detail.rows_of(p, phone, now)   p: gmm.phones; a list of { section =, item = number in a list of that section,
--                                       nil: it is no list, name =, value = text, number or boolean, kind = "string",
--                                       "integer", "float" or "boolean" }

local gmm_detail = {}

local EVENTS <const>, FIRST_NSAPI <const>, LAST_NSAPI <const> = 10, 5, 15
local NS <const>, LOCAL_TLLI <const> = 1e-9, 0xc0000000
local NO_KEY <const> = 7 -- key sequence number (24.008 §10.5.1.2)

local Rows = {}
Rows.__index = Rows

function Rows:put(name, value)
  if value == nil then return end
  self[#self + 1] = { section = self.section, item = self.item, name = name, value = value,
    kind = math.type(value) or type(value) }
end

function Rows:begin(section, item)
  self.section, self.item = section, item
end

local function hex(number)
  return number and ("%08x"):format(number)
end

-- The timer of a machine's state, the time left and the repetitions left.
local function put_timer(rows, machine, now)
  rows:put("timer", machine.timer or "none runs")
  if not machine.timer then return end
  rows:put("timer_left_s", machine.held and "held: a page comes first" or (machine.deadline_at - now) * NS)
  rows:put("repetitions_left", machine.retries_left)
end

local function put_identity(rows, phone)
  rows:begin("identity")
  rows:put("imsi", phone.imsi)
  rows:put("msisdn", phone.msisdn)
  rows:put("imeisv", phone.imeisv)
  rows:put("tlli", hex(phone.tlli))
  rows:put("tlli_of_last_message", hex(phone.heard))
  rows:put("p_tmsi", hex(phone.p_tmsi))
  rows:put("p_tmsi_offered", hex(phone.p_tmsi_new))
  rows:put("tlli_offered", hex(phone.p_tmsi_new and LOCAL_TLLI | phone.p_tmsi_new))
  rows:put("p_tmsi_before", hex(phone.p_tmsi_left))
end

local function put_gmm(rows, phone, now)
  rows:begin("gmm")
  rows:put("state", phone.fsm.state)
  put_timer(rows, phone.fsm, now)
  rows:put("procedure", phone.pending and phone.pending.kind)
  rows:put("was_registered", phone.was_registered or false)
  rows:put("heard_s_ago", phone.heard_at and (now - phone.heard_at) * NS)
  rows:put("act", phone.act)
end

local function put_place(rows, p, phone)
  rows:begin("place")
  rows:put("nsei", phone.nsei)
  rows:put("bvci", phone.bvci)
  rows:put("routeing_area_accepted", phone.area or nil)
  rows:put("routeing_area_of_cell", p:area_of(phone) or nil)
end

local function put_security(rows, phone)
  rows:begin("security")
  rows:put("ciphered", phone.key ~= nil)
  rows:put("algorithm", phone.key and "GEA/" .. phone.algorithm or phone.algorithm and "GEA/0, no key in use")
  rows:put("key_sequence_number", phone.cksn ~= NO_KEY and phone.cksn or nil)
  rows:put("vectors_left", phone.vectors and #phone.vectors)
end

-- Messages that wait for an answer to a page, and the machine that holds them.
local function put_waiting(rows, phone, now)
  local holder, names = phone.standby, {}
  rows:begin("signalling")
  for i, entry in ipairs(holder and holder.waiting or {}) do names[i] = entry.message.message end
  rows:put("waiting", #names > 0 and table.concat(names, " ") or "none")
  if not holder then return end
  rows:put("state", holder.fsm.state)
  put_timer(rows, holder.fsm, now)
end

local function put_context(rows, context, now)
  rows:put("nsapi", context.nsapi)
  rows:put("state", context.fsm.state)
  put_timer(rows, context.fsm, now)
  rows:put("apn", context.apn_name)
  rows:put("type", context.pdp_type)
  local ipv4 = context.ipv4
  rows:put("ipv4", ipv4 and ("%d.%d.%d.%d"):format(ipv4 >> 24, ipv4 >> 16 & 255, ipv4 >> 8 & 255, ipv4 & 255))
  rows:put("ipv6", context.ipv6)
  rows:put("class", context.class)
  rows:put("sapi", context.sapi)
  rows:put("transaction", context.ti)
  rows:put("acknowledged", context.acknowledged or false)
  rows:put("linked_nsapi", context.linked)
  rows:put("packet_flow", context.pfi)
end

local function put_contexts(rows, phone, now)
  local item = 0
  for nsapi = FIRST_NSAPI, LAST_NSAPI do
    local context = phone.contexts[nsapi]
    if context then
      item = item + 1
      rows:begin("contexts", item)
      put_context(rows, context, now)
    end
  end
end

local function put_short_messages(rows, phone, now)
  local keys = {}
  for key in pairs(phone.sms or {}) do keys[#keys + 1] = key end
  table.sort(keys)
  for item, key in ipairs(keys) do
    rows:begin("short_messages", item)
    rows:put("transaction", key)
    rows:put("state", phone.sms[key].fsm.state)
    put_timer(rows, phone.sms[key].fsm, now)
  end
end

local function put_events(rows, p, phone, now)
  for item, event in ipairs(p.history:events_of(phone.mobile, EVENTS)) do
    rows:begin("events", item)
    rows:put("s_ago", (now - event.at) * NS)
    rows:put("machine", event.machine)
    rows:put("state", event.state)
    rows:put("event", event.event)
  end
end

function gmm_detail.rows_of(p, phone, now)
  local rows = setmetatable({}, Rows)
  put_identity(rows, phone)
  put_gmm(rows, phone, now)
  put_place(rows, p, phone)
  put_security(rows, phone)
  put_waiting(rows, phone, now)
  put_contexts(rows, phone, now)
  put_short_messages(rows, phone, now)
  put_events(rows, p, phone, now)
  return rows
end

return gmm_detail
