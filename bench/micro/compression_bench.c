/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Price of header compression by RFC 1144: ns per downlink N-PDU of a worker's steps, once with mobiles
 * without an entity, once with an entity for each.
 *
 * Each N-PDU, a TCP segment of --octets with both headers, is for another of --mobiles, the next of its
 * connection, and leaves at once. So what it needs of its mobile has left the near caches, but for few
 * mobiles. A turn is one N-PDU for each mobile.
 */
#include "bench/micro/fixture.h"
#include "dataplane/base/bytes.h"
#include "dataplane/compression/compression_pool.h"
#include "dataplane/wire/ipv4.h"

#include <stdlib.h>

#define CELLS       64
#define WARM_PASSES 3 /* and that of the harness */
#define MEMORY_MIB  600
#define TCP_AT      (FIXTURE_TUNNEL_OCTETS + IPV4_OCTETS)

static const struct compression_params rfc1144 = {
    .nsapis = 1u << 5, .slots = 16, .kind = COMPRESSION_RFC1144, .sapi = 3, .first = 1, .second = 2};

struct side {
    struct fixture f; /* the first */
    bool compresses;
    struct compression_pool pool;
};

/* The next segment of the mobile's connection. */
static void set_sequence(struct fixture *f, uint8_t *frame, unsigned i)
{
    bytes_put_u32(frame + TCP_AT + 8, (uint32_t)((f->fed + i) / f->mobiles * 1460));
}

static const struct fixture_hooks hooks = {.edit = set_sequence};

static void make_segment(struct fixture *f)
{
    uint8_t *ip = f->frame + FIXTURE_TUNNEL_OCTETS, *tcp = f->frame + TCP_AT;
    const struct ipv4 inner = {.src = FIXTURE_GGSN_IP,
                               .dst = 0x0b000001,
                               .ttl = 64,
                               .proto = IPV4_PROTO_TCP,
                               .payload_octets = (uint16_t)(f->n_pdu_octets - IPV4_OCTETS)};
    ipv4_encode(ip, IPV4_OCTETS, &inner);
    bytes_put_u16(tcp, 80);
    bytes_put_u16(tcp + 2, 40000);
    tcp[12] = 0x50;
    tcp[13] = 0x10;
    bytes_put_u16(tcp + 14, 8192);
}

static void order_entities(struct side *s)
{
    for (uint32_t i = 0; i < s->f.mobiles; i++) {
        struct msg entity = {.type = MSG_MS_COMPRESSION, .slot = i, .compression.params = rfc1144};
        entity.compression.memory = compression_pool_take(&s->pool, COMPRESSION_RFC1144);
        fixture_order(s->f.worker, &entity, s->f.now);
    }
}

static void *compression_open(const struct micro_point *p)
{
    struct side *s = micro_memory(sizeof(*s));
    const uint32_t mobiles = (uint32_t)p->at[0] / WORKER_BURST * WORKER_BURST;
    struct compression_settings settings = {.entities = mobiles, .slots = 16};
    const struct gb_flow flow = fixture_flow(FIXTURE_NO_LIMIT);
    struct worker_config config = fixture_config(CELLS, mobiles);
    micro_need(compression_pool_new(&s->pool, &settings), "no memory for entities");
    s->compresses = p->side == 1;
    s->f.mobiles = mobiles;
    config.compression = settings;
    fixture_open(&s->f, &config, FIXTURE_BUFFERS, FIXTURE_BUFFERS);
    fixture_fill(&s->f, CELLS, &flow, (uint16_t)p->at[1], false);
    make_segment(&s->f);
    if (s->compresses)
        order_entities(s);
    for (unsigned i = 0; i < WARM_PASSES; i++)
        fixture_pass(&s->f, &hooks);
    return s;
}

static double compression_turn(void *state)
{
    return fixture_pass(state, &hooks);
}

static void compression_sum_up(void *state, struct micro_result *result)
{
    const struct side *s = state;
    const struct worker_stats *stats = &s->f.worker->stats;
    micro_fault(result, stats->npdu_out == s->f.fed, "an N-PDU did not leave");
    micro_fault(result, stats->compression_npdus == (s->compresses ? s->f.fed : 0),
                "an N-PDU was not compressed");
    micro_fault(result, !s->compresses || stats->compression_full_headers == s->f.mobiles,
                "a header is whole");
}

static void compression_close(void *state)
{
    struct side *s = state;
    fixture_close(&s->f);
    compression_pool_free(&s->pool);
    free(s);
}

static void compression_bench_begin(void)
{
    fixture_start(0, MEMORY_MIB);
}

static struct micro_axis mobiles = MICRO_AXIS("mobiles", WORKER_BURST, 100000, 10048),
                         octets = MICRO_AXIS("octets", 40, 1400, 40);
static struct micro_case cases[] = {MICRO_CASE(
    compression, "downlink", "N-PDU", MICRO_LIST("none", "RFC 1144"), MICRO_LIST(&mobiles, &octets),
    .turn = compression_turn, .sum_up = compression_sum_up, .compares = true)};

MICRO_PROGRAM("The price of header compression: steps of a worker per downlink N-PDU, without and with it.",
              .rounds = 101, .begin = compression_bench_begin);
