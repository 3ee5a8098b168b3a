/* SPDX-License-Identifier: BSD-3-Clause */
/* What AQM schemes were asked and answered, for reports. */
#ifndef CONTROL_REPORT_AQM_FIELDS_H
#define CONTROL_REPORT_AQM_FIELDS_H

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/qclass.h"
#include "dataplane/worker/worker.h"

#include <jansson.h>

/* By traffic class, of all workers together: the scheme, its scope, and counts at both hooks. Classes without
 * a scheme are left out. */
json_t *aqm_fields(struct worker *const *workers, unsigned count);

/* Name of a class's scheme; NULL: none. */
const char *aqm_fields_scheme(const struct worker *worker, enum qclass qclass);

/* Of a class that has one: what each instance is of, and a worker's counts, added to the sum. */
const char *aqm_fields_scope(const struct worker *worker, enum qclass qclass);
void aqm_fields_add(struct aqm_counts *sum, const struct worker *worker, enum qclass qclass,
                    enum aqm_point point);

#endif
