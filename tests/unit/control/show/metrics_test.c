/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, labels and formats of metrics. */
#include "control/show/metrics.h"
#include "tests/unit/unit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *family, *column, *name;
    double factor;
} names[] = {
    {"cell", "queued_octets", "gbflow_cell_queued_octets", 1},
    {"drops", "count", "gbflow_drops", 1},
    {"worker", "slept_s", "gbflow_worker_slept_seconds", 1},
    {"worker", "longest_gap_us", "gbflow_worker_longest_gap_seconds", 1e-6},
    {"cell", "leak_bps", "gbflow_cell_leak_octets_per_second", 0.125},
    {"cell", "dropped_per_s", "gbflow_cell_dropped_per_second", 1},
    {"worker", "gb_frames", "gbflow_worker_gbip_frames", 1},
    {"cell", "ms_buckets", "gbflow_cell_mobile_buckets", 1},
};

TEST(test_names)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct field field = {.name = names[i].column};
        char name[METRICS_NAME_CHARS];
        assert_true(metrics_name(name, names[i].family, &field) == names[i].factor);
        assert_string_equal(name, names[i].name);
    }
}

struct row {
    const char *name, *mode;
    uint64_t sent, level_us;
};

static const struct field rows_fields[] = {
    FIELD(struct row, LABEL, "name", "", name, "Name."),
    FIELD(struct row, LABEL, "mode", "", mode, "On or \"off\"."),
    FIELD(struct row, COUNTER, "sent", "N-PDUs", sent, "Sent\\all."),
    FIELD(struct row, GAUGE, "level_us", "microseconds", level_us, "Level."),
    FIELD_END,
};
static const struct field table = {.name = "t", .type = FIELD_LIST, .rows = rows_fields};
static const struct metrics_table what = {"t", "t", "name", "mode"};

static const char *const texts[] = {
    [METRICS_TEXT] = "# HELP gbflow_t_mode On or \"off\".\n# TYPE gbflow_t_mode gauge\n"
                     "gbflow_t_mode{name=\"a\\\"\\\\\\n\",mode=\"on\"} 1\n"
                     "# HELP gbflow_t_sent_total Sent\\\\all.\n# TYPE gbflow_t_sent_total counter\n"
                     "gbflow_t_sent_total{name=\"a\\\"\\\\\\n\"} 3\n"
                     "# HELP gbflow_t_level_seconds Level.\n# TYPE gbflow_t_level_seconds gauge\n"
                     "gbflow_t_level_seconds{name=\"7\"} 0.0015\n",
    [METRICS_OPEN] = "# HELP gbflow_t_mode On or \\\"off\\\".\n# TYPE gbflow_t_mode gauge\n"
                     "gbflow_t_mode{name=\"a\\\"\\\\\\n\",mode=\"on\"} 1\n"
                     "# HELP gbflow_t_sent Sent\\\\all.\n# TYPE gbflow_t_sent counter\n"
                     "gbflow_t_sent_total{name=\"a\\\"\\\\\\n\"} 3\n"
                     "# HELP gbflow_t_level_seconds Level.\n# TYPE gbflow_t_level_seconds gauge\n"
                     "gbflow_t_level_seconds{name=\"7\"} 0.0015\n",
};

/* A value that is not known has no sample, nor has a row without a label; what a user or a peer has named is
 * escaped. */
TEST(test_text)
{
    json_t *rows = json_pack("[{s:s,s:s,s:i},{s:s,s:i},{s:i,s:i}]", "name", "a\"\\\n", "mode", "on", "sent",
                             3, "mode", "off", "sent", 4, "name", 7, "level_us", 1500);
    (void)state;
    assert_non_null(rows);
    for (size_t i = 0; i < COUNT(texts); i++) {
        char *text = NULL;
        size_t octets = 0;
        FILE *out = open_memstream(&text, &octets);
        metrics_write(out, &what, &table, rows, (enum metrics_format)i);
        fclose(out);
        assert_string_equal(text, texts[i]);
        free(text);
    }
    json_decref(rows);
}

static const struct {
    enum metrics_format format;
    const char *family, *type;
} processes[] = {{METRICS_TEXT, "gbflow_build_info", "gauge"}, {METRICS_OPEN, "gbflow_build", "info"}};

TEST(what_runs_and_since_when)
{
    for (size_t i = 0; i < COUNT(processes); i++) {
        char *text = NULL, begin[256];
        size_t octets = 0;
        FILE *out = open_memstream(&text, &octets);
        metrics_write_process(out, INT64_C(1795406400123456789), processes[i].format);
        fclose(out);
        snprintf(begin, sizeof(begin),
                 "# HELP %s Version of gbflow that runs, its commit, and its DPDK.\n# TYPE %s %s\n"
                 "gbflow_build_info{version=\"",
                 processes[i].family, processes[i].family, processes[i].type);
        assert_memory_equal(text, begin, strlen(begin));
        assert_non_null(strstr(text, "\",dpdk=\"2"));
        assert_non_null(strstr(text, "# TYPE process_start_time_seconds gauge\n"
                                     "process_start_time_seconds 1795406400.123\n"));
        free(text);
    }
}

UNIT_MAIN(NULL, NULL)
