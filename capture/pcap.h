/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads pcap as a stream, through libpcap: either byte order, microseconds or nanoseconds, its dialects. */
#ifndef CAPTURE_PCAP_H
#define CAPTURE_PCAP_H

#include "capture/frame.h"

#include <stdint.h>
#include <stdio.h>

enum { CAPTURE_PCAP_REASON = 256 };

struct pcap;

struct capture_pcap {
    struct pcap *pcap; /* NULL: not open */
    int link_type;     /* of all frames */
    char reason[CAPTURE_PCAP_REASON];
};

/* Reads the file header. NULL: success, and capture_pcap_close() closes the file. Else the reason, a text in
 * p; the caller keeps the file. */
const char *capture_pcap_open(struct capture_pcap *p, FILE *file);

/* Octets of the stream that libpcap has read. */
uint64_t capture_pcap_at(const struct capture_pcap *p);

/* Closes p and its file. */
void capture_pcap_close(struct capture_pcap *p);

/* Reads the next frame. 1; 0: end of the file; -1: *error is the reason, a text valid until the next call.
 * wire_octets may be less than captured. */
int capture_pcap_next(struct capture_pcap *p, struct capture_frame *out, const char **error);

#endif
