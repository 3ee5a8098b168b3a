/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/drop.h"
#include "tests/oracles/sched/sched_play.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"

#define SIGNAL_OCTETS_MAX 300
#define PERCENT_MAX       255

static void tell(struct sched_play *p, enum sched_trace_kind kind, uint32_t id, int64_t a)
{
    sched_play_tell(p, (struct sched_trace_record){.kind = (uint8_t)kind, .id = id, .a = a});
}

static uint32_t any_ms(struct sched_play *p)
{
    return (uint32_t)prng_below(&p->chance, p->ms_count);
}

static uint32_t any_cell(struct sched_play *p)
{
    return (uint32_t)prng_below(&p->chance, p->cells_count);
}

/* --- buckets --- */

/* What a message does to a bucket: new parameters, R = 0, a ratio, octets gone, octets come. */
static void change_bucket(struct sched_play *p, struct bucket *bucket, struct sched_trace_record record)
{
    struct sched_play_bucket b = sched_play_any_bucket(p, record.flags);
    uint64_t chance = prng_below(&p->chance, 100);
    if (chance < 60) {
        if (chance < 5)
            b.rate_bps = 0;
        bucket_set(bucket, b.max_octets, b.rate_bps, p->now);
        record.kind = SCHED_TRACE_SET;
        record.a = (int64_t)b.rate_bps;
        record.b = (int64_t)b.max_octets;
        record.c = SCHED_TRACE_NONE;
    } else if (chance < 75) {
        record.kind = SCHED_TRACE_RATIO;
        record.a = (int64_t)prng_below(&p->chance, chance < 62 ? PERCENT_MAX + 1 : 101);
        bucket_set_ratio(bucket, (uint32_t)record.a, p->now);
    } else if (chance < 95) {
        record.kind = SCHED_TRACE_ADJUST;
        record.a = -(int64_t)prng_below(&p->chance, b.max_octets + 1);
        bucket_discard(bucket, (uint64_t)-record.a, p->now);
    } else {
        record.kind = SCHED_TRACE_ADJUST;
        record.a = (int64_t)prng_below(&p->chance, SCHED_LARGEST_PDU);
        bucket_take(bucket, (uint32_t)record.a, p->now);
    }
    sched_play_tell(p, record);
}

static void change_cell(struct sched_play *p)
{
    uint32_t cell = any_cell(p);
    change_bucket(p, &p->cells[cell].bucket,
                  (struct sched_trace_record){.flags = SCHED_TRACE_AT_CELL, .id = cell});
    sched_bvc_changed(&p->sched, &p->cells[cell]);
}

static void change_ms(struct sched_play *p)
{
    uint32_t ms = any_ms(p);
    change_bucket(p, &p->ms[ms].bucket, (struct sched_trace_record){.flags = SCHED_TRACE_AT_MS, .id = ms});
    sched_ms_changed(&p->sched, &p->ms[ms], p->now);
}

static void change_link(struct sched_play *p)
{
    if (sched_play_percent(p, p->profile->rated_percent))
        sched_play_link_set(p, (uint32_t)prng_below(&p->chance, p->links_count));
}

/* --- packet flows --- */

static void change_pfc(struct sched_play *p)
{
    uint32_t ms = any_ms(p);
    uint8_t pfi = (uint8_t)(SCHED_PLAY_PFI + prng_below(&p->chance, SCHED_PLAY_CONTEXTS));
    struct sched_extra *pfc = sched_pfc_get(&p->sched, &p->ms[ms], pfi);
    struct sched_trace_record record = {.flags = SCHED_TRACE_AT_PFC, .x = pfi, .id = ms};
    if (!pfc) {
        sched_pfc_add(&p->sched, &p->ms[ms], pfi, p->now);
        return;
    }
    if (!pfc->has_bucket) {
        struct sched_play_bucket b = sched_play_any_bucket(p, SCHED_TRACE_AT_PFC);
        bucket_init(&pfc->bucket, b.max_octets, b.rate_bps, p->now);
        record.kind = SCHED_TRACE_SET;
        record.a = (int64_t)b.rate_bps;
        record.b = (int64_t)b.max_octets;
        record.c = SCHED_TRACE_NONE;
        sched_play_tell(p, record);
    } else {
        change_bucket(p, &pfc->bucket, record);
    }
    sched_pfc_changed(&p->sched, pfc, p->now);
}

/* The packet flow that is made under this PFI from now on is another one. */
static void tell_pfc_gone(struct sched_play *p, uint32_t ms, uint8_t pfi)
{
    p->mine[ms].contexts[pfi - SCHED_PLAY_PFI].generation++;
    sched_play_tell(p, (struct sched_trace_record){
                           .kind = SCHED_TRACE_GONE, .flags = SCHED_TRACE_AT_PFC, .x = pfi, .id = ms});
}

static void tell_pfcs_gone(struct sched_play *p, uint32_t ms)
{
    for (uint8_t i = 0; i < SCHED_PLAY_CONTEXTS; i++)
        if (sched_pfc_get(&p->sched, &p->ms[ms], (uint8_t)(SCHED_PLAY_PFI + i)))
            tell_pfc_gone(p, ms, (uint8_t)(SCHED_PLAY_PFI + i));
}

static void del_pfc(struct sched_play *p)
{
    uint32_t ms = any_ms(p);
    uint8_t pfi = (uint8_t)(SCHED_PLAY_PFI + prng_below(&p->chance, SCHED_PLAY_CONTEXTS));
    if (!sched_pfc_get(&p->sched, &p->ms[ms], pfi))
        return;
    tell_pfc_gone(p, ms, pfi);
    sched_pfc_del(&p->sched, &p->ms[ms], pfi, p->now);
}

/* --- mobiles --- */

static void hold(struct sched_play *p)
{
    uint32_t ms = any_ms(p);
    struct sched_ms *m = &p->ms[ms];
    uint8_t flag = sched_play_percent(p, 50) ? SCHED_MS_SUSPENDED : SCHED_MS_LOST;
    if (m->flags & flag)
        sched_ms_thaw(&p->sched, m, flag, p->now);
    else
        sched_ms_freeze(&p->sched, m, flag);
    tell(p, SCHED_TRACE_MS_HOLD, ms, m->flags & SCHED_MS_FROZEN);
}

static void change_n201_u(struct sched_play *p)
{
    uint32_t ms = any_ms(p);
    sched_play_n201_u(p, ms);
    sched_ms_changed(&p->sched, &p->ms[ms], p->now);
}

static void set_bucket_of_ms(struct sched_play *p, uint32_t ms)
{
    struct sched_play_bucket b = sched_play_any_bucket(p, SCHED_TRACE_AT_MS);
    bucket_set(&p->ms[ms].bucket, b.max_octets, b.rate_bps, p->now);
    sched_play_tell_set(p, SCHED_TRACE_AT_MS, ms, b);
}

static void move(struct sched_play *p)
{
    uint32_t ms = any_ms(p), cell = any_cell(p);
    p->mine[ms].cell = cell;
    if (sched_play_percent(p, 20)) {
        tell_pfcs_gone(p, ms);
        sched_play_hand_over(p, ms, cell);
        set_bucket_of_ms(p, ms);
        sched_ms_changed(&p->sched, &p->ms[ms], p->now);
        return;
    }
    tell(p, SCHED_TRACE_MS_MOVE, ms, cell);
    set_bucket_of_ms(p, ms);
    sched_ms_move(&p->sched, &p->ms[ms], &p->cells[cell], p->now);
    if (sched_play_percent(p, 50)) {
        struct sched_trace_record record = {
            .kind = SCHED_TRACE_ADJUST, .flags = SCHED_TRACE_AT_MS, .id = ms, .a = SCHED_LARGEST_PDU};
        bucket_take(&p->ms[ms].bucket, SCHED_LARGEST_PDU, p->now);
        sched_ms_changed(&p->sched, &p->ms[ms], p->now);
        sched_play_tell(p, record);
    }
}

static void del_ms(struct sched_play *p)
{
    uint32_t ms = any_ms(p);
    sched_ms_flush(&p->sched, &p->ms[ms], DROP_CONTEXT_DELETED);
    sched_play_take_dropped(p, NULL);
    tell(p, SCHED_TRACE_MS_DELETE, ms, 0);
    sched_play_ms_new(p, ms, any_cell(p));
}

static void del_pdp(struct sched_play *p)
{
    uint32_t ms = any_ms(p);
    sched_ms_remove_pdp(&p->sched, &p->ms[ms], ms, p->now);
    sched_play_take_dropped(p, NULL);
}

/* --- cells and links --- */

static void use(struct sched_play *p, uint32_t cell, bool usable)
{
    sched_bvc_use(&p->sched, &p->cells[cell], usable);
    tell(p, SCHED_TRACE_CELL_USE, cell, usable);
}

static void block(struct sched_play *p)
{
    uint32_t cell = any_cell(p);
    use(p, cell, p->cells[cell].mode == SCHED_MODE_STOPPED);
}

static void reset(struct sched_play *p)
{
    uint32_t cell = any_cell(p);
    sched_bvc_use(&p->sched, &p->cells[cell], false);
    for (uint32_t ms = 0; ms < p->ms_count; ms++) {
        if (p->mine[ms].cell != cell)
            continue;
        tell_pfcs_gone(p, ms);
        sched_ms_flush(&p->sched, &p->ms[ms], DROP_BVC_RESET);
        bucket_reset(&p->ms[ms].bucket, p->now);
        sched_ms_changed(&p->sched, &p->ms[ms], p->now);
    }
    sched_play_take_dropped(p, NULL);
    bucket_reset(&p->cells[cell].bucket, p->now);
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_CELL_RESET, .flags = 1, .id = cell});
    if (sched_play_percent(p, 50))
        use(p, cell, true);
}

/* A signalling frame, if it may go ahead of users. */
static void signal(struct sched_play *p)
{
    uint32_t link = (uint32_t)prng_below(&p->chance, p->links_count);
    uint32_t octets = (uint32_t)prng_between(&p->chance, 1, SIGNAL_OCTETS_MAX);
    if (!sched_link_can_signal(&p->links[link], octets, p->now))
        return;
    sched_link_signal(&p->links[link], octets, p->now);
    sched_play_tell(
        p, (struct sched_trace_record){.kind = SCHED_TRACE_SIGNAL, .x = (uint16_t)octets, .id = link});
}

void sched_play_thaw(struct sched_play *p)
{
    for (uint32_t cell = 0; cell < p->cells_count; cell++)
        if (p->cells[cell].mode == SCHED_MODE_STOPPED)
            use(p, cell, true);
    for (uint32_t ms = 0; ms < p->ms_count; ms++) {
        if (!(p->ms[ms].flags & SCHED_MS_FROZEN))
            continue;
        sched_ms_thaw(&p->sched, &p->ms[ms], SCHED_MS_FROZEN, p->now);
        tell(p, SCHED_TRACE_MS_HOLD, ms, 0);
    }
}

void sched_play_change(struct sched_play *p)
{
    static const struct {
        void (*event)(struct sched_play *p);
        uint32_t weight;
    } events[] = {
        {change_ms, 25}, {change_cell, 10},  {change_link, 3}, {change_pfc, 10},     {del_pfc, 3},
        {hold, 10},      {change_n201_u, 3}, {move, 10},       {del_ms, 3},          {del_pdp, 2},
        {block, 3},      {reset, 1},         {signal, 10},     {sched_play_thaw, 1},
    };
    uint32_t sum = 0, i = 0;
    for (uint32_t k = 0; k < sizeof(events) / sizeof(events[0]); k++)
        sum += events[k].weight;
    for (uint32_t at = (uint32_t)prng_below(&p->chance, sum); at >= events[i].weight; i++)
        at -= events[i].weight;
    events[i].event(p);
}
