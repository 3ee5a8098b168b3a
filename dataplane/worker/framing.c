/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/framing.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/downlink.h"
#include "dataplane/worker/worker.h"

#include <string.h>

#define RETRY_NS 10000

/* Room on the port that users' frames leave to signalling. */
#define SIGNALLING_ROOM WORKER_BURST

/* Longest run of headers in front of a segment. */
#define HEADERS_MAX_OCTETS                                                                                   \
    (GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS + BSSGP_DL_HEADER_MAX_OCTETS + LLC_UI_OCTETS +             \
     SNDCP_FIRST_OCTETS)

/* One LLC-PDU on its way from grant to frame. */
struct outgoing {
    struct sched_grant grant;
    struct rte_mbuf *mbuf;
    struct gb_nsvc *nsvc;
    uint8_t *llc; /* its first octet; llc_octets from the grant, FCS last */
};

/* Grants of one burst and the buffers that segments are copied to. */
struct batch {
    unsigned count, spare_count;
    struct outgoing out[WORKER_BURST];
    struct rte_mbuf *spare[WORKER_BURST];
};

/* QoS Profile (TS 48.018 clause 11.3.28): best effort rate, not an LLC ACK, data, RLC acknowledged, and
 * precedence. */
static void put_qos(uint8_t *profile, uint8_t qclass)
{
    uint8_t precedence = qclass <= QCLASS_STREAMING ? 0 : qclass == QCLASS_BACKGROUND ? 2 : 1;
    profile[0] = profile[1] = 0;
    profile[2] = 0x30 | precedence;
}

/* Whether headers and FCS fit around the segment where it lies. */
static bool has_room_in_place(const struct rte_mbuf *mbuf, const uint8_t *payload, uint16_t octets)
{
    const uint8_t *begin = mbuf->buf_addr, *end = begin + mbuf->buf_len;
    return payload - begin >= HEADERS_MAX_OCTETS && end - (payload + octets) >= LLC_FCS_OCTETS;
}

/*
 * Where the segment will be framed: the last one of an N-PDU in the buffer it came in, which then goes with
 * it; the others, and one without room around it, as copies.
 */
static uint8_t *settle_payload(struct batch *batch, struct outgoing *out)
{
    struct n_pdu *n_pdu = out->grant.n_pdu;
    struct rte_mbuf *own = pool_mbuf(n_pdu);
    uint8_t *payload = n_pdu->data + out->grant.offset;
    uint16_t octets = out->grant.next.payload_octets;

    if (out->grant.next.last && has_room_in_place(own, payload, octets)) {
        out->mbuf = own;
        return payload;
    }
    out->mbuf = batch->spare[--batch->spare_count];
    uint8_t *copy = (uint8_t *)out->mbuf->buf_addr + HEADERS_MAX_OCTETS;
    memcpy(copy, payload, octets);
    return copy;
}

/* SNDCP and LLC headers in front of the payload; numbers are taken here. Returns the LLC-PDU's first octet.
 */
static uint8_t *put_llc(struct ms *ms, struct pdp *pdp, const struct sched_grant *grant, uint8_t *payload)
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
    struct llc llc = {
        .sapi = pdp->params.sapi,
        .cr = true,
        .pm = true,
        .nu = llc_entity_take_nu(&ms->llc[ms_sapi_index(pdp->params.sapi)]),
    };
    payload -= sndcp.first ? SNDCP_FIRST_OCTETS : SNDCP_LATER_OCTETS;
    sndcp_encode(payload, SNDCP_FIRST_OCTETS, &sndcp);
    payload -= LLC_UI_OCTETS;
    llc_ui_encode(payload, LLC_UI_OCTETS, &llc);
    return payload;
}

/* BSSGP and NS headers in front of the LLC-PDU. Returns the NS PDU's first octet. */
static uint8_t *put_bssgp(const struct worker *w, const struct ms *ms, const struct outgoing *out,
                          int64_t now)
{
    struct bssgp_dl dl = {
        .tlli = ms->tlli,
        .lifetime_cs = lifetime_pdu_cs(&w->context.lifetime, now - out->grant.n_pdu->arrival_ns),
        .llc_octets = out->grant.next.llc_octets,
        .imsi_octets = ms->imsi_octets,
        .imsi = ms->imsi,
    };
    put_qos(dl.qos_profile, out->grant.n_pdu->qclass);
    uint8_t *at = out->llc - bssgp_dl_unitdata_header_octets(&dl);
    bssgp_dl_unitdata_encode_header(at, BSSGP_DL_HEADER_MAX_OCTETS, &dl);
    at -= NS_UNITDATA_HEADER_OCTETS;
    ns_unitdata_header_put(at, w->context.bvcs[ms->bvc].bvci);
    return at;
}

void framing_put_transport(struct gb_nsvc *nsvc, uint8_t *frame, unsigned ns_octets)
{
    uint8_t *ip = frame + ETHER_OCTETS, *udp = ip + IPV4_OCTETS;

    memcpy(frame, nsvc->header, GB_HEADER_OCTETS);
    bytes_put_u16(udp + 4, (uint16_t)(ns_octets + UDP_OCTETS));
    bytes_put_u16(ip + 2, (uint16_t)(ns_octets + UDP_OCTETS + IPV4_OCTETS));
    bytes_put_u16(ip + 4, nsvc->ip_id++);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, IPV4_OCTETS));
}

/* Transport headers in front of the NS PDU that ends where the LLC-PDU does; makes it the buffer's data. */
static void put_transport(struct outgoing *out, uint8_t *ns)
{
    unsigned octets = (unsigned)(out->llc + out->grant.next.llc_octets - ns);
    uint8_t *frame = ns - GB_HEADER_OCTETS;

    framing_put_transport(out->nsvc, frame, octets);
    out->mbuf->data_off = (uint16_t)(frame - (uint8_t *)out->mbuf->buf_addr);
    out->mbuf->data_len = (uint16_t)(octets + GB_HEADER_OCTETS);
    out->mbuf->pkt_len = out->mbuf->data_len;
}

static void put_headers(struct worker *w, struct batch *batch, struct outgoing *out, int64_t now)
{
    struct pdp *pdp = &w->context.pdps[out->grant.n_pdu->pdp];
    struct ms *ms = &w->context.mobiles[pdp->params.ms];
    int nsvc = context_nsvc_for(&w->context, &w->context.bvcs[ms->bvc], pdp->params.ms);

    out->nsvc = &w->context.nsvcs[nsvc];
    out->llc = put_llc(ms, pdp, &out->grant, settle_payload(batch, out));
    put_transport(out, put_bssgp(w, ms, out, now));
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

/* Headers of the whole burst first, then its checksums: a load of octets just stored in small pieces would
 * stall. */
static void frame(struct worker *w, struct batch *batch, int64_t now)
{
    for (unsigned i = 0; i < batch->count; i++)
        put_headers(w, batch, &batch->out[i], now);
    for (unsigned i = 0; i < batch->count; i++) {
        struct outgoing *out = &batch->out[i];
        unsigned covered = out->grant.next.llc_octets - LLC_FCS_OCTETS;
        llc_fcs_put(out->llc + covered, llc_fcs(out->llc, covered));
        port_send(&w->gb, out->mbuf);
        if (out->grant.next.last)
            finish(w, out, now);
    }
    w->stats.llc_frames += batch->count;
}

unsigned framing_send(struct worker *w, int64_t now)
{
    struct batch batch = {.count = 0};

    if (sched_next_ns(&w->context.sched) > now || port_room(&w->gb) < WORKER_BURST + SIGNALLING_ROOM)
        return 0;
    if (rte_pktmbuf_alloc_bulk(w->tx_pool, batch.spare, WORKER_BURST) < 0)
        return 0;
    batch.spare_count = WORKER_BURST;
    while (batch.count < WORKER_BURST && sched_pick(&w->context.sched, &batch.out[batch.count].grant, now))
        batch.count++;
    frame(w, &batch, now);
    rte_pktmbuf_free_bulk(batch.spare, batch.spare_count);
    return batch.count;
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
