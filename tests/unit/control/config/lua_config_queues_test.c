/* SPDX-License-Identifier: BSD-3-Clause */
/* How packets wait: from a node's file to what the program goes by. */
#include "control/config/lua_config.h"
#include "control/config/node_config.h"
#include "control/lua/lua_host.h"
#include "tests/unit/unit.h"

#include <string.h>

#define QUEUES   "tests/unit/control/core/node_queues.lua"
#define DEFAULTS "config/nodes/replay-80k.lua" /* 32767 buffers */

static void with(const char *path, void (*look)(const struct node_config *config))
{
    struct node_config config;
    lua_State *L = lua_host_new(lua_modules);
    assert_true(lua_config_load_node(L, path, &config));
    look(&config);
    node_config_free(&config);
    lua_host_free(L);
}

static void look_at_links(const struct node_config *config)
{
    const struct sched_link_rate *link = &config->nses[0].link;
    assert_true(config->nses[0].nsei == 101 && config->nses[1].nsei == 102);
    assert_true(link->rate_bps == 2000000 && link->max_octets == 25000 && link->signalling_percent == 7);
    assert_true(config->nses[1].link.rate_bps == 0);
    assert_int_equal(config->gb.overhead_octets, -5);
}

TEST(links)
{
    with(QUEUES, look_at_links);
}

static void assert_policy(const struct gb_policy *policy, uint64_t max_rate_bps, uint32_t rate_percent)
{
    assert_true(gb_policy_is_valid(policy));
    assert_int_equal(policy->bss_target_ns, 250000000);
    assert_int_equal(policy->max_octets, 8000);
    assert_int_equal(policy->max_rate_bps, max_rate_bps);
    assert_int_equal(policy->rate_percent, rate_percent);
}

static void look_at_policies(const struct node_config *config)
{
    assert_policy(&config->policy.gb, 0, 100);
    assert_policy(&config->cells[0].policy, 0, 100);
    assert_policy(&config->cells[1].policy, 50000, 90);
    assert_policy(&config->cells[2].policy, 0, 100);
}

TEST(policies)
{
    with(QUEUES, look_at_policies);
}

static void look_at_queues(const struct node_config *config)
{
    static const uint16_t weights[QCLASS_COUNT] = {1000, 500, 900, 7, 50, 35, 15, 65535};
    const struct sched_params *params = &config->policy.sched;
    assert_memory_equal(params->weights, weights, sizeof(weights));
    assert_true(config->mobiles.queue_limit_octets == 9000 && params->ms_limit_pkts == 12);
    assert_true(params->class_limits[QCLASS_THP1].octets == 5000 &&
                params->class_limits[QCLASS_THP1].pkts == UINT32_MAX);
    assert_true(params->class_limits[QCLASS_SMS].pkts == 3);
    for (int i = 0; i < QCLASS_COUNT; i++)
        assert_true(i == QCLASS_THP1 || params->class_limits[i].octets >= INT64_MAX);
    assert_true(params->reserve_pkts == 5 && config->limits.extra_flows == 6);
    assert_true(params->flow_queues == 12 && params->flow_quantum_octets == 300);
    assert_int_equal(config->limits.flow_sets, 7);
    assert_true(params->flow_tags && params->sfq_classes == 1 << QCLASS_THP3);
    assert_true(params->room.loaded.pkts == 2 && params->room.loaded.time_ns == 300000000);
    assert_true(params->room.alone.pkts == 8 && params->room.alone.time_ns == INT64_C(2000000000));
    assert_true(params->room.protects && params->drops_duplicates);
    assert_int_equal(params->budget_pkts, 1023 - 5 - 1023 / 8);
    assert_true(config->contexts[0].pfi == 9 && config->contexts[1].pfi == N_PDU_NO_PFI);
}

TEST(queues)
{
    with(QUEUES, look_at_queues);
}

/* What is not said is what the scheduler has by itself, but for the budget. */
static void look_at_defaults(const struct node_config *config)
{
    struct context_policy policy;
    const struct sched_params *params = &config->policy.sched;
    context_policy_default(&policy);
    assert_memory_equal(params->weights, policy.sched.weights, sizeof(params->weights));
    assert_true(params->reserve_pkts == policy.sched.reserve_pkts);
    assert_true(params->ms_limit_pkts == policy.sched.ms_limit_pkts);
    assert_int_equal(params->budget_pkts, 32767 - 64 - 32767 / 8);
    assert_true(config->policy.gb.bss_target_ns == 0 && config->policy.gb.rate_percent == 100);
    assert_true(config->limits.extra_flows == config->limits.contexts);
    assert_true(params->flow_queues == 0 && config->limits.flow_sets == 0);
    assert_int_equal(params->flow_quantum_octets, policy.sched.flow_quantum_octets);
    assert_int_equal(params->fifo_classes, 0);
    assert_true(params->sfq_classes == 0 && !params->flow_tags && params->room.loaded.pkts == 0);
    assert_false(params->drops_duplicates);
    for (int i = 0; i < QCLASS_COUNT; i++)
        assert_true(params->class_limits[i].pkts == UINT32_MAX);
}

TEST(defaults)
{
    with(DEFAULTS, look_at_defaults);
}

UNIT_MAIN(NULL, NULL)
