/* SPDX-License-Identifier: BSD-3-Clause */
/* Plug-ins that must be refused, one for each value of FAULT. */
#include "dataplane/aqm/aqm.h"

#if FAULT == 1
static const struct aqm_ops wrong_ops = {.name = "red", .title = "t", .summary = "s", .source = "s"};
#elif FAULT == 2
static const struct aqm_param params[] = {{"limit", "too low", AQM_OCTETS, 10, 20, 5, NULL}};
static const struct aqm_ops wrong_ops = {
    .name = "w", .title = "t", .summary = "s", .source = "s", .params = params, .param_count = 1};
#elif FAULT == 3
static const struct aqm_ops wrong_ops = {
    .name = "w", .title = "t", .summary = "s", .source = "s", .state_octets = AQM_MAX_STATE + 1};
#else
static const struct aqm_ops wrong_ops = {.name = "w", .title = "t", .summary = "s", .source = "s"};
#endif

#if FAULT == 4
extern const struct aqm_plugin gbflow_aqm_plugin;
const struct aqm_plugin gbflow_aqm_plugin = {AQM_ABI + 1, sizeof(struct aqm_ops), sizeof(struct aqm_view),
                                             sizeof(struct aqm_param), &wrong_ops};
#elif FAULT == 5
extern const struct aqm_plugin gbflow_aqm_plugin;
const struct aqm_plugin gbflow_aqm_plugin = {AQM_ABI, sizeof(struct aqm_ops), sizeof(struct aqm_view) - 8,
                                             sizeof(struct aqm_param), &wrong_ops};
#elif FAULT == 6
extern const struct aqm_ops *const gbflow_something_else;
const struct aqm_ops *const gbflow_something_else = &wrong_ops;
#else
AQM_PLUGIN(wrong_ops);
#endif
