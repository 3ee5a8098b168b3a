-- SPDX-License-Identifier: BSD-3-Clause
-- A GGSN's address for signalling: the sequence numbers of requests sent there, and the requests that wait for their
-- answers (29.060 §7.6, §11.2).
--
--   local p = gn_peer.new(address, random, send)
--                        random(limit): an integer in 1 .. limit that peers cannot predict; send(way, message): an
--                        intent
--   p:take_number(entry) a sequence number that neither a pending request has nor the last RESTING_MAX requests had,
--                        drawn at random; its answer is for `entry`. nil: PENDING_MAX requests are pending
--   p:free_number(seq)   the request is answered, or not wanted any more. Its number rests: a late answer to it is
--                        not taken for that of another request
--   p.pending[seq]       the entry
--   p.users              contexts that have this address; the owner of the table of peers counts them
--   p.contexts           those of them that are up, by their ids (gn.peers)
--   p:wait(entry)        entry: { is_over = true when it waits no longer }
--   p:next_waiting()     takes the entry that waits longest; nil: none waits, or no number is free

local gn_peer = {}

local Peer = {}
Peer.__index = Peer

local NUMBERS <const> = 65536
-- At most a quarter of the numbers is taken and a quarter rests, so that 64 draws find a free one but with a
-- probability of 2^-64, and a forged answer with a number drawn at random meets a pending request with one of at most
-- 1/4.
local PENDING_MAX <const>, RESTING_MAX <const>, DRAWS <const> = NUMBERS // 4, NUMBERS // 4, 64

function gn_peer.new(address, random, send)
  return setmetatable({ address = address, random = random, send = send, pending = {}, pending_count = 0,
    resting = {}, rested = {}, rested_at = 0, waiting = {}, first = 1, last = 0, users = 0, contexts = {} }, Peer)
end

function Peer:take_number(entry)
  if self.pending_count >= PENDING_MAX then return nil end
  for _ = 1, DRAWS do
    local seq = self.random(NUMBERS) - 1
    if not self.pending[seq] and not self.resting[seq] then
      self.pending[seq], self.pending_count = entry, self.pending_count + 1
      return seq
    end
  end
end

-- rested: a ring of the numbers that rest; the oldest one may be drawn again.
local function rest(self, seq)
  local at = self.rested_at % RESTING_MAX + 1
  local oldest = self.rested[at]
  if oldest then self.resting[oldest] = nil end
  self.rested[at], self.resting[seq], self.rested_at = seq, true, at
end

function Peer:free_number(seq)
  if self.pending[seq] then
    self.pending[seq], self.pending_count = nil, self.pending_count - 1
    rest(self, seq)
  end
end

function Peer:wait(entry)
  self.last = self.last + 1
  self.waiting[self.last] = entry
end

function Peer:next_waiting()
  while self.first <= self.last and self.pending_count < PENDING_MAX do
    local entry = self.waiting[self.first]
    self.waiting[self.first], self.first = nil, self.first + 1
    if not entry.is_over then return entry end
  end
end

return gn_peer
