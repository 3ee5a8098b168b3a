/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.json of a run: its record, and the tables of its fields by part. Definitions:
 * docs/reference/run-results.md. */
#ifndef APP_RUN_SUMMARY_H
#define APP_RUN_SUMMARY_H

#include "app/run/page_times.h"
#include "app/run/run.h"
#include "control/report/node_fields.h"
#include "control/report/totals.h"

#include <math.h>

/* N-PDUs of the BSS. */
struct summary_account {
    uint64_t in, out, dropped, queued;
};

struct summary {
    struct scenario_run *run;
    const char *schema, *version, *scenario, *title;
    uint64_t seed;
    int64_t duration_ns, warmup_ns;
    struct node_fields node;
    struct page_times_figures page_times;
    struct {
        uint64_t rate_bps; /* FIELD_NONE: no limit */
        double utilisation;
    } gb;
    struct summary_account bss;
};

extern const struct field summary[];

/* Page times of members, or times to the first object. To be freed. */
struct page_times summary_page_times(const struct scenario_run *r, const struct run_members *of,
                                     enum page_end end);

/* Maps and lists of a struct summary: each class and each group, which have the same rows, each mobile. */
extern const struct field summary_classes[], summary_mobiles[];
void summary_each_class(const void *record, struct field_sink *sink);
void summary_each_group(const void *record, struct field_sink *sink);
void summary_each_mobile(const void *record, struct field_sink *sink);

/* Rows of struct ms_stack_counts. */
extern const struct field summary_acknowledged_mobiles[];

struct summary_access {
    const struct access *access; /* NULL: the cell has none */
    int64_t from_ns, to_ns;
};

/* Puts the record of `summary_access` from a struct summary_access, unless the cell has no random access. */
void summary_radio_each_access(const void *record, struct field_sink *sink);
extern const struct field summary_access[];

/* Likewise of `summary_tbf`, unless the cell has none of the procedures. */
struct summary_tbf {
    const struct scenario_config_access *config;
    const struct radio_stats *down, *up;
};

void summary_radio_each_tbf(const void *record, struct field_sink *sink);
extern const struct field summary_tbf[];

/* Of a cell with `link`; the record of each is a const struct radio *. */
extern const struct field summary_link[];
void summary_radio_each_link(const void *record, struct field_sink *sink);

#endif
