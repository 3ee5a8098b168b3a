/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink frames, from payload to Ethernet: of users' packets and of LLC-PDUs of control. */
#include "dataplane/worker/gb_tx.h"
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

#include <limits.h>
#include <string.h>

#define AHEAD 4 /* distance of the prefetch, in frames */

/* Room on the port that users' frames leave for signalling. */
#define SIGNALLING_ROOM WORKER_BURST

/* Most octets of headers in front of a segment, of a mobile without elements and of any mobile. */
#define FRAME_PLAIN_OCTETS                                                                                   \
    (GB_HEADER_MAX_OCTETS + NS_UNITDATA_HEADER_OCTETS + BSSGP_DL_PLAIN_MAX_OCTETS +                          \
     BSSGP_DL_ALIGNMENT_MAX_OCTETS + LLC_UI_OCTETS + SNDCP_FIRST_OCTETS)
#define FRAME_MAX_OCTETS (FRAME_PLAIN_OCTETS + BSSGP_ELEMENTS_OCTETS)

static_assert((int)FRAME_MAX_OCTETS + (int)SNDCP_N201_U_MAX_OCTETS + (int)LLC_FCS_OCTETS <=
                  (int)RTE_PKTMBUF_HEADROOM + (int)POOL_DATA_OCTETS,
              "a frame fits a buffer");

/* The octet of QoS Profile behind the rates (TS 48.018 clause 11.3.28) for users' packets: not an LLC ACK,
 * data, precedence; RLC acknowledges protected LLC frames (reliability classes 3 and 5, TS 23.107). */
static inline uint8_t frame_qos(uint8_t qclass, bool is_protected)
{
    static const uint8_t qos[QCLASS_COUNT] = {
        [QCLASS_SIGNALLING] = 0x38, [QCLASS_SMS] = 0x38,        [QCLASS_CONVERSATIONAL] = 0x38,
        [QCLASS_STREAMING] = 0x38,  [QCLASS_THP1] = 0x39,       [QCLASS_THP2] = 0x39,
        [QCLASS_THP3] = 0x39,       [QCLASS_BACKGROUND] = 0x3a,
    };
    return (uint8_t)(qos[qclass] - 8 * is_protected);
}

/* The room needed around a segment of a mobile, at most. */
static inline struct pool_room frame_room(const struct worker *w, const struct ms *ms)
{
    const struct bssgp_elements *elements = context_elements_of(&w->context, ms);
    unsigned headers = FRAME_PLAIN_OCTETS + (elements ? bssgp_elements_octets(elements) : 0);
    return (struct pool_room){.before = (uint16_t)headers, .behind = LLC_FCS_OCTETS};
}

/* SNDCP header in front of the payload; the N-PDU number is assigned with the first segment. */
static inline uint8_t *frame_sndcp(struct pdp *pdp, const struct sched_grant *grant, uint8_t *payload)
{
    struct n_pdu *n_pdu = grant->n_pdu;
    if (likely(grant->segment == 0)) {
        n_pdu->number = pdp_take_number(pdp);
        payload -= SNDCP_FIRST_OCTETS;
        sndcp_first_put(payload, pdp->params.nsapi, !grant->next.last, n_pdu->number);
        return payload;
    }
    struct sndcp sndcp = {
        .n_pdu_number = n_pdu->number,
        .nsapi = pdp->params.nsapi,
        .segment = grant->segment,
        .more = !grant->next.last,
    };
    payload -= SNDCP_LATER_OCTETS;
    sndcp_encode(payload, SNDCP_LATER_OCTETS, &sndcp);
    return payload;
}

/* LLC header of the next frame of a SAPI in front of its information field; advances N(U). */
static inline void frame_llc(struct gb_tx_out *out, struct ms *ms, uint8_t sapi, bool may_cipher,
                             uint8_t *info)
{
    int index = ms_sapi_index(sapi);
    uint32_t count = llc_entity_take(&ms->llc[index]);
    struct llc llc = {
        .sapi = sapi,
        .cr = true,
        .pm = !(ms->unprotected >> index & 1),
        .e = may_cipher && ms->is_ciphered,
        .nu = llc_entity_nu(count),
    };
    out->llc = info - LLC_UI_OCTETS;
    out->is_protected = llc.pm;
    out->key = llc.e ? &ms->cipher.now : NULL;
    if (llc.e)
        out->input = llc_cipher_input(ms->cipher.now.iov_ui, sapi, count);
    llc_ui_encode(out->llc, LLC_UI_OCTETS, &llc);
}

/* BSSGP header in front of the LLC-PDU, with all elements that it may have. Returns its first octet. */
static inline uint8_t *frame_bssgp_any(const struct worker *w, const struct ms *ms,
                                       const struct gb_tx_out *out, uint8_t qos, uint16_t lifetime_cs)
{
    const struct n_pdu *n_pdu = out->grant->n_pdu; /* NULL: from control */
    struct bssgp_dl dl = {
        .tlli = ms->tlli,
        .qos_profile = {0, 0, qos}, /* rate: best effort */
        .lifetime_cs = lifetime_cs,
        .llc_octets = out->grant->next.llc_octets,
        .imsi_octets = ms->imsi_octets,
        .imsi = ms->imsi,
        .has_tlli_old = ms->tells_tlli_old,
        .is_aligned = w->context.unitdata.is_aligned,
        .elements = context_elements_of(&w->context, ms),
        .has_pfi = n_pdu && n_pdu->pfi != N_PDU_NO_PFI,
        .pfi = n_pdu ? n_pdu->pfi : 0,
    };
    if (dl.has_tlli_old)
        dl.tlli_old = ms->tlli_old; /* in a cache line of which nothing else is read */
    uint8_t *at = out->llc - bssgp_dl_unitdata_header_octets(&dl);
    bssgp_dl_unitdata_encode_header(at, BSSGP_DL_HEADER_MAX_OCTETS, &dl);
    return at;
}

static inline bool frame_is_common(const struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu)
{
    return (ms->imsi_octets == 0 || ms->imsi_octets == BSSGP_DL_COMMON_IMSI_OCTETS) && !ms->tells_tlli_old &&
           !ms->has_elements && !w->context.unitdata.is_aligned && (!n_pdu || n_pdu->pfi == N_PDU_NO_PFI);
}

/* BSSGP and NS headers in front of the LLC-PDU. Returns the NS PDU's first octet. */
static inline uint8_t *frame_bssgp(const struct worker *w, const struct ms *ms, const struct gb_tx_out *out,
                                   uint8_t qos, uint16_t lifetime_cs)
{
    uint8_t *at;
    if (likely(frame_is_common(w, ms, out->grant->n_pdu))) {
        const struct bssgp_dl_common dl = {.tlli = ms->tlli,
                                           .qos = qos,
                                           .has_imsi = ms->imsi_octets > 0,
                                           .lifetime_cs = lifetime_cs,
                                           .llc_octets = out->grant->next.llc_octets,
                                           .imsi = ms->imsi};
        at = out->llc - bssgp_dl_common_octets(&dl);
        bssgp_dl_common_put(at, &dl);
    } else {
        at = frame_bssgp_any(w, ms, out, qos, lifetime_cs);
    }
    at -= NS_UNITDATA_HEADER_OCTETS;
    ns_unitdata_header_put(at, w->context.bvcs[ms->bvc].bvci);
    return at;
}

/* Transport headers in front of the NS PDU, which ends with the LLC-PDU; the buffer's data is the frame. */
static inline void frame_transport(struct gb_tx_out *out, uint8_t *ns)
{
    unsigned octets = (unsigned)(out->llc + out->grant->next.llc_octets - ns);
    uint8_t *frame = gb_transport_put(out->nsvc, ns, octets);

    out->mbuf->data_off = (uint16_t)(frame - (uint8_t *)out->mbuf->buf_addr);
    out->mbuf->data_len = (uint16_t)(octets + out->nsvc->header_octets);
    out->mbuf->pkt_len = out->mbuf->data_len;
}

static inline void frame_sum(const struct gb_tx_out *out)
{
    if (out->nsvc->is_ipv6)
        gb_transport_sum(rte_pktmbuf_mtod(out->mbuf, uint8_t *), rte_pktmbuf_data_len(out->mbuf));
}

static inline void frame_fcs(const struct gb_tx_out *out)
{
    unsigned info_octets = out->grant->next.llc_octets - LLC_UI_OCTETS - LLC_FCS_OCTETS;
    size_t covered = llc_fcs_covered_octets(LLC_UI_OCTETS, info_octets, out->is_protected);
    llc_fcs_put(out->llc + LLC_UI_OCTETS + info_octets, llc_fcs(out->llc, covered));
}

/* The job of a frame that has a key: information field and FCS are ciphered (TS 44.064 annex A). */
static inline struct gea_job frame_job(const struct gb_tx_out *out)
{
    uint16_t octets = (uint16_t)(out->grant->next.llc_octets - LLC_UI_OCTETS);
    return (struct gea_job){.key = out->key->key,
                            .data = out->llc + LLC_UI_OCTETS,
                            .input = out->input,
                            .octets = octets,
                            .direction = GEA_DOWNLINK};
}

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
    return dl_frame_sndcp(pdp->params.nsapi, !grant->next.last, grant->segment, n_pdu->number);
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
                             .qos = frame_qos(grant->n_pdu->qclass, out->is_protected),
                             .is_first = grant->segment == 0};
    set_frame(out, way->nsvc, dl_frame_put(&plain, payload));
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
    uint8_t *payload = settle_payload(batch, i, frame_room(w, ms));
    frame_llc(out, ms, pdp->params.sapi, true, frame_sndcp(pdp, out->grant, payload));
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
    frame_transport(out,
                    frame_bssgp(w, ms, out, frame_qos(n_pdu->qclass, out->is_protected), batch->lifetime_cs));
    batch->has_sums |= out->nsvc->is_ipv6;
}

/* After the last segment of an N-PDU: counts it, and frees its buffer unless a frame has it. */
static void finish(struct worker *w, const struct gb_tx_out *out, int64_t now)
{
    struct n_pdu *n_pdu = out->grant->n_pdu;
    w->stats.npdu_out++;
    w->stats.npdu_octets_out += n_pdu->octets;
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
        frame_fcs(&batch->out[i]);
        if (!batch->out[i].key)
            continue;
        struct gea_job job = frame_job(&batch->out[i]);
        cipher_put(&w->outbox.cipher, &job);
    }
}

void gb_tx_hand_over(struct worker *w, struct gb_tx_batch *batch, int64_t now)
{
    if (unlikely(batch->has_sums || tap_is_on(w->tap)))
        cipher_run(&w->outbox.cipher, w->gea);
    for (unsigned i = 0; unlikely(batch->has_sums) && i < batch->count; i++)
        frame_sum(&batch->out[i]);
    for (unsigned i = 0; unlikely(tap_is_on(w->tap)) && i < batch->count; i++)
        fate_capture(w, &batch->grants[i], batch->out[i].mbuf, now);
    for (unsigned i = 0; i < batch->count; i++) {
        port_send(&w->gb, batch->out[i].mbuf);
        if (batch->grants[i].next.last)
            finish(w, &batch->out[i], now);
    }
    w->stats.llc_frames += batch->count;
}

/* Fills up the spare buffers to a burst. Most N-PDUs need none, and unused ones are kept. */
static bool fill_spare(struct worker *w, struct gb_tx_batch *batch)
{
    unsigned missing = WORKER_BURST - batch->spare_count;
    if (missing > 0 && rte_pktmbuf_alloc_bulk(w->tx_pool, batch->spare + batch->spare_count, missing) != 0)
        return false;
    batch->spare_count = WORKER_BURST;
    return true;
}

unsigned gb_tx_flush(struct worker *w)
{
    cipher_run(&w->outbox.cipher, w->gea);
    return port_flush(&w->gb);
}

bool gb_tx_needs_flush(const struct worker *w)
{
    return !w->outbox.is_open && port_room(&w->gb) < WORKER_BURST + SIGNALLING_ROOM;
}

bool gb_tx_open(struct worker *w)
{
    struct gb_tx_outbox *outbox = &w->outbox;
    struct gb_tx_batch *batch = &outbox->batch;
    if (outbox->is_open)
        return true;
    if (gb_tx_needs_flush(w))
        gb_tx_flush(w);
    outbox->is_open = port_room(&w->gb) >= WORKER_BURST + SIGNALLING_ROOM && fill_spare(w, batch);
    if (!outbox->is_open)
        return false;
    batch->count = batch->passed = 0;
    batch->has_sums = false;
    batch->age_ns = 0;
    batch->lifetime_cs = lifetime_pdu_cs(&w->context.lifetime, 0);
    return true;
}

void gb_tx_close(struct worker *w)
{
    w->outbox.is_open = false;
    w->outbox.batch.count = 0;
}

void gb_tx_rest(struct worker *w)
{
    struct gb_tx_batch *batch = &w->outbox.batch;
    if (batch->spare_count > 0) /* often 0 in an idle worker */
        rte_pktmbuf_free_bulk(batch->spare, batch->spare_count);
    batch->spare_count = 0;
}

bool gb_tx_pass(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct gb_tx_batch *batch = &w->outbox.batch;
    if (batch->count + SCHED_PASS_MAX > WORKER_BURST &&
        batch->count + sched_segments(&w->context.sched, &ms->sched, n_pdu->octets) > WORKER_BURST)
        gb_tx_send(w, now);
    if (unlikely(!w->outbox.is_open) && !gb_tx_open(w))
        return false;
    int count = context_pass(&w->context, ms, n_pdu, &batch->grants[batch->count], now);
    batch->count += count > 0 ? (unsigned)count : 0; /* 0: AQM dropped it */
    batch->passed = batch->count;
    return count >= 0;
}

void gb_tx_fill(struct worker *w, struct gb_tx_batch *batch, int64_t now)
{
    while (batch->count < WORKER_BURST && sched_pick(&w->context.sched, &batch->grants[batch->count], now))
        prefetch(w, &batch->grants[batch->count++]);
    /* The burst is full: wakes all due entries, so that they compete by share in the next burst, not by
     * wake-up time. */
    if (batch->count == WORKER_BURST)
        sched_advance(&w->context.sched, now);
}

bool gb_tx_begin(struct worker *w, int64_t now)
{
    if (w->outbox.batch.count == 0 && sched_next_ns(&w->context.sched) > now) {
        gb_tx_close(w);
        return false;
    }
    if (gb_tx_open(w))
        return true;
    sched_advance(&w->context.sched, now);
    return false;
}

/* All headers of the burst first, then the checksums: a load of octets just stored in small pieces would
 * stall. Ciphering waits for gb_tx_flush(), unless UDP's checksum over IPv6 or a capture needs its output. */
unsigned gb_tx_send(struct worker *w, int64_t now)
{
    struct gb_tx_batch *batch = &w->outbox.batch;

    if (!gb_tx_begin(w, now))
        return 0;
    gb_tx_fill(w, batch, now);
    gb_tx_put_headers(w, batch, now);
    gb_tx_put_fcs(w, batch);
    gb_tx_hand_over(w, batch, now);
    unsigned count = batch->count;
    gb_tx_close(w);
    return count;
}

#define QOS_SIGNALLING 0x20 /* as frame_qos(): not an LLC ACK, signalling, acknowledged, high precedence */

/* Octets of an order's LLC-PDU; 0: the order is invalid. */
static uint16_t order_octets(const struct msg *msg)
{
    bool is_ui = msg->type == MSG_LLC_UI;
    uint32_t octets = rte_pktmbuf_data_len(msg->mbuf) + (is_ui ? LLC_UI_OCTETS : 0);
    if (is_ui && ms_sapi_index(msg->llc.sapi) < 0)
        return 0;
    return octets > LLC_UI_OCTETS + SNDCP_N201_U_MAX_OCTETS ? 0 : (uint16_t)(octets + LLC_FCS_OCTETS);
}

/* Makes the LLC-PDU of an order, with FCS and ciphering. */
static void put_order(const struct worker *w, struct ms *ms, const struct msg *msg, struct gb_tx_out *out)
{
    uint8_t *bytes = rte_pktmbuf_mtod(msg->mbuf, uint8_t *);
    uint16_t octets = rte_pktmbuf_data_len(msg->mbuf);

    if (msg->type == MSG_LLC_FRAME) {
        out->llc = bytes;
        llc_fcs_put(bytes + octets, llc_fcs(bytes, octets));
        return;
    }
    frame_llc(out, ms, msg->llc.sapi, msg->llc.is_ciphered, bytes);
    frame_fcs(out);
    if (out->key) {
        struct gea_job job = frame_job(out);
        gea_cipher_burst(w->gea, &job, 1);
    }
}

/* The mobile that an order is to, if its cell can be sent to. */
static struct ms *reach(struct worker *w, uint32_t index, struct gb_tx_out *out)
{
    struct context *c = &w->context;
    struct ms *ms = &c->mobiles[index];
    const struct gb_bvc *bvc = &c->bvcs[ms->bvc];
    int nsvc = bvc->unblocked && bvc->flow_known ? context_nsvc_for(c, bvc, index) : -1;
    out->nsvc = &c->nsvcs[nsvc < 0 ? 0 : nsvc];
    return nsvc < 0 ? NULL : ms;
}

/*
 * An LLC-PDU goes before all users' packets; takes the buffer over. -1: no such SAPI, too long, no room
 * around it, its cell cannot be sent to, or too much signalling before it is still in the mobile's or the
 * cell's bucket, which count it, too.
 */
int gb_tx_send_order(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    uint16_t octets = order_octets(msg);
    const struct sched_grant grant = {.next.llc_octets = octets};
    struct gb_tx_out out = {.grant = &grant, .mbuf = msg->mbuf};
    struct context *c = &w->context;
    struct ms *ms = reach(w, index, &out);

    if (!ms || octets == 0 || !context_ms_can_signal(c, ms, octets, now) ||
        !pool_make_room(msg->mbuf, frame_room(w, ms))) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    put_order(w, ms, msg, &out);
    uint8_t qos = msg->llc.sapi == LLC_SAPI_SMS ? frame_qos(QCLASS_SMS, out.is_protected) : QOS_SIGNALLING;
    frame_transport(&out, frame_bssgp(w, ms, &out, qos, lifetime_pdu_cs(&c->lifetime, 0)));
    frame_sum(&out);
    uint32_t ns_octets = rte_pktmbuf_data_len(out.mbuf) - out.nsvc->header_octets;
    if (signalling_send(w, &c->nses[c->bvcs[ms->bvc].nse], out.mbuf, ns_octets, now) < 0)
        return -1;
    context_ms_signal(ms, octets, now);
    w->stats.llc_orders++;
    return 0;
}
