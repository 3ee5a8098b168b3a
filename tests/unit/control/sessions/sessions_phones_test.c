/* SPDX-License-Identifier: BSD-3-Clause */
/* First frames of phones: what the worker is told, in order. */
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/lua/lua_host.h"
#include "control/sessions/sessions.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"

#include <string.h>

#define CONFIG  "tests/unit/control/sessions/phones_node.lua"
#define BUFFERS 63
#define TLLI    0x78000001
#define BVCI    1800

struct rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
    struct sessions sessions;
    struct ms_params made; /* of the last MSG_MS_ADD */
};

static void drain(struct rig *rig)
{
    struct msg msg;
    while (msg_take(rig->rings.to_worker, &msg))
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
}

static void open(struct rig *rig)
{
    struct msg_rings *rings = &rig->rings;
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, CONFIG, &rig->config));
    rig->config.live.is_on = true;
    assert_true(msg_rings_new(&rig->rings, "rig", 64));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    assert_true(core_init(&rig->core, rig->L, &rig->config, &rings, rig->pool));
    assert_true(sessions_new(&rig->sessions, &rig->core));
    core_start(&rig->core, 0);
    core_tell(&rig->core, llc_cell_open, LUA_ARG(core_gb_llc_place(101, BVCI)));
    drain(rig);
}

static void close(struct rig *rig)
{
    sessions_free(&rig->sessions);
    core_fini(&rig->core);
    drain(rig);
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

/* ATTACH REQUEST with an IMSI. */
static const uint8_t attach[] = {0x08, 0x01, 0x02, 0xe5, 0xe0, 0x71, 0x0a, 0x00, 0x08, 0x29, 0x26, 0x24, 0x00,
                                 0x00, 0x00, 0x00, 0x10, 0x00, 0xf1, 0x10, 0xff, 0xfe, 0x00, 0x19, 0x18, 0xb3,
                                 0x43, 0x2b, 0x25, 0x96, 0x62, 0x00, 0x60, 0x80, 0x9a, 0xc2, 0xc6, 0x62, 0x00,
                                 0x60, 0x80, 0xba, 0xc8, 0xc6, 0x62, 0x00, 0x60, 0x80, 0x00};

/* A worker knows no mobile of the TLLI of an ATTACH REQUEST with this N(U). */
static void hear(struct rig *rig, uint16_t nu)
{
    static const uint8_t cell_id[] = {0x62, 0xf2, 0x24, 0x12, 0x34, 5, 0, 1};
    const struct llc llc = {.format = LLC_UI, .sapi = LLC_SAPI_GMM, .nu = nu, .pm = true};
    const struct bssgp_ul ul = {
        .tlli = TLLI, .cell_id = cell_id, .llc_octets = LLC_UI_OCTETS + sizeof(attach) + LLC_FCS_OCTETS};
    struct msg msg = {
        .type = MSG_UNKNOWN_TLLI, .tlli = TLLI, .heard.bvci = BVCI, .mbuf = rte_pktmbuf_alloc(rig->pool)};
    uint8_t *bytes = rte_pktmbuf_mtod(msg.mbuf, uint8_t *), *at = bytes + ns_unitdata_header_put(bytes, BVCI);
    at += bssgp_ul_unitdata_encode_header(at, 128, &ul);
    uint8_t *pdu = at;
    at += llc_ui_encode(at, LLC_UI_OCTETS, &llc);
    memcpy(at, attach, sizeof(attach));
    at += sizeof(attach);
    llc_fcs_put(at, llc_fcs(pdu, (size_t)(at - pdu)));
    at += LLC_FCS_OCTETS;
    rte_pktmbuf_append(msg.mbuf, (uint16_t)(at - bytes));
    assert_true(sessions_phones_admit(&rig->sessions, &msg));
}

/* The place of the first order of a type among those of a worker; -1: none. */
static int place_of(const uint16_t *types, int count, uint16_t type)
{
    for (int i = 0; i < count; i++)
        if (types[i] == type)
            return i;
    return -1;
}

/* Types of the orders that wait for a worker, at most `most`. */
static int take_types(struct rig *rig, uint16_t *types, int most)
{
    int count = 0;
    struct msg msg;
    for (; count < most && msg_take(rig->rings.to_worker, &msg); types[count++] = msg.type) {
        if (msg.type == MSG_MS_ADD)
            rig->made = msg.ms;
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
    return count;
}

static int send_some(struct rig *rig, uint16_t *types, int most)
{
    struct core_intent intent = {.msg = {.type = MSG_LLC_UI},
                                 .octets = {(const char *)attach, sizeof(attach)}};
    sessions_phones_send(&rig->sessions, &intent);
    return take_types(rig, types, most);
}

/* The frame that brought the phone does not go to its worker, which gets the N(U) with the mobile. What the
 * worker expects begins again with the answer to XID Reset, which goes before the first frame to the phone,
 * once. A phone that begins with N(U) = 0 is not told to reset. */
static void check_first(struct rig *rig, uint16_t nu)
{
    uint16_t types[16];
    hear(rig, nu);
    int count = take_types(rig, types, 16);
    int made = place_of(types, count, MSG_MS_ADD);
    assert_in_range(made, 0, count);
    assert_int_equal(place_of(types, count, MSG_UPLINK), -1);
    assert_int_equal(rig->made.first_sapi, LLC_SAPI_GMM);
    assert_int_equal(rig->made.first_nu, nu);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), -1);
    count = send_some(rig, types, 16);
    int await = place_of(types, count, MSG_MS_LLC_AWAIT), reset = place_of(types, count, MSG_LLC_FRAME),
        ui = place_of(types, count, MSG_LLC_UI);
    if (nu == 0) {
        assert_int_equal(await, -1);
        assert_int_equal(reset, -1);
    } else {
        assert_in_range(await, 0, count);
        assert_in_range(reset, await + 1, count);
    }
    assert_in_range(ui, reset + 1, count);
    count = send_some(rig, types, 16);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), -1);
    assert_in_range(place_of(types, count, MSG_LLC_UI), 0, count);
}

TEST_IN(begins, struct rig, rig, open(rig), close(rig))
{
    check_first(rig, 0);
}

TEST_IN(has_begun, struct rig, rig, open(rig), close(rig))
{
    check_first(rig, 7);
}

/* A context that is up may have compression proposed before the phone's first message is answered: Reset,
 * which ends what was agreed on, goes before that, too. */
TEST_IN(context_first, struct rig, rig, open(rig), close(rig))
{
    uint16_t types[16];
    const struct session session = {.mobile = 0, .nsapi = 5, .sapi = 3, .ip_version = 4};
    hear(rig, 7);
    take_types(rig, types, 16);
    sessions_tell_llc(&rig->sessions, &session, false);
    int count = take_types(rig, types, 16), await = place_of(types, count, MSG_MS_LLC_AWAIT);
    assert_in_range(await, 0, count);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), await + 1);
    count = send_some(rig, types, 16);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), -1);
}

static int start(void **state)
{
    llc_fcs_init();
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
