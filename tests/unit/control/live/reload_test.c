/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices of a reload, counted by items and by requests before a worker; the worker answers when the test
 * says so. */
#include "control/live/live.h"

#include "control/base/eal.h"
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "tests/unit/unit.h"

#include <rte_cycles.h>
#include <stdio.h>
#include <stdlib.h>

#define MOBILES       2000
#define RING_MESSAGES 1024
#define PER_MOBILE    2 /* requests: the mobile and its context */

static struct live live;

static int start_eal(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

static void fill(struct node_config *config)
{
    config->limits.mobiles = config->limits.contexts = MOBILES;
    config->mobiles.n201_u = 600;
    config->live.has_gn_peer_mac = true;
    config->nses = calloc(1, sizeof(*config->nses));
    config->cells = calloc(1, sizeof(*config->cells));
    assert_true(config->nses && config->cells);
    config->nse_count = config->cell_count = 1;
    config->nses[0].nsei = 101;
    config->cells[0].bvci = 1800;
}

static void fill_mobiles(struct node_config *config)
{
    config->list = calloc(MOBILES, sizeof(*config->list));
    config->contexts = calloc(MOBILES, sizeof(*config->contexts));
    assert_true(config->list && config->contexts);
    config->mobile_count = config->context_count = MOBILES;
    for (uint32_t i = 0; i < MOBILES; i++) {
        config->list[i] =
            (struct node_config_mobile){.tlli = 0xc0000000 + i, .first_context = i, .context_count = 1};
        snprintf(config->list[i].imsi, sizeof(config->list[i].imsi), "26242%010u", i);
        config->contexts[i] = (struct node_config_context){
            .nsapi = 5, .teid = i + 1, .sgsn_address = 0x0a000001, .pfi = N_PDU_NO_PFI};
    }
}

static void open_rig(struct msg_rings *rings)
{
    struct node *node = &live.node;
    live = (struct live){.clock = clock_counter_start(rte_get_tsc_hz()), .links = {.node = node}};
    fill(&node->config);
    assert_true(msg_rings_new(rings, "reload", RING_MESSAGES) && wake_init(&live.wake));
    node->core = (struct core){.config = &node->config, .workers = 1, .links = {{.rings = rings}}};
    assert_true(mobility_new(&node->core.mobility, &node->core));
    assert_true(sessions_new(&node->sessions, &node->core));
}

static void close_rig(struct msg_rings *rings)
{
    live_reload_stop(&live);
    sessions_free(&live.node.sessions);
    mobility_free(&live.node.core.mobility);
    core_link_fini(&live.node.core.links[0]);
    msg_rings_free(rings);
    node_config_free(&live.node.config);
    wake_fini(&live.wake);
}

static void begin(bool is_to_add)
{
    struct lua_config_diff *diff = &live.reload.diff;
    fill(&diff->config);
    fill_mobiles(&diff->config);
    diff->added = calloc(MOBILES, sizeof(*diff->added));
    diff->removed = calloc(MOBILES, sizeof(*diff->removed));
    assert_true(diff->added && diff->removed);
    for (uint32_t i = 0; i < MOBILES; i++) {
        diff->added[i] = i;
        memcpy(diff->removed[i], diff->config.list[i].imsi, sizeof(diff->removed[i]));
    }
    diff->added_count = is_to_add ? MOBILES : 0;
    diff->removed_count = is_to_add ? 0 : MOBILES;
    live.reload.stage = LIVE_RELOAD_MARK;
}

static void answer(struct core *core)
{
    core->answered = core->seq;
    core->marks = live.reload.marks;
}

/* A slice; checks its bounds. Returns the mobiles that came or went. */
static uint32_t slice(uint32_t answers_after)
{
    struct core *core = &live.node.core;
    uint32_t before = core_link_unanswered(core), mobiles = live.node.sessions.mobile_count;
    live_reload_step(&live, clock_counter_ns(&live.clock));
    uint32_t after = core_link_unanswered(core), now = live.node.sessions.mobile_count;
    uint32_t moved = now > mobiles ? now - mobiles : mobiles - now;
    assert_in_range(moved, 0, before >= LIVE_RELOAD_ORDERS ? 0 : LIVE_RELOAD_ITEMS);
    assert_in_range(after, 0, LIVE_RELOAD_ORDERS + PER_MOBILE - 1);
    if (after >= answers_after || live.reload.stage == LIVE_RELOAD_SETTLE)
        answer(core);
    return moved;
}

/* Slices until the mobiles are there, or gone; the worker answers when so many requests wait. */
static void run(bool is_to_add, uint32_t answers_after)
{
    begin(is_to_add);
    while (live.reload.stage != LIVE_RELOAD_RELEASE)
        slice(answers_after);
    assert_int_equal(live.node.sessions.mobile_count, is_to_add ? MOBILES : 0);
    assert_int_equal(live.node.sessions.context_count, is_to_add ? MOBILES : 0);
    while (live.reload.stage != LIVE_RELOAD_IDLE)
        slice(answers_after);
}

/* With a quick worker, a slow one, and one that answers at the limit alone. */
TEST_IN(slices_are_small, struct msg_rings, rings, open_rig(rings), close_rig(rings))
{
    static const uint32_t answers[] = {1, 300, LIVE_RELOAD_ORDERS};
    for (size_t i = 0; i < COUNT(answers); i++) {
        run(true, answers[i]);
        run(false, answers[i]);
        assert_int_equal(live.node.sessions.refused, 0);
    }
}

/* A worker that gets no processor time has no more orders than the limit, and the reload continues once it
 * answers. */
TEST_IN(a_worker_without_time, struct msg_rings, rings, open_rig(rings), close_rig(rings))
{
    begin(true);
    for (unsigned i = 0; i < 10 * MOBILES; i++)
        slice(UINT32_MAX);
    assert_in_range(live.node.sessions.mobile_count, 1, LIVE_RELOAD_ORDERS);
    answer(&live.node.core);
    while (live.reload.stage != LIVE_RELOAD_IDLE)
        slice(LIVE_RELOAD_ORDERS);
    assert_int_equal(live.node.sessions.mobile_count, MOBILES);
}

UNIT_MAIN(start_eal, NULL)
