/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All schemes: those of schemes.def, a row each, and plug-ins. A new scheme is one file, one row and one
 * test; everything else is derived from its struct aqm_ops.
 */
#ifndef DATAPLANE_AQM_AQM_REGISTRY_H
#define DATAPLANE_AQM_AQM_REGISTRY_H

#include "dataplane/aqm/aqm.h"

#include <stddef.h>

/* Parameters of schemes by name, their defaults and ranges. */

/* Index of a parameter in ops->params, -1: the scheme has none of that name. */
int aqm_param_find(const struct aqm_ops *ops, const char *name);

/* Fills in the defaults; values has room for ops->param_count. */
void aqm_param_defaults(const struct aqm_ops *ops, int64_t *values);

/* Whether all values are in range. If not, message names the first that is not, and its range. */
bool aqm_param_check(const struct aqm_ops *ops, const int64_t *values, char *message, size_t cap);

/* Name of a kind in configuration: "octets", "duration", "percent", "integer", "boolean", "enum". */
const char *aqm_param_kind_name(enum aqm_kind kind);

/* Copies the word of a choice to out; false: no word has that index, or out is too small. */
bool aqm_param_word(const struct aqm_param *param, int64_t index, char *out, size_t cap);

/* A value with its unit, as in messages: "15000 octets". */
void aqm_param_show(const struct aqm_param *param, int64_t value, char *out, size_t cap);

#define AQM_REGISTRY_MAX 64

struct aqm_registry {
    const struct aqm_ops *schemes[AQM_REGISTRY_MAX];
    void *plugins[AQM_REGISTRY_MAX]; /* handles of dlopen(), NULL for built-in schemes */
    unsigned count;
};

/* Adds the built-in schemes. */
void aqm_registry_init(struct aqm_registry *r);

/* Closes plug-ins; all setups made of their schemes must have been freed. */
void aqm_registry_fini(struct aqm_registry *r);

/* The scheme of a name, NULL: none has it. */
const struct aqm_ops *aqm_registry_find(const struct aqm_registry *r, const char *name);

/*
 * Adds a scheme that the caller owns and keeps. False, with the reason in message: its name is taken or
 * empty, its parameters contradict each other, its state is larger than AQM_MAX_STATE, or the registry is
 * full.
 */
bool aqm_registry_add(struct aqm_registry *r, const struct aqm_ops *ops, char *message, size_t cap);

/*
 * Loads a plug-in, a shared object that ends in AQM_PLUGIN(its ops). False, with the reason in message: it
 * cannot be loaded, does not export AQM_PLUGIN_SYMBOL, has another AQM_ABI or other sizes, or as
 * aqm_registry_add().
 */
bool aqm_registry_load(struct aqm_registry *r, const char *path, char *message, size_t cap);

#endif
