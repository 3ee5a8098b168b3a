/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP's own field of LLC's XID (TS 44.065 6.5.1.1, 6.6.1.1, 6.8): entities of compression, proposed or
 * answered. Answering is elsewhere: here are octets, ranges and defaults.
 */
#ifndef DATAPLANE_WIRE_SNDCP_XID_H
#define DATAPLANE_WIRE_SNDCP_XID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of the field's parameters. */
enum sndcp_xid_kind { SNDCP_XID_VERSION = 0, SNDCP_XID_DATA = 1, SNDCP_XID_HEADER = 2 };

enum sndcp_xid_header { SNDCP_XID_RFC1144 = 0, SNDCP_XID_RFC2507 = 1, SNDCP_XID_ROHC = 2 };
enum sndcp_xid_data { SNDCP_XID_V42BIS = 0, SNDCP_XID_V44 = 1 };

enum {
    SNDCP_XID_MAX_OCTETS = 255,  /* of the field, LLC_XID_L3_MAX_OCTETS */
    SNDCP_XID_MAX_ENTITIES = 63, /* that fit: the shortest has four octets, its parameter's header two */
    SNDCP_XID_NUMBERS = 32,      /* of entities and of algorithms */
    SNDCP_XID_MAX_VALUES = 5,    /* PCOMP or DCOMP of an entity */
    SNDCP_XID_MAX_PARAMETERS = 18,
};

struct sndcp_xid_entity {
    uint16_t nsapis;           /* bit n: NSAPI n */
    uint8_t kind;              /* SNDCP_XID_DATA or SNDCP_XID_HEADER */
    uint8_t number;            /* 0..31 */
    bool is_proposal;          /* P = 1: a new entity */
    uint8_t algorithm;         /* of a proposal: 0..31 */
    uint8_t value_count;       /* of a proposal: as its algorithm has */
    uint8_t parameter_octets;  /* behind the NSAPIs */
    const uint8_t *parameters; /* inside the decoded octets; the caller's when encoding */
    uint8_t values[SNDCP_XID_MAX_VALUES];
};

/* A proposal of an algorithm without a row has no values and no NSAPIs: all its octets are parameters. */
struct sndcp_xid {
    bool has_version;
    uint8_t version; /* 0..15 */
    uint8_t count;
    struct sndcp_xid_entity entities[SNDCP_XID_MAX_ENTITIES];
};

/* Parameters of an algorithm, as many as were there. */
struct sndcp_xid_parameters {
    uint8_t count;
    uint16_t value[SNDCP_XID_MAX_PARAMETERS];
};

struct sndcp_xid_range {
    const char *name;
    uint8_t octets; /* 1 or 2 */
    uint16_t min, max, initial;
};

/* PCOMP or DCOMP of a proposal, and its parameters in their order. The last range holds for further ones,
 * too. */
struct sndcp_xid_algorithm {
    const char *name;
    uint8_t value_count, parameter_count, range_count;
    struct sndcp_xid_range ranges[6];
};

/* The row of an algorithm, or NULL. */
const struct sndcp_xid_algorithm *sndcp_xid_algorithm_get(unsigned kind, unsigned algorithm);

/*
 * Reads a whole field; other parameters, and a version of another length than one octet, are skipped. Returns
 * len; ERR_TRUNCATED: a parameter or an entity is cut short, and out has what is before it; ERR_RANGE: len is
 * above SNDCP_XID_MAX_OCTETS.
 */
int sndcp_xid_decode(struct sndcp_xid *out, const uint8_t *bytes, size_t len);

/*
 * Writes the version, then the entities in their order, those of one kind that follow each other in one
 * parameter. Returns octets, which may be 0; ERR_NO_SPACE; ERR_RANGE: a field does not fit its place.
 */
int sndcp_xid_encode(uint8_t *bytes, size_t cap, const struct sndcp_xid *in);

/* Reads an entity's parameters; behind them and behind one that is cut short nothing counts. Returns their
 * octets, or ERR_UNSUPPORTED: no such row. Values may be out of their ranges. */
int sndcp_xid_parameters_decode(struct sndcp_xid_parameters *out, unsigned kind, unsigned algorithm,
                                const uint8_t *bytes, size_t len);

/* Returns octets; ERR_UNSUPPORTED; ERR_RANGE: more than the algorithm has, or a value out of its range;
 * ERR_NO_SPACE. */
int sndcp_xid_parameters_encode(uint8_t *bytes, size_t cap, unsigned kind, unsigned algorithm,
                                const struct sndcp_xid_parameters *in);

#endif
