/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/path_report.h"

#include "control/report/fields.h"

static json_t *path(const struct core *core, uint32_t place)
{
    const struct core_paths_entry *entry = &core->paths.list[place];
    struct lua_paths_state state;
    json_t *object = json_object();

    lua_paths_get(&core->paths.lua, place, &state);
    fields_put(object, "sgsn_address", fields_address(&core->addresses, entry->ours));
    fields_put(object, "ggsn_address", fields_address(&core->addresses, entry->theirs));
    fields_put_count(object, "contexts", entry->contexts);
    fields_put(object, "state", json_string(state.state));
    fields_put_count(object, "requests", state.requests);
    fields_put_count(object, "repeats", state.repeats);
    fields_put_count(object, "answers", state.answers);
    fields_put_count(object, "losses", state.losses);
    return object;
}

json_t *path_report(const struct core *core)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < core->paths.count; i++)
        json_array_append_new(list, path(core, i));
    return list;
}
