/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * N-PDUs that are forwarded to another SGSN.
 * Exits: DROP_NO_BUFFER, DROP_NO_NEXT_HOP, DROP_QUEUE_FULL, DROP_BUDGET, DROP_PARTIAL,
 * DROP_HANDED_OVER, DROP_CONTEXT_DELETED.
 */
#include "dataplane/worker/forward.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/gb_abm_tx.h"
#include "dataplane/worker/gb_compression.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/address.h"
#include "dataplane/base/bigmem.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/ms.h"
#include "dataplane/memory/pool.h"
#include "dataplane/sched/ms.h"
#include "dataplane/wire/gtpu.h"

#include <rte_mbuf.h>

#define HOP_RETRY_NS  INT64_C(10000000) /* while the next hop is not known */
#define ROOM_RETRY_NS INT64_C(10000)    /* while the port has no room, or no buffer is free */
#define TEID_RESERVED UINT32_MAX

/* --- records --- */

bool forward_new(struct forward *f, uint32_t pdps)
{
    *f = (struct forward){.limit = pdps < FORWARD_RECORDS ? pdps : FORWARD_RECORDS};
    f->records = bigmem_new(f->limit * sizeof(*f->records));
    for (uint32_t i = f->limit; f->records && i-- > 0;) {
        f->records[i].next = f->free;
        f->free = &f->records[i];
    }
    return f->records && u64_map_new(&f->by_pdp, f->limit);
}

void forward_parcel_free(struct forward_parcel *parcel)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&parcel->list)))
        pool_n_pdu_free(n_pdu);
}

void forward_free(struct forward *f)
{
    for (uint32_t i = 0; f->records && i < f->limit; i++)
        forward_parcel_free(&f->records[i].way);
    bigmem_free(f->records, f->limit * sizeof(*f->records));
    u64_map_free(&f->by_pdp);
}

static struct forward_record *forward_find(const struct forward *f, uint32_t pdp)
{
    uint32_t i = f->count == 0 ? U64_MAP_NONE : u64_map_get(&f->by_pdp, pdp);
    return i == U64_MAP_NONE ? NULL : &f->records[i];
}

static struct forward_record *forward_find_or_make(struct forward *f, uint32_t pdp)
{
    struct forward_record *r = forward_find(f, pdp);
    if (r || !f->free || u64_map_add(&f->by_pdp, pdp, (uint32_t)(f->free - f->records)) < 0)
        return r;
    r = f->free;
    f->free = r->next;
    *r = (struct forward_record){.pdp = pdp};
    f->count++;
    return r;
}

/* One in the list of active ones is freed when it leaves that. */
static void release_if_unused(struct forward *f, struct forward_record *r)
{
    if (r->way.mode != FORWARD_OFF || r->way.is_taking_over || r->from_ip != ADDRESS_NONE || r->way.list.head)
        return;
    if (r->is_active) {
        f->retry_ns = INT64_MIN;
        return;
    }
    u64_map_del(&f->by_pdp, r->pdp, (uint32_t)(r - f->records));
    r->next = f->free;
    f->free = r;
    f->count--;
}

uint32_t forward_pkts(const struct worker *w, uint32_t pdp)
{
    const struct forward_record *r = forward_find(&w->forward, pdp);
    return r ? r->pkts : 0;
}

static void forward_activate(struct forward *f, struct forward_record *r)
{
    if (r->is_active || r->way.mode != FORWARD_TO || !r->way.list.head)
        return;
    r->is_active = true;
    r->next = NULL;
    f->retry_ns = INT64_MIN; /* its way may be free though another's is not */
    if (f->active)
        f->active_last->next = r;
    else
        f->active = r;
    f->active_last = r;
}

/* --- N-PDUs of a record --- */

static void forward_put(struct worker *w, struct forward_record *r, struct n_pdu *n_pdu)
{
    n_pdu_list_put(&r->way.list, n_pdu);
    r->pkts++;
    r->octets += n_pdu->octets;
    w->context.sched.pkts += !forward_was_sent(n_pdu);
}

static struct n_pdu *forward_take_first(struct worker *w, struct forward_record *r)
{
    struct n_pdu *n_pdu = n_pdu_list_take(&r->way.list);
    if (n_pdu) {
        r->pkts--;
        r->octets -= n_pdu->octets;
        w->context.sched.pkts -= !forward_was_sent(n_pdu);
    }
    return n_pdu;
}

static void forward_drop(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now)
{
    if (!forward_was_sent(n_pdu)) {
        fate_drop(w, n_pdu, reason, now);
        return;
    }
    w->stats.abm_abandoned++;
    pool_n_pdu_free(n_pdu);
}

static void forward_drop_all(struct worker *w, struct forward_record *r, enum drop reason, int64_t now)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = forward_take_first(w, r)))
        forward_drop(w, n_pdu, reason, now);
}

/* --- the old SGSN: begin and end --- */

/* One of which segments were sent is to be whole again. False: it was compressed in its buffer. */
static bool forward_make_whole(struct worker *w, struct n_pdu *n_pdu)
{
    if (n_pdu->comp && !n_pdu->is_acknowledged)
        return false;
    if (n_pdu->comp)
        gb_compression_unpack(w, n_pdu);
    n_pdu->sent_octets = 0;
    n_pdu->segment = 0;
    return true;
}

/* Takes all that a context has queued, in front of what the record has. */
static void gather(struct worker *w, struct forward_record *r, struct ms *ms, int64_t now)
{
    const struct pdp_params *pdp = &w->context.pdps[r->pdp].params;
    struct n_pdu_list sent = {0}, queued = {0}, behind = r->way.list;
    struct n_pdu *n_pdu;
    r->way.list = (struct n_pdu_list){0};
    if (pdp->is_acknowledged)
        gb_abm_take_unconfirmed(w, pdp->ms, pdp->sapi, pdp->nsapi, &sent, now);
    sched_ms_take_pdp(&w->context.sched, &ms->sched, r->pdp, &queued, now);
    while ((n_pdu = n_pdu_list_take(&sent)))
        forward_put(w, r, n_pdu);
    while ((n_pdu = n_pdu_list_take(&queued)))
        if (forward_make_whole(w, n_pdu))
            forward_put(w, r, n_pdu);
        else
            fate_drop(w, n_pdu, DROP_PARTIAL, now);
    while ((n_pdu = n_pdu_list_take(&behind))) /* counted before */
        n_pdu_list_put(&r->way.list, n_pdu);
}

static bool forward_is_nowhere(const struct forward_to *to)
{
    return to->ip == ADDRESS_NONE || to->teid == 0 || to->teid == TEID_RESERVED;
}

static bool forward_can_reach(const struct worker *w, uint32_t from_ip, uint32_t ip)
{
    return address_is_ipv6(from_ip) == address_is_ipv6(ip) &&
           (!address_is_ipv6(ip) || lookup_ipv6_octets(&w->lookup.ipv6, ip));
}

int forward_begin(struct worker *w, uint32_t index, const struct forward_to *to, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    uint32_t pdp = ms_pdp(ms, to->nsapi);
    if (!(ms->stops & MS_HELD) || pdp == MS_PDP_NONE ||
        !(forward_is_nowhere(to) || forward_can_reach(w, w->context.pdps[pdp].params.sgsn_ip, to->ip)))
        return -1;
    struct forward_record *r = forward_find_or_make(&w->forward, pdp);
    if (!r)
        return -1;
    if (r->way.mode == FORWARD_OFF)
        gather(w, r, ms, now);
    r->way.mode = forward_is_nowhere(to) ? FORWARD_ENDED : FORWARD_TO;
    r->way.to_ip = to->ip;
    r->way.to_teid = to->teid;
    if (forward_is_nowhere(to))
        forward_drop_all(w, r, DROP_HANDED_OVER, now);
    forward_activate(&w->forward, r);
    return 0;
}

/* --- the new SGSN --- */

int forward_from(struct worker *w, uint32_t pdp, uint32_t ip)
{
    struct forward *f = &w->forward;
    struct forward_record *r = ip == ADDRESS_NONE ? forward_find(f, pdp) : forward_find_or_make(f, pdp);
    if (!r)
        return ip == ADDRESS_NONE ? 0 : -1;
    f->froms += (uint32_t)(ip != ADDRESS_NONE) - (r->from_ip != ADDRESS_NONE);
    r->from_ip = ip;
    release_if_unused(f, r);
    return 0;
}

/* Queues what the record has, in order. */
static void queue_all(struct worker *w, struct forward_record *r, int64_t now)
{
    const struct pdp_params *pdp = &w->context.pdps[r->pdp].params;
    struct ms *ms = &w->context.mobiles[pdp->ms];
    struct n_pdu *n_pdu;
    while ((n_pdu = forward_take_first(w, r))) {
        if (forward_was_sent(n_pdu) && gb_abm_return(w, pdp->ms, pdp->sapi, n_pdu, now))
            continue;
        enum drop reason = forward_was_sent(n_pdu) ? DROP_CONTEXT_DELETED
                                                   : (enum drop)context_enqueue(&w->context, ms, n_pdu, now);
        if (reason != DROP_NONE)
            forward_drop(w, n_pdu, reason, now);
    }
}

int forward_take_over(struct worker *w, uint32_t pdp, bool is_taking_over, int64_t now)
{
    struct forward *f = &w->forward;
    struct forward_record *r = is_taking_over ? forward_find_or_make(f, pdp) : forward_find(f, pdp);
    if (!r)
        return is_taking_over ? -1 : 0;
    r->way.is_taking_over = is_taking_over;
    if (is_taking_over)
        r->way.mode = FORWARD_OFF; /* of one that comes back nothing goes there any more */
    if (!is_taking_over && r->way.mode == FORWARD_OFF)
        queue_all(w, r, now);
    release_if_unused(f, r);
    return 0;
}

bool forward_is_from(struct worker *w, struct n_pdu *n_pdu, uint32_t src_ip)
{
    const struct forward_record *r = forward_find(&w->forward, n_pdu->pdp);
    if (!r || r->from_ip == ADDRESS_NONE || r->from_ip != src_ip)
        return false;
    const struct pdp_params *pdp = &w->context.pdps[n_pdu->pdp].params;
    n_pdu->is_forwarded = true;
    if (n_pdu->number & N_PDU_TOLD && pdp->is_acknowledged) {
        n_pdu->is_numbered = true;
        n_pdu->number = (uint16_t)(pdp->nsapi << 8 | (uint8_t)n_pdu->number);
    }
    w->stats.forward_npdu_in++;
    w->stats.forward_octets_in += n_pdu->octets;
    return true;
}

/* --- both --- */

/* By the limits that hold for the mobile's queue. */
static enum drop forward_judge(const struct worker *w, const struct forward_record *r, const struct ms *ms,
                               const struct n_pdu *n_pdu)
{
    const struct sched *s = &w->context.sched;
    if (r->octets + n_pdu->octets > ms->sched.limit_octets || r->pkts >= s->params.ms_limit_pkts)
        return DROP_QUEUE_FULL;
    return s->pkts < s->params.budget_pkts ? DROP_NONE : DROP_BUDGET;
}

/* One that the old SGSN has sent, and whose number it told: the link has it now. */
static bool forward_resume(struct worker *w, const struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    if (!n_pdu->is_numbered || !gb_abm_resume(w, &w->context.pdps[n_pdu->pdp].params, n_pdu, now))
        return false;
    gb_abm_tx_finish(w, ms, n_pdu, now);
    return true;
}

int forward_take(struct worker *w, const struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct forward_record *r = ms->stops & MS_HELD ? forward_find(&w->forward, n_pdu->pdp) : NULL;
    if (!r || (r->way.mode == FORWARD_OFF && !r->way.is_taking_over))
        return FORWARD_NOT;
    if (r->way.mode == FORWARD_OFF && n_pdu->is_forwarded)
        return forward_resume(w, ms, n_pdu, now) ? DROP_NONE : FORWARD_NOT;
    if (r->way.mode == FORWARD_ENDED)
        return DROP_HANDED_OVER;
    enum drop reason = forward_judge(w, r, ms, n_pdu);
    if (reason != DROP_NONE)
        return (int)reason;
    n_pdu->is_acknowledged = w->context.pdps[n_pdu->pdp].params.is_acknowledged;
    forward_put(w, r, n_pdu);
    w->stats.forward_behind += r->way.mode == FORWARD_OFF;
    forward_activate(&w->forward, r);
    return DROP_NONE;
}

void forward_end(struct worker *w, const struct ms *ms, int64_t now)
{
    for (unsigned i = 0; i < MS_NSAPIS && w->forward.count > 0; i++) {
        struct forward_record *r = ms->pdp[i] == MS_PDP_NONE ? NULL : forward_find(&w->forward, ms->pdp[i]);
        if (!r)
            continue;
        queue_all(w, r, now);
        r->way = (struct forward_parcel){0};
        release_if_unused(&w->forward, r);
    }
}

void forward_forget(struct worker *w, uint32_t pdp, int64_t now)
{
    struct forward_record *r = forward_find(&w->forward, pdp);
    if (!r)
        return;
    forward_drop_all(w, r, DROP_CONTEXT_DELETED, now);
    r->way = (struct forward_parcel){0};
    (void)forward_from(w, pdp, ADDRESS_NONE);
}

uint32_t forward_pack(struct worker *w, uint32_t pdp, struct forward_parcel *parcel)
{
    struct forward_record *r = forward_find(&w->forward, pdp);
    uint32_t before = w->context.sched.pkts;
    struct n_pdu *n_pdu;
    *parcel = (struct forward_parcel){0};
    if (!r)
        return 0;
    *parcel = r->way;
    parcel->list = (struct n_pdu_list){0};
    while ((n_pdu = forward_take_first(w, r)))
        n_pdu_list_put(&parcel->list, n_pdu);
    r->way = (struct forward_parcel){0};
    release_if_unused(&w->forward, r);
    return before - w->context.sched.pkts;
}

void forward_unpack(struct worker *w, uint32_t pdp, struct forward_parcel *parcel, int64_t now)
{
    bool is_used = parcel->mode != FORWARD_OFF || parcel->is_taking_over || parcel->list.head;
    struct forward_record *r = is_used ? forward_find_or_make(&w->forward, pdp) : NULL;
    struct forward_record alone = {.pdp = pdp}, *to = r ? r : &alone;
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&parcel->list))) {
        n_pdu->pdp = pdp;
        n_pdu->generation = w->context.pdps[pdp].generation;
        forward_put(w, to, n_pdu);
    }
    if (!r) {
        if (parcel->mode == FORWARD_OFF)
            queue_all(w, &alone, now);
        forward_drop_all(w, &alone, DROP_HANDED_OVER, now);
        return;
    }
    struct n_pdu_list list = r->way.list;
    r->way = *parcel;
    r->way.list = list;
    forward_activate(&w->forward, r);
}

/* --- to Gn --- */

static void forward_put_header(struct rte_mbuf *mbuf, const struct forward_record *r,
                               const struct n_pdu *n_pdu)
{
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = r->way.to_teid, .payload_octets = n_pdu->octets};
    unsigned octets = GTPU_OCTETS;
    if (n_pdu->is_acknowledged && n_pdu->is_numbered) {
        gtpu.flags = GTPU_PN;
        gtpu.n_pdu_number = (uint8_t)n_pdu->number;
        octets = GTPU_LONG_OCTETS;
    }
    mbuf->data_off = (uint16_t)(n_pdu->data - (uint8_t *)mbuf->buf_addr);
    mbuf->data_len = n_pdu->octets;
    mbuf->pkt_len = n_pdu->octets;
    gtpu_encode((uint8_t *)rte_pktmbuf_prepend(mbuf, (uint16_t)octets), octets, &gtpu);
}

static void forward_count_out(struct worker *w, const struct n_pdu *n_pdu, int64_t now)
{
    w->stats.forward_octets_out += n_pdu->octets;
    if (forward_was_sent(n_pdu)) {
        w->stats.forward_unconfirmed++;
        return;
    }
    w->stats.forward_npdu_out++;
    if (unlikely(w->trace))
        fate_trace(w, n_pdu, DROP_NONE, now);
}

/* False: it stays the first of its record, as no buffer is free for its fragments. */
static bool forward_send_first(struct worker *w, struct forward_record *r, const struct gn_way *way,
                               int64_t now)
{
    struct n_pdu *n_pdu = r->way.list.head, was = *n_pdu;
    struct rte_mbuf *mbuf = pool_mbuf(n_pdu);
    forward_put_header(mbuf, r, n_pdu);
    enum drop reason = gn_tx_try(w, mbuf, way, now);
    if (reason == DROP_NO_BUFFER)
        return false;
    (void)forward_take_first(w, r); /* the port frees the buffer later */
    if (reason == DROP_NONE)
        forward_count_out(w, &was, now);
    else
        forward_drop(w, n_pdu, DROP_HANDED_OVER, now);
    return true;
}

static struct gn_way forward_way(const struct worker *w, const struct forward_record *r)
{
    const struct pdp_params *pdp = &w->context.pdps[r->pdp].params;
    const struct n_pdu *n_pdu = r->way.list.head;
    int inner = n_pdu->is_opaque ? MARKING_NO_IP : marking_inner(n_pdu->data, n_pdu->octets);
    return (struct gn_way){.src_ip = pdp->sgsn_ip,
                           .dst_ip = r->way.to_ip,
                           .dst_port = GTPU_PORT,
                           .is_kept = true,
                           .tos = marking_outer(&w->gn_marking, pdp->qclass, inner)};
}

/* Sends at most `most` N-PDUs of a record; if others have to wait, until *retry_ns. */
static unsigned send_some(struct worker *w, struct forward_record *r, unsigned most, int64_t *retry_ns,
                          int64_t now)
{
    unsigned sent = 0;
    while (sent < most && r->way.list.head) {
        struct gn_way way = forward_way(w, r);
        enum drop reason = gn_tx_judge(w, &way, now);
        if (reason != DROP_NONE || !forward_send_first(w, r, &way, now)) {
            int64_t wait_ns = reason == DROP_NO_NEXT_HOP ? HOP_RETRY_NS : ROOM_RETRY_NS;
            *retry_ns = moment_min(*retry_ns, now + wait_ns);
            break;
        }
        sent++;
    }
    return sent;
}

/* Each active record once; those that still have something to send are last then. */
unsigned forward_send(struct worker *w, int64_t now)
{
    struct forward *f = &w->forward;
    const struct forward_record *last = f->active_last;
    struct forward_record *r = NULL;
    unsigned sent = 0;
    if (f->retry_ns > now)
        return 0;
    int64_t retry_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < FORWARD_BURST && sent < FORWARD_BURST && f->active && r != last; i++) {
        r = f->active;
        sent += r->way.mode == FORWARD_TO ? send_some(w, r, FORWARD_BURST - sent, &retry_ns, now) : 0;
        f->active = r->next;
        r->is_active = false;
        forward_activate(f, r);
        release_if_unused(f, r);
    }
    f->retry_ns = retry_ns == MOMENT_NEVER || r != last ? now : retry_ns;
    return sent;
}
