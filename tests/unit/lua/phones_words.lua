-- SPDX-License-Identifier: BSD-3-Clause
-- Parts of the words of phones_spec.lua: what messages and intents say.
local abqp = require "gb.abqp"
local spec_tools = require "spec_tools"

local hex_of = spec_tools.hex_of
local words = {}

-- The tags and texts of an ID_RESP; of other messages of CCM nothing.
function words.texts_of(octets)
  local texts, at = {}, 2
  while octets:byte() == 5 and at < #octets do
    local length, tag = string.unpack(">I2B", octets, at)
    texts[#texts + 1] = (" %d=%s"):format(tag, octets:sub(at + 3, at + length))
    at = at + 2 + length
  end
  return table.concat(texts)
end

local THREE_OCTETS <const>, TOLD <const> = 3, "49 16" -- of R97; 54 min and 44 s (24.008 §10.5.7.3)

local function rates_told(qos)
  local rates = qos:sub(6, 7)
  return rates ~= "" and rates ~= "\x56\x56" and " rates " .. hex_of(rates) or ""
end

-- What a GGSN is given of the quality of service, which it has in full.
function words.qos_given(intent)
  local qos = intent.qos
  if not qos then return " without QoS" end
  return (#qos == 11 and "" or " in " .. #qos) .. rates_told(qos)
end

-- What an answer of SM says of the quality of service, where it is not background in three octets on SAPI 3.
function words.quality_of(message)
  local class, text = message.qos and abqp.class_of(message.qos), ""
  if class and (message.pfi or class ~= "background") then text = " " .. class end
  if message.pfi then text = ("%s pfi %d"):format(text, message.pfi) end
  if class and #message.qos ~= THREE_OCTETS then text = ("%s qos %d"):format(text, #message.qos) end
  if class then text = text .. rates_told(message.qos) end
  local reliability = class and message.qos:byte() & 7 or 3
  if reliability ~= 3 then text = ("%s reliability %d"):format(text, reliability) end
  return (message.sapi or 3) == 3 and text or ("%s sapi %d"):format(text, message.sapi)
end

-- What an ACCEPT of GMM says of timers that are others, and GMM INFORMATION of names.
function words.values_told(message)
  local timers = message.update_timer and ("%02x %02x"):format(message.update_timer, message.ready_timer) or TOLD
  local text = timers ~= TOLD and " timers " .. timers or ""
  for _, name in ipairs({ "full_name", "short_name" }) do
    if message[name] then text = ("%s %s %s"):format(text, name, hex_of(message[name])) end
  end
  return text
end

-- What a message or an intent has besides, by name.
function words.octets_told(from, name)
  return from[name] and (" %s %s"):format(name, hex_of(from[name])) or ""
end

return words
