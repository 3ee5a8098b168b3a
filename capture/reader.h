/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads captures as streams: pcap or pcapng, plain or gzip, from a file or standard input. libpcap reads
 * pcap, capture/pcapng.h reads pcapng: docs/decisions/capture-reader.md has the reasons.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include "capture/frame.h"
#include "capture/pcap.h"
#include "capture/pcapng.h"
#include "capture/source.h"

#include <stdbool.h>

#define CAPTURE_READER_ERROR 400

/* Totals over all captures that one reader has read. */
struct capture_reader_counts {
    uint64_t frames, octets; /* octets on the wire */
    uint64_t cut_short;      /* frames with less octets captured than on the wire (snap length) */
    uint64_t unknown_links;  /* frames of link types that are not supported */
};

struct capture_reader {
    struct capture_source source;
    struct capture_pcap pcap; /* pcap or pcapng is open */
    struct capture_pcapng pcapng;
    uint64_t packets; /* read from this capture */
    int unknown_link; /* link type of the last frame in counts.unknown_links */
    bool is_broken;   /* this capture is damaged after the last frame; error has place and reason */
    char error[CAPTURE_READER_ERROR];
    struct capture_reader_counts counts;
};

/*
 * Opens a capture ("-": standard input). A reader is zero before its first use, and may open one capture
 * after the other: counts sums them up. The reader must not move while it is open. 0; or -1 with the reason
 * in error, a line without the file's name.
 */
int capture_reader_open(struct capture_reader *r, const char *path);

/* Likewise a capture in memory, which the caller owns and keeps until the close. */
int capture_reader_open_memory(struct capture_reader *r, const uint8_t *bytes, size_t octets);

/* Closes the capture; no effect when none is open. */
void capture_reader_close(struct capture_reader *r);

/* Reads the next frame, with the capture's timestamp. False: end of the capture, or it is damaged here
 * (is_broken, error). */
bool capture_reader_next(struct capture_reader *r, struct capture_frame *frame);

/* How much of the file has been read, in percent; -1: not known. */
int capture_reader_percent(const struct capture_reader *r);

#endif
