/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths: pairs of a local address and a GGSN's address that active contexts use (TS 29.060 clause 7.2). The
 * core counts the contexts of each path; Lua decides when to send Echo Requests and when a path is down. A
 * path stays in the list after its last context, so that its counters cover the whole run.
 */
#ifndef CONTROL_CORE_CORE_PATH_H
#define CONTROL_CORE_CORE_PATH_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct msg;

/* A path: a local address, a GGSN's address, and the number of contexts between them. */
struct core_paths_entry {
    uint32_t ours, theirs;
    uint32_t contexts;
};

struct core_paths {
    struct core_paths_entry *list; /* grows up to GN_ECHO_PATHS */
    uint32_t count;
    bool is_started;
};

void core_path_fini(struct core *core);

/* Starts the supervision of the paths added so far. */
void core_path_start(struct core *core);

/* Adds or removes a context of a path. No effect when the GGSN's address is unknown, or in a core without a
 * control plane. */
void core_path_add(struct core *core, uint32_t ours, uint32_t theirs);
void core_path_del(struct core *core, uint32_t ours, uint32_t theirs);

/* Takes MSG_GN_ECHOED, an Echo Response. */
void core_path_answered(struct core *core, const struct msg *msg);

#endif
