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
#define FULL          20
#define RING_MESSAGES 1024
#define PER_MOBILE    2 /* requests: the mobile and its context */

static struct live live;
static uint32_t list_mobiles; /* at most MOBILES: of the configuration, and its limit */

static int start_eal(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

static void fill(struct node_config *config)
{
    config->limits.mobiles = config->limits.contexts = list_mobiles;
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
    config->mobile_count = config->context_count = list_mobiles;
    for (uint32_t i = 0; i < list_mobiles; i++) {
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
    list_mobiles = MOBILES;
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

static void begin(bool is_to_remove, bool is_to_add)
{
    struct lua_config_diff *diff = &live.reload.diff;
    fill(&diff->config);
    fill_mobiles(&diff->config);
    diff->added = calloc(MOBILES, sizeof(*diff->added));
    diff->removed = calloc(MOBILES, sizeof(*diff->removed));
    assert_true(diff->added && diff->removed);
    for (uint32_t i = 0; i < list_mobiles; i++) {
        diff->added[i] = i;
        memcpy(diff->removed[i], diff->config.list[i].imsi, sizeof(diff->removed[i]));
    }
    diff->added_count = is_to_add ? list_mobiles : 0;
    diff->removed_count = is_to_remove ? list_mobiles : 0;
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
    begin(!is_to_add, is_to_add);
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
    begin(false, true);
    for (unsigned i = 0; i < 10 * MOBILES; i++)
        slice(UINT32_MAX);
    assert_in_range(live.node.sessions.mobile_count, 1, LIVE_RELOAD_ORDERS);
    answer(&live.node.core);
    while (live.reload.stage != LIVE_RELOAD_IDLE)
        slice(LIVE_RELOAD_ORDERS);
    assert_int_equal(live.node.sessions.mobile_count, MOBILES);
}

/* --- two workers: the slots of what is deleted are free when they have answered --- */

struct two {
    struct msg_rings rings[2];
};

static void open_two(struct two *two)
{
    struct msg_rings *rings = two->rings;
    struct node *node = &live.node;
    live = (struct live){.clock = clock_counter_start(rte_get_tsc_hz()), .links = {.node = node}};
    list_mobiles = FULL;
    fill(&node->config);
    node->config.worker_count = 2;
    assert_true(msg_rings_new(&rings[0], "first", RING_MESSAGES));
    assert_true(msg_rings_new(&rings[1], "second", RING_MESSAGES) && wake_init(&live.wake));
    node->core = (struct core){
        .config = &node->config, .workers = 2, .links = {{.rings = &rings[0]}, {.rings = &rings[1]}}};
    assert_true(mobility_new(&node->core.mobility, &node->core));
    assert_true(sessions_new(&node->sessions, &node->core));
}

static void close_two(struct two *two)
{
    core_link_fini(&live.node.core.links[1]);
    msg_rings_free(&two->rings[1]);
    close_rig(&two->rings[0]);
}

/* Both workers carry out what they are ordered. */
static void work(struct two *two)
{
    struct msg msg;
    core_step(&live.node.core, 0);
    for (unsigned i = 0; i < 2; i++)
        while (msg_take(two->rings[i].to_worker, &msg)) {
            const struct msg answer = {.type = MSG_ANSWER, .slot = msg.slot, .answer = {.type = msg.type}};
            assert_true(msg_put(two->rings[i].to_control, &answer));
        }
    core_step(&live.node.core, 0);
}

static void reload_two(struct two *two, bool is_to_remove)
{
    begin(is_to_remove, true);
    for (unsigned i = 0; i < 4 * FULL; i++) /* they have no time */
        live_reload_step(&live, clock_counter_ns(&live.clock));
    while (live.reload.stage != LIVE_RELOAD_IDLE) {
        work(two);
        live_reload_step(&live, clock_counter_ns(&live.clock));
    }
}

/* All mobiles of a full table change. */
TEST_IN(slots_are_waited_for, struct two, two, open_two(two), close_two(two))
{
    for (unsigned i = 0; i < 3; i++) {
        reload_two(two, i > 0);
        const struct sessions *s = &live.node.sessions;
        assert_true(s->mobile_count == FULL && s->context_count == FULL && s->refused == 0);
    }
}

static uint32_t count_of(const char *text, const char *word)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* What has no room is told, some of it by name. */
TEST_IN(refused_mobiles_are_told, struct two, two, open_two(two), close_two(two))
{
    static const struct {
        uint32_t mobiles, contexts, named;
        const char *sum;
    } cases[] = {{FULL - 1, FULL, 1, "warning: mobiles: "},
                 {FULL, 2, 16, "warning: mobiles: 18 of them are "}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct live_reload_lines *lines = &live.reload.lines;
        sessions_limit(&live.node.sessions, cases[i].mobiles, cases[i].contexts);
        lines->stream = open_memstream(&lines->text, &lines->octets);
        live.reload.refused = 0;
        live.reload.is_trial = true; /* there is no log */
        reload_two(two, i > 0);
        assert_int_equal(live.node.sessions.mobile_count, cases[i].mobiles);
        assert_int_equal(count_of(lines->text, "warning: mobiles: IMSI 26242"), cases[i].named);
        assert_int_equal(count_of(lines->text, cases[i].sum), 1);
        free(lines->text);
        lines->text = NULL;
    }
}

UNIT_MAIN(start_eal, NULL)
