/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/path_fields.h"

#include "control/report/node_fields.h"

struct path {
    char sgsn_address[ADDRESS_BOOK_TEXT_CHARS], ggsn_address[ADDRESS_BOOK_TEXT_CHARS];
    uint64_t contexts;
    struct lua_paths_state lua;
};

void path_fields_each(const void *record, struct field_sink *sink)
{
    const struct core *core = &((const struct node_fields *)record)->node->core;
    for (uint32_t i = 0; i < core->paths.count; i++) {
        const struct core_paths_entry *entry = &core->paths.list[i];
        struct path path = {.contexts = entry->contexts};
        address_book_text(&core->addresses, entry->ours, path.sgsn_address);
        address_book_text(&core->addresses, entry->theirs, path.ggsn_address);
        lua_paths_get(&core->paths.lua, i, &path.lua);
        field_put(sink, NULL, &path);
    }
}

const struct field path_fields[] = {
    FIELD(struct path, LABEL, "sgsn_address", "", sgsn_address, "The node's address of the path."),
    FIELD(struct path, LABEL, "ggsn_address", "", ggsn_address, "The GGSN's address of the path."),
    FIELD(struct path, GAUGE, "contexts", "PDP contexts", contexts, "Active PDP contexts that use the path."),
    FIELD(struct path, LABEL, "state", "", lua.state,
          "off (not supervised), unknown (no answer yet), up, or down (gn.path)."),
    FIELD(struct path, COUNTER, "requests", "messages", lua.requests,
          "Echo Requests, without retransmissions."),
    FIELD(struct path, COUNTER, "retransmissions", "messages", lua.repeats,
          "Retransmissions of Echo Requests after T3-RESPONSE."),
    FIELD(struct path, COUNTER, "answers", "messages", lua.answers, "Echo Responses received in time."),
    FIELD(struct path, COUNTER, "failures", "times", lua.losses,
          "Path failures: times that the state became down."),
    FIELD_END,
};
