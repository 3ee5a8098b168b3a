/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of schemes by name, their defaults and ranges. */
#ifndef DATAPLANE_AQM_AQM_PARAM_H
#define DATAPLANE_AQM_AQM_PARAM_H

#include "dataplane/aqm/aqm.h"

#include <stddef.h>

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

#endif
