/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A capture as a source of Ethernet frames in virtual time: the next frame is at hand, and due at its
 * instant.
 *
 * Time neither goes back nor leaps (capture/timeline.h): a frame from up to a day before the last one is as
 * old as that; one from further away, either way, shows a clock that was set. Frames of links that are not
 * read are left out.
 */
#ifndef SIM_CAPTURE_FEED_H
#define SIM_CAPTURE_FEED_H

#include "capture/reader.h"
#include "capture/timeline.h"

#define CAPTURE_FEED_MAX_OCTETS 65550

/* The longest silence. */
#define CAPTURE_FEED_SILENCE_NS INT64_C(86400000000000)

struct capture_feed {
    struct capture_reader reader; /* its error and is_broken say how it ended */
    struct capture_timeline timeline;
    struct capture_frame frame; /* the next one */
    bool has_frame;
    uint64_t frames;                       /* so far, with the next one */
    uint64_t cut_short;                    /* of them, shorter than they were on the wire (snap length) */
    uint8_t made[CAPTURE_FEED_MAX_OCTETS]; /* a frame with an Ethernet header of ours */
};

/* Opens a capture ("-": standard input) and reads its first frame. The feed must not move while it is open.
 * 0; or -1 with the reason in reader.error, also when all frames are of links that are not read. */
int capture_feed_open(struct capture_feed *f, const char *path);
void capture_feed_close(struct capture_feed *f);

/* When the next frame is due; MOMENT_NEVER: there is none. */
int64_t capture_feed_due_ns(const struct capture_feed *f);

/* Turns to the frame behind the one at hand, whose octets end. */
void capture_feed_next(struct capture_feed *f);

#endif
