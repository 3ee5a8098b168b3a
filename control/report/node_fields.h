/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of a node that several reports have. */
#ifndef CONTROL_REPORT_NODE_FIELDS_H
#define CONTROL_REPORT_NODE_FIELDS_H

#include "control/sessions/node.h"
#include "control/report/field.h"
#include "control/report/totals.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/stats.h"
#include "dataplane/worker/worker.h"

/* Reasons of drops as the words of fields: dataplane/base/drop.def. */

/* Of counters that are indexed by enum drop: the reasons of frames, and of these those of drops and the kinds
 * of handled frames (drop.h); of N-PDUs, and those of uplink LLC-PDUs. */
extern const struct field_words drop_fields_frames, drop_fields_lost, drop_fields_handled, drop_fields_npdus,
    drop_fields_llc_pdus;

/* AQM schemes: N-PDUs shown to them, and their verdicts, of all workers together. */

/* A traffic class that has a scheme. */
struct aqm_fields {
    const char *class, *scheme, *scope; /* scope: of one instance */
    struct aqm_counts enqueue, dequeue; /* answers at the two hooks */
};

/* False: the class has no scheme. */
bool node_fields_aqm_of(struct worker *const *workers, unsigned count, enum qclass qclass,
                        struct aqm_fields *out);

/* Rows of struct aqm_counts; a class's scheme and scope; all of a class but its name. */
extern const struct field aqm_fields_counts[], aqm_fields_scheme[], aqm_fields[];

/* Paths to GGSNs (docs/gtpu.md). */

/* Rows of a path, and puts all paths that sessions ever had, in the order of their beginning; record: struct
 * node_fields. */
extern const struct field path_fields[];
void node_fields_each_path(const void *record, struct field_sink *sink);

/* The numbers of struct worker_stats as fields: what each is comes from dataplane/worker/stats.def. */

/* By the place of the number in struct worker_stats. */
extern const struct field_meaning worker_fields_meanings[];

#define WORKER_MEANING(number)                                                                               \
    (&worker_fields_meanings[offsetof(struct worker_stats, number) / sizeof(uint64_t)])

/* A row for a number of struct worker_stats, which is the member `stats` of the record. */
#define WORKER_FIELD(record, name, stats, number) FIELD_OF(record, name, WORKER_MEANING(number), stats.number)

struct node_fields {
    const struct node *node;
    struct worker_stats stats; /* of all workers together */
    struct totals totals;      /* likewise */
    uint64_t lost_sessions;
};

/* Of a node between steps. */
struct node_fields node_fields_of(const struct node *node);

/* Rows of struct totals: N-PDUs in, out, dropped, queued. */
extern const struct field worker_fields_npdus[];

/* Rows of struct node_fields: "aqm", "gn" and, with several workers, "workers" and "mobility". */
extern const struct field node_fields[];

/* More of them: "paths", "llc". */
extern const struct field node_fields_signalling[];

/* Rows of struct node_fields: "pacing", windows and ACKs of TCP, a row for each worker that changes them. */
extern const struct field worker_fields_pacing[];

/* The same of LLC and SNDCP: "acknowledged", "compression". */
extern const struct field worker_fields_layers[];

/* Of each table of workers: worker_fields_NAME_counts, rows of the record of a worker that
 * worker_fields_each_NAME() puts; record: struct node_fields. */
#define WORKER_TABLES(ROW)                                                                                   \
    ROW(pacing, "TCP of each worker's mobiles: windows lowered (docs/tcp-windows.md).")                      \
    ROW(acknowledged, "LLC in acknowledged mode, at each worker: links, frames, repetitions.")               \
    ROW(compression, "SNDCP's compression, at each worker: N-PDUs, octets before and after.")
#define WORKER_TABLE(name, ...)                                                                              \
    extern const struct field worker_fields_##name##_counts[];                                               \
    void worker_fields_each_##name(const void *record, struct field_sink *sink);
WORKER_TABLES(WORKER_TABLE)
#undef WORKER_TABLE

/* Single workers, where there are several, and mobiles that move between them (docs/sharding.md). */

extern const struct field worker_fields[], worker_fields_mobility[];

/* Put each worker by number, and the mobility once; nothing with one worker. record: struct node_fields. */
void worker_fields_each(const void *record, struct field_sink *sink);
void worker_fields_each_mobility(const void *record, struct field_sink *sink);

#endif
