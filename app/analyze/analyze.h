/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow analyze`: feeds captures to the passive analysis of analyze/ and writes its results
 * (docs/analyze.md). */
#ifndef APP_ANALYZE_ANALYZE_H
#define APP_ANALYZE_ANALYZE_H

#include "analyze/gi_analysis.h"
#include "analyze/gi_exchange.h"
#include "analyze/gi_packet.h"
#include "analyze/gi_result.h"
#include "capture/reader.h"

struct analyze_options {
    char *const *captures;
    int capture_count;
    const char *json;        /* file to write, NULL: none */
    const char *out;         /* folder to write analysis.json and report.html to, NULL: none */
    const char *connections; /* CSV files to write, NULL: none */
    const char *periods, *exchanges;
    bool has_report, is_svg;
    struct gi_limits limits;
    struct gi_prefixes told;
};

/* A capture that is read beside the others. */
struct analyze_input {
    const char *path;
    struct capture_reader reader;
    struct capture_frame next; /* while has_next: its first frame that was not analysed, the reader's */
    bool has_next;
};

/* A run over all captures; of a truncated one the packets before the defect are analysed. */
struct analyze {
    const struct analyze_options *options;
    struct gi_analysis *analysis;
    struct analyze_input *inputs;        /* options->capture_count */
    struct capture_reader_counts counts; /* over all captures, when they have been read */
    struct capture_timeline timeline;
    FILE *connections, *periods, *exchanges;
    unsigned broken;                  /* captures that end with an error */
    char error[CAPTURE_READER_ERROR]; /* of the last of those */
    int percent;                      /* progress as last printed, -1: none is printed */
};

/* Analyses the captures and prints the table. Exit status: 0, 1 when the run failed, 2 when arguments are
 * wrong. */
int analyze_run(const struct analyze_options *options);

/* analysis.json. False, with a line on stderr, when it cannot be written. */
bool analyze_json_write(const struct analyze *run, const char *path);

/* First lines of the CSV files, and their rows: for a connection, a period of a channel rate, and an
 * exchange. `to` is the FILE. */
void analyze_csv_head(FILE *file);
void analyze_csv_row(void *to, const struct gi_conn *c, const struct gi_verdict *v);
void analyze_csv_period_head(FILE *file);
void analyze_csv_period(void *to, const struct gi_conn *c, double rate_bps);
void analyze_csv_exchange_head(FILE *file);
void analyze_csv_exchange(void *to, const struct gi_conn *c, const struct gi_exchange *x);

#endif
