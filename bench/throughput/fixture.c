/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/fixture.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/worker.h"
#include "dataplane/worker/xworker.h"

#include <inttypes.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFERS         4095
#define WAITING_BUFFERS 65535  /* with limited BVC buckets, where N-PDUs are queued */
#define OUTSIDE_BUFFERS 16383U /* with given ports */
#define BUFFER_OCTETS   4160   /* of pool memory for an mbuf: without huge pages no two share a page */
#define TABLE_OCTETS    1024   /* of DPDK memory for a mobile, at most */
#define SPARE_OCTETS    ((size_t)64 << 20)
#define SGSN_IP         0x0a000001
#define GGSN_IP         0x0a000002
#define BSS_IP          0x0a000003
#define BSS_PORT        23000
#define LIFETIME_NS     (15 * MOMENT_SECOND)
#define CELL_BUCKET_MS  50
#define WARM_PASSES                                                                                          \
    3 /* of all draws: a mobile's first N-PDU is queued, its scheme is asked about the second */
#define WARM_ROUNDS   16 /* N-PDUs for each mobile: of those drawn uniformly one in nine million has none */
#define QUEUE_OCTETS  64000
#define NSAPI         5
#define SAPI          3
#define ORDERS        1024 /* control messages sent together */
#define DRAIN_STEPS   UINT64_C(1000000)
#define COLLECT_BURST WORKER_BURST

static unsigned buffers_of(const struct bench_plan *plan, const struct bench_fixture_ports *ports)
{
    return ports ? OUTSIDE_BUFFERS : plan->bvc_rate_percent > 0 ? WAITING_BUFFERS : BUFFERS;
}

size_t bench_fixture_memory_octets(const struct bench_plan *plan, const struct bench_point *point)
{
    size_t buffers = (size_t)point->workers * (RTE_MAX(buffers_of(plan, NULL), OUTSIDE_BUFFERS) + BUFFERS);
    return buffers * BUFFER_OCTETS + (size_t)point->mobiles * (plan->is_foreign ? TABLE_OCTETS : 0) +
           point->workers * SPARE_OCTETS;
}

size_t bench_fixture_most_octets(const struct bench_plan *plan, unsigned least_workers)
{
    struct bench_points points = {.plan = plan};
    size_t most = 0;
    do {
        struct bench_point point = bench_plan_point(&points);
        point.workers = RTE_MAX(point.workers, least_workers);
        const size_t octets = bench_fixture_memory_octets(plan, &point);
        most = RTE_MAX(most, octets);
    } while (bench_plan_next_point(&points));
    return most;
}

/* --- ports and worker --- */

static unsigned times; /* DPDK does not release a port's name when it is closed */

static const char *open_ports(struct bench_fixture *fixture, const struct bench_plan *plan,
                              const struct bench_fixture_ports *ports)
{
    char names[4][24];
    times++;
    for (unsigned i = 0; i < 4; i++)
        snprintf(names[i], sizeof(names[i]), "net_ring_%c%u.%u", "nbrt"[i], fixture -> number,
                 times % 100000);
    fixture->rx_pool = pool_new(names[2], buffers_of(plan, ports));
    fixture->tx_pool = pool_new(names[3], BUFFERS);
    if (!fixture->rx_pool || !fixture->tx_pool)
        return "out of memory for mbufs";
    fixture->is_outside = ports != NULL;
    if (ports) {
        fixture->gn.id = ports->gn;
        fixture->gb.id = ports->gb;
    } else if (vport_new(&fixture->gn, names[0], fixture->rx_pool) < 0 ||
               vport_new(&fixture->gb, names[1], fixture->rx_pool) < 0)
        return "out of memory for ports";
    return NULL;
}

static void set_policy(struct context_policy *policy, const struct bench_plan *plan, unsigned buffers)
{
    context_policy_default(policy);
    policy->lifetime =
        (struct lifetime){.mode = LIFETIME_SPLIT, .sgsn_max_ns = LIFETIME_NS, .bss_max_ns = MOMENT_NEVER};
    policy->sched.budget_pkts = buffers - 4 * WORKER_BURST;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (k != QCLASS_SIGNALLING && k != QCLASS_SMS)
            policy->sched.aqm[k] = plan->aqm;
}

static const char *open_worker(struct bench_fixture *fixture, const struct bench_plan *plan)
{
    const char *error = NULL;
    char name[16];
    snprintf(name, sizeof(name), "b%u.%u", fixture->number, times % 100000);
    struct worker_config config = {
        .name = name,
        .number = fixture->number,
        .limits = {.nses = 1,
                   .nsvcs = 1,
                   .bvcs = fixture->cells,
                   .mobiles = fixture->mobiles,
                   .pdps = fixture->mobiles,
                   .foreign_teids = plan->is_foreign ? fixture->mobiles : 1},
        .reassemblies = 1,
        .fragments = 1,
        .fragment_timeout_ns = MOMENT_SECOND,
        .gn_port = fixture->gn.id,
        .gb_port = fixture->gb.id,
        .gea = plan->gea,
        .rx_pool = fixture->rx_pool,
        .tx_pool = fixture->tx_pool,
    };
    if (fixture->ends)
        fixture->guard->ends_give(fixture->ends, &config);
    set_policy(&config.policy, plan, rte_mempool_avail_count(fixture->rx_pool));
    fixture->worker = worker_new(&config, &error);
    return error;
}

/* --- control messages --- */

/* Steps until all messages are answered; returns how many were rejected. */
static unsigned fixture_settle(struct bench_fixture *fixture, unsigned sent)
{
    struct msg answer;
    unsigned answered = 0, refused = 0;
    for (uint64_t i = 0; answered < sent && i < DRAIN_STEPS; i++) {
        worker_step(fixture->worker, fixture->now);
        for (; msg_take(fixture->worker->rings.to_control, &answer); answered++)
            refused += answer.answer.status != 0;
    }
    return refused + sent - answered;
}

static bool order(struct bench_fixture *fixture, const struct msg *request)
{
    return msg_put(fixture->worker->rings.to_worker, request) && fixture_settle(fixture, 1) == 0;
}

/* Unlimited buckets, or the cell's share of the offered load. */
static struct gb_flow flow_of(const struct bench_fixture *fixture, const struct bench_plan *plan,
                              uint16_t octets)
{
    struct gb_flow flow = {.bucket_octets = BUCKET_MAX_OCTETS,
                           .rate_bps = BUCKET_MAX_RATE_BPS,
                           .ms_bucket_octets = BUCKET_MAX_OCTETS,
                           .ms_rate_bps = BUCKET_MAX_RATE_BPS,
                           .ratio_percent = -1};
    if (!fixture->is_limited)
        return flow;
    double octets_per_s = bench_traffic_mean_llc_octets(octets, plan->n201_u) * fixture->burst *
                          MOMENT_SECOND / (double)fixture->step_ns;
    flow.rate_bps = (uint64_t)(octets_per_s * 8 * plan->bvc_rate_percent / 100 / fixture->cells);
    flow.bucket_octets = flow.rate_bps / 8 * CELL_BUCKET_MS / 1000 + UINT64_C(2) * plan->n201_u;
    return flow;
}

static bool order_gb(struct bench_fixture *fixture, const struct gb_flow *flow)
{
    struct msg nsvc = {.type = MSG_NSVC_ADD};
    nsvc.nsvc = (struct gb_nsvc_params){
        .local_ip = SGSN_IP, .remote_ip = BSS_IP, .remote_port = BSS_PORT, .data_weight = 1};
    bool is_done = order(fixture, &(struct msg){.type = MSG_NSE_ADD}) && order(fixture, &nsvc) &&
                   order(fixture, &(struct msg){.type = MSG_NSVC_STATE, .is_usable = true});
    for (uint32_t i = 0; is_done && i < fixture->cells; i++) {
        struct msg bvc_flow = {.type = MSG_BVC_FLOW, .slot = i, .flow = *flow};
        is_done = order(fixture, &(struct msg){.type = MSG_BVC_ADD, .slot = i, .bvc = {.bvci = i + 2}}) &&
                  order(fixture, &(struct msg){.type = MSG_BVC_STATE, .slot = i, .is_unblocked = true}) &&
                  order(fixture, &bvc_flow);
    }
    return is_done;
}

/* Returns how many messages it sent. */
static unsigned order_mobile(struct bench_fixture *fixture, const struct bench_plan *plan, uint8_t cipher,
                             uint32_t i)
{
    struct msg ms = {.type = MSG_MS_ADD, .slot = i}, pdp = {.type = MSG_PDP_ADD, .slot = i};
    struct msg key = {.type = MSG_MS_CIPHER, .slot = i, .cipher = bench_sink_cipher(cipher, i)};
    ms.ms = (struct ms_params){.tlli = BENCH_SINK_TLLI + i,
                               .bvc = (uint16_t)(i % fixture->cells),
                               .n201_u = plan->n201_u,
                               .queue_limit_octets = QUEUE_OCTETS};
    pdp.pdp = (struct pdp_params){.ms = i,
                                  .sgsn_ip = SGSN_IP,
                                  .teid = bench_traffic_teid(&fixture->traffic.params, i),
                                  .ggsn_ip = GGSN_IP,
                                  .address = BENCH_TRAFFIC_ADDRESS + i,
                                  .ip_version = 4,
                                  .nsapi = NSAPI,
                                  .sapi = SAPI,
                                  .qclass = QCLASS_BACKGROUND,
                                  .pfi = N_PDU_NO_PFI};
    msg_put(fixture->worker->rings.to_worker, &ms);
    msg_put(fixture->worker->rings.to_worker, &pdp);
    if (cipher == 0)
        return 2;
    msg_put(fixture->worker->rings.to_worker, &key);
    bench_sink_expect(&fixture->sink, i, &key.cipher);
    return 3;
}

static bool order_mobiles(struct bench_fixture *fixture, const struct bench_plan *plan, uint8_t cipher)
{
    unsigned sent = 0, refused = 0;
    for (uint32_t i = 0; i < fixture->mobiles; i++) {
        sent += order_mobile(fixture, plan, cipher, i);
        if (sent + 3 > ORDERS) {
            refused += fixture_settle(fixture, sent);
            sent = 0;
        }
    }
    return refused + fixture_settle(fixture, sent) == 0;
}

/* --- the fixture --- */

uint32_t bench_fixture_part(uint32_t sum, unsigned number, unsigned workers)
{
    return sum / workers + (number < sum % workers);
}

uint32_t bench_fixture_first(uint32_t sum, unsigned number, unsigned workers)
{
    return number * (sum / workers) + (uint32_t)RTE_MIN(number, sum % workers);
}

struct bench_traffic_params bench_fixture_traffic(const struct bench_plan *plan,
                                                  const struct bench_point *point, unsigned number)
{
    const uint32_t mobiles = bench_fixture_part(point->mobiles, number, point->workers);
    return (struct bench_traffic_params){.mobiles = mobiles,
                                         .slots = mobiles,
                                         .octets = point->octets,
                                         .zipf = plan->zipf,
                                         .worker = number,
                                         .is_foreign = plan->is_foreign,
                                         .sgsn_ip = SGSN_IP,
                                         .ggsn_ip = GGSN_IP,
                                         .seed = plan->seed};
}

static const char *open_guard(struct bench_fixture *fixture, const struct bench_plan *plan)
{
    static struct bench_fault fault;
    const struct bench_guard_addresses addresses = {.sgsn_ip = SGSN_IP, .ggsn_ip = GGSN_IP, .bss_ip = BSS_IP};
    fault.text[0] = 0;
    fixture->guard = plan->guard.of;
    fixture->ends = fixture->guard->ends_new(plan, &addresses, fixture->number, fixture->rx_pool, &fault);
    return fixture->ends ? NULL : fault.text;
}

static const char *fixture_start(struct bench_fixture *fixture, const struct bench_plan *plan,
                                 const struct bench_point *point, const struct bench_fixture_ports *ports)
{
    struct bench_traffic_params params = bench_fixture_traffic(plan, point, fixture->number);
    if (!bench_traffic_new(&fixture->traffic, &params) ||
        !bench_sink_new(&fixture->sink, fixture->mobiles, plan->gea, plan->is_fcs_checked))
        return "out of memory for the traffic";
    const char *error = open_ports(fixture, plan, ports);
    if (!error && bench_plan_has_guard(plan))
        error = open_guard(fixture, plan);
    if (!error)
        error = open_worker(fixture, plan);
    if (error)
        return error;
    struct gb_flow flow = flow_of(fixture, plan, point->octets);
    if (!order_gb(fixture, &flow) || !order_mobiles(fixture, plan, point->cipher))
        return "the dataplane rejected a control message";
    return NULL;
}

struct bench_fixture *bench_fixture_new(const struct bench_plan *plan, const struct bench_point *point,
                                        unsigned number, const struct bench_fixture_ports *ports,
                                        struct bench_fault *error)
{
    struct bench_fixture *fixture = calloc(1, sizeof(*fixture));
    if (!fixture) {
        bench_fault_add(error, "out of memory for a worker");
        return NULL;
    }
    fixture->number = number;
    fixture->is_limited = plan->bvc_rate_percent > 0;
    fixture->step_ns = fixture->is_limited ? BENCH_FIXTURE_LIMITED_STEP_NS : BENCH_FIXTURE_STEP_NS;
    fixture->mobiles = bench_fixture_part(point->mobiles, number, point->workers);
    fixture->cells = bench_fixture_part(point->cells, number, point->workers);
    fixture->burst = fixture->is_limited
                         ? WORKER_BURST / bench_traffic_most_frames(point->octets, plan->n201_u)
                         : WORKER_BURST;
    const char *reason = fixture_start(fixture, plan, point, ports);
    if (!reason)
        return fixture;
    bench_fault_add(error, "%s (%u mobiles, %u cells)", reason, fixture->mobiles, fixture->cells);
    bench_fixture_free(fixture);
    return NULL;
}

void bench_fixture_free(struct bench_fixture *fixture)
{
    if (fixture->worker)
        worker_free(fixture->worker);
    if (fixture->ends)
        fixture->guard->ends_free(fixture->ends);
    if (!fixture->is_outside) {
        vport_free(&fixture->gn);
        vport_free(&fixture->gb);
    }
    rte_mempool_free(fixture->rx_pool);
    rte_mempool_free(fixture->tx_pool);
    bench_sink_free(&fixture->sink);
    bench_traffic_free(&fixture->traffic);
    free(fixture);
}

/* --- traffic --- */

/* N-PDUs that were offered, and neither sent nor dropped. */
static uint64_t waiting(const struct bench_fixture *fixture)
{
    return fixture->fed - bench_fixture_done(fixture);
}

/* As much further back in its buffer as sealing makes it longer in front: it then begins where a card puts
 * frames. */
static struct rte_mbuf *new_frame(struct bench_fixture *fixture, struct bench_traffic *traffic)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(fixture->rx_pool);
    if (!mbuf)
        return NULL;
    mbuf->data_off += fixture->ends ? fixture->guard->before_octets : 0;
    uint16_t octets = bench_traffic_put(traffic, rte_pktmbuf_mtod(mbuf, uint8_t *));
    mbuf->data_len = octets;
    mbuf->pkt_len = octets;
    return mbuf;
}

static bool feed_sealed(struct bench_fixture *fixture)
{
    struct rte_mbuf *frames[WORKER_BURST];
    unsigned count = 0;
    while (count < fixture->burst && (frames[count] = new_frame(fixture, &fixture->traffic)))
        count++;
    bool has_all = count == fixture->burst;
    count = fixture->guard->ends_seal(fixture->ends, frames, count);
    unsigned fed = rte_ring_enqueue_burst(fixture->gn.to_worker, (void **)frames, count, NULL);
    rte_pktmbuf_free_bulk(frames + fed, count - fed);
    fixture->fed += fed;
    return has_all;
}

void bench_fixture_join(struct bench_fixture *fixture, struct xworker *x, struct bench_fixture_mix *mix)
{
    fixture->worker->xworker = x;
    fixture->worker->tunnels.workers = x->count;
    fixture->mix = mix;
}

/* Without free buffers none is fed: others have them. */
static void feed_mix(struct bench_fixture *fixture)
{
    struct bench_fixture_mix *mix = fixture->mix;
    const bool is_behind = rte_ring_count(fixture->gn.to_worker) > 0 ||
                           xworker_has_waiting(fixture->worker->xworker, fixture->number);
    for (unsigned i = 0; i < fixture->burst && mix->count > 0 && !is_behind; i++) {
        struct rte_mbuf *mbuf = new_frame(fixture, &mix->traffics[mix->next]);
        if (!mbuf)
            return;
        mix->next = mix->next + 1 < mix->count ? mix->next + 1 : 0;
        rte_ring_enqueue(fixture->gn.to_worker, mbuf);
        fixture->fed++;
    }
}

bool bench_fixture_feed(struct bench_fixture *fixture)
{
    if (fixture->mix) {
        feed_mix(fixture);
        return true;
    }
    if (!fixture->is_limited && waiting(fixture) > WORKER_BURST)
        return true;
    if (fixture->ends)
        return feed_sealed(fixture);
    for (unsigned i = 0; i < fixture->burst; i++) {
        struct rte_mbuf *mbuf = new_frame(fixture, &fixture->traffic);
        if (mbuf == NULL)
            return false;
        if (rte_ring_enqueue(fixture->gn.to_worker, mbuf) < 0) { /* full: the worker is behind */
            rte_pktmbuf_free(mbuf);
            return true;
        }
        fixture->fed++;
    }
    return true;
}

void bench_fixture_step(struct bench_fixture *fixture)
{
    fixture->now += fixture->step_ns;
    worker_step(fixture->worker, fixture->now);
}

void bench_fixture_collect(struct bench_fixture *fixture)
{
    struct rte_mbuf *mbufs[COLLECT_BURST];
    unsigned count;
    bool is_last;
    do {
        count = rte_ring_dequeue_burst(fixture->gb.to_outside, (void **)mbufs, COLLECT_BURST, NULL);
        is_last = count < COLLECT_BURST;
        if (fixture->ends && fixture->sink.counts)
            count = fixture->guard->ends_open(fixture->ends, mbufs, count);
        for (unsigned i = 0; i < count; i++)
            bench_sink_take(&fixture->sink, rte_pktmbuf_mtod(mbufs[i], uint8_t *),
                            rte_pktmbuf_data_len(mbufs[i]));
        rte_pktmbuf_free_bulk(mbufs, count);
    } while (!is_last);
}

static uint64_t dropped(const struct bench_fixture *fixture)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < DROP_COUNT; i++)
        sum += fixture->worker->stats.gn_drops[i];
    return sum;
}

bool bench_fixture_is_warm(const struct bench_fixture *fixture)
{
    return fixture->fed > WARM_PASSES * (uint64_t)fixture->traffic.draw_mask ||
           fixture->fed >= WARM_ROUNDS * (uint64_t)fixture->mobiles;
}

uint64_t bench_fixture_done(const struct bench_fixture *fixture)
{
    return fixture->worker->stats.npdu_out + (fixture->is_limited ? dropped(fixture) : 0);
}

void bench_fixture_drain(struct bench_fixture *fixture)
{
    for (uint64_t i = 0; i < DRAIN_STEPS && fixture->worker->stats.npdu_out + dropped(fixture) < fixture->fed;
         i++) {
        bench_fixture_step(fixture);
        bench_fixture_collect(fixture);
    }
    bench_fixture_step(fixture); /* an idle step: the worker returns spare mbufs */
    bench_fixture_collect(fixture);
}

static void check_counts(const struct bench_fixture *fixture, struct bench_fault *fault)
{
    const struct worker_stats *stats = &fixture->worker->stats;
    if (stats->gn_frames != fixture->fed)
        bench_fault_add(fault, "Gn: %" PRIu64 " frames offered, %" PRIu64 " received by the worker",
                        fixture->fed, stats->gn_frames);
    if (stats->npdu_in != fixture->fed)
        bench_fault_add(fault, "Gn: %" PRIu64 " N-PDUs offered, %" PRIu64 " accepted by the worker",
                        fixture->fed, stats->npdu_in);
    if (stats->npdu_out + dropped(fixture) != fixture->fed)
        bench_fault_add(fault, "N-PDU leak: %" PRIu64 " offered, %" PRIu64 " sent, %" PRIu64 " dropped",
                        fixture->fed, stats->npdu_out, dropped(fixture));
    if (stats->llc_frames != fixture->sink.frames)
        bench_fault_add(fault, "Gb: %" PRIu64 " LLC frames sent by the worker, %" PRIu64 " received",
                        stats->llc_frames, fixture->sink.frames);
}

void bench_fixture_check(const struct bench_fixture *fixture, struct bench_fault *fault)
{
    const struct bench_sink *sink = &fixture->sink;
    const unsigned mbufs =
        rte_mempool_in_use_count(fixture->rx_pool) + rte_mempool_in_use_count(fixture->tx_pool);
    check_counts(fixture, fault);
    if (!bench_sink_is_content(sink))
        bench_fault_add(fault,
                        "Gb: %" PRIu64 " frames malformed, %" PRIu64 " with a wrong FCS, %" PRIu64
                        " with N(U) out of order",
                        sink->malformed, sink->wrong_fcs, sink->out_of_order);
    if (fixture->ends)
        fixture->guard->ends_check(fixture->ends, fault);
    if (mbufs > 0)
        bench_fault_add(fault, "mbuf leak: 0 in use before, %u after", mbufs);
}
