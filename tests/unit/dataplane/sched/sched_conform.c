/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: sched_conform [LLC-PDUS]
 *
 * The loads of `gbflow bench sched`, from below the rates to overload and backlog, whose LLC-PDUs are held
 * against the text of the standard (bucket_model.h), in the buckets of their mobile and cell. Prints how many
 * were judged (default: 400000, an equal share of each load) and violations. The status is 0 only if each
 * load had its share judged, without violations.
 *
 * Model: the linker puts the functions below between the load and the scheduler. The first LLC-PDU of a
 * bucket is not judged; its model takes the level after it.
 */
#include "bench/throughput/load.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/sched.h"
#include "tests/unit/dataplane/queue/bucket_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST          UINT64_C(1000000000000) /* LLC-PDUs */
#define JUDGED_A_STEP (BENCH_LOAD_BURST / 4)  /* at least, once the buckets are known */
#ifndef STOPPED_AT
#define STOPPED_AT UINT64_MAX /* LLC-PDUs; after those the scheduler sends none */
#endif
#define SLOTS    (UINT32_C(1) << 18) /* a power of 2, more than mobiles and cells */
#define MULTIPLY UINT64_C(0x9e3779b97f4a7c15)

static const struct bench_load_params loads[] = {
    {.mobiles = 4096, .percent = 90},
    {.mobiles = 4096, .percent = 120},
    {.mobiles = 4096, .percent = 120, .flows = 8},
    {.mobiles = 4096, .percent = 100, .is_backlogged = true},
    {.mobiles = 4096, .percent = 100, .is_backlogged = true, .are_cells_open = true},
    {.mobiles = 65536, .percent = 120},
    {.mobiles = 65536, .percent = 100, .is_backlogged = true},
};

#define LOADS (sizeof(loads) / sizeof(loads[0]))

static struct slot {
    const struct bucket *bucket; /* NULL: empty */
    struct bucket_model model;
} slots[SLOTS];

static uint64_t judged, violations;

static struct slot *find(const struct bucket *bucket)
{
    uint32_t i = (uint32_t)((uintptr_t)bucket * MULTIPLY >> 32) % SLOTS;
    while (slots[i].bucket && slots[i].bucket != bucket)
        i = (i + 1) % SLOTS;
    return &slots[i];
}

/* The bucket is charged already. False: its first LLC-PDU. */
static bool judge(const struct bucket *bucket, uint32_t octets, int64_t now, bool *conforms)
{
    struct slot *slot = find(bucket);
    const bool is_known = slot->bucket != NULL;
    if (!is_known)
        *slot = (struct slot){bucket,
                              {.b = (__int128)bucket_level_nbit(bucket),
                               .tp_ns = now,
                               .rate_bps = bucket->rate_bps,
                               .max_octets = bucket->max_octets}};
    else if (bucket_model_can_take(&slot->model, octets, now))
        bucket_model_take(&slot->model, octets, now);
    else
        *conforms = false;
    return is_known;
}

static void judge_grant(const struct sched_grant *grant, int64_t now)
{
    const uint32_t octets = grant->next.llc_octets;
    bool conforms = true;
    const bool is_ms_known = judge(&grant->ms->bucket, octets, now, &conforms),
               is_cell_known = judge(&grant->ms->bvc->bucket, octets, now, &conforms);
    judged += is_ms_known && is_cell_known;
    violations += !conforms;
}

/* --- between load and scheduler (--wrap) --- */

bool __real_sched_pick(struct sched *s, struct sched_grant *grant, int64_t now);
bool __wrap_sched_pick(struct sched *s, struct sched_grant *grant, int64_t now);
int __real_sched_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grants,
                        int64_t now);
int __wrap_sched_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grants,
                        int64_t now);

bool __wrap_sched_pick(struct sched *s, struct sched_grant *grant, int64_t now)
{
    const bool is_picked = judged < STOPPED_AT && __real_sched_pick(s, grant, now);
    if (is_picked)
        judge_grant(grant, now);
    return is_picked;
}

int __wrap_sched_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grants,
                        int64_t now)
{
    const int count = __real_sched_bypass(s, ms, n_pdu, grants, now);
    for (int i = 0; i < count; i++)
        judge_grant(&grants[i], now);
    return count;
}

/* False, with a line on stderr: out of memory, or the scheduler sends too few. */
static bool run(const struct bench_load_params *params, uint64_t share)
{
    memset(slots, 0, sizeof(slots));
    struct bench_load *load = bench_load_new(params);
    if (!load) {
        fprintf(stderr, "sched_conform: %" PRIu32 " mobiles: out of memory\n", params->mobiles);
        return false;
    }
    const uint64_t before = judged, steps = share / JUDGED_A_STEP + params->mobiles;
    for (uint64_t i = 0; i < steps && judged - before < share; i++)
        bench_load_step(load);
    bench_load_free(load);
    if (judged - before >= share)
        return true;
    fprintf(stderr,
            "sched_conform: %" PRIu32 " mobiles, %.0f %%: only %" PRIu64 " of %" PRIu64
            " LLC-PDUs were judged in %" PRIu64 " steps\n",
            params->mobiles, params->percent, judged - before, share, steps);
    return false;
}

/* 0, with a line on stderr: not a whole number from 1 to MOST. */
static uint64_t parse(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    const uint64_t number = strtoull(text, NULL, 10);
    if (digits > 0 && text[digits] == 0 && number > 0 && number <= MOST)
        return number;
    fprintf(stderr, "sched_conform: LLC-PDUS '%s': give a whole number from 1 to %" PRIu64 "\n", text, MOST);
    return 0;
}

int main(int argc, char **argv)
{
    const uint64_t wanted = argc > 1 ? parse(argv[1]) : 400000;
    if (wanted == 0)
        return 2;
    for (size_t i = 0; i < LOADS; i++) {
        if (!run(&loads[i], (wanted + LOADS - 1) / LOADS))
            return 1;
        printf("%5" PRIu32 " mobiles, %3.0f %%%s%s%s: %" PRIu64 " LLC-PDUs so far, %" PRIu64 " violations\n",
               loads[i].mobiles, loads[i].percent, loads[i].is_backlogged ? ", backlogged" : "",
               loads[i].are_cells_open ? ", cells open" : "", loads[i].flows > 0 ? ", flow queues" : "",
               judged, violations);
        fflush(stdout);
    }
    return violations > 0;
}
