/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/gb_rig.h"

#include "bench/micro/rig_orders.h"
#include "control/core/core.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "control/config/lua_modules.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"

#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG     "config/nodes/replay-80k.lua" /* one NSE 101 with NS-VCI 101, one cell with BVCI 1800 */
#define BUFFERS    1023
#define RING       1024
#define FIRST_TLLI 0xc0000001
#define NO_TEST_NS (INT64_C(1) << 60) /* nobody would answer NS-ALIVE */
#define STEP_NS                                                                                              \
    (MOMENT_SECOND / 3000) /* between bursts: 96 000 PDUs in a second, each mobile's Th runs on              \
                            */

struct gb_rig {
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

static void punt(struct gb_rig *rig, const uint8_t *pdu, size_t octets)
{
    struct msg msg = {.type = MSG_PUNT, .mbuf = rte_pktmbuf_alloc(rig->pool)};
    if (!msg.mbuf || !msg_put(rig->rings.to_control, &msg))
        rig_orders_die("no room for a PDU");
    memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)octets), pdu, octets);
}

static void step(struct gb_rig *rig)
{
    rig->now += STEP_NS;
    while (core_step(&rig->core, rig->now) <= rig->now)
        ;
}

/* Takes what the worker is told; how many messages are of this type. */
static unsigned take(struct gb_rig *rig, uint16_t type)
{
    struct msg msg;
    unsigned count = 0;
    while (msg_take(rig->rings.to_worker, &msg)) {
        count += msg.type == type;
        if (msg.type == MSG_SEND)
            rte_pktmbuf_free(msg.mbuf);
    }
    return count;
}

/* --- life --- */

static void bring_up(struct gb_rig *rig)
{
    punt(rig, ns_reset, sizeof(ns_reset));
    punt(rig, ns_unblock, sizeof(ns_unblock));
    punt(rig, bvc_reset, sizeof(bvc_reset));
    step(rig);
    if (take(rig, MSG_BVC_UNBLOCK) != 1)
        rig_orders_die("the cell does not come up");
}

static void add_mobiles(struct gb_rig *rig)
{
    for (uint32_t i = 0; i < rig->mobiles; i++) {
        mobility_add(&rig->core.mobility, i, FIRST_TLLI + i, 0);
        core_ms_add(&rig->core, FIRST_TLLI + i, "", 0);
    }
}

struct gb_rig *gb_rig_new(uint32_t mobiles)
{
    struct gb_rig *rig = calloc(1, sizeof(*rig));
    struct msg_rings *rings = &rig->rings;
    if (!rig)
        rig_orders_die("no memory");
    rig->L = lua_host_new(lua_modules);
    rig->mobiles = mobiles;
    if (!lua_config_load_node(rig->L, CONFIG, &rig->config) || !msg_rings_new(rings, "rig", RING) ||
        !(rig->pool = pool_new("rig", BUFFERS)))
        rig_orders_die("no memory");
    if (!core_init(&rig->core, rig->L, &rig->config, &rings, rig->pool))
        rig_orders_die("no memory for mobiles");
    lua_gb_set_duration(&rig->core.gb, "ns", "test", NO_TEST_NS);
    core_start(&rig->core, 0);
    bring_up(rig);
    add_mobiles(rig);
    return rig;
}

void gb_rig_free(struct gb_rig *rig)
{
    core_fini(&rig->core);
    take(rig, MSG_SEND);
    msg_rings_free(&rig->rings);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
    free(rig);
}

/* --- load --- */

void gb_rig_announce(struct gb_rig *rig)
{
    uint8_t pdu[sizeof(flow_control_ms)];
    struct msg msg;
    memcpy(pdu, flow_control_ms, sizeof(pdu));
    for (unsigned i = 0; i < GB_RIG_BURST; i++, rig->next++) {
        bytes_put_u32(pdu + TLLI_AT, FIRST_TLLI + rig->next % rig->mobiles);
        pdu[TAG_AT] = (uint8_t)rig->next;
        pdu[RATE_AT + 1] = (uint8_t)(1 + rig->next % 255);
        punt(rig, pdu, sizeof(pdu));
    }
    step(rig);
    for (unsigned acks = 0; acks < GB_RIG_BURST; acks++) {
        if (!msg_take(rig->rings.to_worker, &msg) || msg.type != MSG_MS_FLOW)
            rig_orders_die("a mobile's values were not ordered");
        if (!msg_take(rig->rings.to_worker, &msg) || msg.type != MSG_SEND)
            rig_orders_die("an acknowledgement is missing");
        rte_pktmbuf_free(msg.mbuf);
    }
}
