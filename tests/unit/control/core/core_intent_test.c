/* SPDX-License-Identifier: BSD-3-Clause */
/* Each intent about a cell or a mobile becomes one request, with indices in place of NSEIs and BVCIs. */
#include "control/core/core_intent.h"

#include "control/core/core.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define RING 16

/* NSE 101 with cells 1234 and 1235, NSE 102 with cell 1234. */
static struct node_config_nse nses[] = {{.nsei = 101}, {.nsei = 102}};
static struct node_config_cell cells[] = {
    {.nse = 0, .bvci = 1234}, {.nse = 0, .bvci = 1235}, {.nse = 1, .bvci = 1234}};
static const struct node_config config = {.nses = nses, .nse_count = 2, .cells = cells, .cell_count = 3};

struct rig {
    struct msg_rings rings;
    struct core core;
};

static void open(struct rig *rig)
{
    *rig = (struct rig){.core = {.config = &config, .workers = 1, .links = {{.rings = &rig->rings}}}};
    rig->core.mobility.core = &rig->core;
    assert_true(msg_rings_new(&rig->rings, "rig", RING));
}

static void close(struct rig *rig)
{
    msg_rings_free(&rig->rings);
}

struct row {
    struct lua_gb_intent intent;
    struct msg msg;
};

static const struct row rows[] = {
    {{LUA_GB_MS_ELEMENTS, .nsei = 102, .tlli = 9, .elements = {1, 2, {3, 4, 5}}},
     {.type = MSG_MS_ELEMENTS, .tlli = 9, .nse = 1, .elements = {1, 2, {3, 4, 5}}}},
    {{LUA_GB_NSVC_STATE, .nsvc = 7, .is_usable = true}, {.type = MSG_NSVC_USE, .slot = 7, .is_usable = true}},
    {{LUA_GB_BVC_RESET, .nsei = 101, .bvci = 1235}, {.type = MSG_BVC_RESET, .slot = 1}},
    {{LUA_GB_BVC_STATE, .nsei = 102, .bvci = 1234, .is_usable = true},
     {.type = MSG_BVC_UNBLOCK, .slot = 2, .is_unblocked = true}},
    {{LUA_GB_BVC_FLOW, .nsei = 102, .bvci = 1234, .bucket_octets = 1, .rate_bps = 2, .ms_bucket_octets = 3,
      .ms_rate_bps = 4, .ratio_percent = 5, .measurement_cs = 6},
     {.type = MSG_BVC_FLOW, .slot = 2, .flow = {1, 2, 3, 4, 5, 6, true}}},
    {{LUA_GB_BVC_FLOW, .nsei = 101, .bvci = 1234, .ratio_percent = -1, .measurement_cs = -1},
     {.type = MSG_BVC_FLOW, .slot = 0, .flow = {.ratio_percent = -1, .delay_cs = UINT16_MAX}}},
    {{LUA_GB_MS_FLOW, .nsei = 102, .bvci = 1234, .tlli = 9, .pfi = N_PDU_NO_PFI, .bucket_octets = 1,
      .rate_bps = 2, .ratio_percent = 3, .measurement_cs = -1},
     {.type = MSG_MS_FLOW, .tlli = 9, .nse = 1, .flow = {1, 2, .ratio_percent = 3, .delay_cs = UINT16_MAX}}},
    {{LUA_GB_PFC_FLOW, .nsei = 102, .bvci = 1234, .tlli = 9, .pfi = 8, .bucket_octets = 1, .rate_bps = 2,
      .ratio_percent = -1, .measurement_cs = -1},
     {.type = MSG_PFC_FLOW,
      .tlli = 9,
      .nse = 1,
      .pfc = {.pfi = 8, .flow = {1, 2, .ratio_percent = -1, .delay_cs = UINT16_MAX}}}},
    {{LUA_GB_PFC_ADD, .nsei = 101, .tlli = 9, .pfi = 8}, {.type = MSG_PFC_ADD, .tlli = 9, .pfi = 8}},
    {{LUA_GB_PFC_DEL, .nsei = 101, .tlli = 9, .pfi = 8}, {.type = MSG_PFC_DEL, .tlli = 9, .pfi = 8}},
    {{LUA_GB_PDP_PFI, .pdp = 70, .pfi = 8}, {.type = MSG_PDP_PFI, .slot = 70, .pfi = 8}},
    {{LUA_GB_PDP_PFI, .pdp = 70, .pfi = N_PDU_NO_PFI},
     {.type = MSG_PDP_PFI, .slot = 70, .pfi = N_PDU_NO_PFI}},
    {{LUA_GB_DISCARDED, .nsei = 102, .bvci = 1234, .tlli = 9, .pfi = 8, .octets = 77},
     {.type = MSG_MS_DISCARDED, .tlli = 9, .nse = 1, .discard = {77, MS_NONE, 2, 8}}},
    {{LUA_GB_FLUSHED, .nsei = 101, .bvci = 1235, .tlli = 9, .octets = 77, .nsei_new = 102, .bvci_new = 1234,
      .nsei_home = 102},
     {.type = MSG_MS_FLUSHED, .tlli = 9, .nse = 1, .flush = {77, MS_NONE, 1, 2}}},
    {{LUA_GB_FLUSHED, .nsei = 101, .bvci = 1235, .tlli = 9, .octets = 77, .nsei_home = 101},
     {.type = MSG_MS_FLUSHED, .tlli = 9, .nse = 0, .flush = {77, MS_NONE, 1, GB_BVC_NONE}}},
    {{LUA_GB_MS_SUSPEND, .nsei = 102, .tlli = 9},
     {.type = MSG_MS_SUSPEND, .tlli = 9, .nse = 1, .is_suspended = true}},
    {{LUA_GB_MS_RESUME, .nsei = 102, .tlli = 9}, {.type = MSG_MS_SUSPEND, .tlli = 9, .nse = 1}},
    {{LUA_GB_MS_LOST, .nsei = 101, .tlli = 9}, {.type = MSG_MS_LOST, .tlli = 9, .is_lost = true}},
    {{LUA_GB_MS_MOVE, .nsei = 101, .bvci = 1235, .tlli = 9, .nsei_new = 102, .bvci_new = 1234},
     {.type = MSG_MS_CELL, .tlli = 9, .nse = 0, .cell = {.bvc = 2}}},
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
    case MSG_NSVC_USE:
        return a->is_usable == b->is_usable;
    case MSG_BVC_UNBLOCK:
        return a->is_unblocked == b->is_unblocked;
    case MSG_MS_SUSPEND:
        return a->is_suspended == b->is_suspended;
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

static void becomes_a_request(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rig rig;
        struct msg got;
        const struct msg *want = &rows[i].msg;
        open(&rig);
        core_intent_apply(&rig.core, &rows[i].intent);
        assert_true(msg_take(rig.rings.to_worker, &got));
        if (got.type != want->type || got.slot != want->slot || got.nse != want->nse ||
            !is_same_rest(&got, want))
            fail_msg("row %zu: type %u slot %u nse %u", i, got.type, got.slot, got.nse);
        assert_false(msg_take(rig.rings.to_worker, &got));
        close(&rig);
    }
}

static bool find_imsi(void *arg, const char *imsi, uint32_t *tlli)
{
    *tlli = *(uint32_t *)arg;
    return strcmp(imsi, "001010000000001") == 0;
}

/* RADIO-STATUS by IMSI: whoever knows mobiles is asked; of an unknown one nothing is ordered. */
static void finds_an_imsi(void **state)
{
    struct rig rig;
    struct msg got;
    uint32_t tlli = 0xc0000001;
    struct lua_gb_intent intent = {LUA_GB_MS_LOST, .nsei = 102, .imsi = "001010000000001"};
    open(&rig);
    core_intent_apply(&rig.core, &intent);
    assert_false(msg_take(rig.rings.to_worker, &got));
    rig.core.mobiles = (struct core_mobiles){.arg = &tlli, .tlli_of_imsi = find_imsi};
    core_intent_apply(&rig.core, &intent);
    assert_true(msg_take(rig.rings.to_worker, &got));
    assert_true(got.type == MSG_MS_LOST && got.tlli == tlli && got.nse == 1 && got.is_lost);
    intent.imsi = "001010000000002";
    core_intent_apply(&rig.core, &intent);
    assert_false(msg_take(rig.rings.to_worker, &got));
    close(&rig);
}

/* A log at level info is for those who asked. */
static void orders_nothing(void **state)
{
    struct rig rig;
    struct msg got;
    struct lua_gb_intent log = {LUA_GB_LOG, .level = "info", .text = "x"};
    open(&rig);
    core_intent_apply(&rig.core, &log);
    assert_false(msg_take(rig.rings.to_worker, &got));
    close(&rig);
}

/* Cell 1234 of NSE 102 at another worker: each cell's part of what was flushed goes to its own. */
static void flushed_between_workers(void **state)
{
    static struct node_config_nse at[] = {{.nsei = 101}, {.nsei = 102, .worker = 1}};
    const struct node_config two = {
        .worker_count = 2, .nses = at, .nse_count = 2, .cells = cells, .cell_count = 3};
    const struct lua_gb_intent intent = {LUA_GB_FLUSHED, .nsei = 101,     .bvci = 1235,     .tlli = 9,
                                         .octets = 77,   .nsei_new = 102, .bvci_new = 1234, .nsei_home = 102};
    struct rig rig;
    struct msg_rings other;
    struct msg got;
    open(&rig);
    assert_true(msg_rings_new(&other, "other", RING));
    rig.core.config = &two;
    rig.core.workers = 2;
    rig.core.links[1].rings = &other;
    core_intent_apply(&rig.core, &intent);
    assert_true(msg_take(rig.rings.to_worker, &got));
    assert_true(got.type == MSG_MS_FLUSHED && got.flush.octets == 77 && got.flush.from == 1 &&
                got.flush.to == GB_BVC_NONE);
    assert_true(msg_take(other.to_worker, &got));
    assert_true(got.type == MSG_MS_FLUSHED && got.tlli == 9 && got.nse == 1 && got.flush.octets == 77 &&
                got.flush.from == GB_BVC_NONE && got.flush.to == 2);
    assert_false(msg_take(rig.rings.to_worker, &got) || msg_take(other.to_worker, &got));
    msg_rings_free(&other);
    close(&rig);
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(becomes_a_request),
        cmocka_unit_test(flushed_between_workers),
        cmocka_unit_test(finds_an_imsi),
        cmocka_unit_test(orders_nothing),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
