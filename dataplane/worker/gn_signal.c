/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gn_signal.h"

#include "dataplane/wire/gtpu_signal.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>
#include <string.h>

#define ANSWER_MAX_OCTETS 32
#define FRAME_MIN_OCTETS  60 /* of Ethernet, without its checksum */

struct answer {
    struct budget *budget;
    uint64_t *sent; /* where it is counted once it went */
    uint16_t port;  /* of the other end */
    int octets;
    uint8_t gtp[ANSWER_MAX_OCTETS];
};

/* --- answers --- */

static unsigned frame_octets(unsigned gtp_octets)
{
    return RTE_MAX(GN_HEADERS_OCTETS + gtp_octets, (unsigned)FRAME_MIN_OCTETS);
}

/* Whether an address can be one host's, and not ours: nobody else is sent anything. */
static bool is_peer(const struct worker *w, uint32_t ip)
{
    uint8_t net = (uint8_t)(ip >> 24);
    return net != 0 && net != 127 && net < 224 && !lookup_is_ours(&w->lookup, ip);
}

static bool may_answer(struct worker *w, const struct gn_datagram *request, const struct answer *answer,
                       int64_t now)
{
    bool is_longer = frame_octets((unsigned)answer->octets) > frame_octets(request->octets);

    w->stats.gn_asked++;
    if (is_longer || answer->port == 0 || !is_peer(w, request->src_ip)) {
        w->stats.gn_unanswerable++;
        return false;
    }
    if (!budget_take(answer->budget, request->src_ip, now)) {
        w->stats.gn_over_budget++;
        return false;
    }
    return true;
}

static void send(struct worker *w, const struct gn_datagram *request, const struct answer *answer,
                 int64_t now)
{
    if (!may_answer(w, request, answer, now))
        return;
    struct rte_mbuf *mbuf = port_room(&w->gn) > 0 ? rte_pktmbuf_alloc(w->tx_pool) : NULL;
    if (!mbuf) {
        w->stats.gn_answers_lost++;
        return;
    }
    struct gn_datagram datagram = {.src_ip = request->dst_ip,
                                   .dst_ip = request->src_ip,
                                   .src_port = GTPU_PORT,
                                   .dst_port = answer->port,
                                   .octets = (uint16_t)answer->octets};
    uint8_t *frame = rte_pktmbuf_mtod(mbuf, uint8_t *);
    gn_headers_put(w, frame, &datagram);
    memcpy(frame + GN_HEADERS_OCTETS, answer->gtp, datagram.octets);
    mbuf->data_len = (uint16_t)(GN_HEADERS_OCTETS + datagram.octets);
    mbuf->pkt_len = mbuf->data_len;
    port_send(&w->gn, mbuf);
    (*answer->sent)++;
}

static void answer_echo(struct worker *w, const struct gn_datagram *request, uint16_t seq, int64_t now)
{
    struct answer answer = {
        .budget = &w->echo_budget, .sent = &w->stats.gn_echo_responses, .port = request->src_port};
    answer.octets = gtpu_signal_echo_response_encode(answer.gtp, sizeof(answer.gtp), seq);
    send(w, request, &answer, now);
}

void gn_signal_unknown_tunnel(struct worker *w, const struct gn_datagram *datagram, uint32_t teid,
                              int64_t now)
{
    struct answer answer = {
        .budget = &w->error_budget, .sent = &w->stats.gn_error_indications, .port = GTPU_PORT};
    struct gtpu_signal_error error = {
        .teid = teid,
        .peer_address = datagram->dst_ip,
        .udp_port = datagram->src_port == GTPU_PORT ? 0 : datagram->src_port,
    };
    answer.octets = gtpu_signal_error_encode(answer.gtp, sizeof(answer.gtp), &error);
    send(w, datagram, &answer, now);
}

void gn_signal_unsupported(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                           int64_t now)
{
    /* Other types are answers themselves, or nothing that is waited for. */
    if (gtpu->extension == 0 || (gtpu->type != GTPU_G_PDU && gtpu->type != GTPU_ECHO_REQUEST))
        return;
    struct answer answer = {
        .budget = &w->error_budget, .sent = &w->stats.gn_extension_notices, .port = GTPU_PORT};
    answer.octets = gtpu_signal_extensions_encode(answer.gtp, sizeof(answer.gtp));
    send(w, datagram, &answer, now);
}

/* --- Error Indications that come in --- */

/*
 * Believed only from the GGSN itself: an indication comes from the address that the G-PDU in question went
 * to, the same that it names, and goes to where that one came from. A tunnel's end is reported once.
 */
static enum drop receive_error(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                               const uint8_t *bytes)
{
    struct gtpu_signal_error error;
    if (gtpu_signal_error_decode(&error, bytes + gtpu->payload_offset, gtpu->payload_octets) < 0)
        return DROP_GTPU_MALFORMED;
    struct lookup_key key = lookup_tunnel_key(error.peer_address, error.teid);
    uint32_t index = lookup_get(w->lookup.remotes, &key);
    if (index == LOOKUP_NONE || error.peer_address != datagram->src_ip ||
        w->context.pdps[index].params.sgsn_ip != datagram->dst_ip)
        return DROP_GTPU_ERROR;
    struct msg msg = {.type = MSG_TUNNEL_ERROR, .index = error.peer_address, .id = error.teid};
    if (!msg_put(w->rings.to_control, &msg))
        return DROP_PUNT_FULL;
    lookup_del(w->lookup.remotes, &key);
    w->stats.gn_tunnel_errors++;
    return DROP_GTPU_ERROR;
}

enum drop gn_signal_receive(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                            const uint8_t *bytes, int64_t now)
{
    switch (gtpu->type) {
    case GTPU_ECHO_REQUEST:
        answer_echo(w, datagram, gtpu->seq, now);
        return DROP_GTPU_ECHO;
    case GTPU_ERROR_INDICATION:
        return receive_error(w, datagram, gtpu, bytes);
    case GTPU_END_MARKER:
        return DROP_GTPU_END_MARKER;
    default:
        return DROP_GTPU_OTHER_TYPE;
    }
}
