/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths: pairs of a local address and a GGSN's address that active contexts use (TS 29.060 clause 7.2). This
 * file counts the contexts of each path; Lua decides when to send Echo Requests and when a path is down. A
 * path stays in the list after its last context, so that its counters cover the whole run.
 */
#ifndef CONTROL_CORE_CORE_PATH_H
#define CONTROL_CORE_CORE_PATH_H

#include "control/core/core.h"

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_path_init(struct core *core);
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
