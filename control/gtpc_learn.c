/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/gtpc_learn.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/qos.h"
#include "dataplane/wire/udp.h"

void gtpc_learn_init(struct gtpc_learn *g, struct sessions *sessions)
{
    *g = (struct gtpc_learn){.sessions = sessions};
}

/* --- requests wait for their answers
 * ---------------------------------------------------------------------------------- */

static uint8_t qclass_of(const struct gtpc *msg)
{
    struct qos qos;
    if (!(msg->has & GTPC_HAS_QOS) || qos_decode(&qos, msg->qos, msg->qos_octets) < 0)
        return QCLASS_BACKGROUND;
    return (uint8_t)qos_qclass(&qos);
}

static void keep(struct gtpc_learn *g, const struct gtpc *msg, const struct ipv4 *ip)
{
    struct gtpc_learn_request *request = &g->pending[g->next++ % GTPC_LEARN_PENDING];
    *request = (struct gtpc_learn_request){
        .msg = *msg, .from_ip = ip->src, .to_ip = ip->dst, .qclass = qclass_of(msg), .in_use = true};
}

/* The request that an answer belongs to: same sequence number, type one less, addresses the other way round.
 */
static struct gtpc_learn_request *take(struct gtpc_learn *g, const struct gtpc *answer, const struct ipv4 *ip)
{
    for (unsigned i = 0; i < GTPC_LEARN_PENDING; i++) {
        struct gtpc_learn_request *request = &g->pending[i];
        if (request->in_use && request->msg.seq == answer->seq && request->msg.type + 1 == answer->type &&
            request->from_ip == ip->dst && request->to_ip == ip->src) {
            request->in_use = false;
            return request;
        }
    }
    return NULL;
}

/* --- what an accepted exchange means
 * ---------------------------------------------------------------------------------- */

static bool is_ipv4(const struct gtpc_address *address)
{
    return address->octets == 4;
}

static uint32_t ip_of(const struct gtpc_address *address)
{
    return is_ipv4(address) ? bytes_get_u32(address->bytes) : 0;
}

/* By the addresses that the mobile was given; a context of both types takes both. */
static uint8_t version_of(const struct gtpc_address *ipv4, const struct gtpc_address *ipv6)
{
    if (ipv4->octets > 0 && ipv6->octets > 0)
        return 0;
    return ipv4->octets > 0 ? 4 : ipv6->octets > 0 ? 6 : 0;
}

static void created(struct gtpc_learn *g, const struct gtpc_learn_request *request, const struct gtpc *answer)
{
    const struct gtpc *asked = &request->msg;
    if (!is_ipv4(&asked->user) || !is_ipv4(&answer->user) || !(answer->has & GTPC_HAS_TEID_DATA)) {
        g->unfollowed++;
        return;
    }
    /* What the GGSN says counts, if it says anything. */
    bool is_answered = answer->user_ipv4.octets > 0 || answer->user_ipv6.octets > 0;
    const struct gtpc *given = is_answered ? answer : asked;
    struct session params = {
        .sgsn_ip = ip_of(&asked->user),
        .teid = asked->teid_data,
        .ggsn_ip = ip_of(&answer->user),
        .ggsn_teid = answer->teid_data,
        .address = ip_of(&given->user_ipv4),
        .ip_version = version_of(&given->user_ipv4, &given->user_ipv6),
        .sgsn_control_ip = ip_of(&asked->control),
        .sgsn_control_teid = asked->teid_control,
        .ggsn_control_ip = ip_of(&answer->control),
        .ggsn_control_teid = answer->teid_control,
        .gtp_nsapi = asked->nsapi,
        .nsapi = asked->nsapi,
        /* The GGSN may have granted another class than was asked for. */
        .qclass = answer->has & GTPC_HAS_QOS ? qclass_of(answer) : request->qclass,
    };
    sessions_add(g->sessions, asked->imsi, &params);
}

/* Whether a Delete Request to this address and TEID speaks of the session's mobile. */
static bool is_meant(const struct session *session, uint32_t to_ip, uint32_t teid)
{
    return (session->ggsn_control_ip == to_ip && session->ggsn_control_teid == teid) ||
           (session->sgsn_control_ip == to_ip && session->sgsn_control_teid == teid);
}

static void deleted(struct gtpc_learn *g, const struct gtpc_learn_request *request)
{
    const struct gtpc *asked = &request->msg;
    bool is_teardown = (asked->has & GTPC_HAS_TEARDOWN) && asked->teardown;

    for (uint32_t i = 0; i < g->sessions->count; i++) {
        struct session *session = &g->sessions->list[i];
        if (session->is_active && is_meant(session, request->to_ip, asked->teid) &&
            (is_teardown || session->gtp_nsapi == asked->nsapi))
            sessions_end(g->sessions, session);
    }
}

static void answered(struct gtpc_learn *g, const struct gtpc *answer, const struct ipv4 *ip)
{
    struct gtpc_learn_request *request = take(g, answer, ip);
    if (!request || answer->cause != GTPC_CAUSE_ACCEPTED)
        return;
    switch (answer->type) {
    case GTPC_CREATE_RESPONSE:
        created(g, request, answer);
        break;
    case GTPC_DELETE_RESPONSE:
        deleted(g, request);
        break;
    default:
        g->unfollowed++;
        break;
    }
}

static void receive(struct gtpc_learn *g, const uint8_t *bytes, size_t len, const struct ipv4 *ip)
{
    struct gtpc msg;
    int rc = gtpc_decode(&msg, bytes, len);

    if (rc == ERR_UNSUPPORTED)
        return;
    if (rc < 0) {
        g->malformed++;
        return;
    }
    g->messages++;
    switch (msg.type) {
    case GTPC_CREATE_REQUEST:
    case GTPC_UPDATE_REQUEST:
    case GTPC_DELETE_REQUEST:
        keep(g, &msg, ip);
        break;
    default:
        answered(g, &msg, ip);
        break;
    }
}

void gtpc_learn_frame(struct gtpc_learn *g, const uint8_t *frame, size_t octets)
{
    struct ether ether;
    struct ipv4 ip;
    struct udp udp;
    int offset = ether_decode(&ether, frame, octets);

    if (offset < 0 || ether.type != ETHER_TYPE_IPV4)
        return;
    const uint8_t *bytes = frame + offset;
    int header = ipv4_decode(&ip, bytes, octets - (size_t)offset);
    if (header < 0 || ipv4_is_fragment(&ip) || ip.proto != IPV4_PROTO_UDP)
        return;
    bytes += header;
    if (udp_decode(&udp, bytes, ip.payload_octets) < 0)
        return;
    if (udp.dst_port == GTPC_PORT || udp.src_port == GTPC_PORT)
        receive(g, bytes + UDP_OCTETS, udp.payload_octets, &ip);
}
