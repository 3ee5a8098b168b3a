/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/moment.h"
#include "tests/oracles/sched/sched_play.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"

#include <stdlib.h>

#define LLC_OCTETS     6
#define N201_U_MIN     140
#define N201_U_MAX     1520
#define N_PDU_MAX      1503
#define LARGE_FACTOR   1000
#define NEVER_SO_LARGE UINT64_C(1000000000)

void sched_play_tell(struct sched_play *p, struct sched_trace_record record)
{
    record.time_ns = p->now;
    sched_trace_put(p->out, &record);
}

uint64_t sched_play_within(struct sched_play *p, struct sched_play_range range)
{
    unsigned doublings = 0;
    while (range.low << (doublings + 1) <= range.high && range.low > 0)
        doublings++;
    uint64_t low = range.low << prng_below(&p->chance, doublings + 1);
    uint64_t value = low + prng_below(&p->chance, low + 1);
    return value > range.high ? range.high : value;
}

bool sched_play_percent(struct sched_play *p, uint32_t percent)
{
    return prng_below(&p->chance, 100) < percent;
}

struct sched_play_bucket sched_play_any_bucket(struct sched_play *p, enum sched_trace_level level)
{
    const struct sched_play_profile *profile = p->profile;
    const struct sched_play_range ranges[] = {
        [SCHED_TRACE_AT_LINK] = profile->link_bps,
        [SCHED_TRACE_AT_CELL] = profile->cell_bps,
        [SCHED_TRACE_AT_MS] = profile->ms_bps,
        [SCHED_TRACE_AT_PFC] = profile->ms_bps,
    };
    struct sched_play_bucket bucket = {
        .rate_bps = sched_play_within(p, ranges[level]) * p->factor,
        .max_octets = sched_play_within(p, profile->bmax_octets) * p->factor,
    };
    if (level == SCHED_TRACE_AT_LINK && bucket.max_octets < SCHED_LARGEST_PDU)
        bucket.max_octets = prng_between(&p->chance, 1, 2 * SCHED_LARGEST_PDU);
    if (level != SCHED_TRACE_AT_LINK && sched_play_percent(p, 1))
        bucket.max_octets = 0;
    return bucket;
}

void sched_play_tell_set(struct sched_play *p, enum sched_trace_level level, uint32_t id,
                         struct sched_play_bucket bucket)
{
    sched_play_tell(p, (struct sched_trace_record){
                           .kind = SCHED_TRACE_SET,
                           .flags = (uint8_t)level,
                           .id = id,
                           .a = (int64_t)bucket.rate_bps,
                           .b = (int64_t)bucket.max_octets,
                           .c = SCHED_TRACE_NONE,
                       });
}

static void tell_limit(struct sched_play *p, struct sched_trace_record limit)
{
    limit.kind = SCHED_TRACE_LIMIT;
    sched_play_tell(p, limit);
}

/* --- mobiles --- */

static void choose_contexts(struct sched_play *p, struct sched_play_ms *mine)
{
    for (uint8_t i = 0; i < SCHED_PLAY_CONTEXTS; i++)
        mine->contexts[i] = (struct sched_play_context){
            .qclass = (uint8_t)(QCLASS_COUNT - 1 - prng_below(&p->chance, p->profile->classes)),
            .sapi = (uint8_t)(3 + 2 * prng_below(&p->chance, 2)),
            .pfi = (uint8_t)(sched_play_percent(p, 50) ? N_PDU_NO_PFI : SCHED_PLAY_PFI + i),
            .generation = 1,
        };
}

static void tell_segmenting(struct sched_play *p, uint32_t ms)
{
    const struct segmenting *s = &p->sched.params.segmenting;
    uint32_t n201_u = p->ms[ms].n201_u;
    sched_play_tell(p, (struct sched_trace_record){
                           .kind = SCHED_TRACE_SEGMENTING,
                           .id = ms,
                           .x = (uint16_t)(n201_u - s->first_octets),
                           .a = n201_u - s->later_octets,
                           .b = s->first_octets + s->llc_octets,
                           .c = s->later_octets + s->llc_octets,
                       });
}

void sched_play_n201_u(struct sched_play *p, uint32_t ms)
{
    p->ms[ms].n201_u =
        (uint16_t)(sched_play_percent(p, 50) ? N201_U_MAX : prng_between(&p->chance, N201_U_MIN, N201_U_MAX));
    tell_segmenting(p, ms);
}

void sched_play_ms_new(struct sched_play *p, uint32_t ms, uint32_t cell)
{
    struct sched_ms *m = &p->ms[ms];
    struct sched_play_bucket bucket = sched_play_any_bucket(p, SCHED_TRACE_AT_MS);

    sched_ms_init(m, &p->cells[cell], p->now);
    m->link_octets = (uint8_t)prng_between(&p->chance, 20, 80);
    m->limit_octets = (uint32_t)prng_between(&p->chance, N_PDU_MAX, 40 * N_PDU_MAX);
    bucket_set(&m->bucket, bucket.max_octets, bucket.rate_bps, p->now);
    p->mine[ms].cell = cell;
    choose_contexts(p, &p->mine[ms]);
    sched_play_tell(
        p, (struct sched_trace_record){.kind = SCHED_TRACE_MS_ADD, .id = ms, .a = cell, .b = m->link_octets});
    sched_play_n201_u(p, ms);
    sched_play_tell_set(p, SCHED_TRACE_AT_MS, ms, bucket);
    tell_limit(p, (struct sched_trace_record){.flags = SCHED_TRACE_OF_MS,
                                              .x = SCHED_TRACE_ANY_CLASS,
                                              .id = ms,
                                              .a = m->limit_octets,
                                              .b = p->sched.params.ms_limit_pkts});
}

/* --- cells and links --- */

static void cell_new(struct sched_play *p, uint32_t cell, uint32_t link)
{
    struct sched_bvc *bvc = &p->cells[cell];
    struct sched_play_bucket bucket = sched_play_any_bucket(p, SCHED_TRACE_AT_CELL);

    p->cell_links[cell] = link;
    sched_bvc_init(bvc, &p->links[link], p->now);
    bucket_set(&bvc->bucket, bucket.max_octets, bucket.rate_bps, p->now);
    sched_bvc_use(&p->sched, bvc, true);
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_CELL_ADD, .id = cell, .a = link});
    sched_play_tell_set(p, SCHED_TRACE_AT_CELL, cell, bucket);
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_CELL_USE, .id = cell, .a = 1});
}

static void link_new(struct sched_play *p, uint32_t link)
{
    const struct sched_params *params = &p->sched.params;
    sched_link_init(&p->links[link], p->now);
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_LINK_ADD, .id = link});
    if (sched_play_percent(p, p->profile->rated_percent))
        sched_play_link_set(p, link);
    for (uint32_t i = 0; i < QCLASS_COUNT; i++)
        if (params->class_limits[i].octets <= NEVER_SO_LARGE)
            tell_limit(p, (struct sched_trace_record){.flags = SCHED_TRACE_OF_LINK,
                                                      .x = (uint16_t)i,
                                                      .id = link,
                                                      .a = (int64_t)params->class_limits[i].octets,
                                                      .b = params->class_limits[i].pkts});
}

void sched_play_link_set(struct sched_play *p, uint32_t link)
{
    struct sched_play_bucket bucket = sched_play_any_bucket(p, SCHED_TRACE_AT_LINK);
    struct sched_link_rate rate = {bucket.rate_bps, bucket.max_octets,
                                   (uint32_t)prng_between(&p->chance, 1, 100)};
    sched_link_set(&p->sched, &p->links[link], &rate, p->now);
    sched_play_tell_set(p, SCHED_TRACE_AT_LINK, link, bucket);
    bucket.rate_bps = p->links[link].signalling.rate_bps;
    bucket.max_octets = p->links[link].signalling.max_octets;
    sched_play_tell_set(p, SCHED_TRACE_AT_SIGNALLING, link, bucket);
}

/* --- all of it --- */

static void choose_params(struct sched_play *p, struct sched_params *params)
{
    const struct sched_play_profile *profile = p->profile;
    sched_params_default(params);
    params->segmenting = (struct segmenting){
        .first_octets = (uint8_t)prng_between(&p->chance, 4, 7), .later_octets = 4, .llc_octets = LLC_OCTETS};
    params->max_age_ns =
        sched_play_percent(p, 50)
            ? MOMENT_NEVER
            : (int64_t)sched_play_within(p, (struct sched_play_range){10000000, 100000000000});
    params->ms_limit_pkts = (uint32_t)sched_play_within(p, (struct sched_play_range){1, 1000});
    for (unsigned i = 0; i < QCLASS_COUNT; i++)
        if (sched_play_percent(p, 20))
            params->class_limits[i] =
                (struct sched_limit){sched_play_within(p, (struct sched_play_range){N_PDU_MAX, 1000000}),
                                     (uint32_t)sched_play_within(p, (struct sched_play_range){1, 1000})};
    params->budget_pkts = SCHED_PLAY_N_PDUS - 2 * SCHED_DEFAULT_RESERVE;
    if (profile->budget_pkts)
        params->budget_pkts = profile->budget_pkts;
    else if (sched_play_percent(p, 50))
        params->budget_pkts = (uint32_t)sched_play_within(p, (struct sched_play_range){16, 20000});
    params->reserve_pkts = (uint32_t)prng_below(&p->chance, SCHED_DEFAULT_RESERVE + 1);
    params->flow_queues = (uint8_t)p->flows;
    if (p->flows > 0)
        params->budget_pkts = SCHED_PLAY_N_PDUS - 2 * SCHED_DEFAULT_RESERVE;
}

static bool room_new(struct sched_play *p)
{
    p->cells = calloc(p->cells_count, sizeof(*p->cells));
    p->cell_links = calloc(p->cells_count, sizeof(*p->cell_links));
    p->ms = calloc(p->ms_count, sizeof(*p->ms));
    p->mine = calloc(p->ms_count, sizeof(*p->mine));
    p->n_pdus = calloc(SCHED_PLAY_N_PDUS, sizeof(*p->n_pdus));
    if (!p->cells || !p->cell_links || !p->ms || !p->mine || !p->n_pdus)
        return false;
    for (uint32_t i = 0; i < SCHED_PLAY_N_PDUS; i++)
        n_pdu_list_put(&p->unused, &p->n_pdus[i].n_pdu);
    return true;
}

static void tell_all(struct sched_play *p)
{
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_BUDGET,
                                                   .a = p->sched.params.budget_pkts,
                                                   .b = p->sched.params.reserve_pkts});
    for (uint32_t i = 0; i < p->links_count; i++)
        link_new(p, i);
    for (uint32_t i = 0; i < p->cells_count; i++)
        cell_new(p, i, (uint32_t)(i < p->links_count ? i : prng_below(&p->chance, p->links_count)));
    for (uint32_t i = 0; i < p->ms_count; i++)
        sched_play_ms_new(p, i, (uint32_t)prng_below(&p->chance, p->cells_count));
}

bool sched_play_new(struct sched_play *p, const struct sched_play_profile *profile, uint64_t seed)
{
    *p = (struct sched_play){
        .profile = profile, .chance = seed, .out = p->out, .flows = p->flows, .gap_ns = MOMENT_SECOND / 1000};
    p->factor = sched_play_percent(p, 10) ? LARGE_FACTOR : 1;
    p->links_count = (uint32_t)prng_between(&p->chance, 1, SCHED_PLAY_LINKS);
    p->cells_count = p->links_count * (uint32_t)prng_between(&p->chance, 1, profile->cells);
    p->ms_count = p->cells_count * (uint32_t)prng_between(&p->chance, 1, profile->mobiles);
    p->waiting = p->ms_count;

    struct sched_params params;
    choose_params(p, &params);
    struct sched_counts counts = {.mobiles = p->ms_count,
                                  .extras = p->ms_count * (QCLASS_COUNT + SCHED_PLAY_CONTEXTS),
                                  .bvcs = p->cells_count,
                                  .links = p->links_count,
                                  .flow_sets = p->ms_count * (1 + QCLASS_COUNT + SCHED_PLAY_CONTEXTS)};
    if (!room_new(p) || !sched_new(&p->sched, &counts, &params))
        return false;
    tell_all(p);
    return true;
}

void sched_play_free(struct sched_play *p)
{
    sched_free(&p->sched);
    free(p->cells);
    free(p->cell_links);
    free(p->ms);
    free(p->mine);
    free(p->n_pdus);
}
