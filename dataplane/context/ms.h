/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile: who it is, where it is, its queue and bucket, the numbering of its LLC entities, its ciphering.
 *
 * Cache lines of 64 octets:
 *
 *     0  1 | sched: bucket, cell, instants; its first flow   each N-PDU that comes, each LLC-PDU that goes
 *     2    | tlli .. epoch, llc of SAPIs 1, 3, 5, (7)        each frame
 *     3    | llc of SAPIs (7), 9, 11; the key in force       each frame
 *     4  5 | keys before; flow control; lists; PDP contexts  changes, uplink
 *
 * Invariants: a mobile in use is in the list of exactly one cell. With own_flow the parameters of its bucket
 * are of the last FLOW-CONTROL-MS, else the cell's defaults of `epoch`. A mobile is in the cell's list of
 * those that are busy if anything of it waits; those in the list that follow the defaults have the epoch of
 * the cell.
 */
#ifndef DATAPLANE_CONTEXT_MS_H
#define DATAPLANE_CONTEXT_MS_H

#include "dataplane/context/defaults.h"
#include "dataplane/context/llc_cipher.h"
#include "dataplane/context/llc_entity.h"
#include "dataplane/sched/sched.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#define MS_NONE        UINT32_MAX
#define MS_IMSI_OCTETS 8 /* Mobile Identity value of 15 digits */
#define MS_SAPIS       6 /* 1, 3, 5, 7, 9, 11 */
#define MS_NSAPI_MIN   5
#define MS_NSAPIS      11 /* 5 to 15 */
#define MS_PDP_NONE    UINT32_MAX
#define MS_LINE_OCTETS ((size_t)64)
#define MS_TICK_BITS   30 /* nanoseconds in a tick, 1.07 s */

/* Links of a list that goes over indices of mobiles. */
struct ms_link {
    uint32_t prev, next; /* MS_NONE ends */
};

/* What FLOW-CONTROL-MS announced. */
struct ms_own_flow {
    uint64_t octets, rate_bps;
};

struct ms {
    alignas(64) struct sched_ms sched;
    uint32_t tlli;
    uint16_t bvc; /* index of its cell */
    bool in_use;
    bool own_flow : 1;
    bool is_busy : 1;
    bool is_paged : 1;       /* control was told that something waits for it, see worker/standby.h */
    bool has_tlli_old : 1;   /* is heard under tlli_old, too */
    bool tells_tlli_old : 1; /* its frames name tlli_old: it was not heard under tlli yet */
    bool has_elements : 1;   /* in the context's table of them */
    uint8_t unprotected;     /* bit i: frames of llc[i] go in unprotected mode (PM = 0) */
    uint8_t imsi_octets;     /* 0: not known */
    uint16_t heard_ticks;    /* when it was, MS_TICK_BITS; all but the last 16 bits are left out */
    uint8_t imsi[MS_IMSI_OCTETS];
    uint32_t epoch; /* of the cell's defaults that it follows */
    struct llc_entity llc[MS_SAPIS];
    struct llc_cipher cipher;
    uint32_t tlli_old;
    bool is_guest;      /* another worker is its home (worker/moves.h) */
    uint16_t told_bvci; /* cell that control was told it is heard in; 0: only its own */
    union {
        defaults_nbit offset_nbit; /* of these defaults */
        struct ms_own_flow own;    /* with own_flow */
    };
    struct ms_link in_bvc, busy;
    uint32_t pdp[MS_NSAPIS]; /* index of the context on NSAPI 5 + i, MS_PDP_NONE */
    uint32_t remote;         /* the record of where it is instead, 0: it is here; else it is not in use */
};

static_assert(MS_SAPIS == LLC_CIPHER_SAPIS, "one numbering of the SAPIs");
static_assert(sizeof(struct ms) == 6 * MS_LINE_OCTETS, "as drawn above");
static_assert(offsetof(struct ms, sched) == 0, "ms_of()");
static_assert(sizeof(struct sched_ms) == 2 * MS_LINE_OCTETS, "the scheduler's part");
static_assert(offsetof(struct ms, llc) + 3 * sizeof(struct llc_entity) <= 3 * MS_LINE_OCTETS,
              "SAPIs 1, 3, 5 in line 2");
static_assert(offsetof(struct ms, cipher) + sizeof(struct llc_key) <= 4 * MS_LINE_OCTETS,
              "what a frame needs in lines 2 and 3");

/* A moment, or a time rounded up, in ticks. */
static inline uint16_t ms_ticks(int64_t ns)
{
    return (uint16_t)(ns >> MS_TICK_BITS);
}

struct ms_params {
    uint32_t tlli;
    uint16_t bvc;
    uint16_t n201_u;
    uint32_t queue_limit_octets;
    uint8_t link_octets; /* what the link's bucket counts for a frame besides its LLC-PDU: ms_link_octets() */
    uint8_t imsi_octets;
    uint8_t imsi[MS_IMSI_OCTETS];
};

/* The mobile of a scheduler's. */
static inline struct ms *ms_of(struct sched_ms *sched)
{
    return (struct ms *)(void *)sched;
}

/* Index into ms.llc of a SAPI that carries users' packets or signalling (1, 3, 5, 7, 9, 11); -1 for the
 * others. */
static inline int ms_sapi_index(uint8_t sapi)
{
    return sapi % 2 == 1 && sapi <= 11 ? sapi / 2 : -1;
}

/* The context on an NSAPI (0 to 15), MS_PDP_NONE. */
static inline uint32_t ms_pdp(const struct ms *ms, unsigned nsapi)
{
    unsigned i = nsapi - MS_NSAPI_MIN;
    return i < MS_NSAPIS ? ms->pdp[i] : MS_PDP_NONE;
}

/* Brings lines 0 to 3 to the cache, which an N-PDU and its frame ask for: with 100 000 mobiles that takes a
 * fifth off the time of the whole way (bench/worker_bench). */
static inline void ms_prefetch(const struct ms *ms)
{
    for (unsigned i = 0; i < 4; i++)
        __builtin_prefetch((const uint8_t *)ms + i * MS_LINE_OCTETS);
}

/* What SNDCP (TS 44.065 clause 6.7) and LLC add to a segment. */
struct segmenting ms_segmenting(void);

/* Whether segments of an N201-U can be framed and numbered: 140 to 1520. */
bool ms_can_n201_u(uint32_t octets);

/* A mobile's largest LLC-PDU. */
uint32_t ms_largest_pdu(const struct ms *ms);

#define MS_LINK_MAX_OCTETS 249 /* leaves room for what TLLI(old) takes */

/* What ms_link_octets() is about. */
struct ms_link_header {
    unsigned imsi_octets;
    bool has_pfi, is_aligned;
};

/*
 * NS and BSSGP headers of an LLC-PDU of more than 127 octets (a shorter one has an octet less) of a mobile
 * without elements of its own, and what the operator has each frame count for besides: the result is kept
 * within 0 and MS_LINK_MAX_OCTETS.
 */
uint8_t ms_link_octets(const struct ms_link_header *header, int overhead_octets);

/* The same with `more` octets of elements, or less. */
uint8_t ms_link_octets_with(uint8_t link_octets, int more);

#endif
