/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * N-PDUs of SNDCP at Gb (TS 44.065 clause 6.7): puts their segments together, of I frames in the order of
 * N(S), restores what is compressed by the entities that XID has agreed on (gb_entities.h), and compresses
 * plain ones to count what that would save. Ciphered frames are counted.
 */
#ifndef ANALYZE_GB_SNDCP_H
#define ANALYZE_GB_SNDCP_H

#include "analyze/gb_entities.h"
#include "dataplane/compression/compression.h"
#include "dataplane/compression/vj.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compression of plain N-PDUs for comparison: the defaults of TS 44.065. */
enum { GB_WOULD_SLOTS = 16, GB_WOULD_CODEWORDS = 2048, GB_WOULD_STRING_OCTETS = 20 };

/* LLC frames that do not yield a segment. */
enum gb_unread { GB_CIPHERED, GB_CUT, GB_DAMAGED, GB_MALFORMED, GB_UNREAD_REASONS };

/* N-PDUs that are not restored. */
enum gb_lost {
    GB_INCOMPLETE, /* segments are missing */
    GB_NO_ENTITY,  /* of this PCOMP or DCOMP: the capture lacks the XID */
    GB_TOSSED,     /* RFC 1144 waits for a whole header */
    GB_BAD_HEADER,
    GB_BAD_DATA,
    GB_SHIFTED, /* restored with a wrong checksum of TCP, behind a loss */
    GB_NO_ROOM,
    GB_LOST_REASONS,
};

/* One direction. */
struct gb_n_pdus {
    uint64_t llc_octets; /* of LLC-PDUs with user data, on the SAPIs of SNDCP */
    uint64_t n_pdus;     /* plain and restored ones */
    uint64_t octets;     /* of those */
    uint64_t gb_octets;  /* of those, as they passed */
    uint64_t compressed; /* of n_pdus: with PCOMP or DCOMP */
    uint64_t shorter;    /* of those, shorter than what was restored */
    uint64_t unread[GB_UNREAD_REASONS], lost[GB_LOST_REASONS];
    struct compression_counts kinds[COMPRESSION_KINDS];
    struct compression_entity would[COMPRESSION_KINDS]; /* that plain ones without an entity are given to */
    struct gb_would would_save;                         /* of those */
    uint64_t would_no_room;                             /* of those, of mobiles beyond the limit */
    uint64_t unknown_octets; /* as they passed, of N-PDUs for an entity that is not known */
};

/* A packet that has passed: called for each N-PDU of IP. */
typedef void gb_n_pdu_fn(void *to, enum gb_way way, const uint8_t *octets, size_t count);

enum { GB_ASSEMBLY_WAYS = 4 };

/* An N-PDU whose segments pass. key 0: free. */
struct gb_assembly {
    uint64_t key;
    int64_t last_ns;
    uint16_t number, octets;
    uint8_t expected, comp;
    uint8_t data[COMPRESSION_NPDU_OCTETS];
};

/* An I frame behind a gap. Its number of octets is 0 where it could not be read. */
struct gb_held {
    uint32_t next;
    uint16_t number, octets;
    uint8_t info[SNDCP_N201_U_MAX_OCTETS];
};

struct gb_sndcp {
    struct gb_entities entities;
    struct gb_assembly *assemblies;
    uint32_t assembly_sets;
    struct gi_pool held;
    uint32_t would_left;
    struct compression_scratch scratch, would_scratch;
    struct gb_n_pdus ways[GB_WAYS];
    gb_n_pdu_fn *on_n_pdu; /* may be NULL */
    void *to;
    uint8_t n_pdu[VJ_TAKEN_HEADER_OCTETS + COMPRESSION_NPDU_OCTETS];
};

struct gb_sndcp_limits {
    uint32_t flows, entities, would; /* SAPIs of mobiles; entities; SAPIs of mobiles with plain N-PDUs */
};

/* Of a zeroed struct. False: no memory. */
bool gb_sndcp_new(struct gb_sndcp *s, const struct gb_sndcp_limits *limits);
void gb_sndcp_free(struct gb_sndcp *s);

struct gb_sndcp_frame {
    const uint8_t *octets; /* the LLC-PDU; behind `captured` of no meaning */
    size_t count, captured;
    uint32_t tlli;
    enum gb_way way;
    int64_t at_ns;
};

/* Reads an XID or UI frame whose header was decoded. */
void gb_sndcp_read(struct gb_sndcp *s, const struct llc *llc, const struct gb_sndcp_frame *frame);

/* Reads an I frame with a number that was not seen before. */
void gb_sndcp_i_frame(struct gb_sndcp *s, const struct llc_abm *in, const struct gb_sndcp_frame *frame);

/* The number was confirmed, and the capture lacks its frame. */
void gb_sndcp_missed(struct gb_sndcp *s, uint32_t tlli, uint8_t sapi, enum gb_way way, uint16_t number);

/* Acknowledged mode was established. */
void gb_sndcp_established(struct gb_sndcp *s, uint32_t tlli, uint8_t sapi);

#endif
