/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CONTROL_BASE_STREAM_H
#define CONTROL_BASE_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Copies as many whole characters as there is room for, ill-formed octets replaced as above, and ends them
 * with NUL. Returns their octets. cap is at least 1. */
size_t utf8_copy(char *out, size_t cap, const char *text);

/* A JSON string of a text, ill-formed octets replaced as above. NULL: no memory. The caller's. */
json_t *utf8_json(const char *text);

/* Writes JSON value by value, for reports that are too long to be built first. Keys and texts are UTF-8;
 * ill-formed octets become U+FFFD. Control characters are escaped. */

enum { JSON_STREAM_DEPTH = 16 };

struct json_stream {
    FILE *file;
    unsigned depth;
    char close[JSON_STREAM_DEPTH];
    bool has_one[JSON_STREAM_DEPTH + 1]; /* the object or array at this depth is not empty */
};

/* Begins a document: its object, with `schema` ("gbflow-doctor/1") and `version`, which is gbflow's. Ended by
 * json_stream_end(). */
void json_stream_begin(struct json_stream *s, const char *schema);

/* key is NULL in an array and at the top. */
void json_stream_object(struct json_stream *s, const char *key);
void json_stream_array(struct json_stream *s, const char *key);

/* Ends the object or array begun last. */
void json_stream_end(struct json_stream *s);

void json_stream_count(struct json_stream *s, const char *key, uint64_t value);

/* Infinity and NaN become null. */
void json_stream_number(struct json_stream *s, const char *key, double value);

/* A finite number with a point or an exponent, also a whole one: 1.0. */
void json_stream_real(struct json_stream *s, const char *key, double value);
void json_stream_text(struct json_stream *s, const char *key, const char *text);
void json_stream_null(struct json_stream *s, const char *key);
void json_stream_bool(struct json_stream *s, const char *key, bool value);

/*
 * Reads a table of comma-separated values (RFC 4180) line by line, with the place of each field. Deviations:
 * a field has no line break; lines that are empty or begin with # are skipped; a byte order mark at the
 * beginning of the file is skipped.
 */

#define CSV_LINE_OCTETS 4096 /* of the longest line, its end included */
#define CSV_FIELDS      64

struct csv_field {
    const char *text; /* in the reader's line, without quotes */
    uint32_t column;  /* of its first octet, from 1 */
};

struct csv {
    FILE *file;
    uint32_t line_number; /* of the line in `fields`, from 1 */
    unsigned count;       /* of fields */
    struct csv_field fields[CSV_FIELDS];
    uint32_t fault_column; /* of the error */
    const char *fault;     /* why the last line cannot be read; NULL: it can */
    char line[CSV_LINE_OCTETS];
    char buffer[16384]; /* of the file: it may have ciphering keys */
};

/* Opens a regular file; others, such as a FIFO, would stop the reader. False, with *error: why. csv_close()
 * must be called in either case. */
bool csv_open(struct csv *csv, const char *path, const char **error);

/* Reads the next line into csv->fields. False: the file has ended, or (csv->fault) cannot be read further. A
 * line with wrong quotes sets csv->fault, too, but returns true. */
bool csv_next(struct csv *csv);

/* Closes the file and wipes what was read of it. */
void csv_close(struct csv *csv);

#endif
