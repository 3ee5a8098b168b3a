/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/csv.h"
#include "control/base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_OCTETS ((off_t)1 << 30)

bool csv_open(struct csv *csv, const char *path, const char **error)
{
    struct stat status;
    csv->file = NULL;
    csv->line_number = 0;
    csv->fault = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_there = fd >= 0 && fstat(fd, &status) == 0;
    *error = !is_there                      ? strerror(errno)
             : !S_ISREG(status.st_mode)     ? "is not a regular file"
             : status.st_size > MOST_OCTETS ? "is larger than 1 GiB"
                                            : NULL;
    if (!*error)
        csv->file = fdopen(fd, "rb");
    if (csv->file)
        setvbuf(csv->file, csv->buffer, _IOFBF, sizeof(csv->buffer));
    else if (fd >= 0)
        close(fd);
    return csv->file != NULL;
}

void csv_close(struct csv *csv)
{
    if (csv->file)
        fclose(csv->file);
    explicit_bzero(csv, sizeof(*csv));
}

static void csv_fail(struct csv *csv, const char *at, const char *fault)
{
    csv->fault = fault;
    csv->fault_column = (uint32_t)(at - csv->line) + 1;
}

/* Removes the quotes of a field; returns the end of the field in the line, NULL if it has none. */
static char *unquote(char *text)
{
    char *out = text;
    for (char *at = text + 1; *at; at++) {
        if (*at == '"' && at[1] != '"') {
            *out = '\0';
            return at + 1;
        }
        at += *at == '"';
        *out++ = *at;
    }
    return NULL;
}

/* Takes the field at `text`; returns the one behind it, NULL at the end of the line. */
static char *take_field(struct csv *csv, char *text)
{
    char *end = text + strcspn(text, ",");
    csv->fields[csv->count++] = (struct csv_field){text, (uint32_t)(text - csv->line) + 1};
    if (*text == '"')
        end = unquote(text);
    if (!end || (*end && *end != ','))
        csv_fail(csv, end ? end : text,
                 end ? "a comma is missing after the quotes" : "the quotes do not end");
    if (!end || *end != ',')
        return NULL;
    *end = '\0';
    return end + 1;
}

static void split(struct csv *csv)
{
    char *next = csv->line;
    csv->count = 0;
    while (next && csv->count < CSV_FIELDS)
        next = take_field(csv, next);
    if (next)
        csv_fail(csv, next, "too many fields");
}

/* Reads a line with its end. Returns its octets, 0: the file has ended. Octets of the line can be 0, so that
 * only the last one is the end that fgets() puts. */
static size_t get_line(struct csv *csv)
{
    memset(csv->line, 0xff, sizeof(csv->line));
    if (!fgets(csv->line, sizeof(csv->line), csv->file))
        return 0;
    csv->line_number++;
    return (size_t)((char *)memrchr(csv->line, '\0', sizeof(csv->line)) - csv->line);
}

/* Reads a line without its end. False: there is none, or it is not a line of text. */
static bool read_line(struct csv *csv)
{
    size_t octets = get_line(csv);
    bool has_end = octets > 0 && csv->line[octets - 1] == '\n';
    if (octets == 0 && ferror(csv->file))
        csv_fail(csv, csv->line, "cannot be read");
    else if (octets > 0 && strlen(csv->line) != octets)
        csv_fail(csv, csv->line + strlen(csv->line), "an octet 0; the file is not a text");
    else if (octets > 0 && !has_end && !feof(csv->file))
        csv_fail(csv, csv->line, "the line is too long: at most 4094 octets");
    if (octets == 0 || csv->fault)
        return false;
    octets -= has_end;
    octets -= octets > 0 && csv->line[octets - 1] == '\r';
    csv->line[octets] = '\0';
    const char *text = csv->line_number == 1 ? utf8_behind_mark(csv->line) : csv->line;
    memmove(csv->line, text, strlen(text) + 1);
    return true;
}

bool csv_next(struct csv *csv)
{
    do {
        csv->fault = NULL;
        if (!read_line(csv))
            return false;
    } while (csv->line[0] == '\0' || csv->line[0] == '#');
    split(csv);
    return true;
}
