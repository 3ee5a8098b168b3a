/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/fields.h"

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"

#include <arpa/inet.h>
#include <stdio.h>

void fields_put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void fields_put_count(json_t *object, const char *key, uint64_t value)
{
    fields_put(object, key, json_integer((json_int_t)value));
}

void fields_put_seconds(json_t *object, const char *key, int64_t ns)
{
    fields_put(object, key, json_real((double)ns / MOMENT_SECOND));
}

json_t *fields_ip(uint32_t address)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr in = {.s_addr = htonl(address)};
    return json_string(inet_ntop(AF_INET, &in, text, sizeof(text)));
}

json_t *fields_drops(const uint64_t *counts, bool are_npdus)
{
    json_t *object = json_object();
    for (int i = DROP_NONE + 1; i < DROP_COUNT; i++)
        if (drop_is_npdu((enum drop)i) == are_npdus)
            fields_put_count(object, drop_name((enum drop)i), counts[i]);
    return object;
}

json_t *fields_quantiles(struct samples *samples, bool has_p99)
{
    static const struct {
        const char *key;
        unsigned percent;
    } quantiles[] = {{"p50", 50}, {"p95", 95}, {"p99", 99}, {"max", 100}};
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        if (quantiles[i].percent == 99 && !has_p99)
            continue;
        if (samples->count == 0)
            fields_put(object, quantiles[i].key, json_null());
        else
            fields_put_seconds(object, quantiles[i].key, samples_quantile_ns(samples, quantiles[i].percent));
    }
    return object;
}

bool fields_write(json_t *object, const char *path)
{
    FILE *file = fopen(path, "w");
    bool is_written = file && json_dumpf(object, file, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
                      fputc('\n', file) != EOF;
    if (file && fclose(file) != 0)
        is_written = false;
    if (!is_written)
        fprintf(stderr, "%s: cannot be written\n", path);
    json_decref(object);
    return is_written;
}
