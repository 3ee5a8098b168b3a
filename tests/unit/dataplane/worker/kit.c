/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/worker/kit.h"

#include "control/base/eal.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/memory/pool.h"
#include "tests/unit/dataplane/worker/gb_frame.h"

#include <rte_ethdev.h>
#include <stdio.h>
#include <string.h>

#define MEMORY_OCTETS   (256u * 1024 * 1024)
#define STEPS_MAX       100000
#define OPEN_OCTETS     6553500000u
#define OPEN_RATE_BPS   6553500000u
#define FRAGMENT_EXPIRY (5 * MOMENT_SECOND)

int kit_start(void **state)
{
    return eal_start_virtual(MEMORY_OCTETS) ? 0 : -1;
}

/* --- life --- */

static uint32_t or_else(uint32_t value, uint32_t otherwise)
{
    return value ? value : otherwise;
}

static struct kit_options full_options(const struct kit_options *given)
{
    struct kit_options o = given ? *given : (struct kit_options){0};
    o.rx_buffers = or_else(o.rx_buffers, KIT_BUFFERS);
    o.tx_buffers = or_else(o.tx_buffers, KIT_BUFFERS);
    o.fragments = or_else(o.fragments, 8);
    o.reassemblies = or_else(o.reassemblies, 8);
    o.n201_u = (uint16_t)or_else(o.n201_u, 1520);
    o.queue_limit_octets = or_else(o.queue_limit_octets, 1000000);
    o.lifetime_ns = o.lifetime_ns ? o.lifetime_ns : MOMENT_NEVER;
    return o;
}

static void open_worker(struct kit *kit, const char *name)
{
    const struct kit_options *o = &kit->options;
    const char *error;
    struct worker_config config = {
        .name = name,
        .limits = ROW(.nses = 2, .nsvcs = 3, .bvcs = 3, .mobiles = KIT_MOBILES, .pdps = KIT_PDPS,
                      .extra_flows = KIT_PDPS, .has_elements = !o->has_no_elements),
        .reassemblies = o->reassemblies,
        .fragments = o->fragments,
        .fragment_timeout_ns = FRAGMENT_EXPIRY,
        .gn_mtu_octets = o->gn_mtu_octets,
        .is_gn_whole = o->is_gn_whole,
        .no_uplink_filter = o->no_uplink_filter,
        .is_any_ggsn = o->is_any_ggsn,
        .gn_marking = o->gn_marking,
        .gb_marking = o->gb_marking,
        .pacing = o->pacing,
        .abm = o->abm,
        .compression = o->compression,
        .gb_overhead_octets = o->gb_overhead_octets,
        .guards = o->guards,
        .gn_port = kit->gn.id,
        .gb_port = kit->gb.id,
        .gn_mac = {2, 0, 0, 0, 0, 1},
        .gn_peer_mac = {o->has_neighbours ? 0 : 2, 0, 0, 0, 0, o->has_neighbours ? 0 : 2},
        .has_gtpc = o->has_gtpc,
        .has_neighbours = o->has_neighbours,
        .has_paging = o->has_paging,
        .punts_unlisted = o->has_unlisted,
        .rx_pool = kit->rx_pool,
        .tx_pool = kit->tx_pool,
        .gea = kit->options.has_no_gea ? NULL : gea_init(kit->options.gea, NULL),
    };
    context_policy_default(&config.policy);
    config.policy.lifetime.mode = o->is_split ? LIFETIME_SPLIT : LIFETIME_SGSN_ONLY;
    config.policy.lifetime.sgsn_max_ns = o->lifetime_ns;
    config.policy.ready_ns = o->ready_ns;
    config.policy.unitdata = (struct context_unitdata){!o->is_silent_of_old, o->is_aligned};
    if (o->class_limit_pkts > 0)
        config.policy.sched.class_limits[QCLASS_BACKGROUND].pkts = o->class_limit_pkts;
    if (o->budget_pkts > 0)
        config.policy.sched.budget_pkts = o->budget_pkts;
    if (o->policy)
        config.policy = *o->policy;
    if (o->configure)
        o->configure(&config);
    kit->worker = worker_new(&config, &error);
    assert_non_null(kit->worker);
}

static void order_all(struct kit *kit)
{
    const struct msg orders[] = {
        {.type = MSG_NSE_ADD, .slot = 0, .nsei = 101},
        kit_nsvc(0),
        {.type = MSG_NSVC_STATE, .slot = 0, .is_usable = true},
        {.type = MSG_BVC_ADD, .slot = 0, .bvc = {.bvci = KIT_BVCI, .nse = 0}},
        {.type = MSG_BVC_STATE, .slot = 0, .is_unblocked = true},
        kit_ms(kit, 0, KIT_TLLI),
        kit_pdp(0, 0, KIT_NSAPI, KIT_TEID),
    };
    for (size_t i = 0; i < COUNT(orders); i++)
        kit_do(kit, &orders[i]);
    kit_flow(kit, OPEN_OCTETS, OPEN_RATE_BPS);
}

static unsigned opened;

void kit_open(struct kit *kit, const struct kit_options *options)
{
    char name[4][24];
    const char *const formats[] = {"rx%u", "tx%u", "net_ring_n%u", "net_ring_b%u"};

    for (unsigned i = 0; i < 4; i++)
        snprintf(name[i], sizeof(name[i]), formats[i], opened);
    *kit = (struct kit){.options = full_options(options), .now = MOMENT_SECOND};
    kit->rx_pool = pool_new(name[0], kit->options.rx_buffers);
    kit->tx_pool = pool_new(name[1], kit->options.tx_buffers);
    assert_non_null(kit->rx_pool);
    assert_non_null(kit->tx_pool);
    assert_int_equal(vport_new(&kit->gn, name[2], kit->rx_pool), 0);
    assert_int_equal(vport_new(&kit->gb, name[3], kit->rx_pool), 0);
    snprintf(name[0], sizeof(name[0]), "w%u", opened++);
    open_worker(kit, name[0]);
    order_all(kit);
}

void kit_pause(struct kit *kit)
{
    rte_eth_dev_stop(kit->gn.id);
    rte_eth_dev_stop(kit->gb.id);
    kit->worker->gn.id = kit->worker->gb.id = RTE_MAX_ETHPORTS; /* not to be closed */
    worker_free(kit->worker);
    assert_int_equal(rte_mempool_avail_count(kit->rx_pool), kit->options.rx_buffers);
    assert_int_equal(rte_mempool_avail_count(kit->tx_pool), kit->options.tx_buffers);
}

void kit_resume(struct kit *kit)
{
    char name[24];
    *kit = (struct kit){.options = kit->options,
                        .now = MOMENT_SECOND,
                        .rx_pool = kit->rx_pool,
                        .tx_pool = kit->tx_pool,
                        .gn = kit->gn,
                        .gb = kit->gb};
    snprintf(name, sizeof(name), "w%u", opened++);
    open_worker(kit, name);
    order_all(kit);
}

static void close_pool(struct rte_mempool *pool, uint32_t buffers)
{
    assert_int_equal(rte_mempool_avail_count(pool), buffers);
    rte_mempool_free(pool);
}

void kit_close(struct kit *kit)
{
    worker_free(kit->worker);
    vport_free(&kit->gn);
    vport_free(&kit->gb);
    close_pool(kit->rx_pool, kit->options.rx_buffers);
    close_pool(kit->tx_pool, kit->options.tx_buffers);
}

/* --- steps --- */

static uint64_t sum(const uint64_t *drops, enum drop from, enum drop to)
{
    uint64_t total = 0;
    for (int reason = (int)from; reason < (int)to; reason++)
        total += drops[reason];
    return total;
}

void kit_check(const struct kit *kit)
{
    const struct worker_stats *s = &kit->worker->stats;

    assert_int_equal(s->gn_frames,
                     s->npdu_in + sum(s->gn_drops, DROP_NONE, DROP_FIRST_NPDU) + s->gn_merged + s->gn_held);
    assert_int_equal(s->npdu_in, s->npdu_out + s->forward_npdu_out +
                                     sum(s->gn_drops, DROP_FIRST_NPDU, DROP_COUNT) +
                                     context_queued_pkts(&kit->worker->context));
    assert_int_equal(s->gb_frames + s->gb_returned, s->punted + s->ul_segments + s->ul_held + s->gb_merged +
                                                        s->gb_held +
                                                        sum(s->gb_drops, DROP_NONE, DROP_FIRST_NPDU));
    assert_int_equal(s->gn_answers_due, s->gn_echo_responses + s->gn_error_indications +
                                            s->gn_extension_notifications + s->gn_rate_limited +
                                            s->gn_unanswerable + s->gn_answers_unsent + s->gn_answers_held);
    assert_int_equal(sum(s->gb_drops, DROP_FIRST_NPDU, DROP_COUNT), 0);
    assert_int_equal(s->gn_drops[DROP_NONE] + s->gb_drops[DROP_NONE], 0);
}

int64_t kit_settle(struct kit *kit)
{
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        int64_t next = worker_step(kit->worker, kit->now);
        kit_check(kit);
        if (next > kit->now)
            return next;
    }
    fail_msg("the worker does not rest");
    return 0;
}

int64_t kit_settle_at(struct kit *kit, int64_t now)
{
    kit->now = now;
    return kit_settle(kit);
}

/* --- orders --- */

int kit_order(struct kit *kit, const struct msg *msg)
{
    struct msg request = *msg, answer;
    request.seq = ++kit->seq;
    assert_true(msg_put(kit->worker->rings.to_worker, &request));
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &answer));
    assert_int_equal(answer.type, MSG_ANSWER);
    assert_int_equal(answer.seq, request.seq);
    assert_false(kit_take_msg(kit, &answer));
    return answer.answer.status;
}

void kit_do(struct kit *kit, const struct msg *msg)
{
    assert_int_equal(kit_order(kit, msg), 0);
}

void kit_open_cells(struct kit *kit)
{
    struct msg nsvc = kit_nsvc(1), flow = {.type = MSG_BVC_FLOW};
    nsvc.nsvc.nse = 1;
    flow.flow = (struct gb_flow){1000000, 10000000, 1000000, 10000000, -1};
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = 1, .nsei = 102});
    kit_do(kit, &nsvc);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true});
    for (uint32_t i = 1; i < 3; i++) {
        flow.slot = i;
        kit_do(kit, &(struct msg){
                        .type = MSG_BVC_ADD, .slot = i, .bvc = {.bvci = KIT_BVCI + 1 + i, .nse = i == 1}});
        kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .slot = i, .is_unblocked = true});
        kit_do(kit, &flow);
    }
}

void kit_flow(struct kit *kit, uint64_t octets, uint64_t rate_bps)
{
    struct msg msg = {.type = MSG_BVC_FLOW};
    msg.flow = (struct gb_flow){.bucket_octets = octets,
                                .rate_bps = rate_bps,
                                .ms_bucket_octets = octets,
                                .ms_rate_bps = rate_bps,
                                .ratio_percent = -1};
    kit_do(kit, &msg);
}

struct msg kit_ms(const struct kit *kit, uint32_t index, uint32_t tlli)
{
    struct msg msg = {.type = MSG_MS_ADD, .slot = index};
    const struct kit_options *o = &kit->options;
    const struct ms_link_header header = {.imsi_octets = o->imsi_octets, .is_aligned = o->is_aligned};
    int overhead = o->gb_overhead_octets;
    msg.ms = (struct ms_params){.tlli = tlli,
                                .n201_u = kit->options.n201_u,
                                .queue_limit_octets = kit->options.queue_limit_octets,
                                .link_octets = overhead ? ms_link_octets(&header, overhead) : 0,
                                .imsi_octets = kit->options.imsi_octets,
                                .imsi = {0x29, 0x62, 0x02, 0x10, 0x32, 0x54, 0x76, 0x98}};
    return msg;
}

struct msg kit_pdp(uint32_t index, uint32_t ms, uint8_t nsapi, uint32_t teid)
{
    struct msg msg = {.type = MSG_PDP_ADD, .slot = index};
    msg.pdp = (struct pdp_params){.ms = ms,
                                  .sgsn_ip = KIT_SGSN_IP,
                                  .teid = teid,
                                  .ggsn_ip = KIT_GGSN_IP,
                                  .ggsn_teid = KIT_GGSN_TEID,
                                  .nsapi = nsapi,
                                  .sapi = KIT_SAPI,
                                  .qclass = QCLASS_BACKGROUND,
                                  .pfi = N_PDU_NO_PFI};
    return msg;
}

struct msg kit_nsvc(uint32_t index)
{
    struct msg msg = {.type = MSG_NSVC_ADD, .slot = index};
    msg.nsvc = (struct gb_nsvc_params){.local_ip = KIT_GB_IP,
                                       .remote_ip = KIT_BSS_IP,
                                       .local_port = KIT_GB_PORT,
                                       .remote_port = (uint16_t)(KIT_BSS_PORT + index),
                                       .local_mac = {2, 0, 0, 0, 1, 1},
                                       .remote_mac = {2, 0, 0, 0, 1, 2},
                                       .data_weight = 1};
    return msg;
}

/* --- frames --- */

void kit_from_gn(struct kit *kit, const uint8_t *frame, size_t octets)
{
    assert_int_equal(vport_push(&kit->gn, frame, octets), 0);
    kit_settle(kit);
}

void kit_from_gb(struct kit *kit, const uint8_t *frame, size_t octets)
{
    assert_int_equal(vport_push(&kit->gb, frame, octets), 0);
    kit_settle(kit);
}

void kit_from_ms(struct kit *kit, unsigned nsvc, uint16_t bvci, uint32_t tlli)
{
    static const uint8_t data[40] = {0x45, 0, 0, sizeof(data), [16] = 10}; /* to a host */
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct ms *ms = &kit->worker->context.mobiles[0];
    struct gb_frame_uplink in = {.tlli = tlli,
                                 .nsvc = (uint8_t)nsvc,
                                 .bvci = bvci,
                                 .nu = llc_entity_nu(ms->llc[1].vur),
                                 .number = (uint16_t)kit->worker->stats.ul_npdu_out,
                                 .octets = sizeof(data),
                                 .data = data};
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
}

static size_t take(struct vport *port, uint8_t *frame)
{
    struct rte_mbuf *mbuf = vport_pull(port);
    if (!mbuf)
        return 0;
    size_t octets = rte_pktmbuf_data_len(mbuf);
    assert_int_equal(rte_pktmbuf_pkt_len(mbuf), octets);
    assert_true(octets <= KIT_FRAME_OCTETS);
    assert_true(mbuf->data_off + octets <= mbuf->buf_len);
    memcpy(frame, rte_pktmbuf_mtod(mbuf, uint8_t *), octets);
    rte_pktmbuf_free(mbuf);
    return octets;
}

size_t kit_take_gb(struct kit *kit, uint8_t *frame)
{
    return take(&kit->gb, frame);
}

size_t kit_take_gn(struct kit *kit, uint8_t *frame)
{
    return take(&kit->gn, frame);
}

unsigned kit_drain(struct vport *port)
{
    struct rte_mbuf *mbuf;
    unsigned count = 0;
    for (; (mbuf = vport_pull(port)); count++)
        rte_pktmbuf_free(mbuf);
    return count;
}

bool kit_take_msg(struct kit *kit, struct msg *msg)
{
    return shares_take(&kit->worker->rings, msg);
}
