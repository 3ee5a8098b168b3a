/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report says of single workers, where there are several. */
#ifndef CONTROL_REPORT_FIELDS_WORKERS_H
#define CONTROL_REPORT_FIELDS_WORKERS_H

#include "control/core/node.h"

#include <jansson.h>

/* Puts "workers", a list by number, and "mobility", what mobiles did between them; nothing with one worker.
 */
void fields_workers_put(json_t *object, const struct node *node);

#endif
