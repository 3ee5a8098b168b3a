/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink up to the queue: frames from Gn become queued N-PDUs of a PDP context. */
#ifndef DATAPLANE_WORKER_GN_RX_H
#define DATAPLANE_WORKER_GN_RX_H

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Nearly all frames on Gn, decoded at once: Ethernet without a tag, IPv4 without options and not a fragment,
 * UDP to GTP-U's port, a G-PDU without options or with a sequence number only. All other frames, and those
 * with any error, are decoded header by header (gn_rx.c), which gives the same result for these.
 */

enum {
    GN_PLAIN_IP = ETHER_OCTETS, /* offsets in the frame */
    GN_PLAIN_UDP = (int)GN_PLAIN_IP + (int)IPV4_OCTETS,
    GN_PLAIN_GTPU = (int)GN_PLAIN_UDP + (int)UDP_OCTETS,
    GN_PLAIN_OCTETS = (int)GN_PLAIN_GTPU + (int)GTPU_OCTETS
};

struct gn_plain {
    uint32_t src_ip, dst_ip, teid;
    uint16_t src_port, udp_payload_octets;
    uint16_t offset, octets; /* of the N-PDU in the frame */
};

/* Whether all fields with a fixed value have it. Three loads: the octets from Ethernet's type, from IPv4's
 * fragment field, and from UDP's destination port on; `udp` is the third. */
static inline bool gn_plain_is_fixed(const uint8_t *frame, uint64_t udp)
{
    uint64_t ip = bytes_get_u64(frame + GN_PLAIN_IP - 2), fragment = bytes_get_u64(frame + GN_PLAIN_IP + 6);
    uint64_t is_other = (ip ^ ((uint64_t)ETHER_TYPE_IPV4 << 48 | UINT64_C(0x45) << 40)) >> 40;
    is_other |= (fragment ^ (uint64_t)IPV4_PROTO_UDP << 32) & UINT64_C(0x3fff00ff00000000);
    is_other |=
        (udp ^ ((uint64_t)GTPU_PORT << 48 | GTPU_VERSION_1 << 8 | GTPU_G_PDU)) & UINT64_C(0xffff00000000f5ff);
    return is_other == 0;
}

/* False: it is to be decoded header by header. Does not look at addresses. */
static inline bool gn_plain_decode(struct gn_plain *out, const uint8_t *frame, unsigned frame_octets)
{
    if (frame_octets < GN_PLAIN_OCTETS)
        return false;
    uint64_t udp = bytes_get_u64(frame + GN_PLAIN_UDP + 2);
    unsigned ip_octets = bytes_get_u16(frame + GN_PLAIN_IP + 2), udp_octets = (uint16_t)(udp >> 32);
    unsigned offset = GTPU_OCTETS + 2 * ((unsigned)(udp >> 8) & GTPU_S);
    unsigned end = GTPU_OCTETS + bytes_get_u16(frame + GN_PLAIN_GTPU + 2);
    if (!gn_plain_is_fixed(frame, udp) || ip_octets + ETHER_OCTETS > frame_octets ||
        udp_octets + IPV4_OCTETS > ip_octets || end + UDP_OCTETS > udp_octets || end <= offset ||
        !ipv4_is_checksum_good(frame + GN_PLAIN_IP, IPV4_OCTETS))
        return false;
    out->src_ip = bytes_get_u32(frame + GN_PLAIN_IP + 12);
    out->dst_ip = bytes_get_u32(frame + GN_PLAIN_IP + 16);
    out->teid = bytes_get_u32(frame + GN_PLAIN_GTPU + 4);
    out->src_port = bytes_get_u16(frame + GN_PLAIN_UDP);
    out->udp_payload_octets = (uint16_t)(udp_octets - UDP_OCTETS);
    out->offset = (uint16_t)(GN_PLAIN_GTPU + offset);
    out->octets = (uint16_t)(end - offset);
    return true;
}

struct rte_mbuf;
struct admission;
struct worker;

/* Receives one burst and queues its G-PDUs; returns the number of frames. */
unsigned gn_rx_receive(struct worker *w, int64_t now);

/* port_sift() of frames of Gn, with the worker's counters. */
unsigned gn_rx_sift(struct worker *w, struct rte_mbuf **frames, unsigned count);

/* Decodes frames to the G-PDUs of a burst; takes ownership of the frames. The stages of gn_rx_receive() are
 * port_receive(), this, and those of admission_queue(). */
void gn_rx_decode(struct worker *w, struct rte_mbuf **frames, unsigned count, struct admission *burst,
                  int64_t now);

#endif
