/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A capture of Gn through the dataplane in virtual time: every frame arrives at a worker's Gn port at the
 * time of the capture, sessions come from the GTP-C in it or from the configuration, and an emulated BSS is
 * at the other end of Gb.
 */
#ifndef APP_REPLAY_REPLAY_H
#define APP_REPLAY_REPLAY_H

#include "app/virtual/deal.h"
#include "app/virtual/gb_far_side.h"
#include "app/replay/gtpc_learn.h"
#include "capture/writer.h"
#include "control/core/node.h"
#include "app/replay/stats.h"
#include "sim/capture_feed.h"

#include <stdbool.h>
#include <stdint.h>

struct replay_options {
    const char *node; /* configuration file */
    const char *in;   /* capture of Gn */
    const char *out;  /* capture of Gb to write, NULL: none */
    const char *json; /* report to write, NULL: none */
    int64_t drain_ns; /* how long after the last frame what waits may still leave */
    bool is_verbose;
    bool is_unsteered; /* frames come in at one worker after the other */
};

/* What the feeder read; frames that the port could not take are not among the worker's. */
struct replay_feed {
    struct capture_feed capture;
    int64_t first_ns, last_ns;
    uint64_t pushed, no_buffer, too_long;
    int percent; /* shown last, -1: none */
};

struct replay {
    const struct replay_options *options;
    struct node node;
    struct gb_far_side far;
    struct deal deal;
    unsigned port; /* that the next frame comes in at */
    struct gtpc_learn learn;
    struct replay_feed feed;
    struct capture_writer out;
    struct replay_stats stats;
    int64_t now, start_ns;
};

/* Runs it and prints its table. Exit status: 0, 1 when the run failed, 2 when configuration or arguments are
 * wrong. */
int replay_run(const struct replay_options *options);

#endif
