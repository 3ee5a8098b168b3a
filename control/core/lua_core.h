/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the objects of the core in Lua (rows OBJECT of events.def), with what these call in C. */
#ifndef CONTROL_CORE_LUA_CORE_H
#define CONTROL_CORE_LUA_CORE_H

#include "control/core/core_event.h"

struct lua_State;
struct node_config;

/* Makes the object of the checked configuration on top of the stack of core->intents.L, which stays there. */
void lua_core_make(struct core *core, enum core_object object);

/* Forgets it, if it is there. */
void lua_core_drop(struct core *core, enum core_object object);

/* Writes the numbers that NS-VCs have, after reloads in any order, to the checked configuration on top of L's
 * stack, of which a second gb is made. */
void lua_core_number(struct lua_State *L, const struct node_config *config);

#endif
