/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes: big-endian octets on a wire: getters and putters that assume nothing about alignment. */
#ifndef DATAPLANE_BASE_BYTES_H
#define DATAPLANE_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_get_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t bytes_get_u24(const uint8_t *p)
{
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t bytes_get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Whole words: octet by octet, compilers mostly store octet by octet. */
static inline void bytes_put_u16(uint8_t *p, uint16_t v)
{
    v = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap16(v);
    memcpy(p, &v, sizeof(v));
}

static inline void bytes_put_u24(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 16);
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)v;
}

static inline void bytes_put_u32(uint8_t *p, uint32_t v)
{
    v = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap32(v);
    memcpy(p, &v, sizeof(v));
}

static inline void bytes_put_u64(uint8_t *p, uint64_t v)
{
    v = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap64(v);
    memcpy(p, &v, sizeof(v));
}

static inline uint64_t bytes_get_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap64(v);
}

/* Errors of all decoders and encoders: negative numbers, one enum for all wire formats. */

enum err {
    ERR_TRUNCATED = -1,   /* fewer octets than the format or its own length field needs */
    ERR_MALFORMED = -2,   /* the octets contradict each other or the clause */
    ERR_UNSUPPORTED = -3, /* well formed, but of a version or type without support */
    ERR_NO_SPACE = -4,    /* encoder: cap is too small */
    ERR_RANGE = -5,       /* encoder: a field does not fit its place on the wire */
    ERR_CHECKSUM = -6,    /* FCS or checksum is wrong */
};

#endif
