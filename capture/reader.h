/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads captures as streams: pcap or pcapng, plain or gzip, from a file or standard input. libpcap reads
 * pcap, capture/source.h reads pcapng: docs/decisions/capture-reader.md has the reasons.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include "capture/link.h"
#include "capture/source.h"
#include "capture/unread.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the timestamps of captures monotonic. For a timestamp with a gap to the time of the frame before it:
 *
 *     -back_ns <= gap < 0                    frames out of order: the time stays
 *     0 <= gap <= silence_ns                 the time advances by the gap
 *     gap < -back_ns                         the clock was set back: the time stays
 *     gap > silence_ns                       the clock was set forward: the time advances by set_ns
 *
 * After the clock was set, later frames keep their distance to that frame.
 */

/* The time stops at this instant in the year 2255: 64 bits leave room for timers above it. */
#define CAPTURE_TIMELINE_LAST_NS INT64_C(9000000000000000000)

struct capture_timeline {
    int64_t back_ns, silence_ns, set_ns; /* the caller's limits, see above */
    int64_t first_ns, last_ns;           /* times of the first and the last frame */
    int64_t leapt_ns;                    /* timestamp - time, since the clock was last set */
    uint64_t steps;                      /* frames out of order, or at which the clock was set */
    bool has_begun;
};

/* Returns the time of the next frame, whose timestamp is at_ns >= 0. */
int64_t capture_timeline_put(struct capture_timeline *t, int64_t at_ns);

#define CAPTURE_READER_ERROR 400

/* Totals over all captures that one reader has read. */
struct capture_reader_counts {
    uint64_t frames, octets;      /* octets on the wire */
    uint64_t cut_short;           /* frames with less octets captured than on the wire (snap length) */
    uint64_t no_time;             /* frames without a time */
    uint64_t unknown_links;       /* frames of link types that are not supported */
    struct capture_unread unread; /* frames of supported link types that are neither IP nor ARP */
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

/* Adds the counts of one reader to a sum. */
void capture_reader_counts_add(struct capture_reader_counts *sum, const struct capture_reader_counts *more);

/* Closes the capture; no effect when none is open. */
void capture_reader_close(struct capture_reader *r);

/* Reads the next frame, with the capture's timestamp; wire_octets is the capture's, or more if the IP header
 * says more. False: end of the capture, or it is damaged here (is_broken, error). */
bool capture_reader_next(struct capture_reader *r, struct capture_frame *frame);

/* How much of the file has been read, in percent; -1: not known. */
int capture_reader_percent(const struct capture_reader *r);

#endif
