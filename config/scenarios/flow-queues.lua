-- SPDX-License-Identifier: BSD-3-Clause
-- A download and a ping of the same mobile.
--
-- The server fills a mobile's queue as far as TCP's window allows, 64 KB: ten seconds of its air. The mobile's ping
-- would wait at the end of that queue. With flow queues, one for each 5-tuple, the ping leaves before the download,
-- which it hardly delays. The SGSN can choose only among packets that it still has, so bss_target keeps the standing
-- queue in the SGSN and not in the BSS.
--
--     gbflow run config/scenarios/flow-queues.lua
--     gbflow run config/scenarios/flow-queues.lua --set sgsn.queues={}
--     gbflow run config/scenarios/flow-queues.lua --set sgsn.flow_control={}
--
-- Compare ping[].rtt_s and the mobile's goodput_bps in summary.json.

return {
  title = "A download and a ping of the same mobile",
  duration = "5 min",
  warmup = "20 s",
  sgsn = {
    queue_limit = "1 MB",
    lifetime = { sgsn_max = "infinite", bss_max = "infinite" },
    flow_control = { bss_target = "250 ms" },
    queues = { flow_queues = 16 },
  },
  cells = {
    { bvci = 2, pdchs = 4, coding = "CS-2", downlink_slots = 4, flow_control = { bucket_time = "10 s" } },
  },
  mobiles = {
    { name = "phone", class = "background", traffic = {
      { download = { octets = "infinite" } },
      { ping = { every = "2 s" } },
    } },
  },
}
