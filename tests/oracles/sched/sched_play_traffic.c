/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "tests/oracles/sched/sched_play.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/ms.h"

#define N_PDU_MAX   1503
#define BURST_MAX   8
#define TUPLE_SHIFT 24 /* above what a packet flow is known by */

static struct sched_play_n_pdu *with_number(const struct n_pdu *n_pdu)
{
    return (struct sched_play_n_pdu *)n_pdu;
}

static uint32_t ms_of(const struct n_pdu *n_pdu)
{
    return n_pdu->pdp;
}

static void tell_drop(struct sched_play *p, struct n_pdu *n_pdu, int reason)
{
    p->lost++;
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_DROP,
                                                   .x = sched_trace_reason_of(reason),
                                                   .id = ms_of(n_pdu),
                                                   .a = (int64_t)with_number(n_pdu)->number});
    n_pdu_list_put(&p->unused, n_pdu);
}

int sched_play_take_dropped(struct sched_play *p, const struct n_pdu *own)
{
    int reason = DROP_NONE;
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&p->sched.dropped))) {
        if (n_pdu == own)
            reason = n_pdu->drop_reason;
        else
            tell_drop(p, n_pdu, n_pdu->drop_reason);
    }
    return reason;
}

/* --- in --- */

static uint16_t choose_octets(struct sched_play *p)
{
    switch (prng_below(&p->chance, 4)) {
    case 0:
        return 40;
    case 1:
        return 1500;
    case 2:
        return (uint16_t)prng_between(&p->chance, 1, N_PDU_MAX);
    default:
        return (uint16_t)prng_between(&p->chance, 400, 600);
    }
}

/* Lately, or so long ago that it is too old or nearly so; not before the mobile's last one. */
static int64_t choose_arrival(struct sched_play *p, struct sched_play_ms *mine)
{
    int64_t max_age_ns = p->sched.params.max_age_ns, arrival_ns = p->now;
    if (max_age_ns != MOMENT_NEVER && sched_play_percent(p, 20))
        arrival_ns -= (int64_t)prng_below(&p->chance, (uint64_t)max_age_ns + 2);
    mine->arrival_ns = moment_max(mine->arrival_ns, arrival_ns);
    return mine->arrival_ns;
}

/* Few of them often, so that some queues are long. */
static uint32_t choose_flow(struct sched_play *p)
{
    return (uint32_t)prng_below(&p->chance, 1 + prng_below(&p->chance, 2 * (uint64_t)p->flows));
}

static struct n_pdu *n_pdu_new(struct sched_play *p, uint32_t ms)
{
    const struct sched_play_context *context =
        &p->mine[ms].contexts[prng_below(&p->chance, SCHED_PLAY_CONTEXTS)];
    struct n_pdu *n_pdu = n_pdu_list_take(&p->unused);
    if (!n_pdu)
        return NULL;
    with_number(n_pdu)->number = p->came++;
    *n_pdu = (struct n_pdu){
        .arrival_ns = choose_arrival(p, &p->mine[ms]),
        .pdp = ms,
        .octets = choose_octets(p),
        .qclass = context->qclass,
        .sapi = context->sapi,
        /* A packet flow is named only while it is known. */
        .pfi = sched_pfc_get(&p->sched, &p->ms[ms], context->pfi) ? context->pfi : N_PDU_NO_PFI,
    };
    if (p->flows > 0)
        n_pdu->flow_hash = choose_flow(p) * (UINT32_MAX / (2 * p->flows) + 1);
    return n_pdu;
}

static int64_t last_instant(const struct sched_play *p, const struct n_pdu *n_pdu)
{
    int64_t max_age_ns = p->sched.params.max_age_ns;
    return max_age_ns == MOMENT_NEVER ? MOMENT_NEVER : n_pdu->arrival_ns + max_age_ns;
}

/* Each class of a mobile is a flow of its own, and so is each packet flow that it has. */
static uint64_t queue_of(struct sched_play *p, uint32_t ms, const struct n_pdu *n_pdu)
{
    if (n_pdu->pfi != N_PDU_NO_PFI && sched_pfc_get(&p->sched, &p->ms[ms], n_pdu->pfi))
        return ((uint64_t)p->mine[ms].contexts[n_pdu->pfi - SCHED_PLAY_PFI].generation << 8) + n_pdu->pfi;
    return n_pdu->qclass;
}

/* With flow queues, each 5-tuple of these. */
static uint64_t flow_of(struct sched_play *p, uint32_t ms, const struct n_pdu *n_pdu)
{
    uint64_t tuple = p->flows > 0 ? n_pdu->flow_hash / (UINT32_MAX / (2 * p->flows) + 1) : 0;
    return queue_of(p, ms, n_pdu) | tuple << TUPLE_SHIFT;
}

static void tell_enqueue(struct sched_play *p, uint32_t ms, const struct n_pdu *n_pdu, uint16_t verdict)
{
    uint64_t packed =
        n_pdu->pfi | (uint64_t)n_pdu->sapi << 8 | (uint64_t)verdict << 16 | flow_of(p, ms, n_pdu) << 32;
    sched_play_tell(p, (struct sched_trace_record){
                           .kind = SCHED_TRACE_ENQUEUE,
                           .flags = n_pdu->qclass,
                           .x = n_pdu->octets,
                           .id = ms,
                           .a = (int64_t)with_number(n_pdu)->number,
                           .b = last_instant(p, n_pdu),
                           .c = (int64_t)packed,
                       });
}

static void tell_grant(struct sched_play *p, const struct sched_grant *grant)
{
    p->departures++;
    sched_play_tell(p, (struct sched_trace_record){
                           .kind = SCHED_TRACE_DEPART,
                           .flags = grant->next.last,
                           .x = grant->next.payload_octets,
                           .id = (uint32_t)(grant->ms - p->ms),
                           .a = (int64_t)with_number(grant->n_pdu)->number,
                           .b = grant->next.llc_octets,
                           .c = grant->segment,
                       });
    if (grant->next.last) {
        p->left++;
        n_pdu_list_put(&p->unused, grant->n_pdu);
    }
}

/* One N-PDU for a mobile: the short way when there is one, now and then. */
static void put(struct sched_play *p, uint32_t ms)
{
    struct sched_grant grants[SCHED_PASS_MAX];
    struct n_pdu *n_pdu = n_pdu_new(p, ms);
    if (!n_pdu)
        return;
    int count = sched_play_percent(p, 50) ? sched_bypass(&p->sched, &p->ms[ms], n_pdu, grants, p->now) : -1;
    if (count > 0) {
        sched_play_take_dropped(p, NULL);
        tell_enqueue(p, ms, n_pdu, SCHED_TRACE_PASSES);
        for (int i = 0; i < count; i++)
            tell_grant(p, &grants[i]);
        return;
    }
    int verdict = sched_enqueue(&p->sched, &p->ms[ms], n_pdu, p->now);
    int dropped = sched_play_take_dropped(p, n_pdu);
    if (dropped != DROP_NONE)
        verdict = dropped;
    tell_enqueue(p, ms, n_pdu, sched_trace_reason_of(verdict));
    if (verdict != DROP_NONE) {
        p->lost++;
        n_pdu_list_put(&p->unused, n_pdu);
    }
}

void sched_play_put(struct sched_play *p)
{
    uint32_t ms = (uint32_t)prng_below(&p->chance, p->ms_count);
    for (uint64_t count = prng_between(&p->chance, 1, BURST_MAX); count > 0; count--)
        put(p, ms);
}

/* --- out --- */

void sched_play_send(struct sched_play *p)
{
    struct sched_grant grant;
    bool is_sent = true;
    while (is_sent) {
        is_sent = sched_pick(&p->sched, &grant, p->now);
        sched_play_take_dropped(p, NULL);
        if (is_sent)
            tell_grant(p, &grant);
    }
}

/* --- elsewhere --- */

void sched_play_hand_over(struct sched_play *p, uint32_t ms, uint32_t cell)
{
    struct n_pdu_list out = {0};
    struct n_pdu *n_pdu;
    sched_ms_take_all(&p->sched, &p->ms[ms], &out);
    sched_ms_move(&p->sched, &p->ms[ms], &p->cells[cell], p->now);
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_MS_MOVE, .id = ms, .a = cell});
    while ((n_pdu = n_pdu_list_take(&out))) {
        int verdict = sched_enqueue(&p->sched, &p->ms[ms], n_pdu, p->now);
        int dropped = sched_play_take_dropped(p, n_pdu);
        if (verdict == DROP_NONE)
            verdict = dropped;
        if (verdict != DROP_NONE)
            tell_drop(p, n_pdu, n_pdu->sent_octets > 0 ? DROP_PARTIAL : verdict);
    }
}
