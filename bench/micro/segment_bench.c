/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The buffers of a further segment of an N-PDU: its payload copied into a buffer; or chained, a buffer for
 * the headers, one that refers to the N-PDU's, and one for the FCS. Allocation and freeing count.
 */
#include "bench/micro/fixture.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/llc.h"
#include "dataplane/worker/gb_tx_frame.h"

#include <rte_mbuf.h>
#include <string.h>

#define BUFFERS    4095
#define MEMORY_MIB 64

struct side {
    void (*make)(uint16_t octets);
    uint16_t octets;
};

static struct rte_mempool *pool;
static struct rte_mbuf *n_pdus[WORKER_BURST]; /* whose payload the segments carry */

static void take_buffers(struct rte_mbuf **mbufs, unsigned count)
{
    micro_need(rte_pktmbuf_alloc_bulk(pool, mbufs, count) == 0, "no buffers for segments");
}

static void copy(uint16_t octets)
{
    struct rte_mbuf *parts[WORKER_BURST];
    take_buffers(parts, WORKER_BURST);
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        parts[i]->pkt_len = parts[i]->data_len = octets;
        memcpy(rte_pktmbuf_mtod(parts[i], uint8_t *), rte_pktmbuf_mtod(n_pdus[i], const uint8_t *), octets);
    }
    for (unsigned i = 0; i < WORKER_BURST; i++)
        rte_pktmbuf_free(parts[i]);
}

static void chain(uint16_t octets)
{
    struct rte_mbuf *parts[3 * WORKER_BURST];
    take_buffers(parts, 3 * WORKER_BURST);
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        struct rte_mbuf **part = &parts[3 * i];
        rte_pktmbuf_attach(part[1], n_pdus[i]);
        part[0]->data_len = FRAME_PLAIN_OCTETS;
        part[1]->data_len = octets;
        part[2]->data_len = LLC_FCS_OCTETS;
        part[0]->next = part[1];
        part[1]->next = part[2];
        part[0]->nb_segs = 3;
        part[0]->pkt_len = (uint32_t)octets + FRAME_PLAIN_OCTETS + LLC_FCS_OCTETS;
    }
    for (unsigned i = 0; i < WORKER_BURST; i++)
        rte_pktmbuf_free(parts[3 * i]);
}

static void *segment_open(const struct micro_point *p)
{
    static struct side sides[2];
    sides[p->side] = (struct side){p->side > 0 ? chain : copy, (uint16_t)p->at[0]};
    return &sides[p->side];
}

static double segment_run(void *state)
{
    const struct side *s = state;
    s->make(s->octets);
    return WORKER_BURST;
}

static void segment_bench_begin(void)
{
    fixture_start(0, MEMORY_MIB);
    pool = pool_new("segments", BUFFERS);
    micro_need(pool, "no memory for buffers");
    take_buffers(n_pdus, WORKER_BURST);
}

static struct micro_axis octets = MICRO_AXIS("octets", 1, 1500, 100, 490, 1500);
static struct micro_case cases[] = {{.name = "segment",
                                     .item = "segment",
                                     .sides = {"copied", "chained"},
                                     .axes = {&octets},
                                     .compares = true,
                                     .open = segment_open,
                                     .run = segment_run}};

MICRO_PROGRAM("The buffers of a further segment of an N-PDU.", .rounds = 401, .turn_ms = 1,
              .begin = segment_bench_begin);
