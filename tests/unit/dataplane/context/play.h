/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays a list of events to a context and checks what it says of buckets and frames: so a test is a table.
 * Mobiles 0 and 1 are in cell 0 of one NSE, mobile 2 in cell 1 of another one, and cell 2 has nobody. Cell 0
 * has announced 5000 octets and 8000 bit/s, 1000 and 800 for mobiles; the others 6000 and 16000, 700 and 400.
 */
#ifndef TESTS_UNIT_DATAPLANE_CONTEXT_PLAY_H
#define TESTS_UNIT_DATAPLANE_CONTEXT_PLAY_H

#include "tests/unit/dataplane/context/rig.h"

enum play_op {
    PLAY_END,
    /* Events; `who` is a cell, mobile, NSE or context. */
    FLOW_BVC, /* a octets, b bit/s, c and d for mobiles, e Bucket_Full Ratio + 1 */
    DELAY,    /* the same, e BVC Measurement */
    FLOW_MS,  /* a octets, b bit/s, e */
    FLOW_PFC, /* a PFI, b octets, c bit/s, e */
    PFC_ADD,  /* a PFI */
    PFC_DEL,
    TH_EXPIRES,
    DISCARDED,    /* of a mobile: a octets in cell b, c PFI + 1 */
    DELETED,      /* FLUSH-LL-ACK of a mobile: a octets of cell b */
    TRANSFERRED,  /* ... to cell c */
    SUSPEND,      /* a: it is */
    RADIO_STATUS, /* a: it is lost */
    HEARD,
    TO_CELL, /* a */
    RESET,
    UNBLOCK, /* a: it is */
    NS_VCS,  /* of NSE `who`: a: are up */
    MS_DEL,
    N201_U, /* a */
    POLICY, /* a target in ms, b percent, c most bit/s, d most octets */
    PUT,    /* an N-PDU of an LLC-PDU of a octets; b PFI + 1 */
    /* What is to be found. */
    SENDS,  /* a LLC-PDUs go now */
    DROPS,  /* a N-PDUs were dropped for reason b */
    WAITS,  /* a N-PDUs wait */
    WAKES,  /* the next deadline is at a ns, 0: never */
    IS_BVC, /* level a octets, Bmax b, R c */
    IS_MS,
    IS_PFC, /* level a of PFI d */
    NO_PFC, /* a PFI: has no bucket */
    PLAY_OPS,
};

#define REFUSED 0x100 /* an event that is to be */

#define PLAY_STEPS 24

struct play_step {
    int64_t at_ms; /* since the start */
    int op;
    uint32_t who;
    uint64_t a, b, c, d, e;
};

struct play_row {
    const char *what;
    struct play_step steps[PLAY_STEPS];
};

/* Each row in a context of its own. */
void play(const struct play_row *rows, size_t count);

#endif
