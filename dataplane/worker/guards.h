/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards: ESP on the worker's ports. */
#ifndef DATAPLANE_WORKER_GUARDS_H
#define DATAPLANE_WORKER_GUARDS_H

#include "dataplane/esp/esp.h"
#include "dataplane/ports/port.h"

#include <stdint.h>

struct guard {
    struct esp esp;
    struct port_guard calls;
    uint64_t *drops, *unsent; /* of the port, by enum drop */
};

struct worker;
struct worker_config;

/* Puts a guard on each port that the configuration protects. */
void guards_new(struct worker *w, const struct worker_config *config);

#endif
