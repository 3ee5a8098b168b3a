-- SPDX-License-Identifier: BSD-3-Clause
-- The word that was probably meant, for messages about a word that nothing is called by.

local words = {}

local FAR <const> = 3 -- edits from which two words are not alike
local LONGEST <const> = 40 -- characters of a word that is compared

-- Edits (insert, delete, replace, swap of neighbours) between two words.
local function distance(a, b)
  local rows = {}
  for i = 0, #a do
    rows[i] = { [0] = i }
    for j = 1, #b do
      if i == 0 then
        rows[i][j] = j
      else
        local same = a:byte(i) == b:byte(j) and 0 or 1
        local edits = math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same)
        if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
          edits = math.min(edits, rows[i - 2][j - 2] + 1)
        end
        rows[i][j] = edits
      end
    end
  end
  return rows[#a][#b]
end

-- The one of a list of words that fewest edits separate from `word`, the first of several; nil: none is alike.
function words.nearest(list, word)
  local nearest, least = nil, FAR
  if type(word) ~= "string" or #word >= LONGEST then
    return nil
  end
  for _, name in ipairs(list) do
    -- The distance of two words is at least the difference of their lengths.
    local edits = math.abs(#word - #name) < least and distance(word, name) or math.huge
    if edits < least and edits < #name then
      nearest, least = name, edits
    end
  end
  return nearest
end

-- Names that are counted through, such as CS-1 and CS-2: one is no slip of the other.
local function differ_by_digits(a, b)
  return a:gsub("%d", "") == b:gsub("%d", "")
end

-- "; did you mean 'x'?", or "" where no word is alike.
function words.question(list, word)
  local nearest = words.nearest(list, word)
  return nearest and not differ_by_digits(word, nearest) and string.format("; did you mean '%s'?", nearest) or ""
end

return words
