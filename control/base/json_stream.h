/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON value by value, for reports that are too long to be built first. Keys and texts are UTF-8;
 * ill-formed octets become U+FFFD. Control characters are escaped. */
#ifndef CONTROL_BASE_JSON_STREAM_H
#define CONTROL_BASE_JSON_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
