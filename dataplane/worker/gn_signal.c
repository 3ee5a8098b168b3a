/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signalling on Gn: GTP-U messages without a user's packet.
 * Exits: DROP_GTPU_MALFORMED, DROP_PUNT_FULL, DROP_GTPU_ECHO_REQUEST, DROP_GTPU_ERROR_INDICATION,
 * DROP_GTPU_OTHER_TYPE, DROP_GTPU_END_MARKER.
 */
#include "dataplane/worker/gn_signal.h"
#include "dataplane/worker/gn_echo.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/shares.h"
#include "dataplane/worker/worker.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <string.h>

#define FRAME_MIN_OCTETS 60 /* of Ethernet, without its checksum */
#define RECOVERY_OCTETS  2
#define LOOPBACK         127 /* the first octet of the addresses */

#define ERROR_PERIOD_SHIFT 36 /* 2^36 ns */

static_assert(GTPU_SIGNAL_MAX_OCTETS >= GTPU_LONG_OCTETS + 28, "an Error Indication over IPv6 fits");

struct answer {
    struct budget *budget;
    uint64_t *sent; /* counter of sent answers */
    uint16_t port;  /* destination port */
    uint16_t more;  /* octets by which it may be longer than its request */
    int octets;
    uint8_t gtp[GTPU_SIGNAL_MAX_OCTETS];
};

/* --- answers --- */

static unsigned frame_octets(const struct gn_datagram *request, unsigned gtp_octets)
{
    unsigned ip_octets = request->src_ipv6 ? IPV6_OCTETS : IPV4_OCTETS;
    return RTE_MAX(ETHER_OCTETS + ip_octets + UDP_OCTETS + gtp_octets, (unsigned)FRAME_MIN_OCTETS);
}

/* Whether an address can be that of a host which sends to the address `to`: loopback addresses are within one
 * host (RFC 1122 clause 3.2.1.3). */
static bool is_host_ipv4(uint32_t ip, uint32_t to)
{
    uint8_t net = (uint8_t)(ip >> 24);
    return net != 0 && net < 224 && (net != LOOPBACK || to >> 24 == LOOPBACK);
}

/* Not multicast, unspecified, loopback or IPv4-compatible (RFC 4291 clause 2.5.5). */
static bool is_host_ipv6(const uint8_t *ip)
{
    static const uint8_t zeroes[10];
    return ip[0] != 0xff && memcmp(ip, zeroes, sizeof(zeroes)) != 0;
}

bool gn_signal_is_peer(const struct worker *w, const struct gn_datagram *request)
{
    bool is_host =
        request->src_ipv6 ? is_host_ipv6(request->src_ipv6) : is_host_ipv4(request->src_ip, request->dst_ip);
    return is_host && !lookup_is_ours(&w->lookup, request->src_ip);
}

uint64_t gn_signal_source(const struct gn_datagram *request)
{
    return request->src_ipv6 ? budget_source_ipv6(request->src_ipv6) : budget_source_ipv4(request->src_ip);
}

static bool may_answer(struct worker *w, const struct gn_datagram *request, const struct answer *answer,
                       int64_t now)
{
    bool is_longer = frame_octets(request, (unsigned)answer->octets) >
                     frame_octets(request, (unsigned)request->octets + answer->more);

    w->stats.gn_answers_due++;
    if (is_longer || answer->port == 0 || !gn_signal_is_peer(w, request)) {
        w->stats.gn_unanswerable++;
        return false;
    }
    if (!budget_take(answer->budget, gn_signal_source(request), now)) {
        w->stats.gn_rate_limited++;
        return false;
    }
    return true;
}

static void punts_send(struct worker *w, const struct gn_datagram *request, const struct answer *answer,
                       int64_t now)
{
    if (!may_answer(w, request, answer, now))
        return;
    struct gn_way way = {.src_ip = request->dst_ip,
                         .tos = marking_signalling(&w->gn_marking),
                         .dst_ip = request->src_ip,
                         .dst_ipv6 = request->src_ipv6,
                         .dst_port = answer->port,
                         .is_answer = true,
                         .sent = answer->sent,
                         .unsent = &w->stats.gn_answers_unsent};
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(w->tx_pool);
    if (mbuf)
        memcpy(rte_pktmbuf_append(mbuf, (uint16_t)answer->octets), answer->gtp, (size_t)answer->octets);
    if (!mbuf || gn_tx_send(w, mbuf, &way, now) != DROP_NONE)
        w->stats.gn_answers_unsent++;
}

static void answer_echo(struct worker *w, const struct gn_datagram *request, uint16_t seq, int64_t now)
{
    struct answer answer = {.budget = &w->echo_budget,
                            .sent = &w->stats.gn_echo_responses,
                            .port = request->src_port,
                            .more = RECOVERY_OCTETS};
    answer.octets = gtpu_signal_echo_response_encode(answer.gtp, sizeof(answer.gtp), seq);
    punts_send(w, request, &answer, now);
}

void gn_signal_unknown_tunnel(struct worker *w, const struct gn_datagram *datagram, uint32_t teid,
                              int64_t now)
{
    struct answer answer = {
        .budget = &w->error_budget, .sent = &w->stats.gn_error_indications, .port = GTPU_PORT};
    uint8_t ipv4[4];
    struct gtpu_signal_error error = {
        .teid = teid,
        .peer = datagram->src_ipv6 ? lookup_ipv6_octets(&w->lookup.ipv6, datagram->dst_ip) : ipv4,
        .peer_octets = datagram->src_ipv6 ? ADDRESS_IPV6_OCTETS : sizeof(ipv4),
        .udp_port = datagram->src_port == GTPU_PORT ? 0 : datagram->src_port,
    };
    bytes_put_u32(ipv4, datagram->dst_ip);
    answer.octets = gtpu_signal_error_encode(answer.gtp, sizeof(answer.gtp), &error);
    punts_send(w, datagram, &answer, now);
}

void gn_signal_unsupported(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                           int64_t now)
{
    /* Other types are answers themselves, or need none. */
    if (gtpu->extension == 0 || (gtpu->type != GTPU_G_PDU && gtpu->type != GTPU_ECHO_REQUEST))
        return;
    struct answer answer = {
        .budget = &w->error_budget, .sent = &w->stats.gn_extension_notifications, .port = GTPU_PORT};
    answer.octets = gtpu_signal_extensions_encode(answer.gtp, sizeof(answer.gtp));
    punts_send(w, datagram, &answer, now);
}

/* --- received Error Indications --- */

/* Whether it names the address from which it was sent. */
static bool is_of(const struct gtpu_signal_error *error, const struct gn_datagram *datagram)
{
    if (datagram->src_ipv6)
        return error->peer_octets == ADDRESS_IPV6_OCTETS &&
               memcmp(error->peer, datagram->src_ipv6, ADDRESS_IPV6_OCTETS) == 0;
    return error->peer_octets == 4 && bytes_get_u32(error->peer) == datagram->src_ip;
}

/* Reports a tunnel that is not here but may be another worker's; within a budget. */
static bool tell_elsewhere(struct worker *w, const struct gn_datagram *datagram, uint32_t teid, int64_t now)
{
    struct msg msg = {.type = MSG_TUNNEL_ERROR};
    msg.tunnel_error = (struct msg_tunnel_error){
        .ggsn_ip = datagram->src_ip, .teid = teid, .sgsn_ip = datagram->dst_ip, .is_elsewhere = true};
    return w->xworker && datagram->src_ip != ADDRESS_NONE &&
           budget_take(&w->error_budget, gn_signal_source(datagram), now) &&
           shares_put(&w->rings, &msg, SHARE_TUNNELS);
}

/* Whether control hears of this tunnel's failure now: once in a period of 69 s, as a forger can send an
 * indication that names it again and again. */
static bool tell_error(struct worker *w, struct pdp *pdp, int64_t now)
{
    uint8_t period = (uint8_t)((uint64_t)now >> ERROR_PERIOD_SHIFT) % UINT8_MAX + 1;
    struct msg msg = {.type = MSG_TUNNEL_ERROR,
                      .tunnel_error = {.ggsn_ip = pdp->params.ggsn_ip, .teid = pdp->params.ggsn_teid}};
    if (pdp->error_period == period)
        return true;
    if (!shares_put(&w->rings, &msg, SHARE_TUNNELS))
        return false;
    pdp->error_period = period;
    w->stats.gn_tunnel_errors++;
    return true;
}

/*
 * Accepted only from the GGSN itself: an indication is sent from the address to which the G-PDU was sent,
 * which it names, to the address from which that was sent. But that address can be forged, and GGSNs count
 * their TEIDs up from 1: control asks the GGSN where it can.
 */
static enum drop receive_error(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                               const uint8_t *bytes, int64_t now)
{
    struct gtpu_signal_error error;
    if (gtpu_signal_error_decode(&error, bytes + gtpu->payload_offset, gtpu->payload_octets) < 0)
        return DROP_GTPU_MALFORMED;
    uint32_t index = u64_map_get(&w->lookup.remotes, lookup_remote_key(datagram->src_ip, error.teid));
    if (!is_of(&error, datagram))
        return DROP_GTPU_ERROR_INDICATION;
    if (index == U64_MAP_NONE) {
        w->stats.gn_errors_elsewhere += tell_elsewhere(w, datagram, error.teid, now);
        return DROP_GTPU_ERROR_INDICATION;
    }
    struct pdp *pdp = &w->context.pdps[index];
    if (pdp->params.sgsn_ip == datagram->dst_ip && !tell_error(w, pdp, now))
        return DROP_PUNT_FULL;
    return DROP_GTPU_ERROR_INDICATION;
}

enum drop gn_signal_receive(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                            const uint8_t *bytes, int64_t now)
{
    switch (gtpu->type) {
    case GTPU_ECHO_REQUEST:
        answer_echo(w, datagram, gtpu->seq, now);
        return DROP_GTPU_ECHO_REQUEST;
    case GTPU_ECHO_RESPONSE:
        return gn_echo_response(w, datagram, gtpu);
    case GTPU_ERROR_INDICATION:
        return receive_error(w, datagram, gtpu, bytes, now);
    case GTPU_END_MARKER:
        return DROP_GTPU_END_MARKER;
    default:
        return DROP_GTPU_OTHER_TYPE;
    }
}
