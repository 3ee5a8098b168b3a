/* SPDX-License-Identifier: BSD-3-Clause */
/* What workers are told of tunnels that are not theirs, and which TEIDs are given out; three workers, whose
 * rings the test holds. Cell i is of NSE i, at worker i. */
#include "control/core/sessions.h"
#include "control/base/eal.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define WORKERS  3
#define MESSAGES 256
#define WORDS    1024
#define SGSN_IP  0x0a000001u
#define FOREIGN  7u

static struct node_config_nse nses[] = {
    {.nsei = 100}, {.nsei = 101, .worker = 1}, {.nsei = 102, .worker = 2}};
static struct node_config_cell cells[] = {{.bvci = 2}, {.nse = 1, .bvci = 2}, {.nse = 2, .bvci = 2}};
static uint16_t homes[] = {0, 1, 2};

struct rig {
    struct node_config config;
    struct msg_rings rings[WORKERS];
    struct core core;
    struct sessions sessions;
    uint32_t teid; /* as last ordered */
    char words[WORDS];
};

static void open(struct rig *rig, unsigned workers)
{
    static const char *const names[] = {"rig0", "rig1", "rig2"};
    *rig = (struct rig){.config = {.worker_count = workers,
                                   .nses = nses,
                                   .nse_count = 3,
                                   .cells = cells,
                                   .cell_count = 3,
                                   .homes = homes,
                                   .home_count = 3}};
    rig->config.limits.mobiles = rig->config.limits.contexts = 8;
    rig->core = (struct core){.config = &rig->config, .workers = workers};
    for (unsigned i = 0; i < WORKERS; i++) {
        assert_true(msg_rings_new(&rig->rings[i], names[i], MESSAGES));
        rig->core.links[i].rings = &rig->rings[i];
    }
    assert_true(mobility_new(&rig->core.mobility, &rig->core));
    assert_true(sessions_new(&rig->sessions, &rig->core));
}

static void close(struct rig *rig)
{
    sessions_free(&rig->sessions);
    mobility_free(&rig->core.mobility);
    for (unsigned i = 0; i < WORKERS; i++)
        msg_rings_free(&rig->rings[i]);
}

static void put_word(struct rig *rig, unsigned worker, const struct msg *msg)
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
static const char *told(struct rig *rig)
{
    struct msg msg;
    rig->words[0] = '\0';
    for (unsigned i = 0; i < WORKERS; i++)
        while (msg_take(rig->rings[i].to_worker, &msg))
            put_word(rig, i, &msg);
    return rig->words;
}

/* The n-th mobile has its home at worker n - 1. */
static struct session *add(struct rig *rig, const char *imsi, uint32_t teid)
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

TEST(foreign_teids_are_told)
{
    struct rig rig;
    open(&rig, WORKERS);
    add(&rig, "1", FOREIGN);
    assert_string_equal(told(&rig), "0:address+1 1:address+1 1:tunnel+7@0 2:address+1 2:tunnel+7@0");
    add(&rig, "2", FOREIGN + 1);
    assert_string_equal(told(&rig), "0:tunnel+8@1 2:tunnel+8@1");
    sessions_end(&rig.sessions, &rig.sessions.list[0]);
    assert_string_equal(told(&rig), "1:tunnel-7@0 2:tunnel-7@0");
    sessions_end(&rig.sessions, &rig.sessions.list[1]);
    assert_string_equal(told(&rig), "0:address-1 0:tunnel-8@1 1:address-1 2:address-1 2:tunnel-8@1");
    close(&rig);
}

/* Ours say it themselves: worker and slot, with a generation for each worker's slot. */
TEST(given_teids_name_the_home)
{
    struct rig rig;
    open(&rig, WORKERS);
    for (unsigned i = 0; i < WORKERS; i++) {
        char imsi[] = {(char)('1' + i), 0};
        const struct session *session = add(&rig, imsi, 0);
        assert_int_equal(session->teid, teid_make(i, 1, i, TEID_SLOT_BITS));
        assert_int_equal(session->home, i);
        told(&rig);
        assert_int_equal(rig.teid, session->teid);
        assert_ptr_equal(sessions_of(&rig.sessions, i, i, 1), session);
        assert_null(sessions_of(&rig.sessions, i, i, 2));
        assert_ptr_equal(sessions_of(&rig.sessions, (i + 1) % WORKERS, i, 77), session);
    }
    add(&rig, "1", FOREIGN);
    assert_string_equal(told(&rig), "1:tunnel+7@0 2:tunnel+7@0");
    close(&rig);
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
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rig rig;
        const struct session session = {.teid = rows[i].teid},
                             ours = {.teid = rows[i].teid, .is_teid_given = true};
        open(&rig, rows[i].workers);
        assert_true(session_teid_is_lookalike(&rig.sessions, &session) == rows[i].is_one);
        assert_false(session_teid_is_lookalike(&rig.sessions, &ours));
        close(&rig);
    }
}

/* A TEID that somebody else has is not given out. */
TEST(taken_ones_are_left_out)
{
    struct rig rig;
    open(&rig, WORKERS);
    add(&rig, "1", teid_make(1, 1, 1, TEID_SLOT_BITS));
    assert_int_equal(add(&rig, "2", 0)->teid, teid_make(1, 2, 1, TEID_SLOT_BITS));
    close(&rig);
}

TEST(alone)
{
    struct rig rig;
    open(&rig, 1);
    add(&rig, "1", FOREIGN);
    sessions_end(&rig.sessions, &rig.sessions.list[0]);
    assert_string_equal(told(&rig), "");
    close(&rig);
}

/* Whoever heard it: address and TEID of the GGSN must be right, and whom it told. */
TEST(errors)
{
    struct rig rig;
    open(&rig, WORKERS);
    const struct session *session = add(&rig, "1", 0);
    uint32_t teid = session->ggsn_teid;
    sessions_lose(&rig.sessions, 0x0a000002, teid, SGSN_IP + 1);
    assert_int_equal(rig.sessions.lost, 0);
    sessions_lose(&rig.sessions, 0x0a000002, teid, SGSN_IP);
    assert_int_equal(rig.sessions.lost, 1);
    close(&rig);
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
