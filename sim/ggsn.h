/* SPDX-License-Identifier: BSD-3-Clause */
/* A GGSN in virtual time: encapsulates and decapsulates users' IP packets in GTP-U, by the mobile's address,
 * without a queue. */
#ifndef SIM_GGSN_H
#define SIM_GGSN_H

#include "capture/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A capture as a source of Ethernet frames in virtual time. The next frame is `frame`, due at frame.at_ns.
 * Frames with unsupported link types are skipped.
 *
 * The time is monotonic (capture/reader.h). A frame up to a day earlier than the one before it is out of
 * order and gets the time of that one. A larger step back, or a gap of more than a day, means that the clock
 * was set: no time passes. Each simulated day takes 17 280 rounds of the loop, since both ends of Gb test an
 * NS-VC every 30 s. Gaps of more than a minute are therefore limited in sum, too: beyond 31 days of them,
 * each further one means that the clock was set.
 */

#define CAPTURE_FEED_MAX_OCTETS 65550

struct capture_feed {
    struct capture_reader reader; /* has error and is_broken */
    struct capture_timeline timeline;
    struct capture_frame frame; /* the next one */
    bool has_frame;
    int64_t silences_ns;                   /* the sum so far */
    uint64_t frames;                       /* read, the one in `frame` included */
    uint64_t cut_short;                    /* of these, with fewer octets captured than on the wire */
    uint8_t made[CAPTURE_FEED_MAX_OCTETS]; /* a frame whose link header was replaced */
};

/* Opens a capture ("-": standard input) and reads its first frame. The feed must not move while it is open.
 * 0; or -1 with the reason in reader.error, also if all frames have unsupported link types. */
int capture_feed_open(struct capture_feed *f, const char *path);
void capture_feed_close(struct capture_feed *f);

/* When the next frame is due; MOMENT_NEVER: at the end of the capture. */
int64_t capture_feed_due_ns(const struct capture_feed *f);

/* Reads the next frame into `frame`; has_frame is false at the end of the capture. */
void capture_feed_next(struct capture_feed *f);

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
