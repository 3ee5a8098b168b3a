-- SPDX-License-Identifier: BSD-3-Clause
-- GMM of one phone, network side (24.008 §4.7). Procedures of attach and routeing area update take the same steps; the
-- state "deciding" chooses the next one by what is known of the phone (gmm.steps).
--
-- Owner: a phone of gmm.phones. Events rx_*: its messages; *_again: a request with the same octets as the one in
-- progress (§4.7.3.1.6 d, §4.7.5.1.6 d). hlr_*: answers of the HLR. ask_*, challenge, accept, refuse: the next step.

local fsm = require "base.fsm"
local steps = require "gmm.steps"

local BEGIN <const> = { action = "begin", next = "deciding" }
local AGAIN <const> = { action = "send_accept_again" }

-- Requests that are new, or cancel the one in progress.
local function with_requests(rows)
  rows.rx_attach, rows.rx_rau = rows.rx_attach or BEGIN, rows.rx_rau or BEGIN
  return rows
end

local FIELDS <const> = { "mobile", "tlli", "nsei", "bvci", "imsi", "known", "p_tmsi", "p_tmsi_new", "signature", "key",
  "algorithm", "capability", "is_r99", "cksn", "reference", "msisdn", "subscribed", "was_registered", "detach_cause" }
local KEPT <const> = { registered = "registered", probing = "probing", accepting = "accepting", updating = "updating",
  detaching = "detaching" }

-- Other procedures of a registered phone are forgotten: it repeats its request.
local function keep(phone)
  local state = KEPT[phone.fsm.state] or phone.was_registered and phone.fsm.state ~= "gone" and "registered"
  if not state then return nil end
  local kept, pending = { state = state }, phone.pending
  for _, field in ipairs(FIELDS) do kept[field] = phone[field] end
  if pending and (state == "accepting" or state == "updating") then
    kept.accept, kept.pending = phone.accept, { kind = pending.kind, octets = pending.octets }
  end
  return kept
end

return fsm.define({
  name = "gmm",
  initial = "new",
  keep = keep,
  actions = steps,
  timers = {
    guard = { after = "guard", out = "guard" },
    t3350 = { after = "t3350", retries = "repeats", again = "t3350", out = "t3350_out" },
    t3360 = { after = "t3360", retries = "repeats", again = "t3360", out = "t3360_out" },
    t3370 = { after = "t3370", retries = "repeats", again = "t3370", out = "t3370_out" },
    t3322 = { after = "t3322", retries = "repeats", again = "t3322", out = "t3322_out" },
    hlr = { after = "hlr", out = "hlr_out" },
    implicit = { after = "implicit", out = "implicit" },
  },
  any = {
    rx_again = {}, rx_complete = {}, rx_identity = {}, rx_auth_response = {}, rx_auth_failure = {},
    rx_detach_accept = {}, hlr_vectors = {}, hlr_located = {}, hlr_error = {}, probe = {},
    rx_detach = { action = "answer_detach", next = "gone" },
    replaced = { action = "forget_silently", next = "gone" },
    cancelled = { action = "forget_silently", next = "gone" },
    withdrawn = { action = "note_withdrawn", next = "gone" },
    stray = { action = "answer_stray", next = "gone" },
    detach = { next = "gone" },
  },
  states = {
    new = { on = { added = { next = "fresh" } } },
    fresh = { timer = "guard", on = with_requests({ guard = { next = "gone" } }) },
    deciding = {
      enter = "decide",
      on = with_requests({
        ask_identity = { action = "send_identity_request", next = "identifying" },
        ask_vectors = { action = "fetch_vectors", next = "fetching" },
        challenge = { action = "send_challenge", next = "challenging" },
        ask_location = { action = "update_location", next = "locating" },
        accept_attach = { action = "send_attach_accept", next = "accepting" },
        accept_rau = { action = "send_rau_accept", next = "updating" },
        refuse = { action = "send_reject", next = "ending" },
      }),
    },
    identifying = {
      timer = "t3370",
      on = with_requests({
        rx_identity = { action = "take_identity", next = "deciding" },
        t3370 = { action = "send_identity_request" },
        t3370_out = { action = "note_silence", next = "ending" },
      }),
    },
    fetching = {
      timer = "hlr",
      on = with_requests({
        hlr_vectors = { action = "take_vectors", next = "deciding" },
        hlr_error = { action = "take_error", next = "deciding" },
        hlr_out = { action = "take_error", next = "deciding" },
      }),
    },
    challenging = {
      timer = "t3360",
      on = with_requests({
        rx_auth_response = { action = "judge_response", next = "deciding" },
        rx_auth_failure = { action = "take_failure", next = "deciding" },
        t3360 = { action = "send_challenge_again" },
        t3360_out = { action = "note_silence", next = "ending" },
      }),
    },
    locating = {
      timer = "hlr",
      on = with_requests({
        hlr_located = { action = "note_location", next = "deciding" },
        hlr_error = { action = "take_error", next = "deciding" },
        hlr_out = { action = "take_error", next = "deciding" },
      }),
    },
    ending = { enter = "end_request", on = { restored = { next = "registered" }, ended = { next = "gone" } } },
    accepting = {
      timer = "t3350",
      on = with_requests({
        rx_again = AGAIN,
        rx_complete = { action = "complete", next = "registered" },
        t3350 = AGAIN,
        t3350_out = { action = "note_silence", next = "gone" },
      }),
    },
    updating = {
      timer = "t3350",
      on = with_requests({
        rx_again = AGAIN,
        rx_complete = { action = "complete", next = "registered" },
        t3350 = AGAIN,
        t3350_out = { action = "keep_both", next = "registered" },
        detach = { action = "send_detach_request", next = "detaching" },
      }),
    },
    registered = {
      timer = "implicit",
      on = with_requests({
        implicit = { action = "send_probe", next = "probing" },
        detach = { action = "send_detach_request", next = "detaching" },
        withdrawn = { action = "send_detach_request", next = "detaching" },
      }),
    },
    -- Its data do not tell control that it is there, so it is asked before it counts as gone.
    probing = {
      timer = "t3370",
      on = with_requests({
        rx_identity = { next = "registered" },
        t3370 = { action = "send_probe" },
        t3370_out = { action = "detach_implicitly", next = "gone" },
        detach = { action = "send_detach_request", next = "detaching" },
      }),
    },
    detaching = {
      timer = "t3322",
      on = {
        rx_attach = BEGIN,
        rx_rau = {},
        rx_detach_accept = { next = "gone" },
        t3322 = { action = "send_detach_request" },
        t3322_out = { next = "gone" },
        detach = {},
      },
    },
    gone = { enter = "leave", on = { rx_attach = {}, rx_rau = {}, rx_detach = {}, replaced = {}, cancelled = {},
      withdrawn = {}, stray = {}, detach = {} } },
  },
})
