/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uplink N-PDUs that are sent to their GGSN on Gn.
 * Exits: DROP_IP_MALFORMED, DROP_NO_BUFFER, DROP_LINK_DOWN, DROP_NO_NEXT_HOP, DROP_LLC_ABM, DROP_UL_TOO_LONG.
 */
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/gb_compression.h"
#include "dataplane/worker/gn_wait.h"
#include "dataplane/worker/hops.h"
#include "dataplane/worker/inner.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include "dataplane/context/marking.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/sched/ms.h"

#include <rte_mbuf.h>
#include <string.h>

#define TTL             64
#define MOST_PIECES     8
#define FRAGMENT_UNIT   8
#define NO_UDP_CHECKSUM 0xffff /* sent over IPv6 when the sum is 0 */

/* One datagram to be sent: a UDP segment, and the addresses of its IP packets. */
struct outgoing {
    const uint8_t *next_hop;
    bool is_ipv6;
    struct ipv4 ipv4;
    struct ipv6 ipv6;
    uint32_t id;     /* of IPv6 fragments */
    bool is_guarded; /* before it is cut */
    bool leaves_sum; /* the device writes the UDP checksum */
};

/* A fragment of the segment. */
struct piece {
    uint16_t offset_octets;
    bool is_fragment, more;
};

static bool address(const struct worker *w, const struct gn_way *way, struct outgoing *out)
{
    out->is_ipv6 = address_is_ipv6(way->src_ip);
    if (!out->is_ipv6) {
        out->ipv4 = (struct ipv4){
            .src = way->src_ip, .dst = way->dst_ip, .tos = way->tos, .ttl = TTL, .proto = IPV4_PROTO_UDP};
        return !address_is_ipv6(way->dst_ip);
    }
    out->ipv6 = (struct ipv6){
        .src = lookup_ipv6_octets(&w->lookup.ipv6, way->src_ip),
        .dst = way->dst_ipv6 ? way->dst_ipv6 : lookup_ipv6_octets(&w->lookup.ipv6, way->dst_ip),
        .traffic_class = way->tos,
        .next_header = IPV4_PROTO_UDP,
        .hop_limit = TTL,
    };
    return out->ipv6.src && out->ipv6.dst;
}

static void put_udp(struct rte_mbuf *mbuf, const struct gn_way *way, const struct outgoing *out)
{
    struct udp udp = {.src_port = way->src_port ? way->src_port : GTPU_PORT,
                      .dst_port = way->dst_port,
                      .payload_octets = rte_pktmbuf_data_len(mbuf)};
    uint8_t *segment = (uint8_t *)rte_pktmbuf_prepend(mbuf, UDP_OCTETS);
    udp_encode(segment, UDP_OCTETS, &udp);
    if (!out->is_ipv6 || out->leaves_sum)
        return;
    uint16_t sum = ipv6_checksum(&out->ipv6, IPV4_PROTO_UDP, segment, rte_pktmbuf_data_len(mbuf));
    bytes_put_u16(segment + 6, sum ? sum : NO_UDP_CHECKSUM);
}

static void put_ether(const struct worker *w, struct rte_mbuf *mbuf, const struct outgoing *out)
{
    struct ether ether = {.type = out->is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4};
    memcpy(ether.dst, out->next_hop, sizeof(ether.dst));
    memcpy(ether.src, w->gn_mac, sizeof(ether.src));
    ether_encode((uint8_t *)rte_pktmbuf_prepend(mbuf, ETHER_OCTETS), ETHER_OCTETS, &ether);
}

static void put_ipv4(struct rte_mbuf *mbuf, const struct outgoing *out, struct piece piece)
{
    struct ipv4 ip = out->ipv4;
    ip.payload_octets = rte_pktmbuf_data_len(mbuf);
    ip.fragment_offset_octets = piece.offset_octets;
    ip.more_fragments = piece.more;
    ipv4_encode((uint8_t *)rte_pktmbuf_prepend(mbuf, IPV4_OCTETS), IPV4_OCTETS, &ip);
}

static void put_ipv6(struct rte_mbuf *mbuf, const struct outgoing *out, struct piece piece)
{
    struct ipv6 ip = out->ipv6;
    if (piece.is_fragment) {
        struct ipv6_fragment fragment = {.id = out->id,
                                         .offset_octets = piece.offset_octets,
                                         .next_header = ip.next_header,
                                         .more = piece.more};
        ipv6_fragment_encode((uint8_t *)rte_pktmbuf_prepend(mbuf, IPV6_FRAGMENT_OCTETS), IPV6_FRAGMENT_OCTETS,
                             &fragment);
        ip.next_header = IPV6_FRAGMENT;
    }
    ip.payload_octets = rte_pktmbuf_data_len(mbuf);
    ipv6_encode((uint8_t *)rte_pktmbuf_prepend(mbuf, IPV6_OCTETS), IPV6_OCTETS, &ip);
}

static void put_headers(struct worker *w, struct rte_mbuf *mbuf, const struct outgoing *out,
                        struct piece piece)
{
    if (out->is_ipv6)
        put_ipv6(mbuf, out, piece);
    else
        put_ipv4(mbuf, out, piece);
    put_ether(w, mbuf, out);
}

static void send_piece(struct worker *w, struct rte_mbuf *mbuf, const struct outgoing *out,
                       struct piece piece)
{
    put_headers(w, mbuf, out, piece);
    if (unlikely(out->leaves_sum))
        port_leave_sum(mbuf, ETHER_OCTETS);
    if (unlikely(out->is_guarded))
        port_send_guarded(&w->gn, mbuf);
    else
        port_send(&w->gn, mbuf);
}

static unsigned mtu_of(const struct worker *w, bool is_ipv6)
{
    /* The least MTU of an IPv6 link (RFC 8200 clause 5). */
    return is_ipv6 ? RTE_MAX(w->gn_mtu_octets, (unsigned)IPV6_MIN_MTU_OCTETS) : w->gn_mtu_octets;
}

/* Copies all fragments but the first, which stays in the segment's buffer, to buffers `rest`. False: no room
 * at the port, or no buffers. */
static bool cut(struct worker *w, struct rte_mbuf *whole, unsigned unit, struct rte_mbuf **rest,
                unsigned count)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(whole, const uint8_t *);
    unsigned octets = rte_pktmbuf_data_len(whole);
    if (port_room(&w->gn) <= count || rte_pktmbuf_alloc_bulk(w->tx_pool, rest, count) < 0)
        return false;
    for (unsigned i = 0; i < count; i++) {
        unsigned from = (i + 1) * unit, length = RTE_MIN(unit, octets - from);
        memcpy(rte_pktmbuf_append(rest[i], (uint16_t)length), bytes + from, length);
    }
    rte_pktmbuf_trim(whole, (uint16_t)(octets - unit));
    return true;
}

/* Sends a segment in fragments of at most `room` octets of IP payload. */
static enum drop send_pieces(struct worker *w, struct rte_mbuf *mbuf, struct outgoing *out, unsigned room)
{
    struct rte_mbuf *rest[MOST_PIECES];
    unsigned unit = (room - (out->is_ipv6 ? IPV6_FRAGMENT_OCTETS : 0)) / FRAGMENT_UNIT * FRAGMENT_UNIT;
    unsigned count = (rte_pktmbuf_data_len(mbuf) - 1U) / unit;
    if (count > MOST_PIECES)
        return DROP_UL_TOO_LONG;
    if (!cut(w, mbuf, unit, rest, count))
        return DROP_NO_BUFFER;
    out->id = w->gn_fragment_id;
    w->gn_fragment_id += w->gn_id_step;
    send_piece(w, mbuf, out, (struct piece){.is_fragment = true, .more = true});
    for (unsigned i = 0; i < count; i++)
        send_piece(w, rest[i], out,
                   (struct piece){.offset_octets = (uint16_t)((i + 1) * unit),
                                  .is_fragment = true,
                                  .more = i + 1 < count});
    w->stats.gn_fragmented++;
    w->stats.gn_fragments += count + 1U;
    return DROP_NONE;
}

/* --- with a guard --- */

static unsigned head_of(const struct outgoing *out)
{
    return out->is_ipv6 ? IPV6_OCTETS : IPV4_OCTETS;
}

/* Cuts a packet with Ethernet's header that the guard made longer than the MTU. */
static enum drop cut_guarded(struct worker *w, struct rte_mbuf *mbuf, const struct outgoing *inner)
{
    struct outgoing out = {.next_hop = inner->next_hop, .is_guarded = true};
    uint8_t ends[2 * IPV6_ADDRESS_OCTETS];
    const uint8_t *ip = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, ETHER_OCTETS);
    size_t octets = rte_pktmbuf_data_len(mbuf) - (size_t)ETHER_OCTETS;
    out.is_ipv6 = ip[0] >> 4 == 6;
    if ((out.is_ipv6 ? ipv6_decode(&out.ipv6, ip, octets) : ipv4_decode(&out.ipv4, ip, octets)) < 0)
        return DROP_IP_MALFORMED;
    if (out.is_ipv6) { /* the header is overwritten */
        memcpy(ends, out.ipv6.src, sizeof(ends));
        out.ipv6.src = ends;
        out.ipv6.dst = ends + IPV6_ADDRESS_OCTETS;
    }
    rte_pktmbuf_adj(mbuf, (uint16_t)(ETHER_OCTETS + head_of(&out)));
    return send_pieces(w, mbuf, &out, mtu_of(w, out.is_ipv6) - head_of(&out));
}

/* Guards a segment in a packet, which is cut then. It is gone also if it was not sent, as it would have been
 * when the port sent it. */
static void send_guarded(struct worker *w, struct rte_mbuf *mbuf, const struct outgoing *out)
{
    const struct port_guard *guard = w->gn.guard;
    put_headers(w, mbuf, out, (struct piece){0});
    if (guard->send(guard->arg, &mbuf, 1) == 0)
        return;
    enum drop reason = cut_guarded(w, mbuf, out);
    if (reason == DROP_NONE)
        return;
    w->stats.gn_unsent[reason]++;
    rte_pktmbuf_free(mbuf);
}

static struct guards_fit fit_in(const struct worker *w, const struct gn_way *way, const struct outgoing *out)
{
    uint8_t octets[2 * sizeof(uint32_t)];
    const struct guards_ends ends = {.source = out->is_ipv6 ? out->ipv6.src : octets,
                                     .destination = out->is_ipv6 ? out->ipv6.dst : octets + sizeof(uint32_t),
                                     .source_port = way->src_port ? way->src_port : GTPU_PORT,
                                     .destination_port = way->dst_port,
                                     .is_ipv6 = out->is_ipv6};
    bytes_put_u32(octets, out->ipv4.src);
    bytes_put_u32(octets + sizeof(uint32_t), out->ipv4.dst);
    return w->guards.ops->fit(w->guards.arg, &ends, mtu_of(w, out->is_ipv6));
}

/* Sends a segment that may be too long for one packet. */
static __attribute__((noinline)) enum drop send_long(struct worker *w, struct rte_mbuf *mbuf,
                                                     const struct gn_way *way, struct outgoing *out)
{
    struct guards_fit fit = {.octets = mtu_of(w, out->is_ipv6)};
    if (w->gn.guard)
        fit = fit_in(w, way, out);
    if (rte_pktmbuf_data_len(mbuf) + head_of(out) <= fit.octets) {
        send_piece(w, mbuf, out, (struct piece){0});
        return DROP_NONE;
    }
    if (w->is_gn_whole)
        return DROP_UL_TOO_LONG;
    if (!fit.is_whole_first)
        return send_pieces(w, mbuf, out, fit.octets - head_of(out));
    send_guarded(w, mbuf, out);
    return DROP_NONE;
}

/* --- the way --- */

/* For an unknown next hop, but not that of an IPv6 address that control does not know. Answers have a budget
 * of their own, and must not delay requests for GGSNs. */
static bool may_ask(struct worker *w, const struct gn_way *way, int64_t now)
{
    if (way->dst_ip == ADDRESS_NONE || way->is_answer)
        return way->dst_ip != ADDRESS_NONE;
    bool is_first = !way->is_kept && !gn_wait_has(&w->wait, way->dst_ip);
    return hops_may_ask(&w->hops, is_first, now);
}

/* Finds a destination's MAC address. Asks control if it is not known, and again from time to time, so that
 * control keeps the destination. */
static bool find_hop(struct worker *w, const struct gn_way *way, struct outgoing *out, int64_t now)
{
    struct msg msg = {.type = MSG_HOP_WANTED, .hop = {.ip = way->dst_ip, .is_answer = way->is_answer}};
    out->next_hop = hops_get(&w->hops, way->dst_ip);
    bool is_due = out->next_hop ? hops_is_due(&w->hops, way->dst_ip, now) : may_ask(w, way, now);
    if (unlikely(is_due))
        msg_put(w->rings.to_control, &msg);
    return out->next_hop;
}

enum drop gn_tx_judge(struct worker *w, const struct gn_way *way, int64_t now)
{
    struct outgoing out;
    if (port_is_down(&w->gn))
        return DROP_LINK_DOWN;
    if (!find_hop(w, way, &out, now))
        return DROP_NO_NEXT_HOP;
    return port_room(&w->gn) > MOST_PIECES ? DROP_NONE : DROP_NO_BUFFER;
}

enum drop gn_tx_try(struct worker *w, struct rte_mbuf *mbuf, const struct gn_way *way, int64_t now)
{
    struct outgoing out = {0};
    if (port_is_down(&w->gn))
        return DROP_LINK_DOWN;
    if (!find_hop(w, way, &out, now))
        return DROP_NO_NEXT_HOP;
    if (port_room(&w->gn) == 0 || !address(w, way, &out))
        return DROP_NO_BUFFER;
    unsigned room = mtu_of(w, out.is_ipv6) - head_of(&out) - w->guards.gn_more_octets;
    out.leaves_sum =
        w->gn.sums_udp && out.is_ipv6 && rte_pktmbuf_data_len(mbuf) + (unsigned)UDP_OCTETS <= room;
    put_udp(mbuf, way, &out);
    out.ipv4.id = (uint16_t)w->gn_ip_id;
    w->gn_ip_id += w->gn_id_step;
    if (unlikely(rte_pktmbuf_data_len(mbuf) > room))
        return send_long(w, mbuf, way, &out);
    send_piece(w, mbuf, &out, (struct piece){0});
    return DROP_NONE;
}

enum drop gn_tx_send(struct worker *w, struct rte_mbuf *mbuf, const struct gn_way *way, int64_t now)
{
    enum drop reason = gn_tx_try(w, mbuf, way, now);
    if (likely(reason == DROP_NONE)) {
        if (way->sent)
            (*way->sent)++;
        return DROP_NONE;
    }
    if (reason == DROP_NO_NEXT_HOP && gn_wait_put(w, mbuf, way, now))
        return DROP_NONE;
    rte_pktmbuf_free(mbuf);
    return reason;
}

void gn_tx_found(struct worker *w, uint32_t ip, int64_t now)
{
    struct gn_wait_item item;
    while (gn_wait_take(w, ip, &item)) {
        enum drop reason = gn_tx_try(w, item.mbuf, &item.way, now);
        if (reason != DROP_NONE)
            gn_wait_lose(w, &item, reason);
        else if (item.way.sent)
            (*item.way.sent)++;
    }
}

static void put_tunnel_header(const struct pdp_params *pdp, struct rte_mbuf *mbuf)
{
    struct gtpu gtpu = {
        .type = GTPU_G_PDU, .teid = pdp->ggsn_teid, .payload_octets = rte_pktmbuf_data_len(mbuf)};
    gtpu_encode((uint8_t *)rte_pktmbuf_prepend(mbuf, GTPU_OCTETS), GTPU_OCTETS, &gtpu);
}

static const struct pdp *pdp_of(const struct pdp_params *params)
{
    return (const struct pdp *)(const void *)params;
}

static struct pacing_at at_of(struct worker *w, const struct pdp_params *pdp)
{
    const struct ms *ms = &w->context.mobiles[pdp->ms];
    return (struct pacing_at){
        .ms = pdp->ms,
        .generation = pdp_of(pdp)->generation,
        .bvc = ms->bvc,
        .link = w->context.bvcs[ms->bvc].nse,
        .qclass = pdp->qclass,
        .ms_rate_bps = ms->sched.bucket.rate_bps,
        .bvc_rate_bps = w->context.bvcs[ms->bvc].sched.bucket.rate_bps,
    };
}

static void count_paced(struct worker *w)
{
    const struct pacing_stats *stats = pacing_stats_of(w->pacing);
    w->stats.pacing_clamped = stats->clamped;
    w->stats.pacing_implausible = stats->implausible;
    w->stats.pacing_evicted = stats->evicted;
}

bool gn_tx_user_pace_downlink(struct worker *w, const struct pdp_params *pdp, struct n_pdu *n_pdu,
                              int64_t now)
{
    struct pacing_at at = at_of(w, pdp);
    enum pacing_downlink_fate fate = pacing_downlink(w->pacing, &at, n_pdu->data, n_pdu->octets, now);
    n_pdu->is_paced = fate == PACING_DOWNLINK_PACED;
    count_paced(w);
    return fate == PACING_DOWNLINK_REPEATED;
}

static uint8_t tos_of(const struct worker *w, const struct pdp_params *pdp, const struct rte_mbuf *mbuf)
{
    int inner = pdp->ip_version == PDP_ANY_PAYLOAD
                    ? MARKING_NO_IP
                    : marking_inner(rte_pktmbuf_mtod(mbuf, const uint8_t *), rte_pktmbuf_data_len(mbuf));
    return marking_outer(&w->gn_marking, pdp->qclass, inner);
}

static enum drop send_to_ggsn(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *mbuf,
                              int64_t now)
{
    struct gn_way way = {.src_ip = pdp->sgsn_ip,
                         .dst_ip = pdp->ggsn_ip,
                         .dst_port = GTPU_PORT,
                         .tos = tos_of(w, pdp, mbuf),
                         .sent = &w->stats.ul_npdu_out};
    put_tunnel_header(pdp, mbuf);
    return gn_tx_send(w, mbuf, &way, now);
}

static void pace_uplink(struct worker *w, const struct pdp_params *params, struct rte_mbuf *mbuf, int64_t now)
{
    struct pacing_at at = at_of(w, params);
    pacing_uplink(w->pacing, &at, rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_data_len(mbuf), now);
    count_paced(w);
}

static void join(struct rte_mbuf *mbuf, struct rte_mbuf *const *segments, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint16_t length = rte_pktmbuf_data_len(segments[i]);
        memcpy(rte_pktmbuf_append(mbuf, length), rte_pktmbuf_mtod(segments[i], uint8_t *), length);
    }
}

static enum drop send_joined(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *mbuf,
                             int64_t now)
{
    uint8_t *bytes = rte_pktmbuf_mtod(mbuf, uint8_t *);
    enum drop reason = DROP_NONE;
    if (!w->no_uplink_filter)
        reason =
            inner_judge_uplink(&w->lookup, pdp, bytes, rte_pktmbuf_data_len(mbuf), w->is_any_destination);
    if (reason != DROP_NONE) {
        rte_pktmbuf_free(mbuf);
        return reason;
    }
    if (unlikely(w->pacing) && pdp->ip_version != PDP_ANY_PAYLOAD)
        pace_uplink(w, pdp, mbuf, now);
    return send_to_ggsn(w, pdp, mbuf, now);
}

/* Restores a compressed N-PDU, or notes one that is not. DROP_NONE: it is to be sent. */
static __attribute__((noinline)) enum drop decompress(struct worker *w, const struct pdp_params *pdp,
                                                      struct rte_mbuf *mbuf, const struct gn_npdu *n_pdu)
{
    if (n_pdu->comp == 0) {
        gb_compression_arrived(w, pdp, n_pdu->number);
        return DROP_NONE;
    }
    enum drop reason = gb_compression_restore(w, pdp, mbuf, n_pdu->number, n_pdu->comp);
    return reason == DROP_NONE && n_pdu->is_old ? DROP_LLC_ABM : reason;
}

static enum drop send_user(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *mbuf,
                           const struct gn_npdu *n_pdu, int64_t now)
{
    enum drop reason = DROP_NONE;
    if (unlikely(n_pdu->comp || w->context.mobiles[pdp->ms].compresses))
        reason = decompress(w, pdp, mbuf, n_pdu);
    if (likely(reason == DROP_NONE))
        return send_joined(w, pdp, mbuf, now);
    rte_pktmbuf_free(mbuf);
    return reason;
}

static void count_volume(struct worker *w, const struct pdp_params *pdp, const struct gn_npdu *n_pdu,
                         bool has_passed)
{
    uint32_t octets = 0;
    for (unsigned i = 0; i < n_pdu->count; i++)
        octets += rte_pktmbuf_data_len(n_pdu->segments[i]);
    fate_count_volume(&w->context.volumes[pdp_of(pdp) - w->context.pdps].up, has_passed, octets);
}

enum drop gn_tx_user_send(struct worker *w, const struct pdp_params *pdp, const struct gn_npdu *n_pdu,
                          int64_t now)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(w->tx_pool);

    if (mbuf) {
        mbuf->data_off += n_pdu->comp ? GB_COMPRESSION_ROOM_OCTETS : 0;
        join(mbuf, n_pdu->segments, n_pdu->count);
    }
    enum drop reason = mbuf ? send_user(w, pdp, mbuf, n_pdu, now) : DROP_NO_BUFFER;
    if (unlikely(w->context.volumes))
        count_volume(w, pdp, n_pdu, reason == DROP_NONE);
    return reason;
}

/* --- queues, for pacing --- */

static uint32_t waiting(const void *owner, uint16_t bvc, uint8_t qclass)
{
    const struct worker *w = owner;
    return w->context.bvcs[bvc].sched.classes[qclass].turns.count;
}

static uint64_t sent(const void *owner, uint16_t bvc)
{
    const struct worker *w = owner;
    return w->context.bvcs[bvc].sched.sent_octets;
}

static uint64_t buffer_octets(const void *owner, uint16_t link, uint8_t qclass)
{
    const struct worker *w = owner;
    return w->context.nses[link].sched.classes[qclass].octets;
}

struct pacing_view gn_tx_user_view(struct worker *w)
{
    return (struct pacing_view){.owner = w, .waiting = waiting, .sent = sent, .buffer_octets = buffer_octets};
}
