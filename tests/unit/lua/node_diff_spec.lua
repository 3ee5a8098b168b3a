-- SPDX-License-Identifier: BSD-3-Clause
local changes = require "node.changes"
local config = require "schema.config"
local node_diff = require "node.diff"
local node_text = require "node_text"

local MOBILES <const> = 'mobiles = { source = "list", list = { %s } },'

local function mobile(i, rest)
  local form = '{ imsi = "26242000000000%d", tlli = 0xC000000%d, bvci = 1800%s, contexts = { { nsapi = 5, teid = %d, '
    .. 'sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 1, address = "10.45.0.1" } } },'
  return form:format(i, i, rest or "", i)
end

-- With contexts over GTP-C of these classes.
local function asking(i, rest, ...)
  local contexts = {}
  for j, class in ipairs { ... } do
    contexts[j] = ('{ nsapi = %d, apn = "a", class = "%s", sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1" }')
      :format(4 + j, class)
  end
  return ('{ imsi = "26242000000000%d", tlli = 0xC000000%d, bvci = 1800%s, contexts = { %s } },'):format(i, i, rest,
    table.concat(contexts, ", "))
end

local TEXT <const> = [[return {
  gb = { address = "10.99.0.1" },
  nses = {
    { nsei = 101, nsvcs = { { nsvci = 1, address = "10.99.0.2" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 1 } },
        { bvci = 1801, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 2 } } } },
    { nsei = 102, nsvcs = { { nsvci = 2, address = "10.99.0.3" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 3 } } } },
  },
  LIST
}]]

local function node(list, ...)
  local text = TEXT:gsub("LIST", (MOBILES:format(list)))
  for _, edit in ipairs { ... } do
    local from, to = text:find(edit[1], 1, true)
    text = text:sub(1, from - 1) .. edit[2] .. text:sub(to + 1)
  end
  local checked, errors = config.load(text, "n.lua", "node")
  return (assert(checked, table.concat(errors or {}, "\n")))
end

local ONE <const> = mobile(1)
local NOTHING <const> = { refused = {}, added = {}, removed = {}, classes = {}, policies = {}, links = {}, nsvcs = {},
  gone = {}, endpoints = {}, nses = {}, gone_nses = {}, cells = {}, gone_cells = {}, schemes = {}, timers = false,
  limits = false, live = false, phones = false, addresses = false,
  accepted = false, gtpc = false, llc = false }

local function changed(fields)
  local expected = {}
  for key, value in pairs(NOTHING) do expected[key] = value end
  for key, value in pairs(fields) do expected[key] = value end
  return expected
end

local ACCEPTED <const> = 'nses_accepted = { networks = { "10.99.0.0/24" }, nseis = { first = 200, last = 299 } }, '
  .. 'nses = {'

-- What the new one has instead of ONE in its list, its edits, what differs, and edits of the old one.
local ROWS <const> = {
  { ONE, {}, {} },
  { ONE, { { "mobiles =", "queues = { class = { thp1 = { order = 'mobiles' } } }, mobiles =" } }, {} },
  { ONE .. mobile(2), {}, { added = { 2 } } },
  { mobile(2) .. ONE, {}, { added = { 1 } } },
  { mobile(3) .. mobile(2), {}, { added = { 1, 2 }, removed = { "262420000000001" } } },
  { mobile(1, ", nsei = 102"), {}, { added = { 1 }, removed = { "262420000000001" } } },
  { ONE, { { "ci = 2 } }", 'ci = 2 }, flow_control = { max_rate = "1 Mbit/s" } }' } },
    { policies = { { nse = 1, cell = 2 } } } },
  { ONE, { { "mobiles =", 'flow_control = { max_rate = "1 Mbit/s" }, mobiles =' } },
    { policies = { { nse = 1, cell = 1 }, { nse = 1, cell = 2 }, { nse = 2, cell = 1 } } } },
  { ONE, { { "nsei = 102,", 'nsei = 102, gb = { rate = "1 Mbit/s" },' } }, { links = { 2 } } },
  { ONE, { { "nses = {", ACCEPTED }, { "mobiles =", 'flow_control = { max_rate = "1 Mbit/s" }, mobiles =' } },
    { policies = { { nse = 1, cell = 1 }, { nse = 1, cell = 2 }, { nse = 2, cell = 1 } }, accepted = true },
    { { "nses = {", ACCEPTED } } },
  { ONE, { { '"10.99.0.3" }', '"10.99.0.3" }, { nsvci = 3, address = "10.99.0.4" }' } },
    { nsvcs = { { nse = 2, nsvc = 2 } } } },
  { ONE, { { "ci = 3 } } } },", 'ci = 3 } } } }, { nsei = 103, nsvcs = { { nsvci = 3, address = "10.99.0.4" } }, '
    .. 'cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 4 } } } },' } },
    { nses = { 3 } } },
  { ONE, { { "mobiles =", 'timers = { ns = { test = "10 s" } }, mobiles =' } }, { timers = true } },
  { ONE, { { "mobiles =", "gn = { gtpc = { retry = '9 s' } }, mobiles =" } }, { gtpc = true } },
  { ONE, { { "mobiles =", "gn = { gtpc = { restart_file = 'f' } }, mobiles =" } },
    { refused = { "gn.gtpc.restart_file" } } },
  { ONE, { { "mobiles =", "llc = { acknowledged = { n201_i = '500 octets' } }, mobiles =" } }, { llc = true } },
  { ONE, { { "mobiles =", "llc = { t200 = '9 s' }, mobiles =" } }, { llc = true } },
  { ONE, { { "mobiles =", "llc = { acknowledged = { k_up = 9 } }, mobiles =" } },
    { refused = { "llc.acknowledged.k_up" } } },
  { ONE, { { "mobiles =", "live = { log_lines = 20 }, mobiles =" } }, { live = true } },
  { ONE, { { '"10.99.0.3"', '"10.99.0.5"' } },
    { nsvcs = { { nse = 2, nsvc = 1 } }, gone = { { nsei = 102, nsvci = 2 } } } },
  { ONE, { { '{ { nsvci = 1, address = "10.99.0.2" } }', '{ { nsvci = 9, address = "10.99.0.2", udp_port = 1 } }' } },
    { nsvcs = { { nse = 1, nsvc = 1 } }, gone = { { nsei = 101, nsvci = 1 } } } },
  { ONE, { { "nsvcs = { {", 'nsvcs = { { nsvci = 7, address = "10.99.0.7" }, {' } },
    { nsvcs = { { nse = 1, nsvc = 1 } } } },
  { ONE, { { "ci = 3", "ci = 4" } }, { refused = { "nses[2].cells[1].cell_id.ci" } } },
  { ONE, { { "mobiles =", 'live = { idle = "poll" }, mobiles =' } }, { live = true } },
  { ONE, { { 'address = "10.99.0.1"', 'address = "10.99.0.1", port = "net_ring0"' } }, { refused = { "gb.port" } } },
  { ONE, { { 'source = "list"', 'source = "list", sapi = 5' } }, { refused = { "mobiles.sapi" } } },
  { ONE, { { "mobiles =", "workers = 2, mobiles =" } }, { refused = { "workers" } } },
  { ONE, { { "nsei = 102,", "nsei = 102, start = 'sgsn'," } }, { refused = { "nses[2].start" } } },
  { ONE, { { "{ nsei = 101", "{ nsei = 103" } }, { nses = { 1 }, gone_nses = { 101 }, removed = { "262420000000001" },
    added = { 1 } } },
  { ONE, { { "{ nsei = 101", '{ nsei = 103, nsvcs = { { nsvci = 7, address = "10.99.0.7" } }, cells = { { bvci = 1800, '
    .. 'cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 7 } } } }, { nsei = 101' },
    { "bvci = 1800, contexts", "bvci = 1800, nsei = 101, contexts" } }, { nses = { 1 } } },
  { ONE, { { "ci = 2 } }",
    'ci = 2 } }, { bvci = 9, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 9 } }' } },
    { cells = { { nse = 1, cell = 3 } } } },
  { ONE, { { "bvci = 1801", "bvci = 1802" } }, { cells = { { nse = 1, cell = 2 } },
    gone_cells = { { nsei = 101, bvci = 1801 } } } },
}

-- What can be less, or anything, and what cannot: "limits = {...}" and the like, and paths that are refused.
local LIMITS <const> = {
  { "limits = { mobiles = 100, contexts = 99, npdu_buffers = 1000, reassemblies = 5 }" },
  { "limits = { mobiles = 4097 }", "limits.mobiles" },
  { "limits = { contexts = 8193, reassemblies = 1025, npdu_buffers = 32768 }", "limits.contexts",
    "limits.npdu_buffers", "limits.reassemblies" },
  { "limits = { fragments = 4095 }", "limits.fragments" },
  { "queues = { weights = { thp1 = 51 }, mobile = { octets = '9 kB', packets = 3 }, budget_packets = 100, "
    .. "reserve_packets = 3, flow_quantum = '1500 octets', class = { thp1 = { packets = 5 } } }" },
  { "queues = { class = { thp1 = { packets = 5, octets = '9 kB', order = 'sfq' } } }", "queues.class.thp1.order" },
  { "queues = { class = { thp1 = { order = 'fifo' } } }", "queues.class.thp1.order" },
  { "queues = { extra_flows = 3 }", "queues.extra_flows" },
  { "queues = { flow_queues = 4 }", "queues.flow_queues" },
  { "queues = { class = { thp1 = { order = 'sfq' } } }", "queues.class.thp1.order" },
  { "lifetime = { mode = 'sgsn_only', sgsn_max = '3 s' }" },
}

-- Without `running`: what runs is what the old configuration says.
local function diff(old, new, running)
  local workers = {}
  for _, nse in ipairs(old.nses) do workers[nse.nsei] = nse.worker end
  local result = node_diff.diff(old, new, running or { workers = workers, limits = old.limits })
  local told, count = result.told, result.told_count
  result.told, result.told_count = nil, nil
  return result, told, count
end

describe("node_diff", function()
  for i, row in ipairs(ROWS) do
    it("row " .. i, function()
      assert.same(changed(row[3]), diff(node(ONE, table.unpack(row[4] or {})), node(row[1], table.unpack(row[2]))))
    end)
  end

  for i, row in ipairs(LIMITS) do
    it("has limits " .. i, function()
      local refused = { table.unpack(row, 2) }
      local result = diff(node(ONE), node(ONE, { "mobiles =", row[1] .. ", mobiles =" }))
      assert.same(refused, result.refused)
      assert.is_true(result.limits or #refused > 0)
      result.refused, result.limits = {}, false
      assert.same(NOTHING, result)
    end)
  end

  it("has limits of all mobiles", function()
    for _, text in ipairs { "queue_limit = '9 kB'", "ready_timer = '9 s'" } do
      local new = node(ONE, { "list = {", text .. ", list = {" })
      assert.same(changed({ limits = true }), diff(node(ONE), new))
    end
  end)

  it("goes by the limits of the start, whatever the texts have said since", function()
    local running = { workers = {}, limits = { mobiles = 50, contexts = 60, npdu_buffers = 100, reassemblies = 5 } }
    local text = { "mobiles =", "queues = { reserve_packets = 1 }, limits = { mobiles = %d, contexts = 60, "
      .. "npdu_buffers = 100, reassemblies = 5 }, mobiles =" }
    local function of(count) return node(ONE, { text[1], text[2]:format(count) }) end
    assert.same(changed({ limits = true }), diff(of(10), of(50), running))
    assert.same({ "limits.mobiles" }, diff(of(10), of(51), running).refused)
  end)

  it("leaves an NSE with its worker, wherever it stands", function()
    local two = { "mobiles =", "workers = 2, mobiles =" }
    local function shorn(...)
      local new = node(ONE, two, ...)
      table.remove(new.nses, 1)
      return new
    end
    local mine = { "bvci = 1800, contexts", "bvci = 1800, nsei = 102, contexts" }
    local old = node(ONE, two, mine)
    local running = { workers = { [101] = 0, [102] = 1 }, limits = old.limits }
    assert.same(changed({ gone_nses = { 101 } }), diff(old, shorn(mine), running))
    local alone = shorn(mine)
    alone.nses[1].worker = 0 -- as is dealt when it is the first of a text
    assert.same(NOTHING, diff(alone, alone, running))
    assert.same(NOTHING, diff(alone, shorn(mine, { "nsei = 102,", "nsei = 102, worker = 1," }), running))
    assert.same(changed({ refused = { "nses[1].worker" } }),
      diff(alone, shorn(mine, { "nsei = 102,", "nsei = 102, worker = 0," }), running))
  end)

  it("tells other endpoints of ours from the rest of IP-SNS", function()
    local function with(rest)
      return node(ONE, { 'nsvcs = { { nsvci = 2, address = "10.99.0.3" } }',
        'sns = { address = "10.99.0.3"' .. rest .. " }" })
    end
    local old = with("")
    assert.same(NOTHING, diff(old, with("")))
    assert.same(changed({ endpoints = { 2 } }), diff(old, with(", endpoints = { {}, { udp_port = 1 } }")))
    assert.same(changed({ refused = { "nses[2].sns.max_nsvcs" } }), diff(old, with(", max_nsvcs = 3")))
    assert.same({ "nses[2].sns" }, diff(node(ONE), old).refused)
  end)

  it("has another class of a context over GTP-C alone", function()
    local old = node(ONE .. asking(2, "", "thp1", "thp2"))
    local rows = {
      { asking(2, "", "thp1", "thp3"), { classes = { { mobile = 2, context = 2 } } } },
      { asking(2, "", "thp2", "thp1"), { classes = { { mobile = 2, context = 1 }, { mobile = 2, context = 2 } } } },
      { asking(2, "", "thp1"), { added = { 2 }, removed = { "262420000000002" } } },
      { asking(2, "", "thp1", "thp2", "thp3"), { added = { 2 }, removed = { "262420000000002" } } },
      { asking(2, ', msisdn = "49170"', "thp1", "thp3"), { added = { 2 }, removed = { "262420000000002" } } },
    }
    for _, row in ipairs(rows) do
      assert.same(changed(row[2]), diff(old, node(ONE .. row[1])))
    end
    local spoilt = ONE:gsub("address = \"10.45.0.1\"", "class = \"thp1\", %0")
    assert.same(changed({ added = { 1 }, removed = { "262420000000001" } }), diff(node(ONE), node(spoilt)))
  end)

  it("refuses a discipline, and pacing, without the keys that follow from them", function()
    local function refused(old, new) return diff(node(ONE, old), node(ONE, new)).refused end
    local q = { "mobiles =", "queues = { discipline = 'q' }, mobiles =" }
    assert.same({ "queues.discipline" }, refused(nil, q))
    assert.same({ "queues.discipline" }, refused(q, nil))
    local paced = { "mobiles =", "queues = { pacing = { classes = { 'background' } } }, mobiles =" }
    for _, path in ipairs(refused(nil, paced)) do assert.truthy(path:find("^queues%.pacing"), path) end
    assert.same({ "queues.flow_queues" }, refused(nil, { "mobiles =", "queues = { flow_queues = 4 }, mobiles =" }))
  end)

  it("names an NSE and a cell that are gone", function()
    local new = node(ONE)
    new.nses[2], new.nses[1].cells[2] = nil, nil
    assert.same(changed({ gone_cells = { { nsei = 101, bvci = 1801 } }, gone_nses = { 102 } }),
      diff(node(ONE), new))
  end)

  it("finds nothing in the shipped example", function()
    local old, new = config.load(node_text.GOOD, "n.lua", "node"), config.load(node_text.GOOD, "n.lua", "node")
    assert.same(NOTHING, diff(old, new))
  end)
end)

-- An edit of a whole node, and the schemes and lines that it makes, or the paths that are refused.
local TOLD <const> = {
  { 'queues = { aqm = { scheme = "red" } }', 6, 'queues.aqm: none: limits only -> { scheme = "red"' },
  { 'queues = { class = { sms = { aqm = { scheme = "red" } } } }', 1,
    'queues.class.sms.aqm: none -> { scheme = "red"' },
  { 'live = { idle = "poll", metrics = {} }', 0,
    'live.idle: "sleep" -> "poll"\nlive.metrics.address: none -> "127.0.0.1"\n'
    .. "live.metrics.port: none -> 9469\nlive.metrics.mobiles: none -> 0\n" },
  { 'timers = { ns = { test = "10 s" } }', 0, "timers.ns.test: 30 s -> 10 s\n" },
}

describe("node_diff tells", function()
  for _, row in ipairs(TOLD) do
    it(row[1], function()
      local result, told = diff(node(ONE), node(ONE, { "mobiles =", row[1] .. ", mobiles =" }))
      assert.same({}, result.refused)
      assert.equal(row[2], #result.schemes)
      assert.equal(row[3], told:sub(1, #row[3]))
    end)
  end

  it("NSEs and cells by their identity", function()
    local new = node(ONE)
    new.nses[2], new.nses[1].cells[2] = nil, nil
    local _, told, count = diff(node(ONE), new)
    assert.equal("nses[1].cells[2]: bvci 1801 -> none\nnses[2]: nsei 102 -> none\n", told)
    assert.equal(0, count)
  end)

  it("what it means that a key is not there", function()
    local set = node(ONE, { 'source = "list"', 'source = "list", ready_timer = "2 s"' })
    local _, told, count = diff(node(ONE), set)
    assert.equal(1, count)
    assert.equal("mobiles.ready_timer: 44 s in a live node, else infinite -> 2 s\n", told)
    _, told = diff(set, node(ONE))
    assert.equal("mobiles.ready_timer: 2 s -> 44 s in a live node, else infinite\n", told)
  end)

  it("nothing of code", function()
    local old = { "mobiles =", 'queues = { aqm = { plugin = "a.so" } }, mobiles =' }
    local new = { "mobiles =", 'queues = { aqm = { plugin = "b.so" } }, mobiles =' }
    assert.same({ "queues.aqm.plugin" }, diff(node(ONE, old), node(ONE, new)).refused)
    assert.same({ "queues.aqm.plugin" }, diff(node(ONE), node(ONE, new)).refused)
    assert.same({}, diff(node(ONE, old), node(ONE)).refused)
  end)

  it("phones by key, but for their presence", function()
    local text = 'phones = { policy = "%s", imsis = { "26242000000000%d" }, apns = { { name = "a", sgsn_address = '
      .. '"10.98.0.2", ggsn_address = "%s" } }%s }, mobiles ='
    local function with(...) return node(ONE, { "mobiles =", text:format(...) }) end
    local old = with("list", 1, "10.98.0.1", "")
    local result, told = diff(old, with("accept_all", 2, "10.98.0.9", ', ciphering = { 3 }'))
    assert.same(changed({ phones = true }), result)
    assert.equal('phones.policy: "list" -> "accept_all"\nphones.imsis: { "262420000000001" } -> { "262420000000002" }\n'
      .. 'phones.ciphering: { 4, 3, 0 } -> { 3 }\nphones.apns[1].ggsn_address: "10.98.0.1" -> "10.98.0.9"\n', told)
    local hlr = ', hlr = { address = "10.98.0.%d" }'
    assert.same(changed({ phones = true }), diff(with("hlr", 1, "10.98.0.1", hlr:format(1)),
      with("hlr", 1, "10.98.0.1", hlr:format(2))))
    local function recorded(more) return with("list", 1, "10.98.0.1", ", records = { file = " .. more .. " }") end
    assert.same(changed({ phones = true }), diff(recorded("'a'"), recorded("'b'")))
    assert.same(changed({ phones = true }), diff(recorded("'a'"), recorded("'b', format = 'osmo_csv'")))
    assert.same({ "phones.records.format" }, diff(recorded("'a'"), recorded("'a', format = 'osmo_csv'")).refused)
    assert.same({ "phones.records" }, diff(old, recorded("'a'")).refused)
    local pool = ", pool = { nri_bits = 5, nris = { 1 }, others = { { address = '10.98.0.7', nris = { 2 } } } }"
    assert.same(changed({ phones = true }), diff(old, with("list", 1, "10.98.0.1", pool)))
    assert.same({ "phones.area_checks" }, diff(old, with("list", 1, "10.98.0.1", ", area_checks = false")).refused)
    assert.same({ "phones" }, diff(node(ONE), old).refused)
  end)
end)

local function each_key(d, path, fn)
  for _, field in ipairs(d.fields or {}) do
    local inner = path == "" and field.name or path .. "." .. field.name
    fn(inner, field)
    if field.item then each_key(field.item, inner .. "[]", fn) else each_key(field, inner, fn) end
  end
end

describe("node_changes", function()
  local paths = {}
  each_key(require "node.schema", "", function(path) paths[path] = true end)

  it("have a row for each key", function()
    for path in pairs(paths) do
      local row = changes.row_of(path)
      assert.is_true(row and (row.restart ~= nil) ~= (row.at_once ~= nil), path)
    end
  end)

  it("have rows of keys alone, each once", function()
    local seen = {}
    for _, row in ipairs(changes.ROWS) do
      local path = row[1]:gsub("%[%]$", "")
      assert.is_true(paths[path], row[1])
      assert.is_nil(seen[row[1]], row[1])
      seen[row[1]] = true
    end
  end)

  it("give all values in force", function()
    local text = changes.effective(node(ONE))
    assert.truthy(text:find("timers.ns.test\t30 s\n", 1, true))
    assert.truthy(text:find("queues.aqm\t- (none: limits only)\n", 1, true))
    assert.truthy(text:find("nses[2].cells[1].bvci\t1800\n", 1, true))
    assert.truthy(text:find("mobiles.list\t1 items\n", 1, true))
  end)
end)

describe("node_refusals", function()
  local text = "return {\n  gb = { address = '10.99.0.1' },\n  nses = {\n    { nsei = 101,\n      cells = { {} } },\n"
    .. "  },\n}\n"
  local rows = {
    { "gb.address", 2, "workers, neighbours and NS-VCs were told of it at the start" },
    { "gb.port", 2, "devices are opened at the start" },
    { "mobiles.sapi", 1, "it is what all mobiles were made with" },
    { "nses[1].cells[1].cell_id.ci", 5, "a cell keeps its identity; take it out and put it in again" },
    { "nses[1].sns", 4, "it is read when the NSE begins; take the NSE out and put it in again" },
    { "nses[1].worker", 4, "an NSE, its cells and its mobiles stay with their worker" },
    { "limits.fragments", 1, "memory for it is taken at the start" },
    { "limits.contexts", 1, "memory for it is taken at the start: it can become less, and again what it was then" },
  }
  for _, row in ipairs(rows) do
    it("say why " .. row[1] .. " stays", function()
      assert.same({ ("n.lua:%d: %s cannot change while the node runs: %s; a restart of the node changes it, "
        .. "and ends contexts and registrations"):format(row[2], row[1], row[3]) },
        node_diff.explain({ row[1] }, text, "n.lua"))
    end)
  end
end)
