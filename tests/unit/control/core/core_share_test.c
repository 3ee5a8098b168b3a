/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of control's time: how long what one NSE sends waits while another one sends what is dear. */
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_share.h"
#include "control/lua/lua_host.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/shares.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

#define QUEUES   "tests/unit/control/core/node_queues.lua" /* NSE slots 0 and 1, NS-VCs likewise */
#define BUFFERS  4095
#define RING     4096
#define PLACES   3584
#define BACKLOG  1000
#define VICTIMS  50
#define EVERY_NS (MOMENT_SECOND / 100)
#define MOST_NS  (5 * CORE_SHARE_ROUND_NS / 2)

struct rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct shares shares;
    struct rte_mempool *pool;
    struct core core;
};

/* A clock on which each message that is not dropped takes as long. */
static const struct shares *counted;
static int64_t cost_ns;

static uint64_t late(uint32_t nse)
{
    return counted->rows[SHARE_NSES + nse].late;
}

static int64_t spent_ns(void)
{
    return cost_ns * (int64_t)(counted->rows[SHARE_NONE].taken - late(0) - late(1));
}

static void open(struct rig *rig)
{
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, QUEUES, &rig->config));
    assert_true(msg_rings_new(&rig->rings, "rig", RING));
    assert_true(shares_new(&rig->shares, 2, PLACES));
    rig->rings.shares = &rig->shares;
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    struct msg_rings *rings = &rig->rings;
    assert_true(core_init(&rig->core, rig->L, &rig->config, &rings, rig->pool));
    rig->core.spent_ns = spent_ns;
    counted = &rig->shares;
    core_start(&rig->core, 0);
}

static void free_ring(struct rte_ring *ring)
{
    struct msg msg;
    while (msg_take(ring, &msg))
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
}

static void close(struct rig *rig)
{
    core_fini(&rig->core);
    free_ring(rig->rings.to_worker);
    free_ring(rig->rings.to_control);
    shares_free(&rig->shares);
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

/* NS-ALIVE. */
static void punt(struct rig *rig, uint32_t nse)
{
    struct msg msg = {.type = MSG_PUNT, .slot = nse, .mbuf = rte_pktmbuf_alloc(rig->pool)};
    assert_non_null(msg.mbuf);
    *rte_pktmbuf_append(msg.mbuf, 1) = 0x0a;
    assert_true(shares_put(&rig->rings, &msg, SHARE_NSES + nse));
}

static void step(struct rig *rig)
{
    core_step(&rig->core, 0);
    free_ring(rig->rings.to_worker);
}

/* The flood is 1000 messages behind at any time; each of the other NSE's messages is taken in two rounds. */
TEST(a_message_waits_two_rounds)
{
    static const int64_t costs_us[] = {1, 20, 500, 5000};
    for (size_t i = 0; i < COUNT(costs_us); i++) {
        struct rig rig;
        open(&rig);
        cost_ns = costs_us[i] * 1000;
        for (unsigned k = 0; k < VICTIMS; k++) {
            while (shares_waiting(&rig.shares, SHARE_NSES) < BACKLOG)
                punt(&rig, 0);
            punt(&rig, 1);
            int64_t begin_ns = spent_ns();
            while (shares_waiting(&rig.shares, SHARE_NSES + 1) > 0) {
                step(&rig);
                while (shares_waiting(&rig.shares, SHARE_NSES) < BACKLOG)
                    punt(&rig, 0);
            }
            assert_true(spent_ns() - begin_ns <= MOST_NS);
            for (begin_ns = spent_ns(); spent_ns() < begin_ns + EVERY_NS && cost_ns > 1000;)
                step(&rig);
        }
        assert_int_equal(late(1), 0);
        assert_true(costs_us[i] < 500 || late(0) > 0);
        close(&rig);
    }
}

TEST_IN(alone_it_is_never_late, struct rig, rig, open(rig), close(rig))
{
    cost_ns = MOMENT_SECOND / 100;
    for (unsigned i = 0; i < BACKLOG; i++)
        punt(rig, 0);
    while (rte_ring_count(rig->rings.to_control) > 0)
        step(rig);
    assert_int_equal(late(0), 0);
}

/* A pass gives other workers and timers their turn, whatever messages cost. */
TEST_IN(a_pass_is_short, struct rig, rig, open(rig), close(rig))
{
    cost_ns = MOMENT_SECOND / 1000;
    for (unsigned i = 0; i < BACKLOG; i++)
        punt(rig, 0);
    int64_t begin_ns = spent_ns();
    step(rig);
    assert_true(spent_ns() - begin_ns <= 3 * cost_ns);
}

static int start(void **state)
{
    return eal_start_virtual(128u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
