/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_acts.h"

#include "control/lua/lua_table.h"

#include <stdio.h>
#include <string.h>

const char *lua_acts_word(const struct lua_acts_order *order, const char *name)
{
    for (unsigned i = 0; i < order->count; i++)
        if (strcmp(order->words[i].name, name) == 0)
            return order->words[i].value;
    return NULL;
}

/* The method, the object and the order as a table. */
static void push(const struct lua_object *object, const char *method, const struct lua_acts_order *order)
{
    lua_object_push(object, method);
    lua_createtable(object->L, 0, (int)order->count);
    for (unsigned i = 0; i < order->count; i++)
        lua_table_set_text(object->L, order->words[i].name, order->words[i].value);
}

void lua_acts_plan(const struct lua_object *object, const struct lua_acts_order *order,
                   struct lua_acts_plan *plan)
{
    lua_State *L = object->L;
    *plan = (struct lua_acts_plan){0};
    push(object, "plan", order);
    lua_object_ask(object, 1, 1);
    plan->parts = (unsigned)lua_table_integer(L, "parts");
    plan->most_ns = lua_table_integer(L, "most_ns");
    plan->is_refused = plan->parts == 0;
    lua_table_text(L, plan->is_refused ? "refusal" : "says", plan->text, sizeof(plan->text));
    lua_pop(L, 1);
    if (!plan->text[0])
        snprintf(plan->text, sizeof(plan->text), "an error in Lua; see the log");
}

void lua_acts_begin(const struct lua_object *object, const struct lua_acts_order *order, uint64_t id,
                    int64_t now)
{
    push(object, "act", order);
    lua_pushinteger(object->L, (lua_Integer)id);
    lua_object_call(object, 2, now);
}
