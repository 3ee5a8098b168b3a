/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/analyze/analyze.h"

#include "control/base/command.h"
#include "control/base/whole_file.h"
#include "control/base/report.h"
#include "dataplane/base/moment.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_FRAMES 65536

/* Captures of several receive queues have frames out of order; a step of more than a day is one of the clock.
 */
#define BACK_NS    MOMENT_SECOND
#define SILENCE_NS (86400 * MOMENT_SECOND)

static void show_progress(struct analyze *run)
{
    int percent = capture_reader_percent(&run->reader);
    if (percent == run->percent || !isatty(STDERR_FILENO))
        return;
    run->percent = percent;
    fprintf(stderr, "\r%3d %%", percent);
}

static void hide_progress(struct analyze *run)
{
    if (run->percent >= 0)
        fputs("\r      \r", stderr);
    run->percent = -1;
}

static void warn_of_damage(struct analyze *run, const char *path)
{
    run->broken++;
    memcpy(run->error, run->reader.error, sizeof(run->error));
    fprintf(stderr, "gbflow analyze: warning: %s: %s; packets before it are analysed\n", path, run->error);
}

/* False: the capture cannot be opened. */
static bool read_capture(struct analyze *run, const char *path)
{
    struct capture_frame frame;
    if (capture_reader_open(&run->reader, path) < 0) {
        fprintf(stderr, "gbflow analyze: %s: %s\n", path, run->reader.error);
        return false;
    }
    while (capture_reader_next(&run->reader, &frame)) {
        frame.at_ns = capture_timeline_put(&run->timeline, frame.at_ns);
        gi_analysis_frame(run->analysis, frame);
        if (run->reader.counts.frames % PROGRESS_FRAMES == 0)
            show_progress(run);
    }
    hide_progress(run);
    if (run->reader.is_broken)
        warn_of_damage(run, path);
    capture_reader_close(&run->reader);
    return true;
}

static bool read_all(struct analyze *run)
{
    for (int i = 0; i < run->options->capture_count; i++) {
        if (!read_capture(run, run->options->captures[i]))
            return false;
    }
    gi_analysis_finish(run->analysis);
    return true;
}

/* NULL, with a line on stderr: the file cannot be written. */
static FILE *open_csv(const char *path)
{
    FILE *file = folder_make_for(path) ? whole_file_open(path) : NULL;
    if (!file)
        fprintf(stderr, "gbflow analyze: %s cannot be written\n", path);
    return file;
}

static bool open_files(struct analyze *run)
{
    const struct analyze_options *o = run->options;
    if (o->connections) {
        if (!(run->connections = open_csv(o->connections)))
            return false;
        analyze_csv_head(run->connections);
        run->analysis->on_end = analyze_csv_row;
        run->analysis->to = run->connections;
    }
    if (o->periods) {
        if (!(run->periods = open_csv(o->periods)))
            return false;
        analyze_csv_period_head(run->periods);
        run->analysis->on_period = analyze_csv_period;
        run->analysis->periods_to = run->periods;
    }
    return true;
}

static bool close_csv(FILE *file, const char *path)
{
    if (!file)
        return true;
    bool is_good = whole_file_close(file, path) == 0;
    if (!is_good)
        fprintf(stderr, "gbflow analyze: %s cannot be written\n", path);
    return is_good;
}

static bool close_files(struct analyze *run)
{
    bool is_good = close_csv(run->connections, run->options->connections);
    return close_csv(run->periods, run->options->periods) && is_good;
}

static bool write_folder(const struct analyze *run)
{
    const struct analyze_options *o = run->options;
    char path[PATH_MAX];
    if (!o->out)
        return true;
    if (snprintf(path, sizeof(path), "%s/analysis.json", o->out) >= (int)sizeof(path)) {
        fputs("gbflow analyze: the path is too long\n", stderr);
        return false;
    }
    return folder_make(o->out) && analyze_json_write(run, path) &&
           (!o->has_report || report_make("analyze", o->out, o->is_svg));
}

static bool write_all(struct analyze *run)
{
    const struct analyze_options *o = run->options;
    if (o->json && !(folder_make_for(o->json) && analyze_json_write(run, o->json)))
        return false;
    return write_folder(run);
}

int analyze_run(const struct analyze_options *options)
{
    struct analyze run = {
        .options = options,
        .timeline = {.back_ns = BACK_NS, .silence_ns = SILENCE_NS, .set_ns = SILENCE_NS},
        .percent = -1,
    };
    run.analysis = gi_analysis_new(&options->limits, &options->told);
    if (!run.analysis) {
        fputs("gbflow analyze: out of memory\n", stderr);
        return COMMAND_FAILED;
    }
    bool is_good = open_files(&run) && read_all(&run);
    is_good = close_files(&run) && is_good;
    if (is_good)
        analyze_print(&run);
    is_good = is_good && write_all(&run);
    gi_analysis_free(run.analysis);
    return is_good ? COMMAND_OK : COMMAND_FAILED;
}
