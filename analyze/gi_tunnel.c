/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP tunnels in a capture of Gi: the inner packet of a G-PDU, and the mobile that it belongs to. */
#include "analyze/gi_analysis.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/base/moment.h"

#include <string.h>

#define KEPT_NS (5 * MOMENT_SECOND)

enum { FREE, UNKNOWN, TUNNEL, PLAIN };

/* The captured octets of a datagram and its length. */
struct span {
    const uint8_t *bytes;
    size_t captured, octets;
};

/* Skips extension headers, which may be truncated here. 0: the T-PDU is not captured. */
static size_t skip_extensions(const struct span *in)
{
    size_t at = GTPU_LONG_OCTETS;
    struct gtpu_extension header = {.next = in->bytes[at - 1]};
    while (header.next) {
        int octets = gtpu_extension_decode(&header, header.next, in->bytes + at, in->captured - at);
        if (octets < 0)
            return 0;
        at += (size_t)octets;
    }
    return at;
}

/* The offset of the T-PDU in a G-PDU; 0: not a G-PDU, or the T-PDU is not captured. */
static size_t t_pdu_of(struct span *in)
{
    struct gtpu header;
    if (in->captured < GTPU_LONG_OCTETS || in->bytes[0] >> 4 != GTPU_VERSION_1 >> 4 ||
        in->bytes[1] != GTPU_G_PDU)
        return 0;
    in->octets = in->octets < GTPU_OCTETS + (size_t)bytes_get_u16(in->bytes + 2)
                     ? in->octets
                     : GTPU_OCTETS + (size_t)bytes_get_u16(in->bytes + 2);
    in->captured = in->captured < in->octets ? in->captured : in->octets;
    if (in->captured < GTPU_LONG_OCTETS)
        return 0;
    if (in->bytes[0] & GTPU_E)
        return skip_extensions(in);
    return gtpu_decode(&header, in->bytes, in->octets) > 0 ? header.payload_offset : 0;
}

/* Takes the user's packet out of a UDP datagram. False: none; p is unchanged. */
static bool take_inner(struct gi_packet *p, struct span in)
{
    if (in.captured < UDP_OCTETS)
        return false;
    struct span gtp = {in.bytes + UDP_OCTETS, in.captured - UDP_OCTETS, in.octets - UDP_OCTETS};
    size_t at = t_pdu_of(&gtp);
    struct gi_packet inner = {.at_ns = p->at_ns};
    if (at == 0 || at > gtp.captured ||
        gi_packet_decode(&inner, gtp.bytes + at, gtp.captured - at, gtp.octets - at) < 0)
        return false;
    *p = inner;
    return true;
}

static struct gi_address address_of(const struct gtpc_address *a)
{
    return a->octets == 4 ? gi_packet_ipv4(bytes_get_u32(a->bytes)) : gi_packet_ipv6(a->bytes);
}

static enum gi_tunnel_kind learn(struct gi_tunnel *t, const struct gi_packet *p)
{
    struct gtpc m;
    t->mobile_count = 0;
    if (p->transport_captured < p->transport_octets || p->transport_octets <= UDP_OCTETS ||
        gtpc_decode(&m, p->transport + UDP_OCTETS, p->transport_octets - UDP_OCTETS) < 0)
        return GI_TUNNEL_NOTHING;
    bool is_given = m.type == GTPC_CREATE_RESPONSE && gtpc_is_accepted(m.cause) && m.has & GTPC_HAS_END_USER;
    if (is_given && m.user_ipv4.octets)
        t->mobiles[t->mobile_count++] = address_of(&m.user_ipv4);
    if (is_given && m.user_ipv6.octets)
        t->mobiles[t->mobile_count++] = address_of(&m.user_ipv6);
    return t->mobile_count ? GI_TUNNEL_ADDRESSES : GI_TUNNEL_NOTHING;
}

static bool has_port(const struct gi_packet *p, uint16_t port)
{
    return p->protocol == IPV4_PROTO_UDP && (p->src_port == port || p->dst_port == port);
}

static bool is_of(const struct gi_tunnel_entry *e, const struct gi_packet *p)
{
    return e->state != FREE && e->id == p->fragment.id && gi_packet_is_same(e->src, p->src) &&
           gi_packet_is_same(e->dst, p->dst);
}

static bool is_old(const struct gi_tunnel_entry *e, int64_t now)
{
    return now - e->last_ns > KEPT_NS;
}

static void give_up(struct gi_tunnel *t, struct gi_tunnel_entry *e)
{
    t->incomplete += e->state == UNKNOWN || e->state == TUNNEL;
    e->state = FREE;
}

static struct gi_tunnel_entry *entry_of(struct gi_tunnel *t, const struct gi_packet *p)
{
    uint64_t mixed = (p->src.low ^ p->dst.low * 3 ^ p->src.high ^ p->dst.high ^ p->fragment.id) *
                     UINT64_C(0x9e3779b97f4a7c15);
    struct gi_tunnel_entry *ways = &t->entries[(mixed >> 52) / GI_TUNNEL_WAYS * GI_TUNNEL_WAYS],
                           *oldest = ways;
    for (unsigned i = 0; i < GI_TUNNEL_WAYS; i++) {
        if (is_of(&ways[i], p) && !is_old(&ways[i], p->at_ns))
            return &ways[i];
        if (ways[i].state == FREE || (oldest->state != FREE && ways[i].last_ns < oldest->last_ns))
            oldest = &ways[i];
    }
    give_up(t, oldest);
    oldest->src = p->src;
    oldest->dst = p->dst;
    oldest->id = p->fragment.id;
    oldest->state = UNKNOWN;
    oldest->got_octets = oldest->octets = oldest->head_octets = 0;
    oldest->pieces = 0;
    return oldest;
}

static void keep_head(struct gi_tunnel_entry *e, const struct gi_packet *p)
{
    size_t octets = p->transport_captured < sizeof(e->head) ? p->transport_captured : sizeof(e->head);
    e->head_octets = (uint16_t)octets;
    memcpy(e->head, p->transport, octets);
    e->state = has_port(p, GTPU_PORT) || has_port(p, GTPC_PORT) ? TUNNEL : PLAIN;
}

/* Notes a piece. False: it is a copy, which the network may make (RFC 791, RFC 8200 clause 4.5). */
static bool note_piece(struct gi_tunnel_entry *e, const struct gi_packet *p)
{
    uint16_t offset = (uint16_t)(p->fragment.offset_octets / 8);
    for (unsigned i = 0; i < e->pieces; i++)
        if (e->offsets[i] == offset)
            return false;
    if (e->pieces < GI_TUNNEL_PIECES)
        e->offsets[e->pieces++] = offset;
    return true;
}

static enum gi_tunnel_kind complete(struct gi_tunnel *t, struct gi_tunnel_entry *e, struct gi_packet *p)
{
    struct span in = {e->head, e->head_octets, e->octets};
    e->state = FREE;
    if (!take_inner(p, in)) {
        t->unreadable++;
        return GI_TUNNEL_NOTHING;
    }
    t->packets++;
    return GI_TUNNEL_INNER;
}

static enum gi_tunnel_kind add_fragment(struct gi_tunnel *t, struct gi_packet *p)
{
    struct gi_tunnel_entry *e = entry_of(t, p);
    bool is_new = note_piece(e, p);
    e->last_ns = p->at_ns;
    if (is_new && p->fragment.offset_octets == 0)
        keep_head(e, p);
    if (is_new && p->fragment.is_last)
        e->octets = p->fragment.offset_octets + p->transport_octets;
    e->got_octets += is_new ? p->transport_octets : 0;
    if (e->state == PLAIN)
        return GI_TUNNEL_PLAIN;
    t->fragments++;
    if (e->state != TUNNEL || e->octets == 0 || e->got_octets < e->octets)
        return GI_TUNNEL_NOTHING;
    return e->octets >= e->head_octets ? complete(t, e, p) : GI_TUNNEL_NOTHING;
}

enum gi_tunnel_kind gi_tunnel_open(struct gi_tunnel *t, struct gi_packet *p)
{
    if (p->fragment.is_one)
        return p->protocol == IPV4_PROTO_UDP ? add_fragment(t, p) : GI_TUNNEL_PLAIN;
    if (has_port(p, GTPC_PORT))
        return learn(t, p);
    if (!has_port(p, GTPU_PORT))
        return GI_TUNNEL_PLAIN;
    if (take_inner(p, (struct span){p->transport, p->transport_captured, p->transport_octets})) {
        t->packets++;
        return GI_TUNNEL_INNER;
    }
    t->unreadable++;
    return GI_TUNNEL_NOTHING;
}

void gi_tunnel_finish(struct gi_tunnel *t)
{
    for (unsigned i = 0; i < GI_TUNNEL_ENTRIES; i++)
        give_up(t, &t->entries[i]);
}
