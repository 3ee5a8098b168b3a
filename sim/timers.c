/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/timers.h"

#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CAP = 4 };

void timers_free(struct timers *t)
{
    free(t->heap);
    *t = (struct timers){0};
}

static bool is_before(const struct timer *a, const struct timer *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->rank < b->rank);
}

static void place(struct timers *t, struct timer *timer, uint32_t i)
{
    t->heap[i] = timer;
    timer->pos = i + 1;
}

static void sift_up(struct timers *t, struct timer *timer, uint32_t i)
{
    while (i > 0 && is_before(timer, t->heap[(i - 1) / 2])) {
        place(t, t->heap[(i - 1) / 2], i);
        i = (i - 1) / 2;
    }
    place(t, timer, i);
}

static void sift_down(struct timers *t, struct timer *timer, uint32_t i)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= t->count)
            break;
        if (child + 1 < t->count && is_before(t->heap[child + 1], t->heap[child]))
            child++;
        if (!is_before(t->heap[child], timer))
            break;
        place(t, t->heap[child], i);
        i = child;
    }
    place(t, timer, i);
}

/* Moves a timer at position i whose instant changed to its place. */
static void timers_settle(struct timers *t, struct timer *timer, uint32_t i)
{
    if (i > 0 && is_before(timer, t->heap[(i - 1) / 2]))
        sift_up(t, timer, i);
    else
        sift_down(t, timer, i);
}

static void timers_grow(struct timers *t)
{
    t->cap = t->cap ? 2 * t->cap : FIRST_CAP;
    t->heap = reallocarray(t->heap, t->cap, sizeof(struct timer *));
    if (!t->heap) {
        fprintf(stderr, "gbflow: out of memory for timers\n");
        exit(1);
    }
}

void timers_set(struct timers *t, struct timer *timer, int64_t at_ns)
{
    timer->at_ns = at_ns;
    if (timer->pos > 0) {
        timers_settle(t, timer, timer->pos - 1);
        return;
    }
    if (t->count == t->cap)
        timers_grow(t);
    sift_up(t, timer, t->count++);
}

void timers_cancel(struct timers *t, struct timer *timer)
{
    if (timer->pos == 0)
        return;
    uint32_t i = timer->pos - 1;
    timer->pos = 0;
    struct timer *last = t->heap[--t->count];
    if (last != timer)
        timers_settle(t, last, i);
}

int64_t timers_next_ns(const struct timers *t)
{
    return t->count ? t->heap[0]->at_ns : MOMENT_NEVER;
}

struct timer *timers_take_due(struct timers *t, int64_t now)
{
    if (t->count == 0 || t->heap[0]->at_ns > now)
        return NULL;
    struct timer *timer = t->heap[0];
    timers_cancel(t, timer);
    return timer;
}
