/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_path.h"

#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "control/lua/lua_table.h"
#include "dataplane/worker/gn_echo.h"

#include <stdio.h>
#include <stdlib.h>

#define SENDER 0 /* the worker that sends Echo Requests */

void core_path_echo(struct core *core, struct core_intent *intent)
{
    const struct core_paths_entry *path = &core->paths.list[intent->path];
    struct msg *msg = &intent->msg;
    msg->path.ours = path->ours;
    msg->path.theirs = path->theirs;
    /* The Echo Response may arrive at any worker. */
    core_link_order_others(core, SENDER, msg);
    msg->path.is_to_send = true;
    core_link_order(core, SENDER, msg);
}

void core_path_fini(struct core *core)
{
    free(core->paths.list);
    core->paths.list = NULL;
}

/* --- contexts --- */

/* The index of a path, or the number of paths when there is none for the pair. */
static uint32_t path_at(const struct core_paths *paths, uint32_t ours, uint32_t theirs)
{
    uint32_t i = 0;
    while (i < paths->count && (paths->list[i].ours != ours || paths->list[i].theirs != theirs))
        i++;
    return i;
}

/* Places are kept for a path that comes again, and given to another path when there are no more: a GGSN can
 * name any number of addresses. GN_ECHO_PATHS: every path has contexts. */
static uint32_t add_path(struct core_paths *paths, uint32_t ours, uint32_t theirs)
{
    uint32_t place = paths->count;
    if (place == GN_ECHO_PATHS)
        for (place = 0; place < paths->count && paths->list[place].contexts > 0;)
            place++;
    else
        lua_table_append(&paths->list, &paths->count, sizeof(*paths->list));
    if (place < paths->count)
        paths->list[place] = (struct core_paths_entry){.ours = ours, .theirs = theirs};
    return place;
}

static bool is_followed(const struct core *core, uint32_t theirs)
{
    return core_has(core, gn) && theirs != ADDRESS_NONE;
}

static void begin_path(struct core *core, uint32_t place)
{
    const struct core_paths_entry *path = &core->paths.list[place];
    char ours[ADDRESS_BOOK_TEXT_CHARS], theirs[ADDRESS_BOOK_TEXT_CHARS],
        name[2 * ADDRESS_BOOK_TEXT_CHARS + 4];
    snprintf(name, sizeof(name), "%s - %s", address_book_text(&core->addresses, path->ours, ours),
             address_book_text(&core->addresses, path->theirs, theirs));
    core_tell(core, gn_add, LUA_ARG(place), LUA_ARG(name));
}

void core_path_add(struct core *core, uint32_t ours, uint32_t theirs)
{
    struct core_paths *paths = &core->paths;
    if (!is_followed(core, theirs))
        return;
    uint32_t place = path_at(paths, ours, theirs);
    if (place == paths->count)
        place = add_path(paths, ours, theirs);
    if (place == GN_ECHO_PATHS)
        return;
    if (paths->list[place].contexts++ == 0 && paths->is_started)
        begin_path(core, place);
}

void core_path_start(struct core *core)
{
    core->paths.is_started = true;
    for (uint32_t i = 0; i < core->paths.count; i++)
        if (core->paths.list[i].contexts > 0)
            begin_path(core, i);
}

static void end_path(struct core *core, uint32_t place)
{
    const struct core_paths_entry *path = &core->paths.list[place];
    struct msg msg = {.type = MSG_GN_ECHO_END, .path = {.ours = path->ours, .theirs = path->theirs}};
    if (!core->paths.is_started)
        return;
    core_tell(core, gn_del, LUA_ARG(place));
    core_order(core, &msg);
}

void core_path_del(struct core *core, uint32_t ours, uint32_t theirs)
{
    if (!is_followed(core, theirs))
        return;
    uint32_t place = path_at(&core->paths, ours, theirs);
    /* None: it was not followed, as there was no place. */
    if (place < core->paths.count && core->paths.list[place].contexts > 0 &&
        --core->paths.list[place].contexts == 0)
        end_path(core, place);
}

/* --- answers --- */

void core_path_answered(struct core *core, const struct msg *msg)
{
    uint32_t place = path_at(&core->paths, msg->path.ours, msg->path.theirs);
    if (place < core->paths.count)
        core_tell(core, gn_answered, LUA_ARG(place), LUA_ARG(msg->path.seq));
}
