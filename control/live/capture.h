/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capture on request: what workers copy (worker/tap.h) goes to a pcapng file, with a comment on each packet.
 * Of interface "gb" are frames of Gb, of "dropped" the IP packets that were dropped on the way there.
 */
#ifndef CONTROL_LIVE_CAPTURE_H
#define CONTROL_LIVE_CAPTURE_H

#include "capture/writer.h"
#include "dataplane/base/teid.h"
#include "dataplane/worker/tap.h"

#define LIVE_CAPTURE_PATH_CHARS 512

struct live;

struct live_capture {
    struct tap *taps[TEID_WORKERS]; /* of workers; NULL: none yet */
    bool is_on;
    struct capture_writer out;
    char path[LIVE_CAPTURE_PATH_CHARS];
    int64_t since_1970_ns; /* what has to be added to our time */
    uint64_t wanted;       /* packets; 0: until it is stopped */
    uint64_t packets;      /* written to the file at hand, or the last one */
};

/*
 * Begins with "TLLI,BVCI,COUNT,PATH": numbers in base 10, 0 for any and for no end. Returns NULL, or what is
 * wrong (static string, or strerror()'s).
 */
const char *live_capture_start(struct live *live, const char *request);

/* Ends it, with what workers have copied so far. Harmless when there is none. */
void live_capture_stop(struct live *live);

/* Writes what there is; returns when to look again, MOMENT_NEVER. */
int64_t live_capture_step(struct live *live, int64_t now);

/* Records for which workers had no room, of all captures. */
uint64_t live_capture_lost(const struct live_capture *capture);

/* Workers are not in a step any more: ends it, and frees everything. */
void live_capture_close(struct live *live);

#endif
