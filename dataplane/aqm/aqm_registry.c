/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/aqm_registry.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

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

static const char *fault_of_param(const struct aqm_param *param)
{
    if (!param->name || !*param->name || !param->doc)
        return "a parameter has no name or no words that explain it";
    if (param->kind > AQM_CHOICE)
        return "a parameter is of no known kind";
    if (param->min > param->initial || param->initial > param->max || param->min < 0)
        return "a parameter's default is out of its range, or the range is below 0";
    if (param->kind == AQM_CHOICE && !param->words)
        return "a parameter that is a choice has no words";
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
