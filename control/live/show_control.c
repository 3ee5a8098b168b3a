/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show_tables.h"

#include "control/core/core_order.h"
#include "control/live/live.h"
#include "control/lua/lua_host.h"

#include <rte_mempool.h>

struct row {
    uint64_t restarts_order, restarts_errors, restarts_time, restarts_memory, restarts_failed, restart_us,
        records, record_octets, records_lost, adoption_errors, lua_errors, refused, unknown_tlli,
        send_failures, messages_lost, log_left_out, log_lost, unanswered, lua_octets, rx_buffers, tx_buffers,
        pass_most_us;
};

static uint64_t messages_lost(const struct core *core)
{
    uint64_t lost = core->mobility.lost;
    for (unsigned i = 0; i < core->workers; i++)
        lost += core->links[i].lost;
    return lost;
}

void show_control_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct core *core = &live->node.core;
    const struct core_restart *restart = &core->restart;
    const struct row row = {
        .lua_errors = core->lua_errors,
        .restarts_order = restart->counts[CORE_RESTART_ORDER],
        .restarts_errors = restart->counts[CORE_RESTART_ERRORS],
        .restarts_time = restart->counts[CORE_RESTART_TIME],
        .restarts_memory = restart->counts[CORE_RESTART_MEMORY],
        .restarts_failed = restart->failed,
        .restart_us = (uint64_t)restart->duration_ns / 1000,
        .records = restart->records.count,
        .record_octets = restart->records.octets,
        .records_lost = restart->records.lost,
        .adoption_errors = restart->adoption_errors,
        .refused = core->refused,
        .unknown_tlli = core->mobility.unknown_tlli,
        .send_failures = core->send_failures,
        .messages_lost = messages_lost(core),
        .log_left_out = live->log.left_out,
        .log_lost = output_lost(&live->output),
        .lua_octets = lua_host_octets(core->intents.L),
        .rx_buffers = rte_mempool_in_use_count(live->node.rx_pool),
        .tx_buffers = rte_mempool_in_use_count(live->node.tx_pool),
        .unanswered = core_unanswered(core),
        .pass_most_us = (uint64_t)live->pass_most_ns / 1000,
    };
    field_put(sink, NULL, &row);
}

#define COUNT(name, unit, sentence) FIELD(struct row, COUNTER, #name, unit, name, sentence)

const struct field show_control[] = {
    COUNT(lua_errors, "events", "Events that the control plane dropped because its Lua raised an error."),
    COUNT(restarts_order, "restarts", "Restarts of control by `gbflow restart-control`."),
    COUNT(restarts_errors, "restarts", "Restarts of control after 20 errors of Lua in a minute."),
    COUNT(restarts_time, "restarts",
          "Restarts of control after 3 calls beyond `limits.lua_call` in a minute."),
    COUNT(restarts_memory, "restarts",
          "Restarts of control after 3 calls beyond `limits.lua_memory` in a minute."),
    COUNT(restarts_failed, "restarts", "Restarts of control that found no memory; control stayed as it was."),
    FIELD(struct row, GAUGE, "restart_us", "microseconds", restart_us,
          "Time that the latest restart took from control, in which it answered no PDU; 0: there was none."),
    FIELD(struct row, GAUGE, "records", "records", records, "Records that a restart of control adopts."),
    FIELD(struct row, GAUGE, "record_octets", "octets", record_octets, "Memory of the records."),
    COUNT(records_lost, "records", "Records lost because memory was short."),
    COUNT(adoption_errors, "errors", "Errors of Lua while control adopted records."),
    COUNT(refused, "requests", "Requests that a worker refused, and intents of Lua that were wrong."),
    COUNT(unknown_tlli, "frames",
          "Uplink frames with a TLLI that no mobile has, and that no phone attaches with."),
    COUNT(send_failures, "PDUs", "PDUs of the control plane not sent because no packet buffer was free."),
    COUNT(messages_lost, "messages",
          "Messages to workers lost because their queue was full or memory was short."),
    COUNT(log_left_out, "lines", "Log lines dropped beyond `live.log_lines`."),
    FIELD(struct row, GAUGE, "unanswered", "requests", unanswered,
          "Requests to workers that the workers have not answered yet."),
    COUNT(log_lost, "writes", "Writes to stderr lost because its reader is too slow or has gone."),
    FIELD(struct row, GAUGE, "lua_octets", "octets", lua_octets,
          "Memory of the control plane's Lua, garbage included; `limits.lua_memory` is its limit."),
    FIELD(struct row, GAUGE, "rx_buffers", "buffers", rx_buffers,
          "Packet buffers in use of the pool for received frames and queued N-PDUs."),
    FIELD(struct row, GAUGE, "tx_buffers", "buffers", tx_buffers,
          "Packet buffers in use of the pool for frames that the node makes."),
    FIELD(
        struct row, GAUGE, "pass_most_us", "microseconds", pass_most_us,
        "Processor time of the longest pass of the control loop: the control thread answers between passes."),
    FIELD_END,
};
