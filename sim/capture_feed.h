/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A capture as a source of Ethernet frames in virtual time. The next frame is `frame`, due at frame.at_ns.
 * Frames with unsupported link types are skipped.
 *
 * The time is monotonic (capture/reader.h). A frame up to a day earlier than the one before it is out of
 * order and gets the time of that one. A larger step back, or a gap of more than a day, means that the clock
 * was set: no time passes. Each simulated day takes 17 280 rounds of the loop, since both ends of Gb test an
 * NS-VC every 30 s. Gaps of more than a minute are therefore limited in sum, too: beyond 31 days of them,
 * each further one means that the clock was set.
 */
#ifndef SIM_CAPTURE_FEED_H
#define SIM_CAPTURE_FEED_H

#include "capture/reader.h"

#include <stdbool.h>
#include <stdint.h>

#define CAPTURE_FEED_MAX_OCTETS 65550

struct capture_feed {
    struct capture_reader reader; /* has error and is_broken */
    struct capture_timeline timeline;
    struct capture_frame frame; /* the next one */
    bool has_frame;
    int64_t silences_ns;                   /* the sum so far */
    uint64_t frames;                       /* read, the one in `frame` included */
    uint64_t cut_short;                    /* of these, with fewer octets captured than on the wire */
    uint8_t made[CAPTURE_FEED_MAX_OCTETS]; /* a frame whose link header was replaced */
};

/* Opens a capture ("-": standard input) and reads its first frame. The feed must not move while it is open.
 * 0; or -1 with the reason in reader.error, also if all frames have unsupported link types. */
int capture_feed_open(struct capture_feed *f, const char *path);
void capture_feed_close(struct capture_feed *f);

/* When the next frame is due; MOMENT_NEVER: at the end of the capture. */
int64_t capture_feed_due_ns(const struct capture_feed *f);

/* Reads the next frame into `frame`; has_frame is false at the end of the capture. */
void capture_feed_next(struct capture_feed *f);

#endif
