/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Admission of an N-PDU to the queue of its context.
 * Exits: DROP_XWORKER_FULL, DROP_UNKNOWN_TEID, DROP_STALE_TEID, DROP_OTHER_GGSN, DROP_DUPLICATE.
 */
#include "dataplane/context/context_ms.h"
#include "dataplane/context/marking.h"
#include "dataplane/worker/admission.h"
#include "dataplane/worker/gn_tx.h"

#include "dataplane/memory/pool.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/gn_signal.h"
#include "dataplane/worker/inner.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/xworker.h"

#include <assert.h>
#include <rte_common.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Distance of the prefetch of cells, in N-PDUs. One N-PDU at a time, as many prefetches in a row wait for
 * each other. */
#define AHEAD 8

/* The decoded data of a frame that is steered to another worker. */
struct covering {
    struct gn_datagram datagram;
    uint32_t teid;
};

static_assert(sizeof(struct covering) <= IPV4_OCTETS + UDP_OCTETS + GTPU_OCTETS, "it fits over the headers");
static_assert(sizeof(struct covering) <= IPV6_ADDRESS_OCTETS + UDP_OCTETS + GTPU_OCTETS, "the source stays");

static __attribute__((noinline)) enum drop admit_acknowledged(struct worker *w, struct ms *ms,
                                                              struct n_pdu *n_pdu, int64_t now)
{
    n_pdu->is_acknowledged = true;
    n_pdu->is_numbered = false; /* it has come too late for the number that another SGSN told */
    if (gb_tx_pass_acknowledged(w, ms, n_pdu, now))
        return DROP_NONE;
    return (enum drop)context_enqueue(&w->context, ms, n_pdu, now);
}

/* ECN of the outer header goes to the N-PDU, and the N-PDU's DSCP to the frames on Gb. */
static __attribute__((noinline)) enum drop mark(const struct worker *w, struct n_pdu *n_pdu)
{
    enum drop reason = marking_take_off(n_pdu);
    int inner = n_pdu->is_opaque ? MARKING_NO_IP : marking_inner(n_pdu->data, n_pdu->octets);
    n_pdu->tos = marking_outer(&w->gb_marking, n_pdu->qclass, inner);
    return reason;
}

/* Whether a context's N-PDU may come from an address that is not its GGSN's. */
static __attribute__((noinline)) bool may_send(struct worker *w, const struct pdp_params *pdp,
                                               struct n_pdu *n_pdu, uint32_t src_ip)
{
    return (w->forward.froms > 0 && forward_is_from(w, n_pdu, src_ip)) || pdp->ggsn_ip == 0 || w->is_any_ggsn;
}

static enum drop admit(struct worker *w, const struct pdp_params *pdp, struct n_pdu *n_pdu, uint32_t src_ip,
                       int64_t now)
{
    struct ms *ms = &w->context.mobiles[pdp->ms];
    if (likely(ms->in_use))
        fate_in(w, ms, n_pdu, now);
    if (unlikely(pdp->ggsn_ip != src_ip) && !may_send(w, pdp, n_pdu, src_ip))
        return DROP_OTHER_GGSN;
    if (unlikely(!inner_is_plain(&w->lookup, pdp, n_pdu->data, n_pdu->octets))) {
        enum drop reason = inner_judge(&w->lookup, pdp, n_pdu->data, n_pdu->octets);
        if (reason != DROP_NONE)
            return reason;
    }
    if (unlikely((n_pdu->tos & 1) | w->gb_marking.copies_dscp)) {
        enum drop reason = mark(w, n_pdu);
        if (reason != DROP_NONE)
            return reason;
    }
    if (unlikely(!ms->in_use)) {                       /* remote; reads no other field of that cache line */
        n_pdu->is_acknowledged = pdp->is_acknowledged; /* if it comes back, it is queued */
        moves_forward(w, n_pdu, now);
        return DROP_NONE;
    }
    if (unlikely(w->pacing) && !n_pdu->is_opaque && gn_tx_user_pace_downlink(w, pdp, n_pdu, now))
        return DROP_DUPLICATE;
    if (unlikely(standby_look(w, &w->context, ms, now))) {
        int fate = forward_take(w, ms, n_pdu, now);
        if (fate != FORWARD_NOT)
            return (enum drop)fate;
    }
    if (unlikely(pdp->is_acknowledged)) /* one test for all others */
        return admit_acknowledged(w, ms, n_pdu, now);
    if (gb_tx_pass(w, ms, n_pdu, now))
        return DROP_NONE;
    return (enum drop)context_enqueue(&w->context, ms, n_pdu, now);
}

static void admission_enqueue(struct worker *w, struct n_pdu *n_pdu, uint32_t index, uint32_t src_ip,
                              int64_t now)
{
    const struct pdp *pdp = &w->context.pdps[index];
    n_pdu->pdp = index;
    n_pdu->generation = pdp->generation;
    n_pdu->qclass = pdp->params.qclass;
    n_pdu->sapi = pdp->params.sapi;
    n_pdu->pfi = pdp->params.pfi;
    n_pdu->is_opaque = pdp->params.ip_version == PDP_ANY_PAYLOAD;
    enum drop reason = admit(w, &pdp->params, n_pdu, src_ip, now);
    if (reason != DROP_NONE)
        fate_drop(w, n_pdu, reason, now);
}

static void hand_over(struct worker *w, const struct admission *burst, unsigned i, unsigned worker)
{
    struct n_pdu *n_pdu = burst->n_pdus[i];
    struct covering covering = {.datagram = burst->datagrams[i], .teid = burst->keys[i].b};

    memcpy(n_pdu->data - sizeof(covering), &covering, sizeof(covering));
    if (xworker_put(w->xworker, w->number, worker, XWORKER_FRAME, pool_mbuf(n_pdu))) {
        w->stats.gn_steered_out++;
        return;
    }
    w->stats.gn_drops[DROP_XWORKER_FULL]++;
    rte_pktmbuf_free(pool_mbuf(n_pdu));
}

static void worker_admission_settle(struct worker *w, const struct admission *burst, unsigned i,
                                    uint32_t found, int64_t now)
{
    if (tunnels_is_elsewhere(found) && !burst->is_steered) {
        hand_over(w, burst, i, found - TUNNELS_AT);
        return;
    }
    w->stats.npdu_in++;
    if (likely(found < w->context.limits.pdps)) {
        admission_enqueue(w, burst->n_pdus[i], found, burst->datagrams[i].src_ip, now);
        return;
    }
    gn_signal_unknown_tunnel(w, &burst->datagrams[i], burst->keys[i].b, now);
    fate_drop(w, burst->n_pdus[i], found == TUNNELS_STALE ? DROP_STALE_TEID : DROP_UNKNOWN_TEID, now);
}

/* Whether the next N-PDU to a mobile will be compressed in this step, as none waits before it. */
static inline bool compresses_soon(const struct ms *ms)
{
    return ms->compresses && ms->sched.flow.queue.pkts == 0;
}

/* Prefetches what the mobile of an N-PDU, which has been prefetched, points to; the turns of its class only
 * while N-PDUs are queued, as the bypass does not read them. */
static inline void prefetch_bvc(const struct worker *w, const struct admission *burst, unsigned i)
{
    if (i >= burst->count || burst->found[i] >= w->context.limits.pdps)
        return;
    const struct pdp_params *pdp = &w->context.pdps[burst->found[i]].params;
    const struct ms *ms = &w->context.mobiles[pdp->ms];
    if (unlikely(!ms->in_use)) /* remote */
        return;
    const struct gb_bvc *bvc = gb_bvc_of(ms->sched.bvc);
    rte_prefetch0(bvc);
    rte_prefetch0(&bvc->defaults);
    if (unlikely(ms->is_ciphered))
        rte_prefetch0(&ms->cipher);
    if (unlikely(!(ms->sched.flow.turn.flags & SCHED_FLOW_AQM_IDLE)))
        sched_aqm_prefetch(&w->context.sched, &ms->sched);
    if (unlikely(compresses_soon(ms)))
        gb_compression_prefetch_entity(w, pdp->ms);
    if (w->context.sched.pkts == 0)
        return;
    rte_prefetch0(&bvc->sched.classes[pdp->qclass]);
    rte_prefetch0(&bvc->sched.classes[pdp->qclass].fresh);
}

/* Prefetches the links of N-PDUs in acknowledged mode. */
static __attribute__((noinline)) void prefetch_links(const struct worker *w, const struct admission *burst)
{
    for (unsigned i = 0; i < burst->count; i++) {
        if (burst->found[i] >= w->context.limits.pdps)
            continue;
        const struct pdp_params *pdp = &w->context.pdps[burst->found[i]].params;
        if (pdp->is_acknowledged)
            gb_abm_prefetch(w, pdp->ms);
    }
}

/* The same for the lists of their mobiles' entities. */
static __attribute__((noinline)) void prefetch_lists(const struct worker *w, const struct admission *burst)
{
    for (unsigned i = 0; i < burst->count; i++)
        if (burst->found[i] < w->context.limits.pdps)
            gb_compression_prefetch_list(w, w->context.pdps[burst->found[i]].params.ms);
}

/* The entity of the N-PDU's mobile has been prefetched. */
static __attribute__((noinline)) void prefetch_connection(const struct worker *w,
                                                          const struct admission *burst, unsigned i)
{
    if (burst->found[i] >= w->context.limits.pdps)
        return;
    uint32_t ms = w->context.pdps[burst->found[i]].params.ms;
    if (compresses_soon(&w->context.mobiles[ms]))
        gb_compression_prefetch_connection(w, ms);
}

/* Finds those whose TEIDs are no indices, and prefetches their mobiles. */
static void find_rest(const struct worker *w, struct admission *burst)
{
    bool is_known[WORKER_BURST];
    for (unsigned i = 0; i < burst->count; i++)
        is_known[i] = burst->found[i] != TUNNELS_NONE;
    tunnels_find_rest(&w->tunnels, burst->keys, burst->count, burst->found);
    for (unsigned i = 0; i < burst->count; i++) {
        if (is_known[i] || burst->found[i] >= w->context.limits.pdps)
            continue;
        const struct pdp_params *pdp = &w->context.pdps[burst->found[i]].params;
        context_ms_prefetch(&w->context, pdp->ms, pdp->sapi);
    }
    burst->is_missed = false;
}

void admission_find(const struct worker *w, struct admission *burst)
{
    admission_look(w, burst, burst->count);
    if (unlikely(burst->is_missed))
        find_rest(w, burst);
    if (unlikely(w->abm.first))
        prefetch_links(w, burst);
    if (unlikely(w->compression.entities > 0))
        prefetch_lists(w, burst);
    for (unsigned i = 0; i < AHEAD; i++)
        prefetch_bvc(w, burst, i);
}

void admission_settle(struct worker *w, const struct admission *burst, unsigned from, unsigned end,
                      int64_t now)
{
    for (unsigned i = from; i < end; i++) {
        prefetch_bvc(w, burst, i + AHEAD);
        if (unlikely(w->compression.entities > 0))
            prefetch_connection(w, burst, i);
        worker_admission_settle(w, burst, i, burst->found[i], now);
    }
}

void admission_queue(struct worker *w, struct admission *burst, int64_t now)
{
    admission_find(w, burst);
    admission_settle(w, burst, 0, burst->count, now);
}

void admission_put(struct admission *burst, struct n_pdu *n_pdu)
{
    struct covering covering;
    memcpy(&covering, n_pdu->data - sizeof(covering), sizeof(covering));
    burst->datagrams[burst->count] = covering.datagram;
    burst->keys[burst->count] = lookup_tunnel_key(covering.datagram.dst_ip, covering.teid);
    burst->n_pdus[burst->count++] = n_pdu;
}
