/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link layers of captures, by the link types of libpcap (DLT_...): from a frame to its IP packet.
 *
 * Links: Ethernet II and 802.3 with SNAP, Linux cooked (SLL and SLL2), loopback of BSD, PPP, Cisco HDLC, raw
 * IP. Between link and IP, in any number and order: VLAN tags (IEEE 802.1Q and 802.1ad, and 0x9100 to 0x9300
 * from before them), PPPoE sessions (RFC 2516), MPLS labels (RFC 3032).
 *
 * Not here: Ethernet in MPLS, encryption, radio links.
 */
#ifndef CAPTURE_LINK_H
#define CAPTURE_LINK_H

#include "capture/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether frames of a link type, as pcap_datalink() gives it, can be decoded. */
bool capture_link_is_known(int link_type);

/* The names of the supported link layers, for a message. */
const char *capture_link_names(void);

enum capture_link_end {
    CAPTURE_LINK_IP,
    CAPTURE_LINK_UNKNOWN,  /* type: the link type, which is not supported */
    CAPTURE_LINK_CUT,      /* a part of the headers is not captured */
    CAPTURE_LINK_PROTOCOL, /* type: the EtherType of what follows, which is not IP */
    CAPTURE_LINK_PPP,      /* type: PPP's protocol of what follows, which is not IP */
    CAPTURE_LINK_LLC,      /* type: DSAP and SSAP of IEEE 802.2 */
    CAPTURE_LINK_LABELLED, /* MPLS without an IP packet */
};

/* The part of a frame behind the headers in front of IP. */
struct capture_link {
    enum capture_link_end end;
    uint32_t type; /* CAPTURE_LINK_IP: its EtherType */
};

/* Removes all headers in front of what is returned, as far as they are captured. */
struct capture_link capture_link_strip(struct capture_frame *frame);

/* Tunnels between routers, hosts of virtual machines, or a switch and its monitor. */
enum capture_tunnel_kind {
    CAPTURE_TUNNEL_NONE,
    CAPTURE_TUNNEL_IP,     /* IP in IP (RFC 2003, RFC 4213) */
    CAPTURE_TUNNEL_GRE,    /* RFC 2784, RFC 2890, with IP, an Ethernet frame or MPLS */
    CAPTURE_TUNNEL_ERSPAN, /* Cisco's types I, II and III in GRE (draft-foschiano-erspan-03) */
    CAPTURE_TUNNEL_VXLAN,  /* RFC 7348, also with a next protocol (draft-ietf-nvo3-vxlan-gpe-13) */
    CAPTURE_TUNNEL_GENEVE, /* RFC 8926 */
    CAPTURE_TUNNELS,
};

enum { CAPTURE_LINK_TUNNELS_MOST = 8 }; /* one in the other; what is deeper stays closed */

struct capture_tunnel {
    enum capture_tunnel_kind kind;
    bool is_open;             /* else the frame is unchanged */
    bool has_frame;           /* an Ethernet frame is in it */
    struct capture_link link; /* what was reached; CAPTURE_LINK_CUT also of a fragment */
};

/* The kind of tunnel of packets with this protocol of IP and port of destination, 0: none known. ERSPAN shows
 * as GRE. */
enum capture_tunnel_kind capture_link_tunnel_of(uint8_t protocol, uint16_t dst_port);

/*
 * Removes the headers of one tunnel from a frame that begins with its outer IP header, and what
 * capture_link_strip() removes behind them. It is open if an IP packet was reached. A datagram to a port of
 * VXLAN or Geneve whose header is not of that protocol is in no tunnel.
 */
struct capture_tunnel capture_link_open_tunnel(struct capture_frame *frame);

const char *capture_link_tunnel_name(enum capture_tunnel_kind kind);

/*
 * Replaces what is in front of IP by an Ethernet header, in `made` (room in octets), tunnels between routers
 * included. A frame of Ethernet stays as it is if its IP packet follows the header or one tag, or if it has
 * none. If a part of the headers is missing, the link type is not supported or the frame has no room, the
 * frame becomes empty (captured and wire_octets are 0).
 */
void capture_link_to_ethernet(struct capture_frame *frame, uint8_t *made, size_t room);

/* Raises wire_octets to what the length in the IP header asks for: some programs write the captured length
 * as the length on the wire. ip: the frame's IP packet, as capture_link_strip() leaves it. An IPv4
 * header whose checksum is wrong changes nothing. */
void capture_link_correct(struct capture_frame *frame, const struct capture_frame *ip);

#endif
