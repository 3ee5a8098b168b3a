/* SPDX-License-Identifier: BSD-3-Clause */
/* One GTP extension header (TS 29.281 5.2): its length in units of four octets, content, the next one's type.
 */
#ifndef DATAPLANE_WIRE_GTPU_EXTENSION_H
#define DATAPLANE_WIRE_GTPU_EXTENSION_H

#include <stddef.h>
#include <stdint.h>

enum { GTPU_EXTENSION_MAX_OCTETS = 4 * 255 };

/* content_octets + 2 is a multiple of 4. */
struct gtpu_extension {
    const uint8_t *content; /* inside the decoded octets; the caller's when encoding */
    uint16_t content_octets;
    uint8_t type; /* stands in the header before this one */
    uint8_t next; /* 0: this is the last one */
};

/*
 * Reads the header of this type at the start of bytes. Returns its octets; ERR_TRUNCATED: it is longer than
 * len; ERR_MALFORMED: its length is 0, with which a chain would never end.
 */
int gtpu_extension_decode(struct gtpu_extension *out, uint8_t type, const uint8_t *bytes, size_t len);

/* Writes content and in->next. Returns octets; ERR_NO_SPACE; ERR_RANGE: content of 0, of other than 4n + 2,
 * or of more than 1018 octets. */
int gtpu_extension_encode(uint8_t *bytes, size_t cap, const struct gtpu_extension *in);

#endif
