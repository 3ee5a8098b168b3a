/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads pcapng as a stream (draft-ietf-opsawg-pcapng): sections of either byte order, interfaces of any link
 * types side by side, which libpcap does not read; enhanced, simple and obsolete packet blocks. All other
 * blocks are skipped.
 */
#ifndef ANALYZE_GI_PCAPNG_H
#define ANALYZE_GI_PCAPNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { GI_PCAPNG_INTERFACES = 256, GI_PCAPNG_MOST_OCTETS = 1 << 24 };

struct gi_pcapng_interface {
    int link_type;
    uint32_t snap_octets;
    uint64_t units; /* of its timestamps, in a second */
    int64_t offset_s;
};

struct gi_pcapng {
    FILE *file; /* the caller's */
    uint8_t *block;
    uint32_t room, interface_count;
    int64_t last_ns;
    bool is_big;
    struct gi_pcapng_interface interfaces[GI_PCAPNG_INTERFACES]; /* of this section */
};

struct gi_pcapng_packet {
    const uint8_t *bytes; /* until the next call */
    uint32_t captured, wire_octets;
    int64_t at_ns;
    int link_type;
};

/* Whether what follows in a file is a section of pcapng; takes nothing. */
bool gi_pcapng_is_next(FILE *file);

/* Begins with a file's first section. NULL, or what is wrong, a static text; then there is nothing to be
 * given back. */
const char *gi_pcapng_open(struct gi_pcapng *p, FILE *file);

/* The next packet: 1; 0: the end; -1: what is wrong is in *error, a static text. */
int gi_pcapng_next(struct gi_pcapng *p, struct gi_pcapng_packet *out, const char **error);

/* Gives back memory; the file stays open. */
void gi_pcapng_fini(struct gi_pcapng *p);

#endif
