/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths: pairs of an address of ours and a GGSN's that active contexts have (TS 29.060 clause 7.2). Here they
 * are counted; Lua says when to send Echo Requests and what silence means. A pair keeps its place after its
 * last context, so that its counters are those of the whole run.
 */
#ifndef CONTROL_CORE_CORE_PATH_H
#define CONTROL_CORE_CORE_PATH_H

#include "control/core/core.h"

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_path_init(struct core *core);
void core_path_fini(struct core *core);

/* What was added before is supervised from now on. */
void core_path_start(struct core *core);

/* One context more, or less. No effect when the GGSN's address is not known, and on a core without a control
 * plane. */
void core_path_add(struct core *core, uint32_t ours, uint32_t theirs);
void core_path_del(struct core *core, uint32_t ours, uint32_t theirs);

/* MSG_GN_ECHOED. */
void core_path_answered(struct core *core, const struct msg *msg);

#endif
