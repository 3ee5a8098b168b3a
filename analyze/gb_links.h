/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC in acknowledged mode at Gb (TS 44.064 clause 8.6): which I frames repeat one, and how long each waits
 * for its confirmation. Headers suffice and are never ciphered (annex A), so captures of ciphered mobiles
 * serve.
 *
 * The monitor is between the SGSN and the BSS. A downlink frame that passes again was lost behind it, or its
 * confirmation was, or it came too late. An uplink frame can be lost in front of it: its number is then a gap
 * which a later frame fills.
 */
#ifndef ANALYZE_GB_LINKS_H
#define ANALYZE_GB_LINKS_H

#include "analyze/gb_sndcp.h"
#include "analyze/gi_packet.h"
#include "analyze/gi_spread.h"
#include "analyze/gi_users.h"
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stdint.h>

enum { GB_LINKS_RING = 256, GB_LINKS_PEERS = 4096 };

/* I frames of one direction. */
struct gb_frames {
    uint64_t frames, octets;            /* all; octets of LLC-PDUs */
    uint64_t repeated, repeated_octets; /* of those, frames whose number had passed */
    uint64_t needless;                  /* of repeated: its confirmation had passed */
    uint64_t late;                      /* of frames, not repeated: the number of a gap */
    uint64_t confirmed;                 /* numbers seen and then confirmed */
    uint64_t missed;                    /* numbers confirmed and never seen */
    uint64_t taken_back; /* numbers seen and not confirmed when the link began again or ended */
};

/*
 * The numbers of one direction. first_ns, by N(S) modulo 256: time of the first frame with this number, or a
 * negative mark. Invariant while is_open: vs - va, modulo 512, is at most 256.
 *
 * A capture that begins in the middle of a link may begin with repetitions. Numbers left out there have
 * passed before, until all those up to `joined` are confirmed.
 */
struct gb_numbers {
    uint16_t vs, va; /* next number; oldest that is not confirmed */
    uint16_t joined;
    bool is_open, is_joining;
    int64_t first_ns[GB_LINKS_RING];
};

/* A SAPI of a mobile. */
struct gb_link {
    uint32_t tlli; /* local, where the capture has a local or foreign one */
    uint8_t sapi;
    uint8_t pending;   /* SABM or DISC that waits for UA or DM; 0: none */
    enum gb_way asker; /* way of the pending command */
    uint64_t established, refused, released;
    struct gb_numbers numbers[GB_WAYS];
    struct gb_frames frames[GB_WAYS];
};

struct gb_links {
    struct u64_map map;   /* by TLLI and SAPI */
    struct u64_map peers; /* pairs of ends of NS-VCs */
    struct gi_pool pool;
    uint64_t packets;                 /* of NS */
    uint64_t cut;                     /* of those, without the whole header of LLC in the capture */
    uint64_t refused;                 /* frames of links without room */
    uint64_t ui_frames, u_frames[16]; /* by enum llc_command */
    uint64_t s_frames[4];             /* by enum llc_supervisory */
    struct gb_sndcp sndcp;
    struct gi_spread confirm_ns[GB_WAYS]; /* first frame with a number to its confirmation */
};

/* False when there is no memory. */
bool gb_links_new(struct gb_links *g, uint32_t limit, const struct gb_sndcp_limits *sndcp);
void gb_links_free(struct gb_links *g);

/*
 * Reads a UDP packet. False: it is not NS. It is if it has an LLC-PDU in DL-UNITDATA or UL-UNITDATA, or
 * passes between two ends that had such. Of an LLC-PDU the header suffices. Fragments of IP are not read, and
 * the FCS is not checked.
 */
bool gb_links_read(struct gb_links *g, const struct gi_packet *p);

/* The sum over all links. */
struct gb_frames gb_links_sum(const struct gb_links *g, enum gb_way way);

static inline const struct gb_link *gb_links_at(const struct gb_links *g, uint32_t number)
{
    return gi_pool_at(&g->pool, number);
}

#endif
