/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/gb_fixture.h"

#include "bench/micro/fixture.h"
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
#define BUFFERS    1023
#define RING       1024
#define FIRST_TLLI 0xc0000001
#define NO_TEST_NS (INT64_C(1) << 60) /* the fixture does not answer NS-ALIVE */
#define STEP_NS                                                                                              \
    (MOMENT_SECOND / 3000) /* between bursts: 96 000 PDUs a second; each mobile's Th keeps running */

struct gb_fixture {
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

static void punt(struct gb_fixture *fixture, const uint8_t *pdu, size_t octets)
{
    struct msg msg = {.type = MSG_PUNT, .mbuf = rte_pktmbuf_alloc(fixture->pool)};
    if (!msg.mbuf || !msg_put(fixture->rings.to_control, &msg))
        fixture_die("no room for a PDU");
    memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)octets), pdu, octets);
}

static void gb_fixture_step(struct gb_fixture *fixture)
{
    fixture->now += STEP_NS;
    while (core_step(&fixture->core, fixture->now) <= fixture->now)
        ;
}

/* Takes the worker's messages; returns how many have this type. */
static unsigned gb_fixture_take(struct gb_fixture *fixture, uint16_t type)
{
    struct msg msg;
    unsigned count = 0;
    while (msg_take(fixture->rings.to_worker, &msg)) {
        count += msg.type == type;
        if (msg.type == MSG_SEND)
            rte_pktmbuf_free(msg.mbuf);
    }
    return count;
}

/* --- begin and end --- */

static void bring_up(struct gb_fixture *fixture)
{
    punt(fixture, ns_reset, sizeof(ns_reset));
    punt(fixture, ns_unblock, sizeof(ns_unblock));
    punt(fixture, bvc_reset, sizeof(bvc_reset));
    gb_fixture_step(fixture);
    if (gb_fixture_take(fixture, MSG_BVC_STATE) != 1)
        fixture_die("the cell does not come up");
}

static void add_mobiles(struct gb_fixture *fixture)
{
    for (uint32_t i = 0; i < fixture->mobiles; i++) {
        mobility_add(&fixture->core.mobility, i, FIRST_TLLI + i, 0);
        core_gb_ms_add(&fixture->core, FIRST_TLLI + i, "", 0);
    }
}

struct gb_fixture *gb_fixture_new(uint32_t mobiles)
{
    struct gb_fixture *fixture = calloc(1, sizeof(*fixture));
    struct msg_rings *rings = &fixture->rings;
    if (!fixture)
        fixture_die("no memory");
    fixture->L = lua_host_new(lua_modules);
    fixture->mobiles = mobiles;
    if (!lua_config_load_node(fixture->L, CONFIG, &fixture->config) ||
        !msg_rings_new(rings, "fixture", RING) || !(fixture->pool = pool_new("fixture", BUFFERS)))
        fixture_die("no memory");
    if (!core_init(&fixture->core, fixture->L, &fixture->config, &rings, fixture->pool))
        fixture_die("no memory for mobiles");
    core_tell(&fixture->core, gb_set_duration, LUA_ARG("ns"), LUA_ARG("test"), LUA_ARG(NO_TEST_NS));
    core_start(&fixture->core, 0);
    bring_up(fixture);
    add_mobiles(fixture);
    return fixture;
}

void gb_fixture_free(struct gb_fixture *fixture)
{
    core_fini(&fixture->core);
    gb_fixture_take(fixture, MSG_SEND);
    msg_rings_free(&fixture->rings);
    rte_mempool_free(fixture->pool);
    node_config_free(&fixture->config);
    lua_host_free(fixture->L);
    free(fixture);
}

/* --- load --- */

void gb_fixture_announce(struct gb_fixture *fixture)
{
    uint8_t pdu[sizeof(flow_control_ms)];
    struct msg msg;
    memcpy(pdu, flow_control_ms, sizeof(pdu));
    for (unsigned i = 0; i < GB_FIXTURE_BURST; i++, fixture->next++) {
        bytes_put_u32(pdu + TLLI_AT, FIRST_TLLI + fixture->next % fixture->mobiles);
        pdu[TAG_AT] = (uint8_t)fixture->next;
        pdu[RATE_AT + 1] = (uint8_t)(1 + fixture->next % 255);
        punt(fixture, pdu, sizeof(pdu));
    }
    gb_fixture_step(fixture);
    for (unsigned acks = 0; acks < GB_FIXTURE_BURST; acks++) {
        if (!msg_take(fixture->rings.to_worker, &msg) || msg.type != MSG_MS_FLOW)
            fixture_die("no MSG_MS_FLOW for a FLOW-CONTROL-MS");
        if (!msg_take(fixture->rings.to_worker, &msg) || msg.type != MSG_SEND)
            fixture_die("an acknowledgement is missing");
        rte_pktmbuf_free(msg.mbuf);
    }
}
