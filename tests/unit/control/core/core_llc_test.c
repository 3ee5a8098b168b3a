/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC between the worker's rings, which the test holds, and Lua. */
#include "control/core/core.h"
#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "tests/unit/unit.h"

#include <string.h>

#define CONFIG  "tests/unit/control/core/llc_node.lua" /* NSE 101, one cell with BVCI 1800, T200 2 s */
#define BUFFERS 63
#define SLOT    4
#define T200_NS (2 * MOMENT_SECOND)

struct rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
};

static void drain(struct rig *rig)
{
    struct msg msg;
    struct rte_ring *const rings[] = {rig->rings.to_worker, rig->rings.to_control};
    for (unsigned i = 0; i < 2; i++)
        while (msg_take(rings[i], &msg))
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
}

static void open(struct rig *rig)
{
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, CONFIG, &rig->config));
    assert_true(msg_rings_new(&rig->rings, "rig", 64));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    struct msg_rings *rings = &rig->rings;
    assert_true(core_init(&rig->core, rig->L, &rig->config, &rings, rig->pool));
    core_start(&rig->core, 0);
    drain(rig);
}

static void close(struct rig *rig)
{
    core_fini(&rig->core);
    drain(rig);
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

/* The next request is to send this frame to the mobile. */
static void expect_frame(struct rig *rig, const uint8_t *frame, size_t octets)
{
    struct msg msg;
    assert_true(msg_take(rig->rings.to_worker, &msg));
    assert_int_equal(msg.type, MSG_LLC_FRAME);
    assert_int_equal(msg.slot, SLOT);
    assert_int_equal(rte_pktmbuf_data_len(msg.mbuf), octets);
    assert_memory_equal(rte_pktmbuf_mtod(msg.mbuf, uint8_t *), frame, octets);
    rte_pktmbuf_free(msg.mbuf);
}

static void expect_order(struct rig *rig, uint16_t type, uint32_t n201_u_octets)
{
    struct msg msg;
    assert_true(msg_take(rig->rings.to_worker, &msg));
    assert_int_equal(msg.type, type);
    assert_int_equal(msg.slot, SLOT);
    assert_int_equal(msg.n201_u_octets, n201_u_octets);
}

static void expect_nothing(struct rig *rig)
{
    struct msg msg;
    assert_false(msg_take(rig->rings.to_worker, &msg));
}

/* The worker hands over a frame of the mobile, and the core takes it. */
static void hear(struct rig *rig, const uint8_t *frame, size_t octets, int64_t now)
{
    struct msg msg = {.type = MSG_PUNT_LLC, .slot = SLOT, .llc = {.sapi = frame[0] & 15}};
    msg.mbuf = rte_pktmbuf_alloc(rig->pool);
    assert_non_null(msg.mbuf);
    memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)octets), frame, octets);
    assert_true(msg_put(rig->rings.to_control, &msg));
    while (core_step(&rig->core, now) <= now)
        ;
}

static const uint8_t reset[] = {0x41, 0xfb, 0x30, 0x84, 0x10, 0, 0, 0, 5};
static const uint8_t reset_answer[] = {0x41, 0xfb};
static const struct llc_cipher_params ciphering = {.algorithm = 3, .kc_octets = 8, .iov_ui = 5};

/* A reset goes when the cell opens, again after T200, and ends with its answer. */
TEST(resets)
{
    struct rig rig;
    open(&rig);
    core_llc_ms_add(&rig.core, SLOT, 0, &ciphering);
    assert_int_equal(core_step(&rig.core, 0), MOMENT_NEVER);
    expect_nothing(&rig);
    core_llc_cell_open(&rig.core, 101, 1800);
    expect_order(&rig, MSG_MS_N201, 500);
    expect_frame(&rig, reset, sizeof(reset));
    core_llc_cell_open(&rig.core, 101, 1800);
    expect_nothing(&rig);
    hear(&rig, (const uint8_t[]){0x03, 0xe0}, 2, 1);
    expect_nothing(&rig);
    assert_int_equal(core_step(&rig.core, 2), T200_NS);
    assert_int_equal(core_step(&rig.core, T200_NS), T200_NS);
    expect_frame(&rig, reset, sizeof(reset));
    assert_int_equal(core_step(&rig.core, T200_NS), 2 * T200_NS);
    hear(&rig, reset_answer, sizeof(reset_answer), T200_NS + 1);
    expect_order(&rig, MSG_MS_LLC_RESET, 0);
    assert_int_equal(core_step(&rig.core, 2 * T200_NS), MOMENT_NEVER);
    expect_nothing(&rig);
    close(&rig);
}

/* A proposal is answered before what it means is ordered. */
TEST(answers)
{
    static const uint8_t xid[] = {0x03, 0xfb, 0x16, 0x05, 0xdc}, answer[] = {0x03, 0xfb, 0x16, 0x03, 0xe8};
    struct rig rig;
    open(&rig);
    core_llc_ms_add(&rig.core, SLOT, 0, NULL);
    hear(&rig, xid, sizeof(xid), 1);
    expect_frame(&rig, answer, sizeof(answer));
    expect_order(&rig, MSG_MS_N201, 1000);
    expect_nothing(&rig);
    core_llc_ms_del(&rig.core, SLOT);
    hear(&rig, xid, sizeof(xid), 2);
    expect_nothing(&rig);
    close(&rig);
}

/* A mobile that is deleted takes its timer along. */
TEST(deleted)
{
    struct rig rig;
    open(&rig);
    core_llc_cell_open(&rig.core, 101, 1800);
    core_llc_ms_add(&rig.core, SLOT, 0, NULL);
    expect_order(&rig, MSG_MS_N201, 500);
    expect_frame(&rig, reset, 3);
    assert_int_equal(lua_object_next_ns(&rig.core.llc.object), T200_NS);
    core_llc_ms_del(&rig.core, SLOT);
    assert_int_equal(lua_object_next_ns(&rig.core.llc.object), MOMENT_NEVER);
    core_step(&rig.core, 2 * T200_NS);
    expect_nothing(&rig);
    close(&rig);
}

/* No buffer for the answer: counted, and the rest goes on. */
TEST(no_buffer)
{
    static const uint8_t xid[] = {0x03, 0xfb, 0x16, 0x05, 0xdc};
    struct rig rig;
    struct rte_mbuf *taken[BUFFERS - 1];
    struct msg msg = {.type = MSG_PUNT_LLC, .slot = SLOT};
    open(&rig);
    core_llc_ms_add(&rig.core, SLOT, 0, NULL);
    msg.mbuf = rte_pktmbuf_alloc(rig.pool);
    memcpy(rte_pktmbuf_append(msg.mbuf, sizeof(xid)), xid, sizeof(xid));
    assert_int_equal(rte_pktmbuf_alloc_bulk(rig.pool, taken, BUFFERS - 1), 0);
    assert_true(msg_put(rig.rings.to_control, &msg));
    core_step(&rig.core, 1);
    assert_int_equal(rig.core.send_failures, 1);
    expect_order(&rig, MSG_MS_N201, 1000);
    rte_pktmbuf_free_bulk(taken, BUFFERS - 1);
    close(&rig);
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
