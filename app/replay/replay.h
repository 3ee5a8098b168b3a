/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays a Gn capture through the dataplane in virtual time: each frame arrives at a worker's Gn port at its
 * timestamp, sessions are learned from the capture's GTP-C or configured, and an emulated BSS is at the other
 * end of Gb.
 */
#ifndef APP_REPLAY_REPLAY_H
#define APP_REPLAY_REPLAY_H

#include "app/replay/gtpc_learn.h"
#include "app/virtual/gb_far_side.h"
#include "capture/writer.h"
#include "control/sessions/node.h"
#include "control/sessions/sessions.h"
#include "control/report/field.h"
#include "control/report/totals.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/msg.h"
#include "sim/capture_feed.h"
#include "sim/ms_stack.h"
#include "sim/timers.h"

#include <stdbool.h>
#include <stdint.h>

/* The fates of N-PDUs per session, counted from the workers' traces. Sojourn: from Gn receipt to the last
 * segment's departure. */

struct replay_session {
    uint64_t npdu_in, npdu_out, octets_out;
    uint64_t drops[DROP_COUNT];
    struct samples sojourns; /* of those delivered */
};

struct replay_stats {
    struct replay_session *sessions; /* parallel to sessions.list */
    uint32_t count;
    uint64_t strays; /* events of no session: unknown tunnels, malformed N-PDUs */
};

struct replay_options {
    const char *node; /* configuration file */
    const char *in;   /* capture of Gn */
    const char *out;  /* capture of Gb to write, NULL: none */
    const char *json; /* report to write, NULL: none */
    int64_t drain_ns; /* time after the last frame in which queued N-PDUs may leave */
    bool is_verbose;
    bool is_unsteered; /* frames arrive at the workers in turn */
};

/* Frames read from the capture; those that the port did not accept (no_buffer, too_long) reach no worker. */
struct replay_feed {
    struct capture_feed capture;
    int64_t first_ns, last_ns;
    uint64_t pushed, no_buffer, too_long;
    int percent; /* progress as last printed, -1: none is printed */
};

/* Mobiles in LLC's acknowledged mode at the far side. */
struct replay_mobiles {
    struct replay_mobile **list;
    uint32_t count;
    struct u64_map by_key; /* TLLI and SAPI; not there while count is 0 */
    struct timers timers;
};

struct replay {
    const struct replay_options *options;
    struct node node;
    struct gb_far_side far;
    struct deal deal;
    unsigned port; /* worker at whose port the next frame arrives */
    struct gtpc_learn learn;
    struct replay_feed feed;
    struct capture_writer out;
    struct replay_stats stats;
    struct replay_mobiles mobiles;
    int64_t now, start_ns;
};

/* Replays the capture and prints the table. Exit status: 0, 1 when the run failed, 2 when configuration or
 * arguments are wrong. */
int replay_run(const struct replay_options *options);

/* mobiles.c: an LLC-PDU that reaches its mobile; an actor of the loop that sends their answers. replay:
 * struct replay. */
void replay_mobiles_take(void *replay, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now);
int64_t replay_mobiles_step(void *replay, int64_t now);
void replay_mobiles_free(struct replay_mobiles *mobiles);

/* The table and the JSON report of a replay. */

/* Prints the table per mobile and the totals. */
void replay_report_print(struct replay *r);

/* The fields of the JSON report. */
extern const struct field replay_report[];

/* Writes the JSON report (docs/reference/replay-report.md). False, with a line on stderr, when it cannot be
 * written. */
bool replay_report_write(struct replay *r, const char *path);

#endif
