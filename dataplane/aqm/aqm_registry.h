/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All schemes: those of schemes.def, a row each, and plug-ins. A new scheme is one file, one row and one
 * test; everything else is derived from its struct aqm_ops.
 */
#ifndef DATAPLANE_AQM_AQM_REGISTRY_H
#define DATAPLANE_AQM_AQM_REGISTRY_H

#include "dataplane/aqm/aqm.h"

#include <stddef.h>

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
