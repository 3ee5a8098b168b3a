/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces that a scenario reads from CSV files, and the ground truth that a run writes. */
#include "app/run/scenario_config.h"

#include "capture/reader.h"
#include "control/base/utf8.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Values over time from a file beside a scenario: a table (CSV), or for packets also a capture.
 *
 * A table has a row a line: the time in seconds, then one or two values, separated by commas. Times are at
 * least 0 and do not fall; of rates and channels they rise. Empty lines, lines that begin with # and a first
 * line that begins with a letter are skipped.
 */

enum {
    TRACE_MOST_ROWS = 5000000,
    TRACE_LEAST_PACKET_OCTETS = 44, /* of app_cbr */
    LINE_OCTETS = 4096,             /* of a row, its end included */
};

#define MOST_SECONDS 2678400.0
#define FIRST_ROOM   1024

static const struct {
    unsigned values; /* at most */
    double least, most;
    bool is_whole, may_stand; /* integers only; several rows of one instant */
    const char *what;
} kinds[] = {
    [TRACE_PACKETS] = {1, TRACE_LEAST_PACKET_OCTETS, 1500, true, true, "octets of an IP packet"},
    [TRACE_RATES] = {2, 0, 90, false, false, "a block error rate in percent"},
    [TRACE_RATIOS] = {2, -50, 100, false, false, "C/I in dB"},
};

static bool trace_capture_is_one(FILE *file);
static bool trace_capture_read(struct trace *trace, const char *path);

/* For the files of this folder alone: adds a row; false, with a line on stderr: too many, or no memory. */
static bool trace_add(struct trace *trace, const char *path, struct trace_row row)
{
    uint32_t n = trace->count;
    if (n == TRACE_MOST_ROWS) {
        utf8_printf(stderr, "%s: more than %d rows\n", path, TRACE_MOST_ROWS);
        return false;
    }
    if (n == 0 || (n >= FIRST_ROOM && (n & (n - 1)) == 0)) {
        struct trace_row *rows = realloc(trace->rows, (n ? 2 * (size_t)n : FIRST_ROOM) * sizeof(*rows));
        if (!rows) {
            utf8_printf(stderr, "%s: out of memory\n", path);
            return false;
        }
        trace->rows = rows;
    }
    trace->rows[trace->count++] = row;
    return true;
}

/* The number that the text begins with, up to a comma or its end. False: there is none. */
static bool take_number(const char **text, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(*text, &end);
    if (end == *text || errno || !isfinite(*number))
        return false;
    end += strspn(end, " \t\r");
    if (*end != '\0' && (*end != ',' || end[1] == '\0'))
        return false;
    *text = *end ? end + 1 : end;
    return true;
}

static bool is_out_of_range(const struct trace *trace, double value)
{
    return value < kinds[trace->kind].least || value > kinds[trace->kind].most ||
           (kinds[trace->kind].is_whole && value != floor(value));
}

/* NULL: the row is after the one above. */
static const char *fault_of(const struct trace *trace, const struct trace_row *row)
{
    const struct trace_row *last = trace->count ? &trace->rows[trace->count - 1] : NULL;
    bool may_stand = kinds[trace->kind].may_stand;
    if (last && (row->at_ns < last->at_ns || (row->at_ns == last->at_ns && !may_stand)))
        return may_stand ? "its time is before that of the row above"
                         : "its time is not after that of the row above";
    return NULL;
}

static bool check_row(const struct trace *trace, const char *path, unsigned number,
                      const struct trace_row *row)
{
    const char *fault = fault_of(trace, row);
    if (fault)
        utf8_printf(stderr, "%s:%u: %s\n", path, number, fault);
    for (unsigned i = 0; !fault && i < kinds[trace->kind].values; i++)
        if (is_out_of_range(trace, row->values[i])) {
            fault = kinds[trace->kind].what;
            utf8_printf(stderr, "%s:%u: %g is not %s, %g to %g\n", path, number, row->values[i], fault,
                        kinds[trace->kind].least, kinds[trace->kind].most);
        }
    return !fault;
}

static bool trace_parse(const struct trace *trace, const char *text, struct trace_row *row)
{
    double seconds;
    unsigned count = 0;
    if (!take_number(&text, &seconds) || seconds < 0 || seconds > MOST_SECONDS)
        return false;
    while (*text && count < kinds[trace->kind].values)
        if (!take_number(&text, &row->values[count++]))
            return false;
    if (count == 1)
        row->values[1] = row->values[0];
    row->at_ns = llround(seconds * 1e9);
    return count > 0 && !*text;
}

/* One line, without its end. */
static bool read_line(struct trace *trace, const char *path, unsigned number, const char *text)
{
    struct trace_row row = {0};
    text += strspn(text, " \t\r");
    if (*text == '\0' || *text == '#' || (number == 1 && isalpha((unsigned char)*text)))
        return true;
    if (!trace_parse(trace, text, &row)) {
        utf8_printf(stderr,
                    "%s:%u: needs a time in seconds, 0 to %.0f, and %u value%s behind it, by commas\n", path,
                    number, MOST_SECONDS, kinds[trace->kind].values,
                    kinds[trace->kind].values > 1 ? "s at most" : "");
        return false;
    }
    return check_row(trace, path, number, &row) && trace_add(trace, path, row);
}

static bool read_table(struct trace *trace, const char *path, FILE *file)
{
    char line[LINE_OCTETS];
    bool is_right = true;
    for (unsigned number = 1; is_right && fgets(line, sizeof(line), file); number++) {
        bool has_end = strchr(line, '\n') || feof(file);
        if (!has_end)
            utf8_printf(stderr, "%s:%u: the line is too long: at most %d octets\n", path, number,
                        LINE_OCTETS - 2);
        line[strcspn(line, "\n")] = '\0';
        is_right = has_end && read_line(trace, path, number, number == 1 ? utf8_behind_mark(line) : line);
    }
    if (is_right && ferror(file))
        utf8_printf(stderr, "%s: cannot be read\n", path);
    return is_right && !ferror(file);
}

FILE *trace_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is_regular = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = is_regular ? fdopen(fd, "rb") : NULL;
    if (!file)
        utf8_printf(stderr, "%s: %s\n", path,
                    fd < 0 || is_regular ? strerror(errno) : "is not a regular file");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

bool trace_read(struct trace *trace, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s", folder, trace->file);
    FILE *file = trace_open(path);
    if (!file)
        return false;
    bool is_capture = trace->kind == TRACE_PACKETS && trace_capture_is_one(file);
    bool is_right = is_capture ? trace_capture_read(trace, path) : read_table(trace, path, file);
    fclose(file);
    if (is_right && trace->count == 0)
        utf8_printf(stderr, "%s: has no %s\n", path, is_capture ? "IP packet that is asked for" : "row");
    return is_right && trace->count > 0;
}

void trace_fini(struct trace *trace)
{
    free(trace->file);
    free(trace->rows);
    *trace = (struct trace){0};
}

enum { MOST_PACKET_OCTETS = 1500, V4_OCTETS = 20, V6_OCTETS = 40, V4_DESTINATION = 16 };

/* trace.c: whether a file begins as a capture does, and its packets as rows. It is at its beginning
 * afterwards. */
static bool trace_capture_is_one(FILE *file)
{
    static const uint32_t begins[] = {0x0a0d0d0a, 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1};
    uint8_t octets[4] = {0};
    size_t got = fread(octets, 1, sizeof(octets), file);
    bool is_one = got == sizeof(octets) && octets[0] == 0x1f && octets[1] == 0x8b; /* gzip */
    for (unsigned i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        is_one |= got == sizeof(octets) && bytes_get_u32(octets) == begins[i];
    rewind(file);
    return is_one;
}

/* Octets of the IP packet; 0: it is not an IP packet, or not to the address. */
static uint32_t trace_octets_of(const struct trace *trace, struct capture_frame *frame)
{
    if (capture_link_strip(frame).end != CAPTURE_LINK_IP || frame->captured < V4_OCTETS)
        return 0;
    if (frame->bytes[0] >> 4 == 4)
        return trace->to && bytes_get_u32(frame->bytes + V4_DESTINATION) != trace->to
                   ? 0
                   : bytes_get_u16(frame->bytes + 2);
    if (frame->bytes[0] >> 4 == 6 && !trace->to)
        return V6_OCTETS + bytes_get_u16(frame->bytes + 4);
    return 0;
}

static bool run_trace_add(struct trace *trace, const char *path, struct capture_frame *frame,
                          int64_t *begin_ns)
{
    uint32_t octets = trace_octets_of(trace, frame);
    if (octets == 0)
        return true;
    if (octets > MOST_PACKET_OCTETS) {
        utf8_printf(
            stderr,
            "%s: an IP packet of %u octets, from segmentation by a network card perhaps: 1500 at most\n",
            path, octets);
        return false;
    }
    if (trace->count == 0)
        *begin_ns = frame->at_ns;
    struct trace_row row = {
        .at_ns = frame->at_ns - *begin_ns,
        .values = {octets < TRACE_LEAST_PACKET_OCTETS ? TRACE_LEAST_PACKET_OCTETS : octets}};
    if (trace->count && row.at_ns < trace->rows[trace->count - 1].at_ns) /* of several interfaces */
        row.at_ns = trace->rows[trace->count - 1].at_ns;
    return trace_add(trace, path, row);
}

static void warn_of_unread(const char *path, const struct capture_reader_counts *read)
{
    struct capture_unread_list list = {0};
    capture_unread_list_links(&list, &read->unread);
    capture_unread_list_put(&list, read->unknown_links, "of link types that are not supported");
    if (capture_unread_are_many(&list, read->frames))
        utf8_printf(stderr, "warning: %s: %" PRIu64 " of %" PRIu64 " frames could not be read: %s\n", path,
                    list.frames, read->frames, list.text);
}

static bool trace_capture_read(struct trace *trace, const char *path)
{
    struct capture_reader *reader = calloc(1, sizeof(*reader));
    struct capture_frame frame;
    int64_t begin_ns = 0;
    bool is_right = reader && capture_reader_open(reader, path) == 0;
    if (is_right) {
        while (is_right && capture_reader_next(reader, &frame))
            is_right = run_trace_add(trace, path, &frame, &begin_ns);
        if (is_right && reader->is_broken)
            utf8_printf(stderr, "%s: %s\n", path, reader->error);
        warn_of_unread(path, &reader->counts);
        is_right = is_right && !reader->is_broken;
    } else {
        utf8_printf(stderr, "%s: %s\n", path, reader ? reader->error : "out of memory");
    }
    if (reader)
        capture_reader_close(reader);
    free(reader);
    return is_right;
}
