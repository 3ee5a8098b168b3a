/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/fixture.h"

#include "control/base/clock.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc_fcs.h"

#include <errno.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_log.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <string.h>

#define N201_U_OCTETS 1520
#define QUEUE_OCTETS  64000
#define NAME_CHARS    24
#define STEP_NS       3200
#define STRIDE        7919 /* from one N-PDU's mobile to the next; prime, so that every mobile gets its turn */
#define TEID_OFFSET   4    /* in the GTP-U header */

void fixture_start(unsigned core, unsigned memory_mib)
{
    char lcores[NAME_CHARS], mib[NAME_CHARS];
    char *argv[] = {program_invocation_short_name,
                    "--lcores",
                    lcores,
                    "--no-huge",
                    "-m",
                    mib,
                    "--no-pci",
                    "--no-shconf",
                    "--no-telemetry",
                    "--iova-mode=va",
                    "--log-level=lib.*:error",
                    NULL};
    snprintf(lcores, sizeof(lcores), "0@%u", core);
    snprintf(mib, sizeof(mib), "%u", memory_mib);
    llc_fcs_init();
    rte_log_set_global_level(RTE_LOG_ERR);
    micro_need(rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0, "DPDK does not start");
}

/* --- a worker and its ports --- */

struct worker_config fixture_config(uint32_t cells, uint32_t mobiles)
{
    struct worker_config config = {
        .limits =
            {.nses = 1, .nsvcs = 1, .bvcs = cells, .mobiles = mobiles, .pdps = mobiles, .foreign_teids = 1},
        .reassemblies = 1,
        .fragments = 1,
        .fragment_timeout_ns = MOMENT_SECOND,
    };
    context_policy_default(&config.policy);
    return config;
}

void fixture_open(struct fixture *f, struct worker_config *config, unsigned rx_buffers, unsigned tx_buffers)
{
    static unsigned times; /* DPDK does not release a port's name when it is closed */
    const char *error = NULL;
    char names[5][NAME_CHARS];
    for (unsigned i = 0; i < 5; i++)
        snprintf(names[i], NAME_CHARS, "%s%c%u", i < 2 ? "net_ring_" : "", "nbrtw"[i], times);
    times++;
    f->rx_pool = pool_new(names[2], rx_buffers);
    f->tx_pool = tx_buffers > 0 ? pool_new(names[3], tx_buffers) : f->rx_pool;
    micro_need(f->rx_pool && f->tx_pool && vport_new(&f->gn, names[0], f->rx_pool) == 0 &&
                   vport_new(&f->gb, names[1], f->rx_pool) == 0,
               "no memory for ports");
    config->name = names[4];
    config->gn_port = f->gn.id;
    config->gb_port = f->gb.id;
    config->rx_pool = f->rx_pool;
    config->tx_pool = f->tx_pool;
    f->worker = worker_new(config, &error);
    micro_need(f->worker, error);
}

void fixture_close(struct fixture *f)
{
    worker_free(f->worker);
    vport_free(&f->gn);
    vport_free(&f->gb);
    rte_mempool_free(f->rx_pool);
    if (f->tx_pool != f->rx_pool)
        rte_mempool_free(f->tx_pool);
}

/* --- orders --- */

void fixture_order(struct worker *worker, const struct msg *order, int64_t now)
{
    struct msg answer;
    micro_need(msg_put(worker->rings.to_worker, order), "the ring is full");
    while (worker_step(worker, now) <= now)
        ;
    micro_need(msg_take(worker->rings.to_control, &answer) && answer.answer.status == 0,
               "the worker refused an order");
}

struct msg fixture_ms(uint32_t slot, uint16_t bvc)
{
    return (struct msg){.type = MSG_MS_ADD,
                        .slot = slot,
                        .ms = {.tlli = FIXTURE_TLLI + slot,
                               .bvc = bvc,
                               .n201_u = N201_U_OCTETS,
                               .queue_limit_octets = QUEUE_OCTETS}};
}

struct msg fixture_pdp(uint32_t slot, uint32_t teid)
{
    return (struct msg){.type = MSG_PDP_ADD,
                        .slot = slot,
                        .pdp = {.ms = slot,
                                .sgsn_ip = FIXTURE_SGSN_IP,
                                .teid = teid,
                                .ggsn_ip = FIXTURE_GGSN_IP,
                                .nsapi = 5,
                                .sapi = 3,
                                .qclass = QCLASS_BACKGROUND,
                                .pfi = N_PDU_NO_PFI}};
}

struct gb_flow fixture_flow(uint64_t ms_bucket_octets, uint64_t ms_rate_bps)
{
    return (struct gb_flow){.bucket_octets = BUCKET_MAX_OCTETS,
                            .rate_bps = BUCKET_MAX_RATE_BPS,
                            .ms_bucket_octets = ms_bucket_octets,
                            .ms_rate_bps = ms_rate_bps,
                            .ratio_percent = -1};
}

void fixture_order_gb(struct worker *worker, uint32_t cells, const struct gb_flow *flow, int64_t now)
{
    struct msg nsvc = {.type = MSG_NSVC_ADD};
    nsvc.nsvc = (struct gb_nsvc_params){
        .local_ip = FIXTURE_SGSN_IP, .remote_ip = FIXTURE_GGSN_IP, .remote_port = 23000, .data_weight = 1};
    fixture_order(worker, &(struct msg){.type = MSG_NSE_ADD}, now);
    fixture_order(worker, &nsvc, now);
    fixture_order(worker, &(struct msg){.type = MSG_NSVC_STATE, .is_usable = true}, now);
    for (uint32_t i = 0; i < cells; i++) {
        struct msg bvc_flow = {.type = MSG_BVC_FLOW, .slot = i, .flow = *flow};
        fixture_order(worker, &(struct msg){.type = MSG_BVC_ADD, .slot = i, .bvc = {.bvci = i + 2}}, now);
        fixture_order(worker, &(struct msg){.type = MSG_BVC_STATE, .slot = i, .is_unblocked = true}, now);
        fixture_order(worker, &bvc_flow, now);
    }
}

void fixture_fill(struct fixture *f, uint32_t cells, const struct gb_flow *flow, uint16_t octets,
                  bool is_acknowledged)
{
    fixture_order_gb(f->worker, cells, flow, f->now);
    for (uint32_t i = 0; i < f->mobiles; i++) {
        struct msg ms = fixture_ms(i, (uint16_t)(i % cells)),
                   pdp = fixture_pdp(i, teid_make(0, 1, i, TEID_SLOT_BITS));
        pdp.pdp.is_acknowledged = is_acknowledged;
        fixture_order(f->worker, &ms, f->now);
        fixture_order(f->worker, &pdp, f->now);
    }
    f->n_pdu_octets = octets;
    fixture_frame_make(f->frame, octets);
}

/* --- Gn frames --- */

void fixture_frame_make(uint8_t *frame, uint16_t n_pdu_octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct udp udp = {.dst_port = GTPU_PORT, .payload_octets = (uint16_t)(GTPU_OCTETS + n_pdu_octets)};
    struct gtpu gtpu = {.type = GTPU_G_PDU, .payload_octets = n_pdu_octets};
    struct ipv4 inner = {
        .ttl = 64, .proto = IPV4_PROTO_UDP, .payload_octets = (uint16_t)(n_pdu_octets - IPV4_OCTETS)};
    struct ipv4 outer = inner;

    outer.src = FIXTURE_GGSN_IP;
    outer.dst = FIXTURE_SGSN_IP;
    outer.payload_octets = (uint16_t)(UDP_OCTETS + udp.payload_octets);
    frame += ether_encode(frame, ETHER_OCTETS, &ether);
    frame += ipv4_encode(frame, IPV4_OCTETS, &outer);
    frame += udp_encode(frame, UDP_OCTETS, &udp);
    frame += gtpu_encode(frame, GTPU_OCTETS, &gtpu);
    ipv4_encode(frame, IPV4_OCTETS, &inner);
}

void fixture_frame_set_teid(uint8_t *frame, uint32_t teid)
{
    bytes_put_u32(frame + GB_HEADER_OCTETS + TEID_OFFSET, teid);
}

/* --- N-PDUs for all mobiles in turn --- */

void fixture_feed(struct fixture *f, const struct fixture_hooks *hooks)
{
    struct rte_mbuf *mbufs[WORKER_BURST];
    const uint16_t octets = (uint16_t)(FIXTURE_TUNNEL_OCTETS + f->n_pdu_octets);
    micro_need(rte_pktmbuf_alloc_bulk(f->rx_pool, mbufs, WORKER_BURST) == 0, "buffers are lost");
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        uint8_t *frame = (uint8_t *)rte_pktmbuf_append(mbufs[i], octets);
        memcpy(frame, f->frame, octets);
        fixture_frame_set_teid(frame, teid_make(0, 1, f->next, TEID_SLOT_BITS));
        if (hooks->edit)
            hooks->edit(f, frame, i);
        f->next = (f->next + STRIDE) % f->mobiles;
    }
    rte_ring_enqueue_bulk(f->gn.to_worker, (void **)mbufs, WORKER_BURST, NULL);
    f->fed += WORKER_BURST;
}

void fixture_step(void *fixture)
{
    struct fixture *f = fixture;
    f->now += STEP_NS;
    worker_step(f->worker, f->now);
}

void fixture_collect(struct fixture *f, const struct fixture_hooks *hooks)
{
    struct rte_mbuf *mbufs[WORKER_BURST];
    unsigned count;
    while ((count = rte_ring_dequeue_burst(f->gb.to_outside, (void **)mbufs, WORKER_BURST, NULL)) > 0) {
        for (unsigned i = 0; i < count && hooks->take; i++)
            hooks->take(f, rte_pktmbuf_mtod(mbufs[i], const uint8_t *), rte_pktmbuf_data_len(mbufs[i]));
        rte_pktmbuf_free_bulk(mbufs, count);
    }
}

double fixture_pass(struct fixture *f, const struct fixture_hooks *hooks)
{
    const struct clock_counter tsc = clock_counter_start(rte_get_tsc_hz());
    const unsigned bursts = f->mobiles / WORKER_BURST;
    int64_t spent_ns = 0;
    for (unsigned i = 0; i < bursts; i++) {
        fixture_feed(f, hooks);
        const int64_t began_ns = clock_counter_ns(&tsc);
        fixture_step(f);
        spent_ns += clock_counter_ns(&tsc) - began_ns;
        fixture_collect(f, hooks);
        while (rte_ring_count(f->gb.to_worker) >
               WORKER_BURST) { /* answers of the mobiles, while links open */
            fixture_step(f);
            fixture_collect(f, hooks);
        }
    }
    return (double)spent_ns / bursts / WORKER_BURST;
}
