/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Gb control plane intends, as requests to the worker: indices in place of NSEIs and BVCIs. */
#ifndef CONTROL_CORE_CORE_INTENT_H
#define CONTROL_CORE_CORE_INTENT_H

#include "control/lua/lua_gb.h"

/* A lua_gb_emit; core is the struct core whose control plane it is. */
void core_intent_apply(void *core, const struct lua_gb_intent *intent);

#endif
