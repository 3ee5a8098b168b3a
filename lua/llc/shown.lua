-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of tables of LLC frames in the control plane (base.shown).
local shown = require "base.shown"

local counter, number = shown.counter, shown.number

-- An outcome of a phone's proposal, or of the node's.
local function refused(why, sentence)
  return counter("compression_refused_" .. why, "entities", "Entities of compression refused: " .. sentence)
end

return {
  llc_counts = {
    counter("xid_answered", "XID commands", "XID commands of mobiles that were answered."),
    counter("xid_refused_parameter", "parameters", "Parameters in XID commands with values that are not allowed."),
    counter("xid_networks_parameter", "parameters", "Parameters in XID commands that only the network may set."),
    counter("xid_compression_refused", "entities",
      "Entities of compression in XID commands of mobiles that the node refused, for each cause below."),
    counter("xid_sndcp_malformed", "XID frames", "XID commands whose SNDCP parameters are cut short."),
    counter("compression_accepted", "entities", "Entities of compression that the node or a mobile accepted."),
    counter("compression_changed", "entities", "Entities of compression with other values or contexts."),
    counter("compression_ended", "entities",
      "Entities of compression that mobiles, LLC's Reset or the end of contexts ended."),
    counter("compression_proposed", "XID commands",
      "XID commands with entities of compression sent, retransmissions included."),
    counter("compression_unanswered", "proposals", "Proposals of compression given up after N200 retransmissions."),
    refused("algorithm", "of an algorithm that is not configured."),
    refused("collision", "while the node proposes one of that kind."),
    refused("context", "without a context on that SAPI that can use it."),
    refused("direction", "of directions that are not configured."),
    refused("malformed", "in a field that is cut short."),
    refused("number", "whose PCOMP or DCOMP are 0 or equal."),
    refused("parameter", "with a parameter out of range."),
    refused("peer", "of the node, by mobiles."),
    refused("room", "beyond `sndcp.compression.entities`."),
    refused("taken", "of a kind that the SAPI already has."),
    refused("unknown", "that do not exist and are to change."),
    counter("xid_malformed", "XID frames", "XID frames whose information field is malformed."),
    counter("xid_unexpected", "XID frames", "XID responses that answer no XID command of the node."),
    counter("reset_sent", "XID commands", "XID commands with Reset sent, retransmissions included."),
    counter("reset_done", "resets", "Resets that mobiles answered."),
    counter("reset_unanswered", "resets", "Resets given up after N200 retransmissions."),
    counter("gmm", "UI frames", "UI frames of SAPI 1 (GMM, SM), which the node does not answer."),
    counter("sms", "UI frames", "UI frames of SAPI 7 (SMS), which the node does not answer."),
    counter("empty", "UI frames", "UI frames of SAPI 1 or 7 without content."),
    counter("null", "LLC frames", "NULL commands received."),
    counter("sabm", "LLC frames", "SABM commands for such a SAPI received with P = 1, each answered with DM."),
    counter("disc", "LLC frames", "DISC commands for such a SAPI received with P = 1, each answered with DM."),
    counter("ua", "LLC frames", "UA responses received."),
    counter("dm", "LLC frames", "DM responses received."),
    counter("frmr", "LLC frames", "FRMR responses received."),
    counter("undefined", "LLC frames", "U frames received of a type that TS 44.064 does not define."),
    counter("poll_missing", "LLC frames",
      "SABM, DISC and XID commands with P = 0, which are discarded (TS 44.064 clause 8.2)."),
    counter("i_frame", "LLC frames", "I frames received for a SAPI without a link in acknowledged mode."),
    counter("s_frame", "LLC frames", "S frames received for a SAPI without a link in acknowledged mode."),
    counter("malformed", "LLC frames", "LLC frames passed to the control plane that are malformed."),
    counter("unknown_mobile", "LLC frames",
      "LLC frames passed to the control plane whose mobile was deleted meanwhile."),
  },
  -- Messages of layer 3 without a handler.
  llc_unhandled = {
    number("sapi", "SAPI: 1 or 7."),
    number("protocol", "Protocol discriminator (TS 24.007)."),
    number("message", "Message type."),
    counter("frames", "UI frames", "UI frames with such a message."),
  },
}
