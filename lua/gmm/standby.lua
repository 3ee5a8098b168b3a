-- SPDX-License-Identifier: BSD-3-Clause
-- Messages to a phone that may be in STANDBY, where its cell is not known: they wait until it is in READY, if need be
-- after a page (23.060 §6.1.1.2, §8.1.4). The timer of the machine that sends one runs from the sending on; if the
-- phone answers no page, the machine does what it does when that timer has expired for the last time.
--
--   local s = gmm_standby.new(durations, send)   durations: `page`, longer than the paging of the Gb side;
--                                                send(run, phone, message): sends it where the phone is
--   s:hold(run, phone, message)   keeps it until the phone is in READY
--   s:is_needed(run, phone)       whether a message is to be held: the phone may be in STANDBY, or one of the machine
--                                 that acts waits
--   s:withdraw(phone, is_meant)   those for which is_meant(message, sender) holds are not sent any more; sender: the
--                                 machine that sent it, false: none
--   s:reached(run, phone)         the phone is in READY
--   s:forget(run, phone)          the phone is gone
--
-- Nothing of it is kept over a restart of control: a machine in its state sends again when its timer expires.

local fsm = require "base.fsm"

local gmm_standby = {}

local SURELY_READY <const> = 1000000000 -- ns: the shortest T3314
-- A phone has up to eleven contexts, each with one message, and a procedure of GMM.
local WAITING_MAX <const> = 16

-- Owner: { standby =, phone =, waiting = list of { message =, sender = machine that sent it, mark = of it }, fsm = };
-- sender and mark of a message that no machine sent are false.

local actions = {}

function actions.want(holder, run)
  run:count("standby_wanted")
  run:emit({ op = "ms_wanted", mobile = holder.phone.mobile })
end

local function take_all(holder)
  local waiting = holder.waiting
  holder.waiting, holder.phone.standby = {}, nil
  return ipairs(waiting)
end

-- A message of a machine that has left its state since is not sent.
local function is_past(entry)
  return entry.sender and fsm.is_past(entry.sender, entry.mark)
end

function actions.send_all(holder, run)
  local sent = {}
  for _, entry in take_all(holder) do
    if not is_past(entry) then
      sent[#sent + 1] = entry
      holder.standby.send(run, holder.phone, entry.message)
    end
  end
  for _, entry in ipairs(sent) do
    if entry.sender then run:release(entry.sender) end
  end
end

function actions.give_up(holder, run)
  for _, entry in take_all(holder) do
    run:count("standby_unreached")
    if entry.sender and not is_past(entry) then run:lapse(entry.sender) end
  end
end

function actions.forget(holder)
  take_all(holder)
end

-- busy: it was heard, in a procedure of GMM that may assign it to another cell.
local machine = fsm.define({
  name = "standby",
  category = "gmm",
  about = "of_phone",
  initial = "idle",
  actions = actions,
  timers = { page = { after = "page", out = "page" } },
  any = { drop = { action = "forget", next = "idle" }, reached = { action = "send_all", next = "idle" } },
  states = {
    idle = { on = { hold = { action = "want", next = "paging" }, drop = {}, reached = {} } },
    paging = {
      timer = "page",
      on = { hold = {}, busy = { next = "busy" }, page = { action = "give_up", next = "idle" } },
    },
    busy = { timer = "page", on = { hold = {}, busy = {}, page = { action = "send_all", next = "idle" } } },
  },
})

local Standby = {}
Standby.__index = Standby

function gmm_standby.new(durations, send)
  return setmetatable({ durations = durations, send = send }, Standby)
end

local function holder_of(self, phone)
  if not phone.standby then
    local holder = { standby = self, phone = phone, waiting = {} }
    holder.fsm = fsm.new(machine, holder, nil, self.durations)
    phone.standby = holder
  end
  return phone.standby
end

-- The place of a message in the list: that of the same message of the same machine, else behind the last one.
local function place_of(waiting, message, sender)
  for i, entry in ipairs(waiting) do
    if sender and entry.sender == sender and entry.message.message == message.message then return i end
  end
  return #waiting + 1
end

function Standby:hold(run, phone, message)
  local holder = holder_of(self, phone)
  local place = place_of(holder.waiting, message, run.acting)
  if place > WAITING_MAX then return run:count("standby_full") end
  local sender, mark = run:hold()
  holder.waiting[place] = { message = message, sender = sender or false, mark = mark or false }
  run:tell(holder.fsm, "hold")
end

local function has_waiting(run, phone)
  for _, entry in ipairs(run.acting and phone.standby and phone.standby.waiting or {}) do
    if entry.sender == run.acting and not is_past(entry) then return true end
  end
  return false
end

function Standby.is_needed(_, run, phone)
  return not phone.heard_at or run.now - phone.heard_at > SURELY_READY or has_waiting(run, phone)
end

function Standby.withdraw(_, phone, is_meant)
  local waiting, left = phone.standby and phone.standby.waiting or {}, {}
  for _, entry in ipairs(waiting) do
    if not is_meant(entry.message, entry.sender) then left[#left + 1] = entry end
  end
  if #left < #waiting then phone.standby.waiting = left end
end

function Standby.reached(_, run, phone)
  if phone.standby then run:tell(phone.standby.fsm, phone.pending and "busy" or "reached") end
end

function Standby.forget(_, run, phone)
  if phone.standby then run:tell(phone.standby.fsm, "drop") end
end

return gmm_standby
