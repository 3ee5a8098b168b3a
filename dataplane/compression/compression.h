/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP's compression of a mobile's N-PDUs (TS 44.065 clauses 6.5 and 6.6): entities that XID has agreed on
 * for a SAPI, RFC 1144 for headers of TCP over IPv4 (vj.h), V.42bis for data (v42bis.h). Node and mobile use
 * the same functions.
 *
 * An N-PDU is compressed whole, first its header, then all of it as data, when its first segment is about to
 * leave. It never becomes longer: without a gain it is sent plain. N-PDUs of an entity must leave in the
 * order in which they were compressed.
 *
 * In unacknowledged mode the dictionaries of V.42bis are empty at the start of each N-PDU, in acknowledged
 * mode they continue. The connections of RFC 1144 continue in both.
 */
#ifndef DATAPLANE_COMPRESSION_COMPRESSION_H
#define DATAPLANE_COMPRESSION_COMPRESSION_H

#include "dataplane/compression/v42bis.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vj_compressor;
struct vj_decompressor;

enum compression_kind { COMPRESSION_RFC1144, COMPRESSION_V42BIS, COMPRESSION_KINDS };

/* P0 of V.42bis; RFC 1144 has both. */
enum compression_direction { COMPRESSION_UPLINK = 1, COMPRESSION_DOWNLINK = 2 };

enum {
    COMPRESSION_SLOTS_MAX = 256,
    COMPRESSION_NSAPI_MIN = 5,
    COMPRESSION_NSAPIS = 11,
    COMPRESSION_NPDU_OCTETS = 1503, /* the longest N-PDU */
};

/* Bounds of a side; all its entities have memory for them. */
struct compression_settings {
    uint32_t entities;     /* of each kind at a time; 0: none */
    uint16_t slots;        /* of RFC 1144, the most; 0: not this kind */
    uint16_t codewords;    /* P1 of V.42bis, the most; 0: not this kind */
    uint8_t string_octets; /* P2 of V.42bis, the most */
    uint8_t directions;    /* P0 of V.42bis, the most */
    bool is_acknowledged;  /* V.42bis also has dictionaries of its own, for acknowledged mode */
};

/* An entity as agreed on by XID. */
struct compression_params {
    uint16_t nsapis; /* bit n: NSAPI n uses it; 0: it ends */
    uint16_t slots;  /* of RFC 1144: connections, 1..256 */
    uint16_t codewords;
    uint8_t string_octets;
    uint8_t directions;
    uint8_t kind;   /* enum compression_kind */
    uint8_t sapi;   /* 3, 5, 9, 11 */
    uint8_t number; /* of the entity, 0..31, unique in its SAPI */
    uint8_t first;  /* PCOMP of uncompressed TCP, or DCOMP: 1..15 */
    uint8_t second; /* PCOMP of compressed TCP; 0 of V.42bis */
};

/* N-PDUs of one direction: sent, which an entity was asked to compress; received, with its PCOMP or DCOMP,
 * which it restored. Other threads may read them at any time. */
struct compression_counts {
    uint32_t n_pdus, compressed;          /* of those, made shorter */
    uint64_t octets_before, octets_after; /* without and with this entity's compression */
    uint32_t full; /* of RFC 1144: with a whole header, from which later ones are compressed */
    uint32_t lost; /* could not be decompressed */
};

struct compression_entity {
    struct compression_entity *next; /* of its mobile */
    struct compression_params params;
    struct vj_compressor *compressor;
    struct vj_decompressor *decompressor;
    struct v42bis *encoder, *decoder; /* with has_dictionaries: for acknowledged mode */
    struct compression_counts sent, received;
    uint16_t expected[COMPRESSION_NSAPIS]; /* number of the N-PDU of NSAPI 5 + i that comes next */
    uint16_t known;                        /* bit n: expected of NSAPI n is known */
    bool has_dictionaries;
    bool sends, receives; /* this side does */
    bool is_taken;        /* from its pool (compression_pool.h); threads hand it over by atomic access */
};

/* Memory that all entities of a thread use in turn. */
struct compression_scratch {
    struct v42bis *encoder, *decoder; /* NULL: V.42bis is off */
    uint8_t octets[COMPRESSION_NPDU_OCTETS];
};

bool compression_scratch_new(struct compression_scratch *scratch,
                             const struct compression_settings *settings);
void compression_scratch_free(struct compression_scratch *scratch);

/* --- entities --- */

/* Begins an entity whose memory is from a pool with at least the settings that the parameters need. */
void compression_start(struct compression_entity *entity, const struct compression_params *params,
                       bool is_network);

/* The entity of a list with this SAPI, kind and number, or NULL. */
struct compression_entity *compression_find(struct compression_entity *list, uint8_t sapi, uint8_t kind,
                                            uint8_t number);

/* N-PDUs were lost on the way to the other side: the next header of each connection is whole. */
void compression_refresh(struct compression_entity *list);

/* Acknowledged mode of a SAPI was established: both sides restart. */
void compression_restart(struct compression_entity *list, uint8_t sapi);

/* --- N-PDUs --- */

/* The N-PDU, and what its segments say of it. */
struct compression_n_pdu {
    uint8_t *data;
    uint16_t octets;
    uint16_t number; /* of SNDCP; when it is unpacked */
    uint8_t sapi, nsapi;
    uint8_t comp; /* the octet of SNDCP's header: DCOMP in the upper half, PCOMP */
    bool is_acknowledged;
    bool is_ip;
    /* Of the result: */
    uint16_t header_octets; /* by which RFC 1144 has changed its length */
    bool has_full_header;   /* from which later headers are compressed */
};

enum compression_fate {
    COMPRESSION_DONE,
    COMPRESSION_NO_ENTITY, /* none has this PCOMP or DCOMP for the NSAPI */
    COMPRESSION_TOSSED,    /* RFC 1144 waits for a whole header */
    COMPRESSION_BAD_HEADER,
    COMPRESSION_BAD_DATA,
};

/* Compresses an N-PDU in place: data and octets are of what leaves, comp says how. */
void compression_pack(struct compression_entity *list, struct compression_scratch *scratch,
                      struct compression_n_pdu *n_pdu);

/* An N-PDU has come, compressed or not, before it is unpacked: where its number is not the next, one was
 * lost, and RFC 1144 tosses what has no slot until one names it. */
void compression_arrived(struct compression_entity *list, const struct compression_n_pdu *n_pdu);

/* Restores an N-PDU of comp in place. `before` octets in front of data may be written, and as many behind
 * that it has COMPRESSION_NPDU_OCTETS. */
enum compression_fate compression_unpack(struct compression_entity *list, struct compression_scratch *scratch,
                                         struct compression_n_pdu *n_pdu, size_t before);

#endif
