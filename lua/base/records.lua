-- SPDX-License-Identifier: BSD-3-Clause
-- Records: what a state machine has to know again after control has restarted. Control keeps them in C, outside of Lua,
-- as text by key; a restart gives each of them to adopt() of the object that wrote it.
--
--   records.is_on           whether machines write records: in a live node
--   records.pack(value)     text of a boolean, an integer, a string, or a table of these and of such tables; equal
--                           values have equal texts. Keys are strings and integers
--   records.unpack(text)    the value again; an error if the text is not one of pack()
--
-- Both are in C (control/lua/lua_record.c): a phone that attaches and activates a context has eight records.

local codec = require "gbflow_record"

return { is_on = false, pack = codec.pack, unpack = codec.unpack }
