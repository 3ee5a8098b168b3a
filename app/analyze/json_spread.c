/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/analyze/json_spread.h"

#include <math.h>

enum { CDF_POINTS = 200 };

static void put_cdf(struct json_stream *s, const struct gi_spread *spread, double factor)
{
    int64_t last = -1;
    json_stream_array(s, "cdf");
    for (unsigned i = 1; i <= CDF_POINTS && spread->count; i++) {
        int64_t value = gi_spread_quantile(spread, (double)i / CDF_POINTS);
        if (value == last && i < CDF_POINTS)
            continue;
        last = value;
        json_stream_array(s, NULL);
        json_stream_number(s, NULL, (double)value * factor);
        json_stream_number(s, NULL, (double)i / CDF_POINTS);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_bar(struct json_stream *s, double start, uint64_t count)
{
    if (count == 0)
        return;
    json_stream_array(s, NULL);
    json_stream_number(s, NULL, start);
    json_stream_count(s, NULL, count);
    json_stream_end(s);
}

static void put_histogram(struct json_stream *s, const struct gi_spread *spread, double factor, double width)
{
    uint64_t count = 0;
    double bar = 0;
    json_stream_number(s, "bar_width", width);
    json_stream_array(s, "bars");
    for (unsigned i = 0; i < GI_SPREAD_CLASSES; i++) {
        if (spread->classes[i] == 0)
            continue;
        double at = floor((double)gi_spread_value(i) * factor / width);
        if (at > bar) {
            put_bar(s, bar * width, count);
            bar = at;
            count = 0;
        }
        count += spread->classes[i];
    }
    put_bar(s, bar * width, count);
    json_stream_end(s);
}

void analyze_json_spread(struct json_stream *s, const char *key, const struct gi_spread *spread,
                         double factor, double width)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"p5", 0.05}, {"p25", 0.25}, {"p50", 0.5}, {"p75", 0.75}, {"p95", 0.95}};
    if (spread->count == 0) {
        json_stream_null(s, key);
        return;
    }
    json_stream_object(s, key);
    json_stream_count(s, "count", spread->count);
    json_stream_number(s, "mean", gi_spread_mean(spread) * factor);
    json_stream_number(s, "min", (double)spread->least * factor);
    for (unsigned i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
        json_stream_number(s, quantiles[i].name,
                           (double)gi_spread_quantile(spread, quantiles[i].share) * factor);
    json_stream_number(s, "max", (double)spread->most * factor);
    put_cdf(s, spread, factor);
    put_histogram(s, spread, factor, width);
    json_stream_end(s);
}
