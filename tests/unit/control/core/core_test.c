/* SPDX-License-Identifier: BSD-3-Clause */
/* The control core between a worker's rings, which the test holds, and the Lua control plane. */
#include "tests/unit/control/core/intent_rig.h"
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_link.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONFIG "config/nodes/replay-80k.lua" /* one NSE 101 with NS-VCI 101, one cell with BVCI 1800 */
#define QUEUES                                                                                               \
    "tests/unit/control/core/node_queues.lua" /* NSE 101 with a rate, NSE 102; cell 1801 has a policy */
#define BUFFERS 63
#define RING    16 /* of them 15 to use */

struct rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
};

static void open_with(struct rig *rig, const char *path)
{
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, path, &rig->config));
    assert_true(msg_rings_new(&rig->rings, "rig", RING));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    struct msg_rings *rings = &rig->rings;
    assert_true(core_init(&rig->core, rig->L, &rig->config, &rings, rig->pool));
}

static void open(struct rig *rig)
{
    open_with(rig, CONFIG);
}

static void free_ring(struct rte_ring *ring)
{
    struct msg msg;
    while (msg_take(ring, &msg))
        if (msg.type == MSG_SEND || msg.type == MSG_PUNT)
            rte_pktmbuf_free(msg.mbuf);
}

static void close(struct rig *rig)
{
    core_fini(&rig->core);
    free_ring(rig->rings.to_worker);
    free_ring(rig->rings.to_control);
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

static bool take(struct rig *rig, struct msg *msg)
{
    return msg_take(rig->rings.to_worker, msg);
}

/* --- what is ordered at the start --- */

/* The NSEI or BVCI of what an order makes; 0: it has none. */
static unsigned number_of(const struct msg *msg)
{
    return msg->type == MSG_NSE_ADD ? msg->nsei : msg->type == MSG_BVC_ADD ? msg->bvc.bvci : 0;
}

TEST(first_orders)
{
    static const struct {
        uint16_t type;
        uint32_t number;
    } rows[] = {{MSG_NSE_ADD, 101}, {MSG_NSVC_ADD, 0}, {MSG_BVC_ADD, 1800}};
    struct rig rig;
    struct msg msg;
    open(&rig);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(take(&rig, &msg));
        assert_int_equal(msg.type, rows[i].type);
        assert_int_equal(number_of(&msg), rows[i].number);
        assert_int_equal(msg.seq, i + 1);
        assert_int_equal(msg.slot, 0);
        if (msg.type != MSG_NSVC_ADD)
            continue;
        assert_int_equal(msg.nsvc.local_ip, 0x0a630001);
        assert_int_equal(msg.nsvc.remote_ip, 0x0a630002);
        assert_int_equal(msg.nsvc.local_port, 23000);
        assert_int_equal(msg.nsvc.remote_port, 23000);
    }
    assert_false(take(&rig, &msg));
    close(&rig);
}

/* Links with a rate and cells with a policy of their own get one more order each. */
TEST(rates_and_policies)
{
    static const struct {
        uint16_t type;
        uint32_t slot, number;
    } rows[] = {
        {MSG_NSE_ADD, 0, 101},  {MSG_NSE_RATE, 0, 0},   {MSG_NSE_ADD, 1, 102},
        {MSG_NSVC_ADD, 0, 0},   {MSG_NSVC_ADD, 1, 0},   {MSG_BVC_ADD, 0, 1800},
        {MSG_BVC_ADD, 1, 1801}, {MSG_BVC_POLICY, 1, 0}, {MSG_BVC_ADD, 2, 1800},
    };
    struct rig rig;
    struct msg msg;
    open_with(&rig, QUEUES);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(take(&rig, &msg));
        assert_true(msg.type == rows[i].type && msg.slot == rows[i].slot &&
                    number_of(&msg) == rows[i].number);
        if (msg.type == MSG_NSE_RATE)
            assert_true(msg.link.rate_bps == 2000000 && msg.link.max_octets == 25000);
        if (msg.type == MSG_BVC_POLICY)
            assert_true(msg.policy.max_rate_bps == 50000 && msg.policy.rate_percent == 90);
    }
    assert_false(take(&rig, &msg));
    close(&rig);
}

/* --- mobiles --- */

/* A known mobile goes to the cell where it is heard, if the frame names that cell. Its worker, which sends it
 * nothing meanwhile, is always told when that is decided, behind the order of the move. */
TEST(follows_a_mobile)
{
    static const struct {
        uint32_t slot, bvci, ci, is_moved;
    } rows[] = {{8, 1801, 2, false}, {7, 1800, 1, false}, {7, 1801, 1, false},
                {7, 1801, 2, true},  {7, 1801, 2, false}, {7, 1800, 1, true}};
    struct rig rig;
    struct msg msg;
    uint32_t tlli = 0xc0000001;
    open_with(&rig, QUEUES);
    mobility_add(&rig.core.mobility, 7, tlli, 0);
    core_gb_ms_add(&rig.core, 7, tlli, "", 0);
    while (take(&rig, &msg))
        ;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct msg heard = {.type = MSG_MS_HEARD, .slot = rows[i].slot};
        heard.heard = (struct msg_heard){.bvci = (uint16_t)rows[i].bvci, .number = (uint8_t)i};
        memcpy(heard.heard.cell_id, (uint8_t[]){0x62, 0xf2, 0x24, 0x12, 0x34, 5, 0, (uint8_t)rows[i].ci},
               AREA_CELL);
        assert_true(msg_put(rig.rings.to_control, &heard));
        core_step(&rig.core, 7);
        if (rows[i].is_moved) {
            assert_true(take(&rig, &msg));
            assert_true(msg.type == MSG_MS_CELL && msg.tlli == tlli && msg.nse == 0 &&
                        msg.cell.bvc == rows[i].bvci - 1800);
        }
        assert_int_equal(take(&rig, &msg), rows[i].slot == 7);
        if (rows[i].slot == 7)
            assert_true(msg.type == MSG_MS_DECIDED && msg.slot == 7 && msg.heard_number == i);
        assert_false(take(&rig, &msg));
    }
    core_tell(&rig.core, gb_ms_del, LUA_ARG(7));
    assert_int_equal(rig.core.answered, 0);
    close(&rig);
}

#define RIG_TEST(name) TEST_IN(name, struct rig, rig, open(rig), close(rig))

/* A context with a packet flow in a cell that has none yet: nothing is asked, nor at its end. */
RIG_TEST(waits_with_a_packet_flow)
{
    uint32_t tlli = 0xc0000001;
    struct msg msg;
    while (take(rig, &msg))
        ;
    core_gb_ms_add(&rig->core, 7, tlli, "", 0);
    core_tell(&rig->core, gb_pfc_add, LUA_ARG(7), LUA_ARG(3), LUA_ARG(9), LUA_ARG("thp1"));
    core_tell(&rig->core, gb_pfc_del, LUA_ARG(7), LUA_ARG(3), LUA_ARG(9));
    core_tell(&rig->core, gb_ms_del, LUA_ARG(7));
    assert_false(take(rig, &msg));
}

/* --- PDUs --- */

static const uint8_t ns_reset[] = {0x02, 0x00, 0x81, 0x01, 0x01, 0x82, 0, 101, 0x04, 0x82, 0, 101};

static void punt(struct rig *rig, const uint8_t *pdu, size_t octets)
{
    struct msg msg = {.type = MSG_PUNT, .slot = 0, .mbuf = rte_pktmbuf_alloc(rig->pool)};
    assert_non_null(msg.mbuf);
    memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)octets), pdu, octets);
    assert_true(msg_put(rig->rings.to_control, &msg));
}

/* A PDU of this type is among what the worker is to send. */
static bool is_sent(struct rig *rig, uint8_t type)
{
    struct msg msg;
    bool is_there = false;
    while (take(rig, &msg)) {
        if (msg.type != MSG_SEND)
            continue;
        assert_int_equal(msg.slot, 0);
        is_there |= *rte_pktmbuf_mtod(msg.mbuf, uint8_t *) == type;
        rte_pktmbuf_free(msg.mbuf);
    }
    return is_there;
}

RIG_TEST(answers_a_reset)
{
    core_start(&rig->core, 1000);
    assert_false(is_sent(rig, 0x03));
    punt(rig, ns_reset, sizeof(ns_reset));
    assert_int_equal(core_step(&rig->core, 1000), 1000);
    assert_true(is_sent(rig, 0x03));
    int64_t next = core_step(&rig->core, 1000);
    assert_true(next > 1000);
    assert_int_equal(core_step(&rig->core, 1001), next);
}

/* Octets that are no PDU are answered or counted, and freed. */
RIG_TEST(garbage)
{
    uint8_t pdu[40];
    core_start(&rig->core, 0);
    for (unsigned i = 0; i < 3000; i++) {
        for (size_t k = 0; k < sizeof(pdu); k++)
            pdu[k] = (uint8_t)((i * 2654435761u + k * 40503u) >> (k % 16));
        pdu[0] = (uint8_t)(i % 24);
        punt(rig, pdu, i % sizeof(pdu));
        core_step(&rig->core, (int64_t)i);
        is_sent(rig, 0);
    }
}

RIG_TEST(no_buffer)
{
    struct rte_mbuf *taken[BUFFERS - 1];
    core_start(&rig->core, 0);
    is_sent(rig, 0);
    punt(rig, ns_reset, sizeof(ns_reset));
    assert_int_equal(rte_pktmbuf_alloc_bulk(rig->pool, taken, BUFFERS - 1), 0);
    core_step(&rig->core, 0);
    assert_true(rig->core.send_failures >= 1);
    assert_false(is_sent(rig, 0x03));
    rte_pktmbuf_free_bulk(taken, BUFFERS - 1);
}

/* --- rings --- */

RIG_TEST(counts_answers)
{
    for (int i = 0; i < 5; i++) {
        struct msg msg = {.type = MSG_ANSWER, .answer = {.status = i < 2 ? -1 : 0}};
        assert_true(msg_put(rig->rings.to_control, &msg));
    }
    assert_int_equal(core_step(&rig->core, 7), 7);
    assert_int_equal(rig->core.answered, 5);
    assert_int_equal(rig->core.refused, 2);
    assert_true(core_step(&rig->core, 7) > 7);
}

/* What a worker has no room for goes to it again, and is neither carried out nor refused; then its place is
 * free. */
TEST(orders_again)
{
    static const uint16_t types[] = {MSG_NSE_DEL, MSG_BVC_DEL};
    for (size_t i = 0; i < COUNT(types); i++) {
        struct rig rig;
        struct msg msg, answer = {.type = MSG_ANSWER, .answer = {.type = types[i], .status = MSG_AGAIN}};
        open(&rig);
        const struct node_config *config = rig.core.config;
        bool *is_leaving =
            types[i] == MSG_NSE_DEL ? &config->nses[0].is_leaving : &config->cells[0].is_leaving;
        core_step(&rig.core, 7);
        while (msg_take(rig.rings.to_worker, &msg))
            core_step(&rig.core, 7);
        *is_leaving = true;
        assert_true(msg_put(rig.rings.to_control, &answer));
        core_step(&rig.core, 7);
        assert_true(*is_leaving && rig.core.refused == 0);
        assert_true(msg_take(rig.rings.to_worker, &msg));
        assert_true(msg.type == types[i] && msg.slot == 0);
        answer.answer.status = 0;
        assert_true(msg_put(rig.rings.to_control, &answer));
        core_step(&rig.core, 7);
        assert_false(*is_leaving || msg_take(rig.rings.to_worker, &msg));
        close(&rig);
    }
}

static bool note_error(void *arg, const struct msg *msg)
{
    uint32_t *seen = arg;
    seen[0]++;
    seen[1] = msg->tunnel_error.ggsn_ip;
    seen[2] = msg->tunnel_error.teid;
    return true;
}

/* What a GGSN says of a tunnel is no answer to a request; without anybody to tell it is dropped. */
RIG_TEST(tunnel_errors)
{
    uint32_t seen[3] = {0};
    struct msg msg = {.type = MSG_TUNNEL_ERROR, .tunnel_error = {.ggsn_ip = 0x0a000002, .teid = 1001}};
    assert_true(msg_put(rig->rings.to_control, &msg));
    core_step(&rig->core, 7);
    rig->core.sessions = (struct core_sessions){.arg = seen, .take = note_error};
    assert_true(msg_put(rig->rings.to_control, &msg));
    assert_int_equal(core_step(&rig->core, 7), 7);
    assert_true(seen[0] == 1 && seen[1] == 0x0a000002 && seen[2] == 1001);
    assert_int_equal(rig->core.answered, 0);
}

#include "tests/unit/control/esp/core_news.inc"

/* More requests than the ring holds: none is lost and none overtakes, whatever is taken when. */
TEST(full_ring)
{
    static const unsigned taken_at_once[] = {1, 7, RING - 1};
    for (size_t row = 0; row < 3; row++) {
        struct rig rig;
        struct msg msg = {.type = MSG_PDP_DEL}, got;
        uint32_t seq = 0;
        open(&rig);
        for (msg.slot = 0; msg.slot < 700; msg.slot++) {
            core_link_order(&rig.core, 0, &msg);
            if (msg.slot % 5 == 0 && take(&rig, &got))
                assert_int_equal(got.seq, ++seq);
        }
        assert_true(rig.core.links[0].count > 0);
        for (unsigned i = 0; seq < 703; i++) {
            assert_true(i < 2000);
            for (unsigned k = 0; k < taken_at_once[row] && take(&rig, &got); k++) {
                assert_int_equal(got.seq, ++seq);
                assert_true(seq <= 3 || got.slot == seq - 4);
            }
            core_step(&rig.core, 0);
        }
        assert_int_equal(rig.core.links[0].count, 0);
        close(&rig);
    }
}

/* PDUs that wait for room are freed with the core: close() counts the buffers. */
RIG_TEST(ends_with_a_backlog)
{
    struct msg msg = {.type = MSG_PDP_DEL};
    core_start(&rig->core, 0);
    for (unsigned i = 0; i < RING; i++)
        core_link_order(&rig->core, 0, &msg);
    punt(rig, ns_reset, sizeof(ns_reset));
    core_step(&rig->core, 0);
    assert_int_equal(rig->core.links[0].backlog[rig->core.links[0].count - 1].type, MSG_SEND);
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

/* NS-VCs that IP-SNS makes and takes away: who is ordered what, and what the configuration's rows say then.
 */

#define NSVC_RING 16

/* NSE 101 at worker 1 of two: where IP-SNS begins, and two numbers more. */
struct nsvc_rig {
    struct node_config_nse nse;
    struct node_config_nsvc nsvcs[3];
    struct node_config config;
    struct msg_rings rings[2];
    struct core core;
    uint32_t told; /* the last NS-VC that the links heard of, UINT32_MAX: none */
};

static void hear(void *arg, uint32_t index)
{
    ((struct nsvc_rig *)arg)->told = index;
}

static void nsvc_open(struct nsvc_rig *rig)
{
    *rig = (struct nsvc_rig){.nse = {.nsei = 101, .worker = 1}, .told = UINT32_MAX};
    rig->nsvcs[0] = (struct node_config_nsvc){
        .own_address = 1, .address = 2, .own_port = 23000, .udp_port = 23000, .mac = {2}, .has_mac = true};
    rig->nsvcs[1] = rig->nsvcs[2] = (struct node_config_nsvc){.is_absent = true};
    rig->config = (struct node_config){
        .worker_count = 2, .nses = &rig->nse, .nse_count = 1, .nsvcs = rig->nsvcs, .nsvc_count = 3};
    rig->config.live.is_on = true;
    assert_true(msg_rings_new(&rig->rings[0], "rig0", NSVC_RING));
    assert_true(msg_rings_new(&rig->rings[1], "rig1", NSVC_RING));
    rig->core = (struct core){.config = &rig->config,
                              .workers = 2,
                              .links = {{.rings = &rig->rings[0]}, {.rings = &rig->rings[1]}},
                              .neighbours = {.arg = rig, .on_nsvc = hear}};
    intent_rig_init(&rig->core);
}

static void nsvc_close(struct nsvc_rig *rig)
{
    intent_rig_fini(&rig->core);
    msg_rings_free(&rig->rings[0]);
    msg_rings_free(&rig->rings[1]);
}

/* The next order of a worker, which has to be of this type. */
static struct msg nsvc_take(struct nsvc_rig *rig, unsigned worker, uint16_t type)
{
    struct msg msg;
    assert_true(msg_take(rig->rings[worker].to_worker, &msg));
    assert_int_equal(msg.type, type);
    return msg;
}

static void expect_no_more(struct nsvc_rig *rig)
{
    struct msg msg;
    assert_false(msg_take(rig->rings[0].to_worker, &msg));
    assert_false(msg_take(rig->rings[1].to_worker, &msg));
}

TEST_IN(only_those_that_are_there, struct nsvc_rig, rig, nsvc_open(rig), nsvc_close(rig))
{
    core_nsvc_start(&rig->core);
    struct msg msg = nsvc_take(rig, 1, MSG_NSVC_ADD);
    assert_true(msg.slot == 0 && msg.nsvc.data_weight == 0 && !msg.nsvc.needs_mac);
    msg = nsvc_take(rig, 0, MSG_NSVC_AT);
    assert_true(msg.nsvc_at.worker == 1 && !msg.nsvc_at.is_gone && msg.nsvc_at.params.remote_ip == 2);
    expect_no_more(rig);
}

/* What GGSNs are told: quarters of an hour, times 4, and an hour of summer time. */
TEST(summer_time)
{
    static struct node_config config;
    static struct core core = {.config = &config};
    assert_int_equal(setenv("TZ", "AAA-1BBB-2,J1/0,J365/25", 1), 0);
    tzset();
    assert_int_equal(core_gtpc_place(&core, 0).zone, 8 * 4 + 1);
    assert_int_equal(setenv("TZ", "UTC0", 1), 0);
    tzset();
    assert_int_equal(core_gtpc_place(&core, 0).zone, 0);
}

/* All workers take messages to the addresses of the configuration. */
TEST_IN(addresses_are_claimed, struct nsvc_rig, rig, nsvc_open(rig), nsvc_close(rig))
{
    rig->config.live.addresses[0] = 0x0a620007;
    rig->config.live.addresses[1] = 0x0a620008;
    rig->config.live.address_count = 2;
    core_gtpc_claim(&rig->core);
    for (unsigned i = 0; i < 4; i++) {
        struct msg msg = nsvc_take(rig, i % 2, MSG_GN_ADDRESS);
        assert_true(msg.address.ip == 0x0a620007 + i / 2 && msg.address.is_there);
    }
    expect_no_more(rig);
}

static const char *const made =
    "{ op = 'nsvc_add', nsvc = 2, nsei = 101, own_address = '0.0.0.10', own_port = 30, "
    "address = '0.0.0.20', udp_port = 40, weight = 50 }";

TEST_IN(comes_and_goes, struct nsvc_rig, rig, nsvc_open(rig), nsvc_close(rig))
{
    intent_rig_emit(&rig->core, made);
    struct msg msg = nsvc_take(rig, 1, MSG_NSVC_ADD);
    assert_true(msg.slot == 2 && msg.nsvc.nse == 0 && msg.nsvc.needs_mac);
    assert_true(msg.nsvc.local_ip == 10 && msg.nsvc.remote_ip == 20 && msg.nsvc.local_port == 30 &&
                msg.nsvc.remote_port == 40 && msg.nsvc.data_weight == 50);
    msg = nsvc_take(rig, 0, MSG_NSVC_AT);
    assert_true(msg.nsvc_at.worker == 1 && !msg.nsvc_at.is_gone && msg.nsvc_at.params.remote_port == 40);
    assert_int_equal(rig->told, 2);
    assert_true(!rig->nsvcs[2].is_absent && rig->nsvcs[2].address == 20 && rig->nsvcs[2].own_address == 10);

    intent_rig_emit(&rig->core, "{ op = 'nsvc_del', nsvc = 2 }");
    assert_int_equal(nsvc_take(rig, 1, MSG_NSVC_DEL).slot, 2);
    msg = nsvc_take(rig, 0, MSG_NSVC_AT);
    assert_true(msg.nsvc_at.is_gone && msg.nsvc_at.params.local_ip == 10 &&
                msg.nsvc_at.params.remote_port == 40);
    assert_true(rig->nsvcs[2].is_absent);
    expect_no_more(rig);
}

TEST_IN(weighs_and_carries, struct nsvc_rig, rig, nsvc_open(rig), nsvc_close(rig))
{
    intent_rig_emit(&rig->core, "{ op = 'nsvc_weight', nsvc = 1, weight = 7 }, "
                                "{ op = 'nsvc_state', nsvc = 1, usable = true }");
    struct msg msg = nsvc_take(rig, 1, MSG_NSVC_WEIGHT);
    assert_true(msg.slot == 1 && msg.data_weight == 7);
    msg = nsvc_take(rig, 1, MSG_NSVC_STATE);
    assert_true(msg.slot == 1 && msg.is_usable);
    expect_no_more(rig);
}

UNIT_MAIN(start, NULL)
