/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers of a downlink frame, from SNDCP to Ethernet, written into the room before the payload: for
 * gb_tx.c and gb_tx_orders.c. */
#ifndef DATAPLANE_WORKER_GB_TX_FRAME_H
#define DATAPLANE_WORKER_GB_TX_FRAME_H

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
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gb_tx_outbox.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

/* Most octets of headers in front of a segment, of a mobile without elements and of any mobile. */
#define FRAME_PLAIN_OCTETS                                                                                   \
    (GB_HEADER_MAX_OCTETS + NS_UNITDATA_HEADER_OCTETS + BSSGP_DL_PLAIN_MAX_OCTETS +                          \
     BSSGP_DL_ALIGNMENT_MAX_OCTETS + LLC_UI_OCTETS + SNDCP_FIRST_OCTETS)
#define FRAME_MAX_OCTETS (FRAME_PLAIN_OCTETS + BSSGP_ELEMENTS_OCTETS)

static_assert((int)FRAME_MAX_OCTETS + (int)SNDCP_N201_U_MAX_OCTETS + (int)LLC_FCS_OCTETS <=
                  (int)RTE_PKTMBUF_HEADROOM + (int)POOL_DATA_OCTETS -
                      (int)(ETHER_TAGGED_OCTETS - ETHER_OCTETS),
              "a frame with a VLAN tag fits a buffer");

/* The octet of QoS Profile behind the rates (TS 48.018 clause 11.3.28) for users' packets: not an LLC ACK,
 * data, precedence; RLC acknowledges protected LLC frames (reliability classes 3 and 5, TS 23.107). */
static inline uint8_t gb_tx_frame_qos(uint8_t qclass, bool is_protected)
{
    static const uint8_t qos[QCLASS_COUNT] = {
        [QCLASS_SIGNALLING] = 0x38, [QCLASS_SMS] = 0x38,        [QCLASS_CONVERSATIONAL] = 0x38,
        [QCLASS_STREAMING] = 0x38,  [QCLASS_THP1] = 0x39,       [QCLASS_THP2] = 0x39,
        [QCLASS_THP3] = 0x39,       [QCLASS_BACKGROUND] = 0x3a,
    };
    return (uint8_t)(qos[qclass] - 8 * is_protected);
}

/* The room needed around a segment of a mobile, at most. */
static inline struct pool_room gb_tx_frame_room(const struct worker *w, const struct ms *ms)
{
    const struct bssgp_elements *elements = context_elements_of(&w->context, ms);
    unsigned headers = FRAME_PLAIN_OCTETS + (elements ? bssgp_elements_octets(elements) : 0);
    return (struct pool_room){.before = (uint16_t)headers, .behind = LLC_FCS_OCTETS};
}

/* SNDCP header in front of the payload; the N-PDU number is assigned with the first segment. */
static inline uint8_t *gb_tx_frame_sndcp(struct pdp *pdp, const struct sched_grant *grant, uint8_t *payload)
{
    struct n_pdu *n_pdu = grant->n_pdu;
    if (likely(grant->segment == 0)) {
        n_pdu->number = pdp_take_number(pdp);
        payload -= SNDCP_FIRST_OCTETS;
        sndcp_first_put(payload, pdp->params.nsapi, !grant->next.last, n_pdu->number, n_pdu->comp);
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
static inline void gb_tx_frame_llc(struct gb_tx_out *out, struct ms *ms, uint8_t sapi, bool may_cipher,
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
static inline uint8_t *gb_tx_frame_bssgp_any(const struct worker *w, const struct ms *ms,
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

static inline bool gb_tx_frame_is_common(const struct worker *w, const struct ms *ms,
                                         const struct n_pdu *n_pdu)
{
    return (ms->imsi_octets == 0 || ms->imsi_octets == BSSGP_DL_COMMON_IMSI_OCTETS) && !ms->tells_tlli_old &&
           !ms->has_elements && !w->context.unitdata.is_aligned && (!n_pdu || n_pdu->pfi == N_PDU_NO_PFI);
}

/* BSSGP and NS headers in front of the LLC-PDU. Returns the NS PDU's first octet. */
static inline uint8_t *gb_tx_frame_bssgp(const struct worker *w, const struct ms *ms,
                                         const struct gb_tx_out *out, uint8_t qos, uint16_t lifetime_cs)
{
    uint8_t *at;
    if (likely(gb_tx_frame_is_common(w, ms, out->grant->n_pdu))) {
        const struct bssgp_dl_common dl = {.tlli = ms->tlli,
                                           .qos = qos,
                                           .has_imsi = ms->imsi_octets > 0,
                                           .lifetime_cs = lifetime_cs,
                                           .llc_octets = out->grant->next.llc_octets,
                                           .imsi = ms->imsi};
        at = out->llc - bssgp_dl_common_octets(&dl);
        bssgp_dl_common_put(at, &dl);
    } else {
        at = gb_tx_frame_bssgp_any(w, ms, out, qos, lifetime_cs);
    }
    at -= NS_UNITDATA_HEADER_OCTETS;
    ns_unitdata_header_put(at, w->context.bvcs[ms->bvc].bvci);
    return at;
}

/* Transport headers in front of the NS PDU, which ends with the LLC-PDU; the buffer's data is the frame. */
static inline void gb_tx_frame_transport(struct gb_tx_out *out, uint8_t *ns)
{
    unsigned octets = (unsigned)(out->llc + out->grant->next.llc_octets - ns);
    uint8_t *frame = gb_transport_put(out->nsvc, ns, octets);

    out->mbuf->data_off = (uint16_t)(frame - (uint8_t *)out->mbuf->buf_addr);
    out->mbuf->data_len = (uint16_t)(octets + out->nsvc->header_octets);
    out->mbuf->pkt_len = out->mbuf->data_len;
}

/* DSCP of a user's frame, with w->marks_gb. */
static inline void gb_tx_frame_mark(const struct worker *w, const struct gb_tx_out *out)
{
    const struct n_pdu *n_pdu = out->grant->n_pdu;
    const struct marking *m = &w->gb_marking;
    uint8_t tos = m->copies_dscp ? n_pdu->tos : marking_outer(m, n_pdu->qclass, MARKING_NO_IP);
    gb_transport_mark(rte_pktmbuf_mtod(out->mbuf, uint8_t *), tos);
}

/* Whether the device writes UDP checksums; a capture has them, too. */
static inline bool gb_tx_frame_leaves_sums(const struct worker *w)
{
    return w->gb.sums_udp && !tap_is_on(w->tap);
}

static inline void gb_tx_frame_sum(const struct gb_tx_out *out, bool is_left)
{
    if (out->nsvc->is_ipv6 && is_left)
        port_leave_sum(out->mbuf, ETHER_OCTETS);
    else if (out->nsvc->is_ipv6)
        gb_transport_sum(rte_pktmbuf_mtod(out->mbuf, uint8_t *), rte_pktmbuf_data_len(out->mbuf));
}

static inline void gb_tx_frame_fcs(const struct gb_tx_out *out)
{
    unsigned info_octets = out->grant->next.llc_octets - LLC_UI_OCTETS - LLC_FCS_OCTETS;
    size_t covered = llc_fcs_covered_octets(LLC_UI_OCTETS, info_octets, out->is_protected);
    llc_fcs_put(out->llc + LLC_UI_OCTETS + info_octets, llc_fcs(out->llc, covered));
}

/* The job of a frame that has a key: information field and FCS are ciphered (TS 44.064 annex A). */
static inline struct gea_job gb_tx_frame_job(const struct gb_tx_out *out)
{
    uint16_t octets = (uint16_t)(out->grant->next.llc_octets - LLC_UI_OCTETS);
    return (struct gea_job){.key = out->key->key,
                            .data = out->llc + LLC_UI_OCTETS,
                            .input = out->input,
                            .octets = octets,
                            .direction = GEA_DOWNLINK};
}

#endif
