/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls what an operator does to a phone, NS-VC or cell in Lua (lua/gmm/acts.lua, lua/gb/acts.lua). */
#ifndef CONTROL_LUA_LUA_ACTS_H
#define CONTROL_LUA_LUA_ACTS_H

#include "control/lua/lua_object.h"

#include <stdbool.h>
#include <stdint.h>

#define LUA_ACTS_WORDS      8
#define LUA_ACTS_TEXT_CHARS 320

/* The words of an order: names and values, all texts. */
struct lua_acts_order {
    struct {
        const char *name, *value;
    } words[LUA_ACTS_WORDS];
    unsigned count;
};

/* The value of a name; NULL: there is none. */
const char *lua_acts_word(const struct lua_acts_order *order, const char *name);

struct lua_acts_plan {
    bool is_refused;
    char text[LUA_ACTS_TEXT_CHARS]; /* why it is refused, or what will be sent */
    unsigned parts;                 /* how often its end is told (intent acted) */
    int64_t most_ns;                /* the longest time until then */
};

/* Changes nothing. */
void lua_acts_plan(const struct lua_object *object, const struct lua_acts_order *order,
                   struct lua_acts_plan *plan);

/* Carries an order out whose plan was not refused just before; the intent acted has the id. */
void lua_acts_begin(const struct lua_object *object, const struct lua_acts_order *order, uint64_t id,
                    int64_t now);

#endif
