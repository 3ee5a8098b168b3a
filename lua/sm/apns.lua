-- SPDX-License-Identifier: BSD-3-Clause
-- The APNs of phones.apns. A context keeps the APN that it began with while a reload changes that or takes it away,
-- also after a restart of control: from the first reload on each APN has a record.
--
--   local a = sm_apns.new(list)        phones.apns
--   a:configure(run, list)             a reload
--   a.by_name[name]                    one in force, by its name in lower case
--   a:adopt(run, kept)                 a record, { apn_key =, apn = }
--   a:of_context(kept)                 that of the record of a context, { apn = its key, ... }
--
-- An APN has the fields of its entry, and `key`, which no other has while a context or a record names it.

local records = require "base.records"
local tables = require "base.tables"

local sm_apns = {}

local MOST <const> = 256 -- in force (64), and former ones: of more the oldest are forgotten

local Apns = {}
Apns.__index = Apns

-- Equal entries are one APN.
local function enter(self, key, entry)
  local apn = tables.copy(entry)
  apn.key = key
  local version = { apn = apn, entry = entry, text = records.pack(entry) }
  self.versions[#self.versions + 1], self.by_text[version.text], self.by_key[key] = version, version, version
  return version
end

-- key_of: what a new one of a name is called.
local function put_in_force(self, list, key_of)
  self.by_name = {}
  for _, entry in ipairs(list) do
    local version = self.by_text[records.pack(entry)] or enter(self, key_of(entry.name), entry)
    self.by_name[entry.name:lower()] = version.apn
  end
end

function sm_apns.new(list)
  local self = setmetatable({ versions = {}, by_text = {}, by_key = {}, last = 0 }, Apns)
  put_in_force(self, list, function(name) return name end)
  return self
end

local function keep(run, version)
  run:record("apn/" .. version.apn.key, { apn_key = version.apn.key, apn = version.entry })
end

local function forget(self, run, version)
  self.by_text[version.text], self.by_key[version.apn.key] = nil, nil
  run:record("apn/" .. version.apn.key, nil)
end

local function forget_oldest(self, run)
  local left, extra = {}, #self.versions - MOST
  for _, version in ipairs(self.versions) do
    if extra > 0 and self.by_name[version.apn.name:lower()] ~= version.apn then
      forget(self, run, version)
      extra = extra - 1
    else
      left[#left + 1] = version
    end
  end
  self.versions = left
end

function Apns:configure(run, list)
  put_in_force(self, list, function(name)
    self.last = self.last + 1
    return ("%s/%d"):format(name, self.last)
  end)
  forget_oldest(self, run)
  for _, version in ipairs(self.versions) do keep(run, version) end
end

function Apns:adopt(run, kept)
  local key, version = kept.apn_key, self.by_text[records.pack(kept.apn)]
  if version then
    if self.by_key[version.apn.key] == version then self.by_key[version.apn.key] = nil end
    version.apn.key, self.by_key[key] = key, version
  else
    version = enter(self, key, kept.apn)
  end
  self.last = math.max(self.last, math.tointeger(key:match("/(%d+)$")) or 0)
  keep(run, version)
end

-- Of one that was forgotten a context has what its record says of it; no other context can begin there.
function Apns:of_context(kept)
  local version = self.by_key[kept.apn]
  return version and version.apn or { key = kept.apn, class = kept.class, sapi = kept.sapi }
end

return sm_apns
