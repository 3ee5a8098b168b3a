/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends on Gb: downlink frames of users' packets, from payload to Ethernet. */
#include "dataplane/worker/gb_tx.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/msg.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/gb_abm_tx.h"
#include "dataplane/worker/gb_tx_frame.h"

#include <limits.h>
#include <string.h>

#define AHEAD 4 /* distance of the prefetch, in frames */

/* Whether a segment keeps the buffer of its N-PDU: the last one does, or if all leave now, the first, which
 * is not shorter. (Its FCS overwrites the second one's payload, after all segments have been copied.) */
static __rte_always_inline bool keeps_buffer(const struct gb_tx_batch *batch, unsigned i)
{
    const struct sched_grant *grant = &batch->grants[i];
    return i < batch->passed ? grant->segment == 0 : grant->next.last;
}

/*
 * Returns the payload where the segment will be framed: in the N-PDU's own buffer, which then belongs to
 * this frame, or in a copy for the other segments and where there is no room around it.
 */
static __rte_always_inline uint8_t *settle_payload(struct gb_tx_batch *batch, unsigned i,
                                                   struct pool_room room)
{
    struct gb_tx_out *out = &batch->out[i];
    struct n_pdu *n_pdu = batch->grants[i].n_pdu;
    struct rte_mbuf *own = pool_mbuf(n_pdu);
    uint8_t *payload = n_pdu->data + batch->grants[i].offset;
    uint16_t octets = batch->grants[i].next.payload_octets;

    if (keeps_buffer(batch, i) && pool_has_room(own, payload, octets, room)) {
        n_pdu->is_given_away = true;
        out->mbuf = own;
        return payload;
    }
    out->mbuf = batch->spare[--batch->spare_count];
    uint8_t *copy = (uint8_t *)out->mbuf->buf_addr + room.before;
    memcpy(copy, payload, octets);
    return copy;
}

/* --- frames written at once: bssgp_unitdata.h --- */

/* The NSE of the last frame; its NS-VC if frames of all its mobiles use that one, over IPv4 and without
 * alignment, else NULL. */
struct way {
    unsigned nse;
    struct gb_nsvc *nsvc;
};

static void find_way(const struct context *c, struct way *way, unsigned index)
{
    const struct gb_nse *nse = &c->nses[index];
    struct gb_nsvc *nsvc = &c->nsvcs[nse->nsvc[0]];
    way->nse = index;
    bool is_plain = nse->is_even && nse->weight == 1 && !nsvc->is_ipv6 && !c->unitdata.is_aligned;
    way->nsvc = is_plain ? nsvc : NULL;
}

static __rte_always_inline void note_age(struct worker *w, struct gb_tx_batch *batch, int64_t age_ns)
{
    if (likely(age_ns == batch->age_ns)) /* of bypassing N-PDUs, all are alike */
        return;
    batch->age_ns = age_ns;
    batch->lifetime_cs = lifetime_pdu_cs(&w->context.lifetime, age_ns);
}

/* N(U) and LLC header of the next frame; stores what FCS and ciphering need. */
static __rte_always_inline uint32_t take_llc(struct gb_tx_out *out, struct ms *ms, uint8_t sapi)
{
    unsigned index = sapi / 2;
    uint32_t count = llc_entity_take(&ms->llc[index]);
    out->is_protected = true;
    out->key = NULL;
    if (likely(!ms->is_ciphered && ms->unprotected == 0))
        return dl_frame_llc(sapi, llc_entity_nu(count), false, true);
    out->is_protected = !(ms->unprotected >> index & 1);
    if (ms->is_ciphered) {
        out->key = &ms->cipher.now;
        out->input = llc_cipher_input(ms->cipher.now.iov_ui, sapi, count);
    }
    return dl_frame_llc(sapi, llc_entity_nu(count), ms->is_ciphered, out->is_protected);
}

static __rte_always_inline uint32_t take_sndcp(struct pdp *pdp, const struct sched_grant *grant)
{
    struct n_pdu *n_pdu = grant->n_pdu;
    if (grant->segment == 0)
        n_pdu->number = pdp_take_number(pdp);
    return dl_frame_sndcp(pdp->params.nsapi, !grant->next.last, grant->segment, n_pdu->number, n_pdu->comp);
}

/* Ethernet, IPv4 and UDP in front of the NS PDU; makes the frame the buffer's data. */
static __rte_always_inline void set_frame(struct gb_tx_out *out, struct gb_nsvc *nsvc, struct dl_frame_at at)
{
    struct rte_mbuf *mbuf = out->mbuf;
    uint8_t *frame = at.ns - GB_HEADER_OCTETS;
    unsigned octets = (unsigned)(at.llc - at.ns) + out->grant->next.llc_octets;
    gb_transport_put_ipv4(nsvc, frame, octets);
    out->llc = at.llc;
    mbuf->data_off = (uint16_t)(frame - (uint8_t *)mbuf->buf_addr);
    mbuf->data_len = (uint16_t)(octets + GB_HEADER_OCTETS);
    mbuf->pkt_len = mbuf->data_len;
}

static __rte_always_inline bool is_plain(const struct ms *ms, const struct n_pdu *n_pdu)
{
    return ((ms->imsi_octets & ~BSSGP_DL_COMMON_IMSI_OCTETS) | ms->tells_tlli_old | ms->has_elements << 1) ==
               0 &&
           n_pdu->pfi == N_PDU_NO_PFI;
}

/* All headers at once; false: the frame is not plain, and nothing was done. */
static __rte_always_inline bool put_plain(struct worker *w, struct gb_tx_batch *batch, unsigned i,
                                          struct way *way, int64_t now)
{
    static const struct pool_room room = {.before = FRAME_PLAIN_OCTETS, .behind = LLC_FCS_OCTETS};
    struct gb_tx_out *out = &batch->out[i];
    const struct sched_grant *grant = out->grant;
    struct ms *ms = ms_of(grant->ms);
    const struct gb_bvc *bvc = gb_bvc_of(grant->ms->bvc);
    if (unlikely(bvc->nse != way->nse))
        find_way(&w->context, way, bvc->nse);
    if (unlikely(!way->nsvc || !is_plain(ms, grant->n_pdu)))
        return false;
    struct pdp *pdp = &w->context.pdps[grant->n_pdu->pdp];
    note_age(w, batch, now - grant->n_pdu->arrival_ns);
    uint8_t *payload = settle_payload(batch, i, room);
    struct dl_frame plain = {.imsi = ms->imsi_octets > 0 ? ms->imsi : NULL,
                             .tlli = ms->tlli,
                             .llc = take_llc(out, ms, pdp->params.sapi),
                             .sndcp = take_sndcp(pdp, grant),
                             .bvci = bvc->bvci,
                             .lifetime_cs = batch->lifetime_cs,
                             .llc_octets = grant->next.llc_octets,
                             .qos = gb_tx_frame_qos(grant->n_pdu->qclass, out->is_protected),
                             .is_first = grant->segment == 0};
    set_frame(out, way->nsvc, dl_frame_put(&plain, payload));
    if (unlikely(w->marks_gb))
        gb_tx_frame_mark(w, out);
    return true;
}

/* --- any frame, header by header --- */

/* SNDCP and LLC headers, from the mobile's state. Inlined like put_outside(): as calls they cost 7 % of all
 * of a worker's time at 64 octets. */
static __rte_always_inline void put_inside(struct worker *w, struct gb_tx_batch *batch, unsigned i)
{
    struct gb_tx_out *out = &batch->out[i];
    struct pdp *pdp = &w->context.pdps[out->grant->n_pdu->pdp];
    struct ms *ms = ms_of(out->grant->ms);
    uint8_t *payload = settle_payload(batch, i, gb_tx_frame_room(w, ms));
    gb_tx_frame_llc(out, ms, pdp->params.sapi, true, gb_tx_frame_sndcp(pdp, out->grant, payload));
}

/* Headers from BSSGP to Ethernet. */
static __rte_always_inline void put_outside(struct worker *w, struct gb_tx_batch *batch,
                                            struct gb_tx_out *out, int64_t now)
{
    const struct n_pdu *n_pdu = out->grant->n_pdu;
    struct ms *ms = ms_of(out->grant->ms);
    int nsvc = context_nsvc_for(&w->context, &w->context.bvcs[ms->bvc], (uint32_t)(ms - w->context.mobiles));

    note_age(w, batch, now - n_pdu->arrival_ns);
    out->nsvc = &w->context.nsvcs[nsvc];
    gb_tx_frame_transport(
        out,
        gb_tx_frame_bssgp(w, ms, out, gb_tx_frame_qos(n_pdu->qclass, out->is_protected), batch->lifetime_cs));
    if (unlikely(w->marks_gb))
        gb_tx_frame_mark(w, out);
    batch->has_sums |= out->nsvc->is_ipv6;
}

/* After the last segment of an N-PDU: counts it, and frees its buffer unless a frame has it. */
static void gb_tx_finish(struct worker *w, const struct gb_tx_out *out, int64_t now)
{
    struct n_pdu *n_pdu = out->grant->n_pdu;
    w->stats.npdu_out++;
    w->stats.npdu_octets_out += pool_octets(n_pdu);
    fate_out(w, ms_of(out->grant->ms), n_pdu, now);
    if (unlikely(w->trace))
        fate_trace(w, n_pdu, DROP_NONE, now);
    if (!n_pdu->is_given_away)
        rte_pktmbuf_free(pool_mbuf(n_pdu));
}

/* Prefetches the data of gb_tx_put_headers(). */
static void prefetch(const struct worker *w, const struct sched_grant *grant)
{
    const struct ms *ms = ms_of(grant->ms);
    const struct gb_bvc *bvc = gb_bvc_of(grant->ms->bvc);
    rte_prefetch0(&bvc->defaults);
    rte_prefetch0(&ms->tlli);
    rte_prefetch0(&w->context.pdps[grant->n_pdu->pdp]);
    rte_prefetch0(grant->n_pdu->data + grant->offset);
}

/* --- stages: gb_tx.h --- */

void gb_tx_put_headers(struct worker *w, struct gb_tx_batch *batch, int64_t now)
{
    struct way way = {.nse = UINT_MAX};
    for (unsigned i = 0; i < batch->count; i++) {
        if (i + AHEAD < batch->count)
            prefetch(w, &batch->grants[i + AHEAD]); /* again, as other data may have evicted it */
        batch->out[i].grant = &batch->grants[i];
        if (likely(put_plain(w, batch, i, &way, now)))
            continue;
        put_inside(w, batch, i);
        put_outside(w, batch, &batch->out[i], now);
    }
}

void gb_tx_put_llc(struct worker *w, struct gb_tx_batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++)
        put_inside(w, batch, i);
}

void gb_tx_put_bssgp(struct worker *w, struct gb_tx_batch *batch, int64_t now)
{
    for (unsigned i = 0; i < batch->count; i++)
        put_outside(w, batch, &batch->out[i], now);
}

void gb_tx_put_fcs(struct worker *w, struct gb_tx_batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++) {
        gb_tx_frame_fcs(&batch->out[i]);
        if (!batch->out[i].key)
            continue;
        struct gea_job job = gb_tx_frame_job(&batch->out[i]);
        cipher_put(&w->outbox.cipher, &job);
    }
}

void gb_tx_hand_over(struct worker *w, struct gb_tx_batch *batch, int64_t now)
{
    const bool is_left = gb_tx_frame_leaves_sums(w);
    if (unlikely((batch->has_sums && !is_left) || tap_is_on(w->tap)))
        cipher_run(&w->outbox.cipher, w->gea);
    for (unsigned i = 0; unlikely(batch->has_sums) && i < batch->count; i++)
        gb_tx_frame_sum(&batch->out[i], is_left);
    for (unsigned i = 0; unlikely(tap_is_on(w->tap)) && i < batch->count; i++)
        fate_capture(w, &batch->grants[i], batch->out[i].mbuf, now);
    for (unsigned i = 0; i < batch->count; i++) {
        port_send(&w->gb, batch->out[i].mbuf);
        if (batch->grants[i].next.last)
            gb_tx_finish(w, &batch->out[i], now);
    }
    w->stats.llc_frames += batch->count;
}

bool gb_tx_pass_acknowledged(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct gb_tx_batch *batch = &w->outbox.batch;
    struct sched_grant grants[SCHED_PASS_MAX];
    if (!gb_abm_tx_may_pass(w, ms, n_pdu, now))
        return false;
    if (batch->count + SCHED_PASS_MAX > batch->most)
        gb_tx_send(w, now);
    if (!w->outbox.is_open && !gb_tx_outbox_open(w))
        return false;
    int count = context_pass(&w->context, ms, n_pdu, grants, now);
    for (int i = 0; i < count; i++)
        gb_abm_tx_send(w, &grants[i], now);
    return count >= 0;
}

bool gb_tx_pass(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct gb_tx_batch *batch = &w->outbox.batch;
    if (batch->count + SCHED_PASS_MAX > batch->most &&
        batch->count + sched_segments(&w->context.sched, &ms->sched, n_pdu) > batch->most)
        gb_tx_send(w, now);
    if (unlikely(!w->outbox.is_open) && !gb_tx_outbox_open(w))
        return false;
    int count = context_pass(&w->context, ms, n_pdu, &batch->grants[batch->count], now);
    batch->count += count > 0 ? (unsigned)count : 0; /* 0: AQM dropped it */
    batch->passed = batch->count;
    return count >= 0;
}

void gb_tx_fill(struct worker *w, struct gb_tx_batch *batch, int64_t now)
{
    while (batch->count < batch->most && sched_pick(&w->context.sched, &batch->grants[batch->count], now)) {
        const struct sched_grant *grant = &batch->grants[batch->count];
        if (unlikely(grant->n_pdu->is_acknowledged)) {
            gb_abm_tx_send(w, grant, now);
            continue;
        }
        prefetch(w, grant);
        batch->count++;
    }
    /* The burst is full: wakes all due entries, so that they compete by share in the next burst, not by
     * wake-up time. */
    if (batch->count == batch->most)
        sched_advance(&w->context.sched, now);
}

bool gb_tx_begin(struct worker *w, int64_t now)
{
    if (w->outbox.batch.count == 0 && sched_next_ns(&w->context.sched) > now) {
        gb_tx_outbox_close(w);
        return false;
    }
    if (gb_tx_outbox_open(w))
        return true;
    sched_advance(&w->context.sched, now);
    return false;
}

/* All headers of the burst first, then the checksums: a load of octets just stored in small pieces would
 * stall. Ciphering waits for gb_tx_outbox_flush(), unless UDP's checksum over IPv6 or a capture needs its
 * output. */
unsigned gb_tx_send(struct worker *w, int64_t now)
{
    struct gb_tx_batch *batch = &w->outbox.batch;

    if (!gb_tx_begin(w, now))
        return 0;
    gb_tx_fill(w, batch, now);
    gb_tx_put_headers(w, batch, now);
    gb_tx_put_fcs(w, batch);
    gb_tx_hand_over(w, batch, now);
    unsigned count = batch->count + WORKER_BURST - batch->most;
    gb_tx_outbox_close(w);
    return count;
}
