/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: sched_share SCENE --classes N --neighbours MODE --npdus N >TRACE
 *
 * Cells whose classes are backlogged all the time, for the oracle to judge who gets what. Four mobiles in
 * each class, wide open; whatever leaves is followed by another one like it. cell    cell 0 is limited by its
 * bucket, the link has no rate link    the link limits, the cells are wide open both    the link limits, and
 * cell 0 is limited to less than it would get equal   100 mobiles of one class in a cell that its bucket
 * limits MODE is what the other cells (1 to 3) do: idle, equal (the same mobiles), over (three times as
 * many). Classes are counted from background upwards: 5 are background, thp3, thp2, thp1 and streaming.
 */
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/sched.h"
#include "tests/oracles/sched/sched_trace.h"

#include <stdlib.h>
#include <string.h>

#define CELLS         4
#define MS_PER_CLASS  4
#define MS_MAX        (CELLS * 3 * MS_PER_CLASS * QCLASS_COUNT)
#define EQUAL_MS      100
#define DEPTH         4
#define LINK_OCTETS   40
#define LLC_OCTETS    6
#define SNDCP_OCTETS  4
#define N201_U        1520
#define CELL_BPS      200000
#define LINK_BPS      500000
#define EQUAL_BPS     4000000
#define WIDE_BPS      UINT64_C(100000000)
#define BUCKET_OCTETS 5000
#define WIDE_OCTETS   UINT64_C(10000000)

struct share {
    struct sched sched;
    struct sched_link link;
    struct sched_bvc cells[CELLS];
    struct sched_ms ms[MS_MAX];
    uint8_t qclass[MS_MAX];
    struct n_pdu n_pdus[MS_MAX * DEPTH];
    uint64_t numbers[MS_MAX * DEPTH];
    uint32_t ms_count;
    int64_t now;
    uint64_t came, left;
};

struct scene {
    const char *name, *neighbours;
    uint32_t classes;
    uint64_t npdus;
};

static void tell(const struct share *s, struct sched_trace_record record)
{
    record.time_ns = s->now;
    sched_trace_put(stdout, &record);
}

static void tell_set(const struct share *s, enum sched_trace_level level, uint32_t id,
                     const struct bucket *bucket)
{
    tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_SET,
                                        .flags = (uint8_t)level,
                                        .id = id,
                                        .a = (int64_t)bucket->rate_bps,
                                        .b = (int64_t)bucket->max_octets,
                                        .c = SCHED_TRACE_NONE});
}

/* --- who is there --- */

static void link_new(struct share *s, bool is_limited)
{
    sched_link_init(&s->link, 0);
    tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_LINK_ADD});
    if (!is_limited)
        return;
    struct sched_link_rate rate = {LINK_BPS, BUCKET_OCTETS, 10};
    sched_link_set(&s->sched, &s->link, &rate, 0);
    tell_set(s, SCHED_TRACE_AT_LINK, 0, &s->link.bucket);
}

static void cell_new(struct share *s, uint32_t cell, uint64_t rate_bps)
{
    struct sched_bvc *bvc = &s->cells[cell];
    sched_bvc_init(bvc, &s->link, 0);
    bucket_set(&bvc->bucket, BUCKET_OCTETS, rate_bps, 0);
    sched_bvc_use(&s->sched, bvc, true);
    tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_CELL_ADD, .id = cell});
    tell_set(s, SCHED_TRACE_AT_CELL, cell, &bvc->bucket);
    tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_CELL_USE, .id = cell, .a = 1});
}

static void ms_new(struct share *s, uint32_t cell, uint8_t qclass)
{
    uint32_t id = s->ms_count++;
    struct sched_ms *ms = &s->ms[id];
    sched_ms_init(ms, &s->cells[cell], 0);
    bucket_set(&ms->bucket, WIDE_OCTETS, WIDE_BPS, 0);
    ms->limit_octets = UINT32_MAX;
    ms->n201_u = N201_U;
    ms->link_octets = LINK_OCTETS;
    s->qclass[id] = qclass;
    tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_MS_ADD, .id = id, .a = cell, .b = LINK_OCTETS});
    tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_SEGMENTING,
                                        .id = id,
                                        .x = N201_U - SNDCP_OCTETS,
                                        .a = N201_U - SNDCP_OCTETS,
                                        .b = SNDCP_OCTETS + LLC_OCTETS,
                                        .c = SNDCP_OCTETS + LLC_OCTETS});
    tell_set(s, SCHED_TRACE_AT_MS, id, &ms->bucket);
}

static void mobiles_new(struct share *s, const struct scene *scene, uint32_t cell)
{
    uint32_t times = 1;
    if (cell > 0 && strcmp(scene->neighbours, "idle") == 0)
        times = 0;
    else if (cell > 0 && strcmp(scene->neighbours, "over") == 0)
        times = 3;
    for (uint32_t i = 0; i < scene->classes; i++)
        for (uint32_t k = 0; k < times * MS_PER_CLASS; k++)
            ms_new(s, cell, (uint8_t)(QCLASS_BACKGROUND - i));
}

static bool build(struct share *s, const struct scene *scene)
{
    bool is_cell = strcmp(scene->name, "cell") == 0, is_link = strcmp(scene->name, "link") == 0;
    bool is_both = strcmp(scene->name, "both") == 0, is_equal = strcmp(scene->name, "equal") == 0;
    struct sched_params params;
    struct sched_counts counts = {.mobiles = MS_MAX, .extras = MS_MAX, .bvcs = CELLS, .links = 1};

    if (!is_cell && !is_link && !is_both && !is_equal)
        return false;
    sched_params_default(&params);
    params.segmenting = (struct segmenting){SNDCP_OCTETS, SNDCP_OCTETS, LLC_OCTETS};
    params.budget_pkts = MS_MAX * DEPTH;
    if (!sched_new(&s->sched, &counts, &params))
        return false;
    link_new(s, is_link || is_both);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        bool is_limited = is_cell || is_equal || (is_both && cell == 0);
        uint64_t limit_bps = is_equal ? EQUAL_BPS : CELL_BPS / (is_both ? 4 : 1);
        cell_new(s, cell, is_limited ? limit_bps : WIDE_BPS);
        if (!is_equal)
            mobiles_new(s, scene, cell);
    }
    for (uint32_t i = 0; is_equal && i < EQUAL_MS; i++)
        ms_new(s, 0, QCLASS_BACKGROUND);
    return true;
}

/* --- what goes on --- */

static void put(struct share *s, uint32_t slot)
{
    struct n_pdu *n_pdu = &s->n_pdus[slot];
    uint32_t ms = slot / DEPTH;
    *n_pdu = (struct n_pdu){.arrival_ns = s->now,
                            .pdp = slot,
                            .octets = 500,
                            .qclass = s->qclass[ms],
                            .sapi = 3,
                            .pfi = N_PDU_NO_PFI};
    s->numbers[slot] = s->came++;
    int verdict = sched_enqueue(&s->sched, &s->ms[ms], n_pdu, s->now);
    uint64_t packed = N_PDU_NO_PFI | UINT64_C(3) << 8 | (uint64_t)sched_trace_reason_of(verdict) << 16;
    tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_ENQUEUE,
                                        .flags = n_pdu->qclass,
                                        .x = n_pdu->octets,
                                        .id = ms,
                                        .a = (int64_t)s->numbers[slot],
                                        .b = MOMENT_NEVER,
                                        .c = (int64_t)packed});
}

static void send(struct share *s)
{
    struct sched_grant grant;
    while (sched_pick(&s->sched, &grant, s->now)) {
        uint32_t slot = grant.n_pdu->pdp;
        tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_DEPART,
                                            .flags = grant.next.last,
                                            .x = grant.next.payload_octets,
                                            .id = slot / DEPTH,
                                            .a = (int64_t)s->numbers[slot],
                                            .b = grant.next.llc_octets,
                                            .c = grant.segment});
        s->left++;
        put(s, slot);
    }
}

static int play(struct share *s, const struct scene *scene)
{
    if (!build(s, scene))
        return 2;
    for (uint32_t slot = 0; slot < s->ms_count * DEPTH; slot++)
        put(s, slot);
    while (s->left < scene->npdus) {
        send(s);
        int64_t answer_ns = sched_next_ns(&s->sched);
        tell(s, (struct sched_trace_record){.kind = SCHED_TRACE_ANSWER, .a = answer_ns});
        if (answer_ns <= s->now || answer_ns == MOMENT_NEVER)
            break;
        s->now = answer_ns;
    }
    send(s);
    tell(s, (struct sched_trace_record){
                .kind = SCHED_TRACE_END, .id = s->sched.pkts, .a = (int64_t)s->came, .b = (int64_t)s->left});
    sched_free(&s->sched);
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct scene scene = {
        .name = argc > 1 ? argv[1] : "", .neighbours = "idle", .classes = 2, .npdus = 100000};
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--classes") == 0)
            scene.classes = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--neighbours") == 0)
            scene.neighbours = argv[i + 1];
        else if (strcmp(argv[i], "--npdus") == 0)
            scene.npdus = strtoull(argv[i + 1], NULL, 10);
    }
    struct share *s = calloc(1, sizeof(*s));
    int status = s && scene.classes >= 1 && scene.classes <= QCLASS_COUNT ? play(s, &scene) : 2;
    if (status == 2)
        fputs("usage: sched_share cell|link|both|equal [--classes N] [--neighbours idle|equal|over] [--npdus "
              "N] >TRACE\n",
              stderr);
    free(s);
    return status;
}
