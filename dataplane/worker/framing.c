/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/framing.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/worker/cipher.h"
#include "dataplane/worker/downlink.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/worker.h"

#include <string.h>

#define AHEAD    4 /* frames whose headers are made next */
#define RETRY_NS 10000

#define QOS_SIGNALLING 0x20 /* as qos_of(): not an LLC ACK, signalling, acknowledged, high precedence */

/* Room on the port that users' frames leave to signalling. */
#define SIGNALLING_ROOM WORKER_BURST

/* Longest run of headers in front of a segment of a mobile without elements, and of any. */
#define PLAIN_HEADERS_OCTETS                                                                                 \
    (GB_HEADER_MAX_OCTETS + NS_UNITDATA_HEADER_OCTETS + BSSGP_DL_PLAIN_MAX_OCTETS +                          \
     BSSGP_DL_ALIGNMENT_MAX_OCTETS + LLC_UI_OCTETS + SNDCP_FIRST_OCTETS)
#define HEADERS_MAX_OCTETS (PLAIN_HEADERS_OCTETS + BSSGP_ELEMENTS_OCTETS)

static_assert((int)HEADERS_MAX_OCTETS + (int)SNDCP_N201_U_MAX_OCTETS + (int)LLC_FCS_OCTETS <=
                  (int)RTE_PKTMBUF_HEADROOM + (int)POOL_DATA_OCTETS,
              "a frame fits a buffer");

/* One LLC-PDU on its way from grant to frame. */
struct outgoing {
    struct sched_grant grant;
    struct rte_mbuf *mbuf;
    struct gb_nsvc *nsvc;
    uint8_t *llc;              /* its first octet; llc_octets from the grant, FCS last */
    const struct llc_key *key; /* NULL: stays in clear */
    uint32_t input;            /* of the cipher */
    bool is_protected;
};

/* Grants of one burst and the buffers that segments are copied to. */
struct batch {
    unsigned count, spare_count;
    bool has_sums; /* to be written over IPv6 */
    struct outgoing out[WORKER_BURST];
    struct rte_mbuf **spare;
    struct cipher cipher;
};

/* The octet of QoS Profile behind the rates (TS 48.018 clause 11.3.28) for users' packets: not an LLC ACK,
 * data, precedence; RLC acknowledges what LLC protects (reliability classes 3 and 5, TS 23.107). */
static uint8_t qos_of(uint8_t qclass, bool is_protected)
{
    uint8_t precedence = qclass <= QCLASS_STREAMING ? 0 : qclass == QCLASS_BACKGROUND ? 2 : 1;
    return (is_protected ? 0x30 : 0x38) | precedence;
}

/* What goes around a segment of a mobile, at most. */
static struct pool_room room_for(const struct worker *w, const struct ms *ms)
{
    const struct bssgp_elements *elements = context_elements_of(&w->context, ms);
    unsigned headers = PLAIN_HEADERS_OCTETS + (elements ? bssgp_elements_octets(elements) : 0);
    return (struct pool_room){.before = (uint16_t)headers, .behind = LLC_FCS_OCTETS};
}

/* Where the segment will be framed: the last one of an N-PDU in the buffer it came in, which then goes with
 * it; the others, and one without room around it, as copies. */
static uint8_t *settle_payload(struct batch *batch, struct outgoing *out, struct pool_room room)
{
    struct n_pdu *n_pdu = out->grant.n_pdu;
    struct rte_mbuf *own = pool_mbuf(n_pdu);
    uint8_t *payload = n_pdu->data + out->grant.offset;
    uint16_t octets = out->grant.next.payload_octets;

    if (out->grant.next.last && pool_has_room(own, payload, octets, room)) {
        out->mbuf = own;
        return payload;
    }
    out->mbuf = batch->spare[--batch->spare_count];
    uint8_t *copy = (uint8_t *)out->mbuf->buf_addr + room.before;
    memcpy(copy, payload, octets);
    return copy;
}

/* SNDCP header in front of the payload; the N-PDU's number is taken with its first segment. */
static uint8_t *put_sndcp(struct pdp *pdp, const struct sched_grant *grant, uint8_t *payload)
{
    struct n_pdu *n_pdu = grant->n_pdu;
    if (grant->segment == 0)
        n_pdu->number = pdp_take_number(pdp);
    struct sndcp sndcp = {
        .n_pdu_number = n_pdu->number,
        .nsapi = pdp->params.nsapi,
        .segment = grant->segment,
        .first = grant->segment == 0,
        .more = !grant->next.last,
    };
    payload -= sndcp.first ? SNDCP_FIRST_OCTETS : SNDCP_LATER_OCTETS;
    sndcp_encode(payload, SNDCP_FIRST_OCTETS, &sndcp);
    return payload;
}

/* LLC header of the next frame of a SAPI in front of its information; takes N(U). */
static void put_llc(struct outgoing *out, struct ms *ms, uint8_t sapi, bool may_cipher, uint8_t *info)
{
    int index = ms_sapi_index(sapi);
    uint32_t count = llc_entity_take(&ms->llc[index]);
    struct llc llc = {
        .sapi = sapi,
        .cr = true,
        .pm = !(ms->unprotected >> index & 1),
        .e = may_cipher && llc_cipher_is_on(&ms->cipher),
        .nu = llc_entity_nu(count),
    };
    out->llc = info - LLC_UI_OCTETS;
    out->is_protected = llc.pm;
    out->key = llc.e ? &ms->cipher.now : NULL;
    out->input = llc_cipher_input(ms->cipher.now.iov_ui, sapi, count);
    llc_ui_encode(out->llc, LLC_UI_OCTETS, &llc);
}

/* BSSGP and NS headers in front of the LLC-PDU. Returns the NS PDU's first octet. */
static uint8_t *put_bssgp(const struct worker *w, const struct ms *ms, const struct outgoing *out,
                          uint8_t qos, uint16_t lifetime_cs)
{
    const struct n_pdu *n_pdu = out->grant.n_pdu; /* NULL: control sends it */
    struct bssgp_dl dl = {
        .tlli = ms->tlli,
        .qos_profile = {0, 0, qos}, /* rate: best effort */
        .lifetime_cs = lifetime_cs,
        .llc_octets = out->grant.next.llc_octets,
        .imsi_octets = ms->imsi_octets,
        .imsi = ms->imsi,
        .has_tlli_old = ms->tells_tlli_old,
        .is_aligned = w->context.unitdata.is_aligned,
        .elements = context_elements_of(&w->context, ms),
        .has_pfi = n_pdu && n_pdu->pfi != N_PDU_NO_PFI,
        .pfi = n_pdu ? n_pdu->pfi : 0,
    };
    if (dl.has_tlli_old)
        dl.tlli_old = ms->tlli_old; /* in a line of the cache that nothing else asks for */
    uint8_t *at = out->llc - bssgp_dl_unitdata_header_octets(&dl);
    bssgp_dl_unitdata_encode_header(at, BSSGP_DL_HEADER_MAX_OCTETS, &dl);
    at -= NS_UNITDATA_HEADER_OCTETS;
    ns_unitdata_header_put(at, w->context.bvcs[ms->bvc].bvci);
    return at;
}

/* Transport headers in front of the NS PDU that ends where the LLC-PDU does; makes it the buffer's data. */
static void put_transport(struct outgoing *out, uint8_t *ns)
{
    unsigned octets = (unsigned)(out->llc + out->grant.next.llc_octets - ns);
    uint8_t *frame = gb_transport_put(out->nsvc, ns, octets);

    out->mbuf->data_off = (uint16_t)(frame - (uint8_t *)out->mbuf->buf_addr);
    out->mbuf->data_len = (uint16_t)(octets + out->nsvc->header_octets);
    out->mbuf->pkt_len = out->mbuf->data_len;
}

static void put_headers(struct worker *w, struct batch *batch, struct outgoing *out, int64_t now)
{
    const struct n_pdu *n_pdu = out->grant.n_pdu;
    struct pdp *pdp = &w->context.pdps[n_pdu->pdp];
    struct ms *ms = ms_of(out->grant.ms);
    int nsvc = context_nsvc_for(&w->context, &w->context.bvcs[ms->bvc], (uint32_t)(ms - w->context.mobiles));
    uint16_t lifetime_cs = lifetime_pdu_cs(&w->context.lifetime, now - n_pdu->arrival_ns);

    out->nsvc = &w->context.nsvcs[nsvc];
    uint8_t *payload = settle_payload(batch, out, room_for(w, ms));
    put_llc(out, ms, pdp->params.sapi, true, put_sndcp(pdp, &out->grant, payload));
    put_transport(out, put_bssgp(w, ms, out, qos_of(n_pdu->qclass, out->is_protected), lifetime_cs));
    batch->has_sums |= out->nsvc->is_ipv6;
}

static void put_sum(const struct outgoing *out)
{
    if (out->nsvc->is_ipv6)
        gb_transport_sum(rte_pktmbuf_mtod(out->mbuf, uint8_t *), rte_pktmbuf_data_len(out->mbuf));
}

static void put_fcs(const struct outgoing *out)
{
    unsigned info_octets = out->grant.next.llc_octets - LLC_UI_OCTETS - LLC_FCS_OCTETS;
    size_t covered = llc_fcs_covered_octets(LLC_UI_OCTETS, info_octets, out->is_protected);
    llc_fcs_put(out->llc + LLC_UI_OCTETS + info_octets, llc_fcs(out->llc, covered));
}

/* Information and FCS are ciphered (TS 44.064 annex A). */
static void put_cipher(struct cipher *cipher, const struct outgoing *out)
{
    if (!out->key)
        return;
    cipher_put(cipher, &(struct gea_job){
                           .key = out->key->key,
                           .data = out->llc + LLC_UI_OCTETS,
                           .input = out->input,
                           .octets = (uint16_t)(out->grant.next.llc_octets - LLC_UI_OCTETS),
                           .direction = GEA_DOWNLINK,
                       });
}

/* The N-PDU is through: count it, and give its buffer back unless the last frame lies in it. */
static void finish(struct worker *w, const struct outgoing *out, int64_t now)
{
    struct n_pdu *n_pdu = out->grant.n_pdu;
    w->stats.npdu_out++;
    w->stats.npdu_octets_out += n_pdu->octets;
    downlink_trace(w, n_pdu, DROP_NONE, now);
    if (out->mbuf != pool_mbuf(n_pdu))
        rte_pktmbuf_free(pool_mbuf(n_pdu));
}

/* What put_headers() will ask for. */
static void prefetch(const struct worker *w, const struct sched_grant *grant)
{
    const struct ms *ms = ms_of(grant->ms);
    const struct gb_bvc *bvc = gb_bvc_of(grant->ms->bvc);
    rte_prefetch0(&bvc->defaults);
    rte_prefetch0(&ms->tlli);
    rte_prefetch0(&ms->cipher);
    rte_prefetch0(&w->context.pdps[grant->n_pdu->pdp]);
    rte_prefetch0(grant->n_pdu->data + grant->offset);
}

/* Headers of the whole burst first, then its checksums: a load of octets just stored in small pieces would
 * stall. The cipher takes the burst side by side; UDP's checksum over IPv6 covers what it leaves. */
static void frame(struct worker *w, struct batch *batch, int64_t now)
{
    for (unsigned i = 0; i < batch->count; i++) {
        if (i + AHEAD < batch->count)
            prefetch(w, &batch->out[i + AHEAD].grant); /* others' lines may have driven it out */
        put_headers(w, batch, &batch->out[i], now);
    }
    for (unsigned i = 0; i < batch->count; i++) {
        put_fcs(&batch->out[i]);
        put_cipher(&batch->cipher, &batch->out[i]);
    }
    cipher_run(&batch->cipher, w->gea);
    for (unsigned i = 0; unlikely(batch->has_sums) && i < batch->count; i++)
        put_sum(&batch->out[i]);
    for (unsigned i = 0; unlikely(tap_is_on(w->tap)) && i < batch->count; i++)
        downlink_capture(w, &batch->out[i].grant, batch->out[i].mbuf, now);
    for (unsigned i = 0; i < batch->count; i++) {
        port_send(&w->gb, batch->out[i].mbuf);
        if (batch->out[i].grant.next.last)
            finish(w, &batch->out[i], now);
    }
    w->stats.llc_frames += batch->count;
}

/* Makes sure that a burst can be sent. */
static bool open_outbox(struct worker *w)
{
    struct framing_outbox *outbox = &w->outbox;
    if (!outbox->is_open && port_room(&w->gb) < WORKER_BURST + SIGNALLING_ROOM)
        port_flush(&w->gb);
    if (!outbox->is_open)
        outbox->is_open = port_room(&w->gb) >= WORKER_BURST + SIGNALLING_ROOM &&
                          rte_pktmbuf_alloc_bulk(w->tx_pool, outbox->spare, WORKER_BURST) == 0;
    return outbox->is_open;
}

static void close_outbox(struct framing_outbox *outbox, unsigned spare_count)
{
    if (outbox->is_open)
        rte_pktmbuf_free_bulk(outbox->spare, spare_count);
    outbox->is_open = false;
    outbox->count = 0;
}

bool framing_pass(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct framing_outbox *outbox = &w->outbox;
    if (outbox->count + sched_segments(&w->context.sched, &ms->sched, n_pdu->octets) > WORKER_BURST)
        framing_send(w, now);
    if (!open_outbox(w))
        return false;
    int count = context_pass(&w->context, ms, n_pdu, &outbox->grants[outbox->count], now);
    outbox->count += count > 0 ? (unsigned)count : 0; /* 0: AQM dropped it */
    return count >= 0;
}

/* What took the short way, and what the scheduler picks. */
static void fill(struct worker *w, struct batch *batch, int64_t now)
{
    for (; batch->count < w->outbox.count; batch->count++)
        batch->out[batch->count].grant = w->outbox.grants[batch->count];
    while (batch->count < WORKER_BURST && sched_pick(&w->context.sched, &batch->out[batch->count].grant, now))
        prefetch(w, &batch->out[batch->count++].grant);
    /* What is due and stays behind takes its turn by its share, not by its time. */
    if (batch->count == WORKER_BURST)
        sched_advance(&w->context.sched, now);
}

unsigned framing_send(struct worker *w, int64_t now)
{
    struct batch batch;

    if (w->outbox.count == 0 && sched_next_ns(&w->context.sched) > now) {
        close_outbox(&w->outbox, WORKER_BURST);
        return 0;
    }
    if (!open_outbox(w)) {
        sched_advance(&w->context.sched, now);
        return 0;
    }
    batch.count = batch.cipher.count = 0;
    batch.has_sums = false;
    batch.spare_count = WORKER_BURST;
    batch.spare = w->outbox.spare;
    fill(w, &batch, now);
    frame(w, &batch, now);
    close_outbox(&w->outbox, batch.spare_count);
    return batch.count;
}

/* --- what control sends --- */

/* Octets of the LLC-PDU that an order makes; 0: none is to be made. */
static uint16_t order_octets(const struct msg *msg)
{
    uint32_t octets = rte_pktmbuf_data_len(msg->mbuf);
    bool is_ui = msg->type == MSG_LLC_UI;
    if (is_ui && (msg->id > UINT8_MAX || ms_sapi_index((uint8_t)msg->id) < 0))
        return 0;
    octets += is_ui ? LLC_UI_OCTETS : 0;
    return octets > LLC_UI_OCTETS + SNDCP_N201_U_MAX_OCTETS ? 0 : (uint16_t)(octets + LLC_FCS_OCTETS);
}

/* The LLC-PDU of an order, FCS and cipher included. */
static void put_order(const struct worker *w, struct ms *ms, const struct msg *msg, struct outgoing *out)
{
    uint8_t *bytes = rte_pktmbuf_mtod(msg->mbuf, uint8_t *);
    uint16_t octets = rte_pktmbuf_data_len(msg->mbuf);
    struct cipher cipher = {.count = 0};
    if (msg->type == MSG_LLC_FRAME) {
        out->llc = bytes;
        llc_fcs_put(bytes + octets, llc_fcs(bytes, octets));
        return;
    }
    put_llc(out, ms, (uint8_t)msg->id, msg->flag, bytes);
    put_fcs(out);
    put_cipher(&cipher, out);
    cipher_run(&cipher, w->gea);
}

/* The mobile that an order is to, if its cell can be sent to. */
static struct ms *reach(struct worker *w, const struct msg *msg, struct outgoing *out)
{
    struct context *c = &w->context;
    if (msg->index >= c->limits.mobiles || !c->mobiles[msg->index].in_use)
        return NULL;
    struct ms *ms = &c->mobiles[msg->index];
    const struct gb_bvc *bvc = &c->bvcs[ms->bvc];
    int nsvc = bvc->unblocked && bvc->flow_known ? context_nsvc_for(c, bvc, msg->index) : -1;
    out->nsvc = &c->nsvcs[nsvc < 0 ? 0 : nsvc];
    return nsvc < 0 ? NULL : ms;
}

int framing_send_order(struct worker *w, const struct msg *msg, int64_t now)
{
    struct outgoing out = {.mbuf = msg->mbuf};
    struct context *c = &w->context;
    struct ms *ms = reach(w, msg, &out);
    uint16_t octets = order_octets(msg);

    if (!ms || octets == 0 || !context_ms_can_signal(c, ms, octets, now) ||
        !pool_make_room(msg->mbuf, room_for(w, ms))) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    out.grant.next.llc_octets = octets;
    put_order(w, ms, msg, &out);
    put_transport(&out, put_bssgp(w, ms, &out, QOS_SIGNALLING, lifetime_pdu_cs(&c->lifetime, 0)));
    put_sum(&out);
    uint32_t ns_octets = rte_pktmbuf_data_len(out.mbuf) - out.nsvc->header_octets;
    if (signalling_send(w, &c->nses[c->bvcs[ms->bvc].nse], out.mbuf, ns_octets, now) < 0)
        return -1;
    context_ms_signal(ms, octets, now);
    w->stats.llc_orders++;
    return 0;
}

int64_t framing_next_ns(const struct worker *w, int64_t now)
{
    int64_t next_ns = sched_next_ns(&w->context.sched);
    if (next_ns <= now)
        return now + RETRY_NS;
    if (w->gb.pending_count > 0 || w->gn.pending_count > 0)
        return moment_min(next_ns, now + RETRY_NS);
    return next_ns;
}
