/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards: ESP on the worker's ports. */
#ifndef DATAPLANE_WORKER_GUARDS_H
#define DATAPLANE_WORKER_GUARDS_H

#include "dataplane/base/budget.h"
#include "dataplane/base/moment.h"
#include "dataplane/esp/esp.h"
#include "dataplane/ports/port.h"

#include <stdint.h>

#define GUARDS_IKE_PER_S     100 /* frames with IKE of a source */
#define GUARDS_IKE_BURST     50
#define GUARDS_IKE_ALL_PER_S 1000
#define GUARDS_IKE_ALL_BURST 100
#define GUARDS_FAULT_NS      MOMENT_SECOND /* at least, between two messages of a reason */

struct worker;

struct guard {
    struct esp esp;
    struct port_guard calls;
    uint64_t *drops, *unsent; /* of the port, by enum drop */
    struct worker *worker;
    struct budget ike_budget; /* of frames for the daemon */
    struct faults faults;
    struct guard_told {
        int64_t at_ns;  /* the last message of a reason */
        uint64_t count; /* packets of which it and those before told */
    } told[FAULTS_COUNT];
};

struct gb_nse;
struct worker_config;

/* Puts a guard on each port that the configuration protects. */
void guards_new(struct worker *w, const struct worker_config *config);

/* The octets of a frame of NS signalling that the bucket of its link counts. */
uint32_t guards_signalling_octets(const struct worker *w, const struct gb_nse *nse, uint32_t ns_octets);

/* Sets how ESP makes the frames of an NSE longer, after a change of its NS-VCs. */
void guards_measure(struct worker *w, uint16_t nse);

#endif
