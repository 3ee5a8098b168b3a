/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/departure_judge.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>
#include <string.h>

#define MILLION 1000000

bool departure_judge_new(struct departure_judge *j, const struct departure_judge_load *load)
{
    *j = (struct departure_judge){
        .mobile_count = load->mobiles, .llc_octets = load->llc_octets, .cap = load->cap, .clear_ns = -1};
    j->mobiles = calloc(load->mobiles, sizeof(*j->mobiles));
    j->lateness_ns = malloc(load->cap * sizeof(*j->lateness_ns));
    if (!j->mobiles || !j->lateness_ns) {
        departure_judge_free(j);
        return false;
    }
    /* The first access to a page takes as long as a frame may be late. */
    memset(j->lateness_ns, 1, load->cap * sizeof(*j->lateness_ns));
    for (uint32_t i = 0; i < load->mobiles; i++)
        bucket_init(&j->mobiles[i].bucket, load->max_octets, load->rate_bps, 0);
    return true;
}

void departure_judge_free(struct departure_judge *j)
{
    free(j->mobiles);
    free(j->lateness_ns);
    *j = (struct departure_judge){0};
}

void departure_judge_fed(struct departure_judge *j, uint32_t mobile, int64_t now)
{
    struct departure_mobile *m = &j->mobiles[mobile];
    if (m->waiting++ == 0)
        m->since_ns = now;
}

bool departure_judge_left(struct departure_judge *j, uint32_t mobile, int64_t step_ns, int64_t now)
{
    struct departure_mobile *m = &j->mobiles[mobile];
    int64_t earliest_ns = bucket_earliest_ns(&m->bucket, j->llc_octets);

    if (m->waiting == 0)
        return false;
    m->waiting--;
    bucket_take(&m->bucket, j->llc_octets, step_ns);
    if (moment_max(earliest_ns, m->since_ns) > step_ns)
        j->early++;
    else if (earliest_ns <= m->since_ns)
        j->at_once++;
    else if (j->is_in_gap && earliest_ns > j->clear_ns)
        j->aside++;
    else if (j->count < j->cap)
        j->lateness_ns[j->count++] = now - earliest_ns;
    else
        return false;
    return true;
}

void departure_judge_clear(struct departure_judge *j, int64_t step_ns)
{
    j->clear_ns = step_ns;
    j->is_in_gap = false;
}

void departure_judge_part(struct departure_judge *j, int64_t part_ns)
{
    if (part_ns > DEPARTURE_JUDGE_GAP_NS)
        j->is_in_gap = true;
}

void departure_judge_pass(struct departure_judge *j, int64_t pass_ns)
{
    departure_judge_part(j, pass_ns);
    if (pass_ns <= DEPARTURE_JUDGE_GAP_NS)
        return;
    j->gaps++;
    j->gap_ns += pass_ns;
}

uint32_t departure_judge_owed(const struct departure_judge *j)
{
    uint32_t owed = 0;
    for (uint32_t i = 0; i < j->mobile_count; i++) {
        const struct departure_mobile *m = &j->mobiles[i];
        int64_t due_ns = moment_max(bucket_earliest_ns(&m->bucket, j->llc_octets), m->since_ns);
        owed += m->waiting != 0 && due_ns <= j->clear_ns;
    }
    return owed;
}

static int departure_judge_compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

void departure_judge_sort(struct departure_judge *j)
{
    qsort(j->lateness_ns, j->count, sizeof(*j->lateness_ns), departure_judge_compare);
}

int64_t departure_judge_percentile_ns(const struct departure_judge *j, uint32_t ppm)
{
    if (j->count == 0)
        return 0;
    uint64_t rank = ((uint64_t)j->count * ppm + MILLION - 1) / MILLION;
    return j->lateness_ns[rank ? rank - 1 : 0];
}
