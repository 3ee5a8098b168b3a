/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of a node that several reports have. */
#ifndef CONTROL_REPORT_NODE_FIELDS_H
#define CONTROL_REPORT_NODE_FIELDS_H

#include "control/core/node.h"
#include "control/report/field.h"
#include "control/report/totals.h"

struct node_fields {
    const struct node *node;
    struct worker_stats stats; /* of all workers together */
    struct totals totals;      /* likewise */
    uint64_t lost_sessions;
};

/* Of a node between steps. */
struct node_fields node_fields_of(const struct node *node);

/* Rows of struct totals: N-PDUs in, out, dropped, queued. */
extern const struct field node_fields_npdus[];

/* Rows of struct node_fields: "aqm", "gn" and, with several workers, "workers" and "mobility". */
extern const struct field node_fields[];

/* More of them: "paths", "llc". */
extern const struct field node_fields_signalling[];

#endif
