/* SPDX-License-Identifier: BSD-3-Clause */
/* Where orders about mobiles go, with three workers whose rings the test holds: words are "worker:order". */
#include "control/core/mobility.h"

#include "control/core/core.h"
#include "control/base/eal.h"
#include "dataplane/memory/pool.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define WORKERS  3
#define MESSAGES 256
#define BUFFERS  127
#define TLLI     0xc0000001u
#define WORDS    1024

/* NSE i is at worker i and has the cells 2 i and 2 i + 1. */
static struct node_config_nse nses[] = {
    {.nsei = 100}, {.nsei = 101, .worker = 1}, {.nsei = 102, .worker = 2}};
static struct node_config_cell cells[] = {{.bvci = 2},           {.bvci = 3},
                                          {.nse = 1, .bvci = 2}, {.nse = 1, .bvci = 3},
                                          {.nse = 2, .bvci = 2}, {.nse = 2, .bvci = 3}};

struct rig {
    struct node_config config;
    struct msg_rings rings[WORKERS];
    struct rte_mempool *pool;
    struct core core;
    struct mobility *m;
    char words[WORDS];
};

static void open(struct rig *rig)
{
    static const char *const names[] = {"rig0", "rig1", "rig2"};
    *rig = (struct rig){
        .config = {.worker_count = WORKERS, .nses = nses, .nse_count = 3, .cells = cells, .cell_count = 6}};
    rig->config.limits.mobiles = rig->config.limits.contexts = 8;
    rig->core = (struct core){.config = &rig->config, .workers = WORKERS};
    for (unsigned i = 0; i < WORKERS; i++) {
        assert_true(msg_rings_new(&rig->rings[i], names[i], MESSAGES));
        rig->core.links[i].rings = &rig->rings[i];
    }
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    rig->m = &rig->core.mobility;
    assert_true(mobility_new(rig->m, &rig->core));
}

/* What was ordered since the last call, worker by worker. */
static const char *said(struct rig *rig)
{
    struct msg msg;
    rig->words[0] = '\0';
    for (unsigned i = 0; i < WORKERS; i++) {
        while (msg_take(rig->rings[i].to_worker, &msg)) {
            size_t used = strlen(rig->words);
            snprintf(rig->words + used, WORDS - used, "%s%u:%s", used ? " " : "", i, msg_row(msg.type)->name);
            if (msg.type == MSG_MS_MOVE) {
                used = strlen(rig->words);
                snprintf(rig->words + used, WORDS - used, "(%u,%u)", msg.place.worker, msg.place.bvc);
            }
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
        }
    }
    return rig->words;
}

static void close(struct rig *rig)
{
    said(rig);
    mobility_free(rig->m);
    for (unsigned i = 0; i < WORKERS; i++) {
        core_link_fini(&rig->core.links[i]);
        msg_rings_free(&rig->rings[i]);
    }
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
}

static void answer(struct rig *rig, uint16_t type, uint32_t about, int status)
{
    mobility_answered(rig->m, &(struct msg){.slot = about, .answer = {.type = type, .status = status}});
}

static void add(struct rig *rig, uint32_t mobile, uint16_t cell)
{
    mobility_add(rig->m, mobile, TLLI + mobile, cell);
    mobility_order(rig->m, &(struct msg){.type = MSG_MS_ADD, .slot = mobile});
    mobility_order(rig->m,
                   &(struct msg){.type = MSG_PDP_ADD, .slot = mobile, .pdp = {.ms = mobile, .nsapi = 5}});
}

static void go(struct rig *rig, uint32_t mobile, uint16_t cell)
{
    const struct msg msg = {.type = MSG_MS_CELL,
                            .tlli = TLLI + mobile,
                            .cell = {.bvc = cell},
                            .nse = cells[rig->m->list[mobile].cell].nse};
    mobility_go(rig->m, &msg);
}

static void flow(struct rig *rig, uint32_t mobile, uint16_t nse)
{
    mobility_order(rig->m, &(struct msg){.type = MSG_MS_FLOW, .tlli = TLLI + mobile, .nse = nse});
}

static void pm(struct rig *rig, uint32_t mobile)
{
    mobility_order(rig->m, &(struct msg){.type = MSG_MS_PM, .slot = mobile});
}

static void label(struct rig *rig, uint32_t pdp)
{
    mobility_order(rig->m, &(struct msg){.type = MSG_PDP_PFI, .slot = pdp});
}

/* --- where orders go --- */

TEST(at_home)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 2);
    flow(&rig, 0, 1);
    pm(&rig, 0);
    label(&rig, 0);
    assert_string_equal(said(&rig), "1:ms_add 1:pdp_add 1:ms_flow 1:ms_pm 1:pdp_pfi");
    assert_true(mobility_home(rig.m, 0) == 1 && mobility_server(rig.m, 0) == 1);
    assert_true(mobility_find(rig.m, TLLI) == 0 && mobility_find(rig.m, TLLI + 1) == MOBILITY_NONE);
    go(&rig, 0, 3);
    assert_string_equal(said(&rig), "1:ms_cell");
    close(&rig);
}

/* From home to another worker needs no fence; what is ordered meanwhile follows the mobile, in order. */
TEST(leaves_home)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    said(&rig);
    go(&rig, 0, 2);
    assert_string_equal(said(&rig), "0:ms_move(1,2)");
    flow(&rig, 0, 1);
    label(&rig, 0);
    pm(&rig, 0);
    assert_string_equal(said(&rig), "");
    answer(&rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(&rig), "0:pdp_pfi 1:ms_flow 1:ms_pm");
    assert_true(mobility_home(rig.m, 0) == 0 && mobility_server(rig.m, 0) == 1 && rig.m->moved == 1);
    close(&rig);
}

/* From one server to another, and home: first the fence, at the server. */
TEST(fenced)
{
    static const struct {
        uint16_t cell;
        const char *move;
        unsigned server;
    } rows[] = {{4, "0:ms_move(2,4)", 2},
                {5, "0:ms_move(2,5)", 2},
                {2, "0:ms_move(1,2)", 1},
                {0, "0:ms_move(0,0)", 0}};
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    go(&rig, 0, 3);
    answer(&rig, MSG_MS_MOVE, 0, 0);
    said(&rig);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char fence[16];
        snprintf(fence, sizeof(fence), "%u:fence", mobility_server(rig.m, 0));
        go(&rig, 0, rows[i].cell);
        assert_string_equal(said(&rig), fence);
        answer(&rig, MSG_FENCE, 0, 0);
        assert_string_equal(said(&rig), rows[i].move);
        answer(&rig, MSG_MS_MOVE, 0, 0);
        assert_int_equal(mobility_server(rig.m, 0), rows[i].server);
        assert_string_equal(said(&rig), "");
    }
    go(&rig, 0, 1);
    assert_string_equal(said(&rig), "0:ms_cell");
    close(&rig);
}

/* Moves wait for each other, and orders between them go to where the mobile is then. */
TEST(on_and_on)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    said(&rig);
    go(&rig, 0, 2);
    flow(&rig, 0, 1);
    go(&rig, 0, 4);
    flow(&rig, 0, 2);
    assert_string_equal(said(&rig), "0:ms_move(1,2)");
    answer(&rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(&rig), "1:ms_flow 1:fence");
    answer(&rig, MSG_FENCE, 0, 0);
    assert_string_equal(said(&rig), "0:ms_move(2,4)");
    go(&rig, 0, 5);
    answer(&rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(&rig), "2:ms_flow 2:fence");
    close(&rig);
}

/* --- what fails --- */

/* A worker says that the mobile was heard in an NSE. */
static void prove(struct rig *rig, uint32_t mobile, uint16_t nse)
{
    mobility_heard(rig->m, &(struct msg){.type = MSG_MS_HEARD, .slot = mobile, .heard.nse = nse});
}

/* A refused move leaves the mobile where it was; it is tried again when the mobile is proven to be there. */
TEST(refused)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    assert_false(mobility_is_moving(rig.m, 0));
    go(&rig, 0, 2);
    assert_true(mobility_is_moving(rig.m, 0));
    said(&rig);
    pm(&rig, 0);
    answer(&rig, MSG_MS_MOVE, 0, -1);
    assert_string_equal(said(&rig), "0:ms_pm");
    assert_false(mobility_is_moving(rig.m, 0));
    assert_true(mobility_server(rig.m, 0) == 0 && rig.m->refused == 1 && rig.m->moved == 0);
    prove(&rig, 0, 2);
    prove(&rig, 1, 1);
    prove(&rig, UINT32_MAX, 1);
    assert_string_equal(said(&rig), "");
    prove(&rig, 0, 1);
    assert_string_equal(said(&rig), "0:ms_move(1,2)");
    prove(&rig, 0, 1);
    assert_string_equal(said(&rig), "");
    answer(&rig, MSG_MS_MOVE, 0, 0);
    assert_true(mobility_server(rig.m, 0) == 1 && rig.m->moved == 1);
    close(&rig);
}

/* --- frames --- */

static void hear(struct rig *rig, uint32_t mobile, uint16_t nse)
{
    mobility_frame(rig->m, mobile, &(struct msg){.nse = nse, .mbuf = rte_pktmbuf_alloc(rig->pool)});
}

/* A frame of another NSE goes to the worker that has the mobile, which stays where it is. */
TEST(frames_follow)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    said(&rig);
    hear(&rig, 0, 1);
    assert_string_equal(said(&rig), "0:uplink");
    rig.m->frames_kept = 0;
    go(&rig, 0, 2);
    said(&rig);
    for (unsigned i = 0; i < MOBILITY_FRAMES + 3; i++)
        hear(&rig, 0, 1);
    assert_true(rig.m->frames_kept == MOBILITY_FRAMES && rig.m->frames_dropped == 3);
    hear(&rig, MOBILITY_NONE, 1);
    assert_int_equal(rig.m->unknown_tlli, 1);
    answer(&rig, MSG_MS_MOVE, 0, 0);
    assert_int_equal(strlen(said(&rig)), MOBILITY_FRAMES * strlen("1:uplink ") - 1);
    hear(&rig, 0, 1);
    assert_string_equal(said(&rig), "1:uplink");
    close(&rig);
}

/* What waits is freed with everything else: close() counts the buffers. */
TEST(ends_on_the_way)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    go(&rig, 0, 2);
    hear(&rig, 0, 1);
    pm(&rig, 0);
    close(&rig);
}

/* --- ends --- */

/* A slot is free when its end was answered, not before; of a mobile on the move, that is after the move. */
TEST(slots)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    go(&rig, 0, 2);
    said(&rig);
    mobility_order(rig.m, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    mobility_del(rig.m, 0);
    assert_string_equal(said(&rig), "");
    assert_int_equal(mobility_find(rig.m, TLLI), MOBILITY_NONE);
    assert_false(mobility_is_free(rig.m, 0) || mobility_is_pdp_free(rig.m, 0));
    answer(&rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(&rig), "0:pdp_del 0:ms_del");
    answer(&rig, MSG_PDP_DEL, 0, 0);
    assert_true(!mobility_is_free(rig.m, 0) && mobility_is_pdp_free(rig.m, 0));
    answer(&rig, MSG_MS_DEL, 0, 0);
    assert_true(mobility_is_free(rig.m, 0));
    add(&rig, 0, 4);
    assert_string_equal(said(&rig), "2:ms_add 2:pdp_add");
    close(&rig);
}

/* A context that was added and deleted during a move keeps its slot until the end was answered. */
TEST(short_lived_context)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    go(&rig, 0, 2);
    mobility_order(rig.m, &(struct msg){.type = MSG_PDP_ADD, .slot = 3, .pdp = {.nsapi = 7}});
    mobility_order(rig.m, &(struct msg){.type = MSG_PDP_DEL, .slot = 3});
    said(&rig);
    answer(&rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(&rig), "0:pdp_add 0:pdp_del");
    assert_false(mobility_is_pdp_free(rig.m, 3));
    answer(&rig, MSG_PDP_DEL, 3, 0);
    assert_true(mobility_is_pdp_free(rig.m, 3));
    close(&rig);
}

/* Of which contexts a move tells the slots: those that the home has by then. */
TEST(contexts_of_a_move)
{
    struct rig rig;
    struct msg msg;
    open(&rig);
    add(&rig, 0, 0);
    mobility_order(rig.m, &(struct msg){.type = MSG_PDP_ADD, .slot = 3, .pdp = {.nsapi = 7}});
    go(&rig, 0, 2);
    mobility_order(rig.m, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    for (unsigned i = 0; i < 4; i++)
        assert_true(msg_take(rig.rings[0].to_worker, &msg));
    assert_true(msg.type == MSG_MS_MOVE && msg.place.ms == 0 && msg.place.pdps[0] == 0 &&
                msg.place.pdps[2] == 3 && msg.place.pdps[1] == MS_PDP_NONE);
    answer(&rig, MSG_MS_MOVE, 0, 0);
    go(&rig, 0, 4);
    answer(&rig, MSG_FENCE, 0, 0);
    for (unsigned i = 0; i < 2; i++)
        assert_true(msg_take(rig.rings[0].to_worker, &msg));
    assert_true(msg.type == MSG_MS_MOVE && msg.place.pdps[0] == MS_PDP_NONE && msg.place.pdps[2] == 3);
    close(&rig);
}

/* Where the control plane has a mobile decides whether a worker's word is late. */
TEST(late_words)
{
    struct rig rig;
    open(&rig);
    add(&rig, 0, 0);
    assert_true(mobility_is_in_nse(rig.m, 0, 0) && !mobility_is_in_nse(rig.m, 0, 1));
    go(&rig, 0, 2);
    assert_true(!mobility_is_in_nse(rig.m, 0, 0) && mobility_is_in_nse(rig.m, 0, 1));
    assert_false(mobility_is_in_nse(rig.m, 8, 0));
    close(&rig);
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
