/* SPDX-License-Identifier: BSD-3-Clause */
/* The AQM schemes that a configuration names: built in, plug-ins and Lua files. */
#ifndef CONTROL_CONFIG_AQM_CHOICES_H
#define CONTROL_CONFIG_AQM_CHOICES_H

#include "control/config/lua_aqm_script.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/n_pdu.h"

#define AQM_CHOICES_KIND_CHARS 8

/* The schemes that a node's classes use. It must outlive the setups made of them. */
struct aqm_choices {
    struct aqm_registry registry;
    struct lua_aqm_script *scripts[QCLASS_COUNT + 1];
    char *paths[QCLASS_COUNT + 1]; /* of the scripts */
    unsigned script_count;
    int64_t values[QCLASS_COUNT][AQM_MAX_PARAMS];
};

/* NULL: out of memory. */
struct aqm_choices *aqm_choices_new(void);
/* NULL is allowed. */
void aqm_choices_free(struct aqm_choices *choices);

/* The error of a scheme in Lua that ended its work (lua_aqm_script_failure()), after which the run's results
 * are worthless; NULL: none failed. NULL is allowed. */
const char *aqm_choices_failure(const struct aqm_choices *choices);

/* Finds or loads a scheme. kind: "scheme", "plugin" or "lua"; name: of the scheme, of the file in the folder
 * of plug-ins (plugin_folder.h), or the path of the Lua file. A file is loaded once. NULL, with the reason in
 * message: failed. */
const struct aqm_ops *aqm_choices_find(struct aqm_choices *choices, const char *kind, const char *name,
                                       char *message, size_t cap);

#endif
