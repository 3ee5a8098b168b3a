/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/loss_log.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_CAP 1024
#define SLACK_NS  20000

/* Doubles the room, in place where possible; the heap would keep the old list. */
static bool loss_log_grow(struct bench_loss_log_gaps *events)
{
    size_t before = events->cap * sizeof(*events->list),
           octets = before > 0 ? 2 * before : FIRST_CAP * sizeof(*events->list);
    void *list = before > 0 ? mremap(events->list, before, octets, MREMAP_MAYMOVE)
                            : mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list == MAP_FAILED)
        return false;
    madvise(list, octets, MADV_NOHUGEPAGE);
    events->list = list;
    events->cap = octets / sizeof(*events->list);
    return true;
}

static void release(struct bench_loss_log_gaps *events)
{
    if (events->cap > 0)
        munmap(events->list, events->cap * sizeof(*events->list));
}

static size_t loss_log_octets_of(const struct bench_loss_log_gaps *events)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (events->count * sizeof(*events->list) + page - 1) / page * page;
}

void bench_loss_log_put(struct bench_loss_log *l, enum bench_loss_log_side side,
                        const struct bench_event *event)
{
    struct bench_loss_log_gaps *to = event->kind == BENCH_EVENT_LOSS      ? &l->losses
                                     : event->kind == BENCH_EVENT_BACKLOG ? &l->backlogs
                                                                          : &l->gaps[side];
    if (to->count == to->cap && !loss_log_grow(to)) {
        l->is_incomplete = true;
        return;
    }
    to->list[to->count++] = *event;
}

static int loss_log_compare(const void *a, const void *b)
{
    const struct bench_event *left = a, *right = b;
    return (left->begin_ns > right->begin_ns) - (left->begin_ns < right->begin_ns);
}

static void sort(struct bench_loss_log_gaps *events)
{
    if (events->count > 0)
        qsort(events->list, events->count, sizeof(*events->list), loss_log_compare);
}

/* Extends each gap to the end of its backlogs; gaps and backlogs are sorted. Returns the longest extension.
 */
static int64_t extend(const struct bench_loss_log *l, struct bench_loss_log_gaps *gaps)
{
    int64_t until_ns = INT64_MIN, longest_ns = 0;
    for (size_t i = 0, next = 0; i < gaps->count; i++) {
        struct bench_event *gap = &gaps->list[i];
        for (; next < l->backlogs.count && l->backlogs.list[next].begin_ns <= gap->end_ns + l->slack_ns;
             next++)
            until_ns = moment_max(until_ns, l->backlogs.list[next].end_ns);
        if (until_ns <= gap->end_ns)
            continue;
        int64_t more_ns = moment_min(until_ns - gap->end_ns, l->after_ns);
        longest_ns = moment_max(longest_ns, more_ns);
        gap->end_ns += more_ns;
    }
    return longest_ns;
}

/* The end of the gaps that begin up to at_ns; *next becomes the first later gap. */
static int64_t explained_until(const struct bench_loss_log_gaps *gaps, size_t *next, int64_t until_ns,
                               int64_t at_ns)
{
    for (; *next < gaps->count && gaps->list[*next].begin_ns <= at_ns + SLACK_NS; ++*next)
        until_ns = moment_max(until_ns, gaps->list[*next].end_ns);
    return until_ns;
}

/* The last backlog that a loss lies in, or NULL. */
static const struct bench_event *backlog_of(const struct bench_loss_log *l, const struct bench_event *loss)
{
    const struct bench_event *found = NULL;
    for (size_t i = 0; i < l->backlogs.count && l->backlogs.list[i].begin_ns <= loss->end_ns + SLACK_NS; i++)
        if (loss->begin_ns <= l->backlogs.list[i].end_ns)
            found = &l->backlogs.list[i];
    return found;
}

static void note_outside(const struct bench_loss_log *l, const struct bench_event *loss,
                         struct bench_loss_log_sum *sum)
{
    const struct bench_event *backlog = backlog_of(l, loss);
    sum->lost_outside += loss->count;
    if (sum->outside_count > 0 && backlog &&
        sum->outside[sum->outside_count - 1].backlog.begin_ns == backlog->begin_ns)
        sum->outside[sum->outside_count - 1].lost += loss->count;
    else if (sum->outside_count < BENCH_LOSS_LOG_OUTSIDE)
        sum->outside[sum->outside_count++] = (struct bench_loss_log_outside){
            loss->begin_ns, loss->count, backlog ? *backlog : (struct bench_event){.count = 0}};
}

static void judge_losses(struct bench_loss_log *l, struct bench_loss_log_sum *sum)
{
    size_t next[BENCH_LOSS_LOG_SIDES] = {0};
    int64_t until_ns[BENCH_LOSS_LOG_SIDES] = {INT64_MIN, INT64_MIN};
    for (size_t i = 0; i < l->losses.count; i++) {
        const struct bench_event *loss = &l->losses.list[i];
        for (unsigned s = 0; s < BENCH_LOSS_LOG_SIDES; s++)
            until_ns[s] = explained_until(&l->gaps[s], &next[s], until_ns[s], loss->end_ns);
        sum->lost += loss->count;
        if (loss->begin_ns <= until_ns[BENCH_LOSS_LOG_WORKER])
            sum->lost_in[BENCH_LOSS_LOG_WORKER] += loss->count;
        else if (loss->begin_ns <= until_ns[BENCH_LOSS_LOG_GENERATOR])
            sum->lost_in[BENCH_LOSS_LOG_GENERATOR] += loss->count;
        else
            note_outside(l, loss, sum);
    }
}

/* The union of both sides' gaps, in the order of their begin. */
static int64_t covered_ns(const struct bench_loss_log *l)
{
    const struct bench_loss_log_gaps *a = &l->gaps[0], *b = &l->gaps[1];
    int64_t sum_ns = 0, until_ns = INT64_MIN;
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        bool is_a = k == b->count || (i < a->count && a->list[i].begin_ns <= b->list[k].begin_ns);
        const struct bench_event *gap = is_a ? &a->list[i++] : &b->list[k++];
        int64_t begin_ns = moment_max(gap->begin_ns, until_ns), end_ns = gap->end_ns;
        sum_ns += end_ns > begin_ns ? end_ns - begin_ns : 0;
        until_ns = moment_max(until_ns, end_ns);
    }
    return sum_ns;
}

struct bench_loss_log_sum bench_loss_log_sum(struct bench_loss_log *l)
{
    struct bench_loss_log_sum sum = {0};
    sort(&l->losses);
    sort(&l->backlogs);
    for (unsigned s = 0; s < BENCH_LOSS_LOG_SIDES; s++) {
        sort(&l->gaps[s]);
        sum.gaps[s] = l->gaps[s].count;
        for (size_t i = 0; i < l->gaps[s].count; i++)
            sum.longest_ns[s] =
                moment_max(sum.longest_ns[s], l->gaps[s].list[i].end_ns - l->gaps[s].list[i].begin_ns);
        sum.longest_after_ns = moment_max(sum.longest_after_ns, extend(l, &l->gaps[s]));
    }
    judge_losses(l, &sum);
    sum.covered_ns = covered_ns(l);
    return sum;
}

size_t bench_loss_log_octets(const struct bench_loss_log *l)
{
    size_t octets = loss_log_octets_of(&l->losses) + loss_log_octets_of(&l->backlogs);
    for (unsigned s = 0; s < BENCH_LOSS_LOG_SIDES; s++)
        octets += loss_log_octets_of(&l->gaps[s]);
    return octets;
}

void bench_loss_log_fini(struct bench_loss_log *l)
{
    for (unsigned s = 0; s < BENCH_LOSS_LOG_SIDES; s++)
        release(&l->gaps[s]);
    release(&l->backlogs);
    release(&l->losses);
    *l = (struct bench_loss_log){0};
}
