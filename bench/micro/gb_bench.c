/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gb control plane on one core, with its Lua, between rings that are held here: FLOW-CONTROL-MS decoded,
 * requested from the worker and acknowledged, for mobiles in turn. One NS-VC and one cell, both up.
 */
#include "bench/micro/micro.h"
#include "control/base/eal.h"
#include "control/core/core.h"
#include "control/config/lua_config.h"
#include "control/core/core_gb.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/bytes.h"
#include "dataplane/memory/pool.h"
#include "dataplane/base/moment.h"

#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG     "config/nodes/replay-80k.lua" /* one NSE 101 with NS-VCI 101, one cell with BVCI 1800 */
#define MEMORY     (UINT64_C(64) << 20)
#define BURST      32
#define BUFFERS    1023
#define RING       1024
#define FIRST_TLLI 0xc0000001
#define NO_TEST_NS (INT64_C(1) << 60) /* NS-ALIVE is not answered */
#define STEP_NS                                                                                              \
    (MOMENT_SECOND / 3000) /* between bursts: 96 000 PDUs a second; each mobile's Th keeps running */

struct gb {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
    uint32_t mobiles, next;
    int64_t now;
};

/* --- PDUs --- */

static const uint8_t ns_reset[] = {0x02, 0x00, 0x81, 0x01, 0x01, 0x82, 0, 101, 0x04, 0x82, 0, 101};
static const uint8_t ns_unblock[] = {0x06};
static const uint8_t bvc_reset[] = {0x00, 0x00, 0x00, 0x00, 0x22, 0x04, 0x82, 0x07, 0x08, 0x07, 0x81, 0x08};

/* TLLI, Tag, MS Bucket Size and Bucket Leak Rate (48.018 §10.4.6). */
static const uint8_t flow_control_ms[] = {0x00, 0x00, 0x07, 0x08, 0x28, 0x1f, 0x84, 0xc0, 0,    0, 0,
                                          0x1e, 0x81, 0,    0x12, 0x82, 0,    100,  0x03, 0x82, 0, 200};
enum { TLLI_AT = 7, TAG_AT = 13, RATE_AT = 20 };

static void punt(struct gb *g, const uint8_t *pdu, size_t octets)
{
    struct msg msg = {.type = MSG_PUNT, .mbuf = rte_pktmbuf_alloc(g->pool)};
    if (!msg.mbuf || !msg_put(g->rings.to_control, &msg))
        micro_die("no room for a PDU");
    memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)octets), pdu, octets);
}

static void step(struct gb *g)
{
    g->now += STEP_NS;
    while (core_step(&g->core, g->now) <= g->now)
        ;
}

/* Takes the worker's messages; returns how many have this type. */
static unsigned take(struct gb *g, uint16_t type)
{
    struct msg msg;
    unsigned count = 0;
    while (msg_take(g->rings.to_worker, &msg)) {
        count += msg.type == type;
        if (msg.type == MSG_SEND)
            rte_pktmbuf_free(msg.mbuf);
    }
    return count;
}

static void bring_up(struct gb *g)
{
    punt(g, ns_reset, sizeof(ns_reset));
    punt(g, ns_unblock, sizeof(ns_unblock));
    punt(g, bvc_reset, sizeof(bvc_reset));
    step(g);
    if (take(g, MSG_BVC_STATE) != 1)
        micro_die("the cell does not come up");
}

static void add_mobiles(struct gb *g)
{
    for (uint32_t i = 0; i < g->mobiles; i++) {
        mobility_add(&g->core.mobility, i, FIRST_TLLI + i, 0);
        core_gb_ms_add(&g->core, i, FIRST_TLLI + i, "", 0);
    }
}

/* A burst of FLOW-CONTROL-MS, each for the next mobile and with new values: decoded, ordered at the worker,
 * acknowledged. */
static double announce(void *state)
{
    struct gb *g = state;
    uint8_t pdu[sizeof(flow_control_ms)];
    struct msg msg;
    memcpy(pdu, flow_control_ms, sizeof(pdu));
    for (unsigned i = 0; i < BURST; i++, g->next++) {
        bytes_put_u32(pdu + TLLI_AT, FIRST_TLLI + g->next % g->mobiles);
        pdu[TAG_AT] = (uint8_t)g->next;
        pdu[RATE_AT + 1] = (uint8_t)(1 + g->next % 255);
        punt(g, pdu, sizeof(pdu));
    }
    step(g);
    for (unsigned acks = 0; acks < BURST; acks++) {
        if (!msg_take(g->rings.to_worker, &msg) || msg.type != MSG_MS_FLOW)
            micro_die("no MSG_MS_FLOW for a FLOW-CONTROL-MS");
        if (!msg_take(g->rings.to_worker, &msg) || msg.type != MSG_SEND)
            micro_die("an acknowledgement is missing");
        rte_pktmbuf_free(msg.mbuf);
    }
    return BURST;
}

static void *gb_open(const struct micro_point *p)
{
    struct gb *g = micro_memory(sizeof(*g));
    struct msg_rings *rings = &g->rings;
    g->L = lua_host_new(lua_modules);
    g->mobiles = (uint32_t)p->at[0];
    if (!lua_config_load_node(g->L, CONFIG, &g->config) || !msg_rings_new(rings, "rings", RING) ||
        !(g->pool = pool_new("pool", BUFFERS)))
        micro_die("no memory");
    if (!core_init(&g->core, g->L, &g->config, &rings, g->pool))
        micro_die("no memory for mobiles");
    core_tell(&g->core, gb_set_duration, LUA_ARG("ns"), LUA_ARG("test"), LUA_ARG(NO_TEST_NS));
    core_start(&g->core, 0);
    bring_up(g);
    add_mobiles(g);
    for (uint32_t i = 0; i < g->mobiles; i += BURST) /* gives each mobile a bucket of its own */
        announce(g);
    return g;
}

static void gb_close(void *state)
{
    struct gb *g = state;
    core_fini(&g->core);
    take(g, MSG_SEND);
    msg_rings_free(&g->rings);
    rte_mempool_free(g->pool);
    node_config_free(&g->config);
    lua_host_free(g->L);
    free(g);
}

static void gb_bench_begin(void)
{
    micro_need(eal_start_virtual(MEMORY), "DPDK does not start");
}

static struct micro_axis mobiles = MICRO_AXIS("mobiles", 1, 4000, 1, 100, 4000);
static struct micro_case cases[] = {MICRO_CASE(gb, "flow_control_ms", "FLOW-CONTROL-MS", MICRO_LIST(NULL),
                                               MICRO_LIST(&mobiles), .run = announce)};

MICRO_PROGRAM(
    "The rate of the Gb control plane on one core: FLOW-CONTROL-MS decoded, requested and acknowledged.",
    .rounds = 9, .turn_ms = 50, .begin = gb_bench_begin);
