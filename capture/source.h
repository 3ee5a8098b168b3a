/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The octets of a capture as a stream: from a file, standard input or memory; plain or gzip. zlib
 * decompresses gzip and passes all other octets unchanged.
 */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
bool capture_source_is_compressed(const struct capture_source *s);

/* How much of the file has been read, in percent; -1: not known. */
int capture_source_percent(const struct capture_source *s);

#endif
