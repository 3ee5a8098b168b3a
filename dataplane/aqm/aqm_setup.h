/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An AQM scheme with its parameters, as configured in one place, and the call of its hooks. All instances of
 * one worker share its law, random numbers and counters. The queue keeps the states.
 *
 * Invariant, for each class and hook: asked = passed + marked + dropped; unmarkable counts those dropped for
 * lack of ECN capability instead of marked.
 */
#ifndef DATAPLANE_AQM_AQM_SETUP_H
#define DATAPLANE_AQM_AQM_SETUP_H

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/rng.h"

#include <stddef.h>

/* Explicit congestion notification in a user's IP packet (RFC 3168), version 4 or 6. */

/* The code point of a packet; AQM_ECN_NOT also if it has no IPv4 or IPv6 header. */
static inline enum aqm_ecn ecn_get(const uint8_t *packet, size_t octets)
{
    if (octets < 20)
        return AQM_ECN_NOT;
    if (packet[0] >> 4 == 4)
        return (enum aqm_ecn)(packet[1] & 3);
    return packet[0] >> 4 == 6 && octets >= 40 ? (enum aqm_ecn)(packet[1] >> 4 & 3) : AQM_ECN_NOT;
}

static inline enum aqm_ecn ecn_of(const struct n_pdu *n_pdu)
{
    return n_pdu->is_opaque ? AQM_ECN_NOT : ecn_get(n_pdu->data, n_pdu->octets);
}

/*
 * Sets CE. IPv4's header checksum is updated by RFC 1624, so that a wrong checksum stays wrong; IPv6 has
 * none. False, and nothing changed, when the packet is not ECN capable.
 */
bool ecn_set_ce(uint8_t *packet, size_t octets);

/* The same from ECT(0) to ECT(1). False, and nothing changed: the packet is not ECT(0). */
bool ecn_set_ect1(uint8_t *packet, size_t octets);

enum aqm_point { AQM_AT_ENQUEUE, AQM_AT_DEQUEUE, AQM_AT_UPLINK, AQM_POINTS };

struct aqm_counts {
    uint64_t asked, marked, dropped, unmarkable;
};

struct aqm_setup {
    const struct aqm_ops *ops;
    void *law;
    aqm_hook hooks[AQM_POINTS]; /* never NULL */
    bool draws[AQM_POINTS];
    bool is_rateless, has_dequeue; /* of ops */
    bool is_marking;               /* parameter `ecn` */
    uint32_t let_draws;            /* random numbers that aqm_setup_let() owes for each N-PDU */
    uint32_t owed;                 /* of rng, not drawn yet */
    struct rng rng;
    struct aqm_counts counts[QCLASS_COUNT][AQM_POINTS]; /* without lets: aqm_setup_counts() */
    uint64_t lets[QCLASS_COUNT];                        /* N-PDUs of aqm_setup_let() */
    int64_t values[AQM_MAX_PARAMS];
};

struct aqm_choice {
    const struct aqm_ops *ops;
    const int64_t *values; /* as ordered in ops->params; NULL: the defaults */
    uint64_t seed, stream; /* of its random numbers */
};

/*
 * Returns a setup, which the caller frees, or NULL with the reason in message: a value out of range, values
 * that contradict each other, out of memory. values are copied.
 */
struct aqm_setup *aqm_setup_new(const struct aqm_choice *choice, char *message, size_t cap);

/* NULL is allowed. */
void aqm_setup_free(struct aqm_setup *setup);

/* Initialises a state of ops->state_octets, at the start or to reset it. */
void aqm_setup_start(const struct aqm_setup *setup, void *state, int64_t now);

/* The counts of a class at a hook. */
struct aqm_counts aqm_setup_counts(const struct aqm_setup *setup, unsigned qclass, enum aqm_point point);

/* Sum over all classes and hooks. */
struct aqm_counts aqm_setup_total(const struct aqm_setup *setup);

/* Counts the verdict; AQM_MARK becomes AQM_DROP where the packet cannot be marked. */
static inline enum aqm_verdict aqm_setup_settle(struct aqm_setup *setup, enum aqm_point point,
                                                enum aqm_verdict verdict, const struct aqm_view *view)
{
    struct aqm_counts *counts = &setup->counts[view->qclass][point];
    counts->asked++;
    if (verdict == AQM_PASS)
        return AQM_PASS;
    if (verdict == AQM_MARK && setup->is_marking && view->ecn != AQM_ECN_NOT) {
        counts->marked++;
        return AQM_MARK;
    }
    counts->unmarkable += verdict == AQM_MARK && setup->is_marking;
    counts->dropped++;
    return AQM_DROP;
}

/* Draws the random numbers that are owed. */
void aqm_setup_draw_owed(struct aqm_setup *setup);

/* The verdict on an N-PDU at one of the hooks, counted; AQM_MARK: let it pass and set CE (aqm_setup.h). */
static inline enum aqm_verdict aqm_setup_ask(struct aqm_setup *setup, enum aqm_point point, void *state,
                                             struct aqm_view *view, int64_t now)
{
    if (setup->draws[point]) {
        if (setup->owed > 0)
            aqm_setup_draw_owed(setup);
        view->random = rng_u64(&setup->rng);
    }
    return aqm_setup_settle(setup, point, setup->hooks[point](setup->law, state, view, now), view);
}

#define AQM_SETUP_OWED                                                                                       \
    64 /* most: they are drawn in a row, which takes half the time, and delays no N-PDU much */

/* Counts an N-PDU as passed at enqueue and dequeue without a call of an idle scheme, whose random numbers are
 * drawn later, in their order, so that verdicts are the same. */
static inline void aqm_setup_let(struct aqm_setup *setup, unsigned qclass)
{
    setup->lets[qclass]++;
    setup->owed += setup->let_draws;
    if (__builtin_expect(setup->owed >= AQM_SETUP_OWED, false))
        aqm_setup_draw_owed(setup);
}

#endif
