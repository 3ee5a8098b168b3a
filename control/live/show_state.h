/* SPDX-License-Identifier: BSD-3-Clause */
/* The live state of a mobile, cell, link or class for the tables: bucket and queue as they are now, rates and
 * sojourns of the last second. */
#ifndef CONTROL_LIVE_SHOW_STATE_H
#define CONTROL_LIVE_SHOW_STATE_H

#include "control/live/live.h"
#include "control/report/field.h"
#include "dataplane/context/context.h"

/* FIELD_NONE: not known, as while a mobile moves between workers. */
struct show_state {
    struct context_look look;
    uint64_t in_bps, out_bps, in_per_s, out_per_s, dropped_per_s, marked_per_s;
    uint64_t sojourn_p50_us, sojourn_p95_us;
    char reasons[WATCH_REASON_CHARS];
};

/* Rows for records of struct show_state: the bucket, the queue, and the last second. */
extern const struct field show_state_bucket[], show_state_queue[], show_state_second[];

/* Sets the last second's figures of a key. */
void show_state_second_of(struct show_state *state, const struct live *live, const struct watch_key *key);

/* A mobile by its slot, with the N-PDUs that its contexts sent and that were dropped at its worker. */
void show_state_ms(struct show_state *state, const struct live *live, uint32_t slot, uint64_t *sent,
                   uint64_t *dropped);

/* A cell and an NSE by their index in the configuration. */
void show_state_bvc(struct show_state *state, const struct live *live, uint16_t cell);
void show_state_link(struct show_state *state, const struct live *live, uint16_t nse);

#endif
