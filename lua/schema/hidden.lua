-- SPDX-License-Identifier: BSD-3-Clause
-- Keys (Kc, Ki) stay out of messages, also a key that stands in the place of another value by mistake. Messages have
-- "..." in place of eight or more hexadecimal digits together.
--
--   hidden.all(text)    for values and source text: every one
--   hidden.keys(text)   for a whole message: not numbers of a TLLI's or TEID's form, nor the digits of an IMSI

local hidden = { DIGITS = 8 }

local RUN <const> = ("%x"):rep(hidden.DIGITS) .. "+"
local IMSI_DIGITS <const> = 15
local MARK <const> = "..."

function hidden.all(text)
  return (text:gsub(RUN, MARK))
end

function hidden.keys(text)
  return (text:gsub("()(" .. RUN .. ")", function(at, run)
    local is_decimal = #run <= IMSI_DIGITS and not run:find("%D")
    local is_number = #run == hidden.DIGITS and text:sub(at - 2, at - 1) == "0x"
    return not is_decimal and not is_number and MARK or nil
  end))
end

return hidden
