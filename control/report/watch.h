/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches the rates, sojourns and drops of the last second of a live node, by mobile, cell, link and class:
 * copies the workers' records of their latest N-PDUs (dataplane/base/recent.h), and weighs them. Up to about
 * 4000 events a second each event is recorded; beyond that, figures are estimates of a sample.
 */
#ifndef CONTROL_WATCH_H
#define CONTROL_WATCH_H

#include "dataplane/base/n_pdu.h"
#include "dataplane/base/recent.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCH_ANY          UINT32_MAX
#define WATCH_REASON_CHARS 96

struct worker;

/* An event of the window. */
struct watch_event {
    double per_s; /* events a second that it stands for */
    int64_t sojourn_ns;
    uint32_t ms; /* slot at its worker, with the worker's number above */
    uint16_t bvc, nse, octets;
    uint8_t kind, qclass, reason;
    bool is_marked;
};

struct watch {
    int64_t at_ns; /* of the copy; the window is the second before */
    bool has_copy;
    unsigned count, cap;
    struct watch_event *events; /* in the order of ms */
    struct recent_record *room; /* for one worker's records */
};

/* WATCH_ANY: all. A mobile is watch_ms(worker, slot). */
struct watch_key {
    uint32_t ms, bvc, nse, qclass;
};

/* Of N-PDUs and their octets. Sojourns are NAN without a departure. */
struct watch_figures {
    uint64_t in_bps, out_bps;
    double in_per_s, out_per_s, dropped_per_s, marked_per_s;
    double sojourn_p50_ms, sojourn_p95_ms;
    char reasons[WATCH_REASON_CHARS]; /* "aqm 3, lifetime 1": drops a second */
};

static inline uint32_t watch_ms(unsigned worker, uint32_t slot)
{
    return (uint32_t)worker << 28 | slot;
}

/* Copies the records of the workers at now, unless the last copy is younger than 0.1 s. False: no memory. */
bool watch_look(struct watch *watch, struct worker *const *workers, unsigned count, int64_t now);
void watch_free(struct watch *watch);

/* The figures of a key in the latest copy. */
struct watch_figures watch_of(const struct watch *watch, const struct watch_key *key);

#endif
