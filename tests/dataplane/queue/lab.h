/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scheduler in virtual time that plays scenarios: steps at given instants, and what must leave or be
 * dropped when. What is due at an instant is done before the steps of that instant, and what they allow
 * after them.
 *
 * Every scenario also holds that in = out + dropped + queued, that time never has to go back, and that
 * nothing is left on a timer of a mobile that is gone.
 */
#ifndef TESTS_DATAPLANE_QUEUE_LAB_H
#define TESTS_DATAPLANE_QUEUE_LAB_H

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/queue/sched.h"

#define LAB_MS     6
#define LAB_CELLS  3
#define LAB_ROWS   28
#define LAB_MSEC   INT64_C(1000000)
#define LAB_SECOND INT64_C(1000000000)

enum lab_op {
    LAB_END, /* the last step */

    /* What happens; `who` is a mobile, but in LAB_CELL* a cell. */
    LAB_PUT,     /* an N-PDU of a octets that arrives now for PDP context b */
    LAB_SET,     /* bucket of a octets that leaks b bit/s */
    LAB_RATIO,   /* a percent full */
    LAB_DISCARD, /* a octets gone */
    LAB_AGE,     /* greatest age a ns */
    LAB_LIMIT,   /* queue limit a octets */
    LAB_REMOVE,  /* PDP context a */
    LAB_FLUSH,   /* gone with reason a */
    LAB_INIT,    /* there again, wide open */
    LAB_CELL,    /* bucket of a octets that leaks b bit/s */
    LAB_CELL_DISCARD,
    LAB_CELL_USE, /* a: usable or not */

    /* What must be so. */
    LAB_STATE, /* state a */
    LAB_TURN,  /* a: first in its cell's ring or not */
    LAB_CELL_STATE,
    LAB_NEXT, /* sched_next_ns() is a */
};

struct lab_step {
    int64_t at_ns;
    enum lab_op op;
    uint8_t who;
    uint64_t a, b;
};

/* An LLC-PDU that leaves. */
struct lab_sent {
    int64_t at_ns;
    uint8_t ms;
    uint16_t llc_octets;
};

/* An N-PDU that is dropped, or refused. */
struct lab_dropped {
    int64_t at_ns;
    uint16_t octets;
    enum drop reason;
};

/* Buckets are wide open and cells usable until a step says otherwise. Rows with octets 0 are the end. */
struct lab_scenario {
    const char *name;
    uint16_t segment_octets; /* greatest LLC-PDU; 0: whole N-PDUs. Headers have no octets here. */
    uint8_t cell_of[LAB_MS];
    struct lab_step steps[LAB_ROWS];
    struct lab_sent sent[LAB_ROWS];
    struct lab_dropped dropped[LAB_ROWS];
};

/* Plays one scenario until nothing is left that time alone would do; a difference fails the test. */
void lab_play(const struct lab_scenario *scenario);

#endif
