-- SPDX-License-Identifier: BSD-3-Clause
-- Answers to requests of peers (29.060 §7.6): within the budget of an address, and again to a repeated request.
--
--   gn_answers.new_given(lifetime)                   answers given to the requests about contexts, node.given
--   gn_answers.within(node, run, way, message, fields)   node: the object of gn.sessions; message: the request,
--                                                    decoded; fields: of the answer
--   gn_answers.once(node, run, way, message, fields) one about a context, which its repetitions get, too, also if the
--                                                    limit lets this one not out
--   gn_answers.is_repeated(node, run, way, message)  whether the request has had its answer, which it gets again then

local gn_answers = {}

local GIVEN_MAX <const> = 4096

-- Answers given: a request that comes again, octet by octet from the same address, gets the same answer again and has
-- no effect (§7.6). Each is kept for the T3-RESPONSE times N3-REQUESTS that its sender repeats for, taken to be this
-- node's; beyond GIVEN_MAX the oldest is forgotten, whose repetition is a request of its own. A restart of control
-- forgets all.

local Given = {}
Given.__index = Given

function gn_answers.new_given(lifetime)
  return setmetatable({ lifetime = lifetime, by_key = {}, queue = {}, first = 1, last = 0 }, Given)
end

local function key_of(way, message)
  return way.theirs .. " " .. message.octets
end

local function forget_oldest(self)
  local entry = self.queue[self.first]
  self.queue[self.first], self.first = nil, self.first + 1
  if self.by_key[entry.key] == entry then self.by_key[entry.key] = nil end
end

local function forget_old(self, now)
  while self.first <= self.last and self.queue[self.first].until_at <= now do forget_oldest(self) end
end

-- The fields of an answer; nil: the request is a new one.
function Given:find(way, message, now)
  forget_old(self, now)
  local entry = self.by_key[key_of(way, message)]
  return entry and entry.fields
end

function Given:keep(way, message, fields, now)
  if self.last - self.first + 1 >= GIVEN_MAX then forget_oldest(self) end
  local entry = { key = key_of(way, message), fields = fields, until_at = now + self.lifetime }
  self.last = self.last + 1
  self.queue[self.last], self.by_key[entry.key] = entry, entry
end

local function send_answer(node, run, way, request, fields)
  fields.type, fields.seq = request.type:gsub("_request$", "_response"), request.seq
  fields.teid = fields.teid or 0
  run:emit(node:send(way, fields))
end

-- An address has a budget of answers to requests that name a context of its own, and another one for all others: a
-- forger of its address cannot empty the former.
function gn_answers.within(node, run, way, message, fields)
  local is_proven = message.is_proven
  if not node.may_answer(way.theirs, run.now, is_proven) then
    node.counts.rate_limited = node.counts.rate_limited + 1
    return
  end
  way = { ours = way.ours, theirs = way.theirs, port = way.port, is_unproven = not is_proven }
  return send_answer(node, run, way, message, fields)
end

function gn_answers.once(node, run, way, message, fields)
  message.is_proven = true
  node.given:keep(way, message, fields, run.now)
  gn_answers.within(node, run, way, message, fields)
end

function gn_answers.is_repeated(node, run, way, message)
  local fields = node.given:find(way, message, run.now)
  if not fields then return false end
  message.is_proven = true
  node.counts.repeated_requests = node.counts.repeated_requests + 1
  gn_answers.within(node, run, way, message, fields)
  return true
end

return gn_answers
