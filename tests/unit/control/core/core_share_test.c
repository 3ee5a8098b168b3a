/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of control's time: how long what one NSE sends waits while another one sends what is dear. */
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_gb.h"
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
#define ROUND_NS (MOMENT_SECOND / 50)
#define MOST_NS  (5 * ROUND_NS / 2)
#define PASS     256 /* messages */

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

/* A mobile whose change of cell is late is not sent to until its worker has MS_DECIDED, so it comes
 * nevertheless. */
TEST_IN(late_cells_are_decided, struct rig, rig, open(rig), close(rig))
{
    struct msg heard = {.type = MSG_MS_HEARD, .slot = 7, .heard.bvci = 1801}, msg;
    unsigned decided = 0;
    cost_ns = MOMENT_SECOND / 100;
    mobility_add(&rig->core.mobility, 7, 0xc0000001, 0);
    core_gb_ms_add(&rig->core, 7, 0xc0000001, "", 0);
    free_ring(rig->rings.to_worker);
    for (unsigned i = 0; i < VICTIMS; i++) {
        assert_true(shares_put(&rig->rings, &heard, SHARE_NSES));
        punt(rig, 1);
    }
    while (rte_ring_count(rig->rings.to_control) > 0) {
        core_step(&rig->core, 0);
        while (msg_take(rig->rings.to_worker, &msg)) {
            decided += msg.type == MSG_MS_DECIDED;
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
        }
    }
    assert_true(late(0) > 0);
    assert_int_equal(decided, VICTIMS);
}

/* A pass gives other workers and timers their turn, whatever messages cost. */
TEST_IN(a_pass_is_short, struct rig, rig, open(rig), close(rig))
{
    cost_ns = MOMENT_SECOND / 1000;
    for (unsigned i = 0; i < BACKLOG; i++)
        punt(rig, 0);
    uint64_t begin_taken;
    int64_t begin_ns = spent_ns();
    step(rig);
    assert_in_range(spent_ns() - begin_ns, 2 * cost_ns, 3 * cost_ns);
    cost_ns = 0;
    begin_taken = counted->rows[SHARE_NONE].taken;
    step(rig);
    assert_int_equal(counted->rows[SHARE_NONE].taken - begin_taken, PASS);
}

/* --- the parts of a round --- */

static void put(struct rig *rig, uint32_t share)
{
    struct msg msg = {.type = MSG_PAGE_WANTED};
    assert_true(shares_put(&rig->rings, &msg, share));
}

/* Takes the next message; whether it is late after its share has had so much time. */
static bool is_late_after(struct rig *rig, struct core_share_round *round, int64_t ns)
{
    struct msg msg;
    assert_true(core_share_take(round, &rig->rings, &msg));
    core_share_charge(&rig->rings, &msg, ns);
    return core_share_is_late(round, &rig->rings, &msg, CORE_SHARE_ROUND_NS);
}

/* Each share's messages are in the ring twice, so that others wait in any case. */
TEST_IN(a_part_of_a_round, struct rig, rig, open(rig), close(rig))
{
    static const struct {
        unsigned shares;
        int64_t part_ns;
    } rows[] = {{2, ROUND_NS / 2}, {4, ROUND_NS / 4}, {20, ROUND_NS / 20}, {40, ROUND_NS / 20}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct core_share_round round = {.number = 1000 * (uint32_t)i};
        for (unsigned k = 0; k < 4 * rows[i].shares; k++)
            put(rig, SHARE_PEERS + k % rows[i].shares);
        for (unsigned k = 0; k < rows[i].shares; k++)
            is_late_after(rig, &round, 0);
        assert_false(is_late_after(rig, &round, rows[i].part_ns - 1));
        assert_true(is_late_after(rig, &round, rows[i].part_ns));
        free_ring(rig->rings.to_control);
        for (uint32_t share = 0; share < rig->shares.count; share++)
            shares_begin_worker(&rig->shares, share), shares_begin_control(&rig->shares, share);
    }
}

/* The first of a round have no more than in the round before. */
TEST_IN(a_part_of_the_round_before, struct rig, rig, open(rig), close(rig))
{
    struct core_share_round round = {0};
    for (unsigned k = 0; k < 2; k++) {
        put(rig, SHARE_PEERS);
        put(rig, SHARE_PEERS + 1);
    }
    for (unsigned k = 0; k < 4; k++)
        is_late_after(rig, &round, 0);
    put(rig, SHARE_PEERS);
    put(rig, SHARE_PEERS + 1);
    assert_true(is_late_after(rig, &round, ROUND_NS / 2));
    assert_false(is_late_after(rig, &round, 0));
}

TEST_IN(paging_is_never_late, struct rig, rig, open(rig), close(rig))
{
    struct core_share_round round = {0};
    put(rig, SHARE_PAGING);
    put(rig, SHARE_PEERS);
    assert_false(is_late_after(rig, &round, MOMENT_SECOND));
    free_ring(rig->rings.to_control);
}

TEST_IN(an_nse_that_is_added_begins_anew, struct rig, rig, open(rig), close(rig))
{
    punt(rig, 0);
    step(rig);
    assert_int_equal(counted->rows[SHARE_NSES].taken, 1);
    core_gb_nse_add(&rig->core, 0);
    assert_int_equal(counted->rows[SHARE_NSES].taken, 0);
}

static int start(void **state)
{
    return eal_start_virtual(128u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
