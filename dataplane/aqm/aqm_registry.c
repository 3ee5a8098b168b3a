/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/aqm_registry.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 48

static const struct {
    const char *name, *unit;
} kinds[] = {
    [AQM_OCTETS] = {"octets", " octets"}, [AQM_PACKETS] = {"integer", " packets"},
    [AQM_DURATION] = {"duration", " ns"}, [AQM_SHARE] = {"percent", " millionths"},
    [AQM_FLAG] = {"boolean", ""},         [AQM_CHOICE] = {"enum", ""},
};

int aqm_param_find(const struct aqm_ops *ops, const char *name)
{
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (strcmp(ops->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

void aqm_param_defaults(const struct aqm_ops *ops, int64_t *values)
{
    for (uint32_t i = 0; i < ops->param_count; i++)
        values[i] = ops->params[i].initial;
}

const char *aqm_param_kind_name(enum aqm_kind kind)
{
    return (unsigned)kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind].name : "?";
}

bool aqm_param_word(const struct aqm_param *param, int64_t index, char *out, size_t cap)
{
    const char *word = param->words;
    for (; word && index > 0; index--) {
        word = strchr(word, ' ');
        word = word ? word + 1 : NULL;
    }
    size_t octets = word ? strcspn(word, " ") : 0;
    if (octets == 0 || octets >= cap || index < 0)
        return false;
    memcpy(out, word, octets);
    out[octets] = 0;
    return true;
}

void aqm_param_show(const struct aqm_param *param, int64_t value, char *out, size_t cap)
{
    if (param->kind == AQM_CHOICE && aqm_param_word(param, value, out, cap))
        return;
    if (param->kind == AQM_FLAG && (value == 0 || value == 1))
        snprintf(out, cap, "%s", value ? "true" : "false");
    else
        snprintf(out, cap, "%" PRId64 "%s", value, kinds[param->kind].unit);
}

bool aqm_param_check(const struct aqm_ops *ops, const int64_t *values, char *message, size_t cap)
{
    char given[SHOWN], low[SHOWN], high[SHOWN];
    for (uint32_t i = 0; i < ops->param_count; i++) {
        const struct aqm_param *param = &ops->params[i];
        if (values[i] >= param->min && values[i] <= param->max)
            continue;
        aqm_param_show(param, values[i], given, sizeof(given));
        aqm_param_show(param, param->min, low, sizeof(low));
        aqm_param_show(param, param->max, high, sizeof(high));
        snprintf(message, cap, "%s: %s is out of range: %s .. %s", param->name, given, low, high);
        return false;
    }
    return true;
}

#define AQM_SCHEME(name) extern const struct aqm_ops name##_ops;
#include "dataplane/aqm/schemes.def"
#undef AQM_SCHEME

#define AQM_SCHEME(name) &name##_ops,
static const struct aqm_ops *const built_in[] = {
#include "dataplane/aqm/schemes.def"
};
#undef AQM_SCHEME

#define COUNT (sizeof(built_in) / sizeof(built_in[0]))

void aqm_registry_init(struct aqm_registry *r)
{
    *r = (struct aqm_registry){.count = COUNT};
    memcpy(r->schemes, built_in, sizeof(built_in));
}

void aqm_registry_fini(struct aqm_registry *r)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->plugins[i])
            dlclose(r->plugins[i]);
    r->count = 0;
}

const struct aqm_ops *aqm_registry_find(const struct aqm_registry *r, const char *name)
{
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->schemes[i]->name, name) == 0)
            return r->schemes[i];
    return NULL;
}

/* The keys of `queues.aqm` beside a scheme's parameters (lua/node/aqm.lua). */
static bool is_key(const char *name)
{
    static const char *const keys[] = {"scheme", "scope", "plugin", "lua"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(keys[i], name) == 0)
            return true;
    return false;
}

static const char *fault_of_param(const struct aqm_param *param)
{
    char word[SHOWN];
    if (!param->name || !*param->name || !param->doc)
        return "a parameter has no name or no words that explain it";
    if (param->kind > AQM_CHOICE)
        return "a parameter is of no known kind";
    if (param->min > param->initial || param->initial > param->max || param->min < 0)
        return "a parameter's default is out of its range, or the range is below 0";
    if (is_key(param->name))
        return "a parameter is named as a key of queues.aqm: scheme, scope, plugin or lua";
    if (param->kind == AQM_FLAG && param->max != 1)
        return "a parameter that is a flag has another maximum than 1";
    if (param->kind == AQM_CHOICE &&
        (!param->words || param->max >= SHOWN || !aqm_param_word(param, param->max, word, sizeof(word))))
        return "a parameter that is a choice has fewer words than values, or words of more than 47 octets";
    return NULL;
}

static const char *fault_of(const struct aqm_registry *r, const struct aqm_ops *ops)
{
    if (!ops || !ops->name || !*ops->name || !ops->title || !ops->summary || !ops->source)
        return "a scheme has a name, a title, a summary and a source";
    if (aqm_registry_find(r, ops->name))
        return "there is a scheme of that name";
    if (r->count == AQM_REGISTRY_MAX)
        return "there is no room for another scheme";
    if (ops->param_count > AQM_MAX_PARAMS || ops->state_octets > AQM_MAX_STATE)
        return "it has too many parameters, or too large a state";
    const char *fault = NULL;
    for (uint32_t i = 0; i < ops->param_count && !fault; i++)
        fault = fault_of_param(&ops->params[i]);
    return fault;
}

bool aqm_registry_add(struct aqm_registry *r, const struct aqm_ops *ops, char *message, size_t cap)
{
    const char *fault = fault_of(r, ops);
    if (fault) {
        snprintf(message, cap, "%s", fault);
        return false;
    }
    r->schemes[r->count++] = ops;
    return true;
}

static bool add_plugin(struct aqm_registry *r, const struct aqm_plugin *plugin, char *message, size_t cap)
{
    if (!plugin) {
        snprintf(message, cap, "it has no %s", AQM_PLUGIN_SYMBOL);
        return false;
    }
    if (plugin->abi != AQM_ABI) {
        snprintf(message, cap, "it speaks version %u of the interface, this program version %u", plugin->abi,
                 (unsigned)AQM_ABI);
        return false;
    }
    if (plugin->ops_octets != sizeof(struct aqm_ops) || plugin->view_octets != sizeof(struct aqm_view) ||
        plugin->param_octets != sizeof(struct aqm_param)) {
        snprintf(message, cap, "it was compiled with other sizes of the interface's structures");
        return false;
    }
    return aqm_registry_add(r, plugin->ops, message, cap);
}

bool aqm_registry_load(struct aqm_registry *r, const char *path, char *message, size_t cap)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(message, cap, "%s", dlerror());
        return false;
    }
    if (!add_plugin(r, dlsym(handle, AQM_PLUGIN_SYMBOL), message, cap)) {
        dlclose(handle);
        return false;
    }
    r->plugins[r->count - 1] = handle;
    return true;
}
