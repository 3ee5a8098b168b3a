/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: segment_bench [ROUNDS]
 *
 * The buffers of a further segment of an N-PDU, in ns: its payload copied into a buffer; or chained, a buffer
 * for the headers, one that refers to the N-PDU's, and one for the FCS. Allocation and freeing count. Medians
 * of ROUNDS (401), in each of which the two take turns.
 */
#include "bench/micro/fixture.h"
#include "control/base/clock.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/llc.h"
#include "dataplane/worker/gb_tx_frame.h"

#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS     4095
#define MEMORY_MIB  64
#define BURSTS      20 /* of WORKER_BURST segments in a round */
#define MOST_ROUNDS 9999

static struct rte_mempool *pool;
static struct rte_mbuf *n_pdus[WORKER_BURST]; /* whose payload the segments carry */

static void take_buffers(struct rte_mbuf **mbufs, unsigned count)
{
    fixture_need(rte_pktmbuf_alloc_bulk(pool, mbufs, count) == 0, "no buffers for segments");
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

static double ns_of(void (*make)(uint16_t octets), uint16_t octets)
{
    struct clock_counter tsc = clock_counter_start(rte_get_tsc_hz());
    const int64_t began_ns = clock_counter_ns(&tsc);
    for (unsigned i = 0; i < BURSTS; i++)
        make(octets);
    return (double)(clock_counter_ns(&tsc) - began_ns) / BURSTS / WORKER_BURST;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double copied[MOST_ROUNDS], chained[MOST_ROUNDS];
    static const uint16_t octets[] = {100, 490, 1500};
    const unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 401;
    if (rounds == 0 || rounds > MOST_ROUNDS || argc > 2) {
        fprintf(stderr, "usage: segment_bench [ROUNDS], 1 to %d\n", MOST_ROUNDS);
        return 2;
    }
    fixture_start(0, MEMORY_MIB);
    pool = pool_new("segments", BUFFERS);
    fixture_need(pool, "no memory for buffers");
    take_buffers(n_pdus, WORKER_BURST);
    printf("octets  copied ns  chained ns\n");
    for (unsigned k = 0; k < sizeof(octets) / sizeof(octets[0]); k++) {
        for (unsigned i = 0; i < rounds; i++) {
            copied[i] = ns_of(copy, octets[k]);
            chained[i] = ns_of(chain, octets[k]);
        }
        qsort(copied, rounds, sizeof(*copied), by_size);
        qsort(chained, rounds, sizeof(*chained), by_size);
        printf("%6u  %9.1f  %10.1f\n", octets[k], copied[rounds / 2], chained[rounds / 2]);
    }
    return 0;
}
