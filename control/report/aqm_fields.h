/* SPDX-License-Identifier: BSD-3-Clause */
/* AQM schemes: N-PDUs shown to them, and their verdicts, of all workers together. */
#ifndef CONTROL_REPORT_AQM_FIELDS_H
#define CONTROL_REPORT_AQM_FIELDS_H

#include "control/report/field.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/worker.h"

/* A traffic class that has a scheme. */
struct aqm_fields {
    const char *class, *scheme, *scope; /* scope: of one instance */
    struct aqm_counts enqueue, dequeue; /* answers at the two hooks */
};

/* False: the class has no scheme. */
bool aqm_fields_of(struct worker *const *workers, unsigned count, enum qclass qclass, struct aqm_fields *out);

/* Rows of struct aqm_counts; a class's scheme and scope; all of a class but its name. */
extern const struct field aqm_fields_counts[], aqm_fields_scheme[], aqm_fields[];

/* Puts all classes with a scheme, by name; record: struct node_fields. */
void aqm_fields_each(const void *record, struct field_sink *sink);

#endif
