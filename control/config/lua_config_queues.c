/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_config_queues.h"

#include "control/config/lua_config_aqm.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/n_pdu.h"

#include <string.h>

#define PPM_PER_PERCENT 10000

/* mbufs for packets that are not queued yet, and for held fragments: a share of all, at most MOST_SPARE. */
#define SPARE_SHARE 8
#define MOST_SPARE  8192

static uint32_t percent(lua_State *L, const char *key)
{
    return (uint32_t)(lua_table_integer(L, key) / PPM_PER_PERCENT);
}

void lua_config_queues_link(lua_State *L, struct sched_link_rate *link)
{
    lua_table_enter(L, "gb");
    *link = (struct sched_link_rate){
        .rate_bps = (uint64_t)lua_table_integer(L, "rate"),
        .max_octets = (uint64_t)lua_table_integer(L, "bucket"),
        .signalling_percent = percent(L, "signalling_share"),
    };
    lua_pop(L, 1);
}

void lua_config_queues_policy(lua_State *L, struct gb_policy *policy)
{
    gb_policy_default(policy);
    lua_table_enter(L, "flow_control");
    policy->bss_target_ns = lua_table_integer(L, "bss_target");
    policy->rate_percent = percent(L, "rate_factor");
    policy->max_rate_bps = (uint64_t)lua_table_integer(L, "max_rate");
    policy->max_octets = (uint64_t)lua_table_integer(L, "max_bucket");
    lua_pop(L, 1);
}

static void read_weights(lua_State *L, struct sched_params *params)
{
    lua_table_enter(L, "weights");
    for (int i = 0; i < QCLASS_COUNT; i++)
        params->weights[i] = (uint16_t)lua_table_integer(L, qclass_name((enum qclass)i));
    lua_pop(L, 1);
}

static bool is_word(lua_State *L, const char *key, const char *word)
{
    char value[sizeof("mobiles")];
    lua_table_text(L, key, value, sizeof(value));
    return strcmp(value, word) == 0;
}

static void read_classes(lua_State *L, struct sched_params *params)
{
    lua_table_enter(L, "class");
    for (int i = 0; i < QCLASS_COUNT; i++) {
        if (!lua_table_enter(L, qclass_name((enum qclass)i)))
            continue;
        struct sched_limit *limit = &params->class_limits[i];
        limit->octets = (uint64_t)lua_table_integer_or(L, "octets", LUA_MAXINTEGER);
        limit->pkts = (uint32_t)lua_table_integer_or(L, "packets", UINT32_MAX);
        params->fifo_classes |= (uint8_t)(is_word(L, "order", "fifo") ? 1U << i : 0);
        params->sfq_classes |= (uint8_t)(is_word(L, "order", "sfq") ? 1U << i : 0);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_room(lua_State *L, struct sched_room *room)
{
    lua_table_enter(L, "share_limit");
    room->loaded.pkts = (uint32_t)lua_table_integer(L, "packets");
    room->loaded.time_ns = lua_table_integer(L, "time");
    room->alone.pkts = (uint32_t)lua_table_integer(L, "alone_packets");
    room->alone.time_ns = lua_table_integer(L, "alone_time");
    room->protects = lua_table_boolean(L, "protect");
    lua_pop(L, 1);
}

static void read_pacing_class(lua_State *L, void *arg, uint32_t unused_parent)
{
    struct pacing_params *pacing = arg;
    pacing->classes |= (uint8_t)(1U << qclass_from_name(lua_tostring(L, -1)));
}

static void read_pacing(lua_State *L, struct pacing_params *pacing)
{
    lua_table_enter(L, "pacing");
    lua_table_each(L, "classes", read_pacing_class, pacing, 0);
    pacing->flows = (uint32_t)lua_table_integer(L, "flows");
    pacing->round_trip_ns = lua_table_integer(L, "round_trip");
    pacing->no_clamp = !lua_table_boolean(L, "clamp");
    pacing->max_hold_ns = lua_table_boolean(L, "hold") ? lua_table_integer(L, "max_hold") : 0;
    pacing->target_ns = lua_table_integer(L, "target");
    pacing->ms_target_ns = lua_table_integer(L, "mobile_target");
    lua_pop(L, 1);
}

/* All mbufs without the reserve and the spare ones, so that the longest queue drops an N-PDU before the pool
 * is empty. */
static uint32_t default_budget(uint32_t buffers, uint32_t reserve)
{
    uint32_t spare = buffers / SPARE_SHARE < MOST_SPARE ? buffers / SPARE_SHARE : MOST_SPARE;
    uint32_t left = buffers - reserve;
    return left > spare ? left - spare : 1;
}

void lua_config_queues_read(lua_State *L, struct node_config *config)
{
    struct sched_params *params = &config->policy.sched;

    lua_config_queues_policy(L, &config->policy.gb);
    lua_table_enter(L, "queues");
    read_weights(L, params);
    read_classes(L, params);
    params->reserve_pkts = (uint32_t)lua_table_integer(L, "reserve_packets");
    params->budget_pkts = (uint32_t)lua_table_integer_or(
        L, "budget_packets", default_budget(config->limits.npdu_buffers, params->reserve_pkts));
    config->limits.extra_flows = (uint32_t)lua_table_integer(L, "extra_flows");
    params->flow_queues = (uint8_t)lua_table_integer(L, "flow_queues");
    params->drops_duplicates = lua_table_boolean(L, "drop_duplicates");
    params->flow_tags = is_word(L, "flow_order", "sfq");
    params->flow_quantum_octets = (uint16_t)lua_table_integer(L, "flow_quantum");
    config->limits.flow_sets = (uint32_t)lua_table_integer(L, "flow_sets");
    lua_config_aqm_read(L, config);
    read_room(L, &params->room);
    read_pacing(L, &config->pacing);
    lua_table_enter(L, "mobile");
    config->mobiles.queue_limit_octets = (uint32_t)lua_table_integer(L, "octets");
    params->ms_limit_pkts = (uint32_t)lua_table_integer(L, "packets");
    lua_pop(L, 2);
}
