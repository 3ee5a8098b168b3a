/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays a scheduler in virtual time on a random hierarchy and writes down all that it is told and all that it
 * does, for the oracle. Same profile and seed: same trace.
 *
 *   links > cells > mobiles, each of which has up to three contexts (class, SAPI, packet flow)
 *
 * What comes is steered by how much waits, so that any hierarchy is neither idle nor only refusing.
 *
 * Not here: any opinion on what the scheduler does.
 */
#ifndef TESTS_ORACLES_SCHED_SCHED_PLAY_H
#define TESTS_ORACLES_SCHED_SCHED_PLAY_H

#include "dataplane/sched/sched.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/oracles/sched/sched_trace.h"

#define SCHED_PLAY_LINKS    4
#define SCHED_PLAY_CELLS    (SCHED_PLAY_LINKS * 12)
#define SCHED_PLAY_MOBILES  (SCHED_PLAY_CELLS * 40)
#define SCHED_PLAY_CONTEXTS 3
#define SCHED_PLAY_PFI      8
#define SCHED_PLAY_N_PDUS   65536

/* From low to high, every factor of two as likely as the next. */
struct sched_play_range {
    uint64_t low, high;
};

struct sched_play_profile {
    const char *name;
    struct sched_play_range link_bps, cell_bps, ms_bps, bmax_octets;
    uint32_t cells, mobiles;   /* at most: of a link, of a cell */
    uint32_t rated_percent;    /* links with a rate */
    uint32_t changes_permille; /* of events, the others are N-PDUs */
    uint32_t waiting;          /* N-PDUs of a mobile that are aimed at, at most */
    uint32_t budget_pkts;      /* 0: none in half of the runs, any number in the others */
    uint32_t classes;          /* that its mobiles use */
};

struct sched_play_context {
    uint8_t qclass, sapi, pfi;
    uint32_t generation; /* of its packet flow: one that is made again is another flow */
};

struct sched_play_ms {
    struct sched_play_context
        contexts[SCHED_PLAY_CONTEXTS]; /* packet flow of the first: SCHED_PLAY_PFI, and so on */
    uint32_t cell;
    int64_t arrival_ns; /* of its last N-PDU */
};

struct sched_play_n_pdu {
    struct n_pdu n_pdu; /* first: what the scheduler hands back */
    uint64_t number;
};

struct sched_play {
    const struct sched_play_profile *profile;
    struct sched sched;
    FILE *out;
    uint64_t chance;
    int64_t now;
    uint32_t links_count, cells_count, ms_count;
    struct sched_link links[SCHED_PLAY_LINKS];
    struct sched_bvc *cells;    /* cells_count */
    uint32_t *cell_links;       /* of each, its link */
    struct sched_ms *ms;        /* ms_count */
    struct sched_play_ms *mine; /* beside ms */
    struct sched_play_n_pdu *n_pdus;
    struct n_pdu_list unused;
    uint64_t factor;           /* of rates and buckets: granularity */
    uint64_t came, left, lost; /* N-PDUs */
    uint64_t departures;
    uint64_t seen_came, seen_lost; /* when the gap was last looked at */
    int64_t gap_ns;                /* mean time from event to event */
    uint32_t waiting;              /* N-PDUs that are aimed at */
    uint32_t flows;                /* queues by 5-tuple, two 5-tuples to a queue; 0: none */
};

/* --- chance: sched_play_build.c --- */
uint64_t sched_play_within(struct sched_play *p, struct sched_play_range range);
bool sched_play_percent(struct sched_play *p, uint32_t percent);

/* Appends a record of now. */
void sched_play_tell(struct sched_play *p, struct sched_trace_record record);

/* A hierarchy of this profile, told. False when there is no memory. */
bool sched_play_new(struct sched_play *p, const struct sched_play_profile *profile, uint64_t seed);
void sched_play_free(struct sched_play *p);

/* Another N201-U for a mobile; another rate for a link: told. */
void sched_play_n201_u(struct sched_play *p, uint32_t ms);
void sched_play_link_set(struct sched_play *p, uint32_t link);

/* A mobile's first words, or those of one that has come again: it is in cell. */
void sched_play_ms_new(struct sched_play *p, uint32_t ms, uint32_t cell);

/* Rate and bucket for a level. */
struct sched_play_bucket {
    uint64_t rate_bps, max_octets;
};
struct sched_play_bucket sched_play_any_bucket(struct sched_play *p, enum sched_trace_level level);
/* A record of kind SET. */
void sched_play_tell_set(struct sched_play *p, enum sched_trace_level level, uint32_t id,
                         struct sched_play_bucket bucket);

/* --- N-PDUs: sched_play_traffic.c --- */
/* Some N-PDUs for a random mobile. */
void sched_play_put(struct sched_play *p);
/* Writes down what the scheduler has dropped. Returns the reason why `own` is among these, which is then not
 * written; DROP_NONE: it is not. */
int sched_play_take_dropped(struct sched_play *p, const struct n_pdu *own);
/* Takes everything that may leave now. */
void sched_play_send(struct sched_play *p);
/* All N-PDUs of a mobile out of the scheduler and into it again, in another cell. */
void sched_play_hand_over(struct sched_play *p, uint32_t ms, uint32_t cell);

/* --- all else that may happen: sched_play_change.c --- */
/* Something else than N-PDUs happens. */
void sched_play_change(struct sched_play *p);
/* All may send that something had stopped. */
void sched_play_thaw(struct sched_play *p);

#endif
