/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short way of an LLC-PDU. When nothing is in turns at a link there is nothing to choose: whoever comes
 * and conforms at all levels is who would be picked next. So it is charged and leaves, and neither queue nor
 * turns are touched. AQM is asked what it would be asked about one that is queued and picked at once. Mobiles
 * with several flows take the long way.
 */
#include "dataplane/base/drop.h"
#include "dataplane/queue/sched_parts.h"
#include "dataplane/queue/sched_queue.h"

/* What buckets will hold. */
struct charge {
    uint32_t octets;
    bucket_nbit ms_after, bvc_after;
};

/* Whether an LLC-PDU of the mobile may leave now, if nobody else has a turn. */
static bool can_leave(const struct sched_ms *ms, struct charge *charge, int64_t now)
{
    const struct sched_bvc *bvc = ms->bvc;
    const struct sched_link *link = bvc->link;

    if (bvc->mode != SCHED_MODE_LINK || link->active || link->ready || link->is_parked)
        return false;
    bool conforms = bucket_try(&ms->bucket, charge->octets, now, &charge->ms_after);
    conforms &= bucket_try(&bvc->bucket, charge->octets, now, &charge->bvc_after);
    return conforms && (link->bucket.rate_bps == 0 ||
                        bucket_can_take(&link->bucket, charge->octets + ms->link_octets, now));
}

static void take(struct sched_ms *ms, const struct charge *charge, int64_t now)
{
    struct sched_bvc *bvc = ms->bvc;
    struct sched_link *link = bvc->link;
    uint32_t link_octets = charge->octets + ms->link_octets;

    bucket_put(&ms->bucket, charge->ms_after, now);
    bucket_put(&bvc->bucket, charge->bvc_after, now);
    if (link->bucket.rate_bps > 0)
        bucket_take(&link->bucket, link_octets, now);
    link->sent_octets += link_octets;
    link->shared_octets += link_octets;
    link->idle++;
}

static bool leaves(struct sched_ms *ms, uint32_t octets, int64_t now)
{
    struct charge charge = {.octets = octets};
    if (!can_leave(ms, &charge, now))
        return false;
    take(ms, &charge, now);
    return true;
}

static bool is_young(const struct sched *s, const struct n_pdu *n_pdu, int64_t now)
{
    return s->params.max_age_ns == MOMENT_NEVER ||
           moment_add(n_pdu->arrival_ns, s->params.max_age_ns + 1) > now;
}

bool sched_pass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grant,
                int64_t now)
{
    const struct segmenting *how = &s->params.segmenting;
    struct sched_flow *flow = &ms->flow;
    uint32_t sndcp_octets = (uint32_t)n_pdu->octets + how->first_octets;
    struct charge charge = {.octets = sndcp_octets + how->llc_octets};
    bool is_asked = s->aqm && sched_aqm_has(s, n_pdu->qclass);

    if (flow->queue.pkts > 0 || flow->more != SCHED_NO_EXTRA || ms->flags != 0 || s->due_at < s->due_count ||
        wheel_next_ns(&s->wheel) <= now)
        return false;
    if (sndcp_octets > ms->n201_u || n_pdu->sent_octets > 0 || n_pdu->octets > ms->limit_octets ||
        !is_young(s, n_pdu, now) || (is_asked && flow->turn.qclass != n_pdu->qclass) ||
        !can_leave(ms, &charge, now))
        return false;
    grant->n_pdu = NULL;
    if (is_asked && sched_aqm_passes(s, ms, n_pdu, now) != DROP_NONE) {
        n_pdu->drop_reason = DROP_AQM;
        n_pdu_list_put(&s->dropped, n_pdu);
        return true;
    }
    take(ms, &charge, now);
    grant->ms = ms;
    grant->n_pdu = n_pdu;
    grant->offset = 0;
    grant->segment = 0;
    grant->next = (struct llc_next){.payload_octets = n_pdu->octets,
                                    .llc_octets = (uint16_t)(sndcp_octets + how->llc_octets),
                                    .last = true};
    n_pdu->sent_octets = n_pdu->octets;
    n_pdu->segment = 1;
    return true;
}

bool sched_pass_woken(struct sched *s, struct sched_ms *ms, struct sched_grant *grant, int64_t now)
{
    struct sched_flow *flow = &ms->flow;
    const struct n_pdu *head = flow_queue_head(&flow->queue);

    if (s->aqm && sched_aqm_has(s, flow->turn.qclass))
        return false;
    if (flow->more != SCHED_NO_EXTRA || flow->queue.pkts == 0 || ms->flags & SCHED_MS_FROZEN ||
        !is_young(s, head, now))
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
        sched_ms_watch(s, ms, flow, now);
    if (flow->queue.pkts == 0)
        ms->flags &= (uint8_t) ~(SCHED_MS_PARKED | SCHED_MS_LIMITED);
    else
        sched_ms_admit(s, ms, now);
    return true;
}
