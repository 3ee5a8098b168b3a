/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/uplink.h"

#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/gn_headers.h"
#include "dataplane/worker/worker.h"

#include <string.h>

#define BSSGP_UL_UNITDATA    0x01
#define TUNNEL_HEADER_OCTETS (GN_HEADERS_OCTETS + GTPU_OCTETS)

/* Cuts the buffer's data to octets at bytes. */
static void cut(struct rte_mbuf *mbuf, const uint8_t *bytes, size_t octets)
{
    mbuf->data_off = (uint16_t)(bytes - (const uint8_t *)mbuf->buf_addr);
    mbuf->data_len = (uint16_t)octets;
    mbuf->pkt_len = mbuf->data_len;
}

/* Which NS-VC a datagram came on; cuts the buffer to the NS PDU. */
static enum drop unwrap(struct worker *w, struct rte_mbuf *mbuf, uint32_t *nsvc)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    size_t len = rte_pktmbuf_data_len(mbuf);
    struct ether ether;
    struct ipv4 ip;
    struct udp udp;

    int offset = ether_decode(&ether, bytes, len);
    if (offset < 0 || ether.type != ETHER_TYPE_IPV4)
        return DROP_NOT_IP;
    bytes += offset;
    int ip_octets = ipv4_decode(&ip, bytes, len - (size_t)offset);
    if (ip_octets < 0 || ipv4_is_fragment(&ip) || !ipv4_is_checksum_good(bytes, (size_t)ip_octets))
        return DROP_IP_MALFORMED;
    if (ip.proto != IPV4_PROTO_UDP)
        return DROP_NOT_UDP;
    bytes += ip_octets;
    if (udp_decode(&udp, bytes, ip.payload_octets) < 0)
        return DROP_UDP_MALFORMED;
    struct lookup_key key = lookup_endpoint_key(ip.dst, udp.dst_port, ip.src, udp.src_port);
    *nsvc = lookup_get(w->lookup.endpoints, &key);
    cut(mbuf, bytes + UDP_OCTETS, udp.payload_octets);
    return *nsvc == LOOKUP_NONE ? DROP_UNKNOWN_PEER : DROP_NONE;
}

static enum drop punt(struct worker *w, struct rte_mbuf *mbuf, uint32_t nsvc)
{
    struct msg msg = {.type = MSG_PUNT, .index = nsvc, .mbuf = mbuf};
    if (!msg_put(w->rings.to_control, &msg))
        return DROP_PUNT_FULL;
    w->stats.punted++;
    return DROP_NONE;
}

/* Judges an LLC-PDU and cuts the buffer to its information. */
static enum drop unwrap_llc(struct ms *ms, struct rte_mbuf *mbuf, const struct bssgp_ul *ul, struct llc *llc)
{
    int header = llc_decode(llc, ul->llc_pdu, ul->llc_octets);
    if (header < 0)
        return DROP_LLC_MALFORMED;
    size_t covered = llc_fcs_covered_octets((size_t)header, llc->info_octets, llc->pm);
    if (llc_fcs(ul->llc_pdu, covered) != llc_fcs_get(ul->llc_pdu + header + llc->info_octets))
        return DROP_LLC_FCS;
    int sapi = ms_sapi_index(llc->sapi);
    if (llc->format != LLC_UI || sapi < 0 || llc->sapi == LLC_SAPI_GMM || llc->sapi == LLC_SAPI_SMS)
        return DROP_LLC_UNSUPPORTED;
    if (!llc_entity_accept(&ms->llc[sapi], llc->nu))
        return DROP_LLC_OLD;
    cut(mbuf, ul->llc_pdu + header, llc->info_octets);
    return DROP_NONE;
}

/* Reads the SNDCP header of an LLC information field, finds its context, and cuts the buffer to the segment's
 * data. */
static enum drop unwrap_sndcp(struct worker *w, const struct ms *ms, struct rte_mbuf *mbuf,
                              struct sndcp *sndcp, uint32_t *pdp)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    size_t len = rte_pktmbuf_data_len(mbuf);
    int header = sndcp_decode(sndcp, bytes, len);

    if (header < 0 || sndcp->dcomp || sndcp->pcomp)
        return DROP_SNDCP_MALFORMED;
    *pdp = ms->pdp[sndcp->nsapi];
    if (*pdp == MS_PDP_NONE)
        return DROP_SNDCP_NO_CONTEXT;
    cut(mbuf, bytes + header, len - (size_t)header);
    return DROP_NONE;
}

static void put_tunnel_headers(struct worker *w, const struct pdp_params *pdp, uint8_t *frame,
                               uint16_t n_pdu_octets)
{
    struct gn_datagram datagram = {.src_ip = pdp->sgsn_ip,
                                   .dst_ip = pdp->ggsn_ip,
                                   .src_port = GTPU_PORT,
                                   .dst_port = GTPU_PORT,
                                   .octets = (uint16_t)(GTPU_OCTETS + n_pdu_octets)};
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = pdp->ggsn_teid, .payload_octets = n_pdu_octets};

    gn_headers_put(w, frame, &datagram);
    gtpu_encode(frame + GN_HEADERS_OCTETS, GTPU_OCTETS, &gtpu);
}

/* Sends an N-PDU that came in `count` segments; they stay the caller's. False: no buffer or no room. */
static bool send_n_pdu(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *const *segments,
                       unsigned count)
{
    struct rte_mbuf *mbuf = port_room(&w->gn) > 0 ? rte_pktmbuf_alloc(w->tx_pool) : NULL;
    uint16_t octets = 0;

    if (!mbuf)
        return false;
    uint8_t *frame = rte_pktmbuf_mtod(mbuf, uint8_t *);
    for (unsigned i = 0; i < count; i++) {
        uint16_t length = rte_pktmbuf_data_len(segments[i]);
        memcpy(frame + TUNNEL_HEADER_OCTETS + octets, rte_pktmbuf_mtod(segments[i], uint8_t *), length);
        octets = (uint16_t)(octets + length);
    }
    put_tunnel_headers(w, pdp, frame, octets);
    mbuf->data_len = (uint16_t)(TUNNEL_HEADER_OCTETS + octets);
    mbuf->pkt_len = mbuf->data_len;
    port_send(&w->gn, mbuf);
    w->stats.ul_npdu_out++;
    return true;
}

static void count_sent(struct worker *w, bool is_sent, unsigned segments)
{
    if (is_sent)
        w->stats.ul_segments += segments;
    else
        w->stats.gb_drops[DROP_NO_BUFFER] += segments;
}

/* A segment, cut to its data: sends the N-PDU when it is whole. Takes the buffer over. */
static void accept_segment(struct worker *w, uint32_t pdp, const struct sndcp *sndcp, struct rte_mbuf *mbuf,
                           int64_t now)
{
    const struct pdp_params *params = &w->context.pdps[pdp].params;
    uint16_t octets = rte_pktmbuf_data_len(mbuf);

    if (sndcp->first && !sndcp->more && octets > 0 && octets <= REASSEMBLY_MAX_NPDU_OCTETS) {
        reassembly_forget(&w->reassembly, &w->stats, pdp);
        count_sent(w, send_n_pdu(w, params, &mbuf, 1), 1);
        rte_pktmbuf_free(mbuf);
        return;
    }
    struct reassembly_entry *entry = reassembly_put(&w->reassembly, &w->stats, sndcp, pdp, mbuf, now);
    if (!entry)
        return;
    count_sent(w, send_n_pdu(w, params, entry->segments, entry->expected), entry->expected);
    w->stats.ul_held -= entry->expected;
    reassembly_end(&w->reassembly, entry);
}

/* An UL-UNITDATA in the buffer. DROP_NONE: taken over. */
static enum drop receive_unitdata(struct worker *w, uint16_t nse, size_t offset, struct rte_mbuf *mbuf,
                                  int64_t now)
{
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, offset);
    struct bssgp_ul ul;
    struct llc llc;
    struct sndcp sndcp;
    uint32_t pdp;

    if (bssgp_ul_unitdata_decode(&ul, bytes, rte_pktmbuf_data_len(mbuf) - offset) < 0)
        return DROP_NS_MALFORMED;
    struct lookup_key key = lookup_mobile_key(nse, ul.tlli);
    uint32_t index = lookup_get(w->lookup.mobiles, &key);
    if (index == LOOKUP_NONE)
        return DROP_UNKNOWN_TLLI;
    struct ms *ms = &w->context.mobiles[index];
    w->stats.ul_llc_frames++;
    enum drop reason = unwrap_llc(ms, mbuf, &ul, &llc);
    if (reason == DROP_NONE)
        reason = unwrap_sndcp(w, ms, mbuf, &sndcp, &pdp);
    if (reason == DROP_NONE)
        accept_segment(w, pdp, &sndcp, mbuf, now);
    return reason;
}

static enum drop receive(struct worker *w, struct rte_mbuf *mbuf, int64_t now)
{
    uint32_t nsvc;
    uint16_t bvci;
    enum drop reason = unwrap(w, mbuf, &nsvc);
    if (reason != DROP_NONE)
        return reason;
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    int offset = ns_unitdata_header_get(&bvci, bytes, rte_pktmbuf_data_len(mbuf));
    bool is_users = offset >= 0 && rte_pktmbuf_data_len(mbuf) > offset &&
                    bytes[offset] == BSSGP_UL_UNITDATA && w->context.nsvcs[nsvc].usable;
    if (!is_users)
        return punt(w, mbuf, nsvc);
    return receive_unitdata(w, w->context.nsvcs[nsvc].params.nse, (size_t)offset, mbuf, now);
}

unsigned uplink_receive(struct worker *w, int64_t now)
{
    struct rte_mbuf *frames[WORKER_BURST];
    unsigned count = port_receive(&w->gb, frames);

    w->stats.gb_frames += count;
    for (unsigned i = 0; i < count; i++) {
        enum drop reason = receive(w, frames[i], now);
        if (reason == DROP_NONE)
            continue;
        w->stats.gb_drops[reason]++;
        rte_pktmbuf_free(frames[i]);
    }
    return count;
}
