/* SPDX-License-Identifier: BSD-3-Clause */
/* The bypass: an N-PDU whose mobile, cell and link have nothing to send leaves without being queued. */
#include "dataplane/sched/sched.h"

#include "dataplane/base/drop.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/queue.h"
#include "dataplane/sched/wait.h"

/* count LLC-PDUs, their octets together, those of each but the last, and the levels of buckets after them. A
 * level that needs more than 64 bits is left to the queue. */
struct charge {
    uint32_t octets, count, full_octets;
    uint64_t ms_after, bvc_after;
};

/* The bypass's functions are inlined: their calls were a quarter of its instructions. */
#define ALWAYS inline __attribute__((always_inline))

/* Behind a guard. A function of its own: others' path has no instruction of it. */
static __attribute__((noinline, cold)) uint32_t framed_octets_of(const struct sched_ms *ms, uint32_t octets,
                                                                 uint32_t count, uint32_t full_octets)
{
    const struct sched_link *link = ms->bvc->link;
    uint32_t last_octets = octets - (count - 1) * full_octets;
    return sched_link_octets(link, last_octets + ms->link_octets) +
           (count - 1) * sched_link_octets(link, full_octets + ms->link_octets);
}

static ALWAYS uint32_t link_octets_of(const struct sched_ms *ms, const struct charge *charge)
{
    if (__builtin_expect(!ms->bvc->link->is_framed, 1))
        return charge->octets + charge->count * ms->link_octets;
    return framed_octets_of(ms, charge->octets, charge->count, charge->full_octets);
}

/* Several LLC-PDUs conform in a row if one of their total length does. Not so if the total is longer than
 * Bmax: a single LLC-PDU conforms at an empty bucket whatever its length. */
static bool are_short(const struct sched_ms *ms, const struct charge *charge)
{
    const struct bucket *link = &ms->bvc->link->bucket;
    return charge->octets <= ms->bucket.max_octets && charge->octets <= ms->bvc->bucket.max_octets &&
           (link->rate_bps == 0 || link_octets_of(ms, charge) <= link->max_octets);
}

/* Whether LLC-PDUs of the mobile may leave now because no other waits for its turn at the link. */
static ALWAYS bool can_leave(const struct sched_ms *ms, struct charge *charge, int64_t now)
{
    const struct sched_bvc *bvc = ms->bvc;
    const struct sched_link *link = bvc->link;

    if (bvc->mode != SCHED_MODE_LINK || link->active || link->ready || link->is_parked)
        return false;
    bool conforms = bucket_try_word(&ms->bucket, charge->octets, now, &charge->ms_after);
    conforms &= bucket_try_word(&bvc->bucket, charge->octets, now, &charge->bvc_after);
    return conforms && (charge->count == 1 || are_short(ms, charge)) &&
           (link->bucket.rate_bps == 0 || bucket_can_take(&link->bucket, link_octets_of(ms, charge), now));
}

static ALWAYS void bypass_take(struct sched_ms *ms, const struct charge *charge, int64_t now)
{
    struct sched_bvc *bvc = ms->bvc;
    struct sched_link *link = bvc->link;
    uint32_t link_octets = link_octets_of(ms, charge);

    bucket_put_word(&ms->bucket, charge->ms_after, now);
    bucket_put_word(&bvc->bucket, charge->bvc_after, now);
    bvc->sent_octets += charge->octets;
    if (link->bucket.rate_bps > 0)
        bucket_take(&link->bucket, link_octets, now);
    link->sent_octets += link_octets;
    link->shared_octets += link_octets;
    link->idle++;
}

static bool leaves(struct sched_ms *ms, uint32_t octets, int64_t now)
{
    struct charge charge = {.octets = octets, .count = 1};
    if (!can_leave(ms, &charge, now))
        return false;
    bypass_take(ms, &charge, now);
    return true;
}

/* max_age_ns may be MOMENT_NEVER, or -1. */
static ALWAYS bool is_young(const struct sched *s, const struct n_pdu *n_pdu, int64_t now)
{
    return now - n_pdu->arrival_ns <= s->params.max_age_ns;
}

/* Several LLC-PDUs: all but the last have as much payload as fits. */
static void grant_several(const struct segmenting *how, struct sched_ms *ms, struct n_pdu *n_pdu,
                          struct sched_grant *grants, uint32_t count)
{
    uint32_t headers = how->first_octets, offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        uint32_t payload = is_last ? n_pdu->octets - offset : ms->n201_u - headers;
        grants[i] = (struct sched_grant){
            .ms = ms,
            .n_pdu = n_pdu,
            .offset = (uint16_t)offset,
            .segment = (uint8_t)i,
            .next = {(uint16_t)payload, (uint16_t)(payload + headers + how->llc_octets), is_last}};
        offset += payload;
        headers = how->later_octets;
    }
}

static ALWAYS void grant_all(const struct segmenting *how, struct sched_ms *ms, struct n_pdu *n_pdu,
                             const struct charge *charge, struct sched_grant *grants)
{
    if (charge->count > 1)
        grant_several(how, ms, n_pdu, grants, charge->count);
    else
        *grants = (struct sched_grant){
            .ms = ms, .n_pdu = n_pdu, .next = {n_pdu->octets, (uint16_t)charge->octets, true}};
    n_pdu->sent_octets = n_pdu->octets;
    n_pdu->segment = (uint8_t)charge->count;
}

/* Whether nothing of the mobile is queued or stops it, and nothing is due. */
static ALWAYS bool is_clear(const struct sched *s, const struct sched_ms *ms, int64_t now)
{
    return ((uint32_t)ms->flow.queue.pkts | (ms->flow.more ^ SCHED_NO_EXTRA) | ms->flags) == 0 &&
           !sched_wake_is_due(s, now);
}

/* sched_bypass() of an N-PDU of these octets and LLC-PDUs. */
static ALWAYS int pass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct charge charge,
                       struct sched_grant *grants, int64_t now)
{
    struct aqm_setup *setup = s->aqm_setups[n_pdu->qclass];

    if (charge.count > SCHED_PASS_MAX || n_pdu->sent_octets > 0 || n_pdu->octets > ms->limit_octets ||
        !is_young(s, n_pdu, now) || (setup && ms->flow.turn.qclass != n_pdu->qclass) ||
        !can_leave(ms, &charge, now))
        return -1;
    if (setup && sched_aqm_is_idle(s, ms, setup)) {
        aqm_setup_let(setup, n_pdu->qclass);
    } else if (setup && sched_aqm_on_bypass(s, ms, n_pdu, now) != DROP_NONE) {
        n_pdu->drop_reason = DROP_AQM;
        n_pdu_list_put(&s->dropped, n_pdu);
        return 0;
    }
    bypass_take(ms, &charge, now);
    grant_all(sched_segmenting(s, n_pdu->is_acknowledged), ms, n_pdu, &charge, grants);
    return (int)charge.count;
}

/* Of several LLC-PDUs. A function of its own: the other, which knows that there is one, is shorter. */
static __attribute__((noinline)) int pass_several(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu,
                                                  struct charge charge, struct sched_grant *grants,
                                                  int64_t now)
{
    const struct segmenting *how = sched_segmenting(s, n_pdu->is_acknowledged);
    charge.count = sched_segments(s, ms, n_pdu);
    charge.full_octets = (uint32_t)ms->n201_u + how->llc_octets;
    charge.octets += (charge.count - 1) * ((uint32_t)how->later_octets + how->llc_octets);
    return pass(s, ms, n_pdu, charge, grants, now);
}

int sched_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grants,
                 int64_t now)
{
    if (!is_clear(s, ms, now))
        return -1;
    const struct segmenting *how = sched_segmenting(s, n_pdu->is_acknowledged);
    struct charge charge = {.octets = (uint32_t)n_pdu->octets + how->first_octets + how->llc_octets,
                            .count = 1};
    if (n_pdu->octets > ms->n201_u - how->first_octets)
        return pass_several(s, ms, n_pdu, charge, grants, now);
    return pass(s, ms, n_pdu, charge, grants, now);
}

bool sched_bypass_woken(struct sched *s, struct sched_ms *ms, struct sched_grant *grant, int64_t now)
{
    struct sched_flow *flow = &ms->flow;
    const struct n_pdu *head = flow_queue_head(&flow->queue);

    if (sched_aqm_has(s, flow->turn.qclass) || s->shorten)
        return false;
    /* Before expiry_ns no head is too old; the N-PDU's line is read as late as can be. */
    if (flow->more != SCHED_NO_EXTRA || flow->queue.pkts == 0 ||
        ms->flags & (SCHED_MS_FROZEN | SCHED_MS_CLOSED) || (ms->expiry_ns <= now && !is_young(s, head, now)))
        return false;
    grant->next = sched_flow_next(s, ms, flow);
    if (!leaves(ms, grant->next.llc_octets, now))
        return false;
    ms->wake_ns = MOMENT_NEVER;
    grant->ms = ms;
    grant->offset = head->sent_octets;
    grant->segment = head->segment;
    grant->n_pdu = sched_queue_take(s, flow, &grant->next);
    sched_flow_count_out(s, flow, grant->next.payload_octets, grant->next.last);
    if (flow->turn.flags & SCHED_FLOW_UNORDERED && !flow->queue.is_begun)
        sched_age_watch(s, ms, flow, now);
    if (flow->queue.pkts == 0) {
        ms->flags &= (uint8_t) ~(SCHED_MS_PARKED | SCHED_MS_LIMITED);
        sched_wait_set(s, ms, SCHED_WAIT_NONE);
    } else {
        sched_ms_admit(s, ms, now);
    }
    return true;
}
