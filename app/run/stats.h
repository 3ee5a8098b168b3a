/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a run per mobile and per traffic class (definitions: docs/run.md). */
#ifndef APP_RUN_STATS_H
#define APP_RUN_STATS_H

#include "control/report/totals.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/tap.h"

#include <stdint.h>

struct run_mobile_stats {
    uint64_t goodput_octets;        /* in order to the application, after the warm-up */
    uint64_t goodput_window_octets; /* since the last sample of the series */
    uint64_t npdu_in, npdu_out;     /* of the SGSN */
    uint64_t marks;                 /* of npdu_out, with CE set here */
    uint64_t octets_out;            /* of N-PDUs that left it after the warm-up */
    uint64_t drops[DROP_COUNT];
    uint64_t unknown_emission; /* delivered N-PDUs whose time of emission is not recorded: 0, or a defect */
    struct samples delays, sojourns;
};

struct run_class {
    uint32_t mobiles;
    uint64_t npdu_in, npdu_out, marks, octets_out;
    double share; /* of the octets_out of all classes */
    uint64_t drops[DROP_COUNT];
    struct samples delays, sojourns;
    double goodput_total_bps, goodput_mean_bps, worst_user, jain; /* of its mobiles */
};

struct run_classes {
    struct run_class of[QCLASS_COUNT];
};

struct run;

/* Takes the events of the worker's trace. */
void run_stats_take(struct run *r);

/* Sums the mobiles of each class; to be called once, at the end. */
void run_stats_sum(struct run *r);
void run_stats_free(struct run *r);

#endif
