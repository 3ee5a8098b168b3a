/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handovers between SGSNs by chance: holds, N-PDUs that are forwarded, dropped or taken over, and moves
 * between workers in the midst of them. An N-PDU leaves once, on Gb or on Gn, or is counted; on neither does
 * one overtake another of its context; none is left over.
 */
#include "dataplane/base/bytes.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/shard/subscriber.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/short_form.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define MOBILES    8
#define EVENTS     60000
#define OTHER_IP   0xc0000216u
#define OTHER_TEID 0x0000cc00u /* + a mobile's number */
#define DRAINED_NS (100 * MOMENT_SECOND)

/* One order about a mobile at a time, with its sequence number. */
struct asked {
    uint32_t seq; /* 0: none */
    uint16_t type;
    unsigned worker;
    struct msg_place to;
    bool is_held;       /* as the last hold said */
    uint32_t forwarded; /* N-PDUs before this one have left on Gn, or will not */
    bool has_left[SUBSCRIBER_EXPECTED];
};

struct lab {
    struct cluster cluster;
    uint64_t chance;
    struct asked asked[MOBILES];
    unsigned orders, moves;
};

static struct lab lab;

static uint64_t below(uint64_t n)
{
    return prng_below(&lab.chance, n);
}

/* --- N-PDUs that leave --- */

static void leave(uint32_t id, uint32_t which)
{
    bool *has_left = &lab.asked[id].has_left[which % SUBSCRIBER_EXPECTED];
    if (*has_left)
        fail_msg("mobile %u: N-PDU %u leaves twice", id, which);
    *has_left = true;
}

static void on_gb(void *arg, unsigned worker, const uint8_t *frame, size_t octets)
{
    uint32_t id = subscriber_heading(frame, octets).tlli - KIT_TLLI;
    assert_true(id < MOBILES);
    const struct subscriber_context *context = &subscribers->list[id].contexts[0];
    uint32_t seen = context->seen;
    subscriber_take_frame(arg, worker, frame, octets);
    if (context->seen != seen)
        leave(id, context->seen - 1);
}

static void on_gn(const uint8_t *frame, size_t octets)
{
    uint32_t id = bytes_get_u32(frame + GN_FRAME_GTP + 4) - OTHER_TEID;
    uint8_t want[KIT_FRAME_OCTETS];
    if (frame[GN_FRAME_GTP + 1] != 255) /* an Error Indication */
        return;
    assert_true(id < MOBILES && bytes_get_u32(frame + GN_FRAME_IP + 16) == OTHER_IP);
    const struct subscriber_context *context = &subscribers->list[id].contexts[0];
    for (uint32_t *at = &lab.asked[id].forwarded; *at != context->sent;) {
        uint32_t which = (*at)++;
        const struct subscriber_sent *sent = &context->expected[which % SUBSCRIBER_EXPECTED];
        gn_frame_inner(want, sent->octets, sent->seed);
        if (octets == GN_FRAME_INNER + (size_t)sent->octets &&
            memcmp(frame + GN_FRAME_INNER, want, sent->octets) == 0) {
            leave(id, which);
            return;
        }
    }
    fail_msg("mobile %u: an N-PDU on Gn that was not sent, or overtook another", id);
}

static void take_gn(unsigned worker)
{
    struct rte_mbuf *mbuf;
    for (; (mbuf = vport_pull(&lab.cluster.nodes[worker].gn)); rte_pktmbuf_free(mbuf))
        on_gn(rte_pktmbuf_mtod(mbuf, const uint8_t *), rte_pktmbuf_data_len(mbuf));
}

/* --- orders --- */

static void ask(uint32_t id, unsigned worker, const struct msg *msg)
{
    struct asked *asked = &lab.asked[id];
    asked->seq = cluster_post(&lab.cluster, worker, msg);
    asked->type = msg->type;
    asked->worker = worker;
    asked->to = msg->place;
    lab.orders++;
}

static void begin(uint32_t id)
{
    unsigned workers = lab.cluster.options.workers, home = (unsigned)below(workers);
    struct msg ms = subscriber_add(subscribers, id, home, (uint16_t)below(CLUSTER_CELLS));
    struct msg pdp = subscriber_add_context(subscribers, id, 0);
    memset(&lab.asked[id], 0, sizeof(lab.asked[id]));
    subscribers->list[id].receiver = (unsigned)below(workers);
    (void)cluster_post(&lab.cluster, home, &ms);
    ask(id, home, &pdp);
}

/* To the mobile's server. */
static void ask_hold(uint32_t id)
{
    unsigned server = subscribers->list[id].server;
    struct asked *asked = &lab.asked[id];
    asked->is_held = below(3) > 0;
    ask(id, server,
        &(struct msg){.type = MSG_MS_HOLD, .slot = subscriber_slot(id, server), .is_held = asked->is_held});
}

static void ask_forward(uint32_t id)
{
    unsigned server = subscribers->list[id].server;
    struct msg msg = {.type = MSG_PDP_FORWARD, .slot = subscriber_slot(id, server)};
    msg.forward = (struct forward_to){
        .ip = below(4) > 0 ? OTHER_IP : ADDRESS_NONE, .teid = OTHER_TEID + id, .nsapi = KIT_NSAPI};
    if (lab.asked[id].is_held)
        ask(id, server, &msg);
}

static void ask_from(uint32_t id)
{
    unsigned home = subscribers->list[id].home;
    ask(id, home,
        &(struct msg){.type = MSG_PDP_FROM,
                      .slot = subscriber_pdp_slot(id, 0, home),
                      .forwarder_ip = below(2) > 0 ? OTHER_IP : ADDRESS_NONE});
}

static void ask_move(uint32_t id)
{
    struct msg move = subscriber_move(subscribers, id, (unsigned)below(lab.cluster.options.workers),
                                      (uint16_t)below(CLUSTER_CELLS));
    ask(id, subscribers->list[id].home, &move);
}

static void order(void)
{
    uint32_t id = (uint32_t)below(MOBILES);
    const struct subscriber *who = &subscribers->list[id];
    uint64_t what = below(40);
    if (lab.asked[id].seq != 0)
        return;
    if (!who->is_there)
        begin(id);
    else if (what == 0)
        ask(id, who->home, &(struct msg){.type = MSG_MS_DEL, .slot = subscriber_slot(id, who->home)});
    else if (what < 12)
        ask_hold(id);
    else if (what < 22)
        ask_forward(id);
    else if (what < 28)
        ask_from(id);
    else
        ask_move(id);
}

static void collect(uint32_t id)
{
    struct asked *asked = &lab.asked[id];
    int status = -1;
    if (asked->seq == 0 || !cluster_is_answered(&lab.cluster, asked->worker, asked->seq, &status))
        return;
    assert_int_equal(status, 0);
    asked->seq = 0;
    if (asked->type == MSG_MS_MOVE) {
        subscriber_moved(subscribers, id, asked->to.worker, asked->to.bvc);
        lab.moves++;
    } else if (asked->type == MSG_MS_DEL) {
        subscribers->list[id].is_there = false;
    }
}

/* Slow ones, so that N-PDUs are partly sent. */
static void order_cell(void)
{
    struct msg flow = {.type = MSG_BVC_FLOW, .slot = (uint32_t)below(CLUSTER_CELLS)};
    flow.flow = (struct gb_flow){.bucket_octets = 1000 + prng_magnitude(&lab.chance, 20000),
                                 .rate_bps = prng_magnitude(&lab.chance, 50000000),
                                 .ms_bucket_octets = 600 + prng_magnitude(&lab.chance, 10000),
                                 .ms_rate_bps = prng_magnitude(&lab.chance, 20000000),
                                 .ratio_percent = -1};
    (void)cluster_post(&lab.cluster, (unsigned)below(lab.cluster.options.workers), &flow);
}

/* --- the run --- */

static void send(void)
{
    uint32_t id = (uint32_t)below(MOBILES);
    const struct subscriber_context *context = &subscribers->list[id].contexts[0];
    const struct asked *asked = &lab.asked[id];
    bool is_changing = asked->seq != 0 && (asked->type == MSG_PDP_ADD || asked->type == MSG_MS_DEL);
    if (subscribers->list[id].is_there && !is_changing && context->sent < SUBSCRIBER_EXPECTED - 1)
        (void)subscriber_send(subscribers, id, 0, (uint16_t)prng_between(&lab.chance, 60, 1400));
}

static void step(void)
{
    unsigned worker = (unsigned)below(lab.cluster.options.workers);
    cluster_step(&lab.cluster, worker);
    take_gn(worker);
    for (uint32_t id = 0; id < MOBILES; id++)
        collect(id);
    if (lab.cluster.nodes[worker].answer_count > CLUSTER_ANSWERS / 2)
        lab.cluster.nodes[worker].answer_count = 0; /* those about cells */
}

static void settle(void)
{
    lab.cluster.now += DRAINED_NS;
    for (unsigned i = 0; i < 10000; i++)
        step();
    cluster_settle(&lab.cluster);
    for (unsigned i = 0; i < lab.cluster.options.workers; i++)
        take_gn(i);
    for (uint32_t id = 0; id < MOBILES; id++)
        collect(id);
}

static void event(void)
{
    uint64_t kind = below(100);
    if (kind < 8)
        order();
    else if (kind < 9)
        order_cell();
    else if (kind < 40)
        send();
    else
        step();
    lab.cluster.now += (int64_t)prng_magnitude(&lab.chance, 100000);
}

/* All holds end, and all mobiles; N-PDUs, records and buffers are back. */
static void end(void)
{
    struct cluster *c = &lab.cluster;
    settle();
    for (uint32_t id = 0; id < MOBILES; id++) {
        unsigned server = subscribers->list[id].server;
        const struct msg go_on = {.type = MSG_MS_HOLD, .slot = subscriber_slot(id, server)};
        if (subscribers->list[id].is_there)
            cluster_do(c, server, &go_on);
    }
    cluster_open_buckets(c);
    settle();
    assert_int_equal(cluster_queued(c), 0);
    assert_int_equal(CLUSTER_SUM(c, gn_frames),
                     CLUSTER_SUM(c, npdu_out) + CLUSTER_SUM(c, forward_npdu_out) + cluster_drops(c));
    for (uint32_t id = 0; id < MOBILES; id++) {
        unsigned home = subscribers->list[id].home;
        const struct msg del = {.type = MSG_MS_DEL, .slot = subscriber_slot(id, home)};
        if (subscribers->list[id].is_there)
            cluster_do(c, home, &del);
    }
    for (unsigned i = 0; i < c->options.workers; i++)
        assert_int_equal(c->nodes[i].worker->forward.count, 0);
}

static void play(unsigned workers, uint64_t seed)
{
    memset(&lab, 0, sizeof(lab));
    lab.chance = seed;
    cluster_open(&lab.cluster, &(struct cluster_options){.workers = workers,
                                                         .n201_u = 300,
                                                         .queue_limit_octets = seed % 2 ? 20000 : 1000000});
    subscriber_open_all(subscribers, &lab.cluster);
    lab.cluster.on_gb = on_gb;
    subscribers->may_lose = true;
    for (unsigned i = 0; i < EVENTS; i++)
        event();
    end();
    printf(
        "%u workers, seed %lu: %u orders, %u moves, %lu of %lu N-PDUs to mobiles, %lu to the other SGSN, %lu "
        "behind, %lu handed over\n",
        workers, seed, lab.orders, lab.moves, CLUSTER_SUM(&lab.cluster, npdu_out),
        CLUSTER_SUM(&lab.cluster, gn_frames), CLUSTER_SUM(&lab.cluster, forward_npdu_out),
        CLUSTER_SUM(&lab.cluster, forward_behind), CLUSTER_SUM(&lab.cluster, gn_drops[DROP_HANDED_OVER]));
    assert_true(lab.moves > 100);
    assert_true(CLUSTER_SUM(&lab.cluster, npdu_out) > 1000);
    assert_true(CLUSTER_SUM(&lab.cluster, forward_npdu_out) > 1000);
    assert_true(CLUSTER_SUM(&lab.cluster, forward_behind) > 100);
    cluster_close(&lab.cluster);
}

TEST(chance)
{
    for (uint64_t seed = 1; seed <= (short_form_is_wanted() ? 2 : 6); seed++)
        play(2 + (unsigned)seed % 3, seed);
}

UNIT_MAIN(subscriber_start, subscriber_stop)
