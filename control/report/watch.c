/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/watch.h"

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FRESH_NS  (MOMENT_SECOND / 10)
#define WINDOW_NS MOMENT_SECOND

/* --- the copy --- */

/* A full ring may begin within the window, which is then shorter. */
static int64_t window_of(const struct recent_record *records, unsigned count, int64_t now)
{
    int64_t oldest_ns = now - records[0].at_ns;
    return count + 1 >= RECENT_RECORDS && oldest_ns < WINDOW_NS ? moment_max(oldest_ns, 1) : WINDOW_NS;
}

static void add_worker(struct watch *watch, const struct worker *w, unsigned number, int64_t now)
{
    unsigned count = recent_copy(&w->recent, watch->room);
    int64_t window_ns = count > 0 ? window_of(watch->room, count, now) : WINDOW_NS;
    for (unsigned i = 0; i < count; i++) {
        const struct recent_record *r = &watch->room[i];
        if (r->at_ns <= now - window_ns || r->bvc >= w->context.limits.bvcs)
            continue;
        watch->events[watch->count++] = (struct watch_event){
            .per_s = (double)r->weight * MOMENT_SECOND / (double)window_ns,
            .sojourn_ns = r->sojourn_ns,
            .ms = watch_ms(number, r->ms),
            .bvc = r->bvc,
            .nse = w->context.bvcs[r->bvc].nse,
            .octets = r->octets,
            .kind = r->kind,
            .qclass = r->qclass,
            .reason = r->reason,
            .is_marked = r->is_marked,
        };
    }
}

static int by_ms(const void *a, const void *b)
{
    uint32_t x = ((const struct watch_event *)a)->ms, y = ((const struct watch_event *)b)->ms;
    return (x > y) - (x < y);
}

static bool take_memory(struct watch *watch, unsigned workers)
{
    if (watch->events)
        return true;
    watch->cap = workers * RECENT_RECORDS;
    watch->events = calloc(watch->cap, sizeof(*watch->events));
    watch->room = calloc(RECENT_RECORDS, sizeof(*watch->room));
    if (watch->events && watch->room)
        return true;
    watch_free(watch);
    return false;
}

bool watch_look(struct watch *watch, struct worker *const *workers, unsigned count, int64_t now)
{
    if (watch->has_copy && now - watch->at_ns < FRESH_NS)
        return true;
    watch->has_copy = take_memory(watch, count);
    watch->count = 0;
    watch->at_ns = now;
    for (unsigned i = 0; watch->has_copy && i < count; i++)
        add_worker(watch, workers[i], i, now);
    if (watch->count > 0)
        qsort(watch->events, watch->count, sizeof(*watch->events), by_ms);
    return watch->has_copy;
}

void watch_free(struct watch *watch)
{
    free(watch->events);
    free(watch->room);
    *watch = (struct watch){0};
}

/* --- figures --- */

/* The first event that is not before a mobile's. */
static unsigned first_of(const struct watch *watch, uint32_t ms)
{
    unsigned low = 0, high = watch->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (watch->events[middle].ms < ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of(const struct watch_event *e, const struct watch_key *key)
{
    return (key->bvc == WATCH_ANY || key->bvc == e->bvc) && (key->nse == WATCH_ANY || key->nse == e->nse) &&
           (key->qclass == WATCH_ANY || key->qclass == e->qclass);
}

struct sojourn {
    int64_t ns;
    double weight;
};

struct sums {
    double in_octets, out_octets, reasons[DROP_COUNT], weight;
    struct sojourn *sojourns;
    unsigned sojourn_count;
};

static void watch_add(struct sums *sums, struct watch_figures *f, const struct watch_event *e)
{
    switch (e->kind) {
    case RECENT_IN:
        f->in_per_s += e->per_s;
        sums->in_octets += e->per_s * e->octets;
        break;
    case RECENT_OUT:
        f->out_per_s += e->per_s;
        f->marked_per_s += e->is_marked ? e->per_s : 0;
        sums->out_octets += e->per_s * e->octets;
        sums->weight += e->per_s;
        if (sums->sojourns)
            sums->sojourns[sums->sojourn_count++] = (struct sojourn){e->sojourn_ns, e->per_s};
        break;
    default:
        f->dropped_per_s += e->per_s;
        sums->reasons[e->reason < DROP_COUNT ? e->reason : 0] += e->per_s;
    }
}

static int by_sojourn(const void *a, const void *b)
{
    int64_t x = ((const struct sojourn *)a)->ns, y = ((const struct sojourn *)b)->ns;
    return (x > y) - (x < y);
}

/* By nearest rank. */
static double quantile_ms(const struct sums *sums, double part)
{
    double sum = 0;
    for (unsigned i = 0; i < sums->sojourn_count; i++) {
        sum += sums->sojourns[i].weight;
        if (sum >= part * sums->weight - 1e-6)
            return (double)sums->sojourns[i].ns / (MOMENT_SECOND / 1000);
    }
    return NAN;
}

static void put_reasons(const struct sums *sums, char *out)
{
    size_t used = 0;
    for (unsigned i = 0; i < DROP_COUNT; i++)
        if (sums->reasons[i] > 0 && used < WATCH_REASON_CHARS)
            used += (size_t)snprintf(out + used, WATCH_REASON_CHARS - used, "%s%s %.0f", used > 0 ? ", " : "",
                                     drop_name((enum drop)i), sums->reasons[i]);
}

struct watch_figures watch_of(const struct watch *watch, const struct watch_key *key)
{
    struct watch_figures f = {0};
    struct sums sums = {0};
    bool is_ms = key->ms != WATCH_ANY;
    unsigned first = is_ms ? first_of(watch, key->ms) : 0;
    unsigned end = is_ms ? first_of(watch, key->ms + 1) : watch->count;

    sums.sojourns = end > first ? malloc((end - first) * sizeof(*sums.sojourns)) : NULL;
    for (unsigned i = first; i < end; i++)
        if (is_of(&watch->events[i], key))
            watch_add(&sums, &f, &watch->events[i]);
    if (sums.sojourn_count > 1)
        qsort(sums.sojourns, sums.sojourn_count, sizeof(*sums.sojourns), by_sojourn);
    f.in_bps = (uint64_t)(8 * sums.in_octets + 0.5);
    f.out_bps = (uint64_t)(8 * sums.out_octets + 0.5);
    f.sojourn_p50_ms = quantile_ms(&sums, 0.5);
    f.sojourn_p95_ms = quantile_ms(&sums, 0.95);
    put_reasons(&sums, f.reasons);
    free(sums.sojourns);
    return f;
}
