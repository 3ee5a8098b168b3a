/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/shard/cluster.h"

#include "dataplane/memory/pool.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MAX     200000
#define BUFFERS       8191
#define FRAGMENTS     16
#define OPEN_OCTETS   6553500000u
#define OPEN_RATE_BPS 6553500000u

/* --- life --- */

static struct cluster_options full_options(const struct cluster_options *given)
{
    struct cluster_options o = given ? *given : (struct cluster_options){0};
    o.workers = o.workers ? o.workers : 2;
    o.buffers = o.buffers ? o.buffers : BUFFERS;
    o.n201_u = o.n201_u ? o.n201_u : 500;
    o.queue_limit_octets = o.queue_limit_octets ? o.queue_limit_octets : 1000000;
    o.remote_mobiles_max = o.remote_mobiles_max ? o.remote_mobiles_max : CLUSTER_MOBILES;
    return o;
}

static void open_worker(struct cluster *c, unsigned number, const char *name)
{
    const char *error;
    struct worker_config config = {
        .name = name,
        .number = number,
        .xworker = c->xworker,
        .remote_mobiles_max = c->options.remote_mobiles_max,
        .limits = ROW(.nses = 1, .nsvcs = 2, .bvcs = CLUSTER_CELLS, .mobiles = CLUSTER_MOBILES,
                      .pdps = CLUSTER_PDPS, .extra_flows = CLUSTER_PDPS, .has_elements = true),
        .reassemblies = FRAGMENTS,
        .fragments = FRAGMENTS,
        .fragment_timeout_ns = 5 * MOMENT_SECOND,
        .gn_port = c->nodes[number].gn.id,
        .gb_port = c->nodes[number].gb.id,
        .rx_pool = c->rx_pool,
        .tx_pool = c->tx_pool,
        .abm = c->options.abm,
        .compression = c->options.compression,
        .punts_unknown_tlli = c->options.is_told,
        .no_uplink_filter = true,
    };
    context_policy_default(&config.policy);
    if (c->options.configure)
        c->options.configure(c->options.configure_arg, &config);
    c->nodes[number].worker = worker_new(&config, &error);
    assert_non_null(c->nodes[number].worker);
}

static void order_gb(struct cluster *c, unsigned worker)
{
    const struct msg orders[] = {
        {.type = MSG_NSE_ADD, .nsei = 101 + worker},
        kit_nsvc(0),
        {.type = MSG_NSVC_STATE, .is_usable = true},
        {.type = MSG_GN_ADDRESS, .address = {.ip = KIT_SGSN_IP, .is_there = true}},
    };
    for (size_t i = 0; i < COUNT(orders); i++)
        cluster_do(c, worker, &orders[i]);
    for (uint16_t i = 0; i < CLUSTER_CELLS; i++) {
        cluster_do(c, worker, &(struct msg){.type = MSG_BVC_ADD, .slot = i, .bvc = {.bvci = 2u + i}});
        cluster_do(c, worker, &(struct msg){.type = MSG_BVC_STATE, .slot = i, .is_unblocked = true});
    }
}

void cluster_open(struct cluster *c, const struct cluster_options *options)
{
    static unsigned opened;
    char name[32];

    *c = (struct cluster){.options = full_options(options), .now = MOMENT_SECOND};
    snprintf(name, sizeof(name), "crx%u", opened);
    c->rx_pool = pool_new(name, c->options.buffers);
    snprintf(name, sizeof(name), "ctx%u", opened);
    c->tx_pool = pool_new(name, c->options.buffers);
    snprintf(name, sizeof(name), "cp%u", opened);
    c->xworker = xworker_new(name, c->options.workers);
    assert_true(c->rx_pool && c->tx_pool && c->xworker);
    for (unsigned i = 0; i < c->options.workers; i++) {
        snprintf(name, sizeof(name), "net_ring_n%u%u", opened, i);
        assert_int_equal(vport_new(&c->nodes[i].gn, name, c->rx_pool), 0);
        snprintf(name, sizeof(name), "net_ring_b%u%u", opened, i);
        assert_int_equal(vport_new(&c->nodes[i].gb, name, c->rx_pool), 0);
        snprintf(name, sizeof(name), "c%u.%u", opened, i);
        open_worker(c, i, name);
    }
    opened++;
    for (unsigned i = 0; i < c->options.workers; i++)
        order_gb(c, i);
    cluster_open_buckets(c);
}

static void close_pool(struct rte_mempool *pool, uint32_t buffers)
{
    assert_int_equal(rte_mempool_avail_count(pool), buffers);
    rte_mempool_free(pool);
}

void cluster_close(struct cluster *c)
{
    xworker_free(c->xworker, moves_free_note);
    for (unsigned i = 0; i < c->options.workers; i++) {
        worker_free(c->nodes[i].worker);
        vport_free(&c->nodes[i].gn);
        vport_free(&c->nodes[i].gb);
    }
    close_pool(c->rx_pool, c->options.buffers);
    close_pool(c->tx_pool, c->options.buffers);
}

/* --- sums --- */

static uint64_t sum(const uint64_t *drops, int from, int to)
{
    uint64_t total = 0;
    for (int reason = from; reason < to; reason++)
        total += drops[reason];
    return total;
}

void cluster_check(const struct worker *w)
{
    const struct worker_stats *s = &w->stats;
    assert_int_equal(s->gn_frames + s->gn_steered_in, s->npdu_in +
                                                          sum(s->gn_drops, DROP_NONE, DROP_FIRST_NPDU) +
                                                          s->gn_merged + s->gn_held + s->gn_steered_out);
    assert_int_equal(s->npdu_in + s->npdu_xworker_in,
                     s->npdu_out + s->forward_npdu_out + sum(s->gn_drops, DROP_FIRST_NPDU, DROP_COUNT) +
                         context_queued_pkts(&w->context) + s->npdu_held + s->npdu_xworker_out);
    assert_int_equal(s->gb_frames + s->gb_steered_in + s->gb_returned,
                     s->punted + s->ul_segments + s->ul_held + s->gb_steered_out + s->gb_merged + s->gb_held +
                         sum(s->gb_drops, DROP_NONE, DROP_FIRST_NPDU));
}

uint64_t cluster_on_the_way(const struct cluster *c)
{
    return CLUSTER_SUM(c, gn_steered_out) - CLUSTER_SUM(c, gn_steered_in) + CLUSTER_SUM(c, npdu_xworker_out) -
           CLUSTER_SUM(c, npdu_xworker_in) + CLUSTER_SUM(c, gb_steered_out) - CLUSTER_SUM(c, gb_steered_in);
}

uint64_t cluster_drops(const struct cluster *c)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < c->options.workers; i++)
        total += sum(c->nodes[i].worker->stats.gn_drops, DROP_NONE, DROP_COUNT);
    return total;
}

const char *cluster_why(const struct cluster *c)
{
    for (unsigned i = 0; i < c->options.workers; i++)
        for (unsigned reason = DROP_NONE + 1; reason < DROP_COUNT; reason++)
            if (c->nodes[i].worker->stats.gn_drops[reason] > 0)
                return drop_name(reason);
    return "none";
}

uint64_t cluster_queued(const struct cluster *c)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < c->options.workers; i++)
        total += context_queued_pkts(&c->nodes[i].worker->context);
    return total;
}

/* --- steps --- */

static void take_answers(struct cluster_node *node, bool is_told)
{
    struct msg msg;
    while (node->answer_count < CLUSTER_ANSWERS && shares_take(&node->worker->rings, &msg)) {
        assert_true(is_told || msg.type == MSG_ANSWER || msg.type == MSG_MS_HEARD);
        const struct msg decided = {
            .type = MSG_MS_DECIDED, .slot = msg.slot, .heard_number = msg.heard.number};
        if (msg.type == MSG_MS_HEARD)
            assert_true(msg_put(node->worker->rings.to_worker, &decided));
        if (msg.type == MSG_ANSWER) {
            node->answers[node->answer_count++] = msg;
        } else if (is_told) {
            assert_true(node->told_count < CLUSTER_TOLD);
            node->told[node->told_count++] = msg;
        }
    }
}

bool cluster_take_told(struct cluster *c, unsigned worker, struct msg *msg)
{
    struct cluster_node *node = &c->nodes[worker];
    if (node->told_count == 0)
        return false;
    *msg = node->told[0];
    memmove(node->told, node->told + 1, --node->told_count * sizeof(node->told[0]));
    return true;
}

static void take_frames(struct cluster *c, unsigned worker)
{
    struct rte_mbuf *mbuf;
    while (c->on_gb && (mbuf = vport_pull(&c->nodes[worker].gb))) {
        c->on_gb(c->arg, worker, rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_data_len(mbuf));
        rte_pktmbuf_free(mbuf);
    }
}

int64_t cluster_step(struct cluster *c, unsigned worker)
{
    int64_t next = worker_step(c->nodes[worker].worker, c->now);
    cluster_check(c->nodes[worker].worker);
    take_frames(c, worker);
    take_answers(&c->nodes[worker], c->options.is_told);
    return next;
}

void cluster_settle(struct cluster *c)
{
    unsigned resting = 0;
    for (unsigned i = 0; i < STEPS_MAX && resting < c->options.workers; i++)
        resting = cluster_step(c, i % c->options.workers) > c->now ? resting + 1 : 0;
    assert_int_equal(resting, c->options.workers);
    assert_int_equal(cluster_on_the_way(c), 0);
}

void cluster_settle_at(struct cluster *c, int64_t now)
{
    c->now = now;
    cluster_settle(c);
}

/* --- orders --- */

uint32_t cluster_post(struct cluster *c, unsigned worker, const struct msg *msg)
{
    struct msg request = *msg;
    request.seq = ++c->seq;
    assert_true(msg_put(c->nodes[worker].worker->rings.to_worker, &request));
    return request.seq;
}

bool cluster_is_answered(struct cluster *c, unsigned worker, uint32_t seq, int *status)
{
    struct cluster_node *node = &c->nodes[worker];
    for (unsigned i = 0; i < node->answer_count; i++) {
        if (node->answers[i].seq != seq)
            continue;
        *status = node->answers[i].answer.status;
        node->answers[i] = node->answers[--node->answer_count];
        return true;
    }
    return false;
}

int cluster_order(struct cluster *c, unsigned worker, const struct msg *msg)
{
    int status = 0;
    uint32_t seq = cluster_post(c, worker, msg);
    cluster_settle(c);
    assert_true(cluster_is_answered(c, worker, seq, &status));
    return status;
}

void cluster_do(struct cluster *c, unsigned worker, const struct msg *msg)
{
    assert_int_equal(cluster_order(c, worker, msg), 0);
}

void cluster_flow(struct cluster *c, unsigned worker, uint16_t bvc, uint64_t octets, uint64_t rate_bps)
{
    struct msg msg = {.type = MSG_BVC_FLOW, .slot = bvc};
    msg.flow = (struct gb_flow){.bucket_octets = octets,
                                .rate_bps = rate_bps,
                                .ms_bucket_octets = octets,
                                .ms_rate_bps = rate_bps,
                                .ratio_percent = -1};
    cluster_do(c, worker, &msg);
}

void cluster_open_buckets(struct cluster *c)
{
    for (unsigned i = 0; i < c->options.workers; i++)
        for (uint16_t k = 0; k < CLUSTER_CELLS; k++)
            cluster_flow(c, i, k, OPEN_OCTETS, OPEN_RATE_BPS);
}

void cluster_put_gn(struct cluster *c, unsigned worker, const uint8_t *frame, size_t octets)
{
    assert_int_equal(vport_push(&c->nodes[worker].gn, frame, octets), 0);
}

void cluster_put_gb(struct cluster *c, unsigned worker, const uint8_t *frame, size_t octets)
{
    assert_int_equal(vport_push(&c->nodes[worker].gb, frame, octets), 0);
}
