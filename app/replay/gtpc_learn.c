/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/replay/gtpc_learn.h"

#include "control/core/core.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/qos.h"

void gtpc_learn_init(struct gtpc_learn *g, struct sessions *sessions)
{
    *g = (struct gtpc_learn){.sessions = sessions};
}

/* --- pending requests --- */

static uint8_t qclass_of(const struct gtpc *msg)
{
    struct qos qos;
    if (!(msg->has & GTPC_HAS_QOS) || qos_decode(&qos, msg->qos, msg->qos_octets) < 0)
        return QCLASS_BACKGROUND;
    return (uint8_t)qos_qclass(&qos);
}

static void keep(struct gtpc_learn *g, const struct gtpc *msg, const struct gtpc_pieces_way *way)
{
    struct gtpc_learn_request *request = &g->pending[g->next++ % GTPC_LEARN_PENDING];
    *request =
        (struct gtpc_learn_request){.msg = *msg, .way = *way, .qclass = qclass_of(msg), .in_use = true};
}

/* The request that an answer belongs to: same sequence number, type one less, addresses the other way round.
 */
static struct gtpc_learn_request *gtpc_learn_take(struct gtpc_learn *g, const struct gtpc *answer,
                                                  const struct gtpc_pieces_way *way)
{
    for (unsigned i = 0; i < GTPC_LEARN_PENDING; i++) {
        struct gtpc_learn_request *request = &g->pending[i];
        if (request->in_use && request->msg.seq == answer->seq && request->msg.type + 1 == answer->type &&
            neighbour_ip_is_same(&request->way.from, &way->to) &&
            neighbour_ip_is_same(&request->way.to, &way->from)) {
            request->in_use = false;
            return request;
        }
    }
    return NULL;
}

/* --- accepted exchanges --- */

static uint32_t ip_of(const struct gtpc_address *address)
{
    return address->octets == 4 ? bytes_get_u32(address->bytes) : 0;
}

/* A GSN address for control plane, of either IP version; all zero: not given. */
static struct neighbour_ip end_of(const struct gtpc_address *address)
{
    if (address->octets == 4)
        return neighbour_ip_v4(bytes_get_u32(address->bytes));
    return neighbour_ip_v6(address->bytes);
}

/* Half of a mobile's IPv6 address (from octet `at` on); 0: it has none. */
static uint64_t half_of(const struct gtpc_address *address, unsigned at)
{
    const uint8_t *bytes = address->bytes + at;
    return address->octets == 16 ? (uint64_t)bytes_get_u32(bytes) << 32 | bytes_get_u32(bytes + 4) : 0;
}

/* The two ends of a tunnel, of one IP version. */
static bool find_ends(struct core *core, const struct gtpc *asked, const struct gtpc *answer,
                      struct session *out)
{
    out->sgsn_ip = core_address(core, asked->user.bytes, asked->user.octets);
    out->ggsn_ip = core_address(core, answer->user.bytes, answer->user.octets);
    return out->sgsn_ip != ADDRESS_NONE && out->ggsn_ip != ADDRESS_NONE &&
           address_is_ipv6(out->sgsn_ip) == address_is_ipv6(out->ggsn_ip);
}

/* The IP version by the addresses that the mobile was given; 0 for a context with both. */
static uint8_t version_of(const struct gtpc_address *ipv4, const struct gtpc_address *ipv6)
{
    if (ipv4->octets > 0 && ipv6->octets > 0)
        return 0;
    return ipv4->octets > 0 ? 4 : ipv6->octets > 0 ? 6 : 0;
}

static void created(struct gtpc_learn *g, const struct gtpc_learn_request *request, const struct gtpc *answer)
{
    const struct gtpc *asked = &request->msg;
    struct session ends;
    if (!(answer->has & GTPC_HAS_TEID_DATA) || !find_ends(g->sessions->core, asked, answer, &ends)) {
        g->unfollowed++;
        return;
    }
    /* The addresses in the GGSN's answer take precedence over those in the request. */
    bool is_answered = answer->user_ipv4.octets > 0 || answer->user_ipv6.octets > 0;
    const struct gtpc *given = is_answered ? answer : asked;
    struct session params = {
        .sgsn_ip = ends.sgsn_ip,
        .teid = asked->teid_data,
        .ggsn_ip = ends.ggsn_ip,
        .ggsn_teid = answer->teid_data,
        .address = ip_of(&given->user_ipv4),
        .prefix = half_of(&given->user_ipv6, 0),
        .interface = half_of(&given->user_ipv6, 8),
        .ip_version = version_of(&given->user_ipv4, &given->user_ipv6),
        .sgsn_control = end_of(&asked->control),
        .sgsn_control_teid = asked->teid_control,
        .ggsn_control = end_of(&answer->control),
        .ggsn_control_teid = answer->teid_control,
        .gtp_nsapi = asked->nsapi,
        .nsapi = asked->nsapi,
        /* The GGSN may grant another traffic class than the requested one. */
        .qclass = answer->has & GTPC_HAS_QOS ? qclass_of(answer) : request->qclass,
    };
    sessions_add(g->sessions, asked->imsi, &params);
}

/* Whether a Delete Request to this address and TEID speaks of the session's mobile. */
static bool is_meant(const struct session *session, const struct neighbour_ip *to, uint32_t teid)
{
    return (neighbour_ip_is_same(&session->ggsn_control, to) && session->ggsn_control_teid == teid) ||
           (neighbour_ip_is_same(&session->sgsn_control, to) && session->sgsn_control_teid == teid);
}

static void deleted(struct gtpc_learn *g, const struct gtpc_learn_request *request)
{
    const struct gtpc *asked = &request->msg;
    bool is_teardown = (asked->has & GTPC_HAS_TEARDOWN) && asked->teardown;

    for (uint32_t i = 0; i < g->sessions->count; i++) {
        struct session *session = &g->sessions->list[i];
        if (session->is_active && is_meant(session, &request->way.to, asked->teid) &&
            (is_teardown || session->gtp_nsapi == asked->nsapi))
            sessions_end(g->sessions, session);
    }
}

static void answered(struct gtpc_learn *g, const struct gtpc *answer, const struct gtpc_pieces_way *way)
{
    struct gtpc_learn_request *request = gtpc_learn_take(g, answer, way);
    if (!request || !gtpc_is_accepted(answer->cause))
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

static void receive(struct gtpc_learn *g, const uint8_t *bytes, size_t len, const struct gtpc_pieces_way *way)
{
    struct gtpc msg;
    int rc = gtpc_decode(&msg, bytes, len);

    if (rc == ERR_UNSUPPORTED ||
        (rc >= 0 && (msg.type < GTPC_CREATE_REQUEST || msg.type > GTPC_DELETE_RESPONSE)))
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
        keep(g, &msg, way);
        break;
    default:
        answered(g, &msg, way);
        break;
    }
}

/* The payload of an IP packet as a piece of a datagram, which may be all of it (offset 0, is_last). False: it
 * is not UDP. */

static bool unwrap_ipv4(const uint8_t *bytes, size_t octets, struct gtpc_pieces_piece *out)
{
    struct ipv4 ip;
    int header = ipv4_decode(&ip, bytes, octets);
    if (header < 0 || ip.proto != IPV4_PROTO_UDP)
        return false;
    *out = (struct gtpc_pieces_piece){.way = {neighbour_ip_v4(ip.src), neighbour_ip_v4(ip.dst)},
                                      .id = ip.id,
                                      .offset = ip.fragment_offset_octets,
                                      .is_last = !ip.more_fragments,
                                      .bytes = bytes + header,
                                      .octets = ip.payload_octets};
    return true;
}

static bool unwrap_ipv6(const uint8_t *bytes, size_t octets, struct gtpc_pieces_piece *out)
{
    struct ipv6 ip;
    struct ipv6_fragment fragment = {.offset_octets = 0};
    int header = ipv6_decode(&ip, bytes, octets), more = 0;
    if (header < 0)
        return false;
    bool is_fragment = ip.next_header == IPV6_FRAGMENT;
    if (is_fragment)
        more = ipv6_fragment_decode(&fragment, bytes + header, ip.payload_octets);
    if (more < 0 || (is_fragment ? fragment.next_header : ip.next_header) != IPV4_PROTO_UDP)
        return false;
    *out = (struct gtpc_pieces_piece){.way = {neighbour_ip_v6(ip.src), neighbour_ip_v6(ip.dst)},
                                      .id = fragment.id,
                                      .offset = fragment.offset_octets,
                                      .is_last = !fragment.more,
                                      .bytes = bytes + header + more,
                                      .octets = ip.payload_octets - (size_t)more};
    return true;
}

/* A UDP datagram, from port to port. */
static void read_udp(struct gtpc_learn *g, const uint8_t *bytes, size_t octets,
                     const struct gtpc_pieces_way *way)
{
    struct udp udp;
    if (udp_decode(&udp, bytes, octets) < 0)
        return;
    if (udp.dst_port == GTPC_PORT || udp.src_port == GTPC_PORT)
        receive(g, bytes + UDP_OCTETS, udp.payload_octets, way);
}

void gtpc_learn_frame(struct gtpc_learn *g, const uint8_t *frame, size_t octets, int64_t now)
{
    struct ether ether;
    struct gtpc_pieces_piece piece;
    const uint8_t *whole = NULL;
    int offset = ether_decode(&ether, frame, octets);
    if (offset < 0)
        return;
    const uint8_t *bytes = frame + offset;
    octets -= (size_t)offset;
    bool is_udp = ether.type == ETHER_TYPE_IPV4   ? unwrap_ipv4(bytes, octets, &piece)
                  : ether.type == ETHER_TYPE_IPV6 ? unwrap_ipv6(bytes, octets, &piece)
                                                  : false;
    if (!is_udp)
        return;
    if (piece.offset == 0 && piece.is_last)
        read_udp(g, piece.bytes, piece.octets, &piece.way);
    else if ((octets = gtpc_pieces_put(&g->pieces, &piece, &whole, now)) > 0)
        read_udp(g, whole, octets, &piece.way);
}
