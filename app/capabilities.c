/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/capabilities.h"

#include <stddef.h>

typedef void examine_function(struct findings *d);
typedef bool check_function(const struct node_config *config, const char *config_path, int64_t *associations);

#define APP_CAPABILITY(name)                                                                                 \
    extern examine_function name##_examine;                                                                  \
    extern check_function name##_check;
#include "app/capabilities.def"
#undef APP_CAPABILITY

static const struct {
    examine_function *examine;
    check_function *check;
} rows[] = {
#define APP_CAPABILITY(name) {name##_examine, name##_check},
#include "app/capabilities.def"
#undef APP_CAPABILITY
    {NULL, NULL},
};

void capabilities_examine(struct findings *d)
{
    for (unsigned i = 0; rows[i].examine; i++)
        rows[i].examine(d);
}

bool capabilities_check(const struct node_config *config, const char *config_path, int64_t *associations)
{
    for (unsigned i = 0; rows[i].check; i++)
        if (!rows[i].check(config, config_path, associations))
            return false;
    return true;
}
