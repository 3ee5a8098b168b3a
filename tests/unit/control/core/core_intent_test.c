/* SPDX-License-Identifier: BSD-3-Clause */
/* Each intent about a cell or a mobile becomes one request, with slots in place of NSEIs and BVCIs. */
#include "tests/unit/control/core/intent_rig.h"
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "control/core/core_gb.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_object.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"

#include <string.h>

#define RING 16

/* NSE 101 with cells 1234 and 1235, NSE 102 with cell 1234. */
static struct node_config_nse nses[] = {{.nsei = 101}, {.nsei = 102}};
static struct node_config_cell cells[] = {
    {.nse = 0, .bvci = 1234}, {.nse = 0, .bvci = 1235}, {.nse = 1, .bvci = 1234}};
static const struct node_config intent_config = {.nses = nses,
                                                 .nse_count = 2,
                                                 .nsvc_count = 8,
                                                 .cells = cells,
                                                 .cell_count = 3,
                                                 .limits = {.mobiles = 64, .contexts = 71}};

struct rig {
    struct msg_rings rings;
    struct core core;
};

static void open(struct rig *rig)
{
    *rig = (struct rig){.core = {.config = &intent_config, .workers = 1, .links = {{.rings = &rig->rings}}}};
    rig->core.mobility.core = &rig->core;
    assert_true(msg_rings_new(&rig->rings, "rig", RING));
    intent_rig_init(&rig->core);
}

static void close(struct rig *rig)
{
    intent_rig_fini(&rig->core);
    msg_rings_free(&rig->rings);
}

struct row {
    const char *intent;
    struct msg msg;
};

static const struct row rows[] = {
    {"{ op = 'ms_elements', nsei = 102, tlli = 9, elements = { drx = 'abcd' } }",
     {.type = MSG_MS_ELEMENTS, .tlli = 9, .nse = 1, .elements = {4, 0, {0x0a, 0x82, 0xab, 0xcd}}}},
    {"{ op = 'nsvc_state', nsvc = 7, usable = true }",
     {.type = MSG_NSVC_STATE, .slot = 7, .is_usable = true}},
    {"{ op = 'nsvc_state', nsvc = 7, usable = false }", {.type = MSG_NSVC_STATE, .slot = 7}},
    {"{ op = 'nsvc_weight', nsvc = 7, weight = 200 }",
     {.type = MSG_NSVC_WEIGHT, .slot = 7, .data_weight = 200}},
    {"{ op = 'bvc_reset', nsei = 101, bvci = 1235 }", {.type = MSG_BVC_RESET, .slot = 1}},
    {"{ op = 'bvc_state', nsei = 102, bvci = 1234, usable = true }",
     {.type = MSG_BVC_STATE, .slot = 2, .is_unblocked = true}},
    {"{ op = 'bvc_flow', nsei = 102, bvci = 1234, bucket_octets = 1, rate_bps = 2, ms_bucket_octets = 3, "
     "ms_rate_bps = 4, ratio_percent = 5, measurement_cs = 6 }",
     {.type = MSG_BVC_FLOW, .slot = 2, .flow = {1, 2, 3, 4, 5, 6, true}}},
    {"{ op = 'bvc_flow', nsei = 101, bvci = 1234, bucket_octets = 1, rate_bps = 2, ms_bucket_octets = 3, "
     "ms_rate_bps = 4 }",
     {.type = MSG_BVC_FLOW, .slot = 0, .flow = {1, 2, 3, 4, -1, UINT16_MAX, false}}},
    {"{ op = 'ms_flow', nsei = 102, bvci = 1234, tlli = 9, bucket_octets = 1, rate_bps = 2, ratio_percent = "
     "3, th_ns = 4 }",
     {.type = MSG_MS_FLOW,
      .tlli = 9,
      .nse = 1,
      .flow = {1, 2, .ratio_percent = 3, .delay_cs = UINT16_MAX, .th_ns = 4}}},
    {"{ op = 'pfc_flow', nsei = 102, bvci = 1234, tlli = 9, pfi = 8, bucket_octets = 1, rate_bps = 2 }",
     ROW(.type = MSG_PFC_FLOW, .tlli = 9, .nse = 1,
         .pfc = {.pfi = 8, .flow = {1, 2, .ratio_percent = -1, .delay_cs = UINT16_MAX}})},
    {"{ op = 'pfc_add', nsei = 101, bvci = 1234, tlli = 9, pfi = 8 }",
     {.type = MSG_PFC_ADD, .tlli = 9, .pfi = 8}},
    {"{ op = 'pfc_del', nsei = 101, bvci = 1234, tlli = 9, pfi = 8 }",
     {.type = MSG_PFC_DEL, .tlli = 9, .pfi = 8}},
    {"{ op = 'pdp_pfi', pdp = 70, pfi = 8 }", {.type = MSG_PDP_PFI, .slot = 70, .pfi = 8}},
    {"{ op = 'pdp_pfi', pdp = 70 }", {.type = MSG_PDP_PFI, .slot = 70, .pfi = N_PDU_NO_PFI}},
    {"{ op = 'ms_discarded', nsei = 102, bvci = 1234, tlli = 9, pfi = 8, octets = 77 }",
     {.type = MSG_MS_DISCARDED, .tlli = 9, .nse = 1, .discard = {77, MS_NONE, 2, 8}}},
    {"{ op = 'ms_flushed', nsei = 101, bvci = 1235, tlli = 9, octets = 77, nsei_new = 102, bvci_new = 1234, "
     "nsei_home = 102 }",
     {.type = MSG_MS_FLUSHED, .tlli = 9, .nse = 1, .flush = {77, MS_NONE, 1, 2}}},
    {"{ op = 'ms_flushed', nsei = 101, bvci = 1235, tlli = 9, octets = 77, nsei_home = 101 }",
     {.type = MSG_MS_FLUSHED, .tlli = 9, .nse = 0, .flush = {77, MS_NONE, 1, GB_BVC_NONE}}},
    {"{ op = 'ms_suspend', nsei = 102, tlli = 9, suspended = true }",
     {.type = MSG_MS_SUSPEND, .tlli = 9, .nse = 1, .is_suspended = true}},
    {"{ op = 'ms_suspend', nsei = 102, tlli = 9, suspended = false }",
     {.type = MSG_MS_SUSPEND, .tlli = 9, .nse = 1}},
    {"{ op = 'ms_hold', mobile = 9, held = true }", {.type = MSG_MS_HOLD, .slot = 9, .is_held = true}},
    {"{ op = 'ms_hold', mobile = 9, held = false }", {.type = MSG_MS_HOLD, .slot = 9}},
    {"{ op = 'ms_wanted', mobile = 9 }", {.type = MSG_MS_WANTED, .slot = 9}},
    {"{ op = 'page_end', nsei = 102, tlli = 9 }", {.type = MSG_PAGE_END, .tlli = 9, .nse = 1}},
    {"{ op = 'ms_lost', nsei = 101, tlli = 9 }", {.type = MSG_MS_LOST, .tlli = 9, .is_lost = true}},
    {"{ op = 'ms_cell', nsei = 101, bvci = 1235, tlli = 9, nsei_new = 102, bvci_new = 1234, lost = false }",
     {.type = MSG_MS_CELL, .tlli = 9, .nse = 0, .cell = {.bvc = 2}}},
    {"{ op = 'ms_cell', nsei = 101, bvci = 1235, tlli = 9, nsei_new = 102, bvci_new = 1234, lost = true }",
     {.type = MSG_MS_CELL, .tlli = 9, .nse = 0, .cell = {.bvc = 2, .is_lost = true}}},
};

static bool is_same_flow(const struct gb_flow *a, const struct gb_flow *b)
{
    return a->bucket_octets == b->bucket_octets && a->rate_bps == b->rate_bps &&
           a->ms_bucket_octets == b->ms_bucket_octets && a->ms_rate_bps == b->ms_rate_bps &&
           a->ratio_percent == b->ratio_percent && a->delay_cs == b->delay_cs && a->has_delay == b->has_delay;
}

/* The payload that the request has. */
static bool is_same_rest(const struct msg *a, const struct msg *b)
{
    switch (a->type) {
    case MSG_MS_ELEMENTS:
        return memcmp(&a->elements, &b->elements, sizeof(a->elements)) == 0;
    case MSG_NSVC_STATE:
        return a->is_usable == b->is_usable;
    case MSG_NSVC_WEIGHT:
        return a->data_weight == b->data_weight;
    case MSG_BVC_STATE:
        return a->is_unblocked == b->is_unblocked;
    case MSG_MS_SUSPEND:
        return a->is_suspended == b->is_suspended;
    case MSG_MS_HOLD:
        return a->is_held == b->is_held;
    case MSG_MS_LOST:
        return a->is_lost == b->is_lost;
    case MSG_MS_CELL:
        return a->cell.bvc == b->cell.bvc && a->cell.is_lost == b->cell.is_lost;
    case MSG_PFC_ADD:
    case MSG_PFC_DEL:
    case MSG_PDP_PFI:
        return a->pfi == b->pfi;
    case MSG_BVC_FLOW:
    case MSG_MS_FLOW:
        return is_same_flow(&a->flow, &b->flow);
    case MSG_PFC_FLOW:
        return a->pfc.pfi == b->pfc.pfi && is_same_flow(&a->pfc.flow, &b->pfc.flow);
    case MSG_MS_DISCARDED:
        return a->discard.octets == b->discard.octets && a->discard.ms == b->discard.ms &&
               a->discard.bvc == b->discard.bvc && a->discard.pfi == b->discard.pfi;
    case MSG_MS_FLUSHED:
        return a->flush.octets == b->flush.octets && a->flush.ms == b->flush.ms &&
               a->flush.from == b->flush.from && a->flush.to == b->flush.to;
    default:
        return true;
    }
}

TEST(becomes_a_request)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        struct msg got;
        const struct msg *want = &rows[i].msg;
        open(&rig);
        intent_rig_emit(&rig.core, rows[i].intent);
        assert_true(msg_take(rig.rings.to_worker, &got));
        if (got.type != want->type || got.slot != want->slot || got.nse != want->nse ||
            !is_same_rest(&got, want))
            fail_msg("row %zu: type %u slot %u nse %u", i, got.type, got.slot, got.nse);
        assert_false(msg_take(rig.rings.to_worker, &got));
        close(&rig);
    }
}

static const char nsvc_beyond[] =
    "{ op = 'nsvc_add', nsvc = 8, nsei = 101, own_address = '10.0.0.1', address = '10.0.0.2', own_port = 1, "
    "udp_port = 1, weight = 1 }";

/* An NSEI or BVCI that the configuration does not have, or has no longer; a slot beyond its table; a value
 * that the message cannot hold. */
static const char *const wrong_intents[] = {
    "{ op = 'nse_del', nsei = 103 }",
    "{ op = 'bvc_reset', nsei = 102, bvci = 1235 }",
    "{ op = 'bvc_state', nsei = 103, bvci = 1234, usable = true }",
    "{ op = 'bvc_flow', nsei = -1, bvci = 1234 }",
    "{ op = 'ms_suspend', nsei = 103, tlli = 9, suspended = true }",
    "{ op = 'ms_flushed', nsei = 103, bvci = 1234, tlli = 9, octets = 77 }",
    "{ op = 'page_end', nsei = 'x', tlli = {} }",
    /* slots beyond their tables, and absent ones */
    "{ op = 'nsvc_state', nsvc = 8, usable = true }",
    "{ op = 'nsvc_state', nsvc = 0x100000000, usable = true }",
    "{ op = 'nsvc_state', usable = true }",
    nsvc_beyond,
    "{ op = 'nsvc_del', nsvc = 4294967295 }",
    "{ op = 'send', nsvc = -1, octets = 'x' }",
    "{ op = 'ms_n201', mobile = 64, octets = 500 }",
    "{ op = 'ms_llc_reset' }",
    "{ op = 'ms_llc_await', mobile = 64 }",
    "{ op = 'pdp_pfi', pdp = 71, pfi = 8 }",
    "{ op = 'pdp_pfi', pdp = '7', pfi = 8 }",
    "{ op = 'gn_echo', path = 0, seq = 1 }",
    "{ op = 'lose', path = 0 }",
    /* numbers that the member cannot hold, values of another type */
    "{ op = 'nsvc_weight', nsvc = 7, weight = 256 }",
    "{ op = 'nsvc_weight', nsvc = 7, weight = 1.5 }",
    "{ op = 'nsvc_state', nsvc = 7, usable = 1 }",
    "{ op = 'bvc_flow', nsei = 101, bvci = 1234, bucket_octets = -1, rate_bps = 2 }",
    "{ op = 'bvc_flow', nsei = 101, bvci = 1234, ratio_percent = 0x80000000 }",
    "{ op = 'pfc_add', nsei = 101, bvci = 1234, tlli = 9, pfi = 264 }",
    "{ op = 'ms_defaults', nsei = 101, tlli = 9 }", /* no intent: the worker ends Th */
    "{ op = 'ms_flow', nsei = 101, tlli = 0x1c0000001, bucket_octets = 1, rate_bps = 2 }",
    "{ op = 'ms_elements', nsei = 101, tlli = 9 }",
    "{ op = 'ms_elements', nsei = 101, tlli = 9, elements = 7 }",
    "{ op = 'send', nsvc = 7 }",
    "{ op = 'send', nsvc = 7, octets = 7 }",
    /* the cell of a move */
    "{ op = 'ms_cell', nsei = 101, tlli = 9, nsei_new = 102, bvci_new = 1235 }",
    "{ op = 'ms_cell', nsei = 101, tlli = 9 }",
    "{ op = 'ms_flushed', nsei = 101, bvci = 1235, tlli = 9, octets = 77, nsei_home = 103 }",
    ("{ op = 'ms_flushed', nsei = 101, bvci = 1235, tlli = 9, octets = 77, nsei_new = 103, bvci_new = 1, "
     "nsei_home = 101 }"),
    /* texts */
    "{ op = 'log', text = 'x' }",
    "{ op = 'log', level = 'loud', text = 'x' }",
    "{ op = 'log', level = 'warn' }",
    "{ op = 'log', level = 'warn', text = 'a\\0b' }",
    "{ op = 'class', id = 1, class = 'fast' }",
    "{ op = 'class', id = 1 }",
    "{ op = 'up', id = 1, ggsn_teid = 1, class = 'background' }",
    "{ op = 'down' }",
    /* no intents */
    "{ op = 'no_such_op' }",
    "{ op = {} }",
    "{}",
    "7",
};

#define RIG_TEST(name) TEST_IN(name, struct rig, rig, open(rig), close(rig))

RIG_TEST(refuses_what_is_not_there)
{
    struct msg got;
    for (size_t i = 0; i < COUNT(wrong_intents); i++) {
        intent_rig_emit(&rig->core, wrong_intents[i]);
        if (rig->core.refused != i + 1 || msg_take(rig->rings.to_worker, &got))
            fail_msg("%s: refused %u of %zu", wrong_intents[i], (unsigned)rig->core.refused, i + 1);
    }
    assert_int_equal(rig->core.first_refused, MSG_NSE_DEL);
}

/* RADIO-STATUS. */
RIG_TEST(loses_a_mobile)
{
    struct msg got;
    intent_rig_emit(&rig->core, "{ op = 'ms_lost', nsei = 102, tlli = 0xc0000001 }");
    assert_true(msg_take(rig->rings.to_worker, &got));
    assert_true(got.type == MSG_MS_LOST && got.tlli == 0xc0000001 && got.nse == 1 && got.is_lost);
}

/* A log at level info is for those who asked. */
RIG_TEST(orders_nothing)
{
    struct msg got;
    intent_rig_emit(&rig->core, "{ op = 'log', level = 'info', text = 'x' }");
    assert_false(msg_take(rig->rings.to_worker, &got));
}

/* Cell 1234 of NSE 102 at another worker: each cell's part of what was flushed goes to its own. */
RIG_TEST(flushed_between_workers)
{
    static struct node_config_nse at[] = {{.nsei = 101}, {.nsei = 102, .worker = 1}};
    const struct node_config two = {
        .worker_count = 2, .nses = at, .nse_count = 2, .cells = cells, .cell_count = 3};
    struct msg_rings other;
    struct msg got;
    assert_true(msg_rings_new(&other, "other", RING));
    rig->core.config = &two;
    rig->core.workers = 2;
    rig->core.links[1].rings = &other;
    intent_rig_emit(&rig->core,
                    "{ op = 'ms_flushed', nsei = 101, bvci = 1235, tlli = 9, octets = 77, nsei_new = 102, "
                    "bvci_new = 1234, nsei_home = 102 }");
    assert_true(msg_take(rig->rings.to_worker, &got));
    assert_true(got.type == MSG_MS_FLUSHED && got.flush.octets == 77 && got.flush.from == 1 &&
                got.flush.to == GB_BVC_NONE);
    assert_true(msg_take(other.to_worker, &got));
    assert_true(got.type == MSG_MS_FLUSHED && got.tlli == 9 && got.nse == 1 && got.flush.octets == 77 &&
                got.flush.from == GB_BVC_NONE && got.flush.to == 2);
    assert_false(msg_take(rig->rings.to_worker, &got) || msg_take(other.to_worker, &got));
    msg_rings_free(&other);
}

/* A ring that the worker does not read: the messages beyond the limit are lost and counted, with their mbufs.
 */
RIG_TEST(a_backlog_has_a_limit)
{
    const struct msg msg = {.type = MSG_BVC_RESET};
    struct core_link *link = &rig->core.links[0];
    for (unsigned i = 0; i < RING - 1; i++)
        core_link_put(link, &msg);
    link->cap = link->count = CORE_LINK_MOST; /* as if so many waited */
    for (unsigned i = 0; i < 3; i++)
        core_link_put(link, &msg);
    assert_int_equal(link->lost, 3);
    assert_int_equal(link->count, CORE_LINK_MOST);
    link->cap = link->count = 0;
    core_link_put(link, &msg);
    assert_int_equal(link->lost, 3);
    assert_int_equal(link->count, 1);
    core_link_fini(link);
    link->rings = &rig->rings;
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

/* --- LLC between the worker's rings, which the test holds, and Lua --- */

#define CONFIG  "tests/unit/control/core/llc_node.lua" /* NSE 101, one cell with BVCI 1800, T200 2 s */
#define BUFFERS 63
#define SLOT    4
#define T200_NS (2 * MOMENT_SECOND)

struct llc_rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
};

static void drain(struct llc_rig *rig)
{
    struct msg msg;
    struct rte_ring *const rings[] = {rig->rings.to_worker, rig->rings.to_control};
    for (unsigned i = 0; i < 2; i++)
        while (msg_take(rings[i], &msg))
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
}

static void llc_open(struct llc_rig *rig)
{
    *rig = (struct llc_rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, CONFIG, &rig->config));
    assert_true(msg_rings_new(&rig->rings, "rig", 64));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    struct msg_rings *rings = &rig->rings;
    assert_true(core_init(&rig->core, rig->L, &rig->config, &rings, rig->pool));
    core_start(&rig->core, 0);
    drain(rig);
}

static void llc_close(struct llc_rig *rig)
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
static void expect_frame(struct llc_rig *rig, const uint8_t *frame, size_t octets)
{
    struct msg msg;
    assert_true(msg_take(rig->rings.to_worker, &msg));
    assert_int_equal(msg.type, MSG_LLC_FRAME);
    assert_int_equal(msg.slot, SLOT);
    assert_int_equal(rte_pktmbuf_data_len(msg.mbuf), octets);
    assert_memory_equal(rte_pktmbuf_mtod(msg.mbuf, uint8_t *), frame, octets);
    rte_pktmbuf_free(msg.mbuf);
}

static void expect_order(struct llc_rig *rig, uint16_t type, uint32_t n201_u_octets)
{
    struct msg msg;
    assert_true(msg_take(rig->rings.to_worker, &msg));
    assert_int_equal(msg.type, type);
    assert_int_equal(msg.slot, SLOT);
    assert_int_equal(msg.n201_u_octets, n201_u_octets);
}

static void expect_nothing(struct llc_rig *rig)
{
    struct msg msg;
    assert_false(msg_take(rig->rings.to_worker, &msg));
}

/* The worker hands over a frame of the mobile, and the core takes it. */
static void hear(struct llc_rig *rig, const uint8_t *frame, size_t octets, int64_t now)
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

#define LLC_OPEN_TEST(name) TEST_IN(name, struct llc_rig, rig, llc_open(rig), llc_close(rig))

/* A reset goes when the cell opens, again after T200, and ends with its answer. */
LLC_OPEN_TEST(resets)
{
    core_gb_llc_ms_add(&rig->core, SLOT, 0, &ciphering);
    assert_int_equal(core_step(&rig->core, 0), MOMENT_NEVER);
    expect_nothing(rig);
    core_tell(&rig->core, llc_cell_open, LUA_ARG(core_gb_llc_place(101, 1800)));
    expect_order(rig, MSG_MS_N201, 500);
    expect_order(rig, MSG_MS_LLC_AWAIT, 0);
    expect_frame(rig, reset, sizeof(reset));
    core_tell(&rig->core, llc_cell_open, LUA_ARG(core_gb_llc_place(101, 1800)));
    expect_nothing(rig);
    hear(rig, (const uint8_t[]){0x03, 0xe0}, 2, 1);
    expect_nothing(rig);
    assert_int_equal(core_step(&rig->core, 2), T200_NS);
    assert_int_equal(core_step(&rig->core, T200_NS), T200_NS);
    expect_order(rig, MSG_MS_LLC_AWAIT, 0);
    expect_frame(rig, reset, sizeof(reset));
    assert_int_equal(core_step(&rig->core, T200_NS), 2 * T200_NS);
    hear(rig, reset_answer, sizeof(reset_answer), T200_NS + 1);
    assert_int_equal(core_step(&rig->core, 2 * T200_NS), MOMENT_NEVER);
    expect_nothing(rig);
}

/* A proposal is answered before what it means is ordered. */
LLC_OPEN_TEST(answers)
{
    static const uint8_t xid[] = {0x03, 0xfb, 0x16, 0x05, 0xdc}, answer[] = {0x03, 0xfb, 0x16, 0x03, 0xe8};
    core_gb_llc_ms_add(&rig->core, SLOT, 0, NULL);
    hear(rig, xid, sizeof(xid), 1);
    expect_frame(rig, answer, sizeof(answer));
    expect_order(rig, MSG_MS_N201, 1000);
    expect_nothing(rig);
    core_tell(&rig->core, llc_ms_del, LUA_ARG(SLOT));
    hear(rig, xid, sizeof(xid), 2);
    expect_nothing(rig);
}

static struct msg_compression take_entity(struct llc_rig *rig)
{
    struct msg msg;
    assert_true(msg_take(rig->rings.to_worker, &msg));
    assert_int_equal(msg.type, MSG_MS_COMPRESSION);
    assert_int_equal(msg.slot, SLOT);
    return msg.compression;
}

/* An entity has memory and goes to the worker before the answer; its context takes it along. */
LLC_OPEN_TEST(compresses)
{
    static const uint8_t xid[] = {0x03, 0xfb, 0xac, 0x24, 0x02, 0x07, 0x80,
                                  0x00, 0x04, 0x12, 0x00, 0x20, 0x0f},
                         answer[] = {0x03, 0xfb, 0xac, 0x28, 0x00, 0x01, 0x00,
                                     0x02, 0x05, 0x00, 0x03, 0x00, 0x20, 0x07};
    const struct core_event_context context = {.nsapi = 5, .sapi = 3, .takes_headers = true};
    core_gb_llc_ms_add(&rig->core, SLOT, 0, NULL);
    core_tell(&rig->core, llc_pdp_add, LUA_ARG(SLOT), CORE_RECORD(context, &context));
    hear(rig, xid, sizeof(xid), 1);
    struct msg_compression entity = take_entity(rig);
    assert_non_null(entity.memory);
    assert_int_equal(entity.params.nsapis, 1 << 5);
    assert_int_equal(entity.params.slots, 8);
    assert_int_equal(entity.params.second, 2);
    expect_frame(rig, answer, sizeof(answer));
    compression_pool_return(entity.memory);
    core_tell(&rig->core, llc_pdp_del, LUA_ARG(SLOT), LUA_ARG(5));
    entity = take_entity(rig);
    assert_null(entity.memory);
    assert_int_equal(entity.params.nsapis, 0);
    core_tell(&rig->core, llc_ms_del, LUA_ARG(SLOT));
    expect_nothing(rig);
}

/* A mobile that is deleted takes its timer along. */
LLC_OPEN_TEST(deleted)
{
    core_tell(&rig->core, llc_cell_open, LUA_ARG(core_gb_llc_place(101, 1800)));
    core_gb_llc_ms_add(&rig->core, SLOT, 0, NULL);
    expect_order(rig, MSG_MS_N201, 500);
    expect_order(rig, MSG_MS_LLC_AWAIT, 0);
    expect_frame(rig, reset, 3);
    assert_int_equal(lua_object_next_ns(&rig->core.objects[CORE_OBJECT_llc]), T200_NS);
    core_tell(&rig->core, llc_ms_del, LUA_ARG(SLOT));
    assert_int_equal(lua_object_next_ns(&rig->core.objects[CORE_OBJECT_llc]), MOMENT_NEVER);
    core_step(&rig->core, 2 * T200_NS);
    expect_nothing(rig);
}

/* No buffer for the answer: counted, and the rest goes on. */
LLC_OPEN_TEST(no_buffer)
{
    static const uint8_t xid[] = {0x03, 0xfb, 0x16, 0x05, 0xdc};
    struct rte_mbuf *taken[BUFFERS - 1];
    struct msg msg = {.type = MSG_PUNT_LLC, .slot = SLOT};
    core_gb_llc_ms_add(&rig->core, SLOT, 0, NULL);
    msg.mbuf = rte_pktmbuf_alloc(rig->pool);
    memcpy(rte_pktmbuf_append(msg.mbuf, sizeof(xid)), xid, sizeof(xid));
    assert_int_equal(rte_pktmbuf_alloc_bulk(rig->pool, taken, BUFFERS - 1), 0);
    assert_true(msg_put(rig->rings.to_control, &msg));
    core_step(&rig->core, 1);
    assert_int_equal(rig->core.send_failures, 1);
    expect_order(rig, MSG_MS_N201, 1000);
    rte_pktmbuf_free_bulk(taken, BUFFERS - 1);
}

UNIT_MAIN(start, NULL)
