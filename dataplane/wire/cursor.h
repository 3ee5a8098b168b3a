/* SPDX-License-Identifier: BSD-3-Clause */
/* A cursor is a place in octets that are read or written one value after the other. A value that would reach
 * over the end sets is_over and is not taken: it reads as 0 or as an empty span, and is not written. */
#ifndef DATAPLANE_WIRE_CURSOR_H
#define DATAPLANE_WIRE_CURSOR_H

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const uint8_t *at;
    size_t left;
    bool is_over;
};

static inline struct ie_span cursor_get(struct cursor *in, size_t octets)
{
    if (octets > in->left) {
        in->is_over = true;
        in->left = 0;
        octets = 0;
    }
    if (octets == 0)
        return (struct ie_span){0}; /* of no octets there is perhaps no place */
    struct ie_span span = {in->at, octets};
    in->at += octets;
    in->left -= octets;
    return span;
}

static inline uint8_t cursor_get_u8(struct cursor *in)
{
    struct ie_span span = cursor_get(in, 1);
    return span.at ? span.at[0] : 0;
}

static inline uint16_t cursor_get_u16(struct cursor *in)
{
    struct ie_span span = cursor_get(in, 2);
    return span.at ? bytes_get_u16(span.at) : 0;
}

static inline uint32_t cursor_get_u32(struct cursor *in)
{
    struct ie_span span = cursor_get(in, 4);
    return span.at ? bytes_get_u32(span.at) : 0;
}

/* A value with its length in one octet in front. */
static inline struct ie_span cursor_get_lv(struct cursor *in)
{
    return cursor_get(in, cursor_get_u8(in));
}

struct cursor_out {
    uint8_t *bytes;
    size_t cap, octets;
    bool is_over;
};

static inline uint8_t *cursor_room(struct cursor_out *out, size_t octets)
{
    if (out->is_over || octets > out->cap - out->octets) {
        out->is_over = true;
        return NULL;
    }
    out->octets += octets;
    return out->bytes + out->octets - octets;
}

static inline void cursor_put(struct cursor_out *out, struct ie_span span)
{
    uint8_t *at = cursor_room(out, span.octets);
    if (at && span.octets > 0)
        memcpy(at, span.at, span.octets);
}

static inline void cursor_put_u8(struct cursor_out *out, unsigned value)
{
    uint8_t *at = cursor_room(out, 1);
    if (at)
        at[0] = (uint8_t)value;
}

static inline void cursor_put_u16(struct cursor_out *out, unsigned value)
{
    uint8_t *at = cursor_room(out, 2);
    if (at)
        bytes_put_u16(at, (uint16_t)value);
}

static inline void cursor_put_u32(struct cursor_out *out, uint32_t value)
{
    uint8_t *at = cursor_room(out, 4);
    if (at)
        bytes_put_u32(at, value);
}

/* The caller has tested that the span has at most 255 octets. */
static inline void cursor_put_lv(struct cursor_out *out, struct ie_span span)
{
    cursor_put_u8(out, (unsigned)span.octets);
    cursor_put(out, span);
}

/* Sets the two octets at `at` to the number of octets behind them. */
static inline void cursor_close_u16(struct cursor_out *out, size_t at)
{
    if (!out->is_over)
        bytes_put_u16(out->bytes + at, (uint16_t)(out->octets - at - 2));
}

#endif
