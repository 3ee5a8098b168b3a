/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source of a reader: the octets of a capture as a stream: from a file, standard input or memory; plain
 * or gzip. zlib decompresses gzip and passes all other octets unchanged.
 */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One frame of a capture. */

/* captured <= wire_octets, unless a function's comment differs. */
struct capture_frame {
    int64_t at_ns;        /* since 1970-01-01, at least 0 */
    const uint8_t *bytes; /* owned by the reader; valid until its next call */
    size_t captured;      /* octets in the capture, at most the snap length */
    size_t wire_octets;   /* octets on the wire */
    int link_type;        /* as pcap_datalink() returns it (DLT_...) */
    bool has_no_time;     /* the capture has none: at_ns is that of the packet before, 0 if it is the first */
};

enum { CAPTURE_SOURCE_HEAD = 4 };

struct capture_source {
    void *gzip;          /* zlib's handle; NULL: octets in memory */
    const uint8_t *next; /* in memory: the next octet, and the number left */
    size_t left;
    uint8_t head[CAPTURE_SOURCE_HEAD]; /* the first octets, which tell the file's format */
    unsigned head_octets, head_given;  /* octets in head; of these, octets read from the stream */
    uint64_t given;                    /* octets read from the stream so far, decompressed */
    int64_t file_octets;               /* of the whole file; 0: not known */
};

/*
 * Opens a file ("-": standard input) and reads its first octets into head. Returns its stream, or NULL with
 * errno. Closing the stream closes the source. The source must not move while it is open.
 */
FILE *capture_source_open(struct capture_source *s, const char *path);

/* Likewise octets in memory, which are not decompressed; the caller owns them. */
FILE *capture_source_open_memory(struct capture_source *s, const uint8_t *bytes, size_t octets);

/* The error that ended the stream early; NULL: no error. The text is valid until the stream is closed. */
const char *capture_source_error(const struct capture_source *s);

/* Whether the file is gzip, so that offsets in the stream are not offsets in the file. */
bool capture_source_is_gzip(const struct capture_source *s);

/* How much of the file has been read, in percent; -1: not known. */
int capture_source_percent(const struct capture_source *s);

/* Reads pcap as a stream, through libpcap: either byte order, microseconds or nanoseconds, its dialects. */

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

/*
 * Reads pcapng as a stream (draft-ietf-opsawg-pcapng): sections of either byte order, interfaces of any link
 * types and snap lengths side by side, which libpcap refuses (docs/decisions/capture-reader.md); enhanced,
 * simple and obsolete packet blocks. All other blocks are skipped. A packet without a timestamp gets that of
 * the packet before it.
 */

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
