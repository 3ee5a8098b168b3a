/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: compression_bench [--rounds N] [--mobiles N] [--octets N]
 *
 * Price of header compression by RFC 1144: ns per downlink N-PDU of a worker's steps, once with mobiles
 * without an entity, once with an entity for each. Both workers take their turns in one run.
 *
 * Each N-PDU, a TCP segment of N octets (40) with both headers, is for another of N mobiles (10048), the next
 * of its connection, and leaves at once. So what it needs of its mobile has left the near caches, but for few
 * mobiles. A round is one N-PDU for each mobile; medians and quartiles are those of N rounds (101).
 */
#include "bench/micro/fixture.h"
#include "bench/micro/options.h"
#include "control/base/clock.h"
#include "dataplane/base/bytes.h"
#include "dataplane/compression/compression_pool.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/worker/worker.h"

#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS        64
#define BUFFERS      4095
#define STEP_NS      3200
#define STRIDE       7919 /* from one packet's mobile to the next; prime, so that every mobile gets its turn */
#define WARM_PASSES  4
#define MOST_ROUNDS  9999
#define MOST_MOBILES 100000
#define MEMORY_MIB   600
#define TCP_AT       (FIXTURE_TUNNEL_OCTETS + IPV4_OCTETS)

static const struct compression_params rfc1144 = {
    .nsapis = 1u << 5, .slots = 16, .kind = COMPRESSION_RFC1144, .sapi = 3, .first = 1, .second = 2};

/* A worker with its ports and mobiles. */
struct side {
    struct fixture f;
    bool compresses;
    struct compression_pool pool;
    uint32_t next; /* mobile */
    int64_t now;
    uint64_t fed;
    uint8_t frame[2048];
    double ns[MOST_ROUNDS];
};

static unsigned rounds = 101, mobiles = 10048, octets = 40;
static struct clock_counter tsc;

/* --- a worker and its tables --- */

static void compression_bench_order(struct side *s)
{
    const struct gb_flow flow = fixture_flow(BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS);
    fixture_order_gb(s->f.worker, CELLS, &flow, s->now);
    for (uint32_t i = 0; i < mobiles; i++) {
        struct msg ms = fixture_ms(i, (uint16_t)(i % CELLS)),
                   pdp = fixture_pdp(i, teid_make(0, 1, i, TEID_SLOT_BITS)),
                   entity = {.type = MSG_MS_COMPRESSION, .slot = i, .compression.params = rfc1144};
        fixture_order(s->f.worker, &ms, s->now);
        fixture_order(s->f.worker, &pdp, s->now);
        if (!s->compresses)
            continue;
        entity.compression.memory = compression_pool_take(&s->pool, COMPRESSION_RFC1144);
        fixture_order(s->f.worker, &entity, s->now);
    }
}

static void make_frame(struct side *s)
{
    uint8_t *ip = s->frame + FIXTURE_TUNNEL_OCTETS, *tcp = s->frame + TCP_AT;
    fixture_frame_make(s->frame, (uint16_t)octets);
    const struct ipv4 inner = {.src = FIXTURE_GGSN_IP,
                               .dst = 0x0b000001,
                               .ttl = 64,
                               .proto = IPV4_PROTO_TCP,
                               .payload_octets = (uint16_t)(octets - IPV4_OCTETS)};
    ipv4_encode(ip, IPV4_OCTETS, &inner);
    bytes_put_u16(tcp, 80);
    bytes_put_u16(tcp + 2, 40000);
    tcp[12] = 0x50;
    tcp[13] = 0x10;
    bytes_put_u16(tcp + 14, 8192);
}

static struct side *side_new(bool compresses)
{
    struct compression_settings settings = {.entities = mobiles, .slots = 16};
    struct worker_config config = fixture_config(CELLS, mobiles);
    struct side *s = calloc(1, sizeof(*s));
    fixture_need(s && compression_pool_new(&s->pool, &settings), "no memory");
    s->compresses = compresses;
    config.compression = settings;
    fixture_open(&s->f, &config, BUFFERS, BUFFERS);
    compression_bench_order(s);
    make_frame(s);
    return s;
}

/* --- steps --- */

static void feed(struct side *s)
{
    struct rte_mbuf *mbufs[WORKER_BURST];
    const uint16_t len = (uint16_t)(FIXTURE_TUNNEL_OCTETS + octets);
    fixture_need(rte_pktmbuf_alloc_bulk(s->f.rx_pool, mbufs, WORKER_BURST) == 0, "buffers are lost");
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(mbufs[i], len);
        memcpy(bytes, s->frame, len);
        fixture_frame_set_teid(bytes, teid_make(0, 1, s->next, TEID_SLOT_BITS));
        bytes_put_u32(bytes + TCP_AT + 8, (uint32_t)((s->fed + i) / mobiles * 1460));
        s->next = (s->next + STRIDE) % mobiles;
    }
    rte_ring_enqueue_bulk(s->f.gn.to_worker, (void **)mbufs, WORKER_BURST, NULL);
    s->fed += WORKER_BURST;
}

static void collect(struct side *s)
{
    struct rte_mbuf *mbufs[WORKER_BURST];
    unsigned count;
    while ((count = rte_ring_dequeue_burst(s->f.gb.to_outside, (void **)mbufs, WORKER_BURST, NULL)) > 0)
        rte_pktmbuf_free_bulk(mbufs, count);
}

/* One N-PDU for each mobile; ns per N-PDU. */
static double pass(struct side *s)
{
    int64_t spent_ns = 0;
    unsigned bursts = mobiles / WORKER_BURST;
    for (unsigned i = 0; i < bursts; i++) {
        feed(s);
        s->now += STEP_NS;
        int64_t began_ns = clock_counter_ns(&tsc);
        worker_step(s->f.worker, s->now);
        spent_ns += clock_counter_ns(&tsc) - began_ns;
        collect(s);
    }
    return (double)spent_ns / bursts / WORKER_BURST;
}

static void check(const struct side *s)
{
    const struct worker_stats *stats = &s->f.worker->stats;
    fixture_need(stats->npdu_out == s->fed, "an N-PDU did not leave");
    fixture_need(stats->compression_npdus == (s->compresses ? s->fed : 0), "an N-PDU was not compressed");
    fixture_need(!s->compresses || stats->compression_full_headers == mobiles, "a header is whole");
}

/* --- results --- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *name, double *values)
{
    qsort(values, rounds, sizeof(*values), by_size);
    printf("%-12s  %8.1f  %7.1f..%-7.1f\n", name, values[rounds / 2], values[rounds / 4],
           values[rounds * 3 / 4]);
}

static void tell_all(struct side *sides[2])
{
    static double more[MOST_ROUNDS];
    for (unsigned i = 0; i < rounds; i++)
        more[i] = sides[1]->ns[i] - sides[0]->ns[i];
    printf("%u mobiles, N-PDUs of %u octets, %u rounds\n\nentity        ns/N-PDU  quartiles\n", mobiles,
           octets, rounds);
    tell("none", sides[0]->ns);
    tell("RFC 1144", sides[1]->ns);
    tell("difference", more);
}

static bool read_options(int argc, char **argv)
{
    const struct options_number options[] = {
        {"--rounds", &rounds, 1, MOST_ROUNDS, 1},
        {"--mobiles", &mobiles, WORKER_BURST, MOST_MOBILES, WORKER_BURST},
        {"--octets", &octets, 40, 1400, 1}};
    return options_read("compression_bench", options, sizeof(options) / sizeof(options[0]), argc, argv);
}

int main(int argc, char **argv)
{
    if (!read_options(argc, argv))
        return 2;
    fixture_start(0, MEMORY_MIB);
    tsc = clock_counter_start(rte_get_tsc_hz());
    struct side *sides[] = {side_new(false), side_new(true)};
    for (unsigned i = 0; i < WARM_PASSES; i++)
        for (unsigned k = 0; k < 2; k++)
            pass(sides[k]);
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned k = 0; k < 2; k++)
            sides[(i + k) % 2]->ns[i] = pass(sides[(i + k) % 2]);
    for (unsigned k = 0; k < 2; k++)
        check(sides[k]);
    tell_all(sides);
    for (unsigned k = 0; k < 2; k++) {
        fixture_close(&sides[k]->f);
        compression_pool_free(&sides[k]->pool);
        free(sides[k]);
    }
    return 0;
}
