/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/lua_scenario.h"

#include "control/config/lua_budget.h"
#include "control/config/lua_text.h"
#include "control/config/lua_config_node.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"

#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* read(file): the text of a file below the scenario's folder, which is the first upvalue; nil, with a line on
   stderr. The second one is the scenario_config that keeps it, or NULL. */
static int read_module(lua_State *L)
{
    struct scenario_config *config = lua_touserdata(L, lua_upvalueindex(2));
    const char *file = luaL_checkstring(L, 1);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s", lua_tostring(L, lua_upvalueindex(1)), file);
    if (!lua_text_push_regular(L, path))
        return 0;
    if (config) {
        struct scenario_config_module *module =
            lua_table_append(&config->modules, &config->module_count, sizeof(*module));
        module->file = strdup(file);
        module->text = strdup(lua_tostring(L, -1));
    }
    return 1;
}

static void push_reader(lua_State *L, const char *path, struct scenario_config *config)
{
    char folder[PATH_MAX];
    scenario_config_folder(path, folder);
    lua_pushstring(L, folder);
    lua_pushlightuserdata(L, config);
    lua_pushcclosure(L, read_module, 2);
}

static void push_options(lua_State *L, const struct lua_scenario_options *options)
{
    lua_createtable(L, 0, 3);
    lua_pushinteger(L, (lua_Integer)options->seed);
    lua_setfield(L, -2, "seed");
    lua_createtable(L, (int)options->set_count, 0);
    for (uint32_t i = 0; i < options->set_count; i++) {
        lua_createtable(L, 0, 2);
        lua_pushstring(L, options->sets[i].path);
        lua_setfield(L, -2, "path");
        lua_pushstring(L, options->sets[i].value);
        lua_setfield(L, -2, "value");
        lua_seti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "sets");
}

/* Pushes a function of the module. */
static void push_function(lua_State *L, const char *name)
{
    lua_host_require(L, "scenario.read");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* Replaces (value, lines) on the stack by the value, or pops both when the value is nil; prints the lines. */
static bool take_result(lua_State *L, const char *kind)
{
    if (!lua_isnil(L, -2)) {
        lua_text_print_lines(L, kind);
        return true;
    }
    lua_text_print_lines(L, "");
    lua_pop(L, 1);
    return false;
}

/* Pushes the checked scenario; config gets its text, NULL without memory, and those of its modules. */
static bool push_scenario(lua_State *L, const char *path, const struct lua_scenario_options *options,
                          struct scenario_config *config)
{
    push_function(L, "load");
    if (!lua_text_push(L, path)) {
        lua_pop(L, 1);
        return false;
    }
    config->text = strdup(lua_tostring(L, -1));
    lua_pushstring(L, path);
    push_options(L, options);
    push_reader(L, path, config);
    lua_setfield(L, -2, "read");
    return lua_budget_call(L, 3, 2, path) && take_result(L, "warning: ");
}

/* Pushes the checked node of the scenario on top of the stack. */
static bool push_node(lua_State *L, const char *path)
{
    push_function(L, "node");
    lua_pushvalue(L, -2);
    return lua_budget_call(L, 1, 2, path) && take_result(L, "warning: ");
}

bool lua_scenario_load(lua_State *L, const char *path, const struct lua_scenario_options *options,
                       struct scenario_config *config)
{
    *config = (struct scenario_config){0};
    if (!push_scenario(L, path, options, config)) {
        scenario_config_free(config);
        return false;
    }
    if (!push_node(L, path)) {
        lua_pop(L, 1);
        scenario_config_free(config);
        return false;
    }
    lua_config_node(L, &config->node);
    lua_insert(L, -2);
    lua_scenario_read(L, config);
    lua_pop(L, 1);
    if (!scenario_config_can_play(config) || !scenario_config_read_traces(config, path)) {
        lua_pop(L, 1);
        scenario_config_free(config);
        return false;
    }
    return true;
}

bool lua_scenario_push_study(lua_State *L, const char *path)
{
    struct scenario_config config = {0};
    bool is_right = push_scenario(L, path, &(struct lua_scenario_options){.seed = 1}, &config);
    scenario_config_free(&config);
    if (!is_right)
        return false;
    if (lua_table_enter(L, "study"))
        return true;
    lua_pop(L, 1);
    fprintf(stderr, "%s: is a scenario without axes; add the key `study` (docs/study.md)\n", path);
    return false;
}

int lua_scenario_detect(lua_State *L, const char *path)
{
    push_function(L, "is_one");
    if (!lua_text_push(L, path)) {
        lua_pop(L, 1);
        return -1;
    }
    lua_pushstring(L, path);
    push_reader(L, path, NULL);
    if (!lua_budget_call(L, 3, 1, path))
        return -1;
    bool is_one = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_one;
}

#define UNSCALED_WINDOW_OCTETS 65535

static uint32_t number(lua_State *L, const char *key)
{
    return (uint32_t)lua_table_integer(L, key);
}

static bool is_word(lua_State *L, const char *key, const char *word)
{
    char text[16];
    lua_table_text(L, key, text, sizeof(text));
    return strcmp(text, word) == 0;
}

static bool is_given(lua_State *L, const char *key)
{
    bool is_there = lua_getfield(L, -1, key) != LUA_TNIL;
    lua_pop(L, 1);
    return is_there;
}

/* --- cells --- */

static void read_tbf(lua_State *L, struct scenario_config_cell *cell)
{
    lua_table_enter(L, "tbf");
    cell->setup_ns = lua_table_integer(L, "setup");
    cell->setup_with_uplink_ns = lua_table_integer(L, "setup_with_uplink");
    cell->release_ns = lua_table_integer(L, "release");
    cell->uplink_access_ns = lua_table_integer(L, "uplink_access");
    cell->uplink_hold_ns = lua_table_integer(L, "uplink_hold");
    lua_pop(L, 1);
}

static void read_buffer(lua_State *L, struct scenario_config_cell *cell)
{
    lua_table_enter(L, "buffer");
    cell->mobile_buffer_octets = (uint64_t)lua_table_integer(L, "mobile");
    cell->cell_buffer_octets = (uint64_t)lua_table_integer(L, "cell");
    lua_pop(L, 1);
}

static void read_policy(lua_State *L, struct scenario_config_cell *cell)
{
    lua_table_enter(L, "flow_control");
    if (is_word(L, "policy", "osmo_pcu"))
        cell->measured_ns = lua_table_integer(L, "bucket_time");
    if (lua_table_enter(L, "thresholds")) {
        cell->stop_octets = (uint64_t)lua_table_integer(L, "stop");
        cell->go_octets = (uint64_t)lua_table_integer(L, "go");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* `schedule` and `chance` are optional; the schema requires one of them. */
static void read_sources(lua_State *L, struct scenario_config_calls *calls)
{
    if (lua_table_enter(L, "schedule")) {
        calls->taken = number(L, "taken");
        calls->first_ns = lua_table_integer(L, "first");
        calls->every_ns = lua_table_integer(L, "every");
        calls->hold_ns = lua_table_integer(L, "hold");
        lua_pop(L, 1);
    }
    if (lua_table_enter(L, "arrivals")) {
        calls->interval_ns = lua_table_integer(L, "interval");
        calls->mean_hold_ns = lua_table_integer(L, "hold");
        lua_pop(L, 1);
    }
}

static void read_calls(lua_State *L, struct scenario_config_cell *cell)
{
    if (!lua_table_enter(L, "calls"))
        return;
    cell->calls.channels = number(L, "channels");
    cell->calls.flush_ns = lua_table_integer(L, "flush");
    cell->calls.restart_wait_ns = lua_table_integer(L, "restart_wait");
    cell->calls.uplink_keep_ns = lua_table_integer(L, "uplink_keep");
    read_sources(L, &cell->calls);
    lua_pop(L, 1);
}

static uint32_t trace_of(lua_State *L, struct scenario_config *config, enum trace_kind kind)
{
    char file[SCENARIO_CONFIG_FILE_CHARS];
    lua_table_text(L, "file", file, sizeof(file));
    uint32_t to = kind == TRACE_PACKETS && is_given(L, "to") ? lua_table_address(L, "to") : 0;
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
    lua_getfield(L, -1, "ci_db");
    errors->points[errors->point_count].ci_db = lua_tonumber(L, -1);
    lua_pop(L, 1);
    errors->points[errors->point_count++].bler_ppm = number(L, "bler");
}

static void read_errors(lua_State *L, struct scenario_config *config, struct scenario_config_errors *errors)
{
    if (lua_table_enter(L, "fading")) {
        errors->good_ns = lua_table_integer(L, "good");
        errors->bad_ns = lua_table_integer(L, "bad");
        errors->bad_bler_ppm = number(L, "bler");
        lua_pop(L, 1);
    }
    if (lua_table_enter(L, "bler_trace")) {
        lua_table_each(L, "curve", read_point, errors, 0);
        errors->every_ns = lua_table_integer(L, "every");
        errors->trace = trace_of(L, config, errors->point_count ? TRACE_RATIOS : TRACE_RATES);
        lua_pop(L, 1);
    }
}

static void read_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_cell *cell = lua_table_append(&config->cells, &config->cell_count, sizeof(*cell));
    cell->bvci = (uint16_t)number(L, "bvci");
    cell->pdchs = number(L, "pdchs");
    lua_table_text(L, "coding", cell->coding, sizeof(cell->coding));
    cell->block_payload_octets = number(L, "block_payload");
    cell->up_payload_octets = number(L, "block_payload_up");
    cell->bler_down_ppm = number(L, "bler");
    cell->bler_up_ppm = number(L, "bler_up");
    cell->retransmission_ns = lua_table_integer(L, "retransmission");
    cell->processing_ns = lua_table_integer(L, "processing");
    cell->control_every = number(L, "control_one_in");
    cell->window_blocks = number(L, "window");
    cell->is_rlc_unacknowledged = is_word(L, "rlc", "unacknowledged");
    cell->has_levels = is_word(L, "schedule", "class");
    cell->downlink_slots = number(L, "downlink_slots");
    cell->uplink_slots = number(L, "uplink_slots");
    read_tbf(L, cell);
    read_buffer(L, cell);
    read_policy(L, cell);
    read_calls(L, cell);
    lua_scenario_read_access(L, &cell->access);
    read_errors(L, config, &cell->errors);
    if (lua_table_enter(L, "link")) {
        lua_scenario_link_read(L, &cell->link);
        if (lua_table_enter(L, "trace")) {
            cell->link.every_ns = lua_table_integer(L, "every");
            cell->link.trace = trace_of(L, config, TRACE_RATIOS);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}

void lua_scenario_read_cells(lua_State *L, struct scenario_config *config)
{
    lua_table_each(L, "cells", read_cell, config, 0);
}

/* --- traffic --- */

static enum tcp_recovery recovery_of(lua_State *L)
{
    static const char *const names[] = {
        [TCP_RECOVERY_RENO] = "reno", [TCP_RECOVERY_TAHOE] = "tahoe", [TCP_RECOVERY_BY_TIMEOUT] = "time-out"};
    for (int i = TCP_RECOVERY_RENO; i <= TCP_RECOVERY_BY_TIMEOUT; i++)
        if (is_word(L, "recovery", names[i]))
            return (enum tcp_recovery)i;
    return TCP_RECOVERY_NEWRENO;
}

static void read_tcp(lua_State *L, struct scenario_config_tcp *tcp)
{
    lua_table_enter(L, "tcp");
    tcp->mss_octets = number(L, "mss");
    tcp->receive_window_octets = number(L, "receive_window");
    tcp->stack = is_word(L, "stack", "linux-2.4.0")    ? TCP_STACK_LINUX_2_4_0
                 : is_word(L, "stack", "linux-2.4.17") ? TCP_STACK_LINUX_2_4_17
                                                       : TCP_STACK_RFC;
    tcp->has_fack = lua_table_boolean(L, "fack");
    tcp->recovery = recovery_of(L);
    tcp->cc = is_word(L, "cc", "cubic") ? TCP_CC_CUBIC : TCP_CC_NEWRENO;
    tcp->has_hystart = is_word(L, "slow_start", "hystart++");
    tcp->has_prr = lua_table_boolean(L, "prr");
    tcp->has_rack = lua_table_boolean(L, "rack");
    tcp->counts_octets = is_word(L, "growth", "octets");
    tcp->has_sack = lua_table_boolean(L, "sack");
    tcp->has_timestamps = lua_table_boolean(L, "timestamps");
    tcp->has_ecn = lua_table_boolean(L, "ecn");
    tcp->has_window_scale = tcp->receive_window_octets > UNSCALED_WINDOW_OCTETS;
    tcp->initial_cwnd_segments = number(L, "initial_cwnd");
    tcp->initial_ssthresh_segments = number(L, "initial_ssthresh");
    tcp->max_cwnd_segments = number(L, "max_cwnd");
    tcp->initial_rto_ns = lua_table_integer(L, "initial_rto");
    tcp->min_rto_ns = lua_table_integer(L, "min_rto");
    tcp->max_rto_ns = lua_table_integer(L, "max_rto");
    lua_table_enter(L, "delayed_ack");
    tcp->ack_every_segments = number(L, "every");
    tcp->ack_timeout_ns = lua_table_integer(L, "timeout");
    lua_pop(L, 2);
}

static enum quic_cc read_quic_cc(lua_State *L)
{
    static const char *const names[] = {
        [QUIC_RENO] = "reno", [QUIC_CUBIC] = "cubic", [QUIC_BBR] = "bbr", [QUIC_BBR2] = "bbr2"};
    unsigned cc = 0;
    while (cc < QUIC_BBR2 && !is_word(L, "congestion", names[cc]))
        cc++;
    return (enum quic_cc)cc;
}

static void read_transport(lua_State *L, struct scenario_config_traffic *traffic)
{
    read_tcp(L, &traffic->tcp);
    traffic->is_quic = is_word(L, "transport", "quic");
    lua_table_enter(L, "quic");
    traffic->quic = (struct quic_params){
        .cc = read_quic_cc(L),
        .datagram_octets = number(L, "datagram"),
        .receive_window_octets = (uint64_t)lua_table_integer(L, "receive_window"),
        .certificate_octets = number(L, "certificate"),
        .ack_every_packets = number(L, "ack_every"),
        .ack_delay_ns = lua_table_integer(L, "ack_delay"),
        .initial_rtt_ns = lua_table_integer(L, "initial_rtt"),
        .idle_ns = lua_table_integer(L, "idle_timeout"),
        .has_ecn = lua_table_boolean(L, "ecn"),
    };
    lua_pop(L, 1);
}

static void read_download(lua_State *L, struct scenario_config_traffic *traffic)
{
    lua_Integer octets = lua_table_integer(L, "octets");
    traffic->download.octets = octets == LUA_MAXINTEGER ? 0 : (uint64_t)octets;
    if (is_word(L, "server", "refuses"))
        traffic->download.server = SCENARIO_CONFIG_REFUSES;
    else if (is_word(L, "server", "silent"))
        traffic->download.server = SCENARIO_CONFIG_SILENT;
    read_transport(L, traffic);
}

static void read_upload(lua_State *L, struct scenario_config_traffic *traffic)
{
    lua_Integer octets = lua_table_integer(L, "octets");
    traffic->download.octets = octets == LUA_MAXINTEGER ? 0 : (uint64_t)octets;
    read_transport(L, traffic);
}

static void read_size(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config_web *web = arg;
    web->sizes[web->size_count++] = (uint32_t)lua_tointeger(L, -1);
}

static void read_web(lua_State *L, struct scenario_config_traffic *traffic)
{
    struct scenario_config_web *web = &traffic->web;
    web->pages = number(L, "pages");
    web->request_octets = number(L, "request");
    web->page_octets = number(L, "page");
    web->items = number(L, "items");
    web->item_octets = number(L, "item");
    lua_table_each(L, "sizes", read_size, web, 0);
    web->parallel = number(L, "parallel");
    web->is_persistent = lua_table_boolean(L, "persistent");
    web->is_close_awaited = lua_table_boolean(L, "close_awaited");
    web->reading_ns = lua_table_integer(L, "reading");
    web->is_reading_exponential = is_word(L, "reading_law", "exponential");
    read_transport(L, traffic);
}

static void read_ping(lua_State *L, struct scenario_config_traffic *traffic)
{
    traffic->ping.every_ns = lua_table_integer(L, "every");
    traffic->ping.octets = number(L, "octets");
    traffic->ping.count = number(L, "count");
}

static void read_cbr(lua_State *L, struct scenario_config_traffic *traffic)
{
    traffic->cbr.rate_bps = (uint64_t)lua_table_integer(L, "rate");
    traffic->cbr.packet_octets = number(L, "packet");
    traffic->cbr.is_ecn_capable = lua_table_boolean(L, "ecn");
    traffic->cbr.burst_ns = lua_table_integer(L, "burst");
    traffic->cbr.pause_ns = lua_table_integer(L, "pause");
    traffic->cbr.is_random = is_word(L, "burst_law", "exponential");
    traffic->cbr.is_poisson = is_word(L, "interval_law", "exponential");
}

static void read_trace(lua_State *L, struct scenario_config_traffic *traffic)
{
    traffic->cbr.packet_octets = SCENARIO_CONFIG_MOST_OCTETS;
    traffic->cbr.is_ecn_capable = lua_table_boolean(L, "ecn");
    traffic->cbr.every_ns = lua_table_integer(L, "every");
    traffic->cbr.is_uplink = is_word(L, "way", "up");
}

static const struct {
    const char *name;
    enum scenario_config_kind kind;
    void (*read)(lua_State *L, struct scenario_config_traffic *traffic);
} kinds[] = {
    {"download", SCENARIO_CONFIG_DOWNLOAD, read_download},
    {"web", SCENARIO_CONFIG_WEB, read_web},
    {"ping", SCENARIO_CONFIG_PING, read_ping},
    {"cbr", SCENARIO_CONFIG_CBR, read_cbr},
    {"trace", SCENARIO_CONFIG_CBR, read_trace},
    {"upload", SCENARIO_CONFIG_UPLOAD, read_upload},
};

static void read_traffic(lua_State *L, void *arg, uint32_t mobile)
{
    struct scenario_config *config = arg;
    struct scenario_config_traffic *traffic =
        lua_table_append(&config->traffic, &config->traffic_count, sizeof(*traffic));
    traffic->mobile = mobile;
    for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        if (!lua_table_enter(L, kinds[kind].name))
            continue;
        traffic->kind = kinds[kind].kind;
        traffic->start_ns = lua_table_integer(L, "start");
        traffic->stop_ns = lua_table_integer(L, "stop");
        kinds[kind].read(L, traffic);
        if (kinds[kind].read == read_trace)
            traffic->cbr.trace = trace_of(L, config, TRACE_PACKETS);
        lua_pop(L, 1);
    }
}

/* --- mobiles --- */

static void identify(const struct node_config *node, uint32_t i, struct scenario_config_mobile *mobile)
{
    const struct node_config_mobile *known = &node->list[i];
    const struct node_config_context *context = &node->contexts[known->first_context];
    mobile->tlli = known->tlli;
    mobile->cell = known->cell;
    mobile->address = context->address;
    mobile->ggsn_teid = context->ggsn_teid;
    mobile->qclass = context->qclass;
}

bool lua_scenario_read_acknowledged(lua_State *L, struct link_values *most)
{
    bool is_acknowledged = is_word(L, "llc", "acknowledged");
    lua_table_enter(L, "acknowledged");
    lua_config_link_values(L, most);
    lua_pop(L, 1);
    return is_acknowledged;
}

static void read_mobile(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_mobile *mobile =
        lua_table_append(&config->mobiles, &config->mobile_count, sizeof(*mobile));
    uint32_t i = config->mobile_count - 1;
    lua_table_text(L, "name", mobile->name, sizeof(mobile->name));
    identify(&config->node, i, mobile);
    mobile->is_acknowledged = lua_scenario_read_acknowledged(L, &mobile->acknowledged);
    mobile->ci_db = is_given(L, "ci_db") ? lua_scenario_link_db(L, "ci_db") : NAN;
    mobile->first_traffic = config->traffic_count;
    lua_table_each(L, "traffic", read_traffic, config, i);
    mobile->traffic_count = config->traffic_count - mobile->first_traffic;
}

static void read_move(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_move *move = lua_table_append(&config->moves, &config->move_count, sizeof(*move));
    move->at_ns = lua_table_integer(L, "at");
    move->mobile = number(L, "number") - 1;
    move->is_leaving = lua_table_boolean(L, "is_leaving");
    for (uint32_t cell = 0; cell < config->cell_count; cell++)
        if (config->cells[cell].bvci == number(L, "cell"))
            move->cell = (uint16_t)cell;
}

/* --- the whole --- */

static void read_assumption(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_assumption *assumption =
        lua_table_append(&config->assumptions, &config->assumption_count, sizeof(*assumption));
    assumption->path = lua_table_string(L, "path");
    assumption->value = lua_table_string(L, "value");
    assumption->why = lua_table_string(L, "why");
    assumption->holds_over = lua_table_string(L, "holds_over");
}

static void read_set(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_set *set = lua_table_append(&config->sets, &config->set_count, sizeof(*set));
    set->path = lua_table_string(L, "path");
    set->value = lua_table_string(L, "value");
}

static void read_times(lua_State *L, struct scenario_config *config)
{
    config->duration_ns = lua_table_integer(L, "duration");
    config->has_study = is_given(L, "study");
    config->warmup_ns = lua_table_integer(L, "warmup");
    lua_table_enter(L, "series");
    config->series_every_ns = lua_table_integer(L, "every");
    lua_pop(L, 1);
    lua_table_enter(L, "network");
    config->network.server_delay_ns = lua_table_integer(L, "server_delay");
    config->network.gn_delay_ns = lua_table_integer(L, "gn_delay");
    config->network.gb_delay_ns = lua_table_integer(L, "gb_delay");
    config->network.ack_delay_ns = lua_table_integer(L, "ack_delay");
    config->network.internet_loss_ppm = number(L, "internet_loss");
    config->network.gn_loss_ppm = number(L, "gn_loss");
    config->network.reorder_ppm = number(L, "reorder");
    config->network.reorder_delay_ns = lua_table_integer(L, "reorder_delay");
    lua_pop(L, 1);
}

void lua_scenario_read(lua_State *L, struct scenario_config *config)
{
    config->title = lua_table_string(L, "title");
    config->seed = (uint64_t)lua_table_integer(L, "seed");
    read_times(L, config);
    lua_scenario_read_cells(L, config);
    lua_table_each(L, "mobiles", read_mobile, config, 0);
    lua_table_each(L, "moves", read_move, config, 0);
    lua_mobility_read(L, config);
    lua_table_each(L, "assumptions", read_assumption, config, 0);
    lua_table_each(L, "sets", read_set, config, 0);
}
