/* SPDX-License-Identifier: BSD-3-Clause */
/* Intents as the state machines in Lua give them, written as text. */
#ifndef TESTS_UNIT_CONTROL_CORE_INTENT_RIG_H
#define TESTS_UNIT_CONTROL_CORE_INTENT_RIG_H

#include "control/core/core.h"

/* A Lua state whose intents the core carries out; the rest of the core is the caller's. */
void intent_rig_init(struct core *core);
void intent_rig_fini(struct core *core);

/* Has the intents of a list carried out, in order: `{ op = "...", fields }, ...`. */
void intent_rig_emit(struct core *core, const char *intents);

#endif
