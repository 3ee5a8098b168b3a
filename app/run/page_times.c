/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/page_times.h"

#include "dataplane/base/moment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CAP = 8 };

/* Of shares that add up to 1: below a page's share, above the rounding of their sum. */
static const double ROUNDING = 1e-9;

void page_times_add(struct page_times *t, struct page_time page)
{
    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : FIRST_CAP;
        t->of = reallocarray(t->of, t->cap, sizeof(*t->of));
        if (!t->of) {
            fprintf(stderr, "gbflow: out of memory for page times\n");
            exit(1);
        }
    }
    t->of[t->count++] = page;
    t->unfinished += !page.is_finished;
    t->is_sorted = false;
}

void page_times_free(struct page_times *t)
{
    free(t->of);
    *t = (struct page_times){0};
}

/* Of equal times the finished page first: the other one takes longer. */
static int compare_pages(const void *a, const void *b)
{
    const struct page_time *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? 1 : -1;
    return (int)y->is_finished - (int)x->is_finished;
}

static void sort(struct page_times *t)
{
    if (!t->is_sorted && t->count > 0)
        qsort(t->of, t->count, sizeof(*t->of), compare_pages);
    t->is_sorted = true;
}

/* The share of a page, given that of those which take no less; 0 if it is unfinished. */
static double share(const struct page_times *t, size_t i, double left)
{
    return t->of[i].is_finished ? left / (double)(t->count - i) : 0;
}

int64_t page_times_quantile_ns(struct page_times *t, unsigned percent)
{
    double left = 1, above = 1 - percent / 100.0;
    sort(t);
    for (size_t i = 0; i < t->count; i++) {
        left -= share(t, i, left);
        if (t->of[i].is_finished && left <= above + ROUNDING)
            return t->of[i].ns;
    }
    return MOMENT_NEVER;
}

double page_times_rate_bps(struct page_times *t)
{
    double left = 1, sum_bps = 0;
    sort(t);
    for (size_t i = 0; i < t->count; i++) {
        double part = share(t, i, left);
        if (t->of[i].ns > 0)
            sum_bps += part * (double)t->of[i].octets * 8 * MOMENT_SECOND / (double)t->of[i].ns;
        left -= part;
    }
    return t->count > t->unfinished ? sum_bps : NAN;
}

struct page_times_figures page_times_figures_of(struct page_times *t)
{
    return (struct page_times_figures){
        .p50_ns = page_times_quantile_ns(t, 50),
        .p95_ns = page_times_quantile_ns(t, 95),
        .pages = t->count,
        .unfinished = t->unfinished,
    };
}

#define ROW(kind, name, unit, member, sentence)                                                              \
    FIELD(struct page_times_figures, kind, name, unit, member, sentence)

static const struct field page_times_quantiles[] = {
    ROW(GAUGE, "p50", "seconds", p50_ns, "Median; null where too few pages were finished to reach it."),
    ROW(GAUGE, "p95", "seconds", p95_ns,
        "95th percentile; null where too few pages were finished to reach it."),
    FIELD_END,
};

const struct field page_times_first[] = {
    FIELD_ROWS(0, page_times_quantiles),
    ROW(COUNTER, "n", "pages", pages, "Pages, those without a main object included."),
    FIELD_END,
};

const struct field page_times_fields[] = {
    FIELD_ROWS(0, page_times_quantiles),
    ROW(COUNTER, "pages", "pages", pages, "Pages begun after the warm-up."),
    ROW(COUNTER, "unfinished", "pages", unfinished, "Of these, pages unfinished at the end of the run."),
    FIELD_END,
};
