/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sndcp_xid.h"

#include <string.h>

#include "dataplane/base/bytes.h"

enum { PROPOSAL = 0x80, FIVE_BITS = 0x1f, HEADER_OCTETS = 2, NSAPIS_OCTETS = 2 };

/* Types 1 and 2, each with its algorithms. */
static const struct sndcp_xid_algorithm data_rows[] = {
    [SNDCP_XID_V42BIS] =
        {"v42bis", 1, 3, 3, {{"p0", 1, 0, 3, 3}, {"p1", 2, 512, 65535, 2048}, {"p2", 1, 6, 250, 20}}},
    [SNDCP_XID_V44] = {"v44",
                       2,
                       6,
                       6,
                       {{"c0", 1, 0, 255, 0x80},
                        {"p0", 1, 0, 3, 3},
                        {"p1_t", 2, 256, 65535, 2048},
                        {"p1_r", 2, 256, 65535, 2048},
                        {"p3_t", 2, 512, 65535, 6144},
                        {"p3_r", 2, 512, 65535, 6144}}},
};
static const struct sndcp_xid_algorithm header_rows[] = {
    [SNDCP_XID_RFC1144] = {"rfc1144", 2, 1, 1, {{"s0_less_one", 1, 0, 255, 15}}},
    [SNDCP_XID_RFC2507] = {"rfc2507",
                           5,
                           5,
                           5,
                           {{"f_max_period", 2, 1, 65535, 256},
                            {"f_max_time", 1, 1, 255, 5},
                            {"max_header", 1, 60, 255, 168},
                            {"tcp_space", 1, 3, 255, 15},
                            {"non_tcp_space", 2, 3, 65535, 15}}},
    [SNDCP_XID_ROHC] = {"rohc",
                        2,
                        SNDCP_XID_MAX_PARAMETERS,
                        3,
                        {{"max_cid", 2, 0, 16383, 15},
                         {"max_header", 2, 60, 255, 168},
                         {"profile", 2, 0, 65535, 0}}},
};

#define ROWS(list) (sizeof(list) / sizeof((list)[0]))

const struct sndcp_xid_algorithm *sndcp_xid_algorithm_get(unsigned kind, unsigned algorithm)
{
    if (kind == SNDCP_XID_DATA && algorithm < ROWS(data_rows))
        return &data_rows[algorithm];
    if (kind == SNDCP_XID_HEADER && algorithm < ROWS(header_rows))
        return &header_rows[algorithm];
    return NULL;
}

static size_t values_octets(size_t count)
{
    return (count + 1) / 2;
}

/* --- decoding --- */

static void take_values(struct sndcp_xid_entity *out, const uint8_t *bytes)
{
    for (unsigned i = 0; i < out->value_count; i++)
        out->values[i] = i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
}

/* The octets behind an entity's length. */
static int take_body(struct sndcp_xid_entity *out, const uint8_t *bytes, size_t len)
{
    size_t at = 0;
    const struct sndcp_xid_algorithm *row = sndcp_xid_algorithm_get(out->kind, out->algorithm);
    if (len < NSAPIS_OCTETS)
        return ERR_TRUNCATED;
    if (!out->is_proposal || row) {
        out->value_count = out->is_proposal ? row->value_count : 0;
        at = values_octets(out->value_count) + NSAPIS_OCTETS;
        if (len < at)
            return ERR_TRUNCATED;
        take_values(out, bytes);
        out->nsapis = bytes_get_u16(bytes + at - NSAPIS_OCTETS);
    }
    out->parameters = bytes + at;
    out->parameter_octets = (uint8_t)(len - at);
    return 0;
}

/* Reads the entity at the start of bytes; its octets, or ERR_TRUNCATED. */
static int take_entity(struct sndcp_xid_entity *out, uint8_t kind, const uint8_t *bytes, size_t len)
{
    bool is_proposal = bytes[0] & PROPOSAL;
    size_t at = is_proposal ? 3 : 2;
    *out =
        (struct sndcp_xid_entity){.kind = kind, .number = bytes[0] & FIVE_BITS, .is_proposal = is_proposal};
    if (len < at || bytes[at - 1] > len - at)
        return ERR_TRUNCATED;
    if (is_proposal)
        out->algorithm = bytes[1] & FIVE_BITS;
    return take_body(out, bytes + at, bytes[at - 1]) < 0 ? ERR_TRUNCATED : (int)at + bytes[at - 1];
}

static int take_entities(struct sndcp_xid *out, uint8_t kind, const uint8_t *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        int octets = take_entity(&out->entities[out->count], kind, bytes + at, len - at);
        if (octets < 0)
            return octets;
        out->count++;
        at += (size_t)octets;
    }
    return 0;
}

int sndcp_xid_decode(struct sndcp_xid *out, const uint8_t *bytes, size_t len)
{
    *out = (struct sndcp_xid){0};
    if (len > SNDCP_XID_MAX_OCTETS)
        return ERR_RANGE;
    for (size_t at = 0; at < len;) {
        if (len - at < HEADER_OCTETS || bytes[at + 1] > len - at - HEADER_OCTETS)
            return ERR_TRUNCATED;
        const uint8_t *value = bytes + at + HEADER_OCTETS;
        uint8_t kind = bytes[at], octets = bytes[at + 1];
        if (kind == SNDCP_XID_VERSION && octets == 1) {
            out->has_version = true;
            out->version = value[0] & 15;
        } else if ((kind == SNDCP_XID_DATA || kind == SNDCP_XID_HEADER) &&
                   take_entities(out, kind, value, octets) < 0) {
            return ERR_TRUNCATED;
        }
        at += HEADER_OCTETS + octets;
    }
    return (int)len;
}

/* --- encoding --- */

static bool are_values_encodable(const struct sndcp_xid_entity *in)
{
    for (unsigned i = 0; i < in->value_count; i++)
        if (in->values[i] > 15)
            return false;
    return true;
}

static bool is_encodable(const struct sndcp_xid_entity *in)
{
    if ((in->kind != SNDCP_XID_DATA && in->kind != SNDCP_XID_HEADER) || in->number > FIVE_BITS ||
        in->algorithm > FIVE_BITS)
        return false;
    const struct sndcp_xid_algorithm *row =
        in->is_proposal ? sndcp_xid_algorithm_get(in->kind, in->algorithm) : NULL;
    if (in->value_count != (row ? row->value_count : 0))
        return false;
    return are_values_encodable(in) && (row || !in->is_proposal || in->parameter_octets >= NSAPIS_OCTETS);
}

static void put_values(uint8_t *bytes, const struct sndcp_xid_entity *in)
{
    memset(bytes, 0, values_octets(in->value_count));
    for (unsigned i = 0; i < in->value_count; i++)
        bytes[i / 2] |= (uint8_t)(i % 2 ? in->values[i] : in->values[i] << 4);
}

static int put_entity(uint8_t *bytes, size_t cap, const struct sndcp_xid_entity *in)
{
    if (!is_encodable(in))
        return ERR_RANGE;
    bool is_known = !in->is_proposal || sndcp_xid_algorithm_get(in->kind, in->algorithm);
    size_t values = values_octets(in->value_count), nsapis = is_known ? NSAPIS_OCTETS : 0;
    size_t body = values + nsapis + in->parameter_octets, at = in->is_proposal ? 3 : 2;
    if (body > UINT8_MAX)
        return ERR_RANGE;
    if (cap < at + body)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)((in->is_proposal ? PROPOSAL : 0) | in->number);
    if (in->is_proposal)
        bytes[1] = in->algorithm;
    bytes[at - 1] = (uint8_t)body;
    put_values(bytes + at, in);
    if (nsapis)
        bytes_put_u16(bytes + at + values, in->nsapis);
    if (in->parameter_octets)
        memcpy(bytes + at + values + nsapis, in->parameters, in->parameter_octets);
    return (int)(at + body);
}

/* Writes the entities from `first` on that are of one kind as a parameter, and sets *first behind them. */
static int put_run(uint8_t *bytes, size_t cap, const struct sndcp_xid *in, unsigned *first)
{
    uint8_t kind = in->entities[*first].kind;
    size_t at = HEADER_OCTETS;
    if (cap < HEADER_OCTETS)
        return ERR_NO_SPACE;
    for (; *first < in->count && in->entities[*first].kind == kind; ++*first) {
        int octets = put_entity(bytes + at, cap - at, &in->entities[*first]);
        if (octets < 0)
            return octets;
        at += (size_t)octets;
    }
    if (at - HEADER_OCTETS > UINT8_MAX)
        return ERR_RANGE;
    bytes[0] = kind;
    bytes[1] = (uint8_t)(at - HEADER_OCTETS);
    return (int)at;
}

int sndcp_xid_encode(uint8_t *bytes, size_t cap, const struct sndcp_xid *in)
{
    size_t at = 0;
    if (in->version > 15 || in->count > SNDCP_XID_MAX_ENTITIES)
        return ERR_RANGE;
    if (in->has_version) {
        if (cap < HEADER_OCTETS + 1)
            return ERR_NO_SPACE;
        bytes[0] = SNDCP_XID_VERSION;
        bytes[1] = 1;
        bytes[2] = in->version;
        at = HEADER_OCTETS + 1;
    }
    for (unsigned i = 0; i < in->count;) {
        int octets = put_run(bytes + at, cap - at, in, &i);
        if (octets < 0)
            return octets;
        at += (size_t)octets;
    }
    return (int)at;
}

/* --- parameters --- */

static const struct sndcp_xid_range *range_of(const struct sndcp_xid_algorithm *row, unsigned i)
{
    return &row->ranges[i < row->range_count ? i : row->range_count - 1U];
}

int sndcp_xid_parameters_decode(struct sndcp_xid_parameters *out, unsigned kind, unsigned algorithm,
                                const uint8_t *bytes, size_t len)
{
    const struct sndcp_xid_algorithm *row = sndcp_xid_algorithm_get(kind, algorithm);
    size_t at = 0;
    *out = (struct sndcp_xid_parameters){0};
    if (!row)
        return ERR_UNSUPPORTED;
    while (out->count < row->parameter_count && range_of(row, out->count)->octets <= len - at) {
        size_t octets = range_of(row, out->count)->octets;
        out->value[out->count++] = octets == 1 ? bytes[at] : bytes_get_u16(bytes + at);
        at += octets;
    }
    return (int)at;
}

int sndcp_xid_parameters_encode(uint8_t *bytes, size_t cap, unsigned kind, unsigned algorithm,
                                const struct sndcp_xid_parameters *in)
{
    const struct sndcp_xid_algorithm *row = sndcp_xid_algorithm_get(kind, algorithm);
    size_t at = 0;
    if (!row)
        return ERR_UNSUPPORTED;
    if (in->count > row->parameter_count)
        return ERR_RANGE;
    for (unsigned i = 0; i < in->count; i++) {
        const struct sndcp_xid_range *range = range_of(row, i);
        if (in->value[i] < range->min || in->value[i] > range->max)
            return ERR_RANGE;
        if (cap - at < range->octets)
            return ERR_NO_SPACE;
        if (range->octets == 1)
            bytes[at] = (uint8_t)in->value[i];
        else
            bytes_put_u16(bytes + at, in->value[i]);
        at += range->octets;
    }
    return (int)at;
}
