/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/link.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <pcap/dlt.h>
#include <string.h>

#ifndef DLT_LINUX_SLL2
#define DLT_LINUX_SLL2 276
#endif

/* EtherTypes that ether.h does not need. */
enum {
    SERVICE_VLAN = 0x88a8,
    OLD_VLAN_FIRST = 0x9100, /* to 0x9300 in steps of 0x100 */
    OLD_VLAN_LAST = 0x9300,
    MPLS = 0x8847,
    MPLS_MULTICAST = 0x8848,
    PPPOE_SESSION = 0x8864,
    BRIDGED = 0x6558,     /* in GRE: an Ethernet frame */
    LONGEST_802_3 = 1500, /* a smaller type is a length, and LLC follows */
};

enum { PPP_IPV4 = 0x21, PPP_IPV6 = 0x57, PPP_MPLS = 0x281, PPP_MPLS_MULTICAST = 0x283 };
enum { TAG_OCTETS = 4, LABEL_OCTETS = 4, PPPOE_OCTETS = 6, LLC_OCTETS = 3, SNAP_OCTETS = 8, HDLC_OCTETS = 4 };
enum { GRE_OCTETS = 4, GRE_CHECKSUM = 0x8000, GRE_ROUTING = 0x4000, GRE_KEY = 0x2000, GRE_SEQUENCE = 0x1000 };
enum { PROTO_IPV4 = 4, PROTO_IPV6 = 41, PROTO_GRE = 47 };
enum { VXLAN_PORT = 4789, VXLAN_LINUX_PORT = 8472, GENEVE_PORT = 6081, VXLAN_OCTETS = 8, GENEVE_OCTETS = 8 };
enum { VXLAN_ID = 8, VXLAN_HAS_NEXT = 4, VXLAN_POLICY = 0x80, VXLAN_ETHERNET = 3, VXLAN_GPE_PORT = 4790 };
enum {
    ERSPAN = 0x88be,
    ERSPAN3 = 0x22eb,
    ERSPAN_OCTETS = 8,
    ERSPAN3_OCTETS = 12,
    ERSPAN3_MORE = 1,
    ERSPAN3_IP = 2
};

/* The part behind a link header. */
enum begin {
    BEGIN_TYPE, /* its EtherType is at type_offset */
    BEGIN_IP,   /* an IP packet, whose version gives the type */
    BEGIN_PPP,  /* PPP, perhaps behind the two octets of its HDLC framing */
    BEGIN_HDLC, /* Cisco HDLC, or PPP in HDLC framing */
    BEGIN_PPPOE,
};

static const struct header {
    int link_type;
    uint8_t begin, octets, type_offset;
} headers[] = {
    {DLT_EN10MB, BEGIN_TYPE, ETHER_OCTETS, 12},
    {DLT_RAW, BEGIN_IP, 0, 0},
    {DLT_LINUX_SLL, BEGIN_TYPE, 16, 14},
    {DLT_LINUX_SLL2, BEGIN_TYPE, 20, 0},
    {DLT_NULL, BEGIN_IP, 4, 0},
    {DLT_LOOP, BEGIN_IP, 4, 0},
    {DLT_IPV4, BEGIN_IP, 0, 0},
    {DLT_IPV6, BEGIN_IP, 0, 0},
    {DLT_PPP, BEGIN_PPP, 0, 0},
    {DLT_PPP_PPPD, BEGIN_PPP, 1, 0}, /* an octet of direction in place of the address */
    {DLT_PPP_SERIAL, BEGIN_HDLC, 0, 0},
    {DLT_C_HDLC, BEGIN_HDLC, 0, 0},
    {DLT_PPP_ETHER, BEGIN_PPPOE, 0, 0},
};

static const struct header *header_of(int link_type)
{
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        if (headers[i].link_type == link_type)
            return &headers[i];
    return NULL;
}

bool capture_link_is_known(int link_type)
{
    return header_of(link_type) != NULL;
}

const char *capture_link_names(void)
{
    return "Ethernet, raw IP, loopback, Linux cooked, PPP, Cisco HDLC";
}

/* --- headers, one after the other --- */

static struct capture_link cut(void)
{
    return (struct capture_link){CAPTURE_LINK_CUT, 0};
}

static void skip(struct capture_frame *frame, size_t octets)
{
    frame->bytes += octets;
    frame->captured -= octets;
    frame->wire_octets -= octets;
}

/* By its version; another version than 6 shows as IPv4, which its decoder refuses. */
static struct capture_link ip_of(const struct capture_frame *frame)
{
    bool is_ipv6 = frame->captured > 0 && frame->bytes[0] >> 4 == 6;
    return (struct capture_link){CAPTURE_LINK_IP, is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4};
}

/* All labels; what follows the last has no type, and is IP if it has its version. */
static struct capture_link strip_labels(struct capture_frame *frame)
{
    bool is_last = false;
    while (!is_last) {
        if (frame->captured < LABEL_OCTETS + 1)
            return cut();
        is_last = frame->bytes[2] & 1;
        skip(frame, LABEL_OCTETS);
    }
    unsigned version = frame->bytes[0] >> 4;
    return version == 4 || version == 6 ? ip_of(frame) : (struct capture_link){CAPTURE_LINK_LABELLED, 0};
}

/* The protocol has one octet if that is odd (RFC 1661 clause 2, 6.5). */
static struct capture_link strip_ppp(struct capture_frame *frame)
{
    size_t octets = frame->captured > 0 && frame->bytes[0] & 1 ? 1 : 2;
    if (frame->captured < octets)
        return cut();
    uint16_t protocol = octets == 1 ? frame->bytes[0] : bytes_get_u16(frame->bytes);
    skip(frame, octets);
    switch (protocol) {
    case PPP_IPV4:
    case PPP_IPV6:
        return (struct capture_link){CAPTURE_LINK_IP,
                                     protocol == PPP_IPV6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4};
    case PPP_MPLS:
    case PPP_MPLS_MULTICAST:
        return strip_labels(frame);
    default:
        return (struct capture_link){CAPTURE_LINK_PPP, protocol};
    }
}

static struct capture_link strip_pppoe(struct capture_frame *frame)
{
    if (frame->captured < PPPOE_OCTETS)
        return cut();
    skip(frame, PPPOE_OCTETS);
    return strip_ppp(frame);
}

static bool is_tag(uint32_t type)
{
    return type == ETHER_TYPE_VLAN || type == SERVICE_VLAN ||
           (type >= OLD_VLAN_FIRST && type <= OLD_VLAN_LAST && type % 0x100 == 0);
}

/* IEEE 802.2: SNAP has an EtherType. PROTOCOL: it is to be followed. */
static struct capture_link strip_llc(struct capture_frame *frame)
{
    static const uint8_t snap[LLC_OCTETS] = {0xaa, 0xaa, 3};
    if (frame->captured < LLC_OCTETS)
        return cut();
    if (memcmp(frame->bytes, snap, sizeof(snap)) != 0)
        return (struct capture_link){CAPTURE_LINK_LLC, bytes_get_u16(frame->bytes)};
    if (frame->captured < SNAP_OCTETS)
        return cut();
    uint16_t type = bytes_get_u16(frame->bytes + SNAP_OCTETS - 2);
    skip(frame, SNAP_OCTETS);
    return (struct capture_link){CAPTURE_LINK_PROTOCOL, type};
}

/* Follows EtherTypes until something else is reached. Each round removes a header. */
static struct capture_link strip_types(struct capture_frame *frame, uint32_t type)
{
    struct capture_link at = {CAPTURE_LINK_PROTOCOL, type};
    while (at.end == CAPTURE_LINK_PROTOCOL) {
        size_t octets = is_tag(at.type) ? TAG_OCTETS : at.type == BRIDGED ? ETHER_OCTETS : 0;
        if (octets > 0) {
            if (frame->captured < octets)
                return cut();
            at.type = bytes_get_u16(frame->bytes + octets - 2);
            skip(frame, octets);
        } else if (at.type <= LONGEST_802_3) {
            at = strip_llc(frame);
        } else {
            break;
        }
    }
    if (at.end != CAPTURE_LINK_PROTOCOL)
        return at;
    if (at.type == MPLS || at.type == MPLS_MULTICAST)
        return strip_labels(frame);
    if (at.type == PPPOE_SESSION)
        return strip_pppoe(frame);
    if (at.type == ETHER_TYPE_IPV4 || at.type == ETHER_TYPE_IPV6)
        at.end = CAPTURE_LINK_IP;
    return at;
}

/* Behind 0xff 0x03 PPP follows (RFC 1662), which may leave both out. */
static struct capture_link strip_framing(struct capture_frame *frame)
{
    bool is_framed = frame->captured > 1 && frame->bytes[0] == 0xff && frame->bytes[1] == 3;
    if (is_framed)
        skip(frame, 2);
    return strip_ppp(frame);
}

/* Of pppd: an octet of direction, then control, or PPP at once. */
static struct capture_link strip_pppd(struct capture_frame *frame)
{
    if (frame->captured > 0 && frame->bytes[0] == 3)
        skip(frame, 1);
    return strip_ppp(frame);
}

/* Cisco's address is 0x0f or 0x8f, and an EtherType follows the control octet. */
static struct capture_link strip_hdlc(struct capture_frame *frame)
{
    bool is_cisco = frame->captured > 0 && (frame->bytes[0] & 0x7f) == 0x0f;
    if (!is_cisco)
        return strip_framing(frame);
    if (frame->captured < HDLC_OCTETS)
        return cut();
    uint16_t type = bytes_get_u16(frame->bytes + 2);
    skip(frame, HDLC_OCTETS);
    return strip_types(frame, type);
}

struct capture_link capture_link_strip(struct capture_frame *frame)
{
    const struct header *header = header_of(frame->link_type);
    const uint8_t *bytes = frame->bytes;
    if (!header)
        return (struct capture_link){CAPTURE_LINK_UNKNOWN, (uint32_t)frame->link_type};
    if (frame->captured < header->octets)
        return cut();
    skip(frame, header->octets);
    switch ((enum begin)header->begin) {
    case BEGIN_TYPE:
        return strip_types(frame, bytes_get_u16(bytes + header->type_offset));
    case BEGIN_PPP:
        return header->octets > 0 ? strip_pppd(frame) : strip_framing(frame);
    case BEGIN_HDLC:
        return strip_hdlc(frame);
    case BEGIN_PPPOE:
        return strip_pppoe(frame);
    case BEGIN_IP:
    default:
        return ip_of(frame);
    }
}

/* --- tunnels --- */

enum capture_tunnel_kind capture_link_tunnel_of(uint8_t protocol, uint16_t dst_port)
{
    switch (protocol) {
    case PROTO_IPV4:
    case PROTO_IPV6:
        return CAPTURE_TUNNEL_IP;
    case PROTO_GRE:
        return CAPTURE_TUNNEL_GRE;
    case IPV4_PROTO_UDP:
        return dst_port == VXLAN_PORT || dst_port == VXLAN_GPE_PORT || dst_port == VXLAN_LINUX_PORT
                   ? CAPTURE_TUNNEL_VXLAN
               : dst_port == GENEVE_PORT ? CAPTURE_TUNNEL_GENEVE
                                         : CAPTURE_TUNNEL_NONE;
    default:
        return CAPTURE_TUNNEL_NONE;
    }
}

const char *capture_link_tunnel_name(enum capture_tunnel_kind kind)
{
    static const char *const names[CAPTURE_TUNNELS] = {"none", "IP", "GRE", "ERSPAN", "VXLAN", "Geneve"};
    return names[kind];
}

/* Outer IP headers: return the protocol behind them; 0: they are cut, malformed, or of a fragment. */

static uint8_t strip_ipv4(struct capture_frame *frame)
{
    const uint8_t *bytes = frame->bytes;
    size_t octets = frame->captured < IPV4_OCTETS ? 0 : (size_t)4 * (bytes[0] & 15);
    if (octets < IPV4_OCTETS || octets > frame->captured || bytes_get_u16(bytes + 6) & 0x3fff)
        return 0;
    skip(frame, octets);
    return bytes[9];
}

/* Linux puts an option of the tunnel's depth in front of what it carries (RFC 2473 clause 4.1.1). */
static uint8_t strip_ipv6(struct capture_frame *frame)
{
    if (frame->captured < IPV6_OCTETS)
        return 0;
    uint8_t protocol = frame->bytes[6];
    skip(frame, IPV6_OCTETS);
    while (protocol == IPV6_DESTINATION && frame->captured >= 8) {
        size_t octets = 8 + (size_t)8 * frame->bytes[1];
        if (octets > frame->captured)
            return 0;
        protocol = frame->bytes[0];
        skip(frame, octets);
    }
    return protocol;
}

static uint8_t strip_ip(struct capture_frame *frame)
{
    unsigned version = frame->captured > 0 ? frame->bytes[0] >> 4 : 0;
    return version == 4 ? strip_ipv4(frame) : version == 6 ? strip_ipv6(frame) : 0;
}

/* An Ethernet frame behind these octets. */
static struct capture_link strip_frame(struct capture_frame *frame, size_t octets)
{
    if (frame->captured < octets)
        return cut();
    skip(frame, octets);
    return strip_types(frame, BRIDGED);
}

/* Type II has 8 octets in front of the frame, type III 12, and 8 more with the bit O. Type I has none, and no
 * number in GRE. */
static struct capture_link strip_erspan(struct capture_frame *frame, unsigned type, bool is_numbered)
{
    if (type == ERSPAN && !is_numbered)
        return strip_frame(frame, 0);
    if (type == ERSPAN)
        return strip_frame(frame, ERSPAN_OCTETS);
    if (frame->captured < ERSPAN3_OCTETS)
        return cut();
    unsigned kind = bytes_get_u16(frame->bytes + ERSPAN3_OCTETS - 2);
    size_t octets = ERSPAN3_OCTETS + (kind & ERSPAN3_MORE ? 8 : 0);
    if ((kind >> 10 & 31) != ERSPAN3_IP)
        return strip_frame(frame, octets);
    if (frame->captured < octets)
        return cut();
    skip(frame, octets);
    return ip_of(frame);
}

static void strip_gre(struct capture_frame *frame, struct capture_tunnel *out)
{
    out->link = cut();
    if (frame->captured < GRE_OCTETS)
        return;
    unsigned flags = bytes_get_u16(frame->bytes), type = bytes_get_u16(frame->bytes + 2);
    size_t octets = GRE_OCTETS;
    for (unsigned bit = GRE_SEQUENCE; bit <= GRE_CHECKSUM; bit <<= 1)
        octets += flags & bit ? 4 : 0;
    if (flags & (GRE_ROUTING | 7) || frame->captured < octets) /* 7: the version */
        return;
    skip(frame, octets);
    bool is_erspan = type == ERSPAN || type == ERSPAN3;
    out->kind = is_erspan ? CAPTURE_TUNNEL_ERSPAN : out->kind;
    out->has_frame = is_erspan || type == BRIDGED;
    out->link = is_erspan               ? strip_erspan(frame, type, flags & GRE_SEQUENCE)
                : type <= LONGEST_802_3 ? (struct capture_link){CAPTURE_LINK_PROTOCOL, type}
                                        : strip_types(frame, type);
}

/* Its flags have the bit I, perhaps those of a policy and of a next protocol (VXLAN-GPE), and the octet
 * behind the identifier is 0. */
static void strip_vxlan(struct capture_frame *frame, struct capture_tunnel *out)
{
    const uint8_t *bytes = frame->bytes;
    out->link = cut();
    if (frame->captured < VXLAN_OCTETS)
        return;
    unsigned next = bytes[0] & VXLAN_HAS_NEXT ? bytes[3] : VXLAN_ETHERNET;
    if ((bytes[0] & ~(VXLAN_HAS_NEXT | VXLAN_POLICY)) != VXLAN_ID || bytes[7] != 0 || next == 0 ||
        next > VXLAN_ETHERNET) {
        out->kind = CAPTURE_TUNNEL_NONE;
        return;
    }
    out->has_frame = next == VXLAN_ETHERNET;
    if (out->has_frame) {
        out->link = strip_frame(frame, VXLAN_OCTETS);
        return;
    }
    skip(frame, VXLAN_OCTETS);
    out->link = ip_of(frame);
}

/* Version 0; bits 2 to 7 of the second octet and the last octet are 0. */
static void strip_geneve(struct capture_frame *frame, struct capture_tunnel *out)
{
    const uint8_t *bytes = frame->bytes;
    out->link = cut();
    if (frame->captured < GENEVE_OCTETS)
        return;
    size_t octets = GENEVE_OCTETS + (size_t)4 * (bytes[0] & 0x3f);
    unsigned type = bytes_get_u16(bytes + 2);
    if (bytes[0] >> 6 || bytes[1] & 0x3f || bytes[7] || type <= LONGEST_802_3) {
        out->kind = CAPTURE_TUNNEL_NONE;
        return;
    }
    if (frame->captured < octets)
        return;
    skip(frame, octets);
    out->has_frame = type == BRIDGED;
    out->link = strip_types(frame, type);
}

/* Behind the outer IP header. */
static void strip_tunnel(struct capture_frame *frame, struct capture_tunnel *out)
{
    if (out->kind == CAPTURE_TUNNEL_GRE) {
        strip_gre(frame, out);
    } else if (out->kind == CAPTURE_TUNNEL_IP) {
        out->link = ip_of(frame);
    } else {
        skip(frame, UDP_OCTETS);
        if (out->kind == CAPTURE_TUNNEL_VXLAN)
            strip_vxlan(frame, out);
        else
            strip_geneve(frame, out);
    }
}

struct capture_tunnel capture_link_open_tunnel(struct capture_frame *frame)
{
    struct capture_frame inner = *frame;
    struct capture_tunnel out = {.link = cut()};
    uint8_t protocol = strip_ip(&inner);
    uint16_t port = inner.captured < UDP_OCTETS ? 0 : bytes_get_u16(inner.bytes + 2);
    out.kind = capture_link_tunnel_of(protocol, port);
    if (out.kind == CAPTURE_TUNNEL_NONE)
        return out;
    strip_tunnel(&inner, &out);
    unsigned version = inner.captured > 0 ? inner.bytes[0] >> 4 : 0;
    bool is_right = out.kind != CAPTURE_TUNNEL_IP ? version == 4 || version == 6
                    : protocol == PROTO_IPV4      ? version == 4
                                                  : version == 6;
    out.is_open = out.link.end == CAPTURE_LINK_IP && is_right && out.kind != CAPTURE_TUNNEL_NONE;
    if (out.is_open)
        *frame = inner;
    return out;
}

/* --- for other programs --- */

/* Its own decoder reads one tag of 802.1Q. */
static bool is_plain_ethernet(const struct capture_frame *frame, const struct capture_frame *ip)
{
    size_t octets = (size_t)(ip->bytes - frame->bytes);
    return octets == ETHER_OCTETS ||
           (octets == ETHER_TAGGED_OCTETS && bytes_get_u16(frame->bytes + 12) == ETHER_TYPE_VLAN);
}

/* The EtherType of the rest; 0: it has none. */
static uint16_t type_of(const struct capture_link *link)
{
    bool has_type = link->end == CAPTURE_LINK_IP || link->end == CAPTURE_LINK_PROTOCOL;
    return has_type ? (uint16_t)link->type : 0;
}

void capture_link_to_ethernet(struct capture_frame *frame, uint8_t *made, size_t room)
{
    struct capture_frame ip = *frame;
    struct capture_link link = capture_link_strip(&ip);
    for (unsigned i = 0; i < CAPTURE_LINK_TUNNELS_MOST && link.end == CAPTURE_LINK_IP &&
                         capture_link_open_tunnel(&ip).is_open;
         i++)
        link = ip_of(&ip);
    if (frame->link_type == DLT_EN10MB && (link.end != CAPTURE_LINK_IP || is_plain_ethernet(frame, &ip)))
        return;
    if (link.end == CAPTURE_LINK_UNKNOWN || link.end == CAPTURE_LINK_CUT ||
        ip.captured + ETHER_OCTETS > room) {
        frame->captured = frame->wire_octets = 0;
        return;
    }
    struct ether ether = {.type = type_of(&link)};
    ether_encode(made, ETHER_OCTETS, &ether);
    memcpy(made + ETHER_OCTETS, ip.bytes, ip.captured);
    frame->bytes = made;
    frame->captured = ip.captured + ETHER_OCTETS;
    frame->wire_octets = ip.wire_octets + ETHER_OCTETS;
    frame->link_type = DLT_EN10MB;
}

/* A damaged header tells no length. A checksum of 0 was left to the network card. */
static bool is_sound_ipv4(const struct capture_frame *ip)
{
    size_t octets = (size_t)4 * (ip->bytes[0] & 15);
    if (octets < IPV4_OCTETS || ip->captured < octets)
        return octets >= IPV4_OCTETS;
    return bytes_get_u16(ip->bytes + 10) == 0 || ipv4_is_checksum_good(ip->bytes, octets);
}

void capture_link_correct(struct capture_frame *frame, const struct capture_frame *ip)
{
    size_t octets = 0;
    if (ip->captured >= 4 && ip->bytes[0] >> 4 == 4)
        octets = bytes_get_u16(ip->bytes + 2);
    else if (ip->captured >= 6 && ip->bytes[0] >> 4 == 6)
        octets = IPV6_OCTETS + (size_t)bytes_get_u16(ip->bytes + 4);
    bool is_damaged = octets > 0 && ip->bytes[0] >> 4 == 4 && !is_sound_ipv4(ip);
    if (octets > ip->wire_octets && !is_damaged)
        frame->wire_octets += octets - ip->wire_octets;
}
