/* SPDX-License-Identifier: BSD-3-Clause */
/* Acts of operators on a live node (core_acts.h): the order that begins one, their table, and paging. */
#ifndef CONTROL_LIVE_ACTS_H
#define CONTROL_LIVE_ACTS_H

#include "control/report/field.h"

#include <stdint.h>

struct asker;
struct json_t;
struct live;

/* A telemetry order, record: struct live. Parameters: key=KEY,verb=VERB and what the verb needs, with dry=yes
 * to be told what would be sent. NULL: live_acts_tell() has it; else why it is refused. */
const char *live_acts_take(void *record, const char *parameters, const struct asker *asker);

/* One that tells the state and result of the act whose key the parameters are; an empty object: none. */
struct json_t *live_acts_tell(void *record, const char *parameters);

/* Looks at pages, and ends acts whose time is over; returns when that is to be called next. */
int64_t live_acts_step(struct live *live);

/* The table `acts`. */
extern const struct field live_acts_tables[];

#endif
