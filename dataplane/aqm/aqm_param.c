/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/aqm_param.h"

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
