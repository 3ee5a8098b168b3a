/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bench of ciphering, per packet: bursts of packets with their own keys, in caches, by each engine that runs
 * here, beside libosmocore's gprs_cipher_run if it is installed. With octets 0 lengths are drawn from 64 ..
 * 1500 octets, and 500 octets count as a packet.
 */
#include "bench/micro/micro.h"
#include "dataplane/base/rng.h"
#include "dataplane/crypto/gea.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if HAVE_OSMOCORE
#include <osmocom/crypt/gprs_cipher.h>
#endif

#define BURST_MOST  256
#define UNEQUAL     500.0 /* octets of a packet, where lengths differ */
#define LIBOSMOCORE "libosmocore"

struct packet {
    uint8_t key[GEA_KEY_OCTETS], data[GEA_MAX_OCTETS + 1];
};

struct burst {
    const struct gea_engine *engine; /* NULL: libosmocore */
    unsigned count;
    double packets;
    struct packet packets_of[BURST_MOST];
    struct gea_job jobs[BURST_MOST];
};

static const struct gea_engine *engines[MICRO_SIDES];

static void *gea_open(const struct micro_point *p)
{
    const bool is_one_by_one = strcmp(p->of->sides[p->side], "ipsec-mb") == 0 || !engines[p->side];
    if (is_one_by_one && p->at[1] > 1)
        return NULL; /* the size of a burst does not matter to it */
    struct burst *b = micro_memory(sizeof(*b));
    double octets = 0;
    struct rng r;
    rng_init(&r, 1, (uint64_t)p->at[0]);
    b->engine = engines[p->side];
    b->count = (unsigned)p->at[1];
    for (unsigned i = 0; i < b->count; i++) {
        for (unsigned k = 0; k < GEA_KEY_OCTETS; k++)
            b->packets_of[i].key[k] = (uint8_t)rng_u64(&r);
        b->jobs[i] = (struct gea_job){
            .key = b->packets_of[i].key,
            .data = b->packets_of[i].data,
            .octets = (uint16_t)(p->at[0] > 0 ? (uint64_t)p->at[0] : rng_between(&r, 64, 1500)),
            .input = (uint32_t)rng_u64(&r),
            .direction = GEA_DOWNLINK};
        octets += b->jobs[i].octets;
    }
    b->packets = p->at[0] > 0 ? b->count : octets / UNEQUAL;
    return b;
}

static void cipher_by_libosmocore(struct burst *b)
{
#if HAVE_OSMOCORE
    for (unsigned i = 0; i < b->count; i++) {
        const struct gea_job *job = &b->jobs[i];
        uint8_t stream[GEA_MAX_OCTETS + 8];
        gprs_cipher_run(stream, job->octets, GPRS_ALGO_GEA4, (uint8_t *)(uintptr_t)job->key, job->input,
                        GPRS_CIPH_SGSN2MS);
        for (unsigned k = 0; k < job->octets; k++)
            job->data[k] ^= stream[k];
    }
#else
    (void)b;
#endif
}

static double gea_run(void *state)
{
    struct burst *b = state;
    if (b->engine)
        gea_cipher_burst(b->engine, b->jobs, b->count);
    else
        cipher_by_libosmocore(b);
    return b->packets;
}

static void gea_close(void *burst)
{
    free(burst);
}

static struct micro_axis octets = MICRO_AXIS("octets", 0, GEA_MAX_OCTETS, 64, 500, 1500, 0),
                         bursts = MICRO_AXIS("burst", 1, BURST_MOST, 1, 2, 8, 32, 64, 256);
static struct micro_case cases[] = {MICRO_CASE(
    gea, "gea", "packet", MICRO_LIST(NULL), MICRO_LIST(&octets, &bursts), .run = gea_run, .compares = true)};

static void gea_bench_begin(void)
{
    size_t count;
    unsigned sides = 0;
    const struct gea_engine *all = gea_engines(&count);
    for (size_t i = 0; i < count; i++) {
        const char *reason = "";
        engines[sides] = gea_init(all[i].name, &reason);
        if (engines[sides])
            cases[0].sides[sides++] = all[i].name;
        else
            printf("%s: %s\n", all[i].name, reason);
    }
    engines[sides] = NULL;
    if (HAVE_OSMOCORE)
        cases[0].sides[sides] = LIBOSMOCORE;
    else
        printf(LIBOSMOCORE ": not installed\n");
}

MICRO_PROGRAM(
    "Ciphering by each engine, and by libosmocore: packets of --octets (0: unequal ones) in bursts.",
    .rounds = 9, .turn_ms = 20, .begin = gea_bench_begin);
