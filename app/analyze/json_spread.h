/* SPDX-License-Identifier: BSD-3-Clause */
/* A distribution in analysis.json. */
#ifndef APP_ANALYZE_JSON_SPREAD_H
#define APP_ANALYZE_JSON_SPREAD_H

#include "analyze/gi_result.h"
#include "control/base/stream.h"

/* Quantiles, and a histogram with bars of this width. factor: from the spread's unit to the report's. */
void analyze_json_spread(struct json_stream *s, const char *key, const struct gi_spread *spread,
                         double factor, double width);

#endif
