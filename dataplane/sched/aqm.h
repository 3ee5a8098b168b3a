/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active queue management of the queues: one scheme for each traffic class (dataplane/aqm). It is called
 * when an N-PDU arrives, before limits are tested, and before its first segment leaves: all buckets conform,
 * none is charged yet. It is not called for an N-PDU in service. After a drop the next head has the turn at
 * the same instant, and its buckets are tested again.
 *
 * An instance has a scope. Its state starts when the scope is first used, stays when its queues run empty,
 * and
 *   class of a link, of a cell   lasts as long as these,
 *   mobile (its flow: a class or a packet flow) moves with it to other cells, ends with the mobile,
 *   queue by 5-tuple             is the queue's as long as that is in its set; a flow of one queue has one.
 *
 * The rate in a view is the least R of the buckets passed, the cell's divided by weight among the classes
 * with flows that wait for their turn, and for a mobile also among such flows of its class. For a class of a
 * link without a rate it is that of the N-PDU's cell, for a queue by 5-tuple that of its mobile.
 *
 * Parked time is the time in which R of the mobile or of its cell is 0; while both are 0 it counts twice, up
 * to the age.
 *
 * Not here: the schemes (dataplane/aqm).
 */
#ifndef DATAPLANE_SCHED_AQM_H
#define DATAPLANE_SCHED_AQM_H

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/sched/sched.h"

#include <assert.h>

struct sched_aqm;

#define SCHED_AQM_SLOT_OCTETS 16 /* of the slot of an instance, besides its state */

/* The arrays of mobiles, cells and links, which are parts of their owners' structures. */
struct sched_aqm_owners {
    const struct sched_ms *mobiles;
    const struct sched_bvc *bvcs;
    const struct sched_link *links;
    size_t ms_octets, bvc_octets, link_octets; /* distance of two elements */
};

/* Allocates the states of the schemes of s->params, nothing without schemes. False: out of memory, or
 * invalid parameters. */
bool sched_aqm_new(struct sched *s);
void sched_aqm_free(struct sched *s);

/* To be called before the first N-PDU. Without schemes: no effect. */
void sched_aqm_place(struct sched *s, const struct sched_aqm_owners *owners);

/*
 * Other schemes for some classes (bits of `changed`), while N-PDUs are queued. Their instances begin with
 * fresh states and counters; those of other classes continue, unless the states of the new schemes are larger
 * than all before: then all begin again. N-PDUs that are queued leave without the new scheme being asked.
 *
 * Any thread allocates the schemes; NULL, with the reason in message. The scheduler's thread exchanges them
 * with the present ones, which are then the caller's to release. No other schemes are prepared meanwhile.
 */
struct sched_aqm *sched_aqm_prepare(const struct sched *s, const struct sched_aqm_params params[QCLASS_COUNT],
                                    uint8_t changed, char *message, size_t cap);
void sched_aqm_exchange(struct sched *s, struct sched_aqm **aqm, const struct sched_aqm_owners *owners,
                        int64_t now);
/* NULL is allowed. */
void sched_aqm_release(struct sched_aqm *aqm);

/* The scheme of a class with its counters; NULL: no scheme. */
const struct aqm_setup *sched_aqm_setup(const struct sched *s, unsigned qclass);

/* Prefetches the state of the scheme of a mobile's first flow, unless it is idle; reads the flow. */
void sched_aqm_prefetch(const struct sched *s, const struct sched_ms *ms);

/* --- for the scheduler's other parts; s->aqm is not NULL --- */
/* Whether N-PDUs of a class have a scheme. The class of a flow without N-PDUs so far, QCLASS_COUNT, has none:
 * the shift is less than the width of the promoted bits, and shifts all of them out. */
static_assert(QCLASS_COUNT <= 8, "one bit for each class");
static inline bool sched_aqm_has(const struct sched *s, unsigned qclass)
{
    return s->aqm_classes >> qclass & 1;
}
/* When no mobile waits for its turn at the link, the rate in the view of a mobile's scheme is the least R of
 * mobile and cell: here that of the mobile, whose changes end SCHED_FLOW_AQM_IDLE. */
static inline bool sched_aqm_has_rate_of_ms(const struct sched_ms *ms, const struct aqm_setup *setup)
{
    return setup->is_rateless || ms->bucket.rate_bps <= ms->bvc->bucket.rate_bps;
}
static inline bool sched_aqm_was_idle(const struct sched *s, const struct sched_ms *ms)
{
    return ms->flow.turn.flags >> SCHED_FLOW_AQM_IDLE_SHIFT == s->aqm_epoch;
}
/* Whether the scheme of the mobile's first flow is idle: aqm_setup_let() in place of sched_aqm_on_bypass().
 */
static inline bool sched_aqm_is_idle(const struct sched *s, const struct sched_ms *ms,
                                     const struct aqm_setup *setup)
{
    return sched_aqm_was_idle(s, ms) && sched_aqm_has_rate_of_ms(ms, setup);
}
/* Resets the state of a new mobile or extra flow. */
void sched_aqm_forget(struct sched *s, struct sched_flow *flow, int64_t now);
/* Resets the state of a cell or link that was removed, for the next one in its place. */
void sched_aqm_forget_bvc(struct sched *s, const struct sched_bvc *bvc);
void sched_aqm_forget_link(struct sched *s, const struct sched_link *link);
/* On arrival: DROP_NONE, or DROP_AQM and the caller keeps the N-PDU. Sets CE in it if the scheme marks. */
int sched_aqm_on_enqueue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, struct n_pdu *n_pdu,
                         int64_t now);
/* On arrival of one that is queued without a question to the scheme. */
void sched_aqm_start_clock(struct sched *s, const struct sched_ms *ms, const struct sched_flow *flow,
                           struct n_pdu *n_pdu, int64_t now);
/* Both hooks for an N-PDU that bypasses the queue: its mobile's first flow is empty and of its class. */
int sched_aqm_on_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now);
/* After it was queued; `set` is the flow's from before sched_aqm_on_enqueue(). */
void sched_aqm_queued(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu, uint32_t set);
/* The head of a flow is about to leave. False: it was dropped, and the flow may be empty. */
bool sched_aqm_on_dequeue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);
/* R may have become 0, or no longer be 0. */
void sched_aqm_ms_changed(struct sched *s, const struct sched_ms *ms, int64_t now);
void sched_aqm_bvc_changed(struct sched *s, const struct sched_bvc *bvc);
/* A mobile moves to another cell. */
void sched_aqm_moved(struct sched *s, const struct sched_ms *ms, const struct sched_bvc *to, int64_t now);

/* The time for which R was 0; of a mobile, while that of its cell was not. */
struct sched_aqm_still {
    int64_t since_ns; /* MOMENT_NEVER: R is not 0 */
    int64_t total_ns; /* before since_ns */
};

/* Computes an element's index from its distance to the first, a multiple of the element's size: a shift by
 * the size's power of two, and a multiplication by the inverse modulo 2^64 of its odd factor. */
struct sched_aqm_step {
    uint64_t inverse;
    unsigned shift;
};

struct sched_aqm {
    struct aqm_setup *setups[QCLASS_COUNT]; /* NULL: no scheme */
    uint8_t scopes[QCLASS_COUNT];
    uint8_t changed;                              /* bit per class: another scheme than before */
    uint32_t ids[QCLASS_COUNT];                   /* of the schemes, unique in the scheduler */
    int64_t since_ns[QCLASS_COUNT];               /* of the schemes */
    struct sched_aqm_params params[QCLASS_COUNT]; /* .choice.values: until it is prepared */
    struct sched_aqm_owners owners;
    struct sched_aqm_step ms_step, bvc_step, link_step;
    uint32_t mobiles; /* slots of mobiles come first, then those of extra flows, then those of queues */
    uint32_t singles; /* mobiles and extra flows */
    size_t slot_octets;
    uint8_t *slots[SCHED_AQM_SCOPES];
    uint8_t *fresh; /* one more slot, of SCHED_AQM_NEW_QUEUE */
    struct sched_aqm_still *ms_stills, *bvc_stills;
};

#endif
