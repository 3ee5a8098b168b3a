/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A curve: the share of packets that an AQM scheme signals at a queue of constant length: packets of 500
 * octets arrive and leave at one rate. The age of a packet is then backlog / rate, so every scheme has one
 * axis. Measured on the scheme's own hooks, beside the published formula where it has one.
 */
#ifndef APP_AQM_CURVE_H
#define APP_AQM_CURVE_H

#include "dataplane/aqm/aqm.h"

#include <jansson.h>

struct aqm_curve {
    const struct aqm_ops *ops;
    int64_t values[AQM_MAX_PARAMS];
    uint64_t rate_bps;
    uint64_t seed;
    uint32_t packets; /* for each point */
    int64_t reach;    /* end of the axis, 0: follows from the scheme's parameters */
};

/*
 * {"scheme", "parameters", "axis", "points": [{at, formula, signalled}], "onset": [{at, shares}]}; onset:
 * shares of signalled packets in each of the slots after the queue reached that length. NULL, with a message
 * on stderr, when the values of the parameters contradict each other.
 */
json_t *aqm_curve_measure(const struct aqm_curve *curve);

/*
 * The AQM paper's Fig. 2 with the hooks of the scheme ttlred1: for several parameters the chance to be
 * signalled at the N-th check or earlier, equation 1 beside drawn packets, and the point that the paper
 * states.
 */
json_t *aqm_curve_figure2(const struct aqm_curve *curve);

#endif
