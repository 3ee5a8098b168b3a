/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/aqm_choices.h"

#include "control/config/plugin_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct aqm_choices *aqm_choices_new(void)
{
    struct aqm_choices *choices = calloc(1, sizeof(*choices));
    if (choices)
        aqm_registry_init(&choices->registry);
    return choices;
}

void aqm_choices_free(struct aqm_choices *choices)
{
    if (!choices)
        return;
    for (unsigned i = 0; i < choices->script_count; i++) {
        lua_aqm_script_free(choices->scripts[i]);
        free(choices->paths[i]);
    }
    aqm_registry_fini(&choices->registry);
    free(choices);
}

const char *aqm_choices_failure(const struct aqm_choices *choices)
{
    const char *failure = NULL;
    for (unsigned i = 0; choices && i < choices->script_count && !failure; i++)
        failure = lua_aqm_script_failure(choices->scripts[i]);
    return failure;
}

static const struct aqm_ops *aqm_choices_complain(char *message, size_t cap, const char *text)
{
    snprintf(message, cap, "%s", text);
    return NULL;
}

static const struct aqm_ops *find_script(struct aqm_choices *choices, const char *path, char *message,
                                         size_t cap)
{
    for (unsigned i = 0; i < choices->script_count; i++)
        if (strcmp(choices->paths[i], path) == 0)
            return lua_aqm_script_ops(choices->scripts[i]);
    struct lua_aqm_script *script = lua_aqm_script_new(path);
    if (!script || choices->script_count == QCLASS_COUNT + 1)
        return aqm_choices_complain(message, cap, "is not a scheme, see the line above");
    choices->paths[choices->script_count] = strdup(path);
    choices->scripts[choices->script_count++] = script;
    return lua_aqm_script_ops(script);
}

/* The registry rejects a second scheme of the same name. */
static const struct aqm_ops *find_plugin(struct aqm_choices *choices, const char *name, char *message,
                                         size_t cap)
{
    char path[PLUGIN_FOLDER_PATH_CHARS];
    if (!plugin_folder_find(name, path, message, cap))
        return NULL;
    if (!plugin_folder_is_allowed())
        return aqm_choices_complain(message, cap, "is not loaded here");
    struct aqm_registry *r = &choices->registry;
    if (aqm_registry_load(r, path, message, cap))
        return r->schemes[r->count - 1];
    struct aqm_registry other;
    char ignored[128];
    aqm_registry_init(&other);
    const struct aqm_ops *same = NULL;
    if (aqm_registry_load(&other, path, ignored, sizeof(ignored)))
        same = aqm_registry_find(r, other.schemes[other.count - 1]->name);
    aqm_registry_fini(&other);
    return same;
}

const struct aqm_ops *aqm_choices_find(struct aqm_choices *choices, const char *kind, const char *name,
                                       char *message, size_t cap)
{
    if (strcmp(kind, "plugin") == 0)
        return find_plugin(choices, name, message, cap);
    if (strcmp(kind, "lua") == 0)
        return find_script(choices, name, message, cap);
    const struct aqm_ops *ops = aqm_registry_find(&choices->registry, name);
    return ops ? ops : aqm_choices_complain(message, cap, "there is no such scheme");
}
