/* SPDX-License-Identifier: BSD-3-Clause */
/* The key `cells` of a checked scenario: radio, calls, random access and block errors of each cell. */
#include "app/run/lua_cells.h"

#include "app/run/run.h"
#include "bss/access.h"
#include "bss/agch.h"
#include "control/lua/lua_fields.h"
#include "control/lua/lua_table.h"

#include <arpa/inet.h>
#include <string.h>

#define CELL(member, key)   LUA_FIELD_OF(struct scenario_config_cell, member, key)
#define ACCESS(member, key) LUA_FIELD_OF(struct scenario_config_access, member, key)
#define ERRORS(member, key) LUA_FIELD_OF(struct scenario_config_errors, member, key)
#define LINK(member, key)   LUA_FIELD_OF(struct scenario_config_link, member, key)

static const struct lua_field cell_fields[] = {
    CELL(bvci, "bvci"),
    CELL(pdchs, "pdchs"),
    CELL(coding, "coding"),
    CELL(block_payload_octets, "block_payload"),
    CELL(up_payload_octets, "block_payload_up"),
    CELL(bler_down_ppm, "bler"),
    CELL(bler_up_ppm, "bler_up"),
    CELL(retransmission_ns, "retransmission"),
    CELL(processing_ns, "processing"),
    CELL(control_every, "control_one_in"),
    CELL(window_blocks, "window"),
    LUA_FIELD_WORDS(IS_WORD, struct scenario_config_cell, is_rlc_unacknowledged, "rlc", "unacknowledged"),
    LUA_FIELD_WORDS(IS_WORD, struct scenario_config_cell, has_levels, "schedule", "class"),
    CELL(downlink_slots, "downlink_slots"),
    CELL(uplink_slots, "uplink_slots"),
    CELL(setup_ns, "tbf.setup"),
    CELL(setup_with_uplink_ns, "tbf.setup_with_uplink"),
    CELL(release_ns, "tbf.release"),
    CELL(uplink_access_ns, "tbf.uplink_access"),
    CELL(uplink_hold_ns, "tbf.uplink_hold"),
    CELL(mobile_buffer_octets, "buffer.mobile"),
    CELL(cell_buffer_octets, "buffer.cell"),
    CELL(measured_ns, "flow_control.bucket_time"),
    CELL(stop_octets, "flow_control.thresholds.stop"),
    CELL(go_octets, "flow_control.thresholds.go"),
    CELL(calls.channels, "calls.channels"),
    CELL(calls.flush_ns, "calls.flush"),
    CELL(calls.restart_wait_ns, "calls.restart_wait"),
    CELL(calls.uplink_keep_ns, "calls.uplink_keep"),
    CELL(calls.taken, "calls.schedule.taken"),
    CELL(calls.first_ns, "calls.schedule.first"),
    CELL(calls.every_ns, "calls.schedule.every"),
    CELL(calls.hold_ns, "calls.schedule.hold"),
    CELL(calls.interval_ns, "calls.arrivals.interval"),
    CELL(calls.mean_hold_ns, "calls.arrivals.hold"),
    {0}};

static const struct lua_field access_fields[] = {
    LUA_FIELD_AS(IS_THERE, struct scenario_config_access, is_given, "access"),
    ACCESS(up.poll_ns, "tbf.uplink_poll"),
    ACCESS(down.poll_ns, "tbf.downlink_poll"),
    ACCESS(down.lost_ns, "tbf.t3190"),
    ACCESS(down.listen_ns, "tbf.t3192"),
    ACCESS(down.ack_every, "tbf.ack_every"),
    ACCESS(random.has_contention, "access.contention"),
    ACCESS(random.opportunities, "access.opportunities"),
    ACCESS(random.retransmissions, "access.max_retrans"),
    ACCESS(random.s_slots, "access.s"),
    ACCESS(random.t_slots, "access.tx_integer"),
    ACCESS(random.persistence, "access.persistence"),
    ACCESS(random.capture_ppm, "access.capture"),
    ACCESS(random.response_ns, "access.response"),
    ACCESS(random.fail_wait_ns, "access.t3146"),
    ACCESS(random.retry_ns, "access.retry"),
    ACCESS(random.start_ns, "access.start"),
    ACCESS(random.resolution_ns, "access.resolution"),
    ACCESS(random.round_trip_ns, "access.round_trip"),
    ACCESS(random.t3168_ns, "access.t3168"),
    ACCESS(random.agch.limit, "access.agch.queue"),
    ACCESS(random.background_ns, "access.background.interval"),
    ACCESS(with_downlink_ns, "access.with_downlink"),
    {0}};

static void read_access(lua_State *L, struct scenario_config_access *config)
{
    struct access_config *access = &config->random;
    lua_fields_load(L, access_fields, config);
    if (!lua_table_enter(L, "access"))
        return;
    access->is_two_phase = lua_table_integer(L, "phases") == 2;
    access->from_ns = RUN_LEAD_NS;
    lua_table_enter(L, "agch");
    unsigned rate = (unsigned)lua_table_integer(L, "rate");
    access->agch.service_ns = rate ? ACCESS_MULTIFRAMES_NS / (ACCESS_MULTIFRAMES * rate) : 0;
    lua_pop(L, 2);
}

/* --- block errors --- */

uint32_t lua_cells_trace(lua_State *L, struct scenario_config *config, enum trace_kind kind)
{
    char file[SCENARIO_CONFIG_FILE_CHARS], to_text[INET_ADDRSTRLEN];
    lua_table_text(L, "file", file, sizeof(file));
    lua_table_text(L, "to", to_text, sizeof(to_text));
    uint32_t to = kind == TRACE_PACKETS && to_text[0] ? lua_table_address(L, "to") : 0;
    for (uint32_t i = 0; i < config->trace_count; i++)
        if (config->traces[i].kind == kind && config->traces[i].to == to &&
            strcmp(config->traces[i].file, file) == 0)
            return i + 1;
    struct trace *trace = lua_table_append(&config->traces, &config->trace_count, sizeof(*trace));
    *trace = (struct trace){.kind = kind, .file = lua_table_string(L, "file"), .to = to};
    return config->trace_count;
}

static void read_point(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config_errors *errors = arg;
    static const struct lua_field fields[] = {
        ERRORS(points[0].ci_db, "ci_db"), ERRORS(points[0].bler_ppm, "bler"), {0}};
    const size_t octets = sizeof(errors->points[0]);
    lua_fields_load(L, fields, (char *)errors + octets * errors->point_count++);
}

static const struct lua_field error_fields[] = {ERRORS(good_ns, "fading.good"),
                                                ERRORS(bad_ns, "fading.bad"),
                                                ERRORS(bad_bler_ppm, "fading.bler"),
                                                ERRORS(every_ns, "bler_trace.every"),
                                                {0}};

static void read_errors(lua_State *L, struct scenario_config *config, struct scenario_config_errors *errors)
{
    lua_fields_load(L, error_fields, errors);
    if (!lua_table_enter(L, "bler_trace"))
        return;
    lua_table_each(L, "curve", read_point, errors, 0);
    errors->trace = lua_cells_trace(L, config, errors->point_count ? TRACE_RATIOS : TRACE_RATES);
    lua_pop(L, 1);
}

/* --- link adaptation (lua/scenario/link.lua) --- */

static const struct lua_field link_fields[] = {
    LUA_FIELD_AS(IS_THERE, struct scenario_config_link, is_there, "link"),
    LINK(ci_db, "link.ci_db"),
    LINK(spread_db, "link.spread_db"),
    LINK(shadowing_db, "link.shadowing_db"),
    LINK(uplink_db, "link.uplink_db"),
    LINK(hysteresis_db, "link.hysteresis_db"),
    LINK(decorrelation_ns, "link.decorrelation"),
    LINK(t_avg_ns, "link.t_avg"),
    LINK(report_ns, "link.report"),
    LINK(has_redundancy, "link.incremental_redundancy"),
    LINK(has_splits, "link.resegmentation"),
    LINK(window_down, "link.window_down"),
    LINK(window_up, "link.window_up"),
    LINK(initial, "link.initial"),
    LINK(every_ns, "link.trace.every"),
    LUA_FIELD_WORDS(IS_WORD, struct scenario_config_link, has_reduced_tti, "link.tti", "10 ms"),
    {0}};

static void read_curve(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config_link *link = arg;
    static const struct lua_field fields[] = {
        LINK(curves[0].coding, "coding"), LINK(curves[0].ci_db, "ci_db"), {0}};
    const size_t octets = sizeof(link->curves[0]);
    lua_fields_load(L, fields, (char *)link + octets * link->curve_count++);
}

static void read_link(lua_State *L, struct scenario_config *config, struct scenario_config_link *link)
{
    char adaptation[16];
    lua_fields_load(L, link_fields, link);
    if (!lua_table_enter(L, "link"))
        return;
    lua_table_text(L, "adaptation", adaptation, sizeof(adaptation));
    link->is_adaptive = strcmp(adaptation, "none") != 0;
    lua_table_each(L, "curves", read_curve, link, 0);
    if (lua_table_enter(L, "trace")) {
        link->trace = lua_cells_trace(L, config, TRACE_RATIOS);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_cell *cell = lua_table_append(&config->cells, &config->cell_count, sizeof(*cell));
    char policy[16];
    lua_fields_load(L, cell_fields, cell);
    lua_table_text(L, "made", cell->made, sizeof(cell->made));
    lua_table_enter(L, "flow_control");
    lua_table_text(L, "policy", policy, sizeof(policy));
    lua_pop(L, 1);
    if (strcmp(policy, "osmo_pcu") != 0)
        cell->measured_ns = 0;
    read_access(L, &cell->access);
    read_errors(L, config, &cell->errors);
    read_link(L, config, &cell->link);
}

void lua_cells_read(lua_State *L, struct scenario_config *config)
{
    lua_table_each(L, "cells", read_cell, config, 0);
}
