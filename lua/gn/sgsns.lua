-- SPDX-License-Identifier: BSD-3-Clause
-- Messages between SGSNs (29.060 §7.5): questions about phones that come, and answers about phones that go. They get
-- their numbers and TEIDs here, and are repeated; lua/gmm/relocation.lua says what is in them.
--
--   local s = gn_sgsns.new(node, config)   node: the object of gn.sessions; the checked configuration
--   s:set_pool(pool)            another config.phones.pool, or nil
--   s:order(run, order, ids)    what the phones order. ids: by NSAPI, the ids of the contexts of the order's mobile
--     { kind = "ask", mobile =, theirs =, message = }   an Identification Request or SGSN Context Request
--     { kind = "acknowledge", mobile =, cause =, nsapis = }   an SGSN Context Response: contexts that are taken over
--     { kind = "answer", ref =, message =, is_stranger = }   message.contexts get the GGSNs' ends here; is_stranger: no
--                                                     SGSN that is known has asked
--     { kind = "relay", ref =, theirs = }               the question is for that SGSN
--     { kind = "forget", mobile = }                     it waits for no answer any more
--   s:take_request(run, way, message)         Identification Request, SGSN Context Request
--   s:take_acknowledge(run, way, message)     SGSN Context Acknowledge
--   s:take_response(run, way, message)        SGSN Context Response, perhaps of another SGSN than was asked, or again;
--                                             false: its TEID is no question's
-- Intents: { op = "phone_sgsn", octets = }, a packed record (base.records) for the phones:
--     { event = "asked", ref =, from = address, theirs =, message = }   theirs: where its answer goes
--     { event = "told", mobile =, cause =, from =, message = }, { event = "silent", mobile = }
--     { event = "done", mobile = }                    a while after the acknowledgement: nothing more comes
--     { event = "acknowledged", ref =, from =, cause =, user =, tunnels = { { nsapi =, teid =, user = } ... } }
--     { event = "unacknowledged", ref = }             told twice, and not acknowledged; it may be, later
--     { event = "closed", ref = }                     no more comes of it

local fsm = require "base.fsm"
local gn_request = require "gn.request"
local ip_network = require "base.ip_network"
local node_pool = require "node.pool"
local records = require "base.records"

local gn_sgsns = {}

local ACCEPTED <const>, NO_RESOURCES <const>, IMSI_UNKNOWN <const>, SYSTEM_FAILURE <const> = 128, 199, 194, 204
local EXCHANGES_MAX <const> = 4096
local TEIDS <const>, DRAWS <const> = 0xffffffff, 64
local LATE <const> = 60 * 1000000000 -- longer than T3360 and its repetitions
local HOPS <const> = 3 -- of a question at most, and of one without Hop Counter
local ANSWER_OF <const> = { identification_request = "identification_response",
  context_request = "context_response" }

local Sgsns = {}
Sgsns.__index = Sgsns

local function tell_phones(run, event)
  run:emit({ op = "phone_sgsn", octets = records.pack(event) })
end

-- Addresses that another SGSN names: nil if it is no host's, or this node's own.
local function usable(node, address)
  return address and ip_network.is_host(address) and not node.addresses.own[address] and address or nil
end

-- --- a question: the new SGSN

-- Owner: { sgsns =, mobile =, name =, message =, teid_control =, peer =, request = (gn.request), answer = }, which
-- gn.sessions takes for a session.

local asks = {}

function asks.ask(question, run)
  question.request:ask(run, question.peer, { ours = question.sgsns.ours, theirs = question.peer.address },
    question.message)
end

function asks.tell(question, run, message)
  local node = question.sgsns.node
  question.request:finish(run)
  for _, context in ipairs(message.contexts or {}) do
    context.control, context.user = usable(node, context.control), usable(node, context.user)
  end
  question.answer = message
  tell_phones(run, { event = "told", mobile = question.mobile, cause = message.cause, from = message.from,
    message = message })
  if question.message.type == "identification_request" then run:post(question.fsm, "stop") end
end

function asks.tell_silence(question, run)
  question.request:finish(run)
  run:log("warning", "%s: no answer", question.name)
  tell_phones(run, { event = "silent", mobile = question.mobile })
end

-- An answer with wrong elements (§11.1) is no silence: its SGSN would give it again. That SGSN is told so, and keeps
-- what it has of the phone.
function asks.tell_malformed(question, run, message)
  question.answer = message
  run:log("warning", "%s: malformed %s: it lacks an element, or one is wrong", question.name, message.type)
  asks.end_request(question, run)
  if message.type == "context_response" and message.teid_control then
    asks.acknowledge(question, run, { cause = message.fault })
  end
  tell_phones(run, { event = "told", mobile = question.mobile, cause = message.fault, from = message.from,
    message = { cause = message.fault } })
end

function asks.acknowledge(question, run, fields)
  local node, answer = question.sgsns.node, question.answer
  local message = { type = "context_acknowledge", teid = answer.teid_control, seq = answer.seq }
  for name, value in pairs(fields) do message[name] = value end
  local is_known = answer.control and question.sgsns.pool:by_address(answer.control)
  question.acknowledgement = node:send({ ours = question.sgsns.ours,
    theirs = is_known and answer.control or answer.from }, message)
  run:emit(question.acknowledgement)
end

function asks.acknowledge_again(question, run)
  if question.acknowledgement then run:emit(question.acknowledgement) end
end

function asks.end_request(question, run)
  question.request:finish(run)
end

function asks.forget(question, run)
  if question.acknowledgement then tell_phones(run, { event = "done", mobile = question.mobile }) end
  question.sgsns:forget_question(run, question)
end

local question_machine = fsm.define({
  name = "gn_question", category = "gtpc", about = "exchange",
  initial = "idle",
  actions = asks,
  timers = { kept = { after = "kept", out = "kept" }, late = { after = "late", out = "late" } },
  any = { accepted = {}, refused = {}, silent = {}, malformed = {}, acknowledge = {}, again = {}, doubted = {},
    change = {}, lost = {},
    stop = { action = "end_request", next = "gone" } },
  states = {
    idle = { on = { ask = { action = "ask", next = "asking" } } },
    asking = {
      on = {
        accepted = { action = "tell", next = "told" },
        refused = { action = "tell", next = "gone" },
        silent = { action = "tell_silence", next = "gone" },
        malformed = { action = "tell_malformed", next = "gone" },
      },
    },
    -- The phone is authenticated first.
    told = {
      timer = "late",
      on = { acknowledge = { action = "acknowledge", next = "acknowledged" }, late = { next = "gone" } },
    },
    -- The answer comes again until it is acknowledged.
    acknowledged = {
      timer = "kept",
      on = { again = { action = "acknowledge_again" }, kept = { next = "gone" } },
    },
    gone = { enter = "forget", on = { stop = {} } },
  },
})

-- --- an answer: the old SGSN

-- Owner: { sgsns =, ref =, key =, way = of the question, message = the question, theirs =, teid_control =,
-- intent = the answer }.

local answers = {}

function answers.ask_phones(answer, run)
  tell_phones(run, { event = "asked", ref = answer.ref, from = answer.way.theirs, theirs = answer.theirs,
    message = answer.message })
end

-- The answer has values of phones and GGSNs: one that the codec does not take is a refusal.
local function make(answer, run, fields, is_stranger)
  local question, node = answer.message, answer.sgsns.node
  local control = not is_stranger and answer.theirs
  local way = { ours = answer.way.ours, theirs = control or answer.way.theirs,
    port = not control and answer.way.port or nil, is_unproven = is_stranger }
  local head = { type = ANSWER_OF[question.type], seq = question.seq, teid = question.teid_control or 0 }
  for name, value in pairs(head) do fields[name] = value end
  local is_made, intent = pcall(node.send, node, way, fields)
  if is_made then
    answer.intent = intent
    return
  end
  run:log("warning", "SGSN %s: the answer cannot be made: %s", way.theirs, (intent:gsub("^%S+:%d+: ", "")))
  head.cause = SYSTEM_FAILURE
  answer.intent = node:send(way, head)
end

local function send(answer, run, fields, is_stranger)
  make(answer, run, fields, is_stranger)
  run:emit(answer.intent)
end

function answers.send(answer, run, fields)
  send(answer, run, fields)
end

-- Within the budget of those who prove nothing, and kept for no repetition.
function answers.send_to_stranger(answer, run, fields)
  local node = answer.sgsns.node
  if not node.may_answer(answer.way.theirs, run.now, false) then
    node.counts.rate_limited = node.counts.rate_limited + 1
    return
  end
  send(answer, run, fields, true)
end

-- With as many exchanges as there may be.
local function refuse_all(answer, run)
  local node, is_stranger = answer.sgsns.node, not answer.sgsns.pool:by_address(answer.way.theirs)
  node.counts.refused_requests = node.counts.refused_requests + 1
  if node.may_answer(answer.way.theirs, run.now, false) then
    return send(answer, run, { cause = NO_RESOURCES }, is_stranger)
  end
  node.counts.rate_limited = node.counts.rate_limited + 1
end

function answers.send_again(answer, run)
  run:emit(answer.intent)
end

function answers.tell(answer, run, message)
  local node = answer.sgsns.node
  for _, tunnel in ipairs(message.tunnels or {}) do tunnel.user = usable(node, tunnel.user) end
  tell_phones(run, { event = "acknowledged", ref = answer.ref, cause = message.cause, from = answer.way.theirs,
    user = usable(node, message.user), tunnels = message.tunnels })
end

function answers.tell_silence(answer, run)
  tell_phones(run, { event = "unacknowledged", ref = answer.ref })
end

function answers.forget(answer, run)
  tell_phones(run, { event = "closed", ref = answer.ref })
  answer.sgsns:forget_answer(answer)
end

local answer_machine = fsm.define({
  name = "gn_answer", category = "gtpc", about = "exchange",
  initial = "idle",
  actions = answers,
  timers = {
    t3 = { after = "t3", retries = "repeats", again = "t3", out = "t3_out" },
    kept = { after = "kept", out = "kept" },
    late = { after = "late", out = "late" },
  },
  any = { answer = {}, acknowledged = {}, again = {} },
  states = {
    idle = { on = { ask = { action = "ask_phones", next = "asked" } } },
    asked = {
      timer = "kept",
      on = {
        answer = { action = "send", next = "answering" },
        identify = { action = "send", next = "answered" },
        refuse = { action = "send", next = "gone" }, -- a repetition is refused, too
        refuse_stranger = { action = "send_to_stranger", next = "gone" },
        relayed = { next = "gone" },
        kept = { next = "gone" },
      },
    },
    answering = {
      timer = "t3",
      on = {
        again = { action = "send_again" },
        t3 = { action = "send_again" },
        t3_out = { action = "tell_silence", next = "late" },
        acknowledged = { action = "tell", next = "answered" },
      },
    },
    -- The new SGSN authenticates the phone first.
    late = {
      timer = "late",
      on = {
        again = { action = "send_again" },
        acknowledged = { action = "tell", next = "answered" },
        late = { next = "gone" },
      },
    },
    answered = { timer = "kept", on = { again = { action = "send_again" }, kept = { next = "gone" } } },
    gone = { enter = "forget", on = {} },
  },
})

-- --- all exchanges

function gn_sgsns.new(node, config)
  local path = config.gn.path
  local s = setmetatable({ node = node, pool = node_pool.new(), t3 = path.t3, questions = {}, by_teid = {},
    answers = {}, by_key = {}, refs = 0, count = 0, rim_whole = {} }, Sgsns)
  s.durations = { repeats = 1, kept = path.t3 * path.n3, late = LATE }
  s:set_pool(config.phones and config.phones.pool)
  return s
end

-- The address of a pool that has gone stays that of the exchanges in progress.
function Sgsns:set_pool(pool)
  self.pool:configure(pool)
  self.durations.t3 = pool and pool.answer or self.t3
  if not pool then return end
  self.ours = pool.address
  self.node.addresses:add_own(pool.address)
end

local function take_teid(self, exchange)
  for _ = 1, DRAWS do
    local teid = self.node.random(TEIDS)
    if not self.by_teid[teid] and not self.node.by_teid[teid] then
      self.by_teid[teid], exchange.teid_control = exchange, teid
      return
    end
  end
  error("no free control TEID in " .. DRAWS .. " draws")
end

function Sgsns:forget_question(run, question)
  if self.questions[question.mobile] == question then self.questions[question.mobile] = nil end
  self.by_teid[question.teid_control], self.count = nil, self.count - 1
  self.node:leave_peer(run, question.peer)
end

function Sgsns:forget_answer(answer)
  self.answers[answer.ref], self.by_key[answer.key] = nil, nil
  self.by_teid[answer.teid_control], self.count = nil, self.count - 1
end

local orders = {}

-- The identity in the question.
local function identity_in(message)
  if message.imsi then return message.imsi end
  return message.p_tmsi and ("P-TMSI %08x"):format(message.p_tmsi) or ("TLLI %08x"):format(message.tlli)
end

function orders.ask(self, run, order)
  orders.forget(self, run, order)
  if self.count >= EXCHANGES_MAX then return tell_phones(run, { event = "silent", mobile = order.mobile }) end
  local question = { sgsns = self, node = self.node, mobile = order.mobile, message = order.message,
    peer = self.node:use_peer(order.theirs), wanted = {},
    name = ("SGSN %s, %s"):format(order.theirs, identity_in(order.message)) }
  take_teid(self, question)
  local id = ("sgsn/%d"):format(question.teid_control)
  question.fsm = fsm.new(question_machine, question, id, self.durations)
  question.request = gn_request.new(id .. "/request", self.durations, question)
  self.questions[order.mobile], self.count = question, self.count + 1
  question.message.teid, question.message.control = 0, self.ours
  if order.message.type == "context_request" then question.message.teid_control = question.teid_control end
  run:tell(question.fsm, "ask")
end

function orders.forget(self, run, order)
  local question = self.questions[order.mobile]
  if question then run:tell(question.fsm, "stop") end
end

-- The tunnels of contexts that are taken over have the TEIDs that their GGSNs are told. A context without a place here
-- has none: its old SGSN ends it at the GGSN.
function orders.acknowledge(self, run, order, ids)
  local question, tunnels = self.questions[order.mobile], {}
  if not question then return end
  for _, nsapi in ipairs(order.nsapis or {}) do
    local session = self.node.by_id[ids[nsapi] or 0]
    if session then tunnels[#tunnels + 1] = { nsapi = nsapi, teid = session.wanted.teid } end
  end
  run:tell(question.fsm, "acknowledge", { cause = order.cause, tunnels = tunnels,
    user = order.cause == ACCEPTED and self.ours or nil })
end

-- The GGSN's end of a context.
local function complete(self, context, ids)
  local session = self.node.by_id[ids[context.nsapi] or 0]
  if not session then return false end
  context.teid_control, context.teid_data = session.ggsn_teid_control, session.ggsn_teid
  context.control, context.user = (session.control or session.peer).address, session.ggsn
  context.ipv4, context.ipv6 = session.ipv4, session.ipv6
  return true
end

function orders.answer(self, run, order, ids)
  local answer, message = self.answers[order.ref], order.message
  if not answer then return end
  local contexts = message.contexts and {}
  for _, context in ipairs(message.contexts or {}) do
    if complete(self, context, ids) then contexts[#contexts + 1] = context end
  end
  message.contexts = contexts
  local waits = message.cause == ACCEPTED and answer.message.type == "context_request"
  if waits then message.teid_control, message.control = answer.teid_control, self.ours end
  local is_refused = message.cause ~= ACCEPTED
  run:tell(answer.fsm, waits and "answer" or order.is_stranger and "refuse_stranger"
    or is_refused and "refuse" or "identify", message)
end

-- Its answer goes straight to the SGSN that asks: to the address and TEID in the question.
function orders.relay(self, run, order)
  local answer = self.answers[order.ref]
  if not answer then return end
  local message = answer.message
  local hops = math.min(message.hop_counter or HOPS, HOPS)
  if hops == 0 or not message.control then
    return run:tell(answer.fsm, "refuse", { cause = IMSI_UNKNOWN })
  end
  message.hop_counter = hops - 1
  run:tell(answer.fsm, "relayed")
  run:emit(self.node:send({ ours = self.ours, theirs = order.theirs }, message))
end

function Sgsns:order(run, order, ids)
  orders[order.kind](self, run, order, ids)
end

-- --- received messages

local function key_of(way, message)
  return ("%s %s %s %d"):format(message.type, way.theirs, message.control or "-", message.seq)
end

-- The address that a question names for its answer: of two IP versions the one that an SGSN of the pool has (§7.5.3).
local function named_in(self, message)
  local control, other = message.control, message.control_other
  local is_other = other and not self.pool:by_address(control) and self.pool:by_address(other)
  return is_other and other or control
end

function Sgsns:take_request(run, way, message)
  local key = key_of(way, message)
  local answer = self.by_key[key]
  if answer then
    self.node.counts.repeated_requests = self.node.counts.repeated_requests + 1
    return run:tell(answer.fsm, "again")
  end
  self.refs = self.refs + 1
  answer = { sgsns = self, ref = self.refs, key = key, way = way, message = message, theirs = named_in(self, message) }
  answer.fsm = fsm.new(answer_machine, answer, "answer/" .. answer.ref, self.durations)
  if self.count >= EXCHANGES_MAX then return refuse_all(answer, run) end
  take_teid(self, answer)
  self.answers[answer.ref], self.by_key[key], self.count = answer, answer, self.count + 1
  run:tell(answer.fsm, "ask")
end

-- The SGSN that a question was relayed to may acknowledge: no other host knows the TEID.
function Sgsns:take_acknowledge(run, _, message)
  local answer = self.by_teid[message.teid]
  if not answer or not answer.ref then return false end
  run:tell(answer.fsm, "acknowledged", message)
  return true
end

function Sgsns:take_response(run, way, message)
  local question = self.by_teid[message.teid]
  if not question or not question.mobile then return false end
  message.from = way.theirs
  if question.fsm.state ~= "asking" then
    run:tell(question.fsm, "again")
  else
    local is_accepted = message.cause == ACCEPTED
    run:tell(question.fsm, message.fault and "malformed" or is_accepted and "accepted" or "refused", message)
  end
  return true
end

return gn_sgsns
