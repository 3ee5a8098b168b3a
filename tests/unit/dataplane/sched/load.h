/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads on a rig: crowds of mobiles that always have something to send, or send now and then; and who got
 * what.
 */
#ifndef TESTS_UNIT_DATAPLANE_SCHED_LOAD_H
#define TESTS_UNIT_DATAPLANE_SCHED_LOAD_H

#include "tests/unit/dataplane/sched/rig.h"

#define LOAD_CELLS   8
#define LOAD_SOURCES 20
#define LOAD_SLICE   (100 * RIG_MSEC)

/* Mobiles alike. */
struct load_source {
    uint8_t cell;
    uint8_t k;                        /* enum qclass */
    uint16_t mobiles;                 /* 0: the end of the list */
    uint16_t low_octets, high_octets; /* of N-PDUs, evenly spread. high 0: all are `low` */
    uint32_t offered_bps;             /* of each, in N-PDUs at even distances; 0: always something to send */
    uint32_t from_ms;                 /* when it begins */
    uint32_t ms_rate_bps, ms_octets;  /* bucket of each; 0: wide open */
    uint8_t shares; /* of the mobiles of that many sources before it: another class of theirs */
};

struct load_cell {
    uint64_t rate_bps, octets; /* of its bucket; 0: wide open */
};

struct load_plan {
    uint64_t link_bps, link_octets; /* 0: without a rate */
    struct load_cell cells[LOAD_CELLS];
    struct load_source sources[LOAD_SOURCES];
    uint16_t weights[QCLASS_COUNT]; /* all 0: the usual ones */
    uint16_t n201_u;                /* 0: RIG_N201_U */
    uint8_t link_headers;           /* octets of NS and BSSGP headers */
    uint32_t ms_limit_octets;       /* 0: none */
    uint8_t flow_queues;            /* then each source has a 5-tuple of its own; 0: none */
};

/* One mobile of a source, and what it got. */
struct load_stream {
    const struct load_source *source;
    uint32_t ms;
    int64_t next_ns;
    uint64_t offered, lost, llc_pdus, n_pdus, octets; /* octets of LLC-PDUs */
    int64_t most_wait_ns, sum_wait_ns;                /* from arrival to the last segment */
};

struct load {
    struct rig rig;
    const struct load_plan *plan;
    struct load_stream *streams;
    uint32_t count, first_of[LOAD_SOURCES];
    uint64_t seed;
    /* Since load_clear(). */
    int64_t since_ns;
    uint64_t octets[LOAD_CELLS][QCLASS_COUNT];      /* of LLC-PDUs */
    uint64_t link_octets[LOAD_CELLS][QCLASS_COUNT]; /* with headers */
    uint64_t llc_pdus[LOAD_CELLS][QCLASS_COUNT];
};

void load_new(struct load *load, const struct load_plan *plan, bool is_short);
void load_free(struct load *load);

void load_run(struct load *load, int64_t until_ns);

/* Nobody got anything yet. */
void load_clear(struct load *load);

/* Runs on until every class that always has something to send has sent `llc_pdus` in the cells of a mask. */
void load_run_window(struct load *load, uint32_t cells, uint64_t llc_pdus);

/* LLC-PDUs of the class that has sent the fewest of those. */
uint64_t load_least_pdus(const struct load *load, uint32_t cells);

/* Classes that by now always have something to send in the cells of a mask. */
unsigned load_backlogged(const struct load *load, uint32_t cells);

/* Jain's index of octets over the mobiles of all sources with a class, and octets of a source. */
double load_jain(const struct load *load, unsigned k);
uint64_t load_octets_of(const struct load *load, unsigned source);

#endif
