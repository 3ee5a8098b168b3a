/* SPDX-License-Identifier: BSD-3-Clause */
/* A GGSN in virtual time: encapsulates and decapsulates users' IP packets in GTP-U, by the mobile's address,
 * without a queue. */
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
    uint64_t unknown_address, unknown_tunnel, malformed; /* packets dropped by the GGSN */
    uint64_t echoes;                                     /* Echo Requests answered */
    bool is_silent;                                      /* it answers no Echo Request */
};

/*
 * Puts a downlink IP packet into an Ethernet frame to the SGSN. Returns the frame's octets; 0 (counted): no
 * tunnel has the destination, or the packet is malformed or too long.
 */
size_t ggsn_encapsulate(struct ggsn *g, const uint8_t *packet, size_t octets,
                        uint8_t frame[GGSN_FRAME_OCTETS]);

/*
 * Makes the Echo Response to an Echo Request of the SGSN (TS 29.281 clause 7.2.2), as a frame. Returns its
 * octets; 0: another message, or the GGSN is silent.
 */
size_t ggsn_answer(struct ggsn *g, const uint8_t *frame, size_t octets, uint8_t answer[GGSN_FRAME_OCTETS]);

/* Returns the IP packet in a frame from the SGSN; points into the frame. NULL: an Echo Request, or (counted)
 * a malformed frame or an unknown tunnel. */
const uint8_t *ggsn_decapsulate(struct ggsn *g, const uint8_t *frame, size_t octets, size_t *packet_octets);

#endif
