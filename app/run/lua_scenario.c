/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/lua_scenario.h"
#include "control/base/utf8.h"

#include "control/config/lua_budget.h"
#include "control/config/lua_text.h"
#include "control/config/lua_config_node.h"
#include "app/run/lua_cells.h"
#include "app/run/traffic.h"
#include "control/lua/lua_fields.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"

#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* fault_of(file): why there is no regular file below the scenario's folder, the upvalue, or nothing. */
static int fault_of(lua_State *L)
{
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof(path), "%s%s", lua_tostring(L, lua_upvalueindex(1)), luaL_checkstring(L, 1));
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISREG(status.st_mode))
        return 0;
    lua_pushfstring(L, "%s: %s", path, is_there ? "is not a regular file" : strerror(errno));
    return 1;
}

static void push_fault_of(lua_State *L, const char *path)
{
    char folder[PATH_MAX];
    scenario_config_folder(path, folder);
    lua_pushstring(L, folder);
    lua_pushcclosure(L, fault_of, 1);
}

static void push_options(lua_State *L, const struct lua_scenario_options *options)
{
    lua_createtable(L, 0, 3);
    lua_pushinteger(L, (lua_Integer)options->seed);
    lua_setfield(L, -2, "seed");
    lua_createtable(L, (int)options->set_count, 0);
    for (uint32_t i = 0; i < options->set_count; i++) {
        lua_createtable(L, 0, 3);
        lua_pushstring(L, options->sets[i].path);
        lua_setfield(L, -2, "path");
        lua_pushstring(L, options->sets[i].value);
        lua_setfield(L, -2, "value");
        lua_pushstring(L, options->sets[i].place);
        lua_setfield(L, -2, "place");
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
    push_fault_of(L, path);
    lua_setfield(L, -2, "fault_of");
    return lua_budget_call(L, 3, 2, path) && take_result(L, "warning: ");
}

/* Pushes the list of the checked nodes of the scenario on top of the stack. */
static bool push_nodes(lua_State *L, const char *path)
{
    push_function(L, "nodes");
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
    if (!push_nodes(L, path)) {
        lua_pop(L, 1);
        scenario_config_free(config);
        return false;
    }
    lua_scenario_read_nodes(L, config);
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
    utf8_printf(stderr, "%s: is a scenario without axes; add the key `study` (docs/study.md)\n", path);
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

/* --- traffic --- */

#define TRAFFIC(member, key) LUA_FIELD_OF(struct scenario_config_traffic, member, key)
/* Rows of the member `server`. */
#define SERVER(type)                                                                                         \
    LUA_FIELD_AS(IS_THERE, type, server.is_given, "server_delay"),                                           \
        LUA_FIELD_OF(type, server.delay_ns, "server_delay"),                                                 \
        LUA_FIELD_OF(type, server.delay_max_ns, "server_delay_max")
#define WORD(member, key, ...)     LUA_FIELD_WORDS(WORD, struct scenario_config_traffic, member, key, __VA_ARGS__)
#define IS_WORD(member, key, word) LUA_FIELD_WORDS(IS_WORD, struct scenario_config_traffic, member, key, word)

static const struct lua_field item_fields[] = {
    TRAFFIC(start_ns, "start"),
    TRAFFIC(stop_ns, "stop"),
    SERVER(struct scenario_config_traffic),
    WORD(content, "content", "zeros", "random", "text"),
    TRAFFIC(tcp.mss_octets, "tcp.mss"),
    TRAFFIC(tcp.receive_window_octets, "tcp.receive_window"),
    WORD(tcp.stack, "tcp.stack", "rfc", "linux-2.4.0", "linux-2.4.17"),
    LUA_FIELD_AS(NOT, struct scenario_config_traffic, tcp.has_no_fack, "tcp.fack"),
    WORD(tcp.recovery, "tcp.recovery", "newreno", "reno", "tahoe", "time-out"),
    WORD(tcp.cc, "tcp.cc", "newreno", "cubic"),
    IS_WORD(tcp.has_hystart, "tcp.slow_start", "hystart++"),
    TRAFFIC(tcp.has_prr, "tcp.prr"),
    TRAFFIC(tcp.has_rack, "tcp.rack"),
    IS_WORD(tcp.count_octets, "tcp.growth", "octets"),
    TRAFFIC(tcp.sack, "tcp.sack"),
    TRAFFIC(tcp.timestamps, "tcp.timestamps"),
    TRAFFIC(tcp.ecn, "tcp.ecn"),
    IS_WORD(tcp.has_text, "tcp.content", "text"),
    TRAFFIC(tcp.initial_cwnd_segments, "tcp.initial_cwnd"),
    TRAFFIC(tcp.initial_ssthresh_segments, "tcp.initial_ssthresh"),
    TRAFFIC(tcp.max_cwnd_segments, "tcp.max_cwnd"),
    TRAFFIC(tcp.initial_rto_ns, "tcp.initial_rto"),
    TRAFFIC(tcp.min_rto_ns, "tcp.min_rto"),
    TRAFFIC(tcp.max_rto_ns, "tcp.max_rto"),
    TRAFFIC(tcp.delayed_ack_segments, "tcp.delayed_ack.every"),
    TRAFFIC(tcp.delayed_ack_timeout_ns, "tcp.delayed_ack.timeout"),
    IS_WORD(is_quic, "transport", "quic"),
    WORD(quic.cc, "quic.congestion", "reno", "cubic", "bbr", "bbr2"),
    TRAFFIC(quic.datagram_octets, "quic.datagram"),
    TRAFFIC(quic.receive_window_octets, "quic.receive_window"),
    TRAFFIC(quic.certificate_octets, "quic.certificate"),
    TRAFFIC(quic.ack_every_packets, "quic.ack_every"),
    TRAFFIC(quic.ack_delay_ns, "quic.ack_delay"),
    TRAFFIC(quic.initial_rtt_ns, "quic.initial_rtt"),
    TRAFFIC(quic.idle_ns, "quic.idle_timeout"),
    TRAFFIC(quic.has_ecn, "quic.ecn"),
    {0}};

/* The number, from 1, of the script that the table on top of the stack names; a new one is added. */
static uint32_t script_number(lua_State *L, struct scenario_config *config)
{
    char file[SCENARIO_CONFIG_FILE_CHARS];
    lua_table_text(L, "file", file, sizeof(file));
    for (uint32_t i = 0; i < config->script_count; i++)
        if (strcmp(config->scripts[i].file, file) == 0)
            return i + 1;
    struct script_file *script = lua_table_append(&config->scripts, &config->script_count, sizeof(*script));
    *script = (struct script_file){.file = lua_table_string(L, "file")};
    return config->script_count;
}

static void read_item(lua_State *L, struct scenario_config *config, struct scenario_config_traffic *traffic)
{
    const struct app_ops *ops = traffic->ops;
    uint32_t none = 0;
    traffic->tcp = tcp_params_default();
    lua_fields_load(L, item_fields, traffic);
    config->has_servers |= traffic->server.is_given;
    traffic->tcp.window_scale = traffic->tcp.receive_window_octets > UNSCALED_WINDOW_OCTETS;
    lua_table_append(&traffic->settings, &none, ops->settings_octets);
    if (ops->settings)
        lua_fields_load(L, ops->settings, traffic->settings);
    if (ops->has_script)
        traffic->script = script_number(L, config);
    if (!ops->has_trace)
        return;
    traffic->trace = lua_cells_trace(L, config, TRACE_PACKETS);
    traffic->trace_every_ns = lua_table_integer(L, "every");
}

static void read_traffic(lua_State *L, void *arg, uint32_t mobile)
{
    struct scenario_config *config = arg;
    struct scenario_config_traffic *traffic =
        lua_table_append(&config->traffic, &config->traffic_count, sizeof(*traffic));
    traffic->mobile = mobile;
    for (const struct app_ops *const *ops = run_apps_kinds; *ops; ops++) {
        if (!lua_table_enter(L, (*ops)->name))
            continue;
        traffic->ops = *ops;
        read_item(L, config, traffic);
        lua_pop(L, 1);
    }
    if (!traffic->ops)
        luaL_error(L, "a kind of lua/scenario/traffic.lua has no row in app/run/traffic.def");
}

/* --- mobiles --- */

static uint16_t cell_of(lua_State *L, const struct scenario_config *config)
{
    for (uint32_t cell = 0; cell < config->cell_count; cell++)
        if (config->cells[cell].bvci == lua_table_integer(L, "cell"))
            return (uint16_t)cell;
    return 0;
}

static void identify(const struct node_config *node, uint32_t i, struct scenario_config_mobile *mobile)
{
    const struct node_config_mobile *known = &node->list[i];
    const struct node_config_context *context = &node->contexts[known->first_context];
    mobile->tlli = known->tlli;
    mobile->address = context->address;
    mobile->ggsn_teid = context->ggsn_teid;
    mobile->qclass = context->qclass;
}

static void read_v42bis(lua_State *L, struct compression_settings *offered)
{
    char direction[16];
    if (!lua_table_enter(L, "v42bis"))
        return;
    lua_table_text(L, "direction", direction, sizeof(direction));
    offered->directions = !strcmp(direction, "uplink")     ? COMPRESSION_UPLINK
                          : !strcmp(direction, "downlink") ? COMPRESSION_DOWNLINK
                                                           : COMPRESSION_UPLINK | COMPRESSION_DOWNLINK;
    offered->codewords = (uint16_t)lua_table_integer(L, "codewords");
    offered->string_octets = (uint8_t)lua_table_integer(L, "string");
    lua_pop(L, 1);
}

static void read_compression(lua_State *L, struct compression_settings *offered)
{
    if (!lua_table_enter(L, "compression"))
        return;
    offered->entities = 1;
    if (lua_table_enter(L, "rfc1144")) {
        offered->slots = (uint16_t)lua_table_integer(L, "slots");
        lua_pop(L, 1);
    }
    read_v42bis(L, offered);
    lua_pop(L, 1);
}

void lua_scenario_read_stack(lua_State *L, struct ms_settings *settings)
{
    char llc[16];
    *settings = (struct ms_settings){0};
    lua_table_text(L, "llc", llc, sizeof(llc));
    settings->has_link = strcmp(llc, "acknowledged") == 0;
    lua_table_enter(L, "acknowledged");
    lua_config_node_link_values(L, &settings->link);
    lua_pop(L, 1);
    read_compression(L, &settings->compression);
}

static const struct lua_field mobile_fields[] = {LUA_FIELD_OF(struct scenario_config_mobile, name, "name"),
                                                 LUA_FIELD_OF(struct scenario_config_mobile, ci_db, "ci_db"),
                                                 SERVER(struct scenario_config_mobile),
                                                 {0}};

static void read_mobile(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_mobile *mobile =
        lua_table_append(&config->mobiles, &config->mobile_count, sizeof(*mobile));
    uint32_t i = config->mobile_count - 1;
    mobile->ci_db = NAN;
    lua_fields_load(L, mobile_fields, mobile);
    config->has_servers |= mobile->server.is_given;
    identify(&config->sgsns[0].node, i, mobile);
    mobile->cell = cell_of(L, config);
    lua_scenario_read_stack(L, &mobile->stack);
    mobile->first_traffic = config->traffic_count;
    lua_table_each(L, "traffic", read_traffic, config, i);
    mobile->traffic_count = config->traffic_count - mobile->first_traffic;
}

#define GROUP(member, key) LUA_FIELD_OF(struct scenario_config_group, member, key)

static void read_group(lua_State *L, void *arg, uint32_t parent)
{
    static const struct lua_field fields[] = {
        GROUP(name, "name"), GROUP(first, "first"), GROUP(count, "count"), {0}};
    struct scenario_config *config = arg;
    lua_fields_load(L, fields,
                    lua_table_append(&config->groups, &config->group_count, sizeof(*config->groups)));
}

static const struct lua_field move_fields[] = {
    LUA_FIELD_OF(struct scenario_config_move, at_ns, "at"),
    LUA_FIELD_OF(struct scenario_config_move, mobile, "number"),
    LUA_FIELD_OF(struct scenario_config_move, is_leaving, "is_leaving"),
    {0}};

static void read_move(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    struct scenario_config_move *move = lua_table_append(&config->moves, &config->move_count, sizeof(*move));
    lua_fields_load(L, move_fields, move);
    move->mobile--;
    move->cell = cell_of(L, config);
}

/* --- the whole --- */

static const struct lua_field assumption_fields[] = {
    LUA_FIELD_AS(COPY, struct scenario_config_assumption, path, "path"),
    LUA_FIELD_AS(COPY, struct scenario_config_assumption, value, "value"),
    LUA_FIELD_AS(COPY, struct scenario_config_assumption, why, "why"),
    LUA_FIELD_AS(COPY, struct scenario_config_assumption, holds_over, "holds_over"),
    {0}};

static void read_assumption(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    lua_fields_load(
        L, assumption_fields,
        lua_table_append(&config->assumptions, &config->assumption_count, sizeof(*config->assumptions)));
}

static const struct lua_field set_fields[] = {LUA_FIELD_AS(COPY, struct scenario_config_set, path, "path"),
                                              LUA_FIELD_AS(COPY, struct scenario_config_set, value, "value"),
                                              {0}};

static void read_set(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config *config = arg;
    lua_fields_load(L, set_fields,
                    lua_table_append(&config->sets, &config->set_count, sizeof(*config->sets)));
}

#define ALL(member, key) LUA_FIELD_OF(struct scenario_config, member, key)

static const struct lua_field scenario_fields[] = {
    LUA_FIELD_AS(COPY, struct scenario_config, title, "title"),
    ALL(seed, "seed"),
    ALL(duration_ns, "duration"),
    LUA_FIELD_AS(IS_THERE, struct scenario_config, has_study, "study"),
    ALL(warmup_ns, "warmup"),
    ALL(series_every_ns, "series.every"),
    ALL(network.server_delay_ns, "network.server_delay"),
    ALL(network.gn_delay_ns, "network.gn_delay"),
    ALL(network.gb_delay_ns, "network.gb_delay"),
    ALL(network.ack_delay_ns, "network.ack_delay"),
    ALL(network.internet_loss_ppm, "network.internet_loss"),
    ALL(network.gn_loss_ppm, "network.gn_loss"),
    ALL(network.reorder_ppm, "network.reorder"),
    ALL(network.reorder_delay_ns, "network.reorder_delay"),
    {0}};

void lua_scenario_read_nodes(lua_State *L, struct scenario_config *config)
{
    uint32_t count = (uint32_t)lua_rawlen(L, -1), cells = 0;
    for (uint32_t i = 0; i < count && i < SCENARIO_CONFIG_SGSNS; i++) {
        struct scenario_config_sgsn *sgsn =
            lua_table_append(&config->sgsns, &config->sgsn_count, sizeof(*sgsn));
        lua_rawgeti(L, -1, i + 1);
        lua_config_node(L, &sgsn->node);
        lua_pop(L, 1);
        sgsn->first_cell = cells;
        cells += sgsn->node.cell_count;
    }
}

#define RELOCATION(member, key) LUA_FIELD_OF(struct scenario_config_relocation, member, key)

static const struct lua_field relocation_fields[] = {
    RELOCATION(is_forwarding, "forward"), RELOCATION(request_ns, "request"),
    RELOCATION(delay_ns, "delay"),        RELOCATION(security_ns, "security"),
    RELOCATION(update_ns, "update"),      RELOCATION(accept_ns, "accept"),
    RELOCATION(hold_ns, "hold"),          {0}};

struct names {
    struct scenario_config *config;
    uint32_t next;
};

static void read_name(lua_State *L, void *arg, uint32_t parent)
{
    static const struct lua_field fields[] = {LUA_FIELD_OF(struct scenario_config_sgsn, name, "name"), {0}};
    struct names *names = arg;
    lua_fields_load(L, fields, &names->config->sgsns[names->next++]);
}

/* The SGSNs: their names, their cells, and how mobiles go from one to another. */
static void read_sgsns(lua_State *L, struct scenario_config *config)
{
    struct names names = {config, 0};
    lua_table_each(L, "sgsns", read_name, &names, 0);
    for (uint16_t i = 0; i < config->sgsn_count; i++)
        for (uint32_t k = 0; k < config->sgsns[i].node.cell_count; k++)
            config->cells[config->sgsns[i].first_cell + k].sgsn = i;
    if (!lua_table_enter(L, "relocation"))
        return;
    lua_fields_load(L, relocation_fields, &config->relocation);
    lua_pop(L, 1);
}

void lua_scenario_read(lua_State *L, struct scenario_config *config)
{
    lua_fields_load(L, scenario_fields, config);
    lua_cells_read(L, config);
    read_sgsns(L, config);
    lua_table_each(L, "mobiles", read_mobile, config, 0);
    lua_table_each(L, "groups", read_group, config, 0);
    lua_table_each(L, "moves", read_move, config, 0);
    lua_mobility_read(L, config);
    lua_table_each(L, "assumptions", read_assumption, config, 0);
    lua_table_each(L, "sets", read_set, config, 0);
}
