/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays scenarios on a rig: steps at given instants, and what must leave or be dropped when, all of it and
 * nothing else. What is due at an instant is done before the steps of that instant, and what they allow after
 * them. After every step, and whenever nothing may leave, the books are audited.
 *
 * Each scenario is played twice: with all N-PDUs queued, and with the short ways taken where they may be.
 */
#ifndef TESTS_UNIT_DATAPLANE_SCHED_LAB_H
#define TESTS_UNIT_DATAPLANE_SCHED_LAB_H

#include "tests/unit/dataplane/sched/rig.h"

#define LAB_MS     6
#define LAB_CELLS  3
#define LAB_LINKS  2
#define LAB_EXTRAS 4
#define LAB_ROWS   32

enum lab_op {
    LAB_END, /* the last step */

    /* What happens; `who` is a mobile, but in LAB_CELL* a cell and in LAB_LINK* a link. */
    LAB_PUT,     /* an N-PDU of a octets for PDP context b */
    LAB_SET,     /* bucket of a octets that leaks b bit/s */
    LAB_RATIO,   /* a percent full */
    LAB_DISCARD, /* a octets gone */
    LAB_N201_U,  /* of a octets */
    LAB_LIMIT,   /* queue limit a octets */
    LAB_REMOVE,  /* PDP context a */
    LAB_FLUSH,   /* gone with reason a */
    LAB_TAKE,    /* all that waits is taken out */
    LAB_BACK,    /* and put back */
    LAB_INIT,    /* there again, wide open, in cell a */
    LAB_MOVE,    /* to cell a */
    LAB_FREEZE,  /* flags a */
    LAB_THAW,
    LAB_PFC_ADD, /* of pfi; must answer a */
    LAB_PFC_SET, /* bucket of a octets that leaks b bit/s */
    LAB_PFC_DEL,
    LAB_CELL, /* bucket of a octets that leaks b bit/s */
    LAB_CELL_RATIO,
    LAB_CELL_DISCARD,
    LAB_CELL_USE,    /* a: usable or not */
    LAB_LINK,        /* bucket of a octets that leaks b bit/s */
    LAB_LINK_SIGNAL, /* a frame of a octets; b: whether it may go before users' ones */

    /* What must be so. */
    LAB_PARKED,  /* a: the mobile waits for its bucket, or not */
    LAB_WAITS,   /* a: enum sched_wait_cause of the mobile */
    LAB_BACKLOG, /* a octets, b packets wait */
    LAB_MODE,    /* a: enum sched_mode of a cell */
    LAB_CLASS,   /* a octets, b packets of class k wait at a link */
    LAB_NEXT,    /* sched_next_ns() is a */
    LAB_WHEEL,   /* at most a entries are on the wheel */
    LAB_MISSING, /* N-PDUs that found no extra flow: a */
    LAB_SETS,    /* sets of queues in use: a; times that none was left: b */
};

/* Classes as steps name them: background unless they say otherwise. */
enum lab_class {
    LAB_BACKGROUND,
    LAB_SIGNALLING,
    LAB_SMS,
    LAB_CONVERSATIONAL,
    LAB_STREAMING,
    LAB_THP1,
    LAB_THP2,
    LAB_THP3,
};

struct lab_step {
    int64_t at_ns;
    enum lab_op op;
    uint8_t who;
    uint64_t a, b;
    enum lab_class k;
    uint8_t pfi;  /* 0: none */
    uint8_t sapi; /* 0: RIG_SAPI */
    uint8_t flow; /* number of its 5-tuple */
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

/* Buckets are wide open, links without rate and cells usable until a step says otherwise. Rows with octets 0
 * are the end. */
struct lab_scenario {
    const char *name;
    uint16_t segment_octets; /* greatest LLC-PDU; 0: whole N-PDUs. Headers have no octets here. */
    uint8_t link_octets;     /* of headers, for the link */
    bool queued_only;        /* the short way gives another, as good result */
    uint8_t cell_of[LAB_MS], link_of[LAB_CELLS];
    int64_t max_age_ns;      /* 0: any */
    uint32_t ms_limit_pkts;  /* 0: none */
    uint32_t flow_sets;      /* 0: LAB_EXTRAS */
    uint16_t quantum_octets; /* 0: the usual one */
    uint8_t flow_queues;     /* 0: none */
    uint8_t fifo;            /* bit per enum qclass in order of arrival */
    uint8_t sfq;             /* bit per enum qclass in order of start tags */
    uint16_t ms_quantum_octets;
    bool flow_tags; /* flow queues, too */
    uint32_t credit_octets;
    uint32_t vain; /* instants at which the scheduler asked to be called and had nothing to do */
    struct sched_limit class_limits[8]; /* by enum lab_class; 0: none */
    struct lab_step steps[LAB_ROWS];
    struct lab_sent sent[LAB_ROWS];
    struct lab_dropped dropped[LAB_ROWS];
};

/* Plays one scenario until nothing is left that time alone would do; a difference fails the test. */
void lab_play(const struct lab_scenario *scenario);

#endif
