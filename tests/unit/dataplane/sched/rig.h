/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scheduler with links, cells and mobiles in virtual time, N-PDUs out of an array. Whatever a test does,
 * the rig holds that
 *   - time never has to go back, and never stands still with something left to do,
 *   - segments of an LLC entity (mobile, SAPI) are those of one N-PDU after the other, without a gap,
 *   - an N-PDU leaves once, whole: in = out + dropped + waiting, by the scheduler's own counter too.
 */
#ifndef TESTS_UNIT_DATAPLANE_SCHED_RIG_H
#define TESTS_UNIT_DATAPLANE_SCHED_RIG_H

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/sched.h"

#define RIG_MSEC      INT64_C(1000000)
#define RIG_SECOND    MOMENT_SECOND
#define RIG_SAPI      3    /* of an N-PDU that names none */
#define RIG_N201_U    1520 /* of a mobile until a test changes it */
#define RIG_SAPIS     16
#define RIG_WIDE_OPEN BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS

/* An LLC entity: the N-PDU whose segments leave. */
struct rig_entity {
    const struct n_pdu *n_pdu;
    uint16_t next_offset;
    uint8_t next_segment;
};

struct rig_counts {
    uint32_t mobiles, extras, cells, links, n_pdus;
    uint32_t flow_sets;
};

struct rig {
    struct sched sched;
    struct rig_counts counts;
    struct sched_link *links;
    struct sched_bvc *cells;
    struct sched_ms *ms;
    struct n_pdu *n_pdus;
    struct n_pdu_list unused;
    struct rig_entity *entities;
    int64_t now;
    uint64_t in, out, dropped, refused; /* N-PDUs */
    uint64_t llc_pdus;
    uint64_t wakes,
        vain;       /* instants that the scheduler asked for; those at which nothing left or was dropped */
    uint32_t taken; /* N-PDUs that a test has taken out */
    bool is_short;  /* N-PDUs that may leave at once take the short way (sched_bypass()) */
    uint64_t by_reason[DROP_COUNT];
    /* An LLC-PDU leaves; an N-PDU is dropped or refused. May queue others. NULL: nobody wants to know. */
    void (*on_sent)(struct rig *rig, uint32_t ms, const struct sched_grant *grant);
    void (*on_gone)(struct rig *rig, const struct n_pdu *n_pdu, int reason);
    void *arg; /* of the test */
};

/* Links without a rate; cells of link 0, wide open and usable; mobiles of cell 0, wide open, without limit.
 */
void rig_new(struct rig *rig, const struct rig_counts *counts, const struct sched_params *params);
/* Holds that the books are even, too. */
void rig_free(struct rig *rig);

/* A mobile begins anew, as above but in a cell. */
void rig_init_ms(struct rig *rig, uint32_t ms, uint32_t cell);

/* What a mobile's N-PDU carries in the bits of its hash that choose no queue: its mobile and its 5-tuple. The
 * others are those of the 5-tuple again: of RIG_FLOWS queues each has one, of fewer several. */
#define RIG_MS_BITS   20
#define RIG_FLOW_BITS 4
#define RIG_FLOWS     (1 << RIG_FLOW_BITS)
static inline uint32_t rig_ms_of(const struct n_pdu *n_pdu)
{
    return n_pdu->flow_hash & ((UINT32_C(1) << RIG_MS_BITS) - 1);
}
static inline uint32_t rig_flow_of(const struct n_pdu *n_pdu)
{
    return n_pdu->flow_hash >> RIG_MS_BITS & (RIG_FLOWS - 1);
}

/* Queues an N-PDU for a mobile that is like this one (octets, qclass, pfi, sapi, pdp; sapi 0: RIG_SAPI;
 * flow_hash: number of its 5-tuple, below RIG_FLOWS), arriving now. What sched_enqueue() says. */
int rig_put(struct rig *rig, uint32_t ms, const struct n_pdu *like);

/* Takes all N-PDUs of a mobile out; puts them back into the mobile. */
void rig_take_all(struct rig *rig, uint32_t ms, struct n_pdu_list *out);
void rig_put_back(struct rig *rig, uint32_t ms, struct n_pdu_list *list);

/* Counts what the scheduler has dropped. rig_settle() does. */
void rig_take_dropped(struct rig *rig);

/* Sends all that may leave now. */
void rig_settle(struct rig *rig);

/* Time runs to until_ns, that instant included; MOMENT_NEVER: as long as time alone does something. */
void rig_run(struct rig *rig, int64_t until_ns);

#endif
