/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of struct worker_stats as fields: what each is comes from dataplane/worker/stats.def. */
#ifndef CONTROL_REPORT_WORKER_FIELDS_H
#define CONTROL_REPORT_WORKER_FIELDS_H

#include "control/report/field.h"
#include "dataplane/worker/tap.h"

/* By the place of the number in struct worker_stats. */
extern const struct field_meaning worker_fields_meanings[];

#define WORKER_MEANING(number)                                                                               \
    (&worker_fields_meanings[offsetof(struct worker_stats, number) / sizeof(uint64_t)])

/* A row for a number of struct worker_stats, which is the member `stats` of the record. */
#define WORKER_FIELD(record, name, stats, number) FIELD_OF(record, name, WORKER_MEANING(number), stats.number)

#endif
