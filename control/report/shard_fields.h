/* SPDX-License-Identifier: BSD-3-Clause */
/* Single workers, where there are several, and mobiles that move between them (docs/sharding.md). */
#ifndef CONTROL_REPORT_SHARD_FIELDS_H
#define CONTROL_REPORT_SHARD_FIELDS_H

#include "control/report/field.h"

extern const struct field shard_fields_workers[], shard_fields_mobility[];

/* Put each worker by number, and the mobility once; nothing with one worker. record: struct node_fields. */
void shard_fields_each_worker(const void *record, struct field_sink *sink);
void shard_fields_each_mobility(const void *record, struct field_sink *sink);

#endif
