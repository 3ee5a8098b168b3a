/* SPDX-License-Identifier: BSD-3-Clause */
/* RFC 8289's pseudo-code as it stands there: a queue with a loop in it, in floating point. The judge of ours.
 */
#ifndef TESTS_UNIT_DATAPLANE_AQM_CODEL_MODEL_H
#define TESTS_UNIT_DATAPLANE_AQM_CODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define CODEL_MODEL_MAX 65536

struct codel_model {
    double target_s, interval_s;
    uint64_t mtu_octets;
    struct {
        double arrival_s;
        uint32_t octets, id;
    } waiting[CODEL_MODEL_MAX]; /* a ring */
    uint32_t first, last;
    uint64_t octets;
    double first_above_s, drop_next_s;
    uint32_t count, last_count;
    bool dropping;
    uint32_t *dropped; /* ids, in order */
    uint32_t dropped_count;
};

void codel_model_put(struct codel_model *m, uint32_t id, uint32_t octets, double now_s);

/* Serves one; its id, -1: the queue is empty. */
int64_t codel_model_take(struct codel_model *m, double now_s);

#endif
