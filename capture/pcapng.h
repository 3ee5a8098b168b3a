/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads pcapng as a stream (draft-ietf-opsawg-pcapng): sections of either byte order, interfaces of any link
 * types and snap lengths side by side, which libpcap refuses (docs/decisions/capture-reader.md); enhanced,
 * simple and obsolete packet blocks. All other blocks are skipped. A packet without a timestamp gets that of
 * the packet before it.
 */
#ifndef CAPTURE_PCAPNG_H
#define CAPTURE_PCAPNG_H

#include "capture/frame.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CAPTURE_PCAPNG_INTERFACES = 256, CAPTURE_PCAPNG_MOST_OCTETS = 1 << 24, CAPTURE_PCAPNG_REASON = 120 };

struct capture_pcapng_interface {
    int link_type;
    uint32_t snap_octets;
    uint64_t units; /* of its timestamps, per second */
    int64_t offset_s;
};

struct capture_pcapng {
    FILE *file; /* the caller's; NULL: not open */
    uint8_t *block;
    uint64_t at, next_at; /* offsets of the current block and of the next octet to read */
    uint32_t room, interface_count;
    int64_t last_ns;
    bool is_big;
    char reason[CAPTURE_PCAPNG_REASON];                                    /* of the error; empty: none */
    struct capture_pcapng_interface interfaces[CAPTURE_PCAPNG_INTERFACES]; /* of this section */
};

/* Whether a file that begins with these four octets is pcapng. */
bool capture_pcapng_is(const uint8_t head[4]);

/* Reads the first section header. NULL, or the reason, a text valid until capture_pcapng_fini(). */
const char *capture_pcapng_open(struct capture_pcapng *p, FILE *file);

/* Reads the next frame. 1; 0: end of the file; -1: *error is the reason, a text valid until the next call.
 * wire_octets may be less than captured. */
int capture_pcapng_next(struct capture_pcapng *p, struct capture_frame *out, const char **error);

/* Frees the block's memory; the file stays open. */
void capture_pcapng_fini(struct capture_pcapng *p);

#endif
