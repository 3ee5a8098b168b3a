-- SPDX-License-Identifier: BSD-3-Clause
-- Network name of 24.008 §10.5.3.5a in the GSM 7 bit alphabet.

local network_name = {}

function network_name.octets_of(text)
  local bits, count, out = 0, 0, {}
  for i = 1, #text do
    bits, count = bits | (text:byte(i) & 127) << count, count + 7
    while count >= 8 do
      out[#out + 1] = string.char(bits & 255)
      bits, count = bits >> 8, count - 8
    end
  end
  if count > 0 then out[#out + 1] = string.char(bits) end
  return string.char(0x80 | (8 - 7 * #text % 8) % 8) .. table.concat(out)
end

return network_name
