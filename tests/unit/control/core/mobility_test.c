/* SPDX-License-Identifier: BSD-3-Clause */
/* Where orders about mobiles go, with three workers whose rings the test holds: words are "worker:order". */
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/core/mobility.h"
#include "control/sessions/sessions.h"
#include "dataplane/memory/pool.h"

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
    core_order(rig->m->core, &(struct msg){.type = MSG_MS_ADD, .slot = mobile});
    core_order(rig->m->core,
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
    core_order(rig->m->core, &(struct msg){.type = MSG_MS_FLOW, .tlli = TLLI + mobile, .nse = nse});
}

static void pm(struct rig *rig, uint32_t mobile)
{
    core_order(rig->m->core, &(struct msg){.type = MSG_MS_PM, .slot = mobile});
}

static void label(struct rig *rig, uint32_t pdp)
{
    core_order(rig->m->core, &(struct msg){.type = MSG_PDP_PFI, .slot = pdp});
}

/* --- where orders go --- */

#define RIG_TEST(name) TEST_IN(name, struct rig, rig, open(rig), close(rig))

/* Of two mobiles with one TLLI the first is found by it until it gives it up; the same rows as those of
 * tests/unit/lua/mobile_book_spec.lua: what is done, and the slots that TLLIs a, b and c are found at. */
TEST(one_tlli)
{
    static const struct {
        const char *steps;
        int found[3]; /* -1: none */
    } rows[] = {
        {"+0a+1a", {0, -1, -1}},     {"+0a+1a=1b", {0, 1, -1}},       {"+0a+1a=0b", {-1, 0, -1}},
        {"+0a+1a-0 ", {-1, -1, -1}}, {"+0a+1a-0 =1c", {-1, -1, 1}},   {"+0a+1a-1 ", {0, -1, -1}},
        {"+0a+1b=1a", {0, -1, -1}},  {"+0a+1b=1a=0c=1b", {-1, 1, 0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        open(&rig);
        for (const char *step = rows[i].steps; *step; step += 3) {
            uint32_t slot = (uint32_t)(step[1] - '0'), tlli = (uint32_t)step[2];
            if (step[0] == '+')
                mobility_add(rig.m, slot, tlli, 0);
            else if (step[0] == '=')
                mobility_rename(rig.m, slot, tlli);
            else
                mobility_del(rig.m, slot);
        }
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal((int)mobility_find(rig.m, 'a' + k), rows[i].found[k]);
        (void)said(&rig);
        close(&rig);
    }
}

RIG_TEST(at_home)
{
    add(rig, 0, 2);
    flow(rig, 0, 1);
    pm(rig, 0);
    label(rig, 0);
    assert_string_equal(said(rig), "1:ms_add 1:pdp_add 1:ms_flow 1:ms_pm 1:pdp_pfi");
    assert_true(mobility_home(rig->m, 0) == 1 && mobility_server(rig->m, 0) == 1);
    assert_true(mobility_find(rig->m, TLLI) == 0 && mobility_find(rig->m, TLLI + 1) == MOBILITY_NONE);
    go(rig, 0, 3);
    assert_string_equal(said(rig), "1:ms_cell");
}

/* From home to another worker needs no fence; what is ordered meanwhile follows the mobile, in order. */
RIG_TEST(leaves_home)
{
    add(rig, 0, 0);
    said(rig);
    go(rig, 0, 2);
    assert_string_equal(said(rig), "0:ms_move(1,2)");
    flow(rig, 0, 1);
    label(rig, 0);
    pm(rig, 0);
    assert_string_equal(said(rig), "");
    answer(rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(rig), "0:pdp_pfi 1:ms_flow 1:ms_pm");
    assert_true(mobility_home(rig->m, 0) == 0 && mobility_server(rig->m, 0) == 1 && rig->m->moved == 1);
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
    for (size_t i = 0; i < COUNT(rows); i++) {
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
RIG_TEST(on_and_on)
{
    add(rig, 0, 0);
    said(rig);
    go(rig, 0, 2);
    flow(rig, 0, 1);
    go(rig, 0, 4);
    flow(rig, 0, 2);
    assert_string_equal(said(rig), "0:ms_move(1,2)");
    answer(rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(rig), "1:ms_flow 1:fence");
    answer(rig, MSG_FENCE, 0, 0);
    assert_string_equal(said(rig), "0:ms_move(2,4)");
    go(rig, 0, 5);
    answer(rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(rig), "2:ms_flow 2:fence");
}

/* --- what fails --- */

/* A worker says that the mobile was heard in an NSE. */
static void prove(struct rig *rig, uint32_t mobile, uint16_t nse)
{
    mobility_heard(rig->m, &(struct msg){.type = MSG_MS_HEARD, .slot = mobile, .heard.nse = nse});
}

/* A refused move leaves the mobile where it was; it is tried again when the mobile is proven to be there. */
RIG_TEST(refused)
{
    add(rig, 0, 0);
    assert_false(mobility_is_moving(rig->m, 0));
    go(rig, 0, 2);
    assert_true(mobility_is_moving(rig->m, 0));
    said(rig);
    pm(rig, 0);
    answer(rig, MSG_MS_MOVE, 0, -1);
    assert_string_equal(said(rig), "0:ms_pm");
    assert_false(mobility_is_moving(rig->m, 0));
    assert_true(mobility_server(rig->m, 0) == 0 && rig->m->refused == 1 && rig->m->moved == 0);
    prove(rig, 0, 2);
    prove(rig, 1, 1);
    prove(rig, UINT32_MAX, 1);
    assert_string_equal(said(rig), "");
    prove(rig, 0, 1);
    assert_string_equal(said(rig), "0:ms_move(1,2)");
    prove(rig, 0, 1);
    assert_string_equal(said(rig), "");
    answer(rig, MSG_MS_MOVE, 0, 0);
    assert_true(mobility_server(rig->m, 0) == 1 && rig->m->moved == 1);
}

/* --- frames --- */

static void hear(struct rig *rig, uint32_t mobile, uint16_t nse)
{
    mobility_frame(rig->m, mobile, &(struct msg){.nse = nse, .mbuf = rte_pktmbuf_alloc(rig->pool)});
}

/* A frame of another NSE goes to the worker that has the mobile, which stays where it is. */
RIG_TEST(frames_follow)
{
    add(rig, 0, 0);
    said(rig);
    hear(rig, 0, 1);
    assert_string_equal(said(rig), "0:uplink");
    rig->m->frames_kept = 0;
    go(rig, 0, 2);
    said(rig);
    for (unsigned i = 0; i < MOBILITY_FRAMES + 3; i++)
        hear(rig, 0, 1);
    assert_true(rig->m->frames_kept == MOBILITY_FRAMES && rig->m->frames_dropped == 3);
    hear(rig, MOBILITY_NONE, 1);
    assert_int_equal(rig->m->unknown_tlli, 1);
    answer(rig, MSG_MS_MOVE, 0, 0);
    assert_int_equal(strlen(said(rig)), MOBILITY_FRAMES * strlen("1:uplink ") - 1);
    hear(rig, 0, 1);
    assert_string_equal(said(rig), "1:uplink");
}

/* What waits is freed with everything else: close() counts the buffers. */
RIG_TEST(ends_on_the_way)
{
    add(rig, 0, 0);
    go(rig, 0, 2);
    hear(rig, 0, 1);
    pm(rig, 0);
}

/* --- ends --- */

/* A slot is free when its end was answered, not before; of a mobile on the move, that is after the move. */
RIG_TEST(slots)
{
    add(rig, 0, 0);
    go(rig, 0, 2);
    said(rig);
    core_order(rig->m->core, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    mobility_del(rig->m, 0);
    assert_string_equal(said(rig), "");
    assert_int_equal(mobility_find(rig->m, TLLI), MOBILITY_NONE);
    assert_false(mobility_is_free(rig->m, 0) || mobility_is_pdp_free(rig->m, 0));
    answer(rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(rig), "0:pdp_del 0:ms_del");
    answer(rig, MSG_PDP_DEL, 0, 0);
    assert_true(!mobility_is_free(rig->m, 0) && mobility_is_pdp_free(rig->m, 0));
    answer(rig, MSG_MS_DEL, 0, 0);
    assert_true(mobility_is_free(rig->m, 0));
    add(rig, 0, 4);
    assert_string_equal(said(rig), "2:ms_add 2:pdp_add");
}

/* A context that was added and deleted during a move keeps its slot until the end was answered. */
RIG_TEST(short_lived_context)
{
    add(rig, 0, 0);
    go(rig, 0, 2);
    core_order(rig->m->core, &(struct msg){.type = MSG_PDP_ADD, .slot = 3, .pdp = {.nsapi = 7}});
    core_order(rig->m->core, &(struct msg){.type = MSG_PDP_DEL, .slot = 3});
    said(rig);
    answer(rig, MSG_MS_MOVE, 0, 0);
    assert_string_equal(said(rig), "0:pdp_add 0:pdp_del");
    assert_false(mobility_is_pdp_free(rig->m, 3));
    answer(rig, MSG_PDP_DEL, 3, 0);
    assert_true(mobility_is_pdp_free(rig->m, 3));
}

/* Of which contexts a move tells the slots: those that the home has by then. */
RIG_TEST(contexts_of_a_move)
{
    struct msg msg;
    add(rig, 0, 0);
    core_order(rig->m->core, &(struct msg){.type = MSG_PDP_ADD, .slot = 3, .pdp = {.nsapi = 7}});
    go(rig, 0, 2);
    core_order(rig->m->core, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    for (unsigned i = 0; i < 4; i++)
        assert_true(msg_take(rig->rings[0].to_worker, &msg));
    assert_true(msg.type == MSG_MS_MOVE && msg.place.ms == 0 && msg.place.pdps[0] == 0 &&
                msg.place.pdps[2] == 3 && msg.place.pdps[1] == MS_PDP_NONE);
    answer(rig, MSG_MS_MOVE, 0, 0);
    go(rig, 0, 4);
    answer(rig, MSG_FENCE, 0, 0);
    for (unsigned i = 0; i < 2; i++)
        assert_true(msg_take(rig->rings[0].to_worker, &msg));
    assert_true(msg.type == MSG_MS_MOVE && msg.place.pdps[0] == MS_PDP_NONE && msg.place.pdps[2] == 3);
}

/* Where the control plane has a mobile decides whether a worker's word is late. */
RIG_TEST(late_words)
{
    add(rig, 0, 0);
    assert_true(mobility_is_in_nse(rig->m, 0, 0) && !mobility_is_in_nse(rig->m, 0, 1));
    go(rig, 0, 2);
    assert_true(!mobility_is_in_nse(rig->m, 0, 0) && mobility_is_in_nse(rig->m, 0, 1));
    assert_false(mobility_is_in_nse(rig->m, 8, 0));
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

/* What workers are told of tunnels that are not theirs, and which TEIDs are given out; three workers, whose
 * rings the test holds. Cell i is of NSE i, at worker i. */

#define SGSN_IP 0x0a000001u
#define FOREIGN 7u

static struct node_config_nse teid_nses[] = {
    {.nsei = 100}, {.nsei = 101, .worker = 1}, {.nsei = 102, .worker = 2}};
static struct node_config_cell teid_cells[] = {{.bvci = 2}, {.nse = 1, .bvci = 2}, {.nse = 2, .bvci = 2}};
static uint16_t homes[] = {0, 1, 2};

struct teid_rig {
    struct node_config config;
    struct msg_rings rings[WORKERS];
    struct core core;
    struct sessions sessions;
    uint32_t teid; /* as last ordered */
    char words[WORDS];
};

static void teid_open(struct teid_rig *rig, unsigned workers)
{
    static const char *const names[] = {"rig0", "rig1", "rig2"};
    *rig = (struct teid_rig){.config =
                                 ROW(.worker_count = workers, .nses = teid_nses, .nse_count = 3,
                                     .cells = teid_cells, .cell_count = 3, .homes = homes, .home_count = 3)};
    rig->config.limits.mobiles = rig->config.limits.contexts = 8;
    rig->core = (struct core){.config = &rig->config, .workers = workers};
    for (unsigned i = 0; i < WORKERS; i++) {
        assert_true(msg_rings_new(&rig->rings[i], names[i], MESSAGES));
        rig->core.links[i].rings = &rig->rings[i];
    }
    assert_true(mobility_new(&rig->core.mobility, &rig->core));
    assert_true(sessions_new(&rig->sessions, &rig->core));
}

static void teid_close(struct teid_rig *rig)
{
    sessions_free(&rig->sessions);
    mobility_free(&rig->core.mobility);
    for (unsigned i = 0; i < WORKERS; i++)
        msg_rings_free(&rig->rings[i]);
}

static void put_word(struct teid_rig *rig, unsigned worker, const struct msg *msg)
{
    size_t used = strlen(rig->words);
    char *end = rig->words + used;
    const char *space = used ? " " : "",
               *sign =
                   (msg->type == MSG_GN_ADDRESS ? msg->address.is_there : msg->tunnel.is_there) ? "+" : "-";
    if (msg->type == MSG_GN_ADDRESS)
        snprintf(end, WORDS - used, "%s%u:address%s%u", space, worker, sign, msg->address.ip & 255);
    else if (msg->type == MSG_TUNNEL_AT)
        snprintf(end, WORDS - used, "%s%u:tunnel%s%u@%u", space, worker, sign, msg->tunnel.teid,
                 msg->tunnel.worker);
    else if (msg->type == MSG_PDP_ADD)
        rig->teid = msg->pdp.teid;
}

/* What was told since the last call, of addresses and tunnels, worker by worker. */
static const char *told(struct teid_rig *rig)
{
    struct msg msg;
    rig->words[0] = '\0';
    for (unsigned i = 0; i < WORKERS; i++)
        while (msg_take(rig->rings[i].to_worker, &msg))
            put_word(rig, i, &msg);
    return rig->words;
}

/* The n-th mobile has its home at worker n - 1. */
static struct session *teid_add(struct teid_rig *rig, const char *imsi, uint32_t teid)
{
    const struct session params = {.sgsn_ip = SGSN_IP,
                                   .teid = teid,
                                   .is_teid_given = teid == 0,
                                   .ggsn_ip = 0x0a000002,
                                   .ggsn_teid = 1000 + rig->sessions.count,
                                   .nsapi = 5,
                                   .gtp_nsapi = 5};
    assert_true(sessions_add(&rig->sessions, imsi, &params));
    return &rig->sessions.list[rig->sessions.count - 1];
}

#define TEID_OPEN_TEST(name) TEST_IN(name, struct teid_rig, rig, teid_open(rig, WORKERS), teid_close(rig))

TEID_OPEN_TEST(foreign_teids_are_told)
{
    teid_add(rig, "1", FOREIGN);
    assert_string_equal(told(rig), "0:address+1 1:address+1 1:tunnel+7@0 2:address+1 2:tunnel+7@0");
    teid_add(rig, "2", FOREIGN + 1);
    assert_string_equal(told(rig), "0:tunnel+8@1 2:tunnel+8@1");
    sessions_end(&rig->sessions, &rig->sessions.list[0]);
    assert_string_equal(told(rig), "1:tunnel-7@0 2:tunnel-7@0");
    sessions_end(&rig->sessions, &rig->sessions.list[1]);
    assert_string_equal(told(rig), "0:address-1 0:tunnel-8@1 1:address-1 2:address-1 2:tunnel-8@1");
}

/* Ours say it themselves: worker and slot, with a generation for each worker's slot. */
TEID_OPEN_TEST(given_teids_name_the_home)
{
    for (unsigned i = 0; i < WORKERS; i++) {
        char imsi[] = {(char)('1' + i), 0};
        const struct session *session = teid_add(rig, imsi, 0);
        assert_int_equal(session->teid, teid_make(i, 1, i, TEID_SLOT_BITS));
        assert_int_equal(session->home, i);
        told(rig);
        assert_int_equal(rig->teid, session->teid);
        assert_ptr_equal(sessions_of(&rig->sessions, i, i, 1), session);
        assert_null(sessions_of(&rig->sessions, i, i, 2));
        assert_ptr_equal(sessions_of(&rig->sessions, (i + 1) % WORKERS, i, 77), session);
    }
    teid_add(rig, "1", FOREIGN);
    assert_string_equal(told(rig), "1:tunnel+7@0 2:tunnel+7@0");
}

/* What others chose may look like one of any worker that there is. */
TEST(lookalikes)
{
    static const struct {
        unsigned workers;
        uint32_t teid;
        bool is_one;
    } rows[] = {{1, 0x00100000, true},  {1, 0x10100000, false}, {3, 0x20100000, true},
                {3, 0x30100000, false}, {3, 0x20000001, false}, {3, 5, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct teid_rig rig;
        const struct session session = {.teid = rows[i].teid},
                             ours = {.teid = rows[i].teid, .is_teid_given = true};
        teid_open(&rig, rows[i].workers);
        assert_true(session_teid_is_lookalike(&rig.sessions, &session) == rows[i].is_one);
        assert_false(session_teid_is_lookalike(&rig.sessions, &ours));
        teid_close(&rig);
    }
}

/* A TEID that somebody else has is not given out. */
TEID_OPEN_TEST(taken_ones_are_left_out)
{
    teid_add(rig, "1", teid_make(1, 1, 1, TEID_SLOT_BITS));
    assert_int_equal(teid_add(rig, "2", 0)->teid, teid_make(1, 2, 1, TEID_SLOT_BITS));
}

TEST_IN(alone, struct teid_rig, rig, teid_open(rig, 1), teid_close(rig))
{
    teid_add(rig, "1", FOREIGN);
    sessions_end(&rig->sessions, &rig->sessions.list[0]);
    assert_string_equal(told(rig), "");
}

/* Whoever heard it: address and TEID of the GGSN must be right, and whom it told. */
TEID_OPEN_TEST(errors)
{
    const struct session *session = teid_add(rig, "1", 0);
    uint32_t teid = session->ggsn_teid;
    sessions_lose(&rig->sessions, 0x0a000002, teid, SGSN_IP + 1);
    assert_int_equal(rig->sessions.lost, 0);
    sessions_lose(&rig->sessions, 0x0a000002, teid, SGSN_IP);
    assert_int_equal(rig->sessions.lost, 1);
}

UNIT_MAIN(start, NULL)
