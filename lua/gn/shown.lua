-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of tables of GTP-C, and of paths to GGSNs (base.shown).
local shown = require "base.shown"

local text, counter = shown.text, shown.counter

-- An event of GTP-C since the start.
local function messages(name, sentence)
  return counter(name, "messages", sentence)
end

return {
  gtpc_counts = {
    messages("malformed", "Messages that could not be decoded."),
    messages("unexpected", "Responses that belong to no request, or have another TEID."),
    messages("restarts", "Messages with a new restart counter of a GGSN."),
    messages("refused_requests",
      "Requests of GGSNs and SGSNs that were refused, or not answered for the limit of answers."),
    messages("foreign_requests", "Requests for a context from another address than its GGSN's."),
    messages("rate_limited", "Requests not answered because of the limit of answers."),
    messages("foreign_addresses", "Responses with an address that the GGSN may not name (gn.ggsns)."),
    messages("unconfirmed_restarts",
      "Echo Responses with a new restart counter that the GGSN did not repeat in its next Echo Response."),
    messages("unconfirmed_errors", "Error Indications for contexts that their GGSN still has, as it said when asked."),
    messages("unchecked_requests",
      "Requests dropped because too many before, from the same address, named no context."),
    messages("unknown_types", "Messages of types that the node does not know: no answer."),
    messages("other_versions", "Messages of GTPv0 and GTPv2, answered by Version Not Supported, and such answers."),
    messages("rim_sent", "PDUs of RAN information that went to another SGSN or an MME (phones.pool)."),
    messages("rim_received", "PDUs of RAN information that came from another SGSN or an MME."),
    messages("repeated_requests", "Repeated requests of GGSNs for contexts, which got the same answer again."),
    messages("control_errors", "Error Indications to the port of GTP-C: they end no context."),
  },
  -- Contexts that the node requests.
  gtpc_contexts = {
    shown.hidden("id"),
    text("imsi", "IMSI of the mobile."),
    shown.number("nsapi", "NSAPI of the PDP context."),
    text("apn", "Requested APN."),
    text("ggsn_address", "The GGSN's address for GTP-C."),
    text("state", "creating, active, updating, withdrawing, resting, leaving or deleting (docs/gtpc.md)."),
    text("cause",
      "GTP cause of the latest refusal, silence if no answer came, or refused here if the answer cannot be used."),
  },
  paths = {
    text("sgsn_address", "The node's address of the path."),
    text("ggsn_address", "The GGSN's address of the path."),
    shown.gauge("contexts", "PDP contexts", "Active PDP contexts that use the path."),
    text("state", "off (not supervised), unknown (no answer yet), up, or down (gn.path)."),
    messages("requests", "Echo Requests, without retransmissions."),
    messages("retransmissions", "Retransmissions of Echo Requests after T3-RESPONSE."),
    messages("answers", "Echo Responses received in time."),
    counter("failures", "times", "Path failures: times that the state became down."),
  },
}
