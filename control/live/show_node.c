/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about the node as a whole and its control plane. */
#include "control/live/tables.h"

#include "control/base/clock.h"
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
    const char *version, *program;
    int64_t program_replaced_ns, uptime_ns;
    uint64_t mobiles, contexts;
    struct node_fields node;
};

static void show_node_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    int64_t replaced_at_ns;
    enum program_file_state program = program_file_look(&live->program, &replaced_at_ns);
    const struct node_row row = {
        .version = command_version(),
        .program = program_file_text(program),
        .program_replaced_ns = replaced_at_ns ? clock_wall_ns() - replaced_at_ns : 0,
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
    FIELD(struct node_row, LABEL, "program", "", program,
          "Whether the program that runs is the one on disk; a restart of the node runs the one on disk."),
    FIELD(struct node_row, GAUGE, "program_replaced_s", "seconds", program_replaced_ns,
          "Time since another program replaced the one that runs; 0: none did."),
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

/* Puts what `each` puts of a record struct node_fields. */
#define NODE_EACH(name, each)                                                                                \
    static void name(const void *record, struct field_sink *sink)                                            \
    {                                                                                                        \
        const struct node_fields node = {.node = &((const struct live *)record)->node};                      \
        each(&node, sink);                                                                                   \
    }

NODE_EACH(show_node_each_path, node_fields_each_path)
#define EACH(name, ...) NODE_EACH(show_node_each_##name, worker_fields_each_##name)
WORKER_TABLES(EACH)

LUA_ROWS(llc_counts);
LUA_ROWS(llc_unhandled);

LUA_ROWS_RECORD(llc_counts, llc_count, SHOW_CORE)
LUA_ROWS_LIST(llc_unhandled, llc_messages, SHOW_CORE)

/* --- the control core --- */

static uint64_t messages_lost(const struct core *core)
{
    uint64_t lost = core->mobility.lost;
    for (unsigned i = 0; i < core->workers; i++)
        lost += core->links[i].lost;
    return lost;
}

/* Rows: kind, name, unit, value, sentence. */
#define CONTROL_ROWS(ROW)                                                                                    \
    ROW(COUNTER, lua_errors, "events", core->lua_errors,                                                     \
        "Events that the control plane dropped because its Lua raised an error.")                            \
    ROW(COUNTER, restarts_order, "restarts", restart->counts[CORE_RESTART_ORDER],                            \
        "Restarts of control by `gbflow restart-control`.")                                                  \
    ROW(COUNTER, restarts_errors, "restarts", restart->counts[CORE_RESTART_ERRORS],                          \
        "Restarts of control after 20 errors of Lua in a minute.")                                           \
    ROW(COUNTER, restarts_time, "restarts", restart->counts[CORE_RESTART_TIME],                              \
        "Restarts of control after 3 calls beyond `limits.lua_call` in a minute.")                           \
    ROW(COUNTER, restarts_memory, "restarts", restart->counts[CORE_RESTART_MEMORY],                          \
        "Restarts of control after 3 calls beyond `limits.lua_memory` in a minute.")                         \
    ROW(COUNTER, restarts_failed, "restarts", restart->failed,                                               \
        "Restarts of control that found no memory; control stayed as it was.")                               \
    ROW(GAUGE, restart_us, "microseconds", (uint64_t)restart->duration_ns / 1000,                            \
        "Time that the latest restart took from control, in which it answered no PDU; 0: there was none.")   \
    ROW(GAUGE, records, "records", restart->records.count, "Records that a restart of control adopts.")      \
    ROW(GAUGE, record_octets, "octets", restart->records.octets, "Memory of the records.")                   \
    ROW(COUNTER, records_lost, "records", restart->records.lost, "Records lost because memory was short.")   \
    ROW(COUNTER, adoption_errors, "errors", restart->adoption_errors,                                        \
        "Errors of Lua while control adopted records.")                                                      \
    ROW(COUNTER, refused, "orders", core->refused,                                                           \
        "Orders that a worker refused, and intents of Lua that were wrong.")                                 \
    ROW(COUNTER, unknown_tlli, "frames", core->mobility.unknown_tlli,                                        \
        "Uplink frames with a TLLI that no mobile has, and that no phone attaches with.")                    \
    ROW(COUNTER, strays_refused, "frames", live->node.sessions.strays.refused,                               \
        "Frames of phones that the node does not know, not answered because of the limits of "               \
        "docs/phones.md.")                                                                                   \
    ROW(COUNTER, llc_resumed, "phones", live->node.sessions.gone.resumed,                                    \
        "Phones that kept their LLC numbers soon after the node had refused or deleted them.")               \
    ROW(COUNTER, llc_displaced, "phones", live->node.sessions.gone.displaced,                                \
        "Phones whose LLC numbers were forgotten early, for those of another phone.")                        \
    ROW(COUNTER, send_failures, "PDUs", core->send_failures,                                                 \
        "PDUs of the control plane not sent because no packet buffer was free.")                             \
    ROW(COUNTER, messages_lost, "messages", messages_lost(core),                                             \
        "Messages to workers lost because their queue was full or memory was short.")                        \
    ROW(COUNTER, charging_written, "records", live->node.records.written,                                    \
        "Charging records written to `phones.records.file`.")                                                \
    ROW(COUNTER, charging_lost, "records", live->node.records.lost,                                          \
        "Charging records lost because `phones.records.file` could not be written.")                         \
    ROW(COUNTER, log_left_out, "lines", live->log.own.left_out,                                              \
        "Log lines dropped beyond `live.log_lines`.")                                                        \
    ROW(GAUGE, unanswered, "orders", core_link_unanswered(core),                                             \
        "Orders to workers that the workers have not answered yet.")                                         \
    ROW(COUNTER, log_lost, "writes", outlet_stderr_lost(&live->output),                                      \
        "Writes to stderr lost because its reader is too slow or has gone.")                                 \
    ROW(GAUGE, lua_octets, "octets", lua_host_octets(core->intents.L),                                       \
        "Memory of the control plane's Lua, garbage included; `limits.lua_memory` is its limit.")            \
    ROW(GAUGE, rx_buffers, "buffers", rte_mempool_in_use_count(live->node.rx_pool),                          \
        "Packet buffers in use of the pool for received frames and queued N-PDUs.")                          \
    ROW(GAUGE, tx_buffers, "buffers", rte_mempool_in_use_count(live->node.tx_pool),                          \
        "Packet buffers in use of the pool for frames that the node makes.")                                 \
    ROW(GAUGE, pass_most_us, "microseconds", (uint64_t)live->pass_most_ns / 1000,                            \
        "Processor time of the longest pass of the control loop: the control thread answers between "        \
        "passes.")

struct control_row {
#define MEMBER(kind, name, ...) uint64_t name;
    CONTROL_ROWS(MEMBER)
#undef MEMBER
};

void show_node_each_control(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct core *core = &live->node.core;
    const struct core_restart *restart = &core->restart;
#define VALUE(kind, name, unit, value, ...) .name = value,
    const struct control_row row = {CONTROL_ROWS(VALUE)};
#undef VALUE
    field_put(sink, NULL, &row);
}

const struct field show_node_control[] = {
#define SHOW(kind, name, unit, value, sentence) FIELD(struct control_row, kind, #name, unit, name, sentence),
    CONTROL_ROWS(SHOW) FIELD_END,
#undef SHOW
};

/* --- tables --- */

#define TABLE(name, sentence)                                                                                \
    SHOW_TABLE(#name, show_node_each_##name, worker_fields_##name##_counts, sentence),

const struct field show_node_tables[] = {
    SHOW_TABLE("node", show_node_each, show_node, "The node: N-PDUs, frames, mobiles."),
    SHOW_TABLE("control", show_node_each_control, show_node_control, "Counters of the control core."),
    SHOW_TABLE("llc", llc_counts_each, llc_counts_rows, "LLC frames that the control plane takes."),
    SHOW_TABLE("unhandled", llc_unhandled_each, llc_unhandled_rows,
               "Messages of mobiles on SAPI 1 and 7 that nothing handles."),
    WORKER_TABLES(TABLE)
        SHOW_TABLE("paths", show_node_each_path, path_fields, "GTP-U paths that contexts use or used."),
    SHOW_TABLE("config", show_node_each_config, show_node_config, "The configuration in force."),
    FIELD_END,
};
