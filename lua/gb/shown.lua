-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of tables of Gb (base.shown).
local shown = require "base.shown"

local text, number, counter, gauge = shown.text, shown.number, shown.counter, shown.gauge

return {
  gb_nsvcs = {
    shown.hidden("index"),
    number("nsei", "NSEI of the NS-VC's NSE."),
    number("nsvci", "NS-VCI; with IP-SNS a number given by the node."),
    text("address", "IP address of the BSS."),
    number("udp_port", "UDP port of the BSS."),
    text("source", "Why it is there: nses or nses_accepted."),
    text("state",
      "dead, resetting, blocked, unblocking or unblocked; with IP-SNS absent, waiting, alive or silent."),
    text("test", "State of the test procedure (NS-ALIVE)."),
  },
  gb_bvcs = {
    number("nsei", "NSEI of the cell's NSE."),
    number("bvci", "BVCI of the cell."),
    text("cell_id",
      "Cell Identity: MCC, MNC, LAC, RAC and CI, as configured; with nses_accepted, as the BSS named it."),
    text("source", "Why it is there: nses or nses_accepted."),
    text("state", "State of the BVC (TS 48.018 clause 8)."),
    text("usable",
      "yes, no, or waits for flow control: no FLOW-CONTROL-BVC has been received yet, and flow_control.initial is "
      .. "absent."),
    gauge("bucket_octets", "octets", "Bmax of the last FLOW-CONTROL-BVC."),
    gauge("rate_bps", "bit/s", "Bucket leak rate of the last FLOW-CONTROL-BVC."),
    gauge("ms_bucket_octets", "octets", "Default Bmax of mobiles in the last FLOW-CONTROL-BVC."),
    gauge("ms_rate_bps", "bit/s", "Default bucket leak rate of mobiles in the last FLOW-CONTROL-BVC."),
    gauge("ms_buckets", "mobiles", "Mobiles with a bucket of their own (FLOW-CONTROL-MS)."),
  },
  -- A mobile of `gbflow show ms` at the Gb control plane.
  gb_ms = {
    number("nsei", "NSEI of the cell that it is in, or is paged in."),
    number("bvci", "BVCI of that cell."),
    text("state",
      "ready (also in STANDBY while no packet waits), suspended, paged, or unknown to the Gb control plane."),
    gauge("moves", "cell changes", "Cell changes that it may make at once now (mobiles.moves)."),
  },
  gb_events = {
    text("name", "Name of the event: a PDU, a timer or a fault."),
    counter("count", "events", "How often it happened."),
  },
}
