/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/fields.h"

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

json_t *fields_address(const struct address_book *book, uint32_t address)
{
    char text[ADDRESS_BOOK_TEXT_CHARS];
    return json_string(address_book_text(book, address, text));
}

json_t *fields_drops(const uint64_t *counts, bool are_npdus)
{
    json_t *object = json_object();
    for (int i = DROP_NONE + 1; i < DROP_COUNT; i++)
        if (drop_is_npdu((enum drop)i) == are_npdus)
            fields_put_count(object, drop_name((enum drop)i), counts[i]);
    return object;
}

json_t *fields_gn(const struct worker_stats *stats, uint64_t lost_sessions)
{
    json_t *object = json_object();
    fields_put_count(object, "asked", stats->gn_asked);
    fields_put_count(object, "echo_responses", stats->gn_echo_responses);
    fields_put_count(object, "error_indications", stats->gn_error_indications);
    fields_put_count(object, "extension_notices", stats->gn_extension_notices);
    fields_put_count(object, "over_budget", stats->gn_over_budget);
    fields_put_count(object, "unanswerable", stats->gn_unanswerable);
    fields_put_count(object, "answers_lost", stats->gn_answers_lost);
    fields_put_count(object, "echo_requests", stats->gn_echo_requests);
    fields_put_count(object, "echo_lost", stats->gn_echo_lost);
    fields_put_count(object, "echo_answered", stats->gn_echo_answered);
    fields_put_count(object, "echo_unexpected", stats->gn_echo_unexpected);
    fields_put_count(object, "fragmented", stats->gn_cut);
    fields_put_count(object, "fragments", stats->gn_cut_pieces);
    fields_put_count(object, "tunnel_errors", stats->gn_tunnel_errors);
    fields_put_count(object, "lost_sessions", lost_sessions);
    return object;
}

static void put_mean(json_t *object, const struct samples *samples)
{
    if (samples->count == 0)
        fields_put(object, "mean", json_null());
    else
        fields_put_seconds(object, "mean", samples_mean_ns(samples));
}

json_t *fields_quantiles(struct samples *samples, bool is_whole)
{
    static const struct {
        const char *key;
        unsigned percent;
    } quantiles[] = {{"p50", 50}, {"p95", 95}, {"p99", 99}, {"max", 100}};
    json_t *object = json_object();

    if (is_whole)
        put_mean(object, samples);
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        if (quantiles[i].percent == 99 && !is_whole)
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
