/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of schemes by name, their defaults, and what is wrong with a value. */
#ifndef DATAPLANE_AQM_AQM_PARAM_H
#define DATAPLANE_AQM_AQM_PARAM_H

#include "dataplane/aqm/aqm.h"

#include <stddef.h>

/* Where a parameter stands among the scheme's, -1: it has none of that name. */
int aqm_param_find(const struct aqm_ops *ops, const char *name);

/* Fills in the defaults; values has room for ops->param_count. */
void aqm_param_defaults(const struct aqm_ops *ops, int64_t *values);

/* Whether all values are in range. If not, message says which is not, and what would be. */
bool aqm_param_check(const struct aqm_ops *ops, const int64_t *values, char *message, size_t cap);

/* What kinds are called in configuration: "octets", "duration", "percent", "integer", "boolean", "enum". */
const char *aqm_param_kind_name(enum aqm_kind kind);

/* The word of a choice into out; false when there is none of that index or no room. */
bool aqm_param_word(const struct aqm_param *param, int64_t index, char *out, size_t cap);

/* A value with its unit, as in messages: "15000 octets". */
void aqm_param_show(const struct aqm_param *param, int64_t value, char *out, size_t cap);

#endif
