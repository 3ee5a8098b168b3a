/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a scheduler to which anything may happen at any time. After every step, and between any two
 * LLC-PDUs, the books must be even; whatever leaves must conform to the text of the standard (bucket_model.h)
 * at mobile, cell and link, be young enough and in order; once nothing leaves, nobody may be left who could.
 */
#ifndef TESTS_UNIT_DATAPLANE_SCHED_LIFE_H
#define TESTS_UNIT_DATAPLANE_SCHED_LIFE_H

#include "tests/unit/dataplane/queue/bucket_model.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/sched/rig.h"

#define LIFE_MOBILES 24
#define LIFE_CELLS   5
#define LIFE_LINKS   2
#define LIFE_PDPS    3
#define LIFE_PFIS    3
#define LIFE_HEADERS 40 /* octets */
#define LIFE_KEYS    (QCLASS_COUNT * (LIFE_PFIS + 1) * RIG_FLOWS)

/* What kind of life. */
struct life_profile {
    const char *name;
    int64_t tick_ns; /* instants and rates are even multiples: 1, or a millisecond, which makes many ties */
    int64_t gap_ns;  /* between steps, at most */
    int64_t max_age_ns;
    uint64_t link_bps; /* 0: links have no rate */
    uint32_t budget_pkts, extras;
    uint32_t flow_sets;     /* for mobiles with N-PDUs of several 5-tuples */
    uint8_t flow_queues;    /* in each; 0: none */
    uint8_t change_percent; /* of the steps; in the others an N-PDU comes */
    bool is_short;          /* N-PDUs take the short way where they may */
    bool has_classes, has_pfcs;
    bool leaves;    /* mobiles and contexts go, mobiles move and freeze */
    uint8_t fifo;   /* bit per class in order of arrival */
    uint8_t sfq;    /* bit per class in order of start tags */
    bool flow_tags; /* flow queues, too */
    uint16_t ms_quantum_octets;
    uint32_t credit_octets;
    bool airtime;
    bool shortens; /* N-PDUs, by any part, when they begin to leave */
};

struct life {
    const struct life_profile *profile;
    struct rig rig;
    uint64_t first_seed, seed;
    struct bucket_model ms[LIFE_MOBILES], cells[LIFE_CELLS], links[LIFE_LINKS];
    uint64_t link_bps[LIFE_LINKS];
    uint32_t steps, sequence;               /* of N-PDUs */
    uint32_t last[LIFE_MOBILES][LIFE_KEYS]; /* that began to leave */
    uint16_t epoch[LIFE_MOBILES];           /* order is kept between N-PDUs of one */
    uint32_t shortened;
    uint64_t digest; /* of what left, when, in which order */
};

void life_new(struct life *l, const struct life_profile *profile, uint64_t seed);
void life_free(struct life *l);

/* Time passes, then something happens. A violation fails the test. */
void life_step(struct life *l);

#endif
