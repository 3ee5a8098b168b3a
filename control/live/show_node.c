/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about the node as a whole and its control plane. */
#include "control/live/tables.h"

#include "control/base/command.h"
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/lua/lua_host.h"
#include "control/report/node_fields.h"

#include <rte_mempool.h>
#include <stdio.h>
#include <string.h>

/* --- the configuration --- */

#define VALUE_CHARS 256

struct config_row {
    char key[VALUE_CHARS], value[VALUE_CHARS];
};

static void show_node_each_config(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (const char *line = live->effective, *end; line && *line; line = *end ? end + 1 : end) {
        struct config_row row;
        end = strchrnul(line, '\n');
        const char *tab = strchrnul(line, '\t');
        snprintf(row.key, sizeof(row.key), "%.*s", (int)(tab - line), line);
        snprintf(row.value, sizeof(row.value), "%.*s", tab < end ? (int)(end - tab - 1) : 0, tab + 1);
        field_put(sink, NULL, &row);
    }
}

static const struct field show_node_config[] = {
    FIELD(struct config_row, LABEL, "key", "", key, "Key of the configuration (docs/reference/node.md)."),
    FIELD(struct config_row, LABEL, "value", "", value,
          "Its value in force, with defaults; - and what that means for a key that has none."),
    FIELD_END,
};

/* --- the node --- */

struct node_row {
    const char *version;
    int64_t uptime_ns;
    uint64_t mobiles, contexts;
    struct node_fields node;
};

static void show_node_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct node_row row = {
        .version = command_version(),
        .uptime_ns = clock_counter_ns(&live->clock),
        .mobiles = live->node.sessions.mobile_count,
        .contexts = live->node.sessions.context_count,
        .node = node_fields_of(&live->node),
    };
    field_put(sink, NULL, &row);
}

#define NUMBER(name, number) WORKER_FIELD(struct node_row, name, node.stats, number)

static const struct field show_node[] = {
    FIELD(struct node_row, LABEL, "version", "", version, "Version of gbflow that runs."),
    FIELD(struct node_row, GAUGE, "uptime_s", "seconds", uptime_ns, "Time since the start."),
    FIELD(struct node_row, GAUGE, "mobiles", "mobiles", mobiles, "Mobiles."),
    FIELD(struct node_row, GAUGE, "contexts", "PDP contexts", contexts,
          "PDP contexts, those over GTP-C included."),
    NUMBER("npdu_in", npdu_in),
    NUMBER("npdu_out", npdu_out),
    NUMBER("npdu_octets_out", npdu_octets_out),
    FIELD(struct node_row, COUNTER, "npdu_dropped", "N-PDUs", node.totals.dropped,
          "N-PDUs dropped, each counted once."),
    FIELD(struct node_row, GAUGE, "npdu_queued", "N-PDUs", node.totals.queued, "N-PDUs that wait now."),
    NUMBER("forward_npdu_out", forward_npdu_out),
    NUMBER("forward_unconfirmed", forward_unconfirmed),
    NUMBER("forward_octets_out", forward_octets_out),
    NUMBER("forward_npdu_in", forward_npdu_in),
    NUMBER("forward_octets_in", forward_octets_in),
    NUMBER("forward_confirmed", forward_confirmed),
    NUMBER("forward_behind", forward_behind),
    NUMBER("llc_frames", llc_frames),
    NUMBER("uplink_llc_frames", ul_llc_frames),
    NUMBER("uplink_npdus", ul_npdu_out),
    NUMBER("punted", punted),
    NUMBER("gn_echo_requests", gn_echo_requests),
    NUMBER("gn_echo_answered", gn_echo_answered),
    NUMBER("gn_echo_responses", gn_echo_responses),
    NUMBER("gn_error_indications", gn_error_indications),
    NUMBER("gn_tunnel_errors", gn_tunnel_errors),
    NUMBER("gn_rate_limited", gn_rate_limited),
    FIELD_END,
};

/* --- rows of workers, paths and LLC --- */

static void show_node_each_path(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    node_fields_each_path(&node, sink);
}

static void show_node_each_pacing(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    worker_fields_each_pacing(&node, sink);
}

static void show_node_each_acknowledged(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    worker_fields_each_abm(&node, sink);
}

static void show_node_each_compression(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    worker_fields_each_compression(&node, sink);
}

static void show_node_each_llc(const void *record, struct field_sink *sink)
{
    node_fields_put_llc(&((const struct live *)record)->node.core, sink);
}

static void show_node_each_unhandled(const void *record, struct field_sink *sink)
{
    node_fields_put_unhandled(&((const struct live *)record)->node.core, sink);
}

/* --- the control core --- */

struct row {
    uint64_t restarts_order, restarts_errors, restarts_time, restarts_memory, restarts_failed, restart_us,
        records, record_octets, records_lost, adoption_errors, lua_errors, refused, unknown_tlli,
        strays_refused, send_failures, messages_lost, log_left_out, log_lost, unanswered, lua_octets,
        rx_buffers, tx_buffers, pass_most_us, charging_written, charging_lost;
};

static uint64_t messages_lost(const struct core *core)
{
    uint64_t lost = core->mobility.lost;
    for (unsigned i = 0; i < core->workers; i++)
        lost += core->links[i].lost;
    return lost;
}

void show_node_each_control(const void *record, struct field_sink *sink)
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
        .strays_refused = live->node.sessions.strays.refused,
        .send_failures = core->send_failures,
        .messages_lost = messages_lost(core),
        .log_left_out = live->log.own.left_out,
        .log_lost = outlet_stderr_lost(&live->output),
        .lua_octets = lua_host_octets(core->intents.L),
        .rx_buffers = rte_mempool_in_use_count(live->node.rx_pool),
        .tx_buffers = rte_mempool_in_use_count(live->node.tx_pool),
        .unanswered = core_link_unanswered(core),
        .pass_most_us = (uint64_t)live->pass_most_ns / 1000,
        .charging_written = live->node.records.written,
        .charging_lost = live->node.records.lost,
    };
    field_put(sink, NULL, &row);
}

#define COUNT(name, unit, sentence) FIELD(struct row, COUNTER, #name, unit, name, sentence)

const struct field show_node_control[] = {
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
    COUNT(refused, "orders", "Orders that a worker refused, and intents of Lua that were wrong."),
    COUNT(unknown_tlli, "frames",
          "Uplink frames with a TLLI that no mobile has, and that no phone attaches with."),
    COUNT(strays_refused, "frames",
          "Frames of phones that the node does not know, not answered because of the limits of "
          "docs/phones.md."),
    COUNT(send_failures, "PDUs", "PDUs of the control plane not sent because no packet buffer was free."),
    COUNT(messages_lost, "messages",
          "Messages to workers lost because their queue was full or memory was short."),
    COUNT(charging_written, "records", "Charging records written to `phones.records.file`."),
    COUNT(charging_lost, "records",
          "Charging records lost because `phones.records.file` could not be written."),
    COUNT(log_left_out, "lines", "Log lines dropped beyond `live.log_lines`."),
    FIELD(struct row, GAUGE, "unanswered", "orders", unanswered,
          "Orders to workers that the workers have not answered yet."),
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

/* --- tables --- */

const struct field show_node_tables[] = {
    SHOW_TABLE("node", show_node_each, show_node, "The node: N-PDUs, frames, mobiles."),
    SHOW_TABLE("control", show_node_each_control, show_node_control, "Counters of the control core."),
    SHOW_TABLE("llc", show_node_each_llc, llc_fields_counts, "LLC frames that the control plane takes."),
    SHOW_TABLE("unhandled", show_node_each_unhandled, llc_fields_unhandled,
               "Messages of mobiles on SAPI 1 and 7 that nothing handles."),
    SHOW_TABLE("pacing", show_node_each_pacing, worker_fields_pacing_counts,
               "TCP of each worker's mobiles: windows lowered, ACKs held (docs/ack-pacing.md)."),
    SHOW_TABLE("acknowledged", show_node_each_acknowledged, worker_fields_abm_counts,
               "LLC in acknowledged mode, at each worker: links, frames, repetitions."),
    SHOW_TABLE("compression", show_node_each_compression, worker_fields_compression_counts,
               "SNDCP's compression, at each worker: N-PDUs, octets before and after."),
    SHOW_TABLE("paths", show_node_each_path, path_fields, "GTP-U paths that contexts use or used."),
    SHOW_TABLE("config", show_node_each_config, show_node_config, "The configuration in force."),
    FIELD_END,
};
