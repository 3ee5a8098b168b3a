/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Page times of which the end of the run cuts some off. A page that is unfinished then is known to take
 * longer than its age, no more. Its share of the pages therefore goes to the longer ones: the estimator of
 * Kaplan and Meier (JASA 53(282), 1958). python/gbflow_report/page_times.py has the same for other readers of
 * pages.
 *
 * It wants ends of the run that do not depend on how long a page would have taken. That holds for pages that
 * begin when users ask for them.
 */
#ifndef APP_RUN_PAGE_TIMES_H
#define APP_RUN_PAGE_TIMES_H

#include "control/report/field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The end of a page's time: its last octet, or its first object. */
enum page_end { PAGE_END_LAST, PAGE_END_FIRST };

struct page_time {
    int64_t ns; /* time, or age */
    uint64_t octets;
    bool is_finished;
};

/* A zeroed one is empty. */
struct page_times {
    struct page_time *of;
    size_t count, cap, unfinished;
    bool is_sorted;
};

/* Ends the program when memory is short. */
void page_times_add(struct page_times *t, struct page_time page);
void page_times_free(struct page_times *t);

/* Smallest page time that percent of the pages do not exceed; MOMENT_NEVER: the pages seen do not reach it.
 * Without unfinished pages the nearest rank. Sorts. */
int64_t page_times_quantile_ns(struct page_times *t, unsigned percent);

/* Mean of octets by page time, each page with its share; the share that is left, pages longer than the
 * longest finished one, counts as 0 bit/s. NAN without a finished page. Sorts. */
double page_times_rate_bps(struct page_times *t);

/* Quantiles and counts of a report. */
struct page_times_figures {
    int64_t p50_ns, p95_ns;
    uint64_t pages, unfinished;
};

struct page_times_figures page_times_figures_of(struct page_times *t);

/* Rows of a struct page_times_figures; of its quantiles and their n. */
extern const struct field page_times_fields[], page_times_first[];

#endif
