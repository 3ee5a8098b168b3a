-- SPDX-License-Identifier: BSD-3-Clause
-- Lines of level debug: each event of a state machine with the states before and behind it, and each message. They are
-- intents of the run, in order, and begin with who they are about: an IMSI, a TLLI, an NS-VC, a peer. While nothing
-- asks for them fsm.trace is nil, and an event costs that test alone.
--
--   trace.set(word, categories, ...)   pairs: lines of these categories ("gmm sm") that have this word, "": all lines;
--                                      no pair: none
--   fsm.trace.message(run, category, owner, about, text)   a message; about: as of a machine. It is called when the run
--                                      ends: the message may name a phone that was not known before
--   trace.names(phones)                where IMSIs of TLLIs and mobiles are looked up: gmm.phones
--   trace.nsvc(vc)                     the name of an NS-VC in lines: "NSVCI 101"
--   trace.ways(nsvcs)                  where addresses of NS-VCs are looked up: those of gb.plane, by number
-- A machine has `category` and `about`: the name of one of the functions below, which says of its owner who a line is
-- about. One without gives no lines.

local fsm = require "base.fsm"

local trace = {}

local LOCAL_TLLI <const>, FOREIGN_TLLI <const>, TLLI_BITS <const> = 0xc0000000, 0x80000000, 0x3fffffff
local WORD <const> = "[%w_]"

local about = {} -- texts of owners, by name
local wanted = {} -- category -> list of words
local subscribers, ways -- of trace.names(), trace.ways()

-- --- who a line is about

function trace.names(phones)
  subscribers = phones
end

function trace.ways(nsvcs)
  ways = nsvcs
end

local function text_of(imsi, tlli)
  return ("%sTLLI %08x"):format(imsi and imsi .. " " or "", tlli)
end

-- The IMSI of a phone is what it claims, until it is accepted.
function about.phone(phone)
  return text_of(phone.imsi or phone.known, phone.heard or phone.tlli)
end

function about.of_phone(owner)
  return about.phone(owner.phone)
end

-- Of a local or foreign TLLI, which is made of the phone's P-TMSI (23.003 §2.6).
function about.tlli(tlli)
  local phone = subscribers and tlli >= FOREIGN_TLLI and subscribers:phone_of(LOCAL_TLLI | tlli & TLLI_BITS)
  return text_of(phone and (phone.imsi or phone.known), tlli)
end

function about.mobile(number)
  local phone = subscribers and subscribers.by_mobile[number]
  return phone and about.phone(phone) or "mobile " .. number
end

function about.of_mobile(ms)
  return about.mobile(ms.index)
end

function about.of_ms(owner)
  return about.tlli(owner.ms.tlli)
end

function about.context(context)
  return ("%s NSAPI %d"):format(about.phone(context.phone), context.nsapi)
end

function about.imsi(imsi)
  return imsi or "no IMSI"
end

function about.hlr(link)
  return "HLR " .. link.settings.hlr.address
end

function about.nse(nse)
  return "NSE " .. nse.nsei
end

function about.of_nse(owner)
  return about.nse(owner.nse)
end

function about.of_sns(owner)
  return about.of_nse(owner.sns)
end

-- One of IP-SNS has no NSVCI, but endpoints.
function trace.nsvc(vc)
  if vc.nsvci then return "NSVCI " .. vc.nsvci end
  local peer = vc.peer and (" %s:%d"):format(vc.peer.address, vc.peer.udp_port) or ""
  return ("NS-VC %d%s"):format(vc.index, peer)
end

function about.nsvc(vc)
  return ("NSE %d %s"):format(vc.nse.nsei, trace.nsvc(vc))
end

function about.way(number)
  local vc = ways and ways[number]
  return vc and about.nsvc(vc) or "NS-VC " .. number
end

-- Of a context at a GGSN.
function about.session(session)
  return ("%s at GGSN %s"):format(session.name, session.peer.address)
end

function about.of_session(request)
  return about.session(request.session)
end

-- A question to another SGSN, or one of it.
function about.exchange(exchange)
  return "SGSN " .. (exchange.way and exchange.way.theirs or exchange.peer.address)
end

function about.offload()
  return "offload"
end

function about.path(path)
  return path.name
end

function about.bvc(bvc)
  return ("NSE %d BVCI %d"):format(bvc.nse.nsei, bvc.bvci)
end

function about.of_bvc(owner)
  return about.bvc(owner.bvc)
end

-- at: { nsvc =, bvci =, pdu = of BSSGP }.
function about.bssgp(at)
  local who = at.pdu.tlli and about.tlli(at.pdu.tlli) .. " " or at.pdu.imsi and at.pdu.imsi .. " " or ""
  return ("%s%s BVCI %d"):format(who, about.way(at.nsvc), at.bvci)
end

-- Whether there is a function of this name.
function trace.can_name(who)
  return about[who] ~= nil
end

-- --- which lines are wanted

-- As log_has_word() of control/log/log.c, which decides; here it spares lines.
local function has_word(text, word)
  local from, to = text:find(word, 1, true)
  while from do
    if not text:sub(from - 1, from - 1):find(WORD) and not text:sub(to + 1, to + 1):find(WORD) then return true end
    from, to = text:find(word, from + 1, true)
  end
  return false
end

local function is_wanted(category, text)
  for _, word in ipairs(wanted[category]) do
    if word == "" or has_word(text, word) then return true end
  end
  return false
end

-- --- lines

local hooks = {}

local function put(run, category, owner, who, text)
  run:emit({ op = "log", level = "debug", who = category, text = text, owner = owner, about = who })
end

function hooks.message(run, category, owner, who, text)
  if wanted[category] then put(run, category, owner, who, text) end
end

function hooks.step(run, instance, event, row)
  local machine, state = instance.machine, instance.state
  if not machine.about or not wanted[machine.category] then return end
  local then_ = not row and state .. ", which has no row for it" or row.next and state .. " -> " .. row.next or state
  put(run, machine.category, instance.owner, machine.about, ("%s %s: %s"):format(machine.name, event, then_))
end

-- Completes the lines of a run, and takes out those that nothing wants.
function hooks.close(run)
  local intents, kept = run.intents, 0
  for i = 1, run.emitted do
    local intent = intents[i]
    intents[i] = nil
    if intent.about then
      intent.text = about[intent.about](intent.owner) .. ": " .. intent.text
      intent.owner, intent.about = nil, nil
      if not is_wanted(intent.who, intent.text) then intent = nil end
    end
    if intent then
      kept = kept + 1
      intents[kept] = intent
    end
  end
  run.emitted = kept
end

function trace.set(...)
  local list = { ... }
  wanted = {}
  for i = 1, #list, 2 do
    for category in list[i + 1]:gmatch("%S+") do
      wanted[category] = wanted[category] or {}
      table.insert(wanted[category], list[i])
    end
  end
  fsm.trace = next(wanted) and hooks or nil
end

return trace
