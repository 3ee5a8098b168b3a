-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of tables of phones (base.shown).
local shown = require "base.shown"

local text, number, counter, gauge = shown.text, shown.number, shown.counter, shown.gauge

return {
  subscribers = {
    text("imsi", "IMSI of the phone, - until it is known."),
    text("tlli", "TLLI, hexadecimal."),
    number("nsei", "NSEI of the cell of its latest signalling."),
    number("bvci", "BVCI of that cell."),
    text("state", "State of GMM (lua/gmm/machine.lua)."),
    number("gea", "GEA algorithm, 0: not ciphered."),
    text("contexts", "NSAPI and address of each context, or its state."),
  },
  hlr = {
    text("address", "IP address of the HLR (phones.hlr)."),
    number("tcp_port", "TCP port of its GSUP."),
    text("state", "up or down: the connection; up once the HLR has asked for the node's name."),
  },
  pool = {
    text("nris", "NRIs of the node, - without NRIs."),
    text("offload", "The offload in progress, -: none."),
    gauge("leaving", "phones", "Phones that another SGSN has or asks for, and that are not forgotten yet."),
    counter("told", "phones", "Phones that offloads have told to go."),
  },
  phone_counts = {
    text("name", "A message, procedure or reject cause."),
    counter("count", "events", "How often it happened."),
  },
}
