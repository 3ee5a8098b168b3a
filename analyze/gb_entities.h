/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entities of SNDCP's compression (TS 44.065 clause 6.8), followed from the XID of each mobile and SAPI: a
 * proposal counts once its answer has passed. Each direction has a state of its own, since the monitor
 * receives both.
 */
#ifndef ANALYZE_GB_ENTITIES_H
#define ANALYZE_GB_ENTITIES_H

#include "analyze/gi_users.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/compression/compression.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_xid.h"

#include <stdbool.h>
#include <stdint.h>

enum gb_way { GB_DOWNLINK, GB_UPLINK, GB_WAYS };

/* Octets that compression of plain N-PDUs would save, by kind and in all. */
struct gb_would {
    struct compression_counts kinds[COMPRESSION_KINDS], all;
};

/* A SAPI of a mobile with N-PDUs or XID of SNDCP. */
struct gb_flow {
    uint32_t tlli; /* local, as in struct gb_link */
    uint8_t sapi;
    uint8_t asked_octets[GB_WAYS]; /* of the last proposal of a side; 0: none, or answered */
    uint8_t asked[GB_WAYS][LLC_XID_L3_MAX_OCTETS];
    struct compression_entity *entities[GB_WAYS]; /* that restore the N-PDUs of a direction */
    struct vj_compressor *would[GB_WAYS];         /* what plain N-PDUs would be compressed with */
    struct gb_would saves[GB_WAYS];               /* and what that saves, until is_unknown */
    bool is_unknown[GB_WAYS];                     /* compressed N-PDUs came for an entity whose XID did not */
    struct gb_order {
        uint32_t held; /* the first frame behind a gap, GI_POOL_NONE: none */
        uint16_t next; /* N(S) */
        bool is_open;
        bool is_broken; /* dictionaries of V.42bis lack a frame */
    } order[GB_WAYS];   /* of I frames */
};

struct gb_entities {
    struct u64_map map; /* by TLLI and SAPI */
    struct gi_pool flows;
    uint32_t count, limit; /* entities of a direction that are in use */
    uint64_t proposals;    /* that were answered: entities */
    uint64_t agreed[COMPRESSION_KINDS], changed, refused;
    uint64_t no_room; /* agreed on beyond the limits, or with parameters that are not supported */
    uint64_t unknown; /* SAPIs of mobiles, each direction, that were found to be is_unknown */
};

/* Room for `flows`, and `entities` agreed on by them. False: no memory. */
bool gb_entities_new(struct gb_entities *e, uint32_t flows, uint32_t entities);
void gb_entities_free(struct gb_entities *e);

/* The local TLLI of a P-TMSI for its foreign one. */
uint32_t gb_entities_tlli(uint32_t tlli);

/* A SAPI of a mobile, added if unknown. NULL: no room. */
struct gb_flow *gb_entities_flow(struct gb_entities *e, uint32_t tlli, uint8_t sapi);

/* The same, or NULL: it is unknown. */
struct gb_flow *gb_entities_find(const struct gb_entities *e, uint32_t tlli, uint8_t sapi);

/* Reads the information of an XID frame. */
void gb_entities_xid(struct gb_entities *e, uint32_t tlli, const struct llc *llc, enum gb_way way,
                     const uint8_t *info);

/* Whether a direction of an NSAPI has an entity. */
bool gb_entities_has(const struct gb_flow *f, enum gb_way way, uint8_t nsapi);

#endif
