/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/worker_fixture.h"

#include "bench/micro/fixture.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/worker/gb_tx_frame.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <rte_ring.h>
#include <stdlib.h>
#include <string.h>

#define CELLS        64
#define BUFFERS      4095
#define STEP_NS      100
#define STRIDE       7919 /* from one packet's mobile to the next; prime, so that every mobile gets its turn */
#define FRAME_OCTETS 2048
#define LIFETIME_NS  (15 * MOMENT_SECOND)
#define REASSEMBLIES 64
#define MEMORY_MIB   384
#define NO_BUFFERS   "no buffers for segments"

static_assert(WORKER_FIXTURE_BURST == WORKER_BURST, "a burst is what one pass takes");

struct worker_fixture {
    struct fixture f;
    uint32_t mobiles, next;
    bool is_foreign;
    int64_t now;
    uint16_t frame_octets; /* octets of the N-PDU in frame */
    uint8_t frame[FRAME_OCTETS];
};

void worker_fixture_start(void)
{
    fixture_start(0, MEMORY_MIB);
}

/* --- a worker and its tables --- */

/* A TEID as gbflow allocates it, or a small number as a foreign TEID. */
static uint32_t teid_of(const struct worker_fixture *fixture, uint32_t i)
{
    return fixture->is_foreign ? i : teid_make(0, 1, i, TEID_SLOT_BITS);
}

struct worker_fixture *worker_fixture_new(uint32_t mobiles, bool is_foreign)
{
    const struct gb_flow flow = fixture_flow(BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS);
    struct worker_config config = fixture_config(CELLS, mobiles);
    struct worker_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_need(fixture, "no memory");
    fixture->mobiles = mobiles;
    fixture->is_foreign = is_foreign;
    config.limits.foreign_teids = is_foreign ? mobiles : 1;
    config.reassemblies = config.fragments = REASSEMBLIES;
    config.policy.lifetime =
        (struct lifetime){.mode = LIFETIME_SPLIT, .sgsn_max_ns = LIFETIME_NS, .bss_max_ns = MOMENT_NEVER};
    fixture_open(&fixture->f, &config, BUFFERS, BUFFERS);
    fixture_order_gb(fixture->f.worker, CELLS, &flow, fixture->now);
    for (uint32_t i = 0; i < mobiles; i++) {
        struct msg ms = fixture_ms(i, (uint16_t)(i % CELLS)), pdp = fixture_pdp(i, teid_of(fixture, i));
        fixture_order(fixture->f.worker, &ms, fixture->now);
        fixture_order(fixture->f.worker, &pdp, fixture->now);
    }
    return fixture;
}

/* The TEIDs of the next burst's mobiles. */
static void next_teids(struct worker_fixture *fixture, uint32_t teids[WORKER_BURST])
{
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        teids[i] = teid_of(fixture, fixture->next);
        fixture->next = (fixture->next + STRIDE) % fixture->mobiles;
    }
}

/* --- traffic --- */

void worker_fixture_feed(struct worker_fixture *fixture, uint16_t octets)
{
    uint32_t teids[WORKER_BURST];
    if (fixture->frame_octets != octets)
        fixture_frame_make(fixture->frame, fixture->frame_octets = octets);
    next_teids(fixture, teids);
    fixture_feed(&fixture->f, fixture->frame, octets, teids);
}

void worker_fixture_step(struct worker_fixture *fixture)
{
    fixture->now += STEP_NS;
    worker_step(fixture->f.worker, fixture->now);
}

static unsigned worker_fixture_take(struct rte_ring *ring)
{
    void *mbufs[WORKER_FIXTURE_BURST];
    unsigned count = rte_ring_dequeue_burst(ring, mbufs, WORKER_FIXTURE_BURST, NULL);
    rte_pktmbuf_free_bulk((struct rte_mbuf **)mbufs, count);
    return count;
}

unsigned worker_fixture_take_sent(struct worker_fixture *fixture)
{
    return worker_fixture_take(fixture->f.gb.to_outside);
}

unsigned worker_fixture_take_fed(struct worker_fixture *fixture)
{
    return worker_fixture_take(fixture->f.gn.to_worker);
}

uint64_t worker_fixture_find(struct worker_fixture *fixture)
{
    struct table_key keys[WORKER_FIXTURE_BURST];
    uint32_t teids[WORKER_BURST], found[WORKER_FIXTURE_BURST];
    uint64_t sum = 0;

    next_teids(fixture, teids);
    for (unsigned i = 0; i < WORKER_FIXTURE_BURST; i++)
        keys[i] = lookup_tunnel_key(FIXTURE_SGSN_IP, teids[i]);
    tunnels_find(&fixture->f.worker->tunnels, keys, WORKER_FIXTURE_BURST, found);
    for (unsigned i = 0; i < WORKER_FIXTURE_BURST; i++)
        sum += fixture->f.worker->context.pdps[found[i]].params.ms;
    return sum;
}

/* --- segments --- */

/* N-PDUs whose payload the segments carry, kept for all calls. */
static struct rte_mbuf **n_pdus_of(struct worker_fixture *fixture)
{
    static struct rte_mbuf *n_pdus[WORKER_FIXTURE_BURST];
    if (!n_pdus[0])
        fixture_need(rte_pktmbuf_alloc_bulk(fixture->f.rx_pool, n_pdus, WORKER_FIXTURE_BURST) == 0,
                     NO_BUFFERS);
    return n_pdus;
}

static void copy_one(struct rte_mbuf *out, const struct rte_mbuf *n_pdu, uint16_t octets)
{
    out->data_len = octets;
    out->pkt_len = octets;
    memcpy(rte_pktmbuf_mtod(out, uint8_t *), rte_pktmbuf_mtod(n_pdu, const uint8_t *), octets);
}

static void chain_one(struct rte_mbuf *const parts[3], struct rte_mbuf *n_pdu, uint16_t octets)
{
    rte_pktmbuf_attach(parts[1], n_pdu);
    parts[1]->data_len = octets;
    parts[0]->data_len = FRAME_PLAIN_OCTETS;
    parts[2]->data_len = LLC_FCS_OCTETS;
    parts[0]->next = parts[1];
    parts[1]->next = parts[2];
    parts[0]->nb_segs = 3;
    parts[0]->pkt_len = (uint32_t)octets + FRAME_PLAIN_OCTETS + LLC_FCS_OCTETS;
}

void worker_fixture_segments(struct worker_fixture *fixture, uint16_t octets, bool is_chained)
{
    struct rte_mbuf **n_pdus = n_pdus_of(fixture), *parts[3 * WORKER_FIXTURE_BURST];
    unsigned each = is_chained ? 3 : 1, count = each * WORKER_FIXTURE_BURST;
    fixture_need(rte_pktmbuf_alloc_bulk(fixture->f.tx_pool, parts, count) == 0, NO_BUFFERS);
    for (unsigned i = 0; i < WORKER_FIXTURE_BURST; i++)
        if (is_chained)
            chain_one(&parts[each * i], n_pdus[i], octets);
        else
            copy_one(parts[i], n_pdus[i], octets);
    for (unsigned i = 0; i < count; i += each)
        rte_pktmbuf_free(parts[i]);
}
