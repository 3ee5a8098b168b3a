/* SPDX-License-Identifier: BSD-3-Clause */
/* A GGSN in virtual time: users' IP packets into GTP-U and out of it, by the mobile's address. It keeps no
 * queue. */
#ifndef SIM_GGSN_H
#define SIM_GGSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GGSN_FRAME_OCTETS 2048

/* One PDP context as the GGSN knows it. */
struct ggsn_tunnel {
    uint32_t address;       /* the mobile's */
    uint32_t sgsn_ip, teid; /* downlink */
    uint32_t ggsn_teid;     /* uplink */
};

struct ggsn {
    uint32_t ip;
    uint8_t mac[6], sgsn_mac[6];
    const struct ggsn_tunnel *tunnels; /* sorted by address */
    size_t count;
    uint16_t ip_id;
    uint64_t unknown_address, unknown_tunnel, malformed; /* packets that ended here */
    uint64_t echoes;                                     /* that it answered */
    bool is_silent;                                      /* it answers no Echo Request */
};

/*
 * A downlink IP packet as the Ethernet frame that goes to the SGSN. Returns its octets; 0 when the
 * destination has no tunnel or the packet is too long (counted).
 */
size_t ggsn_encapsulate(struct ggsn *g, const uint8_t *packet, size_t octets,
                        uint8_t frame[GGSN_FRAME_OCTETS]);

/*
 * The Echo Response to a frame that is an Echo Request of the SGSN's (TS 29.281 clause 7.2.2), as the frame
 * that goes back. Returns its octets; 0: it is something else, or the GGSN is silent.
 */
size_t ggsn_answer(struct ggsn *g, const uint8_t *frame, size_t octets, uint8_t answer[GGSN_FRAME_OCTETS]);

/* The IP packet in a frame that the SGSN sent: points into frame. NULL when it is none of ours (counted), or
 * an Echo Request. */
const uint8_t *ggsn_decapsulate(struct ggsn *g, const uint8_t *frame, size_t octets, size_t *packet_octets);

#endif
